//! Scalars, slices, branches, loops, early return, asserts.

pub fn saxpy(i: usize, a: f32, x: &[f32], y: &mut [f32]) {
    y[i] = a * x[i] + y[i];
}

pub fn arith_i32(i: usize, x: &[i32], y: &[i32], out: &mut [i32]) {
    let (a, b) = (x[i], y[i]);
    out[i] = a.wrapping_add(b) ^ a.wrapping_sub(b) & !a.wrapping_mul(b) | (a << (b & 31)) ^ (a >> 3);
}

pub fn divide_i32(i: usize, x: &[i32], y: &[i32], out: &mut [i32]) {
    out[i] = x[i] / y[i] + x[i] % y[i];
}

pub fn divide_u8(i: usize, x: &[u8], y: &[u8], out: &mut [u8]) {
    out[i] = x[i] / y[i] + x[i] % (y[i] | 1);
}

pub fn divide_i64(i: usize, x: &[i64], y: &[i64], out: &mut [i64]) {
    out[i] = x[i].wrapping_div(y[i] | 1) + x[i].wrapping_rem(y[i] | 1);
}

pub fn shifts(i: usize, x: &[u16], y: &[i8], out: &mut [u64]) {
    let a = x[i];
    out[i] = (a.wrapping_shl(y[i] as u32) as u64) << 16
        | a.wrapping_shr(y[i] as u32) as u64
        | ((a as i16 >> 2) as u64) << 32
        | (a.rotate_left(y[i] as u32 & 63) as u64) << 48;
}

pub fn compare(i: usize, x: &[i16], y: &[i16], f: &[f64], out: &mut [u32]) {
    let (a, b, c) = (x[i], y[i], f[i]);
    let mut r = 0;
    if a < b { r |= 1 }
    if a as u16 <= b as u16 { r |= 2 }
    if a == b || c > 1.0 { r |= 4 }
    if c != c || c >= -0.0 { r |= 8 }
    r |= (a.cmp(&b) as i32 as u32) << 8;
    r |= if c.partial_cmp(&1.0) == Some(std::cmp::Ordering::Less) { 1 << 20 } else { 0 };
    r |= (a.max(b) as u32 & 15) << 24;
    out[i] = r;
}

pub fn casts(i: usize, f: &[f32], d: &[f64], x: &[i64], out: &mut [u64]) {
    let mut r = f[i] as i8 as u64 ^ (d[i] as u32 as u64) << 8 ^ (f[i] as u64) << 3;
    r ^= (d[i] as i64 as u64).rotate_left(9) ^ (x[i] as f32).to_bits() as u64;
    r ^= (x[i] as f64).to_bits() ^ (x[i] as u64 as f32).to_bits() as u64;
    r ^= (d[i] as f32).to_bits() as u64 ^ (f[i] as f64).to_bits();
    r ^= (x[i] as u8 as char) as u64 ^ (x[i] > 3) as u64 ^ x[i] as i16 as u64;
    out[i] = r;
}

pub fn chars(i: usize, c: &[char], out: &mut [u32]) {
    out[i] = match c[i] {
        'a'..='z' => c[i] as u32 - 'a' as u32,
        '0'..='9' => 100,
        'é' => 101,
        _ => c[i].len_utf8() as u32 + 200,
    };
}

pub fn bools(i: usize, b: &[bool], out: &mut [bool]) {
    out[i] = (b[i] && !b[0]) ^ b[b.len() - 1] | (b[i] < b[1]);
}

pub fn collatz(i: usize, x: &[u32], out: &mut [u32]) {
    let mut n = (x[i] & 0xffff) as u64 + 1;
    let mut steps = 0;
    while n != 1 {
        n = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
        steps += 1;
        if steps > 400 {
            out[i] = 9999;
            return;
        }
    }
    out[i] = steps;
}

pub fn gcd(i: usize, x: &[u64], y: &[u64], out: &mut [u64]) {
    let (mut a, mut b) = (x[i], y[i]);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    out[i] = a;
}

pub fn nested(i: usize, x: &[i32], out: &mut [i32]) {
    let mut total = 0i32;
    'outer: for j in 0..x.len() {
        for k in j..x.len() {
            if x[k] == 3 { continue 'outer; }
            if total > 1000 { break 'outer; }
            total = total.wrapping_add((x[j] & 255) * (k as i32 + i as i32));
        }
    }
    out[i] = total;
}

pub fn float_ops(i: usize, x: &[f64], y: &[f64], out: &mut [f64]) {
    let (a, b) = (x[i], y[i]);
    out[i] = -a + b * a - a / (b + 0.5) + a % 3.0 + a.abs() * 0.1 + b.copysign(a);
}

pub fn float_bits(i: usize, x: &[f32], out: &mut [u32]) {
    out[i] = (-x[i]).to_bits() ^ f32::from_bits(x[i].to_bits() | 1 << 31).to_bits() ^ i32::MIN as u32;
}

pub fn references(i: usize, k: &u32, m: u8, x: &mut [u32]) {
    let p = &mut x[i];
    bump(p, *k);
    if m > 2 {
        *p = p.wrapping_mul(m as u32);
    }
}

#[inline(never)]
fn bump(p: &mut u32, by: u32) {
    *p = p.wrapping_add(by);
}
