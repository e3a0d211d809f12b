"""Bundles for a GPU machine that has no Rust: artifacts, inputs, expected results, launcher.

    python -m mirgpu.runtime.bundle make OUT     here, in the repository
    python OUT/run_gpu.py [--json FILE]          there: Python, NumPy and CuPy are enough

A bundle holds ``bundle.json`` (what to run), ``data.npz`` (the bytes of every array before and
after), ``artifacts/`` and the packages that the launcher needs.
"""

import argparse
import json
import runpy
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, final

import numpy as np

from mirgpu.diagnostics import DiagnosticError, ToolMissingError, UsageError
from mirgpu.runtime import artifact as artifacts
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.manifest import embed

CASES_FILE: Final = Path("tests/gpu/bundle_cases.py")
"""Defines ``bundle() -> Bundle``; it is no part of the package."""

_RUN: Final = '''"""Run this bundle on the machine's GPU: python run_gpu.py [--json FILE]"""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from mirgpu.runtime.bundle_run import main

sys.exit(main([str(HERE), *sys.argv[1:]]))
'''


@final
@dataclass(frozen=True, slots=True)
class Launch:
    """A kernel of a module with its grid: ``extents``, or ``grid`` and ``block``."""

    module: str
    kernel: str
    extents: tuple[int, ...] | None = None
    grid: tuple[int, int, int] | None = None
    block: tuple[int, int, int] | None = None


@final
@dataclass(frozen=True, slots=True)
class Check:
    """A launch whose results are known.  ``inputs`` and ``expected`` are the bytes of each
    argument but indices, in order; of a value, its own bytes in both."""

    name: str
    launch: Launch
    inputs: Sequence[bytes]
    expected: Sequence[bytes]


@final
@dataclass(frozen=True, slots=True)
class PanicCheck:
    """As ``Check``, but the launch panics with ``text``."""

    name: str
    launch: Launch
    inputs: Sequence[bytes]
    text: str


@final
@dataclass(frozen=True, slots=True)
class Timing:
    """A launch to time; ``arguments`` as ``mirgpu run --arg`` takes them."""

    name: str
    launch: Launch
    arguments: Mapping[str, str]


@final
@dataclass(frozen=True, slots=True)
class Bundle:
    """What a bundle is made of.  ``modules`` are PTX artifacts by name."""

    modules: Mapping[str, Artifact]
    checks: Sequence[Check]
    panics: Sequence[PanicCheck]
    timings: Sequence[Timing] = field(default=())


def write(bundle: Bundle, out: Path) -> int:
    """Write ``bundle`` to the folder ``out``, which is replaced; return its size in bytes."""
    if out.exists() and not (out / "bundle.json").exists() and any(out.iterdir()):
        raise UsageError(f"{out} is there and is no bundle")
    shutil.rmtree(out, ignore_errors=True)
    (out / "artifacts").mkdir(parents=True)
    for name, module in bundle.modules.items():
        text = embed(module.text, module.manifest)
        artifacts.save(Artifact(text, module.manifest), out / "artifacts" / f"{name}.ptx")
    arrays: dict[str, np.ndarray[Any, Any]] = {}

    def keep(key: str, data: bytes) -> str:
        arrays[key] = np.frombuffer(data, np.uint8)
        return key

    checks = [
        {
            "name": check.name,
            "launch": asdict(check.launch),
            "inputs": [keep(f"{check.name}/{n}", d) for n, d in enumerate(check.inputs)],
            "expected": [keep(f"{check.name}/{n}/out", d) for n, d in enumerate(check.expected)],
        }
        for check in bundle.checks
    ]
    panics = [
        {
            "name": check.name,
            "launch": asdict(check.launch),
            "inputs": [keep(f"panic/{check.name}/{n}", d) for n, d in enumerate(check.inputs)],
            "text": check.text,
        }
        for check in bundle.panics
    ]
    timings = [
        {"name": t.name, "launch": asdict(t.launch), "arguments": dict(t.arguments)}
        for t in bundle.timings
    ]
    data = {"checks": checks, "panics": panics, "timings": timings}
    (out / "bundle.json").write_text(json.dumps(data, indent=1), encoding="utf-8")
    np.savez_compressed(out / "data.npz", **arrays)  # type: ignore[arg-type]
    _copy_packages(out)
    (out / "run_gpu.py").write_text(_RUN, encoding="utf-8")
    return sum(path.stat().st_size for path in out.rglob("*") if path.is_file())


def _copy_packages(out: Path) -> None:
    import mirgpu.diagnostics

    package = out / "mirgpu"
    package.mkdir()
    shutil.copy(mirgpu.diagnostics.__file__, package / "diagnostics.py")
    # The Rust crate that kernels use is of no use there.
    ignore = shutil.ignore_patterns("device", "__pycache__")
    shutil.copytree(Path(__file__).parent, package / "runtime", ignore=ignore)


def main(argv: Sequence[str] | None = None) -> int:
    """``make OUT`` or ``run DIR [--json FILE]``; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m mirgpu.runtime.bundle")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make", help="pack a bundle, in the repository")
    make.add_argument("out", type=Path)
    make.add_argument("--cases", type=Path, default=CASES_FILE, help="what goes into it")
    run = commands.add_parser("run", help="run one on this machine's GPU")
    run.add_argument("folder", type=Path)
    run.add_argument("--json", type=Path, default=None, help="where the results go")
    options = parser.parse_args(argv)
    try:
        if options.command == "run":
            from mirgpu.runtime.bundle_run import run_bundle

            return run_bundle(options.folder, options.json)
        if not options.cases.exists():
            raise UsageError(f"no {options.cases}: run this in the repository")
        sys.path.insert(0, str(Path.cwd()))
        bundle = runpy.run_path(str(options.cases))["bundle"]()
        size = write(bundle, options.out)
    except UsageError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except ToolMissingError as error:
        print(f"error: {error}", file=sys.stderr)
        return 3
    except DiagnosticError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{options.out}: {len(bundle.checks)} checks, {size / 1e6:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
