"""What the README shows works as it stands there."""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_python_example() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", README, re.S)
    checked = code.replace('load("samples/saxpy.rs")', 'load("samples/saxpy.rs", device="interp")')
    assert checked != code
    checked += "\nassert (y == 4).all()\n"
    subprocess.run([sys.executable, "-c", checked], cwd=ROOT, check=True)


def test_targets_exist() -> None:
    makefile = (ROOT / "Makefile").read_text()
    for target in re.findall(r"^make ([a-z-]+)", README, re.M):
        assert re.search(rf"^{target}:", makefile, re.M), target


def test_links_lead_somewhere() -> None:
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        for link in re.findall(r"\]\(([\w./-]+)\)", page.read_text()):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
