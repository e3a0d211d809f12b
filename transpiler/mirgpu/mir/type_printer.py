"""Prints types, paths and constants as rustc does."""

from typing import assert_never

from mirgpu.mir import syntax as s

_UNIT = s.TupleTy(())


def print_type(ty: s.Ty) -> str:
    """The type's text."""
    match ty:
        case s.Prim(name):
            return name
        case s.PathTy(path):
            return print_path(path)
        case s.RefTy(mutable, pointee, lifetime):
            life = "" if lifetime is None else lifetime.name + " "
            return f"&{life}{'mut ' if mutable else ''}{print_type(pointee)}"
        case s.RawPtrTy(mutable, pointee):
            return f"*{'mut' if mutable else 'const'} {print_type(pointee)}"
        case s.SliceTy(elem):
            return f"[{print_type(elem)}]"
        case s.ArrayTy(elem, length):
            return f"[{print_type(elem)}; {print_const(length)}]"
        case s.TupleTy(elems):
            return _tuple([print_type(e) for e in elems])
        case s.FnPtrTy():
            return _fn_sig(ty)
        case s.FnDefTy(sig, path, features):
            marker = "#[target_features] " if features else ""
            return f"{marker}{_fn_sig(sig)} {{{print_path(path)}}}"
        case s.DynTy(bounds, parens):
            text = f"dyn {print_bounds(bounds)}"
            return f"({text})" if parens else text
        case s.ImplTy(bounds, parens):
            text = f"impl {print_bounds(bounds)}"
            return f"({text})" if parens else text
        case s.DefTy(kind, where):
            place = print_span(where) if isinstance(where, s.Span) else print_path(where)
            return f"{{{kind.value}@{place}}}"
        case s.FnBodyTy(kind, path):
            return f"{{{kind.value} {print_path(path)}()}}"
        case s.UnsafeBinderTy(lifetimes, inner):
            return f"unsafe<{', '.join(x.name for x in lifetimes)}> {print_type(inner)}"
        case s.PatternTy(base, pattern):
            return f"({print_type(base)}) is {_pattern(pattern)}"
        case s.ElidedTy():
            return "..."
        case s.VerbatimTy(text):
            return text
        case _:
            assert_never(ty)


def _tuple(elems: list[str]) -> str:
    return f"({elems[0]},)" if len(elems) == 1 else f"({', '.join(elems)})"


def _binder(lifetimes: tuple[s.Lifetime, ...]) -> str:
    return f"for<{', '.join(x.name for x in lifetimes)}> " if lifetimes else ""


def _fn_sig(sig: s.FnPtrTy) -> str:
    params = [print_type(p) for p in sig.params]
    if sig.variadic:
        params.append("...")
    abi = "" if sig.abi is None else f'extern "{sig.abi}" '
    ret = "" if sig.ret == _UNIT else f" -> {print_type(sig.ret)}"
    unsafe = "unsafe " if sig.unsafe else ""
    return f"{_binder(sig.binder)}{unsafe}{abi}fn({', '.join(params)}){ret}"


def print_span(span: s.Span) -> str:
    """``FILE:L:C: L:C``, and the syntax context where there is one."""
    if span.line == 0:
        return "no-location"
    ctxt = "" if span.ctxt is None else f" (#{span.ctxt})"
    return f"{span.file}:{span.line}:{span.col}: {span.end_line}:{span.end_col}{ctxt}"


def print_bounds(bounds: tuple[s.Bound, ...]) -> str:
    """``A + B + 'a``."""
    return " + ".join(map(_bound, bounds))


def _bound(bound: s.Bound) -> str:
    if isinstance(bound, s.Lifetime):
        return bound.name
    modifier = ("?" if bound.maybe else "") + ("!" if bound.negative else "")
    text = f"{modifier}{_binder(bound.binder)}{print_path(bound.path)}"
    return f"({text})" if bound.parens else text


def _pattern(pattern: s.TyPattern) -> str:
    match pattern:
        case s.TyPatRange(start, end, inclusive):
            upper = "" if end is None else print_const(end)
            return f"{print_const(start)}..{'=' if inclusive else ''}{upper}"
        case s.TyPatNotNull():
            return "!null"
        case s.TyPatOr(alternatives):
            return f"({' | '.join(map(_pattern, alternatives))})"
        case _:
            assert_never(pattern)


# ---------------------------------------------------------------- paths


def print_path(path: s.Path) -> str:
    """The path's text, with its suffix."""
    text = "::".join(map(_segment, path.segments))
    return text if path.suffix is None else f"{text} - {path.suffix}"


def _segment(segment: s.PathSeg) -> str:
    match segment:
        case s.NameSeg(name, args):
            return name if args is None else name + _args(args)
        case s.DisambSeg(kind, index, args):
            return f"{{{kind}#{index}}}{'' if args is None else _args(args)}"
        case s.ImplAtSeg(span):
            return f"<impl at {print_span(span)}>"
        case s.QualifiedSeg(self_ty, None):
            return f"<{print_type(self_ty)}>"
        case s.QualifiedSeg(self_ty, trait) if trait is not None:
            return f"<{print_type(self_ty)} as {print_path(trait)}>"
        case s.ImplSeg(self_ty, None):
            return f"<impl {print_type(self_ty)}>"
        case s.ImplSeg(self_ty, trait, negative) if trait is not None:
            bang = "!" if negative else ""
            return f"<impl {bang}{print_path(trait)} for {print_type(self_ty)}>"
        case s.PromotedSeg(index):
            return f"promoted[{index}]"
    raise AssertionError(segment)


