"""Reads one piece of MIR text with the LALR(1) table that lark made from ``mir.lark``.

The table is data (``build_tables.py``); this file is the loop that runs it.  lark itself is
imported only when the table beside the grammar does not belong to it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, final

from mirgpu.mir.actions import ACTIONS
from mirgpu.mir.build_tables import GRAMMAR, TABLE, build, grammar_digest
from mirgpu.mir.type_actions import RejectError

MAX_DEPTH = 120
"""Entries on the parser's stack: sixty levels of generic arguments, say.  What walks the
tree by recursion stays far from Python's own limit."""

_OPENED_BY_WORDS = frozenset({"statement", "terminator"})
"""The starts in which the grammar's quoted words stand."""

_PASS, _LIST, _CALL, _CALL_ALL, _CALL_SPLICED = range(5)


class PieceError(Exception):
    """Text that the grammar does not know.

    ``offset`` counts characters from the start of the piece; ``expected`` are the names of
    the terminals that could have stood there, none where the text is well formed but wrong.
    """

    def __init__(self, offset: int, why: str, expected: frozenset[str] = frozenset()) -> None:
        super().__init__(why)
        self.offset = offset
        self.why = why
        self.expected = expected


class TooDeepError(PieceError):
    """Brackets in brackets beyond ``MAX_DEPTH``: no other reading of the text will help."""


Token = tuple[str, str, int]
"""Terminal name, text, offset."""


@final
class Grammar:
    """A loaded table: a lexer and a parser for each start symbol of ``mir.lark``."""

    def __init__(self, table: Mapping[str, Any], actions: Mapping[str, Callable[..., Any]]) -> None:
        self._starts: dict[str, int] = table["starts"]
        self._ends: dict[str, int] = table["ends"]
        self._states: list[dict[str, int]] = table["states"]
        self._rules = [self._rule(rule, actions) for rule in table["rules"]]
        self.literals: dict[str, str] = table["literals"]
        words = [text for text in self.literals if text[0].isalpha()]
        marks = [text for text in self.literals if not text[0].isalpha()]
        alternatives = [
            *(f"(?P<{name}>{pattern})" for name, pattern in table["patterns"]),
            f"(?P<P>{_any_of(marks)})",
        ]
        self._master = re.compile(rf"\s*(?:{'|'.join(alternatives)})")
        alternatives.insert(0, rf"\A(?P<W>{_any_of(words)})")
        self._opening = re.compile(rf"\s*(?:{'|'.join(alternatives)})")

    @staticmethod
    def _rule(
        rule: tuple[str, int, str, list[int]], actions: Mapping[str, Callable[..., Any]]
    ) -> tuple[int, str, int, Any, list[int]]:
        origin, size, action, keep = rule
        if action == "":
            return (size, origin, _PASS, None, [size - keep[0]])
        if action == "*":
            return (size, origin, _LIST, None, keep)
        if keep == list(range(size)):
            return (size, origin, _CALL_ALL, actions[action], keep)
        mode = _CALL if min(keep, default=0) >= -1 else _CALL_SPLICED
        return (size, origin, mode, actions[action], keep)

    def tokens(
        self, start: str, text: str, at: int = 0, stop: int | None = None
    ) -> Iterator[Token]:
        """The tokens of a piece that is a ``start``, or of a part of it.

        Raises ``PieceError`` at a character that starts none.
        """
        if stop is None:
            stop = len(text)
        # Elsewhere a piece may begin with a name: of a function called `drop` or `returned`.
        pattern = self._opening if start in _OPENED_BY_WORDS else self._master
        match = pattern.scanner(text, at, stop).match  # type: ignore[attr-defined]
        literals = self.literals
        end = at
        while (m := match()) is not None:
            kind = m.lastgroup
            value = m[kind]
            end = m.end()
            if kind == "P" or kind == "W":
                kind = literals[value]
            yield kind, value, end - len(value)
        rest = text[end:stop].lstrip()
        if rest:
            raise PieceError(stop - len(rest), f"found {rest[0]!r}, which begins nothing here")

    def parse(self, start: str, text: str) -> Any:
        """The value of ``text`` as a ``start``; raises ``PieceError``."""
        return self.run(start, self.tokens(start, text), text)

    def run(self, start: str, tokens: Iterator[Token], text: str) -> Any:
        """As ``parse``, of tokens that were made already."""
        table = self._states
        rules = self._rules
        states = [self._starts[start]]
        values: list[Any] = []
        row = table[states[-1]]
        offset = 0
        try:
            for kind, value, offset in tokens:
                while (entry := row.get(kind)) is None or entry < 0:
                    if entry is None:
                        raise self._unexpected(row, value, offset)
                    row = self._reduce(rules[-1 - entry], states, values)
                states.append(entry)
                values.append(value)
                row = table[entry]
                if len(states) > MAX_DEPTH:
                    raise TooDeepError(offset, f"nested deeper than {MAX_DEPTH} levels")
            offset = len(text)
            end = self._ends[start]
            while True:
                entry = row.get("$END")
                if entry is None:
                    raise self._unexpected(row, "", offset)
                row = self._reduce(rules[-1 - entry], states, values)
                if states[-1] == end:
                    return values[-1]
        except RejectError as e:
            raise PieceError(offset, str(e)) from None
        except ValueError:  # int() refuses thousands of digits
            raise PieceError(offset, "a number is too long") from None

    def _reduce(self, rule: Any, states: list[int], values: list[Any]) -> dict[str, int]:
        size, origin, mode, action, keep = rule
        value: Any
        if mode == _PASS:
            value = values[-keep[0]]
            del values[-size:]
        else:
            if size:
                children = values[-size:]
                del values[-size:]
            else:
                children = []
            if mode == _CALL_ALL:
                value = action(*children)
            elif mode == _CALL:
                value = action(*[children[i] if i >= 0 else None for i in keep])
            else:
                value = []
                for i in keep:
                    if i >= 0:
                        value.append(children[i])
                    elif i == -1:
                        value.append(None)
                    else:
                        value += children[-2 - i]
                if mode == _CALL_SPLICED:
                    value = action(*value)
        if size:
            del states[-size:]
        state = self._states[states[-1]][origin]
        states.append(state)
        values.append(value)
        return self._states[state]

    @staticmethod
    def _unexpected(row: Mapping[str, int], value: str, offset: int) -> PieceError:
        what = f"found {value!r}" if value else "the text ends here"
        return PieceError(offset, what, frozenset(k for k in row if k.isupper()))


def _any_of(literals: list[str]) -> str:
    return "|".join(re.escape(text) for text in sorted(literals, key=lambda t: (-len(t), t)))


def load_table() -> dict[str, Any]:
    """The table beside the grammar if it belongs to it, else a new one made with lark."""
    grammar = GRAMMAR.read_text(encoding="utf-8")
    try:
        table: dict[str, Any] = json.loads(TABLE.read_bytes())
    except (OSError, ValueError):
        return build(grammar)
    return table if table.get("grammar") == grammar_digest(grammar) else build(grammar)


@cache
def grammar() -> Grammar:
    """The grammar with the actions that make ``mir.syntax`` nodes; loaded once."""
    return Grammar(load_table(), ACTIONS)
