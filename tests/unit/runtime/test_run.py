"""``mirgpu run``'s logic on device interp, the doctor, and the bundle for a GPU machine."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.unit.runtime.builders import F32, manifest

from mirgpu.diagnostics import ToolMissingError, UsageError
from mirgpu.runtime import KernelPanic, LaunchError, load
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.bundle import Bundle, Check, Launch, PanicCheck, Timing, main, write
from mirgpu.runtime.checksum import checksum
from mirgpu.runtime.doctor import Status, diagnose, findings_as_json, findings_as_text
from mirgpu.runtime.run import RunOptions, RunResult, run_command

# A dump made by `mirgpu transpile --emit mir` would need rustc; kir text does not.
KIR = """\
panic 0 "index out of bounds: the length is {0} but the index is {1}" (usize display, usize display) !0

kernel @saxpy "saxpy" (%a:f32 value size 4 align 4, %x:ptr.generic slice.ptr size 8 align 8, \
%xn:i64 slice.len size 8 align 8, %y:ptr.generic slice.ptr size 8 align 8, \
%yn:i64 slice.len size 8 align 8, %n:i64 value size 8 align 8) {
entry:
  %t:i32 = read tid.x
  %b:i32 = read ctaid.x
  %w:i32 = read ntid.x
  %t64:i64 = zext %t
  %b64:i64 = zext %b
  %w64:i64 = zext %w
  %base:i64 = mul %b64, %w64
  %i:i64 = add %base, %t64
  %in:i1 = ult %i, %n
  condbr %in, body(), end()
body:
  %ok:i1 = ult %i, %xn
  condbr %ok, good(), bad()
good:
  %px:ptr.generic = ptradd %x, %i * 4 + 0
  %py:ptr.generic = ptradd %y, %i * 4 + 0
  %vx:f32 = load %px, align 4
  %vy:f32 = load %py, align 4
  %ax:f32 = fmul %a, %vx
  %r:f32 = fadd %ax, %vy
  store %r, %py, align 4
  br end()
bad:
  panic 0(%xn, %i) !0
end:
  return
}

