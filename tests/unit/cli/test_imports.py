"""What a command imports: the command line alone is cheap, transpiling needs no NumPy."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]

HEAVY = {"numpy", "lark", "jinja2", "rich", "cupy"}

REPORT = """
import json, sys
from unittest.mock import patch
sys.argv = ["mirgpu", *{arguments}]
from mirgpu.cli import main
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
finally:
    print(json.dumps(sorted(sys.modules)), file=sys.stderr)
"""


def modules_of(*arguments: str) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", REPORT.format(arguments=list(arguments))],
        capture_output=True,
        text=True,
        check=True,
    )
    return set(json.loads(done.stderr.splitlines()[-1]))


def test_help_imports_typer_only() -> None:
    loaded = modules_of("--help")
    assert not loaded & HEAVY
    ours = {name for name in loaded if name.startswith("mirgpu.")}
    assert ours == {"mirgpu.cli", "mirgpu.diagnostics"}


def test_transpile_imports_no_numpy_and_no_device() -> None:
    loaded = modules_of("transpile", str(ROOT / "samples" / "saxpy.mir"))
    assert not loaded & {"numpy", "cupy", "rich"}
    assert not any(name.startswith("mirgpu.runtime.devices") for name in loaded)
    assert "mirgpu.lower" in loaded
