"""Device cuda without a GPU: which calls CuPy gets, in which order, with which bytes."""

import struct
import sys
from typing import Any

import numpy as np
import pytest
from tests.unit.runtime.builders import F32, SAXPY, U32, kernel, manifest, shared, value
from tests.unit.runtime.fake_cupy import DriverError, FakeArray, FakeCupy, FakeStream

from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.devices.base import LoadOptions
from mirgpu.runtime.devices.cuda import DEVICE, CudaModule
from mirgpu.runtime.errors import KernelPanic, LaunchError, LaunchValueError
from mirgpu.runtime.manifest import KernelInfo, PanicBuffer
from mirgpu.runtime.module import Module
from mirgpu.runtime.panics import buffer_bytes

PANICS = PanicBuffer("panics", 32, 48)
CELLS = kernel("cells", *(shared(name, U32, "&[Cell<u32>]", interior=True) for name in "ab"))
NONE = kernel("none")
REF = kernel("ref", value("a", F32), shared("x", F32))


class FakeCudaDevice:
    name = "cuda"
    target = "ptx"

    def __init__(self, cupy: FakeCupy) -> None:
        self._cupy = cupy

    def load(self, artifact: Artifact, options: LoadOptions) -> CudaModule:
        return CudaModule(self._cupy, artifact)


def make(
    *kernels: KernelInfo, panics: bool = True, arch: str | None = "sm_70"
) -> tuple[Module, FakeCupy]:
    cupy = FakeCupy(buffer_bytes(PANICS))
    info = manifest(
        *(kernels or (SAXPY,)), target="ptx", arch=arch, panic_buffer=PANICS if panics else None
    )
    return Module(Artifact("text", info), FakeCudaDevice(cupy)), cupy  # type: ignore[arg-type]


def record(thread: int, length: int, index: int) -> bytes:
    return struct.pack("<8I2Q", 0, 0, 0, 0, thread, 0, 0, 0, length, index)


X = np.arange(8, dtype=np.float32)


def saxpy(buffer: bytes) -> None:
    """What the kernel does, from the bytes it is given."""
    import ctypes

    (a,) = struct.unpack_from("<f", buffer)
    x, xn, y, yn, n = struct.unpack_from("<5Q", buffer, 8)
    assert xn == yn == n
    xs = np.frombuffer((ctypes.c_char * (4 * n)).from_address(x), np.float32)
    ys = np.frombuffer((ctypes.c_char * (4 * n)).from_address(y), np.float32)
    ys[:] = a * xs + ys


def test_loading_clears_the_panic_buffer() -> None:
    _, cupy = make()
    assert cupy.log[0] == ("load", b"text")
    assert ("memset", buffer_bytes(PANICS)) in cupy.log
    assert not cupy.panics.any()


def test_host_arrays_are_copied_in_and_only_writable_ones_out() -> None:
    mod, cupy = make()
    cupy.kernel = saxpy
    y = X.copy()
    cupy.log.clear()
    mod.saxpy.forall(8, block=32)(2.0, X, y)
    assert np.array_equal(y, 3 * X)
    assert cupy.log == [
        ("alloc", 32), ("in", 32, 0), ("alloc", 32), ("in", 32, 0),
        ("launch", "function saxpy", (1, 1, 1, 32, 1, 1), 0, 0),
        ("out", 32, 0), ("synchronize", 0), ("out", 16, -1),
    ]  # fmt: skip


def test_overlapping_cells_share_one_copy() -> None:
    mod, cupy = make(CELLS)
    data = np.arange(16, dtype=np.uint32)
    seen: list[int] = []
    cupy.kernel = lambda buffer: seen.extend(struct.unpack("<4Q", buffer))
    cupy.log.clear()
    mod.cells[1, 1](data[:12], data[4:])
    assert cupy.names()[:2] == ["alloc", "in"]
    assert cupy.log[1] == ("in", 64, 0)
    assert seen[2] - seen[0] == 16
    assert [entry for entry in cupy.log if entry[0] == "out"][:2] == [("out", 48, 0)] * 2


def test_device_arrays_are_used_in_place_without_waiting() -> None:
    mod, cupy = make()
    cupy.kernel = saxpy
    x, y = FakeArray(X.copy()), FakeArray(X.copy())
    cupy.log.clear()
    mod.saxpy.forall(8)(2.0, x, y)
    assert np.array_equal(y.array, 3 * X)
    assert cupy.names() == ["launch", "out", "record"]
    assert cupy.log[1] == ("out", 4, 0)
    mod.synchronize()
    assert cupy.names()[3:] == ["wait"]


def test_streams() -> None:
    mod, cupy = make()
    arrays = FakeArray(X.copy()), FakeArray(X.copy())
    own = FakeStream(cupy, 77)
    for stream, ptr in ((None, 0), (0, 0), (55, 55), (own, 77)):
        cupy.log.clear()
        mod.saxpy[1, 32, stream](2.0, *arrays)
        assert cupy.log[0][-1] == ptr
    with own:
        mod.saxpy[1, 32](2.0, *arrays)
    assert cupy.log[-1] == ("record", 77)
    with pytest.raises(LaunchValueError, match="is no CUDA stream"):
        mod.saxpy[1, 32, "fast"](2.0, *arrays)


