"""Typed MIR: what rustc prints, in rustc's own words.

Every node is final and frozen and holds data only.  A field is a ``str`` only where the
text has a name or a literal; everything else is a node or a number, so that a ``match``
over the unions at the end of each section is exhaustive under mypy and pyright.

Section numbers refer to the grammar comment in ``mir.lark``.  Lifetimes are kept, because
the printer must give the text back; lowering ignores them.
"""

from enum import Enum
from typing import final

from mirgpu.node import node

# --------------------------------------------------------------------------- locations


@final
@node
class Span:
    """A source range as rustc prints it, ``FILE:L:C: L:C``; lines and columns from 1.

    All numbers are 0 for ``no-location``, which stands at code that rustc made up.
    """

    file: str
    line: int
    col: int
    end_line: int
    end_col: int
    ctxt: int | None = None
    """The syntax context, printed as `` (#N)``, where there is one."""


@final
@node
class SourceInfo:
    """The trailing ``// scope N at SPAN`` of a line printed with ``-Zmir-include-spans``."""

    scope: int
    span: Span


# ------------------------------------------------------------------------------- types


@final
@node
class Lifetime:
    """``'a``, ``'_``, ``'static``, ``'{erased}``, ``'?3``; the quote is part of the name."""

    name: str


@final
@node
class Prim:
    """``bool char str ! iN uN isize usize f16 f32 f64 f128``."""

    name: str


@final
@node
class RefTy:
    mutable: bool
    pointee: "Ty"
    lifetime: Lifetime | None = None


@final
@node
class RawPtrTy:
    mutable: bool
    pointee: "Ty"


@final
@node
class SliceTy:
    elem: "Ty"


@final
@node
class ArrayTy:
    elem: "Ty"
    len: "CGen"


@final
@node
class TupleTy:
    """A tuple; unit is the empty one."""

    elems: tuple["Ty", ...]


@final
@node
class FnPtrTy:
    """``for<'a> unsafe extern "C" fn(A, B, ...) -> R``; no ``-> ()`` is printed."""

    params: tuple["Ty", ...]
    ret: "Ty"
    binder: tuple[Lifetime, ...] = ()
    unsafe: bool = False
    abi: str | None = None
    variadic: bool = False


@final
@node
class FnDefTy:
    """The type of a function item: its signature and, in braces, its path."""

    sig: FnPtrTy
    path: "Path"
    target_features: bool = False


@final
@node
class DynTy:
    """``dyn A + B + 'a``; ``parens`` when printed as ``(dyn A + 'a)``."""

    bounds: tuple["Bound", ...]
    parens: bool = False


@final
@node
class ImplTy:
    bounds: tuple["Bound", ...]
    parens: bool = False


class DefKind(Enum):
    """The word that opens a ``{…@…}`` type."""

    CLOSURE = "closure"
    ASYNC_CLOSURE = "async closure"
    COROUTINE = "coroutine"
    STATIC_COROUTINE = "static coroutine"
    GEN_CLOSURE = "gen closure"
    ASYNC_GEN_CLOSURE = "async gen closure"
    ASYNC_BLOCK = "async block"
    GEN_BLOCK = "gen block"
    ASYNC_GEN_BLOCK = "async gen block"
    ASYNC_CLOSURE_BODY = "async closure body"
    GEN_CLOSURE_BODY = "gen closure body"
    ASYNC_GEN_CLOSURE_BODY = "async gen closure body"
    COROUTINE_WITNESS = "coroutine witness"


@final
@node
class DefTy:
    """``{closure@…}`` and its kin, named by a span or by a path."""

    kind: DefKind
    where: "Span | Path"


class FnBodyKind(Enum):
    ASYNC = "async fn body of"
    GEN = "gen fn body of"
    ASYNC_GEN = "async gen fn body of"


@final
@node
class FnBodyTy:
    """``{async fn body of PATH()}`` and its kin."""

    kind: FnBodyKind
    path: "Path"


