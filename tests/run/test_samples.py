"""Every sample means on every device what rustc's native code means, in any order of threads."""

import pytest
from tests.kernels import ORDERS, kernel_of, native, run_interp, run_ptxsim
from tests.sample_cases import CASES, Case

from mirgpu.runtime.compare import difference

by_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
by_order = pytest.mark.parametrize("order", ORDERS)


def agree(case: Case, results: list[bytes]) -> None:
    expected = native(case)
    assert not expected.panics
    params = [p for p in kernel_of(case).params if p.kind.value not in ("index", "extent")]
    for param, want, got in zip(params, expected.buffers, results, strict=True):
        found = difference(param.type, want, got)
        assert found is None, f"{param.name}: {found}"


@by_order
@by_case
def test_interp(case: Case, order: str) -> None:
    agree(case, run_interp(case, order))


@by_order
@by_case
def test_ptxsim(case: Case, order: str) -> None:
    agree(case, run_ptxsim(case, order))


@by_case
def test_native_in_other_orders(case: Case) -> None:
    """A kernel that is right in one order only is a race."""
    from tests.kernels import arguments_of, artifact
    from tests.native import run_native

    for order in ORDERS[1:]:
        again = run_native(
            case.path,
            artifact(case.path, case.index, "kir").manifest.kernels,
            kernel_of(case),
            [value.tobytes() for value in arguments_of(case)],
            extents=case.extents,
            grid=case.grid,
            block=case.block,
            order=order,
        )
        assert again == native(case)
