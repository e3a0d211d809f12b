"""Runs a line of kir on bits, and models of numbers that share nothing with ``kir.scalar``."""

from fractions import Fraction
from functools import cache
from math import gcd

import numpy as np
from hypothesis import strategies as st

from mirgpu.kir.interpreter import Interpreter
from mirgpu.kir.parser import parse_module

WIDTHS = (8, 16, 32, 64, 128)
FORMATS = {16: (5, 10), 32: (8, 23), 64: (11, 52)}
"""Exponent and fraction bits of each float width."""


def size_of(ty: str) -> int:
    return 8 if ty.startswith("ptr") else max(int(ty[1:]) // 8, 1)


@cache
def _interpreter(line: str, inputs: tuple[str, ...], outputs: tuple[str, ...]) -> Interpreter:
    params = ["%out:ptr.generic value size 8 align 8"]
    for name, ty in zip("abc", inputs, strict=False):
        params.append(f"%{name}:{ty} value size {size_of(ty)} align {size_of(ty)}")
    stores = []
    for number, (name, ty) in enumerate(zip("rs", outputs, strict=False)):
        at = f"%p{number}:ptr.generic = ptradd %out, {16 * number}:i64 * 1 + 0"
        stores.append(f"{at} store %{name}, %p{number}, align {size_of(ty)}")
    body = "\n".join([line, *stores, "return"])
    return Interpreter(parse_module(f'kernel @k "k" ({", ".join(params)}) {{ e: {body} }}'))


def evaluate(
    line: str, inputs: tuple[str, ...], bits: tuple[int, ...], outputs: tuple[str, ...]
) -> list[int]:
    """The bits of ``%r`` (and ``%s``) after ``line``, with ``%a``, ``%b``, ``%c`` of ``bits``."""
    interpreter = _interpreter(line, inputs, outputs)
    memory = bytearray(32)
    address = interpreter.alloc(memory, align=16)
    buffer = bytearray(address.to_bytes(8, "little"))
    for ty, value in zip(inputs, bits, strict=True):
        buffer += bytes(-len(buffer) % size_of(ty)) + value.to_bytes(size_of(ty), "little")
    interpreter.launch("k", (1,), (1,), bytes(buffer))
    interpreter.free(address)
    return [
        int.from_bytes(memory[16 * n : 16 * n + size_of(ty)], "little")
        for n, ty in enumerate(outputs)
    ]


def ints(width: int) -> st.SearchStrategy[int]:
    top = (1 << width) - 1
    edges = [0, 1, 2, width - 1, width, top >> 1, (top >> 1) + 1, top - 1, top]
    return st.one_of(
        st.sampled_from(edges),
        st.integers(0, top),
        st.integers(0, width).map(lambda n: ((1 << n) - 1) & top),
    )


def floats(width: int) -> st.SearchStrategy[int]:
    exponent, fraction = FORMATS[width]
    inf = ((1 << exponent) - 1) << fraction
    one = ((1 << (exponent - 1)) - 1) << fraction
    positive = [
        0, 1, (1 << fraction) - 1, 1 << fraction, one, one + 1, one - 1, one - (1 << fraction),
        inf - 1, inf, inf | 1 << (fraction - 1), inf | 1, one + (1 << fraction - 1),
    ]  # fmt: skip
    sign = 1 << (width - 1)
    near_one = st.integers(
        one - (fraction << fraction), min(inf - 1, one + (2 * fraction << fraction))
    )
    return st.one_of(
        st.sampled_from(positive + [bits | sign for bits in positive]),
        st.integers(0, 2 * sign - 1),
        st.tuples(near_one, st.sampled_from([0, sign])).map(sum),
    )


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def is_nan(bits: int, width: int) -> bool:
    exponent, fraction = FORMATS[width]
    inf = ((1 << exponent) - 1) << fraction
    return bits & ((1 << (width - 1)) - 1) > inf


def is_inf(bits: int, width: int) -> bool:
    exponent, fraction = FORMATS[width]
    return bits & ((1 << (width - 1)) - 1) == ((1 << exponent) - 1) << fraction


def exact(bits: int, width: int) -> Fraction:
    """The number that finite bits mean."""
    exponent_bits, fraction_bits = FORMATS[width]
    fraction = bits & ((1 << fraction_bits) - 1)
    exponent = bits >> fraction_bits & ((1 << exponent_bits) - 1)
    if exponent:
        fraction += 1 << fraction_bits
    scale = max(exponent, 1) - (1 << (exponent_bits - 1)) + 1 - fraction_bits
    sign = -1 if bits >> (width - 1) else 1
    return sign * fraction * Fraction(2) ** scale


def nearest(number: Fraction, width: int) -> int:
    """The bits of the nearest float, half to even; +0.0 for 0."""
    exponent_bits, fraction_bits = FORMATS[width]
    sign = (1 << (width - 1)) if number < 0 else 0
    number = abs(number)
    assert gcd(number.numerator, number.denominator) == 1
    lowest = 2 - (1 << (exponent_bits - 1)) - fraction_bits  # exponent of the smallest step
    power = number.numerator.bit_length() - number.denominator.bit_length()
    step = max(power - fraction_bits - 1, lowest)
    while True:
        scaled = number / Fraction(2) ** step
        whole = round(scaled)  # half to even
        if whole < 1 << (fraction_bits + 1):
            break
        step += 1
    bits = whole
    if whole >> fraction_bits:
        bits = ((step - lowest + 1) << fraction_bits) + whole - (1 << fraction_bits)
    inf = ((1 << exponent_bits) - 1) << fraction_bits
    return sign | min(bits, inf)


def to_numpy(bits: int, width: int) -> np.floating:  # type: ignore[type-arg]
    word = getattr(np, f"uint{width}")(bits)
    return word.view(getattr(np, f"float{width}"))  # type: ignore[no-any-return]


def from_numpy(value: object, width: int) -> int:
    made = getattr(np, f"float{width}")(value)
    return int(made.view(getattr(np, f"uint{width}")))
