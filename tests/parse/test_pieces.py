"""Every small piece of MIR in ``pieces.py`` prints back as it was read."""

from collections.abc import Callable
from typing import Any

import pytest
from tests.parse import pieces

from mirgpu.diagnostics import DiagnosticError
from mirgpu.mir import printer, syntax
from mirgpu.mir.dump import Dump
from mirgpu.mir.lalr import PieceError, grammar
from mirgpu.mir.parser import parse_path, parse_type
from mirgpu.mir.pieces import parse_piece, parse_statement

CASES: list[tuple[str, Callable[[Any], str], list[str]]] = [
    ("type", printer.print_type, pieces.TYPES),
    ("path", printer.print_path, pieces.PATHS),
    ("instance", printer.print_path, pieces.INSTANCES),
    ("constant", printer.print_const, pieces.CONSTANTS),
    ("place", printer.print_place, pieces.PLACES),
    ("statement", printer.print_statement, pieces.STATEMENTS),
    ("terminator", printer.print_terminator, pieces.TERMINATORS),
]


@pytest.mark.parametrize(
    ("start", "show", "text"),
    [(start, show, text) for start, show, texts in CASES for text in texts],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_prints_back(start: str, show: Callable[[Any], str], text: str) -> None:
    node = parse_piece(start, text, "f", 1, 1)
    assert show(node) == text
    assert parse_piece(start, show(node), "f", 1, 1) == node


@pytest.mark.parametrize("start", ["statement", "terminator"])
def test_shapes_give_what_a_direct_parse_gives(start: str) -> None:
    for text in pieces.TERMINATORS if start == "terminator" else pieces.STATEMENTS:
        for spelled in (text, text.replace("_1", "_71"), text.replace("bb1", "bb303")):
            direct = parse_piece(start, spelled, "f", 1, 1)
            assert parse_statement(start, spelled, None, "f", 1, 1) == direct


def test_a_name_that_looks_like_a_local_is_no_hole() -> None:
    for name in ("_5", "_17"):
        text = f"_1 = const a::{name}::X"
        node = parse_statement("statement", text, None, "f", 1, 1)
        assert printer.print_statement(node) == text


def test_source_is_kept_and_not_shared() -> None:
    span = syntax.Span("f.rs", 1, 2, 3, 4)
    infos = [syntax.SourceInfo(scope, span) for scope in (0, 1)]
    for text in ("_1 = copy _2", '_1 = const "_2"'):
        nodes = [parse_statement("statement", text, info, "f", 1, 1) for info in infos]
        assert [node.source for node in nodes] == infos


def test_type_and_path_functions() -> None:
    assert parse_type(" &mut [f32]\n") == syntax.RefTy(True, syntax.SliceTy(syntax.Prim("f32")))
    assert parse_path("a::b").segments == (syntax.NameSeg("a"), syntax.NameSeg("b"))
    with pytest.raises(DiagnosticError):
        parse_type("5_u8")
    with pytest.raises(DiagnosticError):
        parse_path("a b")


def test_the_operator_wins_over_a_tuple_struct_of_its_name() -> None:
    def rvalue(text: str) -> syntax.Rvalue:
        value: syntax.Rvalue = grammar().parse("rvalue", text)
        return value

    assert isinstance(rvalue("Add(copy _1, copy _2)"), syntax.BinaryOp)
    assert isinstance(rvalue("Not(copy _1)"), syntax.UnaryOp)
    assert isinstance(rvalue("Add(copy _1)"), syntax.AdtAggregate)
    assert isinstance(rvalue("a::Add(copy _1, copy _2)"), syntax.AdtAggregate)


def test_a_fn_item_that_returns_a_pointer_is_one_item() -> None:
    ty = parse_type("fn() -> fn(u8) {f}")
    assert isinstance(ty, syntax.FnDefTy)
    assert isinstance(ty.sig.ret, syntax.FnPtrTy)


def test_impl_segment_or_turbofish() -> None:
    inside = parse_path("a::<impl b::C>::d").segments
    assert isinstance(inside[1], syntax.ImplSeg)
    last = parse_path("a::<impl b::C>").segments[-1]
    assert isinstance(last, syntax.NameSeg)
    assert isinstance(last.args, syntax.GenericArgs)


def test_a_lone_target_of_a_call_is_its_cleanup() -> None:
    call = grammar().parse("terminator", "_0 = f() -> bb5")
    assert (call.target, call.unwind) == (None, syntax.UnwindCleanup(5))


def test_verbatim_text_is_kept_in_one_node() -> None:
    ty = parse_type("[u8; { N + 1 }]")
    assert ty == syntax.ArrayTy(syntax.Prim("u8"), syntax.CVerbatim("{ N + 1 }"))
    bound = parse_type("&impl Tr<K = const 0>")
    assert bound == syntax.RefTy(False, syntax.VerbatimTy("impl Tr<K = const 0>"))


def test_body_lines() -> None:
    lines = "\n    ".join(pieces.BODY_LINES)
    text = f"fn f() -> () {{\n    {lines}\n\n    bb0: {{\n        return;\n    }}\n}}\n"
    dump = Dump(text, "f")
    assert printer.print_item(dump.item(dump.headers[0])) == text


@pytest.mark.parametrize(
    "text",
    [
        "_1 = copy _2 as u8 (NoSuchCast)",
        "_1 = (u8)",
        "_1 = copy _2 as 5_u8 (IntToInt)",
        "_1 = P { x: 5_u8 }",
        "StorageLive(1)",
        "_1 = &fake",
        "_1 = const u8 is",
        "_1 = const fn()",
    ],
)
def test_wrong_statements_are_refused(text: str) -> None:
    with pytest.raises(PieceError):
        grammar().parse("statement", text)


@pytest.mark.parametrize(
    "text",
    [
        "switchInt(copy _1) -> [0: bb1, return: bb2]",
        "drop(_1) -> [success: bb1, unwind continue]",
        "_0 = f() -> [return: bb1]",
        "_0 = f() -> [return: bb1, return: bb2]",
        "_0 = f() -> [unwind continue, unwind: bb2]",
        "falseUnwind -> bb1",
        "falseEdge -> [real: bb1, unwind: bb2]",
        'assert(copy _1, "x") -> [unwind continue]',
        'asm!("x", in(reg) _1, options()) -> [return: bb1, unwind continue]',
        'asm!("x", out(reg) copy _1, options()) -> [return: bb1, unwind continue]',
        "_0 = yield(copy _1) -> [resume: bb1, unwind: bb2]",
    ],
)
def test_wrong_terminators_are_refused(text: str) -> None:
    with pytest.raises(PieceError):
        grammar().parse("terminator", text)
