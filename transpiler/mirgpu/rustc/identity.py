"""Who the bodies of a dump are: joins the dump's headers with the crate's items.

Both lists are in the order of the source.  A header is ``m::<impl at k.rs:9:1: 9:10>::dot``,
the item it belongs to is known by the modules, impls and functions around it; the two
sequences must be equal, else only what is unmistakable is joined.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import final

from mirgpu.crate_info import AdtInfo, BodyInfo, ImplInfo
from mirgpu.rustc.scan import Item, Param
from mirgpu.rustc.skeleton import Resolved, representation
from mirgpu.rustc.tokens import closing

_HEADER = re.compile(r"^fn (.+?)\((?=_1: |\) -> )", re.M)
_CONST_HEADER = re.compile(r"^const ((?:\w+::|\{\w+#\d+\}::|<impl at [^>]+>::)+\w+): ", re.M)
_CTFE = "// MIR FOR CTFE\n"
_IMPL_AT = re.compile(r"<impl at (.*?):(\d+):\d+: \d+:\d+>")
_IMPL_NUMBER = re.compile(r"(?:.*::)?\{impl (\d+)\}")
_PLAIN_PATH = re.compile(r"\w+(?:::\w+)*")
_INNER = re.compile(r"::\{\w+#\d+\}")
_FREEZE = re.compile(
    r"(?:(?:std|core|alloc)::(?:option::Option|result::Result|num::(?:NonZero|Wrapping|Saturating)"
    r"|cmp::(?:Ordering|Reverse)|ops::(?:Range\w*|Bound|ControlFlow)|mem::(?:MaybeUninit|"
    r"ManuallyDrop)|marker::Phantom\w+|time::Duration|array::IntoIter|boxed::Box|vec::Vec|"
    r"string::String|ptr::NonNull)|bool|char|f16|f32|f64|f128|[iu](?:8|16|32|64|128|size)|str|u?int)$"
)
_TRACKED = frozenset(
    (f"{crate}::ops::{trait}", name)
    for crate in ("std", "core")
    for trait, name in (("Index", "index"), ("IndexMut", "index_mut"))
)
_ABI_KERNELS = frozenset({"ptx-kernel", "gpu-kernel"})
KERNEL_MARK = "__mirgpu_kernel_"
"""A constant of this name and the function's, beside it: what ``#[mirgpu::kernel]`` leaves."""


@final
@dataclass(frozen=True, slots=True)
class Place:
    """A function or an impl's constant: its header without spans, and what is around it."""

    shape: str
    item: Item
    impl: int | None
    """The number of the impl it is directly in."""
    trait: Item | None
    around: tuple[Param, ...]
    """The parameters of the impl or trait."""
    path: str
    """The path with ``{impl N}`` for an impl, to be named when rustc's answers are there."""
    kernel: bool


@final
@dataclass(frozen=True, slots=True)
class Header:
    path: str
    arguments: str


def headers(mir: str) -> list[Header]:
    """The dump's function headers in order, CTFE copies left out."""
    out = []
    for found in _HEADER.finditer(mir):
        if not mir.endswith(_CTFE, 0, found.start()):
            arguments = mir[found.end() : closing(mir, found.end() - 1)]
            out.append(Header(found[1], arguments))
    return out


def places(items: list[Item]) -> list[Place]:
    """Every function with a body, in the order of the source."""
    return [place for place in _walk(items, "", "") if place.item.kind == "fn"]


def _walk(items: list[Item], shape: str, path: str) -> Iterator[Place]:
    marks = {item.name for item in items if item.kind == "const"}
    for item in items:
        match item.kind:
            case "mod" | "const" | "static":
                yield from _walk(item.items, f"{shape}{item.name}::", f"{path}{item.name}::")
            case "trait":
                for inner in item.items:
                    yield from _function(
                        inner,
                        f"{shape}{item.name}::",
                        f"{path}{item.name}::",
                        None,
                        item,
                        around=item.generics,
                    )
            case "impl":
                number = item.number
                inner_marks = {inner.name for inner in item.items if inner.kind == "const"}
                for inner in item.items:
                    yield from _function(
                        inner,
                        f"{shape}<impl>::",
                        f"{{impl {number}}}::",
                        number,
                        None,
                        KERNEL_MARK + inner.name in inner_marks,
                        item.generics,
                    )
            case "fn":
                kernel = KERNEL_MARK + item.name.removeprefix("r#") in marks
                yield from _function(item, shape, path, None, None, kernel)
            case _:
                pass


