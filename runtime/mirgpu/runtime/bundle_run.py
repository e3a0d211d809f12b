"""Run a bundle's checks on this machine's GPU; see ``mirgpu.runtime.bundle``.

Every check runs on host arrays and again on CuPy arrays in place; then the panics, in both
ways and with a good launch after each; then what only a GPU shows (streams, overlap); then the
timings.
"""

import argparse
import json
import platform
import statistics
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from mirgpu.runtime import artifact as artifacts
from mirgpu.runtime.arguments import visible_params
from mirgpu.runtime.compare import difference
from mirgpu.runtime.devices.cuda import DEVICE
from mirgpu.runtime.dtypes import dtype_of, element_shape, size_of
from mirgpu.runtime.errors import KernelPanic, LaunchError
from mirgpu.runtime.inputs import KINDS, make_array
from mirgpu.runtime.launch import Launcher
from mirgpu.runtime.manifest import KernelParam, ParamKind, ScalarType
from mirgpu.runtime.module import Module

_REPEATS: Final = 7


class CheckFailedError(AssertionError):
    """A check's result is not what it should be."""


@final
@dataclass(frozen=True, slots=True)
class _Bundle:
    spec: Mapping[str, Any]
    data: Mapping[str, np.ndarray[Any, Any]]
    modules: Mapping[str, Module]
    cupy: Any


def main(argv: Sequence[str]) -> int:
    """``FOLDER [--json FILE]``; the exit code: 0, 3 without a GPU, 4 where something differs."""
    parser = argparse.ArgumentParser(prog="run_gpu.py")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--json", type=Path, default=None, help="where the results go")
    options = parser.parse_args(argv)
    return run_bundle(options.folder, options.json)


def run_bundle(folder: Path, out: Path | None) -> int:
    """Run everything, print a table, write ``out`` (``FOLDER/results.json``); the exit code."""
    found = DEVICE.available()
    if not found.usable:
        print(f"error: {found.reason}", file=sys.stderr)
        return 3
    print(f"device cuda: {found.reason}")
    import cupy  # pyright: ignore[reportMissingImports]

    spec = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
    modules, results = {}, []
    for path in sorted((folder / "artifacts").glob("*.ptx")):
        start = time.perf_counter()
        modules[path.stem] = Module(artifacts.load(path), DEVICE)
        seconds = time.perf_counter() - start
        results.append({"name": f"load {path.stem}", "ok": True, "seconds": seconds})
        print(f"ok    load {path.stem:<34} {seconds * 1e3:9.2f} ms")
    with np.load(folder / "data.npz") as data:
        bundle = _Bundle(spec, dict(data), modules, cupy)
    for name, body in _checks(bundle):
        results.append(_attempt(name, body))
    timings = [_time(bundle, each) for each in spec["timings"]]
    failed = [each["name"] for each in results if not each["ok"]]
    out = out or folder / "results.json"
    report = {
        "device": found.reason,
        "versions": _versions(bundle),
        "command": "make test-gpu",
        "checks": results,
        "timings": timings,
        "failed": failed,
    }
    out.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(f"{len(results) - len(failed)} of {len(results)} passed; results in {out}")
    return 4 if failed else 0


def _versions(bundle: "_Bundle") -> dict[str, str]:
    """What the results were measured with; ``driver`` is the highest CUDA it knows."""
    cupy = bundle.cupy
    return {
        "mirgpu": next(iter(bundle.modules.values())).artifact.manifest.mirgpu,
        "driver": str(cupy.cuda.runtime.driverGetVersion()),
        "cuda": str(cupy.cuda.runtime.runtimeGetVersion()),
        "cupy": cupy.__version__,
        "numpy": np.__version__,
        "python": platform.python_version(),
    }


def _attempt(name: str, body: Callable[[], None]) -> dict[str, Any]:
    start = time.perf_counter()
    error = None
    try:
        body()
    except CheckFailedError as failure:
        error = str(failure)
    except Exception:
        error = traceback.format_exc()
    seconds = time.perf_counter() - start
    print(f"{'ok   ' if error is None else 'FAIL '} {name:<40} {seconds * 1e3:9.2f} ms", flush=True)
    if error is not None:
        print(f"      {error}", flush=True)
    return {"name": name, "ok": error is None, "seconds": seconds, "error": error}


