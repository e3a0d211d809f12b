"""Reading item outlines from text, and layouts from rustc's debug text, without rustc."""

import pytest

from mirgpu.rustc.identity import _synthetic, value_path
from mirgpu.rustc.layout_text import Definition, LayoutTextError, parse, read_layout
from mirgpu.rustc.scan import parse_crate, parse_items
from mirgpu.rustc.skeleton import build, split_trait_method
from mirgpu.rustc.tokens import ScanError, closing, split


def test_kinds_names_and_visibility() -> None:
    inner, items = parse_crate(
        """#![allow(x)]
        // not an item: fn no() {}
        /* nor /* nested */ fn no() {} */
        extern crate core;
        pub(crate) use a::{b, c as d};
        pub(in crate::m) unsafe extern "C" fn f(x: [u8; { 3 }]) -> u8 { '}'; "{"; r#"}"#; 1 }
        pub const X: [u8; 2] = { fn nested() {} [1, 2] };
        static mut Y: u8 = b'}';
        extern "C" { fn foreign(); }
        macro_rules! m { ($x:expr) => { fn no() {} } }
        mac! { fn no() {} }
        mac!(fn no() {});
        pub struct S<'a, T: Copy + 'a = u8, const N: usize = { 1 }>(pub &'a [T; N], u8) where T: X;
        pub unsafe trait Tr: Sized { type Out; fn req(&self); fn has(&self) { } const N: u8; }
        union U { a: u8 }
        """
    )
    assert inner == ["allow(x)"]
    assert [(i.kind, i.name, i.visibility) for i in items] == [
        ("extern crate", "", ""),
        ("use", "", "pub(crate)"),
        ("fn", "f", "pub(in crate::m)"),
        ("const", "X", "pub"),
        ("static", "Y", ""),
        ("struct", "S", "pub"),
        ("trait", "Tr", "pub"),
        ("union", "U", ""),
    ]
    f, x, s, tr = items[2], items[3], items[5], items[6]
    assert (f.qualifiers, f.abi) == (("unsafe", "extern"), "C")
    assert [i.name for i in x.items] == ["nested"]
    assert [p.name for p in s.generics] == ["'a", "T", "N"]
    assert [p.declaration for p in s.generics] == ["'a", "T: Copy + 'a", "const N: usize"]
    assert [p.default for p in s.generics] == [None, "u8", "{ 1 }"]
    assert s.where == "T: X"
    assert s.variants[0].fields == (("0", "&'a [T; N]"), ("1", "u8"))
    assert [(i.kind, i.name, i.body is not None) for i in tr.items] == [
        ("type", "", False),
        ("fn", "req", False),
        ("fn", "has", True),
        ("const", "N", False),
    ]


@pytest.mark.parametrize(
    ("text", "trait", "self_type", "generics"),
    [
        ("impl A { }", None, "A", []),
        ("impl<T> B<T> for [T; 2] where T: X { }", "B<T>", "[T; 2]", ["T"]),
        ("impl<'a, F: for<'b> Fn(&'b u8) -> u8> C for F { }", "C", "F", ["'a", "F"]),
        ("impl for<'a> D<'a> for fn(&u8) -> u8 { }", "for<'a> D<'a>", "fn(&u8) -> u8", []),
        ("unsafe impl<const N: usize> E for G<{ N + 1 }> { }", "E", "G<{ N + 1 }>", ["N"]),
        ("impl H for <I as J>::K { }", "H", "<I as J>::K", []),
        ("impl !Send for L { }", "!Send", "L", []),
    ],
)
def test_impls(text: str, trait: str | None, self_type: str, generics: list[str]) -> None:
    (item,) = parse_items(text)[1]
    assert (item.trait, item.self_type) == (trait, self_type)
    assert [p.name for p in item.generics] == generics


def test_enum_variants() -> None:
    (item,) = parse_items(
        "enum E { A, #[x] B(u8, (u8, u16)) = 1 << 3, C { a: [u8; 2], pub b: F<u8, u8> } = { 7 }, }"
    )[1]
    assert [(v.name, v.shape, v.discriminant) for v in item.variants] == [
        ("A", "", None),
        ("B", "(", "1 << 3"),
        ("C", "{", "{ 7 }"),
    ]
    assert item.variants[1].fields == (("0", "u8"), ("1", "(u8, u16)"))
    assert item.variants[2].fields == (("a", "[u8; 2]"), ("b", "F<u8, u8>"))


