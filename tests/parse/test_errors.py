"""Text that is no MIR: one diagnostic with a place and an expectation, never a traceback."""

import contextlib
import random

import pytest
from tests.parse.text import DATA

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.mir.dump import Dump
from mirgpu.mir.parser import parse_file, parse_type
from mirgpu.mir.printer import print_type


def _diagnostic(text: str) -> Diagnostic:
    with pytest.raises(DiagnosticError) as e:
        parse_file(text, "dump.mir")
    (diagnostic,) = e.value.diagnostics
    assert diagnostic.code.startswith("MG01")
    assert diagnostic.file == "dump.mir"
    assert diagnostic.line is not None
    assert diagnostic.col is not None
    return diagnostic


def _parse_or_diagnose(text: str) -> None:
    with contextlib.suppress(DiagnosticError):
        parse_file(text, "dump.mir")


def _body(*lines: str) -> str:
    inner = "".join(f"        {line}\n" for line in lines)
    return f"fn f() -> () {{\n    let mut _0: ();\n\n    bb0: {{\n{inner}    }}\n}}\n"


@pytest.mark.parametrize("text", ["", "\n\n", "// only a comment\n"])
def test_nothing(text: str) -> None:
    assert _diagnostic(text).code == "MG0101"


@pytest.mark.parametrize(
    "text",
    [
        "\0\1\2ELF\0",
        "fn main() { println!(); }",
        "#!/bin/sh\necho hi\n",
        "{}" * 1000,
        "".join(random.Random(1).choices([chr(c) for c in range(1, 0x3000)], k=5000)),
        "\n".join("x" * 100 for _ in range(20_000)),
    ],
    ids=["binary", "rust", "shell", "braces", "noise", "large"],
)
def test_garbage(text: str) -> None:
    _diagnostic(text)


def test_place_and_expectation() -> None:
    d = _diagnostic(_body("_0 = copy _1;", "_1 = Add(copy _2 copy _3);", "return;"))
    assert (d.code, d.line, d.col) == ("MG0102", 6, 26)
    assert "found 'copy '" in d.title
    assert any("`,`" in note for note in d.notes)
    assert d.mir == "_1 = Add(copy _2 copy _3)"


def test_a_place_on_a_later_line_of_a_statement() -> None:
    d = _diagnostic(_body('asm!("a', 'b", in(reg) copy ?, options()) -> [return: bb0];'))
    assert (d.line, d.col) == (6, 26)


def test_the_end_of_the_line() -> None:
    d = _diagnostic(_body("_1 = Add(copy _2, copy _3;", "return;"))
    assert d.line == 5
    assert "the text ends here" in d.title
    assert any("`)`" in note for note in d.notes)


def test_a_type_is_expected() -> None:
    d = _diagnostic(_body("_1 = copy _2 as  (IntToInt);", "return;"))
    assert any("a type" in note for note in d.notes)


@pytest.mark.parametrize(
    ("lines", "line"),
    [
        (["_1 = copy _2"], 5),
        (["return"], 5),
        ([], 4),
        (["return;", "}", "_1 = copy _2;"], 7),
        (["goto -> bb1;", "}", "bb1: {"], 7),
        (["let _1: u8;", "return;"], 5),
        (["_1 = copy _2;"], 5),
        (["StorageLive(_99999999999999999999999999999999x);", "return;"], 5),
    ],
)
def test_wrong_structure(lines: list[str], line: int) -> None:
    assert _diagnostic(_body(*lines)).line == line


@pytest.mark.parametrize(
    "text",
    [
        "fn f() -> () {",
        "fn f( -> () {\n}\n",
        "fn f(_1: u8 -> () {\n    bb0: {\n        return;\n    }\n}\n",
        "const X: = {\n}\n",
        "const X: u8 = const ;\n",
        "fn f() -> 5 {\n    bb0: {\n        return;\n    }\n}\n",
        "fn f() -> () {\n    scope one {\n    }\n}\n",
        "fn f() -> () {\n    scope 1 {\n    bb0: {\n        return;\n    }\n}\n",
        "fn f() -> () {\n    debug x;\n}\n",
    ],
)
def test_wrong_items(text: str) -> None:
    _diagnostic(text)


def test_every_cut_of_a_dump_ends_in_a_diagnostic_or_a_value() -> None:
    text = (DATA / "coverage.mir").read_text(encoding="utf-8")
    for end in range(0, len(text), 7):
        _parse_or_diagnose(text[:end])


def test_every_damage_to_a_dump_ends_in_a_diagnostic_or_a_value() -> None:
    text = (DATA / "nightly.O0.mir").read_text(encoding="utf-8")
    rng = random.Random(7)
    for _ in range(150):
        at = rng.randrange(len(text))
        junk = rng.choice(
            ["", "{", "}", "(", '"', ";", "\n", "//", "<", "'", "[", "é", "\\", "-> "]
        )
        _parse_or_diagnose(text[:at] + junk + text[at + rng.randrange(4) :])


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("&", ""),
        ("*const ", ""),
        ("(", ",)"),
        ("[", "]"),
        ("[", "; 3]"),
        ("V<", ">"),
        ("<", " as A>::B"),
        ("a::<", ">"),
        ("<impl A for ", ">::B"),
        ("fn(", ")"),
        ("fn() -> ", ""),
        ("dyn Fn(", ")"),
        ("impl A<", ">"),
        ("impl Fn() -> ", ""),
        ("unsafe<'a> ", ""),
        ("(*const ", ") is !null"),
        ("fn() {", "}"),
    ],
)
def test_nesting_is_bounded(opening: str, closing: str) -> None:
    for levels in (1, 10, 30, 39, 59, 119, 1000, 20_000):
        text = opening * levels + "u8" + closing * levels
        try:
            ty = parse_type(text)
        except DiagnosticError:
            assert levels > 10 or opening == "fn() {"
        else:
            assert parse_type(print_type(ty)) == ty
            hash(ty)
            repr(ty)


def test_scopes_nest_as_deep_as_a_function_is_long() -> None:
    text = "fn f() -> () {\n" + "scope 1 {\n" * 5000 + "}\n" * 5000 + "}\n"
    (item,) = parse_file(text, "f").items
    scope, depth = item.body.scopes[0], 1
    while scope.children:
        (scope,) = scope.children
        depth += 1
    assert depth == 5000
    text = "fn f() -> () {\n" + "scope 1 {\n" * 3 + "}\n" * 2 + "}\n"
    assert "does not end" in _diagnostic(text).title


def test_long_numbers() -> None:
    digits = "9" * 5000
    for line in (f"_1 = const {digits}_u8;", f"_{digits} = copy _1;", f"goto -> bb{digits};"):
        _diagnostic(_body(line, "return;"))
    _diagnostic(_body("return;").replace("bb0", f"bb{digits}"))
    _diagnostic(_body("return;") + f"\nalloc1 (size: {digits}, align: 1) {{}}\n")


def test_a_long_statement_is_cut_in_the_message() -> None:
    d = _diagnostic(_body("_1 = (" + "copy _2, " * 1000 + "?);", "return;"))
    assert d.mir is not None
    assert len(d.mir) < 500


def test_wide_things_are_no_problem() -> None:
    wide = ", ".join(["copy _1"] * 5000)
    cases = "".join(f"{i}: bb0, " for i in range(5000))
    text = _body(f"_1 = ({wide});", f"switchInt(copy _1) -> [{cases}otherwise: bb0];")
    assert len(Dump(text, "f").headers) == 1
    parse_file(text, "f")
    parse_type("(" + "u8, " * 5000 + "u8)")
    parse_type("::".join(["a"] * 5000))
