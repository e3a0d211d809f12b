"""Identities of casts, for ``instsimplify``."""

from mirgpu.kir.ops import (
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    IntConst,
    Operand,
    Value,
)
from mirgpu.kir.types import IntType
from mirgpu.passes.simplify_binary import Definitions, Simpler, without_high_bits

_INVERSES = frozenset(
    (
        (CastOp.BITCAST, CastOp.BITCAST),
        (CastOp.PTRTOINT, CastOp.INTTOPTR),
        (CastOp.INTTOPTR, CastOp.PTRTOINT),
        (CastOp.ADDRSPACECAST, CastOp.ADDRSPACECAST),
        (CastOp.FPTRUNC, CastOp.FPEXT),
    )
)


def simplify_cast(node: Cast, definitions: Definitions) -> Simpler:
    """What ``node`` equals; its operand is no constant."""
    result, op, operand, loc = node.result, node.op, node.operand, node.loc
    if op is CastOp.TRUNC:
        assert isinstance(result.type, IntType)
        operand = without_high_bits(operand, result.type, definitions)
    inner = definitions.get(operand) if isinstance(operand, Value) else None
    if isinstance(inner, Cast):
        source = inner.operand
        if (op, inner.op) in _INVERSES and source.type == result.type:
            return source
        match op, inner.op:
            case CastOp.TRUNC, CastOp.TRUNC:
                return Cast(result, CastOp.TRUNC, source, loc)
            case (CastOp.ZEXT, CastOp.ZEXT) | (CastOp.SEXT, CastOp.SEXT | CastOp.ZEXT):
                return Cast(result, inner.op, source, loc)
            case CastOp.TRUNC, CastOp.ZEXT | CastOp.SEXT:
                return _resized(result, inner.op, source, node)
            case CastOp.ZEXT, CastOp.TRUNC if source.type == result.type:
                assert isinstance(inner.result.type, IntType)
                assert isinstance(source.type, IntType)
                mask = IntConst(source.type, (1 << inner.result.type.width) - 1)
                return Binary(result, BinaryOp.AND, source, mask, loc)
    return None if operand is node.operand else Cast(result, op, operand, loc)


def _resized(result: Value, extend: CastOp, source: Operand, node: Cast) -> Simpler:
    """``source``, once extended and cut again, of ``result``'s type."""
    assert isinstance(source.type, IntType)
    assert isinstance(result.type, IntType)
    if source.type.width == result.type.width:
        return source
    shrinks = source.type.width > result.type.width
    return Cast(result, CastOp.TRUNC if shrinks else extend, source, node.loc)
