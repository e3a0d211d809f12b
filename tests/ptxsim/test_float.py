"""Floating-point instructions on bit patterns, against NumPy, fractions and the ISA's rules."""

import math
import struct
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ptxsim.calc import calc, snippet

fixed = settings(deadline=None, derandomize=True, max_examples=150)
FLOAT = {32: np.float32, 64: np.float64}
UINT = {32: np.uint32, 64: np.uint64}
CANONICAL = 0x7FFFFFFF
QUIET = {32: 0x7FC00000, 64: 0x7FF8 << 48}
INF = {32: 0x7F800000, 64: 0x7FF << 52}
ONE = {32: 0x3F800000, 64: 0x3FF << 52}
MODES = ("rn", "rz", "rm", "rp")
WIDTHS = (32, 64)


def sign(width: int) -> int:
    return 1 << (width - 1)


def value(bits: int, width: int) -> float:
    return float(UINT[width](bits).view(FLOAT[width]))


def is_nan(bits: int, width: int) -> bool:
    return bits & (sign(width) - 1) > INF[width]


def f32(number: float) -> int:
    return int(np.float32(number).view(np.uint32))


def same(found: int, wanted: int, width: int) -> bool:
    """Bit for bit; a NaN is the canonical one in f32, and any in f64, where PTX names none."""
    if is_nan(wanted, width):
        return is_nan(found, width) if width == 64 else found == CANONICAL
    return found == wanted


def edges(width: int) -> list[int]:
    """Zero, the subnormals' ends, one and its neighbours, the largest, infinity, NaNs; signed."""
    inf, one = INF[width], ONE[width]
    mantissa = 23 if width == 32 else 52
    positive = [0, 1, 2, (1 << mantissa) - 1, 1 << mantissa, (1 << mantissa) + 1, one - 1, one,
                one + 1, one + (1 << (mantissa - 1)), inf - 1, inf, inf + 1, QUIET[width],
                (mantissa * 2) << mantissa]  # fmt: skip
    return positive + [bits | sign(width) for bits in positive]


def bits_of(width: int) -> st.SearchStrategy[int]:
    """Any pattern, the edges, and values near one another, whose sums cancel."""
    near = st.integers(-(1 << 12), 1 << 12).map(lambda k: ONE[width] + k)
    return st.one_of(
        st.integers(0, (1 << width) - 1),
        st.sampled_from(edges(width)),
        near,
        near.map(lambda bits: bits | sign(width)),
    )


widths_and_bits = st.sampled_from(WIDTHS).flatmap(
    lambda width: st.tuples(st.just(width), bits_of(width), bits_of(width), bits_of(width))
)


def reference(exact: Fraction, width: int, mode: str) -> int:
    """A nonzero fraction rounded, found by searching the float line for its neighbours."""
    inf = INF[width]

    def at(bits: int) -> Fraction:
        """The line goes on past the largest finite value, as if exponents had no end."""
        if bits == inf:
            return at(inf - 1) + (at(inf - 1) - at(inf - 2))
        return Fraction(value(bits, width))

    magnitude, negative = abs(exact), exact < 0
    low, high = 0, inf
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if at(middle) <= magnitude else (low, middle)
    if magnitude >= at(inf):
        below, above, tie = inf - 1, inf, 1
    else:
        below, above = low, low if at(low) == magnitude else high
        middle = (at(low) + at(high)) / 2
        tie = (magnitude > middle) - (magnitude < middle)
    if mode == "rn":
        chosen = above if tie > 0 or (tie == 0 and below & 1) else below
    else:
        chosen = above if mode == ("rm" if negative else "rp") else below
    return chosen | (sign(width) if negative else 0)


