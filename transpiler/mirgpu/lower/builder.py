"""Emits the blocks of one kir function."""

from typing import final

from mirgpu.kir.module import Block
from mirgpu.kir.ops import (
    Alloca,
    Binary,
    BinaryOp,
    Br,
    Cast,
    CastOp,
    Compare,
    CompareOp,
    CondBr,
    GlobalAddr,
    Instruction,
    IntConst,
    Load,
    Location,
    MemCopy,
    MemSet,
    Operand,
    PtrAdd,
    PtrConst,
    Select,
    Store,
    Target,
    Terminator,
    Unary,
    UnaryOp,
    Undef,
    Value,
)
from mirgpu.kir.types import I1, I64, PTR, AddressSpace, IntType, PtrType, Type

LOCAL = PtrType(AddressSpace.LOCAL)
ZERO = IntConst(I64, 0)


def int_const(ty: Type, value: int) -> IntConst:
    assert isinstance(ty, IntType)
    return IntConst(ty, value & ((1 << ty.width) - 1))


@final
class Builder:
    """``loc`` is given to every instruction until it is set again."""

    def __init__(self) -> None:
        self.loc: Location | None = None
        self._allocas: list[Instruction] = []
        self._blocks: list[Block] = []
        self._cold: list[Block] = []
        self._label: str | None = None
        self._code: list[Instruction] = []
        self._is_cold = False
        self._labels: dict[str, int] = {}
        self._generic: dict[int, Value] = {}
        self._addresses: dict[str, Value] = {}

    # ----------------------------------------------------------------------- blocks

    def fresh(self, hint: str) -> str:
        """A label that no block has: ``hint``, then ``hint.1`` and so on."""
        count = self._labels.get(hint)
        self._labels[hint] = 0 if count is None else count + 1
        return hint if count is None else f"{hint}.{count + 1}"

    def start(self, label: str, *, cold: bool = False) -> None:
        assert self._label is None, "the block before has no terminator"
        self._label = label
        self._code = []
        self._is_cold = cold
        self._generic.clear()
        self._addresses.clear()

    @property
    def open(self) -> bool:
        return self._label is not None

    def end(self, terminator: Terminator) -> None:
        assert self._label is not None
        block = Block(self._label, (), tuple(self._code), terminator)
        (self._cold if self._is_cold else self._blocks).append(block)
        self._label = None

    def br(self, label: str) -> None:
        self.end(Br(Target(label), self.loc))

    def cond_br(self, cond: Operand, if_true: str, if_false: str) -> None:
        self.end(CondBr(cond, Target(if_true), Target(if_false), self.loc))

    def finish(self) -> tuple[Block, ...]:
        """All blocks, cold ones last; slots go to the head of the entry."""
        entry = self._blocks[0]
        first = Block(entry.label, (), (*self._allocas, *entry.instructions), entry.terminator)
        return (first, *self._blocks[1:], *self._cold)

    # ----------------------------------------------------------------- instructions

    def emit(self, instruction: Instruction) -> None:
        self._code.append(instruction)

    def alloca(self, size: int, align: int, name: str | None) -> Value:
        result = Value(LOCAL, name)
        self._allocas.append(Alloca(result, size, align, None))
        return result

    def binary(self, op: BinaryOp, lhs: Operand, rhs: Operand, name: str | None = None) -> Value:
        result = Value(lhs.type, name)
        self._code.append(Binary(result, op, lhs, rhs, self.loc))
        return result

    def unary(self, op: UnaryOp, operand: Operand) -> Value:
        result = Value(operand.type)
        self._code.append(Unary(result, op, operand, self.loc))
        return result

    def compare(self, op: CompareOp, lhs: Operand, rhs: Operand) -> Value:
        result = Value(I1)
        self._code.append(Compare(result, op, lhs, rhs, self.loc))
        return result

    def select(self, cond: Operand, if_true: Operand, if_false: Operand) -> Value:
        result = Value(if_true.type)
        self._code.append(Select(result, cond, if_true, if_false, self.loc))
        return result

    def cast(self, op: CastOp, operand: Operand, ty: Type) -> Value:
        result = Value(ty)
        self._code.append(Cast(result, op, operand, self.loc))
        return result

    def not_(self, operand: Operand) -> Operand:
        ones = int_const(operand.type, -1)
        return self.binary(BinaryOp.XOR, operand, ones)

    def resize(self, operand: Operand, ty: Type, *, signed: bool) -> Operand:
        """An integer as wide as ``ty``: truncated, or extended by sign or by zeros."""
        source = operand.type
        assert isinstance(source, IntType)
        assert isinstance(ty, IntType)
        if source == ty:
            return operand
        if isinstance(operand, IntConst):
            value = operand.value
            if signed and value >> (source.width - 1):
                value -= 1 << source.width
            return int_const(ty, value)
        if source.width > ty.width:
            return self.cast(CastOp.TRUNC, operand, ty)
        return self.cast(CastOp.SEXT if signed else CastOp.ZEXT, operand, ty)

    def load(self, ty: Type, ptr: Operand, align: int, name: str | None = None) -> Value:
        result = Value(ty, name)
        self._code.append(Load(result, ptr, align, False, self.loc))
        return result

    def store(self, value: Operand, ptr: Operand, align: int) -> None:
        self._code.append(Store(value, ptr, align, False, self.loc))

    def memcopy(
        self, dst: Operand, src: Operand, size: Operand, align: int, *, may_overlap: bool = False
    ) -> None:
        self._code.append(MemCopy(dst, src, size, align, may_overlap, self.loc))

    def memset(self, dst: Operand, byte: Operand, size: Operand, align: int) -> None:
        self._code.append(MemSet(dst, byte, size, align, self.loc))

    def ptr_add(self, base: Operand, index: Operand, stride: int, offset: int) -> Operand:
        if isinstance(index, IntConst):
            signed = index.value - (1 << 64) if index.value >> 63 else index.value
            offset += signed * stride
            index, stride = ZERO, 1
            if offset == 0:
                return base
            if isinstance(base, PtrConst):
                return PtrConst(base.type, (base.address + offset) & ((1 << 64) - 1))
        result = Value(base.type)
        self._code.append(PtrAdd(result, base, index, stride, offset, self.loc))
        return result

    def generic(self, ptr: Operand) -> Operand:
        """The pointer as Rust holds it: in the generic space."""
        if ptr.type == PTR:
            return ptr
        found = self._generic.get(id(ptr))
        if found is None:
            found = self._generic[id(ptr)] = self.cast(CastOp.ADDRSPACECAST, ptr, PTR)
        return found

    def global_addr(self, symbol: str, space: AddressSpace) -> Value:
        found = self._addresses.get(symbol)
        if found is None:
            found = self._addresses[symbol] = Value(PtrType(space))
            self._code.append(GlobalAddr(found, symbol, self.loc))
        return found

    def undef(self, ty: Type) -> Undef:
        return Undef(ty)
