"""rustc's intrinsics, by name, under the names of every supported version.

Each function takes the lowering context and one call, and gives the value of the call, or
none where it wrote its result itself or has none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from mirgpu.kir.ops import BinaryOp as K
from mirgpu.kir.ops import (
    CastOp,
    CompareOp,
    FloatConst,
    FusedMulAdd,
    IntConst,
    Load,
    Operand,
    Store,
    Unreachable,
    Value,
)
from mirgpu.kir.ops import UnaryOp as U
from mirgpu.kir.types import F32, F64, I1, I8, I32, I64, PTR, FloatType, IntType
from mirgpu.lower.builder import int_const
from mirgpu.lower.context import FnContext
from mirgpu.lower.errors import LowerError
from mirgpu.lower.operators import binary, ordering, overflowing
from mirgpu.lower.places import pointed
from mirgpu.lower.types import is_signed, pointee, scalar_type
from mirgpu.lower.values import (
    Fat,
    Memory,
    PlaceRef,
    Scalar,
    Val,
    Zst,
    address,
    load,
    scalar,
    slot,
    store,
)
from mirgpu.mir.syntax import BinOp, FnDefTy, SliceTy, Ty


@final
@dataclass(frozen=True, slots=True)
class Call:
    """``types``: the intrinsic's type arguments; ``dest``: where the result goes."""

    name: str
    types: tuple[Ty, ...]
    args: tuple[Val, ...]
    dest: PlaceRef

    def op(self, fx: FnContext, index: int) -> Operand:
        return scalar(fx, self.args[index])

    def ty(self, fx: FnContext) -> Ty:
        """The type that the intrinsic is about."""
        return self.types[0] if self.types else self.args[0].ty


Lowering = Callable[[FnContext, Call], Val | None]
TABLE: dict[str, Lowering] = {}


def lower(fx: FnContext, call: Call) -> None:
    """Lower one intrinsic call.  Raises LowerError where it is not in the table."""
    found = TABLE.get(call.name)
    if found is None:
        raise LowerError(
            "MG0309",
            f"the intrinsic `{call.name}` is not supported",
            help=_HELP.get(call.name.rstrip("0123456789").rstrip("f")),
        )
    value = found(fx, call)
    if value is not None and fx.b.open:
        store(fx, call.dest, value)


_MATH = "use the `libm` crate's function of that name, which is ordinary Rust"
_HELP = dict.fromkeys(
    ("sin", "cos", "exp", "exp2", "log", "log2", "log10", "pow", "powi", "tan"), _MATH
)


def _names(*names: str) -> Callable[[Lowering], Lowering]:
    def add(function: Lowering) -> Lowering:
        for name in names:
            TABLE[name] = function
        return function

    return add


# --------------------------------------------------------------------------------- floats


def _float_names(*names: str) -> tuple[str, ...]:
    return (*(f"{n}f32" for n in names), *(f"{n}f64" for n in names), *names)


def _float_unary(op: U) -> Lowering:
    return lambda fx, c: Scalar(c.dest.ty, fx.b.unary(op, c.op(fx, 0)))


def _binary(op: K) -> Lowering:
    return lambda fx, c: Scalar(c.dest.ty, fx.b.binary(op, c.op(fx, 0), c.op(fx, 1)))


for _op, _float in (
    (U.FSQRT, ("sqrt",)),
    (U.FFLOOR, ("floor",)),
    (U.FCEIL, ("ceil",)),
    (U.FTRUNC, ("trunc",)),
    (U.FROUND, ("round",)),
    (U.FROUNDEVEN, ("round_ties_even_", "round_ties_even", "rint", "nearbyint")),
    (U.FABS, ("fabs",)),
):
    for _name in _float_names(*_float):
        TABLE[_name] = _float_unary(_op)
TABLE["round_ties_even_f32"] = TABLE["round_ties_even_f64"] = _float_unary(U.FROUNDEVEN)

for _bin, _float in (
    (K.FCOPYSIGN, ("copysign",)),
    (K.FMINNUM, ("minnum", "minimum_number_nsz_")),
    (K.FMAXNUM, ("maxnum", "maximum_number_nsz_")),
    (K.FMINIMUM, ("minimum",)),
    (K.FMAXIMUM, ("maximum",)),
):
    for _name in _float_names(*_float):
        TABLE[_name] = _binary(_bin)
