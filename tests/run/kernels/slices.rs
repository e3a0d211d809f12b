//! Slices and iterators.

pub fn splits(i: usize, x: &[u32], out: &mut [u32]) {
    let (a, b) = x.split_at(i / 2);
    let (first, rest) = x.split_first().unwrap();
    let (last, front) = x.split_last().unwrap();
    out[i] = a.len() as u32 ^ b[0] ^ first ^ rest[i % 18] ^ last ^ front[0] ^ x.first().copied().unwrap_or(0) ^ x.last().map_or(0, |v| *v);
}

pub fn chunks(i: usize, x: &[u32], out: &mut [u32]) {
    let mut h = 0u32;
    for (k, c) in x.chunks(i % 5 + 1).enumerate() { h = h.rotate_left(3) ^ c[0] ^ (c.len() * k) as u32; }
    for c in x.chunks_exact(4) { h = h.wrapping_add(c[3]); }
    for w in x.windows(3) { h ^= w[0].wrapping_mul(w[2]); }
    for c in x.rchunks(4) { h = h.wrapping_mul(3) ^ c[c.len() - 1]; }
    h ^= x.chunks_exact(4).remainder().len() as u32;
    out[i] = h;
}

// open: library code without a body
pub fn adapters(i: usize, x: &[u32], y: &[u32], out: &mut [u32]) {
    let a: u32 = x.iter().rev().enumerate().map(|(k, v)| v.wrapping_mul(k as u32)).fold(0, u32::wrapping_add);
    let b = x.iter().zip(y.iter().rev()).filter(|(p, q)| p > q).count() as u32;
    let c = x.iter().step_by(3).skip(1).take(4).fold(1u32, |h, v| h.wrapping_mul(31) ^ v);
    let d = x.iter().zip(y).map(|(p, q)| p ^ q).max().unwrap();
    let e = x.iter().skip_while(|v| **v < 5).take_while(|v| **v != 0).count() as u32;
    let f = x.iter().chain(y).position(|v| *v == y[i]).unwrap() as u32;
    let g = x.iter().any(|v| *v == y[i]) as u32 + 2 * x.iter().all(|v| *v < y[i]) as u32;
    let h = x.iter().copied().filter_map(|v| v.checked_sub(5)).min().unwrap_or(9);
    let k = x.iter().map(|v| v & 3).flat_map(|n| 0..n).fold(0u32, |a, b| a * 2 + b);
    let l = *x.iter().max_by_key(|v| **v % 17).unwrap() ^ *x.iter().min_by_key(|v| **v % 17).unwrap();
    let m = x.iter().rposition(|v| *v > 100).map_or(77, |p| p as u32);
    let n = x.iter().nth(i % 25).copied().unwrap_or(1) ^ x.iter().last().unwrap();
    out[i] = a ^ b ^ c ^ d ^ e ^ f ^ g ^ h ^ k ^ l ^ m ^ n;
}

// open: library code without a body
pub fn inspect_scan(i: usize, x: &[u32], out: &mut [u32]) {
    let mut seen = 0u32;
    let s: u32 = x[..i % 19].iter().inspect(|v| seen ^= **v).scan(0u32, |s, v| { *s = s.wrapping_add(*v); if *s % 7 == 6 { None } else { Some(*s) } }).fold(0, |a, b| a ^ b);
    let mut it = x.iter().cycle().skip(i);
    let t = it.next().unwrap() ^ it.by_ref().take(30).fold(0, |a, b| a ^ b);
    let (lo, hi) = x.iter().map(|v| *v as u64).fold((u64::MAX, 0), |(l, h), v| (l.min(v), h.max(v)));
    out[i] = s ^ seen ^ t ^ lo as u32 ^ hi as u32;
}

pub fn mutating(i: usize, x: &[u32], out: &mut [[u32; 6]]) {
    let row = &mut out[i];
    row.fill(x[i]);
    row[..3].copy_from_slice(&x[..3]);
    row.swap(0, 5);
    row.reverse();
    for (a, b) in row.iter_mut().zip(x.iter().skip(2)) { *a ^= *b; }
    let (p, q) = row.split_at_mut(3);
    p[0] = p[0].wrapping_add(q[2]);
    q[..2].copy_from_slice(&p[1..]);
    if let Some(v) = row.get_mut(i) { *v = 1; }
    if let Some(v) = row.last_mut() { *v ^= 3; }
    if let [a, .., b] = row { std::mem::swap(a, b); }
    for c in row.chunks_mut(4) { c[0] = !c[0]; }
    row.copy_within(0..2, 4);
}

pub fn patterns(i: usize, x: &[u8], out: &mut [u32]) {
    out[i] = match &x[i % 19..(i % 19 + i % 4).min(19)] {
        [] => 1,
        [a] => *a as u32,
        [0, b] => *b as u32 * 3,
        [a @ 1..=9, b] if a < b => (*a + b) as u32,
        [first, .., last] => *first as u32 * 1000 + *last as u32,
    };
}

