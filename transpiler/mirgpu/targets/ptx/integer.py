"""Integer operations.

A value of 8 or 16 bits is zero extended in its register.  An operation that reads signed
operands extends them first; one that can leave higher bits masks them after.  kir has bitwise
operations and comparisons of ``i1`` only.
"""

from typing import assert_never

from mirgpu.kir.ops import BinaryOp, CompareOp, OverflowOp, UnaryOp
from mirgpu.targets.ptx.builder import FunctionBuilder, Scalar, integer
from mirgpu.targets.ptx.ir import Imm, Pair, Reg, Type
from mirgpu.targets.ptx.tables import BITWISE, COMPARE_INTEGER, INTEGER, OVERFLOW, signed, unsigned


def register_width(width: int) -> int:
    return 64 if width == 64 else 32


def bits(width: int) -> Type:
    """The type of the register that holds ``width`` bits."""
    return Type.B64 if width == 64 else Type.B32


def mask_into(b: FunctionBuilder, width: int, dst: Reg, src: Scalar) -> None:
    """Clears the bits of ``src`` above ``width``, which is less than 32."""
    b.op("and", Type.B32, dst, src, Imm((1 << width) - 1))


def sign_extend(b: FunctionBuilder, width: int, value: Scalar) -> Scalar:
    """A value of ``width`` bits as a signed number of its register's width."""
    if width >= 32:
        return value
    if isinstance(value, Imm):
        return integer(value.value, width)
    if width == 1:
        return b.compute(Type.B32, "neg", Type.S32, value)
    return b.compute(Type.B32, "cvt", (Type.S32, signed(width)), value)


def zero_or_one(b: FunctionBuilder, pred: Reg, ty: Type) -> Reg:
    return b.compute(ty, "selp", ty, Imm(1), Imm(0), pred)


def predicate_into(b: FunctionBuilder, dst: Reg, value: Scalar) -> None:
    """``value``, a 0 or 1 in a 32-bit register, as a predicate."""
    b.op("setp.ne", Type.U32, dst, value, Imm(0))


def binary(
    b: FunctionBuilder, op: BinaryOp, width: int, lhs: Scalar, rhs: Scalar, dst: Reg
) -> None:
    if op in BITWISE:
        ty = Type.PRED if width == 1 else bits(width)
        b.op(BITWISE[op], ty, dst, lhs, rhs)
        return
    row = INTEGER.get(op)
    if row is not None:
        opcode, is_signed, extend, mask = row
        if extend:
            lhs, rhs = sign_extend(b, width, lhs), sign_extend(b, width, rhs)
        ty = (signed if is_signed else unsigned)(register_width(width))
        narrow = mask and width < 32
        out = b.temp(Type.B32) if narrow else dst
        b.op(opcode, ty, out, lhs, rhs)
        if narrow:
            mask_into(b, width, dst, out)
        return
    match op:
        case BinaryOp.SHL | BinaryOp.LSHR | BinaryOp.ASHR:
            _shift(b, op, width, lhs, rhs, dst)
        case BinaryOp.ROTL | BinaryOp.ROTR:
            _rotate(b, op is BinaryOp.ROTL, width, lhs, rhs, dst)
        case BinaryOp.UADD_SAT | BinaryOp.USUB_SAT:
            _saturate_unsigned(b, op is BinaryOp.UADD_SAT, width, lhs, rhs, dst)
        case BinaryOp.SADD_SAT | BinaryOp.SSUB_SAT:
            _saturate_signed(b, op is BinaryOp.SADD_SAT, width, lhs, rhs, dst)
        case _:
            raise AssertionError(f"{op} is not an integer operation")


# ---------------------------------------------------------------------- shifts, rotations


def _amount(b: FunctionBuilder, width: int, amount: Scalar) -> Scalar:
    """A shift amount, which PTX wants in 32 bits."""
    if width < 64 or isinstance(amount, Imm):
        return amount
    return b.compute(Type.B32, "cvt", (Type.U32, Type.U64), amount)


def _shift(
    b: FunctionBuilder, op: BinaryOp, width: int, lhs: Scalar, rhs: Scalar, dst: Reg
) -> None:
    amount = _amount(b, width, rhs)
    at = register_width(width)
    if op is BinaryOp.LSHR:
        b.op("shr", unsigned(at), dst, lhs, amount)
        return
    out = b.temp(Type.B32) if width < 32 else dst
    if op is BinaryOp.SHL:
        b.op("shl", bits(width), out, lhs, amount)
    else:
        b.op("shr", signed(at), out, sign_extend(b, width, lhs), amount)
    if width < 32:
        mask_into(b, width, dst, out)


