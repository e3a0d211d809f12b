//! Panics of every kind: message, line and column are Rust's.

// open: the column of a panic! with constant operands
pub fn explicit(i: usize, x: &[u32], f: &[f32], c: &[char], b: &[bool], out: &mut [u32]) {
    match i {
        0 => panic!("plain"),
        1 => panic!("x is {}", x[1]),
        2 => panic!("{} and {:?} and {:x} and {:X}", x[2], x[3], x[4], x[5]),
        3 => panic!("float {} {:?}", f[3], f[4]),
        4 => panic!("char {} {:?} bool {}", c[4], c[5], b[4]),
        5 => unreachable!(),
        6 => unreachable!("state {}", x[6]),
        7 => unimplemented!(),
        8 => todo!(),
        9 => assert!(x[i] == 123_456),
        10 => assert!(x[i] == 123_456, "x was {}", x[i]),
        11 => assert_eq!(x[i], 123_456),
        12 => assert_eq!(x[i], 123_456, "at {i}"),
        13 => assert_ne!(x[i] & 0, 0),
        14 => {
            panic!(
                "over lines {} {}",
                i,
                x[0],
            )
        }
        15 => panic!("captured {i} {0}", x[2]),
        16 => panic!("{{braces}} {}%", 3),
        17 => { let y = x[1]; panic!("{y} {y:?} {y:#x} {y:08b}") }
        18 => panic!("i64 {} i8 {} u64 {}", x[0] as i64 - 5, x[1] as i8, u64::MAX),
        _ => {}
    }
    out[i] = 1;
}

pub fn indexing(i: usize, x: &[u32], out: &mut [u32]) {
    let a = [1u32, 2, 3];
    let n = x.len();
    out[i % 19] = match i {
        0 => x[n],
        1 => a[i + 5],
        2 => x[3..n + 1][0],
        3 => x[n..3].len() as u32,
        4 => x[..n + 4].len() as u32,
        5 => x[n + 1..].len() as u32,
        6 => x[2..=n].len() as u32,
        7 => x[i..=usize::MAX].len() as u32,
        8 => {
            let (p, _) = x.split_at(n + 1);
            p[0]
        }
        9 => x.chunks(i - 9).len() as u32,
        10 => x.windows(i - 10).len() as u32,
        11 => x.iter().step_by(i - 11).count() as u32,
        12 => *x.get(n).unwrap(),
        13 => *x.first().filter(|v| **v == 98765).expect("no first"),
        14 => x[x[0] as usize + n],
        15 => a[x.len()],
        16 => x[i..][..n][0],
        17 => x.chunks_exact(i - 17).len() as u32,
        18 => (&x[2..5])[i],
        _ => 3,
    };
}

pub fn unwrapping(i: usize, x: &[u32], out: &mut [u32]) {
    let none: Option<u32> = if i < 24 { None } else { Some(1) };
    let bad: Result<u32, u8> = if i < 24 { Err(i as u8) } else { Ok(1) };
    let good: Result<u32, i32> = if i < 24 { Ok(x[i % 19]) } else { Err(1) };
    out[i % 19] = match i {
        0 => none.unwrap(),
        1 => none.expect("a number"),
        2 => bad.unwrap(),
        3 => bad.expect("needed"),
        4 => good.unwrap_err() as u32,
        5 => good.expect_err("fine") as u32,
        6 => Err::<u32, char>('x').unwrap(),
        7 => Err::<u32, bool>(true).unwrap(),
        8 => Err::<u32, f32>(1.5).unwrap(),
        _ => 3,
    };
}

