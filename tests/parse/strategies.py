"""Hypothesis strategies for MIR: types, paths, constants, statements, terminators, items.

They make only what rustc could print: a text of each node is read back as that node and no
other.
"""

from typing import Any

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy as Strategy

from mirgpu.mir import syntax as s

_WORDS = ("a", "b2", "Foo", "Some", "core", "x_y", "r#fn", "é", "copy", "from", "Add", "of")
names = st.sampled_from(_WORDS)
type_names = st.sampled_from(("A", "Foo", "Vec", "T"))
small = st.integers(0, 300)
locals_ = st.integers(0, 99)
blocks_ = st.integers(0, 40)
lifetimes = st.sampled_from(("'a", "'_", "'static", "'{erased}", "'?3")).map(s.Lifetime)
lifetime_lists = st.lists(lifetimes, min_size=1, max_size=2).map(tuple)
spans = st.builds(
    s.Span,
    st.sampled_from(("src/lib.rs", "C:\\a b\\l.rs", "../x.rs")),
    *[st.integers(1, 9999)] * 4,
    st.none() | st.integers(0, 50),
)
sources = st.none() | st.builds(s.SourceInfo, st.integers(0, 9), spans)


def _tuples(strategy: Strategy[Any], low: int = 0, high: int = 3) -> Strategy[tuple[Any, ...]]:
    return st.lists(strategy, min_size=low, max_size=high).map(tuple)


# ---------------------------------------------------------------- constants

_INT_TYPES = ("u8", "i8", "u16", "i32", "u64", "i128", "u128", "usize", "isize")


def _int(suffix: str | None) -> Strategy[s.CInt]:
    signed = suffix is None or suffix[0] == "i"
    bits = 64 if suffix is None or suffix.endswith("size") else int(suffix[1:])
    low = -(1 << (bits - 1)) if signed else 0
    return st.builds(s.CInt, st.integers(low, (1 << (bits - signed)) - 1), st.just(suffix))


floats = st.builds(
    s.CFloat,
    st.sampled_from(("1", "-0", "0.100000001", "1.0E+10", "4.9E-324", "NaN", "+Inf", "-Inf")),
    st.sampled_from(("f16", "f32", "f64", "f128")),
)
chars = st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")).map(s.CChar) | st.builds(
    s.CChar, st.characters(codec="utf-8"), st.just(True)
)
strings = st.sampled_from(("", "x", "a; b // c", "{}()[]<>", '\\"', "é │", "_1 bb2", "\\n")).map(
    s.CStr
)
byte_strings = st.builds(s.CBytes, st.binary(max_size=6), st.booleans())
booleans = st.booleans().map(s.CBool)


def values(types: Strategy[Any], paths: Strategy[s.Path]) -> Strategy[Any]:
    """Constants as operands show them."""
    scalars = st.one_of(
        st.sampled_from(_INT_TYPES).flatmap(_int),
        st.builds(s.CInt, st.just(-128), st.just("i8"), st.just(True)),
        st.builds(s.CInt, st.just(2**32 - 1), st.just("u32"), st.just(True)),
        floats,
        booleans,
        chars,
        strings,
        byte_strings,
        st.just(s.CTuple(())),
        st.builds(s.CPath, paths),
        st.builds(s.CAlloc, st.just("alloc7"), small, st.booleans(), types),
        st.builds(s.CIntPtr, small, types),
        st.builds(s.CFnPtr, paths, types),
        st.builds(s.CTransmute, st.integers(0, 255), st.just(4), types),
        st.builds(s.CUnreachable, types),
        st.builds(s.CZeroSized, types),
        st.builds(s.CIndirect, st.just("alloc1"), small, types),
        st.just(s.CUninit()),
    )
    return st.recursive(
        scalars,
        lambda inner: st.one_of(
            st.builds(s.CTuple, _tuples(inner, 1)),
            st.builds(s.CArray, _tuples(inner)),
            st.builds(s.CAdtTuple, paths, _tuples(inner)),
            st.builds(s.CAdtStruct, paths, _tuples(st.tuples(names, inner), 1), st.just(True)),
            st.builds(s.CRef, inner),
        ),
        max_leaves=4,
    )


lengths = st.one_of(
    st.integers(0, 2**64 - 1).map(lambda n: s.CInt(n, None)),
    st.just(s.CPath(s.Path((s.NameSeg("N"),)))),
    st.sampled_from(("N * 2", "{ N + 1 }", "A.len()")).map(s.CVerbatim),
)

