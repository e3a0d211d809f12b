"""Inputs that a command line names: seeded random values, zeros, ones, ranges.

The random ones come from NumPy's frozen generator, so that a seed means the same everywhere.
"""

import zlib
from collections.abc import Callable
from typing import Any, Final, assert_never

import numpy as np

from mirgpu.runtime.dtypes import dtype_of, element_shape, tag_value, variant_field
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    HostType,
    OpaqueType,
    ScalarType,
    StructType,
)

Array = np.ndarray[Any, Any]
_Fill = Callable[[ScalarType, tuple[int, ...]], Array]
"""Numbers for a scalar type, in a shape."""
_Choose = Callable[[Array, int], Array]
"""Numbers of variants out of so many, given the elements' numbers."""

KINDS: Final = ("random", "zeros", "ones", "arange")
_SMALL: Final = 128
"""Random integers stay below: small, and indices into most arrays."""


def make_array(ty: HostType, length: int, kind: str, seed: int, name: str) -> Array:
    """``length`` values of ``ty``, by one of ``KINDS``.

    Random floats are in [-1, 1), unsigned integers below ``length`` and 128, signed ones within
    ±100, enums of any variant.  ``seed`` and the parameter's ``name`` fix them.
    """
    element, inner = element_shape(ty)
    array = np.zeros((length, *inner), dtype_of(element))
    random = np.random.RandomState([seed & 0xFFFFFFFF, zlib.crc32(name.encode())])
    scalars: _Fill
    variants: _Choose
    match kind:
        case "zeros" | "ones":
            value = int(kind == "ones")
            scalars, variants = (
                lambda ty, shape: np.full(shape, value),
                lambda count, k: np.zeros_like(count),
            )
        case "arange":
            scalars, variants = _count, _cycle
        case "random":
            scalars = lambda ty, shape: _random(random, ty, shape, length)  # noqa: E731
            variants = lambda count, k: np.asarray(random.randint(0, k, count.shape))  # noqa: E731
        case _:
            raise ValueError(f"{kind} is none of {', '.join(KINDS)}")
    _fill(element, array, scalars, variants)
    return array


def _fill(ty: HostType, array: Array, scalars: _Fill, variant: _Choose) -> None:
    match ty:
        case ScalarType(name="char") if array.size:
            array[...] = ord("a") + scalars(ScalarType("u8"), array.shape) % 26
        case ScalarType():
            array[...] = scalars(ty, array.shape).astype(array.dtype)
        case ArrayType(elem=elem):
            _fill(elem, array, scalars, variant)
        case StructType(fields=fields):
            for field in fields:
                _fill(field.type, array[field.name], scalars, variant)
        case EnumType(variants=variants):
            chosen = variant(np.arange(array.size).reshape(array.shape), len(variants))
            for n, each in enumerate(variants):
                picked = chosen == n
                array["tag"][picked] = tag_value(ty, each)
                if each.fields:
                    # Fields of other variants lie in the same bytes: fill a copy, keep its part.
                    part = array[picked]
                    for field in each.fields:
                        view = part[variant_field(each)][field.name]
                        _fill(field.type, view, scalars, variant)
                    array[picked] = part
        case OpaqueType():
            pass
        case _:
            assert_never(ty)


def _cycle(count: Array, variants: int) -> Array:
    return np.asarray(count % variants)


def _count(ty: ScalarType, shape: tuple[int, ...]) -> Array:
    numbers = np.arange(int(np.prod(shape))).reshape(shape)
    return numbers % 2 if ty.name == "bool" else numbers


def _random(
    random: np.random.RandomState, ty: ScalarType, shape: tuple[int, ...], length: int
) -> Array:
    kind = dtype_of(ty).kind
    if kind == "f":
        # Multiples of 2**-11 in f16 and 2**-23 in f32 and f64 are exact, and never reach 1.
        steps = 1 << (11 if ty.name == "f16" else 23)
        return random.randint(-steps, steps, shape) / np.float64(steps)
    if kind == "b":
        return random.randint(0, 2, shape)
    if kind == "i":
        return random.randint(-100, 101, shape)
    return random.randint(0, max(1, min(length, _SMALL)), shape)
