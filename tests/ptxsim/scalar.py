"""Floating-point, compare, select, convert and move instructions."""

from typing import Final

from tests.ptxsim.codegen import Code, Mods, opcode
from tests.ptxsim.integer import BITS, INTEGERS, add_sub, div_rem, mask, min_max, neg_abs
from tests.ptxsim.integer import mul as integer_mul
from tests.ptxsim.parser import TYPES
from tests.ptxsim.syntax import (
    Instruction,
    Not,
    Operand,
    Pair,
    Register,
    Special,
    Symbol,
    Type,
    Vector,
)

FLOATS: Final = ("f32", "f64")
ROUNDING: Final = ("rn", "rz", "rm", "rp")
INTEGRAL: Final = ("rni", "rzi", "rmi", "rpi")


def _is_float(i: Instruction) -> bool:
    return bool(i.mods) and i.mods[-1] in ("f16", *FLOATS)


def _saturated(c: Code, d: Operand, ty: Type, text: str, sat: str) -> None:
    c.set_float(d, ty, f"saturate({text})" if sat else text)


@opcode("add", "sub", "mul")
def _(c: Code, i: Instruction, m: Mods) -> None:
    if not _is_float(i):
        (integer_mul if i.opcode == "mul" else add_sub)(c, i, m)
        return
    mode = m.take(*ROUNDING)
    if not mode:
        m.fail("without a rounding it may be fused, so that its result is not defined")
    sat = m.take("sat")
    ty = m.type("f32") if sat else m.type(*FLOATS)
    m.end(3)
    d, a, b = i.operands
    x, y = c.float(a, ty), c.float(b, ty)
    if mode == "rn":
        sign = {"add": "+", "sub": "-", "mul": "*"}[i.opcode]
        text = f"{x} {sign} {y}"
        if ty.width == 32:
            c.put(f"R[0] = {text}")
            text = "R[0]"
    elif i.opcode == "mul":
        text = f"floats.mul({x}, {y}, {ty.width}, {mode!r})"
    else:
        text = f"floats.add({x}, {'-' if i.opcode == 'sub' else ''}{y}, {ty.width}, {mode!r})"
    _saturated(c, d, ty, text, sat)


@opcode("fma")
def _(c: Code, i: Instruction, m: Mods) -> None:
    mode = m.need(*ROUNDING)
    sat = m.take("sat")
    ty = m.type("f32") if sat else m.type(*FLOATS)
    m.end(4)
    args = ", ".join(c.float(x, ty) for x in i.operands[1:])
    _saturated(c, i.operands[0], ty, f"floats.fma({args}, {ty.width}, {mode!r})", sat)


@opcode("div")
def _(c: Code, i: Instruction, m: Mods) -> None:
    if not _is_float(i):
        div_rem(c, i, m)
        return
    mode = m.need(*ROUNDING)
    ty = m.type(*FLOATS)
    m.end(3)
    args = ", ".join(c.float(x, ty) for x in i.operands[1:])
    c.set_float(i.operands[0], ty, f"floats.div({args}, {ty.width}, {mode!r})")


@opcode("sqrt", "rcp")
def _(c: Code, i: Instruction, m: Mods) -> None:
    mode = m.need(*ROUNDING)
    ty = m.type(*FLOATS)
    m.end(2)
    a = c.float(i.operands[1], ty)
    call = f"sqrt({a}" if i.opcode == "sqrt" else f"div(1.0, {a}"
    c.set_float(i.operands[0], ty, f"floats.{call}, {ty.width}, {mode!r})")


@opcode("neg", "abs")
def _(c: Code, i: Instruction, m: Mods) -> None:
    if not _is_float(i):
        neg_abs(c, i, m)
        return
    ty = m.type(*FLOATS)
    m.end(2)
    a = c.float(i.operands[1], ty)
    c.set_float(i.operands[0], ty, f"-{a}" if i.opcode == "neg" else f"floats.absolute({a})")


@opcode("min", "max")
def _(c: Code, i: Instruction, m: Mods) -> None:
    if not _is_float(i):
        min_max(c, i, m)
        return
    nan = m.take("NaN")
    ty = m.type("f32") if nan else m.type(*FLOATS)
    m.end(3)
    d, a, b = i.operands
    name = "minimum" if i.opcode == "min" else "maximum"
    c.set_float(d, ty, f"floats.{name}({c.float(a, ty)}, {c.float(b, ty)}, {bool(nan)})")


