"""One thread of a launch: its special registers, its frames, its view of memory."""

from typing import Any, Final, NoReturn, final

from tests.ptxsim.errors import PtxError, PtxMemoryError, PtxRunawayError, PtxTrapError
from tests.ptxsim.memory import FRAME_SHIFT, WINDOW, WINDOWS, GlobalMemory, Segment, cut

Triple = tuple[int, int, int]
WARP: Final = 32
BACKWARD_LIMIT: Final = 20_000_000
"""Backward branches that a function may take in one call."""
_SPACE_OF: Final = {base >> 60: space for space, base in WINDOWS.items()}


class ThreadExit(Exception):  # noqa: N818
    """``exit``."""


@final
class Thread:
    """What one thread has of its own, and the slow paths of its accesses."""

    def __init__(
        self,
        memory: GlobalMemory,
        const: Segment,
        param: Segment,
        shared: Segment,
        tid: Triple,
        ntid: Triple,
        ctaid: Triple,
        nctaid: Triple,
    ) -> None:
        self.memory, self.const = memory, const
        self.param, self.shared = param, shared
        self.tid, self.ctaid = tid, ctaid
        self.tid_x, self.tid_y, self.tid_z = tid
        self.ntid_x, self.ntid_y, self.ntid_z = ntid
        self.ctaid_x, self.ctaid_y, self.ctaid_z = ctaid
        self.nctaid_x, self.nctaid_y, self.nctaid_z = nctaid
        flat = tid[0] + ntid[0] * (tid[1] + ntid[1] * tid[2])
        self.laneid = flat % WARP
        self.warpid = flat // WARP
        self.nwarpid = -(-ntid[0] * ntid[1] * ntid[2] // WARP)
        self.WARP_SZ = WARP
        self.frames: dict[int, Segment] = {}
        self.pushed = 0

    # ------------------------------------------------------------------------ memory

    def space(self, address: int) -> str:
        return _SPACE_OF.get(address >> 60, "global")

    def _resolve(self, space: str, address: int) -> tuple[Any, int]:
        if space == "generic":
            space = self.space(address)
            if space != "global":
                address &= WINDOW - 1
        match space:
            case "global":
                return self.memory, address
            case "shared":
                return self.shared, address
            case "const":
                return self.const, address
            case "param":
                return self.param, address
            case _:
                frame = self.frames.get(address >> FRAME_SHIFT)
                if frame is None:
                    raise PtxMemoryError(f"local address {address:#x} is in no function's frame")
                return frame, address & ((1 << FRAME_SHIFT) - 1)

    def load(self, space: str, address: int, size: int) -> Any:
        memory, at = self._resolve(space, address)
        return memory.load(at, size)

    def store(self, space: str, address: int, size: int, value: Any) -> None:
        memory, at = self._resolve(space, address)
        memory.store(at, size, cut(value, size))

    def misaligned(self, space: str, address: int, size: int) -> NoReturn:
        raise PtxMemoryError(f"misaligned {size}-byte vector access at {space} {address:#x}")

    def parameter(self, offset: int, size: int) -> "EntryParameter":
        return EntryParameter(self.param, offset, size)

    def to_global(self, address: int) -> int:
        if self.space(address) != "global":
            raise PtxMemoryError(f"cvta.to.global of {address:#x}, in .{self.space(address)}")
        return address

    def to_space(self, space: str, address: int) -> int:
        if self.space(address) != space:
            raise PtxMemoryError(f"cvta.to.{space} of {address:#x}, in .{self.space(address)}")
        return address - WINDOWS[space]

    def push(self, layout: tuple[int, tuple[tuple[int, int], ...]]) -> int:
        """Enter a function: its frame's address."""
        size, variables = layout
        self.pushed += 1
        frame = self.frames[self.pushed] = Segment("local", size, False)
        for offset, length in variables:
            frame.place(offset, length, None)
        return self.pushed << FRAME_SHIFT

    def pop(self, frame: int) -> None:
        del self.frames[frame >> FRAME_SHIFT]

    # ----------------------------------------------------------------------- endings

    def trap(self) -> NoReturn:
        raise PtxTrapError("trap")

    def runaway(self) -> NoReturn:
        raise PtxRunawayError(f"more than {BACKWARD_LIMIT} backward branches")

    def bad_index(self, index: int) -> NoReturn:
        raise PtxError(f"brx.idx with index {index}")


@final
class EntryParameter:
    """A parameter of an entry, for ``ld.param`` by name."""

    def __init__(self, segment: Segment, offset: int, size: int) -> None:
        self.segment, self.offset, self.size = segment, offset, size

    def load(self, offset: int, size: int) -> Any:
        if not 0 <= offset <= self.size - size:
            raise PtxMemoryError(f"load of {size} bytes at {offset} of a parameter of {self.size}")
        return self.segment.load(self.offset + offset, size)

    def store(self, offset: int, size: int, value: Any) -> NoReturn:
        raise PtxMemoryError("store to a parameter of an entry")