@final
@node
class UnsafeBinderTy:
    lifetimes: tuple[Lifetime, ...]
    inner: "Ty"


@final
@node
class PatternTy:
    """``(T) is PATTERN``."""

    base: "Ty"
    pattern: "TyPattern"


@final
@node
class PathTy:
    """A struct, enum, union, alias, type parameter or projection, by its path."""

    path: "Path"


@final
@node
class ElidedTy:
    """``...``: a type that rustc cut because it is very long."""


@final
@node
class VerbatimTy:
    """Source text that rustc prints as it stands (an argument-position ``impl Trait``)."""

    text: str


Ty = (
    Prim
    | RefTy
    | RawPtrTy
    | SliceTy
    | ArrayTy
    | TupleTy
    | FnPtrTy
    | FnDefTy
    | DynTy
    | ImplTy
    | DefTy
    | FnBodyTy
    | UnsafeBinderTy
    | PatternTy
    | PathTy
    | ElidedTy
    | VerbatimTy
)


@final
@node
class TyPatRange:
    """``A..``, ``A..=B`` or ``A..=``."""

    start: "CGen"
    end: "CGen | None"
    inclusive: bool


@final
@node
class TyPatNotNull:
    """``!null``."""


@final
@node
class TyPatOr:
    alternatives: tuple["TyPattern", ...]


TyPattern = TyPatRange | TyPatNotNull | TyPatOr


@final
@node
class TraitBound:
    """``?A``, ``!A``, ``for<'a> A<'a>``, ``Fn(A) -> B``, each maybe in parentheses."""

    path: "Path"
    maybe: bool = False
    negative: bool = False
    binder: tuple[Lifetime, ...] = ()
    parens: bool = False


Bound = TraitBound | Lifetime

# ------------------------------------------------------------------------------- paths


@final
@node
class GenericArgs:
    """``<A, B>``; on a type path glued to the segment, on a value path after ``::``."""

    args: tuple["GenericArg", ...]
    turbofish: bool


@final
@node
class AssocArg:
    """``Item = T``, ``N = const``, ``Assoc<'a> = T`` inside generic arguments."""

    name: str
    args: GenericArgs | None
    value: "Ty | CGen"


@final
@node
class FnSugarArgs:
    """The arguments of ``Fn(A, B) -> R``."""

    params: tuple["Ty", ...]
    ret: "Ty | None"


@final
@node
class NameSeg:
    """An identifier, a tuple-field number, ``_`` or the empty segment, with its arguments."""

    name: str
    args: GenericArgs | FnSugarArgs | None = None


@final
@node
class DisambSeg:
    """``{closure#0}``, ``{constant#1}``, ``{impl#2}``, ``{closure:async#0}``, …"""

    kind: str
    index: int
    args: GenericArgs | None = None


@final
@node
class ImplAtSeg:
    """``<impl at FILE:L:C: L:C>``: an impl, by the place of its head."""

    span: Span


@final
@node
class QualifiedSeg:
    """``<T as Trait>`` or ``<T>`` at the head of a path."""

    self_ty: "Ty"
    trait: "Path | None"


@final
@node
class ImplSeg:
    """``<impl T>``, ``<impl Trait for T>`` or ``<impl !Trait for T>`` inside a path."""

    self_ty: "Ty"
    trait: "Path | None"
    negative: bool = False


@final
@node
class PromotedSeg:
    """``promoted[N]``, last."""

    index: int


PathSeg = NameSeg | DisambSeg | ImplAtSeg | QualifiedSeg | ImplSeg | PromotedSeg


@final
@node
class Path:
    """A type or value path.  ``suffix`` is ``shim(…)``, ``virtual#N``, ``intrinsic`` or none."""

    segments: tuple[PathSeg, ...]
    suffix: str | None = None


# -------------------------------------------------------------------- constants (types)


@final
@node
class CInt:
    """An integer; ``suffix`` is its type's name, none where a type position needs none.

    ``named`` when printed as ``i32::MIN`` or ``u64::MAX``.
    """

    value: int
    suffix: str | None
    named: bool = False


