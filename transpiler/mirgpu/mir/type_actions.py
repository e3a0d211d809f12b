"""Makes the nodes of types, constants and paths: the actions of ``mir.lark``'s sections 5 and 6.

Types and constants share a cover grammar (``arg``); an action that needs one of the two calls
``ty`` or ``const`` on what it got.
"""

import re
from collections.abc import Callable
from typing import Any, final, get_args

from mirgpu.mir import syntax as s
from mirgpu.node import node


class RejectError(Exception):
    """The text is well formed but means nothing."""


@final
@node
class Paren:
    """``(X)``, which is a type only in front of ``is``."""

    inner: Any


@final
@node
class ImplFor:
    """``impl X`` of a type that is no path, or ``impl Trait for X``: a part of a path."""

    seg: s.ImplSeg


_TYPES: tuple[type, ...] = get_args(s.Ty)
_PRIM_NAMES = (
    *("bool", "char", "str", "f16", "f32", "f64", "f128"),
    *("u8", "u16", "u32", "u64", "u128", "usize", "i8", "i16", "i32", "i64", "i128", "isize"),
)
_PRIMS = {name: s.Prim(name) for name in _PRIM_NAMES}
_UNIT = s.TupleTy(())
_BOOLS = {"true": s.CBool(True), "false": s.CBool(False)}
_FN_TRAIT = re.compile(r"(?:Async)?Fn(?:Mut|Once)?$")
_SPAN = re.compile(r"(.*):(\d+):(\d+): (\d+):(\d+)(?: \(#(\d+)\))?\Z", re.DOTALL)
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u\{([0-9a-fA-F]+)\}|(.))", re.DOTALL)
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "0": "\0", "'": "'", '"': '"', "\\": "\\"}

# ---------------------------------------------------------------- cover grammar


def ty(x: Any) -> s.Ty:
    """``x`` as a type."""
    if isinstance(x, _TYPES):
        return x  # type: ignore[return-value]
    raise RejectError("a constant stands here where a type is wanted")


def const(x: Any) -> s.CValue:
    """``x`` as a constant."""
    match x:
        case s.PathTy(path):
            last = path.segments[-1]
            if isinstance(last, s.NameSeg) and isinstance(last.args, s.FnSugarArgs):
                if last.args.ret is not None:
                    raise RejectError("a type stands here where a constant is wanted")
                plain = s.Path((*path.segments[:-1], s.NameSeg(last.name)))
                return s.CAdtTuple(plain, tuple(map(const, last.args.params)))
            if path.segments == (s.NameSeg("_"),):
                return s.CSpecial("_")
            return s.CPath(path)
        case s.Prim(name) if name != "!":
            return s.CPath(s.Path((s.NameSeg(name),)))
        case s.TupleTy(elems):
            return s.CTuple(tuple(map(const, elems)))
        case s.SliceTy(elem):
            return s.CArray((const(elem),))
        case s.ArrayTy(elem, length):
            return s.CRepeat(const(elem), length)
        case s.RefTy(False, pointee, None):
            return s.CRef(const(pointee))
        case Paren() | ImplFor():
            raise RejectError("a constant is wanted here")
        case _ if isinstance(x, _TYPES):
            raise RejectError("a type stands here where a constant is wanted")
    return x  # type: ignore[no-any-return]


def _is_const(x: Any) -> bool:
    return not isinstance(x, (*_TYPES, Paren, ImplFor))


def _generic(x: Any) -> Any:
    if isinstance(x, Paren):
        raise RejectError("a type in parentheses is followed by `is`")
    return x


def path_arg(path: s.Path) -> s.Ty | s.CBool:
    segments = path.segments
    if len(segments) == 1:
        match segments[0]:
            case s.NameSeg(name, None):
                return _PRIMS.get(name) or _BOOLS.get(name) or s.PathTy(path)
    return s.PathTy(path)


