"""kir interpreted in Python: the reference semantics, on any machine, in place on host arrays."""

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, final

from mirgpu.runtime.arguments import Bound, Memory
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.config import LaunchConfig
from mirgpu.runtime.devices.base import Availability, LoadOptions
from mirgpu.runtime.errors import LaunchError, LaunchValueError
from mirgpu.runtime.manifest import KernelInfo, Manifest
from mirgpu.runtime.packing import Region, host_regions, pack
from mirgpu.runtime.panics import PanicRecord, panic_of

if TYPE_CHECKING:
    from mirgpu.kir.interpreter import PanicReport
    from mirgpu.kir.module import Module


@final
class InterpDevice:
    """Takes kir artifacts."""

    name = "interp"
    target = "kir"

    def available(self) -> Availability:
        """Always."""
        return Availability(True, "kir interpreted in Python, slow, works everywhere")

    def load(self, artifact: Artifact, options: LoadOptions) -> "InterpModule":
        """Parse the kir text."""
        from mirgpu.kir.parser import parse_module

        return InterpModule(parse_module(artifact.text), artifact.manifest, options)


@final
class InterpModule:
    """A kir module, compiled once, and the order in which its threads run."""

    def __init__(self, module: "Module", manifest: Manifest, options: LoadOptions) -> None:
        from mirgpu.kir.interpreter import Interpreter

        self._interpreter = Interpreter(module)
        self._manifest = manifest
        self._options = options

    def launch(self, kernel: KernelInfo, config: LaunchConfig, bound: Sequence[Bound]) -> None:
        """Interpret every thread; the arrays are the kernel's memory."""
        if config.stream not in (None, 0):
            raise LaunchValueError("MG0508", f"{kernel.name}: device interp has no streams")
        _refuse_device_memory(kernel, bound)
        if config.empty:
            return
        bases: list[int] = []
        addresses: dict[int, int] = {}
        try:
            for region in host_regions(kernel, bound):
                base = self._alloc(region)
                bases.append(base)
                for member in region.members:
                    addresses[id(member)] = base + member.address - region.address
            buffer = pack(kernel, bound, lambda m: addresses[id(m)], config.extents)
            report = self._run(kernel, config, buffer)
        finally:
            for base in bases:
                self._interpreter.free(base)
        if report.count:
            records = [PanicRecord(r.site, r.block, r.thread, r.operands) for r in report.records]
            raise panic_of(self._manifest, report.count, records)

    def _alloc(self, region: Region) -> int:
        # In place, also for arrays that NumPy holds read-only: the interpreter refuses writes
        # to them itself.
        data = (ctypes.c_ubyte * region.nbytes).from_address(region.address)
        return self._interpreter.alloc(
            memoryview(data).cast("B"),
            align=region.align,
            readonly=not region.writable,
            name="+".join(member.param.name for member in region.members),
        )

    def _run(self, kernel: KernelInfo, config: LaunchConfig, buffer: bytearray) -> "PanicReport":
        from mirgpu.kir.interpreter import InterpreterError

        try:
            return self._interpreter.launch(
                kernel.symbol,
                config.grid,
                config.block,
                buffer,
                order=self._options.order,
                seed=self._options.seed,
            )
        except InterpreterError as error:
            raise LaunchError(
                "MG0517",
                f"{kernel.name}: {error}",
                notes=("Rust leaves this undefined: no safe code does it",),
            ) from None

    def synchronize(self) -> None:
        """Nothing runs in the background here."""


def _refuse_device_memory(kernel: KernelInfo, bound: Sequence[Bound]) -> None:
    for memory in bound:
        if isinstance(memory, Memory) and memory.on_device:
            raise LaunchValueError(
                "MG0514",
                f"{kernel.name}: `{memory.param.name}` is a device array, "
                "device interp takes host arrays",
                helps=(f"pass cupy.asnumpy({memory.param.name})",),
            )


DEVICE: Final = InterpDevice()