@final
@node
class CFloat:
    """A float literal; ``text`` is the literal without its suffix (``1.0E+10``, ``NaN``,
    ``+Inf``): reading it to the nearest value of its type gives the exact bits."""

    text: str
    suffix: str


@final
@node
class CBool:
    value: bool


@final
@node
class CChar:
    value: str
    """One character, or the raw literal's text where it holds no valid one."""
    escaped: bool = False
    """Printed as ``\\u{…}``: which characters are, depends on rustc's Unicode tables."""


@final
@node
class CStr:
    """``"x"``; the text between the quotes, escapes as printed."""

    text: str


@final
@node
class CBytes:
    """``b"x"``, and ``*b"x"`` when ``deref``: the bytes are a value, not a reference."""

    value: bytes
    deref: bool = False


@final
@node
class CTuple:
    """Unit is the empty one."""

    elems: tuple["CValue", ...]


@final
@node
class CArray:
    elems: tuple["CValue", ...]


@final
@node
class CRepeat:
    """``[V; N]`` inside a constant."""

    elem: "CValue"
    len: "CGen"


@final
@node
class CAdtTuple:
    """``Option::<u8>::Some(1_u8)``."""

    path: Path
    elems: tuple["CValue", ...]


@final
@node
class CAdtStruct:
    """``P {{ x: 1_u8 }}`` as an operand, single braces in a type."""

    path: Path
    fields: tuple[tuple[str, "CValue"], ...]
    doubled: bool


@final
@node
class CPath:
    """A bare path: a unit struct or variant, an unevaluated constant, a promoted, a constant
    parameter, a function.  Which of them, only the definition tells."""

    path: Path


@final
@node
class CRef:
    """``&V`` in a type position."""

    value: "CValue"


@final
@node
class CAlloc:
    """``{alloc3+0x8<imm>: &T}``: the address of an allocation."""

    alloc: str
    offset: int
    imm: bool
    ty: Ty


@final
@node
class CIntPtr:
    """``{0x10 as *const T}``."""

    address: int
    ty: Ty


@final
@node
class CFnPtr:
    """``{path as fn(u8) -> u8}``."""

    path: Path
    ty: Ty


@final
@node
class CTransmute:
    """``{transmute(0x00ff): T}``; ``digits`` keeps the printed width."""

    bits: int
    digits: int
    ty: Ty


@final
@node
class CUnreachable:
    """``{unreachable(): T}``."""

    ty: Ty


@final
@node
class CPattern:
    """``5_u32 is 1..``."""

    value: "CValue"
    pattern: TyPattern


@final
@node
class CZeroSized:
    """``ZeroSized: T`` and ``<ZST>: T``."""

    ty: Ty
    word: str = "ZeroSized"


@final
@node
class CIndirect:
    """``Indirect { alloc_id: alloc5, offset: Size(8 bytes) }: T``."""

    alloc: str
    offset: int
    ty: Ty


@final
@node
class CScalar:
    """``Scalar(0x…): T``."""

    text: str
    ty: Ty


@final
@node
class CSlice:
    """``Slice { alloc_id: …, meta: … }: T``."""

    alloc: str
    meta: int
    ty: Ty


@final
@node
class CUninit:
    """``<uninit>``."""


@final
@node
class CSpecial:
    """``<static(DefId(…))>``, ``<function>``, ``<vtable>``, ``<typeid>``,
    ``<too short allocation>``, ``<dangling pointer>``, ``{const error}``, ``_``,
    ``Leaf(…)``, ``Branch([…])``: printed where nothing better could be."""

    text: str


@final
@node
class CVerbatim:
    """Source text of an anonymous constant, ``N * 2`` or ``{ N + 1 }``, as it stands."""

    text: str


