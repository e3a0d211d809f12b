"""Loads a PTX module and launches its entries."""

import random
import traceback
from collections.abc import Callable, Generator, Sequence
from typing import Any

from tests.ptxsim import floats, scalar
from tests.ptxsim.compile import Compiled, FunctionCompiler, python_name, waiting
from tests.ptxsim.errors import PtxError
from tests.ptxsim.memory import (
    CONST_WINDOW,
    GLOBAL_BASE,
    LOCAL_WINDOW,
    PARAM_WINDOW,
    SHARED_WINDOW,
    Memory,
    Region,
    blank,
)
from tests.ptxsim.text import Symbol, Variable, parse, size_of

Dim = tuple[int, int, int]
_LOCAL_BYTES = 1 << 16


class ThreadExit(Exception):  # noqa: N818 - an instruction, not an error
    """The thread has executed ``exit``."""


class Thread:
    """One thread's coordinates, carry flag and local memory."""

    __slots__ = (
        "carry",
        "ctaid",
        "frames",
        "lane",
        "local",
        "memory",
        "nctaid",
        "ntid",
        "tid",
        "top",
    )

    def __init__(self, memory: Memory, tid: Dim, ntid: Dim, ctaid: Dim, nctaid: Dim) -> None:
        self.memory = memory
        self.tid, self.ntid, self.ctaid, self.nctaid = tid, ntid, ctaid, nctaid
        self.lane = (tid[0] + ntid[0] * (tid[1] + ntid[1] * tid[2])) % 32
        self.carry: int | None = None
        self.local: Region | None = None
        self.frames: list[int] = []
        self.top = 0

    def push(self, size: int, align: int) -> int:
        """Local memory for a variable of a function that is entered; its .local address."""
        if self.local is None:
            self.local = blank(_LOCAL_BYTES, "local memory")
            self.memory.regions[LOCAL_WINDOW >> 32] = self.local
        self.frames.append(self.top)
        start = -(-self.top // align) * align
        self.top = start + size
        if self.top > _LOCAL_BYTES:
            raise PtxError("local memory is used up")
        return start

    def pop(self) -> None:
        assert self.local is not None
        assert self.local.init is not None
        start = self.frames.pop()
        self.local.init[start : self.top] = bytes(self.top - start)
        self.top = start


class Sim:
    """A loaded module; raises PtxError for text that it does not know."""

    def __init__(self, text: str) -> None:
        self.module = parse(text)
        self.memory = Memory()
        self.symbols: dict[str, int] = {}
        self.shared_size = 0
        self.globals: dict[str, Region] = {}
        self._place_variables()
        self.waits = waiting(self.module)
        self.compiled: dict[str, Compiled] = {}
        self.space = self._namespace()
        for function in self.module.functions.values():
            if function.defined:
                compiled = FunctionCompiler(self.module, function, self.waits).compile()
                self.compiled[f"<{function.name}>"] = compiled
                exec(compile(compiled.source, f"<{function.name}>", "exec"), self.space)

    # ------------------------------------------------------------------ memory

    def alloc(self, buffer: Any, *, align: int = 256, writable: bool = True) -> int:
        """Make a buffer (bytes, bytearray, array) visible; kernels work in place."""
        view = memoryview(buffer).cast("B")
        if align > 256:
            raise PtxError("allocations are aligned to 256 bytes at most")
        name = f"allocation {len(self.memory.regions)}"
        return self.memory.add(Region(view, None, writable and not view.readonly, name))

    def read_global(self, symbol: str) -> bytes:
        """The bytes of a .global variable."""
        return bytes(self.globals[symbol].data)

    def _place_variables(self) -> None:
        consts = [v for v in self.module.variables if v.space == "const"]
        offset = 0
        for variable in consts:
            offset = -(-offset // variable.align) * variable.align
            self.symbols[variable.name] = offset
            offset += variable.size
        const = Region(bytearray(offset), None, False, "constant memory")
        self.memory.regions[CONST_WINDOW >> 32] = const
        for variable in self.module.variables:
            if variable.space == "shared":
                self.shared_size = -(-self.shared_size // variable.align) * variable.align
                self.symbols[variable.name] = self.shared_size
                self.shared_size += variable.size
            elif variable.space == "global":
                region = Region(bytearray(variable.size), None, True, variable.name)
                self.globals[variable.name] = region
                self.symbols[variable.name] = self.memory.add(region)
        for variable in self.module.variables:
            if variable.init is not None:
                region, start = (
                    (const, self.symbols[variable.name])
                    if variable.space == "const"
                    else (self.globals[variable.name], 0)
                )
                self._initialise(variable, region, start)

    def _initialise(self, variable: Variable, region: Region, start: int) -> None:
        size = size_of(variable.type)
        assert variable.init is not None
        for k, value in enumerate(variable.init):
            if isinstance(value, Symbol):
                (target,) = [v for v in self.module.variables if v.name == value.name]
                window = {"global": 0, "const": CONST_WINDOW, "shared": SHARED_WINDOW}[target.space]
                bits = self.symbols[value.name] + value.offset + (window if value.generic else 0)
            else:
                assert isinstance(value, int)
                bits = value
            data = (bits & ((1 << 8 * size) - 1)).to_bytes(size, "little")
            region.data[start + k * size : start + (k + 1) * size] = data

    def _namespace(self) -> dict[str, Any]:
        find = self.memory.find

        def ld(address: int, size: int) -> int | None:
            region, offset = find(address)
            return region.load(offset, size)

        def st(address: int, size: int, value: int | None) -> None:
            region, offset = find(address)
            region.store(offset, size, value)

        def ld_global(address: int, size: int) -> int | None:
            if address >> 32 < GLOBAL_BASE:
                raise PtxError(f"ld.global of {address:#x}, which is not in .global")
            return ld(address, size)

        def st_global(address: int, size: int, value: int | None) -> None:
            if address >> 32 < GLOBAL_BASE:
                raise PtxError(f"st.global to {address:#x}, which is not in .global")
            st(address, size, value)

        def aligned(address: int, size: int) -> None:
            if address % size:
                raise PtxError(f"misaligned vector access at {address:#x}")

        def trap() -> None:
            raise PtxError("trap")

        def fell_off() -> None:
            raise PtxError("the function ends without ret")

        return {
            "ld": ld,
            "st": st,
            "ld_global": ld_global,
            "st_global": st_global,
            "aligned": aligned,
            "trap": trap,
            "fell_off": fell_off,
            "blank": blank,
            "fl": floats,
            "sc": scalar,
            "signed": scalar.signed,
            "M64": (1 << 64) - 1,
            "SHARED_WINDOW": SHARED_WINDOW,
            "LOCAL_WINDOW": LOCAL_WINDOW,
            "CONST_WINDOW": CONST_WINDOW,
            "PARAM_WINDOW": PARAM_WINDOW,
            "GLOBAL_WINDOW": 0,
            "SYMBOLS": self.symbols,
            "PARAMS": {
                f.name: _offsets(f.params) for f in self.module.functions.values() if f.entry
            },
            "ThreadExit": ThreadExit,
        }

    # ------------------------------------------------------------------ launch

    def launch(
        self,
        entry: str,
        grid: Dim,
        block: Dim,
        params: bytes,
        order: str = "ascending",
        seed: int = 0,
    ) -> None:
        """Run every thread.  ``params`` has the parameters in order at their alignment.

        Raises PtxError, with the PTX line, block and thread, for what is undefined.
        """
        function = self.module.functions[entry]
        last = function.params[-1] if function.params else None
        size = 0 if last is None else _offsets(function.params)[last.name] + last.size
        if len(params) != size and len(params) != -(-size // 8) * 8:
            raise PtxError(f"{entry} takes {size} bytes of parameters, not {len(params)}")
        self.memory.regions[PARAM_WINDOW >> 32] = Region(bytearray(params), None, False, "params")
        run = self.space[python_name(entry)]
        rng = random.Random(seed)
        for ctaid in _ordered(grid, order, rng):
            self.memory.regions[SHARED_WINDOW >> 32] = blank(self.shared_size, "shared memory")
            threads = [
                Thread(self.memory, tid, block, ctaid, grid) for tid in _ordered(block, order, rng)
            ]
            if entry in self.waits:
                self._run_block(run, threads, order, rng)
            else:
                for thread in threads:
                    self._step(thread, lambda thread=thread: run(thread))

    def _run_block(
        self,
        run: Callable[[Thread], Generator[int, None, None]],
        threads: list[Thread],
        order: str,
        rng: random.Random,
    ) -> None:
        """Threads between barriers, until all have ended.

        An ended thread counts as arrived; threads that wait at different barriers of the text
        would hang or corrupt a real block, so that is an error.
        """
        live = [(thread, run(thread)) for thread in threads]
        while live:
            waiting_at: dict[int, Thread] = {}
            still = []
            for thread, generator in live:
                line = self._step(thread, lambda generator=generator: next(generator, None))
                if line is not None:
                    waiting_at[line] = thread
                    still.append((thread, generator))
            if len(waiting_at) > 1:
                where = ", ".join(f"line {n} (thread {t.tid})" for n, t in waiting_at.items())
                raise PtxError(
                    f"threads of block {threads[0].ctaid} wait at different barriers: {where}"
                )
            live = still
            if order == "shuffled":
                rng.shuffle(live)

    def _step(self, thread: Thread, action: Callable[[], Any]) -> Any:
        if thread.local is not None:
            self.memory.regions[LOCAL_WINDOW >> 32] = thread.local
        else:
            self.memory.regions.pop(LOCAL_WINDOW >> 32, None)
        try:
            return action()
        except ThreadExit:
            return None
        except (PtxError, TypeError, AttributeError, IndexError) as error:
            reason = str(error)
            if isinstance(error, TypeError) and "NoneType" in reason:
                reason = f"an undefined value is computed with ({reason})"
            elif not isinstance(error, PtxError):
                raise
            place = f"block {thread.ctaid} thread {thread.tid}"
            raise PtxError(f"line {self._line_of(error)}, {place}: {reason}") from error

    def _line_of(self, error: BaseException) -> int:
        for frame in reversed(traceback.extract_tb(error.__traceback__)):
            compiled = self.compiled.get(frame.filename)
            if compiled is not None and frame.lineno is not None:
                return compiled.lines[frame.lineno - 1]
        return 0


def _offsets(params: Sequence[Variable]) -> dict[str, int]:
    offsets, at = {}, 0
    for variable in params:
        at = -(-at // variable.align) * variable.align
        offsets[variable.name] = at
        at += variable.size
    return offsets


def _ordered(size: Dim, order: str, rng: random.Random) -> list[Dim]:
    every = [(x, y, z) for z in range(size[2]) for y in range(size[1]) for x in range(size[0])]
    if order == "descending":
        every.reverse()
    elif order == "shuffled":
        rng.shuffle(every)
    elif order != "ascending":
        raise ValueError(f"no order {order!r}")
    return every
