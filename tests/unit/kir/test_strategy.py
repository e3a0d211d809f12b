"""Random kernels are valid, print and read back, and do not depend on the order of threads."""

from hypothesis import HealthCheck, given, settings
from tests.passes.kir_strategy import Case, cases, run

from mirgpu.kir.equal import equal
from mirgpu.kir.parser import parse_module
from mirgpu.kir.printer import print_module
from mirgpu.kir.verifier import verify

_SETTINGS = settings(
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@_SETTINGS
@given(cases())
def test_random_kernels(case: Case) -> None:
    verify(case.module)
    text = print_module(case.module)
    again = parse_module(text)
    assert equal(again, case.module)
    assert print_module(again) == text
    output, report = run(case.module, case)
    assert run(again, case) == (output, report)
    for order in ("descending", "shuffled"):
        mixed, other = run(case.module, case, order=order)
        assert mixed == output
        assert other.count == report.count
        assert set(other.records) == set(report.records)
