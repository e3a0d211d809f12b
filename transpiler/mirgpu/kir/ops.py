"""Instructions and terminators of kir: SSA, typed, with block arguments, target-neutral.

Datatypes only.  Nodes are final and frozen; a pass builds new ones.  A value is defined once,
by a parameter of its function or block or by an instruction of it.  The textual form of each
node stands in its docstring; ``kir.printer`` writes it, ``kir.parser`` reads it back.

What is undefined in Rust (MIR's ``Unchecked`` operations, an out-of-range pointer) is undefined
here, and an error in the interpreter.  Loading uninitialised bytes gives ``undef``, as Rust's
copies of padding and ``MaybeUninit`` need; computing with ``undef`` is an error in the
interpreter, passing it on (store, block argument, select's value operands) is not.
"""

from dataclasses import dataclass
from enum import Enum
from typing import final

from mirgpu.kir.types import FloatType, IntType, PtrType, Type
from mirgpu.node import node

# ----------------------------------------------------------------------------- locations


@final
@node
class Location:
    """The Rust source of an instruction: the innermost span, and where it was inlined.

    Lines and columns count from 1.  ``function`` is the path of the function whose text this
    is, ``inlined_at`` the place of the call in its caller, up to the kernel.
    """

    file: str
    line: int
    col: int
    function: str | None = None
    inlined_at: "Location | None" = None


# -------------------------------------------------------------------------------- values


@final
@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """An SSA value, equal only to itself.  ``name`` is a hint: the Rust variable, if any."""

    type: Type
    name: str | None = None


@final
@node
class IntConst:
    """``7:i32``: the bits as an unsigned integer below 2**width."""

    type: IntType
    value: int


@final
@node
class FloatConst:
    """``0x3f800000:f32``: the bits, so that NaNs and zeros keep their identity."""

    type: FloatType
    bits: int


@final
@node
class PtrConst:
    """``0x10:ptr.generic``: an integer used as a pointer (dangling, null)."""

    type: PtrType
    address: int


@final
@node
class Undef:
    """``undef:i32``: uninitialised."""

    type: Type


Const = IntConst | FloatConst | PtrConst | Undef
Operand = Value | Const

# ---------------------------------------------------------------------------- operations


class BinaryOp(Enum):
    """Two operands and a result of one type.

    ``add sub mul`` wrap.  ``udiv sdiv urem srem`` by zero and ``sdiv srem`` of MIN by -1 are
    undefined, as are shifts by the width or more.  ``fadd fsub fmul fdiv`` round to nearest
    even, never fused; ``frem`` is C's fmod, as Rust's ``%``.  ``fminnum fmaxnum`` return the
    other operand for one NaN (IEEE 754-2019 minimumNumber, either zero for two zeros);
    ``fminimum fmaximum`` return NaN, and order -0.0 below +0.0.
    """

    ADD = "add"
    SUB = "sub"
    MUL = "mul"
    UDIV = "udiv"
    SDIV = "sdiv"
    UREM = "urem"
    SREM = "srem"
    AND = "and"
    OR = "or"
    XOR = "xor"
    SHL = "shl"
    LSHR = "lshr"
    ASHR = "ashr"
    UMIN = "umin"
    UMAX = "umax"
    SMIN = "smin"
    SMAX = "smax"
    UADD_SAT = "uadd.sat"
    SADD_SAT = "sadd.sat"
    USUB_SAT = "usub.sat"
    SSUB_SAT = "ssub.sat"
    ROTL = "rotl"
    ROTR = "rotr"
    """Rotations take their amount modulo the width."""
    FADD = "fadd"
    FSUB = "fsub"
    FMUL = "fmul"
    FDIV = "fdiv"
    FREM = "frem"
    FMINNUM = "fminnum"
    FMAXNUM = "fmaxnum"
    FMINIMUM = "fminimum"
    FMAXIMUM = "fmaximum"
    FCOPYSIGN = "fcopysign"


