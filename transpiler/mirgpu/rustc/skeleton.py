"""Asks rustc what the names in a crate's items mean, in the words of its MIR.

``impl Add for Vec3`` in some module may be ``<m::Vec3 as std::ops::Add>``, a field of type
``Real`` an ``f32``: imports, aliases and defaults are rustc's to resolve.  The crate is
reduced to its types, traits, impls and constants, and beside each of them, in the same scope,
a probe function is put whose signature repeats the types in question.  The MIR of that
skeleton has them resolved.

>>> impl<T: Copy> Pair<T> { fn first(&self) -> T { … } }      # the crate
>>> fn __mirgpu_i0<T: Copy>(_: *const (Pair<T>)) { }          # the probe
>>> fn m::__mirgpu_i0(_1: *const m::Pair<T>) -> () {          # what rustc prints
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import final

from mirgpu.rustc.scan import Item, Param
from mirgpu.rustc.tokens import find_outside, split

_DROPPED_TRAITS = re.compile(r"(?:\w|::)*::(?:StructuralPartialEq|TrivialClone)$")
_PROBE = re.compile(
    r"^fn (?:.*::)?__mirgpu_([iavd])(\d+)(?:_(\d+))?\((.*)\) -> \(\) \{$"
    r"|^fn (?:.*::)?__mirgpu_t(\d+)\(\)(?:.|\n)*?^ {8}_1 = (.*);$",
    re.M,
)
_SELF = re.compile(r"\bSelf\b")
_LENGTH = re.compile(r"\[\(\); (\d+|usize::MAX)(?:_usize)?\]")
"""The type of a discriminant's probe; rustc names the largest number."""
ALIAS = "__mirgpu_n"
_LOCAL = "__MirgpuLocal"
"""A trait at the root, whose impls give names to types inside functions."""


@final
@dataclass(slots=True)
class Skeleton:
    """The text, which line stands for what, and the items by their probe's number."""

    lines: list[str] = field(default_factory=list)
    owners: list[object] = field(default_factory=list)
    """For each line: what to leave out if rustc finds an error there."""
    impls: list[Item] = field(default_factory=list)
    aliases: dict[str, str] = field(default_factory=dict)
    """With ``layouts``: a type's path in the crate to the name that its root has for it."""

    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


@final
@dataclass(frozen=True, slots=True)
class Resolved:
    """What rustc said: by probe number, impls' (self type, trait) and ADTs' field types."""

    impls: dict[int, tuple[str, str | None]]
    generics: dict[int, tuple[str, ...]]
    """The parameters of each impl."""
    types: dict[int, dict[str, str]]
    """The associated types of each impl, those with parameters of their own left out."""
    variants: dict[tuple[int, int], tuple[str, ...]]
    discriminants: dict[tuple[int, int], int]


def build(
    inner: list[str],
    items: list[Item],
    dropped: set[object],
    *,
    layouts: bool = False,
    owners: Mapping[int, str] = MappingProxyType({}),
) -> Skeleton:
    """The skeleton of a crate, without what is in ``dropped`` (owners of failing lines).

    With ``layouts`` it has no probes; each type has a name that the root can use, though the
    type be private, and its own name is an import of that one.
    """
    out = Skeleton()
    writer = _Writer(out, dropped, layouts, owners)
    for attr in inner:
        if attr.startswith(("feature", "no_std", "recursion_limit")) and "prelude" not in attr:
            writer.line(f"#![{attr}]", attr)
    crates = [item for item in items if item.kind == "extern crate"]
    if crates and crates[0].head == "extern crate core;" and "no_std" not in inner:
        writer.line("#![no_std]", None)
    if layouts:
        writer.line(f"trait {_LOCAL}<const N: usize> {{ type T: ?Sized; }}", None)
    writer.items(
        [i for i in items if i.head not in ("extern crate std;", "extern crate core;")], ()
    )
    return out


