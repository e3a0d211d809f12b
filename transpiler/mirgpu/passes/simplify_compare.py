"""Identities of comparisons, for ``instsimplify``."""

from mirgpu.kir.ops import (
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    Compare,
    CompareOp,
    FloatConst,
    IntConst,
    Operand,
    PtrAdd,
    PtrConst,
    Select,
    Undef,
    Value,
)
from mirgpu.kir.types import I1, I64, PTR, FloatType, IntType, PtrType
from mirgpu.passes import fold
from mirgpu.passes.bits import largest
from mirgpu.passes.facts import Facts, is_non_null
from mirgpu.passes.simplify_binary import Definitions, Simpler

SWAPPED = {
    CompareOp.EQ: CompareOp.EQ,
    CompareOp.NE: CompareOp.NE,
    CompareOp.ULT: CompareOp.UGT,
    CompareOp.UGT: CompareOp.ULT,
    CompareOp.ULE: CompareOp.UGE,
    CompareOp.UGE: CompareOp.ULE,
    CompareOp.SLT: CompareOp.SGT,
    CompareOp.SGT: CompareOp.SLT,
    CompareOp.SLE: CompareOp.SGE,
    CompareOp.SGE: CompareOp.SLE,
    CompareOp.FEQ: CompareOp.FEQ,
    CompareOp.FNE: CompareOp.FNE,
    CompareOp.FLT: CompareOp.FGT,
    CompareOp.FGT: CompareOp.FLT,
    CompareOp.FLE: CompareOp.FGE,
    CompareOp.FGE: CompareOp.FLE,
}
"""The comparison that says the same of the operands the other way round."""

_TRUE_OF_EQUALS = frozenset(
    (CompareOp.EQ, CompareOp.ULE, CompareOp.UGE, CompareOp.SLE, CompareOp.SGE)
)
_EQUALITY = (CompareOp.EQ, CompareOp.NE)
_UNSIGNED = frozenset(
    (
        CompareOp.EQ,
        CompareOp.NE,
        CompareOp.ULT,
        CompareOp.ULE,
        CompareOp.UGT,
        CompareOp.UGE,
    )
)
_CONSTANTS = IntConst | FloatConst | PtrConst


def simplify_compare(node: Compare, facts: Facts) -> Simpler:
    """What ``node`` equals."""
    definitions = facts.definitions
    op, lhs, rhs = node.op, node.lhs, node.rhs
    if isinstance(lhs, _CONSTANTS) and isinstance(rhs, Value):
        return Compare(node.result, SWAPPED[op], rhs, lhs, node.loc)
    if isinstance(lhs.type, FloatType) or isinstance(lhs, Undef) or isinstance(rhs, Undef):
        return None
    if lhs is rhs:
        return IntConst(I1, int(op in _TRUE_OF_EQUALS))
    if not isinstance(lhs, Value):
        return None
    inner = definitions.get(lhs)
    if isinstance(rhs, _CONSTANTS):
        if isinstance(inner, Select) and not isinstance(inner.if_true, Value):
            found = _of_select(node, inner, rhs)
            if found is not None:
                return found
        if isinstance(rhs, IntConst):
            return _int_with_constant(node, lhs, rhs, definitions)
        if isinstance(rhs, PtrConst):
            return _pointer_with_constant(node, lhs, rhs, facts)
        return None
    other = definitions.get(rhs) if isinstance(rhs, Value) else None
    match inner, other:
        case Cast(_, CastOp.ADDRSPACECAST, a), Cast(_, CastOp.ADDRSPACECAST, b) if a.type == b.type:
            return Compare(node.result, op, a, b, node.loc)
        case Cast(_, CastOp.PTRTOINT, a), Cast(_, CastOp.PTRTOINT, b):
            return Compare(node.result, op, a, b, node.loc)
        case Cast(_, CastOp.ZEXT, a), Cast(_, CastOp.ZEXT, b) if (
            a.type == b.type and op in _UNSIGNED and (op in _EQUALITY or a.type != I1)
        ):
            return Compare(node.result, op, a, b, node.loc)
    if op in _EQUALITY and isinstance(lhs.type, PtrType):
        one, first = _split(lhs, definitions)
        two, second = _split(rhs, definitions)
        if one is two:
            return IntConst(I1, int((first == second) == (op is CompareOp.EQ)))
    return None


