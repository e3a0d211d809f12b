"""Loads, stores and addresses.

An access that is less aligned than its size is made of smaller ones, low bytes first.
"""

from mirgpu.kir.ops import Alloca, GlobalAddr, IntConst, Load, PtrAdd, Store
from mirgpu.kir.types import IntType, size_of
from mirgpu.kir.types import Type as KirType
from mirgpu.targets.ptx.builder import FunctionBuilder, Scalar, integer
from mirgpu.targets.ptx.convert import space_of
from mirgpu.targets.ptx.integer import predicate_into, zero_or_one
from mirgpu.targets.ptx.ir import (
    Address,
    FloatImm,
    Imm,
    LocalVar,
    Pair,
    Reg,
    Space,
    Symbol,
    Type,
)
from mirgpu.targets.ptx.ir import Load as PtxLoad
from mirgpu.targets.ptx.ir import Store as PtxStore
from mirgpu.targets.ptx.tables import memory_type, unsigned

_OFFSETS = range(-(1 << 31), 1 << 31)
_VOLATILE_SPACES = (Space.GENERIC, Space.GLOBAL, Space.SHARED)
"""The others are private to a thread or never change."""


def load(b: FunctionBuilder, node: Load) -> None:
    ty = node.result.type
    load_into(b, ty, b.result(node.result), b.use_address(node.ptr), node)


def load_into(b: FunctionBuilder, ty: KirType, dst: Reg, address: Address, node: Load) -> None:
    space = space_of(b, node.ptr.type)
    volatile = node.volatile and space in _VOLATILE_SPACES
    size = size_of(ty)
    if node.align < size:
        value = _load_parts(b, space, volatile, size, node.align, address)
        _from_bits(b, dst, value)
    elif ty == IntType(1):
        byte = b.temp(Type.B32)
        b.emit(PtxLoad(space, volatile, Type.U8, byte, address))
        predicate_into(b, dst, byte)
    else:
        b.emit(PtxLoad(space, volatile, memory_type(ty, b.loc), dst, address))


def store(b: FunctionBuilder, node: Store) -> None:
    ty = node.value.type
    space = space_of(b, node.ptr.type)
    volatile = node.volatile and space in _VOLATILE_SPACES
    address = b.use_address(node.ptr)
    value = b.use(node.value)
    if ty == IntType(1):
        assert isinstance(value, Reg)
        value = zero_or_one(b, value, Type.B32)
    size = size_of(ty)
    if node.align < size:
        _store_parts(b, space, volatile, size, node.align, address, _to_bits(b, value, size))
    else:
        b.emit(PtxStore(space, volatile, memory_type(ty, b.loc), address, value))


def shifted(address: Address, by: int) -> Address:
    return Address(address.base, address.offset + by)


# ------------------------------------------------------------------------ alignment below size


def _load_parts(
    b: FunctionBuilder, space: Space, volatile: bool, size: int, align: int, address: Address
) -> Reg:
    """``size`` bytes as bits in an integer register, in pieces of ``align``."""
    if size <= align:
        dst = b.temp(Type.B64 if size == 8 else Type.B32)
        b.emit(PtxLoad(space, volatile, unsigned(size * 8), dst, address))
        return dst
    half = size // 2
    low = _load_parts(b, space, volatile, half, align, address)
    high = _load_parts(b, space, volatile, half, align, shifted(address, half))
    if size == 8:
        whole = b.temp(Type.B64)
        b.op("mov", Type.B64, whole, Pair(low, high))
        return whole
    up = b.compute(Type.B32, "shl", Type.B32, high, Imm(half * 8))
    return b.compute(Type.B32, "or", Type.B32, up, low)


def _store_parts(
    b: FunctionBuilder,
    space: Space,
    volatile: bool,
    size: int,
    align: int,
    address: Address,
    value: Scalar,
) -> None:
    """The low ``size`` bytes of an integer register, in pieces of ``align``."""
    if size <= align:
        b.emit(PtxStore(space, volatile, unsigned(size * 8), address, value))
        return
    half = size // 2
    if size == 8:
        low, high = b.temp(Type.B32), b.temp(Type.B32)
        b.split(value, low, high)
    else:
        low = b.in_register(value, Type.B32)
        high = b.compute(Type.B32, "shr", Type.U32, low, Imm(half * 8))
    _store_parts(b, space, volatile, half, align, address, low)
    _store_parts(b, space, volatile, half, align, shifted(address, half), high)


