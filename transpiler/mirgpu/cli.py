"""The command line.  Typer only: every stage is imported by the command that needs it."""

import gc
import os
import sys
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Literal, NoReturn

import typer

from mirgpu.diagnostics import DiagnosticError, ToolMissingError, UsageError

EXIT_DIAGNOSTICS, EXIT_USAGE, EXIT_TOOL_MISSING, EXIT_DEFECT, EXIT_PANIC = 1, 2, 3, 70, 101

app = typer.Typer(
    name="mirgpu",
    help="Rust's MIR straight to PTX: transpile, run and inspect GPU kernels without LLVM.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


Source = Annotated[
    str,
    typer.Argument(
        metavar="FILE",
        help="A Rust source (.rs), a MIR dump (.mir), or - for a dump on standard input.",
    ),
]
Kernels = Annotated[
    list[str] | None,
    typer.Option("--kernel", "-k", metavar="NAME", help="Only this kernel; may be repeated."),
]
Index = Annotated[
    str,
    typer.Option(
        metavar="I[,J[,K]]",
        help="Parameters of plain kernels bound to the global thread index in x, y, z.",
    ),
]
Arch = Annotated[
    str | None, typer.Option(metavar="ARCH", help="sm_60 … sm_120; implies the target.")
]
Target = Annotated[str | None, typer.Option(help="ptx, or kir (the IR itself).")]
Edition = Annotated[str, typer.Option(metavar="YEAR", help="Rust edition of the source.")]
OverflowChecks = Annotated[
    bool,
    typer.Option(
        "--overflow-checks/--no-overflow-checks",
        help="Panic on integer overflow, as debug builds do.",
    ),
]
FpContract = Annotated[Literal["off", "fast"], typer.Option(help="fast: allow fused multiply-add.")]
Panic = Annotated[
    Literal["report", "trap"],
    typer.Option(help="What a panicking thread does: report and end, or trap."),
]
DebugInfo = Annotated[
    bool, typer.Option("-g", "--debug", help="Line information (.loc) for debuggers and profilers.")
]
Templates = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Templates that replace the built-in ones, file by file."),
]
DumpAfter = Annotated[
    list[str] | None,
    typer.Option(
        "--dump-after",
        metavar="PASS",
        help="Print kir after this pass (`lower`: before all) on standard error.",
    ),
]
Rustc = Annotated[str | None, typer.Option(metavar="PATH", help="The rustc to use.")]
Toolchain = Annotated[
    str | None, typer.Option(metavar="NAME", help="The rustup toolchain to use: nightly, stable, …")
]
Codegen = Annotated[
    list[str] | None, typer.Option("-C", metavar="OPT[=VALUE]", help="Passed on to rustc.")
]
Unstable = Annotated[
    list[str] | None, typer.Option("-Z", metavar="FLAG[=VALUE]", help="Passed on to rustc.")
]
Untested = Annotated[
    bool,
    typer.Option("--allow-untested-rustc", help="Accept a rustc that mirgpu was not tested with."),
]

MessageFormat = Annotated[
    Literal["human", "json"], typer.Option("--message-format", help="How errors are written.")
]


def _show_version(wanted: bool) -> None:
    if wanted:
        from mirgpu.versions import version_lines

        typer.echo("\n".join(version_lines()))
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            "-V",
            is_eager=True,
            callback=_show_version,
            help="Versions of mirgpu, rustc and ptxas.",
        ),
    ] = False,
) -> None:
    """Options of the command itself."""