def _args(args: s.GenericArgs | s.FnSugarArgs) -> str:
    if isinstance(args, s.FnSugarArgs):
        ret = "" if args.ret is None else f" -> {print_type(args.ret)}"
        return f"({', '.join(map(print_type, args.params))}){ret}"
    return f"{'::' if args.turbofish else ''}<{', '.join(map(_generic_arg, args.args))}>"


def _generic_arg(arg: s.GenericArg) -> str:
    if isinstance(arg, s.Lifetime):
        return arg.name
    if isinstance(arg, s.AssocArg):
        args = "" if arg.args is None else _args(arg.args)
        return f"{arg.name}{args} = {_type_or_const(arg.value)}"
    return _type_or_const(arg)


def _type_or_const(x: s.Ty | s.CGen) -> str:
    return print_type(x) if isinstance(x, _TYPES) else print_const(x)


_TYPES = (
    s.Prim,
    s.PathTy,
    s.RefTy,
    s.RawPtrTy,
    s.SliceTy,
    s.ArrayTy,
    s.TupleTy,
    s.FnPtrTy,
    s.FnDefTy,
    s.DynTy,
    s.ImplTy,
    s.DefTy,
    s.FnBodyTy,
    s.UnsafeBinderTy,
    s.PatternTy,
    s.ElidedTy,
    s.VerbatimTy,
)

# ---------------------------------------------------------------- constants

_BYTE_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}
_CHAR_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r", "\0": "\\0", "'": "\\'", "\\": "\\\\"}
_NOT_FINITE = {"NaN", "+Inf", "-Inf", "inf", "-inf", "Inf"}


def _byte(byte: int) -> str:
    if byte in _BYTE_ESCAPES:
        return _BYTE_ESCAPES[byte]
    return chr(byte) if 0x20 <= byte < 0x7F else f"\\x{byte:02x}"


def print_const(c: s.CValue) -> str:
    """The constant's text, without the word ``const``."""
    match c:
        case s.CInt(value, suffix, named):
            if named:
                return f"{suffix}::{'MIN' if value <= 0 else 'MAX'}"
            return str(value) if suffix is None else f"{value}_{suffix}"
        case s.CFloat(text, suffix):
            return f"{text}{'_' if text in _NOT_FINITE else ''}{suffix}"
        case s.CBool(value):
            return "true" if value else "false"
        case s.CChar(value, escaped):
            return f"'\\u{{{ord(value):x}}}'" if escaped else f"'{_CHAR_ESCAPES.get(value, value)}'"
        case s.CStr(text):
            return f'"{text}"'
        case s.CBytes(value, deref):
            return f'{"*" if deref else ""}b"{"".join(map(_byte, value))}"'
        case s.CTuple(elems):
            return _tuple([print_const(e) for e in elems])
        case s.CArray(elems):
            return f"[{', '.join(map(print_const, elems))}]"
        case s.CRepeat(elem, length):
            return f"[{print_const(elem)}; {print_const(length)}]"
        case s.CAdtTuple(path, elems):
            return f"{print_path(path)}({', '.join(map(print_const, elems))})"
        case s.CAdtStruct(path, fields, doubled):
            inner = ", ".join(f"{name}: {print_const(v)}" for name, v in fields)
            brace, end = ("{{", "}}") if doubled else ("{", "}")
            return f"{print_path(path)} {brace} {inner} {end}"
        case s.CPath(path):
            return print_path(path)
        case s.CRef(value):
            return f"&{print_const(value)}"
        case s.CAlloc(alloc, offset, imm, ty):
            shift = f"+0x{offset:x}" if offset else ""
            return f"{{{alloc}{shift}{'<imm>' if imm else ''}: {print_type(ty)}}}"
        case s.CIntPtr(address, ty):
            return f"{{0x{address:x} as {print_type(ty)}}}"
        case s.CFnPtr(path, ty):
            return f"{{{print_path(path)} as {print_type(ty)}}}"
        case s.CTransmute(bits, digits, ty):
            return f"{{transmute(0x{bits:0{digits}x}): {print_type(ty)}}}"
        case s.CUnreachable(ty):
            return f"{{unreachable(): {print_type(ty)}}}"
        case s.CPattern(value, pattern):
            return f"{print_const(value)} is {_pattern(pattern)}"
        case s.CZeroSized(ty, word):
            return f"{word}: {print_type(ty)}"
        case s.CIndirect(alloc, offset, ty):
            head = f"alloc_id: {alloc}, offset: Size({offset} bytes)"
            return f"Indirect {{ {head} }}: {print_type(ty)}"
        case s.CScalar(text, ty):
            return f"Scalar({text}): {print_type(ty)}"
        case s.CSlice(alloc, meta, ty):
            return f"Slice {{ alloc_id: {alloc}, meta: {meta} }}: {print_type(ty)}"
        case s.CUninit():
            return "<uninit>"
        case s.CSpecial(text) | s.CVerbatim(text):
            return text
        case _:
            assert_never(c)
