"""Every kernel under ``kernels/`` does on every device what rustc's native code does.

Buffers, and each panicking thread's message, line and column, in any order of threads.
"""

import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest
from tests.run.rust_kernels import (
    FOLDER,
    Result,
    compiled,
    disagreement,
    native,
    run_interp,
    run_ptxsim,
    source,
)

from mirgpu.diagnostics import DiagnosticError

pytestmark = pytest.mark.skipif(shutil.which("rustc") is None, reason="no rustc here")

FILES = sorted(FOLDER.glob("*.rs"))
WORKING = [
    pytest.param(
        path,
        name,
        marks=[pytest.mark.xfail(reason=source(path).open[name], strict=True)]
        if name in source(path).open
        else [],
    )
    for path in FILES
    for name in source(path).kernels
    if name not in source(path).refused
]
REFUSED = [(path, name) for path in FILES for name in source(path).refused]
CHECKED = FOLDER / "checked.rs"
"""The file whose kernels are also built with overflow checks."""
BOTH = FOLDER / "enums.rs"
"""The file that is also dumped by the other toolchain."""


def identity(value: object) -> str:
    return value.stem if isinstance(value, Path) else str(value)


@cache
def expected(path: Path, name: str, checks: bool, length: int) -> Result:
    return native(path, name, checks, length)


def check(
    path: Path,
    name: str,
    *,
    toolchain: str | None = None,
    checks: bool = False,
    length: int = 19,
) -> None:
    made = compiled(path, name, toolchain, checks)
    want = expected(path, name, checks, length)
    for order in ("ascending", "descending", "shuffled"):
        found = disagreement(made.info, want, run_interp(path, made, order, length))
        assert found is None, f"interp, {order}: {found}"
    for order in ("ascending", "shuffled"):
        found = disagreement(made.info, want, run_ptxsim(path, made, order, length))
        assert found is None, f"ptxsim, {order}: {found}"


@pytest.mark.parametrize(("path", "name"), WORKING, ids=identity)
def test_kernel(path: Path, name: str) -> None:
    check(path, name)


@pytest.mark.parametrize("name", source(CHECKED).kernels)
def test_overflow_checks(name: str) -> None:
    check(CHECKED, name, checks=True)


@pytest.mark.parametrize("name", source(BOTH).kernels)
def test_nightly(name: str) -> None:
    """The other toolchain's MIR means the same."""
    if shutil.which("rustup") is None or "nightly" not in _toolchains():
        pytest.skip("no nightly rustc here")
    if name in source(BOTH).open:
        pytest.skip(source(BOTH).open[name])
    check(BOTH, name, toolchain="nightly")


@cache
def _toolchains() -> str:
    return subprocess.run(
        ["rustup", "toolchain", "list"], capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize("length", [0, 1])
@pytest.mark.parametrize("name", ["patterns", "chunks", "splits", "empty"])
def test_short_slices(name: str, length: int) -> None:
    check(FOLDER / "slices.rs", name, length=length)


@pytest.mark.parametrize(("path", "name"), REFUSED, ids=identity)
def test_refused(path: Path, name: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        compiled(path, name, None, False)
    first = caught.value.diagnostics[0]
    assert first.code == source(path).refused[name]
    assert first.title
    assert first.line
