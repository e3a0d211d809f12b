"""NumPy dtypes of Rust types, in rustc's layout, and whether a given dtype or array fits one."""

from functools import lru_cache
from typing import Any, Final, assert_never

import numpy as np

from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    FieldType,
    HostType,
    OpaqueType,
    ScalarType,
    StructType,
    VariantType,
)

_SCALARS: Final = {
    "bool": "?",
    "char": "<u4",
    "u8": "u1",
    "u16": "<u2",
    "u32": "<u4",
    "u64": "<u8",
    "usize": "<u8",
    "i8": "i1",
    "i16": "<i2",
    "i32": "<i4",
    "i64": "<i8",
    "isize": "<i8",
    "f16": "<f2",
    "f32": "<f4",
    "f64": "<f8",
}


def size_of(ty: HostType) -> int:
    """Bytes of a value of ``ty``."""
    match ty:
        case ScalarType():
            return _scalar(ty).itemsize
        case ArrayType(elem=elem, len=length):
            return size_of(elem) * length
        case StructType() | EnumType() | OpaqueType():
            return ty.size
        case _:
            assert_never(ty)


def align_of(ty: HostType) -> int:
    """rustc's alignment of ``ty`` in bytes."""
    match ty:
        case ScalarType():
            return _scalar(ty).itemsize
        case ArrayType(elem=elem):
            return align_of(elem)
        case StructType() | EnumType() | OpaqueType():
            return ty.align
        case _:
            assert_never(ty)


def type_name(ty: HostType) -> str:
    """``ty`` in Rust's words."""
    match ty:
        case ArrayType(elem=elem, len=length):
            return f"[{type_name(elem)}; {length}]"
        case ScalarType() | StructType() | EnumType() | OpaqueType():
            return ty.name
        case _:
            assert_never(ty)


@lru_cache(maxsize=512)
def dtype_of(ty: HostType) -> np.dtype[Any]:
    """The dtype whose bytes are those of ``ty``.

    A struct has its fields at rustc's offsets.  An enum has a field ``tag`` and, for each
    variant with fields, a field of the variant's name that overlaps the others'.  ``char`` is
    a ``u4``, an array a subarray dtype, an opaque type plain bytes.
    Raises ``TypeError`` for a scalar that NumPy lacks.
    """
    match ty:
        case ScalarType():
            return _scalar(ty)
        case ArrayType(elem=elem, len=length):
            return np.dtype((dtype_of(elem), (length,)))
        case StructType(fields=fields, size=size):
            return _record([(f.name, dtype_of(f.type), f.offset) for f in fields], size)
        case EnumType(tag=tag, variants=variants, size=size):
            members = [("tag", dtype_of(tag.type), tag.offset)]
            members += [_variant(v) for v in variants if v.fields]
            return _record(members, size)
        case OpaqueType(size=size):
            return np.dtype((np.void, size))
        case _:
            assert_never(ty)


def element_shape(ty: HostType) -> tuple[HostType, tuple[int, ...]]:
    """``[[T; 3]; 2]`` as T and (2, 3): NumPy gives an array of arrays more dimensions."""
    shape: tuple[int, ...] = ()
    while isinstance(ty, ArrayType):
        shape += (ty.len,)
        ty = ty.elem
    return ty, shape


def same_layout(expected: np.dtype[Any], given: np.dtype[Any]) -> bool:
    """Whether ``given`` has the same bytes and field names; alignment flags do not matter."""
    if expected == given:
        return True
    if expected.itemsize != given.itemsize or expected.shape != given.shape:
        return False
    if expected.shape:
        return same_layout(expected.base, given.base)
    if expected.fields is None or given.fields is None:
        return False
    if expected.fields.keys() != given.fields.keys():
        return False
    return all(
        expected.fields[name][1] == given.fields[name][1]
        and same_layout(expected.fields[name][0], given.fields[name][0])
        for name in expected.fields
    )


def tags(ty: EnumType) -> dict[str, int]:
    """The value of the field ``tag`` for each variant, signed where the tag is."""
    return {variant.name: tag_value(ty, variant) for variant in ty.variants}


def tag_value(ty: EnumType, variant: VariantType) -> int:
    """``variant``'s tag as the field ``tag`` holds it."""
    dtype = dtype_of(ty.tag.type)
    bits = variant.tag & ((1 << 8 * dtype.itemsize) - 1)
    return int(np.frombuffer(bits.to_bytes(dtype.itemsize, "little"), dtype)[0])


def invalid_value(ty: HostType, array: np.ndarray[Any, Any]) -> str | None:
    """What in ``array`` is no value of ``ty`` (a bool of 2, say), or none.

    ``array`` has ``dtype_of(ty)``, or for an array type that of its innermost element.
    """
    ty, _ = element_shape(ty)
    if array.size == 0 or not _has_invalid(ty):
        return None
    match ty:
        case ScalarType(name="bool"):
            bad = array.view("u1") > 1
            return "a bool that is neither 0 nor 1" if bad.any() else None
        case ScalarType(name="char"):
            bad = (array > 0x10FFFF) | ((array >= 0xD800) & (array < 0xE000))
            return f"the char {int(array[bad].flat[0]):#x}" if bad.any() else None
        case StructType(fields=fields):
            return _invalid_field(fields, array)
        case EnumType(variants=variants):
            known = tags(ty)
            bad = ~np.isin(array["tag"], list(known.values()))
            if bad.any():
                return f"{ty.name} with the tag {array['tag'][bad].flat[0]}, which is no variant's"
            for variant in variants:
                chosen = array[array["tag"] == known[variant.name]]
                if variant.fields and (
                    problem := _invalid_field(variant.fields, chosen[variant_field(variant)])
                ):
                    return problem
            return None
        case ScalarType() | ArrayType() | OpaqueType():
            return None
        case _:
            assert_never(ty)


def variant_field(variant: VariantType) -> str:
    """The name of ``variant``'s field in the enum's dtype."""
    return "tag_" if variant.name == "tag" else variant.name


def _invalid_field(fields: tuple[FieldType, ...], array: np.ndarray[Any, Any]) -> str | None:
    for field in fields:
        if problem := invalid_value(field.type, array[field.name]):
            return problem
    return None


@lru_cache(maxsize=512)
def _has_invalid(ty: HostType) -> bool:
    match ty:
        case ScalarType(name=name):
            return name in ("bool", "char")
        case ArrayType(elem=elem):
            return _has_invalid(elem)
        case StructType(fields=fields):
            return any(_has_invalid(f.type) for f in fields)
        case EnumType():
            return True
        case OpaqueType():
            return False
        case _:
            assert_never(ty)


def _scalar(ty: ScalarType) -> np.dtype[Any]:
    try:
        return np.dtype(_SCALARS[ty.name])
    except KeyError:
        raise TypeError(f"NumPy has no dtype for Rust's {ty.name}") from None


def _variant(variant: VariantType) -> tuple[str, np.dtype[Any], int]:
    # From the first field to the last, so that assigning the whole never touches the tag.
    start = min(f.offset for f in variant.fields)
    end = max(f.offset + size_of(f.type) for f in variant.fields)
    members = [(f.name, dtype_of(f.type), f.offset - start) for f in variant.fields]
    return variant_field(variant), _record(members, end - start), start


def _record(members: list[tuple[str, np.dtype[Any], int]], size: int) -> np.dtype[Any]:
    names = [name for name, _, _ in members]
    formats = [dtype for _, dtype, _ in members]
    offsets = [offset for _, _, offset in members]
    return np.dtype({"names": names, "formats": formats, "offsets": offsets, "itemsize": size})