def _rotate(b: FunctionBuilder, left: bool, width: int, lhs: Scalar, rhs: Scalar, dst: Reg) -> None:
    amount = _amount(b, width, rhs)
    if width == 32:
        b.op("shf.l.wrap" if left else "shf.r.wrap", Type.B32, dst, lhs, lhs, amount)
        return
    # x << n | x >> (w - n), both modulo w; at n = 0 the two halves are equal or, in a 32-bit
    # register, the second is zero or above the mask.
    ty = bits(width)
    if isinstance(amount, Imm):
        near: Scalar = Imm(amount.value % width)
        far: Scalar = Imm(-amount.value % width)
    else:
        near = b.compute(Type.B32, "and", Type.B32, amount, Imm(width - 1))
        negative = b.compute(Type.B32, "neg", Type.S32, amount)
        far = b.compute(Type.B32, "and", Type.B32, negative, Imm(width - 1))
    to_left, to_right = (near, far) if left else (far, near)
    high = b.compute(ty, "shl", ty, lhs, to_left)
    low = b.compute(ty, "shr", unsigned(register_width(width)), lhs, to_right)
    if width == 64:
        b.op("or", ty, dst, high, low)
    else:
        mask_into(b, width, dst, b.compute(ty, "or", ty, high, low))


# ----------------------------------------------------------------------------- saturation


def _saturate_unsigned(
    b: FunctionBuilder, add: bool, width: int, lhs: Scalar, rhs: Scalar, dst: Reg
) -> None:
    at, ty = register_width(width), bits(width)
    if not add:  # max(a, b) - b
        larger = b.compute(ty, "max", unsigned(at), lhs, rhs)
        b.op("sub", signed(at), dst, larger, rhs)
        return
    total = b.compute(ty, "add", signed(at), lhs, rhs)
    if width < 32:
        b.op("min", Type.U32, dst, total, Imm((1 << width) - 1))
        return
    carry = b.setp("lt", unsigned(at), total, lhs)
    b.op("selp", ty, dst, Imm(-1), total, carry)


def _saturate_signed(
    b: FunctionBuilder, add: bool, width: int, lhs: Scalar, rhs: Scalar, dst: Reg
) -> None:
    opcode = "add" if add else "sub"
    if width == 32:
        b.op(f"{opcode}.sat", Type.S32, dst, lhs, rhs)
        return
    top = (1 << (width - 1)) - 1
    if width < 32:
        lhs, rhs = sign_extend(b, width, lhs), sign_extend(b, width, rhs)
        total = b.compute(Type.B32, opcode, Type.S32, lhs, rhs)
        mask_into(b, width, dst, clamp_signed(b, width, total))
        return
    op = OverflowOp.SADD if add else OverflowOp.SSUB
    wrapped, over = b.temp(Type.B64), b.temp(Type.PRED)
    overflow(b, op, width, lhs, rhs, wrapped, over)
    # Overflow goes the way of the first operand's sign: MAX, or MAX ^ -1 = MIN.
    sign = b.compute(Type.B64, "shr", Type.S64, lhs, Imm(63))
    limit = b.compute(Type.B64, "xor", Type.B64, sign, Imm(top))
    b.op("selp", Type.B64, dst, limit, wrapped, over)


def clamp_signed(b: FunctionBuilder, width: int, value: Scalar) -> Reg:
    """A 32-bit signed number limited to the range of ``width`` bits."""
    top = (1 << (width - 1)) - 1
    low = b.compute(Type.B32, "max", Type.S32, value, Imm(-top - 1))
    return b.compute(Type.B32, "min", Type.S32, low, Imm(top))


# ------------------------------------------------------------------------------- overflow


def overflow(
    b: FunctionBuilder,
    op: OverflowOp,
    width: int,
    lhs: Scalar,
    rhs: Scalar,
    dst: Reg,
    over: Reg,
) -> None:
    """The wrapped result in ``dst``, and in ``over`` whether it is not the true one."""
    plain, is_signed = OVERFLOW[op]
    if width < 32:
        _narrow_overflow(b, plain, is_signed, width, lhs, rhs, dst, over)
        return
    ty, un, si = bits(width), unsigned(width), signed(width)
    b.op(INTEGER[plain][0], si, dst, lhs, rhs)
    match op:
        case OverflowOp.UADD:
            b.op("setp.lt", un, over, dst, lhs)
        case OverflowOp.USUB:
            b.op("setp.lt", un, over, lhs, rhs)
        case OverflowOp.UMUL:
            high = b.compute(ty, "mul.hi", un, lhs, rhs)
            b.op("setp.ne", un, over, high, Imm(0))
        case OverflowOp.SMUL:
            high = b.compute(ty, "mul.hi", si, lhs, rhs)
            sign = b.compute(ty, "shr", si, dst, Imm(width - 1))
            b.op("setp.ne", un, over, high, sign)
        case OverflowOp.SADD | OverflowOp.SSUB:
            # Sum: both operands differ from the result in sign.  Difference: the operands
            # differ, and the first differs from the result.
            x = b.compute(ty, "xor", ty, lhs, dst)
            y = b.compute(ty, "xor", ty, rhs, dst if op is OverflowOp.SADD else lhs)
            both = b.compute(ty, "and", ty, x, y)
            b.op("setp.lt", si, over, both, Imm(0))
        case _:
            assert_never(op)


