"""Trait methods of primitive types that generic bodies call: ``<u32 as Mul>::mul`` and kin.

rustc inlines these where types are known; in a generic body the call stays, and what it
means is known here once the parameters are.
"""

from dataclasses import dataclass
from typing import final

from mirgpu.kir.ops import BinaryOp as K
from mirgpu.kir.ops import CompareOp, FloatConst, IntConst
from mirgpu.kir.types import FloatType, IntType
from mirgpu.lower.builder import int_const
from mirgpu.lower.casts import cast
from mirgpu.lower.context import FnContext
from mirgpu.lower.operators import binary, ordering, overflowing, unary
from mirgpu.lower.places import pointed
from mirgpu.lower.types import is_float, is_integer, is_signed, last_name, scalar_type
from mirgpu.lower.values import PlaceRef, Scalar, Val, Zst, address, load, store
from mirgpu.mir.syntax import (
    ArrayTy,
    BinOp,
    CastKind,
    Path,
    Prim,
    RawPtrTy,
    RefTy,
    SourceInfo,
    TupleTy,
    Ty,
    UnOp,
)

_OPERATORS = {
    "add": BinOp.ADD,
    "sub": BinOp.SUB,
    "mul": BinOp.MUL,
    "div": BinOp.DIV,
    "rem": BinOp.REM,
    "bitand": BinOp.BIT_AND,
    "bitor": BinOp.BIT_OR,
    "bitxor": BinOp.BIT_XOR,
    "shl": BinOp.SHL,
    "shr": BinOp.SHR,
}
_COMPARE = {
    "eq": BinOp.EQ,
    "ne": BinOp.NE,
    "lt": BinOp.LT,
    "le": BinOp.LE,
    "gt": BinOp.GT,
    "ge": BinOp.GE,
}
_CHECKED = {
    "add": (BinOp.ADD_WITH_OVERFLOW, "attempt to compute `{0} + {1}`, which would overflow"),
    "sub": (BinOp.SUB_WITH_OVERFLOW, "attempt to compute `{0} - {1}`, which would overflow"),
    "mul": (BinOp.MUL_WITH_OVERFLOW, "attempt to compute `{0} * {1}`, which would overflow"),
}


@final
@dataclass(frozen=True, slots=True)
class Method:
    self_ty: Ty
    trait: Path
    name: str
    args: tuple[Val, ...]
    dest: PlaceRef
    source: SourceInfo | None


def lower(fx: FnContext, m: Method) -> bool:
    """Lower a trait method of a primitive type; false if it is none that is known."""
    trait = last_name(m.trait) or ""
    value = _lower(fx, m, trait)
    if value is None:
        return False
    if value is not _DONE:
        store(fx, m.dest, value)
    return True


_DONE = Zst(TupleTy(()))
"""Returned where the result has been written already."""


def _lower(fx: FnContext, m: Method, trait: str) -> Val | None:
    plain = _through(m.self_ty)
    if trait == "Clone" and m.name == "clone" and _is_copy(fx, m.self_ty):
        return load(fx, pointed(fx, m.args[0], m.self_ty))
    if not isinstance(plain, Prim):
        return None
    if trait.endswith("Assign") and m.name.endswith("_assign"):
        return _assign_operator(fx, m, plain)
    if (m.name in _OPERATORS and trait.lower() == m.name) or trait in (
        "BitAnd",
        "BitOr",
        "BitXor",
    ):
        return _operator(fx, m, m.name, _value(fx, m.args[0]), _value(fx, m.args[1]))
    if trait in ("PartialEq", "PartialOrd") and m.name in _COMPARE:
        left, right = _value(fx, m.args[0]), _value(fx, m.args[1])
        return binary(fx, _COMPARE[m.name], left, right, fx.types.bool)
    if trait == "Ord":
        return _ord(fx, m)
    if trait in ("Neg", "Not"):
        return _unary(fx, m, trait)
    if trait == "Default":
        return _default(plain)
    if trait in ("From", "Into", "TryFrom"):
        return _convert(fx, m, trait)
    return None


def _through(ty: Ty) -> Ty:
    while isinstance(ty, RefTy):
        ty = ty.pointee
    return ty


def _value(fx: FnContext, value: Val) -> Val:
    """An operand, through references: ``&a + &b`` is ``a + b``."""
    while isinstance(value.ty, RefTy):
        value = load(fx, pointed(fx, value, value.ty.pointee))
    return value


def _is_copy(fx: FnContext, ty: Ty) -> bool:
    match ty:
        case Prim() | RawPtrTy() | RefTy(mutable=False):
            return True
        case ArrayTy(elem):
            return _is_copy(fx, elem)
        case TupleTy(elems):
            return all(_is_copy(fx, e) for e in elems)
        case _:
            return False