def _function(
    item: Item,
    shape: str,
    path: str,
    impl: int | None,
    trait: Item | None,
    kernel: bool = False,
    around: tuple[Param, ...] = (),
) -> Iterator[Place]:
    if item.body is not None if item.kind == "fn" else item.kind == "const" and impl is not None:
        yield Place(shape + item.name, item, impl, trait, around, path + item.name, kernel)
    if item.kind in ("fn", "const"):
        yield from _walk(item.items, f"{shape}{item.name}::", f"{path}{item.name}::")


def join(found: list[Header], wanted: list[Place]) -> dict[int, Place]:
    """By a header's number its item; closures and constructors have none."""
    names = {place.shape for place in wanted}
    kept = []
    for number, header in enumerate(found):
        if "{closure#" not in header.path.rpartition("::")[2]:
            shape = _INNER.sub("", _IMPL_AT.sub("<impl>", header.path))
            if shape in names:
                kept.append((number, shape))
    if [shape for _, shape in kept] == [place.shape for place in wanted]:
        return {number: place for (number, _), place in zip(kept, wanted, strict=True)}
    # Something is compiled away or printed elsewhere: only unique names are certain.
    once = {shape for shape, n in Counter(shape for _, shape in kept).items() if n == 1}
    once &= {shape for shape, n in Counter(place.shape for place in wanted).items() if n == 1}
    by_shape = {place.shape: place for place in wanted}
    return {number: by_shape[shape] for number, shape in kept if shape in once}


def bodies(mir: str, items: list[Item], resolved: Resolved | None) -> tuple[BodyInfo, ...]:
    """Identities of the dump's bodies, closures and constructors included, in its order."""
    found = headers(mir)
    joined = join(found, places(items))
    constructors = dict(_constructors(items, ""))
    tracked = {*_TRACKED, *_tracked(items, "")}
    counts: Counter[str] = Counter()
    # The latest body of each header: a closure follows the function that it is in.
    latest: dict[str, BodyInfo | None] = {}
    out = []
    for number, header in enumerate(found):
        info: BodyInfo | None = None
        occurrence = counts[header.path]
        counts[header.path] += 1
        outer, _, last = header.path.rpartition("::")
        place = joined.get(number)
        if place is not None:
            info = _body(header, occurrence, place, resolved, tracked)
        elif last.startswith("{closure#"):
            parent = latest.get(outer)
            if parent is not None:
                info = replace(
                    parent,
                    header=header.path,
                    occurrence=occurrence,
                    path=f"{parent.path}::{last}",
                    public=False,
                    unsafe=False,
                    abi="Rust",
                    kernel=False,
                    track_caller=False,
                )
        elif header.path in constructors:
            info = BodyInfo(
                header=header.path,
                occurrence=occurrence,
                path=header.path,
                generics=constructors[header.path],
                impl_self=None,
                impl_trait=None,
                public=False,
                unsafe=False,
                abi="Rust",
                kernel=False,
                track_caller=False,
                const_types={},
                file=None,
                line=None,
            )
        latest[header.path] = info
        if info is not None:
            out.append(info)
    return tuple(out)


def _body(
    header: Header,
    occurrence: int,
    place: Place,
    resolved: Resolved | None,
    tracked: set[tuple[str, str]],
) -> BodyInfo | None:
    item = place.item
    own = (*(p.name for p in item.generics), *_synthetic(header.arguments))
    parents: tuple[str, ...] = ()
    self_type = trait = None
    path = place.path
    impls = re.findall(r"\{impl (\d+)\}", path)
    if impls:
        known = resolved.impls.get(int(impls[-1])) if resolved else None
        if known is None:
            return None
        owner = f"<{known[0]} as {known[1]}>" if known[1] else value_path(known[0])
        path = path.replace(f"{{impl {impls[-1]}}}", owner)
        if place.impl is not None:
            self_type, trait = known
            assert resolved is not None
            parents = resolved.generics[place.impl]
    elif place.trait is not None:
        outer = path.rpartition("::")[0]
        params = tuple(p.name for p in place.trait.generics)
        given = ", ".join("'_" if p.startswith("'") else p for p in params)
        self_type, trait = "Self", f"{outer}<{given}>" if given else outer
        path = f"<Self as {trait}>::{item.name}"
        parents = ("Self", *params)
    file, line = None, None
    spans = _IMPL_AT.findall(header.path)
    if spans:
        file, line = spans[-1][0], int(spans[-1][1])
    return BodyInfo(
        header=header.path,
        occurrence=occurrence,
        path=path,
        generics=(*parents, *own),
        impl_self=self_type,
        impl_trait=trait,
        public=item.visibility == "pub",
        unsafe="unsafe" in item.qualifiers,
        abi=item.abi or "Rust",
        kernel=place.kernel or item.abi in _ABI_KERNELS,
        const_types=_const_types((*place.around, *item.generics)),
        track_caller=item.attr("track_caller") is not None
        or ((trait or "").partition("<")[0], item.name) in tracked,
        file=file,
        line=line,
    )


