"""Casts.  One that changes nothing in the register costs no instruction."""

from typing import assert_never

from mirgpu.kir.ops import Cast, CastOp, Value
from mirgpu.kir.types import AddressSpace, FloatType, IntType, PtrType
from mirgpu.kir.types import Type as KirType
from mirgpu.targets.ptx.builder import FunctionBuilder, Scalar, integer
from mirgpu.targets.ptx.integer import (
    bits,
    clamp_signed,
    mask_into,
    register_width,
    sign_extend,
    zero_or_one,
)
from mirgpu.targets.ptx.ir import FloatImm, Imm, Reg, Space, Symbol, Type
from mirgpu.targets.ptx.tables import SPACES, register_type, signed, unsigned


def cast(b: FunctionBuilder, node: Cast) -> None:
    source, target = node.operand.type, node.result.type
    match node.op:
        case CastOp.TRUNC:
            _trunc(b, node.result, b.use(node.operand), _width(source), _width(target))
        case CastOp.ZEXT:
            _zext(b, node.result, b.use(node.operand), _width(source), _width(target))
        case CastOp.SEXT:
            _sext(b, node.result, b.use(node.operand), _width(source), _width(target))
        case CastOp.FPTRUNC | CastOp.FPEXT:
            from_, to = register_type(source, b.loc), register_type(target, b.loc)
            opcode = "cvt.rn" if node.op is CastOp.FPTRUNC else "cvt"
            b.op(opcode, (to, from_), b.result(node.result), b.use(node.operand))
        case CastOp.SITOFP | CastOp.UITOFP:
            _int_to_float(b, node, _width(source))
        case CastOp.FPTOSI_SAT | CastOp.FPTOUI_SAT:
            _float_to_int(b, node, _width(target))
        case CastOp.BITCAST:
            _bitcast(b, node)
        case CastOp.PTRTOINT | CastOp.INTTOPTR:
            b.bind(node.result, b.use(node.operand))
        case CastOp.ADDRSPACECAST:
            _address_space(b, node)
        case _:
            assert_never(node.op)


def _width(ty: KirType) -> int:
    assert isinstance(ty, IntType)
    return ty.width


# --------------------------------------------------------------------- between integers


def _trunc(b: FunctionBuilder, result: Value, value: Scalar, source: int, target: int) -> None:
    dst = b.result(result)
    if source == 64:
        if target == 32:
            b.op("cvt", (Type.U32, Type.U64), dst, value)
            return
        value = b.compute(Type.B32, "cvt", (Type.U32, Type.U64), value)
    if target == 1:
        low = b.temp(Type.B32)
        mask_into(b, 1, low, value)
        b.op("setp.ne", Type.U32, dst, low, Imm(0))
    else:
        mask_into(b, target, dst, value)


def _zext(b: FunctionBuilder, result: Value, value: Scalar, source: int, target: int) -> None:
    if source == 1:
        assert isinstance(value, Reg)
        b.op("selp", bits(target), b.result(result), Imm(1), Imm(0), value)
    elif target == 64:
        b.extended_from[result] = (value, Type.U32)
        b.op("cvt", (Type.U64, Type.U32), b.result(result), value)
    else:
        b.bind(result, value)


def _sext(b: FunctionBuilder, result: Value, value: Scalar, source: int, target: int) -> None:
    dst = b.result(result)
    if source == 1:
        assert isinstance(value, Reg)
        all_ones = Imm((1 << target) - 1 if target < 32 else -1)
        b.op("selp", bits(target), dst, all_ones, Imm(0), value)
        return
    if target < 32:
        mask_into(b, target, dst, sign_extend(b, source, value))
    else:
        if source == 32 and target == 64:
            b.extended_from[result] = (value, Type.S32)
        b.op("cvt", (signed(target), signed(source)), dst, value)


# ---------------------------------------------------------------- integers and floats


