"""dtypes in rustc's layout; seeded inputs; checksums that do not depend on the device."""

from typing import Any

import numpy as np
import pytest
from tests.unit.runtime.builders import F32, PADDED, RGB, SHAPE, U8, VEC3

from mirgpu.runtime.checksum import checksum, total
from mirgpu.runtime.dtypes import (
    align_of,
    dtype_of,
    element_shape,
    invalid_value,
    same_layout,
    size_of,
    tag_value,
    type_name,
)
from mirgpu.runtime.inputs import KINDS, make_array
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

SIGNED = EnumType(
    "Signed",
    2,
    1,
    FieldType("tag", 0, ScalarType("i8")),
    (
        VariantType("Less", 255, ()),
        VariantType("tag", 1, (FieldType("_0", 1, ScalarType("bool")),)),
    ),
)
NESTED = StructType(
    "Nested", 40, 4, (FieldType("shape", 0, SHAPE), FieldType("v", 28, ArrayType(F32, 3)))
)
ALL: tuple[HostType, ...] = (
    *(ScalarType(n) for n in ("bool", "char", "u8", "i16", "u32", "i64", "usize", "f32", "f64")),
    VEC3, PADDED, SHAPE, SIGNED, NESTED, RGB, ArrayType(VEC3, 2), OpaqueType("O", 5, 1),
    StructType("()", 0, 1, ()),
)  # fmt: skip


@pytest.mark.parametrize("ty", ALL, ids=type_name)
def test_sizes(ty: HostType) -> None:
    assert dtype_of(ty).itemsize == size_of(ty)
    assert size_of(ty) % align_of(ty) == 0


def test_offsets() -> None:
    fields = dtype_of(PADDED).fields
    assert fields is not None
    assert [(n, fields[n][1]) for n in fields] == [("a", 4), ("b", 0)]
    assert dtype_of(RGB).shape == (3,)
    assert element_shape(ArrayType(RGB, 2)) == (U8, (2, 3))
    assert type_name(ArrayType(RGB, 2)) == "[[u8; 3]; 2]"


def test_variants_overlap_and_leave_the_tag_alone() -> None:
    shapes = np.zeros(1, dtype_of(SHAPE))
    shapes["tag"] = 1
    shapes["Box"]["half"]["x"] = 2
    assert shapes["Sphere"]["radius"][0] == 2
    other = np.ones(1, dtype_of(SHAPE))
    shapes["Sphere"] = other["Sphere"]
    assert shapes["tag"][0] == 1


def test_signed_tags_and_awkward_names() -> None:
    assert dtype_of(SIGNED).names == ("tag", "tag_")
    assert [tag_value(SIGNED, v) for v in SIGNED.variants] == [-1, 1]
    values = np.zeros(2, dtype_of(SIGNED))
    values["tag"] = [-1, 1]
    assert invalid_value(SIGNED, values) is None
    values.view(np.uint8)[3] = 2
    assert invalid_value(SIGNED, values) == "a bool that is neither 0 nor 1"
    values["tag"][1] = -1
    assert invalid_value(SIGNED, values) is None, "another variant's byte does not count"


def test_same_layout() -> None:
    vec = dtype_of(VEC3)
    assert same_layout(vec, np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<f4")], align=True))
    assert not same_layout(vec, np.dtype([("x", "<f4"), ("y", "<f4"), ("w", "<f4")]))
    assert not same_layout(vec, np.dtype([("x", "<f4"), ("y", "<f4"), ("z", "<i4")]))
    assert not same_layout(vec, np.dtype("V12"))
    assert not same_layout(np.dtype("<f4"), np.dtype(">f4"))
    assert not same_layout(dtype_of(PADDED), np.dtype([("a", "u1"), ("b", "<f4")], align=True))


def test_unknown_scalars() -> None:
    with pytest.raises(TypeError, match="no dtype for Rust's u128"):
        dtype_of(ScalarType("u128"))


# -------------------------------------------------------------------------------- inputs


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("ty", ALL, ids=type_name)
def test_inputs_are_valid_and_repeat(ty: HostType, kind: str) -> None:
    array = make_array(ty, 50, kind, 3, "x")
    element, inner = element_shape(ty)
    assert array.shape == (50, *inner)
    assert array.dtype == dtype_of(element)
    assert invalid_value(ty, array) is None
    assert make_array(ty, 50, kind, 3, "x").tobytes() == array.tobytes()
    assert len(make_array(ty, 0, kind, 3, "x")) == 0


def test_random_inputs() -> None:
    floats = make_array(F32, 10_000, "random", 0, "x")
    assert floats.min() >= -1
    assert 0.9 < floats.max() < 1
    assert (make_array(F32, 10, "random", 1, "x") != floats[:10]).any()
    assert (make_array(F32, 10, "random", 0, "y") != floats[:10]).any()
    assert make_array(ScalarType("u32"), 10, "random", 0, "i").max() < 10
    assert set(make_array(SHAPE, 50, "random", 0, "s")["tag"]) == {0, 1, 2}


def test_random_inputs_stay_what_they_are() -> None:
    """A seed means the same on every machine: checksums of seeded runs are compared."""
    assert checksum(F32, make_array(F32, 1000, "random", 0, "x")) == "df5f645ed995"


def test_plain_inputs() -> None:
    assert list(make_array(F32, 3, "arange", 0, "x")) == [0, 1, 2]
    assert list(make_array(F32, 3, "ones", 0, "x")) == [1, 1, 1]
    assert list(make_array(ScalarType("char"), 3, "arange", 0, "x")) == [97, 98, 99]
    with pytest.raises(ValueError, match="many is none of"):
        make_array(F32, 3, "many", 0, "x")


# ----------------------------------------------------------------------------- checksums


def changed(ty: HostType, *bytes_at: int) -> bool:
    """Whether the checksum sees a change of bytes."""
    array: Any = make_array(ty, 4, "ones", 0, "x")
    before = checksum(ty, array)
    for at in bytes_at:
        array.view(np.uint8)[at] ^= 0xFF
    return checksum(ty, array) != before


def test_checksum_leaves_out_padding_and_other_variants() -> None:
    assert changed(PADDED, 4)
    assert not changed(PADDED, 5)
    assert changed(SHAPE, 16)
    assert not changed(SHAPE, 20), "ones are spheres, whose last bytes are not used"


def test_checksum_takes_any_nan_for_one() -> None:
    quiet = np.array([0x7FC00000, 0xFFC00001], np.uint32).view(np.float32)
    assert checksum(F32, quiet[:1]) == checksum(F32, quiet[1:])
    zeros = np.array([0.0, -0.0], np.float32)
    assert checksum(F32, zeros[:1]) != checksum(F32, zeros[1:])


def test_total() -> None:
    assert total(F32, np.array([1.5, 2], np.float32)) == 3.5
    assert total(VEC3, make_array(VEC3, 4, "ones", 0, "x")) == 12.0
    assert total(U8, np.full(1000, 255, np.uint8)) == 255_000
    assert isinstance(total(U8, np.zeros(3, np.uint8)), int)
