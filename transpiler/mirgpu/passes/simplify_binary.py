"""Identities of binary operations, for ``instsimplify``.

Each function gives what its node equals: an operand, a simpler instruction with the same result,
or none.  Constants of commutative operations stand on the right.
"""

from collections.abc import Mapping

from mirgpu.kir.ops import (
    Binary,
    BinaryOp,
    Cast,
    Compare,
    CompareOp,
    FloatConst,
    Instruction,
    IntConst,
    Operand,
    PtrAdd,
    Select,
    Unary,
    Value,
)
from mirgpu.kir.types import I1, FloatType, IntType
from mirgpu.passes.bits import possible_bits

Definitions = Mapping[Value, Instruction]
Simpler = Operand | Binary | Compare | Cast | Unary | Select | PtrAdd | None

COMMUTATIVE = frozenset(
    (
        BinaryOp.ADD,
        BinaryOp.MUL,
        BinaryOp.AND,
        BinaryOp.OR,
        BinaryOp.XOR,
        BinaryOp.UMIN,
        BinaryOp.UMAX,
        BinaryOp.SMIN,
        BinaryOp.SMAX,
        BinaryOp.UADD_SAT,
        BinaryOp.SADD_SAT,
    )
)
"""Of integers.  Float sums and products commute too, up to which NaN they give."""

_REASSOCIATE = frozenset((BinaryOp.ADD, BinaryOp.MUL, BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR))
_SHIFTS = frozenset((BinaryOp.SHL, BinaryOp.LSHR, BinaryOp.ASHR))
_ROTATIONS = frozenset((BinaryOp.ROTL, BinaryOp.ROTR))
_ZERO_IS_NEUTRAL = frozenset(
    (
        BinaryOp.ADD,
        BinaryOp.SUB,
        BinaryOp.OR,
        BinaryOp.XOR,
        BinaryOp.UADD_SAT,
        BinaryOp.SADD_SAT,
        BinaryOp.USUB_SAT,
        BinaryOp.SSUB_SAT,
        BinaryOp.UMAX,
    )
)
_IDEMPOTENT = frozenset(
    (
        BinaryOp.AND,
        BinaryOp.OR,
        BinaryOp.UMIN,
        BinaryOp.UMAX,
        BinaryOp.SMIN,
        BinaryOp.SMAX,
    )
)
_SELF_IS_ZERO = frozenset((BinaryOp.SUB, BinaryOp.XOR, BinaryOp.USUB_SAT, BinaryOp.SSUB_SAT))

INVERSE = {
    CompareOp.EQ: CompareOp.NE,
    CompareOp.NE: CompareOp.EQ,
    CompareOp.ULT: CompareOp.UGE,
    CompareOp.UGE: CompareOp.ULT,
    CompareOp.ULE: CompareOp.UGT,
    CompareOp.UGT: CompareOp.ULE,
    CompareOp.SLT: CompareOp.SGE,
    CompareOp.SGE: CompareOp.SLT,
    CompareOp.SLE: CompareOp.SGT,
    CompareOp.SGT: CompareOp.SLE,
    CompareOp.FEQ: CompareOp.FNE,
    CompareOp.FNE: CompareOp.FEQ,
}
"""The comparison that is true where this one is false; NaN leaves float orders without one."""


def simplify_binary(node: Binary, definitions: Definitions) -> Simpler:
    """What ``node`` equals; its operands are not both constants."""
    ty = node.result.type
    if isinstance(ty, FloatType):
        return _float(node)
    assert isinstance(ty, IntType)
    op, lhs, rhs = node.op, node.lhs, node.rhs
    if op in COMMUTATIVE and isinstance(lhs, IntConst):
        return Binary(node.result, op, rhs, lhs, node.loc)
    if lhs is rhs:
        if op in _IDEMPOTENT:
            return lhs
        if op in _SELF_IS_ZERO:
            return IntConst(ty, 0)
    if isinstance(rhs, IntConst):
        return _by_constant(node, ty, lhs, rhs, definitions)
    if isinstance(lhs, IntConst) and lhs.value == 0 and (op in _SHIFTS or op in _DIVISIONS):
        return lhs
    if op is BinaryOp.SUB and isinstance(lhs, Value):
        match definitions.get(lhs):
            case Binary(_, BinaryOp.ADD, a, b) if a is rhs or b is rhs:
                return b if a is rhs else a
    return None


_DIVISIONS = frozenset((BinaryOp.UDIV, BinaryOp.SDIV, BinaryOp.UREM, BinaryOp.SREM))


