//! Structs, tuples, arrays, generics, traits, operators.

use std::marker::PhantomData;
use std::ops::*;

#[derive(Clone, Copy, PartialEq, PartialOrd, Default, Debug)]
pub struct V2 {
    pub x: f32,
    pub y: f32,
}

impl Add for V2 { type Output = V2; fn add(self, o: V2) -> V2 { V2 { x: self.x + o.x, y: self.y + o.y } } }
impl Sub for V2 { type Output = V2; fn sub(self, o: V2) -> V2 { V2 { x: self.x - o.x, y: self.y - o.y } } }
impl Mul<f32> for V2 { type Output = V2; fn mul(self, k: f32) -> V2 { V2 { x: self.x * k, y: self.y * k } } }
impl Mul<V2> for f32 { type Output = V2; fn mul(self, v: V2) -> V2 { v * self } }
impl Neg for V2 { type Output = V2; fn neg(self) -> V2 { V2 { x: -self.x, y: -self.y } } }
impl AddAssign for V2 { fn add_assign(&mut self, o: V2) { *self = *self + o } }
impl SubAssign<f32> for V2 { fn sub_assign(&mut self, o: f32) { self.x -= o; self.y -= o } }
impl Index<usize> for V2 {
    type Output = f32;
    fn index(&self, k: usize) -> &f32 {
        match k { 0 => &self.x, 1 => &self.y, _ => panic!("no component {k}") }
    }
}
impl IndexMut<usize> for V2 {
    fn index_mut(&mut self, k: usize) -> &mut f32 {
        if k == 0 { &mut self.x } else { &mut self.y }
    }
}

pub fn operators(i: usize, a: &[V2], b: &[V2], k: f32, out: &mut [V2]) {
    let mut v = -(a[i] + b[i] * k) - 2.0 * a[0];
    v += b[0];
    v -= 0.5;
    out[i] = v;
}

pub fn indexed(i: usize, a: &[V2], x: &[u8], out: &mut [V2]) {
    let mut v = a[i];
    v[x[i] as usize & 1] *= 2.0;
    v[1] += v[x[i] as usize % 3];
    out[i] = v;
}

