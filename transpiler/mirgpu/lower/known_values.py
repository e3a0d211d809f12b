"""Branch conditions that are known once generics and options are: ``UbChecks``, a constant
parameter, a comparison of two constants.  Dead arms are then never lowered, so that nothing
in them can be an error."""

from mirgpu.kir.types import IntType
from mirgpu.lower.consteval import exact
from mirgpu.lower.context import FnContext
from mirgpu.lower.operands import constants, runtime_check
from mirgpu.lower.types import last_name, scalar_type, std_key, type_args
from mirgpu.mir.syntax import (
    Assign,
    BinaryOp,
    Call,
    Cast,
    CastKind,
    CBool,
    CInt,
    Constant,
    Copy,
    CPath,
    CValue,
    FnItem,
    Move,
    NameSeg,
    Operand,
    RuntimeCheck,
    UnaryOp,
    UnOp,
    Use,
)

_DEPTH = 6


def known_int(fx: FnContext, node: Operand, depth: int = 0) -> int | None:
    """The operand's unsigned bits, if they are known."""
    if depth > _DEPTH:
        return None
    match node:
        case RuntimeCheck():
            return int(runtime_check(fx, node))
        case Constant(value):
            return _constant(fx, value)
        case Copy(place) | Move(place) if not place.projection:
            if place.local in fx.index.borrowed:
                return None
            made = fx.index.single(place.local)
            params = getattr(fx.instance.item, "params", ())
            if made is None or 0 < place.local <= len(params):
                return None
            ty = scalar_type(fx.local_ty(place.local))
            if not isinstance(ty, IntType):
                return None
            found = _made(fx, made, depth + 1)
            return None if found is None else found & ((1 << ty.width) - 1)
        case _:
            return None


def _constant(fx: FnContext, value: CValue) -> int | None:
    match value:
        case CInt(number, suffix):
            ty = scalar_type(fx.types.prim(suffix)) if suffix else None
            return number & ((1 << ty.width) - 1) if isinstance(ty, IntType) else number
        case CBool(flag):
            return int(flag)
        case CPath(path) if len(path.segments) == 1 and isinstance(path.segments[0], NameSeg):
            found = fx.subst.mapping.get(path.segments[0].name)
            return _constant(fx, found) if isinstance(found, CInt | CBool) else None
        case CPath(path):
            property_ = constants(fx).sized_property(fx.types.path(path, fx.subst))
            return None if property_ is None else property_[1]
        case _:
            return None


def _made(fx: FnContext, made: Assign | Call, depth: int) -> int | None:
    if isinstance(made, Call):
        return _size(fx, made)
    match made.rvalue:
        case Use(operand):
            return known_int(fx, operand, depth)
        case Cast(CastKind.INT_TO_INT, operand, _):
            inner = known_int(fx, operand, depth)
            return inner if inner is not None and inner < 1 << 7 else None
        case UnaryOp(UnOp.NOT, operand):
            inner = known_int(fx, operand, depth)
            return None if inner is None else ~inner
        case BinaryOp(op, left, right):
            a, b = known_int(fx, left, depth), known_int(fx, right, depth)
            if a is None or b is None or max(a, b) >= 1 << 31:
                return None
            return exact(op, a, b, 64)
        case _:
            return None


def _size(fx: FnContext, call: Call) -> int | None:
    """``size_of::<T>()``, in generic bodies."""
    if not isinstance(call.func, FnItem):
        return None
    key = std_key(call.func.path)
    if key not in ("intrinsics::size_of", "mem::size_of"):
        return None
    types = type_args(fx.types.path(call.func.path, fx.subst))
    if len(types) != 1 or last_name(call.func.path) != "size_of":
        return None
    return fx.layouts.exact(types[0], "its size").size
