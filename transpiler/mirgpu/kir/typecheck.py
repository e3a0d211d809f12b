"""The type rules of single nodes, for the verifier."""

from collections.abc import Mapping
from typing import assert_never, final

from mirgpu.kir.module import Function, FunctionKind, Global, PanicSite
from mirgpu.kir.ops import (
    Alloca,
    Barrier,
    Binary,
    BinaryOp,
    Br,
    Call,
    Cast,
    CastOp,
    Compare,
    CondBr,
    Const,
    FloatConst,
    FusedMulAdd,
    GlobalAddr,
    Instruction,
    IntConst,
    Load,
    MemCopy,
    MemSet,
    Operand,
    Overflow,
    Panic,
    PtrAdd,
    PtrConst,
    ReadSpecial,
    Return,
    Select,
    Store,
    Switch,
    Terminator,
    Unary,
    UnaryOp,
    Undef,
    Unreachable,
)
from mirgpu.kir.printer import print_type
from mirgpu.kir.types import (
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    PTR,
    AddressSpace,
    FloatType,
    IntType,
    PtrType,
    Type,
)
from mirgpu.node import node

PANIC_KINDS: Mapping[str, Type] = {
    "u8": I8,
    "i8": I8,
    "u16": I16,
    "i16": I16,
    "u32": I32,
    "i32": I32,
    "u64": I64,
    "i64": I64,
    "usize": I64,
    "isize": I64,
    "f32": F32,
    "f64": F64,
    "bool": I1,
    "char": I32,
}
"""The kir type of each kind of panic operand."""

_INT_WIDTHS = frozenset((1, 8, 16, 32, 64, 128))
_FLOAT_WIDTHS = frozenset((16, 32, 64))
_LOGIC = frozenset((BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR))
_READ_ONLY = frozenset((AddressSpace.CONST, AddressSpace.PARAM))
_LOCAL = PtrType(AddressSpace.LOCAL)
_FLOAT_BINARY = frozenset(op for op in BinaryOp if op.value.startswith("f"))
_FLOAT_UNARY = frozenset(op for op in UnaryOp if op.value.startswith("f"))


class NodeError(ValueError):
    """A node breaks a type rule; the message says which."""


@final
@node
class Signatures:
    """What nodes refer to by name or number."""

    functions: Mapping[str, Function]
    globals: Mapping[str, Global]
    panics: tuple[PanicSite, ...]


def check_type(ty: Type) -> None:
    """Raises ``NodeError`` for a width that kir has not."""
    match ty:
        case IntType(width=width):
            if width not in _INT_WIDTHS:
                raise NodeError(f"no integer type of {width} bits")
        case FloatType(width=width):
            if width not in _FLOAT_WIDTHS:
                raise NodeError(f"no float type of {width} bits")
        case PtrType():
            pass
        case _:
            assert_never(ty)


def check_node(node: Instruction | Terminator, function: Function, signatures: Signatures) -> None:
    """Raises ``NodeError`` if operands, results or attributes do not fit together.

    Constants are ``check_const``'s.
    """
    match node:
        case Binary(result, op, lhs, rhs):
            _same(result, lhs, rhs)
            if op in _FLOAT_BINARY:
                _float(result)
            else:
                _int(result, bool_too=op in _LOGIC)
        case Compare(result, op, lhs, rhs):
            _same(lhs, rhs)
            _is(result, I1, "result")
            if op.value.startswith("f"):
                _float(lhs)
            else:
                _require(not isinstance(lhs.type, FloatType), "compares integers or pointers")
        case Overflow(result, overflow, op, lhs, rhs):
            _same(result, lhs, rhs)
            _int(result, bool_too=False)
            _is(overflow, I1, "overflow")
        case Unary(result, op, operand):
            _same(result, operand)
            if op in _FLOAT_UNARY:
                _float(result)
            else:
                _int(result, bool_too=False)
        case FusedMulAdd(result, a, b, c):
            _same(result, a, b, c)
            _float(result)
        case Select(result, cond, if_true, if_false):
            _is(cond, I1, "condition")
            _same(result, if_true, if_false)
        case Cast(result, op, operand):
            _check_cast(op, operand.type, result.type)
        case Alloca(result, size, align):
            _is(result, _LOCAL, "result")
            _require(size >= 0, "negative size")
            _align(align)
        case PtrAdd(result, base, index):
            _ptr(base)
            _same(result, base)
            _is(index, I64, "index")
        case GlobalAddr(result, symbol):
            found = signatures.globals.get(symbol)
            if found is None:
                raise NodeError(f"no global {symbol}")
            _is(result, PtrType(found.space), "result")
        case Load(_, ptr, align):
            _ptr(ptr)
            _align(align)
        case Store(_, ptr, align):
            _writable(ptr)
            _align(align)
        case MemCopy(dst, src, size, align):
            _writable(dst)
            _ptr(src)
            _is(size, I64, "size")
            _align(align)
        case MemSet(dst, byte, size, align):
            _writable(dst)
            _is(byte, I8, "byte")
            _is(size, I64, "size")
            _align(align)
        case Call():
            _check_call(node, signatures)
        case ReadSpecial(result):
            _is(result, I32, "result")
        case Barrier() | Br() | Unreachable():
            pass
        case CondBr(cond):
            _is(cond, I1, "condition")
        case Switch():
            _check_switch(node)
        case Return(values):
            count = len(function.results)
            _require(len(values) == count, f"returns {len(values)} values, not {count}")
            for value, ty in zip(values, function.results, strict=True):
                _is(value, ty, "value")
        case Panic(site, operands):
            _require(0 <= site < len(signatures.panics), f"no panic site {site}")
            expected = signatures.panics[site].operands
            _require(len(operands) == len(expected), f"the site has {len(expected)} operands")
            for operand, shown in zip(operands, expected, strict=True):
                _is(operand, PANIC_KINDS[shown.kind], shown.kind)
        case _:
            assert_never(node)


