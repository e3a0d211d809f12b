"""Makes ``mir.syntax`` nodes: one function for each alias of ``mir.lark``.

Types and constants share a cover grammar (``arg``); an action that needs one of the two calls
``ty`` or ``const`` on what it got.
"""

import re
from collections.abc import Callable
from typing import Any, final, get_args
from dataclasses import dataclass

from mirgpu.mir import syntax as s


class RejectError(Exception):
    """The text is well formed but means nothing."""


@final
@dataclass(frozen=True, slots=True)
class Paren:
    """``(X)``, which is a type only in front of ``is``."""

    inner: Any


@final
@dataclass(frozen=True, slots=True)
class ImplFor:
    """``impl X`` of a type that is no path, or ``impl Trait for X``: a part of a path."""

    seg: s.ImplSeg


_TYPES: tuple[type, ...] = get_args(s.Ty)
_PRIMS = {
    name: s.Prim(name)
    for name in (
        "bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f16 f32 f64 f128"
    ).split()
}
_BOOLS = {"true": s.CBool(True), "false": s.CBool(False)}
_BIN_OPS = {op.value: op for op in s.BinOp}
_UN_OPS = {op.value: op for op in s.UnOp}
_CHECKS = {c.value: c for c in s.RuntimeCheck}
_CAST_KINDS = {f"({k.value})": k for k in s.CastKind}
_COERCIONS = {
    f"(PointerCoercion({k.value}, {how}))": s.PointerCoercion(k, how == "Implicit")
    for k in s.CoercionKind
    for how in ("AsCast", "Implicit")
}
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
    ret: s.Ty = s.TupleTy(()),
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
    return s.CChar(_ESCAPE.sub(_unescape, text[1:-1]))


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


# ---------------------------------------------------------------- places and operands


def local(text: str) -> int:
    return int(text[1:])


def project(place: s.Place, elem: s.ProjectionElem) -> s.Place:
    return s.Place(place.local, (*place.projection, elem))


def downcast(x: Any) -> s.ProjectionElem:
    """``as Variant`` names a variant; ``as some::Type<T>`` is an opaque cast."""
    match x:
        case s.PathTy(s.Path((s.NameSeg(name, None),))) | s.Prim(name):
            return s.Downcast(name)
    return s.OpaqueCast(ty(x))


def const_index(text: str) -> s.ProjectionElem:
    inner = text[1:-1]
    if " of " in inner:
        index, _, length = inner.partition(" of ")
        return s.ConstantIndex(abs(int(index)), int(length), index.startswith("-"))
    if ".." in inner:
        start, _, end = inner.partition("..")
        return s.Subslice(int(start), int(end), False)
    start, _, end = inner.partition(":")
    return s.Subslice(int(start or "0"), int(end.removeprefix("-") or "0"), True)


def fn_item(path: s.Path) -> s.Operand:
    match path.segments:
        case (s.NameSeg(name, None),) if name in _CHECKS:
            return _CHECKS[name]
    return s.FnItem(path)


# ---------------------------------------------------------------- rvalues


def use(operand: s.Operand) -> s.Rvalue:
    if isinstance(operand, s.FnItem):
        return s.AdtAggregate(operand.path, None, None)
    return s.Use(operand)


def call_aggregate(path: s.Path, *operands: s.Operand) -> s.Rvalue:
    """``Add(a, b)`` is the operator, whatever else may bear the name."""
    match path.segments:
        case (s.NameSeg(name, None),):
            if len(operands) == 2 and name in _BIN_OPS:
                return s.BinaryOp(_BIN_OPS[name], *operands)
            if len(operands) == 1 and name in _UN_OPS:
                return s.UnaryOp(_UN_OPS[name], *operands)
    return s.AdtAggregate(path, None, operands)


def _names(fields: tuple[tuple[str, Any], ...]) -> tuple[str, ...]:
    return tuple(name for name, _ in fields)


