"""Jumps past a test whose outcome is known from where they come.

Before::

    entry:
      condbr %end, join(0:i64, undef:i32), some()
    some:
      br join(1:i64, %x)
    join(%tag:i64, %payload:i32):
      %none:i1 = eq %tag, 0:i64
      condbr %none, stop(), use()
    use:
      store %payload, %p, align 4

After (``simplify_cfg`` merges the rest)::

    entry:
      condbr %end, join.1(), some()
    some:
      br join.2()
    join.1:
      br stop()
    join.2:
      br use(%x)
    use(%payload:i32):
      store %payload, %p, align 4

This is how the ``Option`` that an iterator's ``next`` returns vanishes.  Only blocks of a few
instructions without effect are copied, so never a barrier; loop headers are left alone, so that
loops stay reducible.
"""

from dataclasses import replace

from mirgpu.kir.cfg import Cfg
from mirgpu.kir.module import Block, Function, Module
from mirgpu.kir.ops import (
    Alloca,
    Binary,
    BinaryOp,
    Br,
    Cast,
    Compare,
    CondBr,
    Instruction,
    IntConst,
    Load,
    Operand,
    PtrAdd,
    Select,
    Store,
    Switch,
    Target,
    Unary,
    Value,
)
from mirgpu.kir.types import AddressSpace, PtrType, size_of
from mirgpu.kir.visit import map_operands, map_targets, operands_of, results_of, successors
from mirgpu.passes import fold
from mirgpu.passes.facts import Facts, facts_of
from mirgpu.passes.mem2reg import promote
from mirgpu.passes.rewrite import map_functions, substitute_block
from mirgpu.passes.simplify_binary import simplify_binary
from mirgpu.passes.simplify_cast import simplify_cast
from mirgpu.passes.simplify_compare import simplify_compare

NAME = "jump_threading"

MAX_COPIED = 6
"""Instructions of a block that may be copied."""

_LOCAL = PtrType(AddressSpace.LOCAL)
_CHEAP = Binary | Compare | Cast | Select | PtrAdd | Unary
_TRAPPING = (BinaryOp.UDIV, BinaryOp.SDIV, BinaryOp.UREM, BinaryOp.SREM)


def run(module: Module) -> Module:
    """Thread each function's jumps, one block at a time."""
    return map_functions(module, _thread)


def _thread(function: Function) -> Function:
    tried: set[str] = set()
    while True:
        cfg = Cfg(function)
        labels = [block.label for block in function.blocks if _is_candidate(block)]
        labels = [label for label in labels if label not in tried and label in cfg.positions]
        labels = [label for label in labels if len(cfg.predecessors[label]) > 1]
        labels = [label for label in labels if label not in cfg.loops]
        if not labels:
            return function
        facts = facts_of(function, {})
        for label in labels:
            tried.add(label)
            threader = _Threader(function, cfg, facts, cfg.blocks[label])
            if threader.jumps:
                function = threader.run()
                break


def _is_candidate(block: Block) -> bool:
    """Whether the block only decides, on something that its parameters tell."""
    match block.terminator:
        case CondBr(Value() as cond) | Switch(Value() as cond):
            pass
        case _:
            return False
    if not block.params or len(block.instructions) > MAX_COPIED:
        return False
    defined = set(block.params)
    for node in block.instructions:
        if not isinstance(node, _CHEAP) or (isinstance(node, Binary) and node.op in _TRAPPING):
            return False
        defined.add(node.result)
    return cond in defined