def _tracked(items: list[Item], path: str) -> Iterator[tuple[str, str]]:
    """Traits' methods that are ``#[track_caller]``, in every impl: (trait's path, name)."""
    for item in items:
        if item.kind == "trait":
            for inner in item.items:
                if inner.attr("track_caller") is not None:
                    yield path + item.name, inner.name
        if item.kind in ("mod", "fn"):
            yield from _tracked(item.items, f"{path}{item.name}::")


def value_path(type_text: str) -> str:
    """A type's text as calls write it before ``::``: ``m::Pair<T>`` is ``m::Pair::<T>``."""
    if not re.match(r"[\w:]+(?:<|$)", type_text) or _PRIMITIVE.match(type_text):
        return f"<{type_text}>"
    return type_text.replace("<", "::<", 1)


_PRIMITIVE = re.compile(r"(?:bool|char|str|f\d+|[iu](?:\d+|size))$")


def _synthetic(arguments: str) -> tuple[str, ...]:
    """The nameless parameters of ``impl Trait`` arguments, as MIR names them."""
    out = []
    for found in re.finditer(r"\bimpl ", arguments):
        depth, at = 0, found.end()
        for mark in re.finditer(r"->|=>|[<>()\[\],]", arguments[at:]):
            if mark[0] in ("->", "=>"):
                continue
            if depth == 0 and mark[0] in ",)>]":
                out.append(arguments[found.start() : at + mark.start()])
                break
            depth += 1 if mark[0] in "<([" else -1 if mark[0] in ">)]" else 0
        else:
            out.append(arguments[found.start() :])
    return tuple(out)


def _constructors(items: list[Item], path: str) -> Iterator[tuple[str, tuple[str, ...]]]:
    for item in items:
        here = f"{path}{item.name}"
        if item.kind in ("struct", "enum"):
            params = tuple(p.name for p in item.generics)
            for variant in item.variants:
                if variant.shape == "(":
                    yield (here if item.kind == "struct" else f"{here}::{variant.name}"), params
        elif item.kind in ("mod", "fn"):
            yield from _constructors(item.items, f"{here}::")


def _const_types(params: tuple[Param, ...]) -> dict[str, str]:
    found = ((p.name, re.match(r"const\b.*?:\s*(.*)", p.declaration)) for p in params)
    return {name: m[1] for name, m in found if m is not None and _PRIMITIVE.match(m[1])}


def const_params(items: list[Item]) -> dict[str, str]:
    """The types of constant parameters by name; empty for several, or one that is no primitive."""
    out: dict[str, str] = {}
    for item in items:
        for name in [p.name for p in item.generics if p.declaration.startswith("const ")]:
            ty = _const_types(item.generics).get(name, "")
            out[name] = ty if out.get(name, ty) == ty else ""
        for name, ty in const_params(item.items).items():
            out[name] = ty if out.get(name, ty) == ty else ""
    return out


# ---------------------------------------------------------------------------- impls


