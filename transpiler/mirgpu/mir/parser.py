"""Reads MIR text: whole dumps, and single types and paths."""

from mirgpu.mir import syntax as s
from mirgpu.mir.dump import Dump
from mirgpu.mir.pieces import parse_piece


def parse_file(text: str, file: str) -> s.File:
    """Every item and allocation of a dump; ``file`` names it in errors.

    Raises ``DiagnosticError`` (MG01xx).
    """
    dump = Dump(text, file)
    items = tuple(dump.item(header) for header in dump.headers)
    return s.File(items, tuple(dump.allocs.values()))


def parse_type(text: str) -> s.Ty:
    """The type of this text, in either spelling of paths; raises ``DiagnosticError``."""
    return parse_piece("type", text.strip(), "<type>", 1, 1)  # type: ignore[no-any-return]


def parse_path(text: str) -> s.Path:
    """The path of this text; raises ``DiagnosticError``."""
    return parse_piece("path", text.strip(), "<path>", 1, 1)  # type: ignore[no-any-return]
