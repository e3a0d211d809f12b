//! Enums: payloads, niches, guards, bindings, Option and Result in every shape.

use std::num::NonZeroU32;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Cmd {
    Stop,
    Move { dx: i16, dy: i16 },
    Paint(u8, u8, u8),
    Scale(f32),
    Nested(Option<bool>),
}

pub fn payloads(i: usize, c: &[Cmd], out: &mut [i64]) {
    out[i] = match c[i] {
        Cmd::Stop => -1,
        Cmd::Move { dx, dy } if dx == dy => dx as i64,
        Cmd::Move { dx: 0, dy } => dy as i64 * 1000,
        Cmd::Move { dx, .. } => dx as i64 * 7,
        Cmd::Paint(r @ 0..=9, g, b) => r as i64 * 1_000_000 + g as i64 * 1000 + b as i64,
        Cmd::Paint(255, ..) => 255,
        Cmd::Paint(_, g, _) => g as i64 - 500,
        Cmd::Scale(f) if f.is_nan() => 5,
        Cmd::Scale(f) => f as i64,
        Cmd::Nested(None) => 100,
        Cmd::Nested(Some(true)) => 101,
        Cmd::Nested(Some(false)) => 102,
    };
}

pub fn rewrite(i: usize, c: &mut [Cmd]) {
    c[i] = match c[i] {
        Cmd::Stop => Cmd::Scale(-0.0),
        Cmd::Move { dx, dy } => Cmd::Move { dx: dy, dy: dx.wrapping_add(1) },
        Cmd::Paint(r, g, b) => Cmd::Nested(if r > g { Some(b > 3) } else { None }),
        Cmd::Scale(f) if f > 0.0 => Cmd::Paint(f as u8, 0, 9),
        Cmd::Scale(_) => Cmd::Stop,
        Cmd::Nested(o) => Cmd::Nested(o.map(|b| !b)),
    };
}

pub fn in_place(i: usize, c: &mut [Cmd]) {
    match &mut c[i] {
        Cmd::Move { dx, dy } => std::mem::swap(dx, dy),
        Cmd::Paint(r, _, b) => {
            *r ^= *b;
            *b = b.rotate_left(3);
        }
        Cmd::Scale(f) => *f *= 2.0,
        Cmd::Nested(o) => *o = o.take().xor(Some(true)),
        s @ Cmd::Stop => *s = Cmd::Paint(1, 2, 3),
    }
}

pub fn equal(i: usize, c: &[Cmd], d: &[Cmd], out: &mut [bool]) {
    out[i] = c[i] == d[i] || c[i] != c[0] && d[i] == Cmd::Stop;
}

pub fn option_ref(i: usize, x: &[u32], out: &mut [u32]) {
    let r: Option<&u32> = x.iter().find(|v| **v > x[i]);
    let s: Option<&mut u32> = out.get_mut(i);
    match (r, s) {
        (Some(a), Some(b)) => *b = *a,
        (None, Some(b)) => *b = 1,
        (_, None) => {}
    }
}

pub fn nonzero(i: usize, x: &[u32], out: &mut [u32]) {
    let n = NonZeroU32::new(x[i]);
    let m = n.and_then(|n| n.checked_add(1)).map_or(7, NonZeroU32::get);
    out[i] = m ^ n.map_or(3, |n| n.leading_zeros()) ^ (std::mem::size_of::<Option<NonZeroU32>>() as u32) << 20;
}

pub fn option_nonzero_memory(i: usize, x: &[u32], out: &mut [Option<NonZeroU32>]) {
    out[i] = NonZeroU32::new(x[i] & 0xf0);
}

pub fn option_bool_memory(i: usize, x: &[Option<bool>], y: &[u8], out: &mut [Option<bool>]) {
    out[i] = match (x[i], y[i]) {
        (Some(b), 0..=5) => Some(!b),
        (Some(_), _) => None,
        (None, v) => Some(v > 100),
    };
}

