"""Arguments are checked against the Rust signature; messages say what to do."""

from typing import Any

import numpy as np
import pytest
from tests.unit.runtime.builders import (
    F32,
    RGB,
    SAXPY,
    SHAPE,
    U8,
    U32,
    VEC3,
    kernel,
    param,
    pointer,
    shared,
    unique,
    value,
)

from mirgpu.runtime.arguments import Memory, Value, bind
from mirgpu.runtime.borrows import check_borrows
from mirgpu.runtime.encoding import encode
from mirgpu.runtime.errors import LaunchError, LaunchTypeError, LaunchValueError
from mirgpu.runtime.manifest import HostType, OpaqueType, ParamKind, ScalarType
from mirgpu.runtime.packing import host_regions, pack

X = np.arange(8, dtype=np.float32)


def one(ty: HostType, given: object, **how: Any) -> Any:
    """Bind one shared slice of ``ty``."""
    return bind(kernel("k", shared("x", ty, "&[T]", **how)), [given], {})[0]


def refused(kernel_info: Any, *args: object, **kwargs: object) -> LaunchError:
    with pytest.raises(LaunchError) as caught:
        bind(kernel_info, args, kwargs)
    return caught.value


# ------------------------------------------------------------------------------- calling


def test_positional_and_keyword() -> None:
    y = X.copy()
    for bound in (bind(SAXPY, [2.0, X, y], {}), bind(SAXPY, [2.0], {"y": y, "x": X})):
        a, x, out = bound
        assert isinstance(a, Value)
        assert a.data == np.float32(2).tobytes()
        assert isinstance(x, Memory)
        assert (x.length, x.nbytes, x.address, x.writable) == (8, 32, X.ctypes.data, False)
        assert isinstance(out, Memory)
        assert out.writable
        assert out.owner is y


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ([2.0, X], {}, "saxpy: no argument for y"),
        ([], {}, "saxpy: no argument for a, x, y"),
        ([1, 2, 3, 4], {}, "saxpy takes 3 arguments, 4 were given"),
        ([2.0, X], {"z": X}, "saxpy has no parameter 'z'"),
        ([2.0, X], {"x": X}, "saxpy: parameter 'x' was given twice"),
        ([2.0, X], {"i": 3}, "saxpy has no parameter 'i'"),
    ],
)
def test_wrong_calls(args: list[object], kwargs: dict[str, object], message: str) -> None:
    error = refused(SAXPY, *args, **kwargs)
    assert isinstance(error, TypeError)
    assert error.code == "MG0501"
    assert error.title == message
    assert "saxpy(a: f32, x: &[f32], y: &mut [f32])" in str(error)


# -------------------------------------------------------------------------------- arrays


@pytest.mark.parametrize(
    ("given", "code", "message", "advice"),
    [
        (X.astype(np.float64), "MG0503", "takes dtype float32, got an array of float64", "astype"),
        (X.astype(">f4"), "MG0503", "takes dtype float32, got an array of >f4", "astype"),
        (X.reshape(2, 4), "MG0504", "takes shape (n,), got an array of float32 and shape (2, 4)",
         "x.reshape(-1)"),
        (X[::2], "MG0504", "takes a C-contiguous array", "ascontiguousarray(x)"),
        (X[::-1], "MG0504", "takes a C-contiguous array", "ascontiguousarray(x)"),
        (np.float32(3), "MG0502", "takes a one-dimensional array, got float32", "NumPy or CuPy"),
        (np.array(3, np.float32), "MG0504", "takes shape (n,)", "reshape(-1)"),
        ([1.0, 2.0], "MG0502", "takes a one-dimensional array, got a list", "of float32"),
        (None, "MG0502", "takes a one-dimensional array, got None", "of float32"),
    ],
)  # fmt: skip
def test_wrong_arrays(given: object, code: str, message: str, advice: str) -> None:
    error = refused(SAXPY, 2.0, given, X.copy())
    assert error.code == code
    assert error.title.startswith("saxpy: parameter `x: &[f32]` ")
    assert message in error.title
    assert advice in error.helps[0]


def test_read_only_arrays() -> None:
    frozen = X.copy()
    frozen.flags.writeable = False
    bind(SAXPY, [2.0, frozen, X.copy()], {})
    error = refused(SAXPY, 2.0, X, frozen)
    assert isinstance(error, LaunchValueError)
    assert error.code == "MG0505"
    assert "`y: &mut [f32]` is written by the kernel" in error.title
    cells = kernel("k", shared("c", U32, "&[AtomicU32]", interior=True))
    counters = np.zeros(4, np.uint32)
    counters.flags.writeable = False
    assert refused(cells, counters).code == "MG0505"