def _to_bits(b: FunctionBuilder, value: Scalar, size: int) -> Scalar:
    """A float's bits in an integer register; integers as they are."""
    if isinstance(value, FloatImm):
        return integer(value.bits, size * 8)
    if isinstance(value, Reg) and value.type in (Type.F32, Type.F64):
        bits = Type.B64 if size == 8 else Type.B32
        return b.compute(bits, "mov", bits, value)
    return value


def _from_bits(b: FunctionBuilder, dst: Reg, bits: Reg) -> None:
    b.op("mov", bits.type, dst, bits)


# --------------------------------------------------------------------------------- addresses


def alloca(b: FunctionBuilder, node: Alloca) -> None:
    name = b.local_names.pick(f"local_{node.result.name or 'v'}")
    b.locals.append(LocalVar(name, max(node.size, 1), node.align))
    bind_symbol(b, node, name)


def global_address(b: FunctionBuilder, node: GlobalAddr) -> None:
    bind_symbol(b, node, b.module.variable_names[node.symbol])


def bind_symbol(b: FunctionBuilder, node: Alloca | GlobalAddr, name: str) -> None:
    """Accesses name the variable; other uses share one register, set here."""
    b.bind_address(node.result, Address(Symbol(name), 0))
    if node.result in b.used_as_value:
        b.move(b.result(node.result), Symbol(name))


def ptr_add(b: FunctionBuilder, node: PtrAdd) -> None:
    address = _ptr_add_address(b, node)
    if node.result not in b.used_as_value:
        b.bind_address(node.result, address)
    elif isinstance(address.base, Reg) and address.offset == 0:
        b.bind(node.result, address.base)
    else:
        b.materialise_into(b.result(node.result), address)


def _ptr_add_address(b: FunctionBuilder, node: PtrAdd) -> Address:
    start = b.use_address(node.base)
    offset = start.offset + node.offset
    index = node.index
    if isinstance(index, IntConst):
        number = index.value - (index.value >> 63 << 64)
        offset += number * node.stride
        return _folded(b, start.base, offset)
    if node.stride == 0:
        return _folded(b, start.base, offset)
    base = start.base
    key = (base, index, node.stride)
    known = b.block_memo.get(key)
    if known is None:
        origin = base if isinstance(base, Reg) else b.materialise(Address(base, 0))
        known = b.block_memo[key] = _scaled(b, origin, node)
    return _folded(b, known, offset)


def _scaled(b: FunctionBuilder, base: Reg, node: PtrAdd) -> Reg:
    """base + index * stride."""
    stride = node.stride
    narrow = b.extended_from.get(node.index) if not isinstance(node.index, IntConst) else None
    if narrow is not None and 0 < stride < 1 << 31:
        value, ty = narrow
        return b.compute(Type.B64, "mad.wide", ty, value, Imm(stride), base)
    index = b.use(node.index)
    if stride == 1:
        return b.compute(Type.B64, "add", Type.S64, base, index)
    if stride > 0 and stride & (stride - 1) == 0:
        scaled = b.compute(Type.B64, "shl", Type.B64, index, Imm(stride.bit_length() - 1))
        return b.compute(Type.B64, "add", Type.S64, base, scaled)
    return b.compute(Type.B64, "mad.lo", Type.S64, index, integer(stride, 64), base)


def _folded(b: FunctionBuilder, base: Reg | Symbol, offset: int) -> Address:
    """``[base+offset]``, with the offset in a register where it is too large to write."""
    offset = integer(offset, 64).value
    if offset in _OFFSETS:
        return Address(base, offset)
    origin = base if isinstance(base, Reg) else b.materialise(Address(base, 0))
    return Address(b.compute(Type.B64, "add", Type.S64, origin, Imm(offset)), 0)
