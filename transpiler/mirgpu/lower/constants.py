"""MIR constants: their types, and their values as scalars to store one by one or as bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from mirgpu.kir.module import Global, GlobalReloc
from mirgpu.kir.ops import Const, FloatConst, IntConst, Operand, PtrConst, Undef
from mirgpu.kir.types import I1, I64, PTR, AddressSpace, FloatType, IntType, PtrType, Type
from mirgpu.lower.builder import int_const
from mirgpu.lower.context import FnContext, Round
from mirgpu.lower.errors import LowerError
from mirgpu.lower.image import Image, ImageAddr, Leaf, SymbolAddr, float_bits
from mirgpu.lower.known import ENUMS, is_interior
from mirgpu.lower.layout import Layout
from mirgpu.lower.niche import niche_is_pointer, pointer_at
from mirgpu.lower.types import (
    Subst,
    parent,
    path_key,
    pointee,
    scalar_type,
    std_key,
    type_args,
)
from mirgpu.mir.syntax import (
    AnonItemDef,
    ArrayTy,
    CAdtStruct,
    CAdtTuple,
    CAlloc,
    CArray,
    CBool,
    CBytes,
    CChar,
    CFloat,
    CFnPtr,
    CIndirect,
    CInt,
    CIntPtr,
    ConstItemDef,
    CPath,
    CPattern,
    CRef,
    CRepeat,
    CScalar,
    CSlice,
    CStr,
    CTransmute,
    CTuple,
    CUninit,
    CUnreachable,
    CValue,
    CZeroSized,
    MemoryAlloc,
    NameSeg,
    Path,
    PathTy,
    QualifiedSeg,
    RefTy,
    SliceTy,
    StaticAlloc,
    TupleTy,
    Ty,
)

SHARED_ARRAY = "mirgpu::shared::SharedArray"


@final
@dataclass(frozen=True, slots=True)
class Blob:
    """Bytes that a constant's evaluation made."""

    image: Image
    size: int


Piece = Leaf | Blob


