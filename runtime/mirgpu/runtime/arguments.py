"""Check the arguments of a launch against the kernel's Rust signature.

Nothing here copies an array or touches a device: the result says which bytes each parameter
refers to, and whether the kernel may write them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, assert_never, final

import numpy as np

from mirgpu.runtime.dtypes import (
    align_of,
    dtype_of,
    element_shape,
    invalid_value,
    same_layout,
    size_of,
)
from mirgpu.runtime.encoding import EncodingTypeError, EncodingValueError, describe, encode
from mirgpu.runtime.errors import LaunchTypeError, LaunchValueError
from mirgpu.runtime.manifest import (
    HostType,
    KernelInfo,
    KernelParam,
    OpaqueType,
    ParamKind,
    ScalarType,
)

_HIDDEN: Final = (ParamKind.INDEX, ParamKind.EXTENT)


@final
@dataclass(frozen=True, slots=True)
class Value:
    """An argument whose bytes go into the parameter buffer."""

    param: KernelParam
    data: bytes


@final
@dataclass(frozen=True, slots=True)
class Memory:
    """An argument that points to memory: ``nbytes`` at ``address``, kept alive by ``owner``.

    ``length`` counts a slice's elements.  ``on_device`` memory is used in place.
    ``temporary`` memory was made here from a scalar.
    """

    param: KernelParam
    owner: Any
    address: int
    nbytes: int
    length: int
    on_device: bool
    device_id: int | None
    temporary: bool

    @property
    def writable(self) -> bool:
        """Whether the kernel may write it."""
        return self.param.mutable or self.param.interior


Bound = Value | Memory


def visible_params(kernel: KernelInfo) -> tuple[KernelParam, ...]:
    """The parameters that a caller gives, in order: all but indices and extents."""
    return tuple(param for param in kernel.params if param.kind not in _HIDDEN)


def bind(
    kernel: KernelInfo, args: Sequence[object], kwargs: Mapping[str, object]
) -> tuple[Bound, ...]:
    """Each visible parameter's argument, checked.

    Raises ``LaunchTypeError`` for a wrong number, type, dtype or dimension, and
    ``LaunchValueError`` for a value out of range, an array that is read-only, strided or holds
    what is no value of its Rust type.
    """
    params = visible_params(kernel)
    if len(args) > len(params):
        raise _call_error(
            kernel, f" takes {_count(len(params), 'argument')}, {len(args)} were given"
        )
    given = dict(zip((p.name for p in params), args, strict=False))
    for name, value in kwargs.items():
        if name not in (p.name for p in params):
            raise _call_error(kernel, f" has no parameter {name!r}")
        if name in given:
            raise _call_error(kernel, f": parameter {name!r} was given twice")
        given[name] = value
    if missing := [p.name for p in params if p.name not in given]:
        raise _call_error(kernel, f": no argument for {', '.join(missing)}")
    return tuple(_bind_one(_Place(kernel, p), given[p.name]) for p in params)


def _call_error(kernel: KernelInfo, what: str) -> LaunchTypeError:
    shown = ", ".join(f"{p.name}: {p.rust_type}" for p in visible_params(kernel))
    return LaunchTypeError("MG0501", kernel.name + what, notes=(f"{kernel.name}({shown})",))


@final
@dataclass(frozen=True, slots=True)
class _Place:
    """The parameter that an error is about."""

    kernel: KernelInfo
    param: KernelParam

    def __str__(self) -> str:
        return f"{self.kernel.name}: parameter `{self.param.name}: {self.param.rust_type}`"


@final
@dataclass(frozen=True, slots=True)
class _Array:
    """What NumPy arrays and device arrays have in common."""

    value: Any
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    contiguous: bool
    address: int
    readonly: bool
    on_device: bool
    device_id: int | None

    def __str__(self) -> str:
        where = "a device array" if self.on_device else "an array"
        return f"{where} of {self.dtype} and shape {self.shape}"


def _bind_one(place: _Place, value: object) -> Bound:
    param = place.param
    match param.kind:
        case ParamKind.VALUE:
            return Value(param, _encode(place, value))
        case ParamKind.SLICE:
            return _bind_slice(place, _need_array(place, value, "a one-dimensional array"))
        case ParamKind.POINTER:
            if value is None:
                return Value(param, bytes(8))
            return _bind_slice(place, _need_array(place, value, "an array or None"))
        case ParamKind.REFERENCE:
            return _bind_reference(place, value)
        case ParamKind.INDEX | ParamKind.EXTENT:
            raise AssertionError("hidden parameters take no argument")
        case _:
            assert_never(param.kind)


def _encode(place: _Place, value: object) -> bytes:
    try:
        return encode(place.param.type, value)
    except EncodingTypeError as error:
        raise LaunchTypeError("MG0506", f"{place}: {error}") from None
    except EncodingValueError as error:
        raise LaunchValueError("MG0506", f"{place}: {error}") from None


def _need_array(place: _Place, value: object, what: str) -> _Array:
    array = _as_array(value)
    if array is None:
        dtype = dtype_of(element_shape(place.param.type)[0])
        raise LaunchTypeError(
            "MG0502",
            f"{place} takes {what}, got {describe(value)}",
            helps=(f"pass a NumPy or CuPy array of {_dtype_name(dtype)}",),
        )
    return array


def _bind_slice(place: _Place, array: _Array) -> Memory:
    element, inner = element_shape(place.param.type)
    if _is_bytes_of(element, array):
        inner += (size_of(element),)
    else:
        _check_dtype(place, element, array)
    if len(array.shape) != 1 + len(inner) or array.shape[1:] != inner:
        raise LaunchTypeError(
            "MG0504",
            f"{place} takes shape ({', '.join(['n', *map(str, inner)])}{',' * (not inner)}), "
            f"got {array}",
            helps=(_reshape_help(array, inner),),
        )
    return _memory(place, array, array.shape[0])


def _bind_reference(place: _Place, value: object) -> Memory:
    array = _as_array(value)
    element, inner = element_shape(place.param.type)
    if array is None:
        if place.param.mutable or place.param.interior:
            raise LaunchTypeError(
                "MG0502",
                f"{place} takes an array of one element, got {describe(value)}",
                helps=("the kernel writes to it: pass an array, and read it after the launch",),
            )
        data = np.frombuffer(bytearray(_encode(place, value)), "u1")
        return Memory(place.param, data, data.ctypes.data, data.nbytes, 1, False, None, True)
    if _is_bytes_of(element, array):
        inner += (size_of(element),)
    else:
        _check_dtype(place, element, array)
    if array.shape not in (inner, (1, *inner)):
        raise LaunchTypeError(
            "MG0504", f"{place} takes an array of one element, shape {inner}, got {array}"
        )
    return _memory(place, array, 1)


def _memory(place: _Place, array: _Array, length: int) -> Memory:
    param = place.param
    if not array.contiguous:
        copy = "numpy.ascontiguousarray" if not array.on_device else "cupy.ascontiguousarray"
        raise LaunchValueError(
            "MG0504",
            f"{place} takes a C-contiguous array, got a strided or transposed one",
            helps=(f"pass {copy}({param.name}): a copy, so results of the launch land in it",),
        )
    writes = param.mutable or param.interior
    if writes and array.readonly:
        raise LaunchValueError(
            "MG0505",
            f"{place} is written by the kernel, but the array is read-only",
            helps=(f"pass {param.name}.copy()",),
        )
    if array.on_device and array.address % align_of(param.type):
        raise LaunchValueError(
            "MG0515",
            f"{place} must be aligned to {align_of(param.type)} bytes, "
            f"the array is at {array.address:#x}",
        )
    if not array.on_device:
        values = array.value
        if array.dtype.fields is not None:
            values = values.view(dtype_of(element_shape(param.type)[0]))
        if problem := invalid_value(param.type, values):
            raise LaunchValueError("MG0513", f"{place}: the array holds {problem}")
    nbytes = length * size_of(param.type)
    return Memory(
        param,
        array.value,
        array.address,
        nbytes,
        length,
        array.on_device,
        array.device_id,
        temporary=False,
    )


def _check_dtype(place: _Place, element: HostType, array: _Array) -> None:
    expected = dtype_of(element)
    if same_layout(expected, array.dtype):
        return
    if array.on_device and array.dtype == np.dtype((np.void, expected.itemsize)):
        # The interface of device arrays names a struct by its size alone.
        return
    if isinstance(element, OpaqueType):
        size = element.size
        raise LaunchTypeError(
            "MG0516",
            f"{place}: {element.name} cannot be made on the host",
            helps=(f"pass its {size} bytes as dtype V{size}, as another kernel wrote them",),
        )
    helps: tuple[str, ...] = ()
    if isinstance(element, ScalarType) and array.dtype.kind in "biuf":
        helps = (f"pass {place.param.name}.astype({_dtype_name(expected)!r}): a copy",)
    elif array.dtype.kind in "V" and array.dtype.itemsize != expected.itemsize:
        helps = (
            f"{element_name(element)} has {expected.itemsize} bytes; mod.{element_name(element)} "
            "is its dtype",
        )
    raise LaunchTypeError(
        "MG0503", f"{place} takes dtype {_dtype_name(expected)}, got {array}", helps=helps
    )


def element_name(ty: HostType) -> str:
    """The last part of a type's path: ``Vec3`` of ``shapes::Vec3``."""
    name = getattr(ty, "name", "")
    return str(name).split("<")[0].rsplit("::", 1)[-1]