TABLE["minimum_number_nsz"] = _binary(K.FMINNUM)
TABLE["maximum_number_nsz"] = _binary(K.FMAXNUM)

for _bin, _name in (
    (K.FADD, "fadd"),
    (K.FSUB, "fsub"),
    (K.FMUL, "fmul"),
    (K.FDIV, "fdiv"),
    (K.FREM, "frem"),
):
    TABLE[f"{_name}_algebraic"] = TABLE[f"{_name}_fast"] = _binary(_bin)


@_names(*_float_names("fma", "fmuladd"))
def _fma(fx: FnContext, c: Call) -> Val:
    a, b, d = (c.op(fx, i) for i in range(3))
    if "muladd" in c.name:
        return Scalar(c.dest.ty, fx.b.binary(K.FADD, fx.b.binary(K.FMUL, a, b), d))
    result = Value(a.type)
    fx.b.emit(FusedMulAdd(result, a, b, d, fx.b.loc))
    return Scalar(c.dest.ty, result)


@_names("powif32", "powif64")
def _powi(fx: FnContext, c: Call) -> Val:
    """By squaring, as LLVM's runtime library does; constant exponents have no loop."""
    base, exponent = c.op(fx, 0), c.op(fx, 1)
    assert isinstance(base.type, FloatType)
    one = FloatConst(base.type, 0x3F800000 if base.type == F32 else 0x3FF0000000000000)
    if isinstance(exponent, IntConst):
        return Scalar(c.dest.ty, _powi_const(fx, base, exponent, one))
    return Scalar(c.dest.ty, _powi_loop(fx, base, exponent, one))


def _powi_const(fx: FnContext, base: Operand, exponent: IntConst, one: FloatConst) -> Operand:
    signed = exponent.value - (1 << 32) if exponent.value >> 31 else exponent.value
    left, result = abs(signed), None
    while True:
        if left & 1:
            result = base if result is None else fx.b.binary(K.FMUL, result, base)
        left >>= 1
        if left == 0:
            break
        base = fx.b.binary(K.FMUL, base, base)
    value: Operand = one if result is None else result
    return fx.b.binary(K.FDIV, one, value) if signed < 0 else value


def _powi_loop(fx: FnContext, base: Operand, exponent: Operand, one: FloatConst) -> Operand:
    from mirgpu.kir.types import size_of
    from mirgpu.lower.builder import LOCAL

    size = size_of(base.type)
    factor, result, left = (fx.b.alloca(s, s, None) for s in (size, size, 4))
    assert factor.type == LOCAL
    fx.b.store(base, factor, size)
    fx.b.store(one, result, size)
    negative = fx.b.compare(CompareOp.SLT, exponent, int_const(I32, 0))
    flipped = fx.b.binary(K.SUB, int_const(I32, 0), exponent)
    fx.b.store(fx.b.select(negative, flipped, exponent), left, 4)
    head, odd, next_, more, done = (
        fx.b.fresh(f"powi.{part}") for part in ("head", "odd", "next", "more", "done")
    )
    fx.b.br(head)
    fx.b.start(head)
    now = fx.b.load(I32, left, 4)
    bit = fx.b.compare(CompareOp.NE, fx.b.binary(K.AND, now, int_const(I32, 1)), int_const(I32, 0))
    fx.b.cond_br(bit, odd, next_)
    fx.b.start(odd)
    ty = base.type
    product = fx.b.binary(K.FMUL, fx.b.load(ty, result, size), fx.b.load(ty, factor, size))
    fx.b.store(product, result, size)
    fx.b.br(next_)
    fx.b.start(next_)
    half = fx.b.binary(K.LSHR, fx.b.load(I32, left, 4), int_const(I32, 1))
    fx.b.store(half, left, 4)
    fx.b.cond_br(fx.b.compare(CompareOp.NE, half, int_const(I32, 0)), more, done)
    fx.b.start(more)
    square = fx.b.load(ty, factor, size)
    fx.b.store(fx.b.binary(K.FMUL, square, square), factor, size)
    fx.b.br(head)
    fx.b.start(done)
    value = fx.b.load(ty, result, size)
    return fx.b.select(negative, fx.b.binary(K.FDIV, one, value), value)


@_names("float_to_int_unchecked")
def _float_to_int(fx: FnContext, c: Call) -> Val:
    ty = scalar_type(c.dest.ty)
    assert ty is not None
    op = CastOp.FPTOSI_SAT if is_signed(c.dest.ty) else CastOp.FPTOUI_SAT
    return Scalar(c.dest.ty, fx.b.cast(op, c.op(fx, 0), ty))