CValue = (
    CInt
    | CFloat
    | CBool
    | CChar
    | CStr
    | CBytes
    | CTuple
    | CArray
    | CRepeat
    | CAdtTuple
    | CAdtStruct
    | CPath
    | CRef
    | CAlloc
    | CIntPtr
    | CFnPtr
    | CTransmute
    | CUnreachable
    | CPattern
    | CZeroSized
    | CIndirect
    | CScalar
    | CSlice
    | CUninit
    | CSpecial
    | CVerbatim
)
CGen = CValue
"""A constant in a type position: an array length, a generic argument, a pattern bound."""
GenericArg = Lifetime | Ty | CGen | AssocArg

# ------------------------------------------------------------------------------ places


@final
@node
class Deref:
    pass


@final
@node
class Field:
    index: int
    ty: Ty


@final
@node
class Downcast:
    """``as Variant``, or ``as variant#N`` (then ``variant`` is the number)."""

    variant: str | int


@final
@node
class OpaqueCast:
    ty: Ty


@final
@node
class Subtype:
    ty: Ty


@final
@node
class UnwrapUnsafeBinder:
    ty: Ty


@final
@node
class Index:
    local: int


@final
@node
class ConstantIndex:
    """``[I of MIN]``, or ``[-I of MIN]`` from the end: element ``len - I``."""

    offset: int
    min_length: int
    from_end: bool


@final
@node
class Subslice:
    """``[A:]``, ``[:-B]``, ``[A:-B]`` of a slice (``from_end``), ``[A..B]`` of an array."""

    start: int
    end: int
    from_end: bool


ProjectionElem = (
    Deref
    | Field
    | Downcast
    | OpaqueCast
    | Subtype
    | UnwrapUnsafeBinder
    | Index
    | ConstantIndex
    | Subslice
)


@final
@node
class Place:
    """A local and its projections, innermost first."""

    local: int
    projection: tuple[ProjectionElem, ...] = ()


# ---------------------------------------------------------------------------- operands


@final
@node
class Copy:
    place: Place


@final
@node
class Move:
    place: Place


@final
@node
class Constant:
    """``const V``."""

    value: CValue


@final
@node
class FnItem:
    """A function item as a value or callee: printed as a bare path."""

    path: Path


class RuntimeCheck(Enum):
    """A boolean that is known only at code generation."""

    UB_CHECKS = "UbChecks"
    OVERFLOW_CHECKS = "OverflowChecks"
    CONTRACT_CHECKS = "ContractChecks"


Operand = Copy | Move | Constant | FnItem | RuntimeCheck

# ----------------------------------------------------------------------------- rvalues


@final
@node
class Use:
    operand: Operand
    no_retag: bool = False


@final
@node
class Repeat:
    operand: Operand
    count: CGen


class BorrowKind(Enum):
    SHARED = ""
    MUT = "mut"
    FAKE = "fake"
    FAKE_SHALLOW = "fake shallow"


@final
@node
class Ref:
    kind: BorrowKind
    place: Place
    lifetime: Lifetime | None = None


class RawPtrKind(Enum):
    CONST = "const"
    MUT = "mut"
    FAKE_FOR_PTR_METADATA = "const (fake)"


@final
@node
class RawPtr:
    kind: RawPtrKind
    place: Place


@final
@node
class CopyForDeref:
    place: Place


@final
@node
class Reborrow:
    """``T (reborrow PLACE)`` and ``T (coerce shared PLACE)``."""

    ty: Ty
    place: Place
    shared: bool


@final
@node
class ThreadLocalRef:
    mutable: bool
    path: Path


class CastKind(Enum):
    """Every cast but the pointer coercions, named as printed."""

    INT_TO_INT = "IntToInt"
    FLOAT_TO_INT = "FloatToInt"
    INT_TO_FLOAT = "IntToFloat"
    FLOAT_TO_FLOAT = "FloatToFloat"
    PTR_TO_PTR = "PtrToPtr"
    FN_PTR_TO_PTR = "FnPtrToPtr"
    POINTER_EXPOSE_PROVENANCE = "PointerExposeProvenance"
    POINTER_WITH_EXPOSED_PROVENANCE = "PointerWithExposedProvenance"
    TRANSMUTE = "Transmute"
    SUBTYPE = "Subtype"


