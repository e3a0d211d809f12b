"""Floating-point operations, of f32 and f64.

Sign-bit operations are integer operations on the bits: ``neg.f32`` and ``abs.f32`` may replace
a NaN.  No instruction flushes subnormals.
"""

from mirgpu.kir.ops import BinaryOp, CompareOp, UnaryOp
from mirgpu.targets.ptx.builder import FunctionBuilder, Scalar, integer
from mirgpu.targets.ptx.ir import Call as PtxCall
from mirgpu.targets.ptx.ir import CallArg, CallResult, FloatImm, Reg, Type
from mirgpu.targets.ptx.tables import (
    COMPARE_FLOAT,
    FLOAT_CONTRACT,
    FLOAT_EXACT,
    FLOAT_REMAINDER,
    FLOAT_ROUND,
)

_BITS = {Type.F32: Type.B32, Type.F64: Type.B64}
_WIDTH = {Type.F32: 32, Type.F64: 64}
_ONE = {Type.F32: 0x3F800000, Type.F64: 0x3FF0000000000000}
_HALF = {Type.F32: 0x3F000000, Type.F64: 0x3FE0000000000000}
_NAN = {Type.F32: 0x7FC00000, Type.F64: 0x7FF8000000000000}


def binary(b: FunctionBuilder, op: BinaryOp, ty: Type, lhs: Scalar, rhs: Scalar, dst: Reg) -> None:
    table = FLOAT_EXACT
    if b.module.options.fp_contract == "fast" and op in FLOAT_CONTRACT:
        table = FLOAT_CONTRACT
    opcode = table.get(op)
    if opcode is not None:
        b.op(opcode, ty, dst, lhs, rhs)
        return
    match op:
        case BinaryOp.FREM:
            helper = FLOAT_REMAINDER[ty]
            b.module.helpers[helper] = None
            args = (CallArg("arg$0", ty, lhs), CallArg("arg$1", ty, rhs))
            b.emit(PtxCall(f"mirgpu_{helper}", args, (CallResult(ty, 0, dst),), 0))
        case BinaryOp.FMINIMUM | BinaryOp.FMAXIMUM:
            _ieee_extremum(b, op is BinaryOp.FMINIMUM, ty, lhs, rhs, dst)
        case BinaryOp.FCOPYSIGN:
            bits = _BITS[ty]
            size = b.compute(bits, "and", bits, lhs, _below_sign(ty))
            sign = b.compute(bits, "and", bits, rhs, _sign(ty))
            b.op("or", bits, dst, size, sign)
        case _:
            raise AssertionError(f"{op} is not a float operation")


def _ieee_extremum(
    b: FunctionBuilder, least: bool, ty: Type, lhs: Scalar, rhs: Scalar, dst: Reg
) -> None:
    """``fminimum``, ``fmaximum``: a NaN wins, and -0 is less than +0."""
    # Equal operands differ at most in a zero's sign, so that "or" gives the lesser of them and
    # "and" the greater.
    bits = _BITS[ty]
    merged = b.compute(bits, "or" if least else "and", bits, lhs, rhs)
    opcode = "min" if least else "max"
    with_nan = b.temp(ty)
    if ty is Type.F32 and b.module.arch.has_min_nan:
        b.op(f"{opcode}.NaN", ty, with_nan, lhs, rhs)
    else:
        number = b.compute(ty, opcode, ty, lhs, rhs)
        unordered = b.setp("nan", ty, lhs, rhs)
        b.op("selp", ty, with_nan, FloatImm(ty, _NAN[ty]), number, unordered)
    equal = b.setp("eq", ty, lhs, rhs)
    b.op("selp", bits, dst, merged, with_nan, equal)


def unary(b: FunctionBuilder, op: UnaryOp, ty: Type, value: Scalar, dst: Reg) -> None:
    opcode = FLOAT_ROUND.get(op)
    if opcode is not None:
        b.op(opcode, (ty, ty), dst, value)
        return
    match op:
        case UnaryOp.FSQRT:
            b.op("sqrt.rn", ty, dst, value)
        case UnaryOp.FNEG:
            b.op("xor", _BITS[ty], dst, value, _sign(ty))
        case UnaryOp.FABS:
            b.op("and", _BITS[ty], dst, value, _below_sign(ty))
        case UnaryOp.FROUND:
            _round_half_away(b, ty, value, dst)
        case _:
            raise AssertionError(f"{op} is not a float operation")


def _round_half_away(b: FunctionBuilder, ty: Type, value: Scalar, dst: Reg) -> None:
    """Truncates, and takes a step of one away from zero where half or more was cut off.

    What was cut off is exact; at an infinity it is NaN, which takes no step.
    """
    bits = _BITS[ty]
    whole = b.compute(ty, "cvt.rzi", (ty, ty), value)
    cut = b.compute(ty, "sub.rn", ty, value, whole)
    size = b.compute(ty, "and", bits, cut, _below_sign(ty))
    sign = b.compute(bits, "and", bits, value, _sign(ty))
    one = b.compute(ty, "or", bits, sign, integer(_ONE[ty], _WIDTH[ty]))
    away = b.compute(ty, "add.rn", ty, whole, one)
    step = b.setp("ge", ty, size, FloatImm(ty, _HALF[ty]))
    b.op("selp", ty, dst, away, whole, step)


def compare(
    b: FunctionBuilder, op: CompareOp, ty: Type, lhs: Scalar, rhs: Scalar, dst: Reg
) -> None:
    b.op(f"setp.{COMPARE_FLOAT[op]}", ty, dst, lhs, rhs)


def _sign(ty: Type) -> Scalar:
    return integer(1 << (_WIDTH[ty] - 1), _WIDTH[ty])


def _below_sign(ty: Type) -> Scalar:
    return integer((1 << (_WIDTH[ty] - 1)) - 1, _WIDTH[ty])