def _narrow_overflow(
    b: FunctionBuilder,
    plain: BinaryOp,
    is_signed: bool,
    width: int,
    lhs: Scalar,
    rhs: Scalar,
    dst: Reg,
    over: Reg,
) -> None:
    """8 and 16 bits: the exact result fits 32 bits (as unsigned for a product)."""
    if is_signed:
        lhs, rhs = sign_extend(b, width, lhs), sign_extend(b, width, rhs)
    exact = b.compute(Type.B32, INTEGER[plain][0], Type.S32, lhs, rhs)
    mask_into(b, width, dst, exact)
    again = sign_extend(b, width, dst) if is_signed else dst
    b.op("setp.ne", Type.U32, over, again, exact)


# --------------------------------------------------------------------------------- unary


def unary(b: FunctionBuilder, op: UnaryOp, width: int, value: Scalar, dst: Reg) -> None:
    ty = bits(width)
    match op:
        case UnaryOp.CTPOP:
            _count(b, "popc", width, value, dst)
        case UnaryOp.CTLZ:
            if width < 32:
                leading = b.compute(Type.B32, "clz", Type.B32, value)
                b.op("sub", Type.S32, dst, leading, Imm(32 - width))
            else:
                _count(b, "clz", width, value, dst)
        case UnaryOp.CTTZ:
            if width < 32:  # A one above the value stops the count at the width.
                value = b.compute(Type.B32, "or", Type.B32, value, Imm(1 << width))
            _count(b, "clz", width, b.compute(ty, "brev", ty, value), dst)
        case UnaryOp.BITREVERSE:
            if width < 32:
                reversed_ = b.compute(Type.B32, "brev", Type.B32, value)
                b.op("shr", Type.U32, dst, reversed_, Imm(32 - width))
            else:
                b.op("brev", ty, dst, value)
        case UnaryOp.BSWAP:
            _swap_bytes(b, width, value, dst)
        case _:
            raise AssertionError(f"{op} is not an integer operation")


def _count(b: FunctionBuilder, opcode: str, width: int, value: Scalar, dst: Reg) -> None:
    """``popc`` and ``clz`` give 32 bits whatever they count."""
    if width == 64:
        count = b.compute(Type.B32, opcode, Type.B64, value)
        b.op("cvt", (Type.U64, Type.U32), dst, count)
    else:
        b.op(opcode, Type.B32, dst, value)


def _swap_bytes(b: FunctionBuilder, width: int, value: Scalar, dst: Reg) -> None:
    """``prmt`` picks bytes 0 to 3 of its first operand, 4 to 7 of its second, by hex digit."""
    match width:
        case 16:
            b.op("prmt", Type.B32, dst, value, Imm(0), Imm(0x4401))
        case 32:
            b.op("prmt", Type.B32, dst, value, Imm(0), Imm(0x0123))
        case 64:
            low, high = b.temp(Type.B32), b.temp(Type.B32)
            b.split(value, low, high)
            new_high = b.compute(Type.B32, "prmt", Type.B32, low, Imm(0), Imm(0x0123))
            new_low = b.compute(Type.B32, "prmt", Type.B32, high, Imm(0), Imm(0x0123))
            b.op("mov", Type.B64, dst, Pair(new_low, new_high))
        case _:
            b.move(dst, value)


# ----------------------------------------------------------------------------- comparison


def compare(
    b: FunctionBuilder, op: CompareOp, width: int, lhs: Scalar, rhs: Scalar, dst: Reg
) -> None:
    comparison, is_signed = COMPARE_INTEGER[op]
    if width == 1:
        assert isinstance(lhs, Reg)
        assert isinstance(rhs, Reg)
        if op in (CompareOp.EQ, CompareOp.NE):
            out = b.temp(Type.PRED) if op is CompareOp.EQ else dst
            b.op("xor", Type.PRED, out, lhs, rhs)
            if op is CompareOp.EQ:
                b.op("not", Type.PRED, dst, out)
            return
        lhs, rhs = zero_or_one(b, lhs, Type.B32), zero_or_one(b, rhs, Type.B32)
    if is_signed:
        lhs, rhs = sign_extend(b, width, lhs), sign_extend(b, width, rhs)
    ty = (signed if is_signed else unsigned)(register_width(width))
    b.op(f"setp.{comparison}", ty, dst, lhs, rhs)
