"""Which types need something done when they go out of scope."""

import re

from mirgpu.lower.context import FnContext
from mirgpu.lower.types import std_key, type_args
from mirgpu.mir.syntax import ArrayTy, DefTy, DynTy, PathTy, SliceTy, TupleTy, Ty

_STRUCTURAL = re.compile(
    r"(option|result|ops|iter|cmp|num|marker|char|convert|task)::[A-Z]\w*|ops::try_trait::\w+"
    r"|slice::(Iter|IterMut|Windows|R?Chunks(Exact)?(Mut)?|Split(Mut)?)"
    r"|cell::(Cell|UnsafeCell|RefCell|OnceCell)|ptr::NonNull|array::(IntoIter|Guard|drain::Drain)"
)
"""Library types without ``Drop``: only what their type arguments hold is dropped.  Of an array's
iterators and guards it is the elements that are left."""


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
                if not _STRUCTURAL.fullmatch(key):
                    # rustc leaves no drop of a concrete type in the text that does nothing.
                    return True
                return any(needs_drop(fx, a) for a in type_args(path))
            return any(needs_drop(fx, f) for f in fx.layouts.field_types(ty))
        case _:
            return False