def _int_to_float(b: FunctionBuilder, node: Cast, source: int) -> None:
    is_signed = node.op is CastOp.SITOFP
    value = b.use(node.operand)
    if source == 1:
        assert isinstance(value, Reg)
        value = zero_or_one(b, value, Type.B32)
    if is_signed:
        value = sign_extend(b, source, value)
    to = register_type(node.result.type, b.loc)
    from_ = (signed if is_signed else unsigned)(register_width(source))
    b.op("cvt.rn", (to, from_), b.result(node.result), value)


def _float_to_int(b: FunctionBuilder, node: Cast, target: int) -> None:
    """``cvt.rzi`` saturates at the limits of its 32 or 64 bits.  It gives 0 for a NaN from f32
    to 32 bits, and something else in the other cases."""
    is_signed = node.op is CastOp.FPTOSI_SAT
    value = b.use(node.operand)
    from_ = register_type(node.operand.type, b.loc)
    at = register_width(target)
    to = (signed if is_signed else unsigned)(at)
    dst = b.result(node.result)
    narrow = target < 32
    guard = at == 64 or from_ is Type.F64
    number = b.compute(bits(at), "cvt.rzi", (to, from_), value) if guard or narrow else dst
    if not guard and not narrow:
        b.op("cvt.rzi", (to, from_), dst, value)
        return
    if guard:
        nan = b.setp("nan", from_, value, value)
        out = b.temp(Type.B32) if narrow else dst
        b.op("selp", bits(at), out, Imm(0), number, nan)
        number = out
    if not narrow:
        return
    if is_signed:
        mask_into(b, target, dst, clamp_signed(b, target, number))
    else:
        b.op("min", Type.U32, dst, number, Imm((1 << target) - 1))


def _bitcast(b: FunctionBuilder, node: Cast) -> None:
    source, target = node.operand.type, node.result.type
    value = b.use(node.operand)
    match source, target:
        case (IntType(), IntType()) | (FloatType(), FloatType()):
            b.bind(node.result, value)
        case _:
            ty = register_type(target, b.loc)
            if isinstance(value, FloatImm):
                b.bind(node.result, integer(value.bits, 64 if ty is Type.B64 else 32))
                return
            wide = ty in (Type.B64, Type.F64)
            b.op("mov", Type.B64 if wide else Type.B32, b.result(node.result), value)


# -------------------------------------------------------------------------- address spaces


def _address_space(b: FunctionBuilder, node: Cast) -> None:
    source, target = node.operand.type, node.result.type
    assert isinstance(source, PtrType)
    assert isinstance(target, PtrType)
    if source.space is target.space:
        b.bind(node.result, b.use(node.operand))
    elif target.space is AddressSpace.GENERIC:
        if source.space is AddressSpace.PARAM and not b.module.arch.has_cvta_param:
            _param_copy_to_generic(b, node)
            return
        space = space_of(b, source)
        b.op(f"cvta.{space}", Type.U64, b.result(node.result), b.use(node.operand))
    else:
        space = space_of(b, target)
        b.op(f"cvta.to.{space}", Type.U64, b.result(node.result), b.use(node.operand))


def space_of(b: FunctionBuilder, ty: KirType) -> Space:
    """The state space that a pointer of type ``ty`` is used in."""
    assert isinstance(ty, PtrType)
    space = SPACES[ty.space]
    return b.module.const_space if space is Space.CONST else space


def _param_copy_to_generic(b: FunctionBuilder, node: Cast) -> None:
    """Before sm_70 and PTX 7.7 a parameter has no generic address: the local copy of all
    aggregate parameters, laid out like them, has one."""
    copy = b.param_copy
    assert copy is not None
    address = b.use_address(node.operand)
    start = b.temp(Type.B64)
    b.move(start, Symbol(copy.name))
    generic = b.compute(Type.B64, "cvta.local", Type.U64, start)
    if isinstance(address.base, Symbol):
        offset = copy.offsets[address.base.name] + address.offset
    else:
        first = b.temp(Type.B64)
        b.move(first, Symbol(copy.first))
        distance = b.compute(Type.B64, "sub", Type.S64, address.base, first)
        generic = b.compute(Type.B64, "add", Type.S64, generic, distance)
        offset = copy.offsets[copy.first] + address.offset
    b.op("add", Type.S64, b.result(node.result), generic, Imm(offset))
