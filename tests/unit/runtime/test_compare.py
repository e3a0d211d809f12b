"""The comparator masks what says nothing and nothing else."""

import struct

import pytest

from mirgpu.runtime.compare import Difference, difference
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    FieldType,
    OpaqueType,
    ScalarType,
    StructType,
    VariantType,
)

F32, U8, U32, I16 = ScalarType("f32"), ScalarType("u8"), ScalarType("u32"), ScalarType("i16")
PAIR = StructType("Pair", 8, 4, (FieldType("a", 0, U8), FieldType("b", 4, F32)))
SHAPE = EnumType(
    "Shape",
    12,
    4,
    FieldType("tag", 0, U32),
    (
        VariantType("Empty", 0, ()),
        VariantType("Circle", 1, (FieldType("radius", 4, F32),)),
        VariantType("Box", 2, (FieldType("w", 4, F32), FieldType("h", 8, F32))),
    ),
)
NAN, OTHER_NAN = 0x7FC00000, 0xFFFFFFFF


def words(*values: int) -> bytes:
    return struct.pack(f"<{len(values)}I", *values)


def test_equal_bytes_are_equal() -> None:
    assert difference(U32, words(1, 2), words(1, 2)) is None
    assert difference(U32, b"", b"") is None


def test_the_first_difference_is_named() -> None:
    assert difference(U32, words(1, 2, 3), words(1, 5, 6)) == Difference(
        1, "", "2 (0x00000002)", "5 (0x00000005)"
    )
    assert difference(I16, b"\xff\xff", b"\0\0") == Difference(0, "", "-1 (0xffff)", "0 (0x0000)")


def test_any_nan_equals_any_nan_of_a_float() -> None:
    assert difference(F32, words(NAN), words(OTHER_NAN)) is None
    assert difference(F32, words(NAN), words(0)) is not None
    assert difference(U32, words(NAN), words(OTHER_NAN)) is not None


def test_zeros_differ_unless_nsz() -> None:
    found = difference(F32, words(0), words(1 << 31))
    assert found == Difference(0, "", "0.0 (0x00000000)", "-0.0 (0x80000000)")
    assert difference(F32, words(0), words(1 << 31), nsz=True) is None
    assert difference(F32, words(0), words(1), nsz=True) is not None


def test_padding_is_masked_and_fields_are_not() -> None:
    assert difference(PAIR, b"\1abc\0\0\0\0", b"\1xyz\0\0\0\0") is None
    found = difference(PAIR, b"\1abc\0\0\0\0" * 2, b"\1xyz\0\0\0\0\1abc\0\0\x80\x3f")
    assert found == Difference(1, ".b", "0.0 (0x00000000)", "1.0 (0x3f800000)")


def test_inactive_bytes_of_an_enum_are_masked() -> None:
    assert difference(SHAPE, words(0, 7, 8), words(0, 9, 10)) is None
    assert difference(SHAPE, words(1, 7, 8), words(1, 7, 10)) is None
    found = difference(SHAPE, words(1, 7, 8, 2, 0, 0), words(1, 7, 9, 2, 0, 1))
    assert found is not None
    assert (found.index, found.path) == (1, ".Box.h")
    assert difference(SHAPE, words(1, 7, 8), words(2, 7, 8)) == Difference(
        0, ".tag", "1 (0x00000001)", "2 (0x00000002)"
    )


def test_the_lowest_index_wins_over_the_order_of_fields() -> None:
    ty = ArrayType(U8, 2)
    found = difference(ArrayType(ty, 2), b"\0\0\0\1" + b"\0\0\0\0", b"\0\0\0\0" + b"\1\0\0\0")
    assert found == Difference(0, "[1][1]", "1 (0x01)", "0 (0x00)")


def test_opaque_bytes_are_compared() -> None:
    ty = OpaqueType("T", 2, 1)
    assert difference(ty, b"abcd", b"abce") == Difference(1, "", "6364", "6365")


def test_lengths_must_fit() -> None:
    with pytest.raises(ValueError, match="4 bytes are expected, 8 given"):
        difference(U32, words(1), words(1, 2))
    with pytest.raises(ValueError, match="no whole number"):
        difference(U32, b"abcde", b"abcdf")
