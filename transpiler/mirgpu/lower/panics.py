"""Panics: which message a call of the panic machinery shows, with which operands.

Found before a body is lowered, so that the statements which only build the message's
``fmt::Arguments`` are left out.
"""

from dataclasses import dataclass
from typing import final

from mirgpu.kir.module import FormatTrait, PanicOperand
from mirgpu.kir.ops import CompareOp, Panic
from mirgpu.kir.ops import Operand as KOperand
from mirgpu.lower.context import FnContext
from mirgpu.lower.fmt import ELLIPSIS, Shown, Tracer, escape
from mirgpu.lower.operands import operand, read
from mirgpu.lower.types import last_name, path_key, std_key, type_args
from mirgpu.lower.uses import Uses
from mirgpu.lower.values import Scalar, Val
from mirgpu.mir.syntax import (
    AdtAggregate,
    Assert,
    Call,
    Constant,
    Copy,
    CPath,
    FnItem,
    Operand,
    Prim,
    Ref,
    SourceInfo,
)

_UNWRAP = "called `Option::unwrap()` on a `None` value"
_CONST_MESSAGES = {
    "add_overflow": "attempt to add with overflow",
    "sub_overflow": "attempt to subtract with overflow",
    "mul_overflow": "attempt to multiply with overflow",
    "div_overflow": "attempt to divide with overflow",
    "rem_overflow": "attempt to calculate the remainder with overflow",
    "neg_overflow": "attempt to negate with overflow",
    "shr_overflow": "attempt to shift right with overflow",
    "shl_overflow": "attempt to shift left with overflow",
    "div_by_zero": "attempt to divide by zero",
    "rem_by_zero": "attempt to calculate the remainder with a divisor of zero",
}
_FIXED = {
    "panic_explicit": "explicit panic",
    "panic_for_nonpositive_argument": "argument of integer logarithm must be positive",
    "panic_for_negative_argument": "argument of integer square root cannot be negative",
    "abort": "the thread aborted",
    "panic_cannot_unwind": "panic in a function that cannot unwind",
    "panic_already_borrowed": "already borrowed",
    "panic_already_mutably_borrowed": "already mutably borrowed",
}
"""Messages without operands, by the function's own name: its module moves between versions."""


@final
@dataclass(frozen=True, slots=True)
class Plan:
    """What a panicking call shows."""

    message: str
    shown: tuple[Shown, ...]


def is_panic(call: Call) -> bool:
    """A library function that never returns: it ends the thread."""
    if call.target is not None or not isinstance(call.func, FnItem):
        return False
    key = std_key(call.func.path)
    if key is None:
        return False
    return not key.startswith("intrinsics::") or key == "intrinsics::abort"


def plan_all(fx: FnContext) -> None:
    """Plan every panicking call, and mark the statements that only served its message."""
    uses: Uses | None = None
    for block in fx.index.body.blocks:
        call = block.terminator
        if block.cleanup or not isinstance(call, Call) or not is_panic(call):
            continue
        made = _plan(fx, block.index, call)
        if made is None:
            continue
        fx.plans[block.index] = made
        if call.args:
            uses = uses or Uses(fx.index)
            uses.drop((call.func, call.args))
            for shown in made.shown:
                if shown.place is not None:
                    uses.keep(shown.place)
    if uses is not None:
        fx.skipped |= uses.sweep()