def read(skeleton: Skeleton, mir: str) -> Resolved:
    """The answers in the MIR text that rustc prints for the skeleton."""
    impls: dict[int, tuple[str, str | None]] = {}
    variants: dict[tuple[int, int], tuple[str, ...]] = {}
    discriminants: dict[tuple[int, int], int] = {}
    associated: dict[int, dict[str, str]] = {}
    names = {impl.number: impl for impl in skeleton.impls}
    for kind, number, variant, arguments, trait_number, method in _PROBE.findall(mir):
        if trait_number:
            parts = split_trait_method(method.removeprefix("const "))
            if parts is not None:
                impls[int(trait_number)] = parts
            continue
        types = tuple(re.sub(r"^_\d+: \*const ", "", part) for part in split(arguments))
        match kind:
            case "i":
                impls.setdefault(int(number), (types[0], None))
            case "a":
                name = associated_type(names[int(number)].items[int(variant)])
                assert name is not None
                associated.setdefault(int(number), {})[name[0]] = types[0]
            case "v":
                variants[int(number), int(variant)] = types
            case _:
                length = _LENGTH.fullmatch(types[0])
                if length is not None:
                    bits = (1 << 64) - 1 if length[1] == "usize::MAX" else int(length[1])
                    discriminants[int(number), int(variant)] = bits
    generics = {}
    for impl in skeleton.impls:
        number = impl.number
        generics[number] = tuple(p.name for p in impl.generics)
        if number in impls and _is_drop(impl):
            impls[number] = (impls[number][0], "std::ops::Drop")
        elif number in impls and impl.trait is not None and impls[number][1] is None:
            # A trait impl whose trait stays unknown must not pass for an inherent one.
            del impls[number]
    return Resolved(impls, generics, associated, variants, discriminants)


def _is_drop(impl: Item) -> bool:
    return (impl.trait or "").rpartition("::")[2] == "Drop"


_ASSOCIATED = re.compile(r"type\s+(\w+)\s*=\s*(.+?)(?:\s+where\b[^;]*)?;", re.S)


def associated_type(item: Item) -> tuple[str, str] | None:
    """The name and meaning of an impl's ``type Name = …;``, as written.

    None if it is something else, or has parameters of its own.
    """
    found = _ASSOCIATED.fullmatch(item.head) if item.kind == "type" else None
    return None if found is None else (found[1], found[2])


def split_trait_method(text: str) -> tuple[str, str] | None:
    """``<Vec3 as std::ops::Add>::add`` into (``Vec3``, ``std::ops::Add``)."""
    if not text.startswith("<"):
        return None
    depth = 0
    for found in re.finditer(r"->|=>|[<>]", text):
        depth += {"<": 1, ">": -1}.get(found[0], 0)
        if depth == 0:
            inside = text[1 : found.start()]
            middle = find_outside(inside, "as")
            if middle is None:
                return None
            return inside[: middle.start].strip(), inside[middle.end :].strip()
    return None


def declare(params: tuple[Param, ...]) -> str:
    return f"<{', '.join(p.declaration for p in params)}>" if params else ""


def arguments(params: tuple[Param, ...]) -> str:
    return f"<{', '.join(p.name for p in params)}>" if params else ""


def representation(item: Item) -> str:
    """The integer type of an enum's discriminants."""
    for attr in item.attrs:
        found = re.match(r"repr\(.*?\b([iu](?:8|16|32|64|128|size))\b", attr)
        if found:
            return found[1]
    return "isize"


_Write = Callable[[Item, tuple[str, ...], object], None]


