"""Whole dumps, of every kind rustc makes: they parse, and print back line by line."""

from pathlib import Path

import pytest
from tests.parse.text import DUMPS, alloc_lines, item_text, normal_lines

from mirgpu.mir.dump import Dump
from mirgpu.mir.parser import parse_file
from mirgpu.mir.printer import print_alloc, print_file, print_item

by_name = pytest.mark.parametrize("path", DUMPS, ids=lambda p: p.name)


@by_name
def test_items_print_back(path: Path) -> None:
    dump = Dump(path.read_text(encoding="utf-8"), path.name)
    for header in dump.headers:
        printed = print_item(dump.item(header))
        assert normal_lines(printed) == normal_lines(item_text(dump, header))


@by_name
def test_allocations_print_back(path: Path) -> None:
    dump = Dump(path.read_text(encoding="utf-8"), path.name)
    for name in dump.allocs:
        printed = print_alloc(dump.allocs[name]).split("\n")
        assert [line.rstrip() for line in printed] == alloc_lines(dump, name)


@by_name
def test_what_is_printed_parses_to_the_same(path: Path) -> None:
    file = parse_file(path.read_text(encoding="utf-8"), path.name)
    assert parse_file(print_file(file), path.name) == file


def test_spans_print_back() -> None:
    path = next(p for p in DUMPS if "spans" in p.name)
    dump = Dump(path.read_text(encoding="utf-8"), path.name)
    comments = 0
    for header in dump.headers:
        printed = normal_lines(print_item(dump.item(header)), comments=True)
        wanted = normal_lines(item_text(dump, header), comments=True)
        comments += sum(" at shapes.rs:" in line for line in wanted)
        assert printed == wanted
    assert comments > 1000