pub fn nested_options(i: usize, x: &[u8], out: &mut [u32]) {
    let a: Option<Option<Option<bool>>> = match x[i] {
        0 => None,
        1 => Some(None),
        2 => Some(Some(None)),
        v => Some(Some(Some(v % 2 == 0))),
    };
    out[i] = match a {
        None => 10,
        Some(None) => 20,
        Some(Some(None)) => 30,
        Some(Some(Some(true))) => 40,
        Some(Some(Some(false))) => 50,
    } + a.flatten().is_some() as u32 + std::mem::size_of_val(&a) as u32 * 100;
}

pub fn option_char(i: usize, c: &[char], out: &mut [u32]) {
    let o = if c[i].is_ascii() { Some(c[i]) } else { None };
    let p = o.filter(|c| *c > 'Z').or(Some('?')).filter(|_| c[i] != ' ');
    out[i] = p.map_or(u32::MAX, u32::from) ^ o.is_none() as u32;
}

pub fn option_methods(i: usize, x: &[Option<u32>], y: &[u32], out: &mut [u64]) {
    let a = x[i];
    let b = y.get(i + 1).copied();
    out[i] = a.unwrap_or_default() as u64
        ^ (a.or(b).map_or(1, |v| v as u64) << 3)
        ^ (a.and(b).is_some() as u64) << 40
        ^ (a.zip(b).map_or(0, |(p, q)| p as u64 * q as u64))
        ^ a.xor(b).unwrap_or_else(|| 77) as u64
        ^ a.is_some_and(|v| v > 100) as u64
        ^ a.ok_or(5u8).map_or_else(|e| e as u64, |v| v as u64 * 3)
        ^ ((a < b) as u64) << 50
        ^ ((a == Some(1)) as u64) << 51;
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    Negative(i32),
    TooBig,
    Odd { by: u8 },
}

fn halve(x: i32) -> Result<i32, Fault> {
    if x < 0 {
        return Err(Fault::Negative(x));
    }
    if x > 1000 {
        Err(Fault::TooBig)?;
    }
    if x % 2 != 0 { Err(Fault::Odd { by: (x % 4) as u8 }) } else { Ok(x / 2) }
}

fn quarter(x: i32) -> Result<u16, Fault> {
    let h = halve(x)?;
    let q = halve(h).map_err(|e| match e {
        Fault::Odd { by } => Fault::Odd { by: by + 10 },
        other => other,
    })?;
    Ok(q as u16)
}

pub fn results(i: usize, x: &[i32], out: &mut [i64]) {
    out[i] = match quarter(x[i]) {
        Ok(q) => q as i64,
        Err(Fault::Negative(n)) => n as i64 - 1,
        Err(Fault::TooBig) => 1 << 40,
        Err(Fault::Odd { by }) => -(by as i64) << 33,
    };
}

pub fn order_of_enums(i: usize, x: &[Fault], y: &[Fault], out: &mut [i8]) {
    out[i] = x[i].cmp(&y[i]) as i8 + 4 * (x[i] < y[i]) as i8 + 8 * (x[i].max(y[i]) == x[i]) as i8;
}

#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Color {
    Red = 1,
    Green = 5,
    Blue = 200,
}

#[derive(Clone, Copy)]
#[repr(i16)]
pub enum Level {
    Low = -300,
    Zero = 0,
    High = 300,
}

pub fn c_like(i: usize, c: &[Color], l: &[Level], out: &mut [i32]) {
    out[i] = c[i] as u8 as i32 * 1000 + l[i] as i32 + (c[i] as i8) as i32 * 7 + (c[i] == Color::Green) as i32;
}

pub fn make_c_like(i: usize, x: &[u8], c: &mut [Color], l: &mut [Level]) {
    c[i] = match x[i] { 0..=10 => Color::Red, 200.. => Color::Blue, _ => Color::Green };
    l[i] = if x[i] & 1 == 0 { Level::Low } else if x[i] > 127 { Level::High } else { Level::Zero };
}

