"""Runs kir kernels in Python, thread by thread: the reference semantics.

Each function is compiled to Python once (``kir.pycompile``).  Threads of a block run one after
the other in the order asked for, from barrier to barrier where a kernel has any.
"""

import math
import random
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar, final

from mirgpu.kir import scalar
from mirgpu.kir.memory import FaultKind, Memory
from mirgpu.kir.module import Function, FunctionKind, Global, Module, Param
from mirgpu.kir.ops import Location
from mirgpu.kir.program import Dim3, Program, ThreadPanic, location_chain
from mirgpu.kir.pycompile import python_name
from mirgpu.kir.types import AddressSpace, FloatType, IntType, PtrType
from mirgpu.kir.verifier import verify
from mirgpu.node import node

T = TypeVar("T")
ORDERS = ("ascending", "descending", "shuffled")
CAPACITY = 32
"""So many panics of a launch are recorded; all are counted."""


class InterpreterError(Exception):
    """The kernel did what Rust leaves undefined, or ran too long.

    ``locations`` are the Rust source of the instruction and of the calls around it, innermost
    first, where known.
    """

    def __init__(
        self,
        kind: FaultKind,
        detail: str,
        locations: tuple[Location, ...],
        kernel: str,
        block: Dim3,
        thread: Dim3,
    ) -> None:
        places = [f"{loc.file}:{loc.line}:{loc.col}" for loc in locations]
        at = f", at {', called at '.join(places)}" if places else ""
        head = f"{kind.value}: {detail}" if detail else kind.value
        super().__init__(f"{head}{at}, in kernel {kernel}, block {block} thread {thread}")
        self.kind = kind
        self.detail = detail
        self.locations = locations
        self.kernel = kernel
        self.block = block
        self.thread = thread


@final
@node
class PanicRecord:
    """``operands`` are the bits, zero-extended."""

    site: int
    block: Dim3
    thread: Dim3
    operands: tuple[int, ...]


@final
@node
class PanicReport:
    """``count`` panics, of which the first ``CAPACITY`` have a record."""

    count: int
    records: tuple[PanicRecord, ...]


