//! Two indices.
//! index: x,y

pub fn both(x: usize, y: usize, a: &[u32], out: &mut [u32]) { out[y * 6 + x] = a[x] ^ (y as u32) << 8; }
pub fn narrow(x: u8, y: i16, out: &mut [i64]) { out[y as usize * 6 + x as usize] = x as i64 - y as i64 * 3; }
pub fn swapped(out: &mut [u32], y: u32, a: &[u32], x: i32, k: u32) { out[(x as u32 * 4 + y) as usize] = a[y as usize] ^ k; }
