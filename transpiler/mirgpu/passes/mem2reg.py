"""Allocas that are only loaded and stored whole become values and block parameters.

Before::

    entry:
      %slot:ptr.local = alloca size 4, align 4
      store 0:i32, %slot, align 4
      br loop()
    loop:
      %a:i32 = load %slot, align 4
      %b:i32 = add %a, 1:i32
      store %b, %slot, align 4
      br loop()

After::

    entry:
      br loop(0:i32)
    loop(%slot:i32):
      %b:i32 = add %slot, 1:i32
      br loop(%b)

A parameter is put where the dominance of a store ends (Cytron et al.) and the slot is live.  A
load before any store gives ``undef``.
"""

from dataclasses import dataclass, field
from typing import final

from mirgpu.kir.cfg import Cfg
from mirgpu.kir.module import Block, Function, Module
from mirgpu.kir.ops import Alloca, Instruction, Load, Operand, Store, Target, Undef, Value
from mirgpu.kir.types import Type, size_of
from mirgpu.kir.visit import map_targets, operands_of, successors
from mirgpu.passes.rewrite import map_functions, resolve, substitute, with_blocks, with_nodes

NAME = "mem2reg"


def run(module: Module) -> Module:
    """Promote each function's scalar slots."""
    return map_functions(module, promote)


def promote(function: Function) -> Function:
    """``function`` without the allocas that can be values."""
    slots = _promotable(function)
    return _Renamer(function, slots).run() if slots else function


@final
@dataclass(slots=True)
class _Slot:
    """``type`` is that of every access; ``live_in`` has the blocks that load it before any
    store of their own."""

    alloca: Alloca
    type: Type | None = None
    stored_in: list[str] = field(default_factory=list)
    live_in: list[str] = field(default_factory=list)


def _promotable(function: Function) -> dict[Value, _Slot]:
    slots = {
        node.result: _Slot(node)
        for node in function.blocks[0].instructions
        if isinstance(node, Alloca)
    }
    if not slots:
        return slots
    for block in function.blocks:
        label = block.label
        for node in block.instructions:
            if isinstance(node, Load):
                _access(slots, node.ptr, node.result.type, node.volatile, label, is_store=False)
            elif isinstance(node, Store):
                if isinstance(node.value, Value):
                    slots.pop(node.value, None)
                _access(slots, node.ptr, node.value.type, node.volatile, label, is_store=True)
            else:
                for operand in operands_of(node):
                    if isinstance(operand, Value):
                        slots.pop(operand, None)
        for operand in operands_of(block.terminator):
            if isinstance(operand, Value):
                slots.pop(operand, None)
    return slots


def _access(
    slots: dict[Value, _Slot], ptr: Operand, ty: Type, volatile: bool, label: str, is_store: bool
) -> None:
    slot = slots.get(ptr) if isinstance(ptr, Value) else None
    if slot is None:
        return
    if slot.type is None:
        slot.type = ty
    if volatile or slot.type != ty or slot.alloca.size < size_of(ty):
        del slots[slot.alloca.result]
        return
    stored = slot.stored_in and slot.stored_in[-1] == label
    if is_store and not stored:
        slot.stored_in.append(label)
    elif not is_store and not stored and not (slot.live_in and slot.live_in[-1] == label):
        slot.live_in.append(label)


class _Renamer:
    def __init__(self, function: Function, slots: dict[Value, _Slot]) -> None:
        self._function = function
        self._cfg = Cfg(function)
        self._slots = slots
        self._blocks = {block.label: block for block in function.blocks}
        self._mapping: dict[Value, Operand] = {}
        self._current: dict[Value, Operand] = {}  # the value of each slot at this place
        self._joins: dict[str, dict[Value, Value]] = {}  # block -> slot -> parameter

    def run(self) -> Function:
        for slot in self._slots.values():
            self._place(slot)
        # (block, None) enters a block; (block, undo) leaves it.
        stack: list[tuple[str, dict[Value, Operand | None] | None]] = [(self._cfg.entry, None)]
        while stack:
            label, undo = stack.pop()
            if undo is None:
                undo = {}
                self._rename(self._blocks[label], undo)
                stack.append((label, undo))
                stack.extend((child, None) for child in self._cfg.dominator_children[label])
            else:
                for address, before in undo.items():
                    if before is None:
                        del self._current[address]
                    else:
                        self._current[address] = before
        reachable = self._cfg.positions
        order = [block.label for block in self._function.blocks if block.label in reachable]
        return with_blocks(self._function, tuple([self._blocks[label] for label in order]))

    def _place(self, slot: _Slot) -> None:
        """Choose the blocks where ``slot`` becomes a parameter."""
        positions = self._cfg.positions
        starts = [label for label in slot.live_in if label in positions]
        stores = [label for label in slot.stored_in if label in positions]
        if not starts or not stores or slot.type is None:
            return
        live: set[str] = set()
        stored = set(stores)
        while starts:
            label = starts.pop()
            if label not in live:
                live.add(label)
                starts += [p for p in self._cfg.predecessors[label] if p not in stored]
        hint = slot.alloca.result.name
        while stores:
            for label in self._cfg.dominance_frontiers[stores.pop()]:
                joins = self._joins.setdefault(label, {})
                if label in live and slot.alloca.result not in joins:
                    joins[slot.alloca.result] = Value(slot.type, hint)
                    stores.append(label)

    def _rename(self, block: Block, undo: dict[Value, Operand | None]) -> None:
        def assign(slot: Value, value: Operand) -> None:
            undo.setdefault(slot, self._current.get(slot))
            self._current[slot] = value

        joins = self._joins.get(block.label, {})
        for slot, param in joins.items():
            assign(slot, param)
        slots, mapping = self._slots, self._mapping
        kept: list[Instruction] = []
        for node in block.instructions:
            if isinstance(node, Load) and node.ptr in slots:
                assert isinstance(node.ptr, Value)
                mapping[node.result] = self._current.get(node.ptr) or Undef(node.result.type)
            elif isinstance(node, Store) and node.ptr in slots:
                assert isinstance(node.ptr, Value)
                assign(node.ptr, resolve(node.value, mapping))
            elif not (isinstance(node, Alloca) and node.result in slots):
                kept.append(substitute(node, mapping) if mapping else node)
        terminator = substitute(block.terminator, mapping)
        if any(self._joins.get(target.label) for target in successors(terminator)):
            terminator = map_targets(terminator, self._with_arguments)
        if joins:
            block = Block(block.label, block.params + tuple(joins.values()), (), terminator)
        self._blocks[block.label] = with_nodes(block, tuple(kept), terminator)

    def _with_arguments(self, target: Target) -> Target:
        joins = self._joins.get(target.label)
        if not joins:
            return target
        args = [self._current.get(slot) or Undef(param.type) for slot, param in joins.items()]
        return Target(target.label, target.args + tuple(args))
