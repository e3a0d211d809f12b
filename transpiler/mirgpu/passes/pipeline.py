"""The order of the passes, as data, and the loop that runs them."""

from collections.abc import Callable, Sequence
from typing import Protocol

from mirgpu.kir.module import Module
from mirgpu.kir.verifier import verify
from mirgpu.passes import (
    dce,
    gvn,
    infer_address_spaces,
    inline,
    instsimplify,
    jump_threading,
    mem2reg,
    simplify_cfg,
    sroa,
)


class Pass(Protocol):
    """A module of this package: one pass."""

    @property
    def NAME(self) -> str:  # noqa: N802
        """The name in ``--dump-after``."""
        ...

    def run(self, module: Module, /) -> Module:
        """The changed module; the same object where nothing changed."""
        ...


_TO_VALUES: tuple[Pass, ...] = (
    sroa,  # aggregates become scalar slots
    mem2reg,  # scalar slots become values; where one held another's address, that one is free now
    instsimplify,  # what the values made constant or simple
    simplify_cfg,  # branches that became constant, joins without work
    jump_threading,  # the test of an Option just made, with the answer known
    dce,  # what the steps before left over
)

DEFAULT: tuple[Pass, ...] = (
    simplify_cfg,  # fewer blocks for all that follows
    mem2reg,  # pointers in slots first, so that fewer aggregates seem to escape
    *_TO_VALUES * 2,  # callees get small before they are copied
    inline,  # slots whose address was an argument are free now
    *_TO_VALUES * 6,  # a reference to a reference to a slot takes a round each
    gvn,  # one computation of each value, one test of each condition
    infer_address_spaces,  # generic accesses are slow, and tell an alias analysis nothing
    *_TO_VALUES,  # what the two made simple
)
"""Passes in the order of their running.  One that has nothing new to see is skipped, so that
repetitions cost nothing once all is still."""


def run_passes(
    module: Module,
    passes: Sequence[Pass] = DEFAULT,
    after: Callable[[str, Module], None] | None = None,
) -> Module:
    """Run ``passes`` in order and verify what each has made.

    ``after`` is called with the name of each pass that ran and the module it left.  Raises
    ``VerifyError`` where a pass breaks an invariant of kir: a defect of that pass.
    """
    unchanged: dict[str, Module] = {}  # what each pass last had no change for
    for each in passes:
        if unchanged.get(each.NAME) is module:
            continue
        new = each.run(module)
        if new is not module:
            verify(new)
            module = new
        else:
            unchanged[each.NAME] = module
        if after is not None:
            after(each.NAME, module)
    return module
