"""Instructions against values computed by hand from the PTX ISA; ptxas accepts each of them."""

import subprocess
import sysconfig
from pathlib import Path
from typing import Final

import pytest
from tests.ptxsim.snippets import HEAD, entry, operation, run

NAN: Final = 0x7FC00001
F32_CANONICAL: Final = 0x7FFFFFFF
ONE, TWO, THREE, HALF = 0x3F800000, 0x40000000, 0x40400000, 0x3F000000
INF, TINY = 0x7F800000, 0x00000001
NEG = 0x80000000
D1, D_NAN = 0x3FF0000000000000, 0x7FF8000000000001

Case = tuple[str, int, tuple[tuple[int, int], ...], int]


def w(*bits: int) -> tuple[tuple[int, int], ...]:
    return tuple((32, each) for each in bits)


def x(*bits: int) -> tuple[tuple[int, int], ...]:
    return tuple((64, each) for each in bits)


def h(*bits: int) -> tuple[tuple[int, int], ...]:
    return tuple((16, each) for each in bits)


CASES: Final[list[Case]] = [
    # Integer arithmetic wraps.
    ("add.u32 $d, $a, $b", 32, w(0xFFFFFFFF, 2), 1),
    ("add.s16 $d, $a, $b", 16, h(0xFFFF, 2), 1),
    ("sub.u64 $d, $a, $b", 64, x(0, 1), 0xFFFFFFFFFFFFFFFF),
    ("add.sat.s32 $d, $a, $b", 32, w(0x7FFFFFFF, 1), 0x7FFFFFFF),
    ("sub.sat.s32 $d, $a, $b", 32, w(0x80000000, 1), 0x80000000),
    ("mul.lo.s32 $d, $a, $b", 32, w(0xFFFFFFFF, 7), 0xFFFFFFF9),
    ("mul.hi.u32 $d, $a, $b", 32, w(0xFFFFFFFF, 0xFFFFFFFF), 0xFFFFFFFE),
    ("mul.hi.s32 $d, $a, $b", 32, w(0xFFFFFFFF, 0xFFFFFFFF), 0),
    ("mul.hi.u64 $d, $a, $b", 64, x(1 << 63, 4), 2),
    ("mul.wide.s32 $d, $a, $b", 64, w(0xFFFFFFFF, 2), 0xFFFFFFFFFFFFFFFE),
    ("mul.wide.u32 $d, $a, $b", 64, w(0xFFFFFFFF, 2), 0x1FFFFFFFE),
    ("mul.wide.u16 $d, $a, $b", 32, h(0xFFFF, 0xFFFF), 0xFFFE0001),
    ("mad.lo.s32 $d, $a, $b, $c", 32, w(3, 4, 0xFFFFFFFF), 11),
    ("mad.wide.u32 $d, $a, $b, $c", 64, (*w(3, 4), *x(1 << 40)), (1 << 40) + 12),
    ("mad.hi.u32 $d, $a, $b, $c", 32, w(1 << 31, 4, 5), 7),
    ("div.s32 $d, $a, $b", 32, w(0xFFFFFFF9, 2), 0xFFFFFFFD),
    ("rem.s32 $d, $a, $b", 32, w(0xFFFFFFF9, 2), 0xFFFFFFFF),
    ("div.u32 $d, $a, $b", 32, w(0xFFFFFFF9, 2), 0x7FFFFFFC),
    ("rem.u64 $d, $a, $b", 64, x(10, 4), 2),
    ("neg.s32 $d, $a", 32, w(0x80000000), 0x80000000),
    ("abs.s32 $d, $a", 32, w(0xFFFFFFFB), 5),
    ("abs.s32 $d, $a", 32, w(0x80000000), 0x80000000),
    ("min.s32 $d, $a, $b", 32, w(0xFFFFFFFF, 1), 0xFFFFFFFF),
    ("min.u32 $d, $a, $b", 32, w(0xFFFFFFFF, 1), 1),
    ("max.s64 $d, $a, $b", 64, x(1 << 63, 5), 5),
    ("sad.s32 $d, $a, $b, $c", 32, w(0xFFFFFFFF, 2, 10), 13),
    ("sad.u32 $d, $a, $b, $c", 32, w(1, 3, 10), 12),
    # Logic and shifts: amounts of the width or more are clamped, for shr.s to the sign.
    ("and.b32 $d, $a, $b", 32, w(0xF0F0, 0xFF00), 0xF000),
    ("xor.b16 $d, $a, $b", 16, h(0xFFFF, 0x0F0F), 0xF0F0),
    ("not.b64 $d, $a", 64, x(1), 0xFFFFFFFFFFFFFFFE),
    ("cnot.b32 $d, $a", 32, w(0), 1),
    ("shl.b32 $d, $a, $b", 32, w(1, 31), 0x80000000),
    ("shl.b32 $d, $a, $b", 32, w(1, 32), 0),
    ("shl.b32 $d, $a, $b", 32, w(0xFFFFFFFF, 0xFFFFFFFF), 0),
    ("shl.b64 $d, $a, $b", 64, (*x(3), *w(63)), 1 << 63),
    ("shl.b16 $d, $a, $b", 16, (*h(1), *w(16)), 0),
    ("shr.u32 $d, $a, $b", 32, w(0xFFFFFFFF, 33), 0),
    ("shr.s32 $d, $a, $b", 32, w(0x80000000, 40), 0xFFFFFFFF),
    ("shr.s16 $d, $a, $b", 16, (*h(0x8000), *w(1)), 0xC000),
    ("shr.b64 $d, $a, $b", 64, (*x(1 << 63), *w(63)), 1),
    ("shf.l.wrap.b32 $d, $a, $b, $c", 32, w(0x80000001, 0x12345678, 36), 0x23456788),
    ("shf.l.clamp.b32 $d, $a, $b, $c", 32, w(0x80000001, 0x12345678, 36), 0x80000001),
    ("shf.r.wrap.b32 $d, $a, $b, $c", 32, w(0x80000001, 0x12345678, 4), 0x88000000),
    ("shf.r.clamp.b32 $d, $a, $b, $c", 32, w(0x80000001, 0x12345678, 99), 0x12345678),
    ("lop3.b32 $d, $a, $b, $c, 0x96", 32, w(0xF0, 0xCC, 0xAA), 0x96),
    ("lop3.b32 $d, $a, $b, $c, 0x80", 32, w(7, 6, 4), 4),
    # Bytes and bits.
    ("prmt.b32 $d, $a, $b, $c", 32, w(0x33221100, 0x77665544, 0x7531), 0x77553311),
    ("prmt.b32 $d, $a, $b, $c", 32, w(0x00008070, 0, 0x9998), 0xFFFFFF00),
    ("prmt.b32.f4e $d, $a, $b, $c", 32, w(0x33221100, 0x77665544, 1), 0x44332211),
    ("prmt.b32.b4e $d, $a, $b, $c", 32, w(0x33221100, 0x77665544, 1), 0x66770011),
    ("prmt.b32.rc8 $d, $a, $b, $c", 32, w(0x33221100, 0x77665544, 2), 0x22222222),
    ("prmt.b32.ecl $d, $a, $b, $c", 32, w(0x33221100, 0x77665544, 2), 0x33222222),
    ("prmt.b32.ecr $d, $a, $b, $c", 32, w(0x33221100, 0x77665544, 2), 0x22221100),
    ("prmt.b32.rc16 $d, $a, $b, $c", 32, w(0x33221100, 0x77665544, 1), 0x33223322),
    ("brev.b32 $d, $a", 32, w(1), 0x80000000),
    ("brev.b64 $d, $a", 64, x(2), 1 << 62),
    ("clz.b32 $d, $a", 32, w(0), 32),
    ("clz.b64 $d, $a", 32, x(1), 63),
    ("popc.b64 $d, $a", 32, x(0xFF00FF), 16),
    ("bfind.u32 $d, $a", 32, w(0), 0xFFFFFFFF),
    ("bfind.u32 $d, $a", 32, w(0x80), 7),
    ("bfind.s32 $d, $a", 32, w(0xFFFFFFFF), 0xFFFFFFFF),
    ("bfind.s32 $d, $a", 32, w(0xFFFFFF7F), 7),
    ("bfind.shiftamt.u32 $d, $a", 32, w(0x80), 24),
    ("bfind.shiftamt.u64 $d, $a", 32, x(0), 0xFFFFFFFF),
    ("bfe.u32 $d, $a, $b, $c", 32, w(0xABCD1234, 8, 8), 0x12),
    ("bfe.s32 $d, $a, $b, $c", 32, w(0xABCD8234, 8, 8), 0xFFFFFF82),
    ("bfe.u32 $d, $a, $b, $c", 32, w(0xABCD1234, 24, 32), 0xAB),
    ("bfe.s32 $d, $a, $b, $c", 32, w(0xABCD1234, 24, 32), 0xFFFFFFAB),
    ("bfe.s32 $d, $a, $b, $c", 32, w(0xFFFFFFFF, 3, 0), 0),
    ("bfe.s32 $d, $a, $b, $c", 32, w(0x80000000, 40, 4), 0xFFFFFFFF),
    ("bfe.u64 $d, $a, $b, $c", 64, (*x(0xFF << 40), *w(36, 8)), 0xF0),
    ("bfi.b32 $d, $a, $b, $c, $e", 32, w(0xFF, 0, 28, 8), 0xF0000000),
    ("bfi.b32 $d, $a, $b, $c, $e", 32, w(0x5, 0xFFFFFFFF, 4, 4), 0xFFFFFF5F),
    ("bfi.b32 $d, $a, $b, $c, $e", 32, w(0x5, 0x1234, 40, 4), 0x1234),
    # Comparing.
    ("setp.lt.s32 $d, $a, $b", 1, w(0xFFFFFFFF, 0), 1),
    ("setp.lt.u32 $d, $a, $b", 1, w(0xFFFFFFFF, 0), 0),
    ("setp.hi.u32 $d, $a, $b", 1, w(0xFFFFFFFF, 0), 1),
    ("setp.eq.b64 $d, $a, $b", 1, x(5, 5), 1),
    ("setp.eq.f32 $d, $a, $b", 1, w(0, NEG), 1),
    ("setp.ne.f32 $d, $a, $b", 1, w(NAN, ONE), 0),
    ("setp.neu.f32 $d, $a, $b", 1, w(NAN, ONE), 1),
    ("setp.equ.f32 $d, $a, $b", 1, w(NAN, ONE), 1),
    ("setp.equ.f32 $d, $a, $b", 1, w(TWO, ONE), 0),
    ("setp.lt.f32 $d, $a, $b", 1, w(ONE, TWO), 1),
    ("setp.ltu.f32 $d, $a, $b", 1, w(NAN, TWO), 1),
    ("setp.geu.f32 $d, $a, $b", 1, w(ONE, TWO), 0),
    ("setp.gtu.f32 $d, $a, $b", 1, w(ONE, ONE), 0),
    ("setp.leu.f32 $d, $a, $b", 1, w(ONE, ONE), 1),
    ("setp.num.f32 $d, $a, $b", 1, w(ONE, NAN), 0),
    ("setp.nan.f64 $d, $a, $b", 1, x(D_NAN, D1), 1),
    ("set.lt.u32.s32 $d, $a, $b", 32, w(0xFFFFFFFF, 0), 0xFFFFFFFF),
    ("set.gt.f32.u32 $d, $a, $b", 32, w(3, 1), ONE),
    ("slct.b32.s32 $d, $a, $b, $c", 32, w(7, 8, 0x80000000), 8),
    ("slct.b32.f32 $d, $a, $b, $c", 32, w(7, 8, NEG), 7),
    ("slct.b32.f32 $d, $a, $b, $c", 32, w(7, 8, NAN), 8),
    # Floats: one rounding, canonical NaNs, no flush of subnormals.
    ("add.rn.f32 $d, $a, $b", 32, w(ONE, 0x33800000), ONE),
    ("add.rp.f32 $d, $a, $b", 32, w(ONE, 0x33800000), ONE + 1),
    ("add.rz.f32 $d, $a, $b", 32, w(ONE, 0xB3000000), ONE - 1),
    ("add.rm.f32 $d, $a, $b", 32, w(ONE, ONE | NEG), NEG),
    ("add.rn.f32 $d, $a, $b", 32, w(TINY, TINY), 2),
    ("add.rn.f32 $d, $a, $b", 32, w(NAN, ONE), F32_CANONICAL),
    ("add.rn.f32 $d, $a, $b", 32, w(INF, INF | NEG), F32_CANONICAL),
    ("sub.rn.f32 $d, $a, $b", 32, w(0, 0), 0),
    ("sub.rn.f32 $d, $a, $b", 32, w(NEG, 0), NEG),
    ("mul.rn.f32 $d, $a, $b", 32, w(0x00800000, HALF), 0x00400000),
    ("mul.rn.f32 $d, $a, $b", 32, w(0x7F7FFFFF, TWO), INF),
    ("mul.rz.f32 $d, $a, $b", 32, w(0x7F7FFFFF, TWO), 0x7F7FFFFF),
    ("mul.rn.f32 $d, $a, $b", 32, w(0, INF), F32_CANONICAL),
    ("add.rn.sat.f32 $d, $a, $b", 32, w(ONE, ONE), ONE),
    ("add.rn.sat.f32 $d, $a, $b", 32, w(NAN, ONE), 0),
    ("fma.rn.f32 $d, $a, $b, $c", 32, w(0x3F800001, 0x3F800001, 0xBF800002), 0x28800000),
    ("fma.rn.f32 $d, $a, $b, $c", 32, w(0x3FFFFFFF, 0x3FFFFFFF, 0x28800000), 0x407FFFFE),
    ("fma.rn.f64 $d, $a, $b, $c", 64, x(D1 + 1, D1 + 1, (D1 + 2) | 1 << 63), 0x3970000000000000),
    ("div.rn.f32 $d, $a, $b", 32, w(ONE, THREE), 0x3EAAAAAB),
    ("div.rz.f32 $d, $a, $b", 32, w(ONE, THREE), 0x3EAAAAAA),
    ("div.rn.f32 $d, $a, $b", 32, w(ONE, NEG), INF | NEG),
    ("div.rn.f32 $d, $a, $b", 32, w(0, 0), F32_CANONICAL),
    ("div.rn.f32 $d, $a, $b", 32, w(0x00000003, TWO), 2),
    ("rcp.rn.f32 $d, $a", 32, w(THREE), 0x3EAAAAAB),
    ("sqrt.rn.f32 $d, $a", 32, w(TWO), 0x3FB504F3),
    ("sqrt.rp.f32 $d, $a", 32, w(TWO), 0x3FB504F4),
    ("sqrt.rn.f32 $d, $a", 32, w(NEG), NEG),
    ("sqrt.rn.f32 $d, $a", 32, w(ONE | NEG), F32_CANONICAL),
    ("sqrt.rm.f64 $d, $a", 64, x(0x4000000000000000), 0x3FF6A09E667F3BCC),
    ("neg.f32 $d, $a", 32, w(0), NEG),
    ("abs.f32 $d, $a", 32, w(ONE | NEG), ONE),
    ("min.f32 $d, $a, $b", 32, w(NAN, ONE), ONE),
    ("max.f32 $d, $a, $b", 32, w(ONE, NAN), ONE),
    ("min.f32 $d, $a, $b", 32, w(NAN, NAN), F32_CANONICAL),
    ("min.NaN.f32 $d, $a, $b", 32, w(NAN, ONE), F32_CANONICAL),
    ("min.f32 $d, $a, $b", 32, w(0, NEG), NEG),
    ("max.f32 $d, $a, $b", 32, w(NEG, 0), 0),
    ("copysign.f32 $d, $a, $b", 32, w(NEG, ONE), ONE | NEG),
    ("copysign.f32 $d, $a, $b", 32, w(NEG, NAN), NAN | NEG),
    ("testp.subnormal.f32 $d, $a", 1, w(TINY), 1),
    ("testp.normal.f32 $d, $a", 1, w(0), 1),
    ("testp.notanumber.f32 $d, $a", 1, w(NAN), 1),
    ("testp.infinite.f32 $d, $a", 1, w(INF | NEG), 1),
    ("testp.finite.f64 $d, $a", 1, x(D_NAN), 0),
    # Conversions: chop, extend, clamp, round.
    ("cvt.u16.u32 $d, $a", 16, w(0x12345678), 0x5678),
    ("cvt.s32.s8 $d, $a", 32, w(0x12345680), 0xFFFFFF80),
    ("cvt.u32.u8 $d, $a", 32, w(0x123456FF), 0xFF),
    ("cvt.s64.s32 $d, $a", 64, w(0x80000000), 0xFFFFFFFF80000000),
    ("cvt.u64.u32 $d, $a", 64, w(0x80000000), 0x80000000),
    ("cvt.s8.s32 $d, $a", 32, w(0x180), 0xFFFFFF80),
    ("cvt.u8.u32 $d, $a", 32, w(0x180), 0x80),
    ("cvt.sat.u8.s32 $d, $a", 32, w(0xFFFFFFFF), 0),
    ("cvt.sat.s8.s32 $d, $a", 32, w(200), 127),
    ("cvt.sat.s32.u32 $d, $a", 32, w(0xFFFFFFFF), 0x7FFFFFFF),
    ("cvt.rzi.s32.f32 $d, $a", 32, w(0xBFC00000), 0xFFFFFFFF),
    ("cvt.rmi.s32.f32 $d, $a", 32, w(0xBFC00000), 0xFFFFFFFE),
    ("cvt.rpi.s32.f32 $d, $a", 32, w(0x3FA00000), 2),
    ("cvt.rni.s32.f32 $d, $a", 32, w(0x40200000), 2),
    ("cvt.rzi.s32.f32 $d, $a", 32, w(INF), 0x7FFFFFFF),
    ("cvt.rzi.u32.f32 $d, $a", 32, w(ONE | NEG), 0),
    ("cvt.rzi.u32.f32 $d, $a", 32, w(INF), 0xFFFFFFFF),
    ("cvt.rzi.s32.f32 $d, $a", 32, w(NAN), 0),
    ("cvt.rzi.u16.f32 $d, $a", 16, w(0x49742400), 0xFFFF),
    ("cvt.rzi.s64.f64 $d, $a", 64, x(0xFFF0000000000000), 1 << 63),
    ("cvt.rn.f32.s32 $d, $a", 32, w(0xFFFFFFFF), ONE | NEG),
    ("cvt.rn.f32.u32 $d, $a", 32, w(0x1000001), 0x4B800000),
    ("cvt.rp.f32.u32 $d, $a", 32, w(0x1000001), 0x4B800001),
    # A double rounding by way of f64 would give ...01.
    ("cvt.rn.f32.u64 $d, $a", 32, x(0x8000008000000001), 0x5F000001),
    ("cvt.rn.f32.u64 $d, $a", 32, x(0x8000008000000000), 0x5F000000),
    ("cvt.rn.f64.u64 $d, $a", 64, x(0xFFFFFFFFFFFFFFFF), 0x43F0000000000000),
    ("cvt.f64.f32 $d, $a", 64, w(ONE), D1),
    ("cvt.f64.f32 $d, $a", 64, w(TINY), 0x36A0000000000000),
    ("cvt.rn.f32.f64 $d, $a", 32, x(0x3FF0000010000000), ONE),
    ("cvt.rp.f32.f64 $d, $a", 32, x(0x3FF0000010000000), ONE + 1),
    ("cvt.rn.f32.f64 $d, $a", 32, x(0x3690000000000001), TINY),
    ("cvt.rni.f32.f32 $d, $a", 32, w(0x40200000), TWO),
    ("cvt.rzi.f32.f32 $d, $a", 32, w(HALF | NEG), NEG),
    ("cvt.sat.f32.f32 $d, $a", 32, w(TWO), ONE),
    ("cvt.rn.f16.f32 $d, $a", 16, w(ONE), 0x3C00),
    ("cvt.rn.f16.f32 $d, $a", 16, w(0x477FF000), 0x7C00),
    ("cvt.f32.f16 $d, $a", 32, h(0x0001), 0x33800000),
    # Moves keep every bit.
    ("mov.b32 $d, $a", 32, w(0x7F800001), 0x7F800001),
    ("mov.b64 $d, {$a, $b}", 64, w(1, 2), 0x200000001),
    ("mov.b32 $d, {$a, $b}", 32, h(1, 2), 0x20001),
]


