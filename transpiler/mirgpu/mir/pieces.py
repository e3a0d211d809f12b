"""Parses the pieces of a dump: a type, a path, a statement, …; remembers what it has seen.

Statements are remembered by shape, their text without the numbers of locals and blocks: a
kernel of a thousand statements has a few dozen shapes.  A shape is parsed once, with a number
far beyond any real one in each place; the tree becomes a plan that is built anew with the
numbers of each statement.
"""

import re
from dataclasses import fields, is_dataclass
from typing import Any, NoReturn

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.mir import syntax as s
from mirgpu.mir.lalr import PieceError, TooDeepError, grammar
from mirgpu.mir.names import expectation
from mirgpu.mir.verbatim import parse_verbatim

_NUMBER = re.compile(r"(?<!\w)(_|bb)(\d+)(?!\w)")
_BASE = 10**40
"""Above every number that MIR can hold: a number from here on stands for a hole."""

MAX_REMEMBERED = 50_000
"""Pieces of each kind that are remembered before all are forgotten."""

Plan = tuple[Any, ...]
"""``(value,)``, ``(None, hole)`` or ``(None, class, plans)``; a tuple's class is ``tuple``."""

_plans: dict[tuple[str, str], Plan | None] = {}
_values: dict[tuple[str, str], Any] = {}


def fail(
    code: str, title: str, file: str, line: int, col: int, piece: str, *notes: str
) -> NoReturn:
    """Stops with a diagnostic at a place in the dump."""
    raise DiagnosticError(
        Diagnostic(code, title, file=file, line=line, col=col, mir=piece or None, notes=notes)
    )


def parse_piece(start: str, text: str, file: str, line: int, col: int) -> Any:
    """The value of ``text`` as a ``start``, which stands at this place of ``file``."""
    key = (start, text)
    value = _values.get(key)
    if value is None:
        try:
            value = _parse(start, text)
        except PieceError as e:
            _report(e, start, text, file, line, col)
        if len(_values) >= MAX_REMEMBERED:
            _values.clear()
        _values[key] = value
    return value


def parse_statement(
    start: str, text: str, source: s.SourceInfo | None, file: str, line: int, col: int
) -> Any:
    """A ``statement`` or ``terminator``, by its shape."""
    key = (start, _NUMBER.sub(r"\1", text))
    try:
        plan = _plans[key]
    except KeyError:
        plan = _make_plan(start, text)
        if len(_plans) >= MAX_REMEMBERED:
            _plans.clear()
        _plans[key] = plan
    if plan is None:
        node = parse_piece(start, text, file, line, col)
        if source is None:
            return node
        values = [getattr(node, f.name) for f in fields(node)]
        return type(node)(*values[:-1], source)
    return _build(plan, [int(n) for _, n in _NUMBER.findall(text)], source)


def _parse(start: str, text: str) -> Any:
    try:
        return grammar().parse(start, text)
    except PieceError as e:
        if isinstance(e, TooDeepError):
            raise
        if "; " not in text and "impl " not in text and "{ " not in text:
            raise
        return parse_verbatim(start, text, e)


def _make_plan(start: str, text: str) -> Plan | None:
    """The plan of a shape; none if it does not parse, or has a number that is no hole."""
    count = 0

    def hole(m: re.Match[str]) -> str:
        nonlocal count
        count += 1
        return f"{m[1]}{_BASE + count - 1}"

    try:
        node = _parse(start, _NUMBER.sub(hole, text))
    except PieceError:
        return None
    holes: list[int] = []
    values = [getattr(node, f.name) for f in fields(node)][:-1]
    plan = (None, type(node), [_plan(value, holes) for value in values])
    return plan if sorted(holes) == list(range(count)) else None


def _plan(value: Any, holes: list[int]) -> Plan:
    if type(value) is int and value >= _BASE:
        holes.append(value - _BASE)
        return (None, value - _BASE)
    if type(value) is tuple:
        parts = [_plan(v, holes) for v in value]
        return (value,) if all(len(p) == 1 for p in parts) else (None, tuple, parts)
    if is_dataclass(value):
        parts = [_plan(getattr(value, f.name), holes) for f in fields(value)]
        return (value,) if all(len(p) == 1 for p in parts) else (None, type(value), parts)
    return (value,)


def _build(plan: Plan, numbers: list[int], source: s.SourceInfo | None) -> Any:
    _, cls, parts = plan
    return cls(*[p[0] if len(p) == 1 else _fill(p, numbers) for p in parts], source)


def _fill(plan: Plan, numbers: list[int]) -> Any:
    if len(plan) == 2:
        return numbers[plan[1]]
    _, cls, parts = plan
    values = [p[0] if len(p) == 1 else _fill(p, numbers) for p in parts]
    return tuple(values) if cls is tuple else cls(*values)


def _report(e: PieceError, start: str, text: str, file: str, line: int, col: int) -> NoReturn:
    before = text[: e.offset]
    newlines = before.count("\n")
    if newlines:
        line, col = line + newlines, len(before) - before.rfind("\n")
    else:
        col += e.offset
    what = start.replace("_", " ")
    notes = (f"expected {expectation(e.expected)}",) if e.expected else ()
    shown = text if len(text) <= 400 else text[:400] + " …"
    fail("MG0102", f"cannot read this {what}: {e.why}", file, line, col, shown, *notes)
