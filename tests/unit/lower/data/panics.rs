//! Panics: each thread a message, which must be Rust's own.

pub fn formats(i: usize, x: &[u32], y: &[i64], f: &[f32], c: &[char]) {
    match i {
        0 => panic!("plain"),
        1 => panic!("x is {} of {}", x[i], x.len()),
        2 => panic!("{:?} {:x} {:X} {{}}", y[i], x[i], y[i] as u8),
        3 => panic!("{} {:?} {}", f[i], f[i], f[i] as f64 * 1e10),
        4 => panic!("{} {:?} {}", c[i], c[i], x[i] > 3),
        5 => panic!("{0} {0} {1} {0}", x[i], "text"),
        6 => unreachable!("never {}", i),
        7 => todo!(),
        8 => unimplemented!("later"),
        9 => assert!(x[0] > 1_000_000_000 && x[1] == 12345),
        10 => assert_eq!(x[0] & 7, 9, "sum of {}", i),
        _ => assert_ne!(y[0] & 0, 0),
    }
}

pub fn unwraps(i: usize, x: &[u32], out: &mut [u32]) {
    let o = if i > 20 { Some(3) } else { None };
    let r: Result<u32, i32> = if i > 20 { Ok(1) } else { Err(-(i as i32)) };
    out[i % 9] = match i {
        0 => o.unwrap(),
        1 => o.expect("needed"),
        2 => r.unwrap(),
        3 => r.expect("worked"),
        4 => r.unwrap_or(7),
        5 => x[i - 5..i + 20][0],
        6 => x[x[0] as usize % 3 + 6..i - 3].len() as u32,
        7 => x[i + 5..].len() as u32,
        8 => x[..=i + 5].len() as u32,
        9 => x.split_at(i).0.len() as u32,
        10 => x.chunks(i - 10).count() as u32,
        _ => *x.get(i).unwrap(),
    };
}

pub fn arithmetic(i: usize, x: &[i32], out: &mut [i32]) {
    let z = out.len() as i32 - 9;
    out[i % 9] = match i {
        0 => x[0] / z,
        1 => x[0] % z,
        2 => (i32::MIN + z) / (z - 1),
        3 => (i32::MIN + z) % (z - 1),
        4 => (7u32 / z as u32) as i32,
        5 => x[0].rem_euclid(z),
        6 => x[0].div_euclid(z),
        7 => (z as u32).ilog2() as i32,
        8 => { let mut a = [1, 2, 3]; a[..2].copy_from_slice(&x[..i - 5]); a[0] }
        9 => { let mut a = [1, 2, 3]; a.swap(i - 9, i); a[0] }
        10 => deep(x, i),
        _ => x[0],
    };
}

#[inline(never)]
fn deep(x: &[i32], i: usize) -> i32 {
    let k = shift(i);
    x[k]
}

#[inline(never)]
#[track_caller]
fn shift(i: usize) -> usize {
    if i == 9 { panic!("nine") }
    i + 3
}
