"""What ``mirgpu doctor`` finds: the tools and libraries here, what each gives, what to install."""

import ctypes
import json
import platform
import shutil
import subprocess
from dataclasses import asdict, dataclass
from enum import Enum
from importlib.metadata import PackageNotFoundError, version
from typing import Final, final

from mirgpu.diagnostics import DiagnosticError, ToolMissingError

_NEWEST_ISA: Final = (
    ((13, 1), (9, 1)),
    ((13, 0), (9, 0)),
    ((12, 9), (8, 8)),
    ((12, 8), (8, 7)),
    ((12, 7), (8, 6)),
    ((12, 5), (8, 5)),
    ((12, 4), (8, 4)),
    ((12, 3), (8, 3)),
    ((12, 2), (8, 2)),
    ((12, 1), (8, 1)),
    ((12, 0), (8, 0)),
    ((11, 8), (7, 8)),
    ((11, 7), (7, 7)),
    ((11, 6), (7, 6)),
    ((11, 5), (7, 5)),
    ((11, 4), (7, 4)),
    ((11, 3), (7, 3)),
    ((11, 2), (7, 2)),
    ((11, 1), (7, 1)),
    ((11, 0), (7, 0)),
    ((10, 2), (6, 5)),
    ((10, 1), (6, 4)),
    ((10, 0), (6, 3)),
    ((9, 2), (6, 2)),
    ((9, 1), (6, 1)),
    ((9, 0), (6, 0)),
)
"""The newest PTX version that a driver of a CUDA version reads, newest first."""


class Status(Enum):
    OK = "ok"
    MISSING = "missing"
    PROBLEM = "problem"


@final
@dataclass(frozen=True, slots=True)
class Finding:
    """``found`` says what is there, or what is wrong; ``gives`` what works with it; ``install``
    how to get it, none where it is there."""

    name: str
    status: Status
    found: str
    gives: str
    install: str | None


def diagnose() -> list[Finding]:
    """Look for everything that mirgpu can use.  Never raises for what is missing."""
    findings = [_python(), _numpy(), _rustc(), _linker(), _ptxas()]
    driver = _driver()
    findings += [_driver_finding(driver), _cupy(driver)]
    if driver is not None:
        findings.append(_isa(driver))
    return findings


def findings_as_json(findings: list[Finding]) -> str:
    """A JSON list of objects, one a finding."""
    return json.dumps(
        [{**asdict(each), "status": each.status.value} for each in findings], indent=1
    )


def findings_as_text(findings: list[Finding]) -> str:
    """A line for each finding, and one for what to install."""
    width = max(len(each.name) for each in findings)
    marks = {Status.OK: "ok ", Status.MISSING: "-- ", Status.PROBLEM: "!! "}
    lines = []
    for each in findings:
        lines.append(f"{marks[each.status]}{each.name:<{width}}  {each.found}")
        lines.append(f"{'':<{width + 3}}  gives: {each.gives}")
        if each.install is not None:
            lines.append(f"{'':<{width + 3}}  to do: {each.install}")
    return "\n".join(lines)


def _python() -> Finding:
    found = f"{platform.python_version()}, mirgpu {version('mirgpu')}"
    return Finding("Python", Status.OK, found, "transpile from MIR dumps", None)


def _numpy() -> Finding:
    gives = "run kernels; device interp works with it alone"
    try:
        return Finding("NumPy", Status.OK, version("numpy"), gives, None)
    except PackageNotFoundError:
        return Finding("NumPy", Status.MISSING, "not installed", gives, "pip install numpy")


def _rustc() -> Finding:
    from mirgpu.rustc import find_rustc

    gives = "transpile Rust sources (.rs)"
    try:
        rustc = find_rustc(None, None, allow_untested=True)
    except ToolMissingError as error:
        return Finding("rustc", Status.MISSING, "not found", gives, str(error))
    if not rustc.tested:
        return Finding(
            "rustc",
            Status.PROBLEM,
            f"{rustc.version}: not a version that mirgpu was tested with",
            gives,
            "install a tested one, or pass --allow-untested-rustc",
        )
    return Finding("rustc", Status.OK, f"{rustc.version} at {rustc.path}", gives, None)


def _linker() -> Finding:
    gives = "run the same Rust natively, as the tests do; not needed to transpile"
    for name in ("cc", "gcc", "clang"):
        path = shutil.which(name)
        if path is not None:
            return Finding("C linker", Status.OK, f"{path}{_first_line(path)}", gives, None)
    install = "install a C compiler (Debian: apt-get install gcc libc6-dev)"
    return Finding("C linker", Status.MISSING, "not found", gives, install)


