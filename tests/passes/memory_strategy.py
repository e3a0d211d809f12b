"""Random local memory: typed accesses, copies and fills that overlap in every way.

``memory_cases()`` draws a kernel that only moves bytes: scalars of all types stored and loaded at
constant offsets of a few slots, through every kind of pointer, copies between and within slots,
from the input and to the output, also under a condition.  Bytes stay uninitialised until
written; a scalar is loaded, and bytes are put out, only where all of them are initialised.
"""

from dataclasses import dataclass

from hypothesis import strategies as st
from tests.passes.kir_strategy import REGION, Case

from mirgpu.kir.module import Block, Function, FunctionKind, Module, Param, ParamRole
from mirgpu.kir.ops import (
    Alloca,
    Br,
    Cast,
    CastOp,
    CondBr,
    Instruction,
    IntConst,
    Load,
    MemCopy,
    MemSet,
    Operand,
    PtrAdd,
    Return,
    Select,
    Store,
    Target,
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
    AddressSpace,
    IntType,
    PtrType,
    Type,
    size_of,
)

SIZES = (8, 8, 8, 12, 24)
TYPES: tuple[Type, ...] = (I8, I16, I32, I64, F32, F64, PTR)
INPUT = 32


@dataclass
class _Slot:
    address: Value
    generic: Value
    filled: list[bool]


@st.composite
def memory_cases(draw: st.DrawFn) -> Case:
    """One thread; the output is what was loaded or copied there."""
    return Case(
        _Generator(draw).module(), ((I1, draw(st.integers(0, 1))),), bytes(range(1, 33)), 1, 1
    )