@final
class Constants:
    """Evaluates constants under one substitution, into one round's globals."""

    def __init__(self, round_: Round, subst: Subst) -> None:
        self.round = round_
        self.types = round_.crate.types
        self.layouts = round_.crate.layouts
        self.bodies = round_.crate.bodies
        self.subst = subst

    # ------------------------------------------------------------------------- types

    def ty(self, ty: Ty) -> Ty:
        return self.types.mono(ty, self.subst)

    def type_of(self, value: CValue, expected: Ty | None) -> Ty:
        match value:
            case CInt(_, suffix) | CFloat(_, suffix):
                if suffix is not None:
                    return self.types.prim(suffix)
            case CBool():
                return self.types.bool
            case CChar():
                return self.types.prim("char")
            case CStr():
                return self.types.str_ref
            case CBytes(data, deref):
                if expected is None:
                    array = self.types.intern(ArrayTy(self.types.u8, CInt(len(data), None)))
                    return array if deref else self.types.intern(RefTy(False, array))
            case CTuple(elems):
                if not elems:
                    return self.types.unit
                if expected is None:
                    return self.types.intern(TupleTy(tuple(self.type_of(e, None) for e in elems)))
            case CArray(elems):
                if expected is None and elems:
                    elem = self.type_of(elems[0], None)
                    return self.types.intern(ArrayTy(elem, CInt(len(elems), None)))
            case CRepeat(elem_value, count):
                if expected is None:
                    elem = self.type_of(elem_value, None)
                    n = self.types.length(count, self.subst)
                    return self.types.intern(ArrayTy(elem, CInt(n, None)))
            case CAdtTuple(path) | CAdtStruct(path):
                return self.adt(path, expected)[0]
            case CPath(path):
                return self._path_type(path, expected)
            case (
                CAlloc(ty=ty)
                | CIntPtr(ty=ty)
                | CFnPtr(ty=ty)
                | CTransmute(ty=ty)
                | CUnreachable(ty=ty)
                | CZeroSized(ty=ty)
                | CIndirect(ty=ty)
                | CScalar(ty=ty)
                | CSlice(ty=ty)
            ):
                return self.ty(ty)
            case CPattern(inner):
                return self.type_of(inner, expected)
            case _:
                pass
        if expected is None:
            raise LowerError("MG0311", "the type of a constant is not clear from the MIR text")
        return expected

    def _path_type(self, path: Path, expected: Ty | None) -> Ty:
        mono = self.types.path(path, self.subst)
        param = self._param(path)
        if param is not None:
            return self.type_of(param, expected)
        if self.is_zst_const(mono) is not None:
            return self.types.bool
        instance = self.bodies.constant(mono)
        if instance is not None and isinstance(instance.item, ConstItemDef | AnonItemDef):
            return self.types.mono(instance.item.ty, instance.subst)
        if expected is not None:
            return expected
        return self.adt(path, None)[0]

    def is_zst_const(self, mono: Path) -> bool | None:
        """``<T as SizedTypeProperties>::IS_ZST``, which core's iterators ask in generics."""
        head, last = mono.segments[0], mono.segments[-1]
        if (
            isinstance(head, QualifiedSeg)
            and head.trait is not None
            and std_key(head.trait) == "mem::SizedTypeProperties"
            and isinstance(last, NameSeg)
            and last.name == "IS_ZST"
        ):
            return self.layouts.is_zst(head.self_ty)
        return None

    def _param(self, path: Path) -> CValue | None:
        """The value of a constant parameter."""
        if len(path.segments) == 1 and isinstance(path.segments[0], NameSeg):
            found = self.subst.mapping.get(path.segments[0].name)
            if isinstance(found, CInt | CBool | CChar):
                return found
        return None

    def adt(self, path: Path, expected: Ty | None) -> tuple[Ty, str]:
        """The type that a value path builds, and the variant's name (empty for a struct)."""
        mono = self.types.path(path, self.subst)
        key = path_key(mono)
        owner = parent(mono)
        owner_key = path_key(owner) if owner.segments else None
        last = mono.segments[-1]
        name = last.name if isinstance(last, NameSeg) else ""
        if isinstance(expected, PathTy):
            want = path_key(expected.path)
            if want == key:
                return expected, ""
            if want == owner_key:
                return expected, name
        adts = self.round.crate.info.adts
        if key in adts and adts[key].kind != "enum":
            return self.types.intern(PathTy(mono)), ""
        if owner.segments and (
            std_key(owner) in ENUMS or (owner_key in adts and adts[owner_key].kind == "enum")
        ):
            return self.types.intern(PathTy(owner)), name
        before = owner.segments[-1] if owner.segments else None
        if isinstance(before, NameSeg) and before.name[:1].isupper():
            return self.types.intern(PathTy(owner)), name
        return self.types.intern(PathTy(mono)), ""

    # ------------------------------------------------------------------------ values

    def pieces(self, value: CValue, ty: Ty, offset: int = 0) -> Iterator[tuple[int, Piece]]:
        """The scalars and bytes of a constant, with their places in a value of ``ty``."""
        match value:
            case CPath(path):
                param = self._param(path)
                if param is not None:
                    yield from self.pieces(param, ty, offset)
                else:
                    yield from self._named(path, ty, offset)
                return
            case CPattern(inner):
                yield from self.pieces(inner, ty, offset)
                return
            case CZeroSized() | CUnreachable() | CUninit():
                scalar = scalar_type(ty)
                if scalar is not None:
                    yield offset, Undef(scalar)
                return
            case CTuple(elems) if not isinstance(ty, PathTy):
                fields = ty.elems if isinstance(ty, TupleTy) else ()
                for index, (elem, field) in enumerate(zip(elems, fields, strict=True)):
                    at = self.layouts.field_offset(ty, None, index, field)
                    yield from self.pieces(elem, field, offset + at)
                return
            case CArray(elems):
                elem_ty = self._elem(ty)
                size = self.layouts.of(elem_ty).size
                for index, elem in enumerate(elems):
                    yield from self.pieces(elem, elem_ty, offset + index * size)
                return
            case CRepeat(elem, count):
                elem_ty = self._elem(ty)
                size = self.layouts.of(elem_ty).size
                for index in range(self.types.length(count, self.subst)):
                    yield from self.pieces(elem, elem_ty, offset + index * size)
                return
            case CBytes(data, True):
                image = Image(len(data), 1)
                image.data[:] = data
                yield offset, Blob(image, len(data))
                return
            case CAdtTuple(path, adt_elems):
                yield from self._adt(path, None, adt_elems, ty, offset)
                return
            case CAdtStruct(path, adt_fields):
                names = tuple(name for name, _ in adt_fields)
                yield from self._adt(path, names, tuple(v for _, v in adt_fields), ty, offset)
                return
            case CIndirect(alloc, start, _):
                self.layouts.exact(ty, "an allocation's bytes")
                size = self.layouts.of(ty).size
                yield offset, Blob(self._alloc_part(alloc, start, size), size)
                return
            case _:
                pass
        layout = self.layouts.of(ty)
        if layout.fat:
            yield from self._fat(value, ty, offset)
        elif layout.scalar is not None:
            yield offset, self.scalar(value, ty, layout.scalar)
        elif isinstance(value, CTransmute | CScalar | CInt | CAlloc | CIntPtr | CBool):
            yield from self._bits(value, ty, layout, offset)
        elif layout.size:
            raise LowerError("MG0311", f"a constant of type `{self.types.text(ty)}` in this form")

    def _elem(self, ty: Ty) -> Ty:
        if isinstance(ty, ArrayTy | SliceTy):
            return ty.elem
        raise LowerError("MG0311", f"an array constant of type `{self.types.text(ty)}`")

    def _adt(
        self,
        path: Path,
        names: tuple[str, ...] | None,
        values: tuple[CValue, ...],
        ty: Ty,
        offset: int,
    ) -> Iterator[tuple[int, Piece]]:
        adt_ty, variant = self.adt(path, ty)
        if names is not None:
            self.layouts.see_names(adt_ty, variant, names)
        known = self.layouts.variant_fields(adt_ty, variant)
        types = [
            known[i] if known is not None and i < len(known) else self.type_of(v, None)
            for i, v in enumerate(values)
        ]
        for i, field in enumerate(types):
            self.layouts.see_field(adt_ty, variant, i, field)
        index = self.layouts.variant_index(adt_ty, variant) if variant else None
        if index is not None:
            yield from self.tag(adt_ty, index, offset)
        for i, (value, field) in enumerate(zip(values, types, strict=True)):
            at = self.layouts.field_offset(adt_ty, index, i, field)
            yield from self.pieces(value, field, offset + at)

    def tag(self, ty: Ty, variant: int, offset: int) -> Iterator[tuple[int, Piece]]:
        """What marks a value of ``ty`` as this variant."""
        tag = self.layouts.of(ty).tag
        if tag is None or variant == tag.untagged or variant >= len(tag.values):
            return
        raw = tag.values[variant]
        if niche_is_pointer(self.layouts, ty):
            yield offset + tag.offset, PtrConst(PTR, raw)
        else:
            yield offset + tag.offset, int_const(IntType(tag.size * 8), raw)

    def _bits(
        self, value: CValue, ty: Ty, layout: Layout, offset: int
    ) -> Iterator[tuple[int, Piece]]:
        """A constant that is one scalar for rustc but memory here."""
        self.layouts.exact(ty, "a constant given by its bits")
        match value:
            case CTransmute(bits=bits) | CInt(value=bits):
                pass
            case CScalar(text=text):
                bits = int(text, 16)
            case CBool(value=flag):
                bits = int(flag)
            case CAlloc(alloc, start, _, _):
                yield offset, self.alloc_address(alloc, start)
                return
            case CIntPtr(address=bits):
                pass
            case _:
                raise LowerError("MG0311", "a constant in a form that is not supported")
        if layout.size in (1, 2, 4, 8):
            ty_ = IntType(layout.size * 8)
            if layout.size == 8 and pointer_at(self.layouts, ty, 0):
                yield offset, PtrConst(PTR, bits)
            else:
                yield offset, int_const(ty_, bits)
            return
        image = Image(layout.size, layout.align)
        image.data[:] = (bits & ((1 << (8 * layout.size)) - 1)).to_bytes(layout.size, "little")
        yield offset, Blob(image, layout.size)

    def scalar(self, value: CValue, ty: Ty, scalar: Type) -> Leaf:
        match value:
            case CInt(number):
                if isinstance(scalar, PtrType):
                    return PtrConst(scalar, number)
                return int_const(scalar, number)
            case CBool(flag):
                return int_const(scalar, int(flag))
            case CChar(char):
                return int_const(scalar, char_code(char))
            case CFloat(text, suffix):
                width = 32 if suffix == "f32" else 64
                return FloatConst(FloatType(width), float_bits(text, width))
            case CAlloc(alloc, offset, _, _):
                return self.alloc_address(alloc, offset)
            case CIntPtr(address):
                return PtrConst(PTR, address)
            case CTransmute(bits=bits):
                return _from_bits(scalar, bits)
            case CScalar(text, _):
                return _from_bits(scalar, int(text, 16))
            case CBytes(data, False):
                return SymbolAddr(self.round.data(data, 1, (), "bytes"), 0)
            case CStr(text):
                data = str_bytes(text)
                return SymbolAddr(self.round.data(data, 1, (), "str"), 0)
            case CRef(inner):
                target = pointee(ty)
                assert target is not None
                return ImageAddr(self.image(inner, target), 0)
            case CFnPtr():
                raise LowerError(
                    "MG0304",
                    "function pointers are not supported",
                    help="take the function as a generic parameter: `f: impl Fn(…)`",
                )
            case _:
                raise LowerError(
                    "MG0311", f"a constant of type `{self.types.text(ty)}` in this form"
                )

    def _fat(self, value: CValue, ty: Ty, offset: int) -> Iterator[tuple[int, Piece]]:
        match value:
            case CStr(text):
                data = str_bytes(text)
                address: Leaf = SymbolAddr(self.round.data(data, 1, (), "str"), 0)
                count = len(data)
            case CBytes(data, False):
                address = SymbolAddr(self.round.data(data, 1, (), "bytes"), 0)
                count = len(data)
            case CSlice(alloc, meta, _):
                address, count = self.alloc_address(alloc, 0), meta
            case CRef(CArray(elems) as array):
                target = pointee(ty)
                assert isinstance(target, SliceTy)
                whole = self.types.intern(ArrayTy(target.elem, CInt(len(elems), None)))
                address, count = ImageAddr(self.image(array, whole), 0), len(elems)
            case _:
                raise LowerError(
                    "MG0311", f"a constant of type `{self.types.text(ty)}` in this form"
                )
        yield offset, address
        yield offset + 8, IntConst(I64, count)

    def image(self, value: CValue, ty: Ty) -> Image:
        layout = self.layouts.of(ty)
        image = Image(layout.size, layout.align)
        self.fill(image, 0, value, ty)
        return image

    def fill(self, image: Image, offset: int, value: CValue, ty: Ty) -> None:
        for at, piece in self.pieces(value, ty, offset):
            if isinstance(piece, Blob):
                image.paste(at, piece.image, 0, piece.size)
            else:
                image.put(at, piece)

    def _named(self, path: Path, ty: Ty, offset: int) -> Iterator[tuple[int, Piece]]:
        """A bare path: a constant with a body here, a unit struct or variant, or a function."""
        from mirgpu.lower.consteval import evaluate

        mono = self.types.path(path, self.subst)
        is_zst = self.is_zst_const(mono)
        if is_zst is not None:
            yield offset, IntConst(I1, int(is_zst))
            return
        instance = self.bodies.constant(mono)
        if instance is not None:
            image = evaluate(self.round, instance)
            layout = self.layouts.of(ty)
            if layout.scalar is not None:
                yield offset, image.leaf(0, layout.scalar)
            elif layout.fat:
                yield offset, image.leaf(0, PTR)
                yield offset + 8, image.leaf(8, I64)
            elif layout.size:
                yield offset, Blob(image, layout.size)
            return
        if isinstance(ty, PathTy):
            adt_ty, variant = self.adt(path, ty)
            if adt_ty is ty:
                if variant:
                    yield from self.tag(ty, self.layouts.variant_index(ty, variant), offset)
                return
        if self.layouts.of(ty).size == 0:
            return
        text = self.round.crate.path_text(path)
        raise LowerError(
            "MG0312",
            f"the constant `{text}` is not evaluated in the MIR text, and its body is not there",
            help="give the value as a literal, or as a `const` of this crate",
        )

    # ------------------------------------------------------------------- allocations

    def _alloc_part(self, alloc: str, start: int, size: int) -> Image:
        found = self.round.crate.dump.allocs.get(alloc)
        if not isinstance(found, MemoryAlloc):
            raise LowerError("MG0313", f"the bytes of `{alloc}` are not in the dump")
        image = Image(size, found.align)
        image.data[:] = found.data[start : start + size]
        for reloc in found.relocations:
            if start <= reloc.offset < start + size:
                image.addresses[reloc.offset - start] = self.alloc_address(
                    reloc.alloc, reloc.addend
                )
        return image

    def alloc_address(self, alloc: str, offset: int) -> SymbolAddr:
        """The address of an allocation of the dump, which becomes a global."""
        found = self.round.crate.dump.allocs.get(alloc)
        if isinstance(found, MemoryAlloc):
            if found.static is not None:
                return SymbolAddr(self._static(found, found.static), offset)
            return SymbolAddr(self._bytes(found, alloc), offset)
        if isinstance(found, StaticAlloc):
            name = self.round.crate.path_text(found.path)
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

    def _bytes(self, alloc: MemoryAlloc, hint: str) -> str:
        relocs = tuple(
            GlobalReloc(r.offset, target.symbol, target.addend)
            for r in alloc.relocations
            for target in (self.alloc_address(r.alloc, r.addend),)
        )
        return self.round.data(alloc.data, alloc.align, relocs, hint)

    def _static(self, alloc: MemoryAlloc, path: Path) -> str:
        key = path_key(path) or alloc.name
        symbol = self.round.statics.get(key)
        if symbol is not None:
            return symbol
        ty = self.bodies.static_type(path)
        name = self.round.crate.path_text(path)
        if ty is None:
            raise LowerError("MG0313", f"the static `{name}` is not in the dump")
        short = path.segments[-1]
        hint = short.name if isinstance(short, NameSeg) else name
        if is_shared_array(ty):
            symbol = self.round.fresh_symbol(hint)
            self.round.globals[symbol] = Global(
                symbol, AddressSpace.SHARED, alloc.size, alloc.align, None, (), True, None
            )
        elif self.bodies.is_mutable_static(path) or not is_freeze(self, ty):
            raise LowerError(
                "MG0314",
                f"the mutable static `{name}` is not supported in a kernel",
                help="pass it as a `&mut` parameter, or use `mirgpu::shared::SharedArray` for "
                "memory that a block shares",
            )
        else:
            symbol = self._bytes(alloc, hint)
        self.round.statics[key] = symbol
        return symbol


