"""The table of intrinsics, which the modules beside this one fill.

Each entry takes the lowering context and one call, and gives the value of the call, or none
where it wrote its result itself or has none.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from mirgpu.kir.ops import BinaryOp as K
from mirgpu.kir.ops import (
    Operand,
)
from mirgpu.kir.ops import UnaryOp as U
from mirgpu.lower.context import FnContext
from mirgpu.lower.values import (
    PlaceRef,
    Scalar,
    Val,
    scalar,
)
from mirgpu.mir.syntax import Ty


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


def names(*all_names: str) -> Callable[[Lowering], Lowering]:
    def add(function: Lowering) -> Lowering:
        for name in all_names:
            TABLE[name] = function
        return function

    return add


def unary(op: U) -> Lowering:
    """The entry of one kir operation."""
    return lambda fx, c: Scalar(c.dest.ty, fx.b.unary(op, c.op(fx, 0)))


def binary(op: K) -> Lowering:
    """The entry of one kir operation."""
    return lambda fx, c: Scalar(c.dest.ty, fx.b.binary(op, c.op(fx, 0), c.op(fx, 1)))
