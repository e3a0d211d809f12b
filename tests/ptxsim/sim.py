"""Run PTX text: ``Sim(text)``, ``alloc``, ``launch``."""

import random
from collections.abc import Generator
from types import TracebackType
from typing import Any, Final, final

import numpy as np
from tests.ptxsim import floats, integer
from tests.ptxsim.codegen import python_name
from tests.ptxsim.compile import FunctionCompiler, suspends
from tests.ptxsim.errors import (
    PtxBarrierError,
    PtxError,
    PtxRunawayError,
    PtxSyntaxError,
    PtxUndefinedError,
)
from tests.ptxsim.memory import (
    FIRST,
    GAP,
    UNDEF,
    WINDOWS,
    GlobalMemory,
    ParamVariable,
    Segment,
    Undef,
    undef,
)
from tests.ptxsim.parser import parse
from tests.ptxsim.syntax import Function, Variable
from tests.ptxsim.thread import BACKWARD_LIMIT, Thread, ThreadExit, Triple

LOCAL_LIMIT: Final = 512 * 1024
"""Bytes of local memory that a thread may have."""


@final
class Sim:
    """A module, its global memory, and the means to launch its entries.

    Raises ``PtxError`` for text that is wrong or not known here.
    """

    def __init__(self, ptx_text: str) -> None:
        self.text = ptx_text.splitlines()
        try:
            self.module = parse(ptx_text)
            self.memory = GlobalMemory()
            self._owners: list[Any] = []
            self._addresses: dict[int, int] = {}
            self._generic: dict[str, int] = {}
            self._data: dict[str, bytearray] = {}
            self._place_variables()
            self._compile()
        except PtxError as error:
            self._locate(error)
            raise

    # ------------------------------------------------------------------------- memory

    def alloc(
        self, data: Any, *, align: int = 256, writable: bool = True, name: str = "buffer"
    ) -> int:
        """Give the kernel the memory of ``data``, in place; its global address.

        ``data``: a bytearray, or a C-contiguous array; ``bytes`` and read-only arrays are
        read-only for the kernel whatever ``writable`` says.  A store to them is an error.
        The address is a multiple of ``align``, and of no more.
        """
        readonly = not writable
        if isinstance(data, np.ndarray):
            readonly = readonly or not data.flags.writeable
            view = data.reshape(-1).view(np.uint8).data if data.size else memoryview(b"")
        else:
            view = memoryview(data).cast("B")
            readonly = readonly or view.readonly
        self._owners.append(data)
        return self.memory.alloc(view, align, name, readonly)

    def read_global(self, symbol: str) -> bytes:
        """The bytes of a module's ``.global`` variable."""
        return bytes(self._data[symbol])

    def write_global(self, symbol: str, data: bytes) -> None:
        """Replace the first bytes of a module's ``.global`` variable."""
        self._data[symbol][: len(data)] = data

    def _place_variables(self) -> None:
        consts: list[Variable] = []
        shared: list[Variable] = []
        for name, variable in self.module.variables.items():
            if variable.space == "global":
                assert variable.size is not None
                data = bytearray(variable.initial or bytes(variable.size))
                self._data[name] = data
                address = self.memory.alloc(memoryview(data), variable.align, name, False)
                self._addresses[id(variable)] = self._generic[name] = address
            else:
                (consts if variable.space == "const" else shared).append(variable)
        const_size = self._lay_out(consts)
        self._shared = tuple(shared)
        self._shared_size = self._lay_out(
            [v for v in shared if v.size is not None] + [v for v in shared if v.size is None]
        )
        self.const = Segment("const", const_size, True)
        for variable in consts:
            assert variable.size is not None
            initial = variable.initial or bytes(variable.size)
            self.const.place(variable.offset, variable.size, initial)
            self._generic[variable.name] = WINDOWS["const"] + variable.offset
        for name, variable in self.module.variables.items():
            for offset, symbol, addend, generic in variable.relocations:
                self._relocate(name, variable, offset, symbol, addend, generic)

    def _lay_out(self, variables: list[Variable]) -> int:
        at = FIRST
        for variable in variables:
            at = _just_aligned(at, variable.align)
            variable.offset = at
            self._addresses[id(variable)] = at
            if variable.size is not None:
                at += variable.size + GAP
        return at

    def _relocate(
        self, name: str, variable: Variable, at: int, symbol: str, addend: int, generic: bool
    ) -> None:
        target = self.module.variables.get(symbol)
        if target is None or target.space not in ("global", "const"):
            raise PtxSyntaxError(f"no address of {symbol} for {name}", variable.line)
        address = self._generic[symbol] if generic else self._addresses[id(target)]
        data = (address + addend).to_bytes(8, "little")
        if variable.space == "global":
            self._data[name][at : at + 8] = data
        else:
            self.const.data[variable.offset + at : variable.offset + at + 8] = data

    # ------------------------------------------------------------------------ compiling

    def _compile(self) -> None:
        self._waiting = suspends(self.module)
        self._namespace: dict[str, Any] = {
            **{name: getattr(floats, name) for name in
               ("b2f32", "f2b32", "b2f64", "f2b64", "b2f16", "saturate")},
            **{name: getattr(integer, name) for name in
               ("divide", "funnel", "permute", "find", "extract", "insert", "logic3")},
            "floats": floats, "INF": float("inf"), "R": floats.F32, "extend": _extend,
            "u2f32": _u2f32, "u2f64": _u2f64, "f2u32": _f2u32, "f2u64": _f2u64,
            "UNDEF": UNDEF, "ParamVariable": ParamVariable, "ThreadExit": ThreadExit,
            "LIMIT": BACKWARD_LIMIT,
        }  # fmt: skip
        for size in (1, 2, 4, 8):
            self._namespace[f"GL{size}"] = self.memory.loads[size]
            self._namespace[f"GS{size}"] = self.memory.stores[size]
        for size in (4, 8):
            self._namespace[f"GF{size}"] = self.memory.float_loads[size]
            self._namespace[f"HF{size}"] = self.memory.float_stores[size]
        self._origins: dict[str, tuple[int, ...]] = {}
        self.sources: dict[str, str] = {}
        for function in self.module.functions.values():
            self._namespace[f"LAYOUT_{python_name(function.name)}"] = _frame(function)
            _place_params(function)
            compiler = FunctionCompiler(self.module, function, self._addresses, self._waiting)
            compiled = compiler.compile()
            file = f"<ptx {function.name}>"
            self.sources[function.name] = compiled.source
            self._origins[file] = compiled.origin
            exec(compile(compiled.source, file, "exec"), self._namespace)

    # -------------------------------------------------------------------------- running

    def launch(
        self,
        entry: str,
        grid: Triple,
        block: Triple,
        params: bytes,
        order: str = "ascending",
        seed: int = 0,
        shared_bytes: int = 0,
    ) -> None:
        """Run every thread.  Raises ``PtxError`` with the PTX line, the block and the thread."""
        function = self.module.functions.get(entry)
        if function is None or not function.entry:
            raise PtxError(f"no entry {entry}")
        size = max((p.offset + (p.size or 0) for p in function.params
                    if isinstance(p, Variable)), default=0)  # fmt: skip
        # A launcher may round the buffer up to whole words.
        if len(params) not in (size, -(-size // 8) * 8):
            raise PtxError(f"{entry} has {size} bytes of parameters, {len(params)} given")
        threads = block[0] * block[1] * block[2]
        if not 1 <= threads <= (function.maxntid or 1024):
            raise PtxError(f"{threads} threads in a block")
        if function.reqntid is not None and function.reqntid != block:
            raise PtxError(f"{entry} needs blocks of {function.reqntid}")
        param = Segment("param", size, True)
        for each in function.params:
            assert isinstance(each, Variable)
            assert each.size is not None
            param.place(each.offset, each.size,
                        params[each.offset : each.offset + each.size])  # fmt: skip
        rng = random.Random(seed)
        code = self._namespace[python_name(entry)]
        for ctaid in _ordered(grid, order, rng):
            shared = self._new_shared(shared_bytes)
            ready = [
                Thread(self.memory, self.const, param, shared, tid, block, ctaid, grid)
                for tid in _ordered(block, order, rng)
            ]
            if entry in self._waiting:
                self._run_block([(t, code(t)) for t in ready], order, rng)
            else:
                for thread in ready:
                    self._run(thread, code)

    def _new_shared(self, extra: int) -> Segment:
        segment = Segment("shared", self._shared_size + extra + GAP, False)
        for variable in self._shared:
            segment.place(variable.offset, extra if variable.size is None else variable.size, None)
        return segment

    def _run(self, thread: Thread, code: Any) -> None:
        try:
            code(thread)
        except ThreadExit:
            pass
        except Exception as error:
            raise self._explain(error, thread) from error

    def _run_block(
        self,
        running: list[tuple[Thread, Generator[Any, None, Any]]],
        order: str,
        rng: random.Random,
    ) -> None:
        while running:
            waits: list[tuple[Thread, Generator[Any, None, Any], tuple[Any, int, bool]]] = []
            for thread, generator in running:
                try:
                    waits.append((thread, generator, next(generator)))
                except (StopIteration, ThreadExit):
                    pass
                except Exception as error:
                    raise self._explain(error, thread) from error
            self._meet(waits)
            if order == "shuffled":
                rng.shuffle(waits)
            running = [(thread, generator) for thread, generator, _ in waits]

    def _meet(self, waits: list[tuple[Thread, Any, tuple[Any, int, bool]]]) -> None:
        """All threads that still run stand at one barrier; a warp at one instruction of it.

        Threads that have ended no longer count.
        """
        if not waits:
            return
        first, _, (number, _, _) = waits[0]
        lines: dict[int, tuple[int, bool]] = {}
        for thread, _, (other, line, aligned) in waits:
            at, strict = lines.setdefault(thread.warpid, (line, aligned))
            if other != number or (at != line and (strict or aligned)):
                error = PtxBarrierError(
                    f"barrier {other}, while thread {first.tid} waits at barrier {number}"
                    if other != number
                    else f"a thread of the same warp waits at line {at}",
                    line,
                )
                raise self._locate(error, thread)

    # --------------------------------------------------------------------------- errors

    def _explain(self, error: Exception, thread: Thread) -> PtxError:
        line = self._line_of(error.__traceback__)
        if isinstance(error, PtxError):
            error.line = error.line if error.line is not None else line
            return self._locate(error, thread)
        if isinstance(error, TypeError | AttributeError):
            return self._locate(
                PtxUndefinedError("a value that was never written is used", line), thread
            )
        if isinstance(error, RecursionError):
            return self._locate(PtxRunawayError("calls nest too deep", line), thread)
        raise error

    def _line_of(self, traceback: TracebackType | None) -> int | None:
        line = None
        while traceback is not None:
            origin = self._origins.get(traceback.tb_frame.f_code.co_filename)
            if origin is not None:
                line = origin[traceback.tb_lineno - 1]
            traceback = traceback.tb_next
        return line

    def _locate(self, error: PtxError, thread: Thread | None = None) -> PtxError:
        if error.line is not None and 0 < error.line <= len(self.text):
            error.text = self.text[error.line - 1].strip()
        if thread is not None:
            error.block, error.thread = thread.ctaid, thread.tid
        return error


def _aligned(at: int, align: int) -> int:
    return -(-at // align) * align


def _just_aligned(at: int, align: int) -> int:
    """The next address that is a multiple of ``align`` and of no more."""
    at = _aligned(at, align)
    return at + align if at % (2 * align) == 0 else at


def _frame(function: Function) -> tuple[int, tuple[tuple[int, int], ...]]:
    at, variables = FIRST, []
    for variable in function.locals:
        assert variable.size is not None
        variable.offset = at = _just_aligned(at, variable.align)
        variables.append((at, variable.size))
        at += variable.size + GAP
    if at > LOCAL_LIMIT:
        raise PtxSyntaxError(f"{function.name} has {at} bytes of local memory", function.line)
    return at, tuple(variables)


def _place_params(function: Function) -> None:
    at = 0
    for param in function.params if function.entry else ():
        assert isinstance(param, Variable)
        assert param.size is not None
        param.offset = _aligned(at, param.align)
        at = param.offset + param.size


def _ordered(size: Triple, order: str, rng: random.Random) -> list[Triple]:
    all_ = [(x, y, z) for z in range(size[2]) for y in range(size[1]) for x in range(size[0])]
    match order:
        case "ascending":
            return all_
        case "descending":
            return all_[::-1]
        case "shuffled":
            rng.shuffle(all_)
            return all_
    raise ValueError(order)


def _extend(value: Any, width: int, to: int) -> Any:
    """Sign-extend bits."""
    if value.__class__ is Undef:
        return undef(to // 8)
    top = 1 << (width - 1)
    return ((value ^ top) - top) & ((1 << to) - 1)


def _u2f32(bits: Any) -> Any:
    return bits if bits.__class__ is Undef else floats.b2f32(bits)


def _u2f64(bits: Any) -> Any:
    return bits if bits.__class__ is Undef else floats.b2f64(bits)


def _f2u32(value: Any) -> Any:
    return value if value.__class__ is Undef else floats.f2b32(value)


def _f2u64(value: Any) -> Any:
    return value if value.__class__ is Undef else floats.f2b64(value)
