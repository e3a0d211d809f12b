//! Loops, labels, matches, closures, recursion, `?`, early return.

pub fn labels(i: usize, x: &[u32], out: &mut [u32]) {
    let found = 'search: {
        for (k, &v) in x.iter().enumerate() {
            if v == x[i] { break 'search k as u32; }
        }
        99
    };
    let mut n = 0u32;
    let r = 'outer: loop {
        n += 1;
        let mut m = 0;
        loop {
            m += 1;
            if (n * m) % 7 == x[i] % 7 { break 'outer n * 100 + m; }
            if m > 5 { continue 'outer; }
            if n > 6 { break 'outer 5; }
        }
    };
    out[i] = found ^ r << 8;
}

pub fn while_let(i: usize, x: &[u32], out: &mut [u32]) {
    let mut s = &x[..i];
    let mut h = 1u32;
    while let [head, tail @ ..] = s {
        if *head == 3 { s = &tail[tail.len().min(1)..]; continue; }
        h = h.wrapping_mul(31) ^ head;
        s = tail;
    }
    out[i] = h;
}

pub fn early(i: usize, x: &[u32], out: &mut [u32]) {
    if x[i] == 0 { return; }
    for k in 0..x[i] & 15 {
        if k == 5 { out[i] = 55; return; }
        if k > 3 && x[i] % 2 == 1 { out[i] += k; break; }
    }
    out[i] ^= 1;
}

fn parse(x: &[u8]) -> Option<(u32, &[u8])> {
    let (first, rest) = x.split_first()?;
    let d = (*first as char).to_digit(10)?;
    Some((d, rest))
}
fn number(x: &[u8]) -> Option<u32> {
    let (mut n, mut rest) = parse(x)?;
    while let Some((d, r)) = parse(rest) { n = n.checked_mul(10)?.checked_add(d)?; rest = r; }
    Some(n)
}
pub fn parsing(i: usize, x: &[u8], out: &mut [u32]) {
    let mut text = [0u8; 8];
    for (k, t) in text.iter_mut().enumerate() { *t = b'0' + x[(i + k) % 19] % 11; }
    out[i] = number(&text).unwrap_or(7) ^ number(&text[5..]).unwrap_or(8) << 3;
}

pub fn closures(i: usize, x: &[u32], out: &mut [u32]) {
    let mut total = 0u32;
    let k = x[i];
    let mut add = |v: u32| { total = total.wrapping_add(v ^ k); total };
    let a = add(1);
    let b = add(a);
    let own = move |v: u32| v.wrapping_mul(k);
    let twice = |f: &dyn_free::F, v| f.call(f.call(v));
    out[i] = total ^ b ^ own(3) ^ twice(&dyn_free::F(k), 5);
}
mod dyn_free {
    pub struct F(pub u32);
    impl F { pub fn call(&self, v: u32) -> u32 { v.rotate_left(self.0 & 31) } }
}

#[inline(never)]
fn apply<F: FnMut(u32) -> u32>(n: u32, mut f: F) -> u32 { let mut h = 0u32; for k in 0..n { h = h.rotate_left(3) ^ f(k); } h }
#[inline(never)]
fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C { move |a| g(f(a)) }
fn adder(k: u32) -> impl Fn(u32) -> u32 { move |v| v.wrapping_add(k) }
#[inline(never)]
fn square(a: u32) -> u32 { a.wrapping_mul(a) }
#[inline(never)]
fn call_once<R>(f: impl FnOnce() -> R) -> R { f() }

pub fn higher(i: usize, x: &[u32], out: &mut [u32]) {
    let mut calls = 0;
    let a = apply(x[i] & 7, |v| { calls += 1; v + x[i] });
    let b = compose(square, adder(x[i]))(i as u32);
    let c = apply(3, square);
    let d = call_once(|| x[i] ^ calls);
    out[i] = a ^ b ^ c ^ d ^ compose(|v: u32| v as f32, |f: f32| f * 0.5)(x[i] & 255) as u32;
}

// refused: MG0344
pub fn recursive(i: usize, x: &[u32], out: &mut [u32]) { out[i] = fact(x[i] & 7); }
#[inline(never)]
fn fact(n: u32) -> u32 { if n < 2 { 1 } else { n * fact(n - 1) } }

pub fn dense_match(i: usize, x: &[u8], out: &mut [u32]) {
    out[i] = match x[i] {
        0 => 10, 1 => 21, 2 => 32, 3 => 43, 4 => 54, 5 | 6 => 65, 7..=20 => 76,
        21..=100 if x[i] % 2 == 0 => 87, 21..=99 => 98, 128 => 5, 255 => 6, _ => 0,
    };
}

pub fn signed_match(i: usize, x: &[i64], out: &mut [i32]) {
    out[i] = match x[i] { i64::MIN => 1, -5..=-1 => 2, 0 => 3, 1..=9 => 4, i64::MAX => 5, v if v < 0 => 6, _ => 7 };
}

pub fn bool_tuple(i: usize, a: &[bool], b: &[bool], out: &mut [u8]) {
    out[i] = match (a[i], b[i]) { (true, false) => 1, (false, true) => 2, (true, true) => 3, (false, false) => 4 };
}

pub fn float_match(i: usize, x: &[f32], out: &mut [u8]) {
    out[i] = match x[i] { 0.0 => 1, 1.0..=2.0 => 2, f if f < 0.0 => 3, f32::INFINITY => 4, _ => 5 };
}

pub fn bits_loop(i: usize, x: &[u64], out: &mut [u32]) {
    let mut v = x[i];
    let mut n = 0;
    while v != 0 { v &= v - 1; n += 1; }
    do_until(&mut n, 70);
    out[i] = n;
}
fn do_until(n: &mut u32, limit: u32) { loop { *n += 3; if *n > limit { break; } } }

pub fn ranges(i: usize, x: &[u8], out: &mut [u32]) {
    let mut h = 0u32;
    for k in (0..x[i] as u32 & 31).rev().step_by(3) { h = h * 2 + k; }
    for k in (0..=5u8).chain(250..=255) { h ^= k as u32; }
    for c in 'a'..='e' { h = h.wrapping_add(c as u32); }
    for k in -3i32..3 { h = h.wrapping_mul(3).wrapping_add(k as u32); }
    for (a, b) in (0..4).zip((10u64..).step_by(5)) { h ^= (a as u64 * b) as u32; }
    out[i] = h ^ (3..9).contains(&x[i]) as u32 ^ (1..=x[i]).len() as u32;
}

pub fn many_exits(i: usize, x: &[i32], out: &mut [i32]) {
    let find = || -> Option<i32> {
        if x[i] < 0 { return Some(-1); }
        let Some(v) = x[i].checked_mul(3) else { return Some(-2) };
        if v > 100 { return Some(v); }
        let w = x.get(v as usize)?;
        Some(*w)
    };
    out[i] = find().unwrap_or(-3);
}

pub fn shadow_loop(i: usize, n: u32, x: &[u32], out: &mut [u32]) {
    let (mut a, mut b, mut c) = (1u32, 2u32, 3u32);
    for _ in 0..n & 15 {
        (a, b, c) = (b, c, a);
        if a > x[i] { core::mem::swap(&mut b, &mut c); }
    }
    out[i] = a + 10 * b + 100 * c;
}
