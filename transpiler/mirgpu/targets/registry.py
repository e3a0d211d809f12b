"""The targets by name.  A new target is one folder here, one of templates, and one entry.

An entry names a module with ``emit(module, arch, options)``; it is imported when it is used.
"""

import importlib
from typing import TYPE_CHECKING, final

from mirgpu.diagnostics import UsageError
from mirgpu.node import node

if TYPE_CHECKING:
    from types import ModuleType


@final
@node
class TargetInfo:
    """``arch_prefix`` is what its architectures' names begin with; ``suffix`` that of a file."""

    name: str
    module: str
    arch_prefix: str
    default_arch: str
    suffix: str


TARGETS: dict[str, TargetInfo] = {
    "ptx": TargetInfo("ptx", "mirgpu.targets.ptx", "sm_", "sm_80", ".ptx"),
}


def target_for(name: str | None, arch: str | None) -> TargetInfo:
    """The target called ``name``, else the one that ``arch`` implies, else the first.

    Raises ``UsageError`` where there is none, or the two disagree.
    """
    if name is not None:
        if name not in TARGETS:
            raise UsageError(f"unknown target '{name}'; known are {', '.join(TARGETS)}")
        info = TARGETS[name]
        if arch is not None and not arch.startswith(info.arch_prefix):
            raise UsageError(f"'{arch}' is no architecture of target '{name}'")
        return info
    if arch is not None:
        for info in TARGETS.values():
            if arch.startswith(info.arch_prefix):
                return info
        raise UsageError(f"no target has an architecture called '{arch}'")
    return next(iter(TARGETS.values()))


def load_target(info: TargetInfo) -> "ModuleType":
    """Imports the target."""
    return importlib.import_module(info.module)