def call_arg(path: s.Path, *args: Any) -> s.Ty | s.CAdtTuple:
    """``P(A, B)``: a bound's sugar if the name is that of a function trait, else a constant."""
    last = path.segments[-1]
    if isinstance(last, s.NameSeg) and _FN_TRAIT.match(last.name) and not any(map(_is_const, args)):
        return s.PathTy(_sugar(path, args, None))
    return s.CAdtTuple(path, tuple(map(const, args)))


def call_arg_ret(path: s.Path, *args: Any) -> s.Ty:
    return s.PathTy(_sugar(path, args[:-1], ty(args[-1])))


def _sugar(path: s.Path, params: tuple[Any, ...], ret: s.Ty | None) -> s.Path:
    last = path.segments[-1]
    if not isinstance(last, s.NameSeg) or last.args is not None:
        raise RejectError("parameters of a function trait follow its name")
    seg = s.NameSeg(last.name, s.FnSugarArgs(tuple(map(ty, params)), ret))
    return s.Path((*path.segments[:-1], seg))


def tuple_arg(*elems: Any) -> s.TupleTy | s.CTuple:
    if any(map(_is_const, elems)):
        return s.CTuple(tuple(map(const, elems)))
    return s.TupleTy(tuple(map(ty, elems)))


def paren_arg(x: Any) -> Any:
    match x:
        case s.DynTy(bounds, False):
            return s.DynTy(bounds, True)
        case s.ImplTy(bounds, False):
            return s.ImplTy(bounds, True)
    return Paren(x)


def pattern_arg(base: Any, pattern: s.TyPattern) -> s.PatternTy | s.CPattern:
    if isinstance(base, Paren):
        return s.PatternTy(ty(base.inner), pattern)
    return s.CPattern(const(base), pattern)


def ref_arg(lifetime: str | None, mut: str | None, x: Any) -> s.RefTy | s.CRef:
    if _is_const(x) and lifetime is None and mut is None:
        return s.CRef(x)
    return s.RefTy(mut is not None, ty(x), _lifetime(lifetime))


def array_arg(*elems: Any) -> s.CArray:
    return s.CArray(tuple(map(const, elems)))


def slice_arg(elem: Any) -> s.SliceTy | s.CArray:
    return s.CArray((elem,)) if _is_const(elem) else s.SliceTy(ty(elem))


def repeat_arg(elem: Any, length: Any) -> s.ArrayTy | s.CRepeat:
    n = const(length)
    return s.CRepeat(elem, n) if _is_const(elem) else s.ArrayTy(ty(elem), n)


# ---------------------------------------------------------------- types


def _lifetime(name: str | None) -> s.Lifetime | None:
    return None if name is None else s.Lifetime(name)


def fn_sig(
    binder: tuple[s.Lifetime, ...] | None,
    unsafe: str | None,
    abi: str | None,
    *params: Any,
    ret: s.Ty = _UNIT,
) -> s.FnPtrTy:
    variadic = bool(params) and isinstance(params[-1], s.ElidedTy)
    return s.FnPtrTy(
        params=tuple(map(ty, params[:-1] if variadic else params)),
        ret=ret,
        binder=binder or (),
        unsafe=unsafe is not None,
        abi=None if abi is None else abi[1:-1],
        variadic=variadic,
    )


def fn_sig_ret(
    binder: tuple[s.Lifetime, ...] | None, unsafe: str | None, abi: str | None, *rest: Any
) -> s.FnPtrTy | s.FnDefTy:
    """``fn(A) -> fn(B) {path}`` is the type of an item that returns a pointer."""
    ret = ty(rest[-1])
    if isinstance(ret, s.FnDefTy) and not ret.target_features:
        sig = fn_sig(binder, unsafe, abi, *rest[:-1], ret=ret.sig)
        return s.FnDefTy(sig, ret.path)
    return fn_sig(binder, unsafe, abi, *rest[:-1], ret=ret)


