"""Makes ``mir.syntax`` nodes: one function for each alias of ``mir.lark``."""

from collections.abc import Callable
from typing import Any, final

from mirgpu.mir import syntax as s
from mirgpu.mir.type_actions import TYPE_ACTIONS, RejectError, const, ty
from mirgpu.node import node

_BIN_OPS = {op.value: op for op in s.BinOp}
_UN_OPS = {op.value: op for op in s.UnOp}
_CHECKS = {c.value: c for c in s.RuntimeCheck}
_CAST_KINDS = {f"({k.value})": k for k in s.CastKind}
_COERCIONS = {
    f"(PointerCoercion({k.value}, {how}))": s.PointerCoercion(k, how == "Implicit")
    for k in s.CoercionKind
    for how in ("AsCast", "Implicit")
}

# ---------------------------------------------------------------- places and operands


def local(text: str) -> int:
    return int(text[1:])


def project(place: s.Place, elem: s.ProjectionElem) -> s.Place:
    return s.Place(place.local, (*place.projection, elem))


def downcast(x: Any) -> s.ProjectionElem:
    """``as Variant`` names a variant; ``as some::Type<T>`` is an opaque cast."""
    match x:
        case s.PathTy(s.Path((s.NameSeg(name, None),))) | s.Prim(name):
            return s.Downcast(name)
    return s.OpaqueCast(ty(x))


def const_index(text: str) -> s.ProjectionElem:
    inner = text[1:-1]
    if " of " in inner:
        index, _, length = inner.partition(" of ")
        return s.ConstantIndex(abs(int(index)), int(length), index.startswith("-"))
    if ".." in inner:
        start, _, end = inner.partition("..")
        return s.Subslice(int(start), int(end), False)
    start, _, end = inner.partition(":")
    return s.Subslice(int(start or "0"), int(end.removeprefix("-") or "0"), True)


def fn_item(path: s.Path) -> s.Operand:
    match path.segments:
        case (s.NameSeg(name, None),) if name in _CHECKS:
            return _CHECKS[name]
    return s.FnItem(path)


# ---------------------------------------------------------------- rvalues


def use(operand: s.Operand) -> s.Rvalue:
    if isinstance(operand, s.FnItem):
        return s.AdtAggregate(operand.path, None, None)
    return s.Use(operand)


def call_aggregate(path: s.Path, *operands: s.Operand) -> s.Rvalue:
    """``Add(a, b)`` is the operator, whatever else may bear the name."""
    match path.segments:
        case (s.NameSeg(name, None),):
            if len(operands) == 2 and name in _BIN_OPS:
                return s.BinaryOp(_BIN_OPS[name], *operands)
            if len(operands) == 1 and name in _UN_OPS:
                return s.UnaryOp(_UN_OPS[name], *operands)
    return s.AdtAggregate(path, None, operands)


def _names(fields: tuple[tuple[str, Any], ...]) -> tuple[str, ...]:
    return tuple(name for name, _ in fields)


def _values(fields: tuple[tuple[str, Any], ...]) -> tuple[Any, ...]:
    return tuple(value for _, value in fields)


def struct_aggregate(path: s.Path, *fields: tuple[str, s.Operand]) -> s.Rvalue:
    return s.AdtAggregate(path, _names(fields), _values(fields))


def def_aggregate(t: s.DefTy, *fields: tuple[str, s.Operand]) -> s.Rvalue:
    return s.DefAggregate(t, _names(fields), _values(fields))


def ref(lifetime: str | None, mut: str | None, place: s.Place) -> s.Ref:
    kind = s.BorrowKind.SHARED if mut is None else s.BorrowKind.MUT
    return s.Ref(kind, place, None if lifetime is None else s.Lifetime(lifetime))


def cast(operand: s.Operand, t: Any, kind: str) -> s.Cast:
    known = _CAST_KINDS.get(kind) or _COERCIONS.get(kind)
    if known is None:
        raise RejectError(f"{kind} is no kind of cast")
    return s.Cast(known, operand, ty(t))


# ---------------------------------------------------------------- terminators


def unwind(text: str) -> s.UnwindAction:
    match text.removeprefix("unwind").removeprefix(":").strip():
        case "continue":
            return s.UnwindContinue()
        case "unreachable":
            return s.UnwindUnreachable()
        case "terminate(abi)":
            return s.UnwindTerminate(s.UnwindTerminateReason.ABI)
        case _:
            return s.UnwindTerminate(s.UnwindTerminateReason.CLEANUP)