pub fn wide_tags(i: usize, x: &[u64], out: &mut [u64]) {
    #[derive(Clone, Copy)]
    #[repr(u64)]
    enum Wide {
        A = 1 << 60,
        B = u64::MAX,
        C = 0,
    }
    let w = match x[i] % 3 { 0 => Wide::A, 1 => Wide::B, _ => Wide::C };
    out[i] = w as u64 ^ x[i];
}

pub fn let_else(i: usize, x: &[Option<i32>], out: &mut [i32]) {
    let Some(v) = x[i] else {
        out[i] = -1;
        return;
    };
    let (Some(w @ 1..=100) | Some(w @ -5)) = v.checked_add(1) else {
        out[i] = -2;
        return;
    };
    out[i] = w;
}

pub fn or_patterns(i: usize, x: &[(u8, i8)], out: &mut [u8]) {
    out[i] = match x[i] {
        (0 | 2 | 4, -128..=-1) => 1,
        (1 | 3, n) | (5, n @ 0..) => n as u8,
        (n, 127) => n,
        (6..=9, _) => 6,
        (a, b) if a as i8 == b => 7,
        _ => 8,
    };
}

pub fn machine(i: usize, x: &[u8], out: &mut [u32]) {
    #[derive(Clone, Copy)]
    enum State {
        Start,
        Number(u32),
        Done { total: u32, steps: u8 },
    }
    let mut s = State::Start;
    let mut n = 0u8;
    for k in 0..x.len() {
        n = n.wrapping_add(1);
        s = match (s, x[(i + k) % x.len()]) {
            (State::Start, v @ 1..=20) => State::Number(v as u32),
            (State::Number(t), v @ 0..=9) => State::Number(t.wrapping_mul(10) + v as u32),
            (State::Number(t), _) => State::Done { total: t, steps: n },
            (State::Done { total, steps }, 0) => State::Done { total: total ^ 1, steps },
            (State::Done { .. }, 255) => break,
            (s, _) => s,
        };
    }
    out[i] = match s { State::Start => 1, State::Number(v) => v, State::Done { total, steps } => total << 8 | steps as u32 };
}

pub fn slices_in_options(i: usize, x: &[u32], out: &mut [u32]) {
    let parts = [x.get(..i), x.get(i..i + 2), x.get(i..), None];
    let mut h = 0u32;
    for p in parts {
        h = h.wrapping_mul(31).wrapping_add(match p {
            Some([]) => 1,
            Some([a]) => *a,
            Some([a, .., b]) => a ^ b,
            None => 7,
        });
    }
    out[i] = h;
}

pub fn boxed_in_struct(i: usize, x: &[(Option<u8>, Option<(u16, bool)>)], out: &mut [u32]) {
    out[i] = match x[i] {
        (None, None) => 0,
        (Some(a), None) => a as u32,
        (None, Some((b, true))) => b as u32 + 1000,
        (Some(a), Some((b, f))) if f == (a as u16 > b) => 1,
        (_, Some((b, _))) => b as u32,
    };
}

pub fn swap_values(i: usize, x: &mut [Option<u32>], y: &[u32]) {
    let old = x[i].replace(y[i]);
    if let Some(v) = old {
        if v > y[i] {
            x[i] = None;
        }
    }
    if let Some(v) = x[i].as_mut() {
        *v ^= 5;
    }
    let _ = x[i].get_or_insert(9);
}

pub fn ordering_memory(i: usize, x: &[i32], y: &[i32], out: &mut [std::cmp::Ordering]) {
    out[i] = x[i].cmp(&y[i]);
}

pub enum Never {}

pub fn uninhabited(i: usize, x: &[u32], out: &mut [u32]) {
    let r: Result<u32, Never> = Ok(x[i] ^ 3);
    match r {
        Ok(v) => out[i] = v,
        Err(never) => match never {},
    }
}
