"""The bundle for a GPU machine: it can be made, and passes where there is a GPU."""

import json
from pathlib import Path

import pytest
from tests.gpu.bundle_cases import bundle
from tests.sample_cases import CASES

from mirgpu.runtime.bundle import write
from mirgpu.runtime.bundle_run import run_bundle
from mirgpu.runtime.devices.cuda import DEVICE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("gpu") / "bundle"
    assert write(bundle(), out) < 20_000_000
    return out


def test_it_holds_every_sample(folder: Path) -> None:
    spec = json.loads((folder / "bundle.json").read_text())
    assert [check["name"] for check in spec["checks"]] == [case.name for case in CASES]
    artifacts = {path.stem for path in (folder / "artifacts").glob("*.ptx")}
    assert artifacts == {case.path.stem for case in CASES} | {"panics"}
    for timing in spec["timings"]:
        assert timing["launch"]["module"] in artifacts
    texts = [panic["text"] for panic in spec["panics"]]
    assert "the length is 16 but the index is 16, at " in texts[0]
    assert texts[0].endswith("block (0,0,0) thread (12,0,0)")
    assert texts[1].startswith("attempt to divide `100` by zero, at ")


def test_it_passes(folder: Path, tmp_path: Path) -> None:
    found = DEVICE.available()
    if not found.usable:
        pytest.skip(f"no GPU here: {found.reason}")
    assert run_bundle(folder, tmp_path / "results.json") == 0
