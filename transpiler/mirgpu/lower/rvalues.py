"""Assignments: a MIR rvalue into a place."""

from typing import assert_never

from mirgpu.kir.ops import BinaryOp as K
from mirgpu.kir.ops import CompareOp, IntConst
from mirgpu.kir.types import I8, I64
from mirgpu.lower.casts import cast
from mirgpu.lower.constants import Blob
from mirgpu.lower.context import FnContext
from mirgpu.lower.enums import discriminant, set_discriminant
from mirgpu.lower.errors import LowerError
from mirgpu.lower.image import Image
from mirgpu.lower.operands import constants, operand, read, store_constant, store_piece
from mirgpu.lower.operators import binary, is_overflowing, ordering, store_overflowing, unary
from mirgpu.lower.places import element, field, place, pointer_to
from mirgpu.lower.types import is_fat, scalar_type
from mirgpu.lower.values import (
    Fat,
    Memory,
    PlaceRef,
    Scalar,
    Val,
    Zst,
    address,
    scalar,
    slot,
    store,
)
from mirgpu.mir.syntax import (
    AdtAggregate,
    ArrayAggregate,
    ArrayTy,
    BinaryOp,
    BinOp,
    Cast,
    Constant,
    CopyForDeref,
    CPath,
    DefAggregate,
    Discriminant,
    FnDefTy,
    Len,
    NullaryOp,
    OffsetOf,
    Operand,
    RawPtr,
    RawPtrAggregate,
    Reborrow,
    Ref,
    Repeat,
    Rvalue,
    ShallowInitBox,
    ThreadLocalRef,
    TupleAggregate,
    TupleTy,
    Ty,
    UnaryOp,
    Use,
    WrapUnsafeBinder,
)

_UNROLL = 16
"""``[x; N]`` up to this N is written out; longer ones become a loop or a memset."""


def assign(fx: FnContext, at: PlaceRef, rvalue: Rvalue) -> None:
    match rvalue:
        case Use(node):
            if isinstance(node, Constant) and fx.layout(at.ty).scalar is None:
                store_constant(fx, at, node.value)
            else:
                _store(fx, at, operand(fx, node, at.ty))
        case CopyForDeref(node) | Reborrow(_, node, _):
            _store(fx, at, read(fx, node))
        case Ref(_, node) | RawPtr(_, node):
            _store(fx, at, pointer_to(fx, place(fx, node), at.ty))
        case Repeat(node, count):
            _repeat(fx, at, node, fx.types.length(count, fx.subst))
        case Cast(kind, node, ty):
            _store(fx, at, cast(fx, kind, operand(fx, node, fx.types.usize), fx.ty(ty)))
        case BinaryOp(op, left, right):
            _binary(fx, at, op, left, right)
        case UnaryOp(op, node):
            _store(fx, at, unary(fx, op, operand(fx, node, at.ty), at.ty))
        case Discriminant(node):
            result = scalar_type(at.ty)
            assert result is not None
            _store(fx, at, Scalar(at.ty, discriminant(fx, place(fx, node), result)))
        case TupleAggregate(nodes):
            elems = at.ty.elems if isinstance(at.ty, TupleTy) else ()
            _fields(fx, at, nodes, elems)
        case ArrayAggregate(nodes):
            _array(fx, at, nodes)
        case AdtAggregate():
            _adt(fx, at, rvalue)
        case DefAggregate(_, names, nodes):
            fx.layouts.see_names(at.ty, "", names)
            _fields(fx, at, nodes, None)
        case RawPtrAggregate(_, data, metadata):
            _raw_pointer(fx, at, data, metadata)
        case ThreadLocalRef():
            raise LowerError(
                "MG0314",
                "thread-local statics are not supported in a kernel",
                help="pass the value to the kernel as a parameter",
            )
        case WrapUnsafeBinder():
            raise LowerError("MG0303", "unsafe binders are not supported")
        case Len() | NullaryOp() | OffsetOf() | ShallowInitBox():
            raise LowerError(
                "MG0303", "this form is of rustc before 1.95", help="use rustc 1.95 or later"
            )
        case _:
            assert_never(rvalue)


def _store(fx: FnContext, at: PlaceRef, value: Val) -> None:
    """Store a value that may lie in memory under a type of the same bytes."""
    if isinstance(value, Memory) and scalar_type(at.ty) is not None:
        value = Scalar(at.ty, scalar(fx, value))
    store(fx, at, value)


def _binary(fx: FnContext, at: PlaceRef, op: BinOp, left: Operand, right: Operand) -> None:
    lhs, rhs = _pair(fx, op, left, right)
    if is_overflowing(op):
        store_overflowing(fx, at, op, lhs, rhs)
    elif op is BinOp.CMP:
        fx.b.store(ordering(fx, lhs, rhs), address(fx, at), 1)
    else:
        store(fx, at, binary(fx, op, lhs, rhs, at.ty))


def _pair(fx: FnContext, op: BinOp, left: Operand, right: Operand) -> tuple[Val, Val]:
    """Both operands; a constant parameter does not tell its type, but the other one does."""
    if op in _MIXED or not _is_bare(left):
        lhs = operand(fx, left, fx.types.usize)
        return lhs, operand(fx, right, fx.types.usize if op in _MIXED else lhs.ty)
    rhs = operand(fx, right, fx.types.usize)
    return operand(fx, left, rhs.ty), rhs


_MIXED = {BinOp.SHL, BinOp.SHR, BinOp.SHL_UNCHECKED, BinOp.SHR_UNCHECKED, BinOp.OFFSET}
"""Operators whose operands may have two types."""