# ------------------------------------------------------------------------------- integers


def _count(op: U) -> Lowering:
    def lowering(fx: FnContext, c: Call) -> Val:
        value = fx.b.unary(op, c.op(fx, 0))
        ty = scalar_type(c.dest.ty)
        assert ty is not None
        return Scalar(c.dest.ty, fx.b.resize(value, ty, signed=False))

    return lowering


for _op, _names_ in (
    (U.CTPOP, ("ctpop",)),
    (U.CTLZ, ("ctlz", "ctlz_nonzero")),
    (U.CTTZ, ("cttz", "cttz_nonzero")),
):
    for _name in _names_:
        TABLE[_name] = _count(_op)
TABLE["bswap"] = _float_unary(U.BSWAP)
TABLE["bitreverse"] = _float_unary(U.BITREVERSE)


@_names("rotate_left", "rotate_right")
def _rotate(fx: FnContext, c: Call) -> Val:
    value = c.op(fx, 0)
    amount = fx.b.resize(c.op(fx, 1), value.type, signed=False)
    op = K.ROTL if c.name == "rotate_left" else K.ROTR
    return Scalar(c.dest.ty, fx.b.binary(op, value, amount))


@_names("saturating_add", "saturating_sub")
def _saturating(fx: FnContext, c: Call) -> Val:
    table = {
        ("saturating_add", False): K.UADD_SAT,
        ("saturating_add", True): K.SADD_SAT,
        ("saturating_sub", False): K.USUB_SAT,
        ("saturating_sub", True): K.SSUB_SAT,
    }
    op = table[c.name, is_signed(c.ty(fx))]
    return Scalar(c.dest.ty, fx.b.binary(op, c.op(fx, 0), c.op(fx, 1)))


def _operator(op: BinOp) -> Lowering:
    return lambda fx, c: binary(fx, op, c.args[0], c.args[1], c.dest.ty)


for _name, _bin_op in (
    ("wrapping_add", BinOp.ADD),
    ("wrapping_sub", BinOp.SUB),
    ("wrapping_mul", BinOp.MUL),
    ("unchecked_add", BinOp.ADD),
    ("unchecked_sub", BinOp.SUB),
    ("unchecked_mul", BinOp.MUL),
    ("unchecked_div", BinOp.DIV),
    ("exact_div", BinOp.DIV),
    ("unchecked_rem", BinOp.REM),
    ("unchecked_shl", BinOp.SHL_UNCHECKED),
    ("unchecked_shr", BinOp.SHR_UNCHECKED),
    ("disjoint_bitor", BinOp.BIT_OR),
    ("unchecked_disjoint_bitor", BinOp.BIT_OR),
):
    TABLE[_name] = _operator(_bin_op)


@_names("add_with_overflow", "sub_with_overflow", "mul_with_overflow")
def _with_overflow(fx: FnContext, c: Call) -> None:
    from mirgpu.lower.operators import store_overflowing

    op = {
        "add": BinOp.ADD_WITH_OVERFLOW,
        "sub": BinOp.SUB_WITH_OVERFLOW,
        "mul": BinOp.MUL_WITH_OVERFLOW,
    }[c.name[:3]]
    store_overflowing(fx, c.dest, op, c.args[0], c.args[1])


@_names("three_way_compare")
def _three_way(fx: FnContext, c: Call) -> None:
    fx.b.store(ordering(fx, c.args[0], c.args[1]), address(fx, c.dest), 1)


@_names("unchecked_funnel_shl", "unchecked_funnel_shr")
def _funnel(fx: FnContext, c: Call) -> Val:
    high, low = c.op(fx, 0), c.op(fx, 1)
    assert isinstance(high.type, IntType)
    width = int_const(high.type, high.type.width)
    amount = fx.b.resize(c.op(fx, 2), high.type, signed=False)
    zero = fx.b.compare(CompareOp.EQ, amount, int_const(high.type, 0))
    safe = fx.b.select(zero, int_const(high.type, 1), amount)
    rest = fx.b.binary(K.SUB, width, safe)
    left = c.name.endswith("shl")
    a = fx.b.binary(K.SHL, high, safe if left else rest)
    b = fx.b.binary(K.LSHR, low, rest if left else safe)
    mixed = fx.b.binary(K.OR, a, b)
    return Scalar(c.dest.ty, fx.b.select(zero, high if left else low, mixed))


