"""The prebuilt LALR table: fresh, the same bytes wherever it is built, and enough by itself."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.parse import pieces
from tests.parse.text import DATA

from mirgpu.mir import build_tables, lalr
from mirgpu.mir.actions import ACTIONS


def test_the_table_belongs_to_the_grammar() -> None:
    grammar = build_tables.GRAMMAR.read_text(encoding="utf-8")
    table = build_tables.render(build_tables.build(grammar))
    assert build_tables.TABLE.read_text(encoding="utf-8") == table, (
        "run python -m mirgpu.mir.build_tables"
    )


@pytest.mark.parametrize("seed", ["0", "1", "4711"])
def test_the_table_does_not_depend_on_the_hash_seed(seed: str) -> None:
    code = (
        "from mirgpu.mir.build_tables import *;"
        "import sys; sys.stdout.buffer.write(render(build(GRAMMAR.read_text('utf-8'))).encode())"
    )
    built = subprocess.run(
        [sys.executable, "-c", code],
        env={"PYTHONHASHSEED": seed, "PATH": ""},
        capture_output=True,
        check=True,
    )
    assert built.stdout == build_tables.TABLE.read_bytes()


def test_the_command_writes_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    table = tmp_path / "table.json"
    monkeypatch.setattr(build_tables, "TABLE", table)
    assert build_tables.main() == 0
    assert table.read_bytes() == lalr.TABLE.read_bytes()


@pytest.mark.parametrize("content", [None, b"", b"{}", b"\xff", b'{"grammar":1}'])
def test_a_missing_or_stale_table_is_built_again(
    content: bytes | None, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    table = tmp_path / "table.json"
    if content is not None:
        table.write_bytes(content)
    monkeypatch.setattr(lalr, "TABLE", table)
    assert lalr.load_table() == json.loads(build_tables.TABLE.read_bytes())


def test_every_alias_has_an_action_and_the_other_way_round() -> None:
    used = {rule[2] for rule in lalr.load_table()["rules"]} - {"", "*"}
    assert used == set(ACTIONS)


def test_parsing_needs_no_lark() -> None:
    code = (
        "import sys;"
        "from mirgpu.mir.parser import parse_file;"
        f"parse_file(open({str(DATA / 'shapes.O0.mir')!r}, encoding='utf-8').read(), 'f');"
        "print(sorted({'lark', 'numpy', 'rich', 'jinja2'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_lark_itself_reads_the_same_language() -> None:
    """lark's own parser, fed with the tokens, agrees with the loop that runs its table."""
    from lark import Lark, Token
    from lark.lexer import Lexer

    grammar = lalr.grammar()

    class Ours(Lexer):
        def __init__(self, _: object) -> None:
            pass

        def lex(self, text: object) -> object:  # type: ignore[override]
            tokens = grammar.tokens(start, str(text))
            return (Token(kind, value) for kind, value, _ in tokens)

    lark = Lark(
        build_tables.GRAMMAR.read_text(encoding="utf-8"),
        parser="lalr",
        lexer=Ours,
        start=["statement", "terminator"],
    )
    for start, texts in (("statement", pieces.STATEMENTS), ("terminator", pieces.TERMINATORS)):
        for text in texts:
            if "; {" not in text and "N * 2" not in text:  # source text is cut out beforehand
                lark.parse(text, start=start)
