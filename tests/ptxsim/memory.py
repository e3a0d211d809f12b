"""Memory of the evaluator: global allocations, and segments for the other state spaces.

A global address is an allocation's number times 2**36, plus its alignment, so that it is never
better aligned than asked for.  Shared, const, local and parameter memory have addresses of their
own that start near 0; ``cvta`` adds the space's window.  Variables in a segment stand apart, and
the bytes between them belong to nobody.

Aligned accesses of initialised memory go through typed views, straight from the generated code;
what those miss comes here, and either succeeds or raises the error that says why.
"""

from typing import Any, Final, Literal, NoReturn, final

from tests.ptxsim.errors import PtxMemoryError

_Integer = Literal["B", "H", "I", "Q"]
_Real = Literal["f", "d"]
_FloatViews = dict[int, tuple["memoryview[float]", int]]

SHIFT: Final = 36
OFFSET: Final = (1 << SHIFT) - 1
WINDOW: Final = 1 << 60
WINDOWS: Final = {"shared": WINDOW, "local": 2 * WINDOW, "const": 3 * WINDOW, "param": 4 * WINDOW}
FRAME_SHIFT: Final = 24
"""A local address is a frame's number times 2**24 plus an offset."""
FIRST: Final = 1024
"""Where the first variable of a segment stands."""
GAP: Final = 16
KEYS: Final = {size: (~OFFSET | (size - 1)) & ((1 << 64) - 1) for size in (1, 2, 4, 8)}
"""``address & KEYS[size]`` is an allocation's number for an aligned address of that size."""
_NOBODY: Final = 2
_GARBAGE: Final = 0xA5
_CODES: Final[tuple[tuple[int, _Integer, _Real | None], ...]] = (
    (1, "B", None),
    (2, "H", None),
    (4, "I", "f"),
    (8, "Q", "d"),
)


@final
class Undef:
    """Bytes of which some were never written.  It can be moved; all else raises TypeError."""

    __slots__ = ("data", "mask")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, data: bytes, mask: bytes) -> None:
        self.data = data
        self.mask = mask

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("undefined")

    def __ne__(self, other: object) -> NoReturn:
        raise TypeError("undefined")

    def __bool__(self) -> NoReturn:
        raise TypeError("undefined")


def undef(size: int) -> Undef:
    return Undef(bytes(size), bytes(size))


UNDEF: Final = undef(8)


@final
class Allocation:
    """Global memory from ``base`` on; ``mask`` holds a 1 for each written byte, if tracked."""

    def __init__(self, base: int, data: memoryview, name: str, readonly: bool) -> None:
        self.base = base
        self.data = data
        self.name = name
        self.readonly = readonly
        self.mask: bytearray | None = None


