"""Constants folded, and instructions replaced by simpler ones that equal them.

Before::

    entry:
      %a:i32 = add %x, 0:i32
      %b:i32 = mul 6:i32, 7:i32
      %c:i1 = eq %a, %b
      %d:i64 = zext %c
      %p:ptr.generic = ptradd %q, 0:i64 * 1 + 8
      %r:ptr.generic = ptradd %p, %i * 4 + 4
      switch %d, [0: no(%r)], default yes(%r)

After (``dce`` removes the rest)::

    entry:
      %c:i1 = eq %x, 42:i32
      %r:ptr.generic = ptradd %q, %i * 4 + 12
      condbr %c, yes(%r), no(%r)

Floats keep the difference of -0.0 and NaN; what is undefined is left to happen.
"""

from typing import assert_never

from mirgpu.kir.cfg import Cfg
from mirgpu.kir.module import Block, Function, Module
from mirgpu.kir.ops import (
    Alloca,
    Barrier,
    Binary,
    BinaryOp,
    Br,
    Call,
    Cast,
    CastOp,
    Compare,
    CondBr,
    FusedMulAdd,
    GlobalAddr,
    Instruction,
    IntConst,
    Load,
    MemCopy,
    MemSet,
    Operand,
    Overflow,
    OverflowOp,
    Panic,
    PtrAdd,
    PtrConst,
    ReadSpecial,
    Return,
    Select,
    Store,
    Switch,
    Terminator,
    Unary,
    UnaryOp,
    Undef,
    Unreachable,
    Value,
)
from mirgpu.kir.types import I1, IntType
from mirgpu.kir.visit import results_of
from mirgpu.passes import fold
from mirgpu.passes.bits import largest
from mirgpu.passes.facts import facts_of
from mirgpu.passes.rewrite import (
    map_functions,
    substitute,
    substitute_block,
    with_blocks,
    with_nodes,
)
from mirgpu.passes.simplify_binary import Simpler, simplify_binary
from mirgpu.passes.simplify_cast import simplify_cast
from mirgpu.passes.simplify_compare import simplify_compare

NAME = "instsimplify"


def run(module: Module) -> Module:
    """Simplify each function's instructions, definitions before uses."""
    return map_functions(module, lambda function: _Simplifier(function).run())