@final
class _Writer:
    def __init__(
        self, out: Skeleton, dropped: set[object], layouts: bool, owners: Mapping[int, str]
    ) -> None:
        self.owners = owners
        self.out = out
        self.dropped = dropped
        self.layouts = layouts
        self.exported: list[str] = []
        """The names that a module's types have for the root."""

    def line(self, text: str, owner: object) -> None:
        if owner in self.dropped:
            return
        rows = text.split("\n")
        self.out.lines += rows
        self.out.owners += [owner] * len(rows)

    def items(self, items: list[Item], path: tuple[str, ...], local: bool = False) -> None:
        """``path`` is the module's or, with ``local``, that of the function around."""
        for index, item in enumerate(items):
            key = (path, index, item.kind, item.name, item.head)
            match item.kind:
                case "extern crate" | "use" | "type" | "const":
                    if not item.attr("prelude_import"):
                        self.line(self.head(item), key)
                case "mod":
                    if item.body is not None:
                        first = len(self.exported)
                        self.line(self.head(item) + " {", None)
                        self.items(item.items, (*path, item.name), local)
                        self.line("}", None)
                        for name in self.exported[first:]:
                            self.line(f"pub use self::{item.name}::{name};", name)
                case "struct" | "enum" | "union":
                    self.adt(item, path, local, key)
                case "trait":
                    self.block(item, (*path, item.name), key, self.trait_item)
                case "impl":
                    self.impl(item, path, key)
                case "fn" if "const" in item.qualifiers and item.body is not None:
                    self.line(f"{self.head(item)} {{{item.body}}}", key)
                case "fn" if key not in self.dropped:
                    # Only its name counts, for imports.
                    self.line(f"{item.visibility} fn {item.name}() {{", key)
                    if interesting(item.items):
                        self.items(item.items, (*path, item.name), local=True)
                    self.line("}", key)
                case _:
                    pass

    def head(self, item: Item) -> str:
        return f"{item.visibility} {item.head}"

    def block(self, item: Item, path: tuple[str, ...], key: object, write: _Write) -> None:
        """``path`` is what its items are inside of."""
        if key in self.dropped:
            return
        self.line(self.head(item) + " {", key)
        for inner in item.items:
            write(inner, path, key)
        self.line("}", key)

    def trait_item(self, item: Item, path: tuple[str, ...], key: object) -> None:
        if item.kind != "fn" or item.body is None:
            self.line(item.head + (";" if item.kind == "fn" else ""), key)
        else:
            self.function(item, path, key)

    def function(self, item: Item, path: tuple[str, ...], key: object) -> None:
        arrow = find_outside(item.head, "->")
        keep = "const" in item.qualifiers or (
            arrow is not None and re.search(r"\bimpl\b", item.head[arrow.end :])
        )
        if keep:
            self.line(f"{item.head} {{{item.body}}}", key)
        else:
            self.line(f"{item.head} {{", key)
            if interesting(item.items):
                self.items(item.items, (*path, item.name), local=True)
            self.line("loop {} }", key)

    def impl(self, item: Item, path: tuple[str, ...], key: object) -> None:
        number = item.number
        self.out.impls.append(item)
        if item.trait is not None and _DROPPED_TRAITS.match(item.trait):
            return
        # The method that `derive(Eq)` writes is unstable.
        bare = item.attr("automatically_derived") and (item.trait or "").endswith("::Eq")

        def write(inner: Item, path: tuple[str, ...], key: object) -> None:
            if inner.kind != "fn":
                self.line(inner.head, key)
            elif (
                not bare
                and inner.body is not None
                and (
                    item.trait is not None
                    or "const" in inner.qualifiers
                    or interesting(inner.items)
                )
            ):
                self.function(inner, path, key)

        self.block(item, (self.owners.get(number, "{impl}"),), key, write)
        if self.layouts:
            return
        own = f"({item.self_type})"

        def meant(text: str) -> str:
            return _SELF.sub(lambda _: own, text)

        where = f" where {meant(item.where)}" if item.where else ""
        self.line(
            f"fn {_probe('i', number)}{meant(declare(item.generics))}(_: *const {own}){where} {{}}",
            ("i", number),
        )
        if item.trait is None or bare or _is_drop(item):
            # `Drop::drop` must not be named.
            return
        reference = f"<{own} as {meant(item.trait)}>"

        def meant_here(text: str) -> str:
            return meant(re.sub(r"\bSelf\s*::", lambda _: f"{reference}::", text))

        for index, inner in enumerate(item.items):
            named = associated_type(inner)
            if named is not None:
                self.line(
                    f"fn {_probe('a', number)}_{index}{meant(declare(item.generics))}"
                    f"(_: *const ({meant_here(named[1])})){where} {{}}",
                    ("a", number, index),
                )
        member = self.member(item)
        if member is None:
            return
        types = _types(member.generics)
        params = (
            *(p for p in item.generics if p.lifetime),
            *(p for p in member.generics if p.lifetime),
            *_types(item.generics),
            *types,
        )
        clauses = ", ".join(meant_here(part.where) for part in (item, member) if part.where)
        self.line(
            f"fn {_probe('t', number)}{meant_here(declare(params))}()"
            + (f" where {clauses}" if clauses else "")
            + f" {{ let _f = {reference}::{member.name}"
            + (f"::{arguments(types)}" if types else "")
            + "; }",
            ("t", number),
        )

    def member(self, item: Item) -> Item | None:
        """What an impl's trait is asked by: its simplest method, else a constant."""
        methods = [inner for inner in item.items if inner.kind == "fn" and inner.body is not None]
        if methods:
            return min(methods, key=lambda fn: ("impl " in fn.head, len(_types(fn.generics))))
        return next((inner for inner in item.items if inner.kind == "const"), None)

    def adt(self, item: Item, path: tuple[str, ...], local: bool, key: object) -> None:
        number = item.number
        attrs = "".join(f"#[{a}] " for a in item.attrs if a.startswith(("repr", "rustc_")))
        generics, where = declare(item.generics), f" where {item.where}" if item.where else ""
        bodies = [
            variant_text(v.name if item.kind == "enum" else "", v.shape, v.fields, v.discriminant)
            for v in item.variants
        ]
        visibility, name = item.visibility, item.name
        if self.layouts and local:
            visibility = "pub"
            if not item.generics:
                self.out.aliases["::".join((*path, name))] = f"<() as {_LOCAL}<{number}>>::T"
                self.line(
                    f"impl crate::{_LOCAL}<{number}> for () {{ type T = {name}; }}",
                    ("local", number),
                )
        elif self.layouts:
            visibility, name = "pub", f"{ALIAS}{number}"
            self.out.aliases["::".join((*path, item.name))] = name
            self.exported.append(name)
            self.line(f"{item.visibility} use self::{name} as {item.name};", name)
        head = f"{attrs}{visibility} {item.kind} {name}{with_defaults(item.generics)}"
        if item.kind == "enum":
            self.line(f"{head}{where} {{ {', '.join(bodies)} }}", key)
        elif item.variants[0].shape == "{":
            self.line(f"{head}{where} {bodies[0]}", key)
        else:
            self.line(f"{head}{bodies[0]}{where};", key)
        if self.layouts:
            return
        own = f"{item.name}{arguments(item.generics)}"
        for index, variant in enumerate(item.variants):
            types = ", ".join(
                f"_: *const ({_SELF.sub(lambda _: own, type_text)})"
                for _, type_text in variant.fields
            )
            if types:
                self.line(
                    f"fn {_probe('v', number)}_{index}{generics}({types}){where} {{}}",
                    ("v", number),
                )
            if variant.discriminant is not None:
                self.line(
                    f"fn {_probe('d', number)}_{index}(_: *const [(); {{ let x: "
                    f"{representation(item)} = {variant.discriminant}; x as usize }}]) {{}}",
                    ("d", number),
                )


def interesting(items: list[Item]) -> bool:
    """Whether there is a type or impl among the items."""
    return any(
        item.kind in ("impl", "struct", "enum", "union", "trait") or interesting(item.items)
        for item in items
    )


def variant_text(
    name: str, shape: str, fields: tuple[tuple[str, str], ...], discriminant: str | None
) -> str:
    match shape:
        case "{":
            text = f"{name} {{ {', '.join(f'{f}: {t}' for f, t in fields)} }}"
        case "(":
            text = f"{name}({', '.join(t for _, t in fields)})"
        case _:
            text = name
    return text if discriminant is None else f"{text} = {discriminant}"


def with_defaults(params: tuple[Param, ...]) -> str:
    parts = [f"{p.declaration} = {p.default}" if p.default else p.declaration for p in params]
    return f"<{', '.join(parts)}>" if parts else ""


def _types(params: tuple[Param, ...]) -> tuple[Param, ...]:
    return tuple(p for p in params if not p.lifetime)


def _probe(kind: str, number: int) -> str:
    return f"__mirgpu_{kind}{number}"
