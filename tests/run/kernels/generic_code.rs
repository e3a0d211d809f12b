//! Constants, types and methods of generic code that is not inlined; parameters of one name.
#![allow(warnings)]

pub trait Conf {
    const N: usize;
    const M: u32 = 7;
    const T: [u32; 2] = [Self::M, Self::N as u32];
    type W;
    fn w() -> u32 {
        Self::M * 2
    }
}
#[derive(Clone, Copy)]
pub struct A;
#[derive(Clone, Copy)]
pub struct B;
#[derive(Clone, Copy)]
pub struct G<T>(T);
impl Conf for A {
    const N: usize = 3;
    type W = [u8; 3];
}
impl Conf for B {
    const N: usize = 5;
    const M: u32 = 11;
    type W = u64;
    #[inline(never)]
    fn w() -> u32 {
        1
    }
}
impl<T: Conf> Conf for G<T> {
    const N: usize = T::N + 1;
    const M: u32 = T::M * 100;
    type W = (T::W, u8);
}
#[inline(never)]
fn conf<T: Conf>(k: usize) -> u32 {
    T::M + T::N as u32 * 1000 + T::T[k & 1] + T::w() + std::mem::size_of::<T::W>() as u32 * 100000
}
pub fn defaults(i: usize, out: &mut [u32]) {
    out[i] = conf::<A>(i) ^ conf::<B>(i) * 3 ^ conf::<G<A>>(i) * 5 ^ conf::<G<G<B>>>(i) * 7;
}

pub struct Arr<T, const N: usize>([T; N]);
impl<T: Copy + Into<u64>, const N: usize> Arr<T, N> {
    const LEN: usize = N * 2;
    const TABLE: [u8; 4] = [N as u8, 1, 2, 3];
    #[inline(never)]
    fn sum(&self) -> u64 {
        let mut s = Self::LEN as u64;
        for v in self.0 {
            s += v.into();
        }
        s + Self::TABLE[(s & 3) as usize] as u64
    }
    #[inline(never)]
    fn map<U: Copy, F: Fn(T) -> U>(&self, f: F) -> [U; N] {
        let mut o = [f(self.0[0]); N];
        for j in 1..N {
            o[j] = f(self.0[j]);
        }
        o
    }
}
pub fn arrs(i: usize, x: &[u32], out: &mut [u64]) {
    let a = Arr([x[i], 2, 3]);
    let b = Arr([x[i] as u8; 5]);
    out[i] = a.sum() + b.sum() * 3 + a.map(|v| v as u64 * 2)[1] + b.map(|v| (v, 1u16))[4].1 as u64;
}

pub trait Visit<R> {
    fn visit(&self, r: R) -> u32;
}
impl Visit<u8> for A {
    #[inline(never)]
    fn visit(&self, r: u8) -> u32 {
        r as u32 + 1
    }
}
impl Visit<u32> for A {
    #[inline(never)]
    fn visit(&self, r: u32) -> u32 {
        r.wrapping_mul(2)
    }
}
impl<T> Visit<(T, u8)> for A {
    #[inline(never)]
    fn visit(&self, r: (T, u8)) -> u32 {
        r.1 as u32 + std::mem::size_of::<T>() as u32
    }
}
impl<'a> Visit<&'a u8> for A {
    #[inline(never)]
    fn visit(&self, r: &'a u8) -> u32 {
        *r as u32 + 1000
    }
}
impl<'a> Visit<&'a mut u8> for A {
    #[inline(never)]
    fn visit(&self, r: &'a mut u8) -> u32 {
        *r += 1;
        *r as u32 + 2000
    }
}
#[inline(never)]
fn vis<R, V: Visit<R>>(v: &V, r: R) -> u32 {
    v.visit(r)
}
pub fn visits(i: usize, x: &[u8], out: &mut [u32]) {
    let mut m = x[i] & 7;
    out[i] = vis(&A, x[i])
        ^ vis(&A, x[i] as u32 + 7)
        ^ vis(&A, (1.0f64, x[i]))
        ^ vis(&A, &x[i])
        ^ vis(&A, &mut m)
        ^ m as u32;
}

