"""What is known of a function's values: the table behind ``instsimplify``'s identities."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from mirgpu.kir.module import Function, ParamRole
from mirgpu.kir.ops import (
    Alloca,
    Cast,
    CastOp,
    GlobalAddr,
    Instruction,
    IntConst,
    Operand,
    PtrAdd,
    Select,
    Value,
)
from mirgpu.kir.types import AddressSpace, PtrType
from mirgpu.kir.visit import results_of, successors


@final
@dataclass(frozen=True, slots=True)
class Facts:
    """The definitions of values, the arguments that each block parameter gets, and the
    function's parameters that are no null."""

    definitions: Mapping[Value, Instruction]
    arguments: Mapping[Value, Sequence[Operand]]
    non_null: frozenset[Value]


def facts_of(function: Function, definitions: dict[Value, Instruction]) -> Facts:
    """The facts of ``function``; ``definitions`` is filled, and may change as it does."""
    arguments: dict[Value, list[Operand]] = {}
    params = {block.label: block.params for block in function.blocks}
    for block in function.blocks:
        for target in successors(block.terminator):
            for param, arg in zip(params[target.label], target.args, strict=True):
                arguments.setdefault(param, []).append(arg)
        for node in block.instructions:
            for result in results_of(node):
                definitions[result] = node
    # Rust's slices never start at null.
    starts = [param.value for param in function.params if param.role is ParamRole.SLICE_PTR]
    return Facts(definitions, arguments, frozenset(starts))


def is_non_null(ptr: Operand, facts: Facts) -> bool:
    """Whether a pointer always points at a constant offset from an object: not to 0.

    Local and shared memory may begin at 0 in their own space; seen as generic they do not.
    """
    seen: set[Operand] = set()
    work: list[Operand] = [ptr]
    if isinstance(ptr.type, PtrType) and ptr.type.space not in _FROM_1:
        return False
    while work:
        ptr = work.pop()
        if ptr in seen or ptr in facts.non_null:
            continue
        if not isinstance(ptr, Value):
            return False
        seen.add(ptr)
        args = facts.arguments.get(ptr)
        if args is not None:
            work += args
            continue
        match facts.definitions.get(ptr):
            case PtrAdd(_, base, IntConst()):
                work.append(base)
            case Cast(_, CastOp.ADDRSPACECAST, inner):
                work.append(inner)
            case Select(_, _, if_true, if_false):
                work += (if_true, if_false)
            case Alloca() | GlobalAddr():
                continue
            case _:
                return False
    return True


_FROM_1 = (AddressSpace.GENERIC, AddressSpace.GLOBAL)
