"""Terminators: the ends of MIR blocks as kir branches, panics and calls."""

from typing import assert_never

from mirgpu.kir.ops import CondBr, Switch, Target
from mirgpu.kir.ops import Unreachable as KUnreachable
from mirgpu.kir.types import I1, IntType
from mirgpu.lower.calls import lower_call
from mirgpu.lower.context import FnContext
from mirgpu.lower.drops import needs_drop
from mirgpu.lower.errors import LowerError
from mirgpu.lower.known_values import known_int
from mirgpu.lower.operands import operand
from mirgpu.lower.panics import (
    Plan,
    assert_message,
    emit_call,
    emit_plan,
    is_optional,
    is_panic,
    show,
)
from mirgpu.lower.places import place
from mirgpu.lower.values import scalar
from mirgpu.mir.syntax import (
    Assert,
    AsyncDrop,
    BasicBlock,
    Call,
    CoroutineDrop,
    Drop,
    FalseEdge,
    FalseUnwind,
    Goto,
    InlineAsm,
    Return,
    SwitchInt,
    TailCall,
    Terminate,
    Unreachable,
    UnwindResume,
    Yield,
)


def label(block: int) -> str:
    return f"bb{block}"


def terminate(fx: FnContext, block: BasicBlock) -> tuple[int, ...]:
    """End the block; gives the MIR blocks that can run next."""
    node = block.terminator
    match node:
        case Goto(target) | FalseEdge(real=target) | FalseUnwind(real=target):
            fx.b.br(label(target))
            return (target,)
        case SwitchInt():
            return _switch(fx, node)
        case Return():
            fx.end_return()
            return ()
        case Unreachable() | UnwindResume() | Terminate() | CoroutineDrop():
            fx.b.end(KUnreachable(fx.b.loc))
            return ()
        case Drop(where, target):
            ty = place(fx, where).ty
            if needs_drop(fx, ty):
                raise LowerError(
                    "MG0342",
                    f"dropping a `{fx.types.text(ty)}` runs code, which is not supported",
                    help="a kernel's values should be `Copy`, or own nothing",
                )
            fx.b.br(label(target))
            return (target,)
        case Call():
            return _call(fx, block, node)
        case Assert():
            return _assert(fx, node)
        case TailCall():
            raise LowerError("MG0303", "`become` is not supported", help="write a loop")
        case InlineAsm():
            raise LowerError("MG0343", "inline assembly is not supported", help="write it in Rust")
        case Yield() | AsyncDrop():
            raise LowerError("MG0303", "coroutines are not supported in a kernel")
        case _:
            assert_never(node)


def _switch(fx: FnContext, node: SwitchInt) -> tuple[int, ...]:
    cases = dict(zip(node.values, node.targets, strict=True))
    fixed = known_int(fx, node.discr)
    if fixed is not None:
        target = cases.get(fixed, node.otherwise)
        fx.b.br(label(target))
        return (target,)
    value = scalar(fx, operand(fx, node.discr))
    if value.type == I1:
        yes, no = cases.get(1, node.otherwise), cases.get(0, node.otherwise)
        fx.b.end(CondBr(value, Target(label(yes)), Target(label(no)), fx.b.loc))
        return (yes, no)
    if not isinstance(value.type, IntType):
        raise LowerError("MG0303", "a switch on a pointer is not supported")
    fx.b.end(
        Switch(
            value,
            tuple((bits, Target(label(target))) for bits, target in cases.items()),
            Target(label(node.otherwise)),
            fx.b.loc,
        )
    )
    return (*node.targets, node.otherwise)


def _call(fx: FnContext, block: BasicBlock, node: Call) -> tuple[int, ...]:
    plan = fx.plans.get(block.index)
    if plan is not None:
        assert isinstance(plan, Plan)
        emit_plan(fx, plan, node.source)
        return ()
    if is_panic(node):
        emit_call(fx, node)
        return ()
    if (block.index, len(block.statements)) not in fx.skipped:
        lower_call(fx, node)
    if not fx.b.open:
        return ()
    if node.target is None:
        fx.b.end(KUnreachable(fx.b.loc))
        return ()
    fx.b.br(label(node.target))
    return (node.target,)


def _assert(fx: FnContext, node: Assert) -> tuple[int, ...]:
    optional = is_optional(node) and not fx.crate.options.overflow_checks
    fixed = known_int(fx, node.cond)
    if optional or (fixed is not None and bool(fixed) == node.expected):
        fx.b.br(label(node.target))
        return (node.target,)
    cond = scalar(fx, operand(fx, node.cond))
    values = [operand(fx, value, fx.types.usize) for value in node.operands]
    failed = fx.b.fresh("panic")
    if node.expected:
        fx.b.cond_br(cond, label(node.target), failed)
    else:
        fx.b.cond_br(cond, failed, label(node.target))
    fx.b.start(failed, cold=True)
    show(fx, assert_message(node), values, node.source)
    return (node.target,)