pub fn compared(i: usize, a: &[V2], b: &[V2], out: &mut [u8]) {
    out[i] = (a[i] == b[i]) as u8 | ((a[i] < b[i]) as u8) << 1 | ((a[i] >= V2::default()) as u8) << 2
        | (a[i].partial_cmp(&b[i]).is_none() as u8) << 3;
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Key {
    pub hi: u8,
    pub id: (u16, i32),
    pub flag: bool,
    pub tag: [u8; 3],
}

pub fn keys(i: usize, a: &[Key], b: &[Key], out: &mut [Key], o: &mut [i8]) {
    out[i] = a[i].max(b[i]);
    o[i] = a[i].cmp(&b[i]) as i8 * 10 + (a[i] == b[i]) as i8;
}

pub fn rebuilt(i: usize, a: &[Key], out: &mut [Key]) {
    let Key { id: (p, q), tag: [t, .., u], .. } = a[i];
    out[i] = Key { id: (p.wrapping_add(1), !q), tag: [u, 9, t], ..a[0] };
}

pub fn nested_fields(i: usize, a: &mut [Key], n: &[u8]) {
    let k = &mut a[i];
    let id = &mut k.id;
    id.1 ^= n[i] as i32;
    let t = &mut k.tag[n[i] as usize & 3];
    *t = t.wrapping_add(k.hi);
}

pub fn by_value(i: usize, k: Key, v: V2, t: (u8, u64, bool), a: [i16; 3], out: &mut [i64]) {
    out[i] = k.hi as i64 + k.id.1 as i64 + v.x as i64 + t.0 as i64 + (t.1 >> 8) as i64 + t.2 as i64 + a[i % 4] as i64;
}

pub fn by_reference(i: usize, k: &Key, v: &[V2; 2], t: &mut (u32, u32), out: &mut [f32]) {
    if i == 3 {
        t.0 = t.0.wrapping_add(k.id.0 as u32);
    }
    out[i] = v[i & 1].x + k.tag[2] as f32;
}

#[derive(Clone, Copy)]
pub struct Pair<A, B> {
    a: A,
    b: B,
}

impl<A: Copy, B: Copy> Pair<A, B> {
    fn swap(self) -> Pair<B, A> { Pair { a: self.b, b: self.a } }
    fn map<C>(self, f: impl FnOnce(A, B) -> C) -> C { f(self.a, self.b) }
}

pub fn generic_struct(i: usize, p: &[Pair<u8, f64>], out: &mut [Pair<f64, u8>]) {
    out[i] = p[i].swap();
    out[i].b = p[i].map(|a, b| a.wrapping_add(b as u8));
}

pub struct Meters<T>(f32, PhantomData<T>);
struct Feet;
impl<T> Meters<T> { fn of(x: f32) -> Self { Meters(x, PhantomData) } }
impl Meters<Feet> { fn feet(&self) -> f32 { self.0 * 3.28 } }

pub fn phantom(i: usize, x: &[f32], out: &mut [f32]) {
    let m = Meters::<Feet>::of(x[i]);
    out[i] = m.feet() + std::mem::size_of::<Meters<Feet>>() as f32;
}

pub trait Shape {
    const SIDES: u32;
    type Unit: Into<f64> + Copy;
    fn area(&self) -> Self::Unit;
    fn describe(&self) -> f64 { self.area().into() * Self::SIDES as f64 }
    fn name() -> u32 { 7 }
}
pub struct Sq(f32);
pub struct Tri { b: f64, h: f64 }
impl Shape for Sq { const SIDES: u32 = 4; type Unit = f32; fn area(&self) -> f32 { self.0 * self.0 } }
impl Shape for Tri {
    const SIDES: u32 = 3;
    type Unit = f64;
    fn area(&self) -> f64 { self.b * self.h / 2.0 }
    fn describe(&self) -> f64 { self.area() - 1.0 }
    fn name() -> u32 { 8 }
}
#[inline(never)]
fn total<S: Shape>(s: &S, n: u32) -> f64 { s.describe() + n as f64 + S::name() as f64 }

pub fn traits(i: usize, x: &[f32], out: &mut [f64]) {
    out[i] = total(&Sq(x[i]), 1) + total(&Tri { b: x[i] as f64, h: 3.0 }, 2);
}

#[derive(Clone, Copy)]
pub struct Matrix<const R: usize, const C: usize>([[f32; C]; R]);
impl<const R: usize, const K: usize, const C: usize> Mul<Matrix<K, C>> for Matrix<R, K> {
    type Output = Matrix<R, C>;
    fn mul(self, o: Matrix<K, C>) -> Matrix<R, C> {
        let mut m = [[0.0; C]; R];
        for r in 0..R { for c in 0..C { for k in 0..K { m[r][c] += self.0[r][k] * o.0[k][c]; } } }
        Matrix(m)
    }
}
impl<const R: usize, const C: usize> Matrix<R, C> {
    const CELLS: usize = R * C;
    fn transpose(self) -> Matrix<C, R> {
        let mut m = [[0.0; R]; C];
        for r in 0..R { for c in 0..C { m[c][r] = self.0[r][c]; } }
        Matrix(m)
    }
}

pub fn const_generics(i: usize, a: &[Matrix<2, 3>], b: &[Matrix<3, 2>], out: &mut [Matrix<2, 2>], n: &mut [usize]) {
    out[i] = (a[i] * b[i]).transpose();
    n[i] = Matrix::<4, 5>::CELLS;
}

pub struct Countdown(u32);
impl Iterator for Countdown {
    type Item = u32;
    fn next(&mut self) -> Option<u32> {
        if self.0 == 0 { None } else { self.0 -= 1; Some(self.0 * self.0) }
    }
}

pub fn own_iterator(i: usize, x: &[u8], out: &mut [u32]) {
    let s: u32 = Countdown(x[i] as u32 & 15).filter(|v| v % 2 == 0).map(|v| v + 1).sum();
    let mut c = Countdown(9);
    let mut t = 0;
    while let Some(v) = c.next() { if v < 10 { break; } t += v; }
    out[i] = s ^ t << 8 ^ Countdown(5).zip(Countdown(3)).fold(0, |a, (p, q)| a + p * q) << 20;
}

pub struct Wrap(Key);
impl Deref for Wrap { type Target = Key; fn deref(&self) -> &Key { &self.0 } }
impl DerefMut for Wrap { fn deref_mut(&mut self) -> &mut Key { &mut self.0 } }

pub fn derefs(i: usize, a: &[Key], out: &mut [Key]) {
    let mut w = Wrap(a[i]);
    w.hi ^= w.tag[1];
    w.id.0 = w.hi as u16;
    out[i] = *w;
}

pub fn tuples(i: usize, x: &[(u8, (u16, f32), bool)], out: &mut [(f32, u8, (bool, u16))]) {
    let (a, (b, c), d) = x[i];
    out[i] = (c, a, (d, b));
    let t = &mut out[i].2;
    t.1 = t.1.rotate_left(1);
}

#[inline(never)]
fn stats(x: &[u32]) -> (u32, u32, [u32; 2]) {
    let mut lo = u32::MAX;
    let mut hi = 0;
    let mut parity = [0; 2];
    for &v in x { lo = lo.min(v); hi = hi.max(v); parity[(v & 1) as usize] += 1; }
    (lo, hi, parity)
}

pub fn returned_tuples(i: usize, x: &[u32], out: &mut [(u32, [u32; 2], u32)]) {
    let (lo, hi, p) = stats(&x[..i]);
    out[i] = (hi, p, lo);
}

#[inline(never)]
fn shifted(mut a: [u32; 4], by: usize) -> [u32; 4] { a.rotate_left(by); a[by] += 1; a }

// open: rotate_left is library code without a body
pub fn arrays_by_value(i: usize, x: &[[u32; 4]], out: &mut [[u32; 4]]) {
    let a = x[i];
    let b = shifted(a, i & 3);
    out[i] = if a == b { [0; 4] } else { b };
}

pub fn two_d(i: usize, x: &[u32], out: &mut [u32]) {
    let mut g = [[0u32; 5]; 3];
    for (r, row) in g.iter_mut().enumerate() {
        for (c, cell) in row.iter_mut().enumerate() {
            *cell = x[(i + r * 5 + c) % x.len()] >> 3;
        }
    }
    g.swap(0, 2);
    let t: u32 = g.iter().map(|r| r.iter().fold(0u32, |a, b| a.wrapping_add(*b))).fold(0, |a, b| a.rotate_left(3) ^ b);
    out[i] = t ^ g[1][4] ^ g[i % 4][0];
}

#[repr(C)]
#[derive(Clone, Copy)]
pub union Word { f: f32, u: u32, b: [u8; 4], h: (u16, u16) }

pub fn unions(i: usize, x: &[f32], out: &mut [u32]) {
    let mut w = Word { f: x[i] };
    unsafe {
        if x[i].is_nan() { w.u = 3; }
        w.b[1] ^= 0x55;
        out[i] = w.u ^ w.h.1 as u32;
    }
}

#[derive(Clone, Copy)]
pub struct Unit;
#[derive(Clone, Copy)]
pub struct Deep { a: [(u8, [Pair<u16, Unit>; 2]); 2], b: Option<V2> }

pub fn deep(i: usize, d: &[Deep], out: &mut [Deep]) {
    let mut e = d[i];
    e.a.swap(0, 1);
    e.a[1].1[0].a = e.a[0].1[1].a ^ 1;
    e.b = e.b.map(|v| v + v);
    out[i] = e;
}

pub fn defaults(i: usize, out: &mut [(u32, Key)]) {
    let (a, b, c): (u32, Option<u8>, [bool; 2]) = Default::default();
    out[i] = (a + b.is_none() as u32 + c[0] as u32, Key { hi: i as u8, ..Default::default() });
}
