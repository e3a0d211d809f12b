"""Prints allocations as rustc does; the inverse of ``allocs.py``."""

from typing import assert_never

from mirgpu.mir import syntax as s

_ROW = 16


def print_alloc(alloc: s.Alloc) -> str:
    """The allocation's text, without a final newline."""
    from mirgpu.mir.printer import print_bounds, print_path, print_type

    match alloc:
        case s.MemoryAlloc():
            static = "" if alloc.static is None else f"static: {print_path(alloc.static)}, "
            head = f"{alloc.name} ({static}size: {alloc.size}, align: {alloc.align})"
            if alloc.size == 0:
                return head + " {}"
            if not alloc.data:
                return head + " { .. }"
            return f"{head} {{\n{_rows(alloc)}\n}}"
        case s.FnAlloc(name, path):
            return f"{name} (fn: {print_path(path)})"
        case s.VTableAlloc(name, bounds, ty):
            return f"{name} (vtable: impl {print_bounds(bounds)} for {print_type(ty)})"
        case s.TypeIdAlloc(name, ty):
            return f"{name} (typeid for {print_type(ty)})"
        case s.StaticAlloc(name, path, external):
            return f"{name} ({'extern ' if external else ''}static: {print_path(path)})"
        case s.DeallocatedAlloc(name):
            return f"{name} (deallocated)"
        case _:
            assert_never(alloc)


def _rows(alloc: s.MemoryAlloc) -> str:
    """The rows of bytes, sixteen each; offsets stand before them when there are several."""
    size, width = alloc.size, alloc.pointer_size
    digits = len(f"{size:x}")
    pointers = {r.offset: r for r in alloc.relocations}
    fragments = {f.offset: f for f in alloc.fragments}
    rows: list[str] = []
    row: list[str] = []
    chars = ""
    start = i = 0

    def finish() -> None:
        nonlocal row, chars, start
        offset = f"0x{start:0{digits}x} │ " if size > _ROW else ""
        rows.append(f"    {offset}{' '.join(row)}{'   ' * (_ROW - len(chars))} │ {chars}")
        row, chars, start = [], "", start + _ROW

    while i < size:
        if (pointer := pointers.get(i)) is not None:
            name = _pointer(pointer, width)
            drawn = "╾" + "─" * (width - 2) + "╼"
            head = _ROW - (i - start)
            if head >= width:
                row.append(f"╾{_oversized(name, (width - 1) * 3, width):─^{(width - 1) * 3}}╼")
                chars += drawn
            else:
                first, second = head * 3 - 2, (width - head - 1) * 3 + 1
                chars += drawn[:head]
                if second > first and second >= len(name):
                    row.append("╾" + "─" * first)
                    tail = f"{name:─^{second}}╼"
                else:
                    row.append(f"╾{_oversized(name, first, width):─^{first}}")
                    tail = "─" * second + "╼"
                finish()
                row.append(tail)
                chars = drawn[head:]
            i += width
        elif (fragment := fragments.get(i)) is not None:
            imm = "<imm>" if fragment.imm else ""
            short = _short(fragment.alloc)
            row.append(f"╾{alloc.data[i]:02x}{short}{imm} (ptr fragment {fragment.index})╼")
            chars += "━"
            i += 1
        elif alloc.init[i]:
            byte = alloc.data[i]
            row.append(f"{byte:02x}")
            chars += chr(byte) if 0x20 <= byte < 0x7F else "."
            i += 1
        else:
            row.append("__")
            chars += "░"
            i += 1
        if i == start + _ROW and i != size:
            finish()
    finish()
    return "\n".join(rows)


def _pointer(pointer: s.Relocation, width: int) -> str:
    addend = f"+0x{pointer.addend:x}" if pointer.addend else ""
    rest = f"{addend}{'<imm>' if pointer.imm else ''}"
    name = pointer.alloc + rest
    return name if len(name) <= (width - 1) * 3 else _short(pointer.alloc) + rest


def _short(alloc: str) -> str:
    return "a" + alloc.removeprefix("alloc") if alloc.startswith("alloc") else alloc


def _oversized(name: str, room: int, width: int) -> str:
    return f"{name} ({width} ptr bytes)" if len(name) > room else name
