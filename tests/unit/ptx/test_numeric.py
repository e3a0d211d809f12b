"""The PTX computes what kir means: the interpreter and the PTX simulator agree.

The simulator knows nothing of the tables in ``mirgpu.targets``.
"""

import random
import struct
from collections.abc import Iterable
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ptxsim import Sim
from tests.unit.ptx.op_cases import (
    SLOT,
    Case,
    cases,
    edges,
    inputs,
    ops_module,
    pack,
    same,
    unpack,
)
from tests.unit.ptx.programs import Launch, launches, module

from mirgpu.kir.interpreter import Interpreter, PanicReport
from mirgpu.kir.types import FloatType, IntType, Type
from mirgpu.runtime.manifest import PanicBuffer
from mirgpu.targets.ptx import PtxOptions, emit

BLOCK = 64
RANDOM_ROWS = 24

ALL = list(cases())
GROUPS: dict[str, list[Case]] = {}
for _case in ALL:
    GROUPS.setdefault(_case.op, []).append(_case)


@cache
def devices(op: str, arch: str) -> tuple[Interpreter, Sim]:
    """All cases of one operation, on both."""
    group = ops_module(GROUPS[op])
    return Interpreter(group), Sim(emit(group, arch, PtxOptions()).text)


def check(case: Case, arch: str, rows: list[tuple[int, ...]]) -> None:
    interpreter, sim = devices(case.op, arch)
    size = SLOT * len(case.results) * len(rows)
    blocks = -(-len(rows) // BLOCK)
    data = pack(case.params, rows)
    results = []
    for device in (interpreter, sim):
        output = bytearray(size)
        source, target = device.alloc(bytearray(data), align=8), device.alloc(output, align=8)
        params = struct.pack("<QQQ", source, target, len(rows))
        device.launch(case.name, (blocks, 1, 1), (BLOCK, 1, 1), params)
        results.append(unpack(case.results, bytes(output)))
    for row, expected, found in zip(rows, *results, strict=True):
        for ty, want, got in zip(case.results, expected, found, strict=True):
            operands = ", ".join(hex(bits) for bits in row)
            assert same(case, ty, want, got), f"{case.name}({operands}): {want:#x}, not {got:#x}"


def operand(ty: Type) -> st.SearchStrategy[int]:
    assert isinstance(ty, IntType | FloatType)
    return st.sampled_from(edges(ty)) | st.integers(0, (1 << ty.width) - 1)


def random_rows(case: Case, rng: random.Random) -> Iterable[tuple[int, ...]]:
    for _ in range(RANDOM_ROWS):
        row = tuple(rng.getrandbits(ty.width) for ty in case.params)  # type: ignore[union-attr]
        if case.valid(row):
            yield row


@pytest.mark.parametrize("op", GROUPS)
def test_edge_values(op: str) -> None:
    rng = random.Random(op)
    for case in GROUPS[op]:
        check(case, "sm_80", [*inputs(case), *random_rows(case, rng)])


@pytest.mark.parametrize("op", ["fminimum", "fmaximum"])
def test_without_min_nan(op: str) -> None:
    for case in GROUPS[op]:
        check(case, "sm_70", inputs(case))


@settings(max_examples=300)
@given(st.data())
def test_any_values(data: st.DataObject) -> None:
    case = data.draw(st.sampled_from(ALL))
    row = data.draw(st.tuples(*[operand(ty) for ty in case.params]).filter(case.valid))
    check(case, "sm_80", [row])


@settings(max_examples=200)
@given(st.sampled_from(["frem_f32", "frem_f64", "fma_f32", "fma_f64", "fround_f32"]), st.data())
def test_any_values_of_the_difficult_ones(name: str, data: st.DataObject) -> None:
    (case,) = [case for case in ALL if case.name == name]
    strategy = st.tuples(*[operand(ty) for ty in case.params])
    check(case, "sm_80", data.draw(st.lists(strategy, min_size=1, max_size=20)))


# -------------------------------------------------------------------------------- programs


@cache
def program_text(program: str, arch: str) -> tuple[str, PanicBuffer | None]:
    output = emit(module(program), arch, PtxOptions(debug=arch == "sm_90"))
    return output.text, output.panic_buffer


def records(report: PanicReport) -> list[tuple[int, ...]]:
    return sorted((r.site, *r.block, *r.thread, *r.operands) for r in report.records)


def decode(launch: Launch, data: bytes, buffer: PanicBuffer) -> tuple[int, list[tuple[int, ...]]]:
    """The count and the records, each with as many operands as its site has."""
    (count, *rest) = struct.unpack_from("<4I", data)
    assert rest == [0, 0, 0]
    found = []
    for slot in range(min(count, buffer.capacity)):
        at = 16 + slot * buffer.record_bytes
        site, *place, zero = struct.unpack_from("<8I", data, at)
        assert zero == 0
        operands = len(module(launch.program).panics[site].operands)
        found.append((site, *place, *struct.unpack_from(f"<{operands}Q", data, at + 32)))
    return count, sorted(found)


@pytest.mark.parametrize("arch", ["sm_60", "sm_80", "sm_90"])
@pytest.mark.parametrize("order", ["ascending", "shuffled"])
@pytest.mark.parametrize(
    "launch", launches(), ids=lambda launch: f"{launch.kernel}" if launch.kernel else ""
)
def test_programs(launch: Launch, order: str, arch: str) -> None:
    interpreter = Interpreter(module(launch.program))
    expected = [bytearray(data) for data in launch.buffers()]
    addresses = [interpreter.alloc(data, align=16) for data in expected]
    grid, block = (launch.grid, 1, 1), (launch.block, 1, 1)
    report = interpreter.launch(launch.kernel, grid, block, launch.pack(addresses))

    text, panic_buffer = program_text(launch.program, arch)
    sim = Sim(text)
    found = [bytearray(data) for data in launch.buffers()]
    addresses = [sim.alloc(data, align=16) for data in found]
    sim.launch(launch.kernel, grid, block, launch.pack(addresses), order=order)
    assert [bytes(data) for data in found] == [bytes(data) for data in expected]
    if panic_buffer is None:
        assert report.count == 0
    else:
        data = sim.read_global(panic_buffer.symbol)
        assert len(data) == 16 + panic_buffer.capacity * panic_buffer.record_bytes
        assert decode(launch, data, panic_buffer) == (report.count, records(report))
