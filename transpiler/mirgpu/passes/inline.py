"""Bodies of device functions in the place of calls.

Before::

    kernel @k "k" (…) {
    entry:
      %a:i32 = call @double(%x)
      …
    }
    device @double "double" (%y:i32 value size 4 align 4) -> (i32) {
    entry:
      %z:i32 = add %y, %y
      return %z
    }

After (``simplify_cfg`` merges the blocks)::

    entry:
      br double.entry()
    double.entry:
      %z:i32 = add %x, %x
      br entry.1(%z)
    entry.1(%a:i32):
      …

Small functions, and those with one call, unless marked ``inline_never`` or recursive.  Callees
first, so that what is copied is final.  Functions that no kernel calls any more are deleted.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeGuard, TypeVar

from mirgpu.kir.module import Block, Function, FunctionKind, Module
from mirgpu.kir.ops import (
    Alloca,
    Barrier,
    Br,
    Call,
    Instruction,
    Location,
    MemCopy,
    MemSet,
    Operand,
    Overflow,
    Return,
    Store,
    Target,
    Terminator,
    Value,
)
from mirgpu.kir.visit import map_operands, map_targets, results_of

NAME = "inline"

SMALL = 400
"""Instructions that a function may have to be inlined at each of several calls.  A call costs
registers, and the memory of what is passed by address."""

LARGEST = 20_000
"""A caller does not grow beyond so many."""

N = TypeVar("N", Instruction, Terminator)


def run(module: Module) -> Module:
    """Inline calls in each function."""
    if not any(_calls(function) for function in module.functions):
        return _without_unused(module)
    inliner = _Inliner(module)
    for function in module.functions:
        inliner.visit(function.name)
    functions = tuple([inliner.done[function.name] for function in module.functions])
    if all(a is b for a, b in zip(functions, module.functions, strict=True)):
        return _without_unused(module)
    return _without_unused(replace(module, functions=functions))


def _calls(function: Function) -> list[Call]:
    return [node for block in function.blocks for node in block.instructions if _is_call(node)]


def _is_call(node: Instruction) -> TypeGuard[Call]:
    return isinstance(node, Call)


def _size(function: Function) -> int:
    return sum([len(block.instructions) + 1 for block in function.blocks])


def _without_unused(module: Module) -> Module:
    """A module without kernels is a library, and keeps its functions."""
    functions = {function.name: function for function in module.functions}
    work = [f for f in module.functions if f.kind is FunctionKind.KERNEL]
    if not work:
        return module
    used = {function.name for function in work}
    while work:
        for call in _calls(work.pop()):
            if call.callee not in used:
                used.add(call.callee)
                work.append(functions[call.callee])
    if len(used) == len(functions):
        return module
    return replace(module, functions=tuple([f for f in module.functions if f.name in used]))


class _Inliner:
    def __init__(self, module: Module) -> None:
        self.done: dict[str, Function] = {}
        self._functions = {function.name: function for function in module.functions}
        self._open: set[str] = set()
        self._recursive: set[str] = set()
        self._call_counts: dict[str, int] = {}
        for function in module.functions:
            for call in _calls(function):
                self._call_counts[call.callee] = self._call_counts.get(call.callee, 0) + 1

    def visit(self, name: str) -> None:
        """Finish a function's callees, then itself.  A call back to one that is open recurses."""
        if name in self.done:
            return
        self._open.add(name)
        function = self._functions[name]
        for call in _calls(function):
            if call.callee in self._open:
                self._recursive.add(call.callee)
            else:
                self.visit(call.callee)
        self.done[name] = self._expand(function)
        self._open.discard(name)

    def _wanted(self, call: Call) -> Function | None:
        callee = self.done.get(call.callee)
        if callee is None or callee.inline_never or call.callee in self._recursive:
            return None
        small = _size(callee) <= SMALL or self._call_counts[call.callee] == 1
        return callee if small else None

    def _expand(self, function: Function) -> Function:
        size = _size(function)
        labels = {block.label for block in function.blocks}
        blocks: list[Block] = []
        allocas: list[Instruction] = []
        changed = False
        for block in function.blocks:
            label, params = block.label, block.params
            kept: list[Instruction] = []
            for node in block.instructions:
                callee = self._wanted(node) if isinstance(node, Call) else None
                if callee is None or size + _size(callee) > LARGEST:
                    kept.append(node)
                    continue
                assert isinstance(node, Call)
                size += _size(callee)
                changed = True
                after = _fresh(block.label, labels)
                body = _Copy(callee, node, after, labels)
                entry, *others = body.blocks()
                allocas += body.allocas
                into = Br(Target(entry.label), node.loc)
                blocks += [Block(label, params, tuple(kept), into), entry, *others]
                label, params, kept = after, node.results, []
            blocks.append(
                Block(label, params, tuple(kept), block.terminator)
                if label != block.label
                else block
            )
        if not changed:
            return function
        first = blocks[0]
        blocks[0] = replace(first, instructions=(*allocas, *first.instructions))
        return replace(function, blocks=tuple(blocks))


