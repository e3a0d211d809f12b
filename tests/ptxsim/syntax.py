"""Parsed PTX: plain data."""

from dataclasses import dataclass, field
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Type:
    """``kind`` is b, u, s, f or pred; ``width`` in bits (1 for pred)."""

    kind: str
    width: int

    @property
    def size(self) -> int:
        return self.width // 8

    def __str__(self) -> str:
        return "pred" if self.kind == "pred" else f"{self.kind}{self.width}"


@final
@dataclass(frozen=True, slots=True)
class Register:
    """``ident`` is its name in generated code."""

    name: str
    type: Type
    ident: str


@final
@dataclass(slots=True)
class Variable:
    """A variable or parameter in memory.  ``size`` in bytes, none for an unsized array.

    ``initial`` holds the bytes; ``relocations`` the symbols whose addresses go into them:
    offset, symbol, addend, whether generic.
    """

    name: str
    space: str
    type: Type
    align: int
    size: int | None
    line: int
    initial: bytes | None = None
    relocations: tuple[tuple[int, str, int, bool], ...] = ()
    offset: int = 0


@final
@dataclass(frozen=True, slots=True)
class Special:
    """``%tid.x``, ``WARP_SZ``."""

    name: str


@final
@dataclass(frozen=True, slots=True)
class Symbol:
    """A variable (resolved) or a name of module scope, plus an offset."""

    name: str
    variable: Variable | None
    offset: int


@final
@dataclass(frozen=True, slots=True)
class Int:
    value: int


@final
@dataclass(frozen=True, slots=True)
class Float:
    """``width`` 32 and 64 for ``0f`` and ``0d`` literals (``bits``); 0 for a decimal."""

    width: int
    bits: int
    value: float


@final
@dataclass(frozen=True, slots=True)
class Not:
    """``!p``"""

    register: Register


@final
@dataclass(frozen=True, slots=True)
class Address:
    """``[base+offset]``"""

    base: "Register | Symbol | Int"
    offset: int


@final
@dataclass(frozen=True, slots=True)
class Vector:
    """``{a, b}``"""

    items: "tuple[Operand, ...]"


@final
@dataclass(frozen=True, slots=True)
class Pair:
    """``p|q``"""

    first: "Operand"
    second: "Operand"


@final
@dataclass(frozen=True, slots=True)
class Sink:
    """``_``"""


@final
@dataclass(frozen=True, slots=True)
class Group:
    """``(a, b)`` of a call."""

    items: "tuple[Operand, ...]"


Operand = Register | Special | Symbol | Int | Float | Not | Address | Vector | Pair | Sink | Group


@final
@dataclass(frozen=True, slots=True)
class Instruction:
    """``mods`` are the opcode's parts after the first."""

    line: int
    guard: tuple[bool, Register] | None
    opcode: str
    mods: tuple[str, ...]
    operands: tuple[Operand, ...]


@final
@dataclass(frozen=True, slots=True)
class Label:
    line: int
    name: str


@final
@dataclass(slots=True)
class Function:
    """``params`` and ``returns`` are ``Variable`` (``.param``) or ``Register`` (``.reg``)."""

    name: str
    entry: bool
    line: int
    params: list[Variable | Register] = field(default_factory=list)
    returns: list[Variable | Register] = field(default_factory=list)
    locals: list[Variable] = field(default_factory=list)
    call_params: list[Variable] = field(default_factory=list)
    body: list[Instruction | Label] = field(default_factory=list)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    reqntid: tuple[int, int, int] | None = None
    maxntid: int | None = None
    defined: bool = False


@final
@dataclass(slots=True)
class Module:
    version: str
    target: str
    variables: dict[str, Variable] = field(default_factory=dict)
    functions: dict[str, Function] = field(default_factory=dict)
