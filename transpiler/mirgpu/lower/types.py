"""Monomorphic types: MIR's type nodes with parameters replaced, lifetimes erased, interned.

Two types are the same if and only if they are the same object, so that layouts and other
facts are looked up by identity.
"""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Protocol, final

from mirgpu.kir.types import F32, F64, I1, I8, I16, I32, I64, PTR, Type
from mirgpu.lower.errors import LowerError
from mirgpu.mir.syntax import (
    ArrayTy,
    AssocArg,
    CBool,
    CChar,
    CGen,
    CInt,
    CPath,
    CVerbatim,
    DefTy,
    DisambSeg,
    DynTy,
    FnDefTy,
    FnPtrTy,
    FnSugarArgs,
    GenericArg,
    GenericArgs,
    ImplAtSeg,
    ImplSeg,
    ImplTy,
    Lifetime,
    NameSeg,
    Path,
    PathSeg,
    PathTy,
    PatternTy,
    Prim,
    QualifiedSeg,
    RawPtrTy,
    RefTy,
    SliceTy,
    Span,
    TraitBound,
    TupleTy,
    Ty,
    VerbatimTy,
)

_ERASED = Lifetime("'_")
SIGNED = {"i8", "i16", "i32", "i64", "i128", "isize"}
UNSIGNED = {"u8", "u16", "u32", "u64", "u128", "usize"}
INTEGERS = SIGNED | UNSIGNED
FLOATS = {"f16", "f32", "f64", "f128"}

_SCALARS: dict[str, Type] = {
    "bool": I1,
    "char": I32,
    "i8": I8,
    "u8": I8,
    "i16": I16,
    "u16": I16,
    "i32": I32,
    "u32": I32,
    "i64": I64,
    "u64": I64,
    "isize": I64,
    "usize": I64,
    "f32": F32,
    "f64": F64,
}


@final
class Subst:
    """What a body's type and constant parameters stand for, and the types seen under it.

    An ``open`` one is for signatures to be matched: parameters stay what they are.
    """

    def __init__(self, mapping: Mapping[str, GenericArg], *, open: bool = False) -> None:
        self.mapping = dict(mapping)
        self.open = open
        self.const_types: dict[str, str] = {}
        """The types of constant parameters, where they are known."""
        self.cache: dict[int, tuple[object, Ty]] = {}


class Resolver(Protocol):
    """Answers that types alone cannot give: associated types, array lengths by name."""

    def project(self, self_ty: Ty, trait: Path, name: str) -> Ty | None: ...

    def const_len(self, path: Path, subst: Subst) -> int | None: ...


