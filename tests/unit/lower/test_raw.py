"""Raw dumps: no facts from rustc, so what needs none must work, and the rest must stop."""

import json

import harness
import pytest
from harness import DATA

from mirgpu.diagnostics import DiagnosticError

NEEDS_NOTHING = ("basics", "numeric", "panics")
CODES = {"MG0310", "MG0312", "MG0321", "MG0322", "MG0330", "MG0331", "MG0332"}
"""What a raw dump may lack: lengths, constants, layouts, variants, identities, generics."""


def raw(name: str) -> str:
    text = (DATA / f"{name}.mir").read_text()
    return "\n".join(line for line in text.split("\n") if not line.startswith("// mirgpu:"))


def kernels(name: str) -> dict[str, dict[str, list[str]]]:
    data: dict[str, dict[str, list[str]]] = json.loads((DATA / f"{name}.json").read_text())
    return data


@pytest.mark.parametrize("name", NEEDS_NOTHING)
def test_whole(name: str) -> None:
    for kernel, want in kernels(name).items():
        lowered = harness.lower_text(raw(name), f"{name}.mir", None, (kernel,))
        got = harness.run_interp(lowered, lowered.kernels[0])
        assert [b.hex() for b in got.buffers] == want["buffers"], kernel


@pytest.mark.parametrize("name", ["aggregates", "constants", "generics", "layouts"])
def test_right_or_refused(name: str) -> None:
    worked = 0
    refused: set[str] = set()
    for kernel, want in kernels(name).items():
        try:
            lowered = harness.lower_text(raw(name), f"{name}.mir", None, (kernel,))
        except DiagnosticError as error:
            refused |= {d.code for d in error.diagnostics}
            continue
        got = harness.run_interp(lowered, lowered.kernels[0])
        assert [b.hex() for b in got.buffers] == want["buffers"], kernel
        worked += 1
    assert worked
    assert refused <= CODES


def test_default_candidates_of_a_raw_dump() -> None:
    lowered = harness.lower_text(raw("basics"), "basics.mir")
    assert [k.name for k in lowered.kernels] == list(kernels("basics"))
