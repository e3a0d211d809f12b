"""Every sample's PTX is accepted by ptxas, from Pascal to Blackwell."""

import pytest
from tests.sample_cases import CASES, SAMPLES

from mirgpu.diagnostics import ToolMissingError
from mirgpu.driver import Options, transpile
from mirgpu.targets.ptx.ptxas import assemble, find_ptxas

ARCHS = ("sm_60", "sm_70", "sm_80", "sm_90", "sm_100", "sm_120")
FILES = sorted({(case.file, case.index) for case in CASES})


@pytest.mark.parametrize("debug", [False, True], ids=["release", "debug"])
@pytest.mark.parametrize("arch", ARCHS)
@pytest.mark.parametrize(("file", "index"), FILES, ids=[file for file, _ in FILES])
def test_assembles(file: str, index: tuple[str, ...], arch: str, debug: bool) -> None:
    try:
        ptxas = find_ptxas(arch)
    except ToolMissingError as error:
        pytest.skip(str(error))
    artifact = transpile(SAMPLES / file, Options(index=index, arch=arch, debug=debug))
    result = assemble(artifact.text, arch, ptxas)
    assert result.errors == ""
    assert {usage.name for usage in result.kernels} == {k.symbol for k in artifact.manifest.kernels}
    assert all(usage.spill_store_bytes == 0 for usage in result.kernels)
    shared = {kernel.symbol: kernel.shared_bytes for kernel in artifact.manifest.kernels}
    assert {usage.name: usage.shared_bytes for usage in result.kernels} == shared
