"""Lowers the reachable part of a dump to kir, in rounds until its layouts are settled."""

from dataclasses import dataclass, replace
from typing import final

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.kir.module import Module
from mirgpu.kir.ops import GlobalAddr
from mirgpu.kir.types import AddressSpace
from mirgpu.lower.abi import Kernel, lower_kernel
from mirgpu.lower.context import Crate, LowerOptions, Round
from mirgpu.lower.crate_info import CrateInfo, LayoutOracle
from mirgpu.lower.function import lower_device_fn
from mirgpu.lower.kernels import choose
from mirgpu.lower.layout import Layouts
from mirgpu.lower.resolve import Bodies
from mirgpu.lower.types import Types
from mirgpu.mir.dump import Dump
from mirgpu.runtime.manifest import HostType, KernelInfo

_ROUNDS = 8
"""Two are usual; each further one needs a branch that a layout decides."""


@final
@dataclass(frozen=True, slots=True)
class Lowered:
    """The module, its kernels, and the named types of their parameters."""

    module: Module
    kernels: tuple[KernelInfo, ...]
    types: tuple[HostType, ...]


def lower_module(
    dump: Dump, info: CrateInfo, options: LowerOptions, layouts: LayoutOracle | None
) -> Lowered:
    """Lower the kernels of a dump and what they reach.

    Raises DiagnosticError with everything that cannot be lowered exactly.
    """
    types = Types()
    bodies = Bodies(dump, info, types)
    types.resolver = bodies
    crate = Crate(dump, info, options, types, Layouts(types, info, layouts), bodies)
    kernels = choose(crate)
    for _ in range(_ROUNDS):
        round_ = Round(crate)
        structs: dict[str, HostType] = {}
        infos = _round(round_, kernels, structs)
        if not crate.layouts.dirty:
            break
        crate.layouts.settle()
    else:
        raise DiagnosticError(
            Diagnostic("MG0320", "the layouts of this program do not settle", file=dump.file)
        )
    _check_recursion(round_)
    if round_.diagnostics:
        raise DiagnosticError(*_distinct(round_.diagnostics))
    module = Module(tuple(round_.functions), tuple(round_.globals.values()), tuple(round_.panics))
    done = tuple(_with_memory(round_, info_) for info_ in infos)
    return Lowered(module, done, tuple(structs.values()))


def _round(
    round_: Round, kernels: tuple[Kernel, ...], structs: dict[str, HostType]
) -> list[KernelInfo]:
    infos = []
    named = [replace(kernel, symbol=round_.fresh_symbol(kernel.name)) for kernel in kernels]
    for kernel in named:
        info = lower_kernel(round_, kernel, structs)
        if info is not None:
            infos.append(info)
    while round_.queue:
        lower_device_fn(round_, *round_.queue.pop(0))
    return infos


def _distinct(diagnostics: list[Diagnostic]) -> list[Diagnostic]:
    """One of those that say the same of the same place, the first."""
    out: dict[tuple[object, ...], Diagnostic] = {}
    for d in diagnostics:
        out.setdefault((d.code, d.title, d.file, d.line), d)
    return list(out.values())


def _reached(round_: Round, symbol: str) -> set[str]:
    seen = {symbol}
    queue = [symbol]
    while queue:
        for callee in round_.calls.get(queue.pop(), ()):
            if callee not in seen:
                seen.add(callee)
                queue.append(callee)
    return seen


def _with_memory(round_: Round, info: KernelInfo) -> KernelInfo:
    """What a kernel and its callees use: shared memory, barriers."""
    reached = _reached(round_, info.symbol)
    shared: set[str] = set()
    for function in round_.functions:
        if function.name in reached:
            for block in function.blocks:
                for instruction in block.instructions:
                    if isinstance(instruction, GlobalAddr):
                        shared.add(instruction.symbol)
    size = 0
    for symbol, made in round_.globals.items():
        if symbol in shared and made.space is AddressSpace.SHARED:
            size = (size + made.align - 1) // made.align * made.align + made.size
    return replace(info, shared_bytes=size, barriers=bool(reached & round_.barriers))


def _check_recursion(round_: Round) -> None:
    state: dict[str, int] = {}
    names = {f.name: f for f in round_.functions}

    def visit(symbol: str) -> str | None:
        if state.get(symbol) == 1:
            return symbol
        if state.get(symbol) == 2:
            return None
        state[symbol] = 1
        for callee in sorted(round_.calls.get(symbol, ())):
            found = visit(callee)
            if found is not None:
                return found
        state[symbol] = 2
        return None

    for symbol in list(names):
        found = visit(symbol)
        if found is not None:
            function = names[found]
            raise DiagnosticError(
                Diagnostic(
                    "MG0344",
                    f"`{function.rust_name}` calls itself, and recursion is not supported",
                    file=function.loc.file if function.loc else None,
                    line=function.loc.line if function.loc else None,
                    helps=("write a loop, with a fixed-size array as its stack if it needs one",),
                )
            )
