"""Which bytes of which alloca each instruction touches: the analysis under ``sroa``.

A slot is an alloca that is only ever accessed at constant offsets.  One whose address is stored,
compared, passed on or indexed by a value is not: it stays as it is, and counts as any memory.
"""

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from mirgpu.kir.cfg import Cfg
from mirgpu.kir.module import Function
from mirgpu.kir.ops import (
    Alloca,
    Call,
    Cast,
    CastOp,
    Instruction,
    IntConst,
    Load,
    MemCopy,
    MemSet,
    Operand,
    PtrAdd,
    Select,
    Store,
    Undef,
    Value,
)
from mirgpu.kir.types import Type, size_of
from mirgpu.kir.visit import operands_of, results_of, successors

Range = tuple[int, int]
"""First byte, and the one past the last."""


@final
@dataclass(slots=True, eq=False)
class Part:
    """A range of a slot that becomes an alloca of its own.

    ``type`` is that of all its accesses, in the end; none where it stays bytes in memory.
    ``merged``: an integer, initially 0, that accesses of parts of it shift and mask.
    ``address`` points to offset ``base`` of the slot where the part is one of bytes, else to
    its start.
    """

    start: int
    end: int
    ranges: dict[Range, dict[Type, None]]
    type: Type | None = None
    merged: bool = False
    read: bool = False
    written: bool = False
    address: Value | None = None
    align: int = 1
    base: int = 0

    def keep_in_memory(self) -> None:
        self.type = None
        self.merged = False


@final
@dataclass(slots=True, eq=False)
class Slot:
    """``ranges`` are the bytes of each load and store, and of those of slots copied to or from
    here.  ``is_kept``: the alloca stays; ``is_bytes``: as bytes, under the same addresses."""

    alloca: Alloca
    ranges: dict[Range, dict[Type, None]] = field(default_factory=dict)
    accesses: list[tuple[int, Load | Store]] = field(default_factory=list)
    fills: list[tuple[Range, MemSet]] = field(default_factory=list)
    parts: list[Part] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    escapes: bool = False
    is_kept: bool = False
    is_bytes: bool = False

    def part_at(self, offset: int) -> Part:
        return self.parts[bisect_right(self.starts, offset) - 1]


@final
@dataclass(slots=True, eq=False)
class Side:
    """One side of a copy: in ``slot``, or in other memory where that is none."""

    slot: Slot | None
    offset: int


@final
@dataclass(slots=True, eq=False)
class Copy:
    node: MemCopy
    dst: Side
    src: Side
    size: int


