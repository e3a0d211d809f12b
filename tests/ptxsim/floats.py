"""Exact IEEE arithmetic.

A float register holds a Python float.  A NaN with a payload, as loads and moves may bring, is a
``NaN`` object with its bits; arithmetic on it gives a plain NaN, which stands for the canonical
one.  Round-to-nearest uses the machine's doubles where one rounding is certain; the rest goes
through integers.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, final


@final
class NaN(float):
    """A NaN with these bits, in the width of the register that holds it."""

    __slots__ = ("bits",)
    bits: int

    def __new__(cls, bits: int) -> "NaN":
        self = float.__new__(cls, "nan")
        self.bits = bits
        return self


@final
@dataclass(frozen=True, slots=True)
class Format:
    """``precision`` counts the hidden bit; ``emin`` is the exponent of the last place of a
    subnormal."""

    width: int
    precision: int
    emin: int
    canonical: int

    @property
    def bias(self) -> int:
        return (1 << (self.width - self.precision - 1)) - 1

    @property
    def infinity(self) -> int:
        return ((1 << (self.width - self.precision)) - 1) << (self.precision - 1)


FORMATS: Final = {
    16: Format(16, 11, -24, 0x7FFF),
    32: Format(32, 24, -149, 0x7FFFFFFF),
    64: Format(64, 53, -1074, 0x7FF8000000000000),
}

_word = memoryview(bytearray(4))
F32 = _word.cast("f")
"""Assign a double and read it back: it is rounded to an f32."""
U32 = _word.cast("I")
_long = memoryview(bytearray(8))
_F64 = _long.cast("d")
_U64 = _long.cast("Q")
_NAN = float("nan")
_INTEGRAL: Final[dict[str, Callable[[float], int]]] = {
    "rni": round,
    "rzi": math.trunc,
    "rmi": math.floor,
    "rpi": math.ceil,
}


def b2f32(bits: int) -> float:
    U32[0] = bits
    value = F32[0]
    return value if value == value else NaN(bits)


def f2b32(value: float) -> int:
    if value == value:
        F32[0] = value
        return U32[0]
    return value.bits if value.__class__ is NaN else 0x7FFFFFFF


def b2f64(bits: int) -> float:
    _U64[0] = bits
    value = _F64[0]
    return value if value == value else NaN(bits)


def f2b64(value: float) -> int:
    if value == value:
        _F64[0] = value
        return _U64[0]
    return value.bits if value.__class__ is NaN else 0x7FF8000000000000


def b2f16(bits: int) -> float:
    """The value of an f16; a NaN's payload is not kept."""
    sign = -1.0 if bits >> 15 else 1.0
    exponent, mantissa = bits >> 10 & 31, bits & 1023
    if exponent == 31:
        return _NAN if mantissa else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(mantissa, -24)
    return sign * math.ldexp(mantissa + 1024, exponent - 25)


def bits_to_float(bits: int, width: int) -> float:
    return {16: b2f16, 32: b2f32, 64: b2f64}[width](bits)


def float_to_bits(value: float, width: int) -> int:
    return {32: f2b32, 64: f2b64}[width](value)


def split(value: float) -> tuple[int, int]:
    """A finite value as ``m, e`` with value = m * 2**e, exactly."""
    mantissa, exponent = math.frexp(value)
    return int(mantissa * (1 << 53)), exponent - 53


def round_bits(
    negative: bool, magnitude: int, exponent: int, sticky: bool, fmt: Format, mode: str
) -> int:
    """Round ``magnitude * 2**exponent``, a little more if ``sticky``, to the bits of a float.

    ``magnitude`` must have more bits than the format's precision where ``sticky`` is set.
    """
    sign = int(negative) << (fmt.width - 1)
    if magnitude == 0 and not sticky:
        return sign
    last = max(magnitude.bit_length() + exponent - fmt.precision, fmt.emin)
    drop = last - exponent
    if drop > 0:
        kept, rest = magnitude >> drop, magnitude & ((1 << drop) - 1)
        half = 1 << (drop - 1)
        inexact = rest != 0 or sticky
        above = rest > half or (rest == half and sticky)
        tie = rest == half and not sticky
    else:
        assert not sticky
        kept, inexact, above, tie = magnitude << -drop, False, False, False
    up = {
        "rn": above or (tie and kept & 1 == 1),
        "rna": above or tie,
        "rz": False,
        "rm": inexact and negative,
        "rp": inexact and not negative,
    }[mode]
    kept += up
    # A subnormal that carries into the normal range does so in the bits too.
    bits = kept + ((last - fmt.emin) << (fmt.precision - 1))
    if bits >= fmt.infinity:
        away = mode in ("rn", "rna") or mode == ("rm" if negative else "rp")
        bits = fmt.infinity if away else fmt.infinity - 1
    return sign | bits


