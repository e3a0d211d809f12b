"""Small kir programs in ``programs/``, with launches to run them on any device.

A launch's buffers are global memory; its parameters are packed as the kernel ABI says.
"""

import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from mirgpu.kir.module import Module
from mirgpu.kir.parser import parse_module

FOLDER = Path(__file__).parent / "programs"
PROGRAMS = ("memory", "control", "bulk", "calls", "params", "globals", "panics")


@dataclass(frozen=True)
class Buffer:
    """Global memory with these bytes at first."""

    data: bytes


@dataclass(frozen=True)
class Scalar:
    """A parameter's bytes, at their alignment."""

    data: bytes
    align: int


@dataclass(frozen=True)
class Launch:
    program: str
    kernel: str
    grid: int
    block: int
    args: tuple[Buffer | Scalar, ...]

    def pack(self, addresses: list[int]) -> bytes:
        """The parameter buffer, with the buffers at ``addresses``."""
        out = b""
        remaining = iter(addresses)
        for arg in self.args:
            match arg:
                case Buffer():
                    data, align = struct.pack("<Q", next(remaining)), 8
                case Scalar(data, align):
                    pass
            out = out.ljust((len(out) + align - 1) // align * align, b"\0") + data
        return out

    def buffers(self) -> list[bytes]:
        return [arg.data for arg in self.args if isinstance(arg, Buffer)]


@cache
def module(program: str) -> Module:
    return parse_module((FOLDER / f"{program}.kir").read_text())


def noise(size: int) -> Buffer:
    return Buffer(bytes((i * 167 + 13) & 0xFF for i in range(size)))


def zeros(size: int) -> Buffer:
    return Buffer(bytes(size))


def u64(value: int) -> Scalar:
    return Scalar(struct.pack("<Q", value), 8)


def launches() -> list[Launch]:
    out = [
        Launch("memory", "unaligned", 1, 1, (noise(64), zeros(80))),
        Launch("memory", "locals", 1, 8, (noise(128), zeros(32))),
        Launch("memory", "addresses", 1, 8, (noise(256), zeros(32))),
        Launch("control", "fibonacci", 1, 50, (zeros(400),)),
        Launch("control", "rotation", 1, 9, (zeros(36),)),
        Launch("control", "branches", 1, 16, (zeros(64),)),
        Launch("control", "switches", 1, 32, (zeros(128),)),
        Launch("calls", "calling", 1, 21, (zeros(840),)),
        Launch("calls", "add", 1, 1, (Buffer(struct.pack("<f", 7.75)),)),
        Launch("globals", "constants", 1, 8, (zeros(32),)),
        Launch("globals", "reverse", 3, 64, (noise(768),)),
    ]
    out += [Launch("bulk", "copies", 1, 1, (noise(80), zeros(240), u64(n))) for n in (0, 3, 61)]
    for source, target, size in ((0, 3, 57), (3, 0, 57), (2, 2, 9), (0, 1, 100), (9, 8, 0)):
        args = (noise(256), u64(source), u64(target), u64(size))
        out.append(Launch("bulk", "moves", 1, 1, args))
    for byte, size in ((0xA5, 0), (0xFF, 37), (1, 40)):
        args = (zeros(240), Scalar(bytes([byte]), 1), u64(size))
        out.append(Launch("bulk", "fills", 1, 1, args))
    scalars = (
        Scalar(b"\xfe", 1),
        Scalar(b"\x01", 1),
        Scalar(b"\x34\xf2", 2),
        Scalar(struct.pack("<f", 1.25), 4),
        Scalar(struct.pack("<d", -7.5), 8),
        zeros(32),
        u64(0x1122334455667788),
        Scalar(struct.pack("<i", -3), 4),
    )
    out.append(Launch("params", "scalars", 1, 1, scalars))
    aggregates = (
        Scalar(struct.pack("<i", 77), 4),
        Scalar(struct.pack("<iii", 5, -6, 7), 4),
        Scalar(struct.pack("<qqq", 1 << 40, -2, 3), 8),
        zeros(144),
    )
    out.append(Launch("params", "aggregates", 1, 3, aggregates))
    out.append(Launch("panics", "checked", 2, 32, (zeros(160), u64(40))))
    out.append(Launch("panics", "checked", 4, 32, (zeros(512), u64(128))))
    return out
