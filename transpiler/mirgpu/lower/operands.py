"""MIR operands as values."""

from typing import assert_never

from mirgpu.kir.ops import IntConst
from mirgpu.kir.types import I1, I64, size_of
from mirgpu.lower.constants import Blob, Constants, Piece, leaf_operand
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.lower.image import Image, ImageAddr
from mirgpu.lower.places import place
from mirgpu.lower.values import Fat, Memory, PlaceRef, Scalar, Val, Zst, address, load, slot
from mirgpu.mir.syntax import (
    Constant,
    Copy,
    CValue,
    FnDefTy,
    FnItem,
    FnPtrTy,
    Move,
    Operand,
    Path,
    Place,
    RuntimeCheck,
    TupleTy,
    Ty,
)

_SCATTER = 24
"""Constants of up to this many scalars are stored one by one, larger ones copied."""


def constants(fx: FnContext) -> Constants:
    found = fx.constants
    if found is None:
        found = fx.constants = Constants(fx.round, fx.subst)
    assert isinstance(found, Constants)
    return found


def operand(fx: FnContext, node: Operand, expected: Ty | None = None) -> Val:
    """The value of an operand; ``expected`` types constants that do not tell theirs."""
    match node:
        case Copy(where) | Move(where):
            return read(fx, where)
        case Constant(value):
            return constant(fx, value, expected)
        case FnItem(path):
            return Zst(fn_item_type(fx, path))
        case RuntimeCheck():
            return Scalar(fx.types.bool, IntConst(I1, int(runtime_check(fx, node))))
        case _:
            assert_never(node)


def runtime_check(fx: FnContext, node: RuntimeCheck) -> bool:
    return node is RuntimeCheck.OVERFLOW_CHECKS and fx.crate.options.overflow_checks


def fn_item_type(fx: FnContext, path: object) -> Ty:
    """The zero-sized type of a function item, by its path alone."""
    assert isinstance(path, Path)
    mono = fx.types.path(path, fx.subst)
    return fx.types.intern(FnDefTy(FnPtrTy((), TupleTy(())), mono))


def read(fx: FnContext, where: Place) -> Val:
    name = fx.index.names.get(where.local) if not where.projection else None
    return load(fx, place(fx, where), name)


def constant(fx: FnContext, value: CValue, expected: Ty | None) -> Val:
    c = constants(fx)
    ty = c.type_of(value, expected)
    layout = fx.layout(ty)
    if layout.scalar is not None:
        (_, piece), *_ = c.pieces(value, ty)
        assert not isinstance(piece, Blob)
        return Scalar(ty, leaf_operand(fx, piece))
    if layout.fat:
        parts = [piece for _, piece in c.pieces(value, ty)]
        if len(parts) != 2:
            raise LowerError("MG0311", f"a constant of type `{fx.types.text(ty)}` in this form")
        ptr, meta = parts
        assert not isinstance(ptr, Blob)
        assert not isinstance(meta, Blob)
        return Fat(ty, leaf_operand(fx, ptr), leaf_operand(fx, meta))
    if layout.size == 0 and not fx.layouts.dirty:
        return Zst(ty)
    at = slot(fx, ty)
    store_constant(fx, at, value)
    return Memory(ty, at)


def store_constant(fx: FnContext, at: PlaceRef, value: CValue) -> None:
    """Write a constant to a place of its type."""
    pieces = list(constants(fx).pieces(value, at.ty))
    if len(pieces) > _SCATTER:
        layout = fx.layout(at.ty)
        image = Image(layout.size, layout.align)
        for offset, piece in pieces:
            if isinstance(piece, Blob):
                image.paste(offset, piece.image, 0, piece.size)
            else:
                image.put(offset, piece)
        pieces = [(0, Blob(image, layout.size))]
    for offset, piece in pieces:
        store_piece(fx, at, offset, piece)


def store_piece(fx: FnContext, at: PlaceRef, offset: int, piece: Piece) -> None:
    where = fx.b.ptr_add(address(fx, at), IntConst(I64, 0), 1, offset)
    align = at.align
    while offset % align:
        align //= 2
    if isinstance(piece, Blob):
        source = leaf_operand(fx, ImageAddr(piece.image, 0))
        fx.b.memcopy(where, source, IntConst(I64, piece.size), min(align, piece.image.align))
        return
    value = leaf_operand(fx, piece)

    fx.b.store(value, where, min(align, size_of(value.type)))
