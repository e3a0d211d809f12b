"""No pass, nor all of them in order, changes what a kernel does under the interpreter."""

import pytest
from hypothesis import given, settings
from tests.passes.kir_strategy import Case, cases, run
from tests.passes.memory_strategy import memory_cases

from mirgpu.kir.verifier import verify
from mirgpu.passes import sroa
from mirgpu.passes.pipeline import DEFAULT, Pass, run_passes

PASSES = list(dict.fromkeys(DEFAULT))


@pytest.mark.parametrize("each", PASSES, ids=[each.NAME for each in PASSES])
@given(case=cases())
@settings(max_examples=40)
def test_a_pass_alone_keeps_the_meaning(each: Pass, case: Case) -> None:
    module = each.run(case.module)
    verify(module)
    assert run(module, case) == run(case.module, case)


@given(case=cases())
@settings(max_examples=150)
def test_the_pipeline_keeps_the_meaning(case: Case) -> None:
    assert run(run_passes(case.module), case) == run(case.module, case)


@given(case=memory_cases())
@settings(max_examples=250)
def test_local_memory_keeps_its_bytes(case: Case) -> None:
    module = sroa.run(case.module)
    verify(module)
    assert run(module, case) == run(case.module, case)
    module = run_passes(module)
    assert run(module, case) == run(case.module, case)
