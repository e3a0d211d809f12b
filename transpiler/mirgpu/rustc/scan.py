"""Reads the items of a crate from the text of ``rustc -Zunpretty=expanded``.

Macros are expanded and ``cfg`` is resolved in that text, and it still has what later forms
lose: visibility, attributes, ABI and generics as written.  Only the outlines are read; the
expressions in function bodies are skipped by their brackets.
"""

import re
from dataclasses import dataclass, field
from typing import final

from mirgpu.rustc.tokens import (
    CLOSE,
    OPEN,
    ScanError,
    Token,
    closing,
    find_outside,
    split,
    strip_attributes,
    tokens,
)

_NESTED = re.compile(r"\b(?:fn\s+\w|impl\b|struct\b|enum\b|union\s+\w|trait\b|mod\b)")
_ALWAYS_ITEM = frozenset({"impl", "struct", "enum", "trait", "mod"})
_ITEM_IF = {
    "fn": re.compile(r"\s+\w"),
    "union": re.compile(r"\s+\w+\s*[<{]"),
    "use": re.compile(r"\s"),
    "type": re.compile(r"\s"),
    "const": re.compile(r"\s+[A-Z_]\w*\s*:"),
}
_HIGHER_RANKED = re.compile(r"\s*<\s*'")
_BRACKET = re.compile(r"\s*\[")
_NAME = re.compile(r"\s*((?:r#)?\w+)")
_QUALIFIERS = frozenset({"const", "async", "unsafe", "safe", "extern", "default", "auto"})


@final
@dataclass(frozen=True, slots=True)
class Param:
    """A generic parameter; ``declaration`` has its bounds, without the ``default``."""

    name: str
    declaration: str
    default: str | None

    @property
    def lifetime(self) -> bool:
        return self.name.startswith("'")


@final
@dataclass(frozen=True, slots=True)
class Variant:
    """``shape`` is ``{``, ``(`` or empty; fields are (name, type as written)."""

    name: str
    shape: str
    fields: tuple[tuple[str, str], ...]
    discriminant: str | None


@final
@dataclass(slots=True)
class Item:
    """An item; ``head`` runs from its keyword to its body, ``body`` is without its braces.

    ``visibility`` is ``pub``, ``pub(…)`` or empty.
    """

    kind: str
    name: str
    attrs: tuple[str, ...]
    visibility: str
    qualifiers: tuple[str, ...]
    abi: str
    generics: tuple[Param, ...] = ()
    where: str = ""
    head: str = ""
    body: str | None = None
    trait: str | None = None
    """Of an impl: the trait as written, none for an inherent one."""
    self_type: str = ""
    variants: tuple[Variant, ...] = ()
    items: list["Item"] = field(default_factory=list)
    number: int = -1
    """Of an impl or a type: which one in the crate (``parse_crate``)."""

    def attr(self, name: str) -> str | None:
        """The first attribute of that name, without ``#[`` and ``]``."""
        return next((a for a in self.attrs if re.match(rf"{name}\b", a)), None)


_VISIBILITY = re.compile(r"pub\b(?:\s*\(\s*(?:crate|self|super|in\b[^)]*)\s*\))?")


def parse_generics(text: str) -> tuple[Param, ...]:
    """Parameters of the list between ``<`` and ``>``."""
    params = []
    for part in split(text):
        _, part = strip_attributes(part)
        default = find_outside(part, "=")
        declaration = part[: default.start].strip() if default else part
        words = declaration.split(None, 1)
        name = words[1] if words[0] == "const" else declaration
        value = part[default.end :].strip() if default else None
        params.append(Param(name.split(":", 1)[0].strip(), declaration, value))
    return tuple(params)


def _fields(text: str, shape: str) -> tuple[tuple[str, str], ...]:
    out = []
    for index, part in enumerate(split(text)):
        _, part = strip_attributes(part)
        visible = _VISIBILITY.match(part)
        part = part[visible.end() :].strip() if visible else part
        if shape == "(":
            out.append((str(index), part))
        else:
            name, type_text = part.split(":", 1)
            out.append((name.strip(), type_text.strip()))
    return tuple(out)


