"""A kernel's parameters: what the host passes, and how they reach the body's locals.

The layout is rustc's ``extern "ptx-kernel"``: every parameter at its natural alignment in
one buffer, a slice as 16 bytes ``{ptr, len}``, aggregates by value in Rust's layout.
"""

from dataclasses import dataclass, field
from typing import final

from mirgpu.kir.module import Function, FunctionKind, Param, ParamRole
from mirgpu.kir.ops import (
    Axis,
    BinaryOp,
    CastOp,
    CompareOp,
    Location,
    ReadSpecial,
    SpecialRegister,
    Value,
)
from mirgpu.kir.ops import Return as KReturn
from mirgpu.kir.types import I32, I64, AddressSpace, IntType, PtrType
from mirgpu.lower.context import FnContext, Round
from mirgpu.lower.errors import LowerError, trait_objects
from mirgpu.lower.function import lower_blocks, make_slots
from mirgpu.lower.host import has_interior, host_type
from mirgpu.lower.places import local_place
from mirgpu.lower.resolve import Instance
from mirgpu.lower.types import is_integer, is_unsized
from mirgpu.lower.values import Fat, Memory, PlaceRef, Scalar, store
from mirgpu.mir.syntax import DefTy, DynTy, PathTy, Prim, RawPtrTy, RefTy, SliceTy, TupleTy, Ty
from mirgpu.runtime.manifest import HostType, KernelInfo, KernelParam, ParamKind, ScalarType

_GLOBAL = PtrType(AddressSpace.GLOBAL)
_AXES = (Axis.X, Axis.Y, Axis.Z)
_SHARED_WITH_HOST = "memory shared with the host"


@final
@dataclass(frozen=True, slots=True)
class Kernel:
    """A body chosen to be a kernel.  ``plain``: thread indices are bound to parameters."""

    instance: Instance
    symbol: str
    name: str
    rust_name: str
    plain: bool
    file: str | None
    line: int | None


@final
@dataclass(slots=True)
class _Signature:
    params: list[Param] = field(default_factory=list)
    infos: list[KernelParam] = field(default_factory=list)
    offset: int = 0
    structs: dict[str, HostType] = field(default_factory=dict)

    def place(self, size: int, align: int) -> int:
        at = (self.offset + align - 1) // align * align
        self.offset = at + size
        return at


def lower_kernel(round_: Round, kernel: Kernel, structs: dict[str, HostType]) -> KernelInfo | None:
    """Lower a kernel; none where its signature has an error, which the round then holds."""
    fx = FnContext(round_, kernel.instance, kernel.symbol, kernel.rust_name)
    loc = None
    if kernel.file is not None and kernel.line is not None:
        loc = Location(kernel.file, kernel.line, 1, kernel.rust_name)
    fx.b.loc = loc
    fx.b.start("entry")
    signature = _Signature(structs=structs)
    make_slots(fx)
    indices: dict[int, int] = {}
    failed = False
    for param in kernel.instance.fn.params:
        try:
            _param(fx, kernel, param.local, signature, indices)
        except LowerError as error:
            fx.report(error, None)
            failed = True
    if failed:
        return None
    fx.end_return = lambda: fx.b.end(KReturn((), fx.b.loc))
    if kernel.plain and indices:
        _bind_indices(fx, signature, indices)
    lower_blocks(fx)
    round_.functions.append(
        Function(
            kernel.symbol,
            kernel.rust_name,
            FunctionKind.KERNEL,
            tuple(signature.params),
            (),
            fx.b.finish(),
            loc,
        )
    )
    if fx.has_barrier:
        round_.barriers.add(kernel.symbol)
    return KernelInfo(
        kernel.name,
        kernel.symbol,
        tuple(signature.infos),
        signature.offset,
        kernel.plain,
        0,
        False,
        kernel.file,
        kernel.line,
    )


def _param(
    fx: FnContext, kernel: Kernel, local: int, s: _Signature, indices: dict[int, int]
) -> None:
    ty = fx.local_ty(local)
    name = fx.index.names.get(local, f"arg{local}")
    text = fx.types.text(ty)
    if kernel.plain and name in fx.crate.options.index and is_integer(ty):
        axis = fx.crate.options.index.index(name)
        indices[local] = axis
        assert isinstance(ty, Prim)
        layout = fx.layout(ty)
        s.infos.append(
            KernelParam(
                name,
                text,
                ParamKind.INDEX,
                ScalarType(ty.name),
                False,
                False,
                layout.size,
                layout.align,
                None,
                axis,
            )
        )
        return
    at = local_place(fx, local)
    if isinstance(ty, RefTy | RawPtrTy):
        _pointer_param(fx, at, ty, name, text, s)
        return
    layout = fx.layouts.exact(ty, _SHARED_WITH_HOST)
    if layout.size == 0:
        return
    if isinstance(ty, DefTy):
        raise LowerError("MG0350", f"a kernel parameter of type `{text}` is not supported")
    kind = host_type(fx, ty, s.structs)
    offset = s.place(layout.size, layout.align)
    s.infos.append(
        KernelParam(
            name,
            text,
            ParamKind.VALUE,
            kind,
            False,
            has_interior(fx, ty),
            layout.size,
            layout.align,
            offset,
            None,
        )
    )
    if layout.scalar is not None:
        value = Value(layout.scalar, name)
        s.params.append(Param(value, ParamRole.VALUE, layout.size, layout.align))
        store(fx, at, Scalar(ty, value))
        return
    address = Value(PtrType(AddressSpace.PARAM), name)
    s.params.append(Param(address, ParamRole.VALUE, layout.size, layout.align))
    store(fx, at, Memory(ty, PlaceRef(address, 0, layout.align, ty)))


