//! An index of another type and name.
//! index: t

pub fn signed(t: i32, x: &[u32], out: &mut [i32]) { out[t as usize] = t - 5 + x[(t / 2) as usize] as i32; }
pub fn byte(x: &[u32], t: u8, out: &mut [u32]) { out[t as usize] = x[t as usize].rotate_left(t as u32); }
pub fn long(t: i64, x: &[u32], out: &mut [i64]) { out[t as usize] = -t; let _ = x[t as usize]; }
pub fn word(t: u32, out: &mut [u32]) { out[t as usize] = t; }
