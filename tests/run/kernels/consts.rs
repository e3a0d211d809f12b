//! Constants, tables, statics, const fn.

const fn gcd(a: u32, b: u32) -> u32 { if b == 0 { a } else { gcd(b, a % b) } }
const G: u32 = gcd(48, 18);
const TABLE: [[u16; 4]; 3] = { let mut t = [[0; 4]; 3]; let mut k = 0; while k < 12 { t[k / 4][k % 4] = (k * k) as u16; k += 1; } t };
static BIG: [u64; 500] = { let mut t = [0; 500]; let mut k = 0; while k < 500 { t[k] = (k as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15); k += 1; } t };
static NAMES: [&str; 3] = ["a", "bc", ""];
const FLOATS: [f64; 4] = [0.1, -0.0, f64::NAN, 1e308];
const TUPLES: &[(u8, char, bool, Option<i32>)] = &[(1, 'é', true, None), (2, 'b', false, Some(-1))];
#[derive(Clone, Copy, PartialEq)]
pub enum Dir { N, E, S, W }
const TURNS: [Dir; 4] = [Dir::E, Dir::S, Dir::W, Dir::N];
impl Dir { const ALL: [Dir; 4] = [Dir::N, Dir::E, Dir::S, Dir::W]; const START: Dir = Self::ALL[2]; }
struct Config { n: usize, scale: f32, on: bool, offsets: [i32; 3] }
const CONFIG: Config = Config { n: 3, scale: -0.5, on: true, offsets: [-1, 0, i32::MAX] };
static STATIC_CONFIG: Config = Config { n: 5, scale: 2.0, on: false, offsets: [7, 8, 9] };
trait Named { const ID: u32; const LIST: [u8; 2] = [1, 2]; }
struct A; struct B;
impl Named for A { const ID: u32 = 5; }
impl Named for B { const ID: u32 = A::ID * 2 + G; const LIST: [u8; 2] = [9, 8]; }
#[inline(never)]
fn id<T: Named>(k: usize) -> u32 { T::ID + T::LIST[k] as u32 }

pub fn simple(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i] % G + TABLE[i % 3][x[i] as usize % 4] as u32; }
pub fn big_static(i: usize, x: &[u32], out: &mut [u64]) { out[i] = BIG[x[i] as usize % 500] ^ BIG[i]; }
pub fn floats(i: usize, x: &[f64], out: &mut [f64]) { out[i] = FLOATS[i % 5] + x[i]; }
pub fn tuples(i: usize, x: &[u32], out: &mut [i64]) { let (a, c, b, o) = TUPLES[x[i] as usize % TUPLES.len()]; out[i] = a as i64 + c as i64 + b as i64 + o.map_or(100, |v| v as i64); }
pub fn enums(i: usize, x: &[u32], out: &mut [u8]) { let mut d = Dir::START; for _ in 0..x[i] % 9 { d = TURNS[d as usize]; } out[i] = d as u8 + (d == Dir::E) as u8 * 10; }
pub fn configs(i: usize, x: &[f32], out: &mut [f32]) { out[i] = x[i] * CONFIG.scale + CONFIG.offsets[i % CONFIG.n] as f32 + STATIC_CONFIG.offsets[i % 3] as f32 + if CONFIG.on && !STATIC_CONFIG.on { STATIC_CONFIG.scale } else { STATIC_CONFIG.n as f32 }; }
pub fn associated(i: usize, x: &[u32], out: &mut [u32]) { out[i] = if x[i] % 2 == 0 { id::<A>(i % 2) } else { id::<B>(i % 3) }; }
pub fn promoted(i: usize, x: &[u32], out: &mut [u32]) { let r: &[u32; 3] = &[4, 5, 6]; let s: &'static (u8, u32) = &(1, 99); out[i] = r[x[i] as usize % 3] ^ s.1 ^ *pick(x[i] & 1 == 0, &7, &8); }
#[inline(never)]
fn pick<'a>(c: bool, a: &'a u32, b: &'a u32) -> &'a u32 { if c { a } else { b } }
pub fn strings(i: usize, x: &[u32], out: &mut [u32]) { const S: &str = "naïve"; out[i] = S.as_bytes()[x[i] as usize % S.len()] as u32 ^ S.len() as u32; }
pub fn string_tables(i: usize, x: &[u32], out: &mut [u32]) { out[i] = NAMES[x[i] as usize % 3].len() as u32; }
pub fn const_in_fn(i: usize, x: &[u32], out: &mut [u32]) { const N: usize = 4; const K: [u32; N] = [N as u32; N]; let mut a = [0; N * 2]; a[N] = K[N - 1]; out[i] = a[(x[i] as usize) % (N * 2)]; }
pub fn limits(i: usize, x: &[i64], out: &mut [i64]) { out[i] = match x[i] { i64::MAX => i8::MIN as i64, i64::MIN => u32::MAX as i64, v => v ^ i64::MIN ^ usize::BITS as i64 }; }
pub fn inline_const(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i] ^ const { gcd(100, 75) } ^ std::mem::size_of::<Config>() as u32; }

