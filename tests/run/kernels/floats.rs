//! Floats: arithmetic, zeros, NaN, rounding, comparison, casts.

pub fn arithmetic32(i: usize, x: &[f32], y: &[f32], out: &mut [[f32; 8]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a + b, a - b, a * b, a / b, a % b, -a, a * b + a, a - b * a / (b + 1.0)];
}

pub fn arithmetic64(i: usize, x: &[f64], y: &[f64], out: &mut [[f64; 8]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a + b, a - b, a * b, a / b, a % b, -a, a * b + a, a - b * a / (b + 1.0)];
}

pub fn rounding32(i: usize, x: &[f32], out: &mut [[f32; 8]]) {
    let a = x[i];
    out[i] = [a.floor(), a.ceil(), a.trunc(), a.round(), a.round_ties_even(), a.fract(), a.abs(), a.signum()];
}

pub fn rounding64(i: usize, x: &[f64], out: &mut [[f64; 8]]) {
    let a = x[i];
    out[i] = [a.floor(), a.ceil(), a.trunc(), a.round(), a.round_ties_even(), a.fract(), a.abs(), a.signum()];
}

pub fn compare(i: usize, x: &[f32], y: &[f32], out: &mut [u32]) {
    let (a, b) = (x[i], y[i]);
    let mut r = 0;
    for (k, t) in [a < b, a <= b, a > b, a >= b, a == b, a != b, !(a < b), a.is_nan(), a.is_infinite(), a.is_finite(), a.is_sign_negative(), a.is_normal(), a.is_subnormal()].iter().enumerate() {
        r |= (*t as u32) << k;
    }
    r |= match a.partial_cmp(&b) { None => 0, Some(o) => 2 + o as i32 as u32 } << 16;
    r |= ((a.total_cmp(&b) as i32 + 1) as u32) << 20;
    out[i] = r;
}

pub fn min_max(i: usize, x: &[f64], y: &[f64], out: &mut [[f64; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a.min(b) + 0.0, a.max(b) + 0.0, a.clamp(-1.5, 100.0), f64::max(b, 0.5)];
}

pub fn clamp_panics(i: usize, x: &[f32], y: &[f32], out: &mut [f32]) {
    out[i] = x[i].clamp(y[i], 10.0);
}

pub fn euclid(i: usize, x: &[f32], y: &[f32], out: &mut [[f32; 2]]) {
    out[i] = [x[i].rem_euclid(y[i]), x[i].div_euclid(y[i])];
}

pub fn fused(i: usize, x: &[f32], y: &[f64], out: &mut [f64]) {
    let a = x[i].mul_add(x[0], 0.1);
    out[i] = y[i].mul_add(y[0], -0.3) + a as f64;
}

pub fn bits(i: usize, x: &[f32], y: &[f64], out: &mut [u64]) {
    let a = if x[i].is_nan() { 1 } else { x[i].to_bits() };
    let b = if y[i].is_nan() { 2 } else { y[i].to_bits() };
    let c = f32::from_bits(a ^ 0x8000_0000);
    out[i] = a as u64 ^ b.rotate_left(5) ^ (c.to_bits() as u64) << 32 ^ f64::from_bits(b).copysign(-1.0).to_bits();
}

pub fn roots(i: usize, x: &[f32], y: &[f64], out: &mut [[f64; 4]]) {
    out[i] = [x[i].sqrt() as f64, y[i].sqrt(), x[i].recip() as f64, y[i].to_degrees()];
}

pub fn conversions(i: usize, x: &[f32], y: &[f64], out: &mut [(f32, f64)]) {
    out[i] = (y[i] as f32, x[i] as f64);
}

pub fn from_ints(i: usize, a: &[u64], b: &[i64], c: &[u32], d: &[i32], out: &mut [[f32; 8]]) {
    out[i] = [a[i] as f32, b[i] as f32, c[i] as f32, d[i] as f32, a[i] as f64 as f32, f32::from(a[i] as u16), (b[i] as i8).into(), (c[i] > 3) as u8 as f32];
}

pub fn zeros(i: usize, x: &[f32], out: &mut [[f32; 6]]) {
    let z = x[i] * 0.0;
    out[i] = [z, -z, z + 0.0, 0.0 - z, z - 0.0, -0.0 + x[i]];
}

pub fn sums(i: usize, x: &[f32], out: &mut [f32]) {
    let s: f32 = x.iter().filter(|v| v.is_finite()).map(|v| v * 0.5).sum();
    let p: f32 = x[..i.min(3)].iter().product();
    out[i] = s + p;
}

pub fn powi(i: usize, x: &[f64], n: &[i8], out: &mut [f64]) {
    out[i] = x[i].powi(n[i] as i32 & 7);
}

// open: library closures without a body
pub fn largest(i: usize, x: &[f32], out: &mut [f32]) {
    let a = x.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let b = x.iter().copied().filter(|v| !v.is_nan()).min_by(|a, b| a.total_cmp(b)).unwrap();
    let c = x.iter().copied().reduce(|a, b| if a > b { a } else { b }).unwrap();
    out[i] = a + b + c + i as f32;
}

pub fn constants(i: usize, out: &mut [f64]) {
    out[i] = match i % 6 {
        0 => f64::EPSILON,
        1 => f64::MIN_POSITIVE / 4.0,
        2 => f32::MAX as f64,
        3 => std::f64::consts::PI * 1e300,
        4 => -0.0,
        _ => 1.0 / -0.0f32 as f64,
    };
}

pub fn arrays(i: usize, x: &[[f32; 3]], out: &mut [[f32; 3]]) {
    let [a, b, c] = x[i];
    let l = (a * a + b * b + c * c).sqrt();
    out[i] = x[i].map(|v| v / l);
}

pub fn midpoints(i: usize, x: &[f64], y: &[f64], out: &mut [f64]) {
    out[i] = x[i] / 2.0 + y[i] / 2.0 + (x[i] - y[i]).abs().max(1e-3).hypot_by(y[0]);
}

trait HypotBy {
    fn hypot_by(self, o: Self) -> Self;
}
impl HypotBy for f64 {
    fn hypot_by(self, o: f64) -> f64 {
        (self * self + o * o).sqrt()
    }
}
