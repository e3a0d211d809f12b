//! Three indices.
//! index: x,y,z

pub fn all(x: usize, y: usize, z: usize, out: &mut [u32]) { out[(z * 3 + y) * 4 + x] = (x + 10 * y + 100 * z) as u32; }
pub fn mixed(z: i64, x: u16, y: i8, a: [u32; 4], out: &mut [i32]) { out[(z as usize * 3 + y as usize) * 4 + x as usize] = a[x as usize] as i32 - y as i32; }
