"""Read a panic buffer, and say what panicked as Rust would.

The buffer's layout is described at ``mirgpu.runtime.manifest.PanicBuffer``.
"""

import struct
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from mirgpu.runtime.errors import KernelPanic
from mirgpu.runtime.manifest import Manifest, PanicBuffer
from mirgpu.runtime.rust_format import format_message, format_scalar

HEADER_BYTES: Final = 16
_FIXED: Final = struct.Struct("<8I")


@final
@dataclass(frozen=True, slots=True)
class PanicRecord:
    """One thread's report: ``site`` is an index into the manifest's panics; ``operands`` are
    bits."""

    site: int
    block: tuple[int, int, int]
    thread: tuple[int, int, int]
    operands: tuple[int, ...]


def buffer_bytes(buffer: PanicBuffer) -> int:
    """The size of the whole buffer."""
    return HEADER_BYTES + buffer.capacity * buffer.record_bytes


def parse_buffer(buffer: PanicBuffer, data: bytes) -> tuple[int, tuple[PanicRecord, ...]]:
    """The number of threads that panicked, and the records of the first ones."""
    (count,) = struct.unpack_from("<I", data)
    slots = (buffer.record_bytes - _FIXED.size) // 8
    records = []
    for n in range(min(count, buffer.capacity)):
        at = HEADER_BYTES + n * buffer.record_bytes
        site, bx, by, bz, tx, ty, tz, _ = _FIXED.unpack_from(data, at)
        operands = struct.unpack_from(f"<{slots}Q", data, at + _FIXED.size)
        records.append(PanicRecord(site, (bx, by, bz), (tx, ty, tz), operands))
    return count, tuple(records)


def panic_of(manifest: Manifest, count: int, records: Sequence[PanicRecord]) -> KernelPanic:
    """The exception for the first of ``records`` by block and thread, z before y before x."""
    record = min(records, key=lambda r: (r.block[::-1], r.thread[::-1]))
    info = manifest.panics[record.site]
    operands = tuple(
        format_scalar(operand.kind, operand.trait, bits)
        for operand, bits in zip(info.operands, record.operands, strict=False)
    )
    message = format_message(info.message, operands)
    return KernelPanic(message, info.file, info.line, info.col, record.block, record.thread, count)
