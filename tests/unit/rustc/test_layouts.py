"""The layout oracle against a native program: sizes, offsets, and the bytes of every variant."""

import json
from pathlib import Path

from mirgpu.crate_info import TypeLayout
from mirgpu.rustc import Rustc, RustcOptions, dump_mir
from mirgpu.rustc.layouts import rust_type
from mirgpu.rustc.library_enums import KNOWN, probe

DEFINITIONS = """
pub struct Plain { pub a: u8, pub b: u32, pub c: u16 }
#[repr(C)] pub struct InOrder { pub a: u8, pub b: u64, pub c: u16 }
#[repr(C, packed)] pub struct Packed { pub a: u8, pub b: u64 }
#[repr(C, align(32))] pub struct Aligned { pub a: u8 }
pub struct Pair<A, B>(pub A, pub B);
pub struct Grid<T, const N: usize> { pub cells: [T; N], pub n: u8 }
pub struct Unit;
pub struct Nested { pub p: Pair<u8, Plain>, pub flag: bool, pub t: (u8, u64) }
pub union Bits { pub i: u32, pub f: f64 }
#[derive(Clone, Copy)] pub enum Fieldless { A, B, C }
#[repr(i16)] #[derive(Clone, Copy)]
pub enum Signed { Low = -300, Zero = 0, Next, Computed = 1 << 9 }
pub enum Data<T> { Empty, One(T), Two { x: u8, y: T }, Big([u64; 3]) }
#[repr(u8)] pub enum Tagged { P(u8), Q { v: u32 }, R = 9 }
#[repr(C)] pub enum LikeC { P(u8), Q(f64) }
pub enum Never {}
pub enum Niche { Has(bool, u16), N1, N2, N3 }
pub enum Deep { Wrapped(Option<Fieldless>), Gone }
mod hidden {
    pub(super) struct Secret { pub(super) x: u8, pub(super) y: super::Pair<u64, inner::Core> }
    struct Private { a: u8, b: u32 }
    pub fn uses() -> u32 { Private { a: 1, b: 2 }.b }
    pub(super) mod inner { pub struct Core { pub a: u16, pub b: u8 } }
}
"""

