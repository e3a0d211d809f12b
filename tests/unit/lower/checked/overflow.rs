//! Overflow, with and without checks.

pub fn ops(i: usize, x: &[i32], y: &[i32], out: &mut [i32]) {
    let (a, b) = (x[i], y[i]);
    out[i] = match i % 6 {
        0 => a + b,
        1 => a - b,
        2 => a * b,
        3 => -a,
        4 => a << b,
        _ => a >> b,
    };
}

pub fn inlined(i: usize, x: &[u8], out: &mut [u8]) {
    out[i] = x.iter().take(i).sum::<u8>() * 3 + x.iter().map(|v| v * 2).product::<u8>();
}

#[inline(never)]
fn generic<T: Copy + std::ops::Add<Output = T> + std::ops::Mul<Output = T> + std::ops::Neg<Output = T>>(a: T, b: T) -> T {
    -(a * b + a)
}

pub fn generics(i: usize, x: &[i16], f: &[f32], out: &mut [f32]) {
    out[i] = generic(x[i], x[0]) as f32 + generic(f[i], 2.0);
}

pub fn wide(i: usize, x: &[u64], out: &mut [u64]) {
    let mut s = x[0];
    for v in x {
        s += v >> 2;
    }
    out[i] = s - i as u64;
}
