"""The scalar half of random kernels: blocks, operands, and one instruction at a time."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from hypothesis import strategies as st

from mirgpu.kir.module import (
    Block,
)
from mirgpu.kir.ops import (
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    Compare,
    CompareOp,
    FloatConst,
    FusedMulAdd,
    Instruction,
    IntConst,
    Location,
    Operand,
    Overflow,
    OverflowOp,
    PtrAdd,
    Select,
    Store,
    Terminator,
    Unary,
    UnaryOp,
    Value,
)
from mirgpu.kir.types import (
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    PTR,
    FloatType,
    IntType,
    Type,
    size_of,
)

INTS = (I8, I16, I32, I64)
SCALARS: tuple[Type, ...] = (I1, *INTS, F32, F64)
SLOT = 16
"""Bytes of each local slot, of the table, and of a thread's input."""
REGION = 512
"""Bytes of a thread's output."""
BLOCK = 3
"""Threads of the largest block."""

_B, _U = BinaryOp, UnaryOp
_INT_BINARY = (
    *(_B.ADD, _B.SUB, _B.MUL, _B.AND, _B.OR, _B.XOR, _B.UMIN, _B.UMAX, _B.SMIN, _B.SMAX),
    *(_B.UADD_SAT, _B.SADD_SAT, _B.USUB_SAT, _B.SSUB_SAT, _B.ROTL, _B.ROTR),
)
_DIVISIONS = (_B.UDIV, _B.UREM, _B.SDIV, _B.SREM)
_SHIFTS = (_B.SHL, _B.LSHR, _B.ASHR)
_FLOAT_BINARY = (
    *(_B.FADD, _B.FSUB, _B.FMUL, _B.FDIV, _B.FREM, _B.FMINNUM, _B.FMAXNUM),
    *(_B.FMINIMUM, _B.FMAXIMUM, _B.FCOPYSIGN),
)
_INT_UNARY = (_U.CTPOP, _U.CTLZ, _U.CTTZ, _U.BSWAP, _U.BITREVERSE)
_FLOAT_UNARY = tuple(op for op in UnaryOp if op not in _INT_UNARY)
_FLOAT_COMPARE = tuple(op for op in CompareOp if op.value.startswith("f"))
_INT_COMPARE = tuple(op for op in CompareOp if op not in _FLOAT_COMPARE)
CALLER = Location("src/lib.rs", 3, 9, "crate::k")
LOCATIONS = (None, CALLER, Location("core/ops.rs", 7, 5, "core::add", CALLER))


def width(ty: Type) -> int:
    return ty.width if isinstance(ty, IntType | FloatType) else 64


def bits(ty: Type) -> st.SearchStrategy[int]:
    return st.integers(0, (1 << width(ty)) - 1)


