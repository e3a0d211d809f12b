"""Each pass on small modules: ``PASS/NAME.before.kir`` becomes ``PASS/NAME.after.kir``.

``pipeline`` stands for all passes in order.
"""

from collections.abc import Callable
from pathlib import Path

import pytest

from mirgpu.kir.module import Module
from mirgpu.kir.parser import parse_module
from mirgpu.kir.printer import print_module
from mirgpu.kir.verifier import verify
from mirgpu.passes.pipeline import DEFAULT, run_passes

HERE = Path(__file__).parent
BEFORE = sorted(HERE.glob("*/*.before.kir"))
RUNS: dict[str, Callable[[Module], Module]] = {each.NAME: each.run for each in DEFAULT}
RUNS["pipeline"] = run_passes


@pytest.mark.parametrize("path", BEFORE, ids=[str(path.relative_to(HERE)) for path in BEFORE])
def test_before_and_after(path: Path, golden: Callable[[Path, str], None]) -> None:
    module = parse_module(path.read_text(encoding="utf-8"))
    verify(module)
    new = RUNS[path.parent.name](module)
    verify(new)
    golden(path.with_name(path.name.replace(".before.", ".after.")), print_module(new))


@pytest.mark.parametrize("path", BEFORE, ids=[str(path.relative_to(HERE)) for path in BEFORE])
def test_a_second_run_settles(path: Path) -> None:
    """A pass soon finds nothing left to do, and then gives back the very same module."""
    run = RUNS[path.parent.name]
    module = parse_module(path.read_text(encoding="utf-8"))
    for _ in range(3):
        module = run(module)
    assert run(module) is module


def test_each_pass_has_goldens() -> None:
    assert {path.parent.name for path in BEFORE} == set(RUNS)
