"""Puts the moves of an edge, which happen all at once, into an order.

``(a, b) ← (b, a)`` becomes ``t ← a; a ← b; b ← t``.
"""

from collections.abc import Callable, Iterable

from mirgpu.targets.ptx.ir import FloatImm, Imm, Reg, Symbol

Source = Reg | Imm | FloatImm | Symbol


def sequence_copies(
    moves: Iterable[tuple[Reg, Source]], fresh: Callable[[Reg], Reg]
) -> list[tuple[Reg, Source]]:
    """Single moves with the effect of ``moves`` at once; destinations are distinct.

    ``fresh`` makes a register of the type of the one it is given, to break a cycle.
    """
    pending: dict[Reg, Source] = {dst: src for dst, src in moves if dst != src}
    readers: dict[Reg, int] = {}
    for src in pending.values():
        if isinstance(src, Reg):
            readers[src] = readers.get(src, 0) + 1
    ready = [dst for dst in pending if not readers.get(dst)]
    out: list[tuple[Reg, Source]] = []
    while pending:
        while ready:
            dst = ready.pop()
            src = pending.pop(dst)
            out.append((dst, src))
            if isinstance(src, Reg):
                readers[src] -= 1
                if not readers[src] and src in pending:
                    ready.append(src)
        if not pending:
            break
        # Only cycles are left: save one destination, and read the copy in its stead.
        saved = next(iter(pending))
        copy = fresh(saved)
        out.append((copy, saved))
        for dst, src in pending.items():
            if src == saved:
                pending[dst] = copy
                readers[copy] = readers.get(copy, 0) + 1
        readers[saved] = 0
        ready.append(saved)
    return out