def _first_line(path: str) -> str:
    try:
        done = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return f" ({done.stdout.splitlines()[0]})" if done.stdout else ""


def _ptxas() -> Finding:
    from mirgpu.targets.ptx.ptxas import find_ptxas

    gives = "check PTX without a GPU; not needed to run it"
    try:
        ptxas = find_ptxas(None)
    except (ToolMissingError, DiagnosticError) as error:
        return Finding("ptxas", Status.MISSING, "not found", gives, str(error))
    return Finding("ptxas", Status.OK, f"{ptxas.version} at {ptxas.path}", gives, None)


@final
@dataclass(frozen=True, slots=True)
class _Driver:
    cuda: tuple[int, int]
    gpus: tuple[tuple[str, int], ...]
    """Names and compute capabilities, 90 for 9.0."""


def _driver() -> _Driver | None:
    """Ask the CUDA driver itself, so that the answer needs no CuPy."""
    for name in ("libcuda.so.1", "nvcuda.dll"):
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        number = ctypes.c_int()
        if library.cuDriverGetVersion(ctypes.byref(number)) != 0:
            return None
        return _Driver((number.value // 1000, number.value % 1000 // 10), _gpus(library))
    return None


def _gpus(library: ctypes.CDLL) -> tuple[tuple[str, int], ...]:
    count = ctypes.c_int()
    if library.cuInit(0) != 0 or library.cuDeviceGetCount(ctypes.byref(count)) != 0:
        return ()
    gpus = []
    for ordinal in range(count.value):
        device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
        name = ctypes.create_string_buffer(256)
        library.cuDeviceGet(ctypes.byref(device), ordinal)
        library.cuDeviceGetName(name, len(name), device)
        library.cuDeviceGetAttribute(ctypes.byref(major), 75, device)
        library.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
        gpus.append((name.value.decode(errors="replace"), major.value * 10 + minor.value))
    return tuple(gpus)


def _driver_finding(driver: _Driver | None) -> Finding:
    gives = "compile PTX and run it on the GPU"
    if driver is None:
        install = "install NVIDIA's driver, where there is such a GPU"
        return Finding("GPU", Status.MISSING, "no CUDA driver", gives, install)
    cuda = f"driver for CUDA {driver.cuda[0]}.{driver.cuda[1]}"
    if not driver.gpus:
        return Finding("GPU", Status.PROBLEM, f"{cuda}, no GPU", gives, "see nvidia-smi")
    shown = ", ".join(f"{name} (sm_{number})" for name, number in driver.gpus)
    return Finding("GPU", Status.OK, f"{shown}, {cuda}", gives, None)


def _cupy(driver: _Driver | None) -> Finding:
    from mirgpu.runtime.devices.cuda import DEVICE

    gives = "device cuda: launches, and arrays that stay on the GPU"
    major = 12 if driver is not None and driver.cuda[0] < 13 else 13
    install = f"pip install 'cupy-cuda{major}x[ctk]'"
    found = DEVICE.available()
    if found.usable:
        import cupy  # pyright: ignore[reportMissingImports]

        return Finding("CuPy", Status.OK, f"{cupy.__version__} on {found.reason}", gives, None)
    try:
        import cupy  # pyright: ignore[reportMissingImports]
    except ImportError:
        return Finding("CuPy", Status.MISSING, found.reason, gives, install)
    shown = f"{cupy.__version__}: {found.reason}"
    return Finding("CuPy", Status.PROBLEM, shown, gives, install if driver is not None else None)


def _isa(driver: _Driver) -> Finding:
    from mirgpu.targets.ptx.arch import find_arch
    from mirgpu.targets.registry import TARGETS

    newest = next((isa for cuda, isa in _NEWEST_ISA if driver.cuda >= cuda), (0, 0))
    default = find_arch(TARGETS["ptx"].default_arch)
    emitted = default.isa_version
    found = (
        f"the driver reads PTX up to {newest[0]}.{newest[1]}, mirgpu writes "
        f"{emitted[0]}.{emitted[1]} for {default.name}"
    )
    gives = "whether the driver reads what mirgpu writes"
    if emitted > newest:
        return Finding("PTX version", Status.PROBLEM, found, gives, "update the NVIDIA driver")
    old = [name for name, number in driver.gpus if number < default.number]
    if old:
        todo = f"pass --arch sm_{min(number for _, number in driver.gpus)}"
        found += f"; too new for {', '.join(old)}"
        return Finding("PTX version", Status.PROBLEM, found, gives, todo)
    return Finding("PTX version", Status.OK, found, gives, None)
