"""Fewer blocks: constant branches folded, straight lines merged, forwarders and joins threaded.

Before::

    entry:
      condbr 1:i1, a(), dead()
    a:
      condbr %c, left(), join(%y)
    left:
      br join(%x)
    join(%p:i32):
      store %p, %q, align 4
      return

After::

    entry:
      %0:i32 = select %c, %x, %y
      store %0, %q, align 4
      return

A block is moved or deleted, never copied, so no barrier is; a branch to what is ``unreachable``
is one that is not taken.
"""

from collections.abc import Iterable
from typing import TypeVar, assert_never

from mirgpu.kir.module import Block, Function, Module
from mirgpu.kir.ops import (
    Barrier,
    Br,
    Call,
    Compare,
    CompareOp,
    CondBr,
    Instruction,
    IntConst,
    Load,
    Operand,
    Panic,
    Return,
    Select,
    Store,
    Switch,
    Target,
    Terminator,
    Undef,
    Unreachable,
    Value,
)
from mirgpu.kir.types import I1, IntType
from mirgpu.kir.visit import map_targets, operands_of, successors
from mirgpu.passes.rewrite import map_functions, resolve, substitute, with_blocks, with_nodes

NAME = "simplify_cfg"

T = TypeVar("T")

MAX_SELECTS = 4
"""A branch whose two ways go to one block becomes at most so many selects."""


def run(module: Module) -> Module:
    """Simplify each function's control flow until nothing changes."""
    return map_functions(module, lambda function: _Simplifier(function).run())


