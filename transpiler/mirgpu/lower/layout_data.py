"""Layouts as data, and what MIR shows of a type before its layout is known."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import final

from mirgpu.crate_info import TagLayout
from mirgpu.kir.types import Type
from mirgpu.mir.syntax import Ty


@final
@dataclass(frozen=True, slots=True)
class Variant:
    """``offsets`` by field index; ``discriminant`` none where nobody knows it."""

    name: str
    discriminant: int | None
    offsets: Mapping[int, int]
    inhabited: bool


@final
@dataclass(frozen=True, slots=True)
class Layout:
    """``scalar``: loaded and stored as one value; ``fat``: as a pointer and an ``i64``."""

    size: int
    align: int
    exact: bool
    scalar: Type | None = None
    fat: bool = False
    variants: tuple[Variant, ...] = ()
    tag: TagLayout | None = None


@final
class Seen:
    """What MIR has shown of one nominal type."""

    __slots__ = ("complete", "fields", "names", "union", "variants")

    def __init__(self) -> None:
        self.fields: dict[str, dict[int, Ty]] = {}
        self.names: dict[str, tuple[str, ...]] = {}
        self.variants: list[str] = []
        self.complete = False
        self.union = False
