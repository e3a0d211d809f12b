"""Values of one size as another type: what a union or a transmute does."""

from typing import assert_never

from mirgpu.kir.ops import (
    Cast,
    CastOp,
    FloatConst,
    Instruction,
    IntConst,
    Location,
    Operand,
    PtrConst,
    Undef,
    Value,
)
from mirgpu.kir.types import I1, I64, PTR, FloatType, IntType, PtrType, Type, size_of


def convert(value: Operand, to: Type, loc: Location | None) -> tuple[Operand, list[Instruction]]:
    """``value``'s bytes as a ``to`` of the same size, and the instructions that compute it."""
    if value.type == to:
        return value, []
    match value:
        case Undef():
            return Undef(to), []
        case IntConst(_, bits) | FloatConst(_, bits) | PtrConst(_, bits):
            return constant(bits, to), []
        case Value():
            result = Value(to)
            return result, convert_into(result, value, loc)
        case _:
            assert_never(value)


def convert_into(result: Value, value: Value, loc: Location | None) -> list[Instruction]:
    """The instructions that define ``result`` as ``value``'s bytes.  Pointers are generic."""
    ty, to = value.type, result.type
    if isinstance(ty, IntType) or isinstance(to, IntType):
        return [Cast(result, _cast(ty, to), value, loc)]
    middle = Value(IntType(size_of(to) * 8))
    return [*convert_into(middle, value, loc), *convert_into(result, middle, loc)]


def _cast(ty: Type, to: Type) -> CastOp:
    match ty, to:
        case (IntType(), FloatType()) | (FloatType(), IntType()):
            return CastOp.BITCAST
        case PtrType(), IntType():
            assert ty == PTR
            assert to == I64
            return CastOp.PTRTOINT
        case IntType(), PtrType():
            assert to == PTR
            return CastOp.INTTOPTR
        case IntType(), IntType():
            return CastOp.ZEXT if ty == I1 else CastOp.TRUNC
        case _:
            raise AssertionError(f"no conversion from {ty} to {to}")


def constant(bits: int, ty: Type) -> IntConst | FloatConst | PtrConst:
    """The constant of type ``ty`` whose bytes are ``bits``."""
    match ty:
        case IntType(width=width):
            return IntConst(ty, bits & ((1 << width) - 1))
        case FloatType():
            return FloatConst(ty, bits)
        case PtrType():
            return PtrConst(ty, bits)
        case _:
            assert_never(ty)