def _plan(fx: FnContext, block: int, call: Call) -> Plan | None:
    """None where the operands are values of the call itself: those are not in places."""
    assert isinstance(call.func, FnItem)
    path = call.func.path
    name = last_name(path) or ""
    tracer = Tracer(fx, block)
    if name in _FIXED:
        return Plan(_FIXED[name], ())
    if std_key(path) == "option::unwrap_failed":
        return Plan(_UNWRAP, ())
    if name.startswith("panic_const_"):
        return Plan(_CONST_MESSAGES.get(name[12:], escape(name)), ())
    match name:
        case "panic_fmt" | "panic_nounwind_fmt" | "begin_panic_fmt":
            found = tracer.arguments(call.args[0])
            return Plan(ELLIPSIS, ()) if found is None else Plan(found[0], tuple(found[1]))
        case "panic" | "panic_nounwind" | "panic_str_2015" | "expect_failed" | "begin_panic":
            text = tracer.text(call.args[0]) if call.args else None
            return Plan(ELLIPSIS if text is None else escape(text), ())
        case "panic_display" | "unreachable_display":
            place = tracer.pointee(call.args[0])
            text = None
            if place is not None and not place.projection:
                text = tracer.text(Copy(place))
            message = ELLIPSIS if text is None else escape(text)
            if name == "unreachable_display":
                message = f"internal error: entered unreachable code: {message}"
            return Plan(message, ())
        case "unwrap_failed":
            return _unwrap_failed(fx, tracer, call)
        case "assert_failed":
            return _assert_failed(fx, tracer, call)
        case (
            "slice_index_fail"
            | "slice_start_index_len_fail"
            | "slice_end_index_len_fail"
            | "slice_index_order_fail"
            | "panic_bounds_check"
            | "len_mismatch_fail"
        ):
            return None
        case _:
            return Plan(escape(f"panic in `{path_key(path) or name}`"), ())


def _unwrap_failed(fx: FnContext, tracer: Tracer, call: Call) -> Plan:
    text = tracer.text(call.args[0])
    prefix = ELLIPSIS if text is None else escape(text)
    shown = None
    place = tracer.pointee(call.args[1])
    made = tracer.source(call.args[1])
    if place is not None:
        ty = fx.local_ty(place.local) if not place.projection else None
        if isinstance(made, Ref) and ty is not None:
            shown = tracer.shown(call.args[1], ty, "Debug")
    if shown is None or shown.text is not None:
        return Plan(f"{prefix}: {ELLIPSIS}", ())
    return Plan(f"{prefix}: {{0}}", (shown,))


def _assert_failed(fx: FnContext, tracer: Tracer, call: Call) -> Plan:
    """``assert_eq!`` and ``assert_ne!``: both sides, and a message of the user's."""
    assert isinstance(call.func, FnItem)
    path = fx.types.path(call.func.path, fx.subst)
    sides = type_args(path)
    kind = "=="
    if isinstance(call.args[0], Constant) and isinstance(call.args[0].value, CPath):
        kind = {"Ne": "!=", "Match": "matches"}.get(last_name(call.args[0].value.path) or "", "==")
    operands: list[Shown] = []
    lines = []
    for label, node, ty in zip(("left", "right"), call.args[1:3], sides, strict=False):
        shown = tracer.shown(node, ty, "Debug")
        if shown is None:
            lines.append(f"\n{'  left' if label == 'left' else ' right'}: {ELLIPSIS}")
            continue
        text = shown.text
        if text is None:
            operands.append(shown)
            text = f"{{{len(operands) - 1}}}"
        lines.append(f"\n{'  left' if label == 'left' else ' right'}: {text}")
    own = _own_message(tracer, call.args[3]) if len(call.args) > 3 else None
    message = ""
    if own is not None:
        shift = len(operands)
        renumbered = own[0]
        for number in reversed(range(len(own[1]))):
            renumbered = renumbered.replace(f"{{{number}}}", f"{{{number + shift}}}")
        message = f": {renumbered}"
        operands.extend(own[1])
    return Plan(f"assertion `left {kind} right` failed{message}{''.join(lines)}", tuple(operands))


def _own_message(tracer: Tracer, node: Operand) -> tuple[str, list[Shown]] | None:

    made = tracer.source(node)
    if isinstance(made, AdtAggregate) and made.operands:
        return tracer.arguments(made.operands[0]) or (ELLIPSIS, [])
    return None


# ------------------------------------------------------------------------------ emitting


