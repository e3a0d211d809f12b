"""What ``mirgpu transpile`` writes, and where: whole files or none."""

import sys
from pathlib import Path

from mirgpu.diagnostics import UsageError
from mirgpu.driver import Emitted, Options, build, transpile
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.manifest import embed, to_json

EMITTABLE = ("ptx", "kir", "mir", "manifest")


def write_outputs(
    source: str, options: Options, output: Path | None, emit: str | None, out_dir: Path | None
) -> None:
    """Transpile ``source`` (a path, or ``-``) and write what was asked for.

    Raises UsageError for outputs that do not go together.
    """
    given: Path | str = sys.stdin.read() if source == "-" else Path(source)
    if emit is not None:
        _write_emitted(given, options, _kinds(emit), output, out_dir)
        return
    if out_dir is not None:
        raise UsageError("--out-dir goes with --emit")
    if output is not None and isinstance(given, Path) and output.resolve() == given.resolve():
        raise UsageError(f"-o {output} would overwrite the source")
    artifact = transpile(given, options)
    if output is None:
        sys.stdout.write(_text(artifact))
        return
    write_files(
        {
            output: _text(artifact),
            output.with_suffix(".manifest.json"): to_json(artifact.manifest),
        }
    )


def _write_emitted(
    source: Path | str,
    options: Options,
    kinds: tuple[str, ...],
    output: Path | None,
    out_dir: Path | None,
) -> None:
    if output is not None:
        raise UsageError("-o goes without --emit; --out-dir says where --emit writes")
    if out_dir is None and len(kinds) != 1:
        raise UsageError("--emit of several kinds needs --out-dir")
    from mirgpu.kir.printer import print_module

    emitted = build(source, options)
    texts = {
        "ptx": lambda: _text(emitted.artifact),
        "kir": lambda: print_module(emitted.module),
        "mir": lambda: _mir(emitted),
        "manifest": lambda: to_json(emitted.artifact.manifest),
    }
    if out_dir is None:
        sys.stdout.write(texts[kinds[0]]())
        return
    stem = source.stem if isinstance(source, Path) else "stdin"
    suffix = {"manifest": "manifest.json"}
    write_files({out_dir / f"{stem}.{suffix.get(kind, kind)}": texts[kind]() for kind in kinds})


def self_contained(source: Path, options: Options) -> str:
    """A dump of ``source`` that can be transpiled without rustc: what ``--emit mir`` writes."""
    return _mir(build(source, options))


def _mir(emitted: Emitted) -> str:
    from mirgpu.rustc import make_self_contained

    if emitted.layouts is None:
        return emitted.mir
    return make_self_contained(emitted.mir, emitted.info, emitted.layouts)


def _kinds(emit: str) -> tuple[str, ...]:
    kinds = tuple(dict.fromkeys(part.strip() for part in emit.split(",")))
    for kind in kinds:
        if kind not in EMITTABLE:
            raise UsageError(f"--emit takes {', '.join(EMITTABLE)}, not `{kind}`")
    return kinds


def _text(artifact: Artifact) -> str:
    comment = {"ptx": "//", "kir": ";"}[artifact.manifest.target]
    return embed(artifact.text, artifact.manifest, comment)


def write_files(texts: dict[Path, str]) -> None:
    """Write all files, each to its end under another name first, so that none is left half
    written.  Raises UsageError where one cannot be written, or is a device, pipe or folder,
    which a rename would replace."""
    import os

    texts = {path.resolve(): text for path, text in texts.items()}
    for path in texts:
        if path.exists() and not path.is_file():
            raise UsageError(f"cannot write {path}: it is no regular file")
    parts: list[tuple[Path, Path]] = []
    try:
        for path, text in texts.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            part = path.with_name(f".{path.name}.{os.getpid()}.part")
            parts.append((part, path))
            part.write_text(text, encoding="utf-8")
        for part, path in parts:
            part.replace(path)
    except OSError as error:
        for part, _ in parts:
            part.unlink(missing_ok=True)
        raise UsageError(f"cannot write {error.filename}: {error.strerror}") from error
