"""Rust's borrow rules between the arguments of one launch.

The generated code relies on them: what a ``&[T]`` shows does not change under the kernel.
"""

from collections.abc import Sequence

from mirgpu.runtime.arguments import Memory
from mirgpu.runtime.errors import LaunchValueError
from mirgpu.runtime.manifest import KernelInfo, KernelParam, ParamKind


def check_borrows(kernel: KernelInfo, memories: Sequence[Memory]) -> None:
    """Refuse ``&mut`` memory that overlaps any other argument, and memory that the kernel may
    write (``*mut``, slices of cells and atomics) that overlaps a shared reference.

    Raises ``LaunchValueError`` that names both parameters.
    """
    for host in (False, True):
        spans = sorted(
            (m for m in memories if m.nbytes and m.on_device is not host),
            key=lambda m: m.address,
        )
        for n, first in enumerate(spans):
            for second in spans[n + 1 :]:
                if second.address >= first.address + first.nbytes:
                    break
                if not _may_overlap(first.param, second.param):
                    _refuse(kernel, first, second)


def _may_overlap(a: KernelParam, b: KernelParam) -> bool:
    if _exclusive(a) or _exclusive(b):
        return False
    if _frozen(a):
        return not (b.mutable or b.interior)
    return not _frozen(b) or not (a.mutable or a.interior)


def _exclusive(param: KernelParam) -> bool:
    return param.mutable and param.kind is not ParamKind.POINTER


def _frozen(param: KernelParam) -> bool:
    return not param.mutable and not param.interior and param.kind is not ParamKind.POINTER


def _refuse(kernel: KernelInfo, first: Memory, second: Memory) -> None:
    writer, other = (first, second) if first.writable else (second, first)
    shared = min(first.address + first.nbytes, second.address + second.nbytes) - second.address
    raise LaunchValueError(
        "MG0507",
        f"{kernel.name}: `{writer.param.name}: {writer.param.rust_type}` may be written and "
        f"shares {shared} bytes with `{other.param.name}: {other.param.rust_type}`",
        notes=("Rust forbids it, and the generated code relies on that",),
        helps=(f"pass {other.param.name}.copy()",),
    )
