"""Every scalar operation of kir at every type that PTX has, as one kernel each.

A kernel reads its operands from 8-byte slots of ``input`` and writes its results to 8-byte
slots of ``output``; one thread does one tuple of operands.
"""

import struct
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product

from mirgpu.kir.module import Module
from mirgpu.kir.ops import BinaryOp, CastOp, CompareOp, OverflowOp, UnaryOp
from mirgpu.kir.parser import parse_module
from mirgpu.kir.printer import print_type
from mirgpu.kir.types import F32, F64, I1, I8, I16, I32, I64, FloatType, IntType, Type

INTS = (I8, I16, I32, I64)
FLOATS = (F32, F64)
SLOT = 8

FLOAT_BINARY = tuple(op for op in BinaryOp if op.value.startswith("f"))
INT_BINARY = tuple(op for op in BinaryOp if not op.value.startswith("f"))
FLOAT_UNARY = tuple(op for op in UnaryOp if op.value.startswith("f"))
INT_UNARY = tuple(op for op in UnaryOp if not op.value.startswith("f"))
FLOAT_COMPARE = tuple(op for op in CompareOp if op.value.startswith("f"))
INT_COMPARE = tuple(op for op in CompareOp if not op.value.startswith("f"))

BIT_EXACT = {"fneg", "fabs", "fcopysign", "bitcast", "select"}
"""Operations that keep a NaN's bits."""


@dataclass(frozen=True)
class Case:
    """``line`` computes ``%r0 …`` from ``%a0 …``; ``valid`` rules out what is undefined."""

    name: str
    op: str
    params: tuple[Type, ...]
    results: tuple[Type, ...]
    line: str
    valid: Callable[[tuple[int, ...]], bool]

    def kernel(self) -> str:
        lines = ["  %t:i32 = read tid.x", "  %c:i32 = read ctaid.x", "  %n:i32 = read ntid.x"]
        lines += ["  %s:i32 = mul %c, %n", "  %i:i32 = add %s, %t", "  %w:i64 = zext %i"]
        lines += ["  %in:i1 = ult %w, %count", "  condbr %in, work(), done()", "work:"]
        for index, ty in enumerate(self.params):
            stride = SLOT * len(self.params)
            at = f"%p{index}:ptr.global = ptradd %input, %w * {stride} + {SLOT * index}"
            lines += [f"  {at}", f"  %a{index}:{print_type(ty)} = load %p{index}, align 8"]
        lines.append(f"  {self.line}")
        for index in range(len(self.results)):
            stride = SLOT * len(self.results)
            at = f"%q{index}:ptr.global = ptradd %output, %w * {stride} + {SLOT * index}"
            lines += [f"  {at}", f"  store %r{index}, %q{index}, align 8"]
        params = "%input:ptr.global value size 8 align 8, %output:ptr.global value size 8 align 8"
        params += ", %count:i64 value size 8 align 8"
        body = "\n".join(lines)
        return (
            f'kernel @{self.name} "{self.name}" ({params}) {{\nentry:\n{body}\n'
            "  br done()\ndone:\n  return\n}\n"
        )


def _always(_: tuple[int, ...]) -> bool:
    return True


def _int_valid(op: BinaryOp, width: int) -> Callable[[tuple[int, ...]], bool]:
    low, ones = 1 << (width - 1), (1 << width) - 1
    match op:
        case BinaryOp.UDIV | BinaryOp.UREM:
            return lambda v: v[-1] != 0
        case BinaryOp.SDIV | BinaryOp.SREM:
            return lambda v: v[-1] != 0 and (v[0], v[-1]) != (low, ones)
        case BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR:
            return lambda v: v[-1] < width
        case _:
            return _always


def literal(ty: Type, bits: int) -> str:
    if isinstance(ty, FloatType):
        return f"{bits:#x}:f{ty.width}"
    return f"{bits}:{print_type(ty)}"


def _define(ty: Type, index: int = 0) -> str:
    return f"%r{index}:{print_type(ty)}"


def _with_constants(case: Case, text: str) -> Iterator[Case]:
    """``case``, and the same with its second or first operand a constant."""
    yield case
    ty = case.params[0]
    left = text.rsplit(", ", 1)[0]
    for number, bits in enumerate(constants(ty)):
        value = literal(ty, bits)
        if case.valid((0, bits)):

            def with_right(v: tuple[int, ...], bits: int = bits) -> bool:
                return case.valid((v[0], bits))

            line = f"{left}, {value}"
            yield Case(f"{case.name}_r{number}", case.op, (ty,), case.results, line, with_right)

        def with_left(v: tuple[int, ...], bits: int = bits) -> bool:
            return case.valid((bits, v[0]))

        line = text.replace("%a0", value).replace("%a1", "%a0")
        yield Case(f"{case.name}_l{number}", case.op, (ty,), case.results, line, with_left)