def block(text: str) -> int:
    return int(text[2:])


@final
@node
class Targets:
    """What follows the arrow: labelled blocks in order, and the unwind action."""

    blocks: tuple[tuple[str, int], ...]
    unwind: s.UnwindAction | None

    def take(self, *labels: str) -> list[int | None]:
        """The blocks of these labels; any other label is an error."""
        found: dict[str, int] = {}
        for label, target in self.blocks:
            if label not in labels or label in found:
                raise RejectError(f"`{label}:` is no target of this terminator")
            found[label] = target
        return [found.get(label) for label in labels]


def targets(*items: Any) -> Targets:
    blocks: list[tuple[str, int]] = []
    action: s.UnwindAction | None = None
    for item in items:
        match item:
            case ("unwind", bb) if action is None:
                action = s.UnwindCleanup(block(bb))
            case (label, bb):
                blocks.append((label, block(bb)))
            case _ if action is None:
                action = unwind(item)
            case _:
                raise RejectError("there are two unwind actions")
    return Targets(tuple(blocks), action)


def _need(target: int | None, label: str) -> int:
    if target is None:
        raise RejectError(f"the `{label}:` target is missing")
    return target


def switch_int(discr: s.Operand, *rest: str) -> s.SwitchInt:
    if rest[-2] != "otherwise":
        raise RejectError("the last target of a switch is `otherwise:`")
    values = tuple(int(v) for v in rest[:-2:2])
    return s.SwitchInt(discr, values, tuple(block(b) for b in rest[1:-2:2]), block(rest[-1]))


def drop(place: s.Place, to: Targets) -> s.Drop:
    target, extra = (to.blocks[0][1], None) if _single(to) else to.take("return", "drop")
    return s.Drop(place, _need(target, "return"), to.unwind, extra)


def _single(to: Targets) -> bool:
    """``-> bbN``, without a label."""
    return len(to.blocks) == 1 and to.blocks[0][0] == ""


def call(destination: s.Place, func: s.Operand, *rest: Any) -> s.Call:
    """A lone ``-> bbN`` is printed for a call with one successor; see ``Call``."""
    *args, to = rest
    if _single(to):
        return s.Call(func, tuple(args), destination, None, s.UnwindCleanup(to.blocks[0][1]))
    (target,) = to.take("return")
    return s.Call(func, tuple(args), destination, target, to.unwind)


def call_const(destination: s.Place, func: s.Path, *rest: Any) -> s.Call:
    return call(destination, s.Constant(s.CPath(func)), *rest)


def tail_call_const(func: s.Path, *args: s.Operand) -> s.TailCall:
    return s.TailCall(s.Constant(s.CPath(func)), args)


def assert_(negated: str | None, cond: s.Operand, message: str, *rest: Any) -> s.Assert:
    *operands, to = rest
    target = to.blocks[0][1] if _single(to) else to.take("success")[0]
    return s.Assert(
        cond,
        negated is None,
        message[1:-1],
        tuple(operands),
        _need(target, "success"),
        to.unwind,
    )


def yield_(destination: s.Place, value: s.Operand, to: Targets) -> s.Yield:
    resume, gone = (to.blocks[0][1], None) if _single(to) else to.take("resume", "drop")
    if to.unwind is not None:
        raise RejectError("a yield does not unwind")
    return s.Yield(destination, value, _need(resume, "resume"), gone)


def false_edge(to: Targets) -> s.FalseEdge:
    real, imaginary = to.take("real", "imaginary")
    return s.FalseEdge(_need(real, "real"), _need(imaginary, "imaginary"))


def false_unwind(to: Targets) -> s.FalseUnwind:
    (real,) = to.take("real")
    if to.unwind is None:
        raise RejectError("the unwind target is missing")
    return s.FalseUnwind(_need(real, "real"), to.unwind)


def async_drop(place: s.Place, *rest: Any) -> s.AsyncDrop:
    *poll, to = rest
    target, gone = (to.blocks[0][1], None) if _single(to) else to.take("return", "drop")
    return s.AsyncDrop(place, poll[0] if poll else None, _need(target, "return"), to.unwind, gone)


