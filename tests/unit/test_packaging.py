"""The wheel holds what it must, and works on a bare Python without compiler, GPU or network."""

import os
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", out, ROOT], check=True
    )
    (built,) = out.glob("mirgpu-*.whl")
    return built


def test_wheel_contents(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert "mirgpu/py.typed" in names
    assert "mirgpu/cli.py" in names
    assert "mirgpu/mir/mir.lark" in names
    assert "mirgpu/runtime/manifest.py" in names
    assert "mirgpu/runtime/device/Cargo.toml" in names
    assert any(name.startswith("mirgpu/templates/ptx/") for name in names)
    assert "mirgpu/__init__.py" not in names, "one namespace package over three source roots"
    stray = {name.split("/")[0] for name in names} - {"mirgpu"}
    assert all(name.endswith(".dist-info") for name in stray)
    for licence in ("LICENSE-APACHE", "LICENSE-MIT"):
        assert any(name.endswith(licence) for name in names)
    assert not any("__pycache__" in name or name.endswith(".mir") for name in names)


def test_wheel_on_a_bare_python(wheel: Path, tmp_path: Path) -> None:
    venv.create(tmp_path / "env", with_pip=True)
    bin_dir = tmp_path / "env" / "bin"
    subprocess.run([bin_dir / "python", "-m", "pip", "install", "-q", wheel], check=True)
    bare = {
        "PATH": str(bin_dir),
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "LANG": os.environ.get("LANG", "C.UTF-8"),
    }
    dump = ROOT / "samples" / "saxpy.mir"

    def mirgpu(*arguments: str | Path) -> str:
        return subprocess.run(
            [bin_dir / "mirgpu", *arguments],
            env=bare,
            cwd=tmp_path,
            check=True,
            capture_output=True,
            text=True,
        ).stdout

    assert ".visible .entry saxpy(" in mirgpu("transpile", dump)
    output = mirgpu("run", dump, "--device", "interp", "--arg", "a=2.0", "--n", "1000")
    assert "y" in output
    assert mirgpu("run", dump, "--device", "interp", "--arg", "a=3.0", "--n", "1000") != output