@app.command(no_args_is_help=True)
def transpile(
    source: Source,
    output: Annotated[
        Path | None,
        typer.Option(
            "-o", "--output", metavar="FILE", help="Write here, and the manifest beside it."
        ),
    ] = None,
    emit: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="Any of ptx,kir,mir,manifest, written to --out-dir (or one to standard output).",
        ),
    ] = None,
    out_dir: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Where --emit writes.")
    ] = None,
    kernel: Kernels = None,
    index: Index = "i",
    target: Target = None,
    arch: Arch = None,
    edition: Edition = "2021",
    overflow_checks: OverflowChecks = False,
    fp_contract: FpContract = "off",
    panic: Panic = "report",
    debug: DebugInfo = False,
    templates: Templates = None,
    dump_after: DumpAfter = None,
    rustc: Rustc = None,
    toolchain: Toolchain = None,
    codegen: Codegen = None,
    unstable: Unstable = None,
    allow_untested_rustc: Untested = False,
    message_format: MessageFormat = "human",
) -> None:
    """Transpile Rust, or a MIR dump, to PTX.

    \b
    mirgpu transpile saxpy.rs                         PTX on standard output
    mirgpu transpile nbody.rs -o nbody.ptx            and nbody.manifest.json
    mirgpu transpile nbody.rs --emit ptx,kir,mir,manifest --out-dir out
    mirgpu transpile dump.mir --kernel saxpy          from MIR alone, without rustc
    """
    from mirgpu.driver import Options
    from mirgpu.outputs import write_outputs

    options = Options(
        kernels=tuple(kernel or ()),
        index=_index(index),
        target=target,
        arch=arch,
        edition=edition,
        overflow_checks=overflow_checks,
        fp_contract=fp_contract,
        panic=panic,
        debug=debug,
        templates=templates,
        dump_after=tuple(dump_after or ()),
        rustc=rustc,
        toolchain=toolchain,
        codegen=tuple(codegen or ()),
        unstable=tuple(unstable or ()),
        allow_untested_rustc=allow_untested_rustc,
        json_messages=message_format == "json",
    )
    write_outputs(source, options, output, emit, out_dir)


@app.command(no_args_is_help=True)
def run(
    source: Source,
    arg: Annotated[
        list[str] | None,
        typer.Option(
            "--arg",
            metavar="NAME=VALUE",
            help="A number, @file.npy, or random, zeros, ones, arange with an optional :LENGTH.",
        ),
    ] = None,
    save: Annotated[
        list[str] | None,
        typer.Option(
            "--save", metavar="NAME=@FILE.npy", help="Write an argument's final contents."
        ),
    ] = None,
    n: Annotated[
        str | None,
        typer.Option("--n", metavar="N[,M[,K]]", help="How many threads, on each index."),
    ] = None,
    grid: Annotated[
        str | None, typer.Option(metavar="X[,Y[,Z]]", help="Blocks, for device-crate kernels.")
    ] = None,
    block: Annotated[str | None, typer.Option(metavar="X[,Y[,Z]]", help="Threads a block.")] = None,
    seed: Annotated[int, typer.Option(help="Seed of the inputs that no --arg gives.")] = 0,
    device: Annotated[
        str | None,
        typer.Option("--device", "-d", help="cuda or interp; without it, the first that works."),
    ] = None,
    order: Annotated[
        Literal["ascending", "descending", "shuffled"],
        typer.Option(help="Order of threads on interp."),
    ] = "ascending",
    json: Annotated[bool, typer.Option("--json", help="The result as JSON.")] = False,
    kernel: Kernels = None,
    index: Index = "i",
    arch: Arch = None,
    edition: Edition = "2021",
    overflow_checks: OverflowChecks = False,
    fp_contract: FpContract = "off",
    panic: Panic = "report",
    templates: Templates = None,
    rustc: Rustc = None,
    toolchain: Toolchain = None,
    codegen: Codegen = None,
    unstable: Unstable = None,
    allow_untested_rustc: Untested = False,
    message_format: MessageFormat = "human",
) -> None:
    """Run one kernel and print a checksum of each array.

    \b
    mirgpu run saxpy.rs --arg a=2.0 --arg x=@x.npy --save y=@y.npy --n 1000000
    mirgpu run saxpy.rs --device interp               seeded inputs
    """
    from mirgpu.runtime.run import RunOptions, run_command

    result = run_command(
        RunOptions(
            source=source,
            kernel=_single(kernel),
            arguments=tuple(arg or ()),
            saves=tuple(save or ()),
            n=_sizes("--n", n),
            grid=_sizes("--grid", grid),
            block=_sizes("--block", block),
            seed=seed,
            device=device,
            order=order,
            transpile={
                "index": _index(index),
                "arch": arch,
                "edition": edition,
                "overflow_checks": overflow_checks,
                "fp_contract": fp_contract,
                "panic": panic,
                "templates": templates,
                "rustc": rustc,
                "toolchain": toolchain,
                "codegen": tuple(codegen or ()),
                "unstable": tuple(unstable or ()),
                "allow_untested_rustc": allow_untested_rustc,
                "json_messages": message_format == "json",
            },
        )
    )
    typer.echo(result.to_json() if json else result.to_text())