class OverflowOp(Enum):
    """Two operands; results are the wrapped value and an ``i1`` that tells overflow."""

    UADD = "uadd.overflow"
    SADD = "sadd.overflow"
    USUB = "usub.overflow"
    SSUB = "ssub.overflow"
    UMUL = "umul.overflow"
    SMUL = "smul.overflow"


class UnaryOp(Enum):
    """One operand and a result of its type.

    ``ctlz cttz`` of zero give the width.  ``fneg fabs`` change the sign bit alone, of NaNs
    too.  ``fround`` rounds half away from zero, ``froundeven`` half to even.
    """

    CTPOP = "ctpop"
    CTLZ = "ctlz"
    CTTZ = "cttz"
    BSWAP = "bswap"
    BITREVERSE = "bitreverse"
    FNEG = "fneg"
    FABS = "fabs"
    FSQRT = "fsqrt"
    FFLOOR = "ffloor"
    FCEIL = "fceil"
    FTRUNC = "ftrunc"
    FROUND = "fround"
    FROUNDEVEN = "froundeven"


class CompareOp(Enum):
    """Result ``i1``.  Integers and pointers: ``eq ne ult ule ugt uge slt sle sgt sge``.
    Floats: ``feq flt fle fgt fge`` are false and ``fne`` true where an operand is NaN."""

    EQ = "eq"
    NE = "ne"
    ULT = "ult"
    ULE = "ule"
    UGT = "ugt"
    UGE = "uge"
    SLT = "slt"
    SLE = "sle"
    SGT = "sgt"
    SGE = "sge"
    FEQ = "feq"
    FNE = "fne"
    FLT = "flt"
    FLE = "fle"
    FGT = "fgt"
    FGE = "fge"


class CastOp(Enum):
    """``fptosi.sat fptoui.sat`` saturate, NaN gives 0.  ``bitcast`` is between an integer and
    a float of one width.  ``addrspacecast`` changes a pointer's space, not what it points to;
    ``ptrtoint inttoptr`` are between ``i64`` and a generic pointer."""

    TRUNC = "trunc"
    ZEXT = "zext"
    SEXT = "sext"
    FPTRUNC = "fptrunc"
    FPEXT = "fpext"
    SITOFP = "sitofp"
    UITOFP = "uitofp"
    FPTOSI_SAT = "fptosi.sat"
    FPTOUI_SAT = "fptoui.sat"
    BITCAST = "bitcast"
    PTRTOINT = "ptrtoint"
    INTTOPTR = "inttoptr"
    ADDRSPACECAST = "addrspacecast"


class Axis(Enum):
    X = "x"
    Y = "y"
    Z = "z"


class SpecialRegister(Enum):
    """PTX ISA's names: thread in block, block size, block in grid, grid size; all ``i32``."""

    TID = "tid"
    NTID = "ntid"
    CTAID = "ctaid"
    NCTAID = "nctaid"


# -------------------------------------------------------------------------- instructions


@final
@node
class Binary:
    """``%r:i32 = add %a, %b``"""

    result: Value
    op: BinaryOp
    lhs: Operand
    rhs: Operand
    loc: Location | None


@final
@node
class Overflow:
    """``%r:i32, %o:i1 = uadd.overflow %a, %b``"""

    result: Value
    overflow: Value
    op: OverflowOp
    lhs: Operand
    rhs: Operand
    loc: Location | None


@final
@node
class Unary:
    """``%r:f32 = fneg %a``"""

    result: Value
    op: UnaryOp
    operand: Operand
    loc: Location | None


@final
@node
class FusedMulAdd:
    """``%r:f32 = fma %a, %b, %c``: a*b+c, rounded once."""

    result: Value
    a: Operand
    b: Operand
    c: Operand
    loc: Location | None


@final
@node
class Compare:
    """``%r:i1 = ult %a, %b``"""

    result: Value
    op: CompareOp
    lhs: Operand
    rhs: Operand
    loc: Location | None


@final
@node
class Select:
    """``%r:i32 = select %c, %a, %b``"""

    result: Value
    cond: Operand
    if_true: Operand
    if_false: Operand
    loc: Location | None


