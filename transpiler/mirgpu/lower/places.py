"""MIR places: a local and its projections to an address."""

from dataclasses import replace
from typing import assert_never

from mirgpu.kir.ops import BinaryOp, IntConst, Operand
from mirgpu.kir.types import I64
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.lower.types import is_unsized, pointee
from mirgpu.lower.values import Fat, Memory, PlaceRef, Scalar, address, load
from mirgpu.mir.syntax import (
    ArrayTy,
    CInt,
    ConstantIndex,
    Deref,
    Downcast,
    Field,
    Index,
    OpaqueCast,
    Place,
    ProjectionElem,
    SliceTy,
    Subslice,
    Subtype,
    Ty,
    UnwrapUnsafeBinder,
)


def place(fx: FnContext, node: Place) -> PlaceRef:
    """Where a MIR place is.  Emits the loads of its dereferences."""
    at = local_place(fx, node.local)
    for elem in node.projection:
        at = project(fx, at, elem)
    return at


def local_place(fx: FnContext, local: int) -> PlaceRef:
    ty = fx.local_ty(local)
    align = fx.layout(ty).align
    return PlaceRef(fx.slots[local], 0, align, ty, local=local)


def project(fx: FnContext, at: PlaceRef, elem: ProjectionElem) -> PlaceRef:
    match elem:
        case Deref():
            return deref(fx, at)
        case Field(index, ty):
            return field(fx, at, index, fx.ty(ty))
        case Downcast(variant):
            index = fx.layouts.variant_index(at.ty, variant)
            name = variant if isinstance(variant, str) else fx.layouts.variant_name(at.ty, index)
            return _with(at, at.ty, variant=index, variant_name=name)
        case Index(local):
            value = fx.b.load(I64, address(fx, local_place(fx, local)), 8, _name(fx, local))
            return element(fx, at, value)
        case ConstantIndex(offset, _, from_end):
            return _constant_index(fx, at, offset, from_end)
        case Subslice(start, end, from_end):
            return _subslice(fx, at, start, end, from_end)
        case OpaqueCast(ty) | Subtype(ty):
            return _with(at, fx.ty(ty))
        case UnwrapUnsafeBinder():
            raise LowerError("MG0303", "unsafe binders are not supported")
        case _:
            assert_never(elem)


def deref(fx: FnContext, at: PlaceRef) -> PlaceRef:
    """What the pointer at a place points to."""
    inner = pointee(at.ty)
    if inner is None:
        raise LowerError(
            "MG0303",
            f"a dereference of `{fx.types.text(at.ty)}` is not supported",
            help="use a reference or a raw pointer",
        )
    value = load(fx, at, _name(fx, at.local) if not at.offset else None)
    return pointed(fx, value, inner)


def pointed(fx: FnContext, value: object, inner: Ty) -> PlaceRef:
    """The place that a pointer value points to."""
    align = fx.layout(inner).align
    match value:
        case Scalar(_, ptr):
            return PlaceRef(ptr, 0, align, inner)
        case Fat(_, ptr, meta):
            return PlaceRef(ptr, 0, align, inner, meta=meta)
        case _:
            raise LowerError(
                "MG0303", f"a pointer to `{fx.types.text(inner)}` is not supported here"
            )


def field(fx: FnContext, at: PlaceRef, index: int, ty: Ty) -> PlaceRef:
    fx.layouts.see_field(at.ty, at.variant_name, index, ty)
    offset = fx.layouts.field_offset(at.ty, at.variant, index, ty)
    inside = _with(at, ty, offset=at.offset + offset, align=_align(fx, at, ty, offset))
    # An unsized field is the tail, and has the struct's metadata.
    return replace(inside, meta=at.meta) if is_unsized(ty) else inside


def _align(fx: FnContext, at: PlaceRef, ty: Ty, offset: int) -> int:
    """A packed struct's field is as aligned as its offset, no more."""
    align = min(fx.layout(ty).align, at.align)
    while offset % align:
        align //= 2
    return align


