"""Whether a type has interior mutability: ``Freeze`` in rustc's words."""

from mirgpu.lower.known import is_interior
from mirgpu.lower.layout import Layouts
from mirgpu.lower.types import path_key, std_key, type_args
from mirgpu.mir.syntax import ArrayTy, PathTy, SliceTy, TupleTy, Ty


def is_freeze(layouts: Layouts, ty: Ty) -> bool:
    """Whether no byte of ``ty`` itself can change behind a shared reference."""
    match ty:
        case ArrayTy(elem) | SliceTy(elem):
            return is_freeze(layouts, elem)
        case TupleTy(elems):
            return all(is_freeze(layouts, e) for e in elems)
        case PathTy(path):
            key = std_key(path)
            if key is not None:
                if is_interior(key):
                    return False
                if key.startswith(("ptr::NonNull", "marker::Phantom", "slice::Iter")):
                    return True
                return all(is_freeze(layouts, a) for a in type_args(path))
            fields = layouts.field_types(ty)
            adt = layouts.info.adts.get(path_key(path) or "")
            if adt is None or not adt.freeze:
                return False
            return all(is_freeze(layouts, f) for f in fields)
        case _:
            return True