def edges(ty: Type) -> st.SearchStrategy[int]:
    if ty == F32:
        return st.sampled_from([0, 1 << 31, 0x3F800000, 0x7F800000, 0x7FC00000, 0xFF800001, 1])
    if ty == F64:
        one, inf = 0x3FF << 52, 0x7FF << 52
        return st.sampled_from([0, 1 << 63, one, inf, inf | 1 << 51, inf | 1 << 63, 1])
    top = (1 << width(ty)) - 1
    return st.sampled_from(sorted({0, 1, min(7, top), top >> 1, top // 2 + 1, top}))


def const(ty: Type, bits: int) -> IntConst | FloatConst:
    if isinstance(ty, FloatType):
        return FloatConst(ty, bits)
    assert isinstance(ty, IntType)
    return IntConst(ty, bits)


Scope = dict[Type, list[Value]]


class Scalars:
    """Appends to the block that is open; picks operands from the values in scope."""

    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._blocks: list[Block] = []
        self._label = "entry"
        self._params: tuple[Value, ...] = ()
        self._instructions: list[Instruction] = []
        self._labels = 0
        self._scope: Scope = {ty: [] for ty in SCALARS}
        self._made: dict[Value, Binary | Compare] = {}

    # ------------------------------------------------------------------------- blocks

    def _add(self, instruction: Instruction) -> None:
        self._instructions.append(instruction)
        if isinstance(instruction, Binary | Compare):
            self._made[instruction.result] = instruction

    def _emit(
        self, ty: Type, make: Callable[[Value], Instruction], name: str | None = None
    ) -> Value:
        result = Value(ty, name)
        self._add(make(result))
        return result

    def _end(self, terminator: Terminator) -> None:
        block = Block(self._label, self._params, tuple(self._instructions), terminator)
        self._blocks.append(block)
        self._instructions = []

    def _begin(self, label: str, params: tuple[Value, ...] = ()) -> None:
        self._label, self._params = label, params

    def _fresh(self, kind: str) -> str:
        self._labels += 1
        return f"{kind}{self._labels}"

    def _loc(self) -> Location | None:
        return self._draw(st.sampled_from(LOCATIONS))

    def _copy(self) -> Scope:
        return {ty: list(values) for ty, values in self._scope.items()}

    def _pick(self, ty: Type) -> Operand:
        values = self._scope[ty]
        if values and self._draw(st.integers(0, 3)) > 0:
            back = self._draw(st.integers(1, min(len(values), 6)))
            return values[-back]
        return const(ty, self._draw(st.one_of(edges(ty), bits(ty))))

    def _type(self, types: Sequence[Type] = SCALARS) -> Type:
        return self._draw(st.sampled_from(types))

    def _define(
        self, ty: Type, make: Callable[[Value], Instruction], name: str | None = None
    ) -> None:
        self._scope[ty].append(self._emit(ty, make, name))

    def _binary(self, op: BinaryOp, a: Operand, b: Operand) -> Value:
        return self._emit(a.type, lambda r: Binary(r, op, a, b, None))

    def _cast(self, op: CastOp, ty: Type, operand: Operand) -> Value:
        return self._emit(ty, lambda r: Cast(r, op, operand, None))

    def _at(self, base: Operand, offset: int) -> Value:
        return self._emit(PTR, lambda r: PtrAdd(r, base, IntConst(I64, 0), 1, offset, None))

    def _quiet(self, value: Operand) -> Operand:
        """A float with a known NaN in the place of any; other values as they are."""
        ty = value.type
        if not isinstance(ty, FloatType):
            return value
        nan = FloatConst(ty, 0x7FC00000 if ty == F32 else 0x7FF8 << 48)
        fine = self._emit(I1, lambda r: Compare(r, CompareOp.FEQ, value, value, None))
        return self._emit(ty, lambda r: Select(r, fine, value, nan, None))

    def _store_at(self, value: Operand, base: Operand, offset: int) -> None:
        self._add(Store(value, self._at(base, offset), size_of(value.type), False, self._loc()))

    def _scalar_statements(self) -> list[Callable[[], None]]:
        return [
            *(self._int_binary, self._guarded, self._float_binary, self._int_unary),
            *(
                self._float_unary,
                self._compare,
                self._select,
                self._casts,
                self._overflow,
                self._fma,
                *(self._again, self._again, self._again),
            ),
        ]

    def _int_binary(self) -> None:
        ty = self._type((I1, *INTS))
        ops = (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR) if ty == I1 else _INT_BINARY
        op, a, b, loc = (
            self._draw(st.sampled_from(ops)),
            self._pick(ty),
            self._pick(ty),
            self._loc(),
        )
        name = self._draw(st.sampled_from([None, "x", "x.1", "sum"]))
        self._define(ty, lambda r: Binary(r, op, a, b, loc), name)

    def _guarded(self) -> None:
        """Divisions by 1 to 127, shifts below the width."""
        ty = self._type(INTS)
        op = self._draw(st.sampled_from((*_DIVISIONS, *_SHIFTS)))
        a, b = self._pick(ty), self._pick(ty)
        if op in _SHIFTS:
            right = self._binary(BinaryOp.AND, b, const(ty, width(ty) - 1))
        else:
            some = self._binary(BinaryOp.AND, b, const(ty, 127))
            right = self._binary(BinaryOp.OR, some, const(ty, 1))
        self._scope[ty].append(self._binary(op, a, right))

    def _float_binary(self) -> None:
        ty = self._type((F32, F64))
        op, a, b = self._draw(st.sampled_from(_FLOAT_BINARY)), self._pick(ty), self._pick(ty)
        if op is BinaryOp.FCOPYSIGN:
            b = self._quiet(b)
        self._scope[ty].append(self._binary(op, a, b))

    def _int_unary(self) -> None:
        ty = self._type(INTS)
        op, a = self._draw(st.sampled_from(_INT_UNARY)), self._pick(ty)
        self._define(ty, lambda r: Unary(r, op, a, None))

    def _float_unary(self) -> None:
        ty = self._type((F32, F64))
        op, a = self._draw(st.sampled_from(_FLOAT_UNARY)), self._pick(ty)
        self._define(ty, lambda r: Unary(r, op, a, None))

    def _compare(self) -> None:
        ty = self._type()
        ops = _FLOAT_COMPARE if isinstance(ty, FloatType) else _INT_COMPARE
        op, a, b = self._draw(st.sampled_from(ops)), self._pick(ty), self._pick(ty)
        self._define(I1, lambda r: Compare(r, op, a, b, None))

    def _again(self) -> None:
        """What a value in scope is, once more: as it was, turned round, or denied."""
        values = [value for value in self._scope[self._type()] if value in self._made]
        if not values:
            return
        node = self._made[self._draw(st.sampled_from(values))]
        if self._draw(st.booleans()) and (
            isinstance(node, Compare) or node.op not in (*_DIVISIONS, *_SHIFTS)
        ):
            node = replace(node, lhs=node.rhs, rhs=node.lhs)
        if isinstance(node, Compare) and self._draw(st.booleans()):
            same = _FLOAT_COMPARE if node.op in _FLOAT_COMPARE else _INT_COMPARE
            node = replace(node, op=self._draw(st.sampled_from(same)))
        self._define(node.result.type, lambda r: replace(node, result=r))

    def _select(self) -> None:
        ty = self._type()
        cond, a, b = self._pick(I1), self._pick(ty), self._pick(ty)
        self._define(ty, lambda r: Select(r, cond, a, b, None))

    def _casts(self) -> None:
        source, target = self._type(), self._type()
        operand = self._pick(source)
        is_float = isinstance(source, FloatType), isinstance(target, FloatType)
        narrower = width(target) < width(source)
        if source == target:
            return
        if is_float == (False, False):
            ops = (CastOp.TRUNC,) if narrower else (CastOp.ZEXT, CastOp.SEXT)
        elif is_float == (True, True):
            ops = (CastOp.FPTRUNC if narrower else CastOp.FPEXT,)
        elif width(source) == width(target) and self._draw(st.booleans()):
            ops = (CastOp.BITCAST,)
            operand = self._quiet(operand)
        elif is_float == (False, True):
            ops = (CastOp.SITOFP, CastOp.UITOFP)
        elif target == I1:
            return
        else:
            ops = (CastOp.FPTOSI_SAT, CastOp.FPTOUI_SAT)
        self._scope[target].append(self._cast(self._draw(st.sampled_from(ops)), target, operand))

    def _overflow(self) -> None:
        ty = self._type(INTS)
        op, a, b = self._draw(st.sampled_from(OverflowOp)), self._pick(ty), self._pick(ty)
        result, flag = Value(ty), Value(I1, "overflow")
        self._add(Overflow(result, flag, op, a, b, self._loc()))
        self._scope[ty].append(result)
        self._scope[I1].append(flag)

    def _fma(self) -> None:
        ty = self._type((F32, F64))
        a, b, c = self._pick(ty), self._pick(ty), self._pick(ty)
        self._define(ty, lambda r: FusedMulAdd(r, a, b, c, None))
