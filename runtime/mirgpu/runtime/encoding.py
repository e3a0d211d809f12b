"""Python values as the bytes of a Rust type, exactly or not at all."""

import struct
from collections.abc import Mapping, Sequence
from typing import Any, assert_never

import numpy as np

from mirgpu.runtime.dtypes import (
    dtype_of,
    invalid_value,
    same_layout,
    size_of,
    tag_value,
    type_name,
)
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    FieldType,
    HostType,
    OpaqueType,
    ScalarType,
    StructType,
)
from mirgpu.runtime.rust_format import FLOAT_CODES, INTEGER_BITS


class EncodingTypeError(TypeError):
    """A value of a kind that the Rust type does not take."""


class EncodingValueError(ValueError):
    """A value of the right kind that the Rust type cannot hold."""


def encode(ty: HostType, value: object) -> bytes:
    """The bytes of ``value`` as a ``ty``; padding is zero.

    Integers must be in range; floats are rounded to nearest, never to infinity; a bool takes
    only bools, a char a string of one character.  A struct takes a NumPy scalar of its dtype, a
    tuple or a mapping; an array a sequence; an enum a NumPy scalar, the name of a variant, or
    a pair of the name and the fields.
    Raises ``EncodingTypeError`` and ``EncodingValueError``.
    """
    buffer = bytearray(size_of(ty))
    _write(ty, value, buffer, 0)
    return bytes(buffer)


def _write(ty: HostType, value: object, buffer: bytearray, at: int) -> None:
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    match ty:
        case ScalarType():
            data = _scalar(ty.name, value)
            buffer[at : at + len(data)] = data
        case ArrayType():
            _write_array(ty, value, buffer, at)
        case StructType() | EnumType() | OpaqueType() if isinstance(value, np.void):
            _write_void(ty, value, buffer, at)
        case StructType():
            _write_fields(ty.name, ty.fields, value, buffer, at)
        case EnumType():
            _write_enum(ty, value, buffer, at)
        case OpaqueType():
            raise EncodingTypeError(
                f"{ty.name} cannot be made on the host, only passed on as {ty.size} bytes "
                f"of dtype V{ty.size}"
            )
        case _:
            assert_never(ty)


def _write_array(ty: ArrayType, value: object, buffer: bytearray, at: int) -> None:
    if not isinstance(value, Sequence | np.ndarray) or isinstance(value, str):
        raise EncodingTypeError(f"{type_name(ty)} takes a sequence, got {describe(value)}")
    if len(value) != ty.len:
        raise EncodingValueError(f"{type_name(ty)} takes {ty.len} elements, got {len(value)}")
    size = size_of(ty.elem)
    for n, item in enumerate(value):
        _write(ty.elem, item, buffer, at + n * size)


def _write_void(
    ty: StructType | EnumType | OpaqueType, value: np.void, buffer: bytearray, at: int
) -> None:
    expected = dtype_of(ty)
    if not same_layout(expected, value.dtype):
        raise EncodingTypeError(f"{ty.name} takes the dtype {expected}, got {value.dtype}")
    if problem := invalid_value(ty, np.asarray(value).view(expected)):
        raise EncodingValueError(f"{problem} is not valid")
    data = value.tobytes()
    buffer[at : at + len(data)] = data


def _write_fields(
    name: str, fields: tuple[FieldType, ...], value: object, buffer: bytearray, at: int
) -> None:
    names = [field.name for field in fields]
    items: list[object]
    if isinstance(value, Mapping):
        if set(value) != set(names):
            raise EncodingTypeError(f"{name} takes the fields {_list(names)}, got {_list(value)}")
        items = [value[field] for field in names]
    elif isinstance(value, tuple):
        if len(value) != len(names):
            raise EncodingTypeError(f"{name} takes {len(names)} fields, got {len(value)}")
        items = list(value)
    else:
        raise EncodingTypeError(
            f"{name} takes a tuple or a mapping of {_list(names)}, got {describe(value)}"
        )
    for field, item in zip(fields, items, strict=True):
        _write(field.type, item, buffer, at + field.offset)


def _write_enum(ty: EnumType, value: object, buffer: bytearray, at: int) -> None:
    if isinstance(value, str):
        value = (value, ())
    if not (isinstance(value, tuple) and len(value) == 2 and isinstance(value[0], str)):
        raise EncodingTypeError(
            f"{ty.name} takes a variant's name, or a pair of name and fields, got {describe(value)}"
        )
    name, content = value
    for variant in ty.variants:
        if variant.name == name:
            _write(ty.tag.type, tag_value(ty, variant), buffer, at + ty.tag.offset)
            _write_fields(f"{ty.name}::{name}", variant.fields, content, buffer, at)
            return
    known = _list(variant.name for variant in ty.variants)
    raise EncodingValueError(f"{ty.name} has no variant {name}, only {known}")


def _scalar(name: str, value: object) -> bytes:
    if name in INTEGER_BITS:
        if not isinstance(value, int | np.integer) or isinstance(value, bool):
            raise EncodingTypeError(f"{name} takes an integer, got {describe(value)}")
        number, width, signed = int(value), INTEGER_BITS[name], name[0] == "i"
        low, high = (-(1 << width - 1), (1 << width - 1) - 1) if signed else (0, (1 << width) - 1)
        if not low <= number <= high:
            raise EncodingValueError(f"{number} is out of range for {name} ({low} to {high})")
        return number.to_bytes(width // 8, "little", signed=signed)
    if name in FLOAT_CODES:
        return _float(name, value)
    if name == "bool":
        if not isinstance(value, bool | np.bool_):
            raise EncodingTypeError(f"bool takes True or False, got {describe(value)}")
        return bytes([bool(value)])
    if name == "char":
        if not isinstance(value, str) or len(value) != 1:
            raise EncodingTypeError(f"char takes a string of one character, got {describe(value)}")
        if 0xD800 <= ord(value) < 0xE000:
            raise EncodingValueError(f"{value!a} is a surrogate, which is no char")
        return ord(value).to_bytes(4, "little")
    raise EncodingTypeError(f"{name} cannot be passed from Python yet")


def _float(name: str, value: object) -> bytes:
    if isinstance(value, np.floating) and value.dtype == dtype_of(ScalarType(name)):
        return value.tobytes()
    if not isinstance(value, float | int | np.floating | np.integer) or isinstance(value, bool):
        raise EncodingTypeError(f"{name} takes a number, got {describe(value)}")
    code = FLOAT_CODES[name]
    try:
        data = struct.pack(code, float(value))
    except OverflowError:
        raise EncodingValueError(f"{value} is too large for {name}") from None
    if isinstance(value, int | np.integer) and int(struct.unpack(code, data)[0]) != int(value):
        raise EncodingValueError(
            f"the integer {value} is not exact in {name}; pass float({value}) to round it"
        )
    return data


def describe(value: object) -> str:
    """``value`` in a message: what it is, and which."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} and shape {value.shape}"
    if isinstance(value, bool | int | float | complex | str | np.generic | None):
        return f"{type(value).__name__} {value!r}" if value is not None else "None"
    return f"a {type(value).__name__}"


def _list(names: Any) -> str:
    return ", ".join(str(name) for name in names) or "none"
