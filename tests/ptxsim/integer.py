"""Integer, logic and shift instructions."""

from typing import Final

from tests.ptxsim.codegen import U32, Code, Mods, opcode
from tests.ptxsim.memory import UNDEF
from tests.ptxsim.parser import TYPES
from tests.ptxsim.syntax import Instruction, Operand, Type

INTEGERS: Final = ("u16", "u32", "u64", "s16", "s32", "s64")
BITS: Final = ("b16", "b32", "b64")


def mask(ty: Type) -> str:
    return f"{(1 << ty.width) - 1:#x}"


def double(ty: Type) -> Type:
    return TYPES[f"{ty.kind}{ty.width * 2}"]


def add_sub(c: Code, i: Instruction, m: Mods) -> None:
    """``add sub addc subc`` of integers."""
    carry_in = i.opcode in ("addc", "subc")
    sign = "+" if i.opcode.startswith("add") else "-"
    carry_out = m.take("cc")
    sat = "" if carry_in or carry_out else m.take("sat")
    if sat:
        ty = m.type("s32")
    elif carry_in or carry_out:
        ty = m.type("u32", "s32", "u64", "s64")
    else:
        ty = m.type(*INTEGERS)
    m.end(3)
    d, a, b = i.operands
    if sat:
        total = f"{c.signed(a, ty)} {sign} {c.signed(b, ty)}"
        c.set_bits(d, ty, f"min(max({total}, -0x80000000), 0x7fffffff) & 0xffffffff")
        return
    total = f"{c.bits(a, ty)} {sign} {c.bits(b, ty)}"
    if carry_in:
        total += f" {sign} CC"
    if carry_out:
        c.put(f"X = {total}")
        # Add sets the carry, subtract the borrow.
        c.put(f"CC = X >> {ty.width} & 1")
        total = "X"
    c.set_bits(d, ty, f"{total} & {mask(ty)}")


@opcode("addc", "subc")
def _(c: Code, i: Instruction, m: Mods) -> None:
    add_sub(c, i, m)


def mul(c: Code, i: Instruction, m: Mods) -> None:
    part = m.need("lo", "hi", "wide")
    ty = m.type(*(INTEGERS if part != "wide" else ("u16", "u32", "s16", "s32")))
    m.end(3)
    d, a, b = i.operands
    _product(c, part, ty, d, f"{c.number(a, ty)} * {c.number(b, ty)}")


def _product(c: Code, part: str, ty: Type, d: Operand, text: str) -> None:
    match part:
        case "lo":
            c.set_bits(d, ty, f"({text}) & {mask(ty)}")
        case "hi":
            c.set_bits(d, ty, f"({text}) >> {ty.width} & {mask(ty)}")
        case _:
            wide = double(ty)
            c.set_bits(d, wide, f"({text}) & {mask(wide)}")


@opcode("mad", "madc")
def _(c: Code, i: Instruction, m: Mods) -> None:
    part = m.need("lo", "hi") if i.opcode == "madc" else m.need("lo", "hi", "wide")
    carry = m.take("cc") if part != "wide" else ""
    with_carry = bool(carry) or i.opcode == "madc"
    names = ("u32", "s32", "u64", "s64") if with_carry else INTEGERS
    ty = m.type(*(names if part != "wide" else ("u16", "u32", "s16", "s32")))
    m.end(4)
    d, a, b, e = i.operands
    product = f"{c.number(a, ty)} * {c.number(b, ty)}"
    wide = double(ty) if part == "wide" else ty
    if part == "hi":
        product = f"(({product}) >> {ty.width} & {mask(ty)})"
    elif part == "lo":
        product = f"({product} & {mask(ty)})"
    total = f"{product} + {c.bits(e, wide)}" + (" + CC" if i.opcode == "madc" else "")
    if carry:
        c.put(f"X = {total}")
        c.put(f"CC = X >> {ty.width} & 1")
        total = "X"
    c.set_bits(d, wide, f"({total}) & {mask(wide)}")


def divide(a: int, b: int, width: int, remainder: bool) -> object:
    """``div rem``: what a division by zero, or of MIN by -1, gives is not said: undefined."""
    if b == 0 or (b == -1 and a == -(1 << (width - 1))):
        return UNDEF
    q = abs(a) // abs(b)
    q = -q if (a < 0) != (b < 0) else q
    return (a - q * b if remainder else q) & ((1 << width) - 1)


