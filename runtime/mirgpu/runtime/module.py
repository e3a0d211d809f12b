"""``load``: from a Rust file, a MIR dump or an artifact to a module whose kernels can run."""

import difflib
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeVar, assert_never, final

import numpy as np

from mirgpu.diagnostics import UsageError
from mirgpu.runtime import artifact as artifacts
from mirgpu.runtime import devices
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.devices.base import Device, LoadOptions
from mirgpu.runtime.dtypes import dtype_of, tags
from mirgpu.runtime.encoding import encode
from mirgpu.runtime.errors import LaunchTypeError, UnknownNameError
from mirgpu.runtime.launch import Kernel
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    HostType,
    Manifest,
    OpaqueType,
    ScalarType,
    StructType,
)

if TYPE_CHECKING:
    from mirgpu.driver import Options

_T = TypeVar("_T")
_announced: Final[set[str]] = set()


def load(
    path: str | os.PathLike[str],
    kernel: str | Sequence[str] | None = None,
    index: str | Sequence[str] = "i",
    device: str | None = None,
    arch: str | None = None,
    *,
    order: str = "ascending",
    seed: int = 0,
    **options: Any,
) -> "Module":
    """Load kernels, transpiling them first where ``path`` is Rust (``.rs``) or MIR (``.mir``).

    ``kernel`` names one or several, all otherwise; ``index`` the parameters of plain kernels
    that are bound to the thread index (``"x,y"`` or a list); ``device`` is cuda or interp, the
    first that works otherwise, said on standard error; ``arch`` a target such as ``sm_90``.
    ``order`` (ascending, descending, shuffled) and ``seed`` order the threads on interp.
    ``options`` are those of ``mirgpu.driver.Options``: edition, overflow_checks, fp_contract, …

    Raises ``DiagnosticError`` for source that cannot be transpiled, ``ManifestError`` for a
    damaged artifact, ``LaunchError`` where no device fits, ``UsageError`` for a missing file.
    """
    kernels = () if kernel is None else (kernel,) if isinstance(kernel, str) else tuple(kernel)
    indices = index.split(",") if isinstance(index, str) else index
    return load_source(
        Path(path), kernels, indices, device, arch, LoadOptions(order, seed), options
    )


def load_source(
    source: Path | str,
    kernels: tuple[str, ...],
    index: Sequence[str],
    device: str | None,
    arch: str | None,
    load_options: LoadOptions,
    options: Mapping[str, Any],
) -> "Module":
    """As ``load``; ``source`` may also be the text of a MIR dump, as a ``str``."""
    if isinstance(source, Path) and source.suffix in artifacts.SUFFIXES.values():
        if options:
            raise TypeError(f"{source} is transpiled already; it takes no {', '.join(options)}")
        artifact = _read(source)
        chosen = _choose(device, artifact.manifest.target)
    else:
        chosen = _choose(device, _target_of(arch))
        artifact = _transpile(source, _transpile_options(kernels, index, arch, chosen, options))
    module = Module(artifact, chosen, load_options)
    for name in kernels:
        module.kernel(name)
    return module


def _target_of(arch: str | None) -> str | None:
    if arch is None:
        return None
    from mirgpu.targets.registry import target_for

    return target_for(None, arch).name


def _choose(name: str | None, target: str | None) -> Device:
    device, reason = devices.choose(name, target)
    if name is None and device.name not in _announced:
        _announced.add(device.name)
        print(f"mirgpu: device {device.name}: {reason}", file=sys.stderr)
    return device


def _read(path: Path) -> Artifact:
    try:
        return artifacts.load(path)
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from None


def _transpile_options(
    kernels: tuple[str, ...],
    index: Sequence[str],
    arch: str | None,
    device: Device,
    options: Mapping[str, Any],
) -> "Options":
    from mirgpu.driver import Options

    given = dict(options)
    if arch is not None:
        given["arch"] = arch
    if unknown := given.keys() - set(Options.__match_args__):
        raise TypeError(f"load() has no option {min(unknown)!r}")
    indices = tuple(name.strip() for name in index if name.strip())
    return Options(kernels=kernels, index=indices, target=device.target, **given)


def _transpile(source: Path | str, options: "Options") -> Artifact:
    from mirgpu.driver import transpile

    return transpile(source, options)