pub fn sorting(i: usize, x: &[u32], out: &mut [[u32; 5]]) {
    let mut a = [x[i], x[0], x[1], x[2], x[3]];
    for p in 1..a.len() {
        let mut q = p;
        while q > 0 && a[q - 1] > a[q] { a.swap(q - 1, q); q -= 1; }
    }
    out[i] = a;
}

// open: guards of the library are not dropped
pub fn std_sort(i: usize, x: &[u32], out: &mut [[u32; 5]]) {
    let mut a = [x[i], x[0], x[1], x[2], x[3]];
    a.sort_unstable();
    out[i] = a;
}

// open: library closures without a body
pub fn searching(i: usize, x: &[u32], out: &mut [i64]) {
    let a = [1u32, 3, 5, 9, 100, 5000];
    let b = match a.binary_search(&x[i]) { Ok(p) => p as i64, Err(p) => -(p as i64) - 1 };
    out[i] = b * 100 + a.partition_point(|v| *v < x[i]) as i64 + a.contains(&x[i]) as i64 * 10 + a.starts_with(&[1, 3]) as i64 + a.ends_with(&x[..1]) as i64;
}

// open: library closures without a body
pub fn compare_slices(i: usize, x: &[u32], y: &[u32], out: &mut [u32]) {
    let a = &x[..i % 5];
    let b = &y[..i % 4];
    out[i] = (a == b) as u32 | ((a < b) as u32) << 1 | ((x[..2] == y[..2]) as u32) << 2 | ((a.cmp(b) as i32 + 1) as u32) << 3
        | (x.iter().eq(y.iter()) as u32) << 6 | (x.iter().lt(y.iter()) as u32) << 7 | (a.is_empty() as u32) << 8 | (x.is_sorted() as u32) << 9;
}

pub fn nested_slices(i: usize, x: &[[[u8; 3]; 2]], out: &mut [[u8; 3]]) {
    for row in x[i].iter() { for (o, v) in out[i].iter_mut().zip(row) { *o = o.wrapping_add(*v); } }
    out[i][i % 3] = x[i][1][2];
}

// open: copies by u128
pub fn array_values(i: usize, x: &[u32], out: &mut [u32]) {
    let mut h = 0u32;
    for v in [x[i], 3, i as u32] { h = h.wrapping_mul(31) ^ v; }
    for (k, v) in [1.5f32, 2.5].into_iter().enumerate() { h ^= v.to_bits() >> k; }
    let a: [u32; 4] = std::array::from_fn(|k| x[k] ^ h);
    let b = a.map(|v| v as u8);
    let c: [u8; 2] = b[1..3].try_into().unwrap();
    let d = <[u32; 3]>::try_from(&x[1..4]).unwrap();
    out[i] = h ^ u16::from_le_bytes(c) as u32 ^ d[2] ^ a.iter().sum::<u32>().count_ones() ^ (a == [h; 4]) as u32;
}

pub fn empty(i: usize, x: &[u32], out: &mut [u32]) {
    let e: &[u32] = &x[..0];
    let z: [u32; 0] = [];
    out[i] = e.len() as u32 + e.iter().sum::<u32>() + e.first().is_none() as u32 + z.len() as u32 + e.iter().max().map_or(4, |v| *v) + x.chunks(100).count() as u32;
}

pub fn zero_sized(i: usize, x: &[u32], out: &mut [usize]) {
    let u = [(); 7];
    let e: [[u32; 0]; 5] = [[]; 5];
    out[i] = u.len() + u.iter().count() + e.iter().map(|r| r.len() + 1).sum::<usize>() + x.iter().map(|_| ()).count();
}

pub fn bool_slices(i: usize, b: &[bool], c: &[char], out: &mut [bool]) {
    out[i] = b.iter().filter(|v| **v).count() % 2 == 0 && b[i] != b[b.len() - 1 - i] || c[i] == c[0];
}

pub fn structs(i: usize, p: &[(u8, [u16; 2])], out: &mut [(u8, [u16; 2])]) {
    let best = p.iter().max_by(|a, b| a.1[0].cmp(&b.1[0])).unwrap();
    let sum = p.iter().map(|q| q.1[1] as u32).sum::<u32>();
    out[i] = (best.0 ^ sum as u8, [best.1[1], p[i].1[0]]);
}

pub fn rotations(i: usize, x: &[u32], out: &mut [u32]) {
    let n = x.len();
    let mut h = 0;
    for k in 0..n { h = u32::wrapping_add(h, x[(i + n - k) % n] >> (k & 7)); }
    out[i] = h;
}

pub fn prefix(i: usize, x: &[u32], out: &mut [[u32; 8]]) {
    let mut s = [0u32; 8];
    for k in 0..8 { s[k] = x[k]; if k > 0 { s[k] = s[k].wrapping_add(s[k - 1]); } }
    out[i] = s;
}
