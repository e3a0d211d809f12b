"""Binary and unary operators with Rust's exact meaning."""

from mirgpu.kir.ops import BinaryOp as K
from mirgpu.kir.ops import CompareOp as C
from mirgpu.kir.ops import IntConst, Operand, Overflow, OverflowOp, UnaryOp, Value
from mirgpu.kir.types import I1, I8, IntType, PtrType
from mirgpu.lower.builder import int_const
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.lower.places import field
from mirgpu.lower.types import is_float, is_signed, pointee
from mirgpu.lower.values import Fat, PlaceRef, Scalar, Val, Zst, scalar
from mirgpu.lower.values import store as store_value
from mirgpu.mir.syntax import BinOp, TupleTy, Ty, UnOp

_WRAPPING = {
    BinOp.ADD: K.ADD,
    BinOp.ADD_UNCHECKED: K.ADD,
    BinOp.SUB: K.SUB,
    BinOp.SUB_UNCHECKED: K.SUB,
    BinOp.MUL: K.MUL,
    BinOp.MUL_UNCHECKED: K.MUL,
    BinOp.BIT_AND: K.AND,
    BinOp.BIT_OR: K.OR,
    BinOp.BIT_XOR: K.XOR,
}
_FLOAT = {
    BinOp.ADD: K.FADD,
    BinOp.SUB: K.FSUB,
    BinOp.MUL: K.FMUL,
    BinOp.DIV: K.FDIV,
    BinOp.REM: K.FREM,
}
_FLOAT_COMPARE = {
    BinOp.EQ: C.FEQ,
    BinOp.NE: C.FNE,
    BinOp.LT: C.FLT,
    BinOp.LE: C.FLE,
    BinOp.GT: C.FGT,
    BinOp.GE: C.FGE,
}
_UNSIGNED = {
    BinOp.EQ: C.EQ,
    BinOp.NE: C.NE,
    BinOp.LT: C.ULT,
    BinOp.LE: C.ULE,
    BinOp.GT: C.UGT,
    BinOp.GE: C.UGE,
}
_SIGNED = {
    **_UNSIGNED,
    BinOp.LT: C.SLT,
    BinOp.LE: C.SLE,
    BinOp.GT: C.SGT,
    BinOp.GE: C.SGE,
}
_OVERFLOW = {
    BinOp.ADD_WITH_OVERFLOW: (OverflowOp.UADD, OverflowOp.SADD),
    BinOp.SUB_WITH_OVERFLOW: (OverflowOp.USUB, OverflowOp.SSUB),
    BinOp.MUL_WITH_OVERFLOW: (OverflowOp.UMUL, OverflowOp.SMUL),
}


def is_overflowing(op: BinOp) -> bool:
    """Whether the result is a pair of the value and a flag."""
    return op in _OVERFLOW


def overflowing(fx: FnContext, op: BinOp, ty: Ty, a: Operand, b: Operand) -> tuple[Value, Value]:
    """The wrapped value and whether it overflowed."""
    value, flag = Value(a.type), Value(I1)
    kind = _OVERFLOW[op][is_signed(ty)]
    fx.b.emit(Overflow(value, flag, kind, a, b, fx.b.loc))
    return value, flag


def store_overflowing(fx: FnContext, at: PlaceRef, op: BinOp, left: Val, right: Val) -> None:
    value, flag = overflowing(fx, op, left.ty, scalar(fx, left), scalar(fx, right))
    assert isinstance(at.ty, TupleTy)
    for index, part in enumerate((value, flag)):
        elem = at.ty.elems[index]
        store_value(fx, field(fx, at, index, elem), Scalar(elem, part))


def ordering(fx: FnContext, left: Val, right: Val) -> Operand:
    """``Cmp``: -1, 0 or 1 as an ``i8``."""
    a, b = scalar(fx, left), scalar(fx, right)
    table = _SIGNED if is_signed(left.ty) else _UNSIGNED
    less = fx.b.compare(table[BinOp.LT], a, b)
    more = fx.b.compare(table[BinOp.GT], a, b)
    return fx.b.select(
        less, int_const(I8, -1), fx.b.select(more, int_const(I8, 1), int_const(I8, 0))
    )