class _Generator:
    def __init__(self, draw: st.DrawFn) -> None:
        self._draw = draw
        self._out: list[Instruction] = []
        self._slots: list[_Slot] = []
        self._put = 0
        self._output = Value(PTR, "output")
        self._input = Value(PTR, "input")
        self._loaded: list[Value] = []
        self._cond = Value(I1, "cond")
        self._tidy = draw(st.booleans())  # scalars and whole slots alone

    def module(self) -> Module:
        params = []
        for pointer in (self._output, self._input):
            params.append(Param(pointer, ParamRole.SLICE_PTR, 8, 8))
            params.append(Param(Value(I64), ParamRole.SLICE_LEN, 8, 8))
        params.append(Param(self._cond, ParamRole.VALUE, 1, 1))
        for index in range(self._draw(st.integers(1, 3))):
            address, generic = Value(PtrType(AddressSpace.LOCAL), f"s{index}"), Value(PTR)
            size = self._draw(st.sampled_from(SIZES))
            self._out.append(Alloca(address, size, 8, None))
            self._out.append(Cast(generic, CastOp.ADDRSPACECAST, address, None))
            self._slots.append(_Slot(address, generic, [False] * size))
        self._steps(12)
        blocks: list[Block] = []
        label = "entry"
        if self._draw(st.booleans()):
            branch = CondBr(self._cond, Target("then"), Target("on"), None)
            blocks.append(Block("entry", (), tuple(self._out), branch))
            before = [list(slot.filled) for slot in self._slots]
            loaded = list(self._loaded)
            self._out = []
            self._steps(5)
            blocks.append(Block("then", (), tuple(self._out), Br(Target("on"), None)))
            for slot, filled in zip(self._slots, before, strict=True):
                slot.filled = [a and b for a, b in zip(slot.filled, filled, strict=True)]
            self._loaded, self._out, label = loaded, [], "on"
        self._steps(6)
        for slot in self._slots:
            for offset, filled in enumerate(slot.filled):
                if filled:
                    self._put_out(slot, offset, 1)
        blocks.append(Block(label, (), tuple(self._out), Return((), None)))
        kernel = Function("k", "k", FunctionKind.KERNEL, tuple(params), (), tuple(blocks), None)
        return Module((kernel,), (), ())

    def _steps(self, most: int) -> None:
        kinds = [self._store, self._store, self._load, self._load, self._copy, self._copy]
        if not self._tidy:
            kinds += [self._fill, self._read, self._write, self._choose]
        for _ in range(self._draw(st.integers(0, most))):
            self._draw(st.sampled_from(kinds))()

    def _add(self, base: Operand, offset: int) -> Operand:
        if offset == 0 and self._draw(st.booleans()):
            return base
        result = Value(base.type)
        self._out.append(PtrAdd(result, base, IntConst(I64, 0), 1, offset, None))
        return result

    def _range(self, sizes: tuple[int, ...]) -> tuple[_Slot, int, int]:
        slot = self._draw(st.sampled_from(self._slots))
        size = min(self._draw(st.sampled_from(sizes)), len(slot.filled))
        top = len(slot.filled) - size
        step = size if self._tidy else self._draw(st.sampled_from([1, size, 4]))
        return slot, self._draw(st.integers(0, top // step)) * step, size

    def _pointer(self, slot: _Slot, offset: int) -> Operand:
        return self._add(self._draw(st.sampled_from([slot.address, slot.generic])), offset)

    def _store(self) -> None:
        ty = self._draw(st.sampled_from(TYPES))
        slot, offset, _ = self._range((size_of(ty),))
        values = [value for value in self._loaded if value.type == ty]
        if values and self._draw(st.booleans()):
            value = self._draw(st.sampled_from(values))
        else:
            value = Value(ty)
            at = self._draw(st.integers(0, INPUT - 8))
            self._out.append(Load(value, self._add(self._input, at), 1, False, None))
        self._out.append(Store(value, self._pointer(slot, offset), 1, False, None))
        slot.filled[offset : offset + size_of(ty)] = [True] * size_of(ty)

    def _load(self) -> None:
        ty = self._draw(st.sampled_from(TYPES))
        size = size_of(ty)
        slot, offset, _ = self._range((size,))
        if all(slot.filled[offset : offset + size]) and self._put + size <= REGION:
            value = Value(ty)
            self._out.append(Load(value, self._pointer(slot, offset), 1, False, None))
            self._out.append(Store(value, self._add(self._output, self._put), 1, False, None))
            self._put += size
            self._loaded.append(value)

    def _copy(self) -> None:
        src, start, size = self._range((24,) if self._tidy else (1, 4, 8, 12, 24))
        dst = self._draw(st.sampled_from(self._slots))
        size = min(size, len(dst.filled))
        at = self._draw(st.integers(0, len(dst.filled) - size))
        to, source = self._pointer(dst, at), self._pointer(src, start)
        overlaps = dst is src and at != start and abs(at - start) < size
        self._out.append(MemCopy(to, source, IntConst(I64, size), 1, overlaps, None))
        dst.filled[at : at + size] = src.filled[start : start + size]

    def _choose(self) -> None:
        """A load from a slot or from the input."""
        slot, offset, size = self._range((4,))
        if all(slot.filled[offset : offset + size]) and self._put + size <= REGION:
            local, either, value = self._add(slot.generic, offset), Value(PTR), Value(I32)
            self._out += [
                Select(either, self._cond, local, self._input, None),
                Load(value, either, 1, False, None),
                Store(value, self._add(self._output, self._put), 1, False, None),
            ]
            self._put += size

    def _fill(self) -> None:
        slot, offset, size = self._range((1, 3, 4, 8, 24))
        byte = IntConst(IntType(8), self._draw(st.sampled_from([0, 1, 170])))
        pointer = self._pointer(slot, offset)
        self._out.append(MemSet(pointer, byte, IntConst(I64, size), 1, None))
        slot.filled[offset : offset + size] = [True] * size

    def _read(self) -> None:
        slot, offset, size = self._range((4, 8, 24))
        source = self._add(self._input, self._draw(st.integers(0, INPUT - size)))
        pointer = self._pointer(slot, offset)
        self._out.append(MemCopy(pointer, source, IntConst(I64, size), 1, False, None))
        slot.filled[offset : offset + size] = [True] * size

    def _write(self) -> None:
        slot, offset, size = self._range((1, 4, 8, 24))
        if all(slot.filled[offset : offset + size]):
            self._put_out(slot, offset, size)

    def _put_out(self, slot: _Slot, offset: int, size: int) -> None:
        if self._put + size > REGION:
            return
        target, source = self._add(self._output, self._put), self._pointer(slot, offset)
        self._put += size
        if self._tidy and size == 1:
            byte = Value(I8)
            self._out.append(Load(byte, source, 1, False, None))
            self._out.append(Store(byte, target, 1, False, None))
        else:
            self._out.append(MemCopy(target, source, IntConst(I64, size), 1, False, None))
