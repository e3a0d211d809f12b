"""Load, check and launch kernels: ``from mirgpu.runtime import load``.

Names are imported on first use, so that ``mirgpu.runtime.manifest`` and
``mirgpu.runtime.artifact`` never bring in NumPy or a device library.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mirgpu.runtime.artifact import Artifact
    from mirgpu.runtime.errors import KernelPanic, LaunchError
    from mirgpu.runtime.manifest import Manifest, ManifestError
    from mirgpu.runtime.module import Module, load

__all__ = [
    "Artifact",
    "KernelPanic",
    "LaunchError",
    "Manifest",
    "ManifestError",
    "Module",
    "load",
]

_HOME = {
    "Artifact": "artifact",
    "KernelPanic": "errors",
    "LaunchError": "errors",
    "Manifest": "manifest",
    "ManifestError": "manifest",
    "Module": "module",
    "load": "module",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
