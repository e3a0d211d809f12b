//! Structs, tuples, enums, arrays, unions, nested and by value.

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Vec3 {
    pub x: f32,
    pub y: f32,
    pub z: f32,
}

impl std::ops::Add for Vec3 {
    type Output = Vec3;
    fn add(self, o: Vec3) -> Vec3 {
        Vec3 { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl std::ops::Mul<f32> for Vec3 {
    type Output = Vec3;
    #[inline(never)]
    fn mul(self, k: f32) -> Vec3 {
        Vec3 { x: self.x * k, y: self.y * k, z: self.z * k }
    }
}

impl std::ops::AddAssign for Vec3 {
    fn add_assign(&mut self, o: Vec3) {
        *self = *self + o;
    }
}

impl Vec3 {
    #[inline(never)]
    fn dot(self, o: &Vec3) -> f32 {
        self.x * o.x + self.y * o.y + self.z * o.z
    }
}

pub fn vectors(i: usize, p: &[Vec3], out: &mut [Vec3]) {
    let mut sum = Vec3 { x: 0.0, y: 0.5, z: 0.0 };
    for q in p {
        sum += *q * q.dot(&p[i]) + p[0];
    }
    out[i] = sum;
}

#[derive(Clone, Copy)]
pub struct Mixed {
    pub a: u8,
    pub b: u64,
    pub c: (u16, f32),
    pub d: [u8; 3],
}

pub fn mixed(i: usize, m: &[Mixed], out: &mut [u64]) {
    let Mixed { a, b, c: (c0, c1), d: [d0, .., d2] } = m[i];
    out[i] = (a as u64) ^ b ^ (c0 as u64) << 7 ^ (c1.to_bits() as u64) << 9 ^ d0 as u64 ^ (d2 as u64) << 3;
}

pub fn by_value(i: usize, m: Mixed, t: (u8, u32), out: &mut [u64]) {
    out[i] = m.b ^ m.a as u64 ^ t.1 as u64 + i as u64 ^ m.d[i % 3] as u64 ^ t.0 as u64;
}

pub fn rebuild(i: usize, out: &mut [Mixed]) {
    let old = out[i];
    out[i] = Mixed { a: old.d[1], d: [old.a, old.d[2], 7], c: (old.c.0 + 1, old.c.1), ..old };
}

#[derive(Clone, Copy, PartialEq)]
pub enum Op {
    Nop,
    Add(u32),
    Scale { by: f32, twice: bool },
    Pair(u8, u8),
}

pub fn machine(i: usize, x: &[u32], out: &mut [u32]) {
    let mut op = Op::Nop;
    let mut acc = x[i] & 255;
    for j in 0..(x[i] & 15) {
        op = match op {
            Op::Nop => Op::Add(j + 1),
            Op::Add(n) if n % 3 == 0 => Op::Pair(n as u8, acc as u8),
            Op::Add(n) => Op::Scale { by: n as f32 * 0.5, twice: n % 2 == 0 },
            Op::Scale { by, twice: true } => Op::Add((by * 3.0) as u32 + 1),
            Op::Scale { .. } => Op::Nop,
            Op::Pair(a, b) => Op::Add(a as u32 + b as u32),
        };
        acc = acc.wrapping_mul(3).wrapping_add(cost(&op));
    }
    if op == Op::Add(3) {
        acc ^= 0x5555;
    }
    out[i] = acc;
}

#[inline(never)]
fn cost(op: &Op) -> u32 {
    match *op {
        Op::Nop => 1,
        Op::Add(n) => n,
        Op::Scale { by, twice } => by as u32 + twice as u32,
        Op::Pair(a, b) => a as u32 ^ b as u32,
    }
}

pub fn host_enum(i: usize, ops: &[Op], out: &mut [u32]) {
    out[i] = cost(&ops[i]);
}

#[repr(u8)]
#[derive(Clone, Copy, PartialEq)]
pub enum Level {
    Low = 3,
    Mid,
    High = 200,
}

#[derive(Clone, Copy)]
pub enum Signed {
    Neg = -5,
    Zero = 0,
    Pos = 70000,
}

pub fn levels(i: usize, x: &[u32], out: &mut [i64]) {
    let l = if x[i] < 2 { Level::Low } else if x[i] < 5 { Level::Mid } else { Level::High };
    let s = match l { Level::Low => Signed::Neg, Level::Mid => Signed::Zero, Level::High => Signed::Pos };
    out[i] = l as u8 as i64 * 1000 + s as i64;
}

pub fn options(i: usize, x: &[u32], out: &mut [u64]) {
    let first = x.iter().position(|&v| v == x[i]);
    let big = x.get(i + 3).copied().filter(|v| *v < 100).map(|v| v * 2);
    let r: Option<&u32> = if x[i] > 3 { Some(&x[0]) } else { None };
    let nested: Option<Option<bool>> = if x[i] == 1 { Some(None) } else if x[i] == 2 { None } else { Some(Some(x[i] == 4)) };
    let code = match nested { None => 1, Some(None) => 2, Some(Some(false)) => 3, Some(Some(true)) => 4 };
    out[i] = first.unwrap_or(99) as u64 + (big.unwrap_or(7) as u64) << 8 | code << 4 | r.map_or(5, |v| *v as u64 & 15);
}

fn try_sum(x: &[u32], i: usize) -> Option<u32> {
    let a = *x.get(i)?;
    let b = *x.get(i + 1)?;
    a.checked_add(b)?.checked_mul(3)
}

fn try_div(a: u32, b: u32) -> Result<u32, &'static str> {
    if b == 0 { Err("zero") } else { Ok(a / b) }
}

fn both(x: &[u32], i: usize) -> Result<u32, &'static str> {
    let s = try_sum(x, i).ok_or("end")?;
    Ok(try_div(s, x[i] & 3)? + 1)
}

pub fn question(i: usize, x: &[u32], out: &mut [u32]) {
    out[i] = match both(x, i) {
        Ok(v) => v,
        Err("zero") => 1_000_000,
        Err(e) => e.len() as u32,
    };
}

pub fn arrays(i: usize, x: &[u32], out: &mut [u32]) {
    let mut hist = [0u32; 20];
    for &v in x {
        hist[(v % 20) as usize] += 1;
    }
    let grid = [[i as u32, 1], [2, x[i]], [3; 2]];
    let mut t = [[0u32; 3]; 2];
    for r in 0..3 {
        for c in 0..2 {
            t[c][r] = grid[r][c].wrapping_add(hist[r * 2 + c]);
        }
    }
    let [a, rest @ ..] = t[1];
    out[i] = a ^ rest[0] << 4 ^ rest[1] << 8 ^ hist[19] << 20;
}

#[derive(Clone, Copy)]
pub union Bits {
    pub f: f32,
    pub u: u32,
    pub b: [u8; 4],
}

pub fn unions(i: usize, x: &[f32], out: &mut [u32]) {
    let b = Bits { f: x[i] };
    let c = Bits { u: 0x01020304 };
    out[i] = unsafe { b.u.wrapping_add(b.b[3] as u32) ^ c.b[i % 4] as u32 };
}

pub fn transmutes(i: usize, x: &[u64], out: &mut [u32]) {
    let [a, b]: [u32; 2] = unsafe { std::mem::transmute(x[i]) };
    let bytes = (a ^ b).to_le_bytes();
    out[i] = u32::from_be_bytes(bytes) ^ bytes[1] as u32;
}

pub fn tuples(i: usize, x: &[u32], out: &mut [u32]) {
    let mut best = (0usize, 0u32);
    for (j, &v) in x.iter().enumerate() {
        if v > best.1 {
            best = (j, v);
        }
    }
    let (s, o) = x[i].overflowing_mul(x[0]);
    let (q, r) = divmod(x[i], 7);
    out[i] = best.0 as u32 ^ best.1 ^ s ^ o as u32 ^ q << 3 ^ r;
}

#[inline(never)]
fn divmod(a: u32, b: u32) -> (u32, u32) {
    (a / b, a % b)
}

pub fn slices(i: usize, x: &[u32], out: &mut [u32]) {
    let (a, b) = x.split_at(i % 5);
    let mid = &x[1..x.len() - 1];
    let total = match mid {
        [first, .., last] => first.wrapping_add(*last),
        _ => 0,
    };
    if let [p, q, tail @ ..] = b {
        out[i] = total ^ p.wrapping_sub(*q) ^ tail.len() as u32 ^ a.len() as u32;
    }
    let [.., z, _] = *x else { return };
    out[i] = out[i].wrapping_add(z);
}

pub fn niches(i: usize, x: &[u32], out: &mut [Option<bool>]) {
    out[i] = match out[i] {
        None => Some(x[i] > 2),
        Some(b) if b == (x[i] % 2 == 0) => None,
        Some(b) => Some(!b),
    };
}
