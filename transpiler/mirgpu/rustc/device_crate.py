"""Builds the device crate for a rustc, once, so that a single file can use it."""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from mirgpu import cache
from mirgpu.diagnostics import Diagnostic, DiagnosticError, ToolMissingError
from mirgpu.rustc.find import Rustc

_SEAL = "seal"
_FLAGS = ("--edition=2021", "--cap-lints=allow", "-Copt-level=3")


def device_folder() -> Path:
    """The device crate's sources, the same path in a checkout and in an installation."""
    from importlib.util import find_spec

    spec = find_spec("mirgpu.runtime")
    assert spec is not None
    assert spec.submodule_search_locations
    return Path(next(iter(spec.submodule_search_locations))) / "device"


def device_crate_args(rustc: Rustc, *, for_codegen: bool) -> list[str]:
    """Arguments that let a file use the crate ``mirgpu``.

    ``for_codegen``: with its host implementation, to build native code; else for MIR dumps
    only.  Built on first use and kept.  Raises ``ToolMissingError`` if the C compiler that
    links its attribute macro is missing, ``DiagnosticError`` MG0206 if it does not build.
    """
    sources = _sources(device_folder())
    key = cache.digest(
        rustc.identity.encode(),
        b"host" if for_codegen else b"mir",
        *(part for path in sources for part in (path.name.encode(), path.read_bytes())),
    )
    library = "libmirgpu.rlib" if for_codegen else "libmirgpu.rmeta"
    place = cache.folder() / "device" / key
    if not _sealed(place):
        place = _install(rustc, place, library)
    return [f"--extern=mirgpu={place / library}", f"-Ldependency={place}"]


def _sources(folder: Path) -> list[Path]:
    return sorted([*folder.glob("src/*.rs"), *folder.glob("macros/src/*.rs")])


def _sealed(place: Path) -> bool:
    """Whether everything is there and as it was written."""
    try:
        rows = (place / _SEAL).read_text(encoding="utf-8").splitlines()
        return bool(rows) and all(
            cache.digest((place / name).read_bytes()) == digest
            for name, digest in (row.rsplit(" ", 1) for row in rows)
        )
    except (OSError, ValueError):
        return False


def _install(rustc: Rustc, place: Path, library: str) -> Path:
    """Build beside ``place`` and rename; another process may be first."""
    import tempfile

    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{place.name}.", dir=place.parent))
    except OSError:
        # No cache: for this process only.
        import atexit

        work = Path(tempfile.mkdtemp(prefix="mirgpu-device-"))
        atexit.register(shutil.rmtree, work, ignore_errors=True)
        _build(rustc, work, library)
        return work
    try:
        _build(rustc, work, library)
        files = sorted(path for path in work.iterdir() if path.is_file())
        rows = [f"{path.name} {cache.digest(path.read_bytes())}" for path in files]
        (work / _SEAL).write_text("\n".join(rows) + "\n", encoding="utf-8")
        for _ in range(2):
            try:
                work.rename(place)
                return place
            except OSError:
                if _sealed(place):
                    return place
                # What is there is damaged.
                shutil.rmtree(place, ignore_errors=True)
        raise DiagnosticError(Diagnostic("MG0206", f"cannot write the device crate to {place}"))
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _build(rustc: Rustc, work: Path, library: str) -> None:
    folder = device_folder()
    common = [*_FLAGS, f"--remap-path-prefix={folder}=mirgpu", f"--out-dir={work}"]
    macros = folder / "macros" / "src" / "lib.rs"
    _run(
        rustc,
        [
            *common,
            "--crate-name=mirgpu_macros",
            "--crate-type=proc-macro",
            "-Cstrip=symbols",
            "--extern=proc_macro",
            str(macros),
        ],
    )
    made = next(path for path in work.iterdir() if path.stem == "libmirgpu_macros")
    kind = (
        ["--emit=link", '--cfg=feature="host"']
        if library.endswith(".rlib")
        else ["--emit=metadata", "-Cpanic=abort", "-Zalways-encode-mir"]
    )
    _run(
        rustc,
        [
            *common,
            *kind,
            "--crate-name=mirgpu",
            "--crate-type=rlib",
            f"--extern=mirgpu_macros={made}",
            str(folder / "src" / "lib.rs"),
        ],
    )


def _run(rustc: Rustc, arguments: Sequence[str]) -> None:
    try:
        run = subprocess.run(
            [str(rustc.path), *arguments],
            capture_output=True,
            text=True,
            errors="replace",
            env=rustc.environment(),
            stdin=subprocess.DEVNULL,
            check=False,
        )
    except OSError as error:
        raise ToolMissingError(f"cannot run {rustc.path}: {error.strerror}") from error
    if run.returncode == 0:
        return
    if "linker `" in run.stderr and "not found" in run.stderr:
        raise ToolMissingError(
            "no C compiler to link the macro `#[mirgpu::kernel]`: install one "
            "(Debian: `apt-get install gcc libc6-dev`), or write plain functions, which need none"
        )
    raise DiagnosticError(
        Diagnostic(
            "MG0206", f"{rustc.version} does not build the device crate", notes=(run.stderr,)
        )
    )