def _require(fine: bool, message: str) -> None:
    if not fine:
        raise NodeError(message)


def _same(first: Operand, *others: Operand) -> None:
    ty = first.type
    for other in others:
        if other.type is not ty and other.type != ty:
            raise NodeError("operands and result have one type")


def _is(operand: Operand, ty: Type, what: str) -> None:
    if operand.type is not ty and operand.type != ty:
        raise NodeError(f"{what}: expected {print_type(ty)}, found {print_type(operand.type)}")


def _int(operand: Operand, *, bool_too: bool) -> None:
    fine = isinstance(operand.type, IntType) and (bool_too or operand.type.width > 1)
    _require(fine, f"not for {print_type(operand.type)}, integers only")


def _float(operand: Operand) -> None:
    if not isinstance(operand.type, FloatType):
        raise NodeError(f"not for {print_type(operand.type)}, floats only")


def _ptr(operand: Operand) -> None:
    if not isinstance(operand.type, PtrType):
        raise NodeError(f"expected a pointer, found {print_type(operand.type)}")


def _writable(operand: Operand) -> None:
    _ptr(operand)
    if isinstance(operand.type, PtrType) and operand.type.space in _READ_ONLY:
        raise NodeError(f"writes to {print_type(operand.type)}, which is read only")


def _align(align: int) -> None:
    if align <= 0 or align & (align - 1):
        raise NodeError(f"alignment {align} is no power of two")


def check_const(operand: Const) -> None:
    """Raises ``NodeError`` for bits that the constant's type has not."""
    match operand:
        case IntConst(type=ty, value=value):
            check_type(ty)
            if not 0 <= value < 1 << ty.width:
                raise NodeError(f"constant {value} is out of i{ty.width}'s range")
        case FloatConst(type=float_type, bits=bits):
            check_type(float_type)
            if not 0 <= bits < 1 << float_type.width:
                raise NodeError(f"constant {bits:#x} is out of f{float_type.width}'s bits")
        case PtrConst(address=address):
            if not 0 <= address < 1 << 64:
                raise NodeError(f"address {address:#x} is out of range")
        case Undef(type=any_type):
            check_type(any_type)
        case _:
            assert_never(operand)


def _check_cast(op: CastOp, source: Type, target: Type) -> None:
    match op, source, target:
        case CastOp.TRUNC, IntType(a), IntType(b):
            fine = a > b
        case ((CastOp.ZEXT | CastOp.SEXT), IntType(a), IntType(b)):
            fine = a < b
        case CastOp.FPTRUNC, FloatType(a), FloatType(b):
            fine = a > b
        case CastOp.FPEXT, FloatType(a), FloatType(b):
            fine = a < b
        case ((CastOp.SITOFP | CastOp.UITOFP), IntType(), FloatType()):
            fine = True
        case ((CastOp.FPTOSI_SAT | CastOp.FPTOUI_SAT), FloatType(), IntType(width)):
            fine = width > 1
        case CastOp.BITCAST, IntType(a), FloatType(b):
            fine = a == b
        case CastOp.BITCAST, FloatType(a), IntType(b):
            fine = a == b
        case CastOp.PTRTOINT, PtrType(), IntType(width):
            fine = source == PTR and width == 64
        case CastOp.INTTOPTR, IntType(width), PtrType():
            fine = target == PTR and width == 64
        case CastOp.ADDRSPACECAST, PtrType(), PtrType():
            fine = (source == PTR) != (target == PTR)
        case _:
            fine = False
    _require(fine, f"no {op.value} from {print_type(source)} to {print_type(target)}")


def _check_call(call: Call, signatures: Signatures) -> None:
    callee = signatures.functions.get(call.callee)
    if callee is None:
        raise NodeError(f"no function {call.callee}")
    _require(callee.kind is FunctionKind.DEVICE, "a kernel is not called")
    _require(len(call.args) == len(callee.params), f"takes {len(callee.params)} arguments")
    for arg, param in zip(call.args, callee.params, strict=True):
        _is(arg, param.value.type, "argument")
    _require(len(call.results) == len(callee.results), f"gives {len(callee.results)} results")
    for result, ty in zip(call.results, callee.results, strict=True):
        _is(result, ty, "result")


def _check_switch(node: Switch) -> None:
    ty = node.value.type
    if not isinstance(ty, IntType):
        raise NodeError(f"switches on an integer, not on {print_type(ty)}")
    seen: set[int] = set()
    for case, _ in node.cases:
        _require(0 <= case < 1 << ty.width, f"case {case} is out of i{ty.width}'s range")
        _require(case not in seen, f"case {case} occurs twice")
        seen.add(case)
