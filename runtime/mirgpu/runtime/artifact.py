"""A transpiled module: its text in one target's language, and its manifest."""

import contextlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from mirgpu.runtime.manifest import Manifest, ManifestError, extract, from_json, to_json

SUFFIXES: Final = {"ptx": ".ptx", "hip": ".hip", "kir": ".kir"}
"""The file name's ending of each target's text."""


@final
@dataclass(frozen=True, slots=True)
class Artifact:
    """``text`` is PTX, HIP C or textual kir, as ``manifest.target`` says."""

    text: str
    manifest: Manifest


def manifest_path(path: Path) -> Path:
    """``nbody.ptx`` has its manifest in ``nbody.manifest.json``."""
    return path.with_suffix(".manifest.json")


def save(artifact: Artifact, path: str | os.PathLike[str]) -> Path:
    """Write the text to ``path`` and the manifest beside it; return the manifest's path.

    Each file appears whole or not at all.
    """
    path = Path(path)
    beside = manifest_path(path)
    write_atomic(beside, to_json(artifact.manifest, indent=1) + "\n")
    write_atomic(path, artifact.text)
    return beside


def load(path: str | os.PathLike[str]) -> Artifact:
    """Read an artifact: the manifest in the text's comments, else the one beside it.

    Raises ``OSError`` for a file that cannot be read, ``ManifestError`` for a manifest that is
    missing, damaged or for another target than the file's name says.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise ManifestError(f"{path} is not text") from None
    beside = manifest_path(path)
    try:
        manifest = extract(text)
        if manifest is None:
            if not beside.exists():
                raise ManifestError(
                    f"no manifest in it, and no {beside.name} beside it; "
                    "only files written by mirgpu can be loaded"
                )
            manifest = from_json(beside.read_text(encoding="utf-8"))
    except ManifestError as error:
        raise ManifestError(f"{path}: {error}") from None
    if SUFFIXES.get(manifest.target) != path.suffix and path.suffix in SUFFIXES.values():
        raise ManifestError(f"{path}: its manifest is of a {manifest.target} module")
    if manifest.target == "kir":
        # Textual kir has no comments; the manifest stands behind it in one.
        text = "".join(line for line in text.splitlines(True) if not line.startswith(";"))
    return Artifact(text, manifest)


def write_atomic(path: Path, text: str) -> None:
    """Write ``text`` to a new file in ``path``'s folder, then rename it to ``path``."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        # mkstemp's files are private; a result has the mode that open() would give.
        mask = os.umask(0)
        os.umask(mask)
        Path(name).chmod(0o666 & ~mask)
        Path(name).replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