def fn_def(features: str | None, sig: s.FnPtrTy | s.FnDefTy, path: s.Path) -> s.FnDefTy:
    if isinstance(sig, s.FnDefTy):
        outer = sig.sig
        assert isinstance(outer.ret, s.FnPtrTy)
        sig = s.FnPtrTy(
            outer.params,
            s.FnDefTy(outer.ret, sig.path),
            outer.binder,
            outer.unsafe,
            outer.abi,
            outer.variadic,
        )
    return s.FnDefTy(sig, path, features is not None)


def impl_for(*rest: Any) -> ImplFor:
    """``impl Trait for T``."""
    match rest[:-1]:
        case (s.TraitBound(path, False, False, (), False),):
            return ImplFor(s.ImplSeg(ty(rest[-1]), path))
    raise RejectError("`impl … for` names one trait")


def impl_inherent(x: Any) -> ImplFor:
    return ImplFor(s.ImplSeg(ty(x), None))


def span(text: str) -> s.Span:
    """A span from ``FILE:L:C: L:C (#N)``."""
    m = _SPAN.match(text)
    if m is None:
        raise RejectError(f"`{text}` is no source range")
    file, line, col, end_line, end_col, ctxt = m.groups()
    return s.Span(
        file, int(line), int(col), int(end_line), int(end_col), None if ctxt is None else int(ctxt)
    )


def def_span(text: str) -> s.DefTy:
    kind, _, where = text[1:-1].partition("@")
    return s.DefTy(s.DefKind(kind), span(where))


def bound(
    ref: s.Path,
    maybe: bool = False,
    negative: bool = False,
    binder: tuple[s.Lifetime, ...] = (),
) -> s.TraitBound:
    return s.TraitBound(ref, maybe, negative, binder)


def paren_bound(inner: s.Bound) -> s.TraitBound:
    if isinstance(inner, s.Lifetime) or inner.parens:
        raise RejectError("one trait stands in a bound's parentheses")
    return s.TraitBound(inner.path, inner.maybe, inner.negative, inner.binder, True)


# ---------------------------------------------------------------- paths


def path(*elements: Any) -> s.Path:
    """Joins segments with the generic arguments behind them."""
    segments: list[Any] = []
    last = len(elements) - 1
    for i, element in enumerate(elements):
        if not isinstance(element, s.GenericArgs):
            segments.append(element)
            continue
        impl = _impl_segment(element, i < last)
        if impl is not None:
            segments.append(impl)
            continue
        match segments[-1] if segments else None:
            case s.NameSeg(name, None):
                segments[-1] = s.NameSeg(name, element)
            case s.DisambSeg(kind, index, None):
                segments[-1] = s.DisambSeg(kind, index, element)
            case _:
                raise RejectError("generic arguments follow a name")
    return s.Path(tuple(segments))


def _impl_segment(args: s.GenericArgs, more: bool) -> s.ImplSeg | None:
    if len(args.args) != 1 or not args.turbofish:
        return None
    match args.args[0]:
        case ImplFor(seg):
            return seg
        case s.ImplTy((s.TraitBound(path, False, False, (), False),), False) if more:
            self_ty = path_arg(path)
            return s.ImplSeg(ty(self_ty), None)
    return None


def generics(*args: Any) -> s.GenericArgs:
    return s.GenericArgs(tuple(map(_generic, args)), False)


def turbofish(*args: Any) -> s.GenericArgs:
    return s.GenericArgs(tuple(map(_generic, args)), True)


def assoc_arg(path: s.Path, value: Any) -> s.AssocArg:
    match path.segments:
        case (s.NameSeg(name, None | s.GenericArgs() as args),):
            return s.AssocArg(name, args, _generic(value))
    raise RejectError("an associated type or constant has one name")


