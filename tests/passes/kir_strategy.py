"""Random valid kir kernels, and a run of them: what a pass must not change.

``cases()`` draws a module with a kernel ``k``, its inputs and a grid.  The kernel computes with
integers and floats, branches, loops with bounded trip counts, reads and writes local memory
(through pointers, at constant and computed offsets, by copies), passes values to other threads
through shared memory and barriers, calls a device function, may panic or return early, and at
last writes the values in scope to its part of the output.
Nothing in it is undefined, and no bits of a NaN that arithmetic made reach an integer, so any
right pass keeps ``run(module, case)`` the same to the last bit.

    @given(cases())
    def test_my_pass(case):
        assert run(my_pass.run(case.module), case) == run(case.module, case)
"""

from dataclasses import dataclass

from hypothesis import strategies as st
from tests.passes.kir_generator import Generator
from tests.passes.kir_scalars import BLOCK, REGION, SLOT, bits, edges

from mirgpu.kir.interpreter import Interpreter, PanicReport
from mirgpu.kir.module import (
    Module,
)
from mirgpu.kir.types import (
    Type,
    size_of,
)


@dataclass(frozen=True)
class Case:
    """``arguments`` are the scalar parameters' bits, ``data`` the input of all threads."""

    module: Module
    arguments: tuple[tuple[Type, int], ...]
    data: bytes
    grid: int
    block: int


def run(module: Module, case: Case, *, order: str = "ascending") -> tuple[bytes, PanicReport]:
    """The output bytes and the panics of ``case`` with ``module`` in its module's place."""
    interpreter = Interpreter(module)
    output = bytearray(case.grid * case.block * REGION)
    addresses = (
        interpreter.alloc(output, align=16, name="output"),
        interpreter.alloc(case.data, align=16, readonly=True, name="input"),
    )
    buffer = bytearray()
    for address, size in zip(addresses, (len(output), len(case.data)), strict=True):
        buffer += address.to_bytes(8, "little") + size.to_bytes(8, "little")
    for ty, number in case.arguments:
        buffer += bytes(-len(buffer) % size_of(ty)) + number.to_bytes(size_of(ty), "little")
    report = interpreter.launch(
        "k", (case.grid,), (case.block,), bytes(buffer), order=order, max_steps=10_000
    )
    return bytes(output), report


@st.composite
def cases(draw: st.DrawFn, size: int = 6, depth: int = 3) -> Case:
    """The outermost region has ``size`` statements or more; ``depth`` is how deep they nest."""
    module = Generator(draw, size, depth).module()
    kernel = module.functions[0]
    arguments = tuple(
        (param.value.type, draw(st.one_of(edges(param.value.type), bits(param.value.type))))
        for param in kernel.params[4:]
    )
    grid, block = draw(st.integers(1, 2)), draw(st.integers(1, BLOCK))
    data = draw(st.binary(min_size=SLOT * grid * block, max_size=SLOT * grid * block))
    return Case(module, arguments, data, grid, block)