STRUCTS = {
    "Plain": ("a", "b", "c"),
    "InOrder": ("a", "b", "c"),
    "Packed": ("a", "b"),
    "Aligned": ("a",),
    "Pair<u8, u64>": ("0", "1"),
    "Pair<u16, Pair<u8, u32>>": ("0", "1"),
    "Pair<std::option::Option<u8>, f32>": ("0", "1"),
    "Pair<&'static [u8], u8>": ("0", "1"),
    "Grid<f32, 5>": ("cells", "n"),
    "Grid<(u8, u32), 3>": ("cells", "n"),
    "Unit": (),
    "Nested": ("p", "flag", "t"),
    "(u8, u32, u16)": ("0", "1", "2"),
    "(bool, (u8, u64), u16)": ("0", "1", "2"),
    "(f64, u8, Plain)": ("0", "1", "2"),
    "((), u8)": ("0", "1"),
    "(u8, [u16; 3], &'static str)": ("0", "1", "2"),
    "hidden::Secret": ("x", "y"),
    "hidden::inner::Core": ("a", "b"),
}
SIZES = [
    *("u8", "u64", "f32", "bool", "char", "usize", "[u16; 7]", "[Plain; 2]", "[Data<u8>; 3]"),
    *("&'static u8", "&'static [u8]", "*const u8", "Bits", "std::ops::Range<u32>"),
    *("std::num::Wrapping<u16>", "std::vec::Vec<u8>", "std::time::Duration"),
    *("std::mem::MaybeUninit<u64>", "std::cell::UnsafeCell<u32>", "std::num::NonZero<u16>"),
]
# A type, and for each variant in order a value of it.
ENUMS: dict[str, tuple[str, ...]] = {
    "Fieldless": ("Fieldless::A", "Fieldless::B", "Fieldless::C"),
    "Signed": ("Signed::Low", "Signed::Zero", "Signed::Next", "Signed::Computed"),
    "Data<u8>": ("Data::Empty", "Data::One(7)", "Data::Two { x: 1, y: 2 }", "Data::Big([1, 2, 3])"),
    "Data<u64>": ("Data::Empty", "Data::One(7)", "Data::Two { x: 1, y: 2 }", "Data::Big([1; 3])"),
    "Tagged": ("Tagged::P(1)", "Tagged::Q { v: 5 }", "Tagged::R"),
    "LikeC": ("LikeC::P(1)", "LikeC::Q(2.0)"),
    "Niche": ("Niche::Has(true, 5)", "Niche::N1", "Niche::N2", "Niche::N3"),
    "Deep": ("Deep::Wrapped(Some(Fieldless::C))", "Deep::Gone"),
    "std::cmp::Ordering": tuple(f"std::cmp::Ordering::{v}" for v in ("Less", "Equal", "Greater")),
    "std::option::Option<u8>": ("None", "Some(3)"),
    "std::option::Option<bool>": ("None", "Some(true)"),
    "std::option::Option<f32>": ("None", "Some(1.5)"),
    "std::option::Option<(bool, u32)>": ("None", "Some((true, 4))"),
    "std::option::Option<Fieldless>": ("None", "Some(Fieldless::B)"),
    "std::option::Option<std::cmp::Ordering>": ("None", "Some(std::cmp::Ordering::Less)"),
    "std::option::Option<std::option::Option<bool>>": ("None", "Some(Some(false))"),
    "std::option::Option<std::num::NonZero<u32>>": ("None", "Some(7.try_into().unwrap())"),
    "std::option::Option<char>": ("None", "Some('x')"),
    "std::option::Option<Niche>": ("None", "Some(Niche::N3)"),
    "std::option::Option<Plain>": ("None", "Some(Plain { a: 1, b: 2, c: 3 })"),
    "std::result::Result<u32, u8>": ("Ok(1)", "Err(2)"),
    "std::result::Result<bool, ()>": ("Ok(true)", "Err(())"),
    "std::ops::ControlFlow<u8, bool>": (
        "std::ops::ControlFlow::Continue(true)",
        "std::ops::ControlFlow::Break(2)",
    ),
    "std::task::Poll<u16>": ("std::task::Poll::Ready(4)", "std::task::Poll::Pending"),
    "std::borrow::Cow<'static, str>": (
        'std::borrow::Cow::Borrowed("a")',
        'std::borrow::Cow::Owned(String::from("b"))',
    ),
    "std::net::IpAddr": ("[1, 2, 3, 4].into()", "[0u16; 8].into()"),
    "std::sync::atomic::Ordering": tuple(
        f"std::sync::atomic::Ordering::{v}"
        for v in ("Relaxed", "Release", "Acquire", "AcqRel", "SeqCst")
    ),
}


def _program() -> str:
    lines = []
    for name, fields in STRUCTS.items():
        offsets = ", ".join(f"std::mem::offset_of!({name}, {f}) as i128" for f in fields)
        lines.append(f'show("{name}", size_of::<{name}>(), align_of::<{name}>(), &[{offsets}]);')
    for name in SIZES:
        lines.append(f'show("{name}", size_of::<{name}>(), align_of::<{name}>(), &[]);')
    for name, values in ENUMS.items():
        lines.append(f'show("{name}", size_of::<{name}>(), align_of::<{name}>(), &[]);')
        for n, value in enumerate(values):
            lines.append(f'bytes::<{name}>("{name}", {n}, {value});')
    return f"""
use std::mem::{{align_of, size_of}};
{DEFINITIONS}
fn show(name: &str, size: usize, align: usize, offsets: &[i128]) {{
    println!("[{{name:?}}, {{size}}, {{align}}, {{offsets:?}}]");
}}
fn bytes<T>(name: &str, variant: usize, value: T) {{
    let mut memory = std::mem::MaybeUninit::<T>::zeroed();
    memory.write(value);
    let raw = unsafe {{
        std::slice::from_raw_parts(memory.as_ptr() as *const u8, size_of::<T>()) }};
    println!("[{{name:?}}, {{variant}}, {{raw:?}}]");
}}
fn main() {{ {chr(10).join(lines)} }}
"""


