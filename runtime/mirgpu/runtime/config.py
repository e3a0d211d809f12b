"""Launch configurations: grid and block, extents of plain kernels, limits."""

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

from mirgpu.runtime.errors import LaunchTypeError, LaunchValueError
from mirgpu.runtime.manifest import KernelInfo, ParamKind, ScalarType
from mirgpu.runtime.rust_format import INTEGER_BITS

Triple = tuple[int, int, int]

MAX_BLOCK: Final[Triple] = (1024, 1024, 64)
MAX_BLOCK_THREADS: Final = 1024
MAX_GRID: Final[Triple] = (2**31 - 1, 65535, 65535)
DEFAULT_BLOCKS: Final[tuple[Triple, ...]] = ((256, 1, 1), (16, 16, 1), (8, 8, 4))
"""``forall``'s block, by the number of axes."""


@final
@dataclass(frozen=True, slots=True)
class LaunchConfig:
    """``extents`` are the threads that run on each axis; ``stream`` is the device's."""

    grid: Triple
    block: Triple
    extents: Triple
    stream: Any
    shared_bytes: int

    @property
    def empty(self) -> bool:
        """Whether no thread runs at all."""
        return 0 in self.extents


def explicit(
    kernel: KernelInfo, grid: object, block: object, stream: Any = None, shared_bytes: object = 0
) -> LaunchConfig:
    """``kernel[grid, block, stream, shared_bytes]``: extents are grid·block.

    Raises ``LaunchTypeError`` and ``LaunchValueError``.
    """
    g, b = _triple(kernel, "grid", grid), _triple(kernel, "block", block)
    return _checked(kernel, g, b, (g[0] * b[0], g[1] * b[1], g[2] * b[2]), stream, shared_bytes)


def forall(
    kernel: KernelInfo, n: object, block: object, stream: Any, shared_bytes: object
) -> LaunchConfig:
    """A grid of at least ``n`` threads (on each axis); plain kernels run exactly ``n``.

    Raises ``LaunchTypeError`` and ``LaunchValueError``.
    """
    counts = _counts(kernel, "forall", n)
    axes = index_axes(kernel)
    if kernel.plain and len(counts) != axes:
        raise LaunchValueError(
            "MG0509",
            f"{kernel.name} has {axes} thread {'index' if axes == 1 else 'indices'}, "
            f"forall was given {len(counts)} counts",
            helps=(f"pass {'one number' if axes == 1 else f'a tuple of {axes} numbers'}",),
        )
    b = DEFAULT_BLOCKS[len(counts) - 1] if block is None else _triple(kernel, "block", block)
    extents = _pad(counts)
    grid = tuple(max(1, -(-count // size)) for count, size in zip(extents, b, strict=True))
    assert len(grid) == 3
    return _checked(kernel, grid, b, extents, stream, shared_bytes)


def index_axes(kernel: KernelInfo) -> int:
    """How many thread indices a plain kernel binds; 0 for others."""
    return sum(param.kind is ParamKind.EXTENT for param in kernel.params)


def _checked(
    kernel: KernelInfo, grid: Triple, block: Triple, extents: Triple, stream: Any, shared: object
) -> LaunchConfig:
    for name, values, limits in (("block", block, MAX_BLOCK), ("grid", grid, MAX_GRID)):
        for axis, value, limit in zip("xyz", values, limits, strict=True):
            if not 1 <= value <= limit:
                raise LaunchValueError(
                    "MG0508", f"{kernel.name}: {name} {axis} must be 1 to {limit}, got {value}"
                )
    if block[0] * block[1] * block[2] > MAX_BLOCK_THREADS:
        raise LaunchValueError(
            "MG0508",
            f"{kernel.name}: a block has at most {MAX_BLOCK_THREADS} threads, {block} are "
            f"{block[0] * block[1] * block[2]}",
        )
    shared_bytes = _integer(kernel, "shared_bytes", shared)
    if shared_bytes < 0:
        raise LaunchValueError("MG0508", f"{kernel.name}: shared_bytes is {shared_bytes}")
    if kernel.plain:
        _check_extents(kernel, extents)
    return LaunchConfig(grid, block, extents, stream, shared_bytes)


def _check_extents(kernel: KernelInfo, extents: Triple) -> None:
    axes = index_axes(kernel)
    for axis in range(axes, 3):
        if extents[axis] > 1:
            raise LaunchValueError(
                "MG0509",
                f"{kernel.name} has no thread index on axis {'xyz'[axis]}: the "
                f"{extents[axis]} threads there would all do the same",
                helps=("transpile with --index i,j[,k] to bind further parameters",),
            )
    for param in kernel.params:
        if param.kind is ParamKind.INDEX:
            assert param.axis is not None
            assert isinstance(param.type, ScalarType)
            name = param.type.name
            bits = INTEGER_BITS[name] - (name[0] == "i")
            if extents[param.axis] > 1 << bits:
                raise LaunchValueError(
                    "MG0509",
                    f"{kernel.name}: `{param.name}: {name}` cannot count {extents[param.axis]} "
                    "threads",
                )


def _triple(kernel: KernelInfo, what: str, value: object) -> Triple:
    return _pad(_counts(kernel, what, value))


def _pad(counts: Sequence[int]) -> Triple:
    x, y, z = (*counts, 1, 1)[:3]
    return x, y, z


def _counts(kernel: KernelInfo, what: str, value: object) -> tuple[int, ...]:
    items = value if isinstance(value, tuple | list) else (value,)
    if not 1 <= len(items) <= 3:
        raise LaunchTypeError("MG0508", f"{kernel.name}: {what} has one to three axes, got {value}")
    counts = tuple(_integer(kernel, what, item) for item in items)
    if min(counts) < 0:
        raise LaunchValueError("MG0508", f"{kernel.name}: {what} is negative: {value}")
    return counts


def _integer(kernel: KernelInfo, what: str, value: Any) -> int:
    if isinstance(value, bool):
        raise LaunchTypeError("MG0508", f"{kernel.name}: {what} takes integers, got {value!r}")
    try:
        return operator.index(value)
    except TypeError:
        raise LaunchTypeError(
            "MG0508", f"{kernel.name}: {what} takes integers, got {value!r}"
        ) from None
