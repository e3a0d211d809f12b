"""What goes into the bundle for a GPU machine: every sample's launches, panics, timings.

Expected results are those of the same Rust source compiled natively by rustc.
"""

from pathlib import Path

import numpy as np
from tests.kernels import arguments_of, artifact, native
from tests.sample_cases import CASES, Case

from mirgpu.runtime import load
from mirgpu.runtime.bundle import Bundle, Check, Launch, PanicCheck, Timing
from mirgpu.runtime.errors import KernelPanic

PANICS = Path(__file__).parent / "panics.rs"


def bundle() -> Bundle:
    """Transpile everything to PTX and run it natively."""
    modules = {case.path.stem: artifact(case.path, case.index, "ptx") for case in CASES}
    modules["panics"] = artifact(PANICS, ("i",), "ptx")
    return Bundle(modules, [_check(case) for case in CASES], _panics(), TIMINGS)


def _check(case: Case) -> Check:
    expected = native(case)
    assert not expected.panics, case.name
    launch = Launch(case.path.stem, case.kernel, case.extents, case.grid, case.block)
    inputs = [value.tobytes() for value in arguments_of(case)]
    return Check(case.name, launch, inputs, expected.buffers)


def _panics() -> list[PanicCheck]:
    """The text is what the interpreter says."""
    x, y = np.arange(16, dtype=np.float32), np.zeros(16, np.float32)
    numbers = np.arange(300, dtype=np.int32) - 270
    module = load(PANICS, device="interp")
    checks = []
    for kernel, arrays in (("past_the_end", (x, y)), ("divide", (numbers,))):
        inputs = [array.tobytes() for array in arrays]
        try:
            getattr(module, kernel).forall(len(arrays[-1]))(*arrays)
        except KernelPanic as panic:
            launch = Launch("panics", kernel, extents=(len(arrays[-1]),))
            checks.append(PanicCheck(kernel, launch, inputs, str(panic)))
    assert len(checks) == 2
    return checks


def _grid(n: int, tile: int) -> tuple[int, int, int]:
    return (-(-n // tile), -(-n // tile), 1)


TIMINGS = [
    Timing(
        "saxpy 2**26",
        Launch("saxpy", "saxpy", extents=(1 << 26,)),
        {"a": "2.0", "x": f"random:{1 << 26}", "y": f"random:{1 << 26}"},
    ),
    Timing(
        "dot 2**26",
        Launch("dot", "dot", grid=(1056, 1, 1), block=(128, 1, 1)),
        {"x": f"random:{1 << 26}", "y": f"random:{1 << 26}", "partial": "zeros:1056"},
    ),
    *(
        Timing(
            f"{kernel} 2048",
            Launch("matmul", kernel, grid=_grid(2048, 16), block=(16, 16, 1)),
            {"n": "2048", **dict.fromkeys("abc", f"random:{1 << 22}")},
        )
        for kernel in ("matmul_naive", "matmul_tiled")
    ),
    Timing(
        "accelerate 32768",
        Launch("nbody", "accelerate", extents=(32768,)),
        {"bodies": "random:32768", "acceleration": "zeros:32768"},
    ),
    Timing(
        "mandelbrot 4096x4096",
        Launch("mandelbrot", "mandelbrot", extents=(4096, 4096)),
        {"width": "4096", "height": "4096", "pixels": f"zeros:{1 << 24}"},
    ),
    Timing(
        "raymarch 1920x1080",
        Launch("raymarch", "raymarch", extents=(1920 * 1080,)),
        {
            "width": "1920",
            "height": "1080",
            "scene": "random:6",
            "image": f"zeros:{1920 * 1080}",
        },
    ),
]