def _checks(bundle: _Bundle) -> list[tuple[str, Callable[[], None]]]:
    checks: list[tuple[str, Callable[[], None]]] = []
    for each in bundle.spec["checks"]:
        checks.append((f"{each['name']} host", partial(_check_host, bundle, each)))
        checks.append((f"{each['name']} device", partial(_check_device, bundle, each)))
    for each in bundle.spec["panics"]:
        name = f"panic {each['name']}"
        checks.append((f"{name} host", partial(_panic_host, bundle, each)))
        checks.append((f"{name} at synchronize", partial(_panic_synchronize, bundle, each)))
        checks.append((f"{name} at next launch", partial(_panic_next, bundle, each)))
    checks.append(("own stream", partial(_own_stream, bundle)))
    checks.append(("overlap refused", partial(_overlap, bundle)))
    return checks


def _launcher(bundle: _Bundle, launch: Mapping[str, Any], stream: Any = None) -> Launcher:
    kernel = bundle.modules[launch["module"]].kernel(launch["kernel"])
    if launch["extents"] is not None:
        return kernel.forall(tuple(launch["extents"]), stream=stream)
    return kernel[tuple(launch["grid"]), tuple(launch["block"]), stream]


def _params(bundle: _Bundle, launch: Mapping[str, Any]) -> tuple[KernelParam, ...]:
    return visible_params(bundle.modules[launch["module"]].kernel(launch["kernel"]).info)


def _host(param: KernelParam, data: np.ndarray[Any, Any]) -> Any:
    """An argument from its bytes: a copy, so that each launch begins anew."""
    element, inner = element_shape(param.type)
    array = data.copy().view(dtype_of(element))
    if param.kind is not ParamKind.VALUE:
        return array.reshape(-1, *inner)
    return array.reshape(inner)[()] if inner else array[0]


def _device(bundle: _Bundle, param: KernelParam, data: np.ndarray[Any, Any]) -> Any:
    """As ``_host``, on the GPU; structs and enums as rows of bytes."""
    if param.kind is ParamKind.VALUE:
        return _host(param, data)
    element, _ = element_shape(param.type)
    if isinstance(element, ScalarType):
        return bundle.cupy.asarray(_host(param, data))
    return bundle.cupy.asarray(data.copy().reshape(-1, size_of(element)))


def _host_arguments(bundle: _Bundle, check: Mapping[str, Any]) -> list[Any]:
    params = _params(bundle, check["launch"])
    return [_host(p, bundle.data[key]) for p, key in zip(params, check["inputs"], strict=True)]


def _device_arguments(bundle: _Bundle, check: Mapping[str, Any]) -> list[Any]:
    pairs = zip(_params(bundle, check["launch"]), check["inputs"], strict=True)
    return [_device(bundle, param, bundle.data[key]) for param, key in pairs]


def _agree_all(bundle: _Bundle, check: Mapping[str, Any], args: Sequence[Any]) -> None:
    params = _params(bundle, check["launch"])
    for param, key, arg in zip(params, check["expected"], args, strict=True):
        if param.kind is not ParamKind.VALUE:
            got = bundle.cupy.asnumpy(arg).tobytes()
            found = difference(param.type, bundle.data[key].tobytes(), got)
            if found is not None:
                raise CheckFailedError(f"{param.name}: {found}")


def _check_host(bundle: _Bundle, check: Mapping[str, Any]) -> None:
    args = _host_arguments(bundle, check)
    _launcher(bundle, check["launch"])(*args)
    _agree_all(bundle, check, args)


def _check_device(bundle: _Bundle, check: Mapping[str, Any]) -> None:
    args = _device_arguments(bundle, check)
    _launcher(bundle, check["launch"])(*args)
    bundle.modules[check["launch"]["module"]].synchronize()
    _agree_all(bundle, check, args)


