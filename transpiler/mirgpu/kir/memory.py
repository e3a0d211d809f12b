"""The interpreter's memory: allocations with addresses, bounds, owners and initialised bytes.

An address is an allocation's number times 2**36 plus an offset, so that arithmetic never leads
from one allocation into another, and a number is not soon used again, so that a dangling pointer
is seen as one.  An allocation starts at exactly its alignment within its range: an address is
never more aligned than what was asked for.

Host buffers and other memory without uninitialised bytes have typed views (``r32``, ``wf64`` …),
which the compiled code reads and writes directly.  All else goes through the methods here.
"""

from enum import Enum
from typing import Literal, NoReturn, final

from mirgpu.kir.types import AddressSpace

SHIFT = 36
_IDS = 1 << (64 - SHIFT)
_MAX_SIZE = 1 << (SHIFT - 1)
_NEVER = 1 << 64  # more bytes than an allocation has
_ONES = tuple(b"\1" * n for n in range(17))
_ZEROS = tuple(bytes(n) for n in range(17))
_VIEWS: tuple[tuple[str, Literal["B", "H", "I", "Q"] | Literal["f", "d"]], ...] = (
    ("8", "B"),
    ("16", "H"),
    ("32", "I"),
    ("64", "Q"),
    ("f32", "f"),
    ("f64", "d"),
)


@final
class Undef:
    """The uninitialised value.  It may be moved; computing with it raises ``TypeError``."""

    __slots__ = ()
    __hash__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> NoReturn:
        raise TypeError("undef")

    def __ne__(self, other: object) -> NoReturn:
        raise TypeError("undef")

    def __bool__(self) -> NoReturn:
        raise TypeError("undef")


UNDEF = Undef()


class FaultKind(Enum):
    """What went wrong, as the first words of an error's message."""

    NULL = "null or dangling pointer"
    DANGLING = "dangling pointer"
    BOUNDS = "out of bounds"
    MISALIGNED = "misaligned"
    READ_ONLY = "write to read-only memory"
    OTHER_THREAD = "another thread's local memory"
    SPACE = "wrong address space"
    UNINITIALISED = "uninitialised"
    OVERLAP = "overlapping copy"
    UNDEFINED = "undefined operation"
    UNREACHABLE = "unreachable code"
    BARRIER = "divergent barrier"
    STEPS = "too many steps"
    DEPTH = "call depth"


class FaultError(Exception):
    """An error of the program that runs; the interpreter adds where it happened."""

    def __init__(self, kind: FaultKind, detail: str) -> None:
        super().__init__(f"{kind.value}: {detail}" if detail else kind.value)
        self.kind = kind
        self.detail = detail