def emit_plan(fx: FnContext, plan: Plan, source: SourceInfo | None) -> None:
    """End the block with the panic."""
    values, kinds = [], []
    for shown in plan.shown:
        assert shown.place is not None
        value = read(fx, shown.place)
        assert isinstance(value, Scalar)
        assert isinstance(shown.ty, Prim)
        values.append(value.value)
        kinds.append(PanicOperand(shown.ty.name, shown.trait))
    end_with(fx, plan.message, values, kinds, source)


def end_with(
    fx: FnContext,
    message: str,
    values: list[KOperand],
    kinds: list[PanicOperand],
    source: SourceInfo | None,
) -> None:
    site = fx.round.panic_site(message, tuple(kinds), fx.panic_location(source))
    fx.b.end(Panic(site, tuple(values), fx.b.loc))


def emit_call(fx: FnContext, call: Call) -> None:
    """A panicking call whose operands are its own arguments."""
    assert isinstance(call.func, FnItem)
    values = [operand(fx, arg, fx.types.usize) for arg in call.args]
    name = last_name(call.func.path)
    range_start = "range start index {0} out of range for slice of length {1}"
    range_end = "range end index {0} out of range for slice of length {1}"
    order = "slice index starts at {0} but ends at {1}"
    match name:
        case "panic_bounds_check":
            message = "index out of bounds: the length is {0} but the index is {1}"
            show(fx, message, [values[1], values[0]], call.source)
        case "len_mismatch_fail":
            show(
                fx,
                "copy_from_slice: source slice length ({0}) does not match destination slice "
                "length ({1})",
                [values[1], values[0]],
                call.source,
            )
        case "slice_start_index_len_fail":
            show(fx, range_start, values, call.source)
        case "slice_end_index_len_fail":
            show(fx, range_end, values, call.source)
        case "slice_index_order_fail":
            show(fx, order, values, call.source)
        case _:
            _slice_index_fail(fx, values, (range_start, range_end, order), call.source)


def _slice_index_fail(
    fx: FnContext, values: list[Val], messages: tuple[str, str, str], source: SourceInfo | None
) -> None:
    """``slice_index_fail(start, end, len)``: the first of three tests that fails is told."""
    from mirgpu.lower.values import scalar

    start, end, count = (scalar(fx, v) for v in values)
    tests = ((start, count, 0, (0, 2)), (end, count, 1, (1, 2)), (start, end, 2, (0, 1)))
    for a, b, which, shown in tests:
        yes, no = fx.b.fresh("panic"), fx.b.fresh("panic.next")
        fx.b.cond_br(fx.b.compare(CompareOp.UGT, a, b), yes, no)
        fx.b.start(yes, cold=True)
        show(fx, messages[which], [values[i] for i in shown], source)
        fx.b.start(no, cold=True)
    show(fx, messages[1], [values[1], values[2]], source)


def show(fx: FnContext, message: str, values: list[Val], source: SourceInfo | None) -> None:
    """End the block with a panic that shows these scalars."""
    operands, kinds = [], []
    text = message
    for number, value in enumerate(values):
        if isinstance(value, Scalar) and isinstance(value.ty, Prim):
            kinds.append(PanicOperand(value.ty.name, FormatTrait.DISPLAY))
            operands.append(value.value)
        else:
            text = text.replace(f"{{{number}}}", ELLIPSIS)
    end_with(fx, text, operands, kinds, source)


# ------------------------------------------------------------------------------- asserts

_OPTIONAL = ("+", "-", "*")


def is_optional(node: Assert) -> bool:
    """An overflow check that ``-C overflow-checks`` governs.  Division and remainder by -1
    always count."""
    text = node.message
    if "which would overflow" not in text:
        return False
    return not (" / " in text or " % " in text)


def assert_message(node: Assert) -> str:
    """The message with numbered operands."""
    first, *rest = node.message.split("{}")
    return escape(first) + "".join(f"{{{n}}}{escape(part)}" for n, part in enumerate(rest))
