"""The text for small programs, beside their kir."""

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.unit.ptx.programs import FOLDER, PROGRAMS, module

from mirgpu.kir.verifier import verify
from mirgpu.targets.ptx import PtxOptions, emit

Golden = Callable[[Path, str], None]


@pytest.mark.parametrize("program", PROGRAMS)
def test_programs(program: str, golden: Golden) -> None:
    verify(module(program))
    golden(FOLDER / f"{program}.ptx", emit(module(program), "sm_80", PtxOptions()).text)


@pytest.mark.parametrize(
    ("name", "arch", "options"),
    [
        ("saxpy", "sm_90", PtxOptions()),
        ("saxpy.debug", "sm_90", PtxOptions(debug=True)),
        # PTX 6.0 knows no inlined_at: the place in the kernel's own text is given
        ("saxpy.debug70", "sm_70", PtxOptions(debug=True)),
        ("saxpy.fast", "sm_90", PtxOptions(fp_contract="fast", panic="trap")),
    ],
)
def test_options(name: str, arch: str, options: PtxOptions, golden: Golden) -> None:
    golden(FOLDER / f"{name}.ptx", emit(module("saxpy"), arch, options).text)


def test_parameters_without_a_generic_address_are_copied(golden: Golden) -> None:
    golden(FOLDER / "params60.ptx", emit(module("params"), "sm_60", PtxOptions()).text)


def test_same_text_again() -> None:
    first = emit(module("panics"), "sm_80", PtxOptions()).text
    assert emit(module("panics"), "sm_80", PtxOptions()).text == first


def test_panic_buffer_is_told() -> None:
    output = emit(module("panics"), "sm_80", PtxOptions())
    buffer = output.panic_buffer
    assert buffer is not None
    # 32 bytes and six operands; 16 of header and 32 records
    assert (buffer.capacity, buffer.record_bytes) == (32, 32 + 6 * 8)
    size = 16 + 32 * buffer.record_bytes
    assert f".visible .global .align 16 .b8 {buffer.symbol}[{size}];" in output.text
    assert output.isa_version == "7.0"
    trapping = emit(module("panics"), "sm_80", PtxOptions(panic="trap"))
    assert trapping.panic_buffer is None
    assert "mirgpu_panics" not in trapping.text
    assert emit(module("control"), "sm_80", PtxOptions()).panic_buffer is None