@final
class Interpreter:
    """A module, its globals, and the host's allocations."""

    def __init__(self, module: Module) -> None:
        """Raises ``VerifyError``."""
        verify(module)
        self._module = module
        self._functions = {function.name: function for function in module.functions}
        self._memory = Memory()
        self._global = self._memory.spaces[AddressSpace.GLOBAL]
        self._shared: list[Global] = []
        self._shared_addresses: list[int] = []
        self._global_text = self._place_globals()
        self._programs: dict[bool, Program] = {}

    # -------------------------------------------------------------------------- memory

    def alloc(
        self,
        data: int | bytes | bytearray | memoryview,
        *,
        align: int,
        readonly: bool = False,
        name: str = "buffer",
    ) -> int:
        """The address of new global memory: so many uninitialised bytes, or ``data`` in place.

        Raises ``ValueError`` for a read-only buffer that is not said to be ``readonly``.
        """
        if isinstance(data, int):
            return self._memory.alloc(data, align, self._global, readonly=readonly, name=name)
        view = memoryview(data).cast("B")
        if view.readonly and not readonly:
            raise ValueError(f"{name}: the host's memory is read-only")
        return self._memory.alloc(
            len(view), align, self._global, data=view, readonly=readonly, name=name
        )

    def read(self, address: int, size: int) -> bytes:
        """A copy of bytes.  Raises ``FaultError`` if some are uninitialised or not there."""
        return self._memory.read(address, size)

    def free(self, address: int) -> None:
        """Ends what ``alloc`` gave; pointers to it dangle from now on."""
        self._memory.free(address)

    def _place_globals(self) -> dict[str, str]:
        """Python text for each global's address; shared memory is placed anew for each block."""
        texts: dict[str, str] = {}
        addresses: dict[str, int] = {}
        images: list[tuple[Global, bytearray]] = []
        for item in self._module.globals:
            if item.space is AddressSpace.SHARED:
                texts[item.symbol] = f"shared[{len(self._shared)}]"
                self._shared.append(item)
                continue
            data = None if item.data is None else bytearray(item.data)
            address = self._memory.alloc(
                item.size,
                item.align,
                self._memory.spaces[item.space],
                data=data,
                readonly=not item.mutable,
                name=item.symbol,
            )
            addresses[item.symbol] = address
            texts[item.symbol] = f"({address})"
            if data is not None:
                images.append((item, data))
        for item, data in images:
            for reloc in item.relocs:
                address = (addresses[reloc.symbol] + reloc.addend) % (1 << 64)
                data[reloc.offset : reloc.offset + 8] = address.to_bytes(8, "little")
        return texts

    # -------------------------------------------------------------------------- launch

    def launch(
        self,
        symbol: str,
        grid: Sequence[int],
        block: Sequence[int],
        buffer: bytes | bytearray | memoryview,
        *,
        order: str = "ascending",
        seed: int = 0,
        progress: Callable[[int, int], None] | None = None,
        max_steps: int | None = None,
    ) -> PanicReport:
        """Runs all threads of a grid, blocks one after the other.

        ``buffer`` holds the parameters, in order, each at its alignment; addresses in it are
        those of ``alloc``.  ``order`` is that of blocks and of threads in a block; ``seed``
        shuffles.  ``progress`` is called after each block with blocks done and in all.
        ``max_steps`` bounds how often a thread may jump back or join in loops and branches.

        Raises ``InterpreterError`` for undefined behaviour, ``ValueError`` for wrong arguments.
        """
        kernel = self._functions.get(symbol)
        if kernel is None or kernel.kind is not FunctionKind.KERNEL:
            raise ValueError(f"no kernel {symbol}")
        if order not in ORDERS:
            raise ValueError(f"unknown order {order}")
        grid3, block3 = _dim3("grid", grid), _dim3("block", block)
        program = self._program(max_steps is not None)
        program.start(kernel, grid3, block3, math.inf if max_steps is None else max_steps)
        run = _Launch(self, program, kernel, block3, order, random.Random(seed))
        arguments, owned = self._arguments(kernel, buffer)
        try:
            blocks = _ordered(list(_indices(grid3)), order, run.random)
            for done, index in enumerate(blocks, 1):
                self._enter_block()
                run.block(index, arguments)
                if progress is not None:
                    progress(done, len(blocks))
        finally:
            self._leave_block()
            self._memory.free_locals()
            for address in owned:
                self._memory.free(address)
        return PanicReport(run.count, tuple(run.records))

    def _enter_block(self) -> None:
        self._leave_block()
        shared = self._memory.spaces[AddressSpace.SHARED]
        for item in self._shared:
            address = self._memory.alloc(
                item.size, item.align, shared, name=f"shared {item.symbol}"
            )
            self._shared_addresses.append(address)

    def _leave_block(self) -> None:
        for address in self._shared_addresses:
            self._memory.free(address)
        self._shared_addresses.clear()

    def _arguments(
        self, kernel: Function, buffer: bytes | bytearray | memoryview
    ) -> tuple[list[object], list[int]]:
        """The parameters' values, and the addresses of by-value aggregates among them."""
        values: list[object] = []
        owned: list[int] = []
        offset = 0
        for number, param in enumerate(kernel.params):
            offset = -(-offset // param.align) * param.align
            data = bytes(buffer[offset : offset + param.size])
            if len(data) != param.size:
                raise ValueError(f"{kernel.name}: the buffer ends within parameter {number}")
            offset += param.size
            ty = param.value.type
            if isinstance(ty, PtrType) and ty.space is AddressSpace.PARAM:
                name = param.value.name or "parameter"
                address = self._memory.alloc(
                    param.size,
                    param.align,
                    self._memory.spaces[ty.space],
                    data=bytearray(data),
                    readonly=True,
                    name=name,
                )
                values.append(address)
                owned.append(address)
            else:
                values.append(_decode(param, data))
        return values, owned

    def _program(self, counted: bool) -> Program:
        found = self._programs.get(counted)
        if found is None:
            found = self._programs[counted] = Program(
                self._module, self._memory, self._global_text, self._shared_addresses, counted
            )
        return found


@final
class _Launch:
    """The state of one launch: the order of threads, and the panics so far."""

    def __init__(
        self,
        interpreter: Interpreter,
        program: Program,
        kernel: Function,
        block: Dim3,
        order: str,
        rng: random.Random,
    ) -> None:
        self.random = rng
        self.count = 0
        self.records: list[PanicRecord] = []
        self._memory = interpreter._memory
        self._program = program
        self._kernel = kernel
        self._order = order
        self._threads = list(_indices(block))

    def block(self, index: Dim3, arguments: list[object]) -> None:
        if self._kernel.name in self._program.context.generators:
            self._with_barriers(index, arguments)
        else:
            self._without_barriers(index, arguments)

    def _without_barriers(self, index: Dim3, arguments: list[object]) -> None:
        run = self._program.names[python_name(self._kernel.name)]
        restart = self._program.restart
        memory = self._memory
        for thread in _ordered(self._threads, self._order, self.random):
            memory.thread = thread
            restart()
            try:
                run(*arguments, *thread, *index)
            except Exception as error:
                self._end(error, index, thread)

    def _with_barriers(self, index: Dim3, arguments: list[object]) -> None:
        run = self._program.names[python_name(self._kernel.name)]
        live = [(thread, run(*arguments, *thread, *index)) for thread in self._threads]
        steps = dict.fromkeys(self._threads, self._program.limit)
        while live:
            waiting: dict[Dim3, tuple[int, Iterator[int]]] = {}
            for thread, generator in _ordered(live, self._order, self.random):
                self._memory.thread = thread
                self._program.steps = steps[thread]
                try:
                    waiting[thread] = next(generator), generator
                except StopIteration:
                    continue
                except Exception as error:
                    self._end(error, index, thread)
                steps[thread] = self._program.steps
            self._check_barriers(index, waiting)
            live = [(thread, waiting[thread][1]) for thread, _ in live if thread in waiting]

    def _check_barriers(self, index: Dim3, waiting: dict[Dim3, tuple[int, Iterator[int]]]) -> None:
        first: int | None = None
        for thread, (number, _) in waiting.items():
            if first is None:
                first = number
            if number != first:
                function, node = self._program.context.barriers[number]
                _, other = self._program.context.barriers[first]
                where = "" if other.loc is None else f" at {other.loc.file}:{other.loc.line}"
                detail = f"other threads of the block wait at another barrier{where}"
                raise InterpreterError(
                    FaultKind.BARRIER,
                    detail,
                    location_chain(node.loc or function.loc),
                    self._kernel.name,
                    index,
                    thread,
                )

    def _end(self, error: Exception, index: Dim3, thread: Dim3) -> None:
        """Records a panic; raises what else ended the thread."""
        self._memory.free_locals(thread)
        if isinstance(error, ThreadPanic):
            self.count += 1
            if len(self.records) < CAPACITY:
                self.records.append(PanicRecord(error.site, index, thread, error.operands))
            return
        found = self._program.explain(error)
        if found is None:
            raise error
        fault, locations = found
        raise InterpreterError(
            fault.kind, fault.detail, locations, self._kernel.name, index, thread
        ) from error


def _dim3(what: str, sizes: Sequence[int]) -> Dim3:
    x, y, z = (*sizes, 1, 1, 1)[:3]
    if len(sizes) > 3 or min(x, y, z) < 1:
        raise ValueError(f"{what} {tuple(sizes)}: one to three sizes, each at least 1")
    return x, y, z


def _indices(sizes: Dim3) -> Iterator[Dim3]:
    x_size, y_size, z_size = sizes
    for z in range(z_size):
        for y in range(y_size):
            for x in range(x_size):
                yield x, y, z


def _ordered(items: list[T], order: str, rng: random.Random) -> list[T]:
    if order == "ascending":
        return items
    if order == "descending":
        return items[::-1]
    return rng.sample(items, len(items))


def _decode(param: Param, data: bytes) -> object:
    bits = int.from_bytes(data, "little")
    match param.value.type:
        case IntType(width=1) if bits > 1:
            raise ValueError(f"a bool parameter of value {bits}")
        case FloatType(width=width):
            return getattr(scalar, f"f{width}_from_bits")(bits)
        case _:
            return bits
