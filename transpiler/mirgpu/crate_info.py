"""What the MIR text lacks, as data: who a body is, what is a kernel, how types lie in memory.

Filled by ``mirgpu.rustc`` from the same compiler that printed the dump, and carried by a
self-contained dump in its trailing comment.  Everything may be absent (a raw dump).
"""

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol, final

from mirgpu.node import node


@final
@node
class BodyInfo:
    """A function body's identity.  All texts are as rustc prints them in MIR.

    ``header`` is the path in the dump's header: ``m::dot``,
    ``m::<impl at k.rs:9:1: 9:10>::add``, ``m::run::{closure#0}``.  Impls that one macro wrote
    stand at the same place; ``occurrence`` counts the bodies of one header, CTFE copies left
    out, from 0 in the dump's order.

    ``path`` is the one that calls use, without the body's own generic arguments:

    - a free function ``m::gen`` (called as ``m::gen::<u32>``), one inside another ``m::f::inner``;
    - an inherent method ``m::Pair::<T>::first`` (called as ``m::Pair::<u8>::first``);
    - a trait impl's ``<m::Pair<T> as std::ops::Add<u8>>::add``;
    - a trait's provided method ``<Self as m::Area>::twice``;
    - a closure its function's path and ``::{closure#0}``; the closure's type says
      ``{closure@m::Pair<T>::first<U>::{closure#0}}``, with all arguments and no ``::<``;
    - a tuple struct's or variant's constructor ``m::Pair``, ``m::Shape::Ball``.

    ``impl_self`` is the impl's self type (``m::Pair<T>``), ``impl_trait`` its trait reference
    (``std::ops::Add<u8>``; type arguments that are the trait's defaults are left out, here and
    in calls), none outside an impl; for a trait's provided method ``Self`` and the trait with
    its own parameters.  Lifetimes in them are ``'_``.

    ``generics`` names the parameters, the impl's or trait's first (``Self`` before them for a
    provided method), then the body's own, last those of ``impl Trait`` arguments, whose name
    is their text (``impl Fn(u32) -> u32``).  The trait's arguments at a call are its own; a
    call's turbofish has the body's own.  Lifetimes are in the list, with their quote, but calls
    do not show all of them: leave lifetimes out on both sides before matching.  A closure has
    its function's.

    ``line`` is known of bodies in impls: where the impl starts.
    """

    header: str
    occurrence: int
    path: str
    generics: tuple[str, ...]
    impl_self: str | None
    impl_trait: str | None
    public: bool
    unsafe: bool
    abi: str
    kernel: bool
    """Marked ``#[mirgpu::kernel]``, or of an ABI that makes it one."""
    track_caller: bool
    """A panic in it is reported where it is called."""
    const_types: dict[str, str]
    """The primitive types of its constant parameters, by name."""
    file: str | None
    line: int | None


@final
@node
class FieldLayout:
    """``offset`` in bytes; ``name`` as in the source, for a library type its index there."""

    name: str
    offset: int


@final
@node
class VariantLayout:
    """A variant with its fields in source order; ``discriminant`` as Rust's ``as`` gives it.

    One that no value can be has ``inhabited`` unset, and perhaps no fields.
    """

    name: str
    discriminant: int
    fields: tuple[FieldLayout, ...]
    inhabited: bool


@final
@node
class TagLayout:
    """How an enum's variant is written: the tag's place, and its value for each variant.

    ``values`` are unsigned bits, by variant index.  With a niche, the ``untagged`` variant
    leaves the tag's bytes to its own field, any other value of which means it.
    """

    offset: int
    size: int
    values: tuple[int, ...]
    untagged: int | None


@final
@node
class TypeLayout:
    """rustc's layout of one concrete type, keyed by its text as MIR prints it.

    ``kind`` is ``struct``, ``union`` or ``enum``; a struct, tuple, closure or union has one
    variant and no ``tag``; an enum with a single inhabited variant may have no ``tag``.
    """

    kind: str
    size: int
    align: int
    variants: tuple[VariantLayout, ...]
    tag: TagLayout | None


@final
@node
class CrateInfo:
    """``rustc`` is the version line; ``overflow_checks`` as the dump was made."""

    rustc: str | None
    edition: str | None
    overflow_checks: bool
    bodies: tuple[BodyInfo, ...]
    layouts: dict[str, TypeLayout]
    """By type text."""
    adts: dict[str, "AdtInfo"]
    """By path, generic arguments left out: the definitions of the crate's own types."""
    impls: tuple["ImplInfo", ...] = ()
    """Those with associated types or constants."""
    twins: tuple[str, ...] = ()
    """Paths that two of the crate's types have, declared in blocks of one function."""
    const_params: dict[str, str] = field(default_factory=dict)
    """The types of the crate's constant parameters by name; empty where a name has several."""


@final
@node
class AdtInfo:
    """A struct, enum or union definition: parameters in order, variants with field types.

    Field types are MIR type text over ``generics``.  A struct or union has one variant, of
    the type's own name.
    """

    kind: str
    generics: tuple[str, ...]
    variants: tuple[tuple[str, int, tuple[tuple[str, str], ...]], ...]
    """(variant, discriminant, ((field, type), …)) in source order."""
    freeze: bool
    """No ``UnsafeCell`` inside, as far as its own fields show."""


@final
@node
class ImplInfo:
    """What an impl says of associated types and constants.

    ``self_type``, ``trait`` and ``generics`` are as ``BodyInfo`` has them.  ``types`` maps a
    name to the type's text over ``generics``.  ``consts`` are the constants' places in the
    dump: (header, occurrence), as for bodies; for them are ``const_types``.
    """

    self_type: str
    trait: str | None
    generics: tuple[str, ...]
    types: dict[str, str]
    consts: tuple[tuple[str, int], ...]
    const_types: dict[str, str]


class LayoutOracle(Protocol):
    """Asks rustc for layouts after the dump, once the types that matter are known."""

    def resolve(
        self, types: Sequence[str], variants: Mapping[str, frozenset[str]]
    ) -> Mapping[str, TypeLayout]:
        """Exact layouts of concrete types, keyed by their text as MIR prints it.

        ``variants`` gives the variant names that the MIR shows for an enum's text, so that a
        library enum's variant order can be asked for.  Types that rustc cannot be asked about
        (private ones, closures) are missing from the result.
        """
        ...
