"""The control-flow graph of a function: order, predecessors, dominators, natural loops.

All of it speaks of labels of blocks that the entry reaches; unreachable blocks appear nowhere.
"""

from collections.abc import Mapping
from functools import cached_property
from typing import final

from mirgpu.kir.module import Block, Function
from mirgpu.kir.visit import successors
from mirgpu.node import node


@final
@node
class Loop:
    """A natural loop: ``header`` dominates ``blocks``, and each of ``latches`` jumps back to it.

    ``blocks`` are in reverse postorder, header first.  ``parent`` is the header of the next
    loop around it.
    """

    header: str
    latches: tuple[str, ...]
    blocks: tuple[str, ...]
    parent: str | None


@final
class Cfg:
    """Analyses of one function, each computed at its first use.  A pass makes a new one after
    it has changed the function."""

    def __init__(self, function: Function) -> None:
        self.entry: str = function.blocks[0].label
        self.blocks: Mapping[str, Block] = {block.label: block for block in function.blocks}

    @cached_property
    def successors(self) -> Mapping[str, tuple[str, ...]]:
        """The labels that each block jumps to, in the order of its text, without repeats."""
        return {
            label: tuple(dict.fromkeys([t.label for t in successors(block.terminator)]))
            for label, block in self.blocks.items()
        }

    @cached_property
    def reverse_postorder(self) -> tuple[str, ...]:
        """Blocks so that all but back edges go forward.  Of two branches the first comes first."""
        seen = {self.entry}
        postorder: list[str] = []
        stack = [(self.entry, list(self.successors[self.entry]))]
        while stack:
            label, rest = stack[-1]
            if not rest:
                postorder.append(label)
                stack.pop()
                continue
            following = rest.pop()
            if following not in seen:
                seen.add(following)
                stack.append((following, list(self.successors[following])))
        return tuple(reversed(postorder))

    @cached_property
    def positions(self) -> Mapping[str, int]:
        """Each reachable block's place in ``reverse_postorder``."""
        return {label: index for index, label in enumerate(self.reverse_postorder)}

    @cached_property
    def predecessors(self) -> Mapping[str, tuple[str, ...]]:
        """The reachable blocks that jump to each block, in reverse postorder, without repeats."""
        found: dict[str, list[str]] = {label: [] for label in self.reverse_postorder}
        for label in self.reverse_postorder:
            for following in self.successors[label]:
                found[following].append(label)
        return {label: tuple(labels) for label, labels in found.items()}

    @cached_property
    def idom(self) -> Mapping[str, str]:
        """Each block's immediate dominator; the entry has none.

        Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm.
        """
        order, positions = self.reverse_postorder, self.positions
        idom = [0] + [-1] * (len(order) - 1)
        before = [[positions[p] for p in self.predecessors[label]] for label in order]
        changed = True
        while changed:
            changed = False
            for index in range(1, len(order)):
                new = -1
                for other in before[index]:
                    if idom[other] < 0:
                        continue
                    if new < 0:
                        new = other
                        continue
                    while new != other:
                        while new > other:
                            new = idom[new]
                        while other > new:
                            other = idom[other]
                if idom[index] != new:
                    idom[index] = new
                    changed = True
        return {order[index]: order[idom[index]] for index in range(1, len(order))}

    @cached_property
    def dominator_children(self) -> Mapping[str, tuple[str, ...]]:
        """The dominator tree downwards, children in reverse postorder."""
        found: dict[str, list[str]] = {label: [] for label in self.reverse_postorder}
        for label in self.reverse_postorder[1:]:
            found[self.idom[label]].append(label)
        return {label: tuple(labels) for label, labels in found.items()}

    @cached_property
    def _intervals(self) -> Mapping[str, tuple[int, int]]:
        """A walk of the dominator tree: when each block is entered and left."""
        entered: dict[str, int] = {}
        found: dict[str, tuple[int, int]] = {}
        stack = [(self.entry, False)]
        while stack:
            label, done = stack.pop()
            if done:
                found[label] = (entered[label], len(entered))
                continue
            entered[label] = len(entered)
            stack.append((label, True))
            stack.extend((child, False) for child in self.dominator_children[label])
        return found

    def dominates(self, above: str, below: str) -> bool:
        """Whether each path from the entry to ``below`` passes ``above``; reflexive.  Both must
        be reachable."""
        first, end = self._intervals[above]
        return first <= self._intervals[below][0] < end

    @cached_property
    def dominance_frontiers(self) -> Mapping[str, tuple[str, ...]]:
        """Where each block's dominance ends, in reverse postorder."""
        found: dict[str, dict[str, None]] = {label: {} for label in self.reverse_postorder}
        for label in self.reverse_postorder:
            stop = self.idom.get(label)
            for runner in self.predecessors[label]:
                while runner != stop:
                    found[runner][label] = None
                    if runner == self.entry:
                        break
                    runner = self.idom[runner]
        return {label: tuple(labels) for label, labels in found.items()}

    @cached_property
    def loops(self) -> Mapping[str, Loop]:
        """Natural loops by header, outer before inner.  Loops of one header are one loop."""
        latches: dict[str, list[str]] = {}
        for label in self.reverse_postorder:
            for following in self.successors[label]:
                if self.dominates(following, label):
                    latches.setdefault(following, []).append(label)
        bodies: dict[str, set[str]] = {}
        for header, ends in latches.items():
            body = {header}
            stack = list(ends)
            while stack:
                label = stack.pop()
                if label not in body:
                    body.add(label)
                    stack.extend(self.predecessors[label])
            bodies[header] = body
        headers = sorted(bodies, key=self.positions.__getitem__)
        around: dict[str, str] = {}  # block -> header of the innermost loop seen so far
        found: dict[str, Loop] = {}
        for header in headers:
            blocks = tuple(sorted(bodies[header], key=self.positions.__getitem__))
            found[header] = Loop(header, tuple(latches[header]), blocks, around.get(header))
            around.update(dict.fromkeys(blocks, header))
        return found

    @cached_property
    def innermost_loop(self) -> Mapping[str, str]:
        """The header of the innermost loop around each block that is in one."""
        found: dict[str, str] = {}
        for header, loop in self.loops.items():
            found.update(dict.fromkeys(loop.blocks, header))
        return found

    @cached_property
    def is_reducible(self) -> bool:
        """Whether each edge backwards in reverse postorder goes to a dominator."""
        positions = self.positions
        return all(
            positions[following] > positions[label] or self.dominates(following, label)
            for label in self.reverse_postorder
            for following in self.successors[label]
        )
