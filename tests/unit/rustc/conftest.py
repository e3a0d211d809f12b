"""A cache of its own for every test run, and the compilers that are installed."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from mirgpu.diagnostics import ToolMissingError
from mirgpu.rustc import Rustc, find_rustc


@pytest.fixture(scope="session", autouse=True)
def _own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.fixture(scope="session", params=["stable", "nightly"])
def toolchain(request: pytest.FixtureRequest, _own_cache: None) -> str:
    """A toolchain of rustup's, or ``""`` for the rustc on PATH where there is no rustup."""
    name: str = request.param
    try:
        if find_rustc(None, name).tested:
            return name
    except ToolMissingError:
        if name == "stable":
            try:
                find_rustc(None, None)
            except ToolMissingError:
                pytest.skip("no rustc here")
            return ""
    pytest.skip(f"no {name} rustc here")


@pytest.fixture(scope="session")
def rustc(toolchain: str) -> Rustc:
    return find_rustc(None, toolchain or None)


@pytest.fixture
def run_native(rustc: Rustc, tmp_path: Path):  # type: ignore[no-untyped-def]
    """Compile a program with rustc, run it, give its output."""

    def run(text: str, *arguments: str, fails: bool = False) -> str:
        source, binary = tmp_path / "main.rs", tmp_path / "main"
        source.write_text(text)
        subprocess.run(
            [
                str(rustc.path),
                "--edition=2021",
                "--cap-lints=allow",
                *arguments,
                "-o",
                str(binary),
                str(source),
            ],
            env=rustc.environment(),
            check=True,
        )
        done = subprocess.run([str(binary)], capture_output=True, text=True, check=False)
        assert (done.returncode != 0) == fails, done.stderr
        return done.stderr if fails else done.stdout

    return run
