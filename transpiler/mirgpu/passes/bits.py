"""Which bits of an integer can be set: a bound that needs no more than the definitions."""

from collections.abc import Mapping

from mirgpu.kir.ops import Binary, BinaryOp, Cast, CastOp, Instruction, IntConst, Operand, Value
from mirgpu.kir.types import IntType

_DEPTH = 5


def possible_bits(
    operand: Operand, definitions: Mapping[Value, Instruction], depth: int = _DEPTH
) -> int:
    """A mask of the bits that ``operand``, an integer, may have set."""
    assert isinstance(operand.type, IntType)
    everything = (1 << operand.type.width) - 1
    if isinstance(operand, IntConst):
        return operand.value
    node = definitions.get(operand) if isinstance(operand, Value) and depth else None
    match node:
        case Cast(_, CastOp.ZEXT, inner):
            return possible_bits(inner, definitions, depth - 1)
        case Cast(_, CastOp.TRUNC, inner):
            return possible_bits(inner, definitions, depth - 1) & everything
        case Binary(_, BinaryOp.AND, lhs, rhs):
            return possible_bits(lhs, definitions, depth - 1) & possible_bits(
                rhs, definitions, depth - 1
            )
        case Binary(_, BinaryOp.OR | BinaryOp.XOR, lhs, rhs):
            return possible_bits(lhs, definitions, depth - 1) | possible_bits(
                rhs, definitions, depth - 1
            )
        case Binary(_, BinaryOp.SHL, lhs, IntConst(_, amount)):
            return possible_bits(lhs, definitions, depth - 1) << amount & everything
        case Binary(_, BinaryOp.LSHR, lhs, IntConst(_, amount)):
            return possible_bits(lhs, definitions, depth - 1) >> amount
        case Binary(_, BinaryOp.UREM, lhs, IntConst(_, divisor)) if divisor:
            return (1 << (divisor - 1).bit_length()) - 1
        case Binary(_, BinaryOp.UDIV, lhs, IntConst(_, divisor)) if divisor:
            largest = possible_bits(lhs, definitions, depth - 1) // divisor
            return (1 << largest.bit_length()) - 1
        case _:
            return everything


def largest(operand: Operand, definitions: Mapping[Value, Instruction]) -> int:
    """A number that ``operand``, as an unsigned integer, is not above."""
    if isinstance(operand, Value):
        match definitions.get(operand):
            case Binary(_, BinaryOp.UREM, _, IntConst(_, divisor)) if divisor:
                return divisor - 1
            case Cast(_, CastOp.ZEXT, inner):
                return largest(inner, definitions)
    return possible_bits(operand, definitions)
