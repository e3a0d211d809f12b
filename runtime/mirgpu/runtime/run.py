"""What ``mirgpu run`` does: make or read the arguments, launch, and sum up the results."""

import json
import math
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from mirgpu.diagnostics import ToolMissingError, UsageError
from mirgpu.runtime.arguments import visible_params
from mirgpu.runtime.checksum import checksum, total
from mirgpu.runtime.config import index_axes
from mirgpu.runtime.devices import DeviceMissingError
from mirgpu.runtime.devices.base import LoadOptions
from mirgpu.runtime.dtypes import element_shape, size_of
from mirgpu.runtime.errors import LaunchTypeError, LaunchValueError, UnknownNameError
from mirgpu.runtime.inputs import KINDS, make_array
from mirgpu.runtime.launch import Kernel, Launcher, rust_signature
from mirgpu.runtime.manifest import KernelInfo, KernelParam, ParamKind, ScalarType
from mirgpu.runtime.module import Module, load_source
from mirgpu.runtime.rust_format import FLOAT_CODES, INTEGER_BITS

_DEFAULT_N: Final = ((1024,), (64, 48), (16, 12, 8))
"""Threads on each axis where nothing says how many."""
_WIDTHS: Final = ("width", "w", "nx", "cols", "columns")
_HEIGHTS: Final = ("height", "h", "ny", "rows")


@final
@dataclass(frozen=True, slots=True)
class RunOptions:
    """``source`` is a path or ``-``; ``arguments`` are ``NAME=VALUE``, ``saves``
    ``NAME=@FILE.npy``; ``n``, ``grid``, ``block`` numbers by axis; ``transpile`` holds
    ``index``, ``arch`` and further options of ``mirgpu.driver.Options``."""

    source: str
    kernel: str | None = None
    arguments: tuple[str, ...] = ()
    saves: tuple[str, ...] = ()
    n: tuple[int, ...] | None = None
    grid: tuple[int, ...] | None = None
    block: tuple[int, ...] | None = None
    seed: int = 0
    device: str | None = None
    order: str = "ascending"
    transpile: Mapping[str, Any] = field(default_factory=dict)


@final
@dataclass(frozen=True, slots=True)
class ArgumentResult:
    """A value as text; or an array's length, checksum and sum after the run."""

    name: str
    rust_type: str
    value: str | None
    length: int | None
    sha256: str | None
    sum: int | float | None


@final
@dataclass(frozen=True, slots=True)
class RunResult:
    """What ran, where, how long (seconds by the clock, copies included), and the arguments."""

    kernel: str
    device: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    threads: int
    seconds: float
    arguments: tuple[ArgumentResult, ...]

    def to_json(self) -> str:
        """One JSON object; sums that are no number become null."""
        arguments = []
        for each in self.arguments:
            if each.value is not None:
                shown: dict[str, Any] = {"value": each.value}
            else:
                finite = each.sum is not None and math.isfinite(each.sum)
                shown = {
                    "length": each.length,
                    "sha256": each.sha256,
                    "sum": each.sum if finite else None,
                }
            arguments.append({"name": each.name, "type": each.rust_type, **shown})
        return json.dumps(
            {
                "kernel": self.kernel,
                "device": self.device,
                "grid": self.grid,
                "block": self.block,
                "threads": self.threads,
                "seconds": round(self.seconds, 6),
                "arguments": arguments,
            }
        )

    def to_text(self) -> str:
        """A line for the launch and one for each argument."""
        lines = [
            f"{self.kernel} on {self.device}: {self.threads} threads, grid {self.grid}, "
            f"block {self.block}, {self.seconds * 1e3:.3g} ms with copies"
        ]
        names = max((len(a.name) for a in self.arguments), default=0)
        types = max((len(a.rust_type) for a in self.arguments), default=0)
        for each in self.arguments:
            head = f"  {each.name:<{names}}  {each.rust_type:<{types}}  "
            if each.value is not None:
                lines.append(head + each.value)
            else:
                lines.append(f"{head}len {each.length}  sha256 {each.sha256}  sum {each.sum:.9g}")
        return "\n".join(lines)


def run_command(options: RunOptions) -> RunResult:
    """Run one kernel once.

    Raises ``UsageError`` for options that do not fit the kernel, ``ToolMissingError`` where the
    device is missing, ``KernelPanic``, ``DiagnosticError``; files of ``saves`` are written
    after a run without a panic.
    """
    try:
        return _run(options)
    except DeviceMissingError as error:
        raise ToolMissingError(str(error)) from None
    except (LaunchTypeError, LaunchValueError, UnknownNameError) as error:
        raise UsageError(str(error)) from None