# --------------------------------------------------------------------------------- memory


def _pointee(fx: FnContext, value: Val) -> PlaceRef:
    inner = pointee(value.ty)
    if inner is None:
        raise LowerError("MG0309", f"a pointer of type `{fx.types.text(value.ty)}` here")
    return pointed(fx, value, inner)


@_names("read_via_copy", "volatile_load", "unaligned_volatile_load")
def _read(fx: FnContext, c: Call) -> Val | None:
    at = _pointee(fx, c.args[0])
    if c.name == "read_via_copy":
        return load(fx, at)
    layout = fx.layout(at.ty)
    if layout.scalar is None:
        raise LowerError("MG0309", "a volatile access of an aggregate is not supported")
    align = 1 if "unaligned" in c.name else at.align
    result = Value(layout.scalar)
    fx.b.emit(Load(result, address(fx, at), align, True, fx.b.loc))
    return Scalar(at.ty, result)


@_names("write_via_move", "volatile_store", "unaligned_volatile_store")
def _write(fx: FnContext, c: Call) -> None:
    at = _pointee(fx, c.args[0])
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


@_names(
    "copy_nonoverlapping", "copy", "volatile_copy_memory", "volatile_copy_nonoverlapping_memory"
)
def _copy(fx: FnContext, c: Call) -> None:
    src, dst = (
        (c.op(fx, 0), c.op(fx, 1)) if "volatile" not in c.name else (c.op(fx, 1), c.op(fx, 0))
    )
    copy_elements(fx, c.ty(fx), dst, src, c.op(fx, 2), may_overlap="nonoverlapping" not in c.name)


@_names("write_bytes")
def _write_bytes(fx: FnContext, c: Call) -> None:
    layout = fx.layout(c.ty(fx))
    fx.b.memset(c.op(fx, 0), c.op(fx, 1), bytes_of(fx, c.op(fx, 2), layout.size), layout.align)


@_names("typed_swap_nonoverlapping")
def _swap(fx: FnContext, c: Call) -> None:
    a, b = _pointee(fx, c.args[0]), _pointee(fx, c.args[1])
    first, second = load(fx, a), load(fx, b)
    if isinstance(first, Memory):
        temp = slot(fx, a.ty)
        store(fx, temp, first)
        first = Memory(a.ty, temp)
    store(fx, a, second)
    store(fx, b, first)


@_names("compare_bytes", "raw_eq")
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


@_names("zeroed", "uninit")
def _zeroed(fx: FnContext, c: Call) -> None:
    layout = fx.layout(c.dest.ty)
    if c.name == "zeroed" and layout.size:
        fx.layouts.exact(c.dest.ty, "zeroed memory")
        zero, size = int_const(I8, 0), int_const(I64, layout.size)
        fx.b.memset(address(fx, c.dest), zero, size, c.dest.align)


# ------------------------------------------------------------------------------- pointers


@_names("ptr_offset_from", "ptr_offset_from_unsigned")
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


@_names("arith_offset", "offset")
def _arith_offset(fx: FnContext, c: Call) -> Val:
    from mirgpu.lower.operators import offset

    return Scalar(c.dest.ty, offset(fx, c.args[0].ty, c.op(fx, 0), c.op(fx, 1)))


@_names("ptr_mask")
def _ptr_mask(fx: FnContext, c: Call) -> Val:
    whole = fx.b.cast(CastOp.PTRTOINT, c.op(fx, 0), I64)
    masked = fx.b.binary(K.AND, whole, c.op(fx, 1))
    return Scalar(c.dest.ty, fx.b.cast(CastOp.INTTOPTR, masked, PTR))


@_names("ptr_metadata")
def _ptr_metadata(fx: FnContext, c: Call) -> Val:
    value = c.args[0]
    return Scalar(c.dest.ty, value.meta) if isinstance(value, Fat) else Zst(c.dest.ty)


@_names("slice_get_unchecked")
def _slice_get(fx: FnContext, c: Call) -> Val:
    from mirgpu.lower.places import element, pointer_to

    at = _pointee(fx, c.args[0])
    return pointer_to(fx, element(fx, at, c.op(fx, 1)), c.dest.ty)


