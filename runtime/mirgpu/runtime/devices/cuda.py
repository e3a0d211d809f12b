"""NVIDIA GPUs through CuPy: PTX compiled by the driver, arrays of CuPy used in place.

Host arrays are copied to the GPU, and those that the kernel may write back, before ``launch``
returns.  With device arrays alone a launch is asynchronous: after it the stream copies the
panic count to pinned memory, where a later launch or ``synchronize`` sees it without waiting.
"""

import ctypes
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, final

from mirgpu.runtime.arguments import Bound, Memory
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.config import LaunchConfig
from mirgpu.runtime.devices.base import Availability, LoadOptions
from mirgpu.runtime.errors import LaunchError, LaunchValueError
from mirgpu.runtime.manifest import KernelInfo, PanicBuffer
from mirgpu.runtime.packing import Region, host_regions, pack
from mirgpu.runtime.panics import HEADER_BYTES, buffer_bytes, panic_of, parse_buffer

_LAUNCH_PARAM_END: Final = 0
_LAUNCH_PARAM_BUFFER_POINTER: Final = 1
_LAUNCH_PARAM_BUFFER_SIZE: Final = 2
_HOST_TO_DEVICE: Final = 1
_DEVICE_TO_HOST: Final = 2
_FUNC_MAX_DYNAMIC_SHARED: Final = 8
_FREE_SHARED_BYTES: Final = 48 * 1024
"""Dynamic shared memory that a kernel gets without asking."""
_FATAL: Final = ("ILLEGAL", "MISALIGNED", "LAUNCH_FAILED", "LAUNCHFAIL", "TRAP", "ASSERT")
"""In the names of errors after which the CUDA context is of no use."""
_JIT_ERROR_LOG: Final = 5
_JIT_ERROR_LOG_BYTES: Final = 6


@final
class CudaDevice:
    """Takes PTX artifacts."""

    name = "cuda"
    target = "ptx"

    def available(self) -> Availability:
        """CuPy is installed, and sees a GPU."""
        try:
            import cupy  # pyright: ignore[reportMissingImports]
        except ImportError as error:
            if getattr(error, "name", None) == "cupy":
                return Availability(False, "CuPy is not installed: pip install 'mirgpu[cuda]'")
            return Availability(False, f"CuPy does not load: {error}")
        if getattr(cupy.cuda.runtime, "is_hip", False):
            return Availability(False, "this CuPy is built for ROCm")
        try:
            if cupy.cuda.runtime.getDeviceCount() == 0:
                return Availability(False, "no NVIDIA GPU")
            number = cupy.cuda.runtime.getDevice()
            properties = cupy.cuda.runtime.getDeviceProperties(number)
        except Exception as error:
            return Availability(False, f"no usable NVIDIA GPU: {error}")
        name = properties["name"]
        shown = name.decode() if isinstance(name, bytes) else name
        return Availability(True, f"{shown} (sm_{properties['major']}{properties['minor']})")

    def load(self, artifact: Artifact, options: LoadOptions) -> "CudaModule":
        """Have the driver compile the PTX for the current GPU."""
        import cupy  # pyright: ignore[reportMissingImports]

        return CudaModule(cupy, artifact)


