"""What every pass asks of a node: its operands, its results, its targets, and a changed copy."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar, assert_never, cast

from mirgpu.kir.ops import (
    Alloca,
    Barrier,
    Binary,
    Br,
    Call,
    Cast,
    Compare,
    CondBr,
    FusedMulAdd,
    GlobalAddr,
    Instruction,
    Load,
    MemCopy,
    MemSet,
    Operand,
    Overflow,
    Panic,
    PtrAdd,
    ReadSpecial,
    Return,
    Select,
    Store,
    Switch,
    Target,
    Terminator,
    Unary,
    Unreachable,
    Value,
)

Node = Instruction | Terminator
N = TypeVar("N", Instruction, Terminator)


def results_of(node: Node) -> tuple[Value, ...]:
    """The values that ``node`` defines, in the order of its text."""
    match node:
        case (
            Binary(result=result)
            | Load(result=result)
            | PtrAdd(result=result)
            | Cast(result=result)
            | Compare(result=result)
            | Unary(result=result)
            | Select(result=result)
            | FusedMulAdd(result=result)
            | Alloca(result=result)
            | GlobalAddr(result=result)
            | ReadSpecial(result=result)
        ):
            return (result,)
        case Overflow():
            return (node.result, node.overflow)
        case Call():
            return node.results
        case Store() | MemCopy() | MemSet() | Barrier():
            return ()
        case Br() | CondBr() | Switch() | Return() | Unreachable() | Panic():
            return ()
        case _:
            assert_never(node)


def operands_of(node: Node) -> tuple[Operand, ...]:
    """All operands in the order of the text, arguments of a terminator's targets included."""
    match node:
        case Binary() | Compare() | Overflow():
            return (node.lhs, node.rhs)
        case Load():
            return (node.ptr,)
        case Store():
            return (node.value, node.ptr)
        case PtrAdd():
            return (node.base, node.index)
        case Cast() | Unary():
            return (node.operand,)
        case Select():
            return (node.cond, node.if_true, node.if_false)
        case FusedMulAdd():
            return (node.a, node.b, node.c)
        case MemCopy():
            return (node.dst, node.src, node.size)
        case MemSet():
            return (node.dst, node.byte, node.size)
        case Call():
            return node.args
        case Alloca() | GlobalAddr() | ReadSpecial() | Barrier() | Unreachable():
            return ()
        case Br():
            return node.target.args
        case CondBr():
            return (node.cond, *node.if_true.args, *node.if_false.args)
        case Switch():
            args = [arg for _, target in node.cases for arg in target.args]
            return (node.value, *args, *node.default.args)
        case Return():
            return node.values
        case Panic():
            return node.operands
        case _:
            assert_never(node)


def map_operands(node: N, change: Callable[[Operand], Operand]) -> N:
    """``node`` with ``change`` applied to each operand; ``node`` itself where nothing changed."""
    before = operands_of(node)
    after = tuple([change(operand) for operand in before])
    if all(a is b for a, b in zip(before, after, strict=True)):
        return node
    return cast(N, _with_operands(node, after))


def replace_operands(node: N, mapping: Mapping[Value, Operand]) -> N:
    """``node`` with the values that ``mapping`` has replaced, once (no chains are followed)."""
    if not mapping:
        return node

    def change(operand: Operand) -> Operand:
        return mapping.get(operand, operand) if isinstance(operand, Value) else operand

    return map_operands(node, change)


def _with_operands(node: Node, new: tuple[Operand, ...]) -> Node:
    match node:
        case Binary() | Compare() | Overflow():
            return replace(node, lhs=new[0], rhs=new[1])
        case Load():
            return replace(node, ptr=new[0])
        case Store():
            return replace(node, value=new[0], ptr=new[1])
        case PtrAdd():
            return replace(node, base=new[0], index=new[1])
        case Cast() | Unary():
            return replace(node, operand=new[0])
        case Select():
            return replace(node, cond=new[0], if_true=new[1], if_false=new[2])
        case FusedMulAdd():
            return replace(node, a=new[0], b=new[1], c=new[2])
        case MemCopy():
            return replace(node, dst=new[0], src=new[1], size=new[2])
        case MemSet():
            return replace(node, dst=new[0], byte=new[1], size=new[2])
        case Call():
            return replace(node, args=new)
        case Alloca() | GlobalAddr() | ReadSpecial() | Barrier() | Unreachable():
            return node
        case Br():
            return replace(node, target=Target(node.target.label, new))
        case CondBr():
            middle = 1 + len(node.if_true.args)
            return replace(
                node,
                cond=new[0],
                if_true=Target(node.if_true.label, new[1:middle]),
                if_false=Target(node.if_false.label, new[middle:]),
            )
        case Switch():
            at = 1
            cases = []
            for case, target in node.cases:
                cases.append((case, Target(target.label, new[at : at + len(target.args)])))
                at += len(target.args)
            default = Target(node.default.label, new[at:])
            return replace(node, value=new[0], cases=tuple(cases), default=default)
        case Return():
            return replace(node, values=new)
        case Panic():
            return replace(node, operands=new)
        case _:
            assert_never(node)


def successors(terminator: Terminator) -> tuple[Target, ...]:
    """The targets in the order of the text; one label may occur several times."""
    match terminator:
        case Br():
            return (terminator.target,)
        case CondBr():
            return (terminator.if_true, terminator.if_false)
        case Switch():
            return (*[target for _, target in terminator.cases], terminator.default)
        case Return() | Unreachable() | Panic():
            return ()
        case _:
            assert_never(terminator)


def map_targets(terminator: Terminator, change: Callable[[Target], Target]) -> Terminator:
    """``terminator`` with ``change`` applied to each target."""
    match terminator:
        case Br():
            return replace(terminator, target=change(terminator.target))
        case CondBr():
            return replace(
                terminator,
                if_true=change(terminator.if_true),
                if_false=change(terminator.if_false),
            )
        case Switch():
            cases = tuple([(case, change(target)) for case, target in terminator.cases])
            return replace(terminator, cases=cases, default=change(terminator.default))
        case Return() | Unreachable() | Panic():
            return terminator
        case _:
            assert_never(terminator)
