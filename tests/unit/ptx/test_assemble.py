"""NVIDIA's assembler takes all that is written, for old and new GPUs."""

import pytest
from tests.unit.ptx.op_cases import cases, ops_module
from tests.unit.ptx.programs import PROGRAMS, module

from mirgpu.diagnostics import ToolMissingError
from mirgpu.kir.module import Module
from mirgpu.kir.verifier import verify
from mirgpu.targets.ptx import PtxOptions, emit
from mirgpu.targets.ptx.arch import known_archs
from mirgpu.targets.ptx.ptxas import Ptxas, assemble, find_ptxas

ARCHS = ("sm_60", "sm_70", "sm_80", "sm_90", "sm_100", "sm_120")
VARIANTS = (PtxOptions(debug=True), PtxOptions(fp_contract="fast", panic="trap"))


def ptxas_for(arch: str) -> Ptxas:
    try:
        return find_ptxas(arch)
    except ToolMissingError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def every_operation() -> Module:
    everything = ops_module(list(cases()))
    verify(everything)
    return everything


@pytest.mark.parametrize("arch", ARCHS)
def test_every_operation(arch: str, every_operation: Module) -> None:
    ptxas = ptxas_for(arch)
    done = assemble(emit(every_operation, arch, PtxOptions()).text, arch, ptxas)
    assert done.errors == ""
    assert len(done.kernels) == len(every_operation.functions)


@pytest.mark.parametrize("arch", ARCHS)
def test_programs(arch: str) -> None:
    ptxas = ptxas_for(arch)
    for program in (*PROGRAMS, "saxpy"):
        for options in VARIANTS:
            done = assemble(emit(module(program), arch, options).text, arch, ptxas)
            assert done.errors == "", program


def test_every_known_architecture() -> None:
    """``.version`` is high enough for each ``.target`` that an assembler here knows."""
    tried = 0
    for arch in known_archs():
        try:
            ptxas = find_ptxas(arch)
        except ToolMissingError:
            continue
        done = assemble(emit(module("saxpy"), arch, PtxOptions()).text, arch, ptxas)
        assert done.errors == "", arch
        tried += 1
    if not tried:
        ptxas_for("sm_80")


def test_what_a_kernel_takes_is_told() -> None:
    ptxas = ptxas_for("sm_80")
    done = assemble(emit(module("globals"), "sm_80", PtxOptions()).text, "sm_80", ptxas)
    usage = {kernel.name: kernel for kernel in done.kernels}
    assert usage["reverse"].shared_bytes == 256
    assert usage["constants"].shared_bytes == 0
    assert 0 < usage["reverse"].registers <= 255
    assert done.cubin
    assert done.cubin[:4] == b"\x7fELF"


def test_errors_are_told() -> None:
    ptxas = ptxas_for("sm_80")
    text = emit(module("saxpy"), "sm_80", PtxOptions()).text
    done = assemble(
        text.replace("fma.rn", "nonsense").replace("mul.rn", "nonsense"), "sm_80", ptxas
    )
    assert done.cubin is None
    assert "nonsense" in done.errors
    assert "module.ptx, line" in done.errors


def test_an_unknown_architecture_is_missing() -> None:
    ptxas_for("sm_80")
    with pytest.raises(ToolMissingError, match="no ptxas here knows sm_999"):
        find_ptxas("sm_999")
