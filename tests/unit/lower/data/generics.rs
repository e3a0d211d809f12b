//! Generics, traits, closures, function items.

use std::ops::{Add, Mul};

#[inline(never)]
fn mac<T: Copy + Mul<Output = T> + Add<Output = T>>(a: T, b: T, c: T) -> T {
    a * b + c
}

#[inline(never)]
fn sum<T: Copy + Default + Add<Output = T>, const N: usize>(x: [T; N]) -> T {
    let mut s = T::default();
    let mut k = 0;
    while k < N {
        s = s + x[k];
        k += 1;
    }
    s
}

#[inline(never)]
fn largest<T: PartialOrd + Copy>(x: &[T]) -> Option<T> {
    let mut best = *x.first()?;
    for &v in x {
        if v > best {
            best = v;
        }
    }
    Some(best)
}

pub fn numeric(i: usize, x: &[u32], f: &[f64], out: &mut [u64]) {
    let a = mac(x[i] & 0xff, 3, 7);
    let b = mac(f[i], 0.5, 1.0);
    let c = sum([x[0] & 0xff, a, 5]) as u64 + sum([1.5f64, b]).to_bits();
    let d = largest(x).unwrap_or(0) as u64 ^ largest(&f[..i.min(3)]).map_or(9, |v| v.to_bits());
    out[i] = a as u64 ^ c ^ d;
}

pub trait Shape {
    const SIDES: u32;
    fn area(&self) -> f32;
    fn scaled(&self, k: f32) -> f32 {
        self.area() * k * Self::SIDES as f32
    }
}

pub struct Square(f32);
pub struct Rect<T> {
    w: T,
    h: T,
}

impl Shape for Square {
    const SIDES: u32 = 4;
    #[inline(never)]
    fn area(&self) -> f32 {
        self.0 * self.0
    }
}

impl<T: Copy + Into<f32>> Shape for Rect<T> {
    const SIDES: u32 = 5;
    #[inline(never)]
    fn area(&self) -> f32 {
        self.w.into() * self.h.into()
    }
    fn scaled(&self, k: f32) -> f32 {
        self.area() + k
    }
}

impl<T: Copy + Add<Output = T>> Rect<T> {
    #[inline(never)]
    fn half_perimeter<U: From<T> + Mul<Output = U>>(&self, k: U) -> U {
        U::from(self.w + self.h) * k
    }
}

#[inline(never)]
fn measure<S: Shape>(s: &S) -> f32 {
    s.scaled(2.0) + S::SIDES as f32
}

pub fn shapes(i: usize, x: &[f32], out: &mut [f32]) {
    let s = Square(x[i]);
    let r = Rect { w: 3u8, h: i as u8 };
    let q = Rect { w: x[i], h: 2.0 };
    out[i] = measure(&s) + measure(&r) - measure(&q) + r.half_perimeter(0.5f32) + q.half_perimeter(2.0f64) as f32;
}

#[inline(never)]
fn apply<F: Fn(u32) -> u32>(f: F, n: u32) -> u32 {
    f(n) ^ f(n + 1)
}

#[inline(never)]
fn apply_mut(mut f: impl FnMut(u32), n: u32) {
    for k in 0..n {
        f(k);
    }
}

#[inline(never)]
fn apply_once<T, R>(f: impl FnOnce(T) -> R, t: T) -> R {
    f(t)
}

fn triple(n: u32) -> u32 {
    n.wrapping_mul(3)
}

pub fn closures(i: usize, x: &[u32], out: &mut [u32]) {
    let k = x[i];
    let mut log = 0u32;
    apply_mut(|v| log = log.wrapping_mul(7).wrapping_add(v ^ k), k & 7);
    let pair = (k, log);
    let a = apply_once(move |(p, q): (u32, u32)| p.wrapping_sub(q), pair);
    let b = apply(|n| n.wrapping_mul(k) ^ log, 5);
    let c = apply(&triple, 9) ^ apply(triple, i as u32);
    let d = apply_once(Some, k).map_or(1, |v| v >> 1);
    out[i] = a ^ b.rotate_left(3) ^ c ^ d ^ log;
}

#[derive(Clone, Copy)]
pub struct Mat<T, const R: usize, const C: usize> {
    cells: [[T; C]; R],
}

impl<T: Copy + Default + Add<Output = T> + Mul<Output = T>, const R: usize, const C: usize> Mat<T, R, C> {
    #[inline(never)]
    fn times<const K: usize>(&self, o: &Mat<T, C, K>) -> Mat<T, R, K> {
        let mut cells = [[T::default(); K]; R];
        for r in 0..R {
            for k in 0..K {
                for c in 0..C {
                    cells[r][k] = cells[r][k] + self.cells[r][c] * o.cells[c][k];
                }
            }
        }
        Mat { cells }
    }
}

trait Total {
    type Sum;
    fn total(&self) -> Self::Sum;
}

impl<const N: usize> Total for [u8; N] {
    type Sum = u32;
    #[inline(never)]
    fn total(&self) -> u32 {
        self.iter().fold(N as u32, |s, v| s + *v as u32)
    }
}

impl Total for [f32] {
    type Sum = f32;
    #[inline(never)]
    fn total(&self) -> f32 {
        self.iter().sum()
    }
}

impl<A: Total<Sum = u32>, B: Total<Sum = u32>> Total for (A, B) {
    type Sum = u32;
    #[inline(never)]
    fn total(&self) -> u32 {
        self.0.total() + self.1.total()
    }
}

pub fn matrices(i: usize, x: &[f32], out: &mut [f32]) {
    let a = Mat { cells: [[x[i], 1.0, 2.0], [x[0], 3.0, 0.5]] };
    let b = Mat { cells: [[1.0], [x[1]], [4.0]] };
    let c = a.times(&b);
    out[i] = c.cells[0][0] - c.cells[1][0] + x[i..].total() + ([1u8, 2, i as u8], [7u8; 2]).total() as f32;
}
