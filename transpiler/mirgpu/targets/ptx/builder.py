"""The state of one function's instruction selection: registers, values, lines so far.

A kir value is a PTX operand; a pointer whose address is ``[base+offset]`` with a constant
offset, and that only loads and stores use, stays an ``Address`` and costs no instruction.
"""

from dataclasses import dataclass, field
from typing import assert_never, final

from mirgpu.kir.ops import FloatConst, IntConst, Location, PtrConst, Undef, Value
from mirgpu.kir.ops import Operand as KirOperand
from mirgpu.kir.types import FloatType
from mirgpu.node import node
from mirgpu.targets.ptx.arch import Arch
from mirgpu.targets.ptx.ir import (
    Address,
    Comment,
    Compute,
    FloatImm,
    Guard,
    Imm,
    Label,
    Line,
    Loc,
    LocalVar,
    Operand,
    Pair,
    Reg,
    Space,
    Symbol,
    Type,
)
from mirgpu.targets.ptx.options import PtxOptions
from mirgpu.targets.ptx.regs import Registers, UniqueNames, identifier
from mirgpu.targets.ptx.source import SourceMap
from mirgpu.targets.ptx.tables import register_type

Scalar = Reg | Imm | FloatImm


@final
@dataclass
class ModuleState:
    """What functions share: options, names, and what they found out they need."""

    arch: Arch
    options: PtxOptions
    source: SourceMap
    const_space: Space
    """Where constants lie: ``.const``, or ``.global`` where they do not fit."""
    variable_names: dict[str, str]
    """A kir symbol's name in PTX."""
    signatures: dict[str, tuple[Type, ...]]
    """The results of each device function, as registers."""
    panic_record_bytes: int
    helpers: dict[str, None] = field(default_factory=dict)
    panics: bool = False


@final
@node
class ParamCopy:
    """A copy in local memory of a kernel's aggregate parameters: its name, each parameter's
    offset in it, and the first parameter."""

    name: str
    offsets: dict[str, int]
    first: str


