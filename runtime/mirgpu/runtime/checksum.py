"""Checksums of arrays that do not depend on the device: padding, the bytes of other variants
and the bits of NaNs are left out."""

import hashlib
from collections.abc import Iterator
from typing import Any, assert_never

import numpy as np

from mirgpu.runtime.dtypes import element_shape, tag_value, variant_field
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    HostType,
    OpaqueType,
    ScalarType,
    StructType,
)

Array = np.ndarray[Any, Any]


def checksum(ty: HostType, array: Array) -> str:
    """Twelve hexadecimal digits of the SHA-256 of ``array``'s values of type ``ty``."""
    digest = hashlib.sha256()
    for leaf in leaves(element_shape(ty)[0], array):
        if leaf.dtype.kind == "f":
            leaf = np.where(np.isnan(leaf), np.array(np.nan, leaf.dtype), leaf)
        digest.update(np.ascontiguousarray(leaf).tobytes())
    return digest.hexdigest()[:12]


def total(ty: HostType, array: Array) -> int | float:
    """The sum of all numbers in ``array``: a float if any is one."""
    result: int | float = 0
    for leaf in leaves(element_shape(ty)[0], array):
        if leaf.dtype.kind == "f":
            result += float(np.sum(leaf, dtype=np.float64))
        elif leaf.dtype.kind in "iub":
            result += int(np.sum(leaf, dtype=np.int64 if leaf.dtype.kind == "i" else np.uint64))
    return result


def leaves(ty: HostType, array: Array) -> Iterator[Array]:
    """The scalars in ``array``, field by field; of enums the tags, then each variant's
    elements."""
    match ty:
        case ScalarType() | OpaqueType():
            yield array
        case ArrayType(elem=elem):
            yield from leaves(elem, array)
        case StructType(fields=fields):
            for field in fields:
                yield from leaves(field.type, array[field.name])
        case EnumType(variants=variants):
            yield array["tag"]
            for variant in variants:
                chosen = array[array["tag"] == tag_value(ty, variant)]
                for field in variant.fields:
                    yield from leaves(field.type, chosen[variant_field(variant)][field.name])
        case _:
            assert_never(ty)
