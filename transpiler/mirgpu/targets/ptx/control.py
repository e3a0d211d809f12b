"""Terminators: branches, edges with block arguments, switches, returns.

The arguments of an edge are moves into the registers of the block's parameters.  They stand
where only that edge passes: at the end of a block that goes nowhere else, or on the edge's own
stretch of code right after the branch.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from mirgpu.kir.module import Block
from mirgpu.kir.ops import Br, CondBr, IntConst, Switch, Target, Undef, Unreachable
from mirgpu.kir.ops import Operand as KirOperand
from mirgpu.kir.types import IntType
from mirgpu.targets.ptx.builder import FunctionBuilder, Scalar, integer
from mirgpu.targets.ptx.copies import Source, sequence_copies
from mirgpu.targets.ptx.integer import register_width, zero_or_one
from mirgpu.targets.ptx.ir import Bra, Guard, Reg, Type
from mirgpu.targets.ptx.tables import unsigned

LINEAR_CASES = 4
"""A switch of up to so many cases compares one after the other; a larger one halves them."""


@final
@dataclass(frozen=True)
class Flow:
    """The blocks of a function as code: their labels, their parameters' registers, and which
    comes next in the text."""

    blocks: Mapping[str, Block]
    labels: dict[str, str]
    params: dict[str, tuple[Reg, ...]]
    following: dict[str, str | None]


def branch(b: FunctionBuilder, flow: Flow, here: str, node: Br) -> None:
    _go(b, flow, node.target, flow.following[here])


def conditional(b: FunctionBuilder, flow: Flow, here: str, node: CondBr) -> None:
    yes, no = node.if_true, node.if_false
    if isinstance(node.cond, IntConst):
        _go(b, flow, yes if node.cond.value else no, flow.following[here])
        return
    if isinstance(node.cond, Undef):
        _go(b, flow, no, flow.following[here])
        return
    following = flow.following[here]
    pred = b.use_reg(node.cond)
    yes_moves, no_moves = _moves(b, flow, yes), _moves(b, flow, no)
    if yes.label == no.label and not yes_moves and not no_moves:
        _go(b, flow, yes, following)
    elif not yes_moves and (no_moves or yes.label != following):
        b.emit(Bra(flow.labels[yes.label], Guard(pred, negated=False)))
        _go(b, flow, no, following)
    elif not no_moves:
        b.emit(Bra(flow.labels[no.label], Guard(pred, negated=True)))
        _go(b, flow, yes, following)
    else:
        edge = b.fresh_label(f"{here}_to_{no.label}")
        b.emit(Bra(edge, Guard(pred, negated=True)))
        _go(b, flow, yes, None)
        b.label(edge)
        _go(b, flow, no, following)


def _go(b: FunctionBuilder, flow: Flow, target: Target, following: str | None) -> None:
    """The moves of an edge, and the jump unless the target comes next."""
    for dst, src in sequence_copies(_moves(b, flow, target), lambda reg: b.temp(reg.type)):
        b.move(dst, src)
    if target.label != following:
        b.emit(Bra(flow.labels[target.label], None))


def _moves(b: FunctionBuilder, flow: Flow, target: Target) -> list[tuple[Reg, Source]]:
    """What an edge has to move; an undefined argument becomes zero, so that no register is
    read that was never written."""
    moves: list[tuple[Reg, Source]] = []
    for param, arg in zip(flow.params[target.label], target.args, strict=True):
        source = _argument(b, arg)
        if source != param:
            moves.append((param, source))
    return moves


def _argument(b: FunctionBuilder, arg: KirOperand) -> Source:
    if arg.type == IntType(1) and isinstance(arg, IntConst | Undef):
        # ``mov.pred`` takes a literal.
        return integer(arg.value if isinstance(arg, IntConst) else 0, 32)
    return b.use(arg)


# ------------------------------------------------------------------------------------- switch


def switch(b: FunctionBuilder, flow: Flow, here: str, node: Switch) -> None:
    ty = node.value.type
    assert isinstance(ty, IntType)
    value = b.use(node.value)
    if ty.width == 1:
        assert isinstance(value, Reg)
        value = zero_or_one(b, value, Type.B32)
    width = register_width(ty.width)
    cases = sorted(node.cases, key=lambda case: case[0])
    default = node.default
    if cases and _never_reached(flow, default):
        default = cases.pop()[1]
    edges = _Edges(b, flow, here)
    edges.search(value, unsigned(width), width, cases, default)
    edges.write()


def _never_reached(flow: Flow, target: Target) -> bool:
    block = flow.blocks[target.label]
    return not block.instructions and isinstance(block.terminator, Unreachable)


@final
class _Edges:
    """The comparisons of one switch, and the stretches of code that its edges need."""

    def __init__(self, b: FunctionBuilder, flow: Flow, here: str) -> None:
        self._b = b
        self._flow = flow
        self._here = here
        self._stretches: dict[Target, str] = {}

    def search(
        self,
        value: Scalar,
        ty: Type,
        width: int,
        cases: list[tuple[int, Target]],
        default: Target,
    ) -> None:
        b = self._b
        if len(cases) <= LINEAR_CASES:
            for case, target in cases:
                equal = b.setp("eq", ty, value, integer(case, width))
                b.emit(Bra(self._entry(target), Guard(equal, negated=False)))
            b.emit(Bra(self._entry(default), None))
            return
        middle = len(cases) // 2
        low = b.fresh_label(f"{self._here}_below_{cases[middle][0]}")
        below = b.setp("lt", ty, value, integer(cases[middle][0], width))
        b.emit(Bra(low, Guard(below, negated=False)))
        self.search(value, ty, width, cases[middle:], default)
        b.label(low)
        self.search(value, ty, width, cases[:middle], default)

    def _entry(self, target: Target) -> str:
        """Where to jump for ``target``: its block, or a stretch with its moves."""
        if not _moves(self._b, self._flow, target):
            return self._flow.labels[target.label]
        known = self._stretches.get(target)
        if known is None:
            known = self._b.fresh_label(f"{self._here}_to_{target.label}")
            self._stretches[target] = known
        return known

    def write(self) -> None:
        for target, label in self._stretches.items():
            self._b.label(label)
            _go(self._b, self._flow, target, None)
