"""How a slot falls into parts, and what each part becomes: the decisions of ``sroa``."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import final

from mirgpu.kir.ops import IntConst, Load, Store
from mirgpu.kir.types import I1, I8, PTR, IntType, PtrType, Type
from mirgpu.passes.slices import Copy, Part, Side, Slices, Slot

# ------------------------------------------------------------------------ partitions


@final
@dataclass(slots=True, eq=False)
class Piece:
    """A stretch of a copy that is within one part on each side (or in other memory)."""

    copy: Copy
    start: int
    end: int
    dst: Part | None
    src: Part | None

    def covers(self, part: Part, side: Side) -> bool:
        start, end = side.offset + self.start, side.offset + self.end
        return start == part.start and end == part.end


def partition(slot: Slot) -> None:
    """Unite ranges that overlap; what is between them is a part too, of bytes."""
    at = 0
    for span in sorted(slot.ranges):
        start, end = span
        if slot.parts and start < slot.parts[-1].end:
            slot.parts[-1].ranges[span] = slot.ranges[span]
            slot.parts[-1].end = max(slot.parts[-1].end, end)
        else:
            if start > at:
                slot.parts.append(Part(at, start, {}))
            slot.parts.append(Part(start, end, {span: slot.ranges[span]}))
        at = slot.parts[-1].end
    if at < slot.alloca.size:
        slot.parts.append(Part(at, slot.alloca.size, {}))
    slot.starts = [part.start for part in slot.parts]


def pieces_of(copy: Copy) -> Iterator[Piece]:
    """``copy`` cut where a part begins on either side."""
    if copy.size == 0:
        return
    cuts = {0, copy.size}
    for side in (copy.dst, copy.src):
        if side.slot is not None:
            cuts.update(start - side.offset for start in side.slot.starts)
    inside = sorted(cut for cut in cuts if 0 <= cut <= copy.size)
    for start, end in pairwise(inside):
        dst, src = (
            None if side.slot is None else side.slot.part_at(side.offset + start)
            for side in (copy.dst, copy.src)
        )
        yield Piece(copy, start, end, dst, src)


# ----------------------------------------------------------------------------- types


def choose_types(slices: Slices, pieces: list[Piece]) -> None:
    """Set the type of each part that can be one scalar, for all that touches it."""
    for slot in slices.slots:
        for part in slot.parts:
            if len(part.ranges) == 1:
                part.type = _common_type(next(iter(part.ranges.values())))
            elif part.ranges and part.end - part.start in (2, 4, 8) and _is_mixable(part):
                part.type = IntType((part.end - part.start) * 8)
                part.merged = True
        for offset, node in slot.accesses:
            part = slot.part_at(offset)
            if part.merged and isinstance(node, Store) and slices.may_be_undef(node.value):
                part.keep_in_memory()
        for (start, end), fill in slot.fills:
            for part in slot.parts:
                if (
                    part.start < end
                    and start < part.end
                    and not (
                        isinstance(fill.byte, IntConst) and start <= part.start and part.end <= end
                    )
                ):
                    part.keep_in_memory()
    _widen_bools(slices, pieces)
    changed = True
    while changed:
        changed = False
        for piece in pieces:
            for side_part, side in ((piece.dst, piece.copy.dst), (piece.src, piece.copy.src)):
                if side_part and side_part.type and not piece.covers(side_part, side):
                    side_part.keep_in_memory()
                    changed = True
            # A scalar read whole may be undef though bytes of it are not.
            if piece.dst and piece.dst.merged and not (piece.src and piece.src.merged):
                piece.dst.keep_in_memory()
                changed = True


def _widen_bools(slices: Slices, pieces: list[Piece]) -> None:
    """A byte that also holds what is no bool stays a byte: a fill with another value, or a copy
    with memory whose content nobody knows (a union, an enum in another variant)."""
    for slot in slices.slots:
        for (start, end), fill in slot.fills:
            for part in slot.parts:
                inside = part.start < end and start < part.end
                if inside and isinstance(fill.byte, IntConst) and fill.byte.value > 1:
                    _widen(part)
    changed = True
    while changed:
        changed = False
        for piece in pieces:
            for side, other in ((piece.dst, piece.src), (piece.src, piece.dst)):
                if side is not None and (other is None or other.type != I1):
                    changed = _widen(side) or changed
    for slot in slices.slots:
        for offset, node in slot.accesses:
            part = slot.part_at(offset)
            if not isinstance(node, Store) or (part.type, node.value.type) != (I8, I1):
                continue
            if slices.may_be_undef(node.value):
                # Its conversion to a byte would compute with an undefined value.
                part.keep_in_memory()


def _widen(part: Part) -> bool:
    if part.type != I1:
        return False
    part.type = I8
    return True


def _is_mixable(part: Part) -> bool:
    return all(
        not isinstance(ty, PtrType) or ty == PTR for types in part.ranges.values() for ty in types
    )


def _common_type(types: dict[Type, None]) -> Type | None:
    """The type to keep a scalar in that is accessed as each of ``types``, all of one size."""
    if len(types) == 1:
        return next(iter(types))
    if any(isinstance(ty, PtrType) and ty != PTR for ty in types):
        return None
    if PTR in types:
        return PTR
    return max(
        (ty for ty in types if isinstance(ty, IntType)),
        key=lambda ty: ty.width,
        default=next(iter(types)),
    )


# ------------------------------------------------------------------------------ uses


def find_uses(slices: Slices, pieces: list[Piece]) -> None:
    """A part that is only copied is read where the other side is, and written likewise."""
    for slot in slices.slots:
        for offset, node in slot.accesses:
            part = slot.part_at(offset)
            if isinstance(node, Load):
                part.read = True
            else:
                part.written = True
        for (start, end), _ in slot.fills:
            for part in slot.parts:
                part.written = part.written or (part.start < end and start < part.end)
    into: dict[Part, list[Part]] = {}
    out: dict[Part, list[Part]] = {}
    for piece in pieces:
        dst, src = piece.dst, piece.src
        if dst is not None and src is not None:
            into.setdefault(dst, []).append(src)
            out.setdefault(src, []).append(dst)
        elif dst is not None:
            dst.written = True
        elif src is not None:
            src.read = True
    work = [part for part in into if part.read]
    while work:
        for part in into.get(work.pop(), ()):
            if not part.read:
                part.read = True
                work.append(part)
    work = [part for part in out if part.written]
    while work:
        for part in out.get(work.pop(), ()):
            if not part.written:
                part.written = True
                work.append(part)
