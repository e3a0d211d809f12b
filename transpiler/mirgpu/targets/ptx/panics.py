"""The end of a panicking thread: a record in the module's panic buffer, then ``exit``.

The layout is that of ``mirgpu.runtime.manifest.PanicBuffer``.  The code stands inline in the
block that panics, and such blocks stand last in their function.
"""

from mirgpu.kir.module import Module
from mirgpu.kir.ops import Panic
from mirgpu.kir.types import FloatType, IntType
from mirgpu.kir.types import Type as KirType
from mirgpu.targets.ptx.builder import FunctionBuilder, Scalar
from mirgpu.targets.ptx.integer import zero_or_one
from mirgpu.targets.ptx.ir import (
    Address,
    Atom,
    Exit,
    Guard,
    Imm,
    Reg,
    Space,
    SpecialReg,
    Store,
    Symbol,
    Trap,
    Type,
)

SYMBOL = "mirgpu_panics"
CAPACITY = 32
HEADER_BYTES = 16
FIXED_BYTES = 32
_COORDINATES = ("%ctaid.x", "%ctaid.y", "%ctaid.z", "%tid.x", "%tid.y", "%tid.z")


def record_bytes(module: Module) -> int:
    """The size of one record: room for the operands of the site that has most."""
    return FIXED_BYTES + 8 * max((len(site.operands) for site in module.panics), default=0)


def panic(b: FunctionBuilder, node: Panic) -> None:
    if b.module.options.panic == "trap":
        b.emit(Trap())
        b.emit(Exit(None))
        return
    b.module.panics = True
    size = b.module.panic_record_bytes
    slot = b.temp(Type.B32)
    count = Address(Symbol(SYMBOL), 0)
    b.emit(Atom(Space.GLOBAL, "add", Type.U32, slot, count, Imm(1)))
    b.emit(Exit(Guard(b.setp("ge", Type.U32, slot, Imm(CAPACITY)), negated=False)))
    start = b.temp(Type.B64)
    b.move(start, Symbol(SYMBOL))
    record = b.compute(Type.B64, "mad.wide", Type.U32, slot, Imm(size), start)

    def write(at: int, ty: Type, value: Scalar) -> None:
        address = Address(record, HEADER_BYTES + at)
        b.emit(Store(Space.GLOBAL, False, ty, address, value))

    write(0, Type.U32, Imm(node.site))
    for index, name in enumerate(_COORDINATES):
        coordinate = b.compute(Type.B32, "mov", Type.U32, SpecialReg(name))
        write(4 + 4 * index, Type.U32, coordinate)
    write(FIXED_BYTES - 4, Type.U32, Imm(0))
    for index, operand in enumerate(node.operands):
        value = _as_u64(b, operand.type, b.use(operand))
        write(FIXED_BYTES + 8 * index, Type.U64, value)
    b.emit(Exit(None))


def _as_u64(b: FunctionBuilder, ty: KirType, value: Scalar) -> Scalar:
    """The operand's bits, zero extended."""
    match ty:
        case IntType(width=1):
            assert isinstance(value, Reg)
            return zero_or_one(b, value, Type.B64)
        case IntType(width=8 | 16 | 32):
            return b.compute(Type.B64, "cvt", (Type.U64, Type.U32), value)
        case FloatType(width=32):
            low = b.compute(Type.B32, "mov", Type.B32, value)
            return b.compute(Type.B64, "cvt", (Type.U64, Type.U32), low)
        case FloatType(width=64):
            return b.compute(Type.B64, "mov", Type.B64, value)
        case _:
            return value