@fixed
@given(widths_and_bits)
def test_nearest_even_is_numpy(case: tuple[int, int, int, int]) -> None:
    width, a, b, _ = case
    x, y = UINT[width](a).view(FLOAT[width]), UINT[width](b).view(FLOAT[width])
    type_ = f"f{width}"
    with np.errstate(all="ignore"):
        expected = {
            "add.rn": x + y,
            "sub.rn": x - y,
            "mul.rn": x * y,
            "div.rn": x / y,
        }
        roots = {"sqrt.rn": np.sqrt(x), "rcp.rn": FLOAT[width](1) / x}
    for op, wanted in expected.items():
        found = calc(f"{op}.{type_}", type_, a, b)
        assert same(found, int(wanted.view(UINT[width])), width), op
    for op, wanted in roots.items():
        found = calc(f"{op}.{type_}", type_, a)
        assert same(found, int(wanted.view(UINT[width])), width), op


@settings(fixed, max_examples=80)
@given(widths_and_bits, st.sampled_from(MODES))
def test_every_rounding_against_fractions(case: tuple[int, int, int, int], mode: str) -> None:
    width, a, b, c = case
    if not all(math.isfinite(value(bits, width)) for bits in (a, b, c)):
        return
    x, y, z = (Fraction(value(bits, width)) for bits in (a, b, c))
    type_ = f"f{width}"
    exact = {"add": x + y, "sub": x - y, "mul": x * y}
    if y:
        exact["div"] = x / y
    for op, result in exact.items():
        if result:
            wanted = reference(result, width, mode)
            assert calc(f"{op}.{mode}.{type_}", type_, a, b) == wanted, op
    if x * y + z:
        wanted = reference(x * y + z, width, mode)
        assert calc(f"fma.{mode}.{type_}", type_, a, b, c) == wanted
    if y:
        assert calc(f"rcp.{mode}.{type_}", type_, b) == reference(1 / y, width, mode)


@fixed
@given(widths_and_bits, st.sampled_from(MODES))
def test_sqrt_is_the_right_neighbour(case: tuple[int, int, int, int], mode: str) -> None:
    """Squares of the result's neighbours enclose the operand, with no root taken here."""
    width, a, _, _ = case
    a &= sign(width) - 1
    x = Fraction(value(a, width)) if a < INF[width] else Fraction(0)
    if not x:
        return
    found = calc(f"sqrt.{mode}.f{width}", f"f{width}", a)
    root, below, above = (Fraction(value(found + k, width)) for k in (0, -1, 1))
    if mode == "rp":
        assert below**2 < x <= root**2
    elif mode in ("rz", "rm"):
        assert root**2 <= x < above**2
    else:
        assert ((root + below) / 2) ** 2 <= x <= ((root + above) / 2) ** 2


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("mode", MODES)
def test_signs_of_zero(width: int, mode: str) -> None:
    type_, minus, one = f"f{width}", sign(width), ONE[width]
    cancelled = minus if mode == "rm" else 0
    assert calc(f"add.{mode}.{type_}", type_, 0, 0) == 0
    assert calc(f"add.{mode}.{type_}", type_, minus, minus) == minus
    assert calc(f"add.{mode}.{type_}", type_, 0, minus) == cancelled
    assert calc(f"add.{mode}.{type_}", type_, one, one | minus) == cancelled
    assert calc(f"sub.{mode}.{type_}", type_, one, one) == cancelled
    assert calc(f"sub.{mode}.{type_}", type_, minus, 0) == minus
    assert calc(f"mul.{mode}.{type_}", type_, minus, one) == minus
    assert calc(f"mul.{mode}.{type_}", type_, minus, one | minus) == 0
    assert calc(f"div.{mode}.{type_}", type_, 0, one | minus) == minus
    assert calc(f"sqrt.{mode}.{type_}", type_, minus) == minus
    assert calc(f"fma.{mode}.{type_}", type_, one, one, one | minus) == cancelled
    assert calc(f"fma.{mode}.{type_}", type_, minus, one, minus) == minus
    assert calc(f"fma.{mode}.{type_}", type_, minus, one, 0) == cancelled
    assert calc(f"fma.{mode}.{type_}", type_, 0, one, 0) == 0


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("mode", MODES)
def test_infinities_and_invalid_operations(width: int, mode: str) -> None:
    type_, minus, inf, one = f"f{width}", sign(width), INF[width], ONE[width]
    nan = QUIET[width]
    assert calc(f"add.{mode}.{type_}", type_, inf, one) == inf
    assert same(calc(f"add.{mode}.{type_}", type_, inf, inf | minus), nan, width)
    assert same(calc(f"mul.{mode}.{type_}", type_, inf, 0), nan, width)
    assert calc(f"mul.{mode}.{type_}", type_, inf, one | minus) == inf | minus
    assert same(calc(f"div.{mode}.{type_}", type_, 0, 0), nan, width)
    assert same(calc(f"div.{mode}.{type_}", type_, inf, inf), nan, width)
    assert calc(f"div.{mode}.{type_}", type_, one, minus) == inf | minus
    assert calc(f"div.{mode}.{type_}", type_, one, inf | minus) == minus
    assert same(calc(f"sqrt.{mode}.{type_}", type_, one | minus), nan, width)
    assert calc(f"sqrt.{mode}.{type_}", type_, inf) == inf
    assert calc(f"rcp.{mode}.{type_}", type_, minus) == inf | minus
    assert same(calc(f"fma.{mode}.{type_}", type_, inf, 0, one), nan, width)
    assert same(calc(f"fma.{mode}.{type_}", type_, inf, one, inf | minus), nan, width)
    assert calc(f"fma.{mode}.{type_}", type_, inf - 1, inf - 1, inf | minus) == inf | minus
    assert calc(f"fma.{mode}.{type_}", type_, one, one, inf) == inf


