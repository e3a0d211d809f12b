"""How often each local is read, and which statements go when a reader goes."""

from typing import final

from mirgpu.lower.body import BodyIndex
from mirgpu.mir.syntax import (
    Assign,
    Call,
    Deref,
    FnItem,
    Index,
    NameSeg,
    Place,
    StorageDead,
    StorageLive,
    Terminator,
)


@final
class Uses:
    """Reads of each local in a body, outside cleanup blocks.

    ``drop`` takes a reader away; ``sweep`` then finds the statements that nobody needs.
    """

    def __init__(self, index: BodyIndex) -> None:
        self.index = index
        self.counts: dict[int, int] = {}
        self.writers: dict[int, list[tuple[int, int, Assign | Call]]] = {}
        self._suspects: list[int] = []
        for block in index.body.blocks:
            if block.cleanup:
                continue
            for number, statement in enumerate(block.statements):
                if isinstance(statement, StorageLive | StorageDead):
                    continue
                if isinstance(statement, Assign):
                    self._assign(block.index, number, statement)
                else:
                    self._add(statement, 1)
            last = block.terminator
            if isinstance(last, Call):
                if _whole(last.destination):
                    self.writers.setdefault(last.destination.local, []).append(
                        (block.index, len(block.statements), last)
                    )
                else:
                    self._add(last.destination, 1)
                self._add((last.func, last.args), 1)
            else:
                self._add(last, 1)

    def _assign(self, block: int, number: int, statement: Assign) -> None:
        if _whole(statement.place):
            self.writers.setdefault(statement.place.local, []).append((block, number, statement))
            self._add_indices(statement.place, 1)
        else:
            self._add(statement.place, 1)
        self._add(statement.rvalue, 1)

    def _add(self, node: object, change: int) -> None:
        for local in locals_of(node):
            self.counts[local] = self.counts.get(local, 0) + change
            if change < 0 and self.counts[local] == 0:
                self._suspects.append(local)

    def _add_indices(self, place: Place, change: int) -> None:
        for elem in place.projection:
            if isinstance(elem, Index):
                self.counts[elem.local] = self.counts.get(elem.local, 0) + change

    def keep(self, place: Place) -> None:
        """A reader that is not in the text."""
        self._add(place, 1)

    def drop(self, node: Terminator | object) -> None:
        self._add(node, -1)

    def sweep(self) -> set[tuple[int, int]]:
        """Statements that only wrote what is not read any more: (block, index)."""
        gone: set[tuple[int, int]] = set()
        while self._suspects:
            local = self._suspects.pop()
            if self.counts.get(local, 0):
                continue
            for block, number, node in self.writers.get(local, ()):
                if (block, number) in gone:
                    continue
                if isinstance(node, Call):
                    if not _is_formatting(node):
                        continue
                    gone.add((block, number))
                    self._add((node.func, node.args), -1)
                else:
                    gone.add((block, number))
                    self._add(node.rvalue, -1)
        return gone


def _is_formatting(call: Call) -> bool:
    """Whether a call only makes format arguments."""
    if not isinstance(call.func, FnItem) or call.target is None:
        return False
    names = [seg.name for seg in call.func.path.segments if isinstance(seg, NameSeg)]
    return "fmt" in names and names[0] in ("std", "core")


def _whole(place: Place) -> bool:
    """Whether a write to the place writes to the local's own memory."""
    return not any(isinstance(elem, Deref) for elem in place.projection)


def locals_of(node: object) -> list[int]:
    """The locals that a node mentions, once each time."""
    out: list[int] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Place):
            out.append(top.local)
            out.extend(elem.local for elem in top.projection if isinstance(elem, Index))
        elif isinstance(top, tuple):
            stack.extend(top)
        else:
            name = type(top).__name__
            if name.endswith(("Ty", "Path", "SourceInfo")) or isinstance(top, str | int):
                continue
            slots = getattr(top, "__slots__", None)
            if slots:
                stack.extend(getattr(top, slot) for slot in slots)
    return out
