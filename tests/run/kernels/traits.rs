//! Associated types and constants, impls that one macro wrote, items inside functions.
#![allow(clippy::all, dead_code)]

pub trait Shape {
    type Unit: Into<f64>;
    const K: u32;
    fn area(&self) -> Self::Unit;
    #[inline(never)]
    fn big(&self) -> f64 {
        self.area().into() * Self::K as f64
    }
}
#[derive(Clone, Copy)]
pub struct Square(f32);
#[derive(Clone, Copy)]
pub struct Circle<T>(T);
impl Shape for Square {
    type Unit = f32;
    const K: u32 = 3;
    fn area(&self) -> f32 {
        self.0 * self.0
    }
}
impl<T: Copy + Into<f64>> Shape for Circle<T> {
    type Unit = T;
    const K: u32 = 5;
    #[inline(never)]
    fn area(&self) -> T {
        self.0
    }
}

#[inline(never)]
fn pick<S: Shape>(s: &S, k: u32) -> f64
where
    S::Unit: Copy,
{
    let mut a = [s.area(); 2];
    a[k as usize & 1] = s.area();
    let v: S::Unit = a[(k >> 1) as usize & 1];
    v.into() + S::K as f64
}

pub fn associated_types(i: usize, x: &[f32], out: &mut [f64]) {
    out[i] = Square(x[i]).big()
        + Circle(x[i]).big()
        + pick(&Square(x[i]), i as u32)
        + pick(&Circle(x[i]), 2)
        + pick(&Circle(i as u32), 2);
}

/// Which impl a call means, told by the trait's module and arguments alone.
pub mod near {
    pub trait Scale<T = u32> {
        type Out: Into<u64>;
        fn scale(&self, t: T) -> Self::Out;
    }
}
pub mod far {
    pub trait Scale<T = u32> {
        type Out: Into<u64>;
        fn scale(&self, t: T) -> Self::Out;
    }
}
impl near::Scale for Square {
    type Out = u8;
    #[inline(never)]
    fn scale(&self, t: u32) -> u8 {
        t as u8
    }
}
impl near::Scale<u16> for Square {
    type Out = u16;
    #[inline(never)]
    fn scale(&self, t: u16) -> u16 {
        t * 3
    }
}
impl far::Scale for Square {
    type Out = u32;
    #[inline(never)]
    fn scale(&self, t: u32) -> u32 {
        t * 1000
    }
}
#[inline(never)]
fn near_scaled<S: near::Scale<T>, T: Copy>(s: &S, t: T) -> u64 {
    let pair = (s.scale(t), s.scale(t));
    pair.0.into() + pair.1.into()
}
#[inline(never)]
fn far_scaled<S: far::Scale<T>, T: Copy>(s: &S, t: T) -> u64 {
    let pair = [s.scale(t), s.scale(t)];
    let [a, b] = pair;
    a.into() + b.into()
}

pub fn same_names(i: usize, x: &[u32], out: &mut [u64]) {
    let s = Square(0.0);
    out[i] = near_scaled(&s, x[i])
        + (near_scaled(&s, x[i] as u16) << 20)
        + (far_scaled(&s, x[i] & 0xff) << 40);
}

pub trait Named {
    const ID: u32;
    const LIST: [u8; 3];
}
macro_rules! named {
    ($($t:ty, $n:expr);*) => { $(
        impl Named for $t {
            const ID: u32 = $n;
            const LIST: [u8; 3] = [$n, 2, 3];
        }
    )* };
}
named!(Square, 4; Circle<f32>, 6; u8, 9);
#[inline(never)]
fn id<T: Named>(k: usize) -> u32 {
    T::ID + T::LIST[k % 3] as u32
}

pub fn constants_by_macro(i: usize, out: &mut [u32]) {
    out[i] = id::<Square>(i) + id::<Circle<f32>>(i) * 7 + id::<u8>(i) * 100;
}

macro_rules! counters {
    ($($t:ident, $n:expr);*) => { $(
        #[derive(Clone, Copy)]
        pub struct $t(u32);
        impl $t {
            const STEP: u32 = $n * 3;
            #[inline(never)]
            fn get(&self) -> u32 {
                self.0 + $n
            }
            #[inline(never)]
            fn map<T: Into<u32>>(&self, t: T) -> u32 {
                t.into() * $n + [Self::STEP, 1][(self.0 & 1) as usize]
            }
            #[inline(never)]
            fn scaled(&self, by: u32) -> u32 {
                let own = |k: u32| k.wrapping_mul($n).wrapping_add(self.0);
                #[inline(never)]
                fn apply(f: impl Fn(u32) -> u32, x: u32) -> u32 {
                    f(x)
                }
                apply(own, by)
            }
            #[inline(never)]
            fn table(&self) -> &'static [u32] {
                if self.0 % 3 == 0 { &[$n, 3, 5] } else { &[$n * 2, 4] }
            }
        }
    )* };
}
counters!(Tens, 10; Twenties, 20; Thirties, 30);

