"""Allocations of the dump as globals: constant bytes, statics, a block's shared arrays."""

from mirgpu.kir.module import Global, GlobalReloc
from mirgpu.kir.types import AddressSpace
from mirgpu.lower.context import Round
from mirgpu.lower.errors import LowerError
from mirgpu.lower.freeze import is_freeze
from mirgpu.lower.image import Image, SymbolAddr
from mirgpu.lower.types import path_key
from mirgpu.mir.syntax import MemoryAlloc, NameSeg, Path, PathTy, StaticAlloc, Ty


def alloc_part(round_: Round, alloc: str, start: int, size: int) -> Image:
    found = round_.crate.dump.allocs.get(alloc)
    if not isinstance(found, MemoryAlloc):
        raise LowerError("MG0313", f"the bytes of `{alloc}` are not in the dump")
    image = Image(size, found.align)
    image.data[:] = found.data[start : start + size]
    for reloc in found.relocations:
        if start <= reloc.offset < start + size:
            image.addresses[reloc.offset - start] = alloc_address(round_, reloc.alloc, reloc.addend)
    return image


def alloc_address(round_: Round, alloc: str, offset: int) -> SymbolAddr:
    """The address of an allocation of the dump, which becomes a global."""
    found = round_.crate.dump.allocs.get(alloc)
    if isinstance(found, MemoryAlloc):
        if found.static is not None:
            return SymbolAddr(_static(round_, found, found.static), offset)
        return SymbolAddr(_bytes(round_, found, alloc), offset)
    if isinstance(found, StaticAlloc):
        name = round_.crate.path_text(found.path)
        raise LowerError(
            "MG0313",
            f"the static `{name}` is of another crate or has no bytes in the dump",
            help="pass its value to the kernel as a parameter",
        )
    if found is None:
        raise LowerError("MG0313", f"the bytes of `{alloc}` are not in the dump")
    raise LowerError(
        "MG0304",
        "function pointers and vtables are not supported",
        help="use generic parameters instead of `fn` pointers and `dyn`",
    )


def _bytes(round_: Round, alloc: MemoryAlloc, hint: str) -> str:
    relocs = tuple(
        GlobalReloc(r.offset, target.symbol, target.addend)
        for r in alloc.relocations
        for target in (alloc_address(round_, r.alloc, r.addend),)
    )
    return round_.data(alloc.data, alloc.align, relocs, hint)


def _static(round_: Round, alloc: MemoryAlloc, path: Path) -> str:
    key = path_key(path) or alloc.name
    symbol = round_.statics.get(key)
    if symbol is not None:
        return symbol
    ty = round_.crate.bodies.static_type(path)
    name = round_.crate.path_text(path)
    if ty is None:
        raise LowerError("MG0313", f"the static `{name}` is not in the dump")
    short = path.segments[-1]
    hint = short.name if isinstance(short, NameSeg) else name
    if is_shared_array(ty):
        symbol = round_.fresh_symbol(hint)
        round_.globals[symbol] = Global(
            symbol, AddressSpace.SHARED, alloc.size, alloc.align, None, (), True, None
        )
    elif round_.crate.bodies.is_mutable_static(path) or not is_freeze(round_.crate.layouts, ty):
        kind = "mutable" if round_.crate.bodies.is_mutable_static(path) else "interior mutable"
        raise LowerError(
            "MG0314",
            f"the static `{name}` is {kind}, which is not supported in a kernel",
            help="pass it as a `&mut` parameter, or use `mirgpu::shared::SharedArray` for "
            "memory that a block shares",
        )
    else:
        symbol = _bytes(round_, alloc, hint)
    round_.statics[key] = symbol
    return symbol


def is_shared_array(ty: Ty) -> bool:
    if not isinstance(ty, PathTy):
        return False
    key = path_key(ty.path) or ""
    return key.startswith("mirgpu::") and key.endswith("::SharedArray")