def _pointer_param(
    fx: FnContext, at: PlaceRef, ty: RefTy | RawPtrTy, name: str, text: str, s: _Signature
) -> None:
    inner = ty.pointee
    elem: Ty = inner
    if isinstance(inner, SliceTy):
        elem = inner.elem
    elif isinstance(inner, Prim) and inner.name == "str":
        elem = fx.types.u8
    elif is_unsized(inner):
        raise trait_objects()
    _check_shared(fx, elem, set())
    interior = has_interior(fx, elem)
    freeze = isinstance(ty, RefTy) and not ty.mutable and not interior
    host = host_type(fx, elem, s.structs)
    if is_unsized(inner):
        offset = s.place(16, 8)
        ptr, count = Value(_GLOBAL, name), Value(I64, f"{name}.len")
        s.params.append(Param(ptr, ParamRole.SLICE_PTR, 8, 8, freeze))
        s.params.append(Param(count, ParamRole.SLICE_LEN, 8, 8))
        store(fx, at, Fat(ty, fx.b.generic(ptr), count))
        kind, size = ParamKind.SLICE, 16
    else:
        offset = s.place(8, 8)
        ptr = Value(_GLOBAL, name)
        s.params.append(Param(ptr, ParamRole.VALUE, 8, 8, freeze))
        store(fx, at, Scalar(ty, fx.b.generic(ptr)))
        kind = ParamKind.REFERENCE if isinstance(ty, RefTy) else ParamKind.POINTER
        size = 8
    s.infos.append(KernelParam(name, text, kind, host, ty.mutable, interior, size, 8, offset, None))


def _check_shared(fx: FnContext, ty: Ty, seen: set[int]) -> None:
    """Everything that a parameter leads to lies in the host's memory, in rustc's layout."""
    if id(ty) in seen:
        return
    seen.add(id(ty))
    if isinstance(ty, RefTy | RawPtrTy):
        _check_shared(fx, ty.pointee, seen)
        return
    if isinstance(ty, DynTy):
        raise trait_objects()
    fx.layouts.exact(ty, _SHARED_WITH_HOST)
    elem = getattr(ty, "elem", None)
    if elem is not None:
        _check_shared(fx, elem, seen)
    elif isinstance(ty, TupleTy | PathTy):
        for part in fx.layouts.field_types(ty):
            _check_shared(fx, part, seen)


def _bind_indices(fx: FnContext, s: _Signature, indices: dict[int, int]) -> None:
    """Global thread indices into their parameters; threads past an extent leave."""
    names = ("n",) if len(fx.crate.options.index) == 1 else ("nx", "ny", "nz")
    axes = sorted(set(indices.values()))
    inside = None
    positions: dict[int, Value] = {}
    for axis in axes:
        extent = Value(I64, names[axis])
        offset = s.place(8, 8)
        s.params.append(Param(extent, ParamRole.VALUE, 8, 8))
        s.infos.append(
            KernelParam(
                names[axis],
                "u64",
                ParamKind.EXTENT,
                ScalarType("u64"),
                False,
                False,
                8,
                8,
                offset,
                axis,
            )
        )
        positions[axis] = _global_index(fx, _AXES[axis], fx.crate.options.index[axis])
        test = fx.b.compare(CompareOp.ULT, positions[axis], extent)
        inside = test if inside is None else fx.b.binary(BinaryOp.AND, inside, test)
    assert inside is not None
    for local, axis in indices.items():
        at = local_place(fx, local)
        scalar = fx.layout(at.ty).scalar
        assert isinstance(scalar, IntType)
        store(fx, at, Scalar(at.ty, fx.b.resize(positions[axis], scalar, signed=False)))
    body, leave = fx.b.fresh("inside"), fx.b.fresh("outside")
    fx.b.cond_br(inside, body, leave)
    fx.b.start(leave, cold=True)
    fx.b.end(KReturn((), fx.b.loc))
    fx.b.start(body)


def _global_index(fx: FnContext, axis: Axis, name: str) -> Value:
    wide = []
    for register in (SpecialRegister.CTAID, SpecialRegister.NTID, SpecialRegister.TID):
        value = Value(I32, f"{register.value}.{axis.value}")
        fx.b.emit(ReadSpecial(value, register, axis, fx.b.loc))
        wide.append(fx.b.cast(CastOp.ZEXT, value, I64))
    block = fx.b.binary(BinaryOp.MUL, wide[0], wide[1])
    return fx.b.binary(BinaryOp.ADD, block, wide[2], name)
