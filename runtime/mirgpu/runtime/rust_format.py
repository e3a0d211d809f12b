"""Format scalars as Rust's ``Display``, ``Debug`` and hex traits do, from their bits."""

import struct
import unicodedata
from fractions import Fraction
from typing import Final

INTEGER_BITS: Final = {
    "u8": 8,
    "u16": 16,
    "u32": 32,
    "u64": 64,
    "usize": 64,
    "i8": 8,
    "i16": 16,
    "i32": 32,
    "i64": 64,
    "isize": 64,
}
FLOAT_CODES: Final = {"f16": "<e", "f32": "<f", "f64": "<d"}
_FLOAT_INTS: Final = {"f16": "<H", "f32": "<I", "f64": "<Q"}
_ESCAPES: Final = {
    "\0": "\\0",
    "\t": "\\t",
    "\n": "\\n",
    "\r": "\\r",
    "'": "\\'",
    "\\": "\\\\",
}


def format_scalar(kind: str, trait: str, bits: int) -> str:
    """``kind`` is a Rust scalar's name, ``trait`` one of display, debug, lower_hex, upper_hex.

    ``bits`` are the value's low bits, zero-extended.  Raises ``ValueError`` for other kinds
    and traits.
    """
    if kind in INTEGER_BITS:
        width = INTEGER_BITS[kind]
        bits &= (1 << width) - 1
        if trait in ("lower_hex", "upper_hex"):
            return format(bits, "x" if trait == "lower_hex" else "X")
        if kind[0] == "i" and bits >> (width - 1):
            bits -= 1 << width
        return str(bits)
    if trait not in ("display", "debug"):
        raise ValueError(f"{kind} has no format {trait}")
    if kind in FLOAT_CODES:
        return _float(kind, bits, debug=trait == "debug")
    if kind == "bool":
        return "true" if bits & 0xFF else "false"
    if kind == "char":
        return _char(chr(bits & 0x1FFFFF)) if trait == "debug" else chr(bits & 0x1FFFFF)
    raise ValueError(f"cannot format a {kind}")


def format_message(template: str, operands: tuple[str, ...]) -> str:
    """``template`` with ``{0}``, ``{1}`` … replaced, ``{{`` and ``}}`` as braces."""
    return template.format(*operands)


def _char(char: str) -> str:
    if char in _ESCAPES:
        return f"'{_ESCAPES[char]}'"
    # Combining marks would join the quote; Rust escapes them and what has no shape.
    if not char.isprintable() or unicodedata.category(char) in ("Mn", "Me"):
        return f"'\\u{{{ord(char):x}}}'"
    return f"'{char}'"


def _float(kind: str, bits: int, *, debug: bool) -> str:
    size = struct.calcsize(FLOAT_CODES[kind])
    raw = struct.pack(_FLOAT_INTS[kind], bits & ((1 << 8 * size) - 1))
    (value,) = struct.unpack(FLOAT_CODES[kind], raw)
    if value != value:
        return "NaN"
    sign = "-" if raw[-1] & 0x80 else ""
    value = abs(value)
    if value == float("inf"):
        return sign + "inf"
    digits, exponent = _shortest(kind, value)
    # Rust compares in the float's own type, where 1e-4 has another value in f32.
    code = FLOAT_CODES[kind]
    (low,) = struct.unpack(code, struct.pack(code, 1e-4))
    if debug and value != 0 and not low <= value < 1e16:
        mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
        return f"{sign}{mantissa}e{exponent}"
    point = exponent + 1
    if point <= 0:
        return f"{sign}0.{'0' * -point}{digits}" if digits != "0" else sign + "0"
    whole, rest = digits[:point].ljust(point, "0"), digits[point:]
    if rest:
        return f"{sign}{whole}.{rest}"
    return f"{sign}{whole}.0" if debug else sign + whole


def _shortest(kind: str, value: float) -> tuple[str, int]:
    """The fewest digits that read back as ``value``, and the first one's power of ten."""
    if value == 0:
        return "0", 0
    exact = Fraction(value)
    for places in range(17):
        mantissa, power = f"{value:.{places}e}".split("e")
        exponent = int(power)
        nearest = int(mantissa.replace(".", ""))
        scale = Fraction(10) ** (exponent - places)
        # At a power of two the nearest decimal can lie in the narrow half, its neighbour not;
        # of two decimals that are equally near, Rust takes the greater.
        fits = [n for n in (nearest, nearest + 1, nearest - 1) if _reads_as(kind, n * scale, value)]
        if fits:
            best = min(fits, key=lambda n: (abs(n * scale - exact), -n))
            text = str(best)
            return text.rstrip("0"), exponent - places + len(text) - 1
    raise AssertionError(f"{value!r} is no {kind}")


def _reads_as(kind: str, decimal: Fraction, value: float) -> bool:
    try:
        # One rounding is enough to tell: all these decimals have few digits.
        (read,) = struct.unpack(FLOAT_CODES[kind], struct.pack(FLOAT_CODES[kind], float(decimal)))
    except OverflowError:
        return False
    return bool(read == value)
