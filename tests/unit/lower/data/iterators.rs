//! Iterator chains, which rustc inlines to loops over pointers.

pub fn chains(i: usize, x: &[u32], y: &[u32], out: &mut [u32]) {
    let dot: u32 = x.iter().zip(y).map(|(a, b)| a.wrapping_mul(*b)).fold(0, u32::wrapping_add);
    let n = x.iter().filter(|v| **v % 2 == 1).count() as u32;
    let m = x.iter().copied().enumerate().filter_map(|(k, v)| if v > 3 { Some(k as u32) } else { None }).count();
    let w: u32 = x.windows(3).map(|w| w[0] ^ w[2]).fold(0, |a, b| a.rotate_left(1) ^ b);
    let c: u32 = x.chunks_exact(2).map(|c| c[0].wrapping_sub(c[1])).fold(1, u32::wrapping_add);
    let s: u32 = x.iter().rev().skip(1).copied().fold(0u32, |a, b| a.wrapping_mul(31).wrapping_add(b));
    out[i] = dot ^ n << 3 ^ (m as u32) ^ w ^ c ^ s;
}

pub fn ranges(i: usize, out: &mut [u64]) {
    let a: u64 = (0..=i as u64).sum();
    let b: u64 = (1..8u64).rev().map(|v| v * v).filter(|v| v % 3 != 0).sum();
    let mut c = 0;
    for v in (0..20u64).step_by(3) {
        if v * v > 40 { c = v; break; }
    }
    let d = (0..i).any(|v| v == 3) as u64 + (0..i).all(|v| v < 5) as u64;
    out[i] = a + b * 100 + c * 10_000 + d * 1_000_000;
}

pub fn mutate(i: usize, x: &[f32], out: &mut [[f32; 4]]) {
    for (k, v) in out[i].iter_mut().enumerate() {
        *v = x.iter().skip(k).take(2).sum::<f32>() * 0.5 + *v;
    }
    out[i].reverse();
    out[i].swap(0, 2);
}

pub fn searching(i: usize, x: &[i32], out: &mut [i32]) {
    let mut sorted = [0i32; 8];
    for (s, v) in sorted.iter_mut().zip(x) {
        *s = *v & 0xff;
    }
    for a in 0..8 {
        for b in 0..7 - a {
            if sorted[b] > sorted[b + 1] {
                sorted.swap(b, b + 1);
            }
        }
    }
    let found = match sorted.binary_search(&(x[i] & 0xff)) { Ok(p) => p as i32, Err(p) => -1 - p as i32 };
    let least = x.iter().min().copied().unwrap_or(0);
    let most = x.iter().max().copied().unwrap_or(0);
    out[i] = found ^ least ^ most ^ sorted.iter().position(|v| *v == 3).map_or(-1, |p| p as i32);
}

pub fn from_fn(i: usize, x: &[u32], out: &mut [u32]) {
    let a: [u32; 5] = std::array::from_fn(|k| x[(i + k) % x.len()].wrapping_mul(k as u32));
    let b = a.map(|v| v ^ 0x55);
    out[i] = b.iter().fold(0u32, |s, v| s.wrapping_add(*v)) ^ (a == b) as u32 ^ ((a < b) as u32) << 1;
}

pub fn scans(i: usize, x: &[u32], out: &mut [u32]) {
    let a: u32 = x.iter().scan(1u32, |s, v| { *s = s.wrapping_mul(v | 1); Some(*s) }).fold(0, |a, b| a ^ b);
    let b = x.iter().try_fold(0u8, |s, v| s.checked_add(*v as u8 & 63)).map_or(999, u32::from);
    let mut it = x.iter().peekable();
    let mut runs = 0;
    while let Some(v) = it.next() {
        if it.peek().is_some_and(|n| **n == *v) { runs += 1; }
    }
    out[i] = a ^ b << 8 ^ runs;
}