def impls(mir: str, items: list[Item], resolved: Resolved) -> tuple[ImplInfo, ...]:
    """What the crate's impls say of associated types and constants."""
    found = [Header(header[1], "") for header in _CONST_HEADER.finditer(mir)]
    wanted = [place for place in _walk(items, "", "") if place.item.kind == "const"]
    consts: dict[int, list[tuple[str, int]]] = {}
    const_types: dict[int, dict[str, str]] = {}
    counts: Counter[str] = Counter()
    joined = join(found, wanted)
    for number, header in enumerate(found):
        place = joined.get(number)
        if place is not None and place.impl is not None:
            consts.setdefault(place.impl, []).append((header.path, counts[header.path]))
            const_types[place.impl] = _const_types(place.around)
        counts[header.path] += 1
    return tuple(
        ImplInfo(
            *resolved.impls[number],
            resolved.generics[number],
            resolved.types.get(number, {}),
            tuple(consts.get(number, ())),
            const_types.get(number, {}),
        )
        for number in resolved.impls
        if number in resolved.types or number in consts
    )


# ---------------------------------------------------------------------------- definitions


def adts(items: list[Item], resolved: Resolved) -> dict[str, AdtInfo]:
    """The crate's types that rustc could be asked about, by path."""
    twice = twins(items)
    known = {}
    for path, item in _types(items, ""):
        info = _adt(item, item.number, resolved)
        path = _IMPL_NUMBER.sub(lambda found: owner_name(resolved, int(found[1])), path)
        if info is not None and "{" not in path and not in_twins(path, twice):
            known[path] = info
    frozen: dict[str, bool] = {}
    return {
        path: AdtInfo(info.kind, info.generics, info.variants, _freeze(path, known, frozen))
        for path, info in known.items()
    }


def owner_name(resolved: Resolved, impl: int) -> str:
    """How the paths of what stands in an impl's methods begin; ``{impl}`` if with more."""
    self_type, trait = resolved.impls.get(impl, ("", ""))
    return self_type if trait is None and _PLAIN_PATH.fullmatch(self_type) else "{impl}"


def twins(items: list[Item]) -> tuple[str, ...]:
    """Paths that several types have, or the ends of such paths: blocks are not in them."""
    counts = Counter(path for path, _ in _types(items, ""))
    twice = (path for path, count in counts.items() if count > 1)
    return tuple(_IMPL_NUMBER.split(path)[-1].removeprefix("::") for path in twice)


def in_twins(path: str, twice: tuple[str, ...]) -> bool:
    return any(path == end or path.endswith(f"::{end}") for end in twice)


def _types(items: list[Item], path: str) -> Iterator[tuple[str, Item]]:
    for item in items:
        if item.kind in ("struct", "enum", "union"):
            yield path + item.name, item
        elif item.kind == "impl":
            yield from _types(item.items, f"{path}{{impl {item.number}}}::")
        elif item.kind in ("mod", "fn", "trait"):
            yield from _types(item.items, f"{path}{item.name}::")


def _adt(item: Item, number: int, resolved: Resolved) -> AdtInfo | None:
    bits = {"8": 8, "16": 16, "32": 32}.get(representation(item)[1:], 64)
    variants = []
    following = 0
    for index, variant in enumerate(item.variants):
        types = resolved.variants.get((number, index), ())
        if len(types) != len(variant.fields):
            return None
        if variant.discriminant is not None:
            value = resolved.discriminants.get((number, index))
            if value is None or representation(item).endswith("128"):
                return None
            following = _wrap(value, bits, signed=representation(item)[0] == "i")
        fields = tuple((name, ty) for (name, _), ty in zip(variant.fields, types, strict=True))
        variants.append((variant.name, following, fields))
        following += 1
    return AdtInfo(item.kind, tuple(p.name for p in item.generics), tuple(variants), False)


def _wrap(value: int, bits: int, *, signed: bool) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def _freeze(path: str, known: dict[str, AdtInfo], done: dict[str, bool]) -> bool:
    if path not in done:
        done[path] = True
        done[path] = all(
            _frozen_type(ty, known, done, known[path].generics)
            for _, _, fields in known[path].variants
            for _, ty in fields
        )
    return done[path]


def _frozen_type(
    text: str, known: dict[str, AdtInfo], done: dict[str, bool], generics: tuple[str, ...]
) -> bool:
    if text.startswith(("&", "*", "fn(", "unsafe fn(", "extern ", "for<")):
        return True
    for name in re.findall(r"(?:\w+::)*[A-Za-z_]\w*", text):
        if name in generics or name in ("const", "mut", "usize") or _FREEZE.match(name):
            continue
        if name in known:
            if not _freeze(name, known, done):
                return False
        else:
            return False
    return True
