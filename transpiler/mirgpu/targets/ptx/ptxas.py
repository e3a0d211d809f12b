"""Finds NVIDIA's ``ptxas`` and assembles PTX with it, to check text without a GPU."""

import functools
import importlib.util
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import final

from mirgpu.diagnostics import ToolMissingError
from mirgpu.node import node

_VERSION = re.compile(r"release (\d+\.\d+)")
_ARCH = re.compile(r"'(sm_\d+[af]?)'")
_FUNCTION = re.compile(r"Compiling entry function '([^']+)'")
_STACK = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
_USED = re.compile(r"Used (\d+) registers")
_SHARED = re.compile(r"(\d+)(?:\+\d+)? bytes smem")


@final
@node
class Ptxas:
    """``version`` is CUDA's, ``12.9``; ``archs`` what it can assemble for."""

    path: Path
    version: str
    archs: frozenset[str]


@final
@node
class KernelUsage:
    """What one kernel takes, in registers and bytes, as ``ptxas -v`` tells."""

    name: str
    registers: int
    stack_bytes: int
    spill_store_bytes: int
    spill_load_bytes: int
    shared_bytes: int


@final
@node
class Assembled:
    """``errors`` is empty where the text was accepted; ``cubin`` is the machine code."""

    cubin: bytes | None
    errors: str
    kernels: tuple[KernelUsage, ...]


def find_ptxas(arch: str | None = None) -> Ptxas:
    """A ptxas that knows ``arch``, in this order: the Python wheels of CUDA 12 and 13, ``PATH``,
    ``/usr/local/cuda``.  Raises ``ToolMissingError`` where there is none."""
    found = all_ptxas()
    for ptxas in found:
        if arch is None or arch in ptxas.archs:
            return ptxas
    if found:
        versions = ", ".join(f"{p.path} (CUDA {p.version})" for p in found)
        raise ToolMissingError(f"no ptxas here knows {arch}: {versions}")
    raise ToolMissingError("ptxas was not found; pip install nvidia-cuda-nvcc-cu12 brings one")


@functools.cache
def all_ptxas() -> tuple[Ptxas, ...]:
    """Every ptxas that is found and runs, in the order of preference."""
    out: list[Ptxas] = []
    seen: set[Path] = set()
    for path in _candidates():
        real = path.resolve()
        if real in seen or not path.is_file():
            continue
        seen.add(real)
        ptxas = _probe(path)
        if ptxas is not None:
            out.append(ptxas)
    return tuple(out)


def _candidates() -> Iterator[Path]:
    spec = importlib.util.find_spec("nvidia")
    for root in spec.submodule_search_locations or () if spec else ():
        yield Path(root, "cuda_nvcc", "bin", "ptxas")
        yield from sorted(Path(root).glob("cu[0-9]*/bin/ptxas"), reverse=True)
    on_path = shutil.which("ptxas")
    if on_path:
        yield Path(on_path)
    yield Path("/usr/local/cuda/bin/ptxas")


def _probe(path: Path) -> Ptxas | None:
    try:
        version = _run([str(path), "--version"]).stdout
        help_ = _run([str(path), "--help"]).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    match = _VERSION.search(version)
    if match is None:
        return None
    archs = frozenset(_ARCH.findall(help_))
    return Ptxas(path, match[1], archs)


def assemble(text: str, arch: str, ptxas: Ptxas | None = None) -> Assembled:
    """Assembles PTX text for ``arch``.  Raises ``ToolMissingError`` where no ptxas knows it."""
    ptxas = ptxas or find_ptxas(arch)
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "module.ptx"), Path(folder, "module.cubin")
        source.write_text(text)
        done = _run([str(ptxas.path), f"-arch={arch}", "-v", str(source), "-o", str(target)])
        report = done.stdout + done.stderr
        if done.returncode != 0:
            return Assembled(None, report.replace(str(source), "module.ptx"), ())
        return Assembled(target.read_bytes(), "", parse_usage(report))


def parse_usage(report: str) -> tuple[KernelUsage, ...]:
    """The kernels' figures in what ``ptxas -v`` prints."""
    kernels: list[KernelUsage] = []
    for name, part in _entries(report):
        stack, used, shared = _STACK.search(part), _USED.search(part), _SHARED.search(part)
        kernels.append(
            KernelUsage(
                name=name,
                registers=int(used[1]) if used else 0,
                stack_bytes=int(stack[1]) if stack else 0,
                spill_store_bytes=int(stack[2]) if stack else 0,
                spill_load_bytes=int(stack[3]) if stack else 0,
                shared_bytes=int(shared[1]) if shared else 0,
            )
        )
    return tuple(kernels)


def _entries(report: str) -> Iterator[tuple[str, str]]:
    parts = _FUNCTION.split(report)
    yield from zip(parts[1::2], parts[2::2], strict=True)


def _run(command: list[str]) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
