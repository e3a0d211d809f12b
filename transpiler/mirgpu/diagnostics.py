"""Errors that a user sees: what is wrong, where in the Rust source, and what to do instead."""

from dataclasses import dataclass
from typing import final


@final
@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One message.  ``code`` is ``MG`` and four digits.

    ``file``, ``line``, ``col`` give the Rust source (or the dump, for parse errors) where
    known, lines and columns from 1; ``mir`` the MIR statement; ``notes`` explain, ``helps``
    say what to write instead.
    """

    code: str
    title: str
    file: str | None = None
    line: int | None = None
    col: int | None = None
    mir: str | None = None
    notes: tuple[str, ...] = ()
    helps: tuple[str, ...] = ()


class DiagnosticError(Exception):
    """Stops the command with exit code 1 and these diagnostics."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(f"{d.code}: {d.title}" for d in diagnostics))
        self.diagnostics = diagnostics


class ToolMissingError(Exception):
    """Stops the command with exit code 3: a tool that it needs is not there."""


class UsageError(Exception):
    """Stops the command with exit code 2: an option or argument is wrong."""
