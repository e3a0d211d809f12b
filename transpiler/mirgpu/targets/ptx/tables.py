"""How kir's types and operations are spelled in PTX, where that is a table.

What needs more than one instruction is in ``integer.py``, ``floating.py`` and ``convert.py``.
"""

from typing import assert_never

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.kir import ops
from mirgpu.kir.ops import BinaryOp, CompareOp, OverflowOp, SpecialRegister, UnaryOp
from mirgpu.kir.types import AddressSpace, FloatType, IntType, PtrType
from mirgpu.kir.types import Type as KirType
from mirgpu.targets.ptx.ir import Space, Type

SPACES: dict[AddressSpace, Space] = {
    AddressSpace.GENERIC: Space.GENERIC,
    AddressSpace.GLOBAL: Space.GLOBAL,
    AddressSpace.SHARED: Space.SHARED,
    AddressSpace.CONST: Space.CONST,
    AddressSpace.LOCAL: Space.LOCAL,
    AddressSpace.PARAM: Space.PARAM,
}

# An ``i8`` or ``i16`` in its register is zero extended, so that unsigned operations need no
# preparation.  "sign": the operation reads its operands sign extended.  "mask": it can leave
# bits above the width.
INTEGER: dict[BinaryOp, tuple[str, bool, bool, bool]] = {
    # op: (opcode, type suffix is signed, operands sign extended, result masked)
    BinaryOp.ADD: ("add", True, False, True),
    BinaryOp.SUB: ("sub", True, False, True),
    BinaryOp.MUL: ("mul.lo", True, False, True),
    BinaryOp.UDIV: ("div", False, False, False),
    BinaryOp.SDIV: ("div", True, True, True),
    BinaryOp.UREM: ("rem", False, False, False),
    BinaryOp.SREM: ("rem", True, True, True),
    BinaryOp.UMIN: ("min", False, False, False),
    BinaryOp.UMAX: ("max", False, False, False),
    BinaryOp.SMIN: ("min", True, True, True),
    BinaryOp.SMAX: ("max", True, True, True),
}

BITWISE: dict[BinaryOp, str] = {BinaryOp.AND: "and", BinaryOp.OR: "or", BinaryOp.XOR: "xor"}

FLOAT_EXACT: dict[BinaryOp, str] = {
    BinaryOp.FADD: "add.rn",
    BinaryOp.FSUB: "sub.rn",
    BinaryOp.FMUL: "mul.rn",
    BinaryOp.FDIV: "div.rn",
    BinaryOp.FMINNUM: "min",
    BinaryOp.FMAXNUM: "max",
}

# Without a rounding modifier these still round to nearest even, but ptxas may fuse them.
FLOAT_CONTRACT: dict[BinaryOp, str] = {
    BinaryOp.FADD: "add",
    BinaryOp.FSUB: "sub",
    BinaryOp.FMUL: "mul",
}

FLOAT_ROUND: dict[UnaryOp, str] = {
    UnaryOp.FFLOOR: "cvt.rmi",
    UnaryOp.FCEIL: "cvt.rpi",
    UnaryOp.FTRUNC: "cvt.rzi",
    UnaryOp.FROUNDEVEN: "cvt.rni",
}

FLOAT_REMAINDER: dict[Type, str] = {Type.F32: "fmod_f32", Type.F64: "fmod_f64"}
"""The helper that computes it: a template in ``helpers/``, whose function is ``mirgpu_NAME``."""

COMPARE_INTEGER: dict[CompareOp, tuple[str, bool]] = {
    # op: (comparison, signed)
    CompareOp.EQ: ("eq", False),
    CompareOp.NE: ("ne", False),
    CompareOp.ULT: ("lt", False),
    CompareOp.ULE: ("le", False),
    CompareOp.UGT: ("gt", False),
    CompareOp.UGE: ("ge", False),
    CompareOp.SLT: ("lt", True),
    CompareOp.SLE: ("le", True),
    CompareOp.SGT: ("gt", True),
    CompareOp.SGE: ("ge", True),
}

COMPARE_FLOAT: dict[CompareOp, str] = {
    CompareOp.FEQ: "eq",
    CompareOp.FNE: "neu",
    CompareOp.FLT: "lt",
    CompareOp.FLE: "le",
    CompareOp.FGT: "gt",
    CompareOp.FGE: "ge",
}

OVERFLOW: dict[OverflowOp, tuple[BinaryOp, bool]] = {
    # op: (the wrapping operation, signed)
    OverflowOp.UADD: (BinaryOp.ADD, False),
    OverflowOp.SADD: (BinaryOp.ADD, True),
    OverflowOp.USUB: (BinaryOp.SUB, False),
    OverflowOp.SSUB: (BinaryOp.SUB, True),
    OverflowOp.UMUL: (BinaryOp.MUL, False),
    OverflowOp.SMUL: (BinaryOp.MUL, True),
}

SPECIAL_REGISTERS: dict[SpecialRegister, str] = {
    SpecialRegister.TID: "%tid",
    SpecialRegister.NTID: "%ntid",
    SpecialRegister.CTAID: "%ctaid",
    SpecialRegister.NCTAID: "%nctaid",
}

_UNSIGNED = {8: Type.U8, 16: Type.U16, 32: Type.U32, 64: Type.U64}
_SIGNED = {8: Type.S8, 16: Type.S16, 32: Type.S32, 64: Type.S64}


def unsigned(width: int) -> Type:
    return _UNSIGNED[width]


def signed(width: int) -> Type:
    return _SIGNED[width]


def register_type(ty: KirType, loc: ops.Location | None) -> Type:
    """The register that holds a value of ``ty``.  Raises ``DiagnosticError`` where none does."""
    match ty:
        case IntType(width=1):
            return Type.PRED
        case IntType(width=8 | 16 | 32):
            return Type.B32
        case IntType(width=64) | PtrType():
            return Type.B64
        case FloatType(width=32):
            return Type.F32
        case FloatType(width=64):
            return Type.F64
        case IntType(width=width):
            raise unsupported_type(f"i{width}", loc)
        case FloatType(width=width):
            raise unsupported_type(f"f{width}", loc)
        case _:
            assert_never(ty)


def memory_type(ty: KirType, loc: ops.Location | None) -> Type:
    """The type of a load or store of ``ty``, and of a kernel parameter."""
    match ty:
        case IntType(width=1):
            return Type.U8
        case IntType(width=8 | 16 | 32 | 64 as width):
            return _UNSIGNED[width]
        case PtrType():
            return Type.U64
        case IntType() | FloatType():
            return register_type(ty, loc)
        case _:
            assert_never(ty)


def unsupported_type(name: str, loc: ops.Location | None) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code="MG0402",
            title=f"values of type {name} cannot be written as PTX yet",
            file=loc.file if loc else None,
            line=loc.line if loc else None,
            col=loc.col if loc else None,
            helps=("use integers of up to 64 bits, f32 or f64",),
        )
    )
