//! Names that MIR, PTX, C and Python use for something else.
//! kernels: deeper::kernel,deeper::tid,other::kernel

pub fn returned(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i] + nopped(x[i] & 3); }
#[inline(never)]
fn nopped(a: u32) -> u32 { resume(a) + goto(a) + drop(a) + assert(a, 1) + unreachable(a) + nop(a) }
#[inline(never)]
fn resume(a: u32) -> u32 { a ^ 1 }
#[inline(never)]
fn goto(a: u32) -> u32 { a ^ 2 }
#[inline(never)]
fn drop(a: u32) -> u32 { a ^ 3 }
#[inline(never)]
fn assert(a: u32, b: u32) -> u32 { a ^ b ^ 4 }
#[inline(never)]
fn unreachable(a: u32) -> u32 { a ^ 5 }
#[inline(never)]
fn nop(a: u32) -> u32 { a ^ 6 }

pub fn add(i: usize, tid: &[u32], ret: &[u32], ntid: u32, out: &mut [u32]) {
    let r1 = tid[i];
    let p1 = r1 > ret[i];
    let rd1 = if p1 { r1 } else { ntid };
    let ctaid = rd1.wrapping_mul(3);
    let laneid = ctaid ^ 1;
    out[i] = laneid;
}

pub fn bar(i: usize, x: &[u32], out: &mut [u32]) { let bra = x[i]; let call = bra + 1; out[i] = call; }
pub fn ld(i: usize, st: &[f32], out: &mut [f32]) { let mov = st[i]; let cvt = mov * mov; out[i] = cvt; }
pub fn int(i: usize, double: &[i32], out: &mut [i32]) { let float = double[i]; out[i] = float; }
pub fn main(i: usize, restrict: &[i32], out: &mut [i32]) { out[i] = restrict[i].wrapping_neg(); }
pub fn def(i: usize, lambda: &[i32], class: &mut [i32]) { let None_ = lambda[i]; let self_ = None_; class[i] = self_; }
pub fn global(i: usize, shared: &[u8], out: &mut [u8]) { let param = shared[i]; let local = param ^ 1; out[i] = local; }
pub fn r#match(i: usize, r#type: &[u32], r#fn: &mut [u32]) { let r#loop = r#type[i]; r#fn[i] = r#loop + 1; }
pub fn grüße(i: usize, größe: &[f32], ergebnis: &mut [f32]) { let wert = größe[i]; let ñandú = wert * 2.0; ergebnis[i] = ñandú; }
pub fn 数(i: usize, 値: &[u32], out: &mut [u32]) { let 結果 = 値[0] ^ 1;
    out[i] = 結果; }
pub fn a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name_a_very_long_name(i: usize, x: &[u32], out: &mut [u32]) {
    out[i] = x[i];
}
pub fn _underscore(i: usize, _x: &[u32], _: u32, out: &mut [u32]) { out[i] = 3; }
pub fn bb0(i: usize, _1: &[u32], _2: u32, out: &mut [u32]) { let bb1 = _1[i]; let _0 = bb1 ^ _2; out[i] = _0; }
pub fn shadowed(i: usize, x: &[u32], out: &mut [u32]) { let x = x[i]; let x = x ^ 1; { let x = x + 1; out[i] = x; } out[i] ^= x; }
pub fn pattern_params(i: usize, (a, b): (u32, u8), [c, ..]: [u16; 3], out: &mut [u32]) { out[i] = a ^ b as u32 ^ c as u32; }
pub fn mutable_params(i: usize, mut a: u32, mut x: &[u32], out: &mut [u32]) {
    a ^= 3;
    x = &x[1..];
    out[i] = x[i] ^ a;
}

pub mod deeper {
    pub fn kernel(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i] ^ super::helper::mix(x[i]); }
    pub fn tid(i: usize, x: &[u32], out: &mut [u32]) { out[i] = x[i] ^ self::inner::mix(x[i]); }
    mod inner {
        #[inline(never)]
        pub fn mix(a: u32) -> u32 { a.rotate_left(7) }
    }
}
pub mod other {
    pub fn kernel(i: usize, x: &[u32], out: &mut [u32]) { out[i] = !x[i]; }
}
mod helper {
    #[inline(never)]
    pub fn mix(a: u32) -> u32 { a.rotate_left(9) }
    pub struct S(pub u32);
    impl S {
        #[inline(never)]
        pub fn get(&self) -> u32 { self.0 }
    }
}
mod twin {
    pub struct S(pub u32);
    impl S {
        #[inline(never)]
        pub fn get(&self) -> u32 { self.0 + 1000 }
    }
}
pub fn twins(i: usize, x: &[u32], out: &mut [u32]) {
    out[i] = helper::S(x[i] & 0xffff).get() * 3 + twin::S(x[i] & 0xff).get();
}
pub fn impl_inside(i: usize, x: &[u32], out: &mut [u32]) {
    struct Local(u32);
    impl Local {
        #[inline(never)]
        fn get(&self) -> u32 { self.0 ^ 77 }
    }
    #[inline(never)]
    fn helper(a: u32) -> u32 { a / 2 }
    out[i] = Local(helper(x[i])).get();
}