@pytest.mark.parametrize(
    ("text", "result", "operands", "expected"),
    CASES,
    ids=[f"{n}-{case[0].split()[0]}" for n, case in enumerate(CASES)],
)
def test_result(
    text: str, result: int, operands: tuple[tuple[int, int], ...], expected: int
) -> None:
    width = 32 if result == 1 else result
    found = run(operation(text, result, operands))
    assert int.from_bytes(found[: width // 8], "little") == expected


def test_nan_conversions() -> None:
    """0, but 1 << (width - 1) where 64 bits take part."""
    for text, result, operands, expected in (
        ("cvt.rzi.u32.f32 $d, $a", 32, w(NAN), 0),
        ("cvt.rzi.s64.f32 $d, $a", 64, w(NAN), 1 << 63),
        ("cvt.rzi.s32.f64 $d, $a", 32, x(D_NAN), 1 << 31),
        ("cvt.rzi.u64.f64 $d, $a", 64, x(D_NAN), 1 << 63),
    ):
        found = run(operation(text, result, operands))
        assert int.from_bytes(found[: result // 8], "little") == expected, text


def test_carries() -> None:
    found = run(
        """
        mov.b32 %r1, -1;
        mov.b32 %r2, 1;
        add.cc.u32 %r3, %r1, %r2;
        addc.cc.u32 %r4, %r1, 0;
        addc.u32 %r5, 5, 5;
        sub.cc.u32 %r6, 0, 1;
        subc.u32 %r7, 9, 4;
        mad.lo.cc.u32 %r8, %r1, %r1, %r1;
        madc.hi.u32 %r9, %r1, %r1, 0;
        st.global.v4.b32 [%d11], {%r3, %r4, %r5, %r6};
        st.global.b32 [%d11+16], %r7;
        st.global.b32 [%d11+20], %r8;
        st.global.b32 [%d11+24], %r9;
        """,
        size=28,
    )
    values = [int.from_bytes(found[n : n + 4], "little") for n in range(0, 28, 4)]
    # (2**32-1)**2 + 2**32-1 = 0xffffffff * 2**32.
    assert values == [0, 0, 11, 0xFFFFFFFF, 4, 0, 0xFFFFFFFF]


def test_setp_with_a_boolean_and_two_results() -> None:
    found = run(
        """
        mov.b32 %r1, 1;
        setp.eq.u32 %p1, %r1, 1;
        setp.eq.and.u32 %p2|%p3, %r1, 2, %p1;
        setp.lt.or.f32 %p4, 0f3F800000, 0f40000000, !%p1;
        selp.b32 %r2, 1, 0, %p2;
        selp.b32 %r3, 1, 0, %p3;
        selp.b32 %r4, 1, 0, %p4;
        xor.pred %p5, %p1, %p3;
        not.pred %p6, %p5;
        selp.b32 %r5, 1, 0, %p6;
        st.global.v4.b32 [%d11], {%r2, %r3, %r4, %r5};
        """,
        size=16,
    )
    assert found == b"".join(n.to_bytes(4, "little") for n in (0, 1, 1, 1))


def test_unpacking() -> None:
    found = run(
        """
        mov.b64 %d1, 0x1122334455667788;
        mov.b64 {%r1, %r2}, %d1;
        mov.b32 {%h1, %h2}, %r1;
        st.global.b32 [%d11], %r2;
        st.global.b16 [%d11+4], %h1;
        """
    )
    assert found[:6].hex() == "443322118877"


def _ptxas() -> Path | None:
    path = Path(sysconfig.get_path("purelib")) / "nvidia/cuda_nvcc/bin/ptxas"
    return path if path.exists() else None


def test_ptxas_accepts_the_cases(tmp_path: Path) -> None:
    """What the evaluator executes here is PTX."""
    ptxas = _ptxas()
    if ptxas is None:
        pytest.skip("no ptxas: pip install nvidia-cuda-nvcc-cu12")
    file = tmp_path / "cases.ptx"
    bodies = [operation(text, result, operands) for text, result, operands, _ in CASES]
    file.write_text(HEAD + "".join(entry(body, f"k{n}") for n, body in enumerate(bodies)))
    done = subprocess.run(
        [ptxas, "-arch=sm_80", "-O0", str(file), "-o", str(tmp_path / "out")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
