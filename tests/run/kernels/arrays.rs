//! Arrays by value in loops.

pub fn small(i: usize, x: &[u32], out: &mut [u32]) {
    let mut h = 0u32;
    for v in [x[i], 3, i as u32] { h = h.wrapping_mul(31) ^ v; }
    out[i] = h;
}
pub fn floats(i: usize, x: &[f32], out: &mut [f32]) {
    let mut h = 0.0;
    for (k, v) in [x[i], 2.5].into_iter().enumerate() { h += v * k as f32; }
    out[i] = h;
}
pub fn pairs(i: usize, x: &[i32], out: &mut [i32]) {
    let mut s = 0i32;
    for (dx, dy) in [(-1, 0), (1, 0), (0, -1), (0, 1i32)] { s = s.wrapping_add(x[i].wrapping_mul(dx) ^ dy); }
    out[i] = s;
}
pub fn folded(i: usize, x: &[u64], out: &mut [u64]) { out[i] = [x[i], 7, x[0]].into_iter().map(|v| v.rotate_left(3)).fold(1, |a, b| a ^ b); }
pub fn summed(i: usize, x: &[u8], out: &mut [u32]) { out[i] = [x[i], 7, x[0], 9].into_iter().rev().map(u32::from).sum(); }
pub fn zipped(i: usize, x: &[u8; 24], out: &mut [u32]) { let mut t = 0; for (a, b) in [1u32, 2, 3].into_iter().zip(*x) { t += a * b as u32; } out[i] = t; }
pub fn early(i: usize, x: &[u32], out: &mut [u32]) { for v in [x[0], x[i], 5] { if v > 4 { out[i] = v; break; } } }
pub fn bytes(i: usize, x: &[u64], out: &mut [u32]) { let mut h = 0x811c9dc5u32; for b in x[i].to_le_bytes() { h = (h ^ b as u32).wrapping_mul(0x01000193); } out[i] = h; }
pub fn options(i: usize, x: &[u32], out: &mut [u32]) { let mut h = 0u32; for o in [x.get(i), None, x.get(i + 1)] { h = h * 3 + o.map_or(1, |v| *v & 255); } out[i] = h; }
pub fn nested(i: usize, x: &[u32], out: &mut [u32]) { let mut h = x[i]; for r in [[1, 2], [3, 4u32]] { for v in r { h = h.rotate_left(v); } } out[i] = h; }
pub fn from_fn(i: usize, x: &[u32], out: &mut [u32]) { let a: [u32; 5] = std::array::from_fn(|k| x[(i + k) % x.len()]); out[i] = a.into_iter().fold(0, |h, v| h * 2 ^ v); }
pub fn mapped(i: usize, x: &[[f32; 3]], out: &mut [[f32; 3]]) { out[i] = x[i].map(|v| v * 2.0); }
pub fn converted(i: usize, x: &[u32], out: &mut [u32]) { let d = <[u32; 3]>::try_from(&x[1..4]).unwrap(); let c: &[u32; 2] = x[i..][..2].try_into().unwrap(); out[i] = d[2] ^ c[1]; }
// open: 16-byte arrays are compared as u128
pub fn equality(i: usize, x: &[[u32; 4]], y: &[[u32; 4]], out: &mut [bool]) { out[i] = x[i] == y[i] || x[i][..2] == [0, 1] || x[i] < y[i]; }
pub fn constant_index(i: usize, out: &mut [[u8; 6]]) { let a = &mut out[i]; a[5] = a[0]; let [p, .., q] = a; *p ^= *q; }
