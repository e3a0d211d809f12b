//! Layouts that only rustc knows: niches, packing, alignment, nesting.

#[derive(Clone, Copy, PartialEq)]
pub enum Tri {
    A(bool),
    B,
    C,
    D(bool),
}

#[derive(Clone, Copy, PartialEq)]
pub enum Outer {
    X(Tri),
    Y,
    Z,
    W,
}

#[inline(never)]
fn step(o: Outer) -> Outer {
    match o {
        Outer::X(Tri::A(b)) => Outer::X(Tri::D(!b)),
        Outer::X(Tri::B) => Outer::Y,
        Outer::X(Tri::C) => Outer::Z,
        Outer::X(Tri::D(true)) => Outer::W,
        Outer::X(Tri::D(false)) => Outer::X(Tri::B),
        Outer::Y => Outer::X(Tri::C),
        Outer::Z => Outer::X(Tri::A(true)),
        Outer::W => Outer::X(Tri::A(false)),
    }
}

fn code(o: Outer) -> u32 {
    match o {
        Outer::X(t) => 10 + match t { Tri::A(b) => b as u32, Tri::B => 2, Tri::C => 3, Tri::D(b) => 4 + b as u32 },
        Outer::Y => 1,
        Outer::Z => 2,
        Outer::W => 3,
    }
}

pub fn niches(i: usize, x: &[u32], out: &mut [u32], last: &mut [(u8, u32)]) {
    let mut o = match x[i] % 4 { 0 => Outer::Y, 1 => Outer::X(Tri::A(true)), 2 => Outer::W, _ => Outer::X(Tri::C) };
    let mut h = 0u32;
    for _ in 0..(x[i] & 7) + 3 {
        h = h.wrapping_mul(31).wrapping_add(code(o));
        o = step(o);
    }
    out[i] = h ^ (o == Outer::Z) as u32;
    last[i] = (code(o) as u8, h);
}

#[derive(Clone, Copy)]
pub struct Cell {
    pub state: Outer,
    pub maybe: Option<char>,
    pub order: Option<std::cmp::Ordering>,
    pub res: Result<u8, bool>,
}

pub fn cells(i: usize, x: &[u32], out: &mut [u32]) {
    let mut grid = [Cell { state: Outer::Y, maybe: None, order: None, res: Err(true) }; 4];
    for (k, c) in grid.iter_mut().enumerate() {
        let v = x[(i + k) % x.len()];
        c.state = step(c.state);
        c.maybe = char::from_u32(v & 0x7f).filter(|c| c.is_ascii_alphanumeric());
        c.order = if v > 2 { Some(v.cmp(&3)) } else { None };
        c.res = if v % 2 == 0 { Ok(v as u8) } else { Err(v > 3) };
    }
    let mut h = 0u32;
    for c in &grid {
        h = h.rotate_left(5) ^ code(c.state) ^ c.maybe.map_or(7, |c| c as u32);
        h ^= match c.order { None => 100, Some(o) => (o as i8 as u32) << 8 };
        h ^= match c.res { Ok(v) => v as u32, Err(b) => 0x1000 + b as u32 };
    }
    out[i] = h;
}

#[repr(C, packed)]
#[derive(Clone, Copy)]
pub struct Packed {
    pub a: u8,
    pub b: u32,
    pub c: f64,
}

pub fn packed(i: usize, p: &[Packed], out: &mut [Packed]) {
    let q = p[i];
    let b = q.b;
    out[i].b = b.wrapping_add(out[i].a as u32);
    out[i].c = { q.c } * 2.0;
    out[i].a = q.a ^ 1;
}

#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Aligned {
    pub a: u32,
    pub b: [u16; 3],
}

#[derive(Clone, Copy)]
pub struct Empty;

#[derive(Clone, Copy)]
pub struct Wrap<T>(pub Empty, pub T, pub std::marker::PhantomData<u64>);

pub fn aligned(i: usize, w: Wrap<Aligned>, a: &[Aligned], out: &mut [Wrap<u32>]) {
    let Wrap(Empty, v, _) = w;
    out[i].1 ^= v.a.wrapping_add(a[i].b[i % 3] as u32) ^ (v.b[0] as u32) << 16;
}

#[repr(i16)]
#[derive(Clone, Copy, PartialEq, PartialOrd)]
pub enum Signed {
    Low = -300,
    Mid = -2,
    High = 5,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub enum Tagged {
    Int(i32),
    Pair { a: u8, b: u64 },
    Unit,
}

pub fn reprs(i: usize, s: &[Signed], t: &[Tagged], out: &mut [i64]) {
    let v = match t[i] { Tagged::Int(v) => v as i64, Tagged::Pair { a, b } => a as i64 ^ b as i64, Tagged::Unit => -9 };
    let least = s.iter().copied().fold(Signed::High, |a, b| if b < a { b } else { a });
    out[i] = v ^ (s[i] as i64) << 3 ^ (least as i16 as i64) << 20 ^ (s[i] == Signed::Mid) as i64;
}

pub fn rewrite(i: usize, s: &[u32], t: &mut [Tagged]) {
    t[i] = match (&t[i], s[i] & 3) {
        (Tagged::Int(v), 0) => Tagged::Pair { a: *v as u8, b: s[i] as u64 },
        (Tagged::Pair { b, .. }, _) => Tagged::Int(*b as i32),
        (_, 1) => Tagged::Unit,
        (other, _) => **&other,
    };
    if let Tagged::Pair { a, .. } = &mut t[i] {
        *a = a.wrapping_mul(3);
    }
}

pub fn small(i: u32, x: &[u8], out: &mut [Option<u8>]) {
    let k = i as usize;
    let best = x[..].iter().copied().max();
    out[k] = match (out[k], best) {
        (Some(a), Some(b)) if a < b => Some(b - a),
        (None, b) => b,
        _ => None,
    };
}

pub fn pointers(i: usize, x: &[u32], out: &mut [u64]) {
    let mut table = [&x[0], &x[1], &x[2]];
    let mut slot: Option<&u32> = None;
    for k in 0..3 {
        if *table[k] > 2 {
            slot = Some(table[k]);
            table.swap(0, k);
        }
    }
    let part: Option<&[u32]> = x.get(i..i + 3);
    let p = &x[i] as *const u32;
    let moved = unsafe { p.wrapping_add(1).offset_from(x.as_ptr()) } as u64;
    out[i] = *table[0] as u64 ^ slot.map_or(1 << 40, |v| *v as u64) ^ part.map_or(2 << 40, |p| p.iter().map(|v| *v as u64).sum()) ^ moved << 50;
}
