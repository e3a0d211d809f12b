"""Prints MIR as rustc does; ``parser.py`` reads it back to the same nodes."""

from typing import assert_never

from mirgpu.mir import syntax as s
from mirgpu.mir.alloc_printer import print_alloc
from mirgpu.mir.type_printer import print_bounds, print_const, print_path, print_span, print_type

__all__ = [
    "print_alloc",
    "print_body",
    "print_bounds",
    "print_const",
    "print_file",
    "print_item",
    "print_operand",
    "print_path",
    "print_place",
    "print_rvalue",
    "print_span",
    "print_statement",
    "print_terminator",
    "print_type",
]

_COMMENT_COLUMN = 40

# ---------------------------------------------------------------- places and operands


def print_place(place: s.Place) -> str:
    """The place's text."""
    return _project(f"_{place.local}", place.projection)


def _project(text: str, projection: tuple[s.ProjectionElem, ...]) -> str:
    for elem in projection:
        match elem:
            case s.Deref():
                text = f"(*{text})"
            case s.Field(index, ty):
                text = f"({text}.{index}: {print_type(ty)})"
            case s.Downcast(variant):
                name = variant if isinstance(variant, str) else f"variant#{variant}"
                text = f"({text} as {name})"
            case s.OpaqueCast(ty):
                text = f"({text} as {print_type(ty)})"
            case s.Subtype(ty):
                text = f"({text} as subtype {print_type(ty)})"
            case s.UnwrapUnsafeBinder(ty):
                text = f"unwrap_binder!({text}; {print_type(ty)})"
            case s.Index(local):
                text = f"{text}[_{local}]"
            case s.ConstantIndex(offset, min_length, from_end):
                text = f"{text}[{'-' if from_end else ''}{offset} of {min_length}]"
            case s.Subslice(start, end, from_end):
                text = f"{text}{_subslice(start, end, from_end)}"
            case _:
                assert_never(elem)
    return text


def _subslice(start: int, end: int, from_end: bool) -> str:
    if not from_end:
        return f"[{start}..{end}]"
    if end == 0:
        return f"[{start}:]"
    return f"[:-{end}]" if start == 0 else f"[{start}:-{end}]"


def print_operand(operand: s.Operand) -> str:
    """The operand's text."""
    match operand:
        case s.Copy(place):
            return f"copy {print_place(place)}"
        case s.Move(place):
            return f"move {print_place(place)}"
        case s.Constant(value):
            return f"const {print_const(value)}"
        case s.FnItem(path):
            return print_path(path)
        case s.RuntimeCheck():
            return operand.value
        case _:
            assert_never(operand)


def _operands(operands: tuple[s.Operand, ...]) -> str:
    return ", ".join(map(print_operand, operands))


def _inits(names: tuple[str, ...], operands: tuple[s.Operand, ...]) -> str:
    pairs = zip(names, operands, strict=True)
    return f"{{ {', '.join(f'{name}: {print_operand(o)}' for name, o in pairs)} }}"


# ---------------------------------------------------------------- rvalues and statements


