"""Every launch of the samples that is checked, on every device and natively.

Sizes are no multiples of the block.  Inputs are drawn from a seeded generator, so that each
path and each machine sees the same bytes.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, final

import numpy as np

SAMPLES: Final = Path(__file__).parent.parent / "samples"

Dtypes = Mapping[str, np.dtype[Any]]
"""The module's struct and enum types by name, as ``mod.Vec3``."""
Arguments = dict[str, Any]


@final
@dataclass(frozen=True, slots=True)
class Case:
    """``extents`` for plain kernels, ``grid`` and ``block`` for device-crate ones.

    ``arguments(rng, dtypes)`` gives all but the index parameters, by name, in order.
    """

    name: str
    file: str
    kernel: str
    arguments: Callable[[np.random.Generator, Dtypes], Arguments]
    index: tuple[str, ...] = ("i",)
    extents: tuple[int, ...] | None = None
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None

    @property
    def path(self) -> Path:
        return SAMPLES / self.file

    def build(self, dtypes: Dtypes) -> Arguments:
        """The arguments, the same at each call."""
        return self.arguments(np.random.default_rng(len(self.name)), dtypes)


def _floats(rng: np.random.Generator, n: int) -> np.ndarray[Any, np.dtype[np.float32]]:
    return rng.uniform(-1, 1, n).astype(np.float32)


def _saxpy(n: int) -> Case:
    def arguments(rng: np.random.Generator, _: Dtypes) -> Arguments:
        return {"a": np.float32(2.5), "x": _floats(rng, n), "y": _floats(rng, n)}

    return Case(f"saxpy-{n}", "saxpy.rs", "saxpy", arguments, extents=(n,))


def _dot(n: int, blocks: int) -> Case:
    def arguments(rng: np.random.Generator, _: Dtypes) -> Arguments:
        return {
            "x": _floats(rng, n),
            "y": _floats(rng, n),
            "partial": np.zeros(blocks, np.float32),
        }

    return Case(f"dot-{n}", "dot.rs", "dot", arguments, grid=(blocks, 1, 1), block=(128, 1, 1))


def _matmul(kernel: str, n: int) -> Case:
    def arguments(rng: np.random.Generator, _: Dtypes) -> Arguments:
        return {
            "n": np.uint64(n),
            "a": _floats(rng, n * n),
            "b": _floats(rng, n * n),
            "c": np.full(n * n, np.nan, np.float32),
        }

    blocks = -(-n // 16)
    return Case(
        f"{kernel}-{n}", "matmul.rs", kernel, arguments, grid=(blocks, blocks, 1), block=(16, 16, 1)
    )


def _bodies(rng: np.random.Generator, dtypes: Dtypes, n: int) -> np.ndarray[Any, Any]:
    bodies = np.zeros(n, dtypes["Body"])
    for axis in "xyz":
        bodies["position"][axis] = _floats(rng, n)
    bodies["mass"] = np.abs(_floats(rng, n))
    return bodies


def _vectors(rng: np.random.Generator, dtypes: Dtypes, n: int) -> np.ndarray[Any, Any]:
    vectors = np.zeros(n, dtypes["Vec3"])
    for axis in "xyz":
        vectors[axis] = _floats(rng, n)
    return vectors


def _accelerate(n: int) -> Case:
    def arguments(rng: np.random.Generator, dtypes: Dtypes) -> Arguments:
        return {
            "bodies": _bodies(rng, dtypes, n),
            "acceleration": np.zeros(n, dtypes["Vec3"]),
        }

    return Case(f"accelerate-{n}", "nbody.rs", "accelerate", arguments, extents=(n,))


def _advance(n: int) -> Case:
    def arguments(rng: np.random.Generator, dtypes: Dtypes) -> Arguments:
        return {
            "dt": np.float32(0.01),
            "acceleration": _vectors(rng, dtypes, n),
            "velocity": _vectors(rng, dtypes, n),
            "bodies": _bodies(rng, dtypes, n),
        }

    return Case(f"advance-{n}", "nbody.rs", "advance", arguments, extents=(n,))


def _mandelbrot(width: int, height: int) -> Case:
    def arguments(_: np.random.Generator, __: Dtypes) -> Arguments:
        return {
            "width": np.uint32(width),
            "height": np.uint32(height),
            "pixels": np.zeros((width * height, 3), np.uint8),
        }

    return Case(
        f"mandelbrot-{width}x{height}",
        "mandelbrot.rs",
        "mandelbrot",
        arguments,
        index=("x", "y"),
        extents=(width, height),
    )


def scene(dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """A sphere, a box and the ground; tags are the variants' numbers."""
    shapes = np.zeros(3, dtype)
    shapes["tag"] = [0, 1, 2]
    shapes["Sphere"]["centre"][0] = (-0.9, 0.8, 0.5)
    shapes["Sphere"]["radius"][0] = 0.8
    shapes["Box"]["centre"][1] = (1.1, 0.6, 0.0)
    shapes["Box"]["half"][1] = (0.5, 0.6, 0.5)
    shapes["Ground"]["height"][2] = 0.0
    return shapes


def _raymarch(width: int, height: int) -> Case:
    def arguments(_: np.random.Generator, dtypes: Dtypes) -> Arguments:
        return {
            "width": np.uint64(width),
            "height": np.uint64(height),
            "scene": scene(dtypes["Shape"]),
            "image": np.zeros(width * height, np.uint8),
        }

    n = width * height
    return Case(f"raymarch-{width}x{height}", "raymarch.rs", "raymarch", arguments, extents=(n,))


CASES: Final = (
    _saxpy(1),
    _saxpy(257),
    _saxpy(1000),
    _dot(1000, 3),
    _dot(77, 1),
    _matmul("matmul_naive", 5),
    _matmul("matmul_naive", 21),
    _matmul("matmul_tiled", 5),
    _matmul("matmul_tiled", 21),
    _accelerate(1),
    _accelerate(37),
    _advance(37),
    _advance(300),
    _mandelbrot(7, 5),
    _mandelbrot(21, 13),
    _raymarch(5, 3),
    _raymarch(13, 9),
)