def binary(fx: FnContext, op: BinOp, left: Val, right: Val, result: Ty) -> Val:
    """Every operator but those whose result is in memory."""
    if isinstance(left, Zst):
        equal = op in (BinOp.EQ, BinOp.LE, BinOp.GE)
        return Scalar(result, IntConst(I1, int(equal)))
    if isinstance(left, Fat):
        return _fat_compare(fx, op, left, right, result)
    a, b = scalar(fx, left), scalar(fx, right)
    if op is BinOp.OFFSET:
        return Scalar(result, offset(fx, left.ty, a, b))
    if is_float(left.ty):
        if op in _FLOAT:
            return Scalar(result, fx.b.binary(_FLOAT[op], a, b))
        if op in _FLOAT_COMPARE:
            return Scalar(result, fx.b.compare(_FLOAT_COMPARE[op], a, b))
    signed = is_signed(left.ty)
    if op in _UNSIGNED:
        return Scalar(result, fx.b.compare((_SIGNED if signed else _UNSIGNED)[op], a, b))
    if isinstance(a.type, IntType):
        match op:
            case BinOp.DIV:
                return Scalar(result, fx.b.binary(K.SDIV if signed else K.UDIV, a, b))
            case BinOp.REM:
                return Scalar(result, fx.b.binary(K.SREM if signed else K.UREM, a, b))
            case BinOp.SHL | BinOp.SHR | BinOp.SHL_UNCHECKED | BinOp.SHR_UNCHECKED:
                return Scalar(result, _shift(fx, op, a, b, signed))
            case _ if op in _WRAPPING:
                return Scalar(result, fx.b.binary(_WRAPPING[op], a, b))
            case _:
                pass
    raise LowerError(
        "MG0305", f"the operator {op.value} on `{fx.types.text(left.ty)}` is not supported"
    )


def _shift(fx: FnContext, op: BinOp, a: Operand, b: Operand, signed: bool) -> Operand:
    """The amount is of any integer type; the checked forms take it modulo the width."""
    assert isinstance(a.type, IntType)
    assert isinstance(b.type, IntType)
    width = a.type.width
    if op in (BinOp.SHL, BinOp.SHR):
        if isinstance(b, IntConst):
            b = int_const(b.type, b.value % width)
        else:
            b = fx.b.binary(K.AND, b, int_const(b.type, width - 1))
    amount = fx.b.resize(b, a.type, signed=False)
    if op in (BinOp.SHL, BinOp.SHL_UNCHECKED):
        return fx.b.binary(K.SHL, a, amount)
    return fx.b.binary(K.ASHR if signed else K.LSHR, a, amount)


def offset(fx: FnContext, ty: Ty, ptr: Operand, count: Operand) -> Operand:
    """A pointer moved by a number of elements."""
    inner = pointee(ty)
    if inner is None or not isinstance(ptr.type, PtrType):
        raise LowerError("MG0305", f"Offset of `{fx.types.text(ty)}` is not supported")
    return fx.b.ptr_add(ptr, count, fx.layout(inner).size, 0)


def _fat_compare(fx: FnContext, op: BinOp, left: Fat, right: Val, result: Ty) -> Val:
    if not isinstance(right, Fat) or op not in (BinOp.EQ, BinOp.NE):
        raise LowerError("MG0305", "an ordering of slice pointers is not supported")
    same = fx.b.binary(
        K.AND,
        fx.b.compare(C.EQ, left.ptr, right.ptr),
        fx.b.compare(C.EQ, left.meta, right.meta),
    )
    return Scalar(result, same if op is BinOp.EQ else fx.b.not_(same))


def unary(fx: FnContext, op: UnOp, value: Val, result: Ty) -> Val:
    match op:
        case UnOp.PTR_METADATA:
            if isinstance(value, Fat):
                return Scalar(result, value.meta)
            return Zst(fx.types.unit)
        case UnOp.NOT:
            return Scalar(result, fx.b.not_(scalar(fx, value)))
        case UnOp.NEG:
            operand = scalar(fx, value)
            if is_float(value.ty):
                return Scalar(result, fx.b.unary(UnaryOp.FNEG, operand))
            return Scalar(result, fx.b.binary(K.SUB, int_const(operand.type, 0), operand))
