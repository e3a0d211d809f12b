"""Which types need something done when they go out of scope."""

from mirgpu.lower.context import FnContext
from mirgpu.lower.types import std_key, type_args
from mirgpu.mir.syntax import ArrayTy, DefTy, DynTy, PathTy, SliceTy, TupleTy, Ty

_OWNING = {
    "boxed::Box",
    "vec::Vec",
    "string::String",
    "rc::Rc",
    "sync::Arc",
    "collections::",
    "cell::Ref",
    "cell::RefMut",
    "sync::MutexGuard",
    "array::IntoIter",
    "array::Guard",
    "vec::IntoIter",
}


def needs_drop(fx: FnContext, ty: Ty) -> bool:
    """Whether dropping a value of ``ty`` runs any code."""
    match ty:
        case ArrayTy(elem) | SliceTy(elem):
            return needs_drop(fx, elem)
        case TupleTy(elems):
            return any(needs_drop(fx, e) for e in elems)
        case DynTy():
            return True
        case DefTy():
            return any(needs_drop(fx, f) for f in fx.layouts.field_types(ty))
        case PathTy(path):
            if fx.crate.bodies.has_drop(ty):
                return True
            key = std_key(path)
            if key is not None:
                if key.startswith(("mem::ManuallyDrop", "mem::MaybeUninit")):
                    return False
                if any(key.startswith(owner) for owner in _OWNING):
                    return True
                return any(needs_drop(fx, a) for a in type_args(path))
            return any(needs_drop(fx, f) for f in fx.layouts.field_types(ty))
        case _:
            return False