fn k2(x: u32) -> u32 {
    const N: u32 = 4;
    fn inner(x: u32) -> u32 {
        const N: u32 = 9;
        x + N
    }
    inner(x) * N
}
mod k3m {
    pub const N: u32 = 77;
    pub fn k2(x: u32) -> u32 {
        static T: [u32; 3] = [1, 2, N_()];
        const fn N_() -> u32 {
            5
        }
        T[(x % 3) as usize]
    }
}
pub fn names(i: usize, x: &[u32], out: &mut [u32]) {
    static T: [u32; 3] = [10, 20, 30];
    out[i] = k2(x[i] & 0xff) + k3m::k2(x[i]) + k3m::N + T[i % 3];
}

pub trait Node {
    type Next: Node;
    const D: u32;
    fn go(x: u32) -> u32;
}
pub struct End;
impl Node for End {
    type Next = End;
    const D: u32 = 0;
    #[inline(never)]
    fn go(x: u32) -> u32 {
        x
    }
}
pub struct S<N>(N);
impl<N: Node> Node for S<N> {
    type Next = N;
    const D: u32 = 1 + N::D;
    #[inline(never)]
    fn go(x: u32) -> u32 {
        <Self::Next as Node>::go(x ^ Self::D).wrapping_mul(3)
    }
}
pub fn peano(i: usize, out: &mut [u32]) {
    out[i] = <S<S<S<End>>> as Node>::go(i as u32) + <<S<S<End>> as Node>::Next as Node>::D;
}

#[derive(Clone, Copy, PartialEq, PartialOrd, Debug)]
enum E {
    X = -1,
    Y = 5,
    Z,
}
#[inline(never)]
fn mk(i: u32) -> Option<E> {
    match i % 4 {
        0 => Some(E::X),
        1 => Some(E::Y),
        2 => Some(E::Z),
        _ => None,
    }
}
pub fn discr(i: usize, out: &mut [i32]) {
    out[i] = match mk(i as u32) {
        Some(e) => e as i32 * 10 + (e < E::Z) as i32,
        None => 99,
    };
}