@final
class CudaModule:
    """A module loaded on one GPU: the one that is current when it is made."""

    def __init__(self, cupy: Any, artifact: Artifact) -> None:
        self._cupy = cupy
        self._runtime = cupy.cuda.runtime
        self._manifest = artifact.manifest
        self._device = self._runtime.getDevice()
        self._functions: dict[str, Any] = {}
        self._pending: dict[int, tuple[Any, Any]] = {}
        """By stream pointer: the stream, and an event after its last asynchronous launch."""
        _check_arch(artifact, cupy.cuda.Device(self._device).compute_capability)
        self._module = cupy.cuda.function.Module()
        image = artifact.text.encode()
        try:
            self._module.load(image)
        except cupy.cuda.driver.CUDADriverError as error:
            raise _jit_error(error, image, artifact) from None
        self._panics: PanicBuffer | None = artifact.manifest.panic_buffer
        if self._panics is not None:
            self._panic_address = int(self._module.get_global_var(self._panics.symbol))
            self._runtime.memset(self._panic_address, 0, buffer_bytes(self._panics))
            self._pinned = cupy.cuda.alloc_pinned_memory(4)
            self._panic_count = ctypes.c_uint32.from_address(self._pinned.ptr)
            self._panic_count.value = 0

    def launch(self, kernel: KernelInfo, config: LaunchConfig, bound: Sequence[Bound]) -> None:
        """Copy in, launch, and for host arrays copy out and wait."""
        self._check_device(kernel, bound)
        with self._cupy.cuda.Device(self._device), self._errors(kernel):
            stream = self._stream(config.stream)
            regions = host_regions(kernel, bound)
            synchronous = any(not m.temporary for region in regions for m in region.members)
            if synchronous:
                self._wait()
            self._raise_pending()
            if config.empty:
                return
            with stream:
                self._run(kernel, config, bound, regions, stream)
                if synchronous:
                    stream.synchronize()
                    self._raise_found()
                else:
                    self._remember(stream)

    def synchronize(self) -> None:
        """Wait for every launch of this module."""
        with self._cupy.cuda.Device(self._device), self._errors(None):
            self._wait()
            self._raise_pending()

    def _run(
        self,
        kernel: KernelInfo,
        config: LaunchConfig,
        bound: Sequence[Bound],
        regions: Sequence[Region],
        stream: Any,
    ) -> None:
        copies: list[Any] = []
        addresses: dict[int, int] = {}
        for region in regions:
            copy = self._cupy.cuda.alloc(region.nbytes)
            copies.append(copy)
            self._runtime.memcpyAsync(
                copy.ptr, region.address, region.nbytes, _HOST_TO_DEVICE, stream.ptr
            )
            for member in region.members:
                addresses[id(member)] = copy.ptr + member.address - region.address
        buffer = pack(
            kernel, bound, lambda memory: addresses.get(id(memory), memory.address), config.extents
        )
        self._launch(self._function(kernel, config.shared_bytes), config, buffer, stream)
        for region in regions:
            for member in region.members:
                if member.writable:
                    self._runtime.memcpyAsync(
                        member.address,
                        addresses[id(member)],
                        member.nbytes,
                        _DEVICE_TO_HOST,
                        stream.ptr,
                    )

    def _launch(self, function: Any, config: LaunchConfig, buffer: bytearray, stream: Any) -> None:
        extra = None
        if buffer:
            data = (ctypes.c_char * len(buffer)).from_buffer(buffer)
            size = ctypes.c_size_t(len(buffer))
            extra = (ctypes.c_void_p * 5)(
                _LAUNCH_PARAM_BUFFER_POINTER,
                ctypes.addressof(data),
                _LAUNCH_PARAM_BUFFER_SIZE,
                ctypes.addressof(size),
                _LAUNCH_PARAM_END,
            )
        self._cupy.cuda.driver.launchKernel(
            function.ptr,
            *config.grid,
            *config.block,
            config.shared_bytes,
            stream.ptr,
            0,
            0 if extra is None else ctypes.addressof(extra),
        )

    def _function(self, kernel: KernelInfo, shared_bytes: int) -> Any:
        function = self._functions.get(kernel.symbol)
        if function is None:
            function = self._functions[kernel.symbol] = self._module.get_function(kernel.symbol)
        if shared_bytes + kernel.shared_bytes > _FREE_SHARED_BYTES:
            self._cupy.cuda.driver.funcSetAttribute(
                function.ptr, _FUNC_MAX_DYNAMIC_SHARED, shared_bytes
            )
        return function

    def _stream(self, given: Any) -> Any:
        cuda = self._cupy.cuda
        if given is None or (isinstance(given, int) and given == 0):
            return cuda.get_current_stream()
        if isinstance(given, int):
            return cuda.ExternalStream(given)
        if hasattr(given, "ptr"):
            return given
        if hasattr(given, "__cuda_stream__"):
            return cuda.ExternalStream(given.__cuda_stream__()[1])
        raise LaunchValueError("MG0508", f"{given!r} is no CUDA stream")

    def _check_device(self, kernel: KernelInfo, bound: Sequence[Bound]) -> None:
        for memory in bound:
            if isinstance(memory, Memory) and memory.device_id not in (None, self._device):
                raise LaunchValueError(
                    "MG0514",
                    f"{kernel.name}: `{memory.param.name}` is on GPU {memory.device_id}, "
                    f"the module on GPU {self._device}",
                )

    # ---------------------------------------------------------------------------- panics

    def _remember(self, stream: Any) -> None:
        if self._panics is not None:
            self._runtime.memcpyAsync(
                self._pinned.ptr, self._panic_address, 4, _DEVICE_TO_HOST, stream.ptr
            )
        _, event = self._pending.get(stream.ptr) or (
            None,
            self._cupy.cuda.Event(disable_timing=True),
        )
        event.record(stream)
        self._pending[stream.ptr] = stream, event

    def _wait(self) -> None:
        for _, event in self._pending.values():
            event.synchronize()
        self._pending.clear()

    def _raise_pending(self) -> None:
        if self._panics is not None and self._panic_count.value:
            # Other launches may still be writing records.
            self._wait()
            self._raise_found()

    def _raise_found(self) -> None:
        if self._panics is None:
            return
        if int.from_bytes(self._read(HEADER_BYTES)[:4], "little") == 0:
            return
        count, records = parse_buffer(self._panics, self._read(buffer_bytes(self._panics)))
        self._runtime.memset(self._panic_address, 0, buffer_bytes(self._panics))
        self._panic_count.value = 0
        raise panic_of(self._manifest, count, records)

    def _read(self, size: int) -> bytes:
        data = ctypes.create_string_buffer(size)
        self._runtime.memcpy(ctypes.addressof(data), self._panic_address, size, _DEVICE_TO_HOST)
        return data.raw

    @contextmanager
    def _errors(self, kernel: KernelInfo | None) -> Iterator[None]:
        cuda = self._cupy.cuda
        try:
            yield
        except (cuda.driver.CUDADriverError, cuda.runtime.CUDARuntimeError) as error:
            name = "a launch" if kernel is None else kernel.name
            dead = any(word in str(error).upper() for word in _FATAL)
            raise LaunchError(
                "MG0517",
                f"{name} failed on the GPU: {error}",
                notes=("every later CUDA call of this process will fail too",) if dead else (),
            ) from None