def qualified(self_ty: Any, trait: s.Path | None = None) -> s.PathSeg:
    if trait is None:
        match self_ty:
            case ImplFor(seg):
                return seg
            case s.ImplTy((s.TraitBound(path, False, False, (), False),), False):
                return s.ImplSeg(ty(path_arg(path)), None)
    return s.QualifiedSeg(ty(self_ty), trait)


def disamb_segment(text: str) -> s.DisambSeg:
    kind, _, index = text[1:-1].rpartition("#")
    return s.DisambSeg(kind, int(index))


# ---------------------------------------------------------------- constants


def int_(text: str) -> s.CInt:
    digits, _, suffix = text.partition("_")
    return s.CInt(int(digits), suffix or None)


def named_int(text: str) -> s.CInt:
    name, _, end = text.partition("::")
    bits = 64 if name[1:] == "size" else int(name[1:])
    if name[0] == "u":
        value = 0 if end == "MIN" else (1 << bits) - 1
    else:
        value = -(1 << bits - 1) if end == "MIN" else (1 << bits - 1) - 1
    return s.CInt(value, name, True)


def float_(text: str) -> s.CFloat:
    digits, _, suffix = text.rpartition("f")
    if digits.endswith("_"):  # NaN_f32
        digits = digits[:-1]
    return s.CFloat(digits, "f" + suffix)


def _unescape(m: re.Match[str]) -> str:
    byte, code, simple = m.groups()
    if byte is not None:
        return chr(int(byte, 16))
    if code is not None:
        n = int(code, 16)
        return chr(n) if n < 0x110000 and not 0xD800 <= n < 0xE000 else m[0]
    return _SIMPLE.get(simple, m[0])


def char(text: str) -> s.CChar:
    inner = text[1:-1]
    return s.CChar(_ESCAPE.sub(_unescape, inner), inner.startswith("\\u"))


def bytes_(text: str) -> s.CBytes:
    body = _ESCAPE.sub(_unescape, text[text.index('"') + 1 : -1])
    try:
        return s.CBytes(body.encode("latin-1"), text[0] == "*")
    except UnicodeEncodeError:
        raise RejectError("a byte string holds a character that is no byte") from None


_ALLOC_REF = re.compile(r"\{(\w+?)(<imm>)?(?:\+0x([0-9a-f]+))?(<imm>)?: ")


def alloc_ref(head: str, pointee: Any) -> s.CAlloc:
    m = _ALLOC_REF.match(head)
    assert m is not None
    imm = m[2] is not None or m[4] is not None
    return s.CAlloc(m[1], int(m[3] or "0", 16), imm, ty(pointee))


def transmute(head: str, t: Any) -> s.CTransmute:
    digits = head[len("{transmute(0x") : -len("): ")]
    return s.CTransmute(int(digits, 16), len(digits), ty(t))


def _numbers(head: str) -> list[str]:
    return re.findall(r"(?:alloc|ALLOC)\d+|(?<![\w])\d+", head)


def indirect(head: str, t: Any) -> s.CIndirect:
    alloc, offset = _numbers(head)
    return s.CIndirect(alloc, int(offset), ty(t))


def slice_(head: str, t: Any) -> s.CSlice:
    alloc, meta = _numbers(head)
    return s.CSlice(alloc, int(meta), ty(t))


def instance(base: s.Path, suffix: str | None) -> s.Path:
    return base if suffix is None else s.Path(base.segments, suffix.removeprefix("- "))


def _const_fields(fields: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, s.CValue], ...]:
    return tuple((name, const(value)) for name, value in fields)


