"""A module's functions as compiled Python, and what the exceptions of that code mean."""

import math
from collections.abc import Callable
from typing import Any, final

from mirgpu.kir import scalar
from mirgpu.kir.memory import UNDEF, FaultError, FaultKind, Memory, Space, Undef
from mirgpu.kir.module import Function, Module
from mirgpu.kir.ops import (
    Barrier,
    Call,
    Instruction,
    Load,
    Location,
    Operand,
    PtrConst,
    ReadSpecial,
    Store,
    Terminator,
    Value,
)
from mirgpu.kir.ops import Undef as UndefConst
from mirgpu.kir.printer import print_node
from mirgpu.kir.pycompile import Compiled, Context, compile_function
from mirgpu.kir.types import PtrType, size_of
from mirgpu.kir.visit import operands_of

Dim3 = tuple[int, int, int]


class ThreadPanic(Exception):  # noqa: N818
    """Ends a thread."""

    def __init__(self, site: int, operands: tuple[int, ...]) -> None:
        super().__init__(site, operands)
        self.site = site
        self.operands = operands


@final
class Program:
    """A module's functions, compiled, and what their exceptions mean."""

    def __init__(
        self,
        module: Module,
        memory: Memory,
        global_text: dict[str, str],
        shared: list[int],
        counted: bool,
    ) -> None:
        self._memory = memory
        self._functions = {function.name: function for function in module.functions}
        self._compiled: dict[str, Compiled] = {}
        self.limit: float = math.inf
        self.steps: float = math.inf
        self.names: dict[str, Any] = _names(memory)
        self.names |= {"shared": shared, "step": self._step}
        self.context = Context(
            self.names,
            global_text,
            generators=_reaching(module, Barrier),
            readers=_reaching(module, ReadSpecial),
            counted=counted,
        )

    def start(self, kernel: Function, grid: Dim3, block: Dim3, limit: float) -> None:
        """Compiles what ``kernel`` calls, and sets what is the same for all threads."""
        self._compile(kernel)
        for axis, size, count in zip("XYZ", block, grid, strict=True):
            self.names[f"NT{axis}"] = size
            self.names[f"NB{axis}"] = count
        self.limit = limit
        self.restart()

    def restart(self) -> None:
        """A new thread begins to count its steps."""
        self.steps = self.limit

    def _step(self) -> None:
        self.steps -= 1
        if self.steps < 0:
            raise FaultError(FaultKind.STEPS, f"a thread jumped more than {self.limit} times")

    def _compile(self, kernel: Function) -> None:
        todo = [kernel]
        while todo:
            function = todo.pop()
            if self._file(function) in self._compiled:
                continue
            made = compile_function(function, self.context)
            self._compiled[self._file(function)] = made
            exec(compile(made.source, self._file(function), "exec"), self.names)
            for block in function.blocks:
                for node in block.instructions:
                    if isinstance(node, Call):
                        todo.append(self._functions[node.callee])

    @staticmethod
    def _file(function: Function) -> str:
        return f"<kir {function.name}>"

    # -------------------------------------------------------------------------- errors

    def explain(self, error: Exception) -> tuple[FaultError, tuple[Location, ...]] | None:
        """What an exception from compiled code means, and where in Rust; none for a bug here."""
        nodes: list[Instruction | Terminator] = []
        innermost: tuple[Compiled, dict[str, Any]] | None = None
        locations: tuple[Location, ...] = ()
        trace = error.__traceback__
        while trace is not None:
            compiled = self._compiled.get(trace.tb_frame.f_code.co_filename)
            node = None if compiled is None else compiled.lines[trace.tb_lineno - 1]
            if compiled is not None and node is not None:
                nodes.append(node)
                innermost = compiled, trace.tb_frame.f_locals
                locations = location_chain(node.loc) + locations
            trace = trace.tb_next
        if isinstance(error, RecursionError):
            return FaultError(FaultKind.DEPTH, "calls are nested too deep"), locations[:1]
        if innermost is None:
            fault = error if isinstance(error, FaultError) else None
        else:
            fault = self._fault(error, nodes[-1], *innermost)
        return None if fault is None else (fault, locations)

    def _fault(
        self,
        error: Exception,
        node: Instruction | Terminator,
        compiled: Compiled,
        local: dict[str, Any],
    ) -> FaultError | None:
        match error:
            case FaultError():
                return error
            case scalar.UndefinedError():
                return FaultError(FaultKind.UNDEFINED, str(error))
            case ZeroDivisionError():
                return FaultError(FaultKind.UNDEFINED, "division by zero")
            case TypeError() | AttributeError() if self._has_undef(node, compiled, local):
                text = print_node(compiled.function, node)
                return FaultError(FaultKind.UNINITIALISED, f"an operand of `{text}`")
            case KeyError() | IndexError() if isinstance(node, Load | Store):
                return self._bad_address(node, compiled, local)
            case _:
                return None

    def _has_undef(
        self, node: Instruction | Terminator, compiled: Compiled, local: dict[str, Any]
    ) -> bool:
        return any(_value(operand, compiled, local) is UNDEF for operand in operands_of(node))

    def _bad_address(
        self, node: Load | Store, compiled: Compiled, local: dict[str, Any]
    ) -> FaultError | None:
        ty = node.result.type if isinstance(node, Load) else node.value.type
        assert isinstance(node.ptr.type, PtrType)
        space = self._memory.spaces[node.ptr.type.space]
        address = _value(node.ptr, compiled, local)
        try:
            self._memory.find(
                address, size_of(ty), node.align, space, write=isinstance(node, Store)
            )
        except FaultError as fault:
            return fault
        return None