def print_rvalue(rvalue: s.Rvalue) -> str:
    """The rvalue's text."""
    match rvalue:
        case s.Use(operand, no_retag):
            return f"{'no_retag ' if no_retag else ''}{print_operand(operand)}"
        case s.Repeat(operand, count):
            return f"[{print_operand(operand)}; {print_const(count)}]"
        case s.Ref(kind, place, lifetime):
            life = "" if lifetime is None else lifetime.name + " "
            return f"&{life}{kind.value}{' ' if kind.value else ''}{print_place(place)}"
        case s.RawPtr(kind, place):
            return f"&raw {kind.value} {print_place(place)}"
        case s.CopyForDeref(place):
            return f"deref_copy {print_place(place)}"
        case s.Reborrow(ty, place, shared):
            word = "coerce shared" if shared else "reborrow"
            return f"{print_type(ty)} ({word} {print_place(place)})"
        case s.ThreadLocalRef(mutable, path):
            return f"&/*tls*/ {'mut ' if mutable else ''}{print_path(path)}"
        case s.Cast(kind, operand, ty):
            return f"{print_operand(operand)} as {print_type(ty)} ({_cast_kind(kind)})"
        case s.BinaryOp(op, left, right):
            return f"{op.value}({print_operand(left)}, {print_operand(right)})"
        case s.UnaryOp(op, operand):
            return f"{op.value}({print_operand(operand)})"
        case s.Discriminant(place):
            return f"discriminant({print_place(place)})"
        case s.TupleAggregate(operands):
            return f"({_operands(operands)}{',' if len(operands) == 1 else ''})"
        case s.ArrayAggregate(operands):
            return f"[{_operands(operands)}]"
        case s.AdtAggregate(path, names, operands):
            if operands is None:
                return print_path(path)
            if names is None:
                return f"{print_path(path)}({_operands(operands)})"
            return f"{print_path(path)} {_inits(names, operands)}"
        case s.DefAggregate(ty, names, operands):
            return print_type(ty) + (f" {_inits(names, operands)}" if names else "")
        case s.RawPtrAggregate(ty, data, metadata):
            return f"{print_type(ty)} from ({print_operand(data)}, {print_operand(metadata)})"
        case s.WrapUnsafeBinder(operand, ty):
            return f"wrap_binder!({print_operand(operand)}; {print_type(ty)})"
        case s.Len(place):
            return f"Len({print_place(place)})"
        case s.NullaryOp(op, ty):
            return f"{op.value}({print_type(ty)})"
        case s.OffsetOf(ty, steps):
            return f"OffsetOf({print_type(ty)}, [{', '.join(f'({v}, {i})' for v, i in steps)}])"
        case s.ShallowInitBox(operand, ty):
            return f"ShallowInitBox({print_operand(operand)}, {print_type(ty)})"
        case _:
            assert_never(rvalue)


def _cast_kind(kind: s.CastKind | s.PointerCoercion) -> str:
    if isinstance(kind, s.CastKind):
        return kind.value
    return f"PointerCoercion({kind.kind.value}, {'Implicit' if kind.implicit else 'AsCast'})"


def print_statement(statement: s.Statement) -> str:
    """The statement's text, without ``;`` and comment."""
    match statement:
        case s.Assign(place, rvalue):
            return f"{print_place(place)} = {print_rvalue(rvalue)}"
        case s.StorageLive(local):
            return f"StorageLive(_{local})"
        case s.StorageDead(local):
            return f"StorageDead(_{local})"
        case s.SetDiscriminant(place, index):
            return f"discriminant({print_place(place)}) = {index}"
        case s.Assume(operand):
            return f"assume({print_operand(operand)})"
        case s.CopyNonOverlapping(dst, src, count):
            return (
                f"copy_nonoverlapping(dst = {print_operand(dst)}, src = {print_operand(src)}, "
                f"count = {print_operand(count)})"
            )
        case s.Nop():
            return "nop"
        case s.ConstEvalCounter():
            return "ConstEvalCounter"
        case s.PlaceMention(place):
            return f"PlaceMention({print_place(place)})"
        case s.Coverage(text):
            return f"Coverage::{text}"
        case s.FakeRead(cause, place):
            return f"FakeRead({cause}, {print_place(place)})"
        case s.AscribeUserType(place, variance, annotation):
            return f"AscribeUserType({print_place(place)}, {variance}, {annotation})"
        case s.BackwardIncompatibleDropHint(place):
            return f"BackwardIncompatibleDropHint({print_place(place)})"
        case s.Retag(place, kind):
            return f"Retag({kind.value}{' ' if kind.value else ''}{print_place(place)})"
        case _:
            assert_never(statement)


# ---------------------------------------------------------------- terminators


def _unwind(action: s.UnwindAction) -> str:
    match action:
        case s.UnwindCleanup(block):
            return f"unwind: bb{block}"
        case s.UnwindContinue():
            return "unwind continue"
        case s.UnwindUnreachable():
            return "unwind unreachable"
        case s.UnwindTerminate(reason):
            return f"unwind terminate({reason.value})"
        case _:
            assert_never(action)


def _targets(
    unwind: s.UnwindAction | None, *labels: tuple[str, int | None], drop: int | None = None
) -> str:
    """The arrow and what follows: a lone successor without its label."""
    successors = [(label, block) for label, block in labels if block is not None]
    if isinstance(unwind, s.UnwindCleanup):
        successors.append(("unwind", unwind.block))
        unwind = None
    if drop is not None:
        successors.append(("drop", drop))
    if not successors:
        return "" if unwind is None else f" -> {_unwind(unwind)}"
    if len(successors) == 1 and unwind is None:
        return f" -> bb{successors[0][1]}"
    parts = [f"{label}: bb{block}" for label, block in successors]
    if unwind is not None:
        parts.append(_unwind(unwind))
    return f" -> [{', '.join(parts)}]"


