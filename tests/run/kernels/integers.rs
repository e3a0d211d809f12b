//! Integers of every width and sign: operators, methods, casts.
//!
//! What is the same for every type is in macros; kernels themselves are not, so that a panic's
//! place is the kernel's own line.

macro_rules! each {
    ($($t:ident)*) => { $(
        mod $t {
            pub fn ops(a: $t, b: $t, s: u8) -> [$t; 14] {
                let n = s as u32 % <$t>::BITS;
                [
                    a.wrapping_add(b), a.wrapping_sub(b), a.wrapping_mul(b), a & b, a | b, a ^ b,
                    !a, a << n, a >> n, a << (s as i8 & 7), a >> (s & 7) as u64,
                    a.wrapping_shl(s as u32), a.wrapping_shr(s as u32), a.wrapping_neg(),
                ]
            }
            pub fn methods(a: $t, b: $t) -> ([$t; 16], [u32; 10]) {
                let (m, o) = a.overflowing_mul(b);
                let (p, q) = a.overflowing_add(b);
                let (d, e) = a.overflowing_sub(b);
                let values = [
                    a.saturating_add(b), a.saturating_sub(b), a.saturating_mul(b), m, p, d,
                    a.checked_add(b).unwrap_or(1), a.checked_sub(b).unwrap_or(2),
                    a.checked_mul(b).unwrap_or(3), a.checked_div(b).unwrap_or(4),
                    a.checked_rem(b).unwrap_or(5), a.checked_neg().unwrap_or(6),
                    a.max(b), a.min(b), a.wrapping_pow(3),
                    a.swap_bytes().rotate_left(b as u32 & 255),
                ];
                let bits = [
                    a.leading_zeros(), a.trailing_zeros(), a.count_ones(), a.leading_ones(),
                    a.trailing_ones(), o as u32 | (q as u32) << 1 | (e as u32) << 2,
                    a.checked_shl(b as u32).map_or(9, |v| v.count_ones()),
                    a.checked_pow(2).map_or(77, |v| v.count_zeros()),
                    a.reverse_bits().leading_zeros(),
                    (a.cmp(&b) as i8 + 1) as u32 | ((a < b) as u32) << 3 | ((a >= b) as u32) << 4,
                ];
                (values, bits)
            }
            pub fn casts(a: $t) -> super::Casts {
                super::Casts(
                    a as u8, a as u16, a as u32, a as u64, a as usize, a as i8, a as i16,
                    a as i32, a as i64, a as isize, a as f32, a as f64,
                )
            }
        }
    )* }
}
each!(u8 u16 u32 u64 usize i8 i16 i32 i64 isize);

#[allow(dead_code)]
#[derive(Clone, Copy)]
pub struct Casts(u8, u16, u32, u64, usize, i8, i16, i32, i64, isize, f32, f64);

pub fn ops_u8(i: usize, x: &[u8], y: &[u8], s: &[u8], out: &mut [[u8; 14]]) {
    out[i] = u8::ops(x[i], y[i], s[i]);
}

