"""What passes share: functions left alone keep their identity, values get replaced."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TypeVar

from mirgpu.kir.module import Block, Function, Module
from mirgpu.kir.ops import Instruction, Operand, Terminator, Value
from mirgpu.kir.visit import map_operands, operands_of

N = TypeVar("N", Instruction, Terminator)


def map_functions(module: Module, change: Callable[[Function], Function]) -> Module:
    """``module`` with each function changed; ``module`` itself where none was."""
    functions = tuple([change(function) for function in module.functions])
    if all(a is b for a, b in zip(functions, module.functions, strict=True)):
        return module
    return replace(module, functions=functions)


def resolve(operand: Operand, mapping: Mapping[Value, Operand]) -> Operand:
    """What ``operand`` stands for, through chains of ``mapping``."""
    while isinstance(operand, Value):
        following = mapping.get(operand)
        if following is None:
            break
        operand = following
    return operand


def substitute(node: N, mapping: Mapping[Value, Operand]) -> N:
    """``node`` with its operands resolved; ``node`` itself where ``mapping`` has none of them."""
    for operand in operands_of(node):
        if isinstance(operand, Value) and operand in mapping:
            return map_operands(node, lambda operand: resolve(operand, mapping))
    return node


def substitute_block(block: Block, mapping: Mapping[Value, Operand]) -> Block:
    """``block`` with the operands of all its nodes resolved; the same block if none changed."""
    instructions = tuple([substitute(node, mapping) for node in block.instructions])
    terminator = substitute(block.terminator, mapping)
    return with_nodes(block, instructions, terminator)


def with_nodes(
    block: Block, instructions: tuple[Instruction, ...], terminator: Terminator
) -> Block:
    """``block`` with other nodes; the same block if they are the same objects."""
    if (
        terminator is block.terminator
        and len(instructions) == len(block.instructions)
        and all(a is b for a, b in zip(instructions, block.instructions, strict=True))
    ):
        return block
    return Block(block.label, block.params, instructions, terminator)


def with_blocks(function: Function, blocks: tuple[Block, ...]) -> Function:
    """``function`` with other blocks; the same function if they are the same objects."""
    if len(blocks) == len(function.blocks) and all(
        a is b for a, b in zip(blocks, function.blocks, strict=True)
    ):
        return function
    return replace(function, blocks=blocks)