@pytest.mark.parametrize("width", WIDTHS)
def test_overflow_by_rounding(width: int) -> None:
    type_, minus, inf = f"f{width}", sign(width), INF[width]
    largest = inf - 1
    for mode, up, down in [("rn", inf, inf), ("rz", largest, largest), ("rm", largest, inf),
                           ("rp", inf, largest)]:  # fmt: skip
        assert calc(f"add.{mode}.{type_}", type_, largest, largest) == up
        minus_largest = largest | minus
        assert calc(f"add.{mode}.{type_}", type_, minus_largest, minus_largest) == down | minus


@pytest.mark.parametrize("width", WIDTHS)
def test_underflow_by_rounding(width: int) -> None:
    """Half the least subnormal is a tie with zero."""
    type_, minus = f"f{width}", sign(width)
    half = ONE[width] - (1 << (23 if width == 32 else 52))
    for mode, up, down in [("rn", 0, 0), ("rz", 0, 0), ("rm", 0, 1), ("rp", 1, 0)]:
        assert calc(f"mul.{mode}.{type_}", type_, 1, half) == up
        assert calc(f"mul.{mode}.{type_}", type_, 1 | minus, half) == down | minus
    assert calc(f"mul.rn.{type_}", type_, 3, half) == 2


def test_subnormals_are_kept() -> None:
    assert calc("add.rn.f32", "f32", 1, 1) == 2
    assert calc("sub.rn.f32", "f32", 0x00800000, 1) == 0x007FFFFF
    assert calc("mul.rn.f32", "f32", 0x00000004, 0x3F000000) == 2
    assert calc("sqrt.rn.f32", "f32", 1) == f32(math.sqrt(2.0**-149))
    # A quotient that rounds to the right f64 and from there to the wrong subnormal f32.
    for a in range(1, 400, 7):
        for b in (0x7E967699, 0x7F000001, 0x7DCCCCCD):
            wanted = reference(Fraction(value(a, 32)) / Fraction(value(b, 32)), 32, "rn")
            assert calc("div.rn.f32", "f32", a, b) == wanted
    small = 0x00C00003
    for b in range(0x40400000, 0x40400020):
        wanted = reference(Fraction(value(small, 32)) / Fraction(value(b, 32)), 32, "rn")
        assert calc("div.rn.f32", "f32", small, b) == wanted


