"""Deletes what nothing needs: values without uses, parameters, slots that are only written.

Before::

    entry:
      %slot:ptr.local = alloca size 4, align 4
      %a:i32 = mul %x, %x
      store %a, %slot, align 4
      br next(%a, %x)
    next(%p:i32, %q:i32):
      return %q

After::

    entry:
      br next(%x)
    next(%q:i32):
      return %q

Calls, barriers, volatile accesses and all terminators stay.
"""

from mirgpu.kir.module import Block, Function, Module
from mirgpu.kir.ops import (
    Alloca,
    Barrier,
    Binary,
    BinaryOp,
    Call,
    Cast,
    Instruction,
    Load,
    MemCopy,
    MemSet,
    Operand,
    Overflow,
    OverflowOp,
    PtrAdd,
    Store,
    Target,
    Value,
)
from mirgpu.kir.visit import map_targets, operands_of, results_of, successors
from mirgpu.passes.rewrite import map_functions, with_blocks, with_nodes

NAME = "dce"

_WRAPPING = {
    OverflowOp.UADD: BinaryOp.ADD,
    OverflowOp.SADD: BinaryOp.ADD,
    OverflowOp.USUB: BinaryOp.SUB,
    OverflowOp.SSUB: BinaryOp.SUB,
    OverflowOp.UMUL: BinaryOp.MUL,
    OverflowOp.SMUL: BinaryOp.MUL,
}


def run(module: Module) -> Module:
    """Delete dead code in each function."""
    return map_functions(module, lambda function: _Marker(function).run())


class _Marker:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._definitions: dict[Value, Instruction] = {}
        self._arguments: dict[Value, list[Operand]] = {}  # of each block parameter
        self._slots: dict[Value, Value] = {}  # address -> the alloca it points into
        self._writes: dict[Value, list[Instruction]] = {}  # by alloca, while it is dead
        self._live: set[Value] = set()
        self._kept_writes: set[int] = set()
        self._cut: dict[str, tuple[Value, ...]] = {}  # blocks that lose parameters
        self._pending: list[Operand] = []

    def run(self) -> Function:
        params = {block.label: block.params for block in self._function.blocks}
        for block in self._function.blocks:
            for param in block.params:
                self._arguments[param] = []
        roots: list[Store | MemCopy | MemSet] = []
        for block in self._function.blocks:
            for node in block.instructions:
                self._define(node)
                if isinstance(node, Store | MemCopy | MemSet):
                    roots.append(node)
            self._need_terminator(block, params)
        for node in roots:
            self._need_write(node)
        while self._pending:
            operand = self._pending.pop()
            if isinstance(operand, Value) and operand not in self._live:
                self._live.add(operand)
                self._need_value(operand)
        for label, values in params.items():
            if any(value not in self._live for value in values):
                self._cut[label] = values
        return with_blocks(self._function, tuple([self._sweep(b) for b in self._function.blocks]))

    def _define(self, node: Instruction) -> None:
        for result in results_of(node):
            self._definitions[result] = node
        if isinstance(node, Alloca):
            self._slots[node.result] = node.result
        elif isinstance(node, Call | Barrier) or (isinstance(node, Load) and node.volatile):
            self._pending += operands_of(node)
            self._live.update(results_of(node))

    def _need_terminator(self, block: Block, params: dict[str, tuple[Value, ...]]) -> None:
        targets = successors(block.terminator)
        for target in targets:
            for param, arg in zip(params[target.label], target.args, strict=True):
                self._arguments[param].append(arg)
        operands = operands_of(block.terminator)
        count = sum([len(target.args) for target in targets])
        self._pending += operands[: len(operands) - count]

    def _need_write(self, node: Store | MemCopy | MemSet) -> None:
        """A write to a slot counts once the slot is read; any other one always."""
        ptr = node.ptr if isinstance(node, Store) else node.dst
        slot = self._slot_of(ptr)
        if slot is None or slot in self._live or (isinstance(node, Store) and node.volatile):
            self._kept_writes.add(id(node))
            self._pending += operands_of(node)
        else:
            self._writes.setdefault(slot, []).append(node)

    def _slot_of(self, ptr: Operand) -> Value | None:
        chain: list[Value] = []
        while isinstance(ptr, Value) and ptr not in self._slots:
            chain.append(ptr)
            node = self._definitions.get(ptr)
            if isinstance(node, PtrAdd):
                ptr = node.base
            elif isinstance(node, Cast):
                ptr = node.operand
            else:
                return None
        if not isinstance(ptr, Value):
            return None
        slot = self._slots[ptr]
        self._slots.update(dict.fromkeys(chain, slot))
        return slot

    def _need_value(self, value: Value) -> None:
        arguments = self._arguments.get(value)
        if arguments is not None:
            self._pending += arguments
            return
        node = self._definitions.get(value)
        if node is None:
            return
        self._pending += operands_of(node)
        for write in self._writes.pop(value, ()):
            self._kept_writes.add(id(write))
            self._pending += operands_of(write)

    def _sweep(self, block: Block) -> Block:
        kept = tuple([self._narrowed(node) for node in block.instructions if self._is_kept(node)])
        terminator = block.terminator
        if any(target.label in self._cut for target in successors(terminator)):
            terminator = map_targets(terminator, self._cut_arguments)
        if block.label not in self._cut:
            return with_nodes(block, kept, terminator)
        params = tuple([param for param in block.params if param in self._live])
        return Block(block.label, params, kept, terminator)

    def _is_kept(self, node: Instruction) -> bool:
        if isinstance(node, Store | MemCopy | MemSet):
            return id(node) in self._kept_writes
        if isinstance(node, Call | Barrier):
            return True
        return any(result in self._live for result in results_of(node))

    def _narrowed(self, node: Instruction) -> Instruction:
        if isinstance(node, Overflow) and node.overflow not in self._live:
            return Binary(node.result, _WRAPPING[node.op], node.lhs, node.rhs, node.loc)
        return node

    def _cut_arguments(self, target: Target) -> Target:
        params = self._cut.get(target.label)
        if params is None:
            return target
        pairs = zip(params, target.args, strict=True)
        return Target(target.label, tuple([arg for param, arg in pairs if param in self._live]))