@_names("aggregate_raw_ptr")
def _aggregate_raw_ptr(fx: FnContext, c: Call) -> Val:
    ptr = c.args[0].ptr if isinstance(c.args[0], Fat) else c.op(fx, 0)
    if isinstance(c.args[1], Zst):
        return Scalar(c.dest.ty, ptr)
    return Fat(c.dest.ty, ptr, c.op(fx, 1))


# ---------------------------------------------------------------------------- about types


@_names("size_of", "min_align_of", "align_of", "pref_align_of")
def _size_of(fx: FnContext, c: Call) -> Val:
    layout = fx.layouts.exact(c.ty(fx), "its size") if not isinstance(c.ty(fx), FnDefTy) else None
    if layout is None:
        return Scalar(c.dest.ty, int_const(I64, 0 if c.name == "size_of" else 1))
    return Scalar(c.dest.ty, int_const(I64, layout.size if c.name == "size_of" else layout.align))


@_names("size_of_val", "min_align_of_val", "align_of_val")
def _size_of_val(fx: FnContext, c: Call) -> Val:
    ty = c.ty(fx)
    layout = fx.layouts.exact(ty, "its size")
    if "align" in c.name:
        return Scalar(c.dest.ty, int_const(I64, layout.align))
    value = c.args[0]
    if isinstance(value, Fat):
        elem = fx.layout(ty.elem).size if isinstance(ty, SliceTy) else 1
        return Scalar(c.dest.ty, bytes_of(fx, value.meta, elem))
    return Scalar(c.dest.ty, int_const(I64, layout.size))


@_names("needs_drop")
def _needs_drop(fx: FnContext, c: Call) -> Val:
    from mirgpu.lower.drops import needs_drop

    return Scalar(c.dest.ty, IntConst(I1, int(needs_drop(fx, c.ty(fx)))))


@_names("discriminant_value")
def _discriminant_value(fx: FnContext, c: Call) -> Val:
    from mirgpu.lower.enums import discriminant

    result = scalar_type(c.dest.ty)
    assert result is not None
    return Scalar(c.dest.ty, discriminant(fx, _pointee(fx, c.args[0]), result))


@_names("transmute", "transmute_unchecked")
def _transmute(fx: FnContext, c: Call) -> Val:
    from mirgpu.lower.casts import transmute

    return transmute(fx, c.args[0], c.dest.ty)


# ------------------------------------------------------------------------------- control


@_names(
    "cold_path",
    "assume",
    "assert_inhabited",
    "assert_zero_valid",
    "assert_mem_uninitialized_valid",
    "forget",
)
def _nothing(fx: FnContext, c: Call) -> None:
    """Hints to an optimiser."""


@_names("likely", "unlikely", "black_box")
def _same(fx: FnContext, c: Call) -> Val:
    return c.args[0]


@_names("is_val_statically_known")
def _statically_known(fx: FnContext, c: Call) -> Val:
    return Scalar(c.dest.ty, IntConst(I1, 0))


@_names("ub_checks", "contract_checks")
def _no_checks(fx: FnContext, c: Call) -> Val:
    return Scalar(c.dest.ty, IntConst(I1, 0))


@_names("overflow_checks")
def _overflow_checks(fx: FnContext, c: Call) -> Val:
    return Scalar(c.dest.ty, IntConst(I1, int(fx.crate.options.overflow_checks)))


@_names("select_unpredictable")
def _select(fx: FnContext, c: Call) -> Val | None:
    yes, no = c.args[1], c.args[2]
    if isinstance(yes, Scalar) and isinstance(no, Scalar):
        return Scalar(c.dest.ty, fx.b.select(c.op(fx, 0), yes.value, no.value))
    if isinstance(yes, Memory) and isinstance(no, Memory):
        cond = c.op(fx, 0)
        a, b = (fx.b.generic(address(fx, v.place)) for v in (yes, no))
        where = PlaceRef(fx.b.select(cond, a, b), 0, min(yes.place.align, no.place.align), yes.ty)
        return Memory(yes.ty, where)
    if isinstance(yes, Fat) and isinstance(no, Fat):
        cond = c.op(fx, 0)
        return Fat(
            c.dest.ty, fx.b.select(cond, yes.ptr, no.ptr), fx.b.select(cond, yes.meta, no.meta)
        )
    return yes


@_names("unreachable")
def _unreachable(fx: FnContext, c: Call) -> None:
    fx.b.end(Unreachable(fx.b.loc))


__all__ = ["F64", "TABLE", "Call", "copy_elements", "lower", "overflowing"]