@final
class Slices:
    """The slots of one function and everything that touches them."""

    def __init__(self, function: Function) -> None:
        self.where: dict[Value, tuple[Slot, int]] = {}
        self.copies: list[Copy] = []
        self.reachable: Mapping[str, int] = {}
        self._function = function
        self._definitions: dict[Value, Instruction] | None = None
        self._arguments: dict[Value, list[Operand]] = {}
        slots = [Slot(node) for node in function.blocks[0].instructions if isinstance(node, Alloca)]
        self.where.update({slot.alloca.result: (slot, 0) for slot in slots})
        if slots:
            self._collect()
        self.slots = [slot for slot in slots if not slot.escapes]
        for copy in self.copies:
            for side in (copy.dst, copy.src):
                if side.slot is not None and side.slot.escapes:
                    side.slot = None
        self.copies = [copy for copy in self.copies if copy.dst.slot or copy.src.slot]
        self._spread_ranges()

    def slot_of(self, operand: Operand) -> tuple[Slot, int] | None:
        """The slot and offset that a pointer is, unless the slot escapes."""
        found = self.where.get(operand) if isinstance(operand, Value) else None
        return None if found is None or found[0].escapes else found

    # -------------------------------------------------------------------- collection

    def _collect(self) -> None:
        cfg = Cfg(self._function)
        self.reachable = cfg.positions
        for label in cfg.reverse_postorder:
            block = cfg.blocks[label]
            for node in block.instructions:
                self._visit(node)
            self._escape(operands_of(block.terminator))

    def _escape(self, operands: tuple[Operand, ...]) -> None:
        for operand in operands:
            if isinstance(operand, Value) and operand in self.where:
                self.where[operand][0].escapes = True

    def _visit(self, node: Instruction) -> None:
        match node:
            case Load(result, ptr, _, volatile):
                self._access(node, ptr, result.type, volatile)
            case Store(value, ptr, _, volatile):
                self._escape((value,))
                self._access(node, ptr, value.type, volatile)
            case PtrAdd(result, base, index, stride, offset):
                found = self._found(base)
                if found is None:
                    return
                if isinstance(index, IntConst):
                    offset = found[1] + index.value * stride + offset
                    self.where[result] = (found[0], (offset + (1 << 63)) % (1 << 64) - (1 << 63))
                else:
                    found[0].escapes = True
            case Cast(result, CastOp.ADDRSPACECAST, operand):
                found = self._found(operand)
                if found is not None:
                    self.where[result] = found
            case MemCopy():
                self._copy(node)
            case MemSet(dst, _, size):
                found = self._found(dst)
                if found is None:
                    return
                if isinstance(size, IntConst):
                    end = found[1] + size.value
                    if self._is_inside(found[0], found[1], end):
                        found[0].fills.append(((found[1], end), node))
                else:
                    found[0].escapes = True
            case _:
                self._escape(operands_of(node))

    def _found(self, ptr: Operand) -> tuple[Slot, int] | None:
        return self.where.get(ptr) if isinstance(ptr, Value) else None

    def _is_inside(self, slot: Slot, start: int, end: int) -> bool:
        """Whether the access is within the slot; if not, it is left alone."""
        if start >= 0 and end <= slot.alloca.size:
            return True
        slot.escapes = True
        return False

    def _access(self, node: Load | Store, ptr: Operand, ty: Type, volatile: bool) -> None:
        found = self._found(ptr)
        if found is None:
            return
        slot, start = found
        end = start + size_of(ty)
        if volatile:
            slot.escapes = True
        elif self._is_inside(slot, start, end):
            slot.accesses.append((start, node))
            slot.ranges.setdefault((start, end), {})[ty] = None

    def _copy(self, node: MemCopy) -> None:
        dst, src = self._found(node.dst), self._found(node.src)
        if dst is None and src is None:
            return
        if not isinstance(node.size, IntConst):
            self._escape((node.dst, node.src))
            return
        size = node.size.value
        sides = []
        for found in (dst, src):
            if found is not None:
                self._is_inside(found[0], found[1], found[1] + size)
            sides.append(Side(None, 0) if found is None else Side(*found))
        if dst and src and dst[0] is src[0] and 0 < abs(dst[1] - src[1]) < size:
            dst[0].escapes = True
        self.copies.append(Copy(node, sides[0], sides[1], size))

    # --------------------------------------------------------------------- spreading

    def _spread_ranges(self) -> None:
        """What is accessed as a scalar on one side of a copy is one on the other side too."""
        links: dict[Slot, list[tuple[int, Slot, int, int]]] = {}
        for copy in self.copies:
            dst, src = copy.dst, copy.src
            if dst.slot and src.slot:
                link = (dst.offset, src.slot, src.offset, copy.size)
                links.setdefault(dst.slot, []).append(link)
                link = (src.offset, dst.slot, dst.offset, copy.size)
                links.setdefault(src.slot, []).append(link)
        work = [
            (slot, span, ty)
            for slot in links
            for span, types in slot.ranges.items()
            for ty in types
        ]
        while work:
            slot, (start, end), ty = work.pop()
            for offset, other, other_offset, size in links[slot]:
                if offset <= start and end <= offset + size:
                    shift = other_offset - offset
                    types = other.ranges.setdefault((start + shift, end + shift), {})
                    if ty not in types:
                        types[ty] = None
                        work.append((other, (start + shift, end + shift), ty))

    # ----------------------------------------------------------------- definedness

    def may_be_undef(self, operand: Operand) -> bool:
        """Whether computing with ``operand`` could be an error where passing it on is not.

        What is loaded from other memory counts as initialised: it was loaded as a scalar.
        """
        if self._definitions is None:
            self._index()
        assert self._definitions is not None
        seen: set[Value] = set()
        work = [operand]
        while work:
            operand = work.pop()
            if isinstance(operand, Undef):
                return True
            if not isinstance(operand, Value) or operand in seen:
                continue
            seen.add(operand)
            work += self._arguments.get(operand, ())
            match self._definitions.get(operand):
                case Call():
                    return True
                case Load(_, ptr) if self._found(ptr) is not None:
                    return True
                case Select(_, _, if_true, if_false):
                    work += (if_true, if_false)
        return False

    def _index(self) -> None:
        self._definitions = {}
        params = {block.label: block.params for block in self._function.blocks}
        for block in self._function.blocks:
            for node in block.instructions:
                for result in results_of(node):
                    self._definitions[result] = node
            for target in successors(block.terminator):
                for param, arg in zip(params[target.label], target.args, strict=True):
                    self._arguments.setdefault(param, []).append(arg)