def div_rem(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*INTEGERS)
    m.end(3)
    d, a, b = i.operands
    args = f"{c.number(a, ty)}, {c.number(b, ty)}, {ty.width}, {i.opcode == 'rem'}"
    c.set_bits(d, ty, f"divide({args})")


@opcode("rem")
def _(c: Code, i: Instruction, m: Mods) -> None:
    div_rem(c, i, m)


def neg_abs(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("s16", "s32", "s64")
    m.end(2)
    d, a = i.operands
    value = c.signed(a, ty)
    c.set_bits(d, ty, f"{f'-{value}' if i.opcode == 'neg' else f'abs({value})'} & {mask(ty)}")


def min_max(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*INTEGERS)
    m.end(3)
    d, a, b = i.operands
    c.put(f"X = {c.number(a, ty)}; Y = {c.number(b, ty)}")
    text = f"X if X {'<' if i.opcode == 'min' else '>'} Y else Y"
    c.set_bits(d, ty, f"({text}) & {mask(ty)}" if ty.kind == "s" else text)


@opcode("sad")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*INTEGERS)
    m.end(4)
    d, a, b, e = i.operands
    text = f"{c.bits(e, ty)} + abs({c.number(a, ty)} - {c.number(b, ty)})"
    c.set_bits(d, ty, f"({text}) & {mask(ty)}")


@opcode("and", "or", "xor")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("pred", *BITS)
    m.end(3)
    d, a, b = i.operands
    sign = {"and": "&", "or": "|", "xor": "^"}[i.opcode]
    if ty.kind == "pred":
        c.set_pred(d, f"{c.pred(a)} {sign} {c.pred(b)}")
    else:
        c.set_bits(d, ty, f"{c.bits(a, ty)} {sign} {c.bits(b, ty)}")


@opcode("not")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("pred", *BITS)
    m.end(2)
    d, a = i.operands
    if ty.kind == "pred":
        c.set_pred(d, f"not {c.pred(a)}")
    else:
        c.set_bits(d, ty, f"{c.bits(a, ty)} ^ {mask(ty)}")


@opcode("cnot")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*BITS)
    m.end(2)
    c.set_bits(i.operands[0], ty, f"int({c.bits(i.operands[1], ty)} == 0)")


@opcode("shl")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*BITS)
    m.end(3)
    d, a, b = i.operands
    # Amounts of the width or more shift everything out; an int grows, so they are cut first.
    amount = c.bits(b, U32)
    amount = amount if amount.isdigit() and int(amount) <= 64 else f"min({amount}, {ty.width})"
    c.set_bits(d, ty, f"{c.bits(a, ty)} << {amount} & {mask(ty)}")


@opcode("shr")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*BITS, *INTEGERS)
    m.end(3)
    d, a, b = i.operands
    amount = c.bits(b, U32)
    if ty.kind == "s":
        c.set_bits(d, ty, f"{c.signed(a, ty)} >> {amount} & {mask(ty)}")
    else:
        c.set_bits(d, ty, f"{c.bits(a, ty)} >> {amount}")


def funnel(low: int, high: int, amount: int, left: bool, wrap: bool) -> int:
    """``shf``: the high half of (high:low) << amount, or the low half of it >> amount."""
    n = amount & 31 if wrap else min(amount, 32)
    both = high << 32 | low
    return (both << n >> 32 if left else both >> n) & 0xFFFFFFFF


@opcode("shf")
def _(c: Code, i: Instruction, m: Mods) -> None:
    direction, mode = m.need("l", "r"), m.need("wrap", "clamp")
    ty = m.type("b32")
    m.end(4)
    d, a, b, n = i.operands
    args = f"{c.bits(a, ty)}, {c.bits(b, ty)}, {c.bits(n, U32)}"
    c.set_bits(d, ty, f"funnel({args}, {direction == 'l'}, {mode == 'wrap'})")


_PERMUTES: Final = {
    "f4e": ("3210", "4321", "5432", "6543"),
    "b4e": ("5670", "6701", "7012", "0123"),
    "rc8": ("0000", "1111", "2222", "3333"),
    "ecl": ("3210", "3211", "3222", "3333"),
    "ecr": ("0000", "1110", "2210", "3210"),
    "rc16": ("1010", "3232", "1010", "3232"),
}