def test_slices_of_arrays_have_a_second_dimension() -> None:
    assert one(RGB, np.zeros((5, 3), np.uint8)).length == 5
    error = refused(kernel("k", shared("x", RGB)), np.zeros(15, np.uint8))
    assert error.code == "MG0504"
    assert "takes shape (n, 3)" in error.title
    assert "x.reshape(-1, 3)" in error.helps[0]


def test_structs_fit_by_layout() -> None:
    same = np.dtype([("x", "f4"), ("y", "f4"), ("z", "f4")], align=True)
    assert one(VEC3, np.zeros(4, same)).nbytes == 48
    error = refused(kernel("k", shared("x", VEC3)), np.zeros(4, [("x", "f4"), ("y", "f4")]))
    assert error.code == "MG0503"
    assert "mod.Vec3" in error.helps[0]
    swapped = np.dtype({"names": ["y", "x", "z"], "formats": ["f4"] * 3, "offsets": [0, 4, 8]})
    assert refused(kernel("k", shared("x", VEC3)), np.zeros(4, swapped)).code == "MG0503"


def test_opaque_types_pass_as_bytes_only() -> None:
    opaque = OpaqueType("Option<&u8>", 8, 8)
    assert one(opaque, np.zeros(3, "V8")).length == 3
    assert refused(kernel("k", shared("x", opaque)), np.zeros(3, "u8")).code == "MG0516"


@pytest.mark.parametrize(
    ("ty", "array", "message"),
    [
        (ScalarType("bool"), np.array([0, 1, 2], np.uint8).view(bool), "a bool that is neither"),
        (ScalarType("char"), np.array([65, 0xD800], np.uint32), "the char 0xd800"),
        (ScalarType("char"), np.array([0x110000], np.uint32), "the char 0x110000"),
    ],
)
def test_values_that_the_type_lacks(ty: HostType, array: Any, message: str) -> None:
    error = refused(kernel("k", shared("x", ty)), array)
    assert error.code == "MG0513"
    assert message in error.title
    one(ty, array[:1] if message != "the char 0x110000" else array[:0])


def test_enum_tags_are_checked() -> None:
    from mirgpu.runtime.dtypes import dtype_of

    shapes = np.zeros(3, dtype_of(SHAPE))
    shapes["tag"] = [0, 1, 2]
    one(SHAPE, shapes)
    shapes["tag"][1] = 7
    error = refused(kernel("k", shared("x", SHAPE)), shapes)
    assert "shapes::Shape with the tag 7" in error.title


# ------------------------------------------------------------------ references, pointers


def test_shared_references_take_scalars_and_single_elements() -> None:
    info = kernel("k", param("r", "&f32", ParamKind.REFERENCE, F32))
    for given in (2.5, np.float32(2.5), np.array(2.5, np.float32), np.array([2.5], np.float32)):
        (bound,) = bind(info, [given], {})
        assert isinstance(bound, Memory)
        assert np.asarray(bound.owner).tobytes() == np.float32(2.5).tobytes()
    assert refused(info, np.zeros(2, np.float32)).code == "MG0504"
    assert refused(info, "text").code == "MG0506"


def test_unique_references_take_arrays_of_one_element() -> None:
    info = kernel("k", param("r", "&mut f32", ParamKind.REFERENCE, F32, mutable=True))
    for array in (np.zeros((), np.float32), np.zeros(1, np.float32)):
        bind(info, [array], {})
    for scalar in (2.5, np.float32(2.5)):
        error = refused(info, scalar)
        assert error.code == "MG0502"
        assert "pass an array" in error.helps[0]


def test_pointers_take_arrays_and_none() -> None:
    info = kernel("k", pointer("p", F32, mutable=False))
    (null,) = bind(info, [None], {})
    assert isinstance(null, Value)
    assert null.data == bytes(8)
    assert bind(info, [X], {})[0].param.name == "p"
    assert refused(info, 17).code == "MG0502"


# ------------------------------------------------------------------------------- scalars


@pytest.mark.parametrize(
    ("ty", "given", "data"),
    [
        ("u8", 255, b"\xff"),
        ("i8", -128, b"\x80"),
        ("u16", np.int64(3), b"\x03\x00"),
        ("usize", 2**64 - 1, b"\xff" * 8),
        ("i64", np.array(-1), b"\xff" * 8),
        ("f32", 2, np.float32(2).tobytes()),
        ("f32", 0.1, np.float32(0.1).tobytes()),
        ("f32", np.float64(0.1), np.float32(0.1).tobytes()),
        ("f32", float("inf"), np.float32(np.inf).tobytes()),
        ("f64", np.float32(0.1), np.float64(np.float32(0.1)).tobytes()),
        ("f32", np.uint32(0x7FA00001).view(np.float32), b"\x01\x00\xa0\x7f"),
        ("bool", True, b"\x01"),
        ("bool", np.bool_(False), b"\x00"),
        ("char", "é", b"\xe9\0\0\0"),
    ],
)
def test_scalars(ty: str, given: object, data: bytes) -> None:
    assert encode(ScalarType(ty), given) == data


