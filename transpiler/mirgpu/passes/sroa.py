"""Splits allocas into one alloca for each scalar in them, and copies of them into scalar copies.

Before::

    entry:
      %pair:ptr.local = alloca size 16, align 8
      memcopy %pair, %p, 16:i64, align 8
      %len:ptr.local = ptradd %pair, 0:i64 * 1 + 8
      %n:i64 = load %len, align 8

After (``mem2reg`` removes the rest)::

    entry:
      %pair_8:ptr.local = alloca size 8, align 8
      %0:ptr.generic = ptradd %p, 0:i64 * 1 + 8
      %1:i64 = load %0, align 8
      store %1, %pair_8, align 8
      %n:i64 = load %pair_8, align 8

As LLVM's SROA, by byte ranges.  Loads and stores that overlap belong to one part; it becomes one
scalar if they are of one range (of several types: bit casts), or of up to eight bytes (shifts and
masks), and stays in memory otherwise.  Parts that nothing reads or nothing writes vanish.
"""

from mirgpu.kir.module import Block, Function, Module
from mirgpu.kir.ops import (
    Alloca,
    Binary,
    BinaryOp,
    Cast,
    CastOp,
    Instruction,
    IntConst,
    Load,
    Location,
    MemCopy,
    MemSet,
    Operand,
    PtrAdd,
    Store,
    Undef,
    Value,
)
from mirgpu.kir.types import I64, AddressSpace, IntType, PtrType, size_of
from mirgpu.passes.convert import convert, convert_into
from mirgpu.passes.partitions import Piece, choose_types, find_uses, partition, pieces_of
from mirgpu.passes.rewrite import map_functions, substitute_block, with_blocks, with_nodes
from mirgpu.passes.slices import Part, Side, Slices, Slot

NAME = "sroa"

_LOCAL = PtrType(AddressSpace.LOCAL)


def run(module: Module) -> Module:
    """Split each function's allocas."""
    return map_functions(module, split)


def split(function: Function) -> Function:
    """``function`` with its allocas split."""
    slices = Slices(function)
    if not slices.slots:
        return function
    for slot in slices.slots:
        partition(slot)
    pieces = [piece for copy in slices.copies for piece in pieces_of(copy)]
    choose_types(slices, pieces)
    find_uses(slices, pieces)
    return _Rewriter(function, slices, pieces).run()


