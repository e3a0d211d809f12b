"""Kernel parameters in the ABI of rustc's ``extern "ptx-kernel"``.

A slice is one 16-byte parameter ``{pointer, length}``, an aggregate a byte array that stays in
parameter memory, a scalar a parameter of its own type (``bool`` and ``u8``: ``.u8``).
"""

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.kir.module import Function, ParamRole
from mirgpu.kir.module import Param as KirParam
from mirgpu.kir.types import AddressSpace, IntType, PtrType
from mirgpu.targets.ptx.builder import FunctionBuilder, ParamCopy
from mirgpu.targets.ptx.convert import space_of
from mirgpu.targets.ptx.integer import predicate_into
from mirgpu.targets.ptx.ir import Address, Load, LocalVar, Param, Space, Store, Symbol, Type
from mirgpu.targets.ptx.regs import UniqueNames, identifier
from mirgpu.targets.ptx.tables import memory_type, unsigned

SLICE_BYTES = 16
SLICE_ALIGN = 8
LIMIT = 4096
"""Bytes of parameters that every architecture takes."""


def is_aggregate(param: KirParam) -> bool:
    ty = param.value.type
    return isinstance(ty, PtrType) and ty.space is AddressSpace.PARAM


def kernel_params(function: Function, names: UniqueNames) -> tuple[Param, ...]:
    """The formal parameters; the length half of a slice has none of its own."""
    formals: list[Param] = []
    end = 0
    for param in function.params:
        if param.role is ParamRole.SLICE_LEN:
            continue
        hint = param.value.name or f"{len(formals)}"
        if param.role is ParamRole.SLICE_PTR:
            hint = hint.removesuffix(".ptr")
        name = names.pick(f"{function.name}_{identifier(hint)}")
        if param.role is ParamRole.SLICE_PTR:
            formal = Param(name, Type.B8, SLICE_ALIGN, SLICE_BYTES)
        elif is_aggregate(param):
            formal = Param(name, Type.B8, param.align, param.size)
        else:
            formal = Param(name, memory_type(param.value.type, function.loc), param.align, None)
        formals.append(formal)
        size = SLICE_BYTES if param.role is ParamRole.SLICE_PTR else param.size
        end = _aligned(end, formal.align) + size
    if end > LIMIT:
        raise DiagnosticError(
            Diagnostic(
                code="MG0403",
                title=f"kernel '{function.rust_name}' takes {end} bytes of parameters",
                file=function.loc.file if function.loc else None,
                line=function.loc.line if function.loc else None,
                col=function.loc.col if function.loc else None,
                notes=(f"a kernel's parameters are limited to {LIMIT} bytes",),
                helps=("pass large values by reference",),
            )
        )
    return tuple(formals)


def load_kernel_params(
    b: FunctionBuilder, function: Function, formals: tuple[Param, ...], copy: bool
) -> None:
    """Reads scalars and slices into registers.  ``copy``: aggregates also into local memory."""
    remaining = iter(formals)
    formal: Param | None = None
    for param in function.params:
        offset = 0
        if param.role is ParamRole.SLICE_LEN:
            offset = SLICE_BYTES - 8
        else:
            formal = next(remaining)
        assert formal is not None
        address = Address(Symbol(formal.name), offset)
        if is_aggregate(param):
            b.bind_address(param.value, address)
            if param.value in b.used_as_value:
                b.move(b.result(param.value), Symbol(formal.name))
        else:
            _load_scalar(b, param, address)
    if copy:
        _copy_aggregates(b, function, formals)


def _load_scalar(b: FunctionBuilder, param: KirParam, address: Address) -> None:
    ty = param.value.type
    memory = memory_type(ty, b.loc)
    if ty == IntType(1):
        byte = b.temp(Type.B32)
        b.emit(Load(Space.PARAM, False, memory, byte, address))
        predicate_into(b, b.result(param.value), byte)
    elif isinstance(ty, PtrType) and ty.space is not AddressSpace.GENERIC:
        # The host passes generic addresses.
        generic = b.temp(Type.B64)
        b.emit(Load(Space.PARAM, False, memory, generic, address))
        b.op(f"cvta.to.{space_of(b, ty)}", Type.U64, b.result(param.value), generic)
    else:
        b.emit(Load(Space.PARAM, False, memory, b.result(param.value), address))


def _copy_aggregates(b: FunctionBuilder, function: Function, formals: tuple[Param, ...]) -> None:
    """Copies aggregates to local memory at the distances that they have as parameters."""
    start = Address(Symbol(b.local_names.pick("param_copy")), 0)
    offsets: dict[str, int] = {}
    end = 0
    aggregates = [p for p in function.params if p.role is not ParamRole.SLICE_LEN]
    for param, formal in zip(aggregates, formals, strict=True):
        size = SLICE_BYTES if param.role is ParamRole.SLICE_PTR else param.size
        at = _aligned(end, formal.align)
        end = at + size
        if not is_aggregate(param):
            continue
        offsets[formal.name] = at
        width = min(formal.align, 8)
        done = 0
        while done < size:
            while width > size - done:
                width //= 2
            value = b.temp(Type.B64 if width == 8 else Type.B32)
            ty = unsigned(width * 8)
            b.emit(Load(Space.PARAM, False, ty, value, Address(Symbol(formal.name), done)))
            b.emit(Store(Space.LOCAL, False, ty, Address(start.base, at + done), value))
            done += width
    assert isinstance(start.base, Symbol)
    align = max(formal.align for formal in formals)
    b.locals.append(LocalVar(start.base.name, end, align))
    b.param_copy = ParamCopy(start.base.name, offsets, next(iter(offsets)))


def _aligned(offset: int, align: int) -> int:
    return (offset + align - 1) // align * align
