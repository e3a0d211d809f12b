"""Intrinsics of floats."""

from mirgpu.kir.ops import BinaryOp as K
from mirgpu.kir.ops import (
    CastOp,
    CompareOp,
    FloatConst,
    FusedMulAdd,
    IntConst,
    Operand,
    Value,
)
from mirgpu.kir.ops import UnaryOp as U
from mirgpu.kir.types import F32, I32, FloatType, size_of
from mirgpu.lower.builder import int_const
from mirgpu.lower.context import FnContext
from mirgpu.lower.intrinsic_table import TABLE, Call, binary, names, unary
from mirgpu.lower.types import is_signed, scalar_type
from mirgpu.lower.values import (
    Scalar,
    Val,
)

# --------------------------------------------------------------------------------- floats


def _float_names(*names: str) -> tuple[str, ...]:
    return (*(f"{n}f32" for n in names), *(f"{n}f64" for n in names), *names)


_UNARY: tuple[tuple[U, tuple[str, ...]], ...] = (
    (U.FSQRT, ("sqrt",)),
    (U.FFLOOR, ("floor",)),
    (U.FCEIL, ("ceil",)),
    (U.FTRUNC, ("trunc",)),
    (U.FROUND, ("round",)),
    (U.FROUNDEVEN, ("round_ties_even_", "round_ties_even", "rint", "nearbyint")),
    (U.FABS, ("fabs",)),
)
for _op, _float in _UNARY:
    for _name in _float_names(*_float):
        TABLE[_name] = unary(_op)
TABLE["round_ties_even_f32"] = TABLE["round_ties_even_f64"] = unary(U.FROUNDEVEN)

_BINARY: tuple[tuple[K, tuple[str, ...]], ...] = (
    (K.FCOPYSIGN, ("copysign",)),
    (K.FMINNUM, ("minnum", "minimum_number_nsz_")),
    (K.FMAXNUM, ("maxnum", "maximum_number_nsz_")),
    (K.FMINIMUM, ("minimum",)),
    (K.FMAXIMUM, ("maximum",)),
)
for _bin, _float in _BINARY:
    for _name in _float_names(*_float):
        TABLE[_name] = binary(_bin)
TABLE["minimum_number_nsz"] = binary(K.FMINNUM)
TABLE["maximum_number_nsz"] = binary(K.FMAXNUM)

for _bin, _name in (
    (K.FADD, "fadd"),
    (K.FSUB, "fsub"),
    (K.FMUL, "fmul"),
    (K.FDIV, "fdiv"),
    (K.FREM, "frem"),
):
    TABLE[f"{_name}_algebraic"] = TABLE[f"{_name}_fast"] = binary(_bin)


@names(*_float_names("fma", "fmuladd"))
def _fma(fx: FnContext, c: Call) -> Val:
    a, b, d = (c.op(fx, i) for i in range(3))
    if "muladd" in c.name:
        return Scalar(c.dest.ty, fx.b.binary(K.FADD, fx.b.binary(K.FMUL, a, b), d))
    result = Value(a.type)
    fx.b.emit(FusedMulAdd(result, a, b, d, fx.b.loc))
    return Scalar(c.dest.ty, result)


@names("powif32", "powif64")
def _powi(fx: FnContext, c: Call) -> Val:
    """By squaring, as LLVM's runtime library does; constant exponents have no loop."""
    base, exponent = c.op(fx, 0), c.op(fx, 1)
    assert isinstance(base.type, FloatType)
    one = FloatConst(base.type, 0x3F800000 if base.type == F32 else 0x3FF0000000000000)
    if isinstance(exponent, IntConst):
        return Scalar(c.dest.ty, _powi_const(fx, base, exponent, one))
    return Scalar(c.dest.ty, _powi_loop(fx, base, exponent, one))


def _powi_const(fx: FnContext, base: Operand, exponent: IntConst, one: FloatConst) -> Operand:
    signed = exponent.value - (1 << 32) if exponent.value >> 31 else exponent.value
    left, result = abs(signed), None
    while True:
        if left & 1:
            result = base if result is None else fx.b.binary(K.FMUL, result, base)
        left >>= 1
        if left == 0:
            break
        base = fx.b.binary(K.FMUL, base, base)
    value: Operand = one if result is None else result
    return fx.b.binary(K.FDIV, one, value) if signed < 0 else value


def _powi_loop(fx: FnContext, base: Operand, exponent: Operand, one: FloatConst) -> Operand:
    from mirgpu.lower.builder import LOCAL

    size = size_of(base.type)
    factor, result, left = (fx.b.alloca(s, s, None) for s in (size, size, 4))
    assert factor.type == LOCAL
    fx.b.store(base, factor, size)
    fx.b.store(one, result, size)
    negative = fx.b.compare(CompareOp.SLT, exponent, int_const(I32, 0))
    flipped = fx.b.binary(K.SUB, int_const(I32, 0), exponent)
    fx.b.store(fx.b.select(negative, flipped, exponent), left, 4)
    head, odd, next_, more, done = (
        fx.b.fresh(f"powi.{part}") for part in ("head", "odd", "next", "more", "done")
    )
    fx.b.br(head)
    fx.b.start(head)
    now = fx.b.load(I32, left, 4)
    bit = fx.b.compare(CompareOp.NE, fx.b.binary(K.AND, now, int_const(I32, 1)), int_const(I32, 0))
    fx.b.cond_br(bit, odd, next_)
    fx.b.start(odd)
    ty = base.type
    product = fx.b.binary(K.FMUL, fx.b.load(ty, result, size), fx.b.load(ty, factor, size))
    fx.b.store(product, result, size)
    fx.b.br(next_)
    fx.b.start(next_)
    half = fx.b.binary(K.LSHR, fx.b.load(I32, left, 4), int_const(I32, 1))
    fx.b.store(half, left, 4)
    fx.b.cond_br(fx.b.compare(CompareOp.NE, half, int_const(I32, 0)), more, done)
    fx.b.start(more)
    square = fx.b.load(ty, factor, size)
    fx.b.store(fx.b.binary(K.FMUL, square, square), factor, size)
    fx.b.br(head)
    fx.b.start(done)
    value = fx.b.load(ty, result, size)
    return fx.b.select(negative, fx.b.binary(K.FDIV, one, value), value)


@names("float_to_int_unchecked")
def _float_to_int(fx: FnContext, c: Call) -> Val:
    ty = scalar_type(c.dest.ty)
    assert ty is not None
    op = CastOp.FPTOSI_SAT if is_signed(c.dest.ty) else CastOp.FPTOUI_SAT
    return Scalar(c.dest.ty, fx.b.cast(op, c.op(fx, 0), ty))
