"""The one place that orders the stages: Rust or MIR in, an artifact out.

    source ─ rustc ─▶ MIR text ─ mir ─▶ typed MIR ─ lower ─▶ kir ─ passes ─▶ kir ─ target ─▶ text

Stages are imported when they run, so that a run from the cache imports none of them.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal, final

from mirgpu.diagnostics import Diagnostic, DiagnosticError, UsageError
from mirgpu.node import node
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.manifest import Manifest, PanicInfo, PanicOperandInfo
from mirgpu.version import VERSION

if TYPE_CHECKING:
    from mirgpu.crate_info import CrateInfo, LayoutOracle, TypeLayout
    from mirgpu.kir.module import Module, PanicSite
    from mirgpu.lower import Lowered
    from mirgpu.mir.dump import Dump
    from mirgpu.rustc import MirDump

KIR = "kir"
"""Not a target of ``mirgpu.targets``: the IR itself, which the ``interp`` device runs."""


@final
@node
class Options:
    """Everything that changes what comes out.  ``index`` names the parameters of plain kernels
    that are bound to the thread index in x, y and z.  ``target`` is one of
    ``mirgpu.targets.registry`` or ``kir``, none for the one that ``arch`` implies; ``arch`` is
    its architecture, such as ``sm_90``, none for its default.
    """

    kernels: tuple[str, ...] = ()
    index: tuple[str, ...] = ("i",)
    target: str | None = None
    arch: str | None = None
    edition: str = "2021"
    overflow_checks: bool = False
    fp_contract: Literal["off", "fast"] = "off"
    panic: Literal["report", "trap"] = "report"
    debug: bool = False
    templates: Path | None = None
    dump_after: tuple[str, ...] = ()
    rustc: str | None = None
    toolchain: str | None = None
    codegen: tuple[str, ...] = ()
    unstable: tuple[str, ...] = ()
    allow_untested_rustc: bool = False
    json_messages: bool = False


@final
@node
class Emitted:
    """An artifact and what it was made from.

    ``mir`` is the dump as it came, ``layouts`` what rustc was asked beside it (none for a dump,
    which has in it all that will ever be known), ``module`` the optimised kir.
    """

    artifact: Artifact
    mir: str
    info: "CrateInfo"
    layouts: "Mapping[str, TypeLayout] | None"
    module: "Module"


def transpile(source: Path | str, options: Options) -> Artifact:
    """Transpile a Rust file, a MIR dump (``.mir``), or the text of one (``str``).

    Raises DiagnosticError for what is wrong with the source, ToolMissingError where rustc is
    needed and not found, UsageError for options that make no sense.
    """
    from mirgpu.artifact_cache import ArtifactCache

    if isinstance(source, Path) and not source.is_file():
        raise UsageError(f"no such file: {source}")
    if isinstance(source, str) or source.suffix == ".mir" or options.dump_after:
        return build(source, options).artifact
    cache = ArtifactCache(source, options)
    artifact = cache.get()
    if artifact is None:
        artifact = build(source, options, record=cache.record).artifact
        cache.put(artifact)
    return artifact


def build(
    source: Path | str,
    options: Options,
    record: Callable[[tuple[Path, ...]], None] | None = None,
) -> Emitted:
    """Run every stage.  ``record`` is told the files that rustc read."""
    finish = _start(source, options)
    # rustc runs in its own process while these are imported.
    from mirgpu.lower import LowerOptions, lower_module
    from mirgpu.mir.dump import Dump
    from mirgpu.passes import pipeline as _  # noqa: F401

    mir = finish()
    dump = Dump(mir.text, mir.file)
    info = _info_of(dump) if mir.dump is None else mir.dump.info
    oracle = None if mir.dump is None else mir.dump.oracle
    if record is not None and mir.dump is not None:
        record(mir.dump.files)
    recorder = None if oracle is None else _Recorder(oracle)
    lowered = lower_module(
        dump,
        info,
        LowerOptions(
            kernels=options.kernels,
            index=options.index,
            overflow_checks=options.overflow_checks,
        ),
        recorder,
    )
    module = _optimise(lowered.module, options)
    artifact = _emit(module, lowered, info, options)
    layouts = None if recorder is None else recorder.resolved
    return Emitted(artifact, mir.text, info, layouts, module)


class _Recorder:
    """Passes questions on, and keeps the answers for the self-contained dump."""

    def __init__(self, oracle: "LayoutOracle") -> None:
        self._oracle = oracle
        self.resolved: dict[str, TypeLayout] = {}

    def resolve(
        self, types: Sequence[str], variants: Mapping[str, frozenset[str]]
    ) -> "Mapping[str, TypeLayout]":
        answers = self._oracle.resolve(types, variants)
        self.resolved.update(answers)
        return answers


@final
@node
class _Mir:
    """A dump's text, its name for messages, and what rustc says beside it, where it ran."""

    text: str
    file: str
    dump: "MirDump | None"


