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
