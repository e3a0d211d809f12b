"""The one comparator: whether two buffers hold the same Rust values, and where they first differ.

Bytes are compared bit for bit, but for what Rust leaves open: padding and the bytes of variants
that an enum is not in are masked by layout, and a NaN equals any NaN (which one an arithmetic
operation returns is unspecified).  ``nsz=True`` also lets zeros of either sign be equal.
"""

from dataclasses import dataclass
from typing import Any, assert_never, final

import numpy as np

from mirgpu.runtime.dtypes import dtype_of, size_of, tag_value
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    FieldType,
    HostType,
    OpaqueType,
    ScalarType,
    StructType,
)

Bytes = np.ndarray[Any, np.dtype[np.uint8]]
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@final
@dataclass(frozen=True, slots=True)
class Difference:
    """The first element that differs: its index, the path of the field inside, both values."""

    index: int
    path: str
    expected: str
    got: str

    def __str__(self) -> str:
        return f"[{self.index}]{self.path}: expected {self.expected}, got {self.got}"


def difference(
    ty: HostType, expected: bytes, got: bytes, *, nsz: bool = False
) -> Difference | None:
    """The first difference between two buffers of elements of type ``ty``, or none.

    Raises ``ValueError`` if the buffers differ in length or hold no whole number of elements.
    """
    size = size_of(ty)
    if len(expected) != len(got):
        raise ValueError(f"{len(expected)} bytes are expected, {len(got)} given")
    if expected == got or size == 0:
        return None
    if len(expected) % size:
        raise ValueError(f"{len(expected)} bytes are no whole number of elements of {size}")
    shape = (-1, size)
    left = np.frombuffer(expected, np.uint8).reshape(shape)
    right = np.frombuffer(got, np.uint8).reshape(shape)
    return _first(ty, left, right, np.ones(len(left), np.bool_), "", nsz)


def _first(
    ty: HostType, left: Bytes, right: Bytes, live: Mask, path: str, nsz: bool
) -> Difference | None:
    """The difference at the lowest index where ``live`` holds; rows are elements."""
    match ty:
        case ScalarType():
            return _first_scalar(ty, left, right, live, path, nsz)
        case ArrayType(elem=elem, len=length):
            size = size_of(elem)
            parts = [(f"{path}[{k}]", elem, k * size) for k in range(length)]
            return _first_part(parts, left, right, live, nsz)
        case StructType(fields=fields):
            return _first_part(_parts(fields, path), left, right, live, nsz)
        case EnumType():
            return _first_enum(ty, left, right, live, path, nsz)
        case OpaqueType():
            return _first_bytes(left, right, live & (left != right).any(axis=1), path)
        case _:
            assert_never(ty)


def _parts(fields: tuple[FieldType, ...], path: str) -> list[tuple[str, HostType, int]]:
    return [(f"{path}.{field.name}", field.type, field.offset) for field in fields]


def _first_part(
    parts: list[tuple[str, HostType, int]], left: Bytes, right: Bytes, live: Mask, nsz: bool
) -> Difference | None:
    found = [
        each
        for path, ty, offset in parts
        if (
            each := _first(
                ty,
                left[:, offset : offset + size_of(ty)],
                right[:, offset : offset + size_of(ty)],
                live,
                path,
                nsz,
            )
        )
    ]
    return min(found, key=lambda each: each.index, default=None)


def _first_enum(
    ty: EnumType, left: Bytes, right: Bytes, live: Mask, path: str, nsz: bool
) -> Difference | None:
    tag = FieldType("tag", ty.tag.offset, ty.tag.type)
    found = _first_part(_parts((tag,), path), left, right, live, nsz)
    tags = _values(ty.tag.type, left[:, tag.offset : tag.offset + size_of(tag.type)])
    for variant in ty.variants:
        chosen = live & (tags == tag_value(ty, variant))
        inside = _first_part(
            _parts(variant.fields, f"{path}.{variant.name}"), left, right, chosen, nsz
        )
        if inside is not None and (found is None or inside.index < found.index):
            found = inside
    return found


def _first_scalar(
    ty: ScalarType, left: Bytes, right: Bytes, live: Mask, path: str, nsz: bool
) -> Difference | None:
    differs = live & (left != right).any(axis=1)
    if not differs.any():
        return None
    a, b = _values(ty, left), _values(ty, right)
    if a.dtype.kind == "f":
        differs &= ~(np.isnan(a) & np.isnan(b))
        if nsz:
            differs &= ~((a == 0) & (b == 0))
    if not differs.any():
        return None
    index = int(np.argmax(differs))
    return Difference(index, path, _shown(a[index], left[index]), _shown(b[index], right[index]))


def _first_bytes(left: Bytes, right: Bytes, differs: Mask, path: str) -> Difference | None:
    if not differs.any():
        return None
    index = int(np.argmax(differs))
    return Difference(index, path, left[index].tobytes().hex(), right[index].tobytes().hex())


def _values(ty: HostType, rows: Bytes) -> np.ndarray[Any, Any]:
    return np.ascontiguousarray(rows).view(dtype_of(ty)).reshape(-1)


def _shown(value: Any, raw: Bytes) -> str:
    return f"{value} (0x{raw[::-1].tobytes().hex()})"
