"""Allocations: bytes, initialisation, pointers, and the drawing of them."""

import pytest

from mirgpu.diagnostics import DiagnosticError
from mirgpu.mir import syntax as s
from mirgpu.mir.dump import Dump
from mirgpu.mir.parser import parse_file
from mirgpu.mir.printer import print_alloc, print_file

FN = "fn f() -> () {\n    let mut _0: ();\n\n    bb0: {\n        return;\n    }\n}\n\n"

ALLOCS = (
    FN
    + """\
alloc1 (size: 5, align: 1) {
    68 69 7d __ 0a                                  │ hi}░.
}

alloc2 (static: a::X, size: 24, align: 8) {
    0x00 │ ╾───────alloc1────────╼ 05 00 00 00 00 00 00 00 │ ╾──────╼........
    0x10 │ ╾──alloc3+0x10<imm>──╼                          │ ╾──────╼
}

alloc3 (size: 0, align: 4) {}

alloc4 (size: 32, align: 8) { .. }

alloc5 (fn: <F as FnOnce<()>>::call_once - shim)

alloc6 (vtable: impl std::fmt::Debug + Send for a::T<u8>)

alloc7 (typeid for [u8; 4])

alloc8 (extern static: a::E)

alloc9 (static: a::F)

alloc10 (deallocated)

alloc11 (size: 3, align: 1) {
    ╾05a1 (ptr fragment 3)╼ 00 01                                        │ ━..
}

alloc12 (size: 26, align: 1) {
    0x00 │ 61 61 61 61 61 61 61 61 61 61 61 61 ╾────────── │ aaaaaaaaaaaa╾───
    0x10 │ ──alloc1──╼ 62 62 62 62 62 62                   │ ───╼bbbbbb
}
"""
)


def test_values() -> None:
    allocs = Dump(ALLOCS, "f").allocs
    hi = allocs["alloc1"]
    assert isinstance(hi, s.MemoryAlloc)
    assert (hi.size, hi.align, hi.data, hi.init) == (5, 1, b"hi}\0\n", b"\1\1\1\0\1")
    x = allocs["alloc2"]
    assert isinstance(x, s.MemoryAlloc)
    assert x.static == s.Path((s.NameSeg("a"), s.NameSeg("X")))
    assert x.relocations == (
        s.Relocation(0, "alloc1", 0, False),
        s.Relocation(16, "alloc3", 16, True),
    )
    assert x.data == bytes(8) + b"\5" + bytes(15)
    assert x.init == b"\1" * 24
    across = allocs["alloc12"]
    assert isinstance(across, s.MemoryAlloc)
    assert across.relocations == (s.Relocation(12, "alloc1", 0, False),)
    assert across.data == b"a" * 12 + bytes(8) + b"b" * 6
    fragment = allocs["alloc11"]
    assert isinstance(fragment, s.MemoryAlloc)
    assert fragment.fragments == (s.PtrFragment(0, "alloc1", 3, False),)
    assert fragment.data == b"\5\0\1"
    assert [type(a) for a in allocs.values()][4:10] == [
        s.FnAlloc,
        s.VTableAlloc,
        s.TypeIdAlloc,
        s.StaticAlloc,
        s.StaticAlloc,
        s.DeallocatedAlloc,
    ]


def test_round_trip() -> None:
    file = parse_file(ALLOCS, "f")
    assert parse_file(print_file(file), "f") == file


@pytest.mark.parametrize("size", [1, 4, 15, 16, 17, 31, 32, 33, 255, 256, 257, 4096])
@pytest.mark.parametrize("pointer_size", [4, 8])
def test_every_position_of_a_pointer_round_trips(size: int, pointer_size: int) -> None:
    for offset in range(min(size - pointer_size + 1, 34)):
        for name, addend in (("alloc7", 0), ("alloc123456789", 0x1234), ("ALLOC0", 8)):
            init = bytes(i % 3 != 0 or offset <= i < offset + pointer_size for i in range(size))
            data = bytes(
                i % 256 if init[i] and not offset <= i < offset + pointer_size else 0
                for i in range(size)
            )
            pointer = s.Relocation(offset, name, addend, addend == 8)
            alloc = s.MemoryAlloc("alloc1", None, size, 1, data, init, (pointer,), (), pointer_size)
            file = parse_file(f"{FN}{print_alloc(alloc)}\n", "f")
            assert file.allocs == (alloc,)


@pytest.mark.parametrize(
    "text",
    [
        "alloc1 (size: 2, align: 1) {\n    68 │ h\n}",
        "alloc1 (size: 1, align: 1) {\n    6 │ h\n}",
        "alloc1 (size: 1, align: 1) {\n    68\n}",
        "alloc1 (size: 1, align: 1) {\n    68 │ h\n",
        "alloc1 (size: 8, align: 8) {\n    ╾──what──╼ │ ╾──────╼\n}",
        "alloc1 (nothing: 1)",
        "alloc1 (size: 1, align: 1)",
        "alloc1 (fn: )",
    ],
)
def test_wrong_allocations_are_refused(text: str) -> None:
    dump = Dump(f"{FN}{text}\n", "dump.mir")
    with pytest.raises(DiagnosticError) as e:
        dump.allocs["alloc1"]
    (diagnostic,) = e.value.diagnostics
    assert diagnostic.code in ("MG0102", "MG0104")
    assert (diagnostic.file, diagnostic.line) == ("dump.mir", 9)