def round_to(value_m: int, value_e: int, width: int, mode: str) -> float:
    """Round ``m * 2**e`` (m signed, not zero) to a float of that width."""
    bits = round_bits(value_m < 0, abs(value_m), value_e, False, FORMATS[width], mode)
    return bits_to_float(bits, width)


def int_to_float(value: int, width: int, mode: str) -> float:
    """``cvt`` from an integer."""
    if -(1 << 53) <= value <= 1 << 53 and (width == 64 or mode == "rn"):
        if width == 64:
            return float(value)
        F32[0] = value
        return F32[0]
    return round_to(value, 0, width, mode) if value else 0.0


def narrow(value: float, width: int, mode: str) -> float:
    """``cvt`` from a wider float."""
    if value != value or math.isinf(value) or value == 0.0:
        return float(value) if value == value else _NAN
    return round_to(*split(value), width, mode)


def add(a: float, b: float, width: int, mode: str) -> float:
    if mode == "rn":
        if width == 64:
            return a + b
        F32[0] = a + b
        return F32[0]
    total = a + b
    if not (math.isfinite(a) and math.isfinite(b)):
        return total
    (ma, ea), (mb, eb) = split(a), split(b)
    e = min(ea, eb)
    m = (ma << (ea - e)) + (mb << (eb - e))
    if m == 0:
        if a == 0.0 and b == 0.0 and math.copysign(1, a) == math.copysign(1, b):
            return a
        return -0.0 if mode == "rm" else 0.0
    return round_to(m, e, width, mode)


def mul(a: float, b: float, width: int, mode: str) -> float:
    product = a * b
    if mode == "rn":
        if width == 64:
            return product
        F32[0] = product
        return F32[0]
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0.0 or b == 0.0:
        return product
    (ma, ea), (mb, eb) = split(a), split(b)
    return round_to(ma * mb, ea + eb, width, mode)


def fma(a: float, b: float, c: float, width: int, mode: str) -> float:
    """a*b + c, rounded once."""
    if not (math.isfinite(a) and math.isfinite(b)):
        return a * b + c
    if not math.isfinite(c):
        return c + 0.0
    if a == 0.0 or b == 0.0:
        return add(a * b, c, width, mode)
    if c == 0.0:
        return mul(a, b, width, mode)
    if width == 32 and mode == "rn":
        # The product is exact. Rounding the rounded sum again is wrong only where that sum is
        # a midpoint between two f32, whose low 28 bits are zero.
        product = a * b
        total = product + c
        part = total - product
        error = (product - (total - part)) + (c - part)
        _F64[0] = total
        if error == 0.0 or (_U64[0] & 0xFFFFFFF and abs(total) > 1.2e-38):
            F32[0] = total
            return F32[0]
    (ma, ea), (mb, eb), (mc, ec) = split(a), split(b), split(c)
    mp, ep = ma * mb, ea + eb
    e = min(ep, ec)
    m = (mp << (ep - e)) + (mc << (ec - e))
    if m == 0:
        return -0.0 if mode == "rm" else 0.0
    return round_to(m, e, width, mode)


def div(a: float, b: float, width: int, mode: str) -> float:
    if b == 0.0:
        if a == 0.0 or a != a:
            return _NAN
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    if a != a or b != b or math.isinf(a) or math.isinf(b) or a == 0.0:
        return a / b
    if mode == "rn":
        if width == 64:
            return a / b
        # 53 bits are more than 2*24+1: rounding a quotient twice equals rounding it once,
        # unless it is subnormal as an f32.
        quotient = a / b
        if abs(quotient) >= 1.2e-38:
            F32[0] = quotient
            return F32[0]
    (ma, ea), (mb, eb) = split(a), split(b)
    shift = 70
    q, r = divmod(abs(ma) << shift, abs(mb))
    bits = round_bits((ma < 0) != (mb < 0), q, ea - eb - shift, r != 0, FORMATS[width], mode)
    return bits_to_float(bits, width)


