"""Python source for kir's scalar operations, on the values that ``kir.scalar`` describes.

``{a} {b}`` are operands, each a name or a literal in parentheses; ``{w}`` is the width, ``{m}``
its mask, ``{s}`` its sign bit.  An uninitialised operand must raise ``TypeError`` or
``AttributeError``, so no template is its bare operand.
"""

from mirgpu.kir.ops import BinaryOp, CastOp, CompareOp, OverflowOp, UnaryOp
from mirgpu.kir.types import FloatType, IntType, PtrType, Type

_BINARY = {
    BinaryOp.ADD: "({a} + {b}) & {m}",
    BinaryOp.SUB: "({a} - {b}) & {m}",
    BinaryOp.MUL: "({a} * {b}) & {m}",
    BinaryOp.UDIV: "{a} // {b}",
    BinaryOp.SDIV: "sdiv({a}, {b}, {w})",
    BinaryOp.UREM: "{a} % {b}",
    BinaryOp.SREM: "srem({a}, {b}, {w})",
    BinaryOp.AND: "{a} & {b}",
    BinaryOp.OR: "{a} | {b}",
    BinaryOp.XOR: "{a} ^ {b}",
    BinaryOp.SHL: "({a} << {b}) & {m} if {b} < {w} else shift_undefined({b})",
    BinaryOp.LSHR: "{a} >> {b} if {b} < {w} else shift_undefined({b})",
    BinaryOp.ASHR: "((({a} ^ {s}) - {s}) >> {b}) & {m} if {b} < {w} else shift_undefined({b})",
    BinaryOp.UMIN: "{a} if {a} < {b} else {b}",
    BinaryOp.UMAX: "{a} if {a} > {b} else {b}",
    BinaryOp.SMIN: "{a} if ({a} ^ {s}) < ({b} ^ {s}) else {b}",
    BinaryOp.SMAX: "{a} if ({a} ^ {s}) > ({b} ^ {s}) else {b}",
    BinaryOp.UADD_SAT: "min({a} + {b}, {m})",
    BinaryOp.SADD_SAT: "saturate(({a} ^ {s}) + ({b} ^ {s}) - 2 * {s}, {w})",
    BinaryOp.USUB_SAT: "max({a} - {b}, 0)",
    BinaryOp.SSUB_SAT: "saturate(({a} ^ {s}) - ({b} ^ {s}), {w})",
    BinaryOp.ROTL: "rotate_left({a}, {b}, {w})",
    BinaryOp.ROTR: "rotate_left({a}, -{b}, {w})",
    BinaryOp.FADD: "{a} + {b}",
    BinaryOp.FSUB: "{a} - {b}",
    BinaryOp.FMUL: "{a} * {b}",
    BinaryOp.FDIV: "{a} / {b} if {b} else fdiv_zero({a}, {b})",
    BinaryOp.FREM: "frem({a}, {b})",
    BinaryOp.FMINNUM: "fminnum({a}, {b})",
    BinaryOp.FMAXNUM: "fmaxnum({a}, {b})",
    BinaryOp.FMINIMUM: "fminimum({a}, {b})",
    BinaryOp.FMAXIMUM: "fmaximum({a}, {b})",
    BinaryOp.FCOPYSIGN: "copysign({a}, {b})",
}

_ROUNDED = frozenset((BinaryOp.FADD, BinaryOp.FSUB, BinaryOp.FMUL, BinaryOp.FDIV, UnaryOp.FSQRT))
"""Operations whose 64-bit result is rounded for narrower types."""

_UNARY = {
    UnaryOp.CTPOP: "{a}.bit_count()",
    UnaryOp.CTLZ: "{w} - {a}.bit_length()",
    UnaryOp.CTTZ: "({a} & -{a}).bit_length() - 1 if {a} else {w}",
    UnaryOp.BSWAP: "byte_swap({a}, {w})",
    UnaryOp.BITREVERSE: "bit_reverse({a}, {w})",
    UnaryOp.FNEG: "-{a}",
    UnaryOp.FABS: "abs({a})",
    UnaryOp.FSQRT: "fsqrt({a})",
    UnaryOp.FFLOOR: "ffloor({a})",
    UnaryOp.FCEIL: "fceil({a})",
    UnaryOp.FTRUNC: "ftrunc({a})",
    UnaryOp.FROUND: "fround({a})",
    UnaryOp.FROUNDEVEN: "froundeven({a})",
}

