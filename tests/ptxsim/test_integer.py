"""Integer instructions: hand-computed values and the edges that the ISA names."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ptxsim import PtxError
from tests.ptxsim.calc import calc, snippet

M32, M64 = (1 << 32) - 1, (1 << 64) - 1
MIN32, MIN64 = 1 << 31, 1 << 63
fixed = settings(deadline=None, derandomize=True, max_examples=60)


def neg(value: int, width: int = 32) -> int:
    """The bits of ``-value``."""
    return -value & ((1 << width) - 1)


def signed(bits: int, width: int) -> int:
    """The number that bits mean in two's complement."""
    return int.from_bytes(bits.to_bytes(width // 8, "little"), "little", signed=True)


@pytest.mark.parametrize(
    ("instruction", "type_", "a", "b", "d"),
    [
        ("add.u32", "u32", M32, 2, 1),
        ("add.s32", "s32", 0x7FFFFFFF, 1, MIN32),
        ("add.u16", "u16", 0xFFFF, 1, 0),
        ("add.u64", "u64", M64, 1, 0),
        ("add.sat.s32", "s32", 0x7FFFFFFF, 1, 0x7FFFFFFF),
        ("add.sat.s32", "s32", MIN32, neg(1), MIN32),
        ("add.sat.s32", "s32", 5, neg(7), neg(2)),
        ("sub.u32", "u32", 1, 2, M32),
        ("sub.s64", "s64", MIN64, 1, MIN64 - 1),
        ("sub.sat.s32", "s32", MIN32, 1, MIN32),
        ("sub.sat.s32", "s32", 0, MIN32, 0x7FFFFFFF),
        ("mul.lo.u32", "u32", 0x10001, 0x10001, 0x20001),
        ("mul.lo.s32", "s32", neg(3), 5, neg(15)),
        ("mul.hi.u32", "u32", M32, M32, M32 - 1),
        ("mul.hi.s32", "s32", M32, M32, 0),
        ("mul.hi.s32", "s32", MIN32, MIN32, 0x40000000),
        ("mul.hi.s32", "s32", MIN32, 1, M32),
        ("mul.hi.u64", "u64", M64, M64, M64 - 1),
        ("mul.hi.s64", "s64", MIN64, 2, M64),
        ("mul.hi.u16", "u16", 0xFFFF, 0xFFFF, 0xFFFE),
        ("div.u32", "u32", M32, 2, 0x7FFFFFFF),
        ("div.s32", "s32", neg(7), 2, neg(3)),
        ("div.s32", "s32", 7, neg(2), neg(3)),
        ("div.s64", "s64", neg(7, 64), neg(2, 64), 3),
        ("rem.u32", "u32", M32, 10, 5),
        ("rem.s32", "s32", neg(7), 2, neg(1)),
        ("rem.s32", "s32", 7, neg(2), 1),
        ("rem.s16", "s16", 0xFFF9, 2, 0xFFFF),
        ("min.u32", "u32", M32, 1, 1),
        ("min.s32", "s32", M32, 1, M32),
        ("max.u64", "u64", M64, 1, M64),
        ("max.s64", "s64", M64, 1, 1),
        ("min.s16", "s16", 0x8000, 0x7FFF, 0x8000),
        ("and.b32", "b32", 0xFF00FF00, 0x0FF00FF0, 0x0F000F00),
        ("or.b64", "b64", MIN64, 1, MIN64 + 1),
        ("xor.b16", "b16", 0xFFFF, 0x00FF, 0xFF00),
    ],
)
def test_binary(instruction: str, type_: str, a: int, b: int, d: int) -> None:
    assert calc(instruction, type_, a, b) == d


@pytest.mark.parametrize(
    ("instruction", "type_", "a", "d"),
    [
        ("neg.s32", "s32", 5, neg(5)),
        ("neg.s32", "s32", MIN32, MIN32),
        ("neg.s64", "s64", MIN64, MIN64),
        ("neg.s16", "s16", 1, 0xFFFF),
        ("abs.s32", "s32", neg(5), 5),
        ("abs.s32", "s32", MIN32, MIN32),
        ("abs.s64", "s64", neg(9, 64), 9),
        ("not.b32", "b32", 0xF0F0F0F0, 0x0F0F0F0F),
        ("not.b64", "b64", 0, M64),
        ("cnot.b32", "b32", 0, 1),
        ("cnot.b32", "b32", 77, 0),
        ("brev.b32", "b32", 1, MIN32),
        ("brev.b32", "b32", 0x0000F00D, 0xB00F0000),
        ("brev.b64", "b64", 2, 1 << 62),
    ],
)
def test_unary(instruction: str, type_: str, a: int, d: int) -> None:
    assert calc(instruction, type_, a) == d


@pytest.mark.parametrize(
    ("instruction", "type_", "a", "d"),
    [
        ("clz.b32", "b32", 0, 32),
        ("clz.b32", "b32", 1, 31),
        ("clz.b32", "b32", M32, 0),
        ("clz.b64", "b64", 0, 64),
        ("clz.b64", "b64", 1 << 32, 31),
        ("popc.b32", "b32", 0xF0F00001, 9),
        ("popc.b64", "b64", M64, 64),
        ("bfind.u32", "u32", 0, M32),
        ("bfind.u32", "u32", 1, 0),
        ("bfind.u32", "u32", MIN32, 31),
        ("bfind.s32", "s32", M32, M32),
        ("bfind.s32", "s32", 0, M32),
        ("bfind.s32", "s32", neg(2), 0),
        ("bfind.s32", "s32", MIN32, 30),
        ("bfind.u64", "u64", 1 << 40, 40),
        ("bfind.s64", "s64", M64, M32),
        ("bfind.shiftamt.u32", "u32", 1, 31),
        ("bfind.shiftamt.u32", "u32", 0, M32),
        ("bfind.shiftamt.s64", "s64", 1, 63),
    ],
)
def test_count(instruction: str, type_: str, a: int, d: int) -> None:
    assert calc(instruction, type_, a, out="u32") == d


@pytest.mark.parametrize(
    ("instruction", "type_", "a", "amount", "d"),
    [
        ("shl.b32", "b32", 1, 31, MIN32),
        ("shl.b32", "b32", 1, 32, 0),
        ("shl.b32", "b32", M32, M32, 0),
        ("shl.b64", "b64", 1, 63, MIN64),
        ("shl.b64", "b64", 1, 64, 0),
        ("shl.b16", "b16", 0xFFFF, 15, 0x8000),
        ("shl.b16", "b16", 1, 16, 0),
        ("shr.u32", "u32", MIN32, 31, 1),
        ("shr.u32", "u32", M32, 32, 0),
        ("shr.u64", "u64", M64, 64, 0),
        ("shr.s32", "s32", MIN32, 31, M32),
        ("shr.s32", "s32", MIN32, 32, M32),
        ("shr.s32", "s32", 0x7FFFFFFF, M32, 0),
        ("shr.s64", "s64", MIN64, 1000, M64),
        ("shr.s16", "s16", 0x8000, 16, 0xFFFF),
        ("shr.b32", "b32", MIN32, 4, 0x08000000),
    ],
)
def test_shift(instruction: str, type_: str, a: int, amount: int, d: int) -> None:
    """The amount is a u32 whatever the type, and clamps at the width."""
    assert snippet(f"{instruction} %d, %a, %b;", (type_, "u32"), (type_,))(a, amount) == d


@pytest.mark.parametrize(
    ("mode", "amount", "d"),
    [
        ("l.wrap", 0, 0xAAAABBBB),
        ("l.wrap", 8, 0xAABBBBCC),
        ("l.wrap", 32, 0xAAAABBBB),
        ("l.wrap", 40, 0xAABBBBCC),
        ("l.clamp", 8, 0xAABBBBCC),
        ("l.clamp", 32, 0xCCCCDDDD),
        ("l.clamp", M32, 0xCCCCDDDD),
        ("r.wrap", 0, 0xCCCCDDDD),
        ("r.wrap", 8, 0xBBCCCCDD),
        ("r.wrap", 33, 0xE6666EEE),
        ("r.clamp", 8, 0xBBCCCCDD),
        ("r.clamp", 32, 0xAAAABBBB),
        ("r.clamp", 100, 0xAAAABBBB),
    ],
)
def test_funnel_shift(mode: str, amount: int, d: int) -> None:
    """``%a`` is the low word, ``%b`` the high one."""
    assert calc(f"shf.{mode}.b32", "b32", 0xCCCCDDDD, 0xAAAABBBB, amount) == d


A, B = 0x33221100, 0x77665544


@pytest.mark.parametrize(
    ("selector", "d"),
    [
        (0x3210, A),
        (0x7654, B),
        (0x0123, 0x00112233),
        (0xFFFF3210, A),
        (0x5140, 0x55114400),
    ],
)
def test_prmt(selector: int, d: int) -> None:
    """Only the selector's low 16 bits count."""
    assert calc("prmt.b32", "b32", A, B, selector) == d


def test_prmt_replicates_signs() -> None:
    assert calc("prmt.b32", "b32", 0x00FF807F, 0, 0xBA98) == 0x00FFFF00


@pytest.mark.parametrize(
    ("mode", "expected"),
    [
        ("f4e", [0x33221100, 0x44332211, 0x55443322, 0x66554433]),
        ("b4e", [0x55667700, 0x66770011, 0x77001122, 0x00112233]),
        ("rc8", [0x00000000, 0x11111111, 0x22222222, 0x33333333]),
        ("ecl", [0x33221100, 0x33221111, 0x33222222, 0x33333333]),
        ("ecr", [0x00000000, 0x11111100, 0x22221100, 0x33221100]),
        ("rc16", [0x11001100, 0x33223322, 0x11001100, 0x33223322]),
    ],
)
def test_prmt_modes(mode: str, expected: list[int]) -> None:
    """Only the selector's low 2 bits count."""
    for control, d in enumerate(expected):
        assert calc(f"prmt.b32.{mode}", "b32", A, B, control) == d
        assert calc(f"prmt.b32.{mode}", "b32", A, B, control + 0xFC) == d


@pytest.mark.parametrize(
    ("type_", "a", "pos", "length", "d"),
    [
        ("u32", 0xABCD1234, 8, 8, 0x12),
        ("u32", 0xABCD1234, 0, 32, 0xABCD1234),
        ("u32", 0xABCD1234, 28, 8, 0xA),
        ("u32", 0xABCD1234, 4, 0, 0),
        ("u32", 0xABCD1234, 32, 8, 0),
        ("u32", 0xABCD1234, 256 + 8, 256 + 8, 0x12),
        ("s32", 0xABCD1234, 16, 8, 0xFFFFFFCD),
        ("s32", 0xABCD1234, 8, 8, 0x12),
        ("s32", 0xABCD1234, 28, 8, 0xFFFFFFFA),
        ("s32", 0xABCD1234, 40, 8, M32),
        ("s32", 0x7BCD1234, 40, 8, 0),
        ("s32", 0xABCD1234, 40, 0, 0),
        ("s32", 0xABCD1234, 255, 255, M32),
        ("u64", 0xABCD << 40, 40, 16, 0xABCD),
        ("s64", MIN64, 60, 4, neg(8, 64)),
        ("s64", MIN64, 0, 255, MIN64),
    ],
)
def test_bfe(type_: str, a: int, pos: int, length: int, d: int) -> None:
    found = snippet(f"bfe.{type_} %d, %a, %b, %c;", (type_, "u32", "u32"), (type_,))
    assert found(a, pos, length) == d


@pytest.mark.parametrize(
    ("type_", "a", "b", "pos", "length", "d"),
    [
        ("b32", 0xFF, 0, 8, 4, 0xF00),
        ("b32", 0, M32, 8, 8, 0xFFFF00FF),
        ("b32", 0xAB, 0x11111111, 28, 8, 0xB1111111),
        ("b32", 0xAB, 0x11111111, 32, 8, 0x11111111),
        ("b32", 0xAB, 0x11111111, 4, 0, 0x11111111),
        ("b32", 0xAB, 0x11111111, 0, 255, 0xAB),
        ("b32", 0xAB, 0x11111111, 260, 260, 0x111111B1),
        ("b64", M64, 0, 60, 4, 0xF << 60),
        ("b64", 1, 0, 63, 64, MIN64),
    ],
)
def test_bfi(type_: str, a: int, b: int, pos: int, length: int, d: int) -> None:
    body = f"bfi.{type_} %d, %a, %b, %c, %e;"
    assert snippet(body, (type_, type_, "u32", "u32"), (type_,))(a, b, pos, length) == d


@pytest.mark.parametrize(
    ("instruction", "type_", "wide", "a", "b", "c", "d"),
    [
        ("mad.lo.u32", "u32", "u32", 3, 5, 7, 22),
        ("mad.lo.s32", "s32", "s32", MIN32, 2, neg(1), M32),
        ("mad.hi.u32", "u32", "u32", M32, M32, 5, 3),
        ("mad.hi.s32", "s32", "s32", MIN32, 2, 1, 0),
        ("mad.lo.s64", "s64", "s64", neg(3, 64), 5, 1, neg(14, 64)),
        ("mad.wide.u32", "u32", "u64", M32, M32, 1, 0xFFFFFFFE00000002),
        ("mad.wide.s32", "s32", "s64", M32, 7, 3, neg(4, 64)),
        ("mad.wide.u32", "u32", "u64", M32, M32, M64, 0xFFFFFFFE00000000),
        ("mad.wide.u16", "u16", "u32", 0xFFFF, 0xFFFF, 1, 0xFFFE0002),
    ],
)
def test_mad(instruction: str, type_: str, wide: str, a: int, b: int, c: int, d: int) -> None:
    body = f"{instruction} %d, %a, %b, %c;"
    assert snippet(body, (type_, type_, wide), (wide,))(a, b, c) == d


def test_mul_wide() -> None:
    assert calc("mul.wide.u32", "u32", M32, M32, out="u64") == 0xFFFFFFFE00000001
    assert calc("mul.wide.s32", "s32", M32, M32, out="s64") == 1
    assert calc("mul.wide.s32", "s32", MIN32, 2, out="s64") == neg(1 << 32, 64)
    assert calc("mul.wide.s16", "s16", 0x8000, 0x8000, out="s32") == 0x40000000


def test_carry_chains() -> None:
    """128 bits in words of 64, and of 32 with a carry through three words."""
    add = snippet("add.cc.u64 %d, %a, %b; addc.u64 %q, %c, %e;", ("u64",) * 4, ("u64",) * 2)
    assert add(M64, 1, 5, 7) == (0, 13)
    assert add(M64 - 1, 1, 5, 7) == (M64, 12)
    sub = snippet("sub.cc.u64 %d, %a, %b; subc.u64 %q, %c, %e;", ("u64",) * 4, ("u64",) * 2)
    assert sub(0, 1, 5, 7) == (M64, neg(3, 64))
    assert sub(1, 1, 5, 7) == (0, neg(2, 64))
    body = "add.cc.u32 %d, %a, %b; addc.cc.u32 %d, %a, 0; addc.u32 %d, %c, %c; addc.u32 %q, %c, %c;"
    chain = snippet(body, ("u32",) * 3, ("u32", "u32"))
    assert chain(M32, M32, 4) == (9, 9)
    assert chain(1, 1, 4) == (8, 8)
    borrow = "sub.cc.u32 %d, %a, %b; subc.cc.u32 %d, %a, %a; subc.u32 %q, %c, 0;"
    assert snippet(borrow, ("u32",) * 3, ("u32", "u32"))(0, 1, 9) == (M32, 8)


def test_a_carry_that_nobody_set_is_undefined() -> None:
    with pytest.raises(PtxError, match="never written"):
        calc("addc.u32", "u32", 1, 2)


@pytest.mark.parametrize(("a", "b"), [(1, 0), (0, 0), (MIN32, M32)])
@pytest.mark.parametrize("op", ["div", "rem"])
def test_what_division_leaves_open_is_undefined(op: str, a: int, b: int) -> None:
    """No error as such, as the result may go unused; to use it is one."""
    divide = f"{op}.s32 %d, %a, %b;"
    unused = snippet(f"{divide} mov.s32 %d, %a;", ("s32", "s32"), ("s32",))
    assert unused(a, b) == a
    with pytest.raises(PtxError, match="never written"):
        snippet(f"{divide} add.s32 %d, %d, 1;", ("s32", "s32"), ("s32",))(a, b)


@fixed
@given(st.sampled_from([16, 32, 64]), st.integers(0, M64), st.integers(0, M64))
def test_against_python(width: int, a: int, b: int) -> None:
    """Wrapping arithmetic is arithmetic modulo a power of two."""
    mask = (1 << width) - 1
    a, b = a & mask, b & mask
    x, y = signed(a, width), signed(b, width)
    assert calc(f"add.s{width}", f"s{width}", a, b) == (a + b) & mask
    assert calc(f"sub.u{width}", f"u{width}", a, b) == (a - b) & mask
    assert calc(f"mul.lo.s{width}", f"s{width}", a, b) == a * b & mask
    assert calc(f"mul.hi.u{width}", f"u{width}", a, b) == a * b >> width
    assert calc(f"mul.hi.s{width}", f"s{width}", a, b) == x * y >> width & mask
    assert calc(f"min.s{width}", f"s{width}", a, b) == min(x, y) & mask
    if y and not (y == -1 and x == -(1 << (width - 1))):
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        assert calc(f"div.s{width}", f"s{width}", a, b) == quotient & mask
        assert calc(f"rem.s{width}", f"s{width}", a, b) == (x - quotient * y) & mask


@pytest.mark.parametrize(
    ("op", "type_", "a", "b", "holds"),
    [
        ("eq", "b32", M32, M32, True),
        ("ne", "s64", 0, MIN64, True),
        ("lt", "u32", 1, M32, True),
        ("lt", "s32", 1, M32, False),
        ("ge", "s32", 1, M32, True),
        ("le", "u64", MIN64, MIN64 - 1, False),
        ("le", "s64", MIN64, MIN64 - 1, True),
        ("gt", "s16", 0x8000, 0, False),
        ("lo", "u32", 1, M32, True),
        ("ls", "u32", 2, 2, True),
        ("hi", "u32", 2, 2, False),
        ("hs", "u32", M32, 2, True),
    ],
)
def test_setp(op: str, type_: str, a: int, b: int, holds: bool) -> None:
    assert calc(f"setp.{op}.{type_}", type_, a, b, out="pred") == holds


@pytest.mark.parametrize(
    ("combine", "table"),
    [
        ("and", {(0, 0): (0, 0), (0, 1): (0, 1), (1, 0): (0, 0), (1, 1): (1, 0)}),
        ("or", {(0, 0): (0, 1), (0, 1): (1, 1), (1, 0): (1, 0), (1, 1): (1, 1)}),
        ("xor", {(0, 0): (0, 1), (0, 1): (1, 0), (1, 0): (1, 0), (1, 1): (0, 1)}),
    ],
)
def test_setp_combines(combine: str, table: dict[tuple[int, int], tuple[int, int]]) -> None:
    """The second result takes the opposite comparison, and the same third operand."""
    body = f"setp.ne.{combine}.u32 %d|%q, %a, 0, %b;"
    both = snippet(body, ("u32", "pred"), ("pred", "pred"))
    negated = snippet(body.replace("%b;", "!%b;"), ("u32", "pred"), ("pred", "pred"))
    for (test, other), expected in table.items():
        assert both(test, other) == expected
        assert negated(test, 1 - other) == expected


def test_predicates() -> None:
    two = ("pred", "pred")
    for a in (0, 1):
        assert snippet("not.pred %d, %a;", ("pred",), ("pred",))(a) == 1 - a
        assert snippet("mov.pred %d, %a;", ("pred",), ("pred",))(a) == a
        for b in (0, 1):
            assert snippet("and.pred %d, %a, %b;", two, ("pred",))(a, b) == (a & b)
            assert snippet("or.pred %d, %a, %b;", two, ("pred",))(a, b) == (a | b)
            assert snippet("xor.pred %d, %a, %b;", two, ("pred",))(a, b) == (a ^ b)
    select = snippet("selp.b64 %d, %a, %b, %c;", ("b64", "b64", "pred"), ("b64",))
    assert select(1, 2, 1) == 1
    assert select(1, 2, 0) == 2


@pytest.mark.parametrize(
    ("literal", "bits"),
    [("0x10", 16), ("0b101", 5), ("017", 15), ("-1", M32), ("4294967295U", M32), ("0", 0)],
)
def test_literals(literal: str, bits: int) -> None:
    assert snippet(f"add.u32 %d, %a, {literal};", ("u32",), ("u32",))(0) == bits