@app.command()
def doctor(
    json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> None:
    """Say what is found on this machine: rustc, ptxas, GPU.

    Each finding says what it gives, and what to install where it is missing.
    """
    from mirgpu.runtime.doctor import diagnose, findings_as_json, findings_as_text

    findings = diagnose()
    typer.echo(findings_as_json(findings) if json else findings_as_text(findings))


def _index(text: str) -> tuple[str, ...]:
    names = tuple(name.strip() for name in text.split(",")) if text else ()
    if len(names) > 3 or not all(name.isidentifier() for name in names):
        raise UsageError(f"--index takes one to three parameter names, not `{text}`")
    return names


def _single(kernels: list[str] | None) -> str | None:
    if kernels is None or not kernels:
        return None
    if len(kernels) > 1:
        raise UsageError("run takes one --kernel")
    return kernels[0]


def _sizes(option: str, text: str | None) -> tuple[int, ...] | None:
    if text is None:
        return None
    try:
        sizes = tuple(int(part.replace("_", "")) for part in text.split(","))
    except ValueError:
        sizes = ()
    if not 1 <= len(sizes) <= 3 or any(size < 0 for size in sizes):
        raise UsageError(f"{option} takes one to three whole numbers, not `{text}`")
    return sizes


def main() -> NoReturn:
    """Run the command; every expected error is one message on standard error and a code."""
    # A command is short and builds trees that live to its end: collecting them costs a tenth of
    # the time and frees nothing.
    gc.disable()
    try:
        app(standalone_mode=True)
    except DiagnosticError as error:
        _show(error)
        sys.exit(EXIT_DIAGNOSTICS)
    except ToolMissingError as error:
        _fail(str(error), EXIT_TOOL_MISSING)
    except UsageError as error:
        _fail(str(error), EXIT_USAGE)
    except BrokenPipeError:
        # The reader of our output has left; nothing more can be said to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_DIAGNOSTICS)
    except KeyboardInterrupt:
        sys.exit(130)
    except Exception as error:
        _unexpected(error)
    raise AssertionError("Typer exits by itself")


def _unexpected(error: Exception) -> NoReturn:
    """A kernel's panic (its class is there only once the launcher was imported), or a defect."""
    errors = sys.modules.get("mirgpu.runtime.errors")
    if errors is not None and isinstance(error, errors.KernelPanic):
        _fail(str(error), EXIT_PANIC, label="panic")
    if "MIRGPU_BACKTRACE" in os.environ:
        raise error
    _fail(
        f"this is a defect of mirgpu: {type(error).__name__}: {error}\n"
        "set MIRGPU_BACKTRACE=1 for where it happened, and please report it",
        EXIT_DEFECT,
    )


def _json_messages() -> bool:
    arguments = sys.argv[1:]
    return "--message-format=json" in arguments or any(
        pair == ("--message-format", "json") for pair in pairwise(arguments)
    )


def _show(error: DiagnosticError) -> None:
    from mirgpu.render import as_json, as_text, wants_colour

    rustc_text = getattr(error, "text", None)
    if rustc_text is not None:
        sys.stderr.write(rustc_text)
        return
    for diagnostic in error.diagnostics:
        if _json_messages():
            print(as_json(diagnostic), file=sys.stderr)
        else:
            print(as_text(diagnostic, wants_colour()), file=sys.stderr)


def _fail(message: str, code: int, label: str = "error") -> NoReturn:
    import json

    if _json_messages():
        print(json.dumps({"level": label, "message": message}), file=sys.stderr)
    else:
        print(f"{label}: {message}", file=sys.stderr)
    sys.exit(code)


if __name__ == "__main__":
    main()