def _by_constant(
    node: Binary, ty: IntType, lhs: Operand, rhs: IntConst, definitions: Definitions
) -> Simpler:
    op, result, loc, number = node.op, node.result, node.loc, rhs.value
    ones = (1 << ty.width) - 1
    zero = IntConst(ty, 0)
    if number == 0:
        if op in _ZERO_IS_NEUTRAL or op in _SHIFTS or op in _ROTATIONS:
            return lhs
        if op in (BinaryOp.MUL, BinaryOp.AND, BinaryOp.UMIN):
            return zero
    match op:
        case BinaryOp.MUL | BinaryOp.UDIV | BinaryOp.SDIV if number == 1 and ty != I1:
            return lhs
        case BinaryOp.UREM | BinaryOp.SREM if number == 1:
            return zero
        case BinaryOp.UDIV if number & (number - 1) == 0 and number:
            amount = IntConst(ty, number.bit_length() - 1)
            return Binary(result, BinaryOp.LSHR, lhs, amount, loc)
        case BinaryOp.UREM if number & (number - 1) == 0 and number:
            return Binary(result, BinaryOp.AND, lhs, IntConst(ty, number - 1), loc)
        case BinaryOp.SUB:
            return Binary(result, BinaryOp.ADD, lhs, IntConst(ty, -number & ones), loc)
        case BinaryOp.OR if number == ones:
            return rhs
        case BinaryOp.UMAX if number == ones:
            return rhs
        case BinaryOp.UMIN if number == ones:
            return lhs
        case BinaryOp.AND:
            possible = possible_bits(lhs, definitions)
            if possible & number == 0:
                return zero
            if possible & ~number == 0:
                return lhs
        case BinaryOp.LSHR if number < ty.width and possible_bits(lhs, definitions) >> number == 0:
            return zero
    inner = definitions.get(lhs) if isinstance(lhs, Value) else None
    if isinstance(inner, Binary):
        found = _nested(node, ty, inner, number, definitions)
        if found is not None:
            return found
    if isinstance(inner, Compare) and op is BinaryOp.XOR and inner.op in INVERSE:
        return Compare(result, INVERSE[inner.op], inner.lhs, inner.rhs, loc)
    return None


def _nested(
    node: Binary, ty: IntType, inner: Binary, number: int, definitions: Definitions
) -> Simpler:
    """``(a inner b) op number``."""
    op, a, b, width = node.op, inner.lhs, inner.rhs, ty.width
    ones = (1 << width) - 1
    if inner.op is op and op in _REASSOCIATE and isinstance(b, IntConst):
        both = {
            BinaryOp.ADD: b.value + number,
            BinaryOp.MUL: b.value * number,
            BinaryOp.AND: b.value & number,
            BinaryOp.OR: b.value | number,
            BinaryOp.XOR: b.value ^ number,
        }[op]
        return Binary(node.result, op, a, IntConst(ty, both & ones), node.loc)
    if number >= width or op not in (BinaryOp.SHL, BinaryOp.LSHR):
        return None
    if inner.op is op and isinstance(b, IntConst) and b.value < width:
        amount = b.value + number
        if amount >= width:
            return IntConst(ty, 0)
        return Binary(node.result, op, a, IntConst(ty, amount), node.loc)
    if op is BinaryOp.LSHR:
        match inner:
            case Binary(_, BinaryOp.SHL, a, IntConst(_, amount)) if (
                amount == number and possible_bits(a, definitions) << amount <= ones
            ):
                return a
            case Binary(_, BinaryOp.OR, a, b):
                for kept, gone in ((a, b), (b, a)):
                    if possible_bits(gone, definitions) >> number == 0:
                        return Binary(node.result, op, kept, node.rhs, node.loc)
    return None


def without_high_bits(operand: Operand, to: IntType, definitions: Definitions) -> Operand:
    """A value with the same low bits as ``operand``, for one that is cut to ``to`` next."""
    ones = (1 << to.width) - 1
    while isinstance(operand, Value):
        match definitions.get(operand):
            case Binary(_, BinaryOp.OR, a, b):
                if possible_bits(a, definitions) & ones == 0:
                    operand = b
                elif possible_bits(b, definitions) & ones == 0:
                    operand = a
                else:
                    return operand
            case Binary(_, BinaryOp.AND, a, IntConst(_, mask)) if mask & ones == ones:
                operand = a
            case _:
                return operand
    return operand


def _float(node: Binary) -> Simpler:
    """The few identities that hold for -0.0 and NaN too."""
    ty = node.result.type
    assert isinstance(ty, FloatType)
    rhs = node.rhs
    if not isinstance(rhs, FloatConst):
        if isinstance(node.lhs, FloatConst) and node.op in (BinaryOp.FADD, BinaryOp.FMUL):
            return Binary(node.result, node.op, rhs, node.lhs, node.loc)
        return None
    sign = 1 << (ty.width - 1)
    one = {16: 0x3C00, 32: 0x3F800000, 64: 0x3FF << 52}[ty.width]
    neutral = {BinaryOp.FADD: sign, BinaryOp.FSUB: 0, BinaryOp.FMUL: one, BinaryOp.FDIV: one}
    return node.lhs if neutral.get(node.op) == rhs.bits else None