class _Rewriter:
    def __init__(self, function: Function, slices: Slices, pieces: list[Piece]) -> None:
        self._function = function
        self._slices = slices
        self._pieces: dict[int, list[Piece]] = {id(copy.node): [] for copy in slices.copies}
        for piece in pieces:
            self._pieces[id(piece.copy.node)].append(piece)
        self._fills = {id(node): (slot, span) for slot in slices.slots for span, node in slot.fills}
        self._undefined: dict[Value, Operand] = {}
        self._out: list[Instruction] = []

    def run(self) -> Function:
        for slot in self._slices.slots:
            self._keep(slot)
        reachable = self._slices.reachable
        blocks = tuple(
            [self._block(block) for block in self._function.blocks if block.label in reachable]
        )
        if self._undefined:
            blocks = tuple([substitute_block(block, self._undefined) for block in blocks])
        return with_blocks(self._function, blocks)

    def _keep(self, slot: Slot) -> None:
        """Leave a slot in its place if it would only be replaced by one like it."""
        live = [part for part in slot.parts if part.read and part.written]
        if len(live) != 1 or live[0].merged:
            return
        part, size = live[0], slot.alloca.size
        if part.type is None and part.end == size and part.start < slot.alloca.align:
            slot.is_bytes = True
            part.address = slot.alloca.result
        elif len(slot.parts) == 1:
            part.address = slot.alloca.result
            part.align = min(slot.alloca.align, size)
        slot.is_kept = part.address is not None

    def _block(self, block: Block) -> Block:
        self._out = []
        for node in block.instructions:
            self._rewrite(node)
        return with_nodes(block, tuple(self._out), block.terminator)

    def _rewrite(self, node: Instruction) -> None:
        where = self._slices.where
        if isinstance(node, Load | Store):
            if isinstance(node.ptr, Value) and node.ptr in where:
                found = self._slices.slot_of(node.ptr)
                if found is not None:
                    self._access(node, *found)
                    return
        elif isinstance(node, PtrAdd | Cast):
            if node.result in where:
                slot, _ = where[node.result]
                if not slot.escapes and not slot.is_bytes:
                    return
        elif isinstance(node, MemCopy):
            pieces = self._pieces.get(id(node))
            if pieces is not None:
                self._copy(node, pieces)
                return
        elif isinstance(node, MemSet):
            fill = self._fills.get(id(node))
            if fill is not None:
                self._fill(node, *fill)
                return
        elif isinstance(node, Alloca):
            slot, _ = where[node.result]
            if not slot.escapes and not slot.is_kept:
                self._allocate(slot)
                return
        self._out.append(node)

    def _allocate(self, slot: Slot) -> None:
        old = slot.alloca
        for part in slot.parts:
            if not (part.read and part.written):
                continue
            size = part.end - part.start
            part.align = size
            if part.type is None:
                # As aligned as it was within the whole.
                part.align = old.align
                part.base = part.start - part.start % old.align
                size = part.end - part.base
            name = old.result.name
            if name is not None and len(slot.parts) > 1:
                name = f"{name}_{part.start}"
            part.address = Value(_LOCAL, name)
            self._out.append(Alloca(part.address, size, part.align, old.loc))
            if part.merged and isinstance(part.type, IntType):
                zero = IntConst(part.type, 0)
                self._out.append(Store(zero, part.address, part.align, False, old.loc))

    # ---------------------------------------------------------------- loads and stores

    def _access(self, node: Load | Store, slot: Slot, offset: int) -> None:
        part = slot.part_at(offset)
        if part.address is None:
            if isinstance(node, Load):
                self._undefined[node.result] = Undef(node.result.type)
        elif part.type is None:
            if slot.is_bytes:
                self._out.append(node)
            elif isinstance(node, Load):
                ptr = self._part_address(part, offset, node.loc)
                self._out.append(Load(node.result, ptr, node.align, False, node.loc))
            else:
                ptr = self._part_address(part, offset, node.loc)
                self._out.append(Store(node.value, ptr, node.align, False, node.loc))
        elif isinstance(node, Load):
            if node.ptr is part.address and node.result.type == part.type:
                self._out.append(node)
            elif part.merged and node.result.type != part.type:
                self._extract(node, part, offset)
            else:
                self._load(node.result, part, node.loc)
        elif node.ptr is part.address and node.value.type == part.type:
            self._out.append(node)
        elif part.merged:
            self._insert(node, part, offset)
        else:
            self._store(node.value, part, node.loc)

    def _load(self, result: Value, part: Part, loc: Location | None) -> None:
        """``result``, of a type of its own, is the part's value."""
        assert part.type is not None
        assert part.address is not None
        if result.type == part.type:
            self._out.append(Load(result, part.address, part.align, False, loc))
            return
        value = Value(part.type)
        self._out.append(Load(value, part.address, part.align, False, loc))
        self._out += convert_into(result, value, loc)

    def _store(self, value: Operand, part: Part, loc: Location | None) -> None:
        assert part.type is not None
        assert part.address is not None
        value, nodes = convert(value, part.type, loc)
        self._out += nodes
        self._out.append(Store(value, part.address, part.align, False, loc))

    def _extract(self, node: Load, part: Part, offset: int) -> None:
        assert isinstance(part.type, IntType)
        result, loc = node.result, node.loc
        narrow = IntType(size_of(result.type) * 8)
        value = Value(part.type)
        self._load(value, part, loc)
        if offset > part.start:
            amount = IntConst(part.type, (offset - part.start) * 8)
            shifted = Value(part.type)
            self._out.append(Binary(shifted, BinaryOp.LSHR, value, amount, loc))
            value = shifted
        if result.type == narrow:
            self._out.append(Cast(result, CastOp.TRUNC, value, loc))
            return
        if narrow != part.type:
            cut = Value(narrow)
            self._out.append(Cast(cut, CastOp.TRUNC, value, loc))
            value = cut
        self._out += convert_into(result, value, loc)

    def _insert(self, node: Store, part: Part, offset: int) -> None:
        ty, loc = part.type, node.loc
        assert isinstance(ty, IntType)
        width = size_of(node.value.type) * 8
        value, nodes = convert(node.value, IntType(width), loc)
        self._out += nodes
        if width < ty.width:
            shift = (offset - part.start) * 8
            wide, moved, old, rest, new = (Value(ty) for _ in range(5))
            mask = ((1 << ty.width) - 1) ^ (((1 << width) - 1) << shift)
            self._out += [
                Cast(wide, CastOp.ZEXT, value, loc),
                Binary(moved, BinaryOp.SHL, wide, IntConst(ty, shift), loc),
            ]
            self._load(old, part, loc)
            self._out += [
                Binary(rest, BinaryOp.AND, old, IntConst(ty, mask), loc),
                Binary(new, BinaryOp.OR, rest, moved, loc),
            ]
            value = new
        self._store(value, part, loc)

    # ---------------------------------------------------------------- copies and fills

    def _copy(self, node: MemCopy, pieces: list[Piece]) -> None:
        copy = pieces[0].copy if pieces else None
        if copy is None or (copy.dst.slot is copy.src.slot and copy.dst.offset == copy.src.offset):
            return
        if len(pieces) == 1 and all(
            side.slot is None or side.slot.is_bytes for side in (copy.dst, copy.src)
        ):
            self._out.append(node)
            return
        for piece in pieces:
            if all(part is None or part.address for part in (piece.dst, piece.src)):
                self._copy_piece(node, piece)

    def _copy_piece(self, node: MemCopy, piece: Piece) -> None:
        loc = node.loc
        align = min(node.align, _alignment(piece.start))
        src, dst = piece.src, piece.dst
        ty = (src and src.type) or (dst and dst.type)
        if ty is None:
            size = IntConst(I64, piece.end - piece.start)
            to = self._side_address(piece.copy.dst, dst, node.dst, piece.start, loc)
            from_ = self._side_address(piece.copy.src, src, node.src, piece.start, loc)
            self._out.append(MemCopy(to, from_, size, align, False, loc))
            return
        value = Value(ty)
        if src is not None and src.type is not None:
            self._load(value, src, loc)
        else:
            from_ = self._side_address(piece.copy.src, src, node.src, piece.start, loc)
            self._out.append(Load(value, from_, align, False, loc))
        if dst is not None and dst.type is not None:
            self._store(value, dst, loc)
        else:
            to = self._side_address(piece.copy.dst, dst, node.dst, piece.start, loc)
            self._out.append(Store(value, to, align, False, loc))

    def _fill(self, node: MemSet, slot: Slot, span: tuple[int, int]) -> None:
        if slot.is_bytes:
            self._out.append(node)
            return
        for part in slot.parts:
            start, end = max(part.start, span[0]), min(part.end, span[1])
            if start >= end or part.address is None:
                continue
            if part.type is None:
                ptr = self._part_address(part, start, node.loc)
                size = IntConst(I64, end - start)
                align = min(node.align, _alignment(start - span[0]))
                self._out.append(MemSet(ptr, node.byte, size, align, node.loc))
            else:
                assert isinstance(node.byte, IntConst)
                width = size_of(part.type)
                bits = int.from_bytes(bytes([node.byte.value]) * width, "little")
                self._store(IntConst(IntType(width * 8), bits), part, node.loc)

    # ----------------------------------------------------------------------- addresses

    def _side_address(
        self, side: Side, part: Part | None, ptr: Operand, start: int, loc: Location | None
    ) -> Operand:
        if part is not None:
            return self._part_address(part, side.offset + start, loc)
        return self._add(ptr, start, loc)

    def _part_address(self, part: Part, offset: int, loc: Location | None) -> Operand:
        assert part.address is not None
        return self._add(part.address, offset - part.base, loc)

    def _add(self, ptr: Operand, offset: int, loc: Location | None) -> Operand:
        if offset == 0:
            return ptr
        result = Value(ptr.type)
        self._out.append(PtrAdd(result, ptr, IntConst(I64, 0), 1, offset, loc))
        return result


def _alignment(offset: int) -> int:
    """The largest power of two that divides ``offset``; a large one for 0."""
    return offset & -offset if offset else 1 << 30