def _run(options: RunOptions) -> RunResult:
    given, saves = _pairs("--arg", options.arguments), _pairs("--save", options.saves)
    module = _load(options)
    kernel = _pick(module, options.kernel)
    params = visible_params(kernel.info)
    _check_names(kernel.info, given, saves)
    read = {p.name: _from_file(p, given[p.name]) for p in params if _is_file(given.get(p.name))}
    n = _threads(kernel.info, options, read)
    length = math.prod(n)
    arguments: dict[str, Any] = {}
    for param in params:
        if param.name in read:
            arguments[param.name] = read[param.name]
        elif not _is_value(param):
            arguments[param.name] = _array(param, given.get(param.name), length, options.seed)
    shortest = min((len(arguments[p.name]) for p in params if p.name in arguments), default=length)
    for param in params:
        if param.name not in arguments:
            arguments[param.name] = _value(param, given.get(param.name), n, shortest, options.seed)
    launcher = _launcher(kernel, options, n)
    start = time.perf_counter()
    launcher(**arguments)
    module.synchronize()
    seconds = time.perf_counter() - start
    for name, text in saves.items():
        _save(text, arguments[name])
    config = launcher.config
    return RunResult(
        kernel.info.name,
        module.device,
        config.grid,
        config.block,
        math.prod(config.extents),
        seconds,
        tuple(_result(param, arguments[param.name]) for param in params),
    )


def _load(options: RunOptions) -> Module:
    transpile = dict(options.transpile)
    index = transpile.pop("index", ("i",))
    arch = transpile.pop("arch", None)
    source: Path | str = Path(options.source)
    if options.source == "-":
        source = sys.stdin.read()
    elif isinstance(source, Path) and source.suffix not in (".rs", ".mir"):
        transpile.clear()
    kernels = () if options.kernel is None else (options.kernel,)
    order = LoadOptions(options.order, options.seed)
    return load_source(source, kernels, index, options.device, arch, order, transpile)


def _pick(module: Module, name: str | None) -> Kernel:
    if name is not None:
        return module.kernel(name)
    if len(module.kernels) != 1:
        known = "\n".join(f"  {rust_signature(each.info)}" for each in module.kernels.values())
        raise UsageError(f"--kernel must say which one to run:\n{known}")
    return next(iter(module.kernels.values()))


def _pairs(option: str, texts: tuple[str, ...]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals and value):
            raise UsageError(f"{option} takes NAME=VALUE, not `{text}`")
        if name in pairs:
            raise UsageError(f"{option} {name} is given twice")
        pairs[name] = value
    return pairs


def _check_names(kernel: KernelInfo, given: dict[str, str], saves: dict[str, str]) -> None:
    params = {param.name: param for param in visible_params(kernel)}
    for option, names in (("--arg", given), ("--save", saves)):
        for name in names:
            if name not in params:
                raise UsageError(f"{option} {name}: no such parameter in {rust_signature(kernel)}")
            if option == "--save" and _is_value(params[name]):
                raise UsageError(f"--save {name}: a {params[name].rust_type} is no array")


def _is_value(param: KernelParam) -> bool:
    return param.kind is ParamKind.VALUE


def _is_file(text: str | None) -> bool:
    return text is not None and text.startswith("@")


def _from_file(param: KernelParam, text: str) -> Any:
    path = Path(text[1:])
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError) as error:
        raise UsageError(f"--arg {param.name}: cannot read {path}: {error}") from None
    if not isinstance(array, np.ndarray):
        raise UsageError(f"--arg {param.name}: {path} is no single array (.npy)")
    if _is_value(param):
        return array[()] if array.ndim == 0 else array
    # A file has no view to reshape: rows are laid one after the other, as the kernel sees them.
    inner = element_shape(param.type)[1]
    return np.ascontiguousarray(array).reshape(-1, *inner)


def _threads(kernel: KernelInfo, options: RunOptions, read: Mapping[str, Any]) -> tuple[int, ...]:
    axes = index_axes(kernel)
    if options.n is not None:
        if axes and len(options.n) != axes:
            raise UsageError(
                f"--n takes {axes} number{'s' if axes > 1 else ''} for {rust_signature(kernel)}"
            )
        return options.n
    if options.grid is not None:
        block = options.block or (1,)
        return tuple(g * b for g, b in zip(_three(options.grid), _three(block), strict=True))[
            : max(axes, len(options.grid), len(block))
        ]
    lengths = [len(array) for array in read.values() if getattr(array, "ndim", 0)]
    if lengths and axes <= 1:
        return (max(lengths),)
    return _DEFAULT_N[max(axes, 1) - 1]