def is_shared_array(ty: Ty) -> bool:
    if not isinstance(ty, PathTy):
        return False
    key = path_key(ty.path) or ""
    return key.startswith("mirgpu::") and key.endswith("::SharedArray")


def is_freeze(c: "Constants | FnContext", ty: Ty) -> bool:
    """Whether no byte of ``ty`` itself can change behind a shared reference."""
    match ty:
        case ArrayTy(elem) | SliceTy(elem):
            return is_freeze(c, elem)
        case TupleTy(elems):
            return all(is_freeze(c, e) for e in elems)
        case PathTy(path):
            key = std_key(path)
            if key is not None:
                if is_interior(key):
                    return False
                if key.startswith(("ptr::NonNull", "marker::Phantom", "slice::Iter")):
                    return True
                return all(is_freeze(c, a) for a in type_args(path))
            fields = c.layouts.field_types(ty)
            adt = c.round.crate.info.adts.get(path_key(path) or "")
            if adt is None or not adt.freeze:
                return False
            return all(is_freeze(c, f) for f in fields)
        case _:
            return True


def char_code(text: str) -> int:
    if len(text) == 1:
        return ord(text)
    body = unescape(text)
    return ord(body) if len(body) == 1 else 0xFFFD


def unescape(text: str) -> str:
    """The characters of a Rust string literal's inside."""
    out: list[str] = []
    i = 0
    simple = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\", '"': '"', "'": "'"}
    while i < len(text):
        c = text[i]
        if c != "\\":
            out.append(c)
            i += 1
            continue
        nxt = text[i + 1]
        if nxt in simple:
            out.append(simple[nxt])
            i += 2
        elif nxt == "x":
            out.append(chr(int(text[i + 2 : i + 4], 16)))
            i += 4
        elif nxt == "u":
            end = text.index("}", i)
            out.append(chr(int(text[i + 3 : end], 16)))
            i = end + 1
        else:
            out.append(nxt)
            i += 2
    return "".join(out)


def str_bytes(text: str) -> bytes:
    return unescape(text).encode("utf-8", "surrogatepass")


def _from_bits(scalar: Type, bits: int) -> Const:
    match scalar:
        case IntType():
            return int_const(scalar, bits)
        case FloatType():
            return FloatConst(scalar, bits)
        case PtrType():
            return PtrConst(scalar, bits)


def leaf_operand(fx: FnContext, leaf: Leaf) -> Operand:
    """A constant scalar as an operand; addresses are taken in the current block."""
    match leaf:
        case SymbolAddr(symbol, addend):
            space = fx.round.globals[symbol].space
            base = fx.b.global_addr(symbol, space)
            return fx.b.ptr_add(fx.b.generic(base), IntConst(I64, 0), 1, addend)
        case ImageAddr(image, addend):
            return leaf_operand(fx, SymbolAddr(image.place(fx.round, "const"), addend))
        case _:
            return leaf
