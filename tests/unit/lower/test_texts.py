"""Format strings, literals and floats as MIR writes them."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mirgpu.kir.ops import IntConst
from mirgpu.kir.types import I8, I64, PTR
from mirgpu.lower.fmt import Placeholder, decode
from mirgpu.lower.image import Image, SymbolAddr, float_bits
from mirgpu.lower.literals import char_code, str_bytes


def test_template() -> None:
    assert decode(b"\x08too big \xc0\x04 at \xc0\x00") == [
        "too big ",
        Placeholder(0, True),
        " at ",
        Placeholder(1, True),
    ]


def test_template_with_positions_and_specs() -> None:
    found = decode(b"\xc0\x01 \xc8\x00\x00\x01 \xc0\xd3 \x00\x00h\x04\x00\xc1 \x00\x80`\x00")
    assert found == [
        Placeholder(0, True),
        " ",
        Placeholder(0, True),
        " ",
        Placeholder(1, True),
        Placeholder(2, False),
        Placeholder(3, False),
    ]


def test_long_template() -> None:
    text = "x" * 300
    assert decode(b"\x80" + struct.pack("<H", 300) + text.encode() + b"\x00") == [text]


@pytest.mark.parametrize("bad", [b"", b"\x05abc", b"\x90\x00", b"\xc1\x00", b"\x01\xff\x00"])
def test_bad_template(bad: bytes) -> None:
    assert decode(bad) is None


def test_literals() -> None:
    assert str_bytes(r"a\n\u{e9}\\\"é") == 'a\né\\"é'.encode()
    assert char_code(r"\u{1f600}") == 0x1F600
    assert char_code("'") == ord("'")


@given(st.integers(0, 0xFFFFFFFF))
def test_f32_text_gives_its_bits(bits: int) -> None:
    (value,) = struct.unpack("<f", bits.to_bytes(4, "little"))
    if value != value or value in (float("inf"), float("-inf")):
        return
    assert float_bits(f"{value:.9G}", 32) == bits


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_f64_text_gives_its_bits(value: float) -> None:
    bits = int.from_bytes(struct.pack("<d", value), "little")
    assert float_bits(repr(value).upper(), 64) == bits


def test_f32_is_rounded_once() -> None:
    """Through an f64 this would be rounded to even twice."""
    assert float_bits("1.000000059604644775390626", 32) == 0x3F800001
    assert float_bits("1.000000059604644775390625", 32) == 0x3F800000


def test_special_floats() -> None:
    assert float_bits("+Inf", 32) == 0x7F800000
    assert float_bits("-Inf", 64) == 0xFFF0000000000000
    assert float_bits("NaN", 32) == 0x7FC00000
    assert float_bits("-0", 32) == 0x80000000


def test_image_overwrites_addresses() -> None:
    image = Image(16, 8)
    image.put(0, SymbolAddr("a", 4))
    assert image.leaf(0, PTR) == SymbolAddr("a", 4)
    image.put(3, IntConst(I8, 7))
    assert image.leaf(0, I64) == IntConst(I64, 7 << 24)
    image.put(8, SymbolAddr("b", 0))
    other = Image(24, 8)
    other.paste(8, image, 8, 8)
    assert other.leaf(8, PTR) == SymbolAddr("b", 0)