def _variants(text: str) -> tuple[Variant, ...]:
    out = []
    for part in split(text, angles=False):
        _, part = strip_attributes(part)
        equals = find_outside(part, "=", angles=False)
        value = part[equals.end :].strip() if equals else None
        part = (part[: equals.start] if equals else part).strip()
        brace = re.match(r"([\w#]+)\s*([({])?", part)
        if brace is None:
            raise ScanError(f"not an enum variant: {part}")
        shape = brace[2] or ""
        inner = part[brace.end() : closing(part, brace.end() - 1)] if shape else ""
        out.append(Variant(brace[1], shape, _fields(inner, shape), value))
    return tuple(out)


def parse_crate(text: str) -> tuple[list[str], list[Item]]:
    """Inner attributes and items of a crate, its impls and types numbered."""
    inner, items = parse_items(text)
    counter = iter(range(1 << 30))

    def count(items: list[Item]) -> None:
        for item in items:
            if item.kind in ("impl", "struct", "enum", "union"):
                item.number = next(counter)
            count(item.items)

    count(items)
    return inner, items


def parse_items(text: str) -> tuple[list[str], list[Item]]:
    """Inner attributes and items of a module's text."""
    inner: list[str] = []
    items: list[Item] = []
    at = 0
    while True:
        first = next(tokens(text, at), None)
        if first is None:
            return inner, items
        at = first.start
        if text.startswith("#!", at):
            opening = text.index("[", at)
            end = closing(text, opening)
            inner.append(text[opening + 1 : end].strip())
            at = end + 1
            continue
        item, at = _item(text, at)
        if item is not None:
            items.append(item)


def nested_items(body: str) -> list[Item]:
    """Items declared inside a function's body or a constant's value."""
    items: list[Item] = []
    if not _NESTED.search(body):
        return items
    at = 0
    while True:
        start = skipped = None
        before = ""
        for token in tokens(body, at):
            if skipped is not None and token.start < skipped:
                continue
            if token.kind == "word" and (
                token.text in _ALWAYS_ITEM
                or (token.text in _ITEM_IF and _ITEM_IF[token.text].match(body, token.end))
            ):
                item, at = _item(body, token.start if start is None else start)
                if item is not None:
                    items.append(item)
                break
            # What may stand before an item.
            attribute = token.text == "#" and _BRACKET.match(body, token.end)
            visible = _VISIBILITY.match(body, token.start)
            if attribute:
                skipped = closing(body, attribute.end() - 1) + 1
            elif visible:
                skipped = visible.end()
            elif not (token.text in _QUALIFIERS or (token.kind == "string" and before == "extern")):
                start = None
                continue
            before = token.text
            start = token.start if start is None else start
        else:
            return items


def _item(text: str, start: int) -> tuple[Item | None, int]:
    attrs: list[str] = []
    visibility, qualifiers, abi = "", [], ""
    stream = tokens(text, start)
    token = next(stream)
    while token.text == "#":
        opening = text.index("[", token.end)
        end = closing(text, opening)
        attrs.append(text[opening + 1 : end].strip())
        stream = tokens(text, end + 1)
        token = next(stream)
    if token.text == "pub":
        visible = _VISIBILITY.match(text, token.start)
        assert visible is not None
        visibility = visible[0]
        stream = tokens(text, visible.end())
        token = next(stream)
    head = token.start
    while token.text in _QUALIFIERS:
        following = next(stream)
        if token.text == "extern" and following.kind == "string":
            abi = following.text.strip('"')
            qualifiers.append("extern")
            following = next(stream)
        elif token.text == "extern" and following.text == "crate":
            return _plain("extern crate", text, head, attrs, visibility)
        elif token.text == "const" and following.text not in {*_QUALIFIERS, "fn", "trait"}:
            return _constant(text, head, following, attrs, visibility)
        else:
            qualifiers.append(token.text)
            if token.text == "extern":
                abi = "C"
        token = following
    if token.text == "{" and "extern" in qualifiers:
        return None, closing(text, token.start) + 1
    base = Item(token.text, "", tuple(attrs), visibility, tuple(qualifiers), abi)
    match token.text:
        case "use" | "type":
            return _plain(token.text, text, head, attrs, visibility)
        case "static":
            return _constant(text, head, next(stream), attrs, visibility, "static")
        case "fn" | "struct" | "enum" | "union" | "trait" | "mod" | "impl":
            return _braced(base, text, token, head)
        case word if word == "macro" or text[token.end : token.end + 1] == "!":
            return None, _macro_end(text, token.end)
        case word:
            raise ScanError(f"not an item: {text[start : start + 60]!r} at {word!r}")


