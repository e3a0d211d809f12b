"""Finds a rustc whose MIR text is known, and remembers where it was.

``rustc`` on PATH is usually rustup's proxy, which costs a process of its own each time.  The
real binary is asked for once and kept on disk, keyed by all that decides which one it is.
"""

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import final

from mirgpu import cache
from mirgpu.diagnostics import Diagnostic, DiagnosticError, ToolMissingError

TESTED = ("1.95", "1.96", "1.97")
"""Release lines whose MIR text the grammar and lowering are tested on."""

_RECORD = 2
"""The form of what is kept on disk."""

_INSTALL = (
    "install one with https://rustup.rs (then `rustup toolchain install nightly`), or use "
    "Debian's package rustc-web; `--rustc PATH` names another one"
)


@final
@dataclass(frozen=True, slots=True)
class Rustc:
    """A rustc binary.  ``version`` is its version line, ``identity`` tells builds apart,
    ``commit`` is empty where it does not say."""

    path: Path
    version: str
    release: str
    commit: str
    host: str
    identity: str

    @property
    def nightly(self) -> bool:
        return "nightly" in self.release or "-dev" in self.release

    @property
    def tested(self) -> bool:
        return any(self.release.startswith(f"{line}.") for line in TESTED)

    def environment(self) -> dict[str, str]:
        """The environment to run it in: a stable one is told to accept ``-Z``."""
        env = dict(os.environ)
        if not self.nightly:
            env["RUSTC_BOOTSTRAP"] = "1"
        return env


def find_rustc(
    explicit: str | None, toolchain: str | None, *, allow_untested: bool = False
) -> Rustc:
    """The compiler to use: ``explicit`` path, else rustup's ``toolchain``, else the default.

    The default is the first tested one of rustup's nightly and the ``rustc`` on PATH.
    Raises ``ToolMissingError`` if there is none, ``DiagnosticError`` MG0201 if it is of an
    untested version and ``allow_untested`` is not set.
    """
    if explicit is not None:
        found = shutil.which(explicit)
        if found is None:
            raise ToolMissingError(f"no rustc at {explicit}; {_INSTALL}")
        candidates = [_resolve(found, toolchain)]
        names = [explicit if toolchain is None else f"{explicit} +{toolchain}"]
    else:
        found = shutil.which("rustc")
        if found is None:
            raise ToolMissingError(f"no rustc on PATH; {_INSTALL}")
        wanted = [toolchain] if toolchain is not None else ["nightly", None]
        candidates = [_resolve(found, name) for name in wanted]
        names = ["rustc" if name is None else f"rustc +{name}" for name in wanted]
    usable = [rustc for rustc in candidates if rustc is not None]
    if not usable:
        raise ToolMissingError(f"`{names[0]}` does not run; {_INSTALL}")
    for rustc in usable:
        if rustc.tested or allow_untested:
            return rustc
    raise DiagnosticError(
        Diagnostic(
            code="MG0201",
            title=f"{usable[0].version} is not a tested version",
            notes=(
                "the text of MIR changes between releases; tested are "
                + ", ".join(f"{line}" for line in TESTED),
            ),
            helps=(
                "pick a tested one with `--toolchain` or `--rustc`, "
                "or try this one with `--allow-untested-rustc`",
            ),
        )
    )


def _resolve(proxy: str, toolchain: str | None) -> Rustc | None:
    """The real binary behind ``proxy +toolchain``, none if that does not run."""
    key = cache.digest(repr((_RECORD, *_deciders(proxy, toolchain))).encode())
    record = cache.load("rustc", key)
    if record is not None:
        path, stamp, version, release, commit, host = record.decode().split("\0")
        if _stamp(Path(path)) == stamp:
            return _describe(Path(path), version, release, commit, host)
    rustc = _ask(proxy, toolchain)
    if rustc is not None:
        fields = (rustc.version, rustc.release, rustc.commit, rustc.host)
        record = "\0".join((str(rustc.path), _stamp(rustc.path), *fields)).encode()
        cache.store("rustc", key, record)
    return rustc


def _ask(proxy: str, toolchain: str | None) -> Rustc | None:
    command = [proxy] if toolchain is None else [proxy, f"+{toolchain}"]
    try:
        run = subprocess.run(
            [*command, "-vV"], capture_output=True, text=True, timeout=60, check=False
        )
        root = subprocess.run(
            [*command, "--print", "sysroot"],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if run.returncode or root.returncode:
        return None
    lines = run.stdout.splitlines()
    values = dict(line.split(": ", 1) for line in lines[1:] if ": " in line)
    if not lines or "release" not in values or "host" not in values:
        return None
    real = Path(root.stdout.strip()) / "bin" / "rustc"
    path = real if real.exists() else Path(proxy)
    commit = values.get("commit-hash", "").replace("unknown", "")
    return _describe(path, lines[0], values["release"], commit, values["host"])


def _describe(path: Path, version: str, release: str, commit: str, host: str) -> Rustc:
    identity = f"{version}\0{path}\0{_stamp(path)}"
    return Rustc(path, version, release, commit, host, identity)


def _stamp(path: Path) -> str:
    try:
        status = path.stat()
    except OSError:
        return ""
    return f"{status.st_mtime_ns}.{status.st_size}"


def _deciders(proxy: str, toolchain: str | None) -> tuple[str, ...]:
    """All that decides which compiler a proxy starts."""
    out = [proxy, _stamp(Path(proxy)), toolchain or ""]
    home = os.environ.get("RUSTUP_HOME") or str(Path.home() / ".rustup")
    settings = Path(home) / "settings.toml"
    out += [home, _stamp(settings), _stamp(Path(home) / "toolchains")]
    if toolchain is None:
        out.append(os.environ.get("RUSTUP_TOOLCHAIN", ""))
        here = Path.cwd()
        out.append(str(here))
        for folder in (here, *here.parents):
            out += [_stamp(folder / name) for name in ("rust-toolchain", "rust-toolchain.toml")]
    return tuple(out)
