"""IEEE 754 arithmetic on bit patterns, rounded once, with the hardware's canonical NaN.

Exact results are integers or fractions; ``round_to`` rounds them in any of the four modes.
The common case, round to nearest even, takes the host's own arithmetic where that is exact:
``+ - * /`` and ``sqrt`` of f32 values computed in f64 and rounded again to f32 are right, since
53 is at least 2·24 + 2.
"""

import math
import struct
from fractions import Fraction

_UNPACK = {32: struct.Struct("<f"), 64: struct.Struct("<d")}
_PACK_INT = {32: struct.Struct("<I"), 64: struct.Struct("<Q")}
MANTISSA = {32: 23, 64: 52}
EXPONENT_BITS = {32: 8, 64: 11}
NAN = {32: 0x7FFFFFFF, 64: 0x7FFFFFFFFFFFFFFF}
INF = {32: 0x7F800000, 64: 0x7FF0000000000000}
SIGN = {32: 1 << 31, 64: 1 << 63}


def is_nan(bits: int, width: int) -> bool:
    return bits & (SIGN[width] - 1) > INF[width]


def to_float(bits: int, width: int) -> float:
    return float(_UNPACK[width].unpack(_PACK_INT[width].pack(bits))[0])


def from_float(value: float, width: int) -> int:
    """Rounded to nearest even; NaN becomes the canonical one."""
    if value != value:
        return NAN[width]
    try:
        data = _UNPACK[width].pack(value)
    except OverflowError:
        return INF[width] | (SIGN[width] if value < 0 else 0)
    return int(_PACK_INT[width].unpack(data)[0])


def exact(bits: int, width: int) -> Fraction:
    return Fraction(to_float(bits, width))


def round_to(value: Fraction, width: int, mode: str, zero_sign: int = 0) -> int:
    """The bits of ``value`` rounded: ``rn`` nearest even, ``rz``, ``rm`` down, ``rp`` up.

    ``zero_sign`` is the sign of an exact zero.
    """
    if value == 0:
        return SIGN[width] if zero_sign else 0
    negative = value < 0
    value = abs(value)
    mantissa, bias = MANTISSA[width], (1 << (EXPONENT_BITS[width] - 1)) - 1
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    if Fraction(2) ** exponent > value:
        exponent -= 1
    exponent = max(exponent, 1 - bias)
    scaled = value / Fraction(2) ** (exponent - mantissa)
    whole = scaled.numerator // scaled.denominator
    rest = scaled - whole
    up = {
        "rn": rest > Fraction(1, 2) or (rest == Fraction(1, 2) and whole & 1 == 1),
        "rz": False,
        "rm": negative and rest > 0,
        "rp": not negative and rest > 0,
    }[mode]
    whole += up
    if whole >> (mantissa + 1):
        whole >>= 1
        exponent += 1
    if exponent > bias:
        away = {"rn": True, "rz": False, "rm": negative, "rp": not negative}[mode]
        bits = INF[width] if away else INF[width] - 1
    elif whole >> mantissa:
        bits = (exponent + bias) << mantissa | (whole & ((1 << mantissa) - 1))
    else:
        bits = whole
    return bits | (SIGN[width] if negative else 0)


def add(a: int, b: int, width: int, mode: str) -> int:
    x, y = to_float(a, width), to_float(b, width)
    if mode == "rn" or not (math.isfinite(x) and math.isfinite(y)):
        return from_float(x + y, width)
    zero = a & b & SIGN[width] if mode != "rm" else (a | b) & SIGN[width]
    if x == 0 and y == 0:
        return SIGN[width] if zero else 0
    return round_to(Fraction(x) + Fraction(y), width, mode, mode == "rm")


def sub(a: int, b: int, width: int, mode: str) -> int:
    return NAN[width] if is_nan(b, width) else add(a, b ^ SIGN[width], width, mode)


def mul(a: int, b: int, width: int, mode: str) -> int:
    x, y = to_float(a, width), to_float(b, width)
    if mode == "rn" or not (math.isfinite(x) and math.isfinite(y)):
        return from_float(x * y, width)
    return round_to(Fraction(x) * Fraction(y), width, mode, (a ^ b) & SIGN[width])