def print_terminator(t: s.Terminator) -> str:
    """The terminator's text, without ``;`` and comment."""
    match t:
        case s.Goto(target):
            return f"goto -> bb{target}"
        case s.SwitchInt(discr, values, targets, otherwise):
            pairs = zip(values, targets, strict=True)
            cases = "".join(f"{value}: bb{target}, " for value, target in pairs)
            return f"switchInt({print_operand(discr)}) -> [{cases}otherwise: bb{otherwise}]"
        case s.Return():
            return "return"
        case s.Unreachable():
            return "unreachable"
        case s.UnwindResume():
            return "resume"
        case s.Terminate(reason):
            return f"terminate({reason.value})"
        case s.CoroutineDrop():
            return "coroutine_drop"
        case s.Drop(place, target, unwind, drop):
            to = _targets(unwind, ("return", target), drop=drop)
            return f"drop({print_place(place)}){to}"
        case s.Call(func, args, destination, target, unwind):
            called = f"{print_operand(func)}({_operands(args)})"
            return f"{print_place(destination)} = {called}{_targets(unwind, ('return', target))}"
        case s.TailCall(func, args):
            return f"tailcall {print_operand(func)}({_operands(args)})"
        case s.Assert(cond, expected, message, operands, target, unwind):
            shown = "".join(f", {print_operand(o)}" for o in operands)
            head = f'{"" if expected else "!"}{print_operand(cond)}, "{message}"{shown}'
            return f"assert({head}){_targets(unwind, ('success', target))}"
        case s.InlineAsm():
            return _inline_asm(t)
        case s.Yield(destination, value, resume, drop):
            to = _targets(None, ("resume", resume), ("drop", drop))
            return f"{print_place(destination)} = yield({print_operand(value)}){to}"
        case s.FalseEdge(real, imaginary):
            return f"falseEdge{_targets(None, ('real', real), ('imaginary', imaginary))}"
        case s.FalseUnwind(real, unwind):
            return f"falseUnwind{_targets(unwind, ('real', real))}"
        case s.AsyncDrop(place, poll, target, unwind, drop):
            shown = "" if poll is None else f"; poll={print_place(poll)}"
            to = _targets(unwind, ("return", target), drop=drop)
            return f"async drop({print_place(place)}{shown}){to}"
        case _:
            assert_never(t)


def _inline_asm(t: s.InlineAsm) -> str:
    operands = "".join(f", {_asm_operand(o)}" for o in t.operands)
    first = "label" if "NORETURN" in t.options else "return"
    labels = [(first if i == 0 else "label", block) for i, block in enumerate(t.targets)]
    return f'asm!("{t.template}"{operands}, options({t.options})){_targets(t.unwind, *labels)}'


def _asm_operand(operand: s.AsmOperand) -> str:
    match operand:
        case s.AsmIn(reg, value):
            return f"in({reg}) {print_operand(value)}"
        case s.AsmOut(reg, late, place):
            return f"{'late' if late else ''}out({reg}) {_asm_place(place)}"
        case s.AsmInOut(reg, late, value, place):
            head = f"in{'late' if late else ''}out({reg})"
            return f"{head} {print_operand(value)} => {_asm_place(place)}"
        case s.AsmConst(value):
            return f"const {print_operand(value)}"
        case s.AsmSymFn(value):
            return f"sym_fn {print_operand(value)}"
        case s.AsmSymStatic(text):
            return f"sym_static {text}"
        case s.AsmLabel(index):
            return f"label {index}"
        case _:
            assert_never(operand)


def _asm_place(place: s.Place | None) -> str:
    return "_" if place is None else print_place(place)


# ---------------------------------------------------------------- bodies


def _line(depth: int, text: str, comment: str | None) -> str:
    line = "    " * depth + text
    return line if comment is None else f"{line:<{_COMMENT_COLUMN}} // {comment}"


