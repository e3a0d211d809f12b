"""Float operations against NumPy, exact fractions and rounding written anew."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.unit.kir.harness import (
    FORMATS,
    WIDTHS,
    evaluate,
    exact,
    floats,
    from_numpy,
    ints,
    is_inf,
    is_nan,
    nearest,
    signed,
    to_numpy,
)

from mirgpu.kir.ops import BinaryOp, CompareOp, UnaryOp

SETTINGS = settings(deadline=None, derandomize=True, max_examples=100)


def _same(found: int, expected: int, width: int) -> None:
    if is_nan(expected, width):
        assert is_nan(found, width)
    else:
        assert found == expected


def _sign(bits: int, width: int) -> int:
    return bits & 1 << (width - 1)


ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "fadd": lambda a, b: a + b,
    "fsub": lambda a, b: a - b,
    "fmul": lambda a, b: a * b,
    "fdiv": lambda a, b: a / b,
    "frem": np.fmod,
}
MINMAX = ("fminnum", "fmaxnum", "fminimum", "fmaximum")
ROUNDING: dict[str, Callable[[Fraction], int]] = {
    "ffloor": math.floor,
    "fceil": math.ceil,
    "ftrunc": math.trunc,
    "froundeven": round,
    "fround": lambda q: math.floor(q + Fraction(1, 2)) if q > 0 else math.ceil(q - Fraction(1, 2)),
}


def test_every_float_operation_has_a_test() -> None:
    binary = {op.value for op in BinaryOp if op.value.startswith("f")}
    assert binary == {*ARITHMETIC, *MINMAX, "fcopysign"}
    unary = {op.value for op in UnaryOp if op.value.startswith("f")}
    assert unary == {*ROUNDING, "fneg", "fabs", "fsqrt"}


@pytest.mark.parametrize("width", FORMATS)
@pytest.mark.parametrize("op", ARITHMETIC)
def test_arithmetic(op: str, width: int) -> None:
    ty = f"f{width}"

    @SETTINGS
    @given(floats(width), floats(width))
    def check(a: int, b: int) -> None:
        with np.errstate(all="ignore"):
            expected = ARITHMETIC[op](to_numpy(a, width), to_numpy(b, width))
        found = evaluate(f"%r:{ty} = {op} %a, %b", (ty, ty), (a, b), (ty,))[0]
        _same(found, from_numpy(expected, width), width)

    check()


@pytest.mark.parametrize("width", FORMATS)
@pytest.mark.parametrize("op", MINMAX)
def test_minimum_and_maximum(op: str, width: int) -> None:
    ty = f"f{width}"

    @SETTINGS
    @given(floats(width), floats(width))
    @example(0, 1 << (width - 1))
    @example(1 << (width - 1), 0)
    def check(a: int, b: int) -> None:
        found = evaluate(f"%r:{ty} = {op} %a, %b", (ty, ty), (a, b), (ty,))[0]
        nans = [bits for bits in (a, b) if is_nan(bits, width)]
        numbers = [bits for bits in (a, b) if not is_nan(bits, width)]
        if not numbers or (nans and op.endswith("imum")):
            assert is_nan(found, width)
            return
        # Bits as sign and magnitude order as the numbers do, with -0.0 below +0.0.
        pick = min if op.startswith("fmin") else max
        expected = pick(numbers, key=lambda n: -(n ^ _sign(n, width)) - 1 if _sign(n, width) else n)
        assert found == expected

    check()


@pytest.mark.parametrize("width", FORMATS)
def test_sign_operations_keep_every_bit(width: int) -> None:
    ty = f"f{width}"

    @SETTINGS
    @given(floats(width), floats(width))
    def check(a: int, b: int) -> None:
        sign = 1 << (width - 1)
        assert evaluate(f"%r:{ty} = fneg %a", (ty,), (a,), (ty,)) == [a ^ sign]
        assert evaluate(f"%r:{ty} = fabs %a", (ty,), (a,), (ty,)) == [a & ~sign]
        copied = a & ~sign | b & sign
        assert evaluate(f"%r:{ty} = fcopysign %a, %b", (ty, ty), (a, b), (ty,)) == [copied]

    check()


@pytest.mark.parametrize("width", FORMATS)
def test_moves_keep_every_bit(width: int) -> None:
    ty, word = f"f{width}", f"i{width}"
    through_memory = (
        f"%x:ptr.local = alloca size 8, align 8 store %a, %x, align {width // 8} "
        f"%r:{ty} = load %x, align {width // 8}"
    )
    in_place = f"store %a, %out, align {width // 8} %r:{ty} = load %out, align {width // 8}"

    @SETTINGS
    @given(floats(width))
    def check(a: int) -> None:
        assert evaluate(f"%r:{word} = bitcast %a", (ty,), (a,), (word,)) == [a]
        assert evaluate(f"%r:{ty} = bitcast %a", (word,), (a,), (ty,)) == [a]
        assert evaluate(through_memory, (ty,), (a,), (ty,)) == [a]
        assert evaluate(in_place, (ty,), (a,), (ty,)) == [a]
        constant = f"%r:{ty} = select %a, 0x{a:x}:{ty}, undef:{ty}"
        assert evaluate(constant, ("i1",), (1,), (ty,)) == [a]

    check()


@pytest.mark.parametrize("width", FORMATS)
def test_square_root(width: int) -> None:
    ty = f"f{width}"

    @SETTINGS
    @given(floats(width))
    def check(a: int) -> None:
        with np.errstate(all="ignore"):
            expected = from_numpy(np.sqrt(to_numpy(a, width)), width)
        _same(evaluate(f"%r:{ty} = fsqrt %a", (ty,), (a,), (ty,))[0], expected, width)

    check()


@pytest.mark.parametrize("width", FORMATS)
@pytest.mark.parametrize("op", ROUNDING)
def test_rounding_to_integers(op: str, width: int) -> None:
    ty = f"f{width}"

    @SETTINGS
    @given(
        st.one_of(
            floats(width), st.integers(-40, 40).map(lambda n: nearest(n / Fraction(8), width))
        )
    )
    def check(a: int) -> None:
        found = evaluate(f"%r:{ty} = {op} %a", (ty,), (a,), (ty,))[0]
        if is_nan(a, width) or is_inf(a, width):
            _same(found, a, width)
            return
        number = ROUNDING[op](exact(a, width))
        assert found == nearest(Fraction(number), width) | _sign(a, width)

    check()


@pytest.mark.parametrize("width", FORMATS)
def test_fused_multiply_add(width: int) -> None:
    ty = f"f{width}"

    @settings(SETTINGS, max_examples=400)
    @given(floats(width), floats(width), floats(width), st.sampled_from(["as is", "cancel", "tie"]))
    def check(a: int, b: int, c: int, kind: str) -> None:
        finite = not any(is_nan(x, width) or is_inf(x, width) for x in (a, b))
        if finite and kind == "cancel":
            c = nearest(-exact(a, width) * exact(b, width), width)
        if finite and kind == "tie":
            # Far below the product, to decide what would otherwise be a tie.
            c = nearest(exact(a, width) * exact(b, width) / 2 ** (2 * FORMATS[width][1]), width)
        found = evaluate(f"%r:{ty} = fma %a, %b, %c", (ty, ty, ty), (a, b, c), (ty,))[0]
        if any(is_nan(x, width) or is_inf(x, width) for x in (a, b, c)):
            with np.errstate(all="ignore"):
                wide = [np.float64(to_numpy(x, width)) for x in (a, b, c)]
                # Only the signs of a and b matter beside an infinity or a NaN.
                x, y = (np.sign(v) if np.isfinite(v) else v for v in wide[:2])
                expected = x * y + wide[2]
            _same(found, from_numpy(expected, width), width)
            return
        total = exact(a, width) * exact(b, width) + exact(c, width)
        if total:
            assert found == nearest(total, width) | (1 << (width - 1)) * (total < 0)
            return
        product_sign = _sign(a, width) ^ _sign(b, width)
        both = product_sign if product_sign == _sign(c, width) else 0
        exact_zero = exact(c, width) == 0
        assert found == (both if exact_zero else 0)

    check()


@pytest.mark.parametrize("width", FORMATS)
def test_compare(width: int) -> None:
    ty = f"f{width}"
    models: dict[str, Callable[[Any, Any], Any]] = {
        "feq": lambda a, b: a == b,
        "fne": lambda a, b: a != b,
        "flt": lambda a, b: a < b,
        "fle": lambda a, b: a <= b,
        "fgt": lambda a, b: a > b,
        "fge": lambda a, b: a >= b,
    }
    assert set(models) == {op.value for op in CompareOp if op.value.startswith("f")}

    @SETTINGS
    @given(floats(width), floats(width), st.booleans())
    def check(a: int, b: int, same: bool) -> None:
        b = a if same else b
        for op, model in models.items():
            expected = int(model(to_numpy(a, width), to_numpy(b, width)))
            assert evaluate(f"%r:i1 = {op} %a, %b", (ty, ty), (a, b), ("i1",)) == [expected]

    check()


@pytest.mark.parametrize(("source", "target"), list(permutations(FORMATS, 2)))
def test_float_to_float(source: int, target: int) -> None:
    op = "fpext" if target > source else "fptrunc"

    @SETTINGS
    @given(floats(source))
    def check(a: int) -> None:
        line = f"%r:f{target} = {op} %a"
        found = evaluate(line, (f"f{source}",), (a,), (f"f{target}",))[0]
        if is_nan(a, source) or is_inf(a, source):
            with np.errstate(all="ignore"):
                _same(found, from_numpy(to_numpy(a, source), target), target)
            return
        sign = 1 << (target - 1) if _sign(a, source) else 0
        assert found == nearest(exact(a, source), target) | sign

    check()


@pytest.mark.parametrize("width", FORMATS)
@pytest.mark.parametrize("bits", WIDTHS)
def test_int_to_float(bits: int, width: int) -> None:
    @SETTINGS
    @given(ints(bits), st.integers(0, bits))
    def check(a: int, low: int) -> None:
        for number in (a, a >> low | 1 << (bits - 1) >> low):
            word, to = (f"i{bits}",), (f"f{width}",)
            found = evaluate(f"%r:f{width} = uitofp %a", word, (number,), to)
            assert found == [nearest(Fraction(number), width)]
            found = evaluate(f"%r:f{width} = sitofp %a", word, (number,), to)
            assert found == [nearest(Fraction(signed(number, bits)), width)]

    check()


@pytest.mark.parametrize(
    "a", [(1 << 60) + (1 << 36) + 1, (1 << 60) + (1 << 36), (1 << 63) | 1 << 39 | 1]
)
def test_int_to_f32_rounds_once(a: int) -> None:
    found = evaluate("%r:f32 = uitofp %a", ("i64",), (a,), ("f32",))
    assert found == [nearest(Fraction(a), 32)]


@pytest.mark.parametrize("width", FORMATS)
@pytest.mark.parametrize("bits", WIDTHS)
def test_float_to_int_saturates(bits: int, width: int) -> None:
    @SETTINGS
    @given(floats(width))
    def check(a: int) -> None:
        for op, low, high in (
            ("fptosi.sat", -(2 ** (bits - 1)), 2 ** (bits - 1) - 1),
            ("fptoui.sat", 0, 2**bits - 1),
        ):
            if is_nan(a, width):
                expected = 0
            elif is_inf(a, width):
                expected = low if _sign(a, width) else high
            else:
                expected = sorted((low, math.trunc(exact(a, width)), high))[1]
            found = evaluate(f"%r:i{bits} = {op} %a", (f"f{width}",), (a,), (f"i{bits}",))
            assert found == [expected % 2**bits]

    check()
