"""A stand-in for CuPy: its "GPU" is host memory, its log the calls in order.

``kernel`` runs at a launch with the parameter buffer that the driver would get.
"""

import ctypes
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np


class DriverError(Exception):
    """As ``CUDADriverError``."""


class RuntimeCallError(Exception):
    """As ``CUDARuntimeError``."""


class FakeStream:
    def __init__(self, cupy: "FakeCupy", ptr: int) -> None:
        self._cupy = cupy
        self.ptr = ptr

    def __enter__(self) -> "FakeStream":
        self._cupy.stack.append(self)
        return self

    def __exit__(self, *_: object) -> None:
        self._cupy.stack.pop()

    def synchronize(self) -> None:
        self._cupy.log.append(("synchronize", self.ptr))


class FakeArray:
    """An array of the fake GPU."""

    def __init__(self, array: np.ndarray[Any, Any], device: int = 0) -> None:
        self.array = array
        self.dtype = array.dtype
        self.device = SimpleNamespace(id=device)
        self.__cuda_array_interface__ = {
            "shape": array.shape,
            "typestr": array.dtype.str,
            "data": (array.ctypes.data, False),
            "strides": array.strides,
        }


class FakeCupy:
    """The module ``cupy``, as much as the device uses."""

    def __init__(self, panic_bytes: int = 0) -> None:
        self.log: list[tuple[Any, ...]] = []
        self.kernel: Callable[[bytes], None] = lambda buffer: None
        self.panics = np.full(max(panic_bytes, 1), 0xEE, np.uint8)
        self.load_error: Exception | None = None
        self.launch_error: Exception | None = None
        self.keep: list[Any] = []
        null = FakeStream(self, 0)
        self.stack = [null]
        self.cuda = SimpleNamespace(
            Device=self._device,
            ExternalStream=lambda ptr: FakeStream(self, ptr),
            Event=lambda disable_timing: SimpleNamespace(
                record=lambda stream: self.log.append(("record", stream.ptr)),
                synchronize=lambda: self.log.append(("wait",)),
            ),
            alloc=self._alloc,
            alloc_pinned_memory=self._alloc,
            get_current_stream=lambda: self.stack[-1],
            runtime=SimpleNamespace(
                CUDARuntimeError=RuntimeCallError,
                getDevice=lambda: 0,
                memcpy=self._copy,
                memcpyAsync=self._copy,
                memset=self._memset,
            ),
            driver=SimpleNamespace(
                CUDADriverError=DriverError,
                launchKernel=self._launch,
                funcSetAttribute=lambda *a: self.log.append(("attribute", *a)),
            ),
            function=SimpleNamespace(Module=self._module),
        )

    def names(self) -> list[str]:
        """The calls' names in order."""
        return [entry[0] for entry in self.log]

    def panic(self, count: int, *records: bytes) -> None:
        """Write a panic buffer, as a kernel would."""
        data = count.to_bytes(4, "little") + bytes(12) + b"".join(records)
        self.panics[: len(data)] = np.frombuffer(data, np.uint8)

    def _device(self, number: int) -> Any:
        return _Device()

    def _alloc(self, size: int) -> Any:
        memory = np.full(size, 0xCC, np.uint8)
        self.keep.append(memory)
        self.log.append(("alloc", size))
        return SimpleNamespace(ptr=memory.ctypes.data)

    def _copy(self, to: int, source: int, size: int, kind: int, stream: int = -1) -> None:
        ctypes.memmove(to, source, size)
        self.log.append(({1: "in", 2: "out"}[kind], size, stream))

    def _memset(self, address: int, value: int, size: int) -> None:
        ctypes.memset(address, value, size)
        self.log.append(("memset", size))

    def _module(self) -> Any:
        def load(image: bytes) -> None:
            self.log.append(("load", image))
            if self.load_error is not None:
                raise self.load_error

        return SimpleNamespace(
            load=load,
            get_function=lambda name: SimpleNamespace(ptr=f"function {name}"),
            get_global_var=lambda name: self.panics.ctypes.data,
        )

    def _launch(self, function: str, *rest: Any) -> None:
        *sizes, shared, stream, params, extra = rest
        data = b""
        if extra:
            pointer, address, size, at, end = (ctypes.c_void_p * 5).from_address(extra)
            assert (pointer, size, end) == (1, 2, None)
            assert address is not None
            length = ctypes.c_size_t.from_address(at).value
            data = ctypes.string_at(address, length)
        assert params == 0
        self.log.append(("launch", function, tuple(sizes), shared, stream))
        if self.launch_error is not None:
            raise self.launch_error
        self.kernel(data)


class _Device:
    compute_capability = "90"

    def __enter__(self) -> "_Device":
        return self

    def __exit__(self, *_: object) -> None:
        pass
