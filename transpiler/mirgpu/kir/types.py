"""Types of kir values.

kir has no aggregate values: structs, enums and arrays live in memory (``Alloca``, globals,
parameters), at byte offsets, until SROA and mem2reg turn their scalar parts into values.
Integers have no sign, as in LLVM: the operation has it.
"""

from enum import Enum
from typing import final

from mirgpu.node import node


class AddressSpace(Enum):
    """Where a pointer points, in PTX ISA's words."""

    GENERIC = "generic"
    GLOBAL = "global"
    SHARED = "shared"
    CONST = "const"
    LOCAL = "local"
    PARAM = "param"
    """By-value aggregate parameters of a kernel; read only."""


@final
@node
class IntType:
    """``i8 i16 i32 i64 i128``, and ``i1``: a bool, one byte of 0 or 1 in memory."""

    width: int


@final
@node
class FloatType:
    """``f16 f32 f64``."""

    width: int


@final
@node
class PtrType:
    """``ptr.SPACE``: eight bytes in memory, whatever the space."""

    space: AddressSpace


Type = IntType | FloatType | PtrType

I1 = IntType(1)
I8 = IntType(8)
I16 = IntType(16)
I32 = IntType(32)
I64 = IntType(64)
I128 = IntType(128)
F16 = FloatType(16)
F32 = FloatType(32)
F64 = FloatType(64)
PTR = PtrType(AddressSpace.GENERIC)
"""A generic pointer: what every Rust pointer and reference is in memory."""


def size_of(ty: Type) -> int:
    """Bytes that a value of ``ty`` takes in memory; also its natural alignment."""
    match ty:
        case IntType(width=1):
            return 1
        case IntType(width=width) | FloatType(width=width):
            return width // 8
        case PtrType():
            return 8