def _expect_panic(check: Mapping[str, Any], body: Callable[[], object]) -> None:
    try:
        body()
    except KernelPanic as panic:
        if str(panic) != check["text"]:
            raise CheckFailedError(f"expected {check['text']!r}, got {str(panic)!r}") from None
        return
    raise CheckFailedError("nothing was raised")


def _good_launch(bundle: _Bundle) -> None:
    _check_host(bundle, bundle.spec["checks"][0])
    _check_device(bundle, bundle.spec["checks"][0])


def _panic_host(bundle: _Bundle, check: Mapping[str, Any]) -> None:
    for _ in range(2):
        args = _host_arguments(bundle, check)
        _expect_panic(check, partial(_launcher(bundle, check["launch"]), *args))
    bundle.modules[check["launch"]["module"]].synchronize()
    _good_launch(bundle)


def _panic_launch(bundle: _Bundle, check: Mapping[str, Any]) -> Module:
    _launcher(bundle, check["launch"])(*_device_arguments(bundle, check))
    return bundle.modules[check["launch"]["module"]]


def _panic_synchronize(bundle: _Bundle, check: Mapping[str, Any]) -> None:
    module = _panic_launch(bundle, check)
    _expect_panic(check, module.synchronize)
    module.synchronize()
    _good_launch(bundle)


def _panic_next(bundle: _Bundle, check: Mapping[str, Any]) -> None:
    module = _panic_launch(bundle, check)
    bundle.cupy.cuda.Device().synchronize()
    _expect_panic(check, partial(_panic_launch, bundle, check))
    module.synchronize()
    _good_launch(bundle)


def _own_stream(bundle: _Bundle) -> None:
    """Launches on a stream run in its order, among CuPy's own operations."""
    cupy = bundle.cupy
    check = bundle.spec["checks"][0]
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        args = _device_arguments(bundle, check)
        _launcher(bundle, check["launch"])(*args)
        copies = [a.copy() if hasattr(a, "device") and hasattr(a, "data") else a for a in args]
    bundle.modules[check["launch"]["module"]].synchronize()
    stream.synchronize()
    _agree_all(bundle, check, copies)
    host = _host_arguments(bundle, check)
    _launcher(bundle, check["launch"], stream)(*host)
    _agree_all(bundle, check, host)


def _overlap(bundle: _Bundle) -> None:
    """A written CuPy array that overlaps another argument is refused."""
    check = bundle.spec["checks"][0]
    params = _params(bundle, check["launch"])
    args = _device_arguments(bundle, check)
    arrays = [n for n, param in enumerate(params) if param.kind is ParamKind.SLICE]
    args[arrays[0]] = args[arrays[1]]
    try:
        _launcher(bundle, check["launch"])(*args)
    except LaunchError as error:
        if error.code != "MG0507":
            raise CheckFailedError(f"refused for another reason: {error}") from None
        return
    raise CheckFailedError("nothing was raised")


def _time(bundle: _Bundle, timing: Mapping[str, Any]) -> dict[str, Any]:
    """The median of some launches on CuPy arrays, by the GPU's clock, in milliseconds."""
    cupy = bundle.cupy
    args = []
    for param in _params(bundle, timing["launch"]):
        kind, _, length = timing["arguments"][param.name].partition(":")
        if kind in KINDS:
            array = make_array(param.type, int(length), kind, 0, param.name)
            args.append(_device(bundle, param, array.reshape(-1).view(np.uint8)))
        else:
            args.append(float(kind) if dtype_of(param.type).kind == "f" else int(kind))
    launcher = _launcher(bundle, timing["launch"])
    times = []
    for _ in range(_REPEATS + 1):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        launcher(*args)
        end.record()
        end.synchronize()
        times.append(cupy.cuda.get_elapsed_time(start, end))
    bundle.modules[timing["launch"]["module"]].synchronize()
    median = statistics.median(times[1:])
    print(f"time  {timing['name']:<40} {median:9.3f} ms", flush=True)
    return {"name": timing["name"], "median_ms": median, "min_ms": min(times[1:])}