def _three(sizes: tuple[int, ...]) -> tuple[int, int, int]:
    x, y, z = (*sizes, 1, 1)[:3]
    return x, y, z


def _launcher(kernel: Kernel, options: RunOptions, n: tuple[int, ...]) -> Launcher:
    if options.grid is not None:
        if options.block is None:
            raise UsageError("--grid needs --block")
        if options.n is None or not kernel.info.plain:
            return kernel[options.grid, options.block]
        raise UsageError("--n or --grid, not both: a plain kernel's threads are its n")
    return kernel.forall(n, block=options.block)


def _array(param: KernelParam, text: str | None, length: int, seed: int) -> Any:
    if param.kind is ParamKind.REFERENCE:
        length = 1
    kind, _, size = (text or "random").partition(":")
    if size:
        if not size.replace("_", "").isdecimal():
            raise UsageError(f"--arg {param.name}: `{size}` is no length")
        length = int(size.replace("_", ""))
    if kind in KINDS:
        array = make_array(param.type, length, kind, seed, param.name)
    else:
        element, _ = element_shape(param.type)
        if not isinstance(element, ScalarType):
            raise UsageError(f"--arg {param.name}={text}: takes @FILE.npy, {', '.join(KINDS)}")
        array = make_array(param.type, length, "zeros", seed, param.name)
        array[...] = _scalar(param, element.name, kind)
    return array


def _value(
    param: KernelParam, text: str | None, n: tuple[int, ...], shortest: int, seed: int
) -> Any:
    ty = param.type
    if text is not None and text not in KINDS:
        if isinstance(ty, ScalarType):
            return _scalar(param, ty.name, text)
        try:
            return _as_fields(json.loads(text))
        except json.JSONDecodeError:
            raise UsageError(
                f"--arg {param.name}={text}: a {param.rust_type} takes JSON, @FILE.npy or "
                f"{', '.join(KINDS)}"
            ) from None
    if text is None and isinstance(ty, ScalarType) and ty.name in INTEGER_BITS:
        return _size(param, ty, n, shortest)
    value = make_array(ty, 1, text or "random", seed, param.name)[0]
    if isinstance(ty, ScalarType) and ty.name == "char":
        return chr(int(value))
    return value


def _as_fields(value: Any) -> Any:
    """JSON as ``encode`` takes it: objects are structs, ``["Variant", {…}]`` are enums."""
    if isinstance(value, list):
        items = [_as_fields(item) for item in value]
        return tuple(items) if len(items) == 2 and isinstance(items[0], str) else items
    if isinstance(value, dict):
        return {name: _as_fields(item) for name, item in value.items()}
    return value


def _size(param: KernelParam, ty: ScalarType, n: tuple[int, ...], shortest: int) -> int:
    """An integer that nothing sets is most often a width, a height or a matrix's order."""
    if len(n) > 1 and param.name in _WIDTHS:
        size = n[0]
    elif len(n) > 1 and param.name in _HEIGHTS:
        size = n[1]
    else:
        size = math.isqrt(shortest)
    bits = INTEGER_BITS[ty.name] - (ty.name[0] == "i")
    return int(min(size, (1 << bits) - 1))


def _scalar(param: KernelParam, name: str, text: str) -> int | float | bool | str:
    try:
        if name in INTEGER_BITS:
            return int(text, 0)
        if name in FLOAT_CODES:
            return float(text)
        if name == "bool":
            return {"true": True, "false": False}[text.lower()]
        if name == "char" and len(text) == 1:
            return text
    except (ValueError, KeyError):
        pass
    takes = {"bool": "true or false", "char": "one character"}.get(name, "a number")
    raise UsageError(f"--arg {param.name}={text}: a {name} takes {takes}")


def _save(text: str, array: Any) -> None:
    path = Path(text.removeprefix("@")).resolve()
    if path.exists() and not path.is_file():
        raise UsageError(f"cannot write {path}: it is no regular file")
    part = path.with_name(f".{path.name}.part")
    try:
        with part.open("wb") as file:
            np.save(file, array, allow_pickle=False)
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror}") from None


def _result(param: KernelParam, value: Any) -> ArgumentResult:
    if _is_value(param):
        return ArgumentResult(param.name, param.rust_type, str(value), None, None, None)
    length = value.size * value.itemsize // max(1, size_of(param.type))
    return ArgumentResult(
        param.name,
        param.rust_type,
        None,
        length,
        checksum(param.type, value),
        total(param.type, value),
    )
