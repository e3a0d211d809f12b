"""Values as lowering passes them on: scalars, fat pointers, nothing, or memory."""

from dataclasses import dataclass
from typing import final

from mirgpu.kir.ops import IntConst, Operand
from mirgpu.kir.types import I64, PTR
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.mir.syntax import Ty


@final
@dataclass(frozen=True, slots=True)
class PlaceRef:
    """An address that is not computed yet: base + index*stride + offset, and what is there.

    ``meta`` is the length of a slice place; ``variant`` the variant's index after a downcast.
    """

    base: Operand
    offset: int
    align: int
    ty: Ty
    index: Operand | None = None
    stride: int = 1
    meta: Operand | None = None
    variant: int | None = None
    variant_name: str = ""
    local: int | None = None
    """The local that the memory belongs to, where it is one."""


@final
@dataclass(frozen=True, slots=True)
class Scalar:
    ty: Ty
    value: Operand


@final
@dataclass(frozen=True, slots=True)
class Fat:
    """A pointer to a slice or ``str``, with its length."""

    ty: Ty
    ptr: Operand
    meta: Operand


@final
@dataclass(frozen=True, slots=True)
class Zst:
    ty: Ty


@final
@dataclass(frozen=True, slots=True)
class Memory:
    ty: Ty
    place: PlaceRef


Val = Scalar | Fat | Zst | Memory


def address(fx: FnContext, place: PlaceRef) -> Operand:
    """The place's address, in whatever space it is known to be."""
    if place.index is None:
        return fx.b.ptr_add(place.base, IntConst(I64, 0), 1, place.offset)
    return fx.b.ptr_add(place.base, place.index, place.stride, place.offset)


def load(fx: FnContext, place: PlaceRef, name: str | None = None) -> Val:
    """What is at a place; aggregates stay in memory."""
    layout = fx.layout(place.ty)
    if layout.scalar is not None:
        return Scalar(place.ty, fx.b.load(layout.scalar, address(fx, place), place.align, name))
    if layout.fat:
        at = address(fx, place)
        ptr = fx.b.load(PTR, at, place.align, name)
        meta = fx.b.load(I64, fx.b.ptr_add(at, IntConst(I64, 0), 1, 8), min(place.align, 8))
        return Fat(place.ty, ptr, meta)
    if layout.size == 0:
        return Zst(place.ty)
    return Memory(place.ty, place)


def store(fx: FnContext, place: PlaceRef, value: Val) -> None:
    match value:
        case Scalar(_, operand):
            fx.b.store(operand, address(fx, place), place.align)
        case Fat(_, ptr, meta):
            at = address(fx, place)
            fx.b.store(ptr, at, place.align)
            fx.b.store(meta, fx.b.ptr_add(at, IntConst(I64, 0), 1, 8), min(place.align, 8))
        case Zst():
            pass
        case Memory(ty, source):
            size = fx.layout(ty).size
            fx.b.memcopy(
                address(fx, place),
                address(fx, source),
                IntConst(I64, size),
                min(place.align, source.align),
            )


def slot(fx: FnContext, ty: Ty, name: str | None = None) -> PlaceRef:
    """Fresh memory as a place."""
    return PlaceRef(fx.temp(ty, name), 0, fx.layout(ty).align, ty)


def to_memory(fx: FnContext, value: Val) -> PlaceRef:
    """The value's memory; a scalar gets some."""
    if isinstance(value, Memory):
        return value.place
    place = slot(fx, value.ty)
    store(fx, place, value)
    return place


def scalar(fx: FnContext, value: Val) -> Operand:
    """The one kir value of a scalar; reads one from memory of that shape (a wrapper)."""
    match value:
        case Scalar(_, operand):
            return operand
        case Memory(ty, place):
            peeled = fx.layouts.peel(ty)
            layout = fx.layout(peeled)
            if layout.scalar is not None:
                return fx.b.load(layout.scalar, address(fx, place), place.align)
    raise LowerError("MG0302", f"a value of type `{fx.types.text(value.ty)}` is not supported here")