def div(a: int, b: int, width: int, mode: str) -> int:
    x, y = to_float(a, width), to_float(b, width)
    sign = (a ^ b) & SIGN[width]
    if x != x or y != y:
        return NAN[width]
    if math.isinf(x):
        return NAN[width] if math.isinf(y) else INF[width] | sign
    if math.isinf(y):
        return sign
    if y == 0:
        return NAN[width] if x == 0 else INF[width] | sign
    if mode == "rn":
        return from_float(x / y, width)
    return round_to(Fraction(x) / Fraction(y), width, mode, sign)


def fma(a: int, b: int, c: int, width: int, mode: str) -> int:
    x, y, z = (to_float(each, width) for each in (a, b, c))
    if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
        product = NAN[width]
        if not (x != x or y != y) and not ((x == 0 or y == 0) and (math.isinf(x) or math.isinf(y))):
            if math.isfinite(x) and math.isfinite(y):
                product = 0  # finite, however large: the infinite or NaN addend decides
            else:
                product = INF[width] | ((a ^ b) & SIGN[width])
        return NAN[width] if is_nan(product, width) else add(product, c, width, "rn")
    value = Fraction(x) * Fraction(y) + Fraction(z)
    if value:
        return round_to(value, width, mode)
    product_sign = (a ^ b) & SIGN[width]
    if (x == 0 or y == 0) and z == 0 and product_sign == c & SIGN[width]:
        return product_sign
    return SIGN[width] if mode == "rm" else 0


def sqrt(a: int, width: int, mode: str) -> int:
    x = to_float(a, width)
    if x != x or x < 0:
        return NAN[width]
    if x == 0 or math.isinf(x):
        return a
    if mode == "rn":
        return from_float(math.sqrt(x), width)
    value = Fraction(x)
    scale = 200 + (value.denominator.bit_length() & ~1)
    root = math.isqrt((value.numerator << (2 * scale)) // value.denominator)
    sticky = Fraction(root * root, 1 << (2 * scale)) != value
    return round_to(Fraction(2 * root + sticky, 2 << scale), width, mode)


def minmax(a: int, b: int, width: int, largest: bool, propagate: bool) -> int:
    """``min``/``max``: the other operand for a NaN, or with ``.NaN`` the canonical NaN; −0 < +0."""
    if is_nan(a, width) or is_nan(b, width):
        if propagate or (is_nan(a, width) and is_nan(b, width)):
            return NAN[width]
        return b if is_nan(a, width) else a
    x, y = to_float(a, width), to_float(b, width)
    if x == y:
        return (a & b if largest else a | b) if x == 0 else a
    return a if (x > y) == largest else b


def to_integral(a: int, width: int, mode: str) -> int:
    """``cvt.rXi``: to an integral value of the same width; the sign of zero stays."""
    x = to_float(a, width)
    if x != x:
        return NAN[width]
    if math.isinf(x):
        return a
    return from_float(math.copysign(float(round_int(x, mode)), x), width)


def round_int(x: float, mode: str) -> int:
    return {"rni": round, "rzi": math.trunc, "rmi": math.floor, "rpi": math.ceil}[mode](x)


def to_int(a: int, width: int, mode: str, bits: int, signed: bool) -> int:
    """Saturating, as float-to-integer ``cvt`` does.

    NaN gives 0 where the source is no f64 and the result no 64-bit integer, else the top bit
    alone (PTX ISA 9.0).
    """
    x = to_float(a, width)
    low, high = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1) if signed else (0, (1 << bits) - 1)
    if x != x:
        return 1 << (bits - 1) if bits == 64 or width == 64 else 0
    value = (high if x > 0 else low) if math.isinf(x) else min(max(round_int(x, mode), low), high)
    return value & ((1 << bits) - 1)


def from_int(value: int, width: int, mode: str) -> int:
    return round_to(Fraction(value), width, mode)


def convert(a: int, source: int, target: int, mode: str) -> int:
    x = to_float(a, source)
    if x != x:
        return NAN[target]
    if math.isinf(x) or mode == "rn":
        return from_float(x, target)
    return round_to(Fraction(x), target, mode, a & SIGN[source])


def compare(a: int, b: int, width: int, op: str) -> bool:
    nan = is_nan(a, width) or is_nan(b, width)
    if op == "num":
        return not nan
    if op == "nan":
        return nan
    x, y = to_float(a, width), to_float(b, width)
    if op in ("equ", "neu", "ltu", "leu", "gtu", "geu"):
        return nan or compare(a, b, width, op[:2])
    if nan:
        return False
    return {"eq": x == y, "ne": x != y, "lt": x < y, "le": x <= y, "gt": x > y, "ge": x >= y}[op]
