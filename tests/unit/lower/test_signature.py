"""Kernel signatures: the parameter buffer, indices, host types, what is read only."""

import harness
from harness import DATA, lower_text

from mirgpu.kir.module import FunctionKind, ParamRole
from mirgpu.kir.types import AddressSpace, PtrType
from mirgpu.lower import Lowered, LowerOptions, lower_module
from mirgpu.mir.dump import Dump
from mirgpu.runtime.manifest import (
    ArrayType,
    FieldType,
    KernelInfo,
    ParamKind,
    ScalarType,
    StructType,
)
from mirgpu.rustc import raw_info, read_trailer


def lowered(name: str, *kernels: str) -> Lowered:
    text = (DATA / f"{name}.mir").read_text()
    trailer = Dump(text, "x").trailer
    assert trailer is not None
    return lower_text(text, f"{name}.mir", read_trailer(trailer), kernels)


def one(name: str, kernel: str) -> tuple[Lowered, KernelInfo]:
    made = lowered(name, kernel)
    return made, made.kernels[0]


def test_saxpy_buffer() -> None:
    _, info = one("basics", "saxpy")
    assert [(p.name, p.kind, p.offset, p.size) for p in info.params] == [
        ("i", ParamKind.INDEX, None, 8),
        ("a", ParamKind.VALUE, 0, 4),
        ("x", ParamKind.SLICE, 8, 16),
        ("y", ParamKind.SLICE, 24, 16),
        ("n", ParamKind.EXTENT, 40, 8),
    ]
    assert info.buffer_size == 48
    assert info.plain
    assert [p.mutable for p in info.params] == [False, False, False, True, False]
    assert info.file is not None
    assert info.file.endswith("basics.rs")
    assert info.line == 3


def test_saxpy_parameters() -> None:
    made, _ = one("basics", "saxpy")
    (function,) = made.module.functions
    assert function.kind is FunctionKind.KERNEL
    assert [(p.role, p.freeze) for p in function.params] == [
        (ParamRole.VALUE, False),
        (ParamRole.SLICE_PTR, True),
        (ParamRole.SLICE_LEN, False),
        (ParamRole.SLICE_PTR, False),
        (ParamRole.SLICE_LEN, False),
        (ParamRole.VALUE, False),
    ]


def test_aggregates_by_value() -> None:
    made, info = one("aggregates", "by_value")
    kinds = {p.name: p for p in info.params}
    mixed = kinds["m"].type
    assert isinstance(mixed, StructType)
    assert mixed.name == "Mixed"
    assert {f.name: f.type for f in mixed.fields}["b"] == ScalarType("u64")
    assert {f.name: f.type for f in mixed.fields}["d"] == ArrayType(ScalarType("u8"), 3)
    pair = kinds["t"].type
    assert isinstance(pair, StructType)
    assert sorted(pair.fields, key=lambda f: f.name) == [
        FieldType("_0", 0, ScalarType("u8")),
        FieldType("_1", 4, ScalarType("u32")),
    ]
    assert made.types == (mixed,)
    (function,) = [f for f in made.module.functions if f.kind is FunctionKind.KERNEL]
    assert function.params[0].value.type == PtrType(AddressSpace.PARAM)
    assert (function.params[0].size, function.params[0].align) == (mixed.size, mixed.align)


def test_references() -> None:
    made, info = one("basics", "references")
    assert [(p.name, p.kind) for p in info.params] == [
        ("i", ParamKind.INDEX),
        ("k", ParamKind.REFERENCE),
        ("m", ParamKind.VALUE),
        ("x", ParamKind.SLICE),
        ("n", ParamKind.EXTENT),
    ]
    kernel = next(f for f in made.module.functions if f.kind is FunctionKind.KERNEL)
    assert kernel.params[0].freeze


def test_two_indices() -> None:
    text = """fn k(_1: u32, _2: usize, _3: &mut [u32]) -> () {
    debug col => _1;
    debug row => _2;
    debug x => _3;
    let mut _0: ();

    bb0: {
        return;
    }
}
"""
    options = LowerOptions((), ("col", "row"), False)
    made = lower_module(Dump(text, "x.mir"), raw_info(), options, None)
    (info,) = made.kernels
    assert [(p.name, p.kind, p.axis, p.offset) for p in info.params] == [
        ("col", ParamKind.INDEX, 0, None),
        ("row", ParamKind.INDEX, 1, None),
        ("x", ParamKind.SLICE, None, 0),
        ("nx", ParamKind.EXTENT, 0, 16),
        ("ny", ParamKind.EXTENT, 1, 24),
    ]


def test_all_plain_candidates_are_kernels() -> None:
    names = [k.name for k in lowered("basics").kernels]
    assert "saxpy" in names
    assert "references" in names
    assert "bump" not in names


def test_locations_reach_the_user() -> None:
    """Code inlined from the library keeps its own place, and the user's line around it."""
    made = lowered("iterators" if (DATA / "iterators.mir").exists() else "aggregates", "options")
    chains = set()
    for function in made.module.functions:
        for block in function.blocks:
            for instruction in block.instructions:
                loc = instruction.loc
                if loc is not None and "library/core" in loc.file:
                    outer = loc
                    while outer.inlined_at is not None:
                        outer = outer.inlined_at
                    chains.add(outer.file)
    assert chains == {"aggregates.rs"}


def test_panic_sites_stand_at_the_users_line() -> None:
    made = lowered("panics", "formats")
    for site in made.module.panics:
        assert site.loc is not None
        assert site.loc.file == "panics.rs"


def test_tables_are_not_copied() -> None:
    from mirgpu.kir.ops import MemCopy

    made = lowered("constants", "tables")
    copies = [
        i
        for f in made.module.functions
        for b in f.blocks
        for i in b.instructions
        if isinstance(i, MemCopy)
    ]
    assert not copies
    assert {len(g.data or b"") for g in made.module.globals} == {12, 32, 160, 1024}


def test_harness_inputs_are_stable() -> None:
    _, info = one("basics", "saxpy")
    assert harness.inputs(info) == harness.inputs(info)
