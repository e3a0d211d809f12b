"""The meaning of kir's scalar operations on the interpreter's values.

Integers and pointers are unsigned Python ints below 2**width (an ``i1`` may be a ``bool``).
Floats are Python floats, exact at all widths: an f32 or f16 operation is computed in 64 bits and
rounded once more, which for + - * / and sqrt gives the correctly rounded result (53 >= 2*24+2).

A NaN keeps its bits while it is moved.  An f64 is its own bits; an f32 or f16 NaN is carried
by a quiet f64 NaN that has the sign and, in its low bits, the other bits of the narrow one.
What arithmetic makes of a NaN has no such low bits and is stored as the canonical NaN.
"""

import math
import struct

_scratch = memoryview(bytearray(8))
F32_CELL = _scratch.cast("f")
"""Writing a float to ``F32_CELL[0]`` and reading it back rounds it."""
U32_CELL = _scratch.cast("I")
F64_CELL = _scratch.cast("d")
U64_CELL = _scratch.cast("Q")

_CARRIER = 0x7FF8 << 48
_EXACT = float(1 << 52)
NAN = math.nan
INF = math.inf


class UndefinedError(ArithmeticError):
    """An operation that kir leaves undefined for its operands."""


# ------------------------------------------------------------------------ bits of floats


def f64_bits(value: float) -> int:
    F64_CELL[0] = value
    return U64_CELL[0]


def f64_from_bits(bits: int) -> float:
    U64_CELL[0] = bits
    return F64_CELL[0]


def _carry(bits: int, width: int) -> float:
    sign = bits >> (width - 1)
    U64_CELL[0] = sign << 63 | _CARRIER | bits & ((1 << (width - 1)) - 1)
    return F64_CELL[0]


def _carried(value: float, width: int, exponent: int) -> int:
    """The narrow NaN that ``value`` carries, the canonical one if none.  ``exponent`` is the
    narrow format's all-ones exponent in place."""
    F64_CELL[0] = value
    bits = U64_CELL[0]
    low = bits & ((1 << 51) - 1)
    if low >> (width - 1) or low & exponent != exponent or low == exponent:
        low = exponent | (exponent & -exponent) >> 1
    return (bits >> 63) << (width - 1) | low


def f32_bits(value: float) -> int:
    if value == value:
        F32_CELL[0] = value
        return U32_CELL[0]
    return _carried(value, 32, 0x7F800000)


def f32_from_bits(bits: int) -> float:
    U32_CELL[0] = bits
    value = F32_CELL[0]
    return value if value == value else _carry(bits, 32)


def f16_bits(value: float) -> int:
    if value != value:
        return _carried(value, 16, 0x7C00)
    try:
        return int.from_bytes(struct.pack("<e", value), "little")
    except OverflowError:
        return 0x7C00 if value > 0 else 0xFC00


def f16_from_bits(bits: int) -> float:
    value: float = struct.unpack("<e", bits.to_bytes(2, "little"))[0]
    return value if value == value else _carry(bits, 16)


def f32_round(value: float) -> float:
    F32_CELL[0] = value
    return F32_CELL[0]


def f16_round(value: float) -> float:
    return NAN if value != value else f16_from_bits(f16_bits(value))


# ---------------------------------------------------------------------------- integers


def signed(value: int, width: int) -> int:
    sign = 1 << (width - 1)
    return (value ^ sign) - sign


def sdiv(a: int, b: int, width: int) -> int:
    left, right = signed(a, width), signed(b, width)
    if right == 0 or (right == -1 and left == -1 << (width - 1)):
        raise UndefinedError(f"sdiv of {left} by {right}")
    quotient = abs(left) // abs(right)
    return (quotient if (left < 0) == (right < 0) else -quotient) & ((1 << width) - 1)


def srem(a: int, b: int, width: int) -> int:
    left, right = signed(a, width), signed(b, width)
    if right == 0 or (right == -1 and left == -1 << (width - 1)):
        raise UndefinedError(f"srem of {left} by {right}")
    rest = abs(left) % abs(right)
    return (rest if left >= 0 else -rest) & ((1 << width) - 1)


def shift_undefined(amount: int) -> int:
    raise UndefinedError(f"a shift by {amount}")


def saturate(value: int, width: int) -> int:
    """A signed result, held to the range of ``width`` bits."""
    top = (1 << (width - 1)) - 1
    return min(max(value, ~top), top) & ((1 << width) - 1)


