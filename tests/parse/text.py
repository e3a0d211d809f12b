"""How the parser's tests compare texts: line by line, blanks and comments aside."""

from pathlib import Path

from mirgpu.mir.body import _split_comment
from mirgpu.mir.dump import Dump, ItemHeader

DATA = Path(__file__).parent / "data"
DUMPS = sorted(DATA.glob("*.mir"))


def item_text(dump: Dump, header: ItemHeader) -> str:
    """The item as printed, without what stands between it and the next one."""
    text = dump.text[header.begin : header.end]
    end = (text + "\n").rfind("\n}\n")
    return text[: end + 2] if end >= 0 else text[: text.rfind(";") + 1]


def alloc_lines(dump: Dump, name: str) -> list[str]:
    """The rows of an allocation as printed."""
    place = dump._allocs[name]
    lines = dump.text[place.begin : place.end].rstrip().split("\n")
    return [line.rstrip() for line in lines if line.strip() and not line.startswith("//")]


def normal_lines(text: str, comments: bool = False) -> list[str]:
    """The lines that say something; ``comments`` keeps those that trail a line."""
    lines = []
    for line in text.split("\n"):
        stripped = line.strip()
        if not stripped or stripped.startswith("//"):
            continue
        if not comments:
            stripped = _split_comment(stripped)[0]
        lines.append(" ".join(stripped.split()))
    return lines
