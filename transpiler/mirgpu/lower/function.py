"""Lowers one body to a kir function: slots for its locals, then block after block."""

from mirgpu.kir.module import Function, FunctionKind, Param, ParamRole
from mirgpu.kir.ops import Location, Unreachable, Value
from mirgpu.kir.ops import Return as KReturn
from mirgpu.kir.types import I64, PTR, Type, size_of
from mirgpu.lower.context import FnContext, Round
from mirgpu.lower.errors import LowerError
from mirgpu.lower.panics import plan_all
from mirgpu.lower.places import local_place
from mirgpu.lower.resolve import Instance
from mirgpu.lower.statements import statement
from mirgpu.lower.tables import alias_table
from mirgpu.lower.terminators import label, terminate
from mirgpu.lower.values import Fat, Memory, PlaceRef, Scalar, load, store
from mirgpu.mir.printer import print_statement, print_terminator
from mirgpu.mir.syntax import BasicBlock, StorageDead, StorageLive

_MOST_ERRORS = 20


def lower_device_fn(
    round_: Round, instance: Instance, symbol: str, rust_name: str, caller: Location | None
) -> None:
    """Lower a body that others call; its diagnostics go to the round."""
    fx = FnContext(round_, instance, symbol, rust_name, caller)
    fx.b.start("entry")
    try:
        params, results = _device_signature(fx)
    except LowerError as error:
        fx.report(error, None)
        return
    lower_blocks(fx)
    file, line = round_.crate.place_of(instance)
    loc = Location(file, line, 1, rust_name) if file is not None and line is not None else None
    round_.functions.append(
        Function(symbol, rust_name, FunctionKind.DEVICE, params, results, fx.b.finish(), loc)
    )
    if fx.has_barrier:
        round_.barriers.add(symbol)


def _device_signature(fx: FnContext) -> tuple[tuple[Param, ...], tuple[Type, ...]]:
    fn = fx.instance.fn
    params: list[Param] = []
    ret = fx.local_ty(0)
    layout = fx.layout(ret)
    results: tuple[Type, ...] = ()
    if layout.scalar is not None:
        results = (layout.scalar,)
    elif layout.fat:
        results = (PTR, I64)
    elif layout.size:
        out = Value(PTR, "ret")
        params.append(device_param(out))
        fx.slots[0] = out
    make_slots(fx)
    for param in fn.params:
        at = local_place(fx, param.local)
        own = fx.layout(at.ty)
        name = fx.index.names.get(param.local)
        if own.scalar is not None:
            value = Value(own.scalar, name)
            params.append(device_param(value))
            store(fx, at, Scalar(at.ty, value))
        elif own.fat:
            ptr, meta = Value(PTR, name), Value(I64, f"{name}.len" if name else None)
            params.extend((device_param(ptr), device_param(meta)))
            store(fx, at, Fat(at.ty, ptr, meta))
        elif own.size:
            ptr = Value(PTR, name)
            params.append(device_param(ptr))
            store(fx, at, Memory(at.ty, PlaceRef(ptr, 0, own.align, at.ty)))
    fx.end_return = lambda: _device_return(fx)
    return tuple(params), results


def device_param(value: Value) -> Param:
    size = size_of(value.type)
    return Param(value, ParamRole.VALUE, size, size)


def _device_return(fx: FnContext) -> None:
    at = local_place(fx, 0)
    layout = fx.layout(at.ty)
    if layout.scalar is None and not layout.fat:
        fx.b.end(KReturn((), fx.b.loc))
        return
    value = load(fx, at)
    if isinstance(value, Scalar):
        fx.b.end(KReturn((value.value,), fx.b.loc))
    else:
        assert isinstance(value, Fat)
        fx.b.end(KReturn((value.ptr, value.meta), fx.b.loc))


def make_slots(fx: FnContext) -> None:
    """Memory for every local, the parameters included; constant tables are read in place."""
    for local in fx.index.local_types:
        if local in fx.slots or alias_table(fx, local):
            continue
        try:
            ty = fx.local_ty(local)
            layout = fx.layout(ty)
        except LowerError:
            # An unused local of an unsupported type is no reason to stop; a use is.
            continue
        name = fx.index.names.get(local, f"_{local}")
        fx.slots[local] = fx.b.alloca(layout.size, layout.align, name)


def lower_blocks(fx: FnContext) -> None:
    """Lower every block that can be reached from the first; the entry is open before."""
    plan_all(fx)
    fx.b.br(label(0))
    seen = {0}
    queue = [0]
    while queue:
        block = fx.index.blocks[queue.pop()]
        fx.b.start(label(block.index))
        for successor in _block(fx, block):
            if successor not in seen:
                seen.add(successor)
                queue.append(successor)


def _block(fx: FnContext, block: BasicBlock) -> tuple[int, ...]:
    fx.block = block.index
    for number, node in enumerate(block.statements):
        if isinstance(node, StorageLive | StorageDead) or (block.index, number) in fx.skipped:
            continue
        fx.b.loc = fx.location(node.source)
        try:
            statement(fx, node)
        except LowerError as error:
            _failed(fx, error, print_statement(node))
        except _UNFORESEEN as error:
            _failed(fx, _unforeseen(error), print_statement(node))
    last = block.terminator
    fx.b.loc = fx.location(last.source)
    try:
        return terminate(fx, block)
    except (LowerError, *_UNFORESEEN) as error:
        known = error if isinstance(error, LowerError) else _unforeseen(error)
        _failed(fx, known, print_terminator(last))
        if fx.b.open:
            fx.b.end(Unreachable(None))
        target = getattr(last, "target", None)
        return (target,) if isinstance(target, int) else ()


_UNFORESEEN = (AssertionError, AttributeError, IndexError, KeyError, TypeError, ValueError)


def _unforeseen(error: Exception) -> LowerError:
    """MIR of a form that nobody thought of: told as such, at its place."""
    where = error.__traceback__
    while where is not None and where.tb_next is not None:
        where = where.tb_next
    at = f"{where.tb_frame.f_code.co_name}:{where.tb_lineno}" if where is not None else "?"
    return LowerError(
        "MG0399",
        "this form of MIR is not supported",
        notes=(f"{type(error).__name__}: {error} ({at})",),
        help="please report it, with the Rust line",
    )


def _failed(fx: FnContext, error: LowerError, mir: str) -> None:
    """Note the error and go on, so that several are told at once."""
    if len(fx.round.diagnostics) < _MOST_ERRORS:
        fx.report(error, " ".join(mir.split()))