def test_fma_rounds_once() -> None:
    up, down = f32(1 + 2.0**-12), f32(1 - 2.0**-12)
    assert calc("fma.rn.f32", "f32", up, down, f32(-1.0)) == f32(-(2.0**-24))
    # The square is a tie in f32; a term too small for an f64 at 1 decides it.
    tie = f32(1 + 2.0**-11)
    assert calc("fma.rn.f32", "f32", up, up, 0) == tie
    assert calc("fma.rn.f32", "f32", up, up, f32(2.0**-100)) == tie + 1
    assert calc("fma.rn.f32", "f32", up, up, f32(-(2.0**-100))) == tie
    a, b = f32(2.0**-12), f32(2.0**-12)
    assert calc("fma.rn.f32", "f32", a, b, f32(1.0)) == f32(1.0)
    more = f32(2.0**-12 * (1 + 2.0**-23))
    assert calc("fma.rn.f32", "f32", a, more, f32(1.0)) == f32(1.0) + 1
    x = struct.unpack("<Q", struct.pack("<d", 1 + 2.0**-52))[0]
    y = struct.unpack("<Q", struct.pack("<d", -(1 + 2.0**-51)))[0]
    wanted = struct.unpack("<Q", struct.pack("<d", 2.0**-104))[0]
    assert calc("fma.rn.f64", "f64", x, x, y) == wanted


@settings(fixed, max_examples=100)
@given(st.integers(0, 1 << 23), st.integers(0, 1 << 23), st.integers(-60, 60), st.booleans())
def test_fma_near_ties(a: int, b: int, scale: int, minus: bool) -> None:
    """Addends far below or above the product make sums that end near midpoints."""
    x, y = ONE[32] + a, ONE[32] + b
    z = f32(math.ldexp(-1.0 if minus else 1.0, scale))
    exact = Fraction(value(x, 32)) * Fraction(value(y, 32)) + Fraction(value(z, 32))
    if exact:
        assert calc("fma.rn.f32", "f32", x, y, z) == reference(exact, 32, "rn")


@pytest.mark.parametrize("width", WIDTHS)
def test_min_max(width: int) -> None:
    type_, minus, one, inf = f"f{width}", sign(width), ONE[width], INF[width]
    payload = inf + 5
    for a, b in [(0, minus), (minus, 0)]:
        assert calc(f"min.{type_}", type_, a, b) == minus
        assert calc(f"max.{type_}", type_, a, b) == 0
    assert calc(f"min.{type_}", type_, one, inf | minus) == inf | minus
    assert calc(f"max.{type_}", type_, one, one + 1) == one + 1
    for op in ("min", "max"):
        assert calc(f"{op}.{type_}", type_, payload, one) == one
        assert calc(f"{op}.{type_}", type_, one, payload) == one
        both = calc(f"{op}.{type_}", type_, payload, payload | minus)
        assert same(both, QUIET[width], width)


def test_min_max_nan() -> None:
    for op in ("min", "max"):
        for a, b in [(0x7FC00001, ONE[32]), (ONE[32], 0xFF800001), (0x7FC00001, 0x7FC00001)]:
            assert calc(f"{op}.NaN.f32", "f32", a, b) == CANONICAL
    assert calc("min.NaN.f32", "f32", 0, sign(32)) == sign(32)
    assert calc("max.NaN.f32", "f32", ONE[32], 0) == ONE[32]


@pytest.mark.parametrize("width", WIDTHS)
def test_signs(width: int) -> None:
    type_, minus, one = f"f{width}", sign(width), ONE[width]
    assert calc(f"neg.{type_}", type_, 0) == minus
    assert calc(f"neg.{type_}", type_, one | minus) == one
    assert calc(f"abs.{type_}", type_, minus) == 0
    assert calc(f"abs.{type_}", type_, INF[width] | minus) == INF[width]
    for op in ("neg", "abs"):
        assert is_nan(calc(f"{op}.{type_}", type_, INF[width] + 1), width)
    assert calc(f"copysign.{type_}", type_, minus, one) == one | minus
    assert calc(f"copysign.{type_}", type_, one, one | minus) == one
    assert calc(f"copysign.{type_}", type_, minus, INF[width] + 9) == (INF[width] + 9) | minus


