"""The devices, and which of them works here."""

from importlib import import_module
from importlib.util import find_spec

from mirgpu.runtime.devices.base import Device
from mirgpu.runtime.errors import LaunchValueError

ORDER = ("cuda", "hip", "cpu", "interp")
"""By preference."""


class DeviceMissingError(LaunchValueError):
    """No such device works on this machine."""


def names() -> tuple[str, ...]:
    """The devices that this installation has code for."""
    return tuple(name for name in ORDER if find_spec(f"{__name__}.{name}") is not None)


def get(name: str) -> Device:
    """The device called ``name``.  Raises ``LaunchValueError`` for an unknown one."""
    if name not in names():
        raise LaunchValueError("MG0510", f"unknown device {name!r}; known: {', '.join(names())}")
    device: Device = import_module(f"{__name__}.{name}").DEVICE
    return device


def choose(name: str | None, target: str | None = None) -> tuple[Device, str]:
    """The device called ``name``, else the first that works, and why it was taken.

    ``target`` keeps to the devices that take such artifacts.  Raises ``LaunchValueError`` for a
    name that does not fit, ``DeviceMissingError`` that says why no device works.
    """
    if name is not None:
        device = get(name)
        if target is not None and device.target != target:
            raise LaunchValueError(
                "MG0510", f"device {name} takes {device.target} modules, this one is {target}"
            )
        found = device.available()
        if not found.usable:
            raise DeviceMissingError("MG0510", f"device {name} does not work here: {found.reason}")
        return device, found.reason
    passed: list[str] = []
    for each in map(get, names()):
        if target is None or each.target == target:
            found = each.available()
            if found.usable:
                return each, "; ".join([found.reason, *passed])
            passed.append(f"{each.name} does not work: {found.reason}")
    what = "" if target is None else f" for {target} modules"
    raise DeviceMissingError("MG0510", f"no device{what} works here", notes=tuple(passed))