# ---------------------------------------------------------------- types and paths

_LEAVES: Strategy[Any] = st.one_of(
    st.sampled_from(("u8", "i64", "f32", "bool", "char", "str", "!", "usize")).map(s.Prim),
    type_names.map(lambda n: s.PathTy(s.Path((s.NameSeg(n),)))),
    st.just(s.TupleTy(())),
    st.builds(s.DefTy, st.sampled_from(s.DefKind), spans),
)


def _segments(types: Strategy[Any], turbofish: bool) -> Strategy[s.PathSeg]:
    args = st.builds(
        s.GenericArgs,
        _tuples(
            st.one_of(
                lifetimes,
                types,
                _int(None),
                st.builds(s.AssocArg, st.just("Item"), st.none(), types),
            ),
            1,
        ),
        st.just(turbofish),
    )
    return st.builds(s.NameSeg, names, st.none() | args)


def _paths(types: Strategy[Any], turbofish: bool) -> Strategy[s.Path]:
    plain = _tuples(_segments(types, turbofish), 1).map(s.Path)
    bare = _tuples(st.builds(s.NameSeg, names), 1, 2).map(s.Path)
    heads = st.one_of(
        st.builds(s.QualifiedSeg, types, bare),
        st.builds(s.QualifiedSeg, types, st.none()),
        st.builds(s.ImplAtSeg, spans),
        st.builds(s.ImplSeg, types, bare),
    )
    qualified = st.tuples(heads, _segments(types, turbofish)).map(s.Path)
    closures = st.tuples(
        st.builds(s.NameSeg, names), st.builds(s.DisambSeg, st.just("closure"), st.integers(0, 9))
    ).map(s.Path)
    return st.one_of(plain, qualified, closures)


def _bounds(types: Strategy[Any]) -> Strategy[tuple[s.Bound, ...]]:
    sugar = st.builds(s.FnSugarArgs, _tuples(types, 0, 2), st.none() | types)
    traits = st.one_of(
        st.builds(lambda n: s.Path((s.NameSeg(n),)), type_names),
        st.builds(lambda a: s.Path((s.NameSeg("Fn", a),)), sugar),
    )
    bound = st.builds(s.TraitBound, traits, binder=st.just(()) | lifetime_lists)
    return st.tuples(bound, st.just(s.TraitBound(s.Path((s.NameSeg("Send"),)))))


def _not_a_signature(ty: Any) -> bool:
    """A returned ``fn() {f}`` would take the item's braces for its own."""
    return not isinstance(ty, s.FnDefTy | s.DynTy)


def _grow(types: Strategy[Any]) -> Strategy[Any]:
    # A sum of bounds ends where its brackets do.
    closed = types.filter(lambda t: not isinstance(t, s.DynTy | s.PatternTy))
    returned = closed.filter(_not_a_signature)
    signature = st.builds(
        s.FnPtrTy,
        _tuples(closed),
        returned,
        st.just(()) | lifetime_lists,
        st.booleans(),
        st.none() | st.sampled_from(("C", "rust-call")),
        st.booleans(),
    )
    return st.one_of(
        st.builds(s.RefTy, st.booleans(), closed, st.none() | lifetimes),
        st.builds(s.RawPtrTy, st.booleans(), closed),
        st.builds(s.SliceTy, closed),
        st.builds(s.ArrayTy, closed, lengths),
        st.builds(s.TupleTy, _tuples(closed, 1)),
        signature,
        st.builds(s.FnDefTy, signature, _paths(closed, True)),
        st.builds(s.DynTy, _bounds(returned), st.booleans()),
        _paths(closed, False).map(s.PathTy).filter(lambda t: t.path.segments[0] != s.NameSeg("_")),
        st.builds(s.DefTy, st.sampled_from(s.DefKind), _paths(closed, True)),
    )


types = st.recursive(_LEAVES, _grow, max_leaves=6)
_inner = types.filter(lambda t: not isinstance(t, s.DynTy))
paths = _paths(_inner, True)
constants = values(_inner, paths)

# ---------------------------------------------------------------- places and operands

