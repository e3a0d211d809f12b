// Constructs of unstable features, for rustc 1.97 nightly; dumped by `regen.sh`.
#![feature(pattern_types, pattern_type_macro, unsafe_binders, explicit_tail_calls, adt_const_params)]
#![feature(unsized_const_params, never_type, thread_local, f16, f128, gen_blocks, core_intrinsics)]
#![feature(custom_mir, asm_goto)]
#![allow(dead_code, unused, internal_features, incomplete_features)]
use std::intrinsics::mir::*;
use std::marker::ConstParamTy;

#[derive(PartialEq, Eq, ConstParamTy)]
pub struct Size {
    w: u8,
    h: u8,
}
#[derive(PartialEq, Eq, ConstParamTy)]
pub struct Both(u8, bool);

pub struct Grid<const S: Size>;
pub struct Named<const S: &'static str, const C: char, const B: bool, const T: Both>;

pub fn grid() -> (Grid<{ Size { w: 3, h: 4 } }>, Named<"na\"me", 'c', true, { Both(1, false) }>) {
    (Grid, Named)
}

#[thread_local]
static mut TLS: u32 = 3;

pub fn tls() -> u32 {
    unsafe {
        TLS += 1;
        TLS
    }
}

pub type NonZero = std::pat::pattern_type!(u32 is 1..=10);
pub type NonZero2 = std::pat::pattern_type!(u32 is 1..);

pub fn patterns(x: NonZero, y: NonZero2, p: std::ptr::NonNull<u8>) -> u32 {
    unsafe { std::mem::transmute::<_, u32>(x) + std::mem::transmute::<_, u32>(y) }
}

pub fn binder(x: unsafe<'a> &'a u8) -> u8 {
    unsafe { *std::unsafe_binder::unwrap_binder!(x) }
}

pub fn tail(n: u32, acc: u64) -> u64 {
    if n == 0 {
        return acc;
    }
    become tail(n - 1, acc + n as u64)
}

pub fn small(a: f16, b: f128) -> (f16, f128) {
    (a + 1.5, b * -2.0)
}

pub fn never(x: !) -> ! {
    x
}

pub gen fn counting(n: u32) -> u32 {
    for i in 0..n {
        yield i;
    }
}

pub async gen fn async_counting() -> u32 {
    yield 1;
}

pub async fn closures(x: u32) -> u32 {
    let c = async |y: u32| x + y;
    let g = gen { yield 1u8 };
    c(2).await
}

#[cfg(target_arch = "x86_64")]
pub fn jump(x: u32) -> u32 {
    unsafe {
        std::arch::asm!("jmp {}", label { return 1; }, options(nostack));
    }
    x
}

#[custom_mir(dialect = "runtime", phase = "optimized")]
pub fn custom(x: &mut Option<u8>, c: bool) -> u8 {
    mir! {
        let r: u8;
        {
            SetDiscriminant(*x, 1);
            r = Field(Variant(*x, 1), 0);
            match c {
                true => yes,
                _ => no,
            }
        }
        yes = {
            RET = r;
            Return()
        }
        no = {
            Unreachable()
        }
    }
}