@final
class Segment:
    """``mask``: 1 written, 0 not, 2 no variable's byte."""

    def __init__(self, space: str, size: int, readonly: bool) -> None:
        size = -(-size // 8) * 8
        self.space = space
        self.readonly = readonly
        self.data = bytearray(size)
        self.mask = bytearray([_NOBODY]) * size
        self.d, self.m = memoryview(self.data), memoryview(self.mask)
        self.views = {1: self.d.cast("B"), 2: self.d.cast("H"), 4: self.d.cast("I"),
                      8: self.d.cast("Q")}  # fmt: skip
        self.floats = {4: self.d.cast("f"), 8: self.d.cast("d")}
        self.masks = {1: self.m.cast("B"), 2: self.m.cast("H"), 4: self.m.cast("I"),
                      8: self.m.cast("Q")}  # fmt: skip

    def place(self, offset: int, size: int, initial: bytes | None) -> None:
        """Put a variable there."""
        self.mask[offset : offset + size] = bytes([initial is not None]) * size
        if initial is not None:
            self.data[offset : offset + size] = initial

    def load(self, offset: int, size: int) -> Any:
        if offset % size:
            raise PtxMemoryError(f"misaligned {size}-byte load of {self.space} {offset:#x}")
        mask = self.mask[offset : offset + size]
        if len(mask) < size or _NOBODY in mask:
            raise PtxMemoryError(f"load of {size} bytes out of bounds at {self.space} {offset:#x}")
        data = self.data[offset : offset + size]
        if 0 in mask:
            return Undef(bytes(data), bytes(mask))
        return int.from_bytes(data, "little")

    def store(self, offset: int, size: int, value: Any) -> None:
        if offset % size:
            raise PtxMemoryError(f"misaligned {size}-byte store to {self.space} {offset:#x}")
        mask = self.mask[offset : offset + size]
        if len(mask) < size or _NOBODY in mask:
            raise PtxMemoryError(f"store of {size} bytes out of bounds at {self.space} {offset:#x}")
        if self.readonly:
            raise PtxMemoryError(f"store to {self.space} memory, which is read-only")
        if value.__class__ is Undef:
            self.data[offset : offset + size] = value.data[:size]
            self.mask[offset : offset + size] = value.mask[:size]
        else:
            self.data[offset : offset + size] = value.to_bytes(size, "little")
            self.mask[offset : offset + size] = b"\1" * size


def cut(value: Any, size: int) -> Any:
    """What a store of ``size`` bytes takes of a register, which may be wider."""
    if value.__class__ is not Undef:
        return value & ((1 << 8 * size) - 1)
    return value if len(value.mask) >= size else undef(size)


@final
class ParamVariable:
    """A ``.param`` variable of a call."""

    def __init__(self, size: int) -> None:
        self.segment = Segment("param", size + 8, False)
        self.segment.place(0, size, None)
        self.load = self.segment.load

    def store(self, offset: int, size: int, value: Any) -> None:
        self.segment.store(offset, size, cut(value, size))


@final
class GlobalMemory:
    """Every global allocation, and dictionaries of typed views by number, for fast access."""

    def __init__(self) -> None:
        self.allocations: dict[int, Allocation] = {}
        self.loads: dict[int, dict[int, tuple[memoryview, int]]] = {n: {} for n in (1, 2, 4, 8)}
        self.stores: dict[int, dict[int, tuple[memoryview, int]]] = {n: {} for n in (1, 2, 4, 8)}
        self.float_loads: dict[int, _FloatViews] = {4: {}, 8: {}}
        self.float_stores: dict[int, _FloatViews] = {4: {}, 8: {}}

    def alloc(self, data: memoryview, align: int, name: str, readonly: bool) -> int:
        number = len(self.allocations) + 1
        base = (number << SHIFT) + align
        self.allocations[number] = Allocation(base, data, name, readonly)
        key = number << SHIFT
        for size, code, real in _CODES:
            if align % size or len(data) < size:
                continue
            whole = data[: len(data) // size * size]
            view = whole.cast(code)
            self.loads[size][key] = view, base
            if not readonly:
                self.stores[size][key] = view, base
            if real is not None:
                floats = whole.cast(real)
                self.float_loads[size][key] = floats, base
                if not readonly:
                    self.float_stores[size][key] = floats, base
        return base

    def find(self, address: int, size: int, what: str) -> tuple[Allocation, int]:
        allocation = self.allocations.get(address >> SHIFT)
        if allocation is None:
            raise PtxMemoryError(f"{what} of {size} bytes at {address:#x}, which is nowhere")
        offset = address - allocation.base
        if not 0 <= offset <= len(allocation.data) - size:
            raise PtxMemoryError(
                f"{what} of {size} bytes out of bounds at offset {offset} of {allocation.name}, "
                f"which has {len(allocation.data)}"
            )
        if address % size:
            raise PtxMemoryError(
                f"misaligned {size}-byte {what} at offset {offset} of {allocation.name}"
            )
        return allocation, offset

    def load(self, address: int, size: int) -> Any:
        allocation, offset = self.find(address, size, "load")
        data = allocation.data[offset : offset + size]
        if allocation.mask is not None:
            mask = allocation.mask[offset : offset + size]
            if 0 in mask:
                return Undef(bytes(data), bytes(mask))
        return int.from_bytes(data, "little")

    def store(self, address: int, size: int, value: Any) -> None:
        allocation, offset = self.find(address, size, "store")
        if allocation.readonly:
            raise PtxMemoryError(f"store to {allocation.name}, which is read-only")
        if value.__class__ is Undef:
            self._track(allocation)
            assert allocation.mask is not None
            # What was never written is no zero: a test that compares it fails.
            allocation.data[offset : offset + size] = bytes(
                byte if written else _GARBAGE
                for byte, written in zip(value.data[:size], value.mask[:size], strict=True)
            )
            allocation.mask[offset : offset + size] = value.mask[:size]
            return
        allocation.data[offset : offset + size] = value.to_bytes(size, "little")
        if allocation.mask is not None:
            allocation.mask[offset : offset + size] = b"\1" * size

    def _track(self, allocation: Allocation) -> None:
        """From the first undefined byte on, an allocation has no fast views."""
        if allocation.mask is None:
            allocation.mask = bytearray(b"\1") * len(allocation.data)
            key = allocation.base & ~OFFSET
            for views in (*self.loads.values(), *self.stores.values()):
                views.pop(key, None)
            for floats in (*self.float_loads.values(), *self.float_stores.values()):
                floats.pop(key, None)