pub fn dividing(i: usize, x: &[i32], y: &[u8], out: &mut [i32]) {
    let z = x.len() as i32 - 19;
    let m = i32::MIN + z;
    out[i % 19] = match i {
        0 => x[0] / z,
        1 => x[0] % z,
        2 => m / (z - 1),
        3 => m % (z - 1),
        4 => (y[0] / z as u8) as i32,
        5 => (y[0] % z as u8) as i32,
        6 => x[0].rem_euclid(z),
        7 => x[0].div_euclid(z),
        8 => m.div_euclid(z - 1),
        9 => (z as u32).ilog2() as i32,
        10 => 7u32.div_ceil(z as u32) as i32,
        11 => x[0].wrapping_div(z),
        12 => { let mut q = x[1]; q /= z; q }
        13 => { let mut q = x[1]; q %= z; q }
        14 => (x[0] as i64 / z as i64) as i32,
        15 => 5u32.next_multiple_of(z as u32) as i32,
        _ => 1,
    };
}

// open: rotate_right is library code without a body
pub fn slice_methods(i: usize, x: &[u32], out: &mut [u32]) {
    let mut a = [1u32, 2, 3, 4, 5];
    let n = x.len();
    match i {
        0 => a[..2].copy_from_slice(&x[..3]),
        1 => a.swap(0, n),
        2 => a.copy_within(0..n, 1),
        3 => { let (p, q) = a.split_at_mut(n); p[0] = q[0] }
        4 => a.rotate_right(n),
        5 => a[1..n].fill(3),
        6 => { a.clone_from_slice(&x[..4]); }
        _ => {}
    }
    out[i] = a.iter().sum();
}

#[inline(never)]
fn inner(x: &[u32], i: usize) -> u32 {
    let k = i + 1;
    x[k]
}

#[track_caller]
#[inline(never)]
fn tracked(x: &[u32], i: usize) -> u32 {
    if i % 2 == 0 {
        panic!("even {i}");
    }
    *x.get(i + 15).unwrap()
}

#[track_caller]
fn tracked_twice(x: &[u32], i: usize) -> u32 { tracked(x, i) }

pub fn in_functions(i: usize, x: &[u32], out: &mut [u32]) {
    out[i % 19] = if i < 5 {
        tracked(x, i)
    } else if i < 10 {
        tracked_twice(x, i)
    } else if i < 19 {
        inner(x, i)
    } else {
        let f = |k: usize| x[k + i];
        f(1)
    };
}

pub fn after_writes(i: usize, x: &[u32], out: &mut [u32]) {
    out[i] = 7;
    let v = x[i + 3];
    out[i] = v;
}

pub fn in_loops(i: usize, x: &[u32], out: &mut [u32]) {
    let mut k = i;
    while k < 40 {
        out[i] ^= x[k];
        k += 7;
    }
}

// open: str operands are not shown
pub fn strings(i: usize, x: &[u32], out: &mut [u32]) {
    let names = ["zero", "one", "two"];
    let s = names[i % 3];
    match i {
        0 => panic!("{}", "literal"),
        1 => panic!("{s}"),
        2 => panic!("{:?}", "quo\"ted"),
        3 => panic!("tabs\tand\nlines and é {}", x[0]),
        4 => None.expect("über"),
        _ => out[i] = 1,
    }
}

// open: Debug of aggregates is not shown
pub fn debug_values(i: usize, x: &[u32], out: &mut [u32]) {
    let o = if i > 30 { None } else { Some(x[i % 19]) };
    match i {
        0 => panic!("{:?}", o),
        1 => assert_eq!(o, None),
        2 => panic!("{:?}", (1, x[1])),
        3 => assert_eq!((x[3], 1), (0, 0)),
        _ => out[i] = 1,
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind { A, B(u32) }

// open: Debug of own types is not shown
pub fn debug_own(i: usize, x: &[u32], out: &mut [u32]) {
    let k = if x[i] > 3 { Kind::A } else { Kind::B(x[i]) };
    if i == 1 {
        panic!("{:?}", k);
    }
    out[i] = (k == Kind::A) as u32;
}

pub fn unused_debug(i: usize, x: &[f32], out: &mut [f32]) {
    debug_assert!(x[i] >= 0.0 || x[i] < 1e30, "never in release");
    out[i] = x[i];
}
