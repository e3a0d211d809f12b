"""A transpiled module: its text in one target's language, and its manifest."""

from dataclasses import dataclass
from typing import final

from mirgpu.runtime.manifest import Manifest


@final
@dataclass(frozen=True, slots=True)
class Artifact:
    """``text`` is PTX, HIP C or textual kir, as ``manifest.target`` says."""

    text: str
    manifest: Manifest