@pytest.mark.parametrize(
    ("ty", "given", "kind", "message"),
    [
        ("u8", 256, ValueError, "256 is out of range for u8 (0 to 255)"),
        ("u8", -1, ValueError, "-1 is out of range"),
        ("i8", 128, ValueError, "128 is out of range for i8 (-128 to 127)"),
        ("u32", 2.0, TypeError, "u32 takes an integer, got float 2.0"),
        ("u32", True, TypeError, "u32 takes an integer, got bool True"),
        ("f32", True, TypeError, "f32 takes a number, got bool True"),
        ("f32", 1e39, ValueError, "1e+39 is too large for f32"),
        ("f32", 2**24 + 1, ValueError, "the integer 16777217 is not exact in f32"),
        ("f32", 10**400, ValueError, "too large for f32"),
        ("f32", "2", TypeError, "f32 takes a number, got str '2'"),
        ("f32", 1j, TypeError, "got complex 1j"),
        ("bool", 1, TypeError, "bool takes True or False, got int 1"),
        ("char", "ab", TypeError, "char takes a string of one character"),
        ("char", 65, TypeError, "char takes a string of one character"),
        ("char", "\ud800", ValueError, "is a surrogate"),
        ("u128", 1, TypeError, "u128"),
    ],
)
def test_wrong_scalars(ty: str, given: object, kind: type, message: str) -> None:
    if ty == "u128":
        with pytest.raises(TypeError, match=message):
            encode(ScalarType(ty), given)
        return
    error = refused(kernel("k", value("v", ScalarType(ty))), given)
    assert isinstance(error, kind)
    assert error.code == "MG0506"
    assert error.title.startswith(f"k: parameter `v: {ty}`: ")
    assert message in error.title


def test_structs_arrays_and_enums_by_value() -> None:
    floats = np.array([1, 2, 3], np.float32)
    vec = floats.tobytes()
    assert encode(VEC3, (1, 2, 3)) == vec
    assert encode(VEC3, {"z": 3, "x": 1, "y": 2}) == vec
    assert encode(VEC3, floats.view([(n, "f4") for n in "xyz"])[0]) == vec
    assert encode(RGB, [1, 2, 3]) == encode(RGB, np.array([1, 2, 3], np.uint8)) == b"\1\2\3"
    assert encode(SHAPE, "Nothing") == b"\2" + bytes(27)
    sphere = encode(SHAPE, ("Sphere", {"centre": (1, 2, 3), "radius": 4.0}))
    assert sphere == bytes(4) + vec + np.float32(4).tobytes() + bytes(8)


@pytest.mark.parametrize(
    ("ty", "given", "message"),
    [
        (VEC3, (1, 2), "takes 3 fields, got 2"),
        (VEC3, {"x": 1}, "takes the fields x, y, z, got x"),
        (VEC3, 3, "takes a tuple or a mapping of x, y, z, got int 3"),
        (VEC3, np.zeros(1, [("x", "f4")])[0], "takes the dtype"),
        (RGB, [1, 2], "takes 3 elements, got 2"),
        (RGB, "abc", "takes a sequence, got str 'abc'"),
        (SHAPE, "Cone", "has no variant Cone, only Sphere, Box, Nothing"),
        (SHAPE, 3, "takes a variant's name"),
        (OpaqueType("Vec<u8>", 24, 8), 3, "Vec<u8> cannot be made on the host"),
    ],
)
def test_wrong_aggregates(ty: HostType, given: object, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message.replace("(", r"\(")):
        encode(ty, given)


# ------------------------------------------------------------------- device arrays, faked


class FakeDeviceArray:
    """What CuPy and others show of an array on the GPU."""

    def __init__(self, address: int, shape: tuple[int, ...], typestr: str, **more: Any) -> None:
        data = (address, more.pop("readonly", False))
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": data, **more}


def test_device_arrays() -> None:
    bound = one(F32, FakeDeviceArray(4096, (8,), "<f4", strides=None))
    assert (bound.on_device, bound.address, bound.nbytes) == (True, 4096, 32)
    assert one(VEC3, FakeDeviceArray(4096, (8, 12), "|u1")).length == 8
    assert one(VEC3, FakeDeviceArray(4096, (8,), "|V12")).length == 8
    info = kernel("k", unique("x", F32))
    assert refused(info, FakeDeviceArray(4096, (8,), "<f8")).code == "MG0503"
    assert refused(info, FakeDeviceArray(4096, (4,), "<f4", strides=(8,))).code == "MG0504"
    assert refused(info, FakeDeviceArray(4096, (4,), "<f4", readonly=True)).code == "MG0505"
    assert refused(info, FakeDeviceArray(4098, (4,), "<f4")).code == "MG0515"


