"""Splits a dump into items, by line starts alone, and parses an item when it is asked for."""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from functools import cached_property
from typing import final

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.mir import syntax as s
from mirgpu.mir.body import parse_body
from mirgpu.mir.pieces import fail, parse_piece
from mirgpu.node import node

TRAILER = "// mirgpu: "
"""Opens the lines behind a self-contained dump that hold what the MIR lacks, as JSON."""

_SPAN = r"<impl at [^\n]*?:\d+:\d+: \d+:\d+(?: \(#\d+\))?>"
_PATH = rf"(?:{_SPAN}|\{{[^}}\n]*\}}|::|[^:<{{\n])+?"
_START = re.compile(
    r"^(?:(?P<fn>fn )|(?P<const>const )|(?P<static>static (?:mut )?)"
    r"|(?P<alloc>(?:alloc|ALLOC)\d+) \(|(?P<anon>(?=[^\s/|}][^\n]*= \{$)))",
    re.MULTILINE,
)
_FN_PATH = re.compile(r"(?P<path>[^\n]*?)(?=\(_1: |\(\) -> )")
_TYPED_PATH = re.compile(rf"(?P<path>{_PATH})(?=: )")
_CTFE = "// MIR FOR CTFE\n"


class ItemKind(Enum):
    """What the header says: ``fn``, ``const``, ``static``, or nothing (``anon``)."""

    FN = "fn"
    CONST = "const"
    STATIC = "static"
    ANON = "anon"


@final
@node
class ItemHeader:
    """An item before it is parsed.

    ``path`` is printed text; ``line`` counts from 1; ``ctfe`` marks the second printing of a
    ``const fn``; ``index`` is the item's place in the dump; ``begin`` and ``end`` bound its
    text.
    """

    kind: ItemKind
    path: str
    line: int
    ctfe: bool
    index: int
    begin: int
    end: int


@final
@node
class _AllocText:
    name: str
    line: int
    begin: int
    end: int