def _is_bytes_of(element: HostType, array: _Array) -> bool:
    """Device arrays may hold structs as rows of bytes: CuPy knows few dtypes."""
    if not array.on_device or isinstance(element, ScalarType):
        return False
    return array.dtype == np.uint8 and array.shape[-1:] == (size_of(element),)


def _reshape_help(array: _Array, inner: tuple[int, ...]) -> str:
    wanted = ", ".join(["-1", *map(str, inner)])
    if array.contiguous:
        return f"pass x.reshape({wanted}), a view of the same memory"
    return f"pass numpy.ascontiguousarray(x).reshape({wanted}), a copy"


def _as_array(value: object) -> _Array | None:
    if isinstance(value, np.ndarray):
        flags = value.flags
        return _Array(
            value,
            value.dtype,
            value.shape,
            flags.c_contiguous,
            value.ctypes.data,
            not flags.writeable,
            False,
            None,
        )
    interface = getattr(value, "__cuda_array_interface__", None)
    return None if interface is None else _device_array(value, interface)


def _device_array(value: Any, interface: Mapping[str, Any]) -> _Array:
    # CuPy's interface gives a struct as plain bytes, its dtype says more; others' dtypes
    # (torch.float32) are not NumPy's.
    own = getattr(value, "dtype", None)
    dtype = own if isinstance(own, np.dtype) else np.dtype(interface["typestr"])
    shape = tuple(interface["shape"])
    address, readonly = interface["data"]
    strides = interface.get("strides")
    contiguous = strides is None or 0 in shape or _c_strides(shape, dtype.itemsize, strides)
    device = getattr(value, "device", None)
    number = getattr(device, "id", None)
    return _Array(
        value,
        dtype,
        shape,
        contiguous,
        address or 0,
        bool(readonly),
        True,
        number if isinstance(number, int) else None,
    )


def _c_strides(shape: tuple[int, ...], itemsize: int, strides: Sequence[int]) -> bool:
    expected = itemsize
    for extent, stride in zip(reversed(shape), reversed(strides), strict=True):
        if extent != 1 and stride != expected:
            return False
        expected *= extent
    return True


def _dtype_name(dtype: np.dtype[Any]) -> str:
    return dtype.name if dtype.fields is None else str(dtype)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"
