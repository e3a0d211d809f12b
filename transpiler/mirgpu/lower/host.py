"""Rust types as a host sees them, for the manifest."""

from mirgpu.lower.context import FnContext
from mirgpu.lower.freeze import is_freeze
from mirgpu.lower.types import last_name, path_key
from mirgpu.mir.syntax import ArrayTy, CInt, PathTy, Prim, TupleTy, Ty
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    FieldType,
    HostType,
    OpaqueType,
    ScalarType,
    StructType,
    VariantType,
)


def host_type(fx: FnContext, ty: Ty, structs: dict[str, HostType]) -> HostType:
    """The type in rustc's layout; named ones are also put into ``structs``."""
    match ty:
        case Prim(name):
            return ScalarType(name)
        case ArrayTy(elem, length):
            assert isinstance(length, CInt)
            return ArrayType(host_type(fx, elem, structs), length.value)
        case TupleTy() | PathTy():
            found = _aggregate(fx, ty, structs)
            if found is not None:
                if isinstance(found, StructType | EnumType) and isinstance(ty, PathTy):
                    structs.setdefault(found.name, found)
                return found
        case _:
            pass
    layout = fx.layout(ty)
    return OpaqueType(fx.types.text(ty), layout.size, layout.align)


def type_name(fx: FnContext, ty: Ty) -> str:
    """``Vec3`` for ``geo::Vec3``; the whole text where there are generic arguments."""
    if isinstance(ty, PathTy) and path_key(ty.path) == fx.types.text(ty):
        return last_name(ty.path) or fx.types.text(ty)
    return fx.types.text(ty)


def _aggregate(
    fx: FnContext, ty: Ty, structs: dict[str, HostType]
) -> StructType | EnumType | HostType | None:
    layouts = fx.layouts
    peeled = layouts.peel(ty)
    if peeled is not ty and isinstance(peeled, Prim | TupleTy | ArrayTy | PathTy):
        return host_type(fx, peeled, structs)
    layout = layouts.exact(ty, "memory shared with the host")
    if layouts.is_union(ty):
        return None
    name = type_name(fx, ty)
    if not layouts.is_enum(ty):
        fields = _fields(fx, ty, "", 0, structs)
        return None if fields is None else StructType(name, layout.size, layout.align, fields)
    tag = layout.tag
    if tag is None or tag.untagged is not None:
        return None
    variants = []
    for index, variant in enumerate(layout.variants):
        fields = _fields(fx, ty, variant.name, index, structs)
        if fields is None:
            return None
        variants.append(VariantType(variant.name, tag.values[index], fields))
    tag_field = FieldType("tag", tag.offset, ScalarType(f"u{tag.size * 8}"))
    return EnumType(name, layout.size, layout.align, tag_field, tuple(variants))


def _fields(
    fx: FnContext, ty: Ty, variant: str, index: int, structs: dict[str, HostType]
) -> tuple[FieldType, ...] | None:
    types = fx.layouts.variant_fields(ty, variant)
    if types is None:
        return None
    names = fx.layouts.source_names(ty, variant)
    out = []
    for number, field in enumerate(types):
        if fx.layouts.is_zst(field):
            continue
        offset = fx.layouts.field_offset(ty, index, number, field)
        name = names[number] if names is not None and number < len(names) else str(number)
        out.append(
            FieldType(f"_{name}" if name.isdigit() else name, offset, host_type(fx, field, structs))
        )
    return tuple(out)


def has_interior(fx: FnContext, ty: Ty) -> bool:
    return not is_freeze(fx.layouts, ty)