@final
class Types:
    """Interns types; ``resolver`` is set once the crate's items are known."""

    def __init__(self) -> None:
        self._interned: dict[Ty, Ty] = {}
        self._texts: dict[int, str] = {}
        self.resolver: Resolver | None = None
        self.unit = self.intern(TupleTy(()))
        self.never = self.prim("!")
        self.usize = self.prim("usize")
        self.u8 = self.prim("u8")
        self.bool = self.prim("bool")
        self.str_ref = self.intern(RefTy(False, Prim("str")))

    def intern(self, ty: Ty) -> Ty:
        return self._interned.setdefault(ty, ty)

    def prim(self, name: str) -> Ty:
        return self.intern(Prim(name))

    def text(self, ty: Ty) -> str:
        """The type as MIR prints it."""
        ty = self.intern(ty)
        found = self._texts.get(id(ty))
        if found is None:
            from mirgpu.mir.printer import print_type

            found = self._texts[id(ty)] = print_type(ty)
        return found

    def parse(self, text: str, subst: Subst) -> Ty:
        from mirgpu.mir.parser import parse_type

        return self.mono(parse_type(text), subst)

    def mono(self, ty: Ty, subst: Subst) -> Ty:
        """``ty`` with parameters replaced and lifetimes erased."""
        hit = subst.cache.get(id(ty))
        if hit is not None:
            return hit[1]
        result = self.intern(self._mono(ty, subst))
        subst.cache[id(ty)] = (ty, result)
        return result

    def _mono(self, ty: Ty, subst: Subst) -> Ty:
        match ty:
            case Prim():
                return ty
            case RefTy(mutable, pointee):
                return RefTy(mutable, self.mono(pointee, subst))
            case RawPtrTy(mutable, pointee):
                return RawPtrTy(mutable, self.mono(pointee, subst))
            case SliceTy(elem):
                return SliceTy(self.mono(elem, subst))
            case ArrayTy(elem, length):
                if subst.open and not isinstance(length, CInt):
                    return ArrayTy(self.mono(elem, subst), length)
                return ArrayTy(self.mono(elem, subst), CInt(self.length(length, subst), None))
            case TupleTy(elems):
                return TupleTy(tuple(self.mono(elem, subst) for elem in elems))
            case PathTy(path):
                return self._mono_path_ty(ty, path, subst)
            case DefTy(kind, where):
                if isinstance(where, Span):
                    return ty
                return DefTy(kind, self.path(where, subst))
            case FnPtrTy(params, ret, _, unsafe, abi, variadic):
                return FnPtrTy(
                    tuple(self.mono(p, subst) for p in params),
                    self.mono(ret, subst),
                    (),
                    unsafe,
                    abi,
                    variadic,
                )
            case FnDefTy(sig, path, _):
                mono_sig = self.mono(sig, subst)
                assert isinstance(mono_sig, FnPtrTy)
                return FnDefTy(mono_sig, self.path(path, subst))
            case PatternTy(base, pattern):
                return PatternTy(self.mono(base, subst), pattern)
            case VerbatimTy(text):
                found = subst.mapping.get(text)
                return ty if found is None else _as_type(found)
            case ImplTy():
                found = subst.mapping.get(self.text(ty)) if subst.mapping else None
                return ty if found is None else _as_type(found)
            case DynTy(bounds):
                erased = tuple(b for b in bounds if not isinstance(b, Lifetime))
                return DynTy(
                    tuple(TraitBound(self.path(b.path, subst), b.maybe, b.negative) for b in erased)
                )
            case _:
                return ty

    def _mono_path_ty(self, ty: Ty, path: Path, subst: Subst) -> Ty:
        head = path.segments[0]
        if len(path.segments) == 1 and isinstance(head, NameSeg) and head.args is None:
            found = subst.mapping.get(head.name)
            return ty if found is None else _as_type(found)
        mono = self.path(path, subst)
        head = mono.segments[0]
        last = mono.segments[-1]
        if (
            isinstance(head, QualifiedSeg)
            and head.trait is not None
            and isinstance(last, NameSeg)
            and self.resolver is not None
        ):
            projected = self.resolver.project(head.self_ty, head.trait, last.name)
            if projected is not None:
                return projected
        return PathTy(mono)

    def path(self, path: Path, subst: Subst) -> Path:
        """A path with its arguments replaced, in the form that type paths have."""
        return Path(tuple(self._segment(seg, subst) for seg in path.segments))

    def _segment(self, seg: PathSeg, subst: Subst) -> PathSeg:
        match seg:
            case NameSeg(name, args):
                return NameSeg(name, self._args(args, subst)) if args is not None else seg
            case DisambSeg(kind, index, args):
                if args is None:
                    return seg
                mono = self._args(args, subst)
                return DisambSeg(kind, index, mono if isinstance(mono, GenericArgs) else None)
            case QualifiedSeg(self_ty, trait):
                return QualifiedSeg(
                    self.mono(self_ty, subst), None if trait is None else self.path(trait, subst)
                )
            case ImplSeg(self_ty, trait):
                return ImplSeg(
                    self.mono(self_ty, subst), None if trait is None else self.path(trait, subst)
                )
            case _:
                return seg

    def _args(
        self, args: GenericArgs | FnSugarArgs, subst: Subst
    ) -> GenericArgs | FnSugarArgs | None:
        if isinstance(args, FnSugarArgs):
            return FnSugarArgs(
                tuple(self.mono(p, subst) for p in args.params),
                None if args.ret is None else self.mono(args.ret, subst),
            )
        return GenericArgs(tuple(self.arg(arg, subst) for arg in args.args), False)

    def arg(self, arg: GenericArg, subst: Subst) -> GenericArg:
        """One generic argument; a path that names a constant parameter becomes its value."""
        match arg:
            case Lifetime():
                return _ERASED
            case AssocArg(name, args, value):
                return AssocArg(name, args, self.arg(value, subst))  # type: ignore[arg-type]
            case PathTy(path) | CPath(path):
                head = path.segments[0]
                if len(path.segments) == 1 and isinstance(head, NameSeg) and head.args is None:
                    found = subst.mapping.get(head.name)
                    if found is not None:
                        return found
                return self.mono(arg, subst) if isinstance(arg, PathTy) else arg
            case CInt(value):
                return CInt(value, None)
            case CBool() | CChar():
                return arg
            case CVerbatim():
                return arg if subst.open else CInt(self.length(arg, subst), None)
        if is_type(arg):
            return self.mono(arg, subst)  # type: ignore[arg-type]
        return arg

    def length(self, length: CGen, subst: Subst) -> int:
        """The value of an array length."""
        match length:
            case CInt(value):
                return value
            case CPath(path):
                head = path.segments[0]
                if len(path.segments) == 1 and isinstance(head, NameSeg):
                    found = subst.mapping.get(head.name)
                    if isinstance(found, CInt):
                        return found.value
                if self.resolver is not None:
                    known = self.resolver.const_len(path, subst)
                    if known is not None:
                        return known
            case CVerbatim(text):
                computed = _arithmetic(text, subst)
                if computed is not None:
                    return computed
        raise LowerError(
            "MG0310",
            "an array length that the MIR text does not give",
            help="write the length as a number or a `const` of its own",
        )