def _is_bare(node: Operand) -> bool:
    return isinstance(node, Constant) and isinstance(node.value, CPath)


def _raw_pointer(fx: FnContext, at: PlaceRef, data: Operand, metadata: Operand) -> None:
    ptr = operand(fx, data)
    address_ = ptr.ptr if isinstance(ptr, Fat) else scalar(fx, ptr)
    if is_fat(at.ty):
        meta = scalar(fx, operand(fx, metadata, fx.types.usize))
        store(fx, at, Fat(at.ty, address_, meta))
    else:
        store(fx, at, Scalar(at.ty, address_))


# ---------------------------------------------------------------------------- aggregates


def _own(fx: FnContext, at: PlaceRef, value: Val) -> Val:
    """A value that stays what it is while ``at`` is written."""
    if (
        isinstance(value, Memory)
        and value.place.local is not None
        and value.place.local == at.local
    ):
        copy = slot(fx, value.ty)
        store(fx, copy, value)
        return Memory(value.ty, copy)
    return value


def _fields(
    fx: FnContext,
    at: PlaceRef,
    nodes: tuple[Operand, ...],
    types: tuple[Ty, ...] | None,
) -> None:
    values = [
        _own(fx, at, operand(fx, node, types[i] if types is not None and i < len(types) else None))
        for i, node in enumerate(nodes)
    ]
    for index, value in enumerate(values):
        _store(fx, field(fx, at, index, value.ty), value)


def _array(fx: FnContext, at: PlaceRef, nodes: tuple[Operand, ...]) -> None:
    assert isinstance(at.ty, ArrayTy)
    elem = at.ty.elem
    if len(nodes) > _UNROLL and all(isinstance(node, Constant) for node in nodes):
        layout, size = fx.layout(at.ty), fx.layout(elem).size
        image = Image(layout.size, layout.align)
        for index, node in enumerate(nodes):
            assert isinstance(node, Constant)
            constants(fx).fill(image, index * size, node.value, elem)
        _paste(fx, at, image)
        return
    values = [_own(fx, at, operand(fx, node, elem)) for node in nodes]
    for index, value in enumerate(values):
        _store(fx, element(fx, at, IntConst(I64, index)), value)


def _paste(fx: FnContext, at: PlaceRef, image: Image) -> None:

    store_piece(fx, at, 0, Blob(image, len(image.data)))


def _adt(fx: FnContext, at: PlaceRef, node: AdtAggregate) -> None:
    if isinstance(at.ty, FnDefTy):
        return
    c = constants(fx)
    ty, variant = c.adt(node.path, at.ty)
    if ty is not at.ty:
        raise LowerError(
            "MG0308", f"`{fx.crate.path_text(node.path)}` does not build `{fx.types.text(at.ty)}`"
        )
    if fx.layouts.is_union(at.ty) and node.operands:
        value = operand(fx, node.operands[0])
        _store(fx, PlaceRef(at.base, at.offset, at.align, value.ty, at.index, at.stride), value)
        return
    if node.names is not None:
        fx.layouts.see_names(at.ty, variant, node.names)
    target = at
    index = None
    if variant:
        index = fx.layouts.variant_index(at.ty, variant)
        target = PlaceRef(
            at.base,
            at.offset,
            at.align,
            at.ty,
            at.index,
            at.stride,
            None,
            index,
            variant,
            at.local,
        )
    _fields(fx, target, node.operands or (), fx.layouts.variant_fields(at.ty, variant))
    if index is not None:
        set_discriminant(fx, at, index)


# -------------------------------------------------------------------------------- repeat


def _repeat(fx: FnContext, at: PlaceRef, node: Operand, count: int) -> None:
    assert isinstance(at.ty, ArrayTy)
    elem = at.ty.elem
    value = _own(fx, at, operand(fx, node, elem))
    if isinstance(value, Zst) or count == 0:
        return
    size = fx.layout(elem).size
    byte = _one_byte(value)
    if count <= _UNROLL:
        for index in range(count):
            _store(fx, element(fx, at, IntConst(I64, index)), value)
    elif byte is not None:
        fx.b.memset(address(fx, at), IntConst(I8, byte), IntConst(I64, count * size), at.align)
    else:
        _repeat_loop(fx, at, value, count)


def _one_byte(value: Val) -> int | None:
    """The byte that all bytes of a constant scalar are, if they are one."""
    if not isinstance(value, Scalar):
        return None
    bits = getattr(value.value, "bits", getattr(value.value, "value", None))
    width = getattr(value.value.type, "width", 0)
    if not isinstance(bits, int) or width == 0:
        return None
    data = bits.to_bytes(max(width // 8, 1), "little")
    return data[0] if len(set(data)) == 1 else None


def _repeat_loop(fx: FnContext, at: PlaceRef, value: Val, count: int) -> None:
    head, body, done = (fx.b.fresh(f"repeat.{part}") for part in ("head", "body", "done"))
    counter = slot(fx, fx.types.usize)
    base = fx.b.generic(address(fx, at))
    store(fx, counter, Scalar(counter.ty, IntConst(I64, 0)))
    fx.b.br(head)
    fx.b.start(head)
    index = fx.b.load(I64, counter.base, 8)
    fx.b.cond_br(fx.b.compare(CompareOp.ULT, index, IntConst(I64, count)), body, done)
    fx.b.start(body)
    _store(fx, element(fx, PlaceRef(base, 0, at.align, at.ty), index), value)
    next_index = fx.b.binary(K.ADD, index, IntConst(I64, 1))
    store(fx, counter, Scalar(counter.ty, next_index))
    fx.b.br(head)
    fx.b.start(done)