def sqrt(a: float, width: int, mode: str) -> float:
    if a != a or a < 0.0:
        return _NAN
    if a == 0.0 or a == math.inf:
        return float(a)
    if mode == "rn":
        if width == 64:
            return math.sqrt(a)
        F32[0] = math.sqrt(a)
        return F32[0]
    m, e = split(a)
    shift = 80 + (e & 1)
    m <<= shift
    root = math.isqrt(m)
    bits = round_bits(False, root, (e - shift) // 2, root * root != m, FORMATS[width], mode)
    return bits_to_float(bits, width)


def minimum(a: float, b: float, nan: bool) -> float:
    """``min``; with ``nan``, ``min.NaN``.  -0.0 is below +0.0."""
    if a != a or b != b:
        if nan or (a != a and b != b):
            return _NAN
        return b if a != a else a
    if a == b == 0.0:
        return a if math.copysign(1.0, a) < 0 else b
    return a if a < b else b


def maximum(a: float, b: float, nan: bool) -> float:
    if a != a or b != b:
        if nan or (a != a and b != b):
            return _NAN
        return b if a != a else a
    if a == b == 0.0:
        return b if math.copysign(1.0, a) < 0 else a
    return a if a > b else b


def saturate(a: float) -> float:
    """``.sat``: clamp to [0.0, 1.0], NaN to +0.0."""
    if not a > 0.0:
        return 0.0
    return min(a, 1.0)


def absolute(a: float) -> float:
    return abs(a) if a == a else _NAN


def copysign(sign: float, value: float, width: int) -> float:
    """The bits of ``value`` with the sign of ``sign``."""
    top = 1 << (width - 1)
    bits = (float_to_bits(value, width) & ~top) | (float_to_bits(sign, width) & top)
    return bits_to_float(bits, width)


def integral(a: float, mode: str) -> float:
    """Round to an integral value: rni (to even), rzi, rmi, rpi."""
    if a != a:
        return _NAN
    if math.isinf(a) or a == 0.0:
        return float(a)
    rounded = _INTEGRAL[mode](a)
    return math.copysign(float(rounded), a)


def to_int(a: float, mode: str, source: int, width: int, signed: bool) -> int:
    """``cvt`` to an integer: clamped to its range; the bits of the result.

    A NaN gives 0, but the integer whose bits are 1 << (width - 1) where the source is an f64
    or the result has 64 bits.
    """
    low, high = (-(1 << (width - 1)), (1 << (width - 1)) - 1) if signed else (0, (1 << width) - 1)
    if a != a:
        return 1 << (width - 1) if source == 64 or width == 64 else 0
    if math.isinf(a):
        return (high if a > 0 else low) & ((1 << width) - 1)
    value = _INTEGRAL[mode](a)
    return min(max(value, low), high) & ((1 << width) - 1)


def testp(a: float, kind: str, width: int) -> bool:
    """``testp``: zero counts as normal."""
    smallest = math.ldexp(1.0, -126 if width == 32 else -1022)
    finite = math.isfinite(a)
    match kind:
        case "finite":
            return finite
        case "infinite":
            return math.isinf(a)
        case "number":
            return a == a
        case "notanumber":
            return a != a
        case "normal":
            return finite and (a == 0.0 or abs(a) >= smallest)
        case "subnormal":
            return finite and a != 0.0 and abs(a) < smallest
    raise AssertionError(kind)


def plain(a: float) -> float:
    """Conversion without rounding: a NaN becomes the canonical one."""
    return a + 0.0 if a != a else a


def f2b16(a: float) -> int:
    """The bits of a float that is an f16."""
    if a != a:
        return FORMATS[16].canonical
    negative = math.copysign(1.0, a) < 0
    if math.isinf(a):
        return int(negative) << 15 | FORMATS[16].infinity
    m, e = split(abs(a))
    return round_bits(negative, m, e, False, FORMATS[16], "rn")