@opcode("copysign")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*FLOATS)
    m.end(3)
    d, a, b = i.operands
    c.set_float(d, ty, f"floats.copysign({c.float(a, ty)}, {c.float(b, ty)}, {ty.width})")


@opcode("testp")
def _(c: Code, i: Instruction, m: Mods) -> None:
    kind = m.need("finite", "infinite", "number", "notanumber", "normal", "subnormal")
    ty = m.type(*FLOATS)
    m.end(2)
    c.set_pred(i.operands[0], f"floats.testp({c.float(i.operands[1], ty)}, {kind!r}, {ty.width})")


# ------------------------------------------------------------------------------ comparing

_INTEGER: Final = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
                   "lo": "<", "ls": "<=", "hi": ">", "hs": ">="}  # fmt: skip
_FLOAT: Final = {
    "eq": "A == B",
    "ne": "A < B or A > B",
    "lt": "A < B",
    "le": "A <= B",
    "gt": "A > B",
    "ge": "A >= B",
    "equ": "not (A < B or A > B)",
    "neu": "A != B",
    "ltu": "not A >= B",
    "leu": "not A > B",
    "gtu": "not A <= B",
    "geu": "not A < B",
    "num": "A == A and B == B",
    "nan": "A != A or B != B",
}


def _comparison(c: Code, m: Mods, compare: str, ty: Type, a: Operand, b: Operand) -> str:
    if ty.kind == "f":
        if compare not in _FLOAT:
            m.fail(f".{compare} does not compare .{ty}")
        x, y = c.float(a, ty), c.float(b, ty)
        return f"({_FLOAT[compare].replace('A', '{a}').replace('B', '{b}').format(a=x, b=y)})"
    allowed = {
        "b": ("eq", "ne"),
        "s": ("eq", "ne", "lt", "le", "gt", "ge"),
        "u": tuple(_INTEGER),
    }[ty.kind]
    if compare not in allowed:
        m.fail(f".{compare} does not compare .{ty}")
    return f"({c.number(a, ty)} {_INTEGER[compare]} {c.number(b, ty)})"


@opcode("setp", "set")
def _(c: Code, i: Instruction, m: Mods) -> None:
    compare = m.need(*_FLOAT, *_INTEGER)
    boolean = m.take("and", "or", "xor")
    result = m.type("u32", "s32", "f32") if i.opcode == "set" else None
    ty = m.type(*BITS, *INTEGERS, *FLOATS)
    m.end(4 if boolean else 3)
    test = _comparison(c, m, compare, ty, i.operands[1], i.operands[2])
    sign = {"and": "&", "or": "|", "xor": "^", "": ""}[boolean]
    other = c.pred(i.operands[3]) if boolean else ""
    whole = f"({test} {sign} {other})" if boolean else test
    d = i.operands[0]
    if result is not None:
        if result.kind == "f":
            c.set_float(d, result, f"1.0 if {whole} else 0.0")
        else:
            c.set_bits(d, result, f"0xffffffff if {whole} else 0")
    elif isinstance(d, Pair):
        c.put(f"X = {test}")
        negated = f"(not X) {sign} {other}" if boolean else "not X"
        c.put(f"X, Y = {f'X {sign} {other}' if boolean else 'X'}, {negated}")
        c.set_pred(d.first, "X")
        c.set_pred(d.second, "Y")
    else:
        c.set_pred(d, whole)


@opcode("selp")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*BITS, *INTEGERS, *FLOATS)
    m.end(4)
    d, a, b, p = i.operands
    if isinstance(p, Not):
        m.fail("the predicate takes no `!`")
    _choose(c, d, ty, a, b, c.pred(p))


def _choose(c: Code, d: Operand, ty: Type, a: Operand, b: Operand, condition: str) -> None:
    """Moves, so that an undefined operand may be there as long as it is not taken."""
    c.put(f"if {condition}:")
    c.indent += 1
    c.set_value(d, ty, a)
    c.indent -= 1
    c.put("else:")
    c.indent += 1
    c.set_value(d, ty, b)
    c.indent -= 1


@opcode("slct")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type(*BITS, *INTEGERS, *FLOATS)
    by = m.type("s32", "f32")
    m.end(4)
    d, a, b, s = i.operands
    condition = f"{c.float(s, by) if by.kind == 'f' else c.signed(s, by)} >= 0"
    _choose(c, d, ty, a, b, condition)


# ------------------------------------------------------------------------ moves, converts


