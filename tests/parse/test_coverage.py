"""The tests' texts reach every rule of the grammar, every node class and every enum member."""

import inspect
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import pytest
from tests.parse import pieces
from tests.parse.test_allocs import ALLOCS
from tests.parse.test_dump import ODDITIES
from tests.parse.text import DUMPS

from mirgpu.mir import lalr, syntax
from mirgpu.mir import pieces as pieces_module
from mirgpu.mir.parser import parse_file


def _walk(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for part in value:
            yield from _walk(part)
    elif is_dataclass(value):
        yield value
        for f in fields(value):
            yield from _walk(getattr(value, f.name))
    elif isinstance(value, Enum):
        yield value


@pytest.fixture(scope="module")
def seen() -> tuple[set[Any], set[int]]:
    """(node classes and enum members, numbers of rules) that the texts give."""
    nodes: set[Any] = set()
    rules: set[int] = set()
    grammar = lalr.grammar()
    numbers = {id(rule): i for i, rule in enumerate(grammar._rules)}
    reduce = lalr.Grammar._reduce

    def recording(self: lalr.Grammar, rule: Any, states: Any, values: Any) -> Any:
        rules.add(numbers[id(rule)])
        return reduce(self, rule, states, values)

    pieces_module._plans.clear()
    pieces_module._values.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(lalr.Grammar, "_reduce", recording)
        values: list[Any] = [parse_file(p.read_text(encoding="utf-8"), p.name) for p in DUMPS]
        values.append(parse_file(ODDITIES, "f"))
        values.append(parse_file(ALLOCS, "f"))
        for start, texts in (
            ("type", pieces.TYPES),
            ("path", pieces.PATHS),
            ("instance", pieces.INSTANCES),
            ("constant", pieces.CONSTANTS),
            ("place", pieces.PLACES),
            ("rvalue", pieces.RVALUES),
            ("operand", ["copy _1"]),
            ("fn_header", ["f() -> ()\nyields ()"]),
            ("statement", pieces.STATEMENTS),
            ("terminator", pieces.TERMINATORS),
        ):
            values += [pieces_module.parse_piece(start, text, "f", 1, 1) for text in texts]
        lines = "\n    ".join(pieces.BODY_LINES)
        body = f"fn f() -> () {{\n    {lines}\n\n    bb0: {{\n        return;\n    }}\n}}\n"
        values.append(parse_file(body, "f"))
    for value in values:
        for node in _walk(value):
            nodes.add(node if isinstance(node, Enum) else type(node))
    return nodes, rules


def test_every_node_class_and_enum_member_is_made(seen: tuple[set[Any], set[int]]) -> None:
    wanted: set[Any] = set()
    for _, cls in inspect.getmembers(syntax, inspect.isclass):
        if cls.__module__ != syntax.__name__:
            continue
        if issubclass(cls, Enum):
            wanted.update(cls)
        else:
            wanted.add(cls)
    assert wanted - seen[0] == set()


def test_every_rule_is_reached(seen: tuple[set[Any], set[int]]) -> None:
    rules = lalr.load_table()["rules"]
    missing = [f"{r[0]} -> {r[2]} {r[3]}" for i, r in enumerate(rules) if i not in seen[1]]
    assert missing == [], "\n".join(missing)