class _Simplifier:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._entry = function.blocks[0].label
        self._originals = {block.label: block for block in function.blocks}
        self._params = {block.label: block.params for block in function.blocks}
        self._instructions: dict[str, tuple[Instruction, ...]] = {
            block.label: block.instructions for block in function.blocks
        }
        self._terminators = {block.label: block.terminator for block in function.blocks}
        self._mapping: dict[Value, Operand] = {}

    def run(self) -> Function:
        changed = True
        while changed:
            changed = self._fold_terminators()
            changed = self._drop_unreachable() or changed
            changed = self._drop_params() or changed
            changed = self._thread() or changed
            changed = self._merge() or changed
        return with_blocks(self._function, tuple([self._block(at) for at in self._terminators]))

    def _block(self, label: str) -> Block:
        block = self._originals[label]
        instructions, terminator = self._instructions[label], self._terminators[label]
        if self._mapping:
            instructions = tuple([substitute(node, self._mapping) for node in instructions])
            terminator = substitute(terminator, self._mapping)
        if self._params[label] is not block.params:
            return Block(label, self._params[label], instructions, terminator)
        return with_nodes(block, instructions, terminator)

    # ------------------------------------------------------------------- terminators

    def _fold_terminators(self) -> bool:
        dead = {label for label in self._terminators if self._is_undefined(label)}
        changed = False
        for label, terminator in self._terminators.items():
            new = self._folded(label, terminator, dead)
            if new is not terminator:
                self._terminators[label] = new
                changed = True
        return changed

    def _is_undefined(self, label: str) -> bool:
        """Whether to enter the block is undefined: nothing in it can end or hold the thread."""
        return isinstance(self._terminators[label], Unreachable) and not any(
            isinstance(node, Call | Barrier) or (isinstance(node, Load | Store) and node.volatile)
            for node in self._instructions[label]
        )

    def _folded(self, label: str, terminator: Terminator, dead: set[str]) -> Terminator:
        match terminator:
            case Br(target, loc):
                return Unreachable(loc) if target.label in dead else terminator
            case CondBr(cond, if_true, if_false, loc):
                cond = resolve(cond, self._mapping)
                if isinstance(cond, IntConst):
                    return Br(if_true if cond.value else if_false, loc)
                if if_true.label in dead:
                    return Br(if_false, loc)
                if if_false.label in dead:
                    return Br(if_true, loc)
                if if_true.label == if_false.label and not isinstance(cond, Undef):
                    return self._one_target(label, terminator)
                return terminator
            case Switch():
                return self._folded_switch(label, terminator, dead)
            case Return() | Unreachable() | Panic():
                return terminator
            case _:
                assert_never(terminator)

    def _one_target(self, label: str, branch: CondBr) -> Terminator:
        """Both ways go to one block: its arguments are selected."""
        selects: list[Instruction] = []
        args: list[Operand] = []
        for one, other in zip(branch.if_true.args, branch.if_false.args, strict=True):
            a, b = resolve(one, self._mapping), resolve(other, self._mapping)
            if _same(a, b):
                args.append(a)
                continue
            name = a.name if isinstance(a, Value) else b.name if isinstance(b, Value) else None
            result = Value(a.type, name)
            selects.append(Select(result, branch.cond, a, b, branch.loc))
            args.append(result)
        if len(selects) > MAX_SELECTS:
            return branch
        self._instructions[label] += tuple(selects)
        return Br(Target(branch.if_true.label, tuple(args)), branch.loc)

    def _folded_switch(self, label: str, switch: Switch, dead: set[str]) -> Terminator:
        value = resolve(switch.value, self._mapping)
        if isinstance(value, IntConst):
            taken = [target for case, target in switch.cases if case == value.value]
            return Br(taken[0] if taken else switch.default, switch.loc)
        if isinstance(value, Undef):
            return switch
        cases = [(case, target) for case, target in switch.cases if target.label not in dead]
        default = switch.default
        if cases and (default.label in dead or _is_exhaustive(switch)):
            default = cases.pop()[1]
        cases = [(case, target) for case, target in cases if not self._same_target(target, default)]
        if not cases:
            return Br(default, switch.loc)
        if len(cases) > 1:
            if len(cases) == len(switch.cases):
                return switch
            return Switch(switch.value, tuple(cases), default, switch.loc)
        case, target = cases[0]
        if value.type == I1:
            ways = (target, default) if case else (default, target)
            return CondBr(switch.value, *ways, switch.loc)
        cond = Value(I1)
        assert isinstance(value.type, IntType)
        constant = IntConst(value.type, case)
        compare = Compare(cond, CompareOp.EQ, switch.value, constant, switch.loc)
        self._instructions[label] += (compare,)
        return CondBr(cond, target, default, switch.loc)

    def _same_target(self, one: Target, other: Target) -> bool:
        return one.label == other.label and all(
            _same(resolve(a, self._mapping), resolve(b, self._mapping))
            for a, b in zip(one.args, other.args, strict=True)
        )

    # ------------------------------------------------------------------------ blocks

    def _drop_unreachable(self) -> bool:
        seen = {self._entry}
        stack = [self._entry]
        while stack:
            for target in successors(self._terminators[stack.pop()]):
                if target.label not in seen:
                    seen.add(target.label)
                    stack.append(target.label)
        if len(seen) == len(self._terminators):
            return False
        self._terminators = {at: node for at, node in self._terminators.items() if at in seen}
        return True

    def _edges(self) -> dict[str, list[Target]]:
        """The targets that name each block, one for each edge."""
        edges: dict[str, list[Target]] = {label: [] for label in self._terminators}
        for terminator in self._terminators.values():
            for target in successors(terminator):
                edges[target.label].append(target)
        return edges

    def _drop_params(self) -> bool:
        """Replace parameters that get one value from everywhere, or that value and themselves."""
        dropped: dict[str, list[int]] = {}
        edges: dict[str, list[Target]] | None = None
        for label in self._terminators:
            if not self._params[label]:
                continue
            if edges is None:
                edges = self._edges()
            for index, param in enumerate(self._params[label]):
                only = self._only_argument(param, [edge.args[index] for edge in edges[label]])
                if only is not None:
                    self._mapping[param] = only
                    dropped.setdefault(label, []).append(index)
        if not dropped:
            return False
        for label, indices in dropped.items():
            self._params[label] = tuple(_without(self._params[label], indices))

        def change(target: Target) -> Target:
            indices = dropped.get(target.label)
            if indices is None:
                return target
            return Target(target.label, tuple(_without(target.args, indices)))

        for label, terminator in self._terminators.items():
            if any(target.label in dropped for target in successors(terminator)):
                self._terminators[label] = map_targets(terminator, change)
        return True

    def _only_argument(self, param: Value, args: Iterable[Operand]) -> Operand | None:
        """The one value of ``args``, if the parameter can be replaced by it.

        ``undef`` beside it may be any value, so also a constant; but not a value, whose
        definition need not dominate the block.
        """
        found: Operand | None = None
        undefined = False
        for arg in args:
            arg = resolve(arg, self._mapping)
            if arg is param:
                continue
            if isinstance(arg, Undef):
                undefined = True
            elif found is None:
                found = arg
            elif not _same(found, arg):
                return None
        if found is None:
            return Undef(param.type) if undefined else None
        return None if undefined and isinstance(found, Value) else found

    def _thread(self) -> bool:
        """Let branches to empty blocks that only jump on go where those jump."""
        through: dict[str, Target] = {}
        used: set[Value] | None = None
        for label, terminator in self._terminators.items():
            if self._instructions[label] or not isinstance(terminator, Br) or label == self._entry:
                continue
            if self._params[label]:
                if used is None:
                    used = self._used_elsewhere()
                if not used.isdisjoint(self._params[label]):
                    continue
            through[label] = terminator.target
        if not through:
            return False
        changed = False

        def change(target: Target) -> Target:
            seen = {target.label}
            while target.label in through:
                onward = through[target.label]
                if onward.label in seen:
                    break
                seen.add(onward.label)
                given = dict(zip(self._params[target.label], target.args, strict=True))
                args = [resolve(arg, self._mapping) for arg in onward.args]
                target = Target(onward.label, tuple([_given(arg, given) for arg in args]))
                nonlocal changed
                changed = True
            return target

        for label, terminator in self._terminators.items():
            if any(target.label in through for target in successors(terminator)):
                self._terminators[label] = map_targets(terminator, change)
        return changed

    def _used_elsewhere(self) -> set[Value]:
        """All values used otherwise than in the jump of an empty block with that parameter."""
        used: set[Value] = set()
        for label, terminator in self._terminators.items():
            for node in self._instructions[label]:
                used.update(self._values(node))
            values = self._values(terminator)
            if not self._instructions[label] and isinstance(terminator, Br):
                values.difference_update(self._params[label])
            used |= values
        return used

    def _values(self, node: Instruction | Terminator) -> set[Value]:
        operands = [resolve(operand, self._mapping) for operand in operands_of(node)]
        return {operand for operand in operands if isinstance(operand, Value)}

    def _merge(self) -> bool:
        """Append each block to the only one that jumps to it."""
        edges: dict[str, int] = dict.fromkeys(self._terminators, 0)
        for terminator in self._terminators.values():
            for target in successors(terminator):
                edges[target.label] += 1
        gone: set[str] = set()
        for label in self._terminators:
            if label in gone:
                continue
            parts = [self._instructions[label]]
            terminator = self._terminators[label]
            while isinstance(terminator, Br):
                following = terminator.target.label
                if edges[following] != 1 or following == label:
                    break
                given = zip(self._params[following], terminator.target.args, strict=True)
                self._mapping.update(given)
                parts.append(self._instructions[following])
                terminator = self._terminators[following]
                gone.add(following)
            if len(parts) > 1:
                self._instructions[label] = tuple([node for part in parts for node in part])
                self._terminators[label] = terminator
        if not gone:
            return False
        self._terminators = {at: node for at, node in self._terminators.items() if at not in gone}
        return True


def _is_exhaustive(switch: Switch) -> bool:
    ty = switch.value.type
    return isinstance(ty, IntType) and len(switch.cases) == 1 << ty.width


def _same(one: Operand, other: Operand) -> bool:
    return one is other or (not isinstance(one, Value) and one == other)


def _given(arg: Operand, given: dict[Value, Operand]) -> Operand:
    return given.get(arg, arg) if isinstance(arg, Value) else arg


def _without(items: tuple[T, ...], indices: list[int]) -> list[T]:
    return [item for index, item in enumerate(items) if index not in indices]
