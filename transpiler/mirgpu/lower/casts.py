"""``as`` casts, coercions and transmutes."""

from typing import assert_never

from mirgpu.kir.ops import CastOp, IntConst, Operand
from mirgpu.kir.types import I1, I64, PTR, FloatType, IntType, PtrType, Type
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError, trait_objects
from mirgpu.lower.types import is_fat, is_signed, iterated, pointee, scalar_type
from mirgpu.lower.values import (
    Fat,
    Memory,
    PlaceRef,
    Scalar,
    Val,
    Zst,
    load,
    scalar,
    slot,
    store,
)
from mirgpu.mir.syntax import (
    ArrayTy,
    CastKind,
    CInt,
    CoercionKind,
    DynTy,
    PointerCoercion,
    RawPtrTy,
    Ty,
)


def cast(fx: FnContext, kind: CastKind | PointerCoercion, value: Val, ty: Ty) -> Val:
    """``value as ty``."""
    if isinstance(kind, PointerCoercion):
        return _coercion(fx, kind.kind, value, ty)
    match kind:
        case CastKind.INT_TO_INT:
            source = scalar(fx, value)
            return Scalar(ty, fx.b.resize(source, _scalar(fx, ty), signed=is_signed(value.ty)))
        case CastKind.INT_TO_FLOAT:
            op = CastOp.SITOFP if is_signed(value.ty) else CastOp.UITOFP
            return Scalar(ty, fx.b.cast(op, scalar(fx, value), _scalar(fx, ty)))
        case CastKind.FLOAT_TO_INT:
            op = CastOp.FPTOSI_SAT if is_signed(ty) else CastOp.FPTOUI_SAT
            return Scalar(ty, fx.b.cast(op, scalar(fx, value), _scalar(fx, ty)))
        case CastKind.FLOAT_TO_FLOAT:
            return Scalar(ty, float_to_float(fx, scalar(fx, value), _scalar(fx, ty)))
        case CastKind.PTR_TO_PTR:
            return _pointer(fx, value, ty)
        case CastKind.FN_PTR_TO_PTR:
            raise _fn_pointers()
        case CastKind.POINTER_EXPOSE_PROVENANCE:
            ptr = value.ptr if isinstance(value, Fat) else scalar(fx, value)
            whole = fx.b.cast(CastOp.PTRTOINT, ptr, I64)
            return Scalar(ty, fx.b.resize(whole, _scalar(fx, ty), signed=False))
        case CastKind.POINTER_WITH_EXPOSED_PROVENANCE:
            whole_int = fx.b.resize(scalar(fx, value), I64, signed=is_signed(value.ty))
            return Scalar(ty, fx.b.cast(CastOp.INTTOPTR, whole_int, PTR))
        case CastKind.TRANSMUTE:
            return transmute(fx, value, ty)
        case CastKind.SUBTYPE:
            return _retyped(fx, value, ty)
        case _:
            assert_never(kind)


def float_to_float(fx: FnContext, value: Operand, ty: Type) -> Operand:
    assert isinstance(value.type, FloatType)
    assert isinstance(ty, FloatType)
    if value.type == ty:
        return value
    op = CastOp.FPEXT if ty.width > value.type.width else CastOp.FPTRUNC
    return fx.b.cast(op, value, ty)


def _scalar(fx: FnContext, ty: Ty) -> Type:
    found = scalar_type(ty)
    if found is None:
        raise LowerError("MG0306", f"a cast to `{fx.types.text(ty)}` is not supported")
    return found


def _fn_pointers() -> LowerError:
    return LowerError(
        "MG0304",
        "function pointers are not supported",
        help="take the function as a generic parameter: `f: impl Fn(…)`",
    )


def _retyped(fx: FnContext, value: Val, ty: Ty) -> Val:
    """The same bits under another type."""
    match value:
        case Scalar(_, operand):
            return Scalar(ty, operand)
        case Fat(_, ptr, meta):
            return Fat(ty, ptr, meta)
        case Zst():
            return Zst(ty)
        case Memory(_, place):
            return load(fx, _as(place, ty))


def _as(place: PlaceRef, ty: Ty) -> PlaceRef:
    return PlaceRef(
        place.base, place.offset, place.align, ty, place.index, place.stride, local=place.local
    )


def _pointer(fx: FnContext, value: Val, ty: Ty) -> Val:
    """Between pointers: the address stays; metadata stays or goes."""
    check_view(fx, value.ty, ty)
    if isinstance(value, Fat):
        return Fat(ty, value.ptr, value.meta) if is_fat(ty) else Scalar(ty, value.ptr)
    if is_fat(ty):
        raise LowerError("MG0306", f"a cast to `{fx.types.text(ty)}` is not supported")
    return Scalar(ty, scalar(fx, value))


