"""Manifests made by hand, for tests of the launcher."""

from typing import Final

from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    FieldType,
    HostType,
    KernelInfo,
    KernelParam,
    Manifest,
    PanicBuffer,
    PanicInfo,
    PanicOperandInfo,
    ParamKind,
    ScalarType,
    StructType,
    VariantType,
)

F32: Final = ScalarType("f32")
U8: Final = ScalarType("u8")
U32: Final = ScalarType("u32")
USIZE: Final = ScalarType("usize")
VEC3: Final = StructType(
    "shapes::Vec3", 12, 4, tuple(FieldType(n, 4 * k, F32) for k, n in enumerate("xyz"))
)
PADDED: Final = StructType("Padded", 8, 4, (FieldType("a", 4, U8), FieldType("b", 0, F32)))
SHAPE: Final = EnumType(
    "shapes::Shape",
    28,
    4,
    FieldType("tag", 0, U32),
    (
        VariantType("Sphere", 0, (FieldType("centre", 4, VEC3), FieldType("radius", 16, F32))),
        VariantType("Box", 1, (FieldType("centre", 4, VEC3), FieldType("half", 16, VEC3))),
        VariantType("Nothing", 2, ()),
    ),
)
RGB: Final = ArrayType(U8, 3)

_SIZES: Final = {"u8": 1, "u16": 2, "u32": 4, "f32": 4, "bool": 1, "char": 4}


def _value_size(ty: HostType) -> tuple[int, int]:
    match ty:
        case ScalarType(name=name):
            size = _SIZES.get(name, 8)
            return size, size
        case ArrayType(elem=elem, len=length):
            size, align = _value_size(elem)
            return size * length, align
        case _:
            return ty.size, ty.align


def param(
    name: str,
    rust_type: str,
    kind: ParamKind,
    ty: HostType,
    *,
    mutable: bool = False,
    interior: bool = False,
    axis: int | None = None,
) -> KernelParam:
    """A parameter whose place in the buffer ``kernel`` decides."""
    match kind:
        case ParamKind.SLICE:
            size, align = 16, 8
        case ParamKind.VALUE | ParamKind.INDEX:
            size, align = _value_size(ty)
        case _:
            size, align = 8, 8
    return KernelParam(name, rust_type, kind, ty, mutable, interior, size, align, None, axis)


def kernel(name: str, *params: KernelParam, plain: bool = False) -> KernelInfo:
    """A kernel with its parameters laid out in order at their natural alignment."""
    placed, offset = [], 0
    for each in params:
        at = None
        if each.kind is not ParamKind.INDEX:
            offset = at = -(-offset // each.align) * each.align
            offset += each.size
        placed.append(
            KernelParam(
                each.name,
                each.rust_type,
                each.kind,
                each.type,
                each.mutable,
                each.interior,
                each.size,
                each.align,
                at,
                each.axis,
            )
        )
    return KernelInfo(name, name, tuple(placed), offset, plain, 0, False, "src/lib.rs", 3)


def value(name: str, ty: HostType, rust: str | None = None) -> KernelParam:
    return param(name, rust or getattr(ty, "name", "[u8; 3]"), ParamKind.VALUE, ty)


def shared(name: str, ty: HostType, rust: str = "&[T]", *, interior: bool = False) -> KernelParam:
    return param(name, rust, ParamKind.SLICE, ty, interior=interior)


def unique(name: str, ty: HostType, rust: str = "&mut [T]") -> KernelParam:
    return param(name, rust, ParamKind.SLICE, ty, mutable=True)


def pointer(name: str, ty: HostType, *, mutable: bool) -> KernelParam:
    rust = "*mut T" if mutable else "*const T"
    return param(name, rust, ParamKind.POINTER, ty, mutable=mutable)


def index(name: str = "i", ty: HostType = USIZE, axis: int = 0) -> KernelParam:
    return param(name, getattr(ty, "name", ""), ParamKind.INDEX, ty, axis=axis)


def extent(axis: int = 0) -> KernelParam:
    return param(f"n{axis}", "u64", ParamKind.EXTENT, ScalarType("u64"), axis=axis)


SAXPY: Final = kernel(
    "saxpy",
    index(),
    value("a", F32),
    shared("x", F32, "&[f32]"),
    unique("y", F32, "&mut [f32]"),
    extent(),
    plain=True,
)
BOUNDS: Final = PanicInfo(
    "index out of bounds: the length is {0} but the index is {1}",
    (PanicOperandInfo("usize", "display"), PanicOperandInfo("usize", "display")),
    "src/lib.rs",
    7,
    9,
)


def manifest(
    *kernels: KernelInfo,
    target: str = "kir",
    arch: str | None = None,
    types: tuple[HostType, ...] = (),
    panic_buffer: PanicBuffer | None = None,
) -> Manifest:
    return Manifest(
        mirgpu="0.1.0",
        rustc="rustc 1.95.0",
        target=target,
        arch=arch,
        isa="6.0" if target == "ptx" else None,
        flags=("-O", 'a "quoted\\path"'),
        kernels=kernels or (SAXPY,),
        types=types,
        panics=(BOUNDS,),
        panic_buffer=panic_buffer,
    )
