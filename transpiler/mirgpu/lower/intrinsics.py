"""rustc's intrinsics, by name, under the names of every supported version."""

from mirgpu.kir.ops import (
    IntConst,
    Unreachable,
)
from mirgpu.kir.types import I1, I64
from mirgpu.lower import intrinsics_float, intrinsics_int, intrinsics_memory
from mirgpu.lower.builder import int_const
from mirgpu.lower.context import FnContext
from mirgpu.lower.enums import discriminant
from mirgpu.lower.errors import LowerError
from mirgpu.lower.intrinsic_table import TABLE, Call, names
from mirgpu.lower.intrinsics_memory import bytes_of, place_behind
from mirgpu.lower.types import scalar_type
from mirgpu.lower.values import (
    Fat,
    Memory,
    PlaceRef,
    Scalar,
    Val,
    address,
    store,
)
from mirgpu.mir.syntax import FnDefTy, SliceTy

PARTS = (intrinsics_float, intrinsics_int, intrinsics_memory)
"""The modules that fill the table with this one."""


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
_HELP: dict[str, str] = dict.fromkeys(
    ("sin", "cos", "exp", "exp2", "log", "log2", "log10", "pow", "powi", "tan"), _MATH
)


# ---------------------------------------------------------------------------- about types


@names("size_of", "min_align_of", "align_of", "pref_align_of")
def _size_of(fx: FnContext, c: Call) -> Val:
    layout = fx.layouts.exact(c.ty(fx), "its size") if not isinstance(c.ty(fx), FnDefTy) else None
    if layout is None:
        return Scalar(c.dest.ty, int_const(I64, 0 if c.name == "size_of" else 1))
    return Scalar(c.dest.ty, int_const(I64, layout.size if c.name == "size_of" else layout.align))


@names("size_of_val", "min_align_of_val", "align_of_val")
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


@names("needs_drop")
def _needs_drop(fx: FnContext, c: Call) -> Val:
    from mirgpu.lower.drops import needs_drop

    return Scalar(c.dest.ty, IntConst(I1, int(needs_drop(fx, c.ty(fx)))))


@names("discriminant_value")
def _discriminant_value(fx: FnContext, c: Call) -> Val:

    result = scalar_type(c.dest.ty)
    assert result is not None
    return Scalar(c.dest.ty, discriminant(fx, place_behind(fx, c.args[0]), result))


@names("transmute", "transmute_unchecked")
def _transmute(fx: FnContext, c: Call) -> Val:
    from mirgpu.lower.casts import transmute

    return transmute(fx, c.args[0], c.dest.ty)


# ------------------------------------------------------------------------------- control


@names(
    "cold_path",
    "assume",
    "assert_inhabited",
    "assert_zero_valid",
    "assert_mem_uninitialized_valid",
    "forget",
)
def _nothing(fx: FnContext, c: Call) -> None:
    """Hints to an optimiser."""


@names("likely", "unlikely", "black_box")
def _same(fx: FnContext, c: Call) -> Val:
    return c.args[0]


@names("is_val_statically_known")
def _statically_known(fx: FnContext, c: Call) -> Val:
    return Scalar(c.dest.ty, IntConst(I1, 0))


@names("ub_checks", "contract_checks")
def _no_checks(fx: FnContext, c: Call) -> Val:
    return Scalar(c.dest.ty, IntConst(I1, 0))


@names("overflow_checks")
def _overflow_checks(fx: FnContext, c: Call) -> Val:
    return Scalar(c.dest.ty, IntConst(I1, int(fx.crate.options.overflow_checks)))


@names("select_unpredictable")
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


@names("unreachable")
def _unreachable(fx: FnContext, c: Call) -> None:
    fx.b.end(Unreachable(fx.b.loc))
