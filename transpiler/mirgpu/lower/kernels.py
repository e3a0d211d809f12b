"""Which functions of a dump are kernels."""

import difflib

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.lower.abi import Kernel
from mirgpu.lower.context import Crate
from mirgpu.lower.types import is_integer
from mirgpu.mir.dump import ItemHeader, ItemKind
from mirgpu.mir.syntax import FnItemDef, TupleTy


def choose(crate: Crate) -> tuple[Kernel, ...]:
    """The kernels asked for; else all marked ones; else every plain candidate.

    Raises DiagnosticError where a name is unknown or cannot be a kernel, or there is none.
    """
    functions = [
        h for h in crate.dump.headers if h.kind is ItemKind.FN and not h.ctfe and _is_free(h)
    ]
    if crate.options.kernels:
        return tuple(_named(crate, functions, name) for name in crate.options.kernels)
    marked = [h for h in functions if _is_marked(crate, h)]
    if marked:
        return tuple(_kernel(crate, h) for h in marked)
    plain = [h for h in functions if why_not(crate, h) is None]
    if plain:
        return tuple(_kernel(crate, h) for h in plain)
    notes = tuple(f"`{h.path}`: {why_not(crate, h)}" for h in functions[:12])
    raise DiagnosticError(
        Diagnostic(
            "MG0360",
            "there is no kernel",
            file=crate.dump.file,
            notes=notes or ("the dump holds no functions",),
            helps=(
                "a kernel is marked `#[mirgpu::kernel]`, or is a `pub fn` without generics that "
                f"returns nothing and has an integer parameter {_index_names(crate)}",
            ),
        )
    )


def _index_names(crate: Crate) -> str:
    return " or ".join(f"`{name}`" for name in crate.options.index)


def _is_free(header: ItemHeader) -> bool:
    return "<impl at " not in header.path and "{" not in header.path


def _is_marked(crate: Crate, header: ItemHeader) -> bool:
    info = crate.bodies.info_of(header)
    return info is not None and info.kernel


def why_not(crate: Crate, header: ItemHeader, *, named: bool = False) -> str | None:
    """Why a function is no kernel; none if it can be one.  ``named``: asked for by name."""
    if _is_marked(crate, header):
        return None
    info = crate.bodies.info_of(header)
    item = crate.dump.item(header)
    assert isinstance(item, FnItemDef)
    if info is not None and any(not g.startswith("'") for g in info.generics):
        return "it has generic parameters"
    if item.ret != TupleTy(()):
        return "it returns a value"
    if named:
        return None
    if info is not None and not info.public:
        return "it is not `pub`"
    index = crate.index(crate.bodies.instance(header, {}))
    for param in item.params:
        if index.names.get(param.local) in crate.options.index and is_integer(param.ty):
            return None
    return f"it has no integer parameter {_index_names(crate)}"


def _named(crate: Crate, functions: list[ItemHeader], name: str) -> Kernel:
    found = [h for h in functions if name in (h.path, h.path.rpartition("::")[2])]
    # `r#match` is known as `match` too.
    found = found or [h for h in functions if h.path.rpartition("::")[2] == f"r#{name}"]
    if not found:
        names = [h.path for h in functions]
        close = difflib.get_close_matches(name, names, 1) or difflib.get_close_matches(
            name, [n.rpartition("::")[2] for n in names], 1
        )
        usable = [h.path for h in functions if why_not(crate, h) is None]
        helps = [f"did you mean `{close[0]}`?"] if close else []
        listed = ", ".join(f"`{n}`" for n in (usable or names)[:12])
        raise DiagnosticError(
            Diagnostic(
                "MG0361",
                f"there is no function `{name}`",
                file=crate.dump.file,
                notes=(f"kernels here: {listed}",) if listed else (),
                helps=tuple(helps),
            )
        )
    exact = [h for h in found if h.path == name] or found
    if len(exact) > 1:
        listed = ", ".join(f"`{h.path}`" for h in exact)
        raise DiagnosticError(
            Diagnostic("MG0361", f"`{name}` is ambiguous: {listed}", file=crate.dump.file)
        )
    reason = why_not(crate, exact[0], named=True)
    if reason is not None:
        file, line = crate.place_of(crate.bodies.instance(exact[0], {}))
        raise DiagnosticError(
            Diagnostic(
                "MG0362",
                f"`{name}` cannot be a kernel: {reason}",
                file=file or crate.dump.file,
                line=line,
                helps=("call it from a `pub fn` that returns nothing and is not generic",),
            )
        )
    return _kernel(crate, exact[0])


def _kernel(crate: Crate, header: ItemHeader) -> Kernel:
    symbol = header.path.rpartition("::")[2]
    instance = crate.bodies.instance(header, {})
    file, line = crate.place_of(instance)
    return Kernel(
        instance,
        symbol,
        header.path,
        header.path,
        not _is_marked(crate, header),
        file,
        line,
    )
