"""Registers keep Rust's names where PTX allows them."""

import pytest

from mirgpu.targets.ptx.ir import Type
from mirgpu.targets.ptx.regs import Registers, UniqueNames, identifier
from mirgpu.targets.ptx.source import one_line


def test_registers_keep_their_names_and_are_unique() -> None:
    regs = Registers()
    names = [regs.new(Type.B32, hint).name for hint in ("i", "i", "i_2", "x.ptr", "i")]
    assert names == ["%i", "%i_2", "%i_2_2", "%x_ptr", "%i_3"]
    assert regs.new(Type.F32, "i").name == "%i_4"


def test_unnamed_registers_are_numbered_by_type() -> None:
    regs = Registers()
    types = (Type.B32, Type.B64, Type.F32, Type.F64, Type.PRED, Type.B32)
    assert [regs.new(ty).name for ty in types] == ["%r0", "%rd0", "%f0", "%fd0", "%p0", "%r1"]
    assert [(g.type, g.prefix, g.count) for g in regs.groups()] == [
        (Type.PRED, "%p", 1),
        (Type.B32, "%r", 2),
        (Type.B64, "%rd", 1),
        (Type.F32, "%f", 1),
        (Type.F64, "%fd", 1),
    ]


@pytest.mark.parametrize(
    "name", ["tid", "ntid", "ctaid", "laneid", "clock", "clock64", "r0", "fd12", "p3", "pm0"]
)
def test_names_that_ptx_defines_itself(name: str) -> None:
    assert Registers().new(Type.B32, name).name == f"%{name}_"


def test_identifiers() -> None:
    assert identifier("x.len") == "x_len"
    assert identifier("größe") == "gr_e"
    assert identifier("::") == "v"


def test_text_in_comments_and_quotes() -> None:
    """ptxas takes ASCII only, in comments too."""
    assert one_line('gr\u00f6\u00dfe "x"\n') == "gr??e ?x??"
    assert one_line("src\\lib.rs") == "src/lib.rs"
    assert one_line("crate::<T as U>::f") == "crate::<T as U>::f"


def test_taken_names() -> None:
    names = UniqueNames(frozenset({"f", "f_2"}))
    assert [names.pick("f"), names.pick("f"), names.pick("g")] == ["f_3", "f_4", "g"]
