"""Who bodies are and what types are made of, against real dumps."""

import re
from pathlib import Path

import pytest

from mirgpu.crate_info import BodyInfo, CrateInfo
from mirgpu.rustc import MirDump, RustcOptions, dump_mir
from mirgpu.rustc.identity import headers

SOURCE = r"""
#![allow(unused)]
use std::ops::{Add, Mul as Times};
pub mod geo {
    #[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Default)]
    #[repr(C)]
    pub struct Vec3 { pub x: f32, pub y: Real, pub(super) z: f32 }
    pub type Real = f32;
    #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub struct Pair<T, const N: usize = 2>(pub [T; N], u8) where T: Copy;
    impl<T: Copy, const N: usize> Pair<T, N> {
        #[inline(never)]
        pub fn get<U: Into<usize>>(&self, i: U) -> T {
            #[inline(never)]
            fn inner<V>(v: V) -> V { v }
            let at = |k: usize| self.0[inner(k)];
            at(i.into())
        }
        pub(crate) const LAST: usize = N - 1;
        pub const fn last() -> usize { Self::LAST }
    }
    impl Vec3 {
        #[inline(never)]
        pub fn dot(self, o: Self) -> Real { self.x * o.x + self.y * o.y + self.z * o.z }
    }
}
pub use geo::*;
struct Add2;
impl Add for Vec3 {
    type Output = Self;
    #[inline(never)]
    fn add(self, o: Self) -> Self { Vec3 { x: self.x + o.x, ..self } }
}
impl Times<Real> for Vec3 {
    type Output = Vec3;
    #[inline(never)]
    fn mul(self, f: f32) -> Vec3 { Vec3 { x: self.x * f, ..self } }
}
impl Times<Vec3> for Real {
    type Output = Vec3;
    #[inline(never)]
    fn mul(self, v: Vec3) -> Vec3 { v * self }
}
pub trait Area<'a, Q = f32> {
    fn area(&self) -> f32;
    fn twice<U: Copy>(&'a self, q: Q, u: U) -> f32 { self.area() * 2.0 }
    fn with(&self, f: impl Fn(f32) -> f32 + Copy, g: &dyn Fn(u8)) -> f32 { f(self.area()) }
    const ID: u32;
}
impl<'a, T: Area<'a>> Area<'a> for [T; 2] {
    #[inline(never)]
    fn area(&self) -> f32 { self[0].area() }
    const ID: u32 = 1 + T::ID;
}
impl Area<'_, (u8, Real)> for Vec3 {
    #[inline(never)]
    fn area(&self) -> f32 { self.x }
    const ID: u32 = 7;
}
impl Area<'_> for Vec3 { fn area(&self) -> f32 { self.y } const ID: u32 = 8; }
#[inline(never)]
pub fn gen<'a, T: Area<'a> + 'a, const N: usize>(x: &'a [T; N], k: usize) -> f32 where T: Copy {
    x[k].area()
}
pub unsafe extern "C" fn cabi(x: &Vec3) -> f32 { gen::<Vec3, 2>(&[*x, *x], 1) + x.dot(*x) }
pub fn calls(v: Vec3, p: Pair<u8, 4>, q: Pair<u16>) -> f32 {
    let a = v + v * 2.0 + 3.0 * v;
    a.dot(v) + p.get(1u8) as f32 + q.get(0usize) as f32
        + <Vec3 as Area<(u8, f32)>>::twice(&v, (1, 2.0), 3u8) + apply(|x| x + a.x)
}
#[inline(never)]
fn apply(f: impl Fn(f32) -> f32) -> f32 { f(1.0) }
fn chain<A, B>(f: impl Fn(A) -> B, g: impl Fn(B) -> A) -> impl Fn(A) -> A { move |a| g(f(a)) }
pub(crate) fn scoped() {
    struct Local(u32);
    impl Local { fn get(&self) -> u32 { self.0 } }
    Local(1).get();
}
macro_rules! twins { ($($name:ident $ty:ty),*) => { $(
    #[doc = "made by a macro } \" { "]
    pub fn $name(x: $ty) -> $ty { x }
    impl Named for $ty { fn name(&self) -> char { '{' } }
)* } }
trait Named { fn name(&self) -> char; }
twins!(first u8, second [u16; 3]);
pub enum Shape<'a, T> { Ball { r: f32, c: Vec3 }, Plane(Vec3, T), Nothing, Ref(&'a Self) }
#[repr(i8)] pub enum Code { A = -2, B, C = { 3 + 4 }, D = b'x' as i8 }
pub enum Signs { Less = -1, Greater = 1 }
#[repr(i64)] pub enum Wide { Low = i64::MIN, Top = i64::MAX, Last = -1 }
#[repr(u64)] pub enum Top { All = u64::MAX }
pub union Raw { i: u32, v: std::mem::ManuallyDrop<Vec3> }
pub struct Cells { a: std::cell::Cell<u8> }
impl Drop for Cells { fn drop(&mut self) {} }
pub struct Outer { inner: Option<Cells>, p: *const Cells }
pub struct Safe<T> { r: Option<(Vec3, [T; 4])>, p: *const Cells, q: &'static std::cell::Cell<u8> }
extern "C" { fn foreign(x: u8); }
const fn table() -> [u8; 2] { [1, 2] }
pub static TABLE: [u8; 2] = table();
const _: () = { fn hidden_in_const() {} };
"""