def rotate_left(value: int, amount: int, width: int) -> int:
    amount %= width
    return (value << amount | value >> (width - amount)) & ((1 << width) - 1)


def bit_reverse(value: int, width: int) -> int:
    return int(f"{value:0{width}b}"[::-1], 2)


def byte_swap(value: int, width: int) -> int:
    return int.from_bytes(value.to_bytes(width // 8, "little"), "big")


# ------------------------------------------------------------------------------ floats


def fdiv_zero(a: float, b: float) -> float:
    """``a / b`` where b is a zero."""
    if a != a or a == 0.0:
        return NAN
    return math.copysign(INF, a) * math.copysign(1.0, b)


def frem(a: float, b: float) -> float:
    return NAN if a in (INF, -INF) or b == 0.0 else math.fmod(a, b)


def fsqrt(a: float) -> float:
    return math.sqrt(a) if a >= 0.0 else NAN


def fminnum(a: float, b: float) -> float:
    if a != a or b != b:
        return b if a != a else a
    return fminimum(a, b)


def fmaxnum(a: float, b: float) -> float:
    if a != a or b != b:
        return b if a != a else a
    return fmaximum(a, b)


def fminimum(a: float, b: float) -> float:
    if a == b:
        return a if math.copysign(1.0, a) < 0.0 else b
    return a if a < b or a != a else b


def fmaximum(a: float, b: float) -> float:
    if a == b:
        return b if math.copysign(1.0, a) < 0.0 else a
    return a if a > b or a != a else b


def ffloor(a: float) -> float:
    return math.copysign(float(math.floor(a)), a) if -_EXACT < a < _EXACT else a * 1.0


def fceil(a: float) -> float:
    return math.copysign(float(math.ceil(a)), a) if -_EXACT < a < _EXACT else a * 1.0


def ftrunc(a: float) -> float:
    return math.copysign(float(int(a)), a) if -_EXACT < a < _EXACT else a * 1.0


def froundeven(a: float) -> float:
    return math.copysign(float(round(a)), a) if -_EXACT < a < _EXACT else a * 1.0


def fround(a: float) -> float:
    if not -_EXACT < a < _EXACT:
        return a * 1.0
    size = abs(a)
    whole = float(int(size))
    return math.copysign(whole + 1.0 if size - whole >= 0.5 else whole, a)


def _parts(value: float) -> tuple[int, int]:
    """``m, e`` with value = m * 2**e."""
    fraction, exponent = math.frexp(value)
    return int(math.ldexp(fraction, 53)), exponent - 53


def fma64(a: float, b: float, c: float) -> float:
    if not (math.isfinite(a) and math.isfinite(b)) or a == 0.0 or b == 0.0:
        return a * b + c
    if not math.isfinite(c):
        return c * 1.0
    (ma, ea), (mb, eb), (mc, ec) = _parts(a), _parts(b), _parts(c)
    exponent = ea + eb
    if c == 0.0:
        total = ma * mb
    else:
        low = min(exponent, ec)
        total = (ma * mb << (exponent - low)) + (mc << (ec - low))
        exponent = low
    if total == 0:
        return 0.0
    try:
        return float(total << exponent) if exponent >= 0 else total / (1 << -exponent)
    except OverflowError:
        return INF if total > 0 else -INF


def fma_narrow(a: float, b: float, c: float) -> float:
    """a*b+c for f32 or f16 values, rounded to odd in 64 bits: right after one more rounding."""
    product = a * b  # exact
    total = product + c
    if not math.isfinite(total):
        return total
    back = total - product
    error = (product - (total - back)) + (c - back)
    if error == 0.0 or f64_bits(total) & 1:
        return total
    return math.nextafter(total, INF if error > 0.0 else -INF)


# ------------------------------------------------------------------------------- casts


def fp_to_int(a: float, width: int, is_signed: bool) -> int:
    """Truncates and saturates; 0 for NaN."""
    low, high = (-1 << (width - 1), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    if a != a:
        return 0
    if a in (INF, -INF):
        return (high if a > 0 else low) & ((1 << width) - 1)
    return min(max(int(a), low), high) & ((1 << width) - 1)


def int_to_narrow(value: int) -> float:
    """An integer cut to 50 bits and rounded to odd: right after one more rounding."""
    size = abs(value)
    extra = size.bit_length() - 50
    if extra > 0:
        size = (size >> extra | (size & ((1 << extra) - 1) != 0)) << extra
    return float(-size if value < 0 else size)
