"""What PTX cannot hold is said, with its place."""

import pytest

from mirgpu.diagnostics import Diagnostic, DiagnosticError, UsageError
from mirgpu.kir.parser import parse_module
from mirgpu.targets.ptx import PtxOptions, emit
from mirgpu.targets.registry import TARGETS, load_target, target_for


def failure(text: str, arch: str = "sm_80") -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        emit(parse_module(text), arch, PtxOptions())
    return caught.value.diagnostics[0]


EMPTY = 'kernel @k "k" () {\nentry:\n  return\n}\n'


def test_an_unknown_architecture() -> None:
    diagnostic = failure(EMPTY, "sm_91")
    assert diagnostic.code == "MG0401"
    assert "sm_90a" in diagnostic.notes[0]
    assert diagnostic.helps[0] == "did you mean sm_90?"


@pytest.mark.parametrize("ty", ["i128", "f16"])
def test_types_without_a_register(ty: str) -> None:
    param = "%p:ptr.global value size 8 align 8"
    body = f"  %v:{ty} = load %p, align 2 !0\n  store %v, %p, align 2\n  return"
    diagnostic = failure(f'kernel @k "k" ({param}) {{\nentry:\n{body}\n}}\n!0 = "a.rs":7:3\n')
    assert diagnostic.code == "MG0402"
    assert ty in diagnostic.title
    assert (diagnostic.file, diagnostic.line, diagnostic.col) == ("a.rs", 7, 3)


def test_too_many_parameters() -> None:
    text = 'kernel @k "k" (%p:ptr.param value size 4097 align 1) !0 {\nentry:\n  return\n}\n'
    diagnostic = failure(text + '!0 = "a.rs":1:1\n')
    assert diagnostic.code == "MG0403"
    assert "4097 bytes" in diagnostic.title
    assert diagnostic.line == 1


def test_an_address_that_is_not_aligned() -> None:
    data = "00" * 12
    diagnostic = failure(f'global @a const size 12 align 4 hex "{data}" reloc 4 @a + 0\n' + EMPTY)
    assert diagnostic.code == "MG0404"


def test_constants_that_hold_each_other() -> None:
    data = "00" * 8
    text = f'global @a const size 8 align 8 hex "{data}" reloc 0 @b + 0\n'
    text += f'global @b const size 8 align 8 hex "{data}" reloc 0 @a + 0\n'
    assert "own address" in failure(text + EMPTY).title


def test_large_constants_go_to_global_memory() -> None:
    text = f'global @a const size 65537 align 4 hex "{"01" * 65537}"\n'
    body = "  %p:ptr.const = globaladdr @a\n  %v:i8 = load %p, align 1\n  store %v, %q, align 1\n"
    text += f'kernel @k "k" (%q:ptr.global value size 8 align 8) {{\nentry:\n{body}  return\n}}\n'
    out = emit(parse_module(text), "sm_80", PtxOptions()).text
    assert ".global .align 4 .b8 a[65537]" in out
    assert "ld.global.u8" in out
    assert ".const" not in out
    small = text.replace("65537", "65536").replace("01" * 65537, "01" * 65536)
    assert "ld.const.u8" in emit(parse_module(small), "sm_80", PtxOptions()).text


def test_too_much_shared_memory() -> None:
    tiles = "".join(f"global @t{i} shared size 32768 align 4 mutable\n" for i in (0, 1))
    inner = 'device @f "f" () {\nentry:\n  %p:ptr.shared = globaladdr @t1\n  return\n}\n'
    body = "  %p:ptr.shared = globaladdr @t0\n"
    text = tiles + inner + f'kernel @k "k" () {{\nentry:\n{body}  call @f()\n  return\n}}\n'
    diagnostic = failure(text)
    assert diagnostic.code == "MG0407"
    assert "65536 bytes" in diagnostic.title
    fits = text.replace("  call @f()\n", "")
    assert ".shared" in emit(parse_module(fits), "sm_80", PtxOptions()).text


def test_targets_by_name_and_architecture() -> None:
    assert target_for(None, None).name == "ptx"
    assert target_for(None, "sm_90").name == "ptx"
    assert target_for("ptx", None).default_arch == "sm_80"
    assert load_target(TARGETS["ptx"]).emit is emit
    with pytest.raises(UsageError, match="unknown target 'metal'"):
        target_for("metal", None)
    with pytest.raises(UsageError, match="no architecture of target 'ptx'"):
        target_for("ptx", "gfx90a")
    with pytest.raises(UsageError, match="no target has"):
        target_for(None, "avr")