def is_type(arg: object) -> bool:
    """Whether a generic argument is a type (and not a lifetime or constant)."""
    return isinstance(
        arg,
        Prim
        | RefTy
        | RawPtrTy
        | SliceTy
        | ArrayTy
        | TupleTy
        | FnPtrTy
        | FnDefTy
        | DynTy
        | DefTy
        | PatternTy
        | PathTy
        | ImplTy
        | VerbatimTy,
    )


def _as_type(arg: GenericArg) -> Ty:
    if not is_type(arg):
        raise LowerError("MG0310", "a constant parameter where a type is needed")
    return arg  # type: ignore[return-value]


def _arithmetic(text: str, subst: Subst) -> int | None:
    """The value of ``{ N * 2 + 1 }`` over constant parameters; none if it is more than that."""
    names = {k: v.value for k, v in subst.mapping.items() if isinstance(v, CInt)}
    body = text.strip()
    while body.startswith("{") and body.endswith("}"):
        body = body[1:-1].strip()
    body = re.sub(r"(?<=\d)_?(usize|u\d+|i\d+)\b", "", body)
    tokens = re.findall(r"\w+|<<|>>|[-+*/%()]|\S", body)
    out = []
    for token in tokens:
        if token.isdigit() or token in ("+", "-", "*", "%", "(", ")", "<<", ">>"):
            out.append(token)
        elif token == "/":
            out.append("//")
        elif token in names:
            out.append(str(names[token]))
        else:
            return None
    value: object
    try:
        value = eval(" ".join(out), {"__builtins__": {}}, {})
    except (SyntaxError, ZeroDivisionError, TypeError):
        return None
    return value if isinstance(value, int) and value >= 0 else None


# ----------------------------------------------------------------------------- questions


def prim_name(ty: Ty) -> str | None:
    return ty.name if isinstance(ty, Prim) else None


def is_signed(ty: Ty) -> bool:
    return isinstance(ty, Prim) and ty.name in SIGNED


def is_integer(ty: Ty) -> bool:
    return isinstance(ty, Prim) and ty.name in INTEGERS


def is_float(ty: Ty) -> bool:
    return isinstance(ty, Prim) and ty.name in FLOATS


def pointee(ty: Ty) -> Ty | None:
    """What a reference or raw pointer points to."""
    return ty.pointee if isinstance(ty, RefTy | RawPtrTy) else None


ARRAY_ITER = "array::iter::iter_inner::PolymorphicIter"
"""What an array's ``IntoIter`` holds.  Its code is that of ``PolymorphicIter<[T]>``, the one
library struct with an unsized tail that kernels meet."""


def is_unsized(ty: Ty) -> bool:
    """A slice, ``str``, ``dyn``, or a struct with such a tail: a pointer to it has metadata."""
    if isinstance(ty, PathTy):
        return last_name(ty.path) == "PolymorphicIter" and isinstance(iterated(ty), SliceTy)
    return isinstance(ty, SliceTy | DynTy) or (isinstance(ty, Prim) and ty.name == "str")


