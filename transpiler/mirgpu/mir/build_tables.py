"""Builds the LALR(1) table from ``mir.lark`` with lark: ``python -m mirgpu.mir.build_tables``.

The table is written as JSON beside the grammar, so that parsing needs neither lark nor the
work of building it (most of a second).  States are numbered in the order in which they are
reached from the start symbols, terminals taken by name: the same grammar always gives the
same bytes, whatever the version of Python or lark.
"""

import json
import sys
import zlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lark.grammar import Rule

GRAMMAR = Path(__file__).with_name("mir.lark")
TABLE = Path(__file__).with_name("mir.table.json")

STARTS = (
    "type",
    "cover",
    "constant",
    "operand",
    "path",
    "fn_header",
    "typed_header",
    "local_decl",
    "debug_name",
    "debug_value",
    "inlined",
    "instance",
    "vtable",
    "statement",
    "terminator",
    "place",
    "rvalue",
)


def grammar_digest(grammar: str) -> int:
    """What the table records of the grammar that it was built from."""
    return zlib.crc32(grammar.encode())


def _rule(rule: "Rule") -> list[Any]:
    """``[origin, size, action, keep]`` of a rule.

    ``action`` names the function in ``actions.py``; "" passes the only child on, "*" makes a
    list for the parent to splice.  ``keep`` has an entry for each value the action gets: the
    child's index, -1 for an absent optional, and -2 - index for a list to be spliced.
    """
    keep: list[int] = []
    empty = rule.options.empty_indices or (False,) * len(rule.expansion)
    index = 0
    for absent in empty:
        if absent:
            keep.append(-1)
            continue
        symbol = rule.expansion[index]
        if not (symbol.is_term and getattr(symbol, "filter_out", False)):
            spliced = not symbol.is_term and symbol.name.startswith("_")
            keep.append(-2 - index if spliced else index)
        index += 1
    action = rule.alias or ("*" if rule.origin.name.startswith("_") else "")
    if action == "" and len(keep) != 1:
        raise ValueError(f"{rule.origin.name}: a rule without an action has one child: {rule}")
    return [rule.origin.name, len(rule.expansion), action, keep]


def build(grammar: str) -> dict[str, Any]:
    """The table of this grammar text, as plain data; what ``lalr.py`` reads.

    Raises lark's ``GrammarError`` where the grammar is wrong or has a reduce/reduce conflict.
    """
    from lark import Lark
    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    lark = Lark(grammar, parser="lalr", lexer="basic", start=list(STARTS), maybe_placeholders=True)
    table = lark.parser.parser._parse_table

    numbers: dict[int, int] = {}
    order: list[int] = []

    def number(state: int) -> int:
        if state not in numbers:
            numbers[state] = len(numbers)
            order.append(state)
        return numbers[state]

    rules: list[list[Any]] = []
    rule_numbers: dict[Rule, int] = {}
    states: list[dict[str, int]] = []
    starts = {name: number(table.start_states[name]) for name in STARTS}
    at = 0
    while at < len(order):
        row: dict[str, int] = {}
        for symbol, (action, argument) in sorted(table.states[order[at]].items()):
            if action is Shift:
                row[symbol] = number(argument)
                continue
            if argument not in rule_numbers:
                rule_numbers[argument] = len(rules)
                rules.append(_rule(argument))
            row[symbol] = -1 - rule_numbers[argument]
        states.append(row)
        at += 1
    literals: dict[str, str] = {}
    patterns: list[tuple[int, str, str]] = []
    for terminal in lark.terminals:
        if isinstance(terminal.pattern, PatternStr):
            literals[terminal.pattern.value] = terminal.name
        elif terminal.name not in lark.ignore_tokens:
            flags = "".join(sorted(terminal.pattern.flags))
            text = terminal.pattern.value
            patterns.append(
                (-terminal.priority, terminal.name, f"(?{flags}:{text})" if flags else text)
            )
    place = {name: grammar.find(f"\n{name}.") for _, name, _ in patterns}
    patterns.sort(key=lambda p: (p[0], place[p[1]]))
    return {
        "grammar": grammar_digest(grammar),
        "starts": starts,
        "ends": {name: numbers[table.end_states[name]] for name in STARTS},
        "states": states,
        "rules": rules,
        "literals": dict(sorted(literals.items())),
        "patterns": [[name, text] for _, name, text in patterns],
    }


def render(table: dict[str, Any]) -> str:
    """The table's file: JSON, one state, rule or terminal a line."""
    compact = (",", ":")
    lines = []
    for key, value in table.items():
        if isinstance(value, list):
            rows = ",\n".join(json.dumps(row, separators=compact) for row in value)
            lines.append(f"{json.dumps(key)}:[\n{rows}\n]")
        else:
            lines.append(f"{json.dumps(key)}:{json.dumps(value, separators=compact)}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> int:
    """Writes the table; says nothing when it was fresh."""
    text = render(build(GRAMMAR.read_text(encoding="utf-8")))
    if not TABLE.exists() or TABLE.read_text(encoding="utf-8") != text:
        TABLE.write_text(text, encoding="utf-8")
        print(f"wrote {TABLE}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
