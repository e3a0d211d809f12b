"""Lowered kernels against the same Rust run natively, bit for bit.

``data/X.json`` holds what native rustc gave, ``data/X.mir`` a self-contained dump, so that the
comparison runs without rustc; ``--update-golden`` writes both.
"""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path

import harness
import pytest
from harness import DATA, Outcome

from mirgpu.lower import Lowered
from mirgpu.mir.dump import Dump
from mirgpu.runtime.manifest import KernelInfo
from mirgpu.rustc import read_trailer

NAMES = sorted(path.stem for path in DATA.glob("*.rs"))
ASSERTS = {
    "the len is": "the length is",
}
"""MIR's own assert texts tell more than the panics that rustc makes of them."""


def toolchains() -> list[str]:
    if shutil.which("rustup") is None:
        return []
    done = subprocess.run(["rustup", "toolchain", "list"], capture_output=True, text=True)
    return [name for name in ("stable", "nightly") if name in done.stdout]


@cache
def expected(name: str) -> dict[str, Outcome]:
    data = json.loads((DATA / f"{name}.json").read_text())
    return {
        kernel: Outcome(tuple(bytes.fromhex(b) for b in made["buffers"]), tuple(made["panics"]))
        for kernel, made in data.items()
    }


@cache
def from_dump(name: str) -> Lowered:
    text = (DATA / f"{name}.mir").read_text()
    trailer = Dump(text, f"{name}.mir").trailer
    assert trailer is not None
    return harness.lower_text(text, f"{name}.mir", read_trailer(trailer))


@cache
def from_source(name: str, toolchain: str) -> Lowered:
    return harness.lower_source(DATA / f"{name}.rs", toolchain)


def kernel_names(name: str) -> list[str]:
    path = DATA / f"{name}.json"
    return list(json.loads(path.read_text())) if path.exists() else []


CASES = [(name, kernel) for name in NAMES for kernel in kernel_names(name)]


def check(lowered: Lowered, name: str, kernel: str, order: str) -> None:
    (info,) = [k for k in lowered.kernels if k.name == kernel]
    got = harness.run_interp(lowered, info, order)
    want = expected(name)[kernel]
    assert got.buffers == want.buffers
    assert [m is None for m in got.panics] == [m is None for m in want.panics]
    for mine, rust in zip(got.panics, want.panics, strict=True):
        if mine is not None and rust is not None and not rust.startswith("attempt to"):
            for old, new in ASSERTS.items():
                rust = rust.replace(old, new)
            assert mine == rust


@pytest.mark.parametrize(("name", "kernel"), [c for c in CASES if (DATA / f"{c[0]}.mir").exists()])
def test_dump(name: str, kernel: str) -> None:
    check(from_dump(name), name, kernel, "shuffled")


@pytest.mark.parametrize(
    "toolchain",
    toolchains() or [pytest.param("none", marks=pytest.mark.skip(reason="no rustup here"))],
)
@pytest.mark.parametrize(("name", "kernel"), CASES)
def test_source(name: str, kernel: str, toolchain: str) -> None:
    check(from_source(name, toolchain), name, kernel, "descending")


@pytest.mark.skipif(not harness.have_rustc(), reason="no rustc here")
@pytest.mark.parametrize("name", NAMES)
def test_expected(name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    """What is written down is what rustc's own code does."""
    from mirgpu.rustc import RustcOptions, dump_mir

    source = DATA / f"{name}.rs"
    update = request.config.getoption("--update-golden")
    made = dump_mir(source, RustcOptions(toolchain="stable" if toolchains() else None))
    lowered = harness.lower_dump(made, source)
    kernels: tuple[KernelInfo, ...] = lowered.kernels
    program = harness.build_native(source, kernels, tmp_path)
    native = {k.name: harness.run_native(program, k, tmp_path) for k in kernels}
    if update:
        data = {
            kernel: {"buffers": [b.hex() for b in out.buffers], "panics": list(out.panics)}
            for kernel, out in native.items()
        }
        (DATA / f"{name}.json").write_text(json.dumps(data, indent=1) + "\n")
        if name != "iterators":
            # Its dump is very large.
            (DATA / f"{name}.mir").write_text(made.self_contained())
        expected.cache_clear()
    assert native == expected(name)