def test_arithmetic_makes_the_canonical_nan() -> None:
    payload, one = INF[32] + 77, ONE[32]
    for op in ("add.rn", "sub.rn", "mul.rn", "div.rn"):
        assert calc(f"{op}.f32", "f32", payload, one) == CANONICAL
        assert calc(f"{op}.f32", "f32", one, payload) == CANONICAL
    for k in range(3):
        operands = [one] * 3
        operands[k] = payload
        assert calc("fma.rn.f32", "f32", *operands) == CANONICAL
    assert calc("sqrt.rn.f32", "f32", payload) == CANONICAL


@pytest.mark.parametrize("width", WIDTHS)
def test_moves_keep_every_bit_of_a_nan(width: int) -> None:
    type_, payload = f"f{width}", sign(width) | INF[width] | 0x1234
    assert calc(f"mov.{type_}", type_, payload) == payload
    assert calc(f"mov.b{width}", type_, payload) == payload
    select = snippet(f"selp.{type_} %d, %a, %b, %c;", (type_, type_, "pred"), (type_,))
    assert select(payload, ONE[width], 1) == payload
    moved = snippet(f"mov.b{width} %d, %a;", (type_,), (f"b{width}",))
    assert moved(payload) == payload


ORDERED = {
    "eq": lambda x, y: x == y,
    "ne": lambda x, y: x < y or x > y,
    "lt": lambda x, y: x < y,
    "le": lambda x, y: x <= y,
    "gt": lambda x, y: x > y,
    "ge": lambda x, y: x >= y,
}


@fixed
@given(widths_and_bits)
def test_comparisons(case: tuple[int, int, int, int]) -> None:
    """Ordered ones are false with a NaN, unordered ones true."""
    width, a, b, _ = case
    x, y, type_ = value(a, width), value(b, width), f"f{width}"
    nan = math.isnan(x) or math.isnan(y)
    for op, holds in ORDERED.items():
        assert calc(f"setp.{op}.{type_}", type_, a, b, out="pred") == holds(x, y)
        assert calc(f"setp.{op}u.{type_}", type_, a, b, out="pred") == (nan or holds(x, y))
    assert calc(f"setp.num.{type_}", type_, a, b, out="pred") == (not nan)
    assert same(calc(f"setp.nan.{type_}", type_, a, b, out="pred"), nan, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_testp(width: int) -> None:
    type_, inf, one, minus = f"f{width}", INF[width], ONE[width], sign(width)
    table = {"finite": (1, 1, 1, 0, 0), "infinite": (0, 0, 0, 1, 0), "number": (1, 1, 1, 1, 0),
             "notanumber": (0, 0, 0, 0, 1)}  # fmt: skip
    for kind, results in table.items():
        for bits, wanted in zip((0, 1, one, inf, inf + 1), results, strict=True):
            assert calc(f"testp.{kind}.{type_}", type_, bits, out="pred") == wanted
            assert calc(f"testp.{kind}.{type_}", type_, bits | minus, out="pred") == wanted


def test_literals() -> None:
    assert snippet("mov.f32 %d, 0f40490FDB;", (), ("f32",))() == 0x40490FDB
    assert snippet("mov.f64 %d, 0d400921FB54442D18;", (), ("f64",))() == 0x400921FB54442D18
    assert snippet("mov.f32 %d, 0fFFC00001;", (), ("f32",))() == 0xFFC00001
    assert snippet("add.rn.f32 %d, %a, 0f3F800000;", ("f32",), ("f32",))(ONE[32]) == f32(2)
