"""Modules, kernels and launch configurations, on a device that only takes notes."""

import inspect
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.unit.runtime.builders import (
    SAXPY,
    SHAPE,
    U8,
    VEC3,
    extent,
    index,
    kernel,
    manifest,
    shared,
    unique,
)

from mirgpu.diagnostics import DiagnosticError, UsageError
from mirgpu.runtime import artifact as artifacts
from mirgpu.runtime import devices, load
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.config import LaunchConfig
from mirgpu.runtime.devices.base import Availability, LoadOptions
from mirgpu.runtime.errors import (
    KernelPanic,
    LaunchError,
    LaunchTypeError,
    LaunchValueError,
    UnknownNameError,
)
from mirgpu.runtime.manifest import KernelInfo, ScalarType
from mirgpu.runtime.module import Module
from mirgpu.runtime.panics import PanicRecord, buffer_bytes, panic_of, parse_buffer

TWO_D = kernel(
    "images::paint",
    index("x"),
    index("y", axis=1),
    unique("p", U8),
    extent(),
    extent(1),
    plain=True,
)
CRATE = kernel("tiled", shared("x", VEC3), unique("y", SHAPE))


class NoteDevice:
    name = "notes"
    target = "kir"

    def __init__(self) -> None:
        self.launches: list[tuple[str, LaunchConfig]] = []

    def available(self) -> Availability:
        return Availability(True, "for tests")

    def load(self, artifact: Artifact, options: LoadOptions) -> "NoteDevice":
        return self

    def launch(self, kernel: KernelInfo, config: LaunchConfig, bound: Sequence[Any]) -> None:
        self.launches.append((kernel.name, config))

    def synchronize(self) -> None:
        self.launches.append(("synchronize", None))  # type: ignore[arg-type]


def module() -> tuple[Module, NoteDevice]:
    device = NoteDevice()
    return Module(Artifact("", manifest(SAXPY, TWO_D, CRATE)), device), device


def last(device: NoteDevice) -> LaunchConfig:
    return device.launches[-1][1]


X = np.zeros(8, np.float32)


# ------------------------------------------------------------------------------- launches


@pytest.mark.parametrize(
    ("key", "grid", "block", "extents"),
    [
        ((4, 32), (4, 1, 1), (32, 1, 1), (128, 1, 1)),
        (((4,), (32, 1)), (4, 1, 1), (32, 1, 1), (128, 1, 1)),
        ((np.int64(2), [8]), (2, 1, 1), (8, 1, 1), (16, 1, 1)),
    ],
)
def test_explicit_grids(key: Any, grid: object, block: object, extents: object) -> None:
    mod, device = module()
    mod.saxpy[key](1.0, X, X.copy())
    config = last(device)
    assert (config.grid, config.block, config.extents) == (grid, block, extents)
    assert (config.stream, config.shared_bytes) == (None, 0)


def test_stream_and_shared_bytes() -> None:
    mod, device = module()
    mod.saxpy[1, 32, "stream", 64](1.0, X, X.copy())
    assert (last(device).stream, last(device).shared_bytes) == ("stream", 64)
    mod.saxpy.forall(8, block=32, stream=5, shared_bytes=16)(1.0, X, X.copy())
    assert (last(device).stream, last(device).shared_bytes) == (5, 16)
    assert last(device).block == (32, 1, 1)


@pytest.mark.parametrize(
    ("n", "grid", "extents"),
    [(1000, (4, 1, 1), (1000, 1, 1)), ((256,), (1, 1, 1), (256, 1, 1)), (0, (1, 1, 1), (0, 1, 1))],
)
def test_forall(n: Any, grid: object, extents: object) -> None:
    mod, device = module()
    mod.saxpy.forall(n)(1.0, X, X.copy())
    assert (last(device).grid, last(device).extents) == (grid, extents)
    assert last(device).empty is (n == 0)


def test_forall_on_more_axes() -> None:
    mod, device = module()
    mod.paint.forall((33, 17))(np.zeros(9, np.uint8))
    assert (last(device).grid, last(device).block) == ((3, 2, 1), (16, 16, 1))
    assert last(device).extents == (33, 17, 1)
    shapes = np.zeros(2, mod.Shape)
    mod.tiled.forall((9, 8, 5))(np.zeros(2, mod.Vec3), shapes)
    assert (last(device).grid, last(device).block) == ((2, 1, 2), (8, 8, 4))