@final
class Allocation:
    """``data`` holds ``size`` bytes; ``mask`` a 1 for each initialised one, or none if all are.

    ``owner`` is the thread whose local memory this is.
    """

    r8: memoryview | None = None
    r16: memoryview | None = None
    r32: memoryview | None = None
    r64: memoryview | None = None
    rf32: memoryview | None = None
    rf64: memoryview | None = None
    w8: memoryview | None = None
    w16: memoryview | None = None
    w32: memoryview | None = None
    w64: memoryview | None = None
    wf32: memoryview | None = None
    wf64: memoryview | None = None

    def __init__(
        self,
        base: int,
        size: int,
        align: int,
        data: bytearray | memoryview,
        mask: bytearray | None,
        space: "Space",
        readonly: bool,
        owner: object,
        name: str,
    ) -> None:
        self.base = base
        self.size = size
        self.align = align
        self.data = data
        self.mask = mask
        self.space = space
        self.readonly = readonly
        self.owner = owner
        self.name = name
        self.missing = 0 if mask is None else size  # bytes to fill until all is initialised

    def add_views(self) -> None:
        """Lets the compiled code at the bytes; only where all are initialised."""
        whole = memoryview(self.data)
        for name, form in _VIEWS:
            size = int(name.removeprefix("f")) // 8
            if self.align < size:
                continue
            view = whole[: self.size // size * size].cast(form)
            setattr(self, f"r{name}", view)
            if not self.readonly:
                setattr(self, f"w{name}", view)

    def initialise(self, offset: int, size: int) -> None:
        """Marks bytes as initialised."""
        mask = self.mask
        if mask is None:
            return
        end = offset + size
        self.missing -= mask.count(0, offset, end)
        mask[offset:end] = _ONES[size] if size < len(_ONES) else b"\1" * size
        if self.missing == 0 and self.owner is None:
            self.mask = None
            self.add_views()

    def uninitialise(self, offset: int, mask_bytes: bytes | bytearray) -> None:
        """Copies ``mask_bytes``, some of them 0, into the mask."""
        end = offset + len(mask_bytes)
        if self.mask is None:
            self.mask = bytearray(b"\1") * self.size
            self.missing = _NEVER
            for name, _ in _VIEWS:
                setattr(self, f"r{name}", None)
                setattr(self, f"w{name}", None)
        self.missing += self.mask.count(1, offset, end) - mask_bytes.count(1)
        self.mask[offset:end] = mask_bytes


@final
class Space:
    """An address space: its allocations by number; ``GENERIC`` has each one."""

    __slots__ = ("space", "table")

    def __init__(self, space: AddressSpace) -> None:
        self.space = space
        self.table: dict[int, Allocation] = {}


@final
class Memory:
    """All allocations.  ``thread`` is the thread that runs, for the owners of local memory."""

    def __init__(self) -> None:
        self.spaces = {space: Space(space) for space in AddressSpace}
        self.generic = self.spaces[AddressSpace.GENERIC]
        self.local = self.spaces[AddressSpace.LOCAL]
        self.thread: object = None
        self._all = self.generic.table
        self._next = 1

    # --------------------------------------------------------------------- allocation

    def alloc(
        self,
        size: int,
        align: int,
        space: Space,
        *,
        data: bytearray | memoryview | None = None,
        readonly: bool = False,
        owner: object = None,
        name: str,
    ) -> int:
        """The address of new memory: over ``data``, else uninitialised."""
        if size + align > _MAX_SIZE:
            raise ValueError(f"{name}: {size} bytes with alignment {align} are too many")
        number = self._next
        while number in self._all or number == 0:
            number = (number + 1) % _IDS
        self._next = (number + 1) % _IDS
        base = (number << SHIFT) + align
        mask = None
        if data is None:
            data = bytearray(size)
            mask = bytearray(size)
        made = Allocation(base, size, align, data, mask, space, readonly, owner, name)
        if mask is None:
            made.add_views()
        self._all[number] = made
        space.table[number] = made
        return base

    def free(self, address: int) -> None:
        """Ends the allocation that starts at ``address``."""
        found = self._all.get(address >> SHIFT)
        if found is None or found.base != address:
            raise ValueError(f"no allocation starts at {address:#x}")
        del self._all[address >> SHIFT]
        del found.space.table[address >> SHIFT]

    def free_locals(self, owner: object = None) -> None:
        """Ends the local memory of a thread that did not return, or of all threads."""
        for number, made in list(self.local.table.items()):
            if owner is None or made.owner is owner:
                del self.local.table[number]
                del self._all[number]

    # ------------------------------------------------------------------------- access

    def find(self, address: int, size: int, align: int, space: Space, *, write: bool) -> Allocation:
        """The allocation that the bytes at ``address`` lie in.  Raises ``FaultError``."""
        made = space.table.get(address >> SHIFT)
        if (
            made is None
            or address < made.base
            or address + size > made.base + made.size
            or address & (align - 1)
            or (write and made.readonly)
            or (made.owner is not None and made.owner is not self.thread)
        ):
            self._fail(address, size, align, space)
        return made

    def _fail(self, address: int | Undef, size: int, align: int, space: Space) -> NoReturn:
        if isinstance(address, Undef):
            raise FaultError(FaultKind.UNINITIALISED, "an undefined pointer")
        made = self._all.get(address >> SHIFT)
        if made is None:
            kind = FaultKind.NULL if address >> SHIFT == 0 else FaultKind.DANGLING
            raise FaultError(kind, f"{size} bytes at {address:#x}")
        where = f"{size} bytes at offset {address - made.base} of {made.name}"
        if space is not self.generic and space is not made.space:
            detail = f"{where} is {made.space.space.value} memory, not {space.space.value}"
            raise FaultError(FaultKind.SPACE, detail)
        if made.owner is not None and made.owner is not self.thread:
            raise FaultError(FaultKind.OTHER_THREAD, where)
        if address < made.base or address + size > made.base + made.size:
            raise FaultError(FaultKind.BOUNDS, f"{where}, which has {made.size} bytes")
        if address & (align - 1):
            detail = f"{where}, an address that is no multiple of {align}"
            raise FaultError(FaultKind.MISALIGNED, detail)
        raise FaultError(FaultKind.READ_ONLY, where)

    def load(self, address: int, size: int, align: int, space: Space) -> int | Undef:
        """The bytes as an unsigned integer."""
        made = space.table.get(address >> SHIFT)
        if made is None or made.owner is not self.thread:
            made = self.find(address, size, align, space, write=False)
        offset = address - made.base
        end = offset + size
        if offset < 0 or end > made.size or address & (align - 1):
            self._fail(address, size, align, space)
        mask = made.mask
        if mask is not None and mask[offset:end] != _ONES[size]:
            return UNDEF
        return int.from_bytes(made.data[offset:end], "little")

    def store(self, address: int, value: int | Undef, size: int, align: int, space: Space) -> None:
        """Writes an unsigned integer's bytes, or makes them uninitialised."""
        made = space.table.get(address >> SHIFT)
        if made is None or made.owner is not self.thread or made.readonly:
            made = self.find(address, size, align, space, write=True)
        offset = address - made.base
        end = offset + size
        if offset < 0 or end > made.size or address & (align - 1):
            self._fail(address, size, align, space)
        if isinstance(value, Undef):
            made.uninitialise(offset, _ZEROS[size])
            return
        made.data[offset:end] = value.to_bytes(size, "little")
        if made.mask is not None:
            made.initialise(offset, size)

    def copy(
        self,
        dst: int,
        src: int,
        size: int,
        align: int,
        spaces: tuple[Space, Space],
        may_overlap: bool,
    ) -> None:
        """memcpy and memmove; ``spaces`` are those of ``dst`` and ``src``."""
        if size == 0:
            return
        to = self.find(dst, size, align, spaces[0], write=True)
        source = self.find(src, size, align, spaces[1], write=False)
        if not may_overlap and dst != src and abs(dst - src) < size:
            raise FaultError(FaultKind.OVERLAP, f"{size} bytes from {src:#x} to {dst:#x}")
        at, start = dst - to.base, src - source.base
        to.data[at : at + size] = bytes(source.data[start : start + size])
        mask = None if source.mask is None else source.mask[start : start + size]
        if mask is None or 0 not in mask:
            to.initialise(at, size)
        else:
            to.uninitialise(at, mask)

    def fill(self, dst: int, byte: int | Undef, size: int, align: int, space: Space) -> None:
        """memset."""
        if size == 0:
            return
        to = self.find(dst, size, align, space, write=True)
        at = dst - to.base
        if isinstance(byte, Undef):
            to.uninitialise(at, bytes(size))
            return
        to.data[at : at + size] = byte.to_bytes(1, "little") * size
        to.initialise(at, size)

    def read(self, address: int, size: int) -> bytes:
        """Bytes for the host.  Raises ``FaultError`` if some are uninitialised or not there."""
        if size == 0:
            return b""
        made = self.find(address, size, 1, self.generic, write=False)
        offset = address - made.base
        if made.mask is not None and 0 in made.mask[offset : offset + size]:
            raise FaultError(
                FaultKind.UNINITIALISED, f"{size} bytes at offset {offset} of {made.name}"
            )
        return bytes(made.data[offset : offset + size])
