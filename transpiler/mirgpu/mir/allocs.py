"""Reads the allocations that rustc prints behind the items: bytes, and pointers drawn in them.

A row is ``    0x00 │ 61 62 __ ╾─alloc3+0x8─╼ │ ab░╾──────╼``: the column on the right has one
character a byte, and so says how long each pointer is.  A pointer may go over a row's end.
"""

import re
from collections.abc import Iterator, Mapping
from typing import NoReturn, final

from mirgpu.mir import syntax as s
from mirgpu.mir.pieces import fail, parse_piece

_MEMORY = re.compile(r"(?:static: (?P<static>.*), )?size: (?P<size>\d+), align: (?P<align>\d+)\Z")
_KINDS = re.compile(
    r"(?P<kind>fn: |vtable: |typeid for |extern static: |static: |deallocated\Z)(?P<rest>.*)\Z",
    re.DOTALL,
)
_OFFSET = re.compile(r" *0x[0-9a-f]+ │ ?")
_CELL = re.compile(r" *(?:(?P<byte>[0-9a-f]{2})|(?P<uninit>__)|╾(?P<pointer>[^╼]*)╼)")
_POINTER = re.compile(
    r"(?P<alloc>(?:alloc|ALLOC|a)\d+)(?P<imm><imm>)?(?:\+0x(?P<addend>[0-9a-f]+))?(?P<imm2><imm>)?"
    r"(?: \(\d+ ptr bytes\))?\Z"
)
_FRAGMENT = re.compile(
    r"(?P<byte>[0-9a-f]{2})(?P<alloc>(?:alloc|ALLOC|a)\d+)(?P<imm><imm>)?"
    r" \(ptr fragment (?P<index>\d+)\)\Z"
)


@final
class Allocs(Mapping[str, s.Alloc]):
    """The allocations of a dump by name, each parsed when it is asked for."""

    def __init__(self, texts: Mapping[str, tuple[int, str]], file: str) -> None:
        self._texts = texts
        self._file = file
        self._parsed: dict[str, s.Alloc] = {}

    def __getitem__(self, name: str) -> s.Alloc:
        alloc = self._parsed.get(name)
        if alloc is None:
            line, text = self._texts[name]
            try:
                alloc = self._parsed[name] = parse_alloc(name, text, self._file, line)
            except ValueError:  # int() refuses thousands of digits
                fail("MG0104", f"{name}: a number is too long", self._file, line, 1, "")
        return alloc

    def __iter__(self) -> Iterator[str]:
        return iter(self._texts)

    def __len__(self) -> int:
        return len(self._texts)


def parse_alloc(name: str, text: str, file: str, line: int) -> s.Alloc:
    """The allocation whose text begins at ``line``; raises ``DiagnosticError``."""
    text = _without_comments(text).rstrip()
    opening = _opening(text)
    if opening is None:
        head = text.split("\n", 1)[0]
        fail("MG0104", "cannot read this allocation's head", file, line, 1, head)
    inner, dump = opening
    m = _MEMORY.match(inner)
    if m is not None:
        static = m["static"]
        col = len(name) + 3 + len("static: ")
        path = None if static is None else parse_piece("instance", static, file, line, col)
        return _memory(name, path, int(m["size"]), int(m["align"]), dump, file, line)
    k = _KINDS.match(inner)
    if k is None or dump:
        fail("MG0104", "cannot read this allocation's head", file, line, 1, text[:400])
    rest, col = k["rest"], len(name) + 3 + len(k["kind"])
    match k["kind"]:
        case "fn: ":
            return s.FnAlloc(name, parse_piece("instance", rest, file, line, col))
        case "vtable: ":
            bounds, ty = parse_piece("vtable", rest, file, line, col)
            return s.VTableAlloc(name, bounds, ty)
        case "typeid for ":
            return s.TypeIdAlloc(name, parse_piece("type", rest, file, line, col))
        case "extern static: ":
            return s.StaticAlloc(name, parse_piece("instance", rest, file, line, col), True)
        case "static: ":
            return s.StaticAlloc(name, parse_piece("instance", rest, file, line, col), False)
        case _:
            return s.DeallocatedAlloc(name)


