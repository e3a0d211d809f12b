"""Who the dump's items are: joins its headers with what rustc said of bodies and impls."""

from collections import Counter
from dataclasses import dataclass
from typing import final

from mirgpu.crate_info import BodyInfo, CrateInfo
from mirgpu.lower.headers import impl_generics, impl_head, no_lifetimes
from mirgpu.mir.dump import Dump, ItemHeader, ItemKind


@final
@dataclass(frozen=True, slots=True)
class Impl:
    """What an impl block is for."""

    self_ty: str
    trait: str | None
    generics: tuple[str, ...]


@final
class Identities:
    """By a header's index: its body's identity, and the impl that it is directly in."""

    def __init__(self, dump: Dump, info: CrateInfo) -> None:
        self.known = bool(info.bodies)
        """Whether rustc said anything: not of a raw dump."""
        self.bodies: dict[int, BodyInfo] = {}
        self.const_types: dict[int, dict[str, str]] = {}
        """The types of constant parameters, by a header's index."""
        self._impls: dict[int, Impl] = {}
        self._heads: dict[str, Impl | None] = {}
        """By ``<impl at …>``; none where a macro wrote several impls there."""
        self.types: dict[str, list[tuple[Impl, str]]] = {}
        """By an associated type's name: the impls that say it, and what they say."""
        bodies = {(body.header, body.occurrence): body for body in info.bodies}
        consts: dict[tuple[str, int], tuple[Impl, dict[str, str]]] = {}
        for said in info.impls:
            impl = Impl(said.self_type, said.trait, no_lifetimes(said.generics))
            consts.update((place, (impl, said.const_types)) for place in said.consts)
            for name, text in said.types.items():
                self.types.setdefault(name, []).append((impl, text))
        counts: Counter[tuple[str, bool]] = Counter()
        for header in dump.headers:
            if header.ctfe:
                continue
            is_fn = header.kind is ItemKind.FN
            place = (header.path, counts[header.path, is_fn])
            counts[header.path, is_fn] += 1
            body = bodies.get(place) if is_fn else None
            made = None
            if not is_fn and place in consts:
                made, self.const_types[header.index] = consts[place]
            if body is not None:
                self.bodies[header.index] = body
                self.const_types[header.index] = body.const_types
                if body.impl_self is not None and "{closure#" not in header.path:
                    made = Impl(body.impl_self, body.impl_trait, impl_generics(body))
            if made is not None:
                self._impls[header.index] = made
                head = impl_head(header.path) or ""
                if self._heads.setdefault(head, made) != made:
                    self._heads[head] = None

    def impl(self, header: ItemHeader) -> Impl | None:
        """The impl that an item is directly in, if rustc said which."""
        found = self._impls.get(header.index)
        if found is None and header.index not in self.bodies:
            head = impl_head(header.path)
            if head is not None and header.path.rpartition("::")[0].endswith(head):
                found = self._heads.get(head)
        return found
