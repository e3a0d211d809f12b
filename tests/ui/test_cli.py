"""The command line as a user meets it: outputs, messages, exit codes."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SAXPY = ROOT / "samples" / "saxpy.mir"


def mirgpu(
    *arguments: str | Path, cwd: Path, stdin: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "mirgpu.cli", *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "XDG_CACHE_HOME": str(cwd / ".cache"), **(env or {})},
    )


def files_in(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_file() and ".cache" not in path.parts
    }


# ------------------------------------------------------------------------------- outputs


def test_ptx_goes_to_standard_output_with_its_manifest(tmp_path: Path) -> None:
    done = mirgpu("transpile", SAXPY, cwd=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert ".visible .entry saxpy(" in done.stdout
    assert "// mirgpu-manifest: " in done.stdout
    assert files_in(tmp_path) == set()


def test_output_file_has_its_manifest_beside_it(tmp_path: Path) -> None:
    done = mirgpu("transpile", SAXPY, "-o", "out/saxpy.ptx", "--arch", "sm_90", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (0, "")
    assert files_in(tmp_path) == {"out/saxpy.ptx", "out/saxpy.manifest.json"}
    manifest = json.loads((tmp_path / "out/saxpy.manifest.json").read_text())
    assert manifest["arch"] == "sm_90"
    assert ".target sm_90" in (tmp_path / "out/saxpy.ptx").read_text()


def test_emit_writes_every_kind(tmp_path: Path) -> None:
    done = mirgpu(
        "transpile", SAXPY, "--emit", "ptx,kir,mir,manifest", "--out-dir", "out", cwd=tmp_path
    )
    assert done.returncode == 0
    kinds = ("ptx", "kir", "mir", "manifest.json")
    assert files_in(tmp_path) == {f"out/saxpy.{kind}" for kind in kinds}
    assert (tmp_path / "out/saxpy.mir").read_text() == SAXPY.read_text()


def test_a_dump_on_standard_input(tmp_path: Path) -> None:
    done = mirgpu("transpile", "-", "--kernel", "saxpy", cwd=tmp_path, stdin=SAXPY.read_text())
    assert done.returncode == 0
    assert ".visible .entry saxpy(" in done.stdout


def test_a_kir_artifact_runs(tmp_path: Path) -> None:
    done = mirgpu("transpile", SAXPY, "--target", "kir", "-o", "saxpy.kir", cwd=tmp_path)
    assert done.returncode == 0
    run = mirgpu("run", "saxpy.kir", "-d", "interp", "--n", "9", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")


def test_dump_after_shows_kir(tmp_path: Path) -> None:
    done = mirgpu("transpile", SAXPY, "--dump-after", "lower", cwd=tmp_path)
    assert done.returncode == 0
    assert "alloca" in done.stderr
    assert "; kir after lower" in done.stderr


def test_run_prints_a_checksum_and_saves(tmp_path: Path) -> None:
    run = ("run", SAXPY, "-d", "interp", "--n", "100", "--arg", "a=2.0", "--save", "y=@y.npy")
    done = mirgpu(*run, cwd=tmp_path)
    assert done.returncode == 0
    assert re.search(r"y +&mut \[f32\] +len 100 +sha256 [0-9a-f]+", done.stdout)
    assert files_in(tmp_path) == {"y.npy"}
    assert mirgpu(*run, cwd=tmp_path).stdout.splitlines()[1:] == done.stdout.splitlines()[1:]


def test_run_as_json(tmp_path: Path) -> None:
    done = mirgpu("run", SAXPY, "-d", "interp", "--n", "7", "--json", cwd=tmp_path)
    result = json.loads(done.stdout)
    assert result["kernel"] == "saxpy"
    assert result["threads"] >= 7


def test_version_names_the_tools(tmp_path: Path) -> None:
    lines = mirgpu("-V", cwd=tmp_path).stdout.splitlines()
    assert [line.split()[0] for line in lines] == ["mirgpu", "rustc", "ptxas"]


def test_doctor_as_json(tmp_path: Path) -> None:
    done = mirgpu("doctor", "--json", cwd=tmp_path)
    assert done.returncode == 0
    assert {"rustc", "ptxas"} <= {finding["name"] for finding in json.loads(done.stdout)}


# -------------------------------------------------------------------------------- errors

BAD = {
    "missing file": (("transpile", "nope.rs"), 2, "no such file: nope.rs"),
    "a folder": (("transpile", "."), 2, "no such file: ."),
    "no file named": (("transpile", "--arch", "sm_90"), 2, "Missing argument"),
    "unknown option": (("transpile", SAXPY, "--nope"), 2, "No such option"),
    "not MIR": (("transpile", "text.mir"), 1, "this is not a MIR dump"),
    "empty": (("transpile", "empty.mir"), 1, "the dump is empty"),
    "binary": (("transpile", "binary.mir"), 1, "not UTF-8"),
    "unknown kernel": (("transpile", SAXPY, "-k", "saxpi"), 1, "did you mean `saxpy`?"),
    "unknown arch": (("transpile", SAXPY, "--arch", "sm_99"), 1, "did you mean"),
    "unknown target": (("transpile", SAXPY, "--target", "spirv"), 2, "unknown target"),
    "arch of another target": (
        ("transpile", SAXPY, "--target", "ptx", "--arch", "gfx90a"),
        2,
        "gfx90a",
    ),
    "unknown pass": (("transpile", SAXPY, "--dump-after", "nope"), 2, "unknown pass `nope`"),
    "unknown kind": (("transpile", SAXPY, "--emit", "elf"), 2, "--emit takes"),
    "two kinds, no folder": (("transpile", SAXPY, "--emit", "ptx,kir"), 2, "--out-dir"),
    "bad index": (("transpile", SAXPY, "--index", "a,b,c,d"), 2, "--index"),
    "wrong index": (("transpile", SAXPY, "--index", "z"), 1, "no integer parameter `z`"),
    "no rustc": (("transpile", "ok.rs", "--rustc", "/nope"), 3, "no rustc at /nope"),
    "unwritable": (("transpile", SAXPY, "-o", "text.mir/x.ptx"), 2, "cannot write"),
    "over the source": (("transpile", "ok.rs", "-o", "ok.rs"), 2, "would overwrite the source"),
    "over a pipe": (("transpile", SAXPY, "-o", "pipe"), 2, "no regular file"),
    "no such device": (("run", SAXPY, "-d", "abacus"), 2, "abacus"),
    "no GPU": (("run", SAXPY, "-d", "cuda"), 3, "cuda does not work here"),
    "wrong argument": (("run", SAXPY, "-d", "interp", "--arg", "q=1"), 2, "q"),
    "wrong number": (("run", SAXPY, "-d", "interp", "--arg", "a=two"), 2, "two"),
    "missing array": (("run", SAXPY, "-d", "interp", "--arg", "x=@x.npy"), 2, "x.npy"),
    "panic": (
        ("run", SAXPY, "-d", "interp", "--n", "9", "--arg", "x=zeros:8"),
        101,
        "index out of bounds: the length is 8 but the index is 8, "
        "at samples/saxpy.rs:6:16, block (0,0,0) thread (8,0,0)",
    ),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "text.mir").write_text("Dear reader,\nthis is no MIR.\n")
    (tmp_path / "empty.mir").write_text("")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "binary.mir").write_bytes(bytes(range(128, 256)) * 9)
    (tmp_path / "ok.rs").write_text("pub fn f(i: usize, x: &mut [u32]) { x[i] = 1; }\n")
    return tmp_path


@pytest.mark.parametrize(("arguments", "code", "message"), BAD.values(), ids=BAD.keys())
def test_bad_input(
    folder: Path, arguments: tuple[str | Path, ...], code: int, message: str
) -> None:
    before = files_in(folder)
    done = mirgpu(*arguments, cwd=folder)
    if "cuda" in arguments and done.returncode == 0:
        pytest.skip("this machine has a GPU")
    assert message in done.stderr
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert done.stdout == ""
    assert files_in(folder) == before


def test_rust_that_does_not_compile(folder: Path) -> None:
    (folder / "bad.rs").write_text("pub fn f(i: usize, x: &mut [u32]) { x[i] = y; }\n")
    done = mirgpu("transpile", "bad.rs", cwd=folder)
    assert done.returncode == 1
    assert "error[E0425]: cannot find value `y` in this scope" in done.stderr
    assert "--> bad.rs:1:44" in done.stderr


def test_errors_as_json(folder: Path) -> None:
    done = mirgpu("transpile", SAXPY, "-k", "nope", "--message-format", "json", cwd=folder)
    (line,) = done.stderr.splitlines()
    message = json.loads(line)
    assert message["code"] == {"code": "MG0361"}
    assert message["level"] == "error"
    done = mirgpu("transpile", "nope.rs", "--message-format=json", cwd=folder)
    assert json.loads(done.stderr)["message"] == "no such file: nope.rs"


def test_no_colour_when_piped(folder: Path) -> None:
    assert "\x1b[" not in mirgpu("transpile", "text.mir", cwd=folder).stderr


def test_nothing_works_quietly_without_rustc(folder: Path) -> None:
    done = mirgpu("transpile", "ok.rs", cwd=folder, env={"PATH": "/nope"})
    assert done.returncode == 3
    assert "rustc" in done.stderr
