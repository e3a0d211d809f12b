"""What ``mirgpu -V`` prints."""

from mirgpu.diagnostics import DiagnosticError, ToolMissingError
from mirgpu.version import VERSION


def version_lines() -> list[str]:
    """The versions of mirgpu, rustc and ptxas, a line each; ``not found`` where one is missing."""
    return [f"mirgpu {VERSION}", _rustc(), _ptxas()]


def _rustc() -> str:
    from mirgpu.rustc import find_rustc

    try:
        return find_rustc(None, None).version
    except (ToolMissingError, DiagnosticError):
        return "rustc not found"


def _ptxas() -> str:
    from mirgpu.targets.ptx.ptxas import find_ptxas

    try:
        return f"ptxas {find_ptxas(None).version}"
    except ToolMissingError:
        return "ptxas not found"