def _operator(fx: FnContext, m: Method, name: str, left: Val, right: Val) -> Val | None:
    op = _OPERATORS.get(name)
    if op is None or not isinstance(left, Scalar) or not isinstance(right, Scalar):
        return None
    if is_integer(left.ty):
        if op in (BinOp.DIV, BinOp.REM):
            _check_division(fx, m, op, left, right)
        elif fx.crate.options.overflow_checks and name in _CHECKED:
            return _checked(fx, m, name, left, right)
    return binary(fx, op, left, right, left.ty)


def _fail_if(
    fx: FnContext, m: Method, bad: IntConst | object, message: str, values: list[Val]
) -> None:
    from mirgpu.lower.panics import show

    yes, no = fx.b.fresh("panic"), fx.b.fresh("checked")
    fx.b.cond_br(bad, yes, no)  # type: ignore[arg-type]
    fx.b.start(yes, cold=True)
    show(fx, message, values, m.source)
    fx.b.start(no)


def _check_division(fx: FnContext, m: Method, op: BinOp, left: Scalar, right: Scalar) -> None:

    ty = right.value.type
    assert isinstance(ty, IntType)
    zero = fx.b.compare(CompareOp.EQ, right.value, int_const(ty, 0))
    division = op is BinOp.DIV
    _fail_if(
        fx,
        m,
        zero,
        "attempt to divide `{0}` by zero"
        if division
        else "attempt to calculate the remainder of `{0}` with a divisor of zero",
        [left],
    )
    if is_signed(left.ty):
        least = fx.b.compare(CompareOp.EQ, left.value, int_const(ty, 1 << (ty.width - 1)))
        minus = fx.b.compare(CompareOp.EQ, right.value, int_const(ty, -1))
        _fail_if(
            fx,
            m,
            fx.b.binary(K.AND, least, minus),
            "attempt to compute `{0} / {1}`, which would overflow"
            if division
            else "attempt to compute the remainder of `{0} % {1}`, which would overflow",
            [left, right],
        )


def _checked(fx: FnContext, m: Method, name: str, left: Scalar, right: Scalar) -> Val:
    op, message = _CHECKED[name]
    value, flag = overflowing(fx, op, left.ty, left.value, right.value)
    _fail_if(fx, m, flag, message, [left, right])
    return Scalar(left.ty, value)


def _assign_operator(fx: FnContext, m: Method, plain: Prim) -> Val | None:
    name = m.name.removesuffix("_assign")
    if isinstance(m.self_ty, RefTy):
        return None
    at = pointed(fx, m.args[0], m.self_ty)
    value = _operator(fx, m, name, load(fx, at), _value(fx, m.args[1]))
    if value is None:
        return None
    store(fx, at, value)
    return _DONE


def _ord(fx: FnContext, m: Method) -> Val | None:
    if m.name == "cmp":
        left, right = _value(fx, m.args[0]), _value(fx, m.args[1])
        fx.b.store(ordering(fx, left, right), address(fx, m.dest), 1)
        return _DONE
    if m.name in ("min", "max") and isinstance(m.self_ty, Prim):
        signed = is_signed(m.self_ty)
        op = {
            ("min", False): K.UMIN,
            ("min", True): K.SMIN,
            ("max", False): K.UMAX,
            ("max", True): K.SMAX,
        }[m.name, signed]
        left, right = m.args
        if isinstance(left, Scalar) and isinstance(right, Scalar) and is_integer(m.self_ty):
            return Scalar(m.self_ty, fx.b.binary(op, left.value, right.value))
    return None


def _unary(fx: FnContext, m: Method, trait: str) -> Val | None:
    value = _value(fx, m.args[0])
    if trait == "Neg" and is_integer(value.ty) and fx.crate.options.overflow_checks:
        assert isinstance(value, Scalar)
        ty = value.value.type
        assert isinstance(ty, IntType)
        least = fx.b.compare(CompareOp.EQ, value.value, int_const(ty, 1 << (ty.width - 1)))
        _fail_if(fx, m, least, "attempt to negate `{0}`, which would overflow", [value])
    return unary(fx, UnOp.NEG if trait == "Neg" else UnOp.NOT, value, value.ty)


def _default(plain: Prim) -> Val | None:
    ty = scalar_type(plain)
    match ty:
        case IntType():
            return Scalar(plain, IntConst(ty, 0))
        case FloatType():
            return Scalar(plain, FloatConst(ty, 0))
        case _:
            return None


def _convert(fx: FnContext, m: Method, trait: str) -> Val | None:
    """Lossless conversions between numbers, ``bool`` and ``char``."""
    if trait == "TryFrom":
        return None
    source, target = m.args[0].ty, m.dest.ty
    if source is target:
        return m.args[0]
    if not isinstance(source, Prim) or not isinstance(target, Prim):
        return None
    if is_float(target):
        kind = CastKind.FLOAT_TO_FLOAT if is_float(source) else CastKind.INT_TO_FLOAT
    elif is_float(source):
        return None
    else:
        kind = CastKind.INT_TO_INT
    return cast(fx, kind, m.args[0], target)