def test_items_inside_bodies() -> None:
    (item,) = parse_items(
        """fn f() {
            let g: fn(u8) -> u8 = h; let union = 3; let _ = union + 1;
            fn h(x: u8) -> u8 { struct Inner; x }
            impl Tr for u8 { fn m(&self) { fn deep() {} } }
        }"""
    )[1]
    assert [(i.kind, i.name) for i in item.items] == [("fn", "h"), ("impl", "")]
    assert [i.name for i in item.items[0].items] == ["Inner"]
    assert [i.name for i in item.items[1].items[0].items] == ["deep"]


@pytest.mark.parametrize("text", ["fn f() {", "/* no end", "struct S", "what is this", "use a::b"])
def test_what_is_no_crate(text: str) -> None:
    with pytest.raises(ScanError):
        parse_items(text)


def test_brackets_and_commas() -> None:
    assert closing("('(', \")\", b'}', 'a, /* ) */ [()])", 0) == 33
    assert split("a: F<u8, u8>, b: (u8, u8), c -> d") == ["a: F<u8, u8>", "b: (u8, u8)", "c -> d"]
    assert split("") == []


def test_texts_of_types() -> None:
    assert split_trait_method("<F<<A as B>::C> as m::D<u8>>::e::<u8>") == (
        "F<<A as B>::C>",
        "m::D<u8>",
    )
    assert split_trait_method("m::f") is None
    assert value_path("m::Pair<T, N>") == "m::Pair::<T, N>"
    assert value_path("[u8]") == "<[u8]>"
    assert value_path("f32") == "<f32>"
    assert _synthetic("_1: &impl Fn(u8, u8) -> u8, _2: u8, _3: F<impl A<u8>>") == (
        "impl Fn(u8, u8) -> u8",
        "impl A<u8>",
    )


def test_a_skeleton_keeps_no_code() -> None:
    inner, items = parse_crate(
        "pub struct A(u8); impl A { fn f(&self) { secret() } } fn g() { secret() }"
    )
    text = build(inner, items, set()).text()
    assert "secret" not in text
    assert "fn __mirgpu_i1(_: *const (A)) {}" in text


LAYOUT = """Layout {
    size: Size(8 bytes),
    align: AbiAlign { abi: Align(4 bytes), },
    backend_repr: Memory { sized: true, },
    fields: Arbitrary { offsets: [ Size(0 bytes), ], in_memory_order: [ 0, ], },
    largest_niche: Some(Niche { offset: Size(0 bytes), value: Int(I8, false,),
        valid_range: 0..=3,
    }),
    uninhabited: false,
    variants: Multiple {
        tag: Initialized { value: Int( I16, true, ),
            valid_range: (..=1) | (254..),
        },
        tag_encoding: Niche { untagged_variant: 1, niche_variants: 0..=2, niche_start: 65535, },
        tag_field: 0,
        variants: [
            VariantLayout { size: Size(0 bytes), field_offsets: [], uninhabited: false, },
            VariantLayout { field_offsets: [Size(4 bytes), Size(0 bytes)], uninhabited: false, },
            VariantLayout { size: Size(0 bytes), field_offsets: [], uninhabited: true, },
        ],
    },
    max_repr_align: None,
}"""


def test_a_niche_wraps_around() -> None:
    definition = Definition("enum", (("A", 0, ()), ("B", 1, ("x", "y")), ("C", 2, ())))
    layout = read_layout(parse(LAYOUT), definition)
    assert layout is not None
    assert layout.tag is not None
    assert (layout.tag.values, layout.tag.untagged, layout.tag.size) == ((65535, 0, 1), 1, 2)
    assert [(f.name, f.offset) for f in layout.variants[1].fields] == [("x", 4), ("y", 0)]
    assert [v.inhabited for v in layout.variants] == [True, True, False]


def test_a_definition_that_does_not_fit_gives_nothing() -> None:
    root = parse(LAYOUT)
    assert read_layout(root, None) is None
    assert read_layout(root, Definition("enum", (("A", 0, ()),))) is None
    wrong = Definition("enum", (("A", 0, ()), ("B", 1, ("x",)), ("C", 2, ())))
    assert read_layout(root, wrong) is None


@pytest.mark.parametrize("text", ["", "Layout {", "Layout", "Layout { size }"])
def test_text_that_is_no_layout(text: str) -> None:
    with pytest.raises(LayoutTextError):
        parse(text)