pub fn methods_u8(i: usize, x: &[u8], y: &[u8], out: &mut [[u8; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = u8::methods(x[i], y[i]);
}

pub fn casts_u8(i: usize, x: &[u8], out: &mut [Casts]) {
    out[i] = u8::casts(x[i]);
}

pub fn divide_u8(i: usize, x: &[u8], y: &[u8], out: &mut [[u8; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_u16(i: usize, x: &[u16], y: &[u16], s: &[u8], out: &mut [[u16; 14]]) {
    out[i] = u16::ops(x[i], y[i], s[i]);
}

pub fn methods_u16(i: usize, x: &[u16], y: &[u16], out: &mut [[u16; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = u16::methods(x[i], y[i]);
}

pub fn casts_u16(i: usize, x: &[u16], out: &mut [Casts]) {
    out[i] = u16::casts(x[i]);
}

pub fn divide_u16(i: usize, x: &[u16], y: &[u16], out: &mut [[u16; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_u32(i: usize, x: &[u32], y: &[u32], s: &[u8], out: &mut [[u32; 14]]) {
    out[i] = u32::ops(x[i], y[i], s[i]);
}

pub fn methods_u32(i: usize, x: &[u32], y: &[u32], out: &mut [[u32; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = u32::methods(x[i], y[i]);
}

pub fn casts_u32(i: usize, x: &[u32], out: &mut [Casts]) {
    out[i] = u32::casts(x[i]);
}

pub fn divide_u32(i: usize, x: &[u32], y: &[u32], out: &mut [[u32; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_u64(i: usize, x: &[u64], y: &[u64], s: &[u8], out: &mut [[u64; 14]]) {
    out[i] = u64::ops(x[i], y[i], s[i]);
}

pub fn methods_u64(i: usize, x: &[u64], y: &[u64], out: &mut [[u64; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = u64::methods(x[i], y[i]);
}

pub fn casts_u64(i: usize, x: &[u64], out: &mut [Casts]) {
    out[i] = u64::casts(x[i]);
}

pub fn divide_u64(i: usize, x: &[u64], y: &[u64], out: &mut [[u64; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_usize(i: usize, x: &[usize], y: &[usize], s: &[u8], out: &mut [[usize; 14]]) {
    out[i] = usize::ops(x[i], y[i], s[i]);
}

pub fn methods_usize(i: usize, x: &[usize], y: &[usize], out: &mut [[usize; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = usize::methods(x[i], y[i]);
}

pub fn casts_usize(i: usize, x: &[usize], out: &mut [Casts]) {
    out[i] = usize::casts(x[i]);
}

pub fn divide_usize(i: usize, x: &[usize], y: &[usize], out: &mut [[usize; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_i8(i: usize, x: &[i8], y: &[i8], s: &[u8], out: &mut [[i8; 14]]) {
    out[i] = i8::ops(x[i], y[i], s[i]);
}

pub fn methods_i8(i: usize, x: &[i8], y: &[i8], out: &mut [[i8; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = i8::methods(x[i], y[i]);
}

pub fn casts_i8(i: usize, x: &[i8], out: &mut [Casts]) {
    out[i] = i8::casts(x[i]);
}

pub fn divide_i8(i: usize, x: &[i8], y: &[i8], out: &mut [[i8; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_i16(i: usize, x: &[i16], y: &[i16], s: &[u8], out: &mut [[i16; 14]]) {
    out[i] = i16::ops(x[i], y[i], s[i]);
}

pub fn methods_i16(i: usize, x: &[i16], y: &[i16], out: &mut [[i16; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = i16::methods(x[i], y[i]);
}

pub fn casts_i16(i: usize, x: &[i16], out: &mut [Casts]) {
    out[i] = i16::casts(x[i]);
}

pub fn divide_i16(i: usize, x: &[i16], y: &[i16], out: &mut [[i16; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_i32(i: usize, x: &[i32], y: &[i32], s: &[u8], out: &mut [[i32; 14]]) {
    out[i] = i32::ops(x[i], y[i], s[i]);
}

pub fn methods_i32(i: usize, x: &[i32], y: &[i32], out: &mut [[i32; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = i32::methods(x[i], y[i]);
}

pub fn casts_i32(i: usize, x: &[i32], out: &mut [Casts]) {
    out[i] = i32::casts(x[i]);
}

pub fn divide_i32(i: usize, x: &[i32], y: &[i32], out: &mut [[i32; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_i64(i: usize, x: &[i64], y: &[i64], s: &[u8], out: &mut [[i64; 14]]) {
    out[i] = i64::ops(x[i], y[i], s[i]);
}

pub fn methods_i64(i: usize, x: &[i64], y: &[i64], out: &mut [[i64; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = i64::methods(x[i], y[i]);
}

pub fn casts_i64(i: usize, x: &[i64], out: &mut [Casts]) {
    out[i] = i64::casts(x[i]);
}

pub fn divide_i64(i: usize, x: &[i64], y: &[i64], out: &mut [[i64; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn ops_isize(i: usize, x: &[isize], y: &[isize], s: &[u8], out: &mut [[isize; 14]]) {
    out[i] = isize::ops(x[i], y[i], s[i]);
}

pub fn methods_isize(i: usize, x: &[isize], y: &[isize], out: &mut [[isize; 16]], bits: &mut [[u32; 10]]) {
    (out[i], bits[i]) = isize::methods(x[i], y[i]);
}

pub fn casts_isize(i: usize, x: &[isize], out: &mut [Casts]) {
    out[i] = isize::casts(x[i]);
}

pub fn divide_isize(i: usize, x: &[isize], y: &[isize], out: &mut [[isize; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [a / b, a % b, a.div_euclid(b | 1), a.rem_euclid(b | 1)];
}

pub fn unsigned_only(i: usize, x: &[u32], y: &[u32], b: &[u8], out: &mut [u64]) {
    let (a, c) = (x[i], y[i]);
    out[i] = (a.abs_diff(c) as u64)
        ^ (a.is_power_of_two() as u64) << 33
        ^ (a.checked_next_power_of_two().unwrap_or(7) as u64) << 8
        ^ (a.isqrt() as u64) << 40
        ^ (b[i].isqrt() as u64) << 50
        ^ (a.div_ceil(c | 1) as u64) << 3
        ^ a.checked_next_multiple_of(c).unwrap_or(5) as u64
        ^ (a.checked_ilog2().unwrap_or(99) as u64) << 57
        ^ (a.checked_ilog10().unwrap_or(99) as u64) << 20
        ^ a.midpoint(c) as u64;
}

pub fn signed_only(i: usize, x: &[i32], y: &[i32], z: &[i64], out: &mut [i64]) {
    let (a, c) = (x[i], y[i]);
    out[i] = a.wrapping_abs() as i64
        ^ (a.unsigned_abs() as i64) << 4
        ^ (a.abs_diff(c) as i64) << 8
        ^ (a.signum() as i64) << 40
        ^ (a.is_negative() as i64) << 44
        ^ a.checked_abs().map_or(11, i64::from)
        ^ a.saturating_neg() as i64
        ^ a.saturating_abs() as i64
        ^ a.overflowing_neg().1 as i64
        ^ a.checked_isqrt().map_or(-1, |v| v as i64) << 20
        ^ z[i].wrapping_abs()
        ^ a.wrapping_div(c | 1) as i64
        ^ z[i].unsigned_abs().leading_zeros() as i64
        ^ a.checked_add_unsigned(c as u32).map_or(3, i64::from);
}

pub fn mixed_sign(i: usize, x: &[u8], y: &[i8], out: &mut [[u8; 4]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [
        a.wrapping_add_signed(b),
        a.saturating_add_signed(b),
        a.checked_add_signed(b).unwrap_or(9),
        a.wrapping_sub(b as u8),
    ];
}

pub fn wide_multiply(i: usize, x: &[u32], y: &[u32], out: &mut [u64]) {
    let wide = x[i] as u64 * y[i] as u64;
    out[i] = (wide >> 32) ^ wide.rotate_left(7) ^ (x[i] as i32 as i64 * y[i] as i32 as i64) as u64;
}

pub fn powers(i: usize, x: &[u64], n: &[u8], out: &mut [u64]) {
    let e = n[i] as u32 % 70;
    out[i] = x[i].wrapping_pow(e) ^ 3u64.saturating_pow(e) ^ (x[i] as i8).wrapping_pow(e) as u64
        ^ (x[i] as u32 & 7).checked_pow(e).map_or(1, u64::from) ^ (2i16).overflowing_pow(e).0 as u64;
}

pub fn parity_hash(i: usize, x: &[u64], out: &mut [u32]) {
    let mut v = x[i];
    v ^= v >> 33;
    v = v.wrapping_mul(0xff51_afd7_ed55_8ccd);
    v ^= v >> 33;
    v = v.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    v ^= v >> 33;
    out[i] = (v >> 32) as u32 ^ v as u32;
}

pub fn index_types(i: usize, x: &[u8], out: &mut [u32]) {
    let mut table = [0u32; 256];
    for k in 0..=255u8 {
        table[k as usize] = (k as u32).wrapping_mul(0x01000193);
    }
    let at = x[i];
    let j = (at as i8) as i32;
    out[i] = table[at as usize] ^ table[(j + 128) as usize] ^ table[at.wrapping_add(1) as usize];
}

pub fn try_from(i: usize, x: &[i64], out: &mut [u64]) {
    let a = x[i];
    let mut r = 0u64;
    r ^= u8::try_from(a).map_or(1, u64::from);
    r ^= i16::try_from(a).map_or(2, |v| v as u64) << 8;
    r ^= u32::try_from(a).map_or(3, u64::from) << 16;
    r ^= usize::try_from(a).map_or(4, |v| v as u64) << 20;
    r ^= char::try_from(a as u32).map_or(5, |c| c as u64) << 30;
    r ^= if let Ok(v) = i8::try_from(a as u8) { v as u64 } else { 6 };
    out[i] = r;
}

pub fn float_to_ints(i: usize, x: &[f32], y: &[f64], out: &mut [[i64; 20]]) {
    let (a, b) = (x[i], y[i]);
    out[i] = [
        a as u8 as i64, a as u16 as i64, a as u32 as i64, a as u64 as i64, a as usize as i64,
        a as i8 as i64, a as i16 as i64, a as i32 as i64, a as i64, a as isize as i64,
        b as u8 as i64, b as u16 as i64, b as u32 as i64, b as u64 as i64, b as usize as i64,
        b as i8 as i64, b as i16 as i64, b as i32 as i64, b as i64, b as isize as i64,
    ];
}

pub fn bool_char_casts(i: usize, b: &[bool], c: &[char], x: &[u8], out: &mut [u64]) {
    out[i] = b[i] as u64 | (b[i] as u8 as u64) << 8 | (c[i] as u64) << 16 | (c[i] as u8 as u64) << 40
        | (x[i] as char as u64) << 48 | ((b[i] as i8 as i64 as u64) & 1) << 60;
}

pub fn bytes(i: usize, x: &[u64], y: &[i16], out: &mut [u64]) {
    let le = x[i].to_le_bytes();
    let be = y[i].to_be_bytes();
    out[i] = u64::from_be_bytes(le) ^ u16::from_le_bytes(be) as u64 ^ (le[3] as u64) << 9
        ^ i32::from_ne_bytes([be[0], be[1], le[0], le[7]]) as u64;
}

pub fn ordering(i: usize, x: &[i32], y: &[i32], z: &[u8], out: &mut [i32]) {
    use std::cmp::Ordering::*;
    let o = x[i].cmp(&y[i]).then(z[i].cmp(&3)).reverse();
    let p = (x[i], z[i]).cmp(&(y[i], 7));
    out[i] = match (o, p) {
        (Less, Less) => 1,
        (Less, _) => 2,
        (Equal, Greater) => 3,
        (Equal, o) if o.is_le() => 4,
        (Greater, Equal) => 5,
        (_, o) => 6 + o as i32,
    } + 10 * o.is_ne() as i32
        + x[i].clamp(-5, 5)
        + std::cmp::max(z[i], 4) as i32
        + std::cmp::min_by_key(x[i] & 15, y[i] & 15, |v| 7 ^ v);
}