def _fresh(label: str, labels: set[str]) -> str:
    number = 1
    while f"{label}.{number}" in labels:
        number += 1
    labels.add(f"{label}.{number}")
    return f"{label}.{number}"


class _Copy:
    """One callee's body with values and labels of its own, that ends with jumps to ``after``."""

    def __init__(self, callee: Function, call: Call, after: str, labels: set[str]) -> None:
        self.allocas: list[Instruction] = []
        self._callee = callee
        self._call = call
        self._after = after
        self._values: dict[Value, Operand] = {
            param.value: arg for param, arg in zip(callee.params, call.args, strict=True)
        }
        self._new: dict[Value, Value] = {}
        self._labels = {
            block.label: _fresh(f"{callee.name}.{block.label}", labels) for block in callee.blocks
        }
        self._locations: dict[Location, Location] = {}

    def blocks(self) -> list[Block]:
        for block in self._callee.blocks:
            for value in block.params:
                self._new[value] = Value(value.type, value.name)
            for node in block.instructions:
                for value in results_of(node):
                    self._new[value] = Value(value.type, value.name)
        self._values.update(self._new)
        return [self._block(block) for block in self._callee.blocks]

    def _block(self, block: Block) -> Block:
        kept: list[Instruction] = []
        for node in block.instructions:
            copied = _with_results(self._node(node), self._new)
            (self.allocas if isinstance(copied, Alloca) else kept).append(copied)
        terminator = self._node(block.terminator)
        if isinstance(terminator, Return):
            terminator = Br(Target(self._after, terminator.values), terminator.loc)
        else:
            terminator = map_targets(
                terminator, lambda target: Target(self._labels[target.label], target.args)
            )
        params = tuple([self._new[value] for value in block.params])
        return Block(self._labels[block.label], params, tuple(kept), terminator)

    def _node(self, node: N) -> N:
        def change(operand: Operand) -> Operand:
            return self._values[operand] if isinstance(operand, Value) else operand

        node = map_operands(node, change)
        loc = self._location(node.loc)
        return node if loc is node.loc else replace(node, loc=loc)

    def _location(self, loc: Location | None) -> Location | None:
        """``loc`` as seen from the caller: inlined at the call."""
        if loc is None or self._call.loc is None:
            return loc or self._call.loc
        known = self._locations.get(loc)
        if known is None:
            outer = self._location(loc.inlined_at)
            known = self._locations[loc] = replace(loc, inlined_at=outer)
        return known


def _with_results(node: Instruction, values: Mapping[Value, Value]) -> Instruction:
    """``node`` with other results."""
    new = [values[result] for result in results_of(node)]
    match node:
        case Call():
            return replace(node, results=tuple(new))
        case Overflow():
            return replace(node, result=new[0], overflow=new[1])
        case Store() | MemCopy() | MemSet() | Barrier():
            return node
        case _:
            return replace(node, result=new[0])