TYPE_ACTIONS: dict[str, Callable[..., Any]] = {
    "path_arg": path_arg,
    "call_arg": call_arg,
    "call_arg_ret": call_arg_ret,
    "struct_arg": lambda name, *fields: s.CAdtStruct(name, _const_fields(fields), False),
    "struct_arg2": lambda name, *fields: s.CAdtStruct(name, _const_fields(fields), True),
    "pattern_arg": pattern_arg,
    "tuple_arg": tuple_arg,
    "paren_arg": paren_arg,
    "never": lambda: s.Prim("!"),
    "elided": s.ElidedTy,
    "ref_arg": ref_arg,
    "const_ptr": lambda t: s.RawPtrTy(False, ty(t)),
    "mut_ptr": lambda _, t: s.RawPtrTy(True, ty(t)),
    "array_arg": array_arg,
    "slice_arg": slice_arg,
    "repeat_arg": repeat_arg,
    "dyn_ty": lambda *bounds: s.DynTy(bounds),
    "fn_body_ty": lambda head, name: s.FnBodyTy(s.FnBodyKind(head[1:].strip()), name),
    "unsafe_binder_ty": lambda *rest: s.UnsafeBinderTy(
        tuple(map(s.Lifetime, rest[:-1])), ty(rest[-1])
    ),
    "verbatim": s.CVerbatim,
    "verbatim_ty": s.VerbatimTy,
    "int": int_,
    "named_int": named_int,
    "float": float_,
    "char": char,
    "string": lambda text: s.CStr(text[1:-1]),
    "bytes": bytes_,
    "alloc_ref": alloc_ref,
    "int_ptr": lambda head, t: s.CIntPtr(int(head[1:-4], 16), ty(t)),
    "fn_ptr_value": lambda name, t: s.CFnPtr(name, ty(t)),
    "transmute": transmute,
    "unreachable_value": lambda t: s.CUnreachable(ty(t)),
    "zero_sized": lambda head, t: s.CZeroSized(ty(t), head[:-2]),
    "indirect": indirect,
    "scalar": lambda head, t: s.CScalar(head[len("Scalar(") : -3], ty(t)),
    "slice": slice_,
    "uninit": lambda _: s.CUninit(),
    "special": s.CSpecial,
    "fn_sig": fn_sig,
    "fn_sig_ret": fn_sig_ret,
    "fn_def": fn_def,
    "binder": lambda *lifetimes: tuple(map(s.Lifetime, lifetimes)),
    "impl_ty": lambda *bounds: s.ImplTy(bounds),
    "impl_inherent": impl_inherent,
    "impl_for": impl_for,
    "impl_not_for": lambda name, t: ImplFor(s.ImplSeg(ty(t), name, True)),
    "def_span": def_span,
    "def_path": lambda head, name: s.DefTy(s.DefKind(head[1:-1]), name),
    "lifetime": s.Lifetime,
    "paren_bound": paren_bound,
    "maybe_bound": lambda ref: bound(ref, maybe=True),
    "negative_bound": lambda ref: bound(ref, negative=True),
    "binder_bound": lambda binder, ref: bound(ref, binder=binder),
    "trait_bound": bound,
    "fn_sugar": lambda name, *params: _sugar(name, params, None),
    "fn_sugar_ret": lambda name, *rest: _sugar(name, rest[:-1], ty(rest[-1])),
    "pattern_from": lambda start: s.TyPatRange(const(start), None, False),
    "pattern_range": lambda start, end: s.TyPatRange(const(start), const(end), True),
    "pattern_from_inclusive": lambda start: s.TyPatRange(const(start), None, True),
    "pattern_not_null": lambda _: s.TyPatNotNull(),
    "pattern_or": lambda *alternatives: s.TyPatOr(alternatives),
    # paths
    "path": path,
    "empty_segment": lambda: s.NameSeg(""),
    "turbofish": turbofish,
    "generics": generics,
    "qualified": qualified,
    "name_segment": s.NameSeg,
    "disamb_segment": disamb_segment,
    "impl_at_segment": lambda text: s.ImplAtSeg(span(text[len("<impl at ") : -1])),
    "promoted_segment": lambda text: s.PromotedSeg(int(text[len("promoted[") : -1])),
    "assoc_arg": assoc_arg,
    "instance": instance,
}