def iterated(ty: Ty) -> Ty | None:
    """The array or slice inside an array's iterator."""
    if isinstance(ty, PathTy) and std_key(ty.path) == ARRAY_ITER:
        return type_args(ty.path)[0]
    return None


def is_fat(ty: Ty) -> bool:
    inner = pointee(ty)
    return inner is not None and is_unsized(inner)


def scalar_type(ty: Ty) -> Type | None:
    """The kir type of a type that is one scalar: numbers, bool, char, thin pointers."""
    match ty:
        case Prim(name):
            if name in ("i128", "u128", "f16", "f128"):
                raise LowerError(
                    "MG0301",
                    f"`{name}` is not supported",
                    help="use a type of at most 64 bits"
                    if name.endswith("128")
                    else "use `f32` or `f64`",
                )
            return _SCALARS.get(name)
        case RefTy(_, inner) | RawPtrTy(_, inner):
            return None if is_unsized(inner) else PTR
        case FnPtrTy():
            return PTR
        case PatternTy(base):
            return scalar_type(base)
        case _:
            return None


def path_key(path: Path) -> str | None:
    """The names of a path without generic arguments; none if it has other segments."""
    names = []
    for seg in path.segments:
        match seg:
            case NameSeg(name):
                names.append(name)
            case DisambSeg(kind, index):
                names.append(f"{{{kind}#{index}}}")
            case _:
                return None
    return "::".join(names)


def std_key(path: Path) -> str | None:
    """``option::Option`` for ``std::option::Option`` and ``core::option::Option``."""
    head = path.segments[0]
    if isinstance(head, NameSeg) and head.name in ("std", "core", "alloc"):
        key = path_key(path)
        return None if key is None else key.partition("::")[2]
    return None


def path_args(path: Path) -> tuple[GenericArg, ...]:
    """All generic arguments of a path but lifetimes, in order."""
    out: list[GenericArg] = []
    for seg in path.segments:
        if isinstance(seg, NameSeg | DisambSeg) and isinstance(seg.args, GenericArgs):
            out.extend(a for a in seg.args.args if not isinstance(a, Lifetime))
    return tuple(out)


def type_args(path: Path) -> tuple[Ty, ...]:
    return tuple(a for a in path_args(path) if is_type(a))  # type: ignore[misc]


def last_name(path: Path) -> str | None:
    last = path.segments[-1]
    return last.name if isinstance(last, NameSeg) else None


def parent(path: Path) -> Path:
    return Path(path.segments[:-1])


def has_impl_at(path: Path) -> bool:
    return any(isinstance(seg, ImplAtSeg) for seg in path.segments)


_SKIP = {"lifetime", "turbofish", "suffix", "named", "binder", "parens"}


def unify(
    pattern: object, concrete: object, params: frozenset[str], found: dict[str, GenericArg]
) -> bool:
    """Match ``pattern`` over ``params`` against a concrete type, filling ``found``."""
    name = _param_name(pattern)
    if name is not None and name in params:
        known = found.setdefault(name, concrete)  # type: ignore[arg-type]
        return known == concrete
    if isinstance(pattern, tuple):
        return (
            isinstance(concrete, tuple)
            and len(pattern) == len(concrete)
            and all(unify(p, c, params, found) for p, c in zip(pattern, concrete, strict=True))
        )
    if type(pattern) is not type(concrete):
        return False
    if isinstance(pattern, Lifetime):
        return True
    if is_dataclass(pattern):
        return all(
            unify(getattr(pattern, f.name), getattr(concrete, f.name), params, found)
            for f in fields(pattern)
            if f.name not in _SKIP
        )
    return pattern == concrete


def _param_name(node: object) -> str | None:
    if isinstance(node, PathTy | CPath) and len(node.path.segments) == 1:
        head = node.path.segments[0]
        if isinstance(head, NameSeg) and head.args is None:
            return head.name
    if isinstance(node, VerbatimTy):
        return node.text
    if isinstance(node, CVerbatim):
        return node.text
    if isinstance(node, ImplTy):
        from mirgpu.mir.printer import print_type

        return print_type(node)
    return None
