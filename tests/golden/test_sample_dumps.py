"""The committed ``samples/*.mir`` are what rustc prints today, and give the same PTX."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.sample_cases import CASES, SAMPLES

from mirgpu.driver import Options, transpile
from mirgpu.mir.dump import Dump
from mirgpu.outputs import self_contained
from mirgpu.rustc import find_rustc, read_trailer

FILES = sorted({(case.file, case.index) for case in CASES})


@pytest.mark.parametrize(("file", "index"), FILES, ids=[file for file, _ in FILES])
def test_dump_is_fresh(
    file: str,
    index: tuple[str, ...],
    golden: Callable[[Path, str], None],
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
) -> None:
    monkeypatch.chdir(SAMPLES.parent)
    committed = (SAMPLES / file).with_suffix(".mir")
    here = find_rustc(None, None).version
    if not request.config.getoption("--update-golden"):
        made_by = read_trailer(Dump(committed.read_text(), file).trailer or "").rustc
        if made_by != here:
            pytest.skip(f"{committed.name} was made by {made_by}, here is {here}")
    golden(committed, self_contained(Path("samples") / file, Options(index=index)))


@pytest.mark.parametrize(("file", "index"), FILES, ids=[file for file, _ in FILES])
def test_dump_gives_the_same_ptx(
    file: str, index: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(SAMPLES.parent)
    source = Path("samples") / file
    from_rust = transpile(source, Options(index=index))
    from_dump = transpile(source.with_suffix(".mir"), Options(index=index))
    assert from_dump.text == from_rust.text