@pytest.fixture(scope="module")
def dumped(toolchain: str, tmp_path_factory: pytest.TempPathFactory) -> MirDump:
    source = tmp_path_factory.mktemp("bodies") / "k.rs"
    source.write_text(SOURCE)
    return dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False))


@pytest.fixture(scope="module")
def info(dumped: MirDump) -> CrateInfo:
    return dumped.info


def _by_path(info: CrateInfo, path: str) -> BodyInfo:
    (found,) = [body for body in info.bodies if body.path == path]
    return found


def test_every_body_is_known_in_order(dumped: MirDump, info: CrateInfo) -> None:
    # `derive(Eq)` has an unstable method that only type checking calls.
    found = [h.path for h in headers(dumped.text) if not h.path.endswith("_are_eq")]
    assert [b.header for b in info.bodies] == found
    assert len({(b.header, b.occurrence) for b in info.bodies}) == len(info.bodies)
    twins = [b for b in info.bodies if b.impl_trait == "Named"]
    assert len({b.header for b in twins}) == 1
    assert [(b.occurrence, b.impl_self) for b in twins] == [(0, "u8"), (1, "[u16; 3]")]


@pytest.mark.parametrize(
    ("path", "generics", "impl_self", "impl_trait"),
    [
        ("geo::Vec3::dot", (), "geo::Vec3", None),
        ("<geo::Vec3 as std::clone::Clone>::clone", (), "geo::Vec3", "std::clone::Clone"),
        ("geo::Pair::<T, N>::get", ("T", "N", "U"), "geo::Pair<T, N>", None),
        ("geo::Pair::<T, N>::get::inner", ("V",), None, None),
        ("geo::Pair::<T, N>::get::{closure#0}", ("T", "N", "U"), "geo::Pair<T, N>", None),
        ("geo::Pair::<T, N>::last", ("T", "N"), "geo::Pair<T, N>", None),
        ("<geo::Vec3 as std::ops::Add>::add", (), "geo::Vec3", "std::ops::Add"),
        ("<geo::Vec3 as std::ops::Mul<f32>>::mul", (), "geo::Vec3", "std::ops::Mul<f32>"),
        ("<f32 as std::ops::Mul<geo::Vec3>>::mul", (), "f32", "std::ops::Mul<geo::Vec3>"),
        ("<[T; 2] as Area<'_>>::area", ("'a", "T"), "[T; 2]", "Area<'_>"),
        ("<geo::Vec3 as Area<'_, (u8, f32)>>::area", (), "geo::Vec3", "Area<'_, (u8, f32)>"),
        ("<geo::Vec3 as Area<'_>>::area", (), "geo::Vec3", "Area<'_>"),
        ("<Self as Area<'_, Q>>::twice", ("Self", "'a", "Q", "U"), "Self", "Area<'_, Q>"),
        (
            "<Self as Area<'_, Q>>::with",
            ("Self", "'a", "Q", "impl Fn(f32) -> f32 + Copy"),
            "Self",
            "Area<'_, Q>",
        ),
        ("gen", ("'a", "T", "N"), None, None),
        ("apply", ("impl Fn(f32) -> f32",), None, None),
        ("chain", ("A", "B", "impl Fn(A) -> B", "impl Fn(B) -> A"), None, None),
        ("<Cells as std::ops::Drop>::drop", (), "Cells", "std::ops::Drop"),
        ("calls::{closure#0}", (), None, None),
        ("scoped::Local::get", (), "scoped::Local", None),
        ("<u8 as Named>::name", (), "u8", "Named"),
        ("<[u16; 3] as Named>::name", (), "[u16; 3]", "Named"),
        ("geo::Pair", ("T", "N"), None, None),
        ("Shape::Plane", ("'a", "T"), None, None),
        ("_::hidden_in_const", (), None, None),
    ],
)
def test_identity(
    info: CrateInfo,
    path: str,
    generics: tuple[str, ...],
    impl_self: str | None,
    impl_trait: str | None,
) -> None:
    body = _by_path(info, path)
    assert body.generics == generics
    assert (body.impl_self, body.impl_trait) == (impl_self, impl_trait)