class CoercionKind(Enum):
    REIFY_FN_POINTER_SAFE = "ReifyFnPointer(Safe)"
    REIFY_FN_POINTER_UNSAFE = "ReifyFnPointer(Unsafe)"
    REIFY_FN_POINTER = "ReifyFnPointer"
    UNSAFE_FN_POINTER = "UnsafeFnPointer"
    CLOSURE_FN_POINTER_SAFE = "ClosureFnPointer(Safe)"
    CLOSURE_FN_POINTER_UNSAFE = "ClosureFnPointer(Unsafe)"
    MUT_TO_CONST_POINTER = "MutToConstPointer"
    ARRAY_TO_POINTER = "ArrayToPointer"
    UNSIZE = "Unsize"


@final
@node
class PointerCoercion:
    kind: CoercionKind
    implicit: bool


@final
@node
class Cast:
    kind: CastKind | PointerCoercion
    operand: Operand
    ty: Ty


class BinOp(Enum):
    ADD = "Add"
    SUB = "Sub"
    MUL = "Mul"
    ADD_UNCHECKED = "AddUnchecked"
    SUB_UNCHECKED = "SubUnchecked"
    MUL_UNCHECKED = "MulUnchecked"
    SHL_UNCHECKED = "ShlUnchecked"
    SHR_UNCHECKED = "ShrUnchecked"
    ADD_WITH_OVERFLOW = "AddWithOverflow"
    SUB_WITH_OVERFLOW = "SubWithOverflow"
    MUL_WITH_OVERFLOW = "MulWithOverflow"
    DIV = "Div"
    REM = "Rem"
    BIT_XOR = "BitXor"
    BIT_AND = "BitAnd"
    BIT_OR = "BitOr"
    SHL = "Shl"
    SHR = "Shr"
    EQ = "Eq"
    NE = "Ne"
    LT = "Lt"
    LE = "Le"
    GT = "Gt"
    GE = "Ge"
    CMP = "Cmp"
    OFFSET = "Offset"
    CHECKED_ADD = "CheckedAdd"
    """The older name of ``AddWithOverflow``, as are the two below of theirs."""
    CHECKED_SUB = "CheckedSub"
    CHECKED_MUL = "CheckedMul"


class UnOp(Enum):
    NOT = "Not"
    NEG = "Neg"
    PTR_METADATA = "PtrMetadata"


@final
@node
class BinaryOp:
    op: BinOp
    left: Operand
    right: Operand


@final
@node
class UnaryOp:
    op: UnOp
    operand: Operand


@final
@node
class Discriminant:
    place: Place


@final
@node
class TupleAggregate:
    operands: tuple[Operand, ...]


@final
@node
class ArrayAggregate:
    operands: tuple[Operand, ...]


@final
@node
class AdtAggregate:
    """``P``, ``P(a, b)`` or ``P { x: a }``: a struct, union or enum variant.

    ``names`` is none for the first two; ``operands`` is none for a bare path, which may
    also be a function item: only the definition tells.
    """

    path: Path
    names: tuple[str, ...] | None
    operands: tuple[Operand, ...] | None


@final
@node
class DefAggregate:
    """A closure or coroutine with its captures."""

    ty: DefTy
    names: tuple[str, ...]
    operands: tuple[Operand, ...]


@final
@node
class RawPtrAggregate:
    """``*const T from (data, metadata)``: ``ty`` is the pointer's type."""

    ty: RawPtrTy
    data: Operand
    metadata: Operand


@final
@node
class WrapUnsafeBinder:
    operand: Operand
    ty: Ty


@final
@node
class Len:
    """``Len(P)``, of rustc before 1.95."""

    place: Place


class NullOp(Enum):
    SIZE_OF = "SizeOf"
    ALIGN_OF = "AlignOf"