def _macro_end(text: str, at: int) -> int:
    for token in tokens(text, at):
        if token.text == ";":
            return token.end
        if token.text in OPEN:
            end = closing(text, token.start) + 1
            if token.text == "{":
                return end
            return _macro_end(text, end)
    return len(text)


def _statement_end(text: str, at: int) -> int:
    depth = 0
    for token in tokens(text, at):
        if token.text in OPEN:
            depth += 1
        elif token.text in CLOSE:
            depth -= 1
        elif token.text == ";" and depth == 0:
            return token.end
    raise ScanError("an item does not end")


def _plain(kind: str, text: str, head: int, attrs: list[str], visibility: str) -> tuple[Item, int]:
    end = _statement_end(text, head)
    return Item(kind, "", tuple(attrs), visibility, (), "", head=text[head:end]), end


def _constant(
    text: str, head: int, name: Token, attrs: list[str], visibility: str, kind: str = "const"
) -> tuple[Item, int]:
    end = _statement_end(text, head)
    if name.text == "mut":
        name = next(tokens(text, name.end))
    item = Item(kind, name.text, tuple(attrs), visibility, (), "", head=text[head:end])
    item.items = nested_items(text[name.end : end])
    return item, end


def _braced(item: Item, text: str, keyword: Token, head: int) -> tuple[Item, int]:
    at = keyword.end
    if item.kind != "impl":
        name = _NAME.match(text, at)
        if name is None:
            raise ScanError(f"an item without a name: {text[head : head + 60]!r}")
        item.name, at = name[1], name.end()
    first = next(tokens(text, at), None)
    if first is not None and first.text == "<":
        close = _angle_close(text, first.start)
        item.generics = parse_generics(text[first.end : close])
        at = close + 1
    depth, after_generics, where = 0, at, None
    end = None
    for token in tokens(text, at):
        if depth == 0:
            if token.text == "where":
                where = token
            elif token.text in ("{", ";"):
                end = token
                break
        if token.text in OPEN or token.text == "<":
            depth += 1
        elif token.text in CLOSE or token.text == ">":
            depth -= 1
    if end is None:
        raise ScanError(f"an item does not end: {text[head : head + 60]!r}")
    item.head = text[head : end.start].strip()
    header = text[after_generics : (where or end).start].strip()
    if where:
        item.where = text[where.end : end.start].strip().rstrip(",")
    stop = end.end
    if end.text == "{":
        stop = closing(text, end.start) + 1
        item.body = text[end.end : stop - 1]
    _fill(item, header)
    return item, stop


def _angle_close(text: str, at: int) -> int:
    depth = 0
    for token in tokens(text, at):
        if token.text in OPEN or token.text == "<":
            depth += 1
        elif token.text in CLOSE or token.text == ">":
            depth -= 1
            if depth == 0:
                return token.start
    raise ScanError("a list of generics does not close")


def _fill(item: Item, header: str) -> None:
    body = item.body
    match item.kind:
        case "mod" | "trait":
            if body is not None:
                _, item.items = parse_items(body)
        case "impl":
            header = re.sub(r"^const\b\s*", "", header)
            split_at = find_outside(header, "for")
            while split_at is not None and _HIGHER_RANKED.match(header, split_at.end):
                skip = split_at.end
                later = find_outside(header[skip:], "for")
                split_at = later and Token("word", "for", later.start + skip, later.end + skip)
            if split_at:
                item.trait = header[: split_at.start].strip()
                item.self_type = header[split_at.end :].strip()
            else:
                item.self_type = header
            if body is not None:
                _, item.items = parse_items(body)
        case "struct" | "union":
            shape, inner = ("{", body) if body is not None else ("", "")
            if body is None and header.startswith("("):
                shape, inner = "(", header[1 : closing(header, 0)]
            item.variants = (Variant(item.name, shape, _fields(inner or "", shape), None),)
        case "enum":
            item.variants = _variants(body or "")
        case "fn":
            if body is not None:
                item.items = nested_items(body)
        case _:
            pass