use std::f32::consts as f;
use std::f64::consts as d;
const SINGLES: [f32; 19] = [f::PI, f::TAU, f::FRAC_PI_2, f::FRAC_PI_3, f::FRAC_PI_4, f::FRAC_PI_6, f::FRAC_PI_8, f::FRAC_1_PI, f::FRAC_2_PI, f::FRAC_2_SQRT_PI, f::SQRT_2, f::FRAC_1_SQRT_2, f::E, f::LN_2, f::LN_10, f::LOG2_E, f::LOG10_E, f::LOG2_10, f::LOG10_2];
const DOUBLES: [f64; 19] = [d::PI, d::TAU, d::FRAC_PI_2, d::FRAC_PI_3, d::FRAC_PI_4, d::FRAC_PI_6, d::FRAC_PI_8, d::FRAC_1_PI, d::FRAC_2_PI, d::FRAC_2_SQRT_PI, d::SQRT_2, d::FRAC_1_SQRT_2, d::E, d::LN_2, d::LN_10, d::LOG2_E, d::LOG10_E, d::LOG2_10, d::LOG10_2];
const SPECIALS: [f64; 14] = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, f64::MIN, f64::MIN_POSITIVE, f64::EPSILON, f32::NAN as f64, f32::INFINITY as f64, f32::NEG_INFINITY as f64, f32::MAX as f64, f32::MIN as f64, f32::MIN_POSITIVE as f64, f32::EPSILON as f64];
const LIMITS: [i64; 12] = [u8::MAX as i64, i8::MIN as i64, u16::MAX as i64, i16::MAX as i64, u32::MAX as i64, i32::MIN as i64, i64::MIN, i64::MAX, u64::MAX as i64, usize::MAX as i64, u16::MIN as i64, i8::BITS as i64];
pub fn singles(i: usize, out: &mut [f32]) { out[i] = SINGLES[i]; }
pub fn doubles(i: usize, out: &mut [f64]) { out[i] = DOUBLES[i]; }
// open: float casts in const tables
pub fn specials(i: usize, out: &mut [f64]) { out[i] = SPECIALS[i]; }
// open: library constants in const tables
pub fn limit_table(i: usize, out: &mut [i64]) { out[i] = LIMITS[i]; }
// open: the column of a panic! with constant operands
pub fn limit_operands(i: usize, x: &[u64], out: &mut [u64]) { if i == 3 { panic!("{} {} {}", u64::MAX, i8::MIN, f32::MAX); } out[i] = x[i] ^ u64::MAX; }
struct Odd { a: u8, b: u64, c: u16 }
static ODDS: [Odd; 2] = [Odd { a: 1, b: 2, c: 3 }, Odd { a: 4, b: 5, c: 6 }];
static POINTERS: &[&Odd] = &[&Odd { a: 7, b: 8, c: 9 }, &ODDS[1]];
static NESTED: (u8, &'static Odd, Option<&'static (u8, u32)>) = (3, &Odd { a: 10, b: 11, c: 12 }, Some(&(13, 14)));
pub fn odd_statics(i: usize, out: &mut [u64]) { let o = &ODDS[i % 2]; out[i] = o.a as u64 + o.b * 100 + o.c as u64 * 10000; }
pub fn static_pointers(i: usize, out: &mut [u64]) { let o = POINTERS[i % 2]; out[i] = o.a as u64 + o.b * 100 + o.c as u64 * 10000; }
pub fn nested_statics(i: usize, out: &mut [u64]) { out[i] = NESTED.0 as u64 + NESTED.1.b * 100 + NESTED.1.c as u64 * 10000 + NESTED.2.map_or(5, |p| p.1 as u64 + p.0 as u64); }
