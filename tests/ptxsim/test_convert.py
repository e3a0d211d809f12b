"""``cvt`` and the moves that take values apart, by type, with the ISA's edges."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ptxsim.calc import calc, snippet
from tests.ptxsim.test_float import (
    CANONICAL,
    INF,
    QUIET,
    bits_of,
    f32,
    is_nan,
    reference,
    sign,
    value,
)

fixed = settings(deadline=None, derandomize=True, max_examples=100)
M32, M64 = (1 << 32) - 1, (1 << 64) - 1


def f64(number: float) -> int:
    return int(np.float64(number).view(np.uint64))


def register(type_: str) -> str:
    """A register for a value of a type: at least 16 bits wide."""
    return {"u8": "u16", "s8": "s16", "f16": "b16"}.get(type_, type_)


def cvt(modifiers: str, to: str, source: str, bits: int) -> int:
    """The result's bits, in a register of the result's own width."""
    body = f"cvt{modifiers}.{to}.{source} %d, %a;"
    found = snippet(body, (register(source),), (register(to),))(bits)
    assert isinstance(found, int)
    return found


@pytest.mark.parametrize(
    ("to", "source", "a", "d"),
    [
        ("u64", "u32", M32, M32),
        ("s64", "s32", M32, M64),
        ("u64", "s32", M32, M64),
        ("s64", "u32", M32, M32),
        ("u32", "u64", 0x1_2345_6789, 0x2345_6789),
        ("u16", "u32", 0x12345, 0x2345),
        ("s32", "s16", 0x8000, 0xFFFF8000),
        ("u32", "u16", 0x8000, 0x8000),
        ("u32", "s8", 0xFF80, 0xFFFFFF80),
        ("s32", "u8", 0xFF80, 0x80),
        ("s8", "s32", 0x180, 0xFF80),
        ("u8", "s32", 0x1FF, 0xFF),
        ("s8", "u16", 0x17F, 0x7F),
    ],
)
def test_integers(to: str, source: str, a: int, d: int) -> None:
    """Chopped, then extended as the destination's type says."""
    assert cvt("", to, source, a) == d


@pytest.mark.parametrize(
    ("to", "source", "a", "d"),
    [
        ("u8", "u32", 300, 255),
        ("u8", "s32", -5 & M32, 0),
        ("s8", "s32", 200, 127),
        ("s8", "s32", -200 & M32, 0xFF80),
        ("s32", "u32", M32, 0x7FFFFFFF),
        ("u32", "s64", M64, 0),
        ("u32", "s64", 1 << 40, M32),
        ("s32", "s64", 1 << 63, 1 << 31),
        ("u32", "s32", 7, 7),
    ],
)
def test_saturated_integers(to: str, source: str, a: int, d: int) -> None:
    assert cvt(".sat", to, source, a) == d


def test_registers_wider_than_the_type() -> None:
    """The source is chopped, the result sign- or zero-extended."""
    wide = snippet("cvt.s8.s32 %d, %a;", ("s32",), ("b64",))
    assert wide(0x180) == M64 & ~0x7F
    assert snippet("cvt.u8.u32 %d, %a;", ("u32",), ("u64",))(0x1FF) == 0xFF
    assert snippet("cvt.u32.s8 %d, %a;", ("u64",), ("u32",))(0x1280) == 0xFFFFFF80
    assert snippet("cvt.rn.f32.u16 %d, %a;", ("b32",), ("f32",))(0x10003) == f32(3)


RANGES = {f"{kind}{width}": (-(1 << (width - 1)) if kind == "s" else 0,
                             (1 << (width - (kind == "s"))) - 1)
          for kind in "us" for width in (8, 16, 32, 64)}  # fmt: skip


@pytest.mark.parametrize("to", RANGES)
@pytest.mark.parametrize("source", ["f32", "f64"])
def test_floats_out_of_range_saturate(to: str, source: str) -> None:
    """Infinities too; a NaN is 0, or the top bit alone for an f64 or a 64-bit result."""
    low, high = RANGES[to]
    width, wide = int(source[1:]), int(register(to)[1:])
    mask = (1 << wide) - 1
    pack = f32 if width == 32 else f64
    for bits in (pack(1e30), INF[width]):
        assert cvt(".rzi", to, source, bits) == high & mask
        assert cvt(".rzi", to, source, bits | sign(width)) == low & mask
    assert cvt(".rzi", to, source, pack(-0.9)) == 0
    nan = QUIET[width]
    top = 1 << (int(to[1:]) - 1)
    if to[0] == "s":
        top = -top & mask
    wanted = top if source == "f64" or to[1:] == "64" else 0
    assert cvt(".rni", to, source, nan) == wanted
    assert cvt(".rni", to, source, nan | sign(width)) == wanted


