"""What a launch can raise: a refused launch, and a kernel that panicked."""

from typing import final

from mirgpu.diagnostics import Diagnostic, DiagnosticError


class LaunchError(DiagnosticError):
    """A launch that was refused or failed; the kernel did not run, unless ``MG0517`` says so.

    ``code`` is ``MG05`` and two digits, ``title`` names kernel and parameter.
    """

    def __init__(
        self, code: str, title: str, *, notes: tuple[str, ...] = (), helps: tuple[str, ...] = ()
    ) -> None:
        super().__init__(Diagnostic(code, title, notes=notes, helps=helps))
        self.code = code
        self.title = title
        self.notes = notes
        self.helps = helps

    def __str__(self) -> str:
        lines = [f"{self.title} [{self.code}]"]
        lines += [f"  note: {note}" for note in self.notes]
        lines += [f"  help: {text}" for text in self.helps]
        return "\n".join(lines)


class LaunchTypeError(LaunchError, TypeError):
    """An argument of the wrong type, dtype or dimension, or a wrong number of them."""


class LaunchValueError(LaunchError, ValueError):
    """An argument of the right type that cannot be used: out of range, overlapping, …"""


class UnknownNameError(LaunchError, AttributeError):
    """A kernel or type that the module does not have."""


@final
class KernelPanic(Exception):  # noqa: N818 - the name that a Rust user looks for
    """A thread of a kernel panicked.

    ``message`` is Rust's; ``file``, ``line``, ``col`` are none where the dump had no spans;
    ``block`` and ``thread`` are (x, y, z).  ``count`` threads panicked in all: this is the
    first of those recorded, by block and thread.
    """

    def __init__(
        self,
        message: str,
        file: str | None,
        line: int | None,
        col: int | None,
        block: tuple[int, int, int],
        thread: tuple[int, int, int],
        count: int,
    ) -> None:
        place = "" if file is None else f", at {file}:{line}:{col}"
        super().__init__(f"{message}{place}, block {_triple(block)} thread {_triple(thread)}")
        self.message = message
        self.file = file
        self.line = line
        self.col = col
        self.block = block
        self.thread = thread
        self.count = count
        if count > 1:
            self.add_note(f"{count} threads panicked in all")


def _triple(xyz: tuple[int, int, int]) -> str:
    return "({},{},{})".format(*xyz)
