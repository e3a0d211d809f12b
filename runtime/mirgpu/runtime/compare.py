"""Compare two byte buffers by their Rust type: what two runs of one kernel must agree on.

Padding and the bytes of an enum's inactive variants say nothing and are masked.  Which NaN an
arithmetic operation returns is not specified: any NaN of a float equals any other, unless asked
for bit by bit.  All else must be equal in every bit.
"""

from dataclasses import dataclass
from typing import Any, assert_never, final

import numpy as np

from mirgpu.runtime.dtypes import dtype_of, size_of
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    FieldType,
    HostType,
    OpaqueType,
    ScalarType,
    StructType,
)

_FLOATS = ("f16", "f32", "f64")


@final
@dataclass(frozen=True, slots=True)
class CompareOptions:
    """``nan_bits``: NaNs must have the same bits.  ``nsz``: zeros of either sign are equal."""

    nan_bits: bool = False
    nsz: bool = False


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """The first difference: the element's index, the path in it (``.position.x``, ``[2]``,
    ``.tag``, empty for the element itself), and the two values, floats with their bits."""

    index: int
    path: str
    expected: str
    actual: str

    def __str__(self) -> str:
        return f"[{self.index}]{self.path}: expected {self.expected}, got {self.actual}"


Buffer = bytes | bytearray | memoryview


def compare(
    ty: HostType, expected: Buffer, actual: Buffer, options: CompareOptions | None = None
) -> Difference | None:
    """The first difference between two arrays of ``ty``, or none.

    Raises ``ValueError`` for buffers of different lengths or of no whole number of elements.
    """
    if len(expected) != len(actual):
        raise ValueError(f"{len(expected)} bytes against {len(actual)}")
    size = size_of(ty)
    if size == 0 or len(expected) % size:
        if len(expected) == 0:
            return None
        raise ValueError(f"{len(expected)} bytes are no whole number of elements of {size} bytes")
    if expected == actual:
        return None
    count = len(expected) // size
    left = np.frombuffer(expected, np.uint8).reshape(count, size)
    right = np.frombuffer(actual, np.uint8).reshape(count, size)
    found = _first(ty, 0, "", left, right, np.arange(count), options or CompareOptions())
    return None if found is None else Difference(*found)


Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Found = tuple[int, str, str, str]


def _first(
    ty: HostType,
    offset: int,
    path: str,
    left: Bytes,
    right: Bytes,
    rows: "np.ndarray[Any, Any]",
    options: CompareOptions,
) -> Found | None:
    """The first difference at ``offset`` in the elements ``rows``, by index, then by path."""
    if rows.size == 0:
        return None
    match ty:
        case ScalarType():
            return _scalar(ty, offset, path, left, right, rows, options)
        case OpaqueType(size=size):
            a, b = left[rows, offset : offset + size], right[rows, offset : offset + size]
            bad = np.flatnonzero((a != b).any(axis=1))
            if bad.size == 0:
                return None
            n = int(bad[0])
            return int(rows[n]), path, a[n].tobytes().hex(), b[n].tobytes().hex()
        case ArrayType(elem=elem, len=length):
            size = size_of(elem)
            return _least(
                _first(elem, offset + n * size, f"{path}[{n}]", left, right, rows, options)
                for n in range(length)
            )
        case StructType(fields=fields):
            return _fields(fields, offset, path, left, right, rows, options)
        case EnumType():
            return _enum(ty, offset, path, left, right, rows, options)
        case _:
            assert_never(ty)


def _fields(
    fields: tuple[FieldType, ...],
    offset: int,
    path: str,
    left: Bytes,
    right: Bytes,
    rows: "np.ndarray[Any, Any]",
    options: CompareOptions,
) -> Found | None:
    return _least(
        _first(f.type, offset + f.offset, f"{path}.{f.name}", left, right, rows, options)
        for f in fields
    )


def _enum(
    ty: EnumType,
    offset: int,
    path: str,
    left: Bytes,
    right: Bytes,
    rows: "np.ndarray[Any, Any]",
    options: CompareOptions,
) -> Found | None:
    at = offset + ty.tag.offset
    found = [_first(ty.tag.type, at, f"{path}.{ty.tag.name}", left, right, rows, options)]
    size = size_of(ty.tag.type)
    tags = _unsigned(left, at, size)[rows]
    same = tags == _unsigned(right, at, size)[rows]
    for variant in ty.variants:
        tag = variant.tag & ((1 << 8 * size) - 1)
        active = rows[same & (tags == tag)]
        found.append(
            _fields(variant.fields, offset, f"{path}.{variant.name}", left, right, active, options)
        )
    return _least(found)


def _least(found: Any) -> Found | None:
    """The one with the lowest index; among equals the first."""
    return min((f for f in found if f is not None), key=lambda f: f[0], default=None)


def _scalar(
    ty: ScalarType,
    offset: int,
    path: str,
    left: Bytes,
    right: Bytes,
    rows: "np.ndarray[Any, Any]",
    options: CompareOptions,
) -> Found | None:
    size = size_of(ty)
    a, b = _unsigned(left, offset, size)[rows], _unsigned(right, offset, size)[rows]
    differs = a != b
    if ty.name in _FLOATS:
        x, y = a.view(f"f{size}"), b.view(f"f{size}")
        if not options.nan_bits:
            differs &= ~(np.isnan(x) & np.isnan(y))
        if options.nsz:
            differs &= ~((x == 0) & (y == 0))
    bad = np.flatnonzero(differs)
    if bad.size == 0:
        return None
    n = int(bad[0])
    return int(rows[n]), path, _show(ty, a[n]), _show(ty, b[n])


def _unsigned(data: Bytes, offset: int, size: int) -> "np.ndarray[Any, Any]":
    column = np.ascontiguousarray(data[:, offset : offset + size])
    return column.view(f"<u{size}").reshape(-1)


def _show(ty: ScalarType, bits: Any) -> str:
    value = np.asarray(bits).reshape(1).view(dtype_of(ty) if ty.name != "bool" else "u1")[0]
    if ty.name in _FLOATS:
        return f"{value!s} ({int(bits):#0{2 + 2 * size_of(ty)}x})"
    return str(int(value))
