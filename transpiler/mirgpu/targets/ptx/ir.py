"""Typed PTX: registers, operands, instructions, functions and modules.  Datatypes only.

Names and suffixes are those of the PTX ISA.  How an instruction is spelled is a matter of the
templates; ``kind`` names the macro in ``instructions.ptx.j2`` that writes it.

Registers hold kir values so: an ``i1`` is a ``.pred``; ``i8 i16 i32`` are ``.b32``, zero
extended (each instruction that could leave higher bits set is followed by a mask); ``i64`` and
pointers of any space are ``.b64``; floats are ``.f32`` and ``.f64``.
"""

from enum import StrEnum
from typing import ClassVar, final

from mirgpu.node import node


class Type(StrEnum):
    """A type suffix, without its dot."""

    PRED = "pred"
    B8 = "b8"
    B32 = "b32"
    B64 = "b64"
    U8 = "u8"
    U16 = "u16"
    U32 = "u32"
    U64 = "u64"
    S8 = "s8"
    S16 = "s16"
    S32 = "s32"
    S64 = "s64"
    F32 = "f32"
    F64 = "f64"


REGISTER_TYPES = (Type.PRED, Type.B32, Type.B64, Type.F32, Type.F64)


class Space(StrEnum):
    """A state space; ``GENERIC`` is written by leaving it out."""

    GENERIC = "generic"
    GLOBAL = "global"
    SHARED = "shared"
    CONST = "const"
    LOCAL = "local"
    PARAM = "param"


# ------------------------------------------------------------------------------ operands


@final
@node
class Reg:
    """A virtual register; ``name`` includes the ``%``."""

    type: Type
    name: str


@final
@node
class Imm:
    """An integer as it is written: signed decimal."""

    value: int


@final
@node
class FloatImm:
    """A float by its bits: ``0f3F800000``, ``0d3FF0000000000000``."""

    type: Type
    bits: int


@final
@node
class Symbol:
    """A variable: its address as an operand of ``mov``, itself in an address."""

    name: str


@final
@node
class SpecialReg:
    """``%tid.x`` and the like, with the ``%``."""

    name: str


@final
@node
class Pair:
    """``{low, high}``: two 32-bit halves of a 64-bit ``mov``."""

    low: Reg
    high: Reg


Operand = Reg | Imm | FloatImm | Symbol | SpecialReg | Pair


@final
@node
class Address:
    """``[base+offset]``."""

    base: Reg | Symbol
    offset: int


@final
@node
class Guard:
    """``@%p`` or ``@!%p``."""

    pred: Reg
    negated: bool


# -------------------------------------------------------------------------- instructions


@final
@node
class Compute:
    """``opcode.type… dst, srcs…``: everything that reads and writes registers alone."""

    kind: ClassVar[str] = "compute"
    opcode: str
    types: tuple[Type, ...]
    dst: Reg | Pair
    srcs: tuple[Operand, ...]


@final
@node
class Load:
    kind: ClassVar[str] = "load"
    space: Space
    volatile: bool
    type: Type
    dst: Reg
    address: Address


@final
@node
class Store:
    kind: ClassVar[str] = "store"
    space: Space
    volatile: bool
    type: Type
    address: Address
    src: Reg | Imm | FloatImm


@final
@node
class Atom:
    """``atom.space.op.type dst, [address], src``."""

    kind: ClassVar[str] = "atom"
    space: Space
    op: str
    type: Type
    dst: Reg
    address: Address
    src: Reg | Imm


@final
@node
class Bra:
    kind: ClassVar[str] = "bra"
    label: str
    guard: Guard | None


@final
@node
class CallArg:
    """A ``.param`` of one call: its type and the value to pass."""

    name: str
    type: Type
    src: Reg | Imm | FloatImm


@final
@node
class CallResult:
    """A register that takes the bytes at ``offset`` of the call's result."""

    type: Type
    offset: int
    dst: Reg


@final
@node
class Call:
    """A direct call with its parameters' declarations, stores and loads in one scope.

    One result has its own type; several are packed in a byte array of ``result_bytes``.
    """

    kind: ClassVar[str] = "call"
    callee: str
    args: tuple[CallArg, ...]
    results: tuple[CallResult, ...]
    result_bytes: int


@final
@node
class Ret:
    kind: ClassVar[str] = "ret"


@final
@node
class Exit:
    kind: ClassVar[str] = "exit"
    guard: Guard | None


@final
@node
class Trap:
    kind: ClassVar[str] = "trap"


@final
@node
class BarSync:
    kind: ClassVar[str] = "bar_sync"
    barrier: int


# ---------------------------------------------------------------- what stands between them


@final
@node
class Label:
    kind: ClassVar[str] = "label"
    name: str


@final
@node
class Comment:
    kind: ClassVar[str] = "comment"
    text: str


@final
@node
class Loc:
    """``.loc file line col``; ``inlined`` adds the function and the place of its call."""

    kind: ClassVar[str] = "loc"
    file: int
    line: int
    col: int
    inlined: "InlinedAt | None"


@final
@node
class InlinedAt:
    """``name`` is a label in ``.debug_str``; the rest is the caller's place."""

    name: str
    file: int
    line: int
    col: int


Line = (
    Compute | Load | Store | Atom | Bra | Call | Ret | Exit | Trap | BarSync | Label | Comment | Loc
)

# ------------------------------------------------------------------------ what holds them


@final
@node
class Param:
    """A formal parameter.  ``size`` is none for a scalar, else that of a ``.b8`` array."""

    name: str
    type: Type
    align: int
    size: int | None


@final
@node
class RegisterGroup:
    """The registers of one type: ``named`` ones, and ``count`` numbered ones of ``prefix``."""

    type: Type
    named: tuple[str, ...]
    prefix: str
    count: int


@final
@node
class LocalVar:
    name: str
    size: int
    align: int


@final
@node
class Function:
    """``results`` of a device function: none or one parameter."""

    name: str
    rust_name: str
    place: str | None
    kernel: bool
    params: tuple[Param, ...]
    result: Param | None
    registers: tuple[RegisterGroup, ...]
    locals: tuple[LocalVar, ...]
    lines: tuple[Line, ...]


@final
@node
class AddressOf:
    """A word of a variable that holds ``generic(symbol) + addend``."""

    symbol: str
    addend: int


@final
@node
class Variable:
    """A module variable.  ``words`` initialise ``count`` elements of ``type``, from the first;
    the rest are zero."""

    name: str
    space: Space
    visible: bool
    align: int
    type: Type
    count: int
    words: tuple[int | AddressOf, ...]


@final
@node
class DebugString:
    label: str
    data: bytes


@final
@node
class Module:
    """``files`` are numbered from 1.  ``helpers`` name templates in ``helpers/``."""

    isa_version: str
    arch: str
    variables: tuple[Variable, ...]
    helpers: tuple[str, ...]
    functions: tuple[Function, ...]
    files: tuple[str, ...]
    debug_strings: tuple[DebugString, ...]