@final
@node
class NullaryOp:
    """``SizeOf(T)`` and ``AlignOf(T)``, of rustc before 1.95."""

    op: NullOp
    ty: Ty


@final
@node
class OffsetOf:
    """``OffsetOf(T, [(0, 1)])``, of rustc before 1.95: steps of variant and field."""

    ty: Ty
    steps: tuple[tuple[int, int], ...]


@final
@node
class ShallowInitBox:
    """``ShallowInitBox(P, T)``, of rustc before 1.95."""

    operand: Operand
    ty: Ty


Rvalue = (
    Use
    | Repeat
    | Ref
    | RawPtr
    | CopyForDeref
    | Reborrow
    | ThreadLocalRef
    | Cast
    | BinaryOp
    | UnaryOp
    | Discriminant
    | TupleAggregate
    | ArrayAggregate
    | AdtAggregate
    | DefAggregate
    | RawPtrAggregate
    | WrapUnsafeBinder
    | Len
    | NullaryOp
    | OffsetOf
    | ShallowInitBox
)

# -------------------------------------------------------------------------- statements


@final
@node
class Assign:
    place: Place
    rvalue: Rvalue
    source: SourceInfo | None = None


@final
@node
class StorageLive:
    local: int
    source: SourceInfo | None = None


@final
@node
class StorageDead:
    local: int
    source: SourceInfo | None = None


@final
@node
class SetDiscriminant:
    """``discriminant(P) = N``: N is the variant's index, not its discriminant."""

    place: Place
    variant_index: int
    source: SourceInfo | None = None


@final
@node
class Assume:
    operand: Operand
    source: SourceInfo | None = None


@final
@node
class CopyNonOverlapping:
    """The count is in elements."""

    dst: Operand
    src: Operand
    count: Operand
    source: SourceInfo | None = None


@final
@node
class Nop:
    source: SourceInfo | None = None


@final
@node
class ConstEvalCounter:
    source: SourceInfo | None = None


@final
@node
class PlaceMention:
    place: Place
    source: SourceInfo | None = None


@final
@node
class Coverage:
    text: str
    source: SourceInfo | None = None


@final
@node
class FakeRead:
    """``cause`` is ForMatchGuard, ForLet(None), ForMatchedPlace(…), …, as printed."""

    cause: str
    place: Place
    source: SourceInfo | None = None


@final
@node
class AscribeUserType:
    """``annotation`` is the rest of the statement, as printed."""

    place: Place
    variance: str
    annotation: str
    source: SourceInfo | None = None


@final
@node
class BackwardIncompatibleDropHint:
    place: Place
    source: SourceInfo | None = None


class RetagKind(Enum):
    DEFAULT = ""
    FN_ENTRY = "[fn entry]"
    TWO_PHASE = "[2phase]"
    RAW = "[raw]"


@final
@node
class Retag:
    place: Place
    kind: RetagKind
    source: SourceInfo | None = None


Statement = (
    Assign
    | StorageLive
    | StorageDead
    | SetDiscriminant
    | Assume
    | CopyNonOverlapping
    | Nop
    | ConstEvalCounter
    | PlaceMention
    | Coverage
    | FakeRead
    | AscribeUserType
    | BackwardIncompatibleDropHint
    | Retag
)

# ------------------------------------------------------------------------- terminators


@final
@node
class UnwindCleanup:
    block: int


class UnwindTerminateReason(Enum):
    ABI = "abi"
    CLEANUP = "cleanup"


@final
@node
class UnwindContinue:
    pass


@final
@node
class UnwindUnreachable:
    pass


@final
@node
class UnwindTerminate:
    reason: UnwindTerminateReason


UnwindAction = UnwindCleanup | UnwindContinue | UnwindUnreachable | UnwindTerminate


@final
@node
class Goto:
    target: int
    source: SourceInfo | None = None


@final
@node
class SwitchInt:
    """``values`` are the raw unsigned bits, whatever the operand's type."""

    discr: Operand
    values: tuple[int, ...]
    targets: tuple[int, ...]
    otherwise: int
    source: SourceInfo | None = None


