"""Constant memory while it is put together: bytes, and addresses inside them."""

import math
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, final

from mirgpu.kir.module import GlobalReloc
from mirgpu.kir.ops import Const, FloatConst, IntConst, PtrConst, Undef
from mirgpu.kir.types import FloatType, IntType, PtrType, Type, size_of

if TYPE_CHECKING:
    from mirgpu.lower.context import Round


@final
@dataclass(frozen=True, slots=True)
class SymbolAddr:
    """The generic address of a global, plus ``addend`` bytes."""

    symbol: str
    addend: int


@final
@dataclass(frozen=True, slots=True)
class ImageAddr:
    """The address of an image that has no symbol yet."""

    image: "Image"
    addend: int


Address = SymbolAddr | ImageAddr
Leaf = Const | SymbolAddr | ImageAddr


@final
class Image:
    def __init__(self, size: int, align: int) -> None:
        self.data = bytearray(size)
        self.align = align
        self.addresses: dict[int, Address] = {}
        self.symbol: str | None = None
        self.mutable = False

    def put(self, offset: int, leaf: Leaf) -> None:
        match leaf:
            case SymbolAddr() | ImageAddr():
                self._clear(offset, 8)
                self.addresses[offset] = leaf
            case Undef():
                pass
            case IntConst(type, value):
                size = size_of(type)
                self._clear(offset, size)
                self.data[offset : offset + size] = value.to_bytes(size, "little")
            case FloatConst(type, bits):
                size = size_of(type)
                self._clear(offset, size)
                self.data[offset : offset + size] = bits.to_bytes(size, "little")
            case PtrConst(_, address_):
                self._clear(offset, 8)
                self.data[offset : offset + 8] = address_.to_bytes(8, "little")

    def paste(self, offset: int, source: "Image", start: int, size: int) -> None:
        self._clear(offset, size)
        self.data[offset : offset + size] = source.data[start : start + size]
        for at, target in list(source.addresses.items()):
            if start <= at < start + size:
                self.addresses[offset + at - start] = target

    def _clear(self, offset: int, size: int) -> None:
        if self.addresses:
            for at in [a for a in self.addresses if offset - 8 < a < offset + size]:
                del self.addresses[at]

    def leaf(self, offset: int, ty: Type) -> Leaf:
        """The scalar of type ``ty`` at ``offset``."""
        target = self.addresses.get(offset)
        if target is not None:
            return target
        size = size_of(ty)
        bits = int.from_bytes(self.data[offset : offset + size], "little")
        match ty:
            case IntType(width=1):
                return IntConst(ty, bits & 1)
            case IntType():
                return IntConst(ty, bits)
            case FloatType():
                return FloatConst(ty, bits)
            case PtrType():
                return PtrConst(ty, bits)

    def place(self, round_: "Round", hint: str) -> str:
        """The symbol of the global that holds the image."""
        if self.symbol is None:
            relocs = []
            for offset, target in sorted(self.addresses.items()):
                if isinstance(target, ImageAddr):
                    relocs.append(
                        GlobalReloc(offset, target.image.place(round_, hint), target.addend)
                    )
                else:
                    relocs.append(GlobalReloc(offset, target.symbol, target.addend))
            self.symbol = round_.data(bytes(self.data), self.align, tuple(relocs), hint)
        return self.symbol


def float_bits(text: str, width: int) -> int:
    """The bits of a float literal as MIR prints it: ``1.5``, ``1.0E+10``, ``NaN``, ``+Inf``."""
    if text == "NaN":
        return 0x7FC00000 if width == 32 else 0x7FF8000000000000
    value = float(text)
    double = int.from_bytes(struct.pack("<d", value), "little")
    if width == 64:
        return double
    if math.isinf(value):
        return 0x7F800000 | (double >> 63) << 31
    if double & 0x1FFFFFFF == 0x10000000 or abs(value) < _LEAST_NORMAL:
        return _nearest_single(text)
    return int.from_bytes(struct.pack("<f", value), "little")


_LEAST_NORMAL = 2.0**-126


def _nearest_single(text: str) -> int:
    """Rounded once: through an f64 that lies half way, the result could be rounded twice."""
    from fractions import Fraction

    exact = Fraction(text.lstrip("-"))
    bits = int.from_bytes(struct.pack("<f", float(exact)), "little")

    def distance(candidate: int) -> Fraction:
        (value,) = struct.unpack("<f", candidate.to_bytes(4, "little"))
        return abs(Fraction(value) - exact)

    candidates = [b for b in (bits - 1, bits, bits + 1) if 0 <= b <= 0x7F7FFFFF]
    best = min(candidates, key=lambda b: (distance(b), b & 1))
    return best | (0x80000000 if text.startswith("-") else 0)
