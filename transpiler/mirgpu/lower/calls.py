"""Calls: to bodies of this crate, closures, intrinsics, device primitives, the library."""

import contextlib

from mirgpu.kir.ops import (
    Axis,
    Barrier,
    Location,
    ReadSpecial,
    SpecialRegister,
    Value,
)
from mirgpu.kir.ops import Call as KCall
from mirgpu.kir.ops import Operand as KOperand
from mirgpu.kir.types import I32, I64, PTR
from mirgpu.lower import intrinsics, library
from mirgpu.lower.context import FnContext
from mirgpu.lower.enums import set_discriminant
from mirgpu.lower.errors import LowerError, trait_objects
from mirgpu.lower.intrinsic_table import Call as IntrinsicCall
from mirgpu.lower.operands import operand
from mirgpu.lower.places import field, place, pointed
from mirgpu.lower.resolve import Instance
from mirgpu.lower.types import last_name, path_key, pointee, std_key, type_args
from mirgpu.lower.values import (
    Fat,
    Memory,
    PlaceRef,
    Scalar,
    Val,
    Zst,
    address,
    load,
    slot,
    store,
    to_memory,
)
from mirgpu.mir.syntax import (
    Call,
    Constant,
    CPath,
    DefTy,
    DynTy,
    FnDefTy,
    FnItem,
    NameSeg,
    Path,
    QualifiedSeg,
    RefTy,
    SourceInfo,
    TupleTy,
    Ty,
)

_REGISTERS = {
    "threadIdx": SpecialRegister.TID,
    "blockIdx": SpecialRegister.CTAID,
    "blockDim": SpecialRegister.NTID,
    "gridDim": SpecialRegister.NCTAID,
    "thread_idx": SpecialRegister.TID,
    "block_idx": SpecialRegister.CTAID,
    "block_dim": SpecialRegister.NTID,
    "grid_dim": SpecialRegister.NCTAID,
}
_AXES = {"x": Axis.X, "y": Axis.Y, "z": Axis.Z}
_CALL_TRAITS = {"call": "Fn", "call_mut": "FnMut", "call_once": "FnOnce"}


def lower_call(fx: FnContext, call: Call) -> None:
    """Emit a call; the block is left open unless the call never returns."""
    if not isinstance(call.func, FnItem):
        raise LowerError(
            "MG0304",
            "calls through function pointers are not supported",
            help="take the function as a generic parameter: `f: impl Fn(…)`",
        )
    path = fx.types.path(call.func.path, fx.subst)
    dest = place(fx, call.destination)
    if _device_primitive(fx, path, dest):
        return
    key = std_key(path)
    if key is not None and key.startswith("intrinsics::"):
        args = tuple(operand(fx, arg, _hint(fx, path)) for arg in call.args)
        name = last_name(path) or ""
        intrinsics.lower(fx, IntrinsicCall(name, type_args(path), args, dest))
        return
    head = path.segments[0]
    name = last_name(path) or ""
    if (
        isinstance(head, QualifiedSeg)
        and head.trait is not None
        and last_name(head.trait) == _CALL_TRAITS.get(name)
    ):
        _call_callable(fx, call, head.self_ty, name, dest)
        return
    args = (
        tuple(
            operand(fx, arg, None if not isinstance(head, QualifiedSeg) else _expect(head, n))
            for n, arg in enumerate(call.args)
        )
        if _typed(call)
        else _untyped_args(fx, call, path)
    )
    _call_path(fx, path, args, dest, call.source)


def _typed(call: Call) -> bool:

    return not any(isinstance(a, Constant) and isinstance(a.value, CPath) for a in call.args)


def _expect(head: QualifiedSeg, number: int) -> Ty | None:
    return head.self_ty if number == 0 else None


def _untyped_args(fx: FnContext, call: Call, path: Path) -> tuple[Val, ...]:
    """Arguments of which some are bare paths: the callee's parameters may say their types."""
    instance = None
    with contextlib.suppress(LowerError):
        instance = fx.crate.bodies.resolve(path, (), None)
    params = instance.fn.params if instance is not None else ()
    out = []
    for number, arg in enumerate(call.args):
        expected = None
        if instance is not None and number < len(params):
            expected = fx.types.mono(params[number].ty, instance.subst)
        out.append(operand(fx, arg, expected))
    return tuple(out)