@final
@node
class Return:
    source: SourceInfo | None = None


@final
@node
class Unreachable:
    source: SourceInfo | None = None


@final
@node
class UnwindResume:
    source: SourceInfo | None = None


@final
@node
class Terminate:
    """``terminate(abi)`` and ``terminate(cleanup)``."""

    reason: UnwindTerminateReason
    source: SourceInfo | None = None


@final
@node
class CoroutineDrop:
    source: SourceInfo | None = None


@final
@node
class Drop:
    """``drop`` is the extra edge of ``[return: bb1, unwind: bb2, drop: bb3]``."""

    place: Place
    target: int
    unwind: UnwindAction | None
    drop: int | None = None
    source: SourceInfo | None = None


@final
@node
class Call:
    """``target`` is none where the call does not return.

    ``unwind`` is none where no unwind action is printed (a single ``-> bbN`` target is the
    return block of a call that cannot unwind, or the cleanup block of one that diverges:
    the parser decides by the printed form, as the grammar comment says).
    """

    func: Operand
    args: tuple[Operand, ...]
    destination: Place
    target: int | None
    unwind: UnwindAction | None
    source: SourceInfo | None = None


@final
@node
class TailCall:
    func: Operand
    args: tuple[Operand, ...]
    source: SourceInfo | None = None


@final
@node
class Assert:
    """``message`` is the format text as printed; its ``{}`` are filled by ``operands``."""

    cond: Operand
    expected: bool
    message: str
    operands: tuple[Operand, ...]
    target: int
    unwind: UnwindAction | None
    source: SourceInfo | None = None


@final
@node
class AsmIn:
    reg: str
    operand: Operand


@final
@node
class AsmOut:
    reg: str
    late: bool
    place: Place | None


@final
@node
class AsmInOut:
    reg: str
    late: bool
    operand: Operand
    place: Place | None


@final
@node
class AsmConst:
    value: Operand


@final
@node
class AsmSymFn:
    value: Operand


@final
@node
class AsmSymStatic:
    text: str


@final
@node
class AsmLabel:
    """``label N``: the N-th of the statement's targets, not a block's number."""

    index: int


AsmOperand = AsmIn | AsmOut | AsmInOut | AsmConst | AsmSymFn | AsmSymStatic | AsmLabel


@final
@node
class InlineAsm:
    """``template`` is raw, with real newlines and unescaped quotes."""

    template: str
    operands: tuple[AsmOperand, ...]
    options: str
    targets: tuple[int, ...]
    unwind: UnwindAction | None
    source: SourceInfo | None = None


@final
@node
class Yield:
    destination: Place
    value: Operand
    resume: int
    drop: int | None
    source: SourceInfo | None = None


@final
@node
class FalseEdge:
    real: int
    imaginary: int
    source: SourceInfo | None = None


@final
@node
class FalseUnwind:
    real: int
    unwind: UnwindAction
    source: SourceInfo | None = None


@final
@node
class AsyncDrop:
    place: Place
    poll: Place | None
    target: int
    unwind: UnwindAction | None
    drop: int | None
    source: SourceInfo | None = None


Terminator = (
    Goto
    | SwitchInt
    | Return
    | Unreachable
    | UnwindResume
    | Terminate
    | CoroutineDrop
    | Drop
    | Call
    | TailCall
    | Assert
    | InlineAsm
    | Yield
    | FalseEdge
    | FalseUnwind
    | AsyncDrop
)

# ------------------------------------------------------------------------------ bodies


@final
@node
class LocalDecl:
    """``let [mut] _N: T [as user types];``"""

    local: int
    mutable: bool
    ty: Ty
    user_tys: tuple[str, ...] = ()
    source: SourceInfo | None = None


@final
@node
class VarDebugInfo:
    """``debug NAME => VALUE;``.

    For a composite, ``fragment_ty`` is the type of the whole variable and ``fragment`` the
    projection printed on it: ``((p: Vec3).0: f32)``.
    """

    name: str
    value: "Place | Operand"
    fragment_ty: Ty | None = None
    fragment: tuple[ProjectionElem, ...] = ()
    source: SourceInfo | None = None


