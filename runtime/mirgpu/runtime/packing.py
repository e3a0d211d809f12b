"""The parameter buffer of a launch, and the stretches of host memory behind its arguments.

The buffer has each parameter at its offset in the ABI, little-endian: values as their bytes, a
slice as ``{ptr: u64, len: u64}``, references and pointers as ``ptr: u64``, then the hidden
extents.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

from mirgpu.runtime.arguments import Bound, Memory, Value
from mirgpu.runtime.dtypes import align_of
from mirgpu.runtime.errors import LaunchValueError
from mirgpu.runtime.manifest import KernelInfo, ParamKind


@final
@dataclass(frozen=True, slots=True)
class Region:
    """A stretch of host memory from ``address`` on, and the arguments that lie in it.

    Arguments that overlap share a region, so that a device's copy shows each the others'
    writes; their order is that of their addresses.
    """

    address: int
    nbytes: int
    align: int
    members: tuple[Memory, ...]

    @property
    def writable(self) -> bool:
        """Whether the kernel may write any of it."""
        return any(member.writable for member in self.members)


def host_regions(kernel: KernelInfo, bound: Sequence[Bound]) -> tuple[Region, ...]:
    """The host memory that a launch uses; arguments without bytes are left out.

    Raises ``LaunchValueError`` where arguments overlap at a distance that leaves one of them
    misaligned in any copy.
    """
    groups: list[list[Memory]] = []
    end = 0
    host = (b for b in bound if isinstance(b, Memory) and not b.on_device and b.nbytes)
    for memory in sorted(host, key=lambda m: m.address):
        if groups and memory.address < end:
            groups[-1].append(memory)
            end = max(end, memory.address + memory.nbytes)
        else:
            groups.append([memory])
            end = memory.address + memory.nbytes
    return tuple(_region(kernel, group) for group in groups)


def _region(kernel: KernelInfo, members: list[Memory]) -> Region:
    start = members[0].address
    for member in members:
        if (member.address - start) % align_of(member.param.type):
            raise LaunchValueError(
                "MG0515",
                f"{kernel.name}: `{member.param.name}: {member.param.rust_type}` overlaps another "
                f"argument at an offset that is no multiple of {align_of(member.param.type)} bytes",
            )
    return Region(
        start,
        max(m.address + m.nbytes for m in members) - start,
        max(align_of(m.param.type) for m in members),
        tuple(members),
    )


def pack(
    kernel: KernelInfo,
    bound: Sequence[Bound],
    address_of: Callable[[Memory], int],
    extents: Sequence[int],
) -> bytearray:
    """The parameter buffer.

    ``address_of`` gives the device address of memory that has bytes; ``extents`` are the
    numbers of threads in x, y, z.
    """
    buffer = bytearray(kernel.buffer_size)
    for argument in bound:
        match argument:
            case Value(param=param, data=data):
                _put(buffer, param.offset, data)
            case Memory(param=param, nbytes=nbytes, length=length):
                # Rust's references are never null: an empty slice dangles, aligned.
                address = address_of(argument) if nbytes else align_of(param.type)
                _put(buffer, param.offset, address.to_bytes(8, "little"))
                if param.kind is ParamKind.SLICE:
                    assert param.offset is not None
                    _put(buffer, param.offset + 8, length.to_bytes(8, "little"))
    for param in kernel.params:
        if param.kind is ParamKind.EXTENT:
            assert param.axis is not None
            _put(buffer, param.offset, extents[param.axis].to_bytes(8, "little"))
    return buffer


def _put(buffer: bytearray, offset: int | None, data: bytes) -> None:
    if data:
        assert offset is not None
        assert offset + len(data) <= len(buffer)
        buffer[offset : offset + len(data)] = data