def permute(a: int, b: int, selector: int, mode: str) -> int:
    """``prmt``: four bytes of b:a, each picked by three bits; a fourth replicates its sign."""
    data = (b << 32 | a).to_bytes(8, "little")
    result = 0
    for n in range(4):
        pick = int(_PERMUTES[mode][selector & 3][3 - n]) if mode else selector >> 4 * n & 15
        byte = data[pick & 7]
        if pick & 8:
            byte = 0xFF if byte & 0x80 else 0
        result |= byte << 8 * n
    return result


@opcode("prmt")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("b32")
    mode = m.take(*_PERMUTES)
    m.end(4)
    d, a, b, s = i.operands
    args = f"{c.bits(a, ty)}, {c.bits(b, ty)}, {c.bits(s, ty)}, {mode!r}"
    c.set_bits(d, ty, f"permute({args})")


@opcode("brev")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("b32", "b64")
    m.end(2)
    text = f"int(format({c.bits(i.operands[1], ty)}, '0{ty.width}b')[::-1], 2)"
    c.set_bits(i.operands[0], ty, text)


@opcode("clz", "popc")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("b32", "b64")
    m.end(2)
    value = c.bits(i.operands[1], ty)
    text = (
        f"({value}).bit_count()" if i.opcode == "popc" else f"{ty.width} - ({value}).bit_length()"
    )
    c.set_bits(i.operands[0], U32, text)


def find(value: int, width: int, signed: bool, amount: bool) -> int:
    """``bfind``: the highest bit that is one (or unlike the sign), 0xffffffff for none."""
    if signed and value >> (width - 1):
        value ^= (1 << width) - 1
    if value == 0:
        return 0xFFFFFFFF
    found = value.bit_length() - 1
    return width - 1 - found if amount else found


@opcode("bfind")
def _(c: Code, i: Instruction, m: Mods) -> None:
    amount = m.take("shiftamt")
    ty = m.type("u32", "u64", "s32", "s64")
    m.end(2)
    args = f"{c.bits(i.operands[1], ty)}, {ty.width}, {ty.kind == 's'}, {bool(amount)}"
    c.set_bits(i.operands[0], U32, f"find({args})")


def extract(a: int, start: int, length: int, width: int, signed: bool) -> object:
    """``bfe``: start and length are taken modulo 256; bits past the end are the sign.

    The ISA says so for 64 bits too, an H200 does otherwise: undefined.
    """
    if width == 64 and max(start, length) > 255:
        return UNDEF
    start, length = start & 255, length & 255
    if length == 0:
        return 0
    sign = signed and a >> min(start + length - 1, width - 1) & 1
    field = a >> start & ((1 << length) - 1)
    valid = max(0, min(length, width - start))
    if sign:
        field |= -1 << valid
    return field & ((1 << width) - 1)


@opcode("bfe")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("u32", "u64", "s32", "s64")
    m.end(4)
    d, a, b, n = i.operands
    args = f"{c.bits(a, ty)}, {c.bits(b, U32)}, {c.bits(n, U32)}, {ty.width}, {ty.kind == 's'}"
    c.set_bits(d, ty, f"extract({args})")


def insert(a: int, b: int, start: int, length: int, width: int) -> object:
    """``bfi``: the low bits of a replace length bits of b from start on.

    Start and length above 255: as for ``bfe``.
    """
    if width == 64 and max(start, length) > 255:
        return UNDEF
    start, length = start & 255, length & 255
    field = ((1 << length) - 1) << start & ((1 << width) - 1)
    return (b & ~field) | (a << start & field)


@opcode("bfi")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("b32", "b64")
    m.end(5)
    d, a, b, s, n = i.operands
    args = f"{c.bits(a, ty)}, {c.bits(b, ty)}, {c.bits(s, U32)}, {c.bits(n, U32)}, {ty.width}"
    c.set_bits(d, ty, f"insert({args})")


def logic3(a: int, b: int, c: int, table: int) -> int:
    """``lop3``: bit 4·a+2·b+c of the table, for each place."""
    result = 0
    for n in range(8):
        if table >> n & 1:
            result |= (
                (a if n & 4 else ~a) & (b if n & 2 else ~b) & (c if n & 1 else ~c) & 0xFFFFFFFF
            )
    return result


@opcode("lop3")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("b32")
    m.end(5)
    d, a, b, e, table = i.operands
    args = ", ".join(c.bits(x, ty) for x in (a, b, e, table))
    c.set_bits(d, ty, f"logic3({args})")
