"""One computation of each value: what a dominating block has computed, or tested, is known.

Before::

    entry:
      %a:i32 = add %x, %y
      %c:i1 = ult %a, %n
      condbr %c, then(), else()
    then:
      %b:i32 = add %y, %x
      %d:i1 = uge %b, %n
      condbr %d, panic(), fine()

After::

    entry:
      %a:i32 = add %x, %y
      %c:i1 = ult %a, %n
      condbr %c, then(), else()
    then:
      condbr 0:i1, panic(), fine()

Along the dominator tree, with a table of expressions.  Loads are left alone.
"""

from collections.abc import Hashable

from mirgpu.kir.cfg import Cfg
from mirgpu.kir.module import Block, Function, Module
from mirgpu.kir.ops import (
    Binary,
    Cast,
    Compare,
    CondBr,
    FusedMulAdd,
    GlobalAddr,
    Instruction,
    IntConst,
    Operand,
    Overflow,
    PtrAdd,
    ReadSpecial,
    Select,
    Switch,
    Target,
    Unary,
    Value,
)
from mirgpu.kir.types import I1, IntType
from mirgpu.kir.visit import map_operands, operands_of, results_of, successors
from mirgpu.passes.rewrite import map_functions, substitute_block, with_blocks, with_nodes
from mirgpu.passes.simplify_binary import COMMUTATIVE, INVERSE
from mirgpu.passes.simplify_compare import SWAPPED

NAME = "gvn"

_FALSE, _TRUE = IntConst(I1, 0), IntConst(I1, 1)


def run(module: Module) -> Module:
    """Number each function's values."""
    return map_functions(module, lambda function: _Numbering(function).run())


class _Numbering:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._cfg = Cfg(function)
        self._available: dict[Hashable, tuple[Operand, ...]] = {}
        self._definitions: dict[Value, Instruction] = {}
        self._known: dict[Value, Operand] = {}  # what a value is here and below
        self._mapping: dict[Value, Operand] = {}  # what it is everywhere
        self._edges: dict[str, int] = dict.fromkeys(self._cfg.reverse_postorder, 0)
        for label in self._cfg.reverse_postorder:
            for target in successors(self._cfg.blocks[label].terminator):
                self._edges[target.label] += 1

    def run(self) -> Function:
        blocks = dict(self._cfg.blocks)
        # A label enters a block; two lists leave it: keys and values to forget.
        stack: list[str | tuple[list[Hashable], list[Value]]] = [self._cfg.entry]
        while stack:
            entered = stack.pop()
            if isinstance(entered, str):
                undo: tuple[list[Hashable], list[Value]] = ([], [])
                self._learn(entered, undo)
                blocks[entered] = self._number(blocks[entered], undo[0])
                stack.append(undo)
                stack += self._cfg.dominator_children[entered]
                continue
            for key in entered[0]:
                del self._available[key]
            for value in entered[1]:
                del self._known[value]
        done = tuple([blocks[block.label] for block in self._function.blocks])
        if self._mapping:
            done = tuple([substitute_block(block, self._mapping) for block in done])
        return with_blocks(self._function, done)

    # --------------------------------------------------------------------- conditions

    def _learn(self, label: str, undo: tuple[list[Hashable], list[Value]]) -> None:
        """What the only branch to this block says of its condition."""
        if self._edges[label] != 1:
            return
        (before,) = self._cfg.predecessors[label]
        match self._cfg.blocks[before].terminator:
            case CondBr(cond, Target(taken), _) if isinstance(cond, Value):
                self._learn_value(self._resolved(cond), int(taken == label), undo)
            case Switch(value, cases, _) if isinstance(value, Value):
                for case, target in cases:
                    if target.label == label:
                        self._learn_value(self._resolved(value), case, undo)

    def _learn_value(
        self, value: Operand, number: int, undo: tuple[list[Hashable], list[Value]]
    ) -> None:
        if not isinstance(value, Value) or value in self._known:
            return
        assert isinstance(value.type, IntType)
        self._known[value] = IntConst(value.type, number)
        undo[1].append(value)
        node = self._definitions.get(value)
        if not isinstance(node, Compare):
            return
        inverse = INVERSE.get(node.op)
        if inverse is None:
            return
        key = _key(Compare(node.result, inverse, node.lhs, node.rhs, None))
        if key not in self._available:
            self._available[key] = (_FALSE if number else _TRUE,)
            undo[0].append(key)

    def _resolved(self, operand: Operand) -> Operand:
        if isinstance(operand, Value):
            operand = self._mapping.get(operand, operand)
        return self._known.get(operand, operand) if isinstance(operand, Value) else operand

    # ------------------------------------------------------------------------ numbering

    def _number(self, block: Block, undo: list[Hashable]) -> Block:
        kept: list[Instruction] = []
        for node in block.instructions:
            for operand in operands_of(node):
                if isinstance(operand, Value) and self._resolved(operand) is not operand:
                    node = map_operands(node, self._resolved)
                    break
            key = _key(node)
            if key is None:
                kept.append(node)
                continue
            results = results_of(node)
            found = self._available.get(key)
            if found is not None:
                self._mapping.update(zip(results, found, strict=True))
                continue
            self._available[key] = results
            undo.append(key)
            self._definitions[results[0]] = node
            kept.append(node)
        terminator = map_operands(block.terminator, self._resolved)
        return with_nodes(block, tuple(kept), terminator)


def _after(lhs: Operand, rhs: Operand) -> bool:
    """Some order of two operands, constants last."""
    if not isinstance(rhs, Value):
        return False
    return not isinstance(lhs, Value) or id(lhs) > id(rhs)


def _key(node: Instruction) -> Hashable | None:
    """Equal for two nodes of equal results; none for what must not be merged."""
    match node:
        case Binary(_, op, lhs, rhs):
            if op in COMMUTATIVE and _after(lhs, rhs):
                lhs, rhs = rhs, lhs
            return op, lhs, rhs
        case Compare(_, op, lhs, rhs):
            if _after(lhs, rhs):
                op, lhs, rhs = SWAPPED[op], rhs, lhs
            return op, lhs, rhs
        case PtrAdd(_, base, index, stride, offset):
            return PtrAdd, base, index, stride, offset
        case Cast(result, op, operand):
            return op, operand, result.type
        case Unary(_, op, operand):
            return op, operand
        case Select(_, cond, if_true, if_false):
            return Select, cond, if_true, if_false
        case FusedMulAdd(_, a, b, c):
            return FusedMulAdd, a, b, c
        case Overflow(_, _, op, lhs, rhs):
            return op, lhs, rhs
        case GlobalAddr(_, symbol):
            return GlobalAddr, symbol
        case ReadSpecial(_, register, axis):
            return register, axis
        case _:
            return None