@opcode("mov")
def _(c: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("pred", *BITS, *INTEGERS, *FLOATS)
    m.end(2)
    d, a = i.operands
    match d, a:
        case Vector(), _:
            _unpack(c, m, ty, d, a)
        case _, Vector():
            parts = _parts(m, ty, a)
            text = " | ".join(
                f"{c.bits(item, parts)} << {n * parts.width}" for n, item in enumerate(a.items)
            )
            c.set_bits(d, ty, text)
        case _, Special(name=name):
            if ty.width != 32 or ty.kind not in "us":
                m.fail(f"{name} is a .u32")
            c.set_bits(d, ty, f"T.{name.strip('%').replace('.', '_')}")
        case _, Symbol():
            if ty.width != 64 or ty.kind == "f":
                m.fail("an address has 64 bits")
            c.set_bits(d, ty, c.place.address(a)[1])
        case _:
            c.set_value(d, ty, a)


def _parts(m: Mods, ty: Type, vector: Vector) -> Type:
    width = ty.width // len(vector.items) if len(vector.items) in (2, 4) else 0
    if ty.kind != "b" or width < 16:
        m.fail("packs two or four elements of 16 or 32 bits into .b32 or .b64")
    return TYPES[f"b{width}"]


def _unpack(c: Code, m: Mods, ty: Type, d: Vector, a: Operand) -> None:
    part = _parts(m, ty, d)
    c.put(f"X = {c.bits(a, ty)}")
    for n, item in enumerate(d.items):
        c.set_bits(item, part, f"X >> {n * part.width} & {mask(part)}")


@opcode("cvt")
def _(c: Code, i: Instruction, m: Mods) -> None:
    mode = m.take(*ROUNDING, *INTEGRAL)
    sat = m.take("sat")
    names = ("u8", "s8", *INTEGERS, "f16", *FLOATS)
    dst, src = m.type(*names), m.type(*names)
    m.end(2)
    d, a = i.operands
    if src.kind == "f":
        value = c.float(a, src)
        if dst.kind == "f":
            _float_to_float(c, m, d, dst, src, value, mode, sat)
        else:
            if mode not in INTEGRAL:
                m.fail("a float becomes an integer with an integer rounding")
            args = f"{value}, {mode!r}, {src.width}, {dst.width}, {dst.kind == 's'}"
            c.set_bits(d, dst, f"floats.to_int({args})", wider=True)
    elif dst.kind == "f":
        if mode not in ROUNDING:
            m.fail("an integer becomes a float with a rounding")
        number = c.number(a, src, wider=True)
        _set_converted(c, m, d, dst, f"floats.int_to_float({number}, {dst.width}, {mode!r})", sat)
    else:
        if mode:
            m.fail("a rounding between integers")
        number = c.number(a, src, wider=True)
        if sat:
            if dst.width >= src.width + (dst.kind != src.kind) and (dst.kind, src.kind) != (
                "u",
                "s",
            ):
                m.fail(".sat where every value fits")
            low, high = (0, (1 << dst.width) - 1)
            if dst.kind == "s":
                low, high = -(1 << (dst.width - 1)), (1 << (dst.width - 1)) - 1
            number = f"min(max({number}, {low}), {high})"
        c.set_bits(d, dst, f"{number} & {mask(dst)}", wider=True)


def _float_to_float(
    c: Code, m: Mods, d: Operand, dst: Type, src: Type, value: str, mode: str, sat: str
) -> None:
    if dst.width < src.width:
        if mode not in ROUNDING:
            m.fail("a narrower float needs a rounding")
        value = f"floats.narrow({value}, {dst.width}, {mode!r})"
    elif dst.width > src.width:
        if mode:
            m.fail("a wider float takes no rounding")
        value = f"floats.plain({value})"
    elif mode:
        if mode not in INTEGRAL:
            m.fail("between floats of one size only an integer rounding makes sense")
        value = f"floats.integral({value}, {mode!r})"
    else:
        value = f"floats.plain({value})"
    _set_converted(c, m, d, dst, value, sat)


def _set_converted(c: Code, m: Mods, d: Operand, dst: Type, value: str, sat: str) -> None:
    if sat:
        value = f"saturate({value})"
    if dst.width == 16:
        if not isinstance(d, Register) or d.type.kind not in "bf":
            m.fail("an f16 stands in a .b16 or .f16 register")
        c.set_bits(d, TYPES["b16"], f"floats.f2b16({value})")
    else:
        c.set_float(d, dst, value)
