"""Overflow checks on and off, against native rustc with the same flag."""

from pathlib import Path

import harness
import pytest

SOURCE = Path(__file__).parent / "checked" / "overflow.rs"


@pytest.mark.skipif(not harness.have_rustc(), reason="no rustc here")
@pytest.mark.parametrize("checks", [False, True])
def test_overflow(checks: bool, tmp_path: Path) -> None:
    from mirgpu.rustc import RustcOptions, dump_mir

    made = dump_mir(SOURCE, RustcOptions(overflow_checks=checks))
    lowered = harness.lower_dump(made, SOURCE, checks)
    program = harness.build_native(SOURCE, lowered.kernels, tmp_path, checks)
    panicked = 0
    for kernel in lowered.kernels:
        native = harness.run_native(program, kernel, tmp_path)
        got = harness.run_interp(lowered, kernel)
        assert got.buffers == native.buffers
        assert [m is None for m in got.panics] == [m is None for m in native.panics]
        panicked += sum(m is not None and "overflow" in m for m in got.panics)
    assert (panicked > 0) == checks