def _start(source: Path | str, options: Options) -> Callable[[], _Mir]:
    """Begin to get the MIR; the result waits for it."""
    if isinstance(source, str):
        return lambda: _Mir(source, "<stdin>", None)
    if source.suffix == ".mir":
        text = read_text(source)
        return lambda: _Mir(text, str(source), None)
    from mirgpu.rustc import RustcOptions, start_dump

    wait = start_dump(
        source,
        RustcOptions(
            edition=options.edition,
            overflow_checks=options.overflow_checks,
            codegen=options.codegen,
            unstable=options.unstable,
            rustc=options.rustc,
            toolchain=options.toolchain,
            allow_untested=options.allow_untested_rustc,
            json=options.json_messages,
        ),
    )

    def finish() -> _Mir:
        dump = wait()
        return _Mir(dump.text, str(source), dump)

    return finish


def _info_of(dump: "Dump") -> "CrateInfo":
    from mirgpu.rustc import raw_info, read_trailer

    return raw_info() if dump.trailer is None else read_trailer(dump.trailer)


def _optimise(module: "Module", options: Options) -> "Module":
    from mirgpu.kir.printer import print_module
    from mirgpu.passes.pipeline import DEFAULT, run_passes

    known = [each.NAME for each in DEFAULT]
    for name in options.dump_after:
        if name not in known and name != "lower":
            raise UsageError(
                f"unknown pass `{name}`; passes: lower, {', '.join(dict.fromkeys(known))}"
            )

    def show(name: str, after: "Module") -> None:
        if name in options.dump_after:
            sys.stderr.write(f"; kir after {name}\n{print_module(after)}\n")

    show("lower", module)
    return run_passes(module, DEFAULT, show if options.dump_after else None)


def _emit(module: "Module", lowered: "Lowered", info: "CrateInfo", options: Options) -> Artifact:
    if options.target == KIR:
        from mirgpu.kir.printer import print_module

        if options.arch is not None:
            raise UsageError("kir has no architectures")
        target, arch, isa, buffer = KIR, None, None, None
        text = print_module(module)
    else:
        from mirgpu.targets.ptx import PtxOptions
        from mirgpu.targets.registry import load_target, target_for

        chosen = target_for(options.target, options.arch)
        target, arch = chosen.name, options.arch or chosen.default_arch
        output = load_target(chosen).emit(
            module,
            arch,
            PtxOptions(
                debug=options.debug,
                fp_contract=options.fp_contract,
                panic=options.panic,
                templates_dir=options.templates,
            ),
        )
        text, isa, buffer = output.text, output.isa_version, output.panic_buffer
    manifest = Manifest(
        mirgpu=VERSION,
        rustc=info.rustc,
        target=target,
        arch=arch,
        isa=isa,
        flags=_flags(options),
        kernels=lowered.kernels,
        types=lowered.types,
        panics=tuple(_panic_info(site) for site in module.panics),
        panic_buffer=buffer,
    )
    return Artifact(text, manifest)


def _flags(options: Options) -> tuple[str, ...]:
    """The options that change what the code means, as the command line writes them."""
    flags = [f"--fp-contract={options.fp_contract}", f"--panic={options.panic}"]
    flags += ["--overflow-checks"] if options.overflow_checks else []
    flags += ["-g"] if options.debug else []
    flags += [f"-C{value}" for value in options.codegen]
    flags += [f"-Z{value}" for value in options.unstable]
    return tuple(flags)


def _panic_info(site: "PanicSite") -> PanicInfo:
    operands = tuple(PanicOperandInfo(each.kind, each.trait.value) for each in site.operands)
    loc = site.loc
    if loc is None:
        return PanicInfo(site.message, operands, None, None, None)
    return PanicInfo(site.message, operands, loc.file, loc.line, loc.col)


def read_text(path: Path) -> str:
    """A file's text.  Raises UsageError where it cannot be read, DiagnosticError if not UTF-8."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot read {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise DiagnosticError(
            Diagnostic(
                code="MG0100",
                title="the file is not UTF-8 text",
                file=str(path),
                notes=(f"byte {error.start} is 0x{error.object[error.start]:02x}",),
                helps=("pass a Rust source (.rs) or a MIR dump (.mir)",),
            )
        ) from error
