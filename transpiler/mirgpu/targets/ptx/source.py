"""Where instructions come from: comments for people, ``.file`` and ``.loc`` for profilers."""

from typing import final

from mirgpu.kir.ops import Location
from mirgpu.targets.ptx.ir import DebugString, InlinedAt, Loc


@final
class SourceMap:
    """Numbers the files and names the inlined functions of one module.

    ``inlined`` tells whether the PTX version knows ``inlined_at``; without it a ``.loc`` gives
    the place in the kernel's own text.
    """

    def __init__(self, inlined: bool) -> None:
        self._inlined = inlined
        self._comments: dict[int, tuple[Location, str]] = {}
        self._files: dict[str, int] = {}
        self._strings: dict[str, str] = {}

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(self._files)

    @property
    def debug_strings(self) -> tuple[DebugString, ...]:
        return tuple(
            DebugString(label, text.encode() + b"\0") for text, label in self._strings.items()
        )

    def comment(self, loc: Location) -> str:
        """``src/lib.rs:7``: the innermost place in the user's text."""
        known = self._comments.get(id(loc))  # The entry keeps ``loc`` alive, and its id its own.
        if known is None:
            place = in_user_text(loc)
            known = self._comments[id(loc)] = (loc, one_line(f"{place.file}:{place.line}"))
        return known[1]

    def directives(self, loc: Location, seen: set[Loc]) -> list[Loc]:
        """What to write before an instruction from ``loc``.

        A place that ``inlined_at`` names must stand in a ``.loc`` of the function before;
        ``seen`` holds those that do, and gains what is returned.
        """
        *callers, directive = self._chain(loc)
        out = [*[caller for caller in callers if caller not in seen], directive]
        seen.update(out)
        return out

    def _chain(self, loc: Location) -> list[Loc]:
        """The directives of ``loc``'s callers, outermost first, and its own."""
        if not self._inlined or loc.function is None or loc.inlined_at is None:
            place = in_user_text(loc)
            return [Loc(self._file(place.file), place.line, place.col, None)]
        callers = self._chain(loc.inlined_at)
        at = callers[-1]
        name = self._strings.setdefault(loc.function, f"$info_string{len(self._strings)}")
        inlined = InlinedAt(name, at.file, at.line, at.col)
        return [*callers, Loc(self._file(loc.file), loc.line, loc.col, inlined)]

    def _file(self, name: str) -> int:
        return self._files.setdefault(one_line(name), len(self._files) + 1)


def in_user_text(loc: Location) -> Location:
    """The innermost of ``loc`` and its callers that is not in Rust's own library."""
    place = loc
    while place.file.startswith(("/rustc/", "library/")) and place.inlined_at is not None:
        place = place.inlined_at
    return place


def one_line(text: str) -> str:
    """``text`` without what would end a comment's line or a quoted name, and in ASCII: ptxas
    takes nothing else, not even in comments.  A backslash would be an escape."""
    text = text.replace("\\", "/")
    return "".join(c if " " <= c <= "~" and c != '"' else "?" for c in text)
