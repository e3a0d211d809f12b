"""Whether the bytes that mark an enum's variant are a pointer's: then they are read as one."""

from mirgpu.kir.types import PTR
from mirgpu.lower.layout import Layouts
from mirgpu.lower.layout_data import Layout
from mirgpu.lower.types import scalar_type
from mirgpu.mir.syntax import Ty


def niche_is_pointer(layouts: Layouts, ty: Ty) -> bool:
    """Whether the tag of ``ty`` lies in a pointer of its untagged variant."""
    layout = layouts.of(ty)
    tag = layout.tag
    if tag is None or tag.untagged is None or tag.size != 8:
        return False
    variant = layout.variants[tag.untagged]
    return _in_fields(layouts, ty, layout, tag.untagged, variant.name, tag.offset)


def pointer_at(layouts: Layouts, ty: Ty, offset: int) -> bool:
    """Whether a pointer stands at ``offset`` in a value of ``ty``, as far as types are known."""
    ty = layouts.peel(ty)
    scalar = scalar_type(ty)
    if scalar is not None:
        return scalar == PTR and offset == 0
    layout = layouts.of(ty)
    if layout.fat:
        return offset == 0
    if layout.tag is not None:
        return layout.tag.offset == offset and niche_is_pointer(layouts, ty)
    if len(layout.variants) == 1:
        return _in_fields(layouts, ty, layout, 0, "", offset)
    return False


def _in_fields(
    layouts: Layouts, ty: Ty, layout: Layout, index: int, variant: str, offset: int
) -> bool:
    for number, field in enumerate(layouts.variant_fields(ty, variant) or ()):
        start = layout.variants[index].offsets.get(number)
        if start is not None and start <= offset < start + layouts.of(field).size:
            return pointer_at(layouts, field, offset - start)
    return False