def _source(source: s.SourceInfo | None, prefix: str = "") -> str | None:
    if source is None:
        return None
    return f"{prefix}scope {source.scope} at {print_span(source.span)}"


def _local(decl: s.LocalDecl, depth: int) -> str:
    users = "".join(f" as {u}" for u in decl.user_tys)
    text = f"let {'mut ' if decl.mutable else ''}_{decl.local}: {print_type(decl.ty)}{users};"
    prefix = "return place in " if decl.local == 0 else "in "
    return _line(depth, text, _source(decl.source, prefix))


def _debug(info: s.VarDebugInfo, depth: int) -> str:
    name = info.name
    if info.fragment_ty is not None:
        name = _project(f"({name}: {print_type(info.fragment_ty)})", info.fragment)
    shown = info.value
    value = print_place(shown) if isinstance(shown, s.Place) else print_operand(shown)
    return _line(depth, f"debug {name} => {value};", _source(info.source, "in "))


def _scope(scope: s.SourceScope, depth: int) -> list[str]:
    inlined = ""
    if scope.inlined is not None:
        caller = "#[track_caller] " if scope.track_caller else ""
        inlined = f" (inlined {caller}{print_path(scope.inlined)})"
    at = None if scope.source is None else f"at {print_span(scope.source)}"
    lines = [
        # rustc does not align the comment of a scope.
        f"{'    ' * depth}scope {scope.index}{inlined} {{" + ("" if at is None else f" // {at}")
    ]
    lines += _declarations(scope.debug, scope.locals, scope.children, depth + 1)
    lines.append("    " * depth + "}")
    return lines


def _declarations(
    debug: tuple[s.VarDebugInfo, ...],
    locals_: tuple[s.LocalDecl, ...],
    scopes: tuple[s.SourceScope, ...],
    depth: int,
) -> list[str]:
    lines = [_debug(info, depth) for info in debug]
    lines += [_local(decl, depth) for decl in locals_]
    for scope in scopes:
        lines += _scope(scope, depth)
    return lines


def print_body(body: s.Body) -> str:
    """What stands between an item's braces, a newline at the end."""
    lines = _declarations(body.debug, body.locals, body.scopes, 1)
    if body.coverage:
        lines += ["", *(f"    coverage {text};" for text in body.coverage)]
    for i, block in enumerate(body.blocks):
        if lines or i:
            lines.append("")
        lines.append(f"    bb{block.index}{' (cleanup)' if block.cleanup else ''}: {{")
        lines += [_line(2, print_statement(x) + ";", _source(x.source)) for x in block.statements]
        end = block.terminator
        lines.append(_line(2, print_terminator(end) + ";", _source(end.source)))
        lines.append("    }")
    return "".join(line + "\n" for line in lines)


# ---------------------------------------------------------------- items


def print_item(item: s.Item) -> str:
    """The item's text, a newline at the end."""
    match item:
        case s.FnItemDef(path, params, ret, body, yields, ctfe):
            shown = ", ".join(f"_{p.local}: {print_type(p.ty)}" for p in params)
            head = f"fn {print_path(path)}({shown}) -> {print_type(ret)}"
            if yields is not None:
                head += f"\nyields {print_type(yields)}\n"
            note = "// MIR FOR CTFE\n" if ctfe else ""
            return f"{note}{head} {{\n{print_body(body)}}}\n"
        case s.ConstItemDef(path, ty, None, value) if value is not None:
            return f"const {print_path(path)}: {print_type(ty)} = {print_operand(value)};\n"
        case s.ConstItemDef(path, ty, body) if body is not None:
            return f"const {print_path(path)}: {print_type(ty)} = {{\n{print_body(body)}}}\n"
        case s.StaticItemDef(path, mutable, ty, body):
            head = f"static {'mut ' if mutable else ''}{print_path(path)}"
            return f"{head}: {print_type(ty)} = {{\n{print_body(body)}}}\n"
        case s.AnonItemDef(path, ty, body):
            return f"{print_path(path)}: {print_type(ty)} = {{\n{print_body(body)}}}\n"
    raise AssertionError(item)


def print_file(file: s.File) -> str:
    """A dump's text: the items, then the allocations, a blank line between them."""
    parts = [print_item(item) for item in file.items]
    parts += [print_alloc(alloc) + "\n" for alloc in file.allocs]
    return "\n".join(parts)