def _hint(fx: FnContext, path: Path) -> Ty | None:
    types = type_args(path)
    return types[0] if types else None


def _call_path(
    fx: FnContext, path: Path, args: tuple[Val, ...], dest: PlaceRef, source: SourceInfo | None
) -> None:
    instance = fx.crate.bodies.resolve(path, tuple(a.ty for a in args), dest.ty)
    if instance is not None:
        info = fx.crate.bodies.info_of(instance.header)
        caller = fx.panic_location(source) if info is not None and info.track_caller else None
        call_instance(fx, instance, args, dest, fx.crate.path_text(path), caller)
        return
    head = path.segments[0]
    if isinstance(head, QualifiedSeg) and isinstance(head.self_ty, DynTy):
        raise trait_objects()
    if isinstance(head, QualifiedSeg) and head.trait is not None:
        method = library.Method(head.self_ty, head.trait, last_name(path) or "", args, dest, source)
        if library.lower(fx, method):
            return
    text = fx.crate.path_text(path)
    raise LowerError(
        "MG0340",
        f"`{text}` is called, but its body is not in the MIR text",
        help=_advice(path),
    )


def _advice(path: Path) -> str:
    key = path_key(path) or ""
    if key.startswith(("alloc::", "std::vec", "std::boxed", "std::string")):
        return "a kernel cannot allocate: use fixed-size arrays, or slices that the host passes"
    if std_key(path) is not None or isinstance(path.segments[0], QualifiedSeg):
        return "rustc did not inline this library function; write its loop out by hand"
    return "mark the function `#[inline]` in its crate, so that rustc can inline it here"


# -------------------------------------------------------------------------- local bodies


def call_instance(
    fx: FnContext,
    instance: Instance,
    args: tuple[Val, ...],
    dest: PlaceRef,
    text: str,
    caller: Location | None,
) -> None:
    """Call a device function: scalars and fat pointers by value, the rest by address.

    ``caller`` is set where the function is ``#[track_caller]`` (see ``Round.require``).
    """
    fn = instance.fn
    if len(fn.params) != len(args):
        raise LowerError("MG0341", f"`{text}` is called with {len(args)} arguments")
    symbol = fx.round.require(instance, text, caller)
    fx.round.calls.setdefault(fx.symbol, set()).add(symbol)
    ret = fx.types.mono(fn.ret, instance.subst)
    layout = fx.layout(ret)
    values: list[KOperand] = []
    results: list[Value] = []
    out: PlaceRef | None = None
    if layout.scalar is not None:
        results = [Value(layout.scalar)]
    elif layout.fat:
        results = [Value(PTR), Value(I64)]
    elif layout.size:
        out = slot(fx, ret)
        values.append(fx.b.generic(address(fx, out)))
    for arg, param in zip(args, fn.params, strict=True):
        values.extend(_pass(fx, arg, fx.types.mono(param.ty, instance.subst)))
    fx.b.emit(KCall(tuple(results), symbol, tuple(values), fx.b.loc))
    if out is not None:
        store(fx, dest, Memory(ret, out))
    elif len(results) == 1:
        store(fx, dest, Scalar(ret, results[0]))
    elif results:
        store(fx, dest, Fat(ret, results[0], results[1]))


def _pass(fx: FnContext, arg: Val, ty: Ty) -> list[KOperand]:
    layout = fx.layout(ty)
    match arg:
        case Scalar(_, value):
            return [value]
        case Fat(_, ptr, meta):
            return [ptr, meta]
        case Zst():
            return []
        case Memory(_, where):
            if layout.size == 0:
                return []
            copy = slot(fx, ty)
            store(fx, copy, Memory(ty, where))
            return [fx.b.generic(address(fx, copy))]


# ------------------------------------------------------------------- closures and fn items