def _value(operand: Operand, compiled: Compiled, local: dict[str, Any]) -> Any:
    """What an operand was; none for constants that are neither pointers nor undef."""
    match operand:
        case Value():
            return local.get(compiled.values[operand])
        case PtrConst(address=address):
            return address
        case UndefConst():
            return UNDEF
        case _:
            return None


def location_chain(loc: Location | None) -> tuple[Location, ...]:
    """A location and those of the calls that were inlined around it."""
    found: list[Location] = []
    while loc is not None:
        found.append(loc)
        loc = loc.inlined_at
    return tuple(found)


def _reaching(module: Module, kind: type[Barrier] | type[ReadSpecial]) -> frozenset[str]:
    """The functions that have such an instruction, or call one that has."""
    callers: dict[str, list[str]] = {}
    todo: list[str] = []
    for function in module.functions:
        for block in function.blocks:
            for node in block.instructions:
                if isinstance(node, Call):
                    callers.setdefault(node.callee, []).append(function.name)
                elif isinstance(node, kind):
                    todo.append(function.name)
    found: set[str] = set()
    while todo:
        name = todo.pop()
        if name not in found:
            found.add(name)
            todo.extend(callers.get(name, ()))
    return frozenset(found)


def _names(memory: Memory) -> dict[str, Any]:
    """The Python globals of compiled code."""

    def alloca(size: int, align: int, name: str | None) -> int:
        return memory.alloc(size, align, memory.local, owner=memory.thread, name=name or "a local")

    def free(*addresses: int) -> None:
        for address in addresses:
            memory.free(address)

    def unreachable() -> None:
        raise FaultError(FaultKind.UNREACHABLE, "")

    def check_bool(value: int | Undef) -> int | Undef:
        if not isinstance(value, Undef) and value > 1:
            raise FaultError(FaultKind.UNDEFINED, f"a bool of value {value}")
        return value

    def load_bool(address: int, size: int, align: int, space: Space) -> int | Undef:
        return check_bool(memory.load(address, size, align, space))

    def load_with(from_bits: Callable[[int], float]) -> Callable[..., float | Undef]:
        def load(address: int, size: int, align: int, space: Space) -> float | Undef:
            bits = memory.load(address, size, align, space)
            return bits if isinstance(bits, Undef) else from_bits(bits)

        return load

    def store_with(to_bits: Callable[[float], int]) -> Callable[..., None]:
        def store(address: int, value: float | Undef, size: int, align: int, space: Space) -> None:
            bits = value if isinstance(value, Undef) else to_bits(value)
            memory.store(address, bits, size, align, space)

        return store

    names: dict[str, Any] = {
        name: value for name, value in vars(scalar).items() if not name.startswith("_")
    }
    for space, found in memory.spaces.items():
        names |= {space.name: found, f"mem_{space.name}": found.table}
    names |= {f"load{width}": memory.load for width in (8, 16, 32, 64, 128)}
    names |= {f"store{width}": memory.store for width in (1, 8, 16, 32, 64, 128)}
    for width in (16, 32, 64):
        names[f"loadf{width}"] = load_with(names[f"f{width}_from_bits"])
        names[f"storef{width}"] = store_with(names[f"f{width}_bits"])
    return names | {
        "F": scalar.F32_CELL,
        "UNDEF": UNDEF,
        "ThreadPanic": ThreadPanic,
        "unreachable": unreachable,
        "copysign": math.copysign,
        "alloca": alloca,
        "free": free,
        "check_bool": check_bool,
        "load1": load_bool,
        "copy": memory.copy,
        "fill": memory.fill,
    }