class _Threader:
    """Threads the jumps to one block.

    ``jumps`` are the edges whose way is known: the block they come from and their place among
    its targets, with what the block's values are on that edge and where it leads.
    """

    def __init__(self, function: Function, cfg: Cfg, facts: Facts, block: Block) -> None:
        self._function = function
        self._facts = facts
        self._block = block
        self.jumps: dict[tuple[str, int], tuple[Target, Target]] = {}
        for label in cfg.predecessors[block.label]:
            for place, target in enumerate(successors(cfg.blocks[label].terminator)):
                if target.label == block.label:
                    onward = self._way(target)
                    if onward is not None:
                        self.jumps[label, place] = target, onward

    # ------------------------------------------------------------------------- the way

    def _way(self, target: Target) -> Target | None:
        """Where a jump with these arguments leads, if that is known."""
        values: dict[Value, Operand] = dict(zip(self._block.params, target.args, strict=True))
        for node in self._block.instructions:
            assert isinstance(node, _CHEAP)
            known = self._evaluate(map_operands(node, lambda operand: _given(operand, values)))
            if known is not None:
                values[node.result] = known
        match self._block.terminator:
            case CondBr(cond, if_true, if_false):
                outcome = _given(cond, values)
                if isinstance(outcome, IntConst):
                    return if_true if outcome.value else if_false
            case Switch(value, cases, default):
                outcome = _given(value, values)
                if isinstance(outcome, IntConst):
                    return dict(cases).get(outcome.value, default)
        return None

    def _evaluate(self, node: Instruction) -> Operand | None:
        definitions = self._facts.definitions
        match node:
            case Compare():
                found = fold.fold(node) or simplify_compare(node, self._facts)
            case Binary():
                found = fold.fold(node) or simplify_binary(node, definitions)
            case Cast():
                found = fold.fold(node) or simplify_cast(node, definitions)
            case Select(_, IntConst(_, number), if_true, if_false):
                found = if_true if number else if_false
            case _:
                return None
        return None if isinstance(found, _CHEAP) else found

    # ----------------------------------------------------------------------- rewriting

    def run(self) -> Function:
        """The function with the jumps threaded.

        A value of the block that is used beyond it has several definitions now: it goes through
        a slot, which ``mem2reg`` turns into parameters where they are needed.
        """
        slots = {value: Value(_LOCAL, value.name) for value in self._escaping()}
        labels = {block.label for block in self._function.blocks}
        blocks: list[Block] = []
        for block in self._function.blocks:
            if block is self._block:
                stores = [self._store(slot, value) for value, slot in slots.items()]
                blocks.append(replace(block, instructions=(*block.instructions, *stores)))
                continue
            block = self._with_loads(block, slots)
            made: list[Block] = []
            place = -1

            def change(target: Target) -> Target:
                nonlocal place
                place += 1
                jump = self.jumps.get((block.label, place))  # noqa: B023
                if jump is None:
                    return target
                made.append(self._edge(target, jump[1], slots, labels))  # noqa: B023
                return Target(made[-1].label)  # noqa: B023

            if any(label == block.label for label, _ in self.jumps):
                block = replace(block, terminator=map_targets(block.terminator, change))
            blocks += [block, *made]
        allocas = [
            Alloca(slot, size_of(value.type), size_of(value.type), None)
            for value, slot in slots.items()
        ]
        entry = blocks[0]
        blocks[0] = replace(entry, instructions=(*allocas, *entry.instructions))
        return promote(replace(self._function, blocks=tuple(blocks)))

    def _escaping(self) -> list[Value]:
        """The block's values that other blocks use."""
        own = dict.fromkeys(self._block.params)
        own.update(dict.fromkeys(r for node in self._block.instructions for r in results_of(node)))
        used: set[Operand] = set()
        for block in self._function.blocks:
            if block is not self._block:
                for node in (*block.instructions, block.terminator):
                    used.update(v for v in operands_of(node) if isinstance(v, Value) and v in own)
        return [value for value in own if value in used]

    def _store(self, slot: Value, value: Operand) -> Store:
        return Store(value, slot, size_of(value.type), False, None)

    def _with_loads(self, block: Block, slots: dict[Value, Value]) -> Block:
        used: dict[Value, Operand] = {}
        loads: list[Instruction] = []
        for node in (*block.instructions, block.terminator):
            for value in operands_of(node):
                if isinstance(value, Value) and value in slots and value not in used:
                    loaded = Value(value.type, value.name)
                    used[value] = loaded
                    loads.append(Load(loaded, slots[value], size_of(value.type), False, None))
        if not used:
            return block
        block = substitute_block(block, used)
        return replace(block, instructions=(*loads, *block.instructions))

    def _edge(
        self, target: Target, onward: Target, slots: dict[Value, Value], labels: set[str]
    ) -> Block:
        """A copy of the block for one jump, which ends the known way."""
        values: dict[Value, Operand] = dict(zip(self._block.params, target.args, strict=True))
        copies: list[Instruction] = []
        for node in self._block.instructions:
            copy = map_operands(node, lambda operand: _given(operand, values))
            assert isinstance(copy, _CHEAP)
            result = Value(copy.result.type, copy.result.name)
            values[copy.result] = result
            copies.append(replace(copy, result=result))
        copies += [self._store(slot, values[value]) for value, slot in slots.items()]
        number = 1
        while f"{self._block.label}.{number}" in labels:
            number += 1
        labels.add(f"{self._block.label}.{number}")
        args = tuple([_given(arg, values) for arg in onward.args])
        label, loc = f"{self._block.label}.{number}", self._block.terminator.loc
        return Block(label, (), tuple(copies), Br(Target(onward.label, args), loc))


def _given(operand: Operand, values: dict[Value, Operand]) -> Operand:
    return values.get(operand, operand) if isinstance(operand, Value) else operand