@pytest.mark.parametrize(
    ("make", "code", "message"),
    [
        (lambda m: m.saxpy[4], "MG0508", "takes grid and block"),
        (lambda m: m.saxpy[1, 2, 3, 4, 5], "MG0508", "got 5 of them"),
        (lambda m: m.saxpy(1.0, X, X), "MG0508", "how many threads"),
        (lambda m: m.saxpy[0, 32], "MG0508", "grid x must be 1 to 2147483647, got 0"),
        (lambda m: m.saxpy[1, 2048], "MG0508", "block x must be 1 to 1024"),
        (lambda m: m.tiled[1, (32, 33)], "MG0508", "at most 1024 threads, (32, 33, 1) are 1056"),
        (lambda m: m.tiled[(1, 70000), 1], "MG0508", "grid y must be 1 to 65535"),
        (lambda m: m.saxpy[1.5, 32], "MG0508", "grid takes integers, got 1.5"),
        (lambda m: m.saxpy[True, 32], "MG0508", "grid takes integers, got True"),
        (lambda m: m.saxpy[(1, 1, 1, 1), 32], "MG0508", "one to three axes"),
        (lambda m: m.saxpy[1, 32, None, -1], "MG0508", "shared_bytes is -1"),
        (lambda m: m.saxpy.forall(-1), "MG0508", "forall is negative"),
        (lambda m: m.saxpy.forall((4, 4)), "MG0509", "has 1 thread index, forall was given 2"),
        (lambda m: m.paint.forall(4), "MG0509", "has 2 thread indices, forall was given 1"),
        (lambda m: m.saxpy[(2, 2), 32], "MG0509", "no thread index on axis y"),
    ],
)
def test_wrong_grids(make: Any, code: str, message: str) -> None:
    mod, device = module()
    with pytest.raises(LaunchError) as caught:
        make(mod)
    assert caught.value.code == code
    assert message in caught.value.title
    assert not device.launches


def test_an_index_that_is_too_narrow() -> None:
    narrow = kernel("k", index("i", ScalarType("i8")), extent(), plain=True)
    mod = Module(Artifact("", manifest(narrow)), NoteDevice())
    mod.k.forall(128)()
    with pytest.raises(LaunchValueError, match="`i: i8` cannot count 129 threads"):
        mod.k.forall(129)


def test_nothing_runs_with_wrong_arguments() -> None:
    mod, device = module()
    with pytest.raises(LaunchTypeError):
        mod.saxpy.forall(8)(1.0, X)
    with pytest.raises(LaunchValueError, match="MG0507"):
        mod.saxpy.forall(8)(1.0, X, X)
    assert not device.launches


# -------------------------------------------------------------------------------- modules


def test_names() -> None:
    mod, device = module()
    assert list(mod.kernels) == ["saxpy", "images::paint", "tiled"]
    assert mod.paint is mod.kernels["images::paint"] is mod.kernel("paint")
    assert mod.Vec3 == np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")])
    assert {"saxpy", "paint", "Vec3", "Shape", "synchronize"} <= set(dir(mod))
    assert repr(mod) == "<module on notes: saxpy, images::paint, tiled>"
    mod.synchronize()
    assert device.launches[-1][0] == "synchronize"


def test_unknown_names() -> None:
    mod, _ = module()
    with pytest.raises(UnknownNameError, match="did you mean `saxpy`") as caught:
        _ = mod.saxpi
    assert isinstance(caught.value, AttributeError)
    assert isinstance(caught.value, DiagnosticError)
    assert "saxpy, images::paint, tiled" in str(caught.value)
    assert not hasattr(mod, "nothing_like_it")
    with pytest.raises(UnknownNameError, match="no kernel `Vec3`"):
        mod.kernel("Vec3")


def test_a_kernel_describes_itself() -> None:
    mod, _ = module()
    assert repr(mod.saxpy) == "<kernel fn saxpy(i: usize, a: f32, x: &[f32], y: &mut [f32])>"
    assert "Bound to the global thread index: i." in mod.saxpy.__doc__
    assert "src/lib.rs:3" in mod.saxpy.__doc__
    assert list(inspect.signature(mod.saxpy).parameters) == ["a", "x", "y"]
    assert inspect.signature(mod.saxpy).parameters["x"].annotation == "&[f32]"
    assert "grid (4, 1, 1)" in repr(mod.saxpy.forall(1000))


def test_arrays_from_python_values() -> None:
    mod, _ = module()
    shapes = mod.array("Shape", [("Sphere", {"centre": (1, 2, 3), "radius": 4}), "Nothing"])
    assert shapes.dtype == mod.Shape
    assert list(shapes["tag"]) == [0, 2]
    assert shapes["Sphere"]["radius"][0] == 4
    assert shapes.flags.writeable
    assert mod.tags("Shape") == {"Sphere": 0, "Box": 1, "Nothing": 2}
    with pytest.raises(UnknownNameError, match="no type `Shap`"):
        mod.array("Shap", [])
    with pytest.raises(LaunchTypeError, match="is no enum"):
        mod.tags("Vec3")