# ------------------------------------------------------------------------------- borrows


def borrows(info: Any, *args: object) -> None:
    check_borrows(info, [b for b in bind(info, args, {}) if isinstance(b, Memory)])


def test_writable_memory_overlaps_nothing_shared() -> None:
    data = np.zeros(16, np.float32)
    two = kernel("k", shared("x", F32, "&[f32]"), unique("y", F32, "&mut [f32]"))
    borrows(two, data[:8], data[8:])
    borrows(two, data[:0], data)
    with pytest.raises(LaunchValueError) as caught:
        borrows(two, data[:9], data[8:])
    assert caught.value.code == "MG0507"
    assert "`y: &mut [f32]` may be written and shares 4 bytes with `x: &[f32]`" in str(caught.value)
    assert "x.copy()" in caught.value.helps[0]


def test_overlap_rules_by_kind() -> None:
    data = np.zeros(16, np.uint32)
    kinds = {
        "shared": shared("s", U32),
        "cells": shared("c", U32, "&[AtomicU32]", interior=True),
        "unique": unique("u", U32),
        "const": pointer("p", U32, mutable=False),
        "mut": pointer("q", U32, mutable=True),
    }
    allowed = {
        ("shared", "shared"), ("cells", "cells"), ("const", "const"), ("mut", "mut"),
        ("const", "shared"), ("const", "mut"), ("cells", "const"), ("cells", "mut"),
    }  # fmt: skip
    for first, a in kinds.items():
        for second, b in kinds.items():
            info = kernel("k", a, b)
            if tuple(sorted((first, second))) in {tuple(sorted(pair)) for pair in allowed}:
                borrows(info, data, data)
            else:
                with pytest.raises(LaunchValueError, match="MG0507"):
                    borrows(info, data, data)


def test_a_long_array_over_several_short_ones() -> None:
    data = np.zeros(64, np.uint8)
    info = kernel("k", shared("a", U8), shared("b", U8), unique("c", U8))
    with pytest.raises(LaunchValueError, match="MG0507"):
        borrows(info, data, data[3:5], data[40:50])


def test_host_and_device_addresses_are_apart() -> None:
    data = np.zeros(16, np.float32)
    info = kernel("k", shared("x", F32), unique("y", F32))
    borrows(info, data, FakeDeviceArray(data.ctypes.data, (16,), "<f4"))
    with pytest.raises(LaunchValueError, match="MG0507"):
        borrows(info, FakeDeviceArray(4096, (16,), "<f4"), FakeDeviceArray(4096 + 60, (16,), "<f4"))


# ------------------------------------------------------------------------------- packing


def test_the_parameter_buffer() -> None:
    y = X.copy()
    bound = bind(SAXPY, [2.0, X, y], {})
    buffer = pack(SAXPY, bound, lambda m: {"x": 0x1000, "y": 0x2000}[m.param.name], (1000, 1, 1))
    words = np.frombuffer(buffer[8:], np.uint64)
    assert buffer[:4] == np.float32(2).tobytes()
    assert list(words) == [0x1000, 8, 0x2000, 8, 1000]


def test_empty_slices_are_not_null() -> None:
    bound = bind(SAXPY, [2.0, X[:0], X[:0].copy()], {})
    buffer = pack(SAXPY, bound, lambda m: pytest.fail("no address is needed"), (0, 1, 1))
    assert list(np.frombuffer(buffer[8:], np.uint64)) == [4, 0, 4, 0, 0]


def test_regions_join_what_overlaps() -> None:
    data = np.zeros(100, np.uint32)
    info = kernel("k", *(shared(name, U32, interior=True) for name in "abc"))
    bound = bind(info, [data[10:20], data[15:40], data[50:60]], {})
    joined, alone = host_regions(info, bound)
    assert [m.param.name for m in joined.members] == ["a", "b"]
    assert (joined.address, joined.nbytes) == (data[10:].ctypes.data, 30 * 4)
    assert [m.param.name for m in alone.members] == ["c"]
    assert joined.writable


def test_regions_keep_alignment() -> None:
    data = np.zeros(64, np.uint8)
    info = kernel("k", shared("a", U8), shared("b", U32))
    bound = bind(info, [data[1:20], data[4:20].view(np.uint32)], {})
    with pytest.raises(LaunchValueError, match="MG0515"):
        host_regions(info, bound)


def test_errors_are_type_or_value_errors() -> None:
    assert issubclass(LaunchTypeError, TypeError)
    assert issubclass(LaunchValueError, ValueError)