@final
@node
class SourceScope:
    """A scope; ``inlined`` is the path of the function that was inlined there, if any."""

    index: int
    inlined: Path | None
    track_caller: bool
    debug: tuple[VarDebugInfo, ...]
    locals: tuple[LocalDecl, ...]
    children: tuple["SourceScope", ...]
    source: Span | None = None
    """Where the call that was inlined stands, with spans on."""


@final
@node
class BasicBlock:
    """Block ``index``; the terminator is none only in dumps of unfinished bodies."""

    index: int
    cleanup: bool
    statements: tuple[Statement, ...]
    terminator: Terminator


@final
@node
class Body:
    """The inside of a function, constant or static.

    ``debug`` and ``locals`` are those of scope 0 (outside any ``scope``); locals in scopes are
    in ``scopes``.  ``coverage`` holds the coverage lines as printed.
    """

    debug: tuple[VarDebugInfo, ...]
    locals: tuple[LocalDecl, ...]
    scopes: tuple[SourceScope, ...]
    blocks: tuple[BasicBlock, ...]
    coverage: tuple[str, ...] = ()


# ------------------------------------------------------------------------------- items


@final
@node
class Param:
    local: int
    ty: Ty


@final
@node
class FnItemDef:
    path: Path
    params: tuple[Param, ...]
    ret: Ty
    body: Body
    yields: Ty | None = None
    ctfe: bool = False
    """The second printing of a ``const fn``, under ``// MIR FOR CTFE``."""


@final
@node
class ConstItemDef:
    """``const P: T = {…}``, or ``= const V;`` (then ``value``)."""

    path: Path
    ty: Ty
    body: Body | None
    value: Operand | None = None


@final
@node
class StaticItemDef:
    path: Path
    mutable: bool
    ty: Ty
    body: Body


@final
@node
class AnonItemDef:
    """An item with no keyword: a const block, array length or enum discriminant."""

    path: Path
    ty: Ty
    body: Body


Item = FnItemDef | ConstItemDef | StaticItemDef | AnonItemDef

# ------------------------------------------------------------------------- allocations


@final
@node
class Relocation:
    """A pointer inside an allocation's bytes, ``offset`` bytes from its start."""

    offset: int
    alloc: str
    addend: int
    imm: bool


@final
@node
class PtrFragment:
    """A single byte of a pointer, ``index`` bytes into it, at ``offset``."""

    offset: int
    alloc: str
    index: int
    imm: bool


@final
@node
class MemoryAlloc:
    """Bytes; ``init`` has a 1 for each initialised byte; pointer bytes hold zeros.

    ``data`` and ``init`` are empty where the dump leaves the bytes out (``{ .. }``).
    ``pointer_size`` is the size of the pointers in it, in bytes.
    """

    name: str
    static: Path | None
    size: int
    align: int
    data: bytes
    init: bytes
    relocations: tuple[Relocation, ...] = ()
    fragments: tuple[PtrFragment, ...] = ()
    pointer_size: int = 8


@final
@node
class FnAlloc:
    name: str
    path: Path


@final
@node
class VTableAlloc:
    name: str
    bounds: tuple[Bound, ...]
    ty: Ty


@final
@node
class TypeIdAlloc:
    name: str
    ty: Ty


@final
@node
class StaticAlloc:
    """``allocN (static: P)`` or ``(extern static: P)``: its bytes are not here."""

    name: str
    path: Path
    external: bool


@final
@node
class DeallocatedAlloc:
    name: str


Alloc = MemoryAlloc | FnAlloc | VTableAlloc | TypeIdAlloc | StaticAlloc | DeallocatedAlloc


@final
@node
class File:
    """A whole dump: items in order, and the allocations printed behind them."""

    items: tuple[Item, ...]
    allocs: tuple[Alloc, ...]
