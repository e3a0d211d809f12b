"""Operands, results and targets of every node, read off the printed text."""

import re

from tests.unit.kir.test_text import EVERYTHING

from mirgpu.kir.module import Block, Function, FunctionKind, Module
from mirgpu.kir.ops import Operand, Target, Value
from mirgpu.kir.parser import parse_module
from mirgpu.kir.printer import print_module
from mirgpu.kir.visit import (
    map_operands,
    map_targets,
    operands_of,
    replace_operands,
    results_of,
    successors,
)


def _nodes(module: Module):  # type: ignore[no-untyped-def]
    for function in module.functions:
        for block in function.blocks:
            yield from block.instructions
            yield block.terminator


def _line(node: object) -> str:
    """The node's text, in a function of its own."""
    is_terminator = hasattr(node, "__match_args__") and node in _TERMINATORS
    blocks = (
        Block("a", (), (), node)  # type: ignore[arg-type]
        if is_terminator
        else Block("a", (), (node,), _RETURN)  # type: ignore[arg-type]
    )
    function = Function("f", "f", FunctionKind.DEVICE, (), (), (blocks,), None)
    return print_module(Module((function,), (), ())).splitlines()[2]


MODULE = parse_module(EVERYTHING)
_TERMINATORS = [block.terminator for f in MODULE.functions for block in f.blocks]
_RETURN = _TERMINATORS[-1]
_OPERAND = re.compile(r"(?:%(?:\"[^\"]*\"|[\w.]+)|(?<![\w.])(?:0x[0-9a-f]+|\d+|undef)(?=:[ifp]))")


def test_operands_and_results_are_those_of_the_text() -> None:
    for node in _nodes(MODULE):
        text = _line(node)
        left, _, right = text.rpartition(" = ")
        assert len(results_of(node)) == left.count("%"), text
        assert len(operands_of(node)) == len(_OPERAND.findall(right)), text


def test_each_operand_is_replaced_in_its_place() -> None:
    for node in _nodes(MODULE):
        operands = operands_of(node)
        fresh = [Value(operand.type, f"new{n}") for n, operand in enumerate(operands)]
        supply = iter(fresh)
        changed = map_operands(node, lambda _: next(supply))  # noqa: B023
        assert operands_of(changed) == tuple(fresh)
        assert results_of(changed) == results_of(node)
        assert changed.loc == node.loc
        supply = iter(operands)
        assert map_operands(changed, lambda _: next(supply)) == node  # noqa: B023


def test_replacing_nothing_keeps_the_node() -> None:
    for node in _nodes(MODULE):
        assert replace_operands(node, {}) is node
        stranger = Value(MODULE.functions[0].params[0].value.type)
        assert replace_operands(node, {stranger: stranger}) is node
        values = [operand for operand in operands_of(node) if isinstance(operand, Value)]
        mapping: dict[Value, Operand] = {value: Value(value.type, "new") for value in values}
        expected = tuple(
            mapping[operand] if isinstance(operand, Value) else operand
            for operand in operands_of(node)
        )
        assert operands_of(replace_operands(node, mapping)) == expected


def test_targets_are_mapped_in_order() -> None:
    for terminator in _TERMINATORS:
        targets = successors(terminator)
        renamed = map_targets(terminator, lambda t: Target(t.label + "!", t.args))
        assert [t.label for t in successors(renamed)] == [t.label + "!" for t in targets]
        assert operands_of(renamed) == operands_of(terminator)
