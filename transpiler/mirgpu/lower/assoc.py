"""Associated types that monomorphic code still mentions: ``<u32 as Mul>::Output`` and kin."""

from typing import TYPE_CHECKING

from mirgpu.lower.types import last_name, path_args
from mirgpu.mir.syntax import DefTy, FnDefTy, FnSugarArgs, NameSeg, Path, Prim, RefTy, Ty

if TYPE_CHECKING:
    from mirgpu.lower.resolve import Bodies

OPERATORS = {
    "Add": "add",
    "Sub": "sub",
    "Mul": "mul",
    "Div": "div",
    "Rem": "rem",
    "BitAnd": "bitand",
    "BitOr": "bitor",
    "BitXor": "bitxor",
    "Shl": "shl",
    "Shr": "shr",
    "Neg": "neg",
    "Not": "not",
}
"""Operator traits and their method, whose return type is ``Output``."""


def project(bodies: "Bodies", self_ty: Ty, trait: Path, name: str) -> Ty | None:
    """``<self_ty as trait>::name``; none where this cannot be told."""
    trait_name = last_name(trait)
    types = bodies.types
    said = bodies.associated(self_ty, trait, name)
    if said is not None:
        return said
    if name == "Output" and trait_name in OPERATORS:
        local = bodies.method_ret(self_ty, trait, OPERATORS[trait_name])
        if local is not None:
            return local
        plain = self_ty.pointee if isinstance(self_ty, RefTy) else self_ty
        if isinstance(plain, Prim):
            args = path_args(trait)
            if trait_name in ("Shl", "Shr") or not args:
                return types.intern(plain)
            other = args[0]
            other = other.pointee if isinstance(other, RefTy) else other
            if other == plain:
                return types.intern(plain)
        return None
    if name == "Output" and trait_name in ("Fn", "FnMut", "FnOnce"):
        callee = self_ty
        while isinstance(callee, RefTy):
            callee = callee.pointee
        if isinstance(callee, DefTy):
            closure = bodies.closure(callee)
            if closure is not None:
                return types.mono(closure.fn.ret, closure.subst)
        if isinstance(callee, FnDefTy):
            return types.intern(callee.sig.ret)
        seg = trait.segments[-1]
        if isinstance(seg, NameSeg) and isinstance(seg.args, FnSugarArgs) and seg.args.ret:
            return types.intern(seg.args.ret)
        return None
    if name == "Item" and trait_name in ("Iterator", "IntoIterator"):
        local = bodies.method_ret(self_ty, trait, "next")
        if local is not None:
            args = path_args(getattr(local, "path", Path(())))
            if args:
                return types.intern(args[0])  # type: ignore[arg-type]
    return None