def _check_arch(artifact: Artifact, capability: str) -> None:
    arch = artifact.manifest.arch
    if arch is None:
        return
    wanted, suffix = _parse_arch(arch)
    has = int(capability)
    fits = {
        "": has >= wanted,
        "f": has >= wanted and has // 10 == wanted // 10,
        "a": has == wanted,
    }
    if not fits[suffix]:
        raise LaunchValueError(
            "MG0511",
            f"the module is for {arch}, this GPU is sm_{has}",
            helps=(f'transpile with arch="sm_{has}" or an older one, without a letter',),
        )


def _parse_arch(arch: str) -> tuple[int, str]:
    found = re.fullmatch(r"sm_(\d+)([af]?)", arch)
    if found is None:
        raise LaunchValueError("MG0511", f"the module is for {arch}, which is no GPU of NVIDIA's")
    return int(found[1]), found[2]


def _jit_error(error: Exception, image: bytes, artifact: Artifact) -> LaunchError:
    log = _jit_log(image)
    return LaunchError(
        "MG0511",
        f"the CUDA driver does not accept the PTX: {error}",
        notes=tuple(log.splitlines()),
        helps=(f"PTX {artifact.manifest.isa} needs a driver that knows it; see mirgpu doctor",),
    )


def _jit_log(image: bytes) -> str:
    """What the driver's compiler says; CuPy's own call does not ask for it."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return ""
    log = ctypes.create_string_buffer(16384)
    options = (ctypes.c_int * 2)(_JIT_ERROR_LOG, _JIT_ERROR_LOG_BYTES)
    values = (ctypes.c_void_p * 2)(ctypes.addressof(log), len(log))
    module = ctypes.c_void_p()
    status = driver.cuModuleLoadDataEx(
        ctypes.byref(module), ctypes.c_char_p(image), 2, options, values
    )
    if status == 0:
        driver.cuModuleUnload(module)
    return log.value.decode(errors="replace").strip()


DEVICE: Final = CudaDevice()