def _call_callable(fx: FnContext, call: Call, callee: Ty, name: str, dest: PlaceRef) -> None:
    """``<F as Fn<Args>>::call(&f, (args…))`` and its kin."""
    this = operand(fx, call.args[0], callee if name == "call_once" else None)
    packed = operand(fx, call.args[1])
    args = _unpack(fx, packed)
    by_value = name == "call_once"
    while isinstance(callee, RefTy):
        if not by_value:
            this = load(fx, pointed(fx, this, callee))
        by_value = False
        callee = callee.pointee
    match callee:
        case DefTy():
            instance = fx.crate.bodies.closure(callee)
            if instance is None:
                raise LowerError(
                    "MG0340",
                    f"the closure `{fx.types.text(callee)}` is called, but its body is not in "
                    "the MIR text",
                    help="call it directly, without library adapters that rustc does not inline",
                )
            first = fx.types.mono(instance.fn.params[0].ty, instance.subst)
            env = _environment(fx, this, callee, by_value, first)
            text = fx.types.text(callee)
            call_instance(fx, instance, (env, *args), dest, text, None)
        case FnDefTy(_, path):
            head = path.segments[0]
            key = std_key(path)
            if key is not None and not isinstance(head, QualifiedSeg):
                _constructor(fx, path, args, dest)
                return
            _call_path(fx, path, args, dest, call.source)
        case _:
            raise LowerError(
                "MG0304",
                f"a call of a `{fx.types.text(callee)}` is not supported",
                help="take the function as a generic parameter: `f: impl Fn(…)`",
            )


def _constructor(fx: FnContext, path: Path, args: tuple[Val, ...], dest: PlaceRef) -> None:
    """A variant used as a function: ``map(Some)``."""
    from mirgpu.lower.operands import constants

    ty, variant = constants(fx).adt(path, dest.ty)
    if ty is not dest.ty or not variant:
        raise LowerError(
            "MG0340", f"`{fx.crate.path_text(path)}` is called, but its body is not in the MIR text"
        )
    index = fx.layouts.variant_index(ty, variant)
    target = PlaceRef(
        dest.base, dest.offset, dest.align, ty, dest.index, dest.stride, None, index, variant
    )
    for number, arg in enumerate(args):
        store(fx, field(fx, target, number, arg.ty), arg)
    set_discriminant(fx, dest, index)


def _environment(fx: FnContext, this: Val, callee: Ty, by_value: bool, wanted: Ty) -> Val:
    """The closure as its body takes it: by value or by reference."""
    inner = pointee(wanted)
    if inner is None:
        return this if by_value else load(fx, pointed(fx, this, callee))
    if by_value:
        where = to_memory(fx, this)
        return Scalar(wanted, fx.b.generic(address(fx, where)))
    if isinstance(this, Scalar):
        return Scalar(wanted, this.value)
    raise LowerError("MG0303", "this form of closure call is not supported")


def _unpack(fx: FnContext, packed: Val) -> tuple[Val, ...]:
    """The elements of an argument tuple."""
    if not isinstance(packed.ty, TupleTy):
        raise LowerError("MG0303", "this form of closure call is not supported")
    if isinstance(packed, Zst):
        return tuple(Zst(elem) for elem in packed.ty.elems)
    where = to_memory(fx, packed)
    return tuple(
        load(fx, field(fx, where, index, elem)) for index, elem in enumerate(packed.ty.elems)
    )


# ---------------------------------------------------------------------- device primitives


def _device_primitive(fx: FnContext, path: Path, dest: PlaceRef) -> bool:
    """What the device crate, and rustc's own nvptx module, name registers and barriers."""
    head = path.segments[0]
    name = last_name(path)
    if not isinstance(head, NameSeg) or name is None:
        return False
    key = path_key(path) or ""
    if head.name != "mirgpu" and "::nvptx::" not in key:
        return False
    name = name.lstrip("_")
    if name in ("sync_threads", "syncthreads"):
        fx.b.emit(Barrier(fx.b.loc))
        fx.has_barrier = True
        return True
    base, _, axis = name.rpartition("_")
    register = _REGISTERS.get(base)
    if register is None or axis not in _AXES:
        return False
    value = Value(I32, name)
    fx.b.emit(ReadSpecial(value, register, _AXES[axis], fx.b.loc))
    store(fx, dest, Scalar(dest.ty, value))
    return True
