"""Integer instructions on bit patterns, from the PTX ISA."""

from tests.ptxsim.errors import PtxError


def signed(value: int, width: int) -> int:
    return value - (1 << width) if value >> (width - 1) else value


def div(a: int, b: int, width: int, is_signed: bool) -> int:
    if b == 0:
        raise PtxError("integer division by zero: the result is unspecified")
    if not is_signed:
        return a // b
    x, y = signed(a, width), signed(b, width)
    quotient = abs(x) // abs(y)
    return (quotient if (x < 0) == (y < 0) else -quotient) & ((1 << width) - 1)


def rem(a: int, b: int, width: int, is_signed: bool) -> int:
    if b == 0:
        raise PtxError("integer remainder by zero: the result is unspecified")
    if not is_signed:
        return a % b
    x, y = signed(a, width), signed(b, width)
    rest = abs(x) % abs(y)
    return (rest if x >= 0 else -rest) & ((1 << width) - 1)


def shl(a: int, amount: int, width: int) -> int:
    return 0 if amount >= width else a << amount & ((1 << width) - 1)


def shr(a: int, amount: int, width: int, is_signed: bool) -> int:
    amount = min(amount, width)
    value = signed(a, width) if is_signed else a
    return value >> amount & ((1 << width) - 1)


def shf(low: int, high: int, amount: int, left: bool, wrap: bool) -> int:
    amount = amount & 31 if wrap else min(amount, 32)
    both = high << 32 | low
    return (both << amount >> 32 if left else both >> amount) & 0xFFFFFFFF


def prmt(a: int, b: int, selector: int, mode: str) -> int:
    data = b << 32 | a
    control = selector & 3
    if mode:
        table = {
            "f4e": [control + k for k in range(4)],
            "b4e": [(control - k) & 7 for k in range(4)],
            "rc8": [control] * 4,
            "ecl": [max(control, k) for k in range(4)],
            "ecr": [min(control, k) for k in range(4)],
            "rc16": [(control & 1) * 2, (control & 1) * 2 + 1] * 2,
        }[mode]
    else:
        table = [selector >> 4 * k & 15 for k in range(4)]
    out = 0
    for k, pick in enumerate(table):
        byte = data >> 8 * (pick & 7) & 0xFF
        if pick & 8:
            byte = 0xFF if byte & 0x80 else 0
        out |= byte << 8 * k
    return out


def brev(a: int, width: int) -> int:
    return int(f"{a:0{width}b}"[::-1], 2)


def clz(a: int, width: int) -> int:
    return width - a.bit_length()


def bfind(a: int, width: int, is_signed: bool, shiftamt: bool) -> int:
    if is_signed and a >> (width - 1):
        a ^= (1 << width) - 1
    if a == 0:
        return 0xFFFFFFFF
    found = a.bit_length() - 1
    return width - 1 - found if shiftamt else found


def bfe(a: int, start: int, length: int, width: int, is_signed: bool) -> int:
    start, length = start & 0xFF, length & 0xFF
    last = min(start + length - 1, width - 1)
    sign = 0 if not is_signed or length == 0 else a >> last & 1
    field = a >> start & ((1 << min(length, max(width - start, 0))) - 1) if start < width else 0
    filled = min(length, max(width - start, 0))
    return (field | (-sign << filled)) & ((1 << width) - 1)


def bfi(a: int, b: int, start: int, length: int, width: int) -> int:
    start, length = start & 0xFF, length & 0xFF
    mask = ((1 << length) - 1) << start & ((1 << width) - 1)
    return (a << start & mask) | (b & ~mask)


def sat(value: int, width: int, is_signed: bool) -> int:
    """Clamp an exact integer to a type's range; its bits."""
    low, high = (
        (-(1 << (width - 1)), (1 << (width - 1)) - 1) if is_signed else (0, (1 << width) - 1)
    )
    return min(max(value, low), high) & ((1 << width) - 1)