@final
@node
class Cast:
    """``%r:i64 = zext %a``: the types are those of the result and the operand."""

    result: Value
    op: CastOp
    operand: Operand
    loc: Location | None


@final
@node
class Alloca:
    """``%r:ptr.local = alloca size 12, align 4``: one slot a thread, uninitialised.

    Only in the entry block of a function.
    """

    result: Value
    size: int
    align: int
    loc: Location | None


@final
@node
class PtrAdd:
    """``%r:ptr.global = ptradd %base, %index * 4 + 8``: base + index*stride + offset bytes.

    ``index`` is an ``i64``; the sum is modulo 2**64.  The result has the base's space.  A
    result outside the object may exist, but not be read or written.
    """

    result: Value
    base: Operand
    index: Operand
    stride: int
    offset: int
    loc: Location | None


@final
@node
class GlobalAddr:
    """``%r:ptr.shared = globaladdr @tile``"""

    result: Value
    symbol: str
    loc: Location | None


@final
@node
class Load:
    """``%r:f32 = load %p, align 4``, ``load volatile %p, align 4``.

    The result may be ``undef``.  An ``i1`` in memory must be 0 or 1.
    """

    result: Value
    ptr: Operand
    align: int
    volatile: bool
    loc: Location | None


@final
@node
class Store:
    """``store %v, %p, align 4``, ``store volatile %v, %p, align 4``"""

    value: Operand
    ptr: Operand
    align: int
    volatile: bool
    loc: Location | None


@final
@node
class MemCopy:
    """``memcopy %dst, %src, %n, align 4``, ``memmove …`` where the two may overlap.

    ``size`` is an ``i64`` in bytes; uninitialised bytes stay so.  ``align`` holds for both.
    """

    dst: Operand
    src: Operand
    size: Operand
    align: int
    may_overlap: bool
    loc: Location | None


@final
@node
class MemSet:
    """``memset %dst, %byte, %n, align 1``: ``byte`` is an ``i8``, ``size`` an ``i64``."""

    dst: Operand
    byte: Operand
    size: Operand
    align: int
    loc: Location | None


@final
@node
class Call:
    """``%r:i32 = call @f(%a, %b)``; none, one or several results."""

    results: tuple[Value, ...]
    callee: str
    args: tuple[Operand, ...]
    loc: Location | None


@final
@node
class ReadSpecial:
    """``%r:i32 = read tid.x``"""

    result: Value
    register: SpecialRegister
    axis: Axis
    loc: Location | None


@final
@node
class Barrier:
    """``barrier``: all threads of the block wait here, and see each other's writes after."""

    loc: Location | None


Instruction = (
    Binary
    | Overflow
    | Unary
    | FusedMulAdd
    | Compare
    | Select
    | Cast
    | Alloca
    | PtrAdd
    | GlobalAddr
    | Load
    | Store
    | MemCopy
    | MemSet
    | Call
    | ReadSpecial
    | Barrier
)

# --------------------------------------------------------------------------- terminators


@final
@node
class Target:
    """``label(%a, %b)``: a block and the arguments for its parameters."""

    label: str
    args: tuple[Operand, ...] = ()


@final
@node
class Br:
    """``br loop(%i)``"""

    target: Target
    loc: Location | None


@final
@node
class CondBr:
    """``condbr %c, then(), else()``"""

    cond: Operand
    if_true: Target
    if_false: Target
    loc: Location | None


@final
@node
class Switch:
    """``switch %v, [0: a(), 1: b()], default c()``; case values are unsigned bits."""

    value: Operand
    cases: tuple[tuple[int, Target], ...]
    default: Target
    loc: Location | None


@final
@node
class Return:
    """``return %a``; as many values as the function has results."""

    values: tuple[Operand, ...]
    loc: Location | None


@final
@node
class Unreachable:
    """``unreachable``: undefined if reached."""

    loc: Location | None


@final
@node
class Panic:
    """``panic 3(%len, %i)``: report panic site 3 of the module with these operands, and end
    the thread."""

    site: int
    operands: tuple[Operand, ...]
    loc: Location | None


Terminator = Br | CondBr | Switch | Return | Unreachable | Panic