def element(fx: FnContext, at: PlaceRef, index: Operand) -> PlaceRef:
    """Element ``index`` (an ``i64``) of an array or slice."""
    elem = _elem(fx, at.ty)
    layout = fx.layout(elem)
    align = min(layout.align, at.align)
    if isinstance(index, IntConst):
        return _with(at, elem, offset=at.offset + index.value * layout.size, align=align)
    if at.index is not None:
        return PlaceRef(address(fx, at), 0, align, elem, index, layout.size)
    return PlaceRef(at.base, at.offset, align, elem, index, layout.size, local=at.local)


def length(fx: FnContext, at: PlaceRef) -> Operand:
    """The number of elements of an array or slice place."""
    if isinstance(at.ty, ArrayTy):
        assert isinstance(at.ty.len, CInt)
        return IntConst(I64, at.ty.len.value)
    if at.meta is None:
        raise LowerError("MG0303", f"the length of `{fx.types.text(at.ty)}` is not known here")
    return at.meta


def _constant_index(fx: FnContext, at: PlaceRef, offset: int, from_end: bool) -> PlaceRef:
    if not from_end:
        return element(fx, at, IntConst(I64, offset))
    count = length(fx, at)
    if isinstance(count, IntConst):
        return element(fx, at, IntConst(I64, count.value - offset))
    return element(fx, at, fx.b.binary(BinaryOp.SUB, count, IntConst(I64, offset)))


def _subslice(fx: FnContext, at: PlaceRef, start: int, end: int, from_end: bool) -> PlaceRef:
    elem = _elem(fx, at.ty)
    offset = at.offset + start * fx.layout(elem).size
    if isinstance(at.ty, ArrayTy):
        assert isinstance(at.ty.len, CInt)
        stop = at.ty.len.value - end if from_end else end
        ty = fx.types.intern(ArrayTy(elem, CInt(stop - start, None)))
        return _with(at, ty, offset=offset)
    count = length(fx, at)
    meta = fx.b.binary(BinaryOp.SUB, count, IntConst(I64, start + end))
    ty = fx.types.intern(SliceTy(elem))
    moved = _with(at, ty, offset=offset)
    return PlaceRef(moved.base, moved.offset, at.align, ty, moved.index, moved.stride, meta)


def _elem(fx: FnContext, ty: Ty) -> Ty:
    if isinstance(ty, ArrayTy | SliceTy):
        return ty.elem
    raise LowerError("MG0303", f"`{fx.types.text(ty)}` cannot be indexed here")


def pointer_to(fx: FnContext, at: PlaceRef, ty: Ty) -> Scalar | Fat:
    """``&place`` as a value of pointer type ``ty``: in the generic space, as Rust's are."""
    ptr = fx.b.generic(address(fx, at))
    if is_unsized(at.ty):
        if at.meta is None:
            raise LowerError("MG0303", f"a pointer to `{fx.types.text(at.ty)}` is not supported")
        return Fat(ty, ptr, at.meta)
    return Scalar(ty, ptr)


def read(fx: FnContext, node: Place) -> Scalar | Fat | Memory | object:
    at = place(fx, node)
    return load(fx, at, _name(fx, node.local) if not node.projection else None)


def _name(fx: FnContext, local: int | None) -> str | None:
    return None if local is None else fx.index.names.get(local)


def _with(
    at: PlaceRef,
    ty: Ty,
    *,
    offset: int | None = None,
    align: int | None = None,
    variant: int | None = None,
    variant_name: str = "",
) -> PlaceRef:
    return PlaceRef(
        at.base,
        at.offset if offset is None else offset,
        at.align if align is None else align,
        ty,
        at.index,
        at.stride,
        at.meta if offset is None and align is None else None,
        variant,
        variant_name,
        at.local,
    )