projections = st.one_of(
    st.just(s.Deref()),
    st.builds(s.Field, small, types),
    st.builds(s.Downcast, st.sampled_from(("Some", "u8", "r#in")) | small),
    st.builds(s.Subtype, _inner),
    st.builds(s.UnwrapUnsafeBinder, _inner),
    st.builds(s.Index, locals_),
    st.builds(s.ConstantIndex, st.integers(1, 9), small, st.booleans()),
    st.builds(s.Subslice, small, small, st.booleans()),
)
places = st.builds(s.Place, locals_, _tuples(projections))
operands = st.one_of(
    st.builds(s.Copy, places),
    st.builds(s.Move, places),
    st.builds(s.Constant, constants),
    paths.filter(lambda p: len(p.segments) > 1).map(s.FnItem),
    st.sampled_from(s.RuntimeCheck),
)
adt_paths = paths.filter(lambda p: len(p.segments) > 1)
_valued = operands.filter(lambda o: not isinstance(o, s.FnItem))


def _named(fields: tuple[tuple[str, s.Operand], ...]) -> tuple[Any, Any]:
    return tuple(n for n, _ in fields), tuple(o for _, o in fields)


fields = _tuples(st.tuples(names, operands), 1).map(_named)
rvalues = st.one_of(
    st.builds(s.Use, _valued),
    st.builds(s.Use, st.builds(s.Copy, places), st.just(True)),
    st.builds(s.Repeat, operands, lengths),
    st.builds(s.Ref, st.sampled_from(s.BorrowKind), places),
    st.builds(s.RawPtr, st.sampled_from(s.RawPtrKind), places),
    st.builds(s.CopyForDeref, places),
    st.builds(s.ThreadLocalRef, st.booleans(), paths),
    st.builds(
        s.Cast,
        st.one_of(
            st.sampled_from(s.CastKind),
            st.builds(s.PointerCoercion, st.sampled_from(s.CoercionKind), st.booleans()),
        ),
        operands,
        _inner,
    ),
    st.builds(s.BinaryOp, st.sampled_from(s.BinOp), operands, operands),
    st.builds(s.UnaryOp, st.sampled_from(s.UnOp), operands),
    st.builds(s.Discriminant, places),
    st.builds(s.TupleAggregate, _tuples(operands)),
    st.builds(s.ArrayAggregate, _tuples(operands)),
    st.builds(s.AdtAggregate, paths, st.none(), st.none()).filter(
        lambda a: len(a.path.segments) > 1
    ),
    st.builds(s.AdtAggregate, adt_paths, st.none(), _tuples(operands)),
    st.builds(lambda p, f: s.AdtAggregate(p, *f), adt_paths, fields),
    st.builds(
        lambda t, f: s.DefAggregate(t, *f),
        st.builds(s.DefTy, st.sampled_from(s.DefKind), spans),
        fields | st.just(((), ())),
    ),
    st.builds(s.RawPtrAggregate, st.builds(s.RawPtrTy, st.booleans(), _inner), operands, operands),
    st.builds(s.WrapUnsafeBinder, operands, _inner),
)

# ---------------------------------------------------------------- statements, terminators