@final
class Dump:
    """The text of a dump, its items' headers, and the items as they are asked for.

    Raises ``DiagnosticError`` where the text is no MIR dump at all.
    """

    def __init__(self, text: str, file: str) -> None:
        self.text = text
        self.file = file
        self._items: dict[int, s.Item] = {}
        headers: list[ItemHeader] = []
        self._allocs: dict[str, _AllocText] = {}
        line, counted = 1, 0
        starts = list(self._starts(text))
        for i, m in enumerate(starts):
            begin = m.start()
            end = starts[i + 1].start() if i + 1 < len(starts) else len(text)
            line += text.count("\n", counted, begin)
            counted = begin
            if m["alloc"] is not None:
                # A static without its bytes may stand before the same one with them.
                before = self._allocs.get(m["alloc"])
                if before is None or "size: " not in text[before.begin : before.end]:
                    self._allocs[m["alloc"]] = _AllocText(m["alloc"], line, begin, end)
                continue
            kind = ItemKind(m.lastgroup)
            path = (_FN_PATH if kind is ItemKind.FN else _TYPED_PATH).match(text, m.end())
            if path is None:
                shown = text[begin : text.find("\n", begin)]
                fail("MG0101", "cannot read this item's header", file, line, 1, shown[:400])
            ctfe = text.endswith(_CTFE, 0, begin)
            headers.append(ItemHeader(kind, path["path"], line, ctfe, len(headers), begin, end))
        self.headers = tuple(headers)
        if not headers:
            self._refuse()

    @staticmethod
    def _starts(text: str) -> Iterator[re.Match[str]]:
        """Line starts that open an item or allocation.

        Above one stands a blank or comment line, and above those a line that ends another
        item: anything else is part of an asm template.
        """
        for m in _START.finditer(text):
            at = m.start()
            if at == 0 or text.endswith("\n}\n\n", 0, at):
                yield m
                continue
            end = at - 1
            while end > 0:
                begin = text.rfind("\n", 0, end) + 1
                above = text[begin:end]
                if above and not above.startswith(("//", "|")):
                    break
                end = begin - 1
            else:
                above = ""
            if above[:1] not in (" ", "\t") and (end < at - 1 or above == "}" or "*/" in above):
                yield m

    def _refuse(self) -> None:
        """Text without a single item: says what is wrong with it."""
        text = self.text
        if not text.strip():
            title = "the dump is empty"
        elif "\0" in text:
            title = "this is binary data, not the text of MIR"
        else:
            title = "this is not a MIR dump: it holds no function, constant or static"
        raise DiagnosticError(
            Diagnostic(
                "MG0101",
                title,
                file=self.file,
                line=1,
                col=1,
                helps=("make one with `rustc -Zunpretty=mir`",),
            )
        )

    @cached_property
    def _by_path(self) -> dict[str, tuple[ItemHeader, ...]]:
        found: dict[str, tuple[ItemHeader, ...]] = {}
        for header in self.headers:
            if not header.ctfe:
                found[header.path] = (*found.get(header.path, ()), header)
        return found

    def find(self, path_text: str) -> tuple[ItemHeader, ...]:
        """The items of this path as their headers print it, CTFE copies left out."""
        return self._by_path.get(path_text, ())

    def item(self, header: ItemHeader) -> s.Item:
        """The item behind a header of this dump, parsed on first use.

        Raises ``DiagnosticError`` (MG01xx) with the place in the dump.
        """
        item = self._items.get(header.index)
        if item is None:
            try:
                item = self._items[header.index] = self._parse(header)
            except ValueError:  # int() refuses thousands of digits
                fail("MG0102", "a number in this item is too long", self.file, header.line, 1, "")
        return item

    def _parse(self, header: ItemHeader) -> s.Item:
        text = self.text[header.begin : header.end]
        file, line = self.file, header.line
        brace = _end_of_header(text)
        if brace is None:
            return self._one_line_const(header, text)
        head = text[:brace].rstrip()
        end = (text + "\n").rfind("\n}\n")
        if end < brace:
            fail("MG0103", "this item does not end", file, line, 1, head[:400])
        lines = text[brace + 2 : end].split("\n") if end > brace + 1 else []
        first = line + text.count("\n", 0, brace + 2)
        body = parse_body(lines, first, file)
        if header.kind is ItemKind.FN:
            path, params, ret, yields = parse_piece("fn_header", head[3:], file, line, 4)
            return s.FnItemDef(path, params, ret, body, yields, header.ctfe)
        word = {
            ItemKind.CONST: "const ",
            ItemKind.STATIC: "static mut " if head.startswith("static mut ") else "static ",
            ItemKind.ANON: "",
        }[header.kind]
        typed = head[len(word) :].removesuffix("=").rstrip()
        path, ty, _ = parse_piece("typed_header", typed, file, line, len(word) + 1)
        match header.kind:
            case ItemKind.CONST:
                return s.ConstItemDef(path, ty, body)
            case ItemKind.STATIC:
                return s.StaticItemDef(path, word == "static mut ", ty, body)
            case _:
                return s.AnonItemDef(path, ty, body)

    def _one_line_const(self, header: ItemHeader, text: str) -> s.Item:
        """``const P: T = const V;``"""
        code = text[: (text + "\n").find(";\n") + 1]
        if header.kind is not ItemKind.CONST or not code:
            shown = text[: text.find("\n")][:400]
            fail("MG0101", "cannot read this item's header", self.file, header.line, 1, shown)
        path, ty, value = parse_piece("typed_header", code[6:-1], self.file, header.line, 7)
        return s.ConstItemDef(path, ty, None, value)

    @cached_property
    def allocs(self) -> Mapping[str, s.Alloc]:
        """The allocations printed behind the items, parsed on first use, by name."""
        from mirgpu.mir.allocs import Allocs

        return Allocs(
            {name: (a.line, self.text[a.begin : a.end]) for name, a in self._allocs.items()},
            self.file,
        )

    @cached_property
    def trailer(self) -> str | None:
        """The JSON of a self-contained dump: the text of its trailing comment lines."""
        at = self.text.rfind("\n" + TRAILER)
        if at < 0:
            return None
        lines: list[str] = []
        tail = self.text
        while at >= 0:
            end = tail.find("\n", at + 1)
            rest = tail[end:] if end >= 0 else ""
            if lines == [] and rest.strip():
                return None
            lines.append(tail[at + 1 + len(TRAILER) : end if end >= 0 else len(tail)])
            tail = tail[: at + 1]
            above = tail.rfind("\n", 0, at)
            at = above if tail.startswith(TRAILER, above + 1) else -1
        return "".join(reversed(lines))


def _end_of_header(text: str) -> int | None:
    """Where the ``{`` that opens the body stands: at the end of the first line, in general."""
    end = text.find("\n")
    line = text[: end if end >= 0 else len(text)].rstrip()
    if line.endswith(" {"):
        return len(line) - 1
    if line.endswith(";") or end < 0:
        return None
    at = text.find(" {\n")
    return at + 1 if at >= 0 else None
