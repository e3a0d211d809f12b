"""Third-party dumps, read in place where they are: every item parses and prints back.

A seeded sample by default; ``MIRGPU_CORPUS=all`` takes every item of every file.
"""

import lzma
import os
import random
from pathlib import Path

import pytest
from tests.parse.text import alloc_lines, item_text, normal_lines

from mirgpu.mir.dump import Dump
from mirgpu.mir.printer import print_alloc, print_item

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"
ALL = os.environ.get("MIRGPU_CORPUS") == "all"
SEED = 20260101
SAMPLE_FILES, SAMPLE_ITEMS, SAMPLE_ALLOCS = 24, 12, 5

HOLES = {
    # Printed with -Zverbose-internals, which turns every constant inside out.
    "nll__region_subtyping_basic.main.nll.0.64bit.mir": 1,
}
"""Files with items that cannot be read, and how many."""


def _files() -> list[Path]:
    found = sorted([*CORPUS.glob("**/*.mir"), *CORPUS.glob("**/*.mir.xz")])
    if ALL or len(found) <= SAMPLE_FILES:
        return found
    return sorted(random.Random(SEED).sample(found, SAMPLE_FILES))


def _text(path: Path) -> str:
    data = path.read_bytes()
    return (lzma.decompress(data) if path.suffix == ".xz" else data).decode()


@pytest.mark.skipif(not CORPUS.is_dir(), reason="no third-party dumps here (../shared/corpus)")
@pytest.mark.parametrize("path", _files() or [None], ids=lambda p: p.name if p else "none")
def test_corpus(path: Path) -> None:
    dump = Dump(_text(path), path.name)
    headers, allocs = list(dump.headers), list(dump.allocs)
    if not ALL:
        rng = random.Random(SEED)
        headers = rng.sample(headers, min(SAMPLE_ITEMS, len(headers)))
        allocs = rng.sample(allocs, min(SAMPLE_ALLOCS, len(allocs)))
    failed = []
    for header in headers:
        try:
            item = dump.item(header)
        except Exception as e:
            failed.append(f"{path.name}:{header.line}: {e}")
            continue
        printed = print_item(item)
        assert normal_lines(printed) == normal_lines(item_text(dump, header))
        (again,) = Dump(printed, path.name).headers
        assert Dump(printed, path.name).item(again) == item
    assert len(failed) <= HOLES.get(path.name, 0), "\n".join(failed)
    for name in allocs:
        printed_rows = [row.rstrip() for row in print_alloc(dump.allocs[name]).split("\n")]
        assert _drawn(name, printed_rows) == _drawn(name, alloc_lines(dump, name))


def _drawn(name: str, rows: list[str]) -> list[str]:
    """Rows to compare; where rustc's test suite renamed allocations, widths are off."""
    if not name.startswith("ALLOC"):
        return rows
    return ["".join(row.replace("─", "").split()) for row in rows]
