"""Runs rustc on a source: the MIR, and beside it what the MIR lacks.

The crate with its macros expanded comes from a second process that runs while the first
prints the MIR; where there are types or impls, a third one resolves their names (see
``skeleton``).  Both texts and what was learnt are kept on disk by content.
"""

import json
import os
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, final

from mirgpu import cache
from mirgpu.crate_info import CrateInfo
from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.rustc import device_crate, sidecar
from mirgpu.rustc.find import Rustc, find_rustc
from mirgpu.rustc.process import Job, Output, expand_arguments

if TYPE_CHECKING:
    # Imported while rustc runs.
    from mirgpu.rustc.outline import Outline

_INLINE_THRESHOLD = 100_000
_LACKS_CRATE = re.compile(r"E0432|E0433|E0463|cannot find .*`mirgpu`")


class RustcError(DiagnosticError):
    """rustc refused the source.  ``text`` is what it printed, to be shown as it is."""

    def __init__(self, text: str, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.text = text


@final
@dataclass(frozen=True, slots=True)
class RustcOptions:
    """What the user can choose.  ``codegen`` and ``unstable`` are passed on as ``-C``/``-Z``,
    ``extra`` as they are (``--extern``, ``-L``, ``--cfg``); with ``json`` rustc prints its
    messages as JSON lines.
    """

    edition: str = "2021"
    overflow_checks: bool = False
    codegen: tuple[str, ...] = ()
    unstable: tuple[str, ...] = ()
    extra: tuple[str, ...] = ()
    rustc: str | None = None
    toolchain: str | None = None
    allow_untested: bool = False
    cache: bool = True
    json: bool = False


@final
class MirDump:
    """A crate's MIR text with what it lacks.  ``files`` are the sources that rustc read.

    ``info`` is made on first use; ``oracle`` runs rustc when asked.
    """

    def __init__(
        self,
        text: str,
        files: tuple[Path, ...],
        outline: "Outline",
        options: RustcOptions,
        key: str | None,
    ) -> None:
        from mirgpu.rustc.layouts import Layouts

        self.text = text
        self.files = files
        self.rustc = outline.rustc
        self.oracle = Layouts(outline, key)
        self._outline = outline
        self._options = options
        self._key = key

    @cached_property
    def info(self) -> CrateInfo:
        known = None if self._key is None else cache.load("info", self._key)
        if known is not None:
            return sidecar.read_trailer(known.decode())
        info = CrateInfo(
            rustc=self.rustc.version,
            edition=self._options.edition,
            overflow_checks=_checks_overflow(self._options),
            bodies=self._outline.bodies(self.text),
            layouts={},
            adts=self._outline.adts(),
            impls=self._outline.impls(self.text),
            twins=self._outline.twins(),
            const_params=self._outline.const_params(),
        )
        if self._key is not None:
            cache.store("info", self._key, sidecar.write_trailer(info).encode())
        return info

    def self_contained(self) -> str:
        """The dump with all that was learnt in a trailing comment, fit for other machines.

        Layouts are those that ``oracle`` has been asked for.
        """
        return sidecar.make_self_contained(self.text, self.info, self.oracle.known)


def dump_mir(source: Path, options: RustcOptions) -> MirDump:
    """Dump a source file's MIR; rustc's warnings go to standard error.

    Raises ``ToolMissingError`` without a rustc (or, for the device crate, a linker),
    ``RustcError`` if rustc refuses the source, ``DiagnosticError`` if it cannot be read.
    """
    return start_dump(source, options)()


def start_dump(source: Path, options: RustcOptions) -> Callable[[], MirDump]:
    """Begin ``dump_mir``; what is returned waits for its end.  Both raise what that does."""
    rustc = find_rustc(options.rustc, options.toolchain, allow_untested=options.allow_untested)
    try:
        content = source.read_bytes()
    except OSError as error:
        raise DiagnosticError(
            Diagnostic("MG0202", f"cannot read {source}: {error.strerror}")
        ) from error
    flags = _flags(source, options)
    if re.search(rb"\bmirgpu\b", content):
        flags += device_crate.device_crate_args(rustc, for_codegen=False)
    key = cache.digest(
        content, *(f.encode() for f in (str(source), rustc.identity, _code_version(), *flags))
    )
    known = _load(key) if options.cache else None
    if known is not None:
        from mirgpu.rustc.outline import Outline

        text, files, content_key = known
        outline = Outline(rustc, str(source), flags)
        return lambda: MirDump(text, files, outline, options, content_key)
    return _run(source, options, rustc, flags, key)


def _run(
    source: Path, options: RustcOptions, rustc: Rustc, flags: list[str], key: str
) -> Callable[[], MirDump]:
    shown = [*_messages(options), *flags, "-Zunpretty=mir", "--emit=dep-info={pipe}"]
    job = Job(rustc, [*shown, str(source)], pipe=True)
    expanded = Job(rustc, expand_arguments(flags, str(source)))

    from mirgpu.rustc.outline import Outline

    outline = Outline(rustc, str(source), flags)
    outline.start(expanded)

    def finish() -> MirDump:
        output = job.result()
        if output.status:
            outline.stop()
            if "mirgpu" in output.stderr and _LACKS_CRATE.search(output.stderr):
                extra = device_crate.device_crate_args(rustc, for_codegen=False)
                if extra[0] not in flags:
                    # A module in another file uses the device crate.
                    return _run(source, options, rustc, [*flags, *extra], key)()
            raise RustcError(output.stderr, _refused(source, output))
        if output.stderr:
            sys.stderr.write(output.stderr)
        files = _dependencies(job.piped())
        text = output.stdout
        if rustc.commit:
            # Where the library's source is installed, rustc names it by its place here.
            local = f"{rustc.path.parent.parent}/lib/rustlib/src/rust/"
            text = text.replace(local, f"/rustc/{rustc.commit}/")
        content_key = _store(key, text, files) if options.cache else None
        return MirDump(text, files, outline, options, content_key)

    return finish


def _refused(source: Path, output: Output) -> Diagnostic:
    if output.status == 101:
        return Diagnostic("MG0204", f"rustc crashed on {source}")
    return Diagnostic("MG0203", f"rustc does not accept {source}")


def _messages(options: RustcOptions) -> list[str]:
    if options.json:
        return ["--error-format=json"]
    return ["--color=always"] if sys.stderr.isatty() and "NO_COLOR" not in os.environ else []


def _flags(source: Path, options: RustcOptions) -> list[str]:
    checks = "on" if options.overflow_checks else "off"
    name = re.sub(r"\W", "_", source.stem, flags=re.ASCII)
    return [
        "--crate-type=lib",
        f"--crate-name={name}",
        f"--edition={options.edition}",
        "-Copt-level=3",
        "-Cpanic=abort",
        "-Cdebug-assertions=off",
        f"-Coverflow-checks={checks}",
        "-Zinline-mir=yes",
        f"-Zinline-mir-threshold={_INLINE_THRESHOLD}",
        f"-Zinline-mir-hint-threshold={_INLINE_THRESHOLD}",
        # It copies a barrier into both arms of a branch.
        "-Zmir-enable-passes=-JumpThreading",
        "-Ztrim-diagnostic-paths=no",
        "-Zspan-free-formats",
        "-Zmir-include-spans=on",
        # Else a type that is too long for a message lands in a file in the current folder.
        "-Zwrite-long-types-to-disk=no",
        *(f"-C{value}" for value in options.codegen),
        *(f"-Z{value}" for value in options.unstable),
        *options.extra,
    ]


def _checks_overflow(options: RustcOptions) -> bool:
    """Whether the code checks for overflow; a ``-C`` flag has the last word."""
    said = options.overflow_checks
    for flag in options.codegen:
        name, _, value = flag.replace("_", "-").partition("=")
        if name == "overflow-checks":
            said = value in ("", "y", "yes", "on", "true")
    return said


def _dependencies(text: str) -> tuple[Path, ...]:
    """The source files that a dep-info file names, each as a rule without prerequisites."""
    names = re.findall(r"^((?:\\.|[^\\\n])+):$", text, re.M)
    return tuple(Path(re.sub(r"\\(.)", r"\1", name)) for name in names)


# ------------------------------------------------------------------------------ the cache


def _code_version() -> str:
    """Changes with this package's own code."""
    here = Path(__file__).parent
    stats = ((p.name, p.stat()) for p in sorted(here.glob("*.py")))
    return repr([(name, s.st_size, s.st_mtime_ns) for name, s in stats])


def _load(key: str) -> tuple[str, tuple[Path, ...], str] | None:
    """The dump, its files and their key, if none of them has changed."""
    entry = cache.load("dump", key)
    if entry is None:
        return None
    files = tuple(Path(name) for name in json.loads(entry))
    content_key = _content_key(key, files)
    if content_key is None:
        return None
    text = cache.load("mir", content_key)
    return None if text is None else (text.decode("utf-8", "surrogateescape"), files, content_key)


def _store(key: str, text: str, files: tuple[Path, ...]) -> str | None:
    content_key = _content_key(key, files)
    if content_key is not None:
        cache.store("mir", content_key, text.encode("utf-8", "surrogateescape"))
        cache.store("dump", key, json.dumps([str(f) for f in files]).encode())
    return content_key


def _content_key(key: str, files: tuple[Path, ...]) -> str | None:
    try:
        parts = [path.read_bytes() for path in files]
    except OSError:
        return None
    return cache.digest(key.encode(), *parts)
