"""What cannot be lowered stops with a code, the Rust line, the MIR statement and a help."""

import re
from functools import cache
from pathlib import Path

import pytest

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.lower import LowerOptions, lower_module
from mirgpu.mir.dump import Dump
from mirgpu.rustc import read_trailer

SOURCE = Path(__file__).parent / "refused" / "refused.rs"
DUMP = SOURCE.with_suffix(".mir")


def wanted() -> list[tuple[str, str, int]]:
    """(kernel, code, line) of every ``//~`` mark; a mark counts for the kernel that it is in,
    or that calls the function it is in."""
    out = []
    kernel = ""
    for number, line in enumerate(SOURCE.read_text().splitlines(), 1):
        found = re.match(r"pub fn (\w+)\(", line)
        if found:
            kernel = found[1]
        mark = re.search(r"//~ (MG\d+)", line)
        if mark:
            out.append((kernel, mark[1], number))
    return out


@cache
def info():  # type: ignore[no-untyped-def]
    trailer = Dump(DUMP.read_text(), str(SOURCE)).trailer
    assert trailer is not None
    return read_trailer(trailer)


def refuse(*kernels: str) -> tuple[Diagnostic, ...]:
    dump = Dump(DUMP.read_text(), "refused.mir")
    with pytest.raises(DiagnosticError) as caught:
        lower_module(dump, info(), LowerOptions(kernels, ("i",), False), None)
    return caught.value.diagnostics


@pytest.mark.parametrize(("kernel", "code", "line"), wanted())
def test_refused(kernel: str, code: str, line: int) -> None:
    found = refuse(kernel)
    assert (code, line) in [(d.code, d.line) for d in found]
    for diagnostic in found:
        assert diagnostic.file is not None
        assert diagnostic.file.endswith("refused.rs")
        assert diagnostic.title
        assert "Error:" not in diagnostic.title
        assert diagnostic.code != "MG0399"
    told = [d for d in found if (d.code, d.line) == (code, line)]
    assert any(d.helps for d in told)


def test_several_at_once() -> None:
    assert [d.line for d in refuse("several")] == [98, 99]


def test_mir_statement_is_shown() -> None:
    (found,) = refuse("math")
    assert found.mir is not None
    assert "sinf32" in found.mir


def test_what_is_not_reached_is_not_told() -> None:
    dump = Dump(DUMP.read_text(), "refused.mir")
    options = LowerOptions(("unreached",), ("i",), False)
    assert lower_module(dump, info(), options, None).kernels[0].name == "unreached"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("generic", "generic parameters"),
        ("valued", "returns a value"),
    ],
)
def test_not_a_kernel(name: str, reason: str) -> None:
    (found,) = refuse(name)
    assert found.code == "MG0362"
    assert reason in found.title
    assert found.line is not None


def test_unknown_kernel_has_a_suggestion() -> None:
    (found,) = refuse("recursin")
    assert found.code == "MG0361"
    assert found.helps == ("did you mean `recursion`?",)
    assert "`math`" in found.notes[0]


def test_no_kernel_tells_why() -> None:
    text = """fn helper(_1: u32) -> u32 {
    debug a => _1;
    let mut _0: u32;

    bb0: {
        _0 = copy _1;
        return;
    }
}
"""
    from mirgpu.rustc import raw_info

    with pytest.raises(DiagnosticError) as caught:
        lower_module(Dump(text, "x.mir"), raw_info(), LowerOptions((), ("i",), False), None)
    (found,) = caught.value.diagnostics
    assert found.code == "MG0360"
    assert found.notes == ("`helper`: it returns a value",)


def test_layout_of_a_raw_dump() -> None:
    """Without rustc's facts, memory shared with the host must not be guessed at."""
    from mirgpu.rustc import raw_info

    text = """fn k(_1: usize, _2: &mut [P]) -> () {
    debug i => _1;
    debug x => _2;
    let mut _0: ();

    bb0: {
        ((*_2)[_1].1: u32) = const 1_u32;
        return;
    }
}
"""
    with pytest.raises(DiagnosticError) as caught:
        lower_module(Dump(text, "x.mir"), raw_info(), LowerOptions((), ("i",), False), None)
    (found,) = caught.value.diagnostics
    assert found.code == "MG0321"
    assert "--emit mir" in found.helps[0]