def test_calls_of_local_functions_name_a_body(dumped: MirDump, info: CrateInfo) -> None:
    """What the MIR calls and nothing inlined has a body of just that path."""
    concrete = {
        body.path: body.header
        for body in info.bodies
        if not body.generics or "::<" not in body.path
    }
    for call, header in {
        "<geo::Vec3 as std::ops::Mul<f32>>::mul": "mul",
        "<f32 as std::ops::Mul<geo::Vec3>>::mul": "mul",
        "<geo::Vec3 as std::ops::Add>::add": "add",
        "geo::Vec3::dot": "dot",
    }.items():
        assert re.search(rf"= {re.escape(call)}\(", dumped.text)
        assert concrete[call].endswith(f">::{header}")
    assert re.search(r"= geo::Pair::<u8, 4>::get::<u8>\(", dumped.text)
    assert re.search(r"= gen::<'_, geo::Vec3, 2>\(", dumped.text)


def test_flags(info: CrateInfo) -> None:
    cabi = _by_path(info, "cabi")
    assert (cabi.public, cabi.unsafe, cabi.abi, cabi.kernel) == (True, True, "C", False)
    assert _by_path(info, "first").public
    assert not _by_path(info, "apply").public
    assert not _by_path(info, "scoped").public
    assert _by_path(info, "geo::Vec3::dot").public
    line = next(n for n, row in enumerate(SOURCE.splitlines(), 1) if row == "impl Add for Vec3 {")
    assert _by_path(info, "<geo::Vec3 as std::ops::Add>::add").line == line


def test_definitions(info: CrateInfo) -> None:
    adts = info.adts
    assert adts["geo::Vec3"].variants == (("Vec3", 0, (("x", "f32"), ("y", "f32"), ("z", "f32"))),)
    assert adts["geo::Pair"].generics == ("T", "N")
    assert adts["geo::Pair"].variants == (("Pair", 0, (("0", "[T; N]"), ("1", "u8"))),)
    assert adts["Shape"].variants == (
        ("Ball", 0, (("r", "f32"), ("c", "geo::Vec3"))),
        ("Plane", 1, (("0", "geo::Vec3"), ("1", "T"))),
        ("Nothing", 2, ()),
        ("Ref", 3, (("0", "&Shape<'_, T>"),)),
    )
    assert [(n, d) for n, d, _ in adts["Code"].variants] == [
        ("A", -2),
        ("B", -1),
        ("C", 7),
        ("D", 120),
    ]
    assert [(n, d) for n, d, _ in adts["Signs"].variants] == [("Less", -1), ("Greater", 1)]
    assert [(n, d) for n, d, _ in adts["Wide"].variants] == [
        ("Low", -(1 << 63)),
        ("Top", (1 << 63) - 1),
        ("Last", -1),
    ]
    assert [(n, d) for n, d, _ in adts["Top"].variants] == [("All", (1 << 64) - 1)]
    assert adts["Raw"].kind == "union"
    assert adts["scoped::Local"].variants == (("Local", 0, (("0", "u32"),)),)
    assert adts["Add2"].variants == (("Add2", 0, ()),)


def test_impls(dumped: MirDump, info: CrateInfo) -> None:
    said = {(i.self_type, i.trait): i for i in info.impls}
    assert said["geo::Vec3", "std::ops::Add"].types == {"Output": "geo::Vec3"}
    area = said["[T; 2]", "Area<'_>"]
    assert area.generics == ("'a", "T")
    for impl, value in {
        ("geo::Vec3", "Area<'_, (u8, f32)>"): "7",
        ("geo::Vec3", "Area<'_>"): "8",
    }.items():
        ((header, occurrence),) = said[impl].consts
        assert occurrence == 0
        assert f"\nconst {header}: u32 = const {value}_u32;" in dumped.text
    ((header, _),) = said["geo::Pair<T, N>", None].consts
    assert header.endswith(">::LAST")


def test_freeze(info: CrateInfo) -> None:
    frozen = {path: adt.freeze for path, adt in info.adts.items()}
    assert not frozen["Cells"]
    assert not frozen["Outer"]
    assert frozen["Safe"]
    assert frozen["geo::Vec3"]
    assert frozen["Shape"]


def test_what_rustc_cannot_say_is_left_out(toolchain: str, tmp_path: Path) -> None:
    """An impl in a constant's block is not resolved; everything else still is."""
    source = tmp_path / "k.rs"
    source.write_text(
        "pub struct A(u8);\n"
        "impl A { pub fn known(&self) -> u8 { self.0 } }\n"
        "const _: () = { impl A { pub fn lost(&self) -> u8 { self.0 } } };\n"
    )
    bodies = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False)).info.bodies
    paths = {body.path for body in bodies}
    assert "A::known" in paths
    assert not any("lost" in path for path in paths)


def test_a_crate_without_std(toolchain: str, tmp_path: Path) -> None:
    source = tmp_path / "k.rs"
    source.write_text(
        "#![no_std]\n"
        "#[derive(Clone, Copy)] pub struct A(u8);\n"
        "impl core::ops::Add for A { type Output = A; fn add(self, _: A) -> A { self } }\n"
    )
    info = dump_mir(source, RustcOptions(toolchain=toolchain or None, cache=False)).info
    assert "<A as core::ops::Add>::add" in {body.path for body in info.bodies}