def _is_variant(layout: TypeLayout, memory: list[int]) -> int:
    """Which variant the bytes hold, by the tag alone."""
    tag = layout.tag
    assert tag is not None
    value = int.from_bytes(bytes(memory[tag.offset : tag.offset + tag.size]), "little")
    for index, wanted in enumerate(tag.values):
        if wanted == value and index != tag.untagged:
            return index
    assert tag.untagged is not None, f"{value} is no variant of {tag}"
    return tag.untagged


def test_layouts_are_those_of_a_native_program(  # type: ignore[no-untyped-def]
    toolchain: str, run_native, tmp_path: Path
) -> None:
    source = tmp_path / "kernel.rs"
    source.write_text(DEFINITIONS + "pub fn f() {}\n")
    dump = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False))
    names = [*STRUCTS, *SIZES, *ENUMS]
    assert len(names) >= 60
    asked = {name: name.replace("&'static ", "&").replace("'static", "'_") for name in names}
    found = dump.oracle.resolve(list(asked.values()), {})
    assert set(found) == set(asked.values())
    for line in run_native(_program()).splitlines():
        row = json.loads(line)
        layout = found[asked[row[0]]]
        if len(row) == 4:
            _, size, align, offsets = row
            assert (layout.size, layout.align) == (size, align), row
            if row[0] in STRUCTS:
                fields = layout.variants[0].fields
                assert [f.offset for f in fields] == offsets, row
                assert [f.name for f in fields] == list(STRUCTS[row[0]]), row
            if row[0] in ENUMS:
                assert len(layout.variants) == len(ENUMS[row[0]])
        else:
            assert _is_variant(layout, row[2]) == row[1], row


def test_discriminants_and_field_offsets_of_enums(toolchain: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.rs"
    source.write_text(DEFINITIONS + "pub fn f() {}\n")
    dump = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False))
    asked = ["Signed", "LikeC", "Never", "std::result::Result<u32, Never>", "Bits", "Tagged"]
    asked += ["std::option::Option<Never>"]
    found = dump.oracle.resolve(asked, {})
    assert [(v.name, v.discriminant) for v in found["Signed"].variants] == [
        ("Low", -300),
        ("Zero", 0),
        ("Next", 1),
        ("Computed", 512),
    ]
    assert found["Signed"].tag is not None
    assert found["Signed"].tag.values == (65236, 0, 1, 512)
    assert [v.fields[0].offset for v in found["LikeC"].variants] == [8, 8]
    assert found["Never"].size == 0
    assert found["Never"].variants == ()
    only_ok = found["std::result::Result<u32, Never>"]
    assert [(v.name, v.inhabited) for v in only_ok.variants] == [("Ok", True), ("Err", False)]
    assert (only_ok.size, only_ok.tag) == (4, None)
    only_none = found["std::option::Option<Never>"]
    assert [(v.name, v.inhabited) for v in only_none.variants] == [("None", True), ("Some", False)]
    assert found["Bits"].kind == "union"
    assert [(f.name, f.offset) for f in found["Bits"].variants[0].fields] == [("i", 0), ("f", 0)]
    assert [v.discriminant for v in found["Tagged"].variants] == [0, 1, 9]