def check_view(fx: FnContext, source: Ty, target: Ty) -> None:
    """A pointer that changes its pointee's type looks at bytes: both layouts must be real."""
    a, b = pointee(source), pointee(target)
    if a is None or b is None:
        return
    a, b = _element(fx, a), _element(fx, b)
    if a is b or fx.layouts.is_zst(a) or fx.layouts.is_zst(b):
        return
    fx.layouts.same_bytes(a, b, "a pointer cast")


def _element(fx: FnContext, ty: Ty) -> Ty:
    """Arrays and slices are seen as their elements: those lie one after the other anyway."""
    ty = fx.layouts.peel(ty)
    while True:
        elem = getattr(ty, "elem", None)
        if elem is None:
            return ty
        ty = elem


def _coercion(fx: FnContext, kind: CoercionKind, value: Val, ty: Ty) -> Val:
    match kind:
        case CoercionKind.UNSIZE:
            return _unsize(fx, value, ty)
        case CoercionKind.MUT_TO_CONST_POINTER | CoercionKind.ARRAY_TO_POINTER:
            return _retyped(fx, value, ty)
        case (
            CoercionKind.REIFY_FN_POINTER_SAFE
            | CoercionKind.REIFY_FN_POINTER_UNSAFE
            | CoercionKind.REIFY_FN_POINTER
            | CoercionKind.UNSAFE_FN_POINTER
            | CoercionKind.CLOSURE_FN_POINTER_SAFE
            | CoercionKind.CLOSURE_FN_POINTER_UNSAFE
        ):
            raise _fn_pointers()
        case _:
            assert_never(kind)


def _unsize(fx: FnContext, value: Val, ty: Ty) -> Val:
    target = pointee(ty)
    source = pointee(value.ty)
    if target is None and isinstance(value, Memory):
        inner = fx.layouts.peel(value.ty)
        source = pointee(inner)
    if isinstance(target, DynTy):
        raise trait_objects()
    array = None if source is None else iterated(source) or source
    if source is not None and isinstance(array, ArrayTy):
        assert isinstance(array.len, CInt)
        meta = IntConst(I64, array.len.value)
        fat = Fat(ty, scalar(fx, value), meta)
        if target is not None:
            return fat
        place = slot(fx, ty)
        as_pointer = fx.types.intern(RawPtrTy(False, source))
        store(fx, _as(place, as_pointer), fat)
        return Memory(ty, place)
    raise LowerError("MG0306", f"a coercion to `{fx.types.text(ty)}` is not supported")


def transmute(fx: FnContext, value: Val, ty: Ty) -> Val:
    """The same bytes as another type, through registers where both are scalars."""
    layout = fx.layout(ty)
    if isinstance(value, Zst) or value.ty is ty:
        return _retyped(fx, value, ty)
    if isinstance(value, Scalar) and layout.scalar is not None:
        return Scalar(ty, reinterpret(fx, value.value, layout.scalar))
    if isinstance(value, Fat) and layout.fat:
        return Fat(ty, value.ptr, value.meta)
    fx.layouts.same_bytes(value.ty, ty, "a transmute")
    if not fx.layouts.dirty and fx.layout(value.ty).size != layout.size:
        raise LowerError(
            "MG0306",
            f"a transmute from `{fx.types.text(value.ty)}` to `{fx.types.text(ty)}` of other size",
        )
    if isinstance(value, Memory):
        return load(fx, _as(value.place, ty))
    place = slot(fx, ty)
    store(fx, _as(place, value.ty), value)
    return load(fx, place)


def reinterpret(fx: FnContext, value: Operand, ty: Type) -> Operand:
    """The bits of one scalar as another of the same size."""
    source = value.type
    if source == ty:
        return value
    match source, ty:
        case IntType(1), IntType(8):
            return fx.b.cast(CastOp.ZEXT, value, ty)
        case IntType(8), IntType(1):
            return fx.b.cast(CastOp.TRUNC, value, I1)
        case (IntType(), FloatType()) | (FloatType(), IntType()):
            return fx.b.cast(CastOp.BITCAST, value, ty)
        case PtrType(), IntType(64):
            return fx.b.cast(CastOp.PTRTOINT, value, ty)
        case IntType(64), PtrType():
            return fx.b.cast(CastOp.INTTOPTR, value, ty)
        case PtrType(), FloatType(64):
            return fx.b.cast(CastOp.BITCAST, fx.b.cast(CastOp.PTRTOINT, value, I64), ty)
        case FloatType(64), PtrType():
            return fx.b.cast(CastOp.INTTOPTR, fx.b.cast(CastOp.BITCAST, value, I64), ty)
        case _:
            raise LowerError("MG0306", "a transmute between types of other sizes")
