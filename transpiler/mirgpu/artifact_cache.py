"""Artifacts kept on disk, so that transpiling an unchanged source again costs no stage.

The key is made of everything that can change the result: the options, the compiler's identity,
mirgpu's own code, the templates, and the content of every file that rustc read.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING, final

from mirgpu import cache
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.manifest import from_json, to_json
from mirgpu.rustc.find import find_rustc

if TYPE_CHECKING:
    from mirgpu.driver import Options

_FILES, _ARTIFACT = "artifact-files", "artifact"


@final
class ArtifactCache:
    """The cache's view of one source under one set of options."""

    def __init__(self, source: Path, options: "Options") -> None:
        rustc = find_rustc(
            options.rustc, options.toolchain, allow_untested=options.allow_untested_rustc
        )
        parts = (str(source.absolute()), repr(options), rustc.identity, _own_code(options))
        self._source = source
        self._key = cache.digest(*(part.encode() for part in parts))
        self._files: tuple[Path, ...] = ()

    def record(self, files: tuple[Path, ...]) -> None:
        """Remember which files rustc read; without them nothing is stored."""
        self._files = files

    def get(self) -> Artifact | None:
        """The stored artifact, if no file that went into it has changed."""
        names = cache.load(_FILES, self._key)
        if names is None:
            return None
        content_key = self._content_key(tuple(Path(name) for name in json.loads(names)))
        stored = None if content_key is None else cache.load(_ARTIFACT, content_key)
        if stored is None:
            return None
        manifest, _, text = stored.decode().partition("\n")
        return Artifact(text, from_json(manifest))

    def put(self, artifact: Artifact) -> None:
        """Store the artifact; a cache that cannot be written is no error."""
        content_key = self._content_key(self._files) if self._files else None
        if content_key is None:
            return
        stored = f"{to_json(artifact.manifest)}\n{artifact.text}"
        cache.store(_ARTIFACT, content_key, stored.encode())
        cache.store(_FILES, self._key, json.dumps([str(path) for path in self._files]).encode())

    def _content_key(self, files: tuple[Path, ...]) -> str | None:
        try:
            return cache.digest(self._key.encode(), *(path.read_bytes() for path in files))
        except OSError:
            return None


def _own_code(options: "Options") -> str:
    """Changes whenever a file of mirgpu's, or a template in use, does."""
    here = Path(__file__).parent
    roots = {here, *(Path(each) for each in _template_roots())}
    if options.templates is not None:
        roots.add(options.templates)
    stamps = [
        (str(path), stat.st_size, stat.st_mtime_ns)
        for root in sorted(roots)
        for path in sorted(root.rglob("*"))
        if path.suffix != ".pyc" and (stat := path.stat()) is not None and path.is_file()
    ]
    return repr(stamps)


def _template_roots() -> list[str]:
    from importlib.util import find_spec

    spec = find_spec("mirgpu.templates")
    return list(spec.submodule_search_locations or ()) if spec is not None else []
