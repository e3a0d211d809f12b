"""Reads pieces that hold source text which rustc prints as it stands.

An array length may be the source of an anonymous constant (``[u8; { N + 1 }]``), an
argument-position ``impl Trait`` any bound syntax.  When a piece does not parse, each such
place is tried alone; where the grammar does not know its text, it becomes one token.
"""

from collections.abc import Iterator
from typing import Any

from mirgpu.mir.lalr import Grammar, PieceError, Token, grammar

_CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def parse_verbatim(start: str, text: str, error: PieceError) -> Any:
    """The value of ``text`` as a ``start``; raises ``error`` if no source text explains it."""
    g = grammar()
    try:
        tokens = list(_tokens(g, text))
    except PieceError:
        raise error from None
    if not any(kind in ("VERBATIM", "VERBATIM_TYPE") for kind, _, _ in tokens):
        raise error
    return g.run(start, iter(tokens), text)


def _tokens(g: Grammar, text: str) -> Iterator[Token]:
    """The tokens of ``text``, source text replaced by one token each."""
    at = 0
    while at < len(text):
        place = _next_place(text, at)
        if place is None:
            yield from g.tokens(text, at, len(text))
            return
        begin, end, kind = place
        yield from g.tokens(text, at, begin)
        inner = text[begin:end]
        start, token = ("type", "VERBATIM_TYPE") if kind == "impl" else ("constant", "VERBATIM")
        try:
            g.parse(start, inner)
            yield from g.tokens(text, begin, end)
        except PieceError:
            try:
                nested = list(_tokens(g, inner)) if kind == "impl" else []
                g.run(start, iter(nested), inner)
                yield from ((k, v, o + begin) for k, v, o in nested)
            except PieceError:
                yield token, inner, begin
        at = end


def _next_place(text: str, at: int) -> tuple[int, int, str] | None:
    """The next array length or ``impl`` type from ``at``: its begin, end and kind."""
    quoted = False
    i = at
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif text.startswith("; ", i):
            return i + 2, _close(text, i + 2, "]"), "length"
        elif text.startswith("impl ", i) and (i == 0 or text[i - 1] in " (<&"):
            return i, _close(text, i, ",)>;]="), "impl"
        i += 1
    return None


def _close(text: str, at: int, ends: str) -> int:
    """Where the text from ``at`` ends: at one of ``ends`` outside all brackets."""
    expected: list[str] = []
    quoted = False
    i = at
    while i < len(text):
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif text.startswith(("->", "=>"), i):
            i += 1
        elif not expected and c in ends:
            return i
        elif c in "([{" or (c == "<" and "]" not in ends[:1]):
            expected.append(_CLOSERS[c])
        elif expected and c == expected[-1]:
            expected.pop()
        i += 1
    return len(text)
