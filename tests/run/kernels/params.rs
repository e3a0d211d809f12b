//! Parameters of every kind.

#[derive(Clone, Copy)]
pub struct P { a: u8, b: f64, c: (u16, bool), d: [i8; 3] }
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Wrapped(u32);
#[derive(Clone, Copy)]
#[repr(C, align(32))]
pub struct Big { a: u8, b: [u64; 3] }
#[derive(Clone, Copy)]
pub enum E { A(u16), B { x: f32 }, C }

pub fn scalars(i: usize, a: u8, b: i8, c: u16, d: i16, e: u32, f: i32, g: u64, h: i64, j: usize, k: isize, l: f32, m: f64, n: bool, o: char, out: &mut [f64]) {
    out[i] = a as f64 + b as f64 + c as f64 + d as f64 + e as f64 + f as f64 + g as f64 + h as f64 + j as f64 + k as f64 + if l.is_nan() { 1.0 } else { l as f64 } + if m > 0.0 { 2.0 } else { m } + n as u8 as f64 + o as u32 as f64;
}
pub fn forty(i: usize, a0: u8, a1: u16, a2: u8, a3: u32, a4: u8, a5: u64, a6: u8, a7: f32, a8: u8, a9: f64, b0: u8, b1: u16, b2: u8, b3: u32, b4: u8, b5: u64, b6: u8, b7: f32, b8: u8, b9: f64, c0: bool, c1: u16, c2: bool, c3: u32, c4: char, c5: u64, c6: i8, c7: i16, c8: i32, c9: i64, x: &[u8], d1: u16, y: &[u16], d3: u32, p: P, d5: [u8; 5], z: &u64, out: &mut [u64]) {
    let h = [a0 as u64, a1 as u64, a2 as u64, a3 as u64, a4 as u64, a5, a6 as u64, a7 as u64, a8 as u64, a9 as u64, b0 as u64, b1 as u64, b2 as u64, b3 as u64, b4 as u64, b5, b6 as u64, b7 as u64, b8 as u64, b9 as u64, c0 as u64, c1 as u64, c2 as u64, c3 as u64, c4 as u64, c5, c6 as u64, c7 as u64, c8 as u64, c9 as u64, x[i] as u64, d1 as u64, y[i] as u64, d3 as u64, p.a as u64, d5[i % 5] as u64, *z];
    out[i] = h.iter().fold(7, |h, v| h.rotate_left(5) ^ v);
}
pub fn structs(i: usize, p: P, w: Wrapped, b: Big, e: E, t: (u8, (u32, u8)), out: &mut [u64]) {
    let v = match e { E::A(v) => v as u64, E::B { x } => x as u64, E::C => 9 };
    out[i] = p.a as u64 ^ p.b as u64 ^ p.c.0 as u64 ^ p.c.1 as u64 ^ p.d[i % 3] as u64 ^ w.0 as u64 ^ b.b[i % 3] ^ b.a as u64 ^ v ^ t.1.0 as u64 ^ t.0 as u64 ^ (t.1.1 as u64) << 9;
}
pub fn arrays(i: usize, a: [u8; 5], b: [[f32; 2]; 3], c: [P; 2], d: [bool; 3], out: &mut [f32]) {
    out[i] = a[i % 5] as f32 + b[i % 3][i % 2] + c[i % 2].d[0] as f32 + d[i % 3] as u8 as f32;
}
pub fn references(i: usize, a: &u32, b: &mut [u16; 24], c: &P, d: &mut P, e: &[[u8; 2]], f: &bool, g: &char, out: &mut [u32]) {
    b[i] ^= *a as u16;
    if i == 5 { d.a = c.d[1] as u8; d.c.1 = *f; }
    out[i] = e[i][1] as u32 ^ *g as u32 ^ c.a as u32;
}
pub fn pointers(i: usize, a: *const P, b: *mut P, c: *mut u8) {
    unsafe {
        let p = *a.add(i);
        (*b.add(i)).d = [p.a as i8, p.d[2], 1];
        *c.add(i) ^= (*a.add(i)).c.1 as u8;
    }
}
pub fn host_structs(i: usize, p: &[P], e: &[E], b: &[Big], w: &[Wrapped], out: &mut [E], q: &mut [Big]) {
    out[i] = match e[i] { E::A(v) => E::B { x: v as f32 }, E::B { x } if x > 0.0 => E::C, E::B { x } => E::A(x as u16), E::C => E::A(p[i].c.0) };
    q[i].b[1] = b[i].b[2] ^ w[i].0 as u64;
}
pub fn bools(i: usize, a: &[bool], b: &mut [bool], c: &[[bool; 3]]) { b[i] = a[i] ^ c[i][2] | !b[i]; }
pub fn chars(i: usize, a: &[char], b: &mut [char]) { b[i] = if a[i] > b[i] { a[i] } else { char::from_u32(b[i] as u32 ^ 1).unwrap_or('x') }; }
pub fn unused(i: usize, _x: &[u32], _y: &mut [f32], _z: u64) { let _ = i; }
pub fn i32_arithmetic(i: usize, n: i32, k: i64, out: &mut [i64]) { let at = i as i64 - n as i64; out[i] = at * k.wrapping_shr(40); }
pub fn options(i: usize, a: Option<u32>, b: Option<bool>, c: Option<std::num::NonZeroU8>, r: Result<u8, i16>, out: &mut [u32]) {
    out[i] = a.unwrap_or(1) ^ b.map_or(2, |v| v as u32) ^ c.map_or(4, |v| v.get() as u32) << 8 ^ match r { Ok(v) => v as u32, Err(e) => e as u32 };
}
pub fn nested_generic(i: usize, x: &[(Wrapped, [(u8, P); 2])], out: &mut [u32]) { out[i] = x[i].0.0 ^ x[i].1[1].0 as u32 ^ x[i].1[0].1.a as u32; }
pub fn ranges(i: usize, r: std::ops::Range<u32>, s: &[std::ops::Range<usize>], out: &mut [u32]) { out[i] = r.end.wrapping_sub(r.start) ^ r.contains(&5) as u32 ^ s[i].start as u32; }