def _values(fields: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    return tuple(value for _, value in fields)


def struct_aggregate(path: s.Path, *fields: tuple[str, s.Operand]) -> s.Rvalue:
    return s.AdtAggregate(path, _names(fields), _values(fields))


def def_aggregate(t: s.DefTy, *fields: tuple[str, s.Operand]) -> s.Rvalue:
    return s.DefAggregate(t, _names(fields), _values(fields))


def ref(lifetime: str | None, mut: str | None, place: s.Place) -> s.Ref:
    kind = s.BorrowKind.SHARED if mut is None else s.BorrowKind.MUT
    return s.Ref(kind, place, _lifetime(lifetime))


def cast(operand: s.Operand, t: Any, kind: str) -> s.Cast:
    known = _CAST_KINDS.get(kind) or _COERCIONS.get(kind)
    if known is None:
        raise RejectError(f"{kind} is no kind of cast")
    return s.Cast(known, operand, ty(t))


# ---------------------------------------------------------------- terminators


def unwind(text: str) -> s.UnwindAction:
    match text.removeprefix("unwind").removeprefix(":").strip():
        case "continue":
            return s.UnwindContinue()
        case "unreachable":
            return s.UnwindUnreachable()
        case "terminate(abi)":
            return s.UnwindTerminate(s.UnwindTerminateReason.ABI)
        case _:
            return s.UnwindTerminate(s.UnwindTerminateReason.CLEANUP)


def block(text: str) -> int:
    return int(text[2:])


@final
@dataclass(frozen=True, slots=True)
class Targets:
    """What follows the arrow: labelled blocks in order, and the unwind action."""

    blocks: tuple[tuple[str, int], ...]
    unwind: s.UnwindAction | None

    def take(self, *labels: str) -> list[int | None]:
        """The blocks of these labels; any other label is an error."""
        found: dict[str, int] = {}
        for label, target in self.blocks:
            if label not in labels or label in found:
                raise RejectError(f"`{label}:` is no target of this terminator")
            found[label] = target
        return [found.get(label) for label in labels]


def targets(*items: Any) -> Targets:
    blocks: list[tuple[str, int]] = []
    action: s.UnwindAction | None = None
    for item in items:
        if action is not None:
            raise RejectError("the unwind action is the last target")
        match item:
            case ("unwind", bb):
                action = s.UnwindCleanup(block(bb))
            case (label, bb):
                blocks.append((label, block(bb)))
            case _:
                action = unwind(item)
    return Targets(tuple(blocks), action)


def _need(target: int | None, label: str) -> int:
    if target is None:
        raise RejectError(f"the `{label}:` target is missing")
    return target


def switch_int(discr: s.Operand, *rest: str) -> s.SwitchInt:
    if rest[-2] != "otherwise":
        raise RejectError("the last target of a switch is `otherwise:`")
    values = tuple(int(v) for v in rest[:-2:2])
    return s.SwitchInt(discr, values, tuple(block(b) for b in rest[1:-2:2]), block(rest[-1]))


def drop(place: s.Place, to: Targets) -> s.Drop:
    target, extra = (to.blocks[0][1], None) if _single(to) else to.take("return", "drop")
    return s.Drop(place, _need(target, "return"), to.unwind, extra)


def _single(to: Targets) -> bool:
    """``-> bbN``, without a label."""
    return len(to.blocks) == 1 and to.blocks[0][0] == ""


def call(destination: s.Place, func: s.Operand, *rest: Any) -> s.Call:
    """A lone ``-> bbN`` is printed for a call with one successor; see ``Call``."""
    *args, to = rest
    if _single(to):
        return s.Call(func, tuple(args), destination, None, s.UnwindCleanup(to.blocks[0][1]))
    (target,) = to.take("return")
    return s.Call(func, tuple(args), destination, target, to.unwind)


def call_const(destination: s.Place, func: s.Path, *rest: Any) -> s.Call:
    return call(destination, s.Constant(s.CPath(func)), *rest)


def tail_call_const(func: s.Path, *args: s.Operand) -> s.TailCall:
    return s.TailCall(s.Constant(s.CPath(func)), args)


def assert_(negated: str | None, cond: s.Operand, message: str, *rest: Any) -> s.Assert:
    *operands, to = rest
    target = to.blocks[0][1] if _single(to) else to.take("success")[0]
    return s.Assert(
        cond,
        negated is None,
        message[1:-1],
        tuple(operands),
        _need(target, "success"),
        to.unwind,
    )


def yield_(destination: s.Place, value: s.Operand, to: Targets) -> s.Yield:
    resume, gone = (to.blocks[0][1], None) if _single(to) else to.take("resume", "drop")
    if to.unwind is not None:
        raise RejectError("a yield does not unwind")
    return s.Yield(destination, value, _need(resume, "resume"), gone)


def false_edge(to: Targets) -> s.FalseEdge:
    real, imaginary = to.take("real", "imaginary")
    return s.FalseEdge(_need(real, "real"), _need(imaginary, "imaginary"))


def false_unwind(to: Targets) -> s.FalseUnwind:
    (real,) = to.take("real")
    if to.unwind is None:
        raise RejectError("the unwind target is missing")
    return s.FalseUnwind(_need(real, "real"), to.unwind)


def async_drop(place: s.Place, *rest: Any) -> s.AsyncDrop:
    *poll, to = rest
    target, gone = (to.blocks[0][1], None) if _single(to) else to.take("return", "drop")
    return s.AsyncDrop(
        place, poll[0] if poll else None, _need(target, "return"), to.unwind, gone
    )


def _asm_reg(text: str) -> tuple[str, str]:
    kind, _, reg = text.rstrip().removesuffix(")").partition("(")
    return kind, reg


def asm_in(reg: str, operand: s.Operand) -> s.AsmOperand:
    kind, name = _asm_reg(reg)
    if kind != "in":
        raise RejectError(f"`{kind}(…)` names a place")
    return s.AsmIn(name, operand)


def asm_out(reg: str, place: s.Place | None) -> s.AsmOperand:
    kind, name = _asm_reg(reg)
    if kind not in ("out", "lateout"):
        raise RejectError(f"`{kind}(…)` takes an operand")
    return s.AsmOut(name, kind == "lateout", place)


def asm_in_out(reg: str, operand: s.Operand, place: s.Place | None) -> s.AsmOperand:
    kind, name = _asm_reg(reg)
    if kind not in ("inout", "inlateout"):
        raise RejectError(f"`{kind}(…)` has no `=>`")
    return s.AsmInOut(name, kind == "inlateout", operand, place)


def inline_asm(template: str, *rest: Any) -> s.InlineAsm:
    *operands, options, to = rest
    if any(label not in ("", "return", "label") for label, _ in to.blocks):
        raise RejectError("the targets of `asm!` are `return:` and `label:`")
    labels = tuple(target for _, target in to.blocks)
    action = to.unwind
    if _single(to):
        labels, action = (), s.UnwindCleanup(labels[0])
    return s.InlineAsm(
        template[len('asm!("') : -1],
        tuple(operands),
        options[len("options(") : -2],
        labels,
        action,
    )


# ---------------------------------------------------------------- headers


def param(name: str, t: Any) -> s.Param:
    return s.Param(local(name), ty(t))


def fn_header(name: s.Path, *rest: Any) -> tuple[Any, ...]:
    """(path, parameters, return type, yield type)."""
    *params, ret, yields = rest
    return name, tuple(params), ty(ret), None if yields is None else ty(yields)


def typed_header(
    name: s.Path, t: Any, value: s.Operand | None = None
) -> tuple[s.Path, s.Ty, s.Operand | None]:
    return name, ty(t), value


def instance(base: s.Path, suffix: str | None) -> s.Path:
    return base if suffix is None else s.Path(base.segments, suffix.removeprefix("- "))


def _keep(x: Any) -> Any:
    return x


def _fragment_field(base: Any, index: str, t: Any) -> Any:
    name, whole, elems = base
    return name, whole, (*elems, s.Field(int(index), ty(t)))


ACTIONS: dict[str, Callable[..., Any]] = {
    "type": ty,
    "constant": const,
    "fn_header": fn_header,
    "param": param,
    "typed_header": typed_header,
    "local_decl": lambda mut, name, t: (local(name), mut is not None, ty(t)),
    "debug_name": _keep,
    "fragment_base": lambda name, t: (name, ty(t), ()),
    "fragment_field": _fragment_field,
    "fragment_deref": lambda base: (base[0], base[1], (*base[2], s.Deref())),
    "fragment_downcast": lambda base, x: (base[0], base[1], (*base[2], downcast(x))),
    "keep": _keep,
    "none": lambda _: None,
    "inlined": lambda track, name: (track is not None, name),
    "instance": instance,
    "vtable": lambda *rest: (rest[:-1], ty(rest[-1])),
    "vtable_none": lambda t: ((), ty(t)),
    # statements
    "assign": s.Assign,
    "storage_live": lambda name: s.StorageLive(local(name)),
    "storage_dead": lambda name: s.StorageDead(local(name)),
    "set_discriminant": lambda place, index: s.SetDiscriminant(place, int(index)),
    "assume": s.Assume,
    "copy_nonoverlapping": s.CopyNonOverlapping,
    "nop": s.Nop,
    "const_eval_counter": s.ConstEvalCounter,
    "place_mention": s.PlaceMention,
    "coverage": lambda text: s.Coverage(text.removeprefix("Coverage::")),
    "fake_read": lambda head, place: s.FakeRead(head[len("FakeRead(") : -2], place),
    "ascribe_user_type": lambda place, rest: s.AscribeUserType(
        place, rest[2 : rest.index(", ", 2)], rest[rest.index(", ", 2) + 2 : -1]
    ),
    "backward_incompatible_drop_hint": s.BackwardIncompatibleDropHint,
    "retag": lambda place: s.Retag(place, False),
    "retag_fn_entry": lambda place: s.Retag(place, True),
    # rvalues
    "use": use,
    "use_no_retag": lambda operand: s.Use(operand, True),
    "repeat": lambda operand, n: s.Repeat(operand, const(n)),
    "ref": ref,
    "ref_fake": lambda head, place: s.Ref(s.BorrowKind(head[1:].strip()), place),
    "raw_ptr": lambda head, place: s.RawPtr(s.RawPtrKind(head[len("&raw ") :].strip()), place),
    "copy_for_deref": s.CopyForDeref,
    "reborrow": lambda name, word, place: s.Reborrow(s.PathTy(name), place, "shared" in word),
    "thread_local_ref": lambda mut, name: s.ThreadLocalRef(mut is not None, name),
    "cast": cast,
    "discriminant": s.Discriminant,
    "tuple_aggregate": lambda *operands: s.TupleAggregate(operands),
    "array_aggregate": lambda *operands: s.ArrayAggregate(operands),
    "call_aggregate": call_aggregate,
    "struct_aggregate": struct_aggregate,
    "def_aggregate": def_aggregate,
    "pair": lambda name, value: (name, value),
    "raw_ptr_const_aggregate": lambda t, data, meta: s.RawPtrAggregate(
        s.RawPtrTy(False, ty(t)), data, meta
    ),
    "raw_ptr_mut_aggregate": lambda _, t, data, meta: s.RawPtrAggregate(
        s.RawPtrTy(True, ty(t)), data, meta
    ),
    "wrap_binder": lambda operand, t: s.WrapUnsafeBinder(operand, ty(t)),
    "len": s.Len,
    "null_op": lambda head, t: s.NullaryOp(s.NullOp(head[:-1]), ty(t)),
    "offset_of": lambda t, *steps: s.OffsetOf(ty(t), steps),
    "offset_step": lambda variant, index: (int(variant), int(index)),
    "shallow_init_box": lambda operand, t: s.ShallowInitBox(operand, ty(t)),
    # operands and places
    "copy": s.Copy,
    "move": s.Move,
    "const_operand": lambda x: s.Constant(const(x)),
    "fn_item": fn_item,
    "place_local": lambda name: s.Place(local(name), ()),
    "place_deref": lambda place: project(place, s.Deref()),
    "place_field": lambda place, index, t: project(place, s.Field(int(index), ty(t))),
    "place_downcast": lambda place, x: project(place, downcast(x)),
    "place_variant": lambda place, text: project(place, s.Downcast(int(text[8:]))),
    "place_subtype": lambda place, t: project(place, s.Subtype(ty(t))),
    "place_unwrap_binder": lambda place, t: project(place, s.UnwrapUnsafeBinder(ty(t))),
    "place_index": lambda place, name: project(place, s.Index(local(name))),
    "place_const_index": lambda place, text: project(place, const_index(text)),
    # terminators
    "goto": lambda target: s.Goto(block(target)),
    "switch_int": switch_int,
    "return_": s.Return,
    "unreachable": s.Unreachable,
    "resume": s.UnwindResume,
    "terminate_abi": lambda: s.Terminate(s.UnwindTerminateReason.ABI),
    "terminate_cleanup": lambda: s.Terminate(s.UnwindTerminateReason.CLEANUP),
    "coroutine_drop": s.CoroutineDrop,
    "drop": drop,
    "call": call,
    "call_const": call_const,
    "tail_call": lambda func, *args: s.TailCall(func, args),
    "tail_call_const": tail_call_const,
    "assert_": assert_,
    "inline_asm": inline_asm,
    "yield_": yield_,
    "false_edge": false_edge,
    "false_unwind": false_unwind,
    "async_drop": async_drop,
    "async_drop_no_poll": async_drop,
    "targets_one": lambda target: Targets((("", block(target)),), None),
    "targets": targets,
    "targets_unwind": lambda text: Targets((), unwind(text)),
    "asm_in": asm_in,
    "asm_out": asm_out,
    "asm_in_out": asm_in_out,
    "asm_const": s.AsmConst,
    "asm_sym_fn": s.AsmSymFn,
    "asm_sym_static": lambda text: s.AsmSymStatic(text.removeprefix("sym_static ")),
    "asm_label": lambda index: s.AsmLabel(int(index)),
    # types and constants
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
}


def _const_fields(fields: tuple[tuple[str, Any], ...]) -> tuple[tuple[str, s.CValue], ...]:
    return tuple((name, const(value)) for name, value in fields)
