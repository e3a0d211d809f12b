"""What a device is to the launcher.

A device is one module of this package, named as the device, with a ``DEVICE`` that fits
``Device``: adding the file (and its place in ``mirgpu.runtime.devices.ORDER``) is all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final

from mirgpu.runtime.arguments import Bound
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.config import LaunchConfig
from mirgpu.runtime.manifest import KernelInfo


@final
@dataclass(frozen=True, slots=True)
class Availability:
    """``reason`` says what was found, or what is missing and how to get it."""

    usable: bool
    reason: str


@final
@dataclass(frozen=True, slots=True)
class LoadOptions:
    """``order`` (ascending, descending, shuffled) and ``seed`` choose the order of threads on a
    device that has one."""

    order: str = "ascending"
    seed: int = 0


class DeviceModule(Protocol):
    """An artifact made ready on a device."""

    def launch(self, kernel: KernelInfo, config: LaunchConfig, bound: Sequence[Bound]) -> None:
        """Run a kernel on checked arguments.

        Host memory holds the results when this returns.  With device memory alone a launch may
        still be running; a panic of it is raised by ``synchronize`` or a later launch.
        Raises ``KernelPanic``, ``LaunchError``.
        """

    def synchronize(self) -> None:
        """Wait for every launch of this module.  Raises ``KernelPanic``, ``LaunchError``."""


class Device(Protocol):
    """``name`` is what a user calls it, ``target`` the artifacts that it takes."""

    @property
    def name(self) -> str: ...

    @property
    def target(self) -> str: ...

    def available(self) -> Availability:
        """Whether it works here; never raises."""
        ...

    def load(self, artifact: Artifact, options: LoadOptions) -> DeviceModule:
        """Compile and load ``artifact``.  Raises ``LaunchError`` with the compiler's log."""
        ...
