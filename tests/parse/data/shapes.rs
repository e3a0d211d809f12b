// One file with as many MIR constructs as stable Rust can show; dumped by `regen.sh`.
#![allow(dead_code, unused)]
use std::cell::{Cell, UnsafeCell};
use std::fmt::Debug;
use std::sync::atomic::{AtomicU32, Ordering};

pub trait Shape {
    const SIDES: u32;
    type Unit;
    fn area(&self) -> f32;
    fn twice(&self) -> f32 {
        self.area() * 2.0
    }
}

#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
pub struct P3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

impl Shape for P3 {
    const SIDES: u32 = 3;
    type Unit = u8;
    fn area(&self) -> f32 {
        self.x * self.y + self.z
    }
}

pub struct Pair(pub u8, pub i64);
pub struct Empty {}
pub struct Unit;
pub struct Many<const N: usize, T>([T; N]);
#[repr(C)]
pub union Bits {
    f: f32,
    u: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Kind {
    A = 5,
    B,
    C = 9,
}

pub enum Tree {
    Leaf,
    Node { value: i32, next: Option<Box<Tree>> },
    Two(u8, char),
}

pub static TABLE: [u32; 4] = [1, 2, 3, 4];
pub static mut COUNTER: u64 = 7;
pub static NAMES: [&str; 3] = ["a}b", "│ x", "a long name that goes over one row"];
pub static HOOK: fn(u32) -> u32 = inc;
pub static SHARED: AtomicU32 = AtomicU32::new(3);
pub static MAYBE: Option<(u8, u32)> = Some((1, 2));
pub static OBJECT: &(dyn Debug + Sync) = &Kind::A;
pub const LIMIT: i32 = -12;
pub const POINT: P3 = P3 { x: 1.0, y: -0.0, z: 1.5e30 };
pub const ARRAY: [(u8, bool); 2] = [(1, true), (2, false)];
pub const NOTHING: () = ();
thread_local! { pub static LOCAL: Cell<u32> = const { Cell::new(1) }; }

extern "C" {
    fn outside(x: u32) -> u32;
    static OUTSIDE: u32;
}

pub fn inc(x: u32) -> u32 {
    x + 1
}

pub const fn konst(n: usize) -> usize {
    n * 2 + 1
}

pub fn ints(a: u8, b: i32, c: u64, d: i128, e: usize, s: u32) -> (bool, i32, u64, i128, usize) {
    let x = a as i32 - b;
    let y = c.wrapping_mul(3) ^ (c << s) | (c >> 3) & 0xff;
    let z = d / 7 % 3;
    let (w, o) = e.overflowing_add(1);
    let k = (c as u32).rotate_left(3) as u64 + u64::MAX;
    (o && !(a == 3) || b != i32::MIN, -x, y.max(k), !z, w)
}

pub fn floats(a: f32, b: f64) -> (f32, f64, bool) {
    let n = f32::NAN;
    let i = f64::NEG_INFINITY;
    (a.sqrt() * 2.5 - n, (a as f64).mul_add(b, i) + 1e-310, a < 0.1 && b >= 1e300)
}

pub fn casts(a: f32, b: i32, c: u8, p: *const u32, k: Kind) -> (i32, f64, char, usize, *mut u8) {
    let f: fn(u32) -> u32 = inc;
    let g = f as usize;
    let h: fn(u32) -> u32 = |x| x + 2;
    let u: unsafe fn(u32) -> u32 = f;
    let q = g as *const u8;
    let arr = &[1u8, 2, 3];
    let sl: &[u8] = arr;
    let first: *const u8 = arr as *const u8;
    let m = p as *mut u8;
    let e = k as i32 + h(1) as i32 + sl.len() as i32 + unsafe { u(1) } as i32;
    (a as i32 + e, b as f64, c as char, p as usize + q as usize + first as usize, m)
}

pub fn places(a: &mut [P3; 4], b: &[u8], i: usize, t: &mut Tree, v: &(u8, (i32, char))) -> i32 {
    a[i].x = a[1].y;
    let last = match b {
        [] => 0,
        [x] => *x,
        [x, .., y] => x + y,
    };
    let mid: usize = match b {
        [_, rest @ .., _] => rest.len(),
        rest => rest.len(),
    };
    let [_, inner @ .., _] = a;
    inner[0].z = 3.0;
    if let [tail @ .., _] = b {
        a[0].x = tail.len() as f32;
    }
    if let [_, head @ ..] = b {
        a[0].y = head.len() as f32;
    }
    if let Tree::Node { value, next } = t {
        *value += v.1 .0;
        *next = None;
    }
    last as i32 + mid as i32
}

pub fn aggregates(u: u32, c: char) -> (Pair, Tree, Bits, [u32; 3], Empty, Unit, Many<2, u8>) {
    let pair = Pair(u as u8, 3);
    let tree = Tree::Node { value: 1, next: Some(Box::new(Tree::Two(3, c))) };
    let leaf = Tree::Leaf;
    drop(leaf);
    (pair, tree, Bits { f: 1.0 }, [u, 1, 2], Empty {}, Unit, Many([1, 2]))
}

pub fn repeat<const N: usize>(x: u8) -> ([u8; 16], [u8; N], [[u8; 2]; 3]) {
    ([0; 16], [x; N], [[1; 2]; 3])
}

pub fn consts() -> (P3, i32, &'static str, &'static [u8; 5], char, [(u8, bool); 2], u32, &'static [u8]) {
    (POINT, LIMIT, "tab\t\"quoted\" // no comment é", b"a\x00\n\\\"", '\u{7f}', ARRAY, P3::SIDES, b"x'y")
}

pub fn chars(c: char) -> bool {
    c == '\'' || c == '"' || c == '\n' || c == 'é' || c == '\u{301}' || c == '/'
}

pub fn loops(n: u32, xs: &[f32]) -> f32 {
    let mut s = 0.0;
    for (i, x) in xs.iter().enumerate() {
        if i as u32 > n {
            break;
        }
        s += x;
    }
    while s > 10.0 {
        s -= 1.0;
    }
    s
}

pub fn generic<T: Shape + Debug, F>(t: &T, f: F) -> f32
where
    F: Fn(&T) -> f32,
{
    let g = |x: f32| x + f(t) + T::SIDES as f32;
    g(t.twice())
}

pub fn dynamic(d: &dyn Iterator<Item = u8>) {}
pub fn objects<'a>(d: &'a (dyn Debug + Send + 'a), b: Box<dyn for<'b> Fn(&'b u8) -> u8 + 'a>) -> u8 {
    let _ = format!("{d:?}");
    b(&1)
}

pub fn opaque(x: impl Fn(u32) -> u32 + Copy) -> impl Iterator<Item = u32> {
    (0..3).map(move |i| x(i))
}

pub fn panics(x: Option<u32>, d: u32, m: i32) -> u32 {
    let y = x.expect("none");
    assert!(y > 1, "too small: {y}");
    if m == i32::MIN {
        unreachable!();
    }
    y / d + y % d + (m.abs() as u32)
}

pub unsafe fn raw(p: *mut u32, q: *const u32, n: usize) -> u32 {
    std::ptr::copy_nonoverlapping(q, p, n);
    std::hint::assert_unchecked(n > 0);
    COUNTER += 1;
    let s = std::slice::from_raw_parts_mut(p, n);
    s[0] = outside(OUTSIDE) + *p.add(1) + TABLE[n];
    let r = &raw mut s[0];
    *r
}

pub fn variadic(f: unsafe extern "C" fn(*const u8, ...) -> i32, g: extern "C" fn()) -> i32 {
    g();
    unsafe { f(std::ptr::null(), 1i32) }
}

pub fn question(x: &str) -> Result<u32, std::num::ParseIntError> {
    let n: u32 = x.parse()?;
    Ok(n.pow(2))
}

pub fn order(a: u32, b: u32) -> std::cmp::Ordering {
    a.cmp(&b)
}

pub fn with_drop(v: Vec<String>) -> usize {
    let n = v.len();
    std::mem::drop(v);
    n + SHARED.load(Ordering::Relaxed) as usize + LOCAL.with(|l| l.get()) as usize
}

pub async fn later(x: u32) -> u32 {
    let y = std::future::ready(x).await;
    y + 1
}

#[track_caller]
#[inline(always)]
fn tracked(x: Option<u32>) -> u32 {
    x.unwrap()
}

pub fn caller(x: u32) -> u32 {
    tracked(Some(x))
}

#[cfg(target_arch = "x86_64")]
pub fn assembly(x: u64) -> u64 {
    let mut y: u64 = x;
    let z: u64;
    unsafe {
        std::arch::asm!("add {0}, {1}", "// a \"comment\"", "nop", inout(reg) y, in(reg) x, out("rcx") _);
        std::arch::asm!("mov {}, {}", lateout(reg) z, const 5, options(nomem, nostack));
        std::arch::asm!("/* {} {} */", sym inc, sym TABLE);
    }
    y + z
}

pub fn lengths<const N: usize>() -> usize {
    const M: usize = 2;
    let a: [u8; { M * 3 }] = [0; { M * 3 }];
    let b = [1u16; konst(2)];
    let c = const { M + 1 };
    a.len() + b.len() + c
}
