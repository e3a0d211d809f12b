"""Constant tables that are indexed are read where they lie, not copied to the stack first."""

from mirgpu.kir.types import AddressSpace
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.lower.freeze import is_freeze
from mirgpu.lower.operands import constants
from mirgpu.mir.syntax import (
    ArrayAggregate,
    ArrayTy,
    Assign,
    BorrowKind,
    CArray,
    Constant,
    RawPtr,
    RawPtrKind,
    Ref,
    Use,
)


def alias_table(fx: FnContext, local: int) -> bool:
    """Let an array local that is one constant, and only read, be that constant's memory."""
    made = fx.index.single(local)
    if not isinstance(made, Assign) or local not in fx.index.indexed or not _only_read(fx, local):
        return False
    match made.rvalue:
        case Use(Constant(value)):
            pass
        case ArrayAggregate(operands) if operands:
            values = tuple(o.value for o in operands if isinstance(o, Constant))
            if len(values) != len(operands):
                return False
            value = CArray(values)
        case _:
            return False
    try:
        ty = fx.local_ty(local)
        if not isinstance(ty, ArrayTy) or not is_freeze(fx.layouts, ty):
            return False
        image = constants(fx).image(value, ty)
    except LowerError:
        return False
    (definition,) = fx.index.definitions[local]
    fx.skipped.add((definition.block, definition.index))
    symbol = image.place(fx.round, fx.index.names.get(local, "table"))
    fx.slots[local] = fx.b.generic(fx.b.global_addr(symbol, AddressSpace.GLOBAL))
    return True


def _only_read(fx: FnContext, local: int) -> bool:
    for block in fx.index.body.blocks:
        for node in block.statements:
            if not isinstance(node, Assign):
                continue
            if node.place.projection and node.place.local == local:
                return False
            match node.rvalue:
                case Ref(kind, place) if place.local == local and kind is BorrowKind.MUT:
                    return False
                case RawPtr(kind, place) if (
                    place.local == local and kind is not RawPtrKind.FAKE_FOR_PTR_METADATA
                ):
                    return False
                case _:
                    pass
    return True
