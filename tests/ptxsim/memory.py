"""Memory of the simulated device: allocations in one 64-bit generic address space.

Each allocation has the upper half of its addresses for itself, so that running out of one
lands in none.  A byte is initialised or not; loading an uninitialised one gives ``None``, which
may be moved and stored, but not computed with.
"""

import struct
from typing import Final

from tests.ptxsim.errors import PtxError

SHARED_WINDOW: Final = 0x1000 << 32
LOCAL_WINDOW: Final = 0x2000 << 32
CONST_WINDOW: Final = 0x3000 << 32
PARAM_WINDOW: Final = 0x4000 << 32
GLOBAL_BASE: Final = 0x7F00

_FORMATS: Final = {
    size: struct.Struct(f"<{code}") for size, code in ((1, "B"), (2, "H"), (4, "I"), (8, "Q"))
}


class Region:
    """One allocation; ``init`` is none where every byte is initialised."""

    def __init__(
        self, data: "memoryview | bytearray", init: bytearray | None, writable: bool, name: str
    ) -> None:
        self.data = data
        self.init = init
        self.writable = writable
        self.name = name
        self.size = len(data)

    def load(self, offset: int, size: int) -> int | None:
        if offset % size:
            raise PtxError(f"misaligned load of {size} bytes at {self.name}+{offset:#x}")
        if offset < 0 or offset + size > self.size:
            raise PtxError(f"load out of bounds: {size} bytes at {self.name}+{offset:#x}")
        if self.init is not None and 0 in self.init[offset : offset + size]:
            return None
        return int(_FORMATS[size].unpack_from(self.data, offset)[0])

    def store(self, offset: int, size: int, value: int | None) -> None:
        if offset % size:
            raise PtxError(f"misaligned store of {size} bytes at {self.name}+{offset:#x}")
        if offset < 0 or offset + size > self.size:
            raise PtxError(f"store out of bounds: {size} bytes at {self.name}+{offset:#x}")
        if not self.writable:
            raise PtxError(f"store to read-only {self.name}")
        if value is None:
            if self.init is None:
                raise PtxError(f"store of an undefined value to {self.name}+{offset:#x}")
            self.init[offset : offset + size] = bytes(size)
            return
        _FORMATS[size].pack_into(self.data, offset, value & ((1 << 8 * size) - 1))
        if self.init is not None:
            self.init[offset : offset + size] = b"\1" * size


def blank(size: int, name: str) -> Region:
    """Uninitialised memory."""
    return Region(bytearray(size), bytearray(size), True, name)


class Memory:
    """What a thread sees; ``shared`` and ``local`` are swapped with the block and the thread."""

    def __init__(self) -> None:
        self.regions: dict[int, Region] = {}
        self.next = GLOBAL_BASE

    def add(self, region: Region) -> int:
        address = self.next << 32
        self.regions[self.next] = region
        self.next += 1
        return address

    def find(self, address: int) -> tuple[Region, int]:
        region = self.regions.get(address >> 32)
        if region is None:
            raise PtxError(f"no memory at {address:#x}")
        return region, address & 0xFFFFFFFF