def _without_comments(text: str) -> str:
    """Drops the comment lines that stand between this allocation and the next item."""
    lines = text.split("\n")
    while len(lines) > 1 and (not lines[-1].strip() or lines[-1].startswith("//")):
        lines.pop()
    return "\n".join(lines)


def _opening(text: str) -> tuple[str, str] | None:
    """What stands between the head's parentheses, and the dump behind it ("" if none)."""
    head, newline, rest = text.partition("\n")
    begin = head.find("(") + 1
    if newline:
        if not head.endswith(") {") or not rest.endswith("}"):
            return None
        return head[begin : -len(") {")], rest[:-1].rstrip("\n") + "\n"
    for ending in (") {}", ") { .. }"):
        if head.endswith(ending):
            return head[begin : -len(ending)], ending[2:]
    return (head[begin:-1], "") if head.endswith(")") else None


def _memory(
    name: str, static: s.Path | None, size: int, align: int, dump: str, file: str, line: int
) -> s.MemoryAlloc:
    def wrong(title: str) -> NoReturn:
        fail("MG0104", f"{name}: {title}", file, line, 1, dump[:400])

    if dump == "{ .. }":
        return s.MemoryAlloc(name, static, size, align, b"", b"")
    cells: list[str] = []
    ascii_: list[str] = []
    for row in dump.split("\n") if dump != "{}" else []:
        if not row.strip():
            continue
        m = _OFFSET.match(row)
        left, bar, right = row[m.end() if m else 0 :].rpartition(" │")
        if not bar:
            wrong("a row has no column of characters")
        cells.append(left.rstrip())
        # The last row's own padding may have been cut by an editor: bytes are counted below.
        ascii_.append(right[1:])
    data = bytearray()
    init = bytearray()
    relocations: list[s.Relocation] = []
    fragments: list[s.PtrFragment] = []
    pointers = [m[0] for m in re.finditer("╾─*╼", "".join(ascii_))]
    sizes = {len(p) for p in pointers}
    pointer_size = sizes.pop() if sizes else 8
    if sizes:
        wrong("its pointers differ in size")
    joined = "".join(cells)
    at = 0
    while at < len(joined):
        m = _CELL.match(joined, at)
        if m is None:
            wrong(f"cannot read `{joined[at : at + 20]}`")
        at = m.end()
        if m["byte"] is not None:
            data.append(int(m["byte"], 16))
            init.append(1)
        elif m["uninit"] is not None:
            data.append(0)
            init.append(0)
        elif f := _FRAGMENT.match(m["pointer"]):
            fragments.append(
                s.PtrFragment(len(data), _name(f["alloc"]), int(f["index"]), f["imm"] is not None)
            )
            data.append(int(f["byte"], 16))
            init.append(1)
        elif p := _POINTER.match(m["pointer"].strip("─")):
            imm = p["imm"] is not None or p["imm2"] is not None
            addend = int(p["addend"] or "0", 16)
            relocations.append(s.Relocation(len(data), _name(p["alloc"]), addend, imm))
            data += bytes(pointer_size)
            init += b"\1" * pointer_size
        else:
            wrong(f"cannot read the pointer `{m['pointer']}`")
    if len(data) != size:
        wrong(f"it has {len(data)} bytes, but its head says {size}")
    return s.MemoryAlloc(
        name,
        static,
        size,
        align,
        bytes(data),
        bytes(init),
        tuple(relocations),
        tuple(fragments),
        pointer_size,
    )


def _name(printed: str) -> str:
    """``a12`` is the short form of ``alloc12``."""
    return "alloc" + printed[1:] if re.match(r"a\d", printed) else printed