def test_dynamic_shared_memory() -> None:
    mod, cupy = make(NONE)
    mod.none[1, 1, None, 1024]()
    assert "attribute" not in cupy.names()
    mod.none[1, 1, None, 100_000]()
    assert ("attribute", "function none", 8, 100_000) in cupy.log
    assert cupy.log[-3][:4] == ("launch", "function none", (1, 1, 1, 1, 1, 1), 100_000)


def test_no_threads_no_launch() -> None:
    mod, cupy = make()
    mod.saxpy.forall(0)(2.0, X, X.copy())
    assert "launch" not in cupy.names()


def test_a_panic_on_host_arrays_is_raised_at_once() -> None:
    mod, cupy = make()
    y = X.copy()

    def body(buffer: bytes) -> None:
        saxpy(buffer)
        cupy.panic(2, record(13, 8, 13), record(12, 8, 12))

    cupy.kernel = body
    with pytest.raises(KernelPanic, match=r"the index is 12, at src/lib\.rs:7:9") as caught:
        mod.saxpy.forall(8)(2.0, X, y)
    assert caught.value.count == 2
    assert np.array_equal(y, 3 * X), "what the other threads wrote is there"
    assert not cupy.panics.any()
    cupy.kernel = saxpy
    mod.saxpy.forall(8)(2.0, X, y)
    mod.synchronize()


def panicked() -> tuple[Module, FakeCupy, tuple[FakeArray, FakeArray]]:
    """A module after an asynchronous launch that panicked."""
    mod, cupy = make()
    arrays = FakeArray(X.copy()), FakeArray(X.copy())
    cupy.kernel = lambda buffer: cupy.panic(1, record(12, 8, 12))
    mod.saxpy.forall(8)(2.0, *arrays)
    cupy.kernel = saxpy
    return mod, cupy, arrays


def test_a_panic_on_device_arrays_is_raised_at_synchronize() -> None:
    mod, cupy, arrays = panicked()
    with pytest.raises(KernelPanic, match=r"thread \(12,0,0\)"):
        mod.synchronize()
    assert not cupy.panics.any()
    mod.synchronize()
    mod.saxpy.forall(8)(2.0, *arrays)


@pytest.mark.parametrize("host", [False, True])
def test_a_panic_on_device_arrays_is_raised_at_the_next_launch(host: bool) -> None:
    mod, cupy, arrays = panicked()
    cupy.log.clear()
    args: tuple[Any, Any] = (X, X.copy()) if host else arrays
    with pytest.raises(KernelPanic):
        mod.saxpy.forall(8)(2.0, *args)
    assert "launch" not in cupy.names()
    mod.saxpy.forall(8)(2.0, *args)


def test_without_a_panic_buffer_nothing_is_read() -> None:
    mod, cupy = make(panics=False)
    mod.saxpy.forall(8)(2.0, X, X.copy())
    assert [entry for entry in cupy.log if entry[0] == "out"] == [("out", 32, 0)]
    mod.saxpy.forall(8)(2.0, FakeArray(X), FakeArray(X.copy()))
    mod.synchronize()


def test_arrays_of_another_gpu_are_refused() -> None:
    mod, cupy = make()
    with pytest.raises(LaunchValueError, match="`x` is on GPU 1, the module on GPU 0"):
        mod.saxpy.forall(8)(2.0, FakeArray(X, device=1), FakeArray(X.copy()))
    assert "launch" not in cupy.names()


def test_driver_errors_become_launch_errors() -> None:
    mod, cupy = make()
    cupy.launch_error = DriverError("CUDA_ERROR_INVALID_VALUE: invalid argument")
    with pytest.raises(LaunchError, match="saxpy failed on the GPU: CUDA_ERROR_INVALID") as caught:
        mod.saxpy.forall(8)(2.0, X, X.copy())
    assert (caught.value.code, caught.value.notes) == ("MG0517", ())
    cupy.launch_error = DriverError("CUDA_ERROR_ILLEGAL_ADDRESS: illegal")
    with pytest.raises(LaunchError) as caught:
        mod.saxpy.forall(8)(2.0, X, X.copy())
    assert "every later CUDA call" in caught.value.notes[0]


def test_text_that_the_driver_refuses() -> None:
    cupy = FakeCupy()
    cupy.load_error = DriverError("CUDA_ERROR_INVALID_PTX: a PTX JIT compilation failed")
    with pytest.raises(LaunchError, match="does not accept the PTX") as caught:
        CudaModule(cupy, Artifact("text", manifest(target="ptx", arch="sm_70")))
    assert caught.value.code == "MG0511"


@pytest.mark.parametrize(
    ("arch", "fits"),
    [
        ("sm_60", True), ("sm_90", True), ("sm_90a", True), ("sm_100", False), ("sm_80a", False),
        ("sm_90f", True), ("sm_80f", False), ("gfx90a", False), (None, True),
    ],
)  # fmt: skip
def test_the_gpu_must_be_new_enough(arch: str | None, fits: bool) -> None:
    if fits:
        make(arch=arch)
    else:
        with pytest.raises(LaunchValueError, match="MG0511"):
            make(arch=arch)


def test_availability_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cupy", None)
    assert not DEVICE.available().usable
    assert "CuPy" in DEVICE.available().reason

    class Broken:
        class cuda:  # noqa: N801
            class runtime:  # noqa: N801
                @staticmethod
                def getDeviceCount() -> int:  # noqa: N802
                    raise RuntimeError("driver too old")

    monkeypatch.setitem(sys.modules, "cupy", Broken)
    assert DEVICE.available().reason == "no usable NVIDIA GPU: driver too old"
