"""Functions, globals and modules of kir.  Datatypes only; see ``kir.ops``."""

from enum import Enum
from typing import final

from mirgpu.kir.ops import Instruction, Location, Terminator, Value
from mirgpu.kir.types import AddressSpace, Type
from mirgpu.node import node


@final
@node
class Block:
    """A label, its parameters, straight-line instructions and one terminator."""

    label: str
    params: tuple[Value, ...]
    instructions: tuple[Instruction, ...]
    terminator: Terminator


class FunctionKind(Enum):
    KERNEL = "kernel"
    DEVICE = "device"


class ParamRole(Enum):
    """What a kernel parameter's bytes are; for device functions all are ``VALUE``."""

    VALUE = "value"
    """A scalar, or (type ``ptr.param``) the address of a by-value aggregate."""
    SLICE_PTR = "slice.ptr"
    SLICE_LEN = "slice.len"
    """The two halves of one 16-byte slice parameter; they stand next to each other."""


@final
@node
class Param:
    """A function parameter.

    ``size`` and ``align`` are those of the Rust type in the ABI for ``VALUE`` kernel
    parameters (an aggregate's bytes); for the other roles, of this half.
    ``freeze`` marks what points to memory that the kernel only reads through a shared
    reference of a ``Freeze`` type, straight from a kernel parameter (decision on aliasing).
    """

    value: Value
    role: ParamRole
    size: int
    align: int
    freeze: bool = False


@final
@node
class Function:
    """``blocks[0]`` is the entry; it has no parameters and no predecessor."""

    name: str
    """The symbol: a valid identifier in PTX and C."""
    rust_name: str
    kind: FunctionKind
    params: tuple[Param, ...]
    results: tuple[Type, ...]
    blocks: tuple[Block, ...]
    loc: Location | None
    inline_never: bool = False


@final
@node
class GlobalReloc:
    """At ``offset``, eight bytes hold the generic address of ``symbol`` plus ``addend``."""

    offset: int
    symbol: str
    addend: int


@final
@node
class Global:
    """Memory with a name: a constant (``CONST`` or ``GLOBAL``) or a block's shared array.

    ``data`` is none for uninitialised memory (always for ``SHARED``).
    """

    symbol: str
    space: AddressSpace
    size: int
    align: int
    data: bytes | None
    relocs: tuple[GlobalReloc, ...]
    mutable: bool
    loc: Location | None


class FormatTrait(Enum):
    """How an operand of a panic message is shown."""

    DISPLAY = "display"
    DEBUG = "debug"
    LOWER_HEX = "lower_hex"
    UPPER_HEX = "upper_hex"


@final
@node
class PanicOperand:
    """``kind`` is a Rust scalar type's name: ``u8 … i64 usize isize f32 f64 bool char``."""

    kind: str
    trait: FormatTrait


@final
@node
class PanicSite:
    """One place that can panic.  ``message`` holds ``{0}``, ``{1}`` … for its operands, with
    ``{{`` and ``}}`` for braces."""

    message: str
    operands: tuple[PanicOperand, ...]
    loc: Location | None


@final
@node
class Module:
    functions: tuple[Function, ...]
    globals: tuple[Global, ...]
    panics: tuple[PanicSite, ...]
