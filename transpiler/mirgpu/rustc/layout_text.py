"""Reads a layout as rustc's ``Debug`` prints it for ``rustc_dump_layout(debug)``.

The names of fields and variants are not in it; they come from the type's definition.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

from mirgpu.crate_info import FieldLayout, TagLayout, TypeLayout, VariantLayout

_NOISE = re.compile(r"valid_range: [^\n]*,\n")
_TOKEN = re.compile(r"\s*(?:(\d+\.\.=\d+)|(\d+)(?: bytes)?|(\w+)|([{}()\[\]:,]))")
_INT_BYTES = {"I8": 1, "I16": 2, "I32": 4, "I64": 8, "I128": 16}
_POINTER_BYTES = 8


class LayoutTextError(ValueError):
    """The text is not what a known rustc prints."""


@final
@dataclass(frozen=True, slots=True)
class Definition:
    """What a type is: kind, and (variant, discriminant, field names), in source order."""

    kind: str
    variants: tuple[tuple[str, int, tuple[str, ...] | None], ...]
    """Field names none: numbered."""


def parse(text: str) -> dict[str, Any]:
    """The text from ``Layout {`` on as dicts (names under ``""``) and lists."""
    root = _Parser(text).value()
    if not isinstance(root, dict):
        raise LayoutTextError("not a layout")
    return root


def has_variants(root: dict[str, Any]) -> bool:
    """Whether it is an enum's, with more than one variant in use."""
    return _name(root["variants"]) == "Multiple"


def read_layout(root: dict[str, Any], definition: Definition | None) -> TypeLayout | None:
    """The layout that was parsed; none if its parts do not fit the definition.

    Without a definition the type has one nameless variant.
    """
    size, align = _number(root["size"]), _number(_only(root["align"]))
    fields, variants = root["fields"], root["variants"]
    if isinstance(fields, dict) and fields[""] == "Union":
        return _union(size, align, _number(fields["0"]), definition)
    match _name(variants):
        case "Multiple":
            return _multiple(size, align, root, definition)
        case "Single":
            return _single(size, align, root, definition)
        case "Empty":
            return _empty(size, align, definition)
        case other:
            raise LayoutTextError(f"unknown kind of variants: {other}")


def _union(size: int, align: int, count: int, definition: Definition | None) -> TypeLayout | None:
    name, names = "", tuple(str(n) for n in range(count))
    if definition is not None:
        name, _, own = definition.variants[0]
        names = names if own is None else own
    if len(names) != count:
        return None
    fields = tuple(FieldLayout(n, 0) for n in names)
    return TypeLayout("union", size, align, (VariantLayout(name, 0, fields, True),), None)


def _empty(size: int, align: int, definition: Definition | None) -> TypeLayout | None:
    if definition is None:
        return None
    variants = tuple(VariantLayout(n, d, (), False) for n, d, _ in definition.variants)
    return TypeLayout(definition.kind, size, align, variants, None)


def _single(
    size: int, align: int, root: dict[str, Any], definition: Definition | None
) -> TypeLayout | None:
    index = _number(root["variants"]["index"])
    offsets = _offsets(root["fields"])
    if definition is None:
        if index:
            return None
        definition = Definition("struct", (("", 0, None),))
    if index >= len(definition.variants):
        return None
    variants = []
    for number, (name, discriminant, names) in enumerate(definition.variants):
        fields = _fields(offsets, names) if number == index else ()
        if fields is None:
            return None
        there = number == index and root["uninhabited"] == "false"
        variants.append(VariantLayout(name, discriminant, fields, there))
    return TypeLayout(definition.kind, size, align, tuple(variants), None)


def _multiple(
    size: int, align: int, root: dict[str, Any], definition: Definition | None
) -> TypeLayout | None:
    described = root["variants"]
    parts = described["variants"]
    if definition is None or len(definition.variants) != len(parts):
        return None
    variants = []
    for (name, discriminant, names), part in zip(definition.variants, parts, strict=True):
        offsets = part["field_offsets"] if "field_offsets" in part else _offsets(part["fields"])
        fields = _fields(tuple(_number(o) for o in offsets), names)
        if fields is None:
            return None
        there = part["uninhabited"] == "false"
        variants.append(VariantLayout(name, discriminant, fields, there))
    tag = _tag(root, [v.discriminant for v in variants])
    return TypeLayout(definition.kind, size, align, tuple(variants), tag)


def _tag(root: dict[str, Any], discriminants: Sequence[int]) -> TagLayout:
    described = root["variants"]
    offset = _offsets(root["fields"])[_number(described["tag_field"])]
    value = described["tag"]["value"]
    if _name(value) == "Int":
        size = _INT_BYTES[value["0"]]
    elif _name(value) == "Pointer":
        size = _POINTER_BYTES
    else:
        raise LayoutTextError(f"a tag of kind {_name(value)}")
    mask = (1 << 8 * size) - 1
    encoding = described["tag_encoding"]
    if encoding == "Direct":
        return TagLayout(offset, size, tuple(d & mask for d in discriminants), None)
    untagged, start = _number(encoding["untagged_variant"]), _number(encoding["niche_start"])
    first = int(encoding["niche_variants"].split("..=")[0])
    values = tuple(
        0 if n == untagged else (start + n - first) & mask for n in range(len(discriminants))
    )
    return TagLayout(offset, size, values, untagged)


def _fields(
    offsets: Sequence[int], names: tuple[str, ...] | None
) -> tuple[FieldLayout, ...] | None:
    if names is None:
        names = tuple(str(n) for n in range(len(offsets)))
    if len(names) != len(offsets):
        return None
    return tuple(FieldLayout(n, o) for n, o in zip(names, offsets, strict=True))


def _offsets(shape: Any) -> tuple[int, ...]:
    if _name(shape) == "Arbitrary":
        return tuple(_number(o) for o in shape["offsets"])
    if _name(shape) in ("Array", "Primitive"):
        return ()
    raise LayoutTextError(f"fields of kind {_name(shape)}")


def _name(node: Any) -> str:
    return str(node[""]) if isinstance(node, dict) else str(node)


def _only(node: dict[str, Any]) -> Any:
    """``AbiAlign { abi: Align(4 bytes) }``: the inner one."""
    return node["abi"]


def _number(node: Any) -> int:
    """``Size(8 bytes)``, ``Align(4 bytes)`` or a bare number."""
    if isinstance(node, dict):
        node = node["0"]
    return int(node)


@final
class _Parser:
    """``Debug`` text to dicts (the name under ``""``, fields by name or number) and lists."""

    def __init__(self, text: str) -> None:
        self._tokens: list[str] = [
            next(part for part in found if part) for found in _TOKEN.findall(_NOISE.sub("", text))
        ]
        self._at = 0

    def _next(self) -> str:
        if self._at == len(self._tokens):
            raise LayoutTextError("the layout ends too early")
        self._at += 1
        return self._tokens[self._at - 1]

    def _follows(self, wanted: str) -> bool:
        if self._at < len(self._tokens) and self._tokens[self._at] == wanted:
            self._at += 1
            return True
        return False

    def value(self) -> Any:
        first = self._next()
        if first == "[":
            items = []
            while not self._follows("]"):
                items.append(self.value())
                self._follows(",")
            return items
        if self._follows("{"):
            node: dict[str, Any] = {"": first}
            while not self._follows("}"):
                name = self._next()
                if self._next() != ":":
                    raise LayoutTextError(f"no `:` after {name}")
                node[name] = self.value()
                self._follows(",")
            return node
        if self._follows("("):
            node, index = {"": first}, 0
            while not self._follows(")"):
                node[str(index)] = self.value()
                index += 1
                self._follows(",")
            return node
        return first
