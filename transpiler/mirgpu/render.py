"""Diagnostics as text in rustc's manner, or as JSON lines in rustc's shape."""

import json
import sys
from pathlib import Path

from mirgpu.diagnostics import Diagnostic

_BOLD, _RED, _BLUE, _CYAN, _RESET = "\x1b[1m", "\x1b[1;31m", "\x1b[1;34m", "\x1b[1;36m", "\x1b[0m"


def as_text(diagnostic: Diagnostic, colour: bool) -> str:
    """The diagnostic with its source line, as rustc lays one out."""

    def paint(code: str, text: str) -> str:
        return f"{code}{text}{_RESET}" if colour else text

    lines = [
        paint(_RED, f"error[{diagnostic.code}]") + paint(_BOLD, f": {diagnostic.title}"),
    ]
    width = len(str(diagnostic.line)) if diagnostic.line is not None else 1
    gutter = " " * width
    if diagnostic.file is not None:
        lines.append(f"{gutter}{paint(_BLUE, '-->')} {_place(diagnostic)}")
        source = _source_line(diagnostic)
        if source is not None:
            bar = paint(_BLUE, f"{gutter} |")
            lines += [bar, f"{paint(_BLUE, f'{diagnostic.line} |')} {source}"]
            if diagnostic.col is not None:
                lines.append(f"{bar} {' ' * (diagnostic.col - 1)}{paint(_RED, '^')}")
            else:
                lines.append(bar)
    entries = [("mir", f"`{diagnostic.mir}`")] if diagnostic.mir is not None else []
    entries += [("note", note) for note in diagnostic.notes]
    entries += [("help", text) for text in diagnostic.helps]
    for label, text in entries:
        indent = " " * (width + len(label) + 5)
        body = text.replace("\n", f"\n{indent}")
        lines.append(f"{gutter} {paint(_BLUE, '=')} {paint(_CYAN, label)}: {body}")
    return "\n".join(lines)


def as_json(diagnostic: Diagnostic) -> str:
    """One line of JSON, with the keys of rustc's ``--error-format=json``."""
    spans = []
    if diagnostic.file is not None and diagnostic.line is not None:
        spans.append(
            {
                "file_name": diagnostic.file,
                "line_start": diagnostic.line,
                "line_end": diagnostic.line,
                "column_start": diagnostic.col,
                "column_end": diagnostic.col,
                "is_primary": True,
            }
        )
    children = [{"level": "note", "message": note} for note in diagnostic.notes]
    children += [{"level": "help", "message": text} for text in diagnostic.helps]
    if diagnostic.mir is not None:
        children.insert(0, {"level": "mir", "message": diagnostic.mir})
    return json.dumps(
        {
            "$message_type": "diagnostic",
            "level": "error",
            "code": {"code": diagnostic.code},
            "message": diagnostic.title,
            "spans": spans,
            "children": children,
            "rendered": as_text(diagnostic, colour=False) + "\n",
        }
    )


def _place(diagnostic: Diagnostic) -> str:
    parts = [diagnostic.file, diagnostic.line, diagnostic.col]
    return ":".join(str(part) for part in parts if part is not None)


def _source_line(diagnostic: Diagnostic) -> str | None:
    """The line the diagnostic speaks of, where the file can be read here."""
    if diagnostic.file is None or diagnostic.line is None:
        return None
    try:
        with Path(diagnostic.file).open(encoding="utf-8", errors="replace") as file:
            for number, text in enumerate(file, 1):
                if number == diagnostic.line:
                    shown = text.rstrip("\n").expandtabs(1)
                    return shown if len(shown) <= 200 else shown[:200] + "…"
    except OSError:
        return None
    return None


def wants_colour() -> bool:
    """Colours only on a terminal, and never under NO_COLOR."""
    import os

    return sys.stderr.isatty() and "NO_COLOR" not in os.environ
