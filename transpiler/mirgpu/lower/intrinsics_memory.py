"""Intrinsics of memory and pointers."""

from mirgpu.kir.ops import BinaryOp as K
from mirgpu.kir.ops import (
    CastOp,
    CompareOp,
    IntConst,
    Load,
    Operand,
    Store,
    Value,
)
from mirgpu.kir.types import I8, I32, I64, PTR
from mirgpu.lower.builder import int_const
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.lower.intrinsic_table import Call, names
from mirgpu.lower.operators import offset
from mirgpu.lower.places import pointed
from mirgpu.lower.types import pointee
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
)
from mirgpu.mir.syntax import Ty

# --------------------------------------------------------------------------------- memory


def place_behind(fx: FnContext, value: Val) -> PlaceRef:
    """What a pointer argument points to."""
    inner = pointee(value.ty)
    if inner is None:
        raise LowerError("MG0309", f"a pointer of type `{fx.types.text(value.ty)}` here")
    return pointed(fx, value, inner)


@names("read_via_copy", "volatile_load", "unaligned_volatile_load")
def _read(fx: FnContext, c: Call) -> Val | None:
    at = place_behind(fx, c.args[0])
    if c.name == "read_via_copy":
        return load(fx, at)
    layout = fx.layout(at.ty)
    if layout.scalar is None:
        raise LowerError("MG0309", "a volatile access of an aggregate is not supported")
    align = 1 if "unaligned" in c.name else at.align
    result = Value(layout.scalar)
    fx.b.emit(Load(result, address(fx, at), align, True, fx.b.loc))
    return Scalar(at.ty, result)


@names("write_via_move", "volatile_store", "unaligned_volatile_store")
def _write(fx: FnContext, c: Call) -> None:
    at = place_behind(fx, c.args[0])
    if c.name == "write_via_move":
        store(fx, at, c.args[1])
        return
    if not isinstance(c.args[1], Scalar):
        raise LowerError("MG0309", "a volatile access of an aggregate is not supported")
    align = 1 if "unaligned" in c.name else at.align
    fx.b.emit(Store(c.args[1].value, address(fx, at), align, True, fx.b.loc))


def copy_elements(
    fx: FnContext, elem: Ty, dst: Operand, src: Operand, count: Operand, *, may_overlap: bool
) -> None:
    """Copy ``count`` elements of a type."""
    layout = fx.layout(elem)
    if layout.size == 0 and not fx.layouts.dirty:
        return
    size = bytes_of(fx, count, layout.size)
    fx.b.memcopy(dst, src, size, layout.align, may_overlap=may_overlap)


def bytes_of(fx: FnContext, count: Operand, size: int) -> Operand:
    if isinstance(count, IntConst):
        return int_const(I64, count.value * size)
    return count if size == 1 else fx.b.binary(K.MUL, count, int_const(I64, size))


@names("copy_nonoverlapping", "copy", "volatile_copy_memory", "volatile_copy_nonoverlapping_memory")
def _copy(fx: FnContext, c: Call) -> None:
    src, dst = (
        (c.op(fx, 0), c.op(fx, 1)) if "volatile" not in c.name else (c.op(fx, 1), c.op(fx, 0))
    )
    copy_elements(fx, c.ty(fx), dst, src, c.op(fx, 2), may_overlap="nonoverlapping" not in c.name)


@names("write_bytes")
def _write_bytes(fx: FnContext, c: Call) -> None:
    layout = fx.layout(c.ty(fx))
    fx.b.memset(c.op(fx, 0), c.op(fx, 1), bytes_of(fx, c.op(fx, 2), layout.size), layout.align)


@names("typed_swap_nonoverlapping")
def _swap(fx: FnContext, c: Call) -> None:
    a, b = place_behind(fx, c.args[0]), place_behind(fx, c.args[1])
    first, second = load(fx, a), load(fx, b)
    if isinstance(first, Memory):
        temp = slot(fx, a.ty)
        store(fx, temp, first)
        first = Memory(a.ty, temp)
    store(fx, a, second)
    store(fx, b, first)