@pytest.mark.parametrize(
    ("mode", "results"),
    [
        ("rni", (2, 4, 0, -2, -4, 3, -3)),
        ("rzi", (2, 3, 0, -2, -3, 2, -2)),
        ("rmi", (2, 3, 0, -3, -4, 2, -3)),
        ("rpi", (3, 4, 1, -2, -3, 3, -2)),
    ],
)
def test_integer_roundings(mode: str, results: tuple[int, ...]) -> None:
    """Both to an integer, and to an integral value, where zero keeps its sign."""
    for number, wanted in zip((2.5, 3.5, 0.5, -2.5, -3.5, 2.75, -2.75), results, strict=True):
        assert cvt(f".{mode}", "s32", "f32", f32(number)) == wanted & M32
        assert cvt(f".{mode}", "s64", "f64", f64(number)) == wanted & M64
        assert cvt(f".{mode}", "f32", "f32", f32(number)) == f32(wanted)
        assert cvt(f".{mode}", "f64", "f64", f64(number)) == f64(wanted)
    minus = 1 << 31
    assert cvt(f".{mode}", "f32", "f32", minus) == minus
    assert cvt(f".{mode}", "f32", "f32", INF[32] | minus) == INF[32] | minus
    assert cvt(f".{mode}", "f32", "f32", f32(-(2.0**30))) == f32(-(2.0**30))
    assert is_nan(cvt(f".{mode}", "f32", "f32", QUIET[32]), 32)


def test_small_negatives_become_minus_zero() -> None:
    assert cvt(".rzi", "f32", "f32", f32(-0.5)) == 1 << 31
    assert cvt(".rni", "f32", "f32", f32(-0.5)) == 1 << 31
    assert cvt(".rpi", "f64", "f64", f64(-0.5)) == 1 << 63


@fixed
@given(
    st.sampled_from(["u32", "s32", "u64", "s64"]),
    st.one_of(st.integers(0, M64), st.integers(0, 63).map(lambda k: (1 << k) + (1 << k >> 24))),
    st.sampled_from(["rn", "rz", "rm", "rp"]),
)
def test_integers_to_floats(source: str, bits: int, mode: str) -> None:
    width = int(source[1:])
    bits &= (1 << width) - 1
    number = bits - (1 << width) if source[0] == "s" and bits >> (width - 1) else bits
    for to in (32, 64):
        wanted = reference(Fraction(number), to, mode) if number else 0
        assert cvt(f".{mode}", f"f{to}", source, bits) == wanted


@fixed
@given(bits_of(64), st.sampled_from(["rn", "rz", "rm", "rp"]))
def test_narrowing(bits: int, mode: str) -> None:
    number = value(bits, 64)
    found = cvt(f".{mode}", "f32", "f64", bits)
    if math.isnan(number):
        assert found == CANONICAL
    elif math.isinf(number) or number == 0.0:
        assert found == f32(number)
    else:
        assert found == reference(Fraction(number), 32, mode)


@fixed
@given(bits_of(32))
def test_widening_is_exact(bits: int) -> None:
    found = cvt("", "f64", "f32", bits)
    if is_nan(bits, 32):
        assert is_nan(found, 64)
    else:
        assert found == f64(value(bits, 32))


@fixed
@given(bits_of(32), st.sampled_from(["rn", "rz", "rm", "rp"]))
def test_halves(bits: int, mode: str) -> None:
    """To f16 as NumPy rounds to nearest, between its neighbours otherwise; and back exactly."""
    number = value(bits, 32)
    found = cvt(f".{mode}", "f16", "f32", bits)
    half = np.uint16(found).view(np.float16)
    if math.isnan(number):
        assert found == 0x7FFF
        return
    with np.errstate(over="ignore"):
        nearest = np.float32(number).astype(np.float16)
    if mode == "rn":
        assert found == int(nearest.view(np.uint16))
    elif mode == "rz":
        assert abs(float(half)) <= abs(number)
    else:
        assert float(half) <= number if mode == "rm" else float(half) >= number
    if float(nearest) == number:
        assert found == int(nearest.view(np.uint16))
    assert value(cvt("", "f32", "f16", found), 32) == float(half)


def test_mov_packs_and_unpacks() -> None:
    """The first element is the least significant."""
    pack = snippet("mov.b64 %d, {%a, %b};", ("b32", "b32"), ("b64",))
    assert pack(0x11112222, 0x33334444) == 0x3333444411112222
    quarters = snippet("mov.b64 %d, {%a, %b, %c, %e};", ("b16",) * 4, ("b64",))
    assert quarters(1, 2, 3, 4) == 0x0004000300020001
    unpack = snippet("mov.b64 {%d, %q}, %a;", ("b64",), ("b32", "b32"))
    assert unpack(0x3333444411112222) == (0x11112222, 0x33334444)
    half = snippet("mov.b32 {_, %d}, %a;", ("b32",), ("b16",))
    assert half(0x12345678) == 0x1234
    floats = snippet("mov.b64 {%d, %q}, %a;", ("f64",), ("f32", "f32"))
    assert floats(0x7F800001_FF812345) == (0xFF812345, 0x7F800001)


def test_bits_move_between_kinds() -> None:
    assert calc("mov.b32", "u32", 0x7F800001, out="f32") == 0x7F800001
    assert calc("mov.b64", "f64", M64, out="u64") == M64
