"""MIR constants: their types, and their values as scalars to store one by one or as bytes."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from mirgpu.kir.ops import Const, FloatConst, IntConst, Operand, PtrConst, Undef
from mirgpu.kir.types import I64, PTR, FloatType, IntType, PtrType, Type
from mirgpu.lower.allocs import alloc_address, alloc_part, is_shared_array
from mirgpu.lower.builder import int_const
from mirgpu.lower.const_types import ConstantTypes
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.lower.image import Image, ImageAddr, Leaf, SymbolAddr, float_bits
from mirgpu.lower.layout_data import Layout
from mirgpu.lower.library_constants import library_constant, library_table
from mirgpu.lower.literals import char_code, str_bytes
from mirgpu.lower.niche import niche_is_pointer, pointer_at
from mirgpu.lower.types import (
    pointee,
    scalar_type,
)
from mirgpu.mir.syntax import (
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
    DynTy,
    Path,
    PathTy,
    Prim,
    SliceTy,
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
class Constants(ConstantTypes):
    """Evaluates constants under one substitution, into one round's globals."""

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
                yield from self._indirect(alloc, start, ty, offset)
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

    def _exact_behind(self, ty: Ty) -> None:
        """Allocations of the dump have rustc's layout: what the pointers of a ``ty`` lead to,
        and on from there, must have it too."""
        todo, seen = [ty], set()
        while todo:
            each = todo.pop()
            if id(each) in seen:
                continue
            seen.add(id(each))
            inner = pointee(each)
            if inner is not None:
                if not isinstance(inner, Prim | DynTy) and not is_shared_array(inner):
                    self.layouts.exact(inner, "an allocation's bytes")
                    todo.append(inner)
            elif isinstance(each, ArrayTy | SliceTy):
                todo.append(each.elem)
            else:
                todo += self.layouts.field_types(each)

    def _indirect(self, alloc: str, start: int, ty: Ty, offset: int) -> Iterator[tuple[int, Piece]]:
        self.layouts.exact(ty, "an allocation's bytes")
        self._exact_behind(ty)
        layout = self.layouts.of(ty)
        image = alloc_part(self.round, alloc, start, layout.size)
        if layout.scalar is not None:
            yield offset, image.leaf(0, layout.scalar)
        elif layout.fat:
            yield offset, image.leaf(0, PTR)
            yield offset + 8, image.leaf(8, I64)
        else:
            yield from self._parts(image, ty, 0, offset)

    def _parts(self, image: Image, ty: Ty, start: int, offset: int) -> Iterator[tuple[int, Piece]]:
        """A small value of ``ty`` in an image as its scalars; else as the bytes they are."""
        scalars = list(self._scalars(image, ty, start)) if self.layouts.of(ty).size <= 128 else []
        if not scalars or any(found is None for found in scalars):
            part = Image(self.layouts.of(ty).size, self.layouts.of(ty).align)
            part.paste(0, image, start, len(part.data))
            yield offset, Blob(part, len(part.data))
            return
        for found in scalars:
            assert found is not None
            yield offset + found[0] - start, found[1]

    def _scalars(self, image: Image, ty: Ty, start: int) -> Iterator[tuple[int, Leaf] | None]:
        """The scalars of a value; none stands for a part whose inside is not known."""
        ty = self.layouts.peel(ty)
        layout = self.layouts.of(ty)
        if layout.size == 0:
            return
        if layout.scalar is not None:
            yield start, image.leaf(start, layout.scalar)
        elif layout.fat:
            yield start, image.leaf(start, PTR)
            yield start + 8, image.leaf(start + 8, I64)
        elif isinstance(ty, ArrayTy):
            size = self.layouts.of(ty.elem).size
            for at in range(start, start + layout.size, size):
                yield from self._scalars(image, ty.elem, at)
        elif self.layouts.is_union(ty) or self.layouts.is_enum(ty):
            yield None
        else:
            fields = self.layouts.variant_fields(ty, "")
            if fields is None or not self.layouts.is_defined(ty):
                yield None
                return
            for number, field in enumerate(fields):
                at = self.layouts.field_offset(ty, None, number, field)
                yield from self._scalars(image, field, start + at)

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
                self._exact_behind(ty)
                yield offset, alloc_address(self.round, alloc, start)
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
                self._exact_behind(ty)
                return alloc_address(self.round, alloc, offset)
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
                self._exact_behind(ty)
                address, count = alloc_address(self.round, alloc, 0), meta
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
        known = self.sized_property(mono)
        if known is not None:
            scalar = scalar_type(known[0])
            assert scalar is not None
            yield offset, int_const(scalar, known[1])
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
                yield from self._parts(image, ty, 0, offset)
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
        value = library_constant(text, ty)
        if value is not None:
            yield offset, value
            return
        table = library_table(text, ty)
        if table is not None:
            image = self.image(table, ty)
            yield offset, Blob(image, len(image.data))
            return
        raise LowerError(
            "MG0312",
            f"the constant `{text}` is not evaluated in the MIR text, and its body is not there",
            help="give the value as a literal, or as a `const` of this crate",
        )


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
            return leaf_operand(fx, SymbolAddr(image.place(fx.round, "constant"), addend))
        case _:
            return leaf