def cases() -> Iterator[Case]:
    """All of them, names distinct."""
    for ty in INTS:
        t = print_type(ty)
        for op in INT_BINARY:
            name, text = f"{op.name.lower()}_{t}", f"{_define(ty)} = {op.value} %a0, %a1"
            valid = _int_valid(op, ty.width)
            yield from _with_constants(Case(name, op.value, (ty, ty), (ty,), text, valid), text)
        for overflow in OverflowOp:
            text = f"{_define(ty)}, {_define(I1, 1)} = {overflow.value} %a0, %a1"
            name = f"{overflow.name.lower()}_overflow_{t}"
            case = Case(name, overflow.value, (ty, ty), (ty, I1), text, _always)
            yield case
            half = text.rsplit(", ", 1)[0]
            for number, bits in enumerate(constants(ty)):
                line = f"{half}, {literal(ty, bits)}"
                yield Case(f"{name}_r{number}", overflow.value, (ty,), (ty, I1), line, _always)
        for unary in INT_UNARY:
            text = f"{_define(ty)} = {unary.value} %a0"
            yield Case(f"{unary.name.lower()}_{t}", unary.value, (ty,), (ty,), text, _always)
        for compare in INT_COMPARE:
            text = f"{_define(I1)} = {compare.value} %a0, %a1"
            name = f"{compare.name.lower()}_{t}"
            case = Case(name, compare.value, (ty, ty), (I1,), text, _always)
            yield from _with_constants(case, text)
    for op in (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR):
        text = f"{_define(I1)} = {op.value} %a0, %a1"
        case = Case(f"{op.name.lower()}_i1", op.value, (I1, I1), (I1,), text, _always)
        yield from _with_constants(case, text)
    for compare in INT_COMPARE:
        text = f"{_define(I1)} = {compare.value} %a0, %a1"
        case = Case(f"{compare.name.lower()}_i1", compare.value, (I1, I1), (I1,), text, _always)
        yield from _with_constants(case, text)
    for ty in FLOATS:
        t = print_type(ty)
        for op in FLOAT_BINARY:
            text = f"{_define(ty)} = {op.value} %a0, %a1"
            case = Case(f"{op.name.lower()}_{t}", op.value, (ty, ty), (ty,), text, _always)
            yield from _with_constants(case, text)
        for unary in FLOAT_UNARY:
            text = f"{_define(ty)} = {unary.value} %a0"
            yield Case(f"{unary.name.lower()}_{t}", unary.value, (ty,), (ty,), text, _always)
        for compare in FLOAT_COMPARE:
            text = f"{_define(I1)} = {compare.value} %a0, %a1"
            name = f"{compare.name.lower()}_{t}"
            case = Case(name, compare.value, (ty, ty), (I1,), text, _always)
            yield from _with_constants(case, text)
        text = f"{_define(ty)} = fma %a0, %a1, %a2"
        yield Case(f"fma_{t}", "fma", (ty, ty, ty), (ty,), text, _always)
    for ty in (I1, *INTS, *FLOATS):
        text = f"{_define(ty)} = select %a0, %a1, %a2"
        name = f"select_{print_type(ty)}"
        yield Case(name, "select", (I1, ty, ty), (ty,), text, _always)
        fixed = f"{_define(ty)} = select %a0, {literal(ty, 1)}, {literal(ty, 0)}"
        yield Case(f"{name}_const", "select", (I1,), (ty,), fixed, _always)
    for cast, source, target in casts():
        name = f"{cast.name.lower()}_{print_type(source)}_{print_type(target)}"
        text = f"{_define(target)} = {cast.value} %a0"
        yield Case(name, cast.value, (source,), (target,), text, _always)


def casts() -> Iterator[tuple[CastOp, Type, Type]]:
    for source, target in product((I1, *INTS), (I1, *INTS)):
        if source.width > target.width:
            yield CastOp.TRUNC, source, target
        elif source.width < target.width:
            yield CastOp.ZEXT, source, target
            yield CastOp.SEXT, source, target
    yield CastOp.FPTRUNC, F64, F32
    yield CastOp.FPEXT, F32, F64
    for integer, floating in product((I1, *INTS), FLOATS):
        yield CastOp.SITOFP, integer, floating
        yield CastOp.UITOFP, integer, floating
        if integer != I1:
            yield CastOp.FPTOSI_SAT, floating, integer
            yield CastOp.FPTOUI_SAT, floating, integer
    for integer, floating in ((I32, F32), (I64, F64)):
        yield CastOp.BITCAST, integer, floating
        yield CastOp.BITCAST, floating, integer


def ops_module(selected: list[Case]) -> Module:
    return parse_module("".join(case.kernel() for case in selected))


# -------------------------------------------------------------------------------------- values


def constants(ty: Type) -> list[int]:
    """A few operands to write into the text."""
    if isinstance(ty, IntType):
        if ty.width == 1:
            return [0, 1]
        return [1, 3, 1 << (ty.width - 1), (1 << ty.width) - 1]
    assert isinstance(ty, FloatType)
    return [float_bits(ty, 1.5), float_bits(ty, -0.0)]