class _Simplifier:
    def __init__(self, function: Function) -> None:
        self._function = function
        self._mapping: dict[Value, Operand] = {}
        self._definitions: dict[Value, Instruction] = {}
        self._facts = facts_of(function, self._definitions)

    def run(self) -> Function:
        cfg = Cfg(self._function)
        done = {label: self._block(cfg.blocks[label]) for label in cfg.reverse_postorder}
        blocks = tuple([done.get(block.label, block) for block in self._function.blocks])
        if self._mapping:  # values that a block before their definition passes on
            blocks = tuple([substitute_block(block, self._mapping) for block in blocks])
        return with_blocks(self._function, blocks)

    def _block(self, block: Block) -> Block:
        kept: list[Instruction] = []
        for node in block.instructions:
            new = self._node(node)
            if new is not None:
                kept.append(new)
        terminator = self._terminator(substitute(block.terminator, self._mapping))
        return with_nodes(block, tuple(kept), terminator)

    def _node(self, node: Instruction) -> Instruction | None:
        """What becomes of ``node``: itself, another with its results, or none."""
        node = substitute(node, self._mapping)
        if isinstance(node, Overflow):
            return self._overflow(node)
        if isinstance(node, MemCopy | MemSet):
            return None if isinstance(node.size, IntConst) and node.size.value == 0 else node
        found = self._simpler(node)
        while isinstance(found, _SIMPLE):
            node = found
            found = self._simpler(node)
        results = results_of(node)
        if found is not None:
            self._mapping[results[0]] = found
            return None
        for result in results:
            self._definitions[result] = node
        return node

    def _simpler(self, node: Instruction) -> Simpler:
        match node:
            case Binary():
                return fold.fold(node) or simplify_binary(node, self._definitions)
            case Compare():
                return fold.fold(node) or simplify_compare(node, self._facts)
            case Cast():
                return fold.fold(node) or simplify_cast(node, self._definitions)
            case Unary():
                return fold.fold(node) or self._unary(node)
            case FusedMulAdd():
                return fold.fold(node)
            case Select():
                return self._select(node)
            case PtrAdd():
                return self._ptradd(node)
            case (
                Overflow()
                | Alloca()
                | GlobalAddr()
                | Load()
                | Store()
                | MemCopy()
                | MemSet()
                | Call()
                | ReadSpecial()
                | Barrier()
            ):
                return None
            case _:
                assert_never(node)

    def _definition(self, operand: Operand) -> Instruction | None:
        return self._definitions.get(operand) if isinstance(operand, Value) else None

    # ---------------------------------------------------------------------- arithmetic

    def _unary(self, node: Unary) -> Simpler:
        inner = self._definition(node.operand)
        if not isinstance(inner, Unary):
            return None
        match node.op, inner.op:
            case (
                (UnaryOp.FNEG, UnaryOp.FNEG)
                | (UnaryOp.BSWAP, UnaryOp.BSWAP)
                | (UnaryOp.BITREVERSE, UnaryOp.BITREVERSE)
            ):
                return inner.operand
            case UnaryOp.FABS, UnaryOp.FABS:
                return inner.result
            case UnaryOp.FABS, UnaryOp.FNEG:
                return Unary(node.result, UnaryOp.FABS, inner.operand, node.loc)
        return None

    def _overflow(self, node: Overflow) -> Instruction | None:
        constants = fold.fold_overflow(node)
        if constants is not None:
            self._mapping[node.result], self._mapping[node.overflow] = constants
            return None
        if not self._cannot_overflow(node):
            return node
        self._mapping[node.overflow] = IntConst(I1, 0)
        op = {
            OverflowOp.UADD: BinaryOp.ADD,
            OverflowOp.SADD: BinaryOp.ADD,
            OverflowOp.USUB: BinaryOp.SUB,
            OverflowOp.SSUB: BinaryOp.SUB,
            OverflowOp.UMUL: BinaryOp.MUL,
            OverflowOp.SMUL: BinaryOp.MUL,
        }[node.op]
        return self._node(Binary(node.result, op, node.lhs, node.rhs, node.loc))

    def _cannot_overflow(self, node: Overflow) -> bool:
        ty = node.result.type
        assert isinstance(ty, IntType)
        left = largest(node.lhs, self._definitions)
        right = largest(node.rhs, self._definitions)
        ones = (1 << ty.width) - 1
        match node.op:
            case OverflowOp.UADD:
                return left + right <= ones
            case OverflowOp.UMUL:
                return left * right <= ones
            case OverflowOp.SADD:
                return left + right <= ones >> 1
            case OverflowOp.SMUL:
                return max(left, right, left * right) <= ones >> 1
            case OverflowOp.USUB:
                return right == 0
            case OverflowOp.SSUB:
                return right == 0 or max(left, right) <= ones >> 1
            case _:
                assert_never(node.op)

    def _select(self, node: Select) -> Simpler:
        cond, yes, no = node.cond, node.if_true, node.if_false
        if isinstance(cond, IntConst):
            return yes if cond.value else no
        if yes is no or (not isinstance(yes, Value) and yes == no) or isinstance(no, Undef):
            return yes
        if isinstance(yes, Undef):
            return no
        if yes == _TRUE and no == _FALSE:
            return cond
        if yes == _FALSE and no == _TRUE:
            return Binary(node.result, BinaryOp.XOR, cond, _TRUE, node.loc)
        match self._definition(cond):
            case Binary(_, BinaryOp.XOR, inner, IntConst(_, 1)):
                return Select(node.result, inner, no, yes, node.loc)
        return None

    # ----------------------------------------------------------------------- addresses

    def _ptradd(self, node: PtrAdd) -> Simpler:
        base, index, stride, offset = node.base, node.index, node.stride, node.offset
        if isinstance(index, IntConst) and (index.value or stride != 1):
            index, stride, offset = _ZERO, 1, index.value * stride + offset
        is_constant = isinstance(index, IntConst)
        if is_constant and isinstance(base, PtrConst):
            return PtrConst(base.type, (base.address + offset) % (1 << 64))
        match self._definition(base):
            case PtrAdd(_, inner, IntConst(_, 0), _, more):
                base, offset = inner, offset + more
            case PtrAdd(_, inner, inner_index, inner_stride, more) if is_constant:
                base, index, stride, offset = inner, inner_index, inner_stride, offset + more
        match self._definition(index):
            case Binary(_, BinaryOp.ADD, inner, IntConst(_, more)):
                index, offset = inner, offset + more * stride
            case Binary(_, BinaryOp.MUL, inner, IntConst(_, factor)) if factor * stride < _MAX:
                index, stride = inner, stride * factor
            case Binary(_, BinaryOp.SHL, inner, IntConst(_, amount)) if stride << amount < _MAX:
                index, stride = inner, stride << amount
        offset = (offset + (1 << 63)) % (1 << 64) - (1 << 63)
        if offset == 0 and isinstance(index, IntConst):
            return base
        if (base, index, stride, offset) == (node.base, node.index, node.stride, node.offset):
            return None
        return PtrAdd(node.result, base, index, stride, offset, node.loc)

    # --------------------------------------------------------------------- terminators

    def _terminator(self, node: Terminator) -> Terminator:
        match node:
            case CondBr(cond, if_true, if_false, loc):
                match self._definition(cond):
                    case Binary(_, BinaryOp.XOR, inner, IntConst(_, 1)):
                        return self._terminator(CondBr(inner, if_false, if_true, loc))
                return node
            case Switch():
                return self._switch(node)
            case Br() | Return() | Unreachable() | Panic():
                return node
            case _:
                assert_never(node)

    def _switch(self, node: Switch) -> Terminator:
        targets = dict(node.cases)
        match self._definition(node.value):
            case Select(_, cond, IntConst(_, yes), IntConst(_, no)):
                return self._terminator(
                    CondBr(
                        cond,
                        targets.get(yes, node.default),
                        targets.get(no, node.default),
                        node.loc,
                    )
                )
            case Cast(_, CastOp.ZEXT, inner):
                if inner.type == I1:
                    yes_target = targets.get(1, node.default)
                    no_target = targets.get(0, node.default)
                    return self._terminator(CondBr(inner, yes_target, no_target, node.loc))
                top = largest(inner, {})
                cases = tuple([(case, target) for case, target in node.cases if case <= top])
                return self._terminator(Switch(inner, cases, node.default, node.loc))
        return node


_SIMPLE = Binary | Compare | Cast | Unary | Select | PtrAdd
_ZERO = IntConst(IntType(64), 0)
_FALSE, _TRUE = IntConst(I1, 0), IntConst(I1, 1)
_MAX = 1 << 31
"""Strides stay below this, so that every target can multiply by them."""