def _split(ptr: Operand, definitions: Definitions) -> tuple[Operand, int]:
    """A pointer's base and constant offset modulo 2**64."""
    offset = 0
    while isinstance(ptr, Value):
        match definitions.get(ptr):
            case PtrAdd(_, base, IntConst(_, index), stride, more):
                offset += index * stride + more
                ptr = base
            case _:
                break
    return ptr, offset % (1 << 64)


def _of_select(node: Compare, select: Select, rhs: IntConst | FloatConst | PtrConst) -> Simpler:
    """A comparison of one of two constants with a third is the condition, or known."""
    yes = fold.compare(node.op, select.if_true, rhs)
    no = fold.compare(node.op, select.if_false, rhs)
    if not isinstance(yes, IntConst) or not isinstance(no, IntConst):
        return None
    if yes.value == no.value:
        return yes
    return select.cond if yes.value else _not(node, select.cond)


def _not(node: Compare, cond: Operand) -> Binary:
    return Binary(node.result, BinaryOp.XOR, cond, IntConst(I1, 1), node.loc)


def _int_with_constant(
    node: Compare, lhs: Value, rhs: IntConst, definitions: Definitions
) -> Simpler:
    op, number, ty, result, loc = node.op, rhs.value, rhs.type, node.result, node.loc
    if ty == I1 and op in _EQUALITY:
        return lhs if (number == 1) == (op is CompareOp.EQ) else _not(node, lhs)
    known = _by_range(op, number, largest(lhs, definitions))
    if known is not None:
        return IntConst(I1, int(known))
    zero = IntConst(ty, 0)
    if op is CompareOp.ULT and number == 1:
        return Compare(result, CompareOp.EQ, lhs, zero, loc)
    if (op is CompareOp.UGT and number == 0) or (op is CompareOp.UGE and number == 1):
        return Compare(result, CompareOp.NE, lhs, zero, loc)
    ones = (1 << ty.width) - 1
    match definitions.get(lhs):
        case Cast(_, CastOp.ZEXT, inner) if op in _UNSIGNED and isinstance(inner.type, IntType):
            # A number that does not fit is out of range, and _by_range has seen it.
            if number < 1 << inner.type.width and (op in _EQUALITY or inner.type != I1):
                return Compare(result, op, inner, IntConst(inner.type, number), loc)
        case Cast(_, CastOp.PTRTOINT, ptr):
            return Compare(result, op, ptr, PtrConst(PTR, number), loc)
        case Binary(_, BinaryOp.ADD, a, IntConst(_, b)) if op in _EQUALITY:
            return Compare(result, op, a, IntConst(ty, number - b & ones), loc)
        case Binary(_, BinaryOp.XOR, a, IntConst(_, b)) if op in _EQUALITY:
            return Compare(result, op, a, IntConst(ty, number ^ b), loc)
        case Binary(_, BinaryOp.SUB | BinaryOp.XOR, a, b) if op in _EQUALITY and number == 0:
            return Compare(result, op, a, b, loc)
    return None


def _by_range(op: CompareOp, number: int, top: int) -> bool | None:
    """Whether each value from 0 to ``top`` compares so, or none does."""
    match op:
        case CompareOp.EQ | CompareOp.NE if number > top:
            return op is CompareOp.NE
        case CompareOp.ULT | CompareOp.UGE if number > top or number == 0:
            return (op is CompareOp.ULT) == (number > top)
        case CompareOp.UGT | CompareOp.ULE if number >= top:
            return op is CompareOp.ULE
    return None


def _pointer_with_constant(node: Compare, lhs: Value, rhs: PtrConst, facts: Facts) -> Simpler:
    if node.op in _EQUALITY and rhs.address == 0 and is_non_null(lhs, facts):
        return IntConst(I1, int(node.op is CompareOp.NE))
    match facts.definitions.get(lhs):
        case Cast(_, CastOp.INTTOPTR, inner):
            return Compare(node.result, node.op, inner, IntConst(I64, rhs.address), node.loc)
    return None
