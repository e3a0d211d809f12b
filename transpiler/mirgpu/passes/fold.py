"""Exact values of operations on constants, by the interpreter's own definitions.

What is undefined is not folded.  A NaN that arithmetic makes is the canonical quiet one; moving
one, and changing its sign, keeps its bits.
"""

import math
from collections.abc import Callable
from typing import Any, assert_never

from mirgpu.kir import pyops, scalar
from mirgpu.kir.ops import (
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    Compare,
    CompareOp,
    Const,
    FloatConst,
    FusedMulAdd,
    IntConst,
    Operand,
    Overflow,
    OverflowOp,
    PtrConst,
    Unary,
    UnaryOp,
    Undef,
    Value,
)
from mirgpu.kir.types import I1, FloatType, IntType, PtrType, Type
from mirgpu.passes.convert import constant

_NAMES: dict[str, Any] = {**vars(scalar), "F": scalar.F32_CELL, "copysign": math.copysign}
_FROM_BITS = {16: scalar.f16_from_bits, 32: scalar.f32_from_bits, 64: scalar.f64_from_bits}
_TO_BITS = {16: scalar.f16_bits, 32: scalar.f32_bits, 64: scalar.f64_bits}
_CANONICAL = {16: 0x7E00, 32: 0x7FC00000, 64: 0x7FF8 << 48}
_MOVES = frozenset((BinaryOp.FCOPYSIGN, UnaryOp.FNEG, UnaryOp.FABS, CastOp.BITCAST))

_Key = tuple[BinaryOp | UnaryOp | CompareOp | CastOp | OverflowOp | str, Type, Type]
_compiled: dict[_Key, Callable[..., Any]] = {}


def fold(node: Binary | Unary | Compare | Cast | FusedMulAdd) -> Const | None:
    """The constant that ``node`` is, if its operands are constants and it is defined."""
    match node:
        case Binary(result, op, lhs, rhs):
            return _apply(op, lhs.type, result.type, lhs, rhs)
        case Compare(_, op, lhs, rhs):
            return compare(op, lhs, rhs)
        case Unary(result, op, operand) | Cast(result, op, operand):
            return _apply(op, operand.type, result.type, operand)
        case FusedMulAdd(result, a, b, c):
            return _apply("fma", a.type, result.type, a, b, c)
        case _:
            assert_never(node)


def compare(op: CompareOp, lhs: Operand, rhs: Operand) -> Const | None:
    """Whether ``lhs op rhs``, if both are constants."""
    return _apply(op, lhs.type, I1, lhs, rhs)


def fold_overflow(node: Overflow) -> tuple[Const, Const] | None:
    """The constants that both results are, if the operands are constants."""
    numbers = _numbers((node.lhs, node.rhs))
    if numbers is None:
        return None
    ty = node.result.type
    function = _function((node.op, ty, ty), lambda: pyops.overflow(node.op, ty, "r", "o", "a", "b"))
    value, overflow = function(*numbers)
    return constant(value, ty), IntConst(I1, int(overflow))


def _apply(
    op: BinaryOp | UnaryOp | CompareOp | CastOp | str, ty: Type, to: Type, *operands: Operand
) -> Const | None:
    numbers = _numbers(operands)
    if numbers is None:
        return None
    function = _function((op, ty, to), lambda: _source(op, ty, to))
    try:
        value, _ = function(*numbers)
    except (scalar.UndefinedError, ZeroDivisionError):
        return None
    match to:
        case FloatType(width):
            if value != value and op not in _MOVES:
                return FloatConst(to, _CANONICAL[width])
            return FloatConst(to, _TO_BITS[width](value))
        case IntType() | PtrType():
            return constant(int(value), to)
        case _:
            assert_never(to)


def _source(op: BinaryOp | UnaryOp | CompareOp | CastOp | str, ty: Type, to: Type) -> str:
    match op:
        case BinaryOp():
            return pyops.binary(op, ty, "r", "a", "b")
        case UnaryOp():
            return pyops.unary(op, ty, "r", "a")
        case CompareOp():
            return pyops.compare(op, ty, "r", "a", "b")
        case CastOp():
            return pyops.cast(op, ty, to, "r", "a")
        case _:
            return pyops.fma(ty, "r", "a", "b", "c")


def _function(key: _Key, source: Callable[[], str]) -> Callable[..., Any]:
    found = _compiled.get(key)
    if found is None:
        text = f"def fold(a, b=None, c=None):\n    o = None\n    {source()}\n    return r, o\n"
        made: dict[str, Any] = {}
        exec(compile(text, "<fold>", "exec"), _NAMES, made)
        found = _compiled[key] = made["fold"]
    return found


def _numbers(operands: tuple[Operand, ...]) -> list[int | float] | None:
    numbers: list[int | float] = []
    for operand in operands:
        match operand:
            case IntConst(_, number) | PtrConst(_, number):
                numbers.append(number)
            case FloatConst(ty, bits):
                numbers.append(_FROM_BITS[ty.width](bits))
            case Undef() | Value():
                return None
            case _:
                assert_never(operand)
    return numbers
