//! Constants, tables, statics, strings.

const K: u32 = 17;
const TAB: [u32; 8] = [3, 1, 4, 1, 5, 9, 2, 6];
static PRIMES: [u16; 6] = [2, 3, 5, 7, 11, 13];
const fn squares() -> [u32; 40] {
    let mut t = [0; 40];
    let mut k = 0;
    while k < 40 {
        t[k] = (k as u32) * (k as u32) ^ 5;
        k += 1;
    }
    t
}
const SQUARES: [u32; 40] = squares();
static CRC: [u32; 256] = crc();
const fn crc() -> [u32; 256] {
    let mut t = [0u32; 256];
    let mut n = 0;
    while n < 256 {
        let mut c = n as u32;
        let mut k = 0;
        while k < 8 {
            c = if c & 1 == 1 { 0xedb8_8320 ^ (c >> 1) } else { c >> 1 };
            k += 1;
        }
        t[n] = c;
        n += 1;
    }
    t
}

#[derive(Clone, Copy)]
pub struct Light {
    pos: (f32, f32),
    on: bool,
    kind: Kind,
}

#[derive(Clone, Copy)]
pub enum Kind {
    Spot(f32),
    Flood,
}

const LIGHTS: [Light; 3] = [
    Light { pos: (1.0, 2.0), on: true, kind: Kind::Spot(0.5) },
    Light { pos: (-1.0, 0.25), on: false, kind: Kind::Flood },
    Light { pos: (0.0, -0.0), on: true, kind: Kind::Spot(1e-40) },
];
const UNIT: Light = Light { pos: (0.0, 1.0), on: true, kind: Kind::Flood };

struct Cfg;
impl Cfg {
    const SCALE: f32 = 2.5;
    const NAME: &'static str = "mirgpu";
    const EDGES: &'static [(u8, u8)] = &[(0, 1), (1, 2), (2, 0)];
}

pub fn tables(i: usize, x: &[u32], out: &mut [u32]) {
    let j = x[i] as usize;
    out[i] = K ^ TAB[j & 7] << 4 ^ (PRIMES[j % 6] as u32) << 8 ^ SQUARES[j % 40] << 12 ^ CRC[j & 255];
}

pub fn lights(i: usize, x: &[u32], out: &mut [f32]) {
    let mut s = 0.0;
    for l in LIGHTS.iter().chain(std::iter::once(&UNIT)) {
        if l.on {
            s += l.pos.0 * 3.0 + l.pos.1 + match l.kind { Kind::Spot(w) => w, Kind::Flood => Cfg::SCALE };
        }
    }
    let l = LIGHTS[x[i] as usize % 3];
    out[i] = s + l.pos.1 + if let Kind::Spot(w) = l.kind { w } else { 100.0 };
}

pub fn strings(i: usize, x: &[u32], out: &mut [u32]) {
    let text = if x[i] > 3 { "hello" } else { Cfg::NAME };
    let bytes = b"\x00\xffabc";
    out[i] = text.as_bytes()[i % text.len()] as u32 ^ (bytes[x[i] as usize % 5] as u32) << 8;
    let (a, b) = Cfg::EDGES[x[i] as usize % 3];
    out[i] ^= (a as u32) << 16 ^ (b as u32) << 20 ^ (text.len() as u32) << 24;
}

pub fn promoted(i: usize, x: &[u32], out: &mut [u32]) {
    let r: &[u32] = if x[i] > 2 { &[1, 2, 3] } else { &[7] };
    let p = pick(x[i] == 1);
    out[i] = r.iter().sum::<u32>() + p.0 + p.1[0] as u32;
}

#[inline(never)]
fn pick(a: bool) -> &'static (u32, [u8; 2]) {
    if a { &(5, [1, 2]) } else { &(6, [3, 4]) }
}

pub fn floats(i: usize, out: &mut [f64]) {
    let a = [0.1f32, 1e-45, f32::MAX, -0.0, std::f32::consts::PI, 16777217.0];
    let b = [0.1f64, 5e-324, f64::MIN, f64::INFINITY, std::f64::consts::E, 0.30000000000000004];
    out[i] = a[i % 6] as f64 + b[(i + 1) % 6] * 1e-300;
}