statements = st.one_of(
    st.builds(s.Assign, places, rvalues, sources),
    st.builds(s.StorageLive, locals_, sources),
    st.builds(s.StorageDead, locals_, sources),
    st.builds(s.SetDiscriminant, places, small, sources),
    st.builds(s.Assume, operands, sources),
    st.builds(s.CopyNonOverlapping, _valued, _valued, _valued, sources),
    st.builds(s.Nop, sources),
    st.builds(s.ConstEvalCounter, sources),
    st.builds(s.PlaceMention, places, sources),
    st.builds(s.FakeRead, st.just("ForLet(None)"), places, sources),
    st.builds(s.Retag, places, st.sampled_from(s.RetagKind), sources),
)
unwinds = st.one_of(
    st.builds(s.UnwindCleanup, blocks_),
    st.just(s.UnwindContinue()),
    st.just(s.UnwindUnreachable()),
    st.builds(s.UnwindTerminate, st.sampled_from(s.UnwindTerminateReason)),
)
cases = st.lists(st.tuples(st.integers(0, 2**128 - 1), blocks_), max_size=4).map(
    lambda pairs: (tuple(v for v, _ in pairs), tuple(b for _, b in pairs))
)
asm_operands = st.one_of(
    st.builds(s.AsmIn, st.sampled_from(("reg", '"eax"')), _valued),
    st.builds(s.AsmOut, st.just("reg"), st.booleans(), st.none() | places),
    st.builds(s.AsmInOut, st.just("reg"), st.booleans(), _valued, st.none() | places),
    st.builds(s.AsmConst, st.builds(s.Constant, constants)),
    st.builds(s.AsmLabel, small),
)
terminators = st.one_of(
    st.builds(s.Goto, blocks_, sources),
    st.builds(lambda o, c, b, i: s.SwitchInt(o, *c, b, i), operands, cases, blocks_, sources),
    st.builds(s.Return, sources),
    st.builds(s.Unreachable, sources),
    st.builds(s.UnwindResume, sources),
    st.builds(s.Terminate, st.sampled_from(s.UnwindTerminateReason), sources),
    st.builds(s.CoroutineDrop, sources),
    st.builds(s.Drop, places, blocks_, unwinds, st.none() | blocks_, sources),
    st.builds(
        s.Call,
        st.builds(s.FnItem, paths) | st.builds(s.Copy, places),
        _tuples(operands),
        places,
        st.none() | blocks_,
        unwinds,
        sources,
    ),
    st.builds(s.TailCall, st.builds(s.FnItem, paths), _tuples(operands), sources),
    st.builds(
        s.Assert,
        operands,
        st.booleans(),
        st.sampled_from(("index {} of {}", "x; y // `{}`")),
        _tuples(operands),
        blocks_,
        unwinds,
        sources,
    ),
    st.builds(
        s.InlineAsm,
        st.sampled_from(("nop", 'a "b"\n}\n// c', "{0}; {1}")),
        _tuples(asm_operands),
        st.sampled_from(("", "PURE | NOMEM")),
        _tuples(blocks_),
        unwinds,
        sources,
    ),
    st.builds(s.Yield, places, operands, blocks_, st.none() | blocks_, sources),
    st.builds(s.FalseEdge, blocks_, blocks_, sources),
    st.builds(s.FalseUnwind, blocks_, unwinds, sources),
)

# ---------------------------------------------------------------- bodies and items

local_decls = st.builds(s.LocalDecl, locals_, st.booleans(), types, source=sources)
debugs = st.builds(
    s.VarDebugInfo,
    names,
    places | st.builds(s.Constant, constants),
    st.none(),
    st.just(()),
    sources,
) | st.builds(
    s.VarDebugInfo,
    st.sampled_from(("p", "self")),
    places,
    types,
    st.lists(st.builds(s.Field, small, types), min_size=1, max_size=2).map(tuple),
    sources,
)
scopes = st.recursive(
    st.builds(
        s.SourceScope,
        st.integers(1, 9),
        st.none(),
        st.just(False),
        _tuples(debugs),
        _tuples(local_decls),
        st.just(()),
    ),
    lambda inner: st.builds(
        s.SourceScope,
        st.integers(1, 9),
        paths,
        st.booleans(),
        _tuples(debugs, 0, 1),
        _tuples(local_decls, 0, 1),
        _tuples(inner, 0, 2),
        st.none() | spans,
    ),
    max_leaves=3,
)
basic_blocks = st.builds(
    s.BasicBlock, blocks_, st.booleans(), _tuples(statements, 0, 4), terminators
)
bodies = st.builds(
    s.Body, _tuples(debugs), _tuples(local_decls), _tuples(scopes, 0, 2), _tuples(basic_blocks, 1)
)
header_paths = st.one_of(
    _tuples(st.builds(s.NameSeg, names), 1).map(s.Path),
    st.tuples(st.builds(s.ImplAtSeg, spans), st.builds(s.NameSeg, names)).map(s.Path),
    st.tuples(
        st.builds(s.NameSeg, names), st.builds(s.DisambSeg, st.just("closure"), st.integers(0, 9))
    ).map(s.Path),
)
params = st.lists(types, max_size=3).map(
    lambda tys: tuple(s.Param(i + 1, ty) for i, ty in enumerate(tys))
)
items = st.one_of(
    st.builds(s.FnItemDef, header_paths, params, types, bodies, st.none(), st.booleans()),
    st.builds(s.ConstItemDef, header_paths, types, bodies),
    st.builds(s.ConstItemDef, header_paths, types, st.none(), st.builds(s.Constant, constants)),
    st.builds(s.StaticItemDef, header_paths, st.booleans(), types, bodies),
    st.builds(s.AnonItemDef, header_paths, types, bodies),
)
files = st.builds(s.File, _tuples(items, 1), st.just(()))
