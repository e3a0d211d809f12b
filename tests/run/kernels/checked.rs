//! Arithmetic that overflows: wraps, or panics with overflow checks.

pub fn add(i: usize, x: &[u8], y: &[u8], out: &mut [u8]) { out[i] = x[i] + y[i]; }
pub fn sub(i: usize, x: &[u32], y: &[u32], out: &mut [u32]) { out[i] = x[i] - y[i]; }
pub fn mul(i: usize, x: &[i64], y: &[i64], out: &mut [i64]) { out[i] = x[i] * y[i]; }
pub fn mul16(i: usize, x: &[i16], y: &[i16], out: &mut [i16]) { out[i] = x[i] * y[i]; }
pub fn neg(i: usize, x: &[i8], out: &mut [i8]) { out[i] = -x[i]; }
pub fn shl(i: usize, x: &[u32], y: &[u8], out: &mut [u32]) { out[i] = x[i] << y[i]; }
pub fn shr(i: usize, x: &[i64], y: &[i32], out: &mut [i64]) { out[i] = x[i] >> y[i]; }
pub fn shl8(i: usize, x: &[i8], y: &[u64], out: &mut [i8]) { out[i] = x[i] << y[i]; }
pub fn assign(i: usize, x: &[u16], out: &mut [u16]) { out[i] += x[i]; out[i] -= 3; out[i] *= 2; out[i] <<= x[i]; }
pub fn abs(i: usize, x: &[i32], out: &mut [i32]) { out[i] = x[i].abs(); }
pub fn pow(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i].pow(3); }
pub fn sum(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i..].iter().sum(); }
pub fn product(i: usize, x: &[u8], out: &mut [u8]) { out[i] = x[..i].iter().product(); }
pub fn range(i: usize, x: &[u8], out: &mut [u32]) { let mut n = 0; for k in 0..=x[i] { n += k as u32; } out[i] = n; }
pub fn index(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i - 1]; }
pub fn next_power(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i].next_power_of_two(); }
pub fn count(i: usize, x: &[u32], out: &mut [u8]) { let mut n = 250u8; for v in x { if *v > 3 { n += 1; } } out[i] = n; }
pub fn chain(i: usize, x: &[i32], y: &[i32], out: &mut [i32]) { out[i] = (x[i] - y[i]).pow(2) + x[i] * 3 - -y[i]; }
pub fn inline(i: usize, x: &[u8], out: &mut [u8]) { let f = |a: u8| a + 200; out[i] = helper(x[i]) ^ f(x[i]); }
fn helper(a: u8) -> u8 { a * 2 }
pub fn casts(i: usize, x: &[i64], out: &mut [u8]) { out[i] = x[i] as u8 + (x[i] >> 8) as u8; }
