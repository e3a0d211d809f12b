"""Tokens of Rust source as rustc's pretty-printer writes it, and brackets that match."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

_ATOM = r"""
    (?P<skip>\s+|//[^\n]*)
  | (?P<comment>/\*)
  | (?P<string>[bc]?"(?:[^"\\]|\\.)*"|[bc]?r(?P<hash>\#*)".*?"(?P=hash))
  | (?P<char>b?'(?:[^'\\]|\\[^']+|\\')')
  | (?P<life>'(?:r\#)?\w+)
  | (?P<word>(?:r\#)?[^\W\d]\w*)
  | (?P<number>\d\w*)
  | (?P<mark>->|=>|::|.)
"""
_TOKEN = re.compile(_ATOM, re.X | re.S)
_NEXT_BRACKET = re.compile(
    r"""//[^\n]*|/\*|[bc]?"(?:[^"\\]|\\.)*"|\b[bc]?r(\#*)".*?"\1|b?'(?:[^'\\]|\\[^']+|\\')'"""
    r"|[()\[\]{}]",
    re.X | re.S,
)
_COMMENT_EDGE = re.compile(r"/\*|\*/")
OPEN, CLOSE = frozenset("([{"), frozenset(")]}")


class ScanError(ValueError):
    """The text is not what the pretty-printer of a known rustc writes."""


@final
@dataclass(frozen=True, slots=True)
class Token:
    kind: str
    text: str
    start: int
    end: int


def skip_comment(text: str, at: int) -> int:
    """The end of the block comment that starts at ``at``; they nest."""
    depth, at = 1, at + 2
    while depth:
        edge = _COMMENT_EDGE.search(text, at)
        if edge is None:
            raise ScanError("a block comment does not end")
        depth += 1 if edge[0] == "/*" else -1
        at = edge.end()
    return at


def tokens(text: str, at: int = 0) -> Iterator[Token]:
    """Tokens from ``at``, without white space and comments."""
    size = len(text)
    while at < size:
        found = _TOKEN.match(text, at)
        assert found is not None
        kind = found.lastgroup
        if kind == "hash":
            kind = "string"
        if kind == "comment":
            at = skip_comment(text, at)
            continue
        at = found.end()
        if kind != "skip":
            yield Token(str(kind), found[0], found.start(), at)


def closing(text: str, at: int) -> int:
    """The position of the bracket that closes the one at ``at``."""
    depth = 0
    while True:
        found = _NEXT_BRACKET.search(text, at)
        if found is None:
            raise ScanError("a bracket does not close")
        at = found.end()
        if found[0] == "/*":
            at = skip_comment(text, found.start())
        elif found[0] in OPEN:
            depth += 1
        elif found[0] in CLOSE:
            depth -= 1
            if depth == 0:
                return found.start()


def split(text: str, *, angles: bool = True) -> list[str]:
    """The parts between commas outside brackets (``angles``: and outside ``<>``)."""
    parts, depth, start = [], 0, 0
    for token in tokens(text):
        if token.text in OPEN or (angles and token.text == "<"):
            depth += 1
        elif token.text in CLOSE or (angles and token.text == ">"):
            depth -= 1
        elif token.text == "," and depth == 0:
            parts.append(text[start : token.start].strip())
            start = token.end
    last = text[start:].strip()
    return [*parts, last] if last else parts


def find_outside(text: str, *wanted: str, angles: bool = True) -> Token | None:
    """The first of the wanted tokens outside all brackets."""
    depth = 0
    for token in tokens(text):
        if depth == 0 and token.text in wanted:
            return token
        if token.text in OPEN or (angles and token.text == "<"):
            depth += 1
        elif token.text in CLOSE or (angles and token.text == ">"):
            depth -= 1
    return None


def strip_attributes(text: str) -> tuple[list[str], str]:
    """Leading ``#[…]`` and doc comments off: (attributes, rest)."""
    attrs: list[str] = []
    while True:
        first = next(tokens(text), None)
        if first is None:
            return attrs, ""
        if first.text != "#":
            return attrs, text[first.start :]
        opening = text.index("[", first.end)
        end = closing(text, opening)
        attrs.append(text[opening + 1 : end].strip())
        text = text[end + 1 :]