def float_bits(ty: FloatType, value: float) -> int:
    code = "f" if ty.width == 32 else "d"
    return int.from_bytes(struct.pack(f"<{code}", value), "little")


def edges(ty: Type) -> list[int]:
    """Bits of the values at which operations change their behaviour."""
    if isinstance(ty, IntType):
        w = ty.width
        if w == 1:
            return [0, 1]
        ones, low = (1 << w) - 1, 1 << (w - 1)
        values = [0, 1, 2, 3, 7, 8, w - 1, ones, ones - 1, low, low - 1, low + 1]
        values += [0x5A & ones, 0xA5A5A5A5A5A5A5A5 & ones, 0x0123456789ABCDEF & ones]
        values += [(1 << (w // 2)) - 1, 1 << (w // 2), ones - (1 << (w // 2))]
        return list(dict.fromkeys(values))
    assert isinstance(ty, FloatType)
    return _float32_edges() if ty.width == 32 else _float64_edges()


def _signed_floats(ty: FloatType, special: list[int]) -> list[int]:
    numbers = [0.0, 0.5, 1.0, 1.5, 2.5, 3.0, 0.3, 7.25, 127.5, 128.0, 255.9, 32767.5, 65535.5]
    numbers += [2.0**31, 2.0**31 - 0.5, 2.0**32, 2.0**63, 2.0**64, 1e10, 1e20]
    positive = list(dict.fromkeys([float_bits(ty, n) for n in numbers] + special))
    return [bits | sign << (ty.width - 1) for bits in positive for sign in (0, 1)]


def _float32_edges() -> list[int]:
    special = [1, 0x007FFFFF, 0x00800000, 0x00800001, 0x3EFFFFFF, 0x3F000001, 0x4AFFFFFF]
    special += [0x4B000000, 0x4B000001, 0x4EFFFFFF, 0x4F7FFFFF, 0x5EFFFFFF, 0x5F7FFFFF]
    special += [0x7F7FFFFF, 0x7F800000, 0x7FC00000, 0x7F800001, 0x7FC12345]
    return _signed_floats(F32, special)


def _float64_edges() -> list[int]:
    special = [1, 0x000FFFFFFFFFFFFF, 0x0010000000000000, 0x3FDFFFFFFFFFFFFF]
    special += [0x3FE0000000000001, 0x432FFFFFFFFFFFFF, 0x4330000000000000, 0x4330000000000001]
    special += [0x41DFFFFFFFC00000, 0x41DFFFFFFFE00000, 0x43DFFFFFFFFFFFFF, 0x43EFFFFFFFFFFFFF]
    special += [0x47EFFFFFE0000000, 0x47EFFFFFF0000000, 0x36A0000000000000, 0x3690000000000000]
    special += [0x7FEFFFFFFFFFFFFF, 0x7FF0000000000000, 0x7FF8000000000000, 0x7FF0000000000001]
    special += [0x7FF8123456789ABC]
    return _signed_floats(F64, special)


def inputs(case: Case) -> list[tuple[int, ...]]:
    """All combinations of edge values that are defined for the case; fewer of three operands."""
    lists = [edges(ty) for ty in case.params]
    if len(lists) == 3 and isinstance(case.params[0], FloatType):
        lists = [values[::3] for values in lists]
    return [values for values in product(*lists) if case.valid(values)]


def pack(types: tuple[Type, ...], rows: list[tuple[int, ...]]) -> bytearray:
    """Operands in their slots; what is above an operand's width is noise."""
    out = bytearray()
    for row in rows:
        for ty, bits in zip(types, row, strict=True):
            size = 8 if ty == I1 else ty.width if isinstance(ty, IntType | FloatType) else 64
            out += (bits | (0xC3C3C3C3C3C3C3C3 << size & (1 << 64) - 1)).to_bytes(SLOT, "little")
    return out


def unpack(types: tuple[Type, ...], data: bytes) -> list[tuple[int, ...]]:
    row = SLOT * len(types)
    out = []
    for at in range(0, len(data), row):
        bits = []
        for index, ty in enumerate(types):
            size = 1 if ty == I1 else ty.width // 8 if isinstance(ty, IntType | FloatType) else 8
            start = at + SLOT * index
            bits.append(int.from_bytes(data[start : start + size], "little"))
        out.append(tuple(bits))
    return out


def is_nan(ty: Type, bits: int) -> bool:
    if not isinstance(ty, FloatType):
        return False
    infinity = 0x7F800000 if ty.width == 32 else 0x7FF0000000000000
    return bits & ((1 << (ty.width - 1)) - 1) > infinity


def same(case: Case, ty: Type, expected: int, found: int) -> bool:
    """Equal, or NaNs where the operation says no more, or the zeros that it may choose from."""
    if expected == found:
        return True
    if case.op in BIT_EXACT or not isinstance(ty, FloatType):
        return False
    if case.op in ("fminnum", "fmaxnum") and not (expected | found) & ((1 << (ty.width - 1)) - 1):
        return True
    return is_nan(ty, expected) and is_nan(ty, found)
