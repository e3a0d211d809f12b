"""What lowering raises inside, before the place in the source is known."""

from typing import final

from mirgpu.diagnostics import Diagnostic
from mirgpu.kir.ops import Location

_LIBRARY = ("/rustc/", "/library/core/", "/library/std/", "/library/alloc/", "lib/rustlib/src/")


@final
class LowerError(Exception):
    """Something that cannot be lowered exactly; a statement's lowering adds where it stands."""

    def __init__(
        self, code: str, title: str, *, help: str | None = None, notes: tuple[str, ...] = ()
    ) -> None:
        super().__init__(title)
        self.code = code
        self.title = title
        self.help = help
        self.notes = notes


def trait_objects() -> LowerError:
    return LowerError(
        "MG0307",
        "trait objects are not supported",
        help="use a generic parameter (`impl Trait`) or an enum instead of `dyn`",
    )


def is_library(file: str) -> bool:
    """Whether ``file`` belongs to Rust's own libraries, as rustc prints their paths."""
    return any(part in file for part in _LIBRARY)


def user_location(loc: Location | None) -> Location | None:
    """The innermost place in the user's code: library code is left through its call sites."""
    at = loc
    while at is not None and is_library(at.file) and at.inlined_at is not None:
        at = at.inlined_at
    return at


def to_diagnostic(error: LowerError, loc: Location | None, mir: str | None) -> Diagnostic:
    at = user_location(loc)
    return Diagnostic(
        error.code,
        error.title,
        file=at.file if at else None,
        line=at.line if at else None,
        col=at.col if at else None,
        mir=mir,
        notes=error.notes,
        helps=(error.help,) if error.help else (),
    )
