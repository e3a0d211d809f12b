"""What is looked up in a MIR body again and again: types, names, scopes, definitions, uses."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from mirgpu.mir.syntax import (
    AnonItemDef,
    Assert,
    Assign,
    BasicBlock,
    Body,
    Call,
    ConstItemDef,
    Copy,
    Drop,
    FalseEdge,
    FalseUnwind,
    FnItemDef,
    Goto,
    Index,
    Item,
    Move,
    Path,
    Place,
    RawPtr,
    Ref,
    Rvalue,
    SourceScope,
    Span,
    StaticItemDef,
    SwitchInt,
    Terminator,
    Ty,
)


@final
@dataclass(frozen=True, slots=True)
class Scope:
    """``inlined`` is the function inlined here, ``source`` the place of its call."""

    parent: "Scope | None"
    inlined: Path | None
    track_caller: bool
    source: Span | None


@final
@dataclass(frozen=True, slots=True)
class Definition:
    """An assignment to a whole local, or the call whose result it is."""

    block: int
    index: int
    node: Assign | Call


@final
class BodyIndex:
    def __init__(self, item: Item) -> None:
        body = _body_of(item)
        self.body: Body = body
        self.local_types: dict[int, Ty] = {}
        self.names: dict[int, str] = {}
        self.scopes: dict[int, Scope] = {}
        self.blocks: dict[int, BasicBlock] = {block.index: block for block in body.blocks}
        if isinstance(item, FnItemDef):
            self.local_types[0] = item.ret
            for param in item.params:
                self.local_types[param.local] = param.ty
        else:
            self.local_types[0] = item.ty
        for local in body.locals:
            self.local_types[local.local] = local.ty
        self._debug(body.debug)
        root = Scope(None, None, False, None)
        self.scopes[0] = root
        for scope in body.scopes:
            self._scope(scope, root)
        self._definitions: dict[int, list[Definition]] | None = None
        self._borrowed: set[int] | None = None
        self._indexed: set[int] | None = None
        self._predecessors: dict[int, list[int]] | None = None

    def _debug(self, infos: tuple[object, ...]) -> None:
        for info in infos:
            value = getattr(info, "value", None)
            if isinstance(value, Place) and not value.projection:
                name = getattr(info, "name", "")
                if not getattr(info, "fragment", ()):
                    self.names.setdefault(value.local, name)

    def _scope(self, outermost: SourceScope, parent: Scope) -> None:
        todo = [(outermost, parent)]
        while todo:
            scope, around = todo.pop()
            own = Scope(around, scope.inlined, scope.track_caller, scope.source)
            self.scopes[scope.index] = own
            for local in scope.locals:
                self.local_types[local.local] = local.ty
            self._debug(scope.debug)
            todo += [(child, own) for child in reversed(scope.children)]

    @property
    def definitions(self) -> dict[int, list[Definition]]:
        """By local: everything that assigns the whole of it, outside cleanup blocks."""
        if self._definitions is None:
            out: dict[int, list[Definition]] = {}
            for block in self.body.blocks:
                if block.cleanup:
                    continue
                for index, statement in enumerate(block.statements):
                    if isinstance(statement, Assign) and not statement.place.projection:
                        out.setdefault(statement.place.local, []).append(
                            Definition(block.index, index, statement)
                        )
                last = block.terminator
                if isinstance(last, Call) and not last.destination.projection:
                    out.setdefault(last.destination.local, []).append(
                        Definition(block.index, len(block.statements), last)
                    )
            self._definitions = out
        return self._definitions

    @property
    def indexed(self) -> set[int]:
        """Locals that are indexed by other locals, or borrowed: their memory is seen."""
        if self._indexed is None:
            out: set[int] = set()
            for block in self.body.blocks:
                for statement in block.statements:
                    if isinstance(statement, Assign):
                        for place in places_of(statement.rvalue):
                            if any(isinstance(e, Index) for e in place.projection):
                                out.add(place.local)
                        if isinstance(statement.rvalue, Ref):
                            out.add(statement.rvalue.place.local)
            self._indexed = out
        return self._indexed

    @property
    def predecessors(self) -> dict[int, list[int]]:
        """By block: those that lead to it, cleanup blocks left out."""
        if self._predecessors is None:
            out: dict[int, list[int]] = {}
            for block in self.body.blocks:
                if not block.cleanup:
                    for target in successors(block.terminator):
                        out.setdefault(target, []).append(block.index)
            self._predecessors = out
        return self._predecessors

    @property
    def borrowed(self) -> set[int]:
        """Locals written otherwise than as a whole: borrowed, or assigned in part."""
        if self._borrowed is None:
            out: set[int] = set()
            for block in self.body.blocks:
                for statement in block.statements:
                    if isinstance(statement, Assign):
                        if statement.place.projection:
                            out.add(statement.place.local)
                        if isinstance(statement.rvalue, Ref | RawPtr):
                            out.add(statement.rvalue.place.local)
            self._borrowed = out
        return self._borrowed

    def single(self, local: int) -> Assign | Call | None:
        """The one definition of a local, if there is exactly one."""
        found = self.definitions.get(local, [])
        return found[0].node if len(found) == 1 else None


def _body_of(item: Item) -> Body:
    match item:
        case FnItemDef(body=body) | StaticItemDef(body=body) | AnonItemDef(body=body):
            return body
        case ConstItemDef(body=body):
            return body if body is not None else Body((), (), (), ())


def places_of(rvalue: Rvalue) -> Iterator[Place]:
    """The places that an rvalue's operands read."""
    for slot in rvalue.__match_args__:
        value = getattr(rvalue, slot)
        for node in value if isinstance(value, tuple) else (value,):
            if isinstance(node, Copy | Move):
                yield node.place
            elif isinstance(node, Place):
                yield node


def successors(node: Terminator) -> tuple[int, ...]:
    """Where a terminator leads, unwinding left out."""
    match node:
        case SwitchInt(targets=targets, otherwise=otherwise):
            return (*targets, otherwise)
        case FalseEdge(real=target) | FalseUnwind(real=target):
            return (target,)
        case Goto(target) | Assert(target=target) | Drop(target=target):
            return (target,)
        case Call(target=target):
            return () if target is None else (target,)
        case _:
            return ()
