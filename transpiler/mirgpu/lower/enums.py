"""Reading and writing which variant an enum holds: direct tags and niches."""

from itertools import pairwise

from mirgpu.kir.ops import BinaryOp, CompareOp, IntConst, Operand, PtrConst
from mirgpu.kir.types import I64, PTR, IntType, Type
from mirgpu.lower.builder import int_const
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.lower.layout_data import Layout
from mirgpu.lower.niche import niche_is_pointer
from mirgpu.lower.values import PlaceRef, address
from mirgpu.mir.syntax import Ty


def discriminant(fx: FnContext, at: PlaceRef, result: Type) -> Operand:
    """The discriminant's value, as an integer of type ``result``."""
    layout = fx.layout(at.ty)
    tag = layout.tag
    if tag is None:
        return _value(fx, at.ty, layout, _single(layout), result)
    values = [_value(fx, at.ty, layout, i, result) for i in range(len(layout.variants))]
    if tag.untagged is None:
        ty = IntType(tag.size * 8)
        loaded = fx.b.load(
            ty, _tag_address(fx, at, tag.offset), _tag_align(at, tag.offset, tag.size)
        )
        signed = any(v.value >> (result.width - 1) for v in values)  # type: ignore[union-attr]
        resized = [fx.b.resize(int_const(ty, v), result, signed=signed) for v in tag.values]
        if resized == values:
            return fx.b.resize(loaded, result, signed=signed)
        out: Operand = values[-1]
        for raw, value in list(zip(tag.values, values, strict=True))[-2::-1]:
            out = fx.b.select(fx.b.compare(CompareOp.EQ, loaded, int_const(ty, raw)), value, out)
        return out
    return _niche(fx, at, layout, values, result)


def _niche(
    fx: FnContext, at: PlaceRef, layout: Layout, values: list[IntConst], result: Type
) -> Operand:
    tag = layout.tag
    assert tag is not None
    assert tag.untagged is not None
    others = [i for i in range(len(values)) if i != tag.untagged and layout.variants[i].inhabited]
    untagged = values[tag.untagged]
    where = _tag_address(fx, at, tag.offset)
    align = _tag_align(at, tag.offset, tag.size)
    if niche_is_pointer(fx.layouts, at.ty):
        loaded: Operand = fx.b.load(PTR, where, align)
        out: Operand = untagged
        for i in others:
            is_i = fx.b.compare(CompareOp.EQ, loaded, PtrConst(PTR, tag.values[i]))
            out = fx.b.select(is_i, values[i], out)
        return out
    ty = IntType(tag.size * 8)
    loaded = fx.b.load(ty, where, align)
    mask = (1 << ty.width) - 1
    if len(others) > 2 and all(
        (tag.values[b] - tag.values[a]) & mask == b - a
        and values[b].value - values[a].value == b - a
        for a, b in pairwise(others)
    ):
        first = others[0]
        relative = fx.b.binary(BinaryOp.SUB, loaded, int_const(ty, tag.values[first]))
        inside = fx.b.compare(CompareOp.ULE, relative, int_const(ty, others[-1] - first))
        wide = fx.b.resize(relative, result, signed=False)
        value = fx.b.binary(BinaryOp.ADD, wide, values[first])
        return fx.b.select(inside, value, untagged)
    out = untagged
    for i in others:
        is_i = fx.b.compare(CompareOp.EQ, loaded, int_const(ty, tag.values[i]))
        out = fx.b.select(is_i, values[i], out)
    return out


def set_discriminant(fx: FnContext, at: PlaceRef, variant: int) -> None:
    """Make the enum at a place hold variant ``variant`` (an index)."""
    layout = fx.layout(at.ty)
    tag = layout.tag
    if tag is None or variant == tag.untagged or variant >= len(tag.values):
        return
    where = _tag_address(fx, at, tag.offset)
    align = _tag_align(at, tag.offset, tag.size)
    if niche_is_pointer(fx.layouts, at.ty):
        fx.b.store(PtrConst(PTR, tag.values[variant]), where, align)
        return
    ty = IntType(tag.size * 8)
    fx.b.store(int_const(ty, tag.values[variant]), where, align)


def _value(fx: FnContext, ty: Ty, layout: Layout, index: int, result: Type) -> IntConst:
    if not layout.variants:
        return int_const(result, 0)
    discriminant = layout.variants[index].discriminant
    if discriminant is None:
        fx.layouts.exact(ty, "the value of its discriminant")
        if fx.layouts.dirty:
            return int_const(result, 0)
        raise LowerError(
            "MG0322",
            f"the discriminants of `{fx.types.text(ty)}` are not in the MIR text",
            help="transpile the Rust source, or a dump made by `mirgpu transpile --emit mir`",
        )
    return int_const(result, discriminant)


def _single(layout: Layout) -> int:
    for index, variant in enumerate(layout.variants):
        if variant.inhabited:
            return index
    return 0


def _tag_address(fx: FnContext, at: PlaceRef, offset: int) -> Operand:
    return fx.b.ptr_add(address(fx, at), IntConst(I64, 0), 1, offset)


def _tag_align(at: PlaceRef, offset: int, size: int) -> int:
    align = min(at.align, size)
    while offset % align:
        align //= 2
    return align
