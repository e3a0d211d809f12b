"""Splitting a dump: headers, lookups, laziness, the trailer, and odd but valid line structure."""

import pytest
from tests.parse.text import DATA

from mirgpu.diagnostics import DiagnosticError
from mirgpu.mir import syntax as s
from mirgpu.mir.dump import Dump, ItemKind
from mirgpu.mir.parser import parse_file
from mirgpu.mir.printer import print_file, print_item

RETURN = "    bb0: {\n        return;\n    }\n"

ODDITIES = f"""\
// WARNING: This output format is intended for human consumers only
const a::A: i32 = const 3_i32;

fn f(_1: usize) -> usize {{
{RETURN}}}

// MIR FOR CTFE
fn f(_1: usize) -> usize {{
{RETURN}}}

static mut a::<impl at l.rs:1:2: 3:4>::X: [u8; N * 2] = {{
{RETURN}}}

static Y: u8 = {{
{RETURN}}}

<impl at a b.rs:1:2: 3:4>::{{constant#0}}: usize = {{
{RETURN}}}

const _::f::promoted[0]: &[&str; 1] = {{
{RETURN}}}

// MIR for `g` after built
| User Type Annotations
| 0: user_ty: fn x
|
/* coroutine_layout = CoroutineLayout {{
    field_tys: {{}},
}} */

fn g::{{closure#0}}(_1: {{closure@l.rs:1:2: 3:4}}, _2: ()) -> ()
yields ()
 {{
    let mut _0: ();
    scope 1 {{
        debug x => _1;
        let _3: u8;
        scope 2 (inlined #[track_caller] core::num::<impl u8>::f - shim(Some(T))) {{
        }}
    }}

    bb0: {{
        // DBG: _3 = &_1;
        _3 = const "; // {{ }} fn x() {{";
        asm!("first
}}
    second; // "quoted"

fn not_an_item() -> () {{
", in(reg) copy _3, options(NOSTACK)) -> [return: bb1, unwind unreachable];
    }}

    bb1 (cleanup): {{
        _4 = [const 0_u8; {{
    N + 1
}}];
        return;
    }}
}}
"""


def test_headers() -> None:
    headers = Dump(ODDITIES, "f").headers
    assert [(h.kind, h.path, h.ctfe) for h in headers] == [
        (ItemKind.CONST, "a::A", False),
        (ItemKind.FN, "f", False),
        (ItemKind.FN, "f", True),
        (ItemKind.STATIC, "a::<impl at l.rs:1:2: 3:4>::X", False),
        (ItemKind.STATIC, "Y", False),
        (ItemKind.ANON, "<impl at a b.rs:1:2: 3:4>::{constant#0}", False),
        (ItemKind.CONST, "_::f::promoted[0]", False),
        (ItemKind.FN, "g::{closure#0}", False),
    ]
    lines = ODDITIES.split("\n")
    starts = ("const", "fn", "static", "<impl")
    assert all(lines[h.line - 1].startswith(starts) for h in headers)
    assert [h.index for h in headers] == list(range(len(headers)))


def test_find_leaves_ctfe_copies_out() -> None:
    dump = Dump(ODDITIES, "f")
    (found,) = dump.find("f")
    assert not found.ctfe
    assert dump.find("nothing") == ()
    assert dump.item(found) is dump.item(found)


def test_odd_line_structure() -> None:
    dump = Dump(ODDITIES, "f")
    closure = dump.item(dump.headers[-1])
    assert isinstance(closure, s.FnItemDef)
    assert closure.yields == s.TupleTy(())
    first, second = closure.body.blocks
    assert isinstance(first.terminator, s.InlineAsm)
    assert first.terminator.template.split("\n")[1:3] == ["}", '    second; // "quoted"']
    assert second.cleanup
    (scope,) = closure.body.scopes
    assert scope.debug
    assert scope.locals
    (inner,) = scope.children
    assert inner.track_caller
    assert inner.inlined is not None
    assert inner.inlined.suffix == "shim(Some(T))"
    file = parse_file(ODDITIES, "f")
    assert parse_file(print_file(file), "f") == file


def test_only_what_is_asked_for_is_parsed() -> None:
    text = ODDITIES + f"\nfn broken() -> () {{\n    let nonsense;\n{RETURN}}}\n"
    dump = Dump(text, "f")
    assert print_item(dump.item(dump.find("f")[0])).startswith("fn f(_1: usize)")
    with pytest.raises(DiagnosticError):
        dump.item(dump.find("broken")[0])


def test_trailer() -> None:
    assert Dump(ODDITIES, "f").trailer is None
    one = Dump(ODDITIES + '\n// mirgpu: {"a": 1}\n', "f")
    assert one.trailer == '{"a": 1}'
    two = Dump(ODDITIES + '\n// mirgpu: {"a":\n// mirgpu:  [2]}\n', "f")
    assert two.trailer == '{"a": [2]}'
    assert len(one.headers) == len(Dump(ODDITIES, "f").headers)
    assert one.item(one.headers[-1]) == Dump(ODDITIES, "f").item(one.headers[-1])
    middle = Dump('// mirgpu: {"a": 1}\n\n' + ODDITIES, "f")
    assert middle.trailer is None


def test_a_trailer_behind_allocations() -> None:
    text = (DATA / "shapes.O0.mir").read_text(encoding="utf-8")
    dump = Dump(text + "\n// mirgpu: {}\n", "f")
    plain = Dump(text, "f")
    assert dump.trailer == "{}"
    assert dict(dump.allocs) == dict(plain.allocs)


def test_allocations_are_looked_up_by_name() -> None:
    dump = Dump((DATA / "shapes.O0.mir").read_text(encoding="utf-8"), "f")
    name = next(iter(dump.allocs))
    assert dump.allocs[name] is dump.allocs[name]
    assert "alloc99999" not in dump.allocs
    with pytest.raises(KeyError):
        dump.allocs["alloc99999"]