pub fn methods_by_macro(i: usize, x: &[u8], out: &mut [u32]) {
    out[i] = Tens(i as u32).get()
        + Twenties(i as u32).get() * 7
        + Thirties(1).get() * 100
        + Tens(i as u32).map(x[i]) * 3
        + Twenties(i as u32).map(i as u16)
        + Twenties(i as u32).table()[i & 1] * 1000
        + Thirties(1).table()[0] * 100_000
        + [1, 2, 3].iter().map(|k| Thirties(*k).scaled(i as u32)).sum::<u32>();
}

pub struct Holder;
impl Holder {
    #[inline(never)]
    pub fn run(&self, x: u32) -> u32 {
        #[derive(Clone, Copy)]
        struct Inner(u32);
        impl Inner {
            #[inline(never)]
            fn plus(&self, y: u32) -> u32 {
                self.0.wrapping_add(y)
            }
        }
        impl std::ops::Mul for Inner {
            type Output = u32;
            #[inline(never)]
            fn mul(self, o: Inner) -> u32 {
                self.0.wrapping_mul(o.0)
            }
        }
        #[inline(never)]
        fn plus(a: u32, b: u32) -> u32 {
            a.wrapping_mul(3).wrapping_add(b)
        }
        Inner(x).plus(3).wrapping_add(Inner(x) * Inner(2)).wrapping_add(plus(x, 1))
    }
    #[inline(never)]
    fn plus(a: u32, b: u32) -> u32 {
        a ^ b
    }
}

pub fn items_in_methods(i: usize, x: &[u32], out: &mut [u32]) {
    out[i] = Holder.run(x[i]).wrapping_add(Holder::plus(x[i], 5) << 4);
}

#[inline(never)]
fn same_in_blocks(x: u32) -> u32 {
    let a = {
        #[derive(Clone, Copy)]
        enum W {
            A = 7,
            B = 9,
        }
        let w = [W::A, W::B][(x & 1) as usize];
        w as u32
    };
    let b = {
        #[derive(Clone, Copy)]
        enum W {
            A(u32),
            B,
        }
        match [W::A(x), W::B][(x >> 1 & 1) as usize] {
            W::A(n) => n & 0xff,
            W::B => 1000,
        }
    };
    a + b
}

// refused: MG0323
pub fn types_of_one_name(i: usize, x: &[u32], out: &mut [u32]) {
    out[i] = same_in_blocks(x[i]);
}

pub fn discriminants_in_body(i: usize, x: &[u32], out: &mut [u64]) {
    #[derive(Clone, Copy)]
    #[repr(u64)]
    enum Wide {
        Low = 3,
        High = u64::MAX,
        Next = 1 << 40,
    }
    #[derive(Clone, Copy)]
    enum Sign {
        Less = -1,
        More = 1,
    }
    let wide = [Wide::Low, Wide::High, Wide::Next][x[i] as usize % 3];
    let sign = if x[i] & 4 == 0 { Sign::Less } else { Sign::More };
    out[i] = (wide as u64).wrapping_add(sign as i64 as u64);
}

#[inline(never)]
fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |a| g(f(a))
}

pub fn impl_arguments(i: usize, x: &[u32], out: &mut [u32]) {
    let n = i as u32;
    out[i] = compose(move |a: u32| a.wrapping_add(n), |b: u32| b as f32)(x[i]) as u32;
}

#[inline(never)]
fn both(f: impl Fn(u32) -> u32, g: impl Fn(u32) -> u32, x: u32) -> u32 {
    f(x) * 100 + g(x)
}

// refused: MG0331
pub fn equal_impl_arguments(i: usize, out: &mut [u32]) {
    let (a, b) = (i as u32, i as u64);
    out[i] = both(|x| x + a, |x| x * 2 + b as u32, 3);
}

pub trait Checked {
    #[track_caller]
    fn at(&self, k: usize) -> u32;
    #[track_caller]
    #[inline(never)]
    fn twice(&self, k: usize) -> u32 {
        self.at(k) * 2
    }
}
impl Checked for [u32; 3] {
    #[inline(never)]
    fn at(&self, k: usize) -> u32 {
        self[k]
    }
}

pub fn callers(i: usize, x: &[u32], out: &mut [u32]) {
    let a = [x[0], x[1], x[2]];
    out[i] = Checked::at(&a, i / 4)
        + <[u32; 3]>::twice(&a, i / 3)
        + Checked::twice(&a, i / 2);
}
