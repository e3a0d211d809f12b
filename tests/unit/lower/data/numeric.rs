//! Integer and float methods that end in intrinsics.

pub fn bits(i: usize, x: &[u32], y: &[i64], z: &[u8], out: &mut [u64]) {
    let (a, b, c) = (x[i], y[i], z[i]);
    out[i] = a.count_ones() as u64
        ^ (b.leading_zeros() as u64) << 3
        ^ (c.trailing_zeros() as u64) << 6
        ^ (a.swap_bytes() as u64) << 9
        ^ b.reverse_bits() as u64
        ^ c.reverse_bits() as u64
        ^ (a.rotate_right(c as u32) as u64) << 7
        ^ (c.rotate_left(a & 31) as u64) << 40
        ^ (b.rotate_left(a & 63)) as u64;
}

pub fn saturating(i: usize, x: &[i32], y: &[i32], u: &[u8], v: &[u8], out: &mut [i64]) {
    let (a, b) = (x[i], y[i]);
    out[i] = a.saturating_add(b) as i64
        ^ (a.saturating_sub(b) as i64) << 1
        ^ (a.saturating_mul(b) as i64) << 2
        ^ (u[i].saturating_add(v[i]) as i64) << 40
        ^ (u[i].saturating_sub(v[i]) as i64) << 48
        ^ (a.abs_diff(b) as i64) << 5
        ^ a.wrapping_abs() as i64
        ^ a.signum() as i64;
}

pub fn checked(i: usize, x: &[i32], y: &[i32], out: &mut [i64]) {
    let (a, b) = (x[i], y[i]);
    let f = |v: Option<i32>| v.map_or(-1_000_000_007, |v| v as i64);
    out[i] = f(a.checked_add(b)) ^ f(a.checked_sub(b)) << 3 ^ f(a.checked_mul(b)) << 6
        ^ f(a.checked_div(b)) << 9 ^ f(a.checked_rem(b)) << 12 ^ f(a.checked_neg()) << 15
        ^ f(a.checked_shl(b as u32)) << 2 ^ f(a.checked_pow(3)) << 4;
}

pub fn powers(i: usize, x: &[u32], out: &mut [u64]) {
    let a = x[i] & 15;
    out[i] = a.pow(3) as u64 ^ (2u64).wrapping_pow(a) ^ (a.next_power_of_two() as u64) << 8
        ^ (a.is_power_of_two() as u64) << 20 ^ ((a + 1).ilog2() as u64) << 24
        ^ (a.div_ceil(3) as u64) << 30 ^ (a.next_multiple_of(4) as u64) << 40
        ^ (((a as i32) - 8).rem_euclid(5) as u64) << 50;
}

pub fn rounding(i: usize, x: &[f32], d: &[f64], out: &mut [f64]) {
    let (a, b) = (x[i], d[i]);
    out[i] = a.floor() as f64 + a.ceil() as f64 * 3.0 + a.round() as f64 * 5.0 + a.trunc() as f64 * 7.0
        + b.floor() * 11.0 + b.round_ties_even() * 13.0 + b.fract() + a.signum() as f64;
}

pub fn minmax(i: usize, x: &[f32], y: &[f32], out: &mut [f32]) {
    let (a, b) = (x[i], y[i]);
    let lo = a.min(b) + 0.0;
    let hi = a.max(b) + 0.0;
    out[i] = lo * 2.0 - hi + a.clamp(-3.0, 8.0) + if a.is_nan() || b.is_infinite() { 1.0 } else { 0.0 };
}

pub fn fused(i: usize, x: &[f64], y: &[f64], out: &mut [f64]) {
    let (a, b) = (x[i], y[i]);
    out[i] = a.mul_add(b, 0.1) + (a * a + b * b).sqrt() + a.abs().sqrt().recip() + b.powi(3) + a.to_radians() + a.hypot2(b);
}

trait Hypot2 {
    fn hypot2(self, o: Self) -> Self;
}

impl Hypot2 for f64 {
    #[inline(never)]
    fn hypot2(self, o: f64) -> f64 {
        self * self + o * o
    }
}

pub fn bytes(i: usize, x: &[u64], out: &mut [u64]) {
    let b = x[i].to_be_bytes();
    let f = f32::from_le_bytes([b[0], b[1], b[2], 0x3f]);
    out[i] = u64::from_le_bytes(b) ^ u32::from_ne_bytes([b[7], b[1], b[2], b[3]]) as u64 ^ (f.to_bits() as u64) << 32;
}

pub fn classify(i: usize, x: &[f32], out: &mut [u32]) {
    let a = x[i];
    out[i] = match a.classify() {
        std::num::FpCategory::Nan => 1,
        std::num::FpCategory::Infinite => 2,
        std::num::FpCategory::Zero => 3,
        std::num::FpCategory::Subnormal => 4,
        std::num::FpCategory::Normal => 5,
    } | (a.is_sign_negative() as u32) << 4 | (a.total_cmp(&1.0) as i32 as u32 & 3) << 6;
}

pub fn wrapping(i: usize, x: &[u32], out: &mut [u32]) {
    use std::num::Wrapping;
    let mut h = Wrapping(x[i]);
    h ^= h >> 16;
    h *= Wrapping(0x85eb_ca6b);
    h ^= h >> 13;
    h += Wrapping(x[0]) - Wrapping(7);
    out[i] = h.0;
}