def _asm_reg(text: str) -> tuple[str, str]:
    kind, _, reg = text.rstrip().removesuffix(")").partition("(")
    return kind, reg


def asm_in(reg: str, operand: s.Operand) -> s.AsmOperand:
    kind, name = _asm_reg(reg)
    if kind != "in":
        raise RejectError(f"`{kind}(…)` names a place")
    return s.AsmIn(name, operand)


def asm_out(reg: str, place: s.Place | None) -> s.AsmOperand:
    kind, name = _asm_reg(reg)
    if kind not in ("out", "lateout"):
        raise RejectError(f"`{kind}(…)` takes an operand")
    return s.AsmOut(name, kind == "lateout", place)


def asm_in_out(reg: str, operand: s.Operand, place: s.Place | None) -> s.AsmOperand:
    kind, name = _asm_reg(reg)
    if kind not in ("inout", "inlateout"):
        raise RejectError(f"`{kind}(…)` has no `=>`")
    return s.AsmInOut(name, kind == "inlateout", operand, place)


def inline_asm(template: str, *rest: Any) -> s.InlineAsm:
    *operands, options, to = rest
    if any(label not in ("", "return", "label") for label, _ in to.blocks):
        raise RejectError("the targets of `asm!` are `return:` and `label:`")
    single = _single(to)
    labels = () if single else tuple(target for _, target in to.blocks)
    action = s.UnwindCleanup(to.blocks[0][1]) if single else to.unwind
    return s.InlineAsm(
        template[len('asm!("') : -1],
        tuple(operands),
        options[len("options(") : -2],
        labels,
        action,
    )


# ---------------------------------------------------------------- headers


def param(name: str, t: Any) -> s.Param:
    return s.Param(local(name), ty(t))


def fn_header(name: s.Path, *rest: Any) -> tuple[Any, ...]:
    """(path, parameters, return type, yield type)."""
    *params, ret, yields = rest
    return name, tuple(params), ty(ret), None if yields is None else ty(yields)


def typed_header(
    name: s.Path, t: Any, value: s.Operand | None = None
) -> tuple[s.Path, s.Ty, s.Operand | None]:
    return name, ty(t), value


def _keep(x: Any) -> Any:
    return x


def _fragment_field(base: Any, index: str, t: Any) -> Any:
    name, whole, elems = base
    return name, whole, (*elems, s.Field(int(index), ty(t)))