@names("compare_bytes", "raw_eq")
def _compare_bytes(fx: FnContext, c: Call) -> Val:
    """A loop over bytes; the result's sign is that of the first difference."""
    a, b = c.op(fx, 0), c.op(fx, 1)
    equality = c.name == "raw_eq"
    if equality:
        fx.layouts.exact(c.ty(fx), "a comparison of bytes")
        count: Operand = int_const(I64, fx.layout(c.ty(fx)).size)
    else:
        count = c.op(fx, 2)
    index, result = fx.b.alloca(8, 8, None), fx.b.alloca(4, 4, None)
    fx.b.store(int_const(I64, 0), index, 8)
    fx.b.store(int_const(I32, 0), result, 4)
    head, body, differ, next_, done = (
        fx.b.fresh(f"compare.{part}") for part in ("head", "body", "differ", "next", "done")
    )
    fx.b.br(head)
    fx.b.start(head)
    at = fx.b.load(I64, index, 8)
    fx.b.cond_br(fx.b.compare(CompareOp.ULT, at, count), body, done)
    fx.b.start(body)
    x = fx.b.load(I8, fx.b.ptr_add(a, at, 1, 0), 1)
    y = fx.b.load(I8, fx.b.ptr_add(b, at, 1, 0), 1)
    fx.b.cond_br(fx.b.compare(CompareOp.EQ, x, y), next_, differ)
    fx.b.start(differ)
    wide = [fx.b.resize(v, I32, signed=False) for v in (x, y)]
    fx.b.store(fx.b.binary(K.SUB, wide[0], wide[1]), result, 4)
    fx.b.br(done)
    fx.b.start(next_)
    fx.b.store(fx.b.binary(K.ADD, at, int_const(I64, 1)), index, 8)
    fx.b.br(head)
    fx.b.start(done)
    value = fx.b.load(I32, result, 4)
    if equality:
        return Scalar(c.dest.ty, fx.b.compare(CompareOp.EQ, value, int_const(I32, 0)))
    return Scalar(c.dest.ty, value)


@names("zeroed", "uninit")
def _zeroed(fx: FnContext, c: Call) -> None:
    layout = fx.layout(c.dest.ty)
    if c.name == "zeroed" and layout.size:
        fx.layouts.exact(c.dest.ty, "zeroed memory")
        zero, size = int_const(I8, 0), int_const(I64, layout.size)
        fx.b.memset(address(fx, c.dest), zero, size, c.dest.align)


# ------------------------------------------------------------------------------- pointers


@names("ptr_offset_from", "ptr_offset_from_unsigned")
def _offset_from(fx: FnContext, c: Call) -> Val:
    a = fx.b.cast(CastOp.PTRTOINT, c.op(fx, 0), I64)
    b = fx.b.cast(CastOp.PTRTOINT, c.op(fx, 1), I64)
    difference = fx.b.binary(K.SUB, a, b)
    size = fx.layout(c.ty(fx)).size
    if size <= 1:
        return Scalar(c.dest.ty, difference)
    if size & (size - 1) == 0:
        shift = size.bit_length() - 1
        op = K.ASHR if c.name == "ptr_offset_from" else K.LSHR
        return Scalar(c.dest.ty, fx.b.binary(op, difference, int_const(I64, shift)))
    op = K.SDIV if c.name == "ptr_offset_from" else K.UDIV
    return Scalar(c.dest.ty, fx.b.binary(op, difference, int_const(I64, size)))


@names("arith_offset", "offset")
def _arith_offset(fx: FnContext, c: Call) -> Val:

    return Scalar(c.dest.ty, offset(fx, c.args[0].ty, c.op(fx, 0), c.op(fx, 1)))


@names("ptr_mask")
def _ptr_mask(fx: FnContext, c: Call) -> Val:
    whole = fx.b.cast(CastOp.PTRTOINT, c.op(fx, 0), I64)
    masked = fx.b.binary(K.AND, whole, c.op(fx, 1))
    return Scalar(c.dest.ty, fx.b.cast(CastOp.INTTOPTR, masked, PTR))


@names("ptr_metadata")
def _ptr_metadata(fx: FnContext, c: Call) -> Val:
    value = c.args[0]
    return Scalar(c.dest.ty, value.meta) if isinstance(value, Fat) else Zst(c.dest.ty)


@names("slice_get_unchecked")
def _slice_get(fx: FnContext, c: Call) -> Val:
    from mirgpu.lower.places import element, pointer_to

    at = place_behind(fx, c.args[0])
    return pointer_to(fx, element(fx, at, c.op(fx, 1)), c.dest.ty)


@names("aggregate_raw_ptr")
def _aggregate_raw_ptr(fx: FnContext, c: Call) -> Val:
    ptr = c.args[0].ptr if isinstance(c.args[0], Fat) else c.op(fx, 0)
    if isinstance(c.args[1], Zst):
        return Scalar(c.dest.ty, ptr)
    return Fat(c.dest.ty, ptr, c.op(fx, 1))