# ------------------------------------------------------------------------------- devices


class Missing:
    target = "ptx"

    def __init__(self, name: str) -> None:
        self.name = name

    def available(self) -> Availability:
        return Availability(False, f"{self.name} is missing")


def test_choosing_a_device(monkeypatch: pytest.MonkeyPatch) -> None:
    device, reason = devices.choose("interp")
    assert device.name == "interp"
    known = {"cuda": Missing("cuda"), "interp": device}
    monkeypatch.setattr(devices, "names", lambda: ("cuda", "interp"))
    monkeypatch.setattr(devices, "get", known.__getitem__)
    chosen, reason = devices.choose(None)
    assert chosen is device
    assert "cuda does not work: cuda is missing" in reason
    with pytest.raises(devices.DeviceMissingError, match="cuda does not work here"):
        devices.choose("cuda")
    with pytest.raises(devices.DeviceMissingError, match="no device for ptx modules") as caught:
        devices.choose(None, "ptx")
    assert caught.value.notes == ("cuda does not work: cuda is missing",)
    with pytest.raises(LaunchValueError, match="device interp takes kir modules"):
        devices.choose("interp", "ptx")


def test_unknown_device() -> None:
    with pytest.raises(LaunchValueError, match=r"unknown device 'gpu'; known: cuda, .*interp"):
        devices.choose("gpu")


def test_load_says_which_device_once(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mirgpu.runtime.module._announced", set())
    path = tmp_path / "k.kir"
    artifacts.save(Artifact("", manifest(SAXPY)), path)
    for _ in range(2):
        load(path)
    assert capsys.readouterr().err.count("mirgpu: device interp: ") == 1
    load(path, device="interp")
    assert capsys.readouterr().err == ""


def test_load_refuses(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        load(tmp_path / "none.kir")
    path = tmp_path / "k.kir"
    artifacts.save(Artifact("", manifest(SAXPY)), path)
    with pytest.raises(TypeError, match="transpiled already; it takes no edition"):
        load(path, edition="2024")
    with pytest.raises(UnknownNameError, match="did you mean `saxpy`"):
        load(path, kernel="sapxy", device="interp")
    with pytest.raises(TypeError, match="no option 'colour'"):
        load(tmp_path / "k.rs", device="interp", colour=3)


# -------------------------------------------------------------------------------- panics


def test_panic_text_and_fields() -> None:
    records = [
        PanicRecord(0, (1, 0, 0), (0, 0, 0), (8, 40)),
        PanicRecord(0, (0, 0, 0), (13, 0, 0), (8, 13)),
        PanicRecord(0, (0, 0, 0), (12, 0, 0), (8, 12)),
    ]
    panic = panic_of(manifest(), 40, records)
    assert isinstance(panic, KernelPanic)
    assert str(panic) == (
        "index out of bounds: the length is 8 but the index is 12, "
        "at src/lib.rs:7:9, block (0,0,0) thread (12,0,0)"
    )
    assert panic.message == "index out of bounds: the length is 8 but the index is 12"
    assert (panic.file, panic.line, panic.col) == ("src/lib.rs", 7, 9)
    assert (panic.block, panic.thread, panic.count) == ((0, 0, 0), (12, 0, 0), 40)
    assert panic.__notes__ == ["40 threads panicked in all"]


def test_panic_without_a_place() -> None:
    panic = KernelPanic("oops", None, None, None, (0, 0, 0), (1, 0, 0), 1)
    assert str(panic) == "oops, block (0,0,0) thread (1,0,0)"


def test_panic_buffer() -> None:
    import struct

    from mirgpu.runtime.manifest import PanicBuffer

    buffer = PanicBuffer("panics", 2, 48)
    assert buffer_bytes(buffer) == 16 + 96
    record = struct.pack("<8I2Q", 5, 1, 2, 3, 4, 5, 6, 0, 7, 2**64 - 1)
    data = struct.pack("<4I", 3, 0, 0, 0) + record + bytes(48)
    count, records = parse_buffer(buffer, data)
    assert count == 3
    assert records[0] == PanicRecord(5, (1, 2, 3), (4, 5, 6), (7, 2**64 - 1))
    assert len(records) == 2
    assert parse_buffer(buffer, bytes(112)) == (0, ())
