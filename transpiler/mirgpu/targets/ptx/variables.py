"""Module variables: constants with their bytes, shared arrays, the panic buffer."""

from collections.abc import Iterable

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.kir.module import Global
from mirgpu.kir.types import AddressSpace
from mirgpu.targets.ptx import panics
from mirgpu.targets.ptx.ir import AddressOf, Space, Type, Variable
from mirgpu.targets.ptx.regs import UniqueNames
from mirgpu.targets.ptx.tables import SPACES

CONST_BYTES = 64 * 1024
"""What the ``.const`` space holds, as variables that every architecture takes."""


def constant_space(globals_: Iterable[Global]) -> Space:
    """``.const``, or ``.global`` where a module's constants do not fit there."""
    total = 0
    for item in globals_:
        if item.space is AddressSpace.CONST:
            total = (total + item.align - 1) // item.align * item.align + item.size
    return Space.CONST if total <= CONST_BYTES else Space.GLOBAL


def variable_names(globals_: Iterable[Global], names: UniqueNames) -> dict[str, str]:
    """A name for each symbol: itself, unless it is taken."""
    return {item.symbol: names.pick(item.symbol) for item in globals_}


def variables(
    globals_: Iterable[Global], names: dict[str, str], const_space: Space
) -> tuple[Variable, ...]:
    """The variables, each after those whose address it holds."""
    by_symbol = {item.symbol: item for item in globals_}
    done: dict[str, Variable] = {}
    entered: set[str] = set()

    def visit(item: Global) -> None:
        if item.symbol in done:
            return
        if item.symbol in entered:
            raise _error(item, "the constant '{}' holds its own address", "break the cycle")
        entered.add(item.symbol)
        for reloc in item.relocs:
            target = by_symbol.get(reloc.symbol)
            if target is not None:
                visit(target)
        done[item.symbol] = _variable(item, names, const_space)

    for item in by_symbol.values():
        visit(item)
    return tuple(done.values())


def panic_buffer(record_bytes: int) -> Variable:
    size = panics.HEADER_BYTES + panics.CAPACITY * record_bytes
    return Variable(panics.SYMBOL, Space.GLOBAL, True, 16, Type.B8, size, ())


def _variable(item: Global, names: dict[str, str], const_space: Space) -> Variable:
    space = SPACES[item.space]
    if space is Space.CONST:
        space = const_space
    name = names[item.symbol]
    data = item.data or b""
    if not item.relocs:
        words: tuple[int | AddressOf, ...] = tuple(data.rstrip(b"\0"))
        return Variable(name, space, False, item.align, Type.B8, max(item.size, 1), words)
    if item.align % 8 or any(reloc.offset % 8 for reloc in item.relocs):
        raise _error(
            item, "the constant '{}' holds an address that is not aligned", "do not pack it"
        )
    count = (item.size + 7) // 8
    data = data.ljust(count * 8, b"\0")
    values: list[int | AddressOf] = [
        int.from_bytes(data[at : at + 8], "little") for at in range(0, count * 8, 8)
    ]
    for reloc in item.relocs:
        values[reloc.offset // 8] = AddressOf(names[reloc.symbol], reloc.addend)
    return Variable(name, space, False, item.align, Type.U64, count, tuple(values))


def _error(item: Global, title: str, help_: str) -> DiagnosticError:
    loc = item.loc
    return DiagnosticError(
        Diagnostic(
            code="MG0404",
            title=title.format(item.symbol),
            file=loc.file if loc else None,
            line=loc.line if loc else None,
            col=loc.col if loc else None,
            helps=(help_,),
        )
    )
