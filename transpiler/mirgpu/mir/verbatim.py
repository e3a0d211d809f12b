"""Reads pieces that hold source text which rustc prints as it stands.

An array length or generic argument may be the source of an anonymous constant
(``[u8; { N + 1 }]``), an argument-position ``impl Trait`` any bound syntax.  When a piece does
not parse, each such place is tried alone; where the grammar does not know its text, it becomes
one token.
"""

import re
from collections.abc import Iterator
from typing import Any

from mirgpu.mir.lalr import Grammar, PieceError, Token, grammar

_MAX_DEPTH = 8
"""Levels of ``impl`` types in each other that are looked into."""

_IMPL = re.compile(r"impl (?!at )")
_CLOSERS = {"(": ")", "[": "]", "{": "}", "<": ">"}


def parse_verbatim(start: str, text: str, error: PieceError) -> Any:
    """The value of ``text`` as a ``start``; raises ``error`` if no source text explains it."""
    g = grammar()
    try:
        tokens = list(_tokens(g, start, text, 0, len(text), 0))
    except PieceError:
        raise error from None
    if not any(kind in ("VERBATIM", "VERBATIM_TYPE") for kind, _, _ in tokens):
        raise error
    try:
        return g.run(start, iter(tokens), text)
    except PieceError:
        raise error from None


def _tokens(g: Grammar, start: str, text: str, at: int, stop: int, depth: int) -> Iterator[Token]:
    """The tokens of a part of ``text``, a ``start``, with source text as one token each."""
    while at < stop:
        place = _next_place(text, at, stop)
        if place is None:
            yield from g.tokens(start, text, at, stop)
            return
        begin, end, kind = place
        yield from g.tokens(start, text, at, begin)
        inner, token = ("cover", "VERBATIM_TYPE") if kind == "impl" else ("constant", "VERBATIM")
        yield from _known(g, inner, text, begin, end, depth) or [(token, text[begin:end], begin)]
        at = end


def _known(g: Grammar, start: str, text: str, begin: int, end: int, depth: int) -> list[Token]:
    """The tokens of a place that the grammar does know; none if it does not."""
    try:
        tokens = list(g.tokens(start, text, begin, end))
        g.run(start, iter(tokens), text)
    except PieceError:
        if start == "constant" or depth >= _MAX_DEPTH:
            return []
    else:
        return tokens
    word = len("impl ")
    try:
        tokens = [*g.tokens(start, text, begin, begin + word)]
        tokens += _tokens(g, start, text, begin + word, end, depth + 1)
        g.run(start, iter(tokens), text)
    except PieceError:
        return []
    return tokens


def _next_place(text: str, at: int, stop: int) -> tuple[int, int, str] | None:
    """The next array length, ``impl`` type or block of code from ``at``: begin, end, kind."""
    quoted = False
    i = at
    while i < stop:
        c = text[i]
        if quoted:
            if c == "\\":
                i += 1
            elif c == '"':
                quoted = False
        elif c == '"':
            quoted = True
        elif text.startswith("; ", i) and _in_square(text, i):
            return i + 2, min(_close(text, i + 2, "]"), stop), "length"
        elif _IMPL.match(text, i) and (i == 0 or text[i - 1] in " (<&"):
            return i, min(_close(text, i, ",)>;]="), stop), "impl"
        elif text.startswith("{ ", i) and (text[i - 1 : i] == "<" or text[i - 2 : i] == ", "):
            return i, min(_close(text, i + 1, "}") + 1, stop), "block"
        i += 1
    return None


def _in_square(text: str, at: int) -> bool:
    """Whether the innermost bracket around ``at`` is a square one, not ``wrap_binder!(``."""
    depth = 0
    for i in range(at - 1, -1, -1):
        if text[i] in ")]":
            depth += 1
        elif text[i] in "([":
            if depth == 0:
                return text[i] == "["
            depth -= 1
    return False


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
