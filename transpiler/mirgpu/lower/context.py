"""State of one lowering round, and of the function being lowered."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import final

from mirgpu.diagnostics import Diagnostic
from mirgpu.kir.module import Function, Global, GlobalReloc, PanicOperand, PanicSite
from mirgpu.kir.ops import Location, Operand, Value
from mirgpu.kir.types import AddressSpace
from mirgpu.lower.body import BodyIndex, Scope
from mirgpu.lower.builder import Builder
from mirgpu.lower.crate_info import CrateInfo
from mirgpu.lower.errors import LowerError, is_library, to_diagnostic, user_location
from mirgpu.lower.image import Image
from mirgpu.lower.layout import Layouts
from mirgpu.lower.layout_data import Layout
from mirgpu.lower.resolve import Bodies, Instance
from mirgpu.lower.types import Types
from mirgpu.mir.dump import Dump
from mirgpu.mir.syntax import Path, SourceInfo, Span, Ty


@final
@dataclass(frozen=True, slots=True)
class LowerOptions:
    """``kernels``: names asked for, none for all.  ``index``: the parameters of plain kernels
    that are the thread index in x, y, z.  ``overflow_checks``: whether the library's own
    overflow assertions, which stay in the text whatever the flags, count."""

    kernels: tuple[str, ...]
    index: tuple[str, ...]
    overflow_checks: bool


@final
@dataclass(slots=True)
class Crate:
    """What all rounds share."""

    dump: Dump
    info: CrateInfo
    options: LowerOptions
    types: Types
    layouts: Layouts
    bodies: Bodies
    indices: dict[int, BodyIndex] = field(default_factory=dict)
    path_texts: dict[int, str] = field(default_factory=dict)

    def index(self, instance: Instance) -> BodyIndex:
        found = self.indices.get(instance.header.index)
        if found is None:
            found = self.indices[instance.header.index] = BodyIndex(instance.item)
        return found

    def place_of(self, instance: Instance) -> tuple[str | None, int | None]:
        """File and line where a function begins, as well as the dump tells."""
        info = self.bodies.info_of(instance.header)
        if info is not None and info.file is not None:
            return info.file, info.line
        for debug in self.index(instance).body.debug:
            if debug.source is not None and debug.source.span.line:
                return debug.source.span.file, debug.source.span.line
        return None, None

    def path_text(self, path: Path) -> str:
        found = self.path_texts.get(id(path))
        if found is None:
            from mirgpu.mir.printer import print_path

            found = self.path_texts[id(path)] = print_path(path)
        return found


@final
class Round:
    """What one round produces: functions, globals, panic sites, diagnostics."""

    def __init__(self, crate: Crate) -> None:
        self.crate = crate
        self.functions: list[Function] = []
        self.globals: dict[str, Global] = {}
        self.panics: list[PanicSite] = []
        self.diagnostics: list[Diagnostic] = []
        self.queue: list[tuple[Instance, str, str, Location | None]] = []
        """What is to be lowered: with its symbol, its name in Rust, and who calls it."""
        self._symbols: dict[tuple[int, Location | None], str] = {}
        self._taken: set[str] = set()
        self._instances: list[Instance] = []
        self._data: dict[tuple[bytes, int, tuple[GlobalReloc, ...]], str] = {}
        self.statics: dict[str, str] = {}
        """The symbol of each static, by its path."""
        self.images: dict[int, Image] = {}
        """The value of each constant body, by the identity of its instance."""
        self.kept: list[Instance] = []
        """Keeps the keys of ``images`` alive."""
        self.calls: dict[str, set[str]] = {}
        """By symbol: the device functions that it calls."""
        self.barriers: set[str] = set()
        """The functions that hold a barrier themselves."""

    # ------------------------------------------------------------------------ symbols

    def fresh_symbol(self, hint: str) -> str:
        clean = "".join(c if c.isascii() and (c.isalnum() or c == "_") else "_" for c in hint)
        while "__" in clean:
            clean = clean.replace("__", "_")
        clean = clean.strip("_") or "f"
        if clean[0].isdigit():
            clean = "_" + clean
        name, n = clean, 0
        while name in self._taken:
            n += 1
            name = f"{clean}_{n}"
        self._taken.add(name)
        return name

    def require(self, instance: Instance, rust_name: str, caller: Location | None) -> str:
        """The symbol of a device function; lowers it later, once.

        ``caller`` is the place of the call, where the function is ``#[track_caller]``: each
        such place has a copy of it.
        """
        found = self._symbols.get((id(instance), caller))
        if found is None:
            found = self._symbols[id(instance), caller] = self.fresh_symbol(rust_name)
            self._instances.append(instance)
            self.queue.append((instance, found, rust_name, caller))
        return found

    # ------------------------------------------------------------------------ globals

    def data(self, data: bytes, align: int, relocs: tuple[GlobalReloc, ...], hint: str) -> str:
        """The symbol of constant bytes; equal ones are kept once."""
        key = (data, align, relocs)
        found = self._data.get(key)
        if found is None:
            found = self._data[key] = self.fresh_symbol(hint)
            self.globals[found] = Global(
                found, AddressSpace.GLOBAL, len(data), align, data, relocs, False, None
            )
        return found

    def panic_site(
        self, message: str, operands: tuple[PanicOperand, ...], loc: Location | None
    ) -> int:
        self.panics.append(PanicSite(message, operands, loc))
        return len(self.panics) - 1


@final
class FnContext:
    """The function being lowered."""

    def __init__(
        self,
        round_: Round,
        instance: Instance,
        symbol: str,
        rust_name: str,
        caller: Location | None = None,
    ) -> None:
        self.round = round_
        self.crate = round_.crate
        self.types = round_.crate.types
        self.layouts = round_.crate.layouts
        self.instance = instance
        self.subst = instance.subst
        self.index = round_.crate.index(instance)
        self.symbol = symbol
        self.rust_name = rust_name
        self.caller = caller
        """Where a ``#[track_caller]`` function is called: its panics are there."""
        self.b = Builder()
        self.slots: dict[int, Operand] = {}
        """By local: the address of its memory."""
        self.block = 0
        """The MIR block being lowered."""
        self.skipped: set[tuple[int, int]] = set()
        """Statements that only build what a panic shows: (block, index)."""
        self.plans: dict[int, object] = {}
        """By block: what the panicking call at its end shows (a ``panics.Plan``)."""
        self.has_barrier = False
        self.end_return: Callable[[], None] = lambda: None
        """Ends the open block with the function's return."""
        self.constants: object | None = None
        self._locations: dict[tuple[int, int], tuple[SourceInfo, Location | None]] = {}
        self._call_sites: dict[int, Location | None] = {}
        self._local_types: dict[int, Ty] = {}

    # -------------------------------------------------------------------------- types

    def ty(self, ty: Ty) -> Ty:
        return self.types.mono(ty, self.subst)

    def local_ty(self, local: int) -> Ty:
        found = self._local_types.get(local)
        if found is None:
            found = self._local_types[local] = self.ty(self.index.local_types[local])
        return found

    def layout(self, ty: Ty) -> Layout:
        return self.layouts.of(ty)

    def temp(self, ty: Ty, name: str | None = None) -> Value:
        """Fresh memory for a value of ``ty``."""
        layout = self.layouts.of(ty)
        return self.b.alloca(layout.size, layout.align, name)

    # ---------------------------------------------------------------------- locations

    def location(self, source: SourceInfo | None) -> Location | None:
        if source is None:
            return None
        key = (source.scope, id(source.span))
        found = self._locations.get(key)
        if found is None:
            scope = self.index.scopes.get(source.scope, self.index.scopes[0])
            found = self._locations[key] = (source, self._location(scope, source.span))
        return found[1]

    def _location(self, scope: Scope, span: Span) -> Location | None:
        at: Scope | None = scope
        while at is not None and at.inlined is None:
            at = at.parent
        if at is None:
            if span.line == 0:
                return None
            return Location(span.file, span.line, span.col, self.rust_name)
        assert at.inlined is not None
        outer = self._call_site(at)
        if span.line == 0:
            return outer
        name = self.crate.path_text(at.inlined)
        return Location(span.file, span.line, span.col, name, outer)

    def _call_site(self, scope: Scope) -> Location | None:
        """Where the call stands that was inlined as ``scope``."""
        if id(scope) not in self._call_sites:
            at = None
            if scope.parent is not None and scope.source is not None:
                at = self._location(scope.parent, scope.source)
            self._call_sites[id(scope)] = at
        return self._call_sites[id(scope)]

    def panic_location(self, source: SourceInfo | None) -> Location | None:
        """Where Rust says a panic is: the call of the outermost ``#[track_caller]`` around it,
        then out of the library to the user's own line."""
        loc = self._panic_location(source)
        if loc is not None and is_library(loc.file):
            # A macro of the library: its own span says nothing, what it was given does.
            return self.nearby_location() or loc
        return loc

    def _panic_location(self, source: SourceInfo | None) -> Location | None:
        if source is None:
            return None
        scope: Scope | None = self.index.scopes.get(source.scope, self.index.scopes[0])
        at = source.span
        while scope is not None:
            inlined = scope
            while inlined.inlined is None and inlined.parent is not None:
                inlined = inlined.parent
            if inlined.inlined is None and self.caller is not None:
                return self.caller
            if inlined.inlined is None or not inlined.track_caller or inlined.source is None:
                break
            at = inlined.source
            scope = inlined.parent
        if scope is None:
            return self.location(source)
        return user_location(self._location(scope, at))

    def nearby_location(self) -> Location | None:
        """The user's place last seen before the end of the block being lowered, or at the end
        of the blocks that lead to it."""
        at: int | None = self.block
        seen: set[int] = set()
        while at is not None and at not in seen:
            seen.add(at)
            block = self.index.blocks[at]
            sources = [node.source for node in block.statements]
            if at != self.block:
                sources.append(block.terminator.source)
            for source in reversed(sources):
                loc = user_location(self.location(source))
                if loc is not None and not is_library(loc.file):
                    return loc
            before = self.index.predecessors.get(at, [])
            at = before[0] if before else None
        return None

    # --------------------------------------------------------------------- diagnostics

    def report(self, error: LowerError, mir: str | None) -> None:
        loc = user_location(self.b.loc)
        if loc is None or is_library(loc.file):
            loc = self.nearby_location() or loc
        self.round.diagnostics.append(to_diagnostic(error, loc, mir))