def test_what_has_no_name_gets_no_answer(toolchain: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.rs"
    source.write_text(
        "pub struct Good(u8);\n"
        "pub fn f() -> u32 { struct Local { a: u32 } let l = Local { a: 3 }; (|| l.a)() }\n"
        "mod private { trait Hidden { type Out; } pub struct P(pub u16); }\n"
    )
    dump = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False))
    asked = ["Good", "f::Local", "{closure@f::{closure#0}}", "nowhere::Type", "private::P", "[u8]"]
    found = dump.oracle.resolve(asked, {})
    assert set(found) - {"[u8]"} == {"Good", "private::P", "f::Local"}
    assert dump.oracle.known == found


LOCAL = """
mod m {
    pub fn f() { #[repr(i16)] enum Local { A = -3, B } fn g() { struct Deep { a: u8, b: u32 } } }
    pub struct S;
    impl S { pub fn f(&self) { #[repr(C)] struct Local { a: u8, b: super::T, c: u16 } } }
    impl Clone for S { fn clone(&self) -> S { struct Lost(u8); S } }
}
pub struct T(u32);
pub fn twice() { { struct Twin(u8); } { struct Twin(u32); } }
pub fn generic() { struct Of<T>(T); }
"""


def test_types_in_functions_have_layouts(toolchain: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.rs"
    source.write_text(LOCAL)
    dump = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False))
    names = ["m::f::Local", "m::f::g::Deep", "m::S::f::Local", "(m::f::Local, u32, T)"]
    lost = ["<m::S as std::clone::Clone>::clone::Lost", "twice::Twin", "generic::Of<u8>"]
    found = dump.oracle.resolve(names + lost, {})
    assert set(found) == set(names)
    assert (found["m::f::Local"].size, found["m::f::g::Deep"].size) == (2, 8)
    assert [f.offset for f in found["m::S::f::Local"].variants[0].fields] == [0, 4, 8]
    assert [v.discriminant for v in found["m::f::Local"].variants] == [-3, -2]
    assert dump.info.twins == ("twice::Twin",)
    assert "m::S::f::Local" in dump.info.adts
    assert "twice::Twin" not in dump.info.adts


def test_private_types_have_layouts(toolchain: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.rs"
    source.write_text(DEFINITIONS + "pub fn f() {}\n")
    dump = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False))
    found = dump.oracle.resolve(["hidden::Private", "(hidden::Private, u8)"], {})
    assert found["hidden::Private"].size == 8
    assert found["(hidden::Private, u8)"].size == 12


def test_a_variant_that_the_enum_has_not_is_no_answer(toolchain: str, tmp_path: Path) -> None:
    source = tmp_path / "kernel.rs"
    source.write_text("pub fn f() {}\n")
    dump = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False))
    name = "std::option::Option<u8>"
    assert dump.oracle.resolve([name], {name: frozenset({"Nope"})}) == {}
    assert set(dump.oracle.resolve([name], {name: frozenset({"Some"})})) == {name}


def test_listed_enums_are_as_rustc_has_them(toolchain: str, rustc: Rustc, tmp_path: Path) -> None:
    source = tmp_path / "kernel.rs"
    source.write_text("pub fn f() {}\n")
    dump = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False))
    dump.info  # noqa: B018 (the outline is there then)
    arguments = {
        "option::Option": "<u8>",
        "result::Result": "<u8, u16>",
        "ops::ControlFlow": "<u8, u16>",
    }
    for path, variants in KNOWN.items():
        if variants:
            text = f"std::{path}{arguments.get(path, '')}"
            assert probe(dump.oracle._outline, text, f"std::{path}") == variants


def test_types_as_source() -> None:
    aliases = {"m::Pair": "__a", "Vec3": "__b"}
    assert rust_type("m::Pair<'_, Vec3>", aliases) == "__a < 'static , __b >"
    assert rust_type("&mut m::Pair", aliases) == "&'static  mut __a"
    assert rust_type("n::Vec3", aliases) == "n::Vec3"
    assert rust_type("{closure@f::{closure#0}}", aliases) is None
    assert rust_type("impl Fn(u32)", aliases) is None