@final
class FunctionBuilder:
    """Appends lines to one function."""

    def __init__(self, module: ModuleState, names: UniqueNames) -> None:
        self.module = module
        self.regs = Registers()
        self.lines: list[Line] = []
        self.locals: list[LocalVar] = []
        self.loc: Location | None = None
        self.labels = UniqueNames()
        self.local_names = names
        self._values: dict[Value, Scalar] = {}
        self._addresses: dict[Value, Address] = {}
        self._place: str | None = None
        self._written_places: set[Loc] = set()
        self.block_memo: dict[tuple[object, ...], Reg] = {}
        """Address computations of the block at hand, to be used again in it."""
        self.used_as_value: set[Value] = set()
        """Values with a use that is not the address of a load or store, nor a base."""
        self.extended_from: dict[KirOperand, tuple[Scalar, Type]] = {}
        """64-bit values that extend a 32-bit one: that one, and ``.u32`` or ``.s32``."""
        self.param_copy: ParamCopy | None = None

    # ------------------------------------------------------------------------- lines

    def emit(self, line: Line) -> None:
        self.lines.append(line)

    def start_block(self) -> None:
        """Forgets what holds in one block only, and the place, which a jump changes."""
        self.block_memo.clear()
        self.loc = None
        self._place = None

    def at(self, loc: Location | None) -> None:
        """Marks that what follows comes from ``loc``."""
        if loc is None or loc is self.loc:
            return
        self.loc = loc
        place = self.module.source.comment(loc)
        if place != self._place:
            self._place = place
            self.emit(Comment(place))
        if self.module.options.debug:
            self.lines += self.module.source.directives(loc, self._written_places)

    def label(self, name: str) -> None:
        self.emit(Label(name))

    def fresh_label(self, hint: str) -> str:
        return "$" + self.labels.pick(identifier(hint))

    # --------------------------------------------------------------------- registers

    def temp(self, ty: Type) -> Reg:
        return self.regs.new(ty)

    def op(self, opcode: str, types: Type | tuple[Type, ...], dst: Reg, *srcs: Operand) -> None:
        """Appends ``opcode.type… dst, srcs…``."""
        self.lines.append(
            Compute(opcode, types if isinstance(types, tuple) else (types,), dst, srcs)
        )

    def compute(
        self, register: Type, opcode: str, types: Type | tuple[Type, ...], *srcs: Operand
    ) -> Reg:
        """Like ``op``, into a fresh register of type ``register``."""
        dst = self.regs.new(register)
        self.op(opcode, types, dst, *srcs)
        return dst

    def move(self, dst: Reg, src: Scalar | Symbol) -> None:
        self.op("mov", Type.U64 if isinstance(src, Symbol) else dst.type, dst, src)

    def split(self, src: Scalar, low: Reg, high: Reg) -> None:
        """The two halves of a 64-bit value."""
        self.lines.append(Compute("mov", (Type.B64,), Pair(low, high), (src,)))

    def setp(self, comparison: str, ty: Type, a: Operand, b: Operand) -> Reg:
        return self.compute(Type.PRED, f"setp.{comparison}", ty, a, b)

    def true_if(self, pred: Reg) -> Guard:
        return Guard(pred, negated=False)

    # ------------------------------------------------------------------------ values

    def register_type(self, value: Value) -> Type:
        return register_type(value.type, self.loc)

    def result(self, value: Value) -> Reg:
        """A register for ``value``, named after it, and bound to it."""
        reg = self.regs.new(self.register_type(value), value.name)
        self._values[value] = reg
        return reg

    def bind(self, value: Value, operand: Scalar) -> None:
        self._values[value] = operand

    def bind_address(self, value: Value, address: Address) -> None:
        self._addresses[value] = address

    def use(self, operand: KirOperand) -> Scalar:
        """The operand as a register or immediate; ``i1`` constants become registers."""
        match operand:
            case Value():
                known = self._values.get(operand)
                return known if known is not None else self.materialise(self._addresses[operand])
            case IntConst(type=ty, value=value):
                if ty.width == 1:
                    return self.predicate_constant(value)
                register_type(ty, self.loc)
                return integer(value, 64 if ty.width == 64 else 32)
            case FloatConst(type=float_type, bits=bits):
                return FloatImm(register_type(float_type, self.loc), bits)
            case PtrConst(address=number):
                return integer(number, 64)
            case Undef(type=FloatType() as float_type):
                return FloatImm(register_type(float_type, self.loc), 0)
            case Undef(type=other):
                if register_type(other, self.loc) is Type.PRED:
                    return self.predicate_constant(0)
                return Imm(0)
            case _:
                assert_never(operand)

    def use_reg(self, operand: KirOperand) -> Reg:
        """The operand in a register."""
        return self.in_register(self.use(operand), register_type(operand.type, self.loc))

    def in_register(self, operand: Scalar, ty: Type) -> Reg:
        if isinstance(operand, Reg):
            return operand
        reg = self.temp(ty)
        self.move(reg, operand)
        return reg

    def predicate_constant(self, value: int) -> Reg:
        reg = self.temp(Type.PRED)
        self.move(reg, Imm(value))
        return reg

    def use_address(self, operand: KirOperand) -> Address:
        """Where a pointer points, to load or store."""
        if isinstance(operand, Value):
            known = self._addresses.get(operand)
            if known is not None:
                return known
        return Address(self.use_reg(operand), 0)

    def materialise(self, address: Address) -> Reg:
        """The address as a value in a register."""
        base = address.base
        if isinstance(base, Reg) and address.offset == 0:
            return base
        reg = self.temp(Type.B64)
        self.materialise_into(reg, address)
        return reg

    def materialise_into(self, dst: Reg, address: Address) -> None:
        base = address.base
        if isinstance(base, Symbol):
            if address.offset == 0:
                self.move(dst, base)
                return
            reg = self.temp(Type.B64)
            self.move(reg, base)
            base = reg
        self.op("add", Type.S64, dst, base, Imm(address.offset))


def integer(value: int, width: int) -> Imm:
    """``value``'s low ``width`` bits, written as a signed number."""
    value &= (1 << width) - 1
    return Imm(value - (1 << width) if value >> (width - 1) else value)