@final
class Module:
    """Kernels ready to launch.

    Each is an attribute (``mod.saxpy``) and in ``kernels``, each struct and enum type of their
    signatures is an attribute that gives its dtype (``mod.Vec3``) and in ``types``.
    ``artifact`` is the text and manifest, ``device`` the device's name.
    """

    def __init__(
        self, artifact: Artifact, device: Device, options: LoadOptions | None = None
    ) -> None:
        self.artifact = artifact
        self.device = device.name
        self._loaded = device.load(artifact, options or LoadOptions())
        manifest = artifact.manifest
        self.kernels: Mapping[str, Kernel] = MappingProxyType(
            {info.name: Kernel(info, self._loaded) for info in manifest.kernels}
        )
        self.types: Mapping[str, HostType] = MappingProxyType(_types(manifest))

    def kernel(self, name: str) -> Kernel:
        """The kernel of that path, or of that last part of a path.

        Raises ``UnknownNameError``.
        """
        kernel = _lookup(self.kernels, name)
        if kernel is None:
            raise self._unknown("kernel", name, list(self.kernels))
        return kernel

    def synchronize(self) -> None:
        """Wait for all launches.  Raises the ``KernelPanic`` of one that panicked."""
        self._loaded.synchronize()

    def array(self, type_name: str, values: Iterable[object]) -> "np.ndarray[Any, Any]":
        """A NumPy array of a type of the module, from Python values.

        A struct is a tuple or mapping, an enum a variant's name or a pair of name and fields:
        ``mod.array("Shape", [("Ground", {"height": 0.0})])``.
        Raises ``UnknownNameError``, ``TypeError`` and ``ValueError``.
        """
        ty = self._type(type_name)
        data = bytearray().join(encode(ty, value) for value in values)
        return np.frombuffer(data, dtype_of(ty))

    def tags(self, type_name: str) -> dict[str, int]:
        """The value that an enum's field ``tag`` has for each variant."""
        ty = self._type(type_name)
        if not isinstance(ty, EnumType):
            raise LaunchTypeError("MG0512", f"{type_name} is no enum")
        return tags(ty)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        kernel = _lookup(self.kernels, name)
        if kernel is not None:
            return kernel
        ty = _lookup(self.types, name)
        if ty is not None:
            return dtype_of(ty)
        raise self._unknown("kernel or type", name, [*self.kernels, *self.types])

    def __dir__(self) -> list[str]:
        short = (_last(name) for name in (*self.kernels, *self.types))
        return sorted({*super().__dir__(), *short})

    def __repr__(self) -> str:
        return f"<module on {self.device}: {', '.join(self.kernels)}>"

    def _type(self, name: str) -> HostType:
        ty = _lookup(self.types, name)
        if ty is None:
            raise self._unknown("type", name, list(self.types))
        return ty

    def _unknown(self, what: str, name: str, known: list[str]) -> UnknownNameError:
        short = [_last(each) for each in known]
        if name in short:
            several = ", ".join(each for each in known if _last(each) == name)
            return UnknownNameError("MG0512", f"`{name}` is ambiguous: {several}")
        close = difflib.get_close_matches(name, short, 1)
        return UnknownNameError(
            "MG0512",
            f"the module has no {what} `{name}`",
            notes=(f"it has {', '.join(known) or 'none'}",),
            helps=(f"did you mean `{close[0]}`?",) if close else (),
        )


def _types(manifest: Manifest) -> dict[str, HostType]:
    """Every named type that the manifest mentions, those inside others included."""
    found: dict[str, HostType] = {}

    def visit(ty: HostType) -> None:
        match ty:
            case ArrayType(elem=elem):
                visit(elem)
            case StructType(name=name, fields=fields):
                found[name] = ty
                for field in fields:
                    visit(field.type)
            case EnumType(name=name, variants=variants):
                found[name] = ty
                for field in (f for variant in variants for f in variant.fields):
                    visit(field.type)
            case OpaqueType(name=name):
                found[name] = ty
            case ScalarType():
                pass
            case _:
                assert_never(ty)

    for each in manifest.types:
        visit(each)
    for kernel in manifest.kernels:
        for param in kernel.params:
            visit(param.type)
    return found


def _last(path: str) -> str:
    return path.split("<")[0].rsplit("::", 1)[-1].removeprefix("r#")


def _lookup(named: Mapping[str, _T], name: str) -> _T | None:
    """By whole path, else by its last part where only one has it."""
    if name in named:
        return named[name]
    matching = [value for path, value in named.items() if _last(path) == name]
    return matching[0] if len(matching) == 1 else None