_COMPARE = {
    CompareOp.EQ: "{a} == {b}",
    CompareOp.NE: "{a} != {b}",
    CompareOp.ULT: "{a} < {b}",
    CompareOp.ULE: "{a} <= {b}",
    CompareOp.UGT: "{a} > {b}",
    CompareOp.UGE: "{a} >= {b}",
    CompareOp.SLT: "({a} ^ {s}) < ({b} ^ {s})",
    CompareOp.SLE: "({a} ^ {s}) <= ({b} ^ {s})",
    CompareOp.SGT: "({a} ^ {s}) > ({b} ^ {s})",
    CompareOp.SGE: "({a} ^ {s}) >= ({b} ^ {s})",
    CompareOp.FEQ: "{a} == {b}",
    CompareOp.FNE: "{a} != {b}",
    CompareOp.FLT: "{a} < {b}",
    CompareOp.FLE: "{a} <= {b}",
    CompareOp.FGT: "{a} > {b}",
    CompareOp.FGE: "{a} >= {b}",
}

_OVERFLOW = {
    OverflowOp.UADD: ("{a} + {b}", "t > {m}"),
    OverflowOp.USUB: ("{a} - {b}", "t < 0"),
    OverflowOp.UMUL: ("{a} * {b}", "t > {m}"),
    OverflowOp.SADD: ("({a} ^ {s}) + ({b} ^ {s}) - 2 * {s}", "not -{s} <= t < {s}"),
    OverflowOp.SSUB: ("({a} ^ {s}) - ({b} ^ {s})", "not -{s} <= t < {s}"),
    OverflowOp.SMUL: ("(({a} ^ {s}) - {s}) * (({b} ^ {s}) - {s})", "not -{s} <= t < {s}"),
}


def _width(ty: Type) -> int:
    match ty:
        case IntType(width=width) | FloatType(width=width):
            return width
        case PtrType():
            return 64


def _fill(template: str, ty: Type, a: str, b: str = "") -> str:
    width = _width(ty)
    return template.format(a=a, b=b, w=width, m=hex((1 << width) - 1), s=hex(1 << (width - 1)))


def _round(expression: str, result: str, ty: Type) -> str:
    if ty == FloatType(32):
        return f"F[0] = {expression}; {result} = F[0]"
    if ty == FloatType(16):
        return f"{result} = f16_round({expression})"
    return f"{result} = {expression}"


def binary(op: BinaryOp, ty: Type, result: str, a: str, b: str) -> str:
    """A statement that gives ``result`` its value; so are those of the other functions."""
    expression = _fill(_BINARY[op], ty, a, b)
    return _round(expression, result, ty) if op in _ROUNDED else f"{result} = {expression}"


def unary(op: UnaryOp, ty: Type, result: str, a: str) -> str:
    expression = _fill(_UNARY[op], ty, a)
    return _round(expression, result, ty) if op in _ROUNDED else f"{result} = {expression}"


def compare(op: CompareOp, ty: Type, result: str, a: str, b: str) -> str:
    return f"{result} = {_fill(_COMPARE[op], ty, a, b)}"


def overflow(op: OverflowOp, ty: Type, result: str, flag: str, a: str, b: str) -> str:
    exact, test = _OVERFLOW[op]
    text = f"t = {exact}; {result} = t & {{m}}; {flag} = {test}"
    return _fill(text, ty, a, b)


def fma(ty: Type, result: str, a: str, b: str, c: str) -> str:
    if ty == FloatType(64):
        return f"{result} = fma64({a}, {b}, {c})"
    return _round(f"fma_narrow({a}, {b}, {c})", result, ty)


def cast(op: CastOp, source: Type, target: Type, result: str, a: str) -> str:
    width = _width(target)
    mask = hex((1 << width) - 1)
    match op:
        case CastOp.TRUNC:
            return f"{result} = {a} & {mask}"
        case CastOp.ZEXT | CastOp.PTRTOINT | CastOp.INTTOPTR:
            return f"{result} = {a} | 0"
        case CastOp.SEXT:
            return f"{result} = {_signed(source, a)} & {mask}"
        case CastOp.FPTRUNC:
            return _round(f"{a} * 1.0", result, target)
        case CastOp.FPEXT:
            return f"{result} = {a} * 1.0 if {a} == {a} else NAN"
        case CastOp.SITOFP:
            return _int_to_float(_signed(source, a), source, target, result)
        case CastOp.UITOFP:
            return _int_to_float(f"({a} | 0)", source, target, result)
        case CastOp.FPTOSI_SAT:
            return f"{result} = fp_to_int({a}, {width}, True)"
        case CastOp.FPTOUI_SAT:
            return f"{result} = fp_to_int({a}, {width}, False)"
        case CastOp.BITCAST:
            to_float = isinstance(target, FloatType)
            return f"{result} = f{width}_{'from_bits' if to_float else 'bits'}({a})"
        case CastOp.ADDRSPACECAST:
            return f"{result} = {a}"


def _signed(ty: Type, a: str) -> str:
    return _fill("(({a} ^ {s}) - {s})", ty, a)


def _int_to_float(integer: str, source: Type, target: Type, result: str) -> str:
    if target == FloatType(64):
        return f"{result} = float({integer})"
    exact = _width(source) <= 32
    return _round(f"{'float' if exact else 'int_to_narrow'}({integer})", result, target)
