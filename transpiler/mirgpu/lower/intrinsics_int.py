"""Intrinsics of integers."""

from mirgpu.kir.ops import BinaryOp as K
from mirgpu.kir.ops import (
    CompareOp,
)
from mirgpu.kir.ops import UnaryOp as U
from mirgpu.kir.types import IntType
from mirgpu.lower.builder import int_const
from mirgpu.lower.context import FnContext
from mirgpu.lower.intrinsic_table import TABLE, Call, Lowering, names, unary
from mirgpu.lower.operators import binary, ordering, store_overflowing
from mirgpu.lower.types import is_signed, scalar_type
from mirgpu.lower.values import (
    Scalar,
    Val,
    address,
)
from mirgpu.mir.syntax import BinOp

# ------------------------------------------------------------------------------- integers


def _count(op: U) -> Lowering:
    def lowering(fx: FnContext, c: Call) -> Val:
        value = fx.b.unary(op, c.op(fx, 0))
        ty = scalar_type(c.dest.ty)
        assert ty is not None
        return Scalar(c.dest.ty, fx.b.resize(value, ty, signed=False))

    return lowering


for _op, _names_ in (
    (U.CTPOP, ("ctpop",)),
    (U.CTLZ, ("ctlz", "ctlz_nonzero")),
    (U.CTTZ, ("cttz", "cttz_nonzero")),
):
    for _name in _names_:
        TABLE[_name] = _count(_op)
TABLE["bswap"] = unary(U.BSWAP)
TABLE["bitreverse"] = unary(U.BITREVERSE)


@names("rotate_left", "rotate_right")
def _rotate(fx: FnContext, c: Call) -> Val:
    value = c.op(fx, 0)
    amount = fx.b.resize(c.op(fx, 1), value.type, signed=False)
    op = K.ROTL if c.name == "rotate_left" else K.ROTR
    return Scalar(c.dest.ty, fx.b.binary(op, value, amount))


@names("saturating_add", "saturating_sub")
def _saturating(fx: FnContext, c: Call) -> Val:
    table = {
        ("saturating_add", False): K.UADD_SAT,
        ("saturating_add", True): K.SADD_SAT,
        ("saturating_sub", False): K.USUB_SAT,
        ("saturating_sub", True): K.SSUB_SAT,
    }
    op = table[c.name, is_signed(c.ty(fx))]
    return Scalar(c.dest.ty, fx.b.binary(op, c.op(fx, 0), c.op(fx, 1)))


def _operator(op: BinOp) -> Lowering:
    return lambda fx, c: binary(fx, op, c.args[0], c.args[1], c.dest.ty)


for _name, _bin_op in (
    ("wrapping_add", BinOp.ADD),
    ("wrapping_sub", BinOp.SUB),
    ("wrapping_mul", BinOp.MUL),
    ("unchecked_add", BinOp.ADD),
    ("unchecked_sub", BinOp.SUB),
    ("unchecked_mul", BinOp.MUL),
    ("unchecked_div", BinOp.DIV),
    ("exact_div", BinOp.DIV),
    ("unchecked_rem", BinOp.REM),
    ("unchecked_shl", BinOp.SHL_UNCHECKED),
    ("unchecked_shr", BinOp.SHR_UNCHECKED),
    ("disjoint_bitor", BinOp.BIT_OR),
    ("unchecked_disjoint_bitor", BinOp.BIT_OR),
):
    TABLE[_name] = _operator(_bin_op)


@names("add_with_overflow", "sub_with_overflow", "mul_with_overflow")
def _with_overflow(fx: FnContext, c: Call) -> None:

    op = {
        "add": BinOp.ADD_WITH_OVERFLOW,
        "sub": BinOp.SUB_WITH_OVERFLOW,
        "mul": BinOp.MUL_WITH_OVERFLOW,
    }[c.name[:3]]
    store_overflowing(fx, c.dest, op, c.args[0], c.args[1])


@names("three_way_compare")
def _three_way(fx: FnContext, c: Call) -> None:
    fx.b.store(ordering(fx, c.args[0], c.args[1]), address(fx, c.dest), 1)


@names("unchecked_funnel_shl", "unchecked_funnel_shr")
def _funnel(fx: FnContext, c: Call) -> Val:
    high, low = c.op(fx, 0), c.op(fx, 1)
    assert isinstance(high.type, IntType)
    width = int_const(high.type, high.type.width)
    amount = fx.b.resize(c.op(fx, 2), high.type, signed=False)
    zero = fx.b.compare(CompareOp.EQ, amount, int_const(high.type, 0))
    safe = fx.b.select(zero, int_const(high.type, 1), amount)
    rest = fx.b.binary(K.SUB, width, safe)
    left = c.name.endswith("shl")
    a = fx.b.binary(K.SHL, high, safe if left else rest)
    b = fx.b.binary(K.LSHR, low, rest if left else safe)
    mixed = fx.b.binary(K.OR, a, b)
    return Scalar(c.dest.ty, fx.b.select(zero, high if left else low, mixed))
