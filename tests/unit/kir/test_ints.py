"""Integer operations against models that are written another way."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.kir.harness import WIDTHS, evaluate, ints, signed

from mirgpu.kir.ops import BinaryOp, CompareOp, OverflowOp, UnaryOp

SETTINGS = settings(deadline=None, derandomize=True, max_examples=40)
Model = Callable[[int, int, int], int]


def _digits(value: int, width: int) -> str:
    return format(value, f"0{width}b")


def _clamp(value: int, low: int, high: int) -> int:
    return sorted((low, value, high))[1]


def _signed_clamp(value: int, w: int) -> int:
    return _clamp(value, -(2 ** (w - 1)), 2 ** (w - 1) - 1)


def _rotate(value: int, amount: int, width: int) -> int:
    digits = _digits(value, width)
    amount %= width
    return int(digits[amount:] + digits[:amount], 2)


def _quotient(a: int, b: int) -> int:
    return math.trunc(Fraction(a, b))


BINARY: dict[str, Model] = {
    "add": lambda a, b, w: a + b,
    "sub": lambda a, b, w: a - b,
    "mul": lambda a, b, w: a * b,
    "and": lambda a, b, w: sum(1 << n for n in range(w) if a >> n & 1 and b >> n & 1),
    "or": lambda a, b, w: sum(1 << n for n in range(w) if a >> n & 1 or b >> n & 1),
    "xor": lambda a, b, w: sum(1 << n for n in range(w) if a >> n & 1 != b >> n & 1),
    "umin": lambda a, b, w: sorted((a, b))[0],
    "umax": lambda a, b, w: sorted((a, b))[1],
    "smin": lambda a, b, w: sorted((signed(a, w), signed(b, w)))[0],
    "smax": lambda a, b, w: sorted((signed(a, w), signed(b, w)))[1],
    "uadd.sat": lambda a, b, w: _clamp(a + b, 0, 2**w - 1),
    "usub.sat": lambda a, b, w: _clamp(a - b, 0, 2**w - 1),
    "sadd.sat": lambda a, b, w: _signed_clamp(signed(a, w) + signed(b, w), w),
    "ssub.sat": lambda a, b, w: _signed_clamp(signed(a, w) - signed(b, w), w),
    "rotl": lambda a, b, w: _rotate(a, b, w),
    "rotr": lambda a, b, w: _rotate(a, -b, w),
    "udiv": lambda a, b, w: math.floor(Fraction(a, b)),
    "urem": lambda a, b, w: a - b * math.floor(Fraction(a, b)),
    "sdiv": lambda a, b, w: _quotient(signed(a, w), signed(b, w)),
    "srem": lambda a, b, w: signed(a, w) - signed(b, w) * _quotient(signed(a, w), signed(b, w)),
    "shl": lambda a, b, w: a * 2**b,
    "lshr": lambda a, b, w: math.floor(Fraction(a, 2**b)),
    "ashr": lambda a, b, w: math.floor(Fraction(signed(a, w), 2**b)),
}
SHIFTS = ("shl", "lshr", "ashr")
DIVISIONS = ("udiv", "urem", "sdiv", "srem")


def test_every_integer_operation_has_a_model() -> None:
    assert set(BINARY) == {op.value for op in BinaryOp if not op.value.startswith("f")}
    assert set(UNARY) == {op.value for op in UnaryOp if not op.value.startswith("f")}
    assert set(COMPARE) == {op.value for op in CompareOp if not op.value.startswith("f")}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", BINARY)
def test_binary(op: str, width: int) -> None:
    ty = f"i{width}"

    @SETTINGS
    @given(ints(width), ints(width))
    def check(a: int, b: int) -> None:
        if op in SHIFTS:
            b %= width
        minimum = a == 1 << (width - 1) and b == (1 << width) - 1
        if op in DIVISIONS and (b == 0 or (op[0] == "s" and minimum)):
            b = 3
        expected = BINARY[op](a, b, width) % 2**width
        line = f"%r:{ty} = {op} %a, %b"
        assert evaluate(line, (ty, ty), (a, b), (ty,)) == [expected]

    check()


@pytest.mark.parametrize("a", [0, 1])
@pytest.mark.parametrize("b", [0, 1])
def test_bools(a: int, b: int) -> None:
    for op in ("and", "or", "xor"):
        expected = BINARY[op](a, b, 1)
        assert evaluate(f"%r:i1 = {op} %a, %b", ("i1", "i1"), (a, b), ("i1",)) == [expected]
    for op, model in COMPARE.items():
        expected = model(a, b, 1)
        assert evaluate(f"%r:i1 = {op} %a, %b", ("i1", "i1"), (a, b), ("i1",)) == [expected]
    assert evaluate("%r:i32 = sext %a", ("i1",), (a,), ("i32",)) == [-a % 2**32]
    assert evaluate("%r:i32 = zext %a", ("i1",), (a,), ("i32",)) == [a]
    assert evaluate("%r:f32 = uitofp %a", ("i1",), (a,), ("f32",)) == [a * 0x3F800000]
    assert evaluate("%r:f32 = sitofp %a", ("i1",), (a,), ("f32",)) == [a * 0xBF800000]
    assert evaluate("%r:i1 = trunc %a", ("i8",), (a + 6,), ("i1",)) == [a]


UNARY: dict[str, Callable[[int, int], int]] = {
    "ctpop": lambda a, w: _digits(a, w).count("1"),
    "ctlz": lambda a, w: len(_digits(a, w)) - len(_digits(a, w).lstrip("0")),
    "cttz": lambda a, w: len(_digits(a, w)) - len(_digits(a, w).rstrip("0")),
    "bswap": lambda a, w: sum((a >> n & 255) << (w - 8 - n) for n in range(0, w, 8)),
    "bitreverse": lambda a, w: sum((a >> n & 1) << (w - 1 - n) for n in range(w)),
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", UNARY)
def test_unary(op: str, width: int) -> None:
    ty = f"i{width}"

    @SETTINGS
    @given(ints(width))
    def check(a: int) -> None:
        expected = UNARY[op](a, width)
        assert evaluate(f"%r:{ty} = {op} %a", (ty,), (a,), (ty,)) == [expected]

    check()


COMPARE: dict[str, Callable[[int, int, int], bool]] = {
    "eq": lambda a, b, w: a == b,
    "ne": lambda a, b, w: a != b,
    "ult": lambda a, b, w: a - b < 0,
    "ule": lambda a, b, w: a - b <= 0,
    "ugt": lambda a, b, w: a - b > 0,
    "uge": lambda a, b, w: a - b >= 0,
    "slt": lambda a, b, w: signed(a, w) - signed(b, w) < 0,
    "sle": lambda a, b, w: signed(a, w) - signed(b, w) <= 0,
    "sgt": lambda a, b, w: signed(a, w) - signed(b, w) > 0,
    "sge": lambda a, b, w: signed(a, w) - signed(b, w) >= 0,
}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", COMPARE)
def test_compare(op: str, width: int) -> None:
    ty = f"i{width}"

    @SETTINGS
    @given(ints(width), ints(width), st.booleans())
    def check(a: int, b: int, same: bool) -> None:
        b = a if same else b
        line = f"%r:i1 = {op} %a, %b"
        expected = COMPARE[op](a, b, width)
        assert evaluate(line, (ty, ty), (a, b), ("i1",)) == [expected]
        if width == 64:
            pointers = ("ptr.generic", "ptr.generic")
            assert evaluate(line, pointers, (a, b), ("i1",)) == [expected]

    check()


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("op", [op.value for op in OverflowOp])
def test_overflow(op: str, width: int) -> None:
    ty = f"i{width}"

    @SETTINGS
    @given(ints(width), ints(width))
    def check(a: int, b: int) -> None:
        x, y = (signed(a, width), signed(b, width)) if op[0] == "s" else (a, b)
        true = {"add": x + y, "sub": x - y, "mul": x * y}[op[1:4]]
        low, high = (-(2 ** (width - 1)), 2 ** (width - 1)) if op[0] == "s" else (0, 2**width)
        expected = [true % 2**width, int(true not in range(low, high))]
        line = f"%r:{ty}, %s:i1 = {op} %a, %b"
        assert evaluate(line, (ty, ty), (a, b), (ty, "i1")) == expected

    check()


@pytest.mark.parametrize(("narrow", "wide"), list(combinations(WIDTHS, 2)))
def test_widths(narrow: int, wide: int) -> None:
    small, large = f"i{narrow}", f"i{wide}"

    @SETTINGS
    @given(ints(narrow), ints(wide))
    def check(a: int, b: int) -> None:
        assert evaluate(f"%r:{large} = zext %a", (small,), (a,), (large,)) == [a]
        extended = signed(a, narrow) % 2**wide
        assert evaluate(f"%r:{large} = sext %a", (small,), (a,), (large,)) == [extended]
        assert evaluate(f"%r:{small} = trunc %a", (large,), (b,), (small,)) == [b % 2**narrow]

    check()


@SETTINGS
@given(ints(64))
def test_pointers_are_integers(a: int) -> None:
    assert evaluate("%r:i64 = ptrtoint %a", ("ptr.generic",), (a,), ("i64",)) == [a]
    assert evaluate("%r:ptr.generic = inttoptr %a", ("i64",), (a,), ("ptr.generic",)) == [a]
    line = "%x:ptr.shared = addrspacecast %a %r:ptr.generic = addrspacecast %x"
    assert evaluate(line, ("ptr.generic",), (a,), ("ptr.generic",)) == [a]


@SETTINGS
@given(ints(64), ints(64), st.integers(-9, 9), st.integers(-99, 99))
def test_ptradd_wraps(a: int, b: int, stride: int, offset: int) -> None:
    line = f"%r:ptr.generic = ptradd %a, %b * {stride} + {offset}"
    expected = (a + b * stride + offset) % 2**64
    pointer = ("ptr.generic",)
    assert evaluate(line, ("ptr.generic", "i64"), (a, b), pointer) == [expected]
    constant = line.replace("%b", f"{b}:i64")
    assert evaluate(constant, pointer, (a,), pointer) == [expected]


@pytest.mark.parametrize("ty", ["i1", "i8", "i128", "f16", "f32", "f64", "ptr.generic"])
def test_select_moves_either(ty: str) -> None:
    line = f"%r:{ty} = select %a, %b, %c"
    for cond in (0, 1):
        expected = [1 if cond else 0]
        assert evaluate(line, ("i1", ty, ty), (cond, 1, 0), (ty,)) == expected