macro_rules! ops { ($($t:ident $m:ident $op:tt),*) => { $( impl std::ops::$t<V> for V { type Output = V; #[inline(never)] fn $m(self, o: V) -> V { V(self.0 $op o.0) } } impl std::ops::$t<u32> for V { type Output = u32; #[inline(never)] fn $m(self, o: u32) -> u32 { (self.0 $op o).wrapping_add(7) } } )* } }
#[derive(Clone, Copy)]
pub struct V(u32);
ops!(BitXor bitxor ^, BitAnd bitand &, BitOr bitor |);
#[inline(never)]
fn gop<T: std::ops::BitXor<R>, R>(a: T, b: R) -> T::Output {
    a ^ b
}
pub fn macro_ops(i: usize, x: &[u32], out: &mut [u32]) {
    let v = V(x[i]);
    out[i] = ((v ^ V(3)) & V(0xffff) | V(1 << 20)).0
        ^ (v & 255u32)
        ^ gop(v, 9u32)
        ^ gop(v, V(11)).0
        ^ gop(3u32, 5u32);
}

#[inline(never)]
fn signed<const N: i8, const M: i8>(x: f32) -> f32 {
    let mut r = x * 0.0 + N as f32 + if N < M { 100.0 } else { 200.0 };
    r += (N as i32 >> 1) as f32;
    r += (M.wrapping_add(N)) as f32;
    r += if N > 3 { 1000.0 } else { 0.0 };
    r
}
pub fn signed_params(i: usize, x: &[f32], out: &mut [f32]) {
    out[i] = signed::<-1, 1>(1.0) + signed::<5, -7>(2.0) + signed::<127, 127>(0.0);
}
#[inline(never)]
fn wide<const N: u64, const B: bool, const C: char>(x: u32) -> f64 {
    x as f64 + N as f64 + B as u32 as f64 + C as u32 as f64
}
pub fn wide_params(i: usize, x: &[u32], out: &mut [f64]) {
    out[i] = wide::<{ u64::MAX }, true, 'x'>(x[i]) + wide::<3, false, 'é'>(x[i]);
}

pub struct D(u32);
impl Drop for D {
    fn drop(&mut self) {}
}
pub mod a {
    pub fn helper(x: u32) -> u32 {
        #[inline(never)]
        fn go(x: u32) -> u32 {
            x + 1
        }
        go(x)
    }
    pub struct P(pub u32);
    impl P {
        #[inline(never)]
        pub fn v(&self) -> u32 {
            self.0 + 1
        }
    }
}
pub mod b {
    pub fn helper(x: u32) -> u32 {
        #[inline(never)]
        fn go(x: u32) -> u32 {
            x + 2
        }
        go(x)
    }
    pub struct P(pub u32);
    impl P {
        #[inline(never)]
        pub fn v(&self) -> u32 {
            self.0 + 2
        }
    }
}
pub fn mods(i: usize, out: &mut [u32]) {
    out[i] = a::helper(1) * 10 + b::helper(1) + a::P(5).v() * 100 + b::P(5).v() * 1000;
}
trait T1 {
    #[inline(never)]
    fn f(&self) -> u32 {
        1
    }
    fn g(&self) -> u32;
}
trait T2 {
    #[inline(never)]
    fn f(&self) -> u32 {
        2
    }
    fn g(&self) -> u32;
}
#[derive(Clone, Copy)]
struct Q(u32);
impl Q {
    #[inline(never)]
    fn g(&self) -> u32 {
        7
    }
}
impl T1 for Q {
    #[inline(never)]
    fn g(&self) -> u32 {
        10
    }
}
impl T2 for Q {
    #[inline(never)]
    fn g(&self) -> u32 {
        20
    }
}
impl T2 for u32 {
    #[inline(never)]
    fn f(&self) -> u32 {
        *self
    }
    fn g(&self) -> u32 {
        30
    }
}
impl<X: T2> T2 for &X {
    #[inline(never)]
    fn f(&self) -> u32 {
        (**self).f() + 100
    }
    #[inline(never)]
    fn g(&self) -> u32 {
        40
    }
}
#[inline(never)]
fn two<X: T2>(x: X) -> u32 {
    x.f() * 1000 + x.g()
}
pub fn same_methods(i: usize, out: &mut [u32]) {
    let q = Q(1);
    out[i] = q.g()
        + T1::g(&q) * 3
        + T2::g(&q) * 5
        + T1::f(&q) * 7
        + T2::f(&q) * 11
        + two(q)
        + two(&q) * 3
        + two(i as u32) * 5
        + two(&(i as u32)) * 7
        + two(&&q);
}
const fn tri(n: u32) -> u32 {
    let mut s = 0;
    let mut k = 0;
    while k <= n {
        s += k;
        k += 1;
    }
    s
}
struct C<const N: usize>;
impl<const N: usize> C<N> {
    const SQ: usize = N * N;
    const ARR: [u32; N] = {
        let mut a = [0; N];
        let mut k = 0;
        while k < N {
            a[k] = tri(k as u32);
            k += 1;
        }
        a
    };
    #[inline(never)]
    fn at(k: usize) -> u32 {
        Self::ARR[k % N] + Self::SQ as u32
    }
}
pub fn const_arrays(i: usize, out: &mut [u32]) {
    out[i] = C::<3>::at(i) + C::<7>::at(i) * 100;
}
#[inline(never)]
fn rec<F: Fn(u32) -> u32>(f: &F, n: u32) -> u32 {
    let g = |x: u32| f(x) + n;
    apply(&g, n)
}
#[inline(never)]
fn apply<F: Fn(u32) -> u32>(f: &F, n: u32) -> u32 {
    f(n) * 2
}
pub fn closures(i: usize, out: &mut [u32]) {
    let a = i as u32;
    let b = 3u32;
    out[i] = rec(&|x| x + a, 5) + rec(&|x| x * b, 7) + rec(&|x| x, a);
}
#[inline(never)]
fn opt<T: Copy + PartialOrd>(a: &[T], d: T) -> Option<(T, usize)> {
    let mut m = None;
    for (k, v) in a.iter().enumerate() {
        match m {
            None => m = Some((*v, k)),
            Some((w, _)) if *v > w => m = Some((*v, k)),
            _ => {}
        }
    }
    m
}
pub fn generic_opt(i: usize, x: &[f32], y: &[u8], out: &mut [f64]) {
    let a = opt(&x[i % 4..], 0.0);
    let b = opt(&y[i % 5..], 0);
    out[i] =
        a.map_or(-1.0, |(v, k)| k as f64) + b.map_or(-1.0, |(v, k)| v as f64 * 1000.0 + k as f64);
}
