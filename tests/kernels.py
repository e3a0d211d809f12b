"""Runs one launch through every path: natively, in the interpreter, and as PTX in ptxsim.

``check_case`` compares each path with the native run by the project's comparator.
"""

import functools
from pathlib import Path
from typing import Any

import numpy as np
from tests.native import NativeResult, run_native
from tests.ptxsim import Sim
from tests.sample_cases import Case

from mirgpu.driver import Options, transpile
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.dtypes import dtype_of
from mirgpu.runtime.manifest import KernelInfo, ParamKind

ORDERS = ("ascending", "descending", "shuffled")


@functools.cache
def artifact(path: Path, index: tuple[str, ...], target: str, arch: str | None = None) -> Artifact:
    """The transpiled file; one transpile serves all its cases."""
    return transpile(path, Options(index=index, target=target, arch=arch))


@functools.cache
def simulator(path: Path, index: tuple[str, ...], arch: str) -> Sim:
    """A simulator with the file's PTX loaded."""
    return Sim(artifact(path, index, "ptx", arch).text)


def kernel_of(case: Case) -> KernelInfo:
    """The case's kernel, by its name in Rust."""
    kernels = artifact(case.path, case.index, "kir").manifest.kernels
    (kernel,) = [k for k in kernels if k.name.rpartition("::")[2] == case.kernel]
    return kernel


def dtypes_of(case: Case) -> dict[str, np.dtype[Any]]:
    """The dtypes of the named types in the file's signatures."""
    types = artifact(case.path, case.index, "kir").manifest.types
    return {name: dtype_of(ty) for ty in types if (name := getattr(ty, "name", None))}


def arguments_of(case: Case) -> list[np.ndarray[Any, Any]]:
    """Fresh arguments, scalars as arrays of one element, each in memory of its own."""
    built = case.build(dtypes_of(case))
    return [np.atleast_1d(np.array(value)) for value in built.values()]


@functools.cache
def native(case: Case) -> NativeResult:
    """rustc's own result."""
    return run_native(
        case.path,
        artifact(case.path, case.index, "kir").manifest.kernels,
        kernel_of(case),
        [value.tobytes() for value in arguments_of(case)],
        extents=case.extents,
        grid=case.grid,
        block=case.block,
    )


def launch_of(case: Case) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    """Grid and block; plain kernels get blocks that no case's size is a multiple of."""
    if case.extents is None:
        assert case.grid is not None
        assert case.block is not None
        return case.grid, case.block
    sizes = [(32, 1, 1), (8, 4, 1), (4, 4, 2)][len(case.extents) - 1]
    extents = (*case.extents, 1, 1)[:3]
    grid = tuple(-(-extent // size) for extent, size in zip(extents, sizes, strict=True))
    return (grid[0], grid[1], grid[2]), sizes


def run_ptxsim(case: Case, order: str, arch: str = "sm_80") -> list[bytes]:
    """The arguments' bytes after the launch of the emitted PTX in the simulator."""
    sim = simulator(case.path, case.index, arch)
    kernel = kernel_of(case)
    buffer = bytearray(kernel.buffer_size)
    values = iter(arguments := arguments_of(case))
    extents = (*(case.extents or ()), 1, 1)
    for param in kernel.params:
        if param.kind is ParamKind.INDEX:
            continue
        assert param.offset is not None
        if param.kind is ParamKind.EXTENT:
            assert param.axis is not None
            data = extents[param.axis].to_bytes(8, "little")
        else:
            value = next(values)
            if param.kind is ParamKind.VALUE:
                data = value.tobytes()
            else:
                address = sim.alloc(value.view(np.uint8), writable=param.mutable)
                data = address.to_bytes(8, "little")
            if param.kind is ParamKind.SLICE:
                data += len(value).to_bytes(8, "little")
        buffer[param.offset : param.offset + len(data)] = data
    grid, block = launch_of(case)
    sim.launch(kernel.symbol, grid, block, bytes(buffer), order=order)
    return [value.tobytes() for value in arguments]


def run_interp(case: Case, order: str) -> list[bytes]:
    """The arguments' bytes after the launch on the interp device, through the public API."""
    from mirgpu.runtime import load

    module = load(case.path, index=case.index, device="interp", order=order)
    arguments = case.build(dtypes_of(case))
    kernel = getattr(module, case.kernel)
    if case.extents is not None:
        kernel.forall(case.extents)(*arguments.values())
    else:
        kernel[case.grid, case.block](*arguments.values())
    return [np.asarray(value).tobytes() for value in arguments.values()]