ACTIONS: dict[str, Callable[..., Any]] = {
    **TYPE_ACTIONS,
    "type": ty,
    "constant": const,
    "fn_header": fn_header,
    "param": param,
    "typed_header": typed_header,
    "local_decl": lambda mut, name, t: (local(name), mut is not None, ty(t)),
    "debug_name": _keep,
    "fragment_base": lambda name, t: (name, ty(t), ()),
    "fragment_field": _fragment_field,
    "fragment_deref": lambda base: (base[0], base[1], (*base[2], s.Deref())),
    "fragment_downcast": lambda base, x: (base[0], base[1], (*base[2], downcast(x))),
    "keep": _keep,
    "none": lambda _: None,
    "inlined": lambda track, name: (track is not None, name),
    "vtable": lambda *rest: (rest[:-1], ty(rest[-1])),
    # statements
    "assign": s.Assign,
    "storage_live": lambda name: s.StorageLive(local(name)),
    "storage_dead": lambda name: s.StorageDead(local(name)),
    "set_discriminant": lambda place, index: s.SetDiscriminant(place, int(index)),
    "assume": s.Assume,
    "copy_nonoverlapping": s.CopyNonOverlapping,
    "nop": s.Nop,
    "const_eval_counter": s.ConstEvalCounter,
    "place_mention": s.PlaceMention,
    "coverage": lambda text: s.Coverage(text.removeprefix("Coverage::")),
    "fake_read": lambda head, place: s.FakeRead(head[len("FakeRead(") : -2], place),
    "ascribe_user_type": lambda place, rest: s.AscribeUserType(
        place, rest[2 : rest.index(", ", 2)], rest[rest.index(", ", 2) + 2 : -1]
    ),
    "backward_incompatible_drop_hint": s.BackwardIncompatibleDropHint,
    "retag": lambda head, place: s.Retag(place, s.RetagKind(head[len("Retag(") :].strip())),
    # rvalues
    "use": use,
    "use_no_retag": lambda operand: s.Use(operand, True),
    "repeat": lambda operand, n: s.Repeat(operand, const(n)),
    "ref": ref,
    "ref_fake": lambda head, place: s.Ref(s.BorrowKind(head[1:].strip()), place),
    "raw_ptr": lambda head, place: s.RawPtr(s.RawPtrKind(head[len("&raw ") :].strip()), place),
    "copy_for_deref": s.CopyForDeref,
    "reborrow": lambda name, word, place: s.Reborrow(s.PathTy(name), place, "shared" in word),
    "thread_local_ref": lambda mut, name: s.ThreadLocalRef(mut is not None, name),
    "cast": cast,
    "discriminant": s.Discriminant,
    "tuple_aggregate": lambda *operands: s.TupleAggregate(operands),
    "array_aggregate": lambda *operands: s.ArrayAggregate(operands),
    "call_aggregate": call_aggregate,
    "struct_aggregate": struct_aggregate,
    "def_aggregate": def_aggregate,
    "pair": lambda name, value: (name, value),
    "raw_ptr_const_aggregate": lambda t, data, meta: s.RawPtrAggregate(
        s.RawPtrTy(False, ty(t)), data, meta
    ),
    "raw_ptr_mut_aggregate": lambda _, t, data, meta: s.RawPtrAggregate(
        s.RawPtrTy(True, ty(t)), data, meta
    ),
    "wrap_binder": lambda operand, t: s.WrapUnsafeBinder(operand, ty(t)),
    "len": s.Len,
    "null_op": lambda head, t: s.NullaryOp(s.NullOp(head[:-1]), ty(t)),
    "offset_of": lambda t, *steps: s.OffsetOf(ty(t), steps),
    "offset_step": lambda variant, index: (int(variant), int(index)),
    "shallow_init_box": lambda operand, t: s.ShallowInitBox(operand, ty(t)),
    # operands and places
    "copy": s.Copy,
    "move": s.Move,
    "const_operand": lambda x: s.Constant(const(x)),
    "fn_item": fn_item,
    "place_local": lambda name: s.Place(local(name), ()),
    "place_deref": lambda place: project(place, s.Deref()),
    "place_field": lambda place, index, t: project(place, s.Field(int(index), ty(t))),
    "place_downcast": lambda place, x: project(place, downcast(x)),
    "place_variant": lambda place, text: project(place, s.Downcast(int(text[8:]))),
    "place_subtype": lambda place, t: project(place, s.Subtype(ty(t))),
    "place_unwrap_binder": lambda place, t: project(place, s.UnwrapUnsafeBinder(ty(t))),
    "place_index": lambda place, name: project(place, s.Index(local(name))),
    "place_const_index": lambda place, text: project(place, const_index(text)),
    # terminators
    "goto": lambda target: s.Goto(block(target)),
    "switch_int": switch_int,
    "return_": s.Return,
    "unreachable": s.Unreachable,
    "resume": s.UnwindResume,
    "terminate_abi": lambda: s.Terminate(s.UnwindTerminateReason.ABI),
    "terminate_cleanup": lambda: s.Terminate(s.UnwindTerminateReason.CLEANUP),
    "coroutine_drop": s.CoroutineDrop,
    "drop": drop,
    "call": call,
    "call_const": call_const,
    "tail_call": lambda func, *args: s.TailCall(func, args),
    "tail_call_const": tail_call_const,
    "assert_": assert_,
    "inline_asm": inline_asm,
    "yield_": yield_,
    "false_edge": false_edge,
    "false_unwind": false_unwind,
    "async_drop": async_drop,
    "async_drop_no_poll": async_drop,
    "targets_one": lambda target: Targets((("", block(target)),), None),
    "targets": targets,
    "targets_unwind": lambda text: Targets((), unwind(text)),
    "asm_in": asm_in,
    "asm_out": asm_out,
    "asm_in_out": asm_in_out,
    "asm_const": s.AsmConst,
    "asm_sym_fn": s.AsmSymFn,
    "asm_sym_static": lambda text: s.AsmSymStatic(text.removeprefix("sym_static ")),
    "asm_label": lambda index: s.AsmLabel(int(index)),
}