!0 = "src/lib.rs":7:9
"""  # noqa: E501


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    """saxpy as a kir artifact; ``x`` is checked, ``y`` is not."""
    from mirgpu.runtime import artifact as artifacts

    path = tmp_path / "saxpy.kir"
    artifacts.save(Artifact(KIR, manifest()), path)
    return path


def run(path: Path, *args: str, **more: object) -> RunResult:
    return run_command(RunOptions(str(path), arguments=args, device="interp", **more))  # type: ignore[arg-type]


# -------------------------------------------------------------------------- device interp


def test_interp_works_in_place(kernel: Path) -> None:
    mod = load(kernel, device="interp", order="shuffled", seed=3)
    x, y = np.arange(300, dtype=np.float32), np.ones(300, np.float32)
    mod.saxpy.forall(300)(2.0, x, y)
    assert np.array_equal(y, 2 * x + 1)
    mod.saxpy[2, 128](2.0, x, y)
    assert np.array_equal(y[:256], 4 * x[:256] + 1)
    mod.synchronize()
    frozen = x.copy()
    frozen.flags.writeable = False
    mod.saxpy.forall(300)(0.0, frozen, y)


def test_interp_panics_and_goes_on(kernel: Path) -> None:
    mod = load(kernel, device="interp")
    x, y = np.zeros(8, np.float32), np.zeros(16, np.float32)
    with pytest.raises(KernelPanic) as caught:
        mod.saxpy.forall(16)(2.0, x, y)
    assert str(caught.value) == (
        "index out of bounds: the length is 8 but the index is 8, "
        "at src/lib.rs:7:9, block (0,0,0) thread (8,0,0)"
    )
    assert caught.value.count == 8
    mod.saxpy.forall(8)(2.0, x, y)


def test_interp_reports_what_is_undefined(kernel: Path) -> None:
    mod = load(kernel, device="interp")
    with pytest.raises(LaunchError, match="MG0517"):
        mod.saxpy.forall(16)(2.0, np.zeros(16, np.float32), np.zeros(8, np.float32))


def test_interp_takes_no_device_memory_and_no_streams(kernel: Path) -> None:
    from tests.unit.runtime.test_arguments import FakeDeviceArray

    mod = load(kernel, device="interp")
    x = np.zeros(8, np.float32)
    with pytest.raises(LaunchError, match="has no streams"):
        mod.saxpy[1, 8, 7](2.0, x, x.copy())
    with pytest.raises(LaunchError, match="takes host arrays"):
        mod.saxpy[1, 8](2.0, FakeDeviceArray(4096, (8,), "<f4"), x)


# ------------------------------------------------------------------------------------ run


def test_seeded_run(kernel: Path) -> None:
    first, again = run(kernel, n=(1000,)), run(kernel, n=(1000,), order="descending")
    assert first.arguments == again.arguments
    assert first.arguments != run(kernel, n=(1000,), seed=1).arguments
    assert [a.name for a in first.arguments] == ["a", "x", "y"]
    assert first.threads == 1000
    assert first.arguments[1].length == 1000


def test_run_with_files(kernel: Path, tmp_path: Path) -> None:
    x, y = np.arange(6, dtype=np.float32), np.ones((2, 3), np.float32)
    np.save(tmp_path / "x.npy", x)
    np.save(tmp_path / "y.npy", y)
    result = run(
        kernel,
        "a=2.0",
        f"x=@{tmp_path}/x.npy",
        f"y=@{tmp_path}/y.npy",
        saves=(f"y=@{tmp_path}/out.npy",),
    )
    assert result.threads == 6, "as many as the longest array has"
    out = np.load(tmp_path / "out.npy")
    assert np.array_equal(out, 2 * x + 1)
    assert result.arguments[2].sha256 == checksum(F32, out)
    assert result.arguments[2].sum == float(out.sum())
    assert sorted(p.suffix for p in tmp_path.iterdir()).count(".part") == 0


def test_run_with_kinds_and_numbers(kernel: Path) -> None:
    result = run(kernel, "a=1", "x=arange:10", "y=2.5:10", n=(10,))
    assert result.arguments[0].value == "1.0"
    assert result.arguments[2].sum == sum(range(10)) + 25.0
    assert run(kernel, "a=zeros", "y=ones", n=(4,)).arguments[2].sum == 4.0


def test_run_with_a_grid(kernel: Path) -> None:
    result = run(kernel, grid=(2,), block=(32,))
    assert (result.grid, result.block, result.threads) == ((2, 1, 1), (32, 1, 1), 64)
    assert result.arguments[1].length == 64


def test_output(kernel: Path) -> None:
    result = run(kernel, "a=2", n=(100,))
    data = json.loads(result.to_json())
    assert data["kernel"] == "saxpy"
    assert data["arguments"][0] == {"name": "a", "type": "f32", "value": "2.0"}
    assert data["arguments"][2]["sha256"] == result.arguments[2].sha256
    text = result.to_text()
    assert "saxpy on interp: 100 threads, grid (1, 1, 1), block (256, 1, 1)" in text
    assert f"y  &mut [f32]  len 100  sha256 {result.arguments[2].sha256}" in text
    nan = replace(result.arguments[2], sum=float("nan"))
    assert json.loads(replace(result, arguments=(nan,)).to_json())["arguments"][0]["sum"] is None


@pytest.mark.parametrize(
    ("args", "more", "message"),
    [
        (["a"], {}, "--arg takes NAME=VALUE, not `a`"),
        (["a=1", "a=2"], {}, "--arg a is given twice"),
        (["z=1"], {}, "--arg z: no such parameter in fn saxpy"),
        (["a=two"], {}, "--arg a=two: a f32 takes a number"),
        (["a=1e39"], {}, "1e+39 is too large for f32"),
        (["x=@nothing.npy"], {}, "--arg x: cannot read nothing.npy"),
        (["x=random:many"], {}, "`many` is no length"),
        (["x=plenty"], {}, "a f32 takes a number"),
        ([], {"saves": ("a=@a.npy",)}, "--save a: a f32 is no array"),
        ([], {"saves": ("y=@/nowhere/y.npy",)}, "cannot write /nowhere/y.npy"),
        ([], {"n": (3, 4)}, "--n takes 1 number for fn saxpy"),
        ([], {"grid": (3,)}, "--grid needs --block"),
        ([], {"grid": (3,), "block": (4,), "n": (9,)}, "--n or --grid, not both"),
        ([], {"block": (4096,)}, "block x must be 1 to 1024"),
        ([], {"kernel": "sapxy"}, "did you mean `saxpy`"),
        ([], {"device": "gpu"}, "unknown device 'gpu'"),
    ],
)
def test_usage_errors(kernel: Path, args: list[str], more: dict[str, object], message: str) -> None:
    options = {"device": "interp", **more}
    with pytest.raises(UsageError) as caught:
        run_command(RunOptions(str(kernel), arguments=tuple(args), **options))  # type: ignore[arg-type]
    assert message in str(caught.value)


def test_several_kernels_need_a_name(tmp_path: Path) -> None:
    from tests.unit.runtime.builders import SAXPY

    from mirgpu.runtime import artifact as artifacts

    path = tmp_path / "two.kir"
    artifacts.save(Artifact(KIR, manifest(SAXPY, replace(SAXPY, name="other"))), path)
    with pytest.raises(UsageError, match=r"--kernel must say which(.|\n)*fn other"):
        run(path)


def test_a_missing_device_is_a_missing_tool(kernel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises((ToolMissingError, UsageError)):
        run_command(RunOptions(str(kernel), device="cuda"))


def test_a_panic_saves_nothing(kernel: Path, tmp_path: Path) -> None:
    with pytest.raises(KernelPanic):
        run(kernel, "x=ones:3", n=(5,), saves=(f"y=@{tmp_path}/y.npy",))
    assert not (tmp_path / "y.npy").exists()


# ------------------------------------------------------------------------------- doctor


def test_doctor() -> None:
    findings = diagnose()
    names = [each.name for each in findings]
    assert names[:7] == ["Python", "NumPy", "rustc", "C linker", "ptxas", "GPU", "CuPy"]
    for each in findings:
        assert (each.install is None) or each.status is not Status.OK
        assert each.gives
    assert [each["name"] for each in json.loads(findings_as_json(findings))] == names
    text = findings_as_text(findings)
    assert all(name in text for name in names)


@pytest.mark.parametrize(
    ("cuda", "gpu", "status", "words"),
    [
        ((13, 0), 90, Status.OK, "PTX up to 9.0"),
        ((12, 6), 80, Status.OK, "PTX up to 8.5"),
        ((10, 2), 80, Status.PROBLEM, "PTX up to 6.5"),
        ((12, 6), 61, Status.PROBLEM, "too new for Card"),
    ],
)
def test_doctor_compares_ptx_versions(
    cuda: tuple[int, int], gpu: int, status: Status, words: str
) -> None:
    from mirgpu.runtime.doctor import _Driver, _isa

    finding = _isa(_Driver(cuda, (("Card", gpu),)))
    assert finding.status is status
    assert words in finding.found


# -------------------------------------------------------------------------------- bundle


def small_bundle() -> Bundle:
    launch = Launch("saxpy", "saxpy", extents=(8,))
    x = np.ones(8, np.float32).tobytes()
    a = np.float32(2).tobytes()
    check = Check("one", launch, [a, x, x], [a, x, np.full(8, 3, np.float32).tobytes()])
    timing = Timing("t", launch, {"a": "2", "x": "random:8", "y": "random:8"})
    modules = {"saxpy": Artifact("text", manifest(target="ptx", arch="sm_70"))}
    return Bundle(modules, [check], [PanicCheck("p", launch, [a, x, x], "oops")], [timing])


def test_a_bundle_needs_nothing_else(tmp_path: Path) -> None:
    out = tmp_path / "bundle"
    assert write(small_bundle(), out) < 20_000_000
    assert {"run_gpu.py", "bundle.json", "data.npz", "artifacts", "mirgpu"} <= {
        p.name for p in out.iterdir()
    }
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "import mirgpu.runtime.bundle_run as r\n"
        "assert r.__file__.startswith(sys.argv[1]), r.__file__\n"
        "print(*(m for m in ('lark', 'typer', 'jinja2', 'mirgpu.driver') if m in sys.modules))\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(out)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == ""
    write(small_bundle(), out)


def test_a_bundle_replaces_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("x")
    with pytest.raises(UsageError, match="is no bundle"):
        write(small_bundle(), tmp_path)
    assert main(["make", str(tmp_path / "out"), "--cases", str(tmp_path / "none.py")]) == 2


def test_run_without_a_gpu_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert main(["run", str(tmp_path)]) == 3
    assert "CuPy" in capsys.readouterr().err
