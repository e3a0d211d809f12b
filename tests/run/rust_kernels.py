"""Runs every kernel of a Rust file natively, in the interpreter and as PTX in ptxsim.

A kernel is a ``pub fn`` at the left margin that has all index parameters.  Two lines of the
file's head say more, where there is more to say: ``//! index: x,y`` and ``//! kernels: m::k``.
A comment ``// refused: MG0301`` above a kernel says that it is to stop with that diagnostic,
``// open: why`` that it does not do yet what it must.

Inputs are seeded by the kernel's name, with edge values; slices are shorter than the launch, so
that threads run out of bounds.
"""

import math
import random
import re
import struct
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final, assert_never, final

from tests.native import NativeResult, run_native
from tests.ptxsim import Sim

from mirgpu.kir.interpreter import Interpreter
from mirgpu.kir.module import Module
from mirgpu.kir.parser import parse_module
from mirgpu.kir.printer import print_module
from mirgpu.lower import LowerOptions, lower_module
from mirgpu.mir.dump import Dump
from mirgpu.passes.pipeline import run_passes
from mirgpu.runtime.compare import difference
from mirgpu.runtime.dtypes import size_of, tag_value
from mirgpu.runtime.manifest import (
    ArrayType,
    EnumType,
    HostType,
    KernelInfo,
    OpaqueType,
    ParamKind,
    ScalarType,
    StructType,
)
from mirgpu.runtime.panics import PanicRecord, parse_buffer
from mirgpu.runtime.rust_format import format_message, format_scalar
from mirgpu.rustc import RustcOptions, dump_mir
from mirgpu.targets.ptx import PtxOptions, PtxOutput, emit

FOLDER: Final = Path(__file__).parent / "kernels"
LENGTH: Final = 19
"""Elements of a slice."""
THREADS: Final = 24
"""Threads of a launch: no more than a panic buffer has records."""
EXTENTS: Final = {1: (24, 1, 1), 2: (6, 4, 1), 3: (4, 3, 2)}
BLOCKS: Final = {1: (5, 1, 1), 2: (4, 3, 1), 3: (3, 2, 2)}

Panics = dict[tuple[int, ...], tuple[str, int | None, int | None]]
"""What each thread's panic said, with line and column, by the thread's index.

rustc's own place may be inside the standard library: none here, and ours is then the line of the
kernel that called it.
"""


@final
@dataclass(frozen=True, slots=True)
class Result:
    buffers: tuple[bytes, ...]
    panics: Panics


@final
@dataclass(frozen=True, slots=True)
class Source:
    """What a file's text says of its kernels: ``refused`` has the codes by name, ``open`` what
    is known to be wrong."""

    path: Path
    index: tuple[str, ...]
    kernels: tuple[str, ...]
    refused: dict[str, str]
    open: dict[str, str]


@cache
def source(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    index = re.search(r"^//! index: (.+)$", text, re.M)
    names = index[1].split(",") if index else ["i"]
    kernels: list[str] = []
    refused: dict[str, str] = {}
    wrong: dict[str, str] = {}
    code = why = None
    for line in text.splitlines():
        if mark := re.match(r"// refused: (MG\d+)", line):
            code = mark[1]
        elif mark := re.match(r"// open: (.+)", line):
            why = mark[1]
        elif found := re.match(r"pub (?:unsafe )?fn (?:r#)?(\w+)\((.*)$", line):
            if all(re.search(rf"\b{name}: ", found[2]) for name in names):
                kernels.append(found[1])
                if code is not None:
                    refused[found[1]] = code
                if why is not None:
                    wrong[found[1]] = why
            code = why = None
    if more := re.search(r"^//! kernels: (.+)$", text, re.M):
        kernels += more[1].split(",")
    return Source(path, tuple(names), tuple(kernels), refused, wrong)


@cache
def _dump(path: Path, toolchain: str | None, checks: bool) -> tuple[Dump, Any]:
    made = dump_mir(path, RustcOptions(toolchain=toolchain, overflow_checks=checks))
    return Dump(made.text, str(path)), made


@final
@dataclass(frozen=True, slots=True)
class Compiled:
    """One kernel alone: its optimised kir, read back from its text, and its PTX."""

    info: KernelInfo
    module: Module
    ptx: PtxOutput


@cache
def compiled(path: Path, name: str, toolchain: str | None, checks: bool) -> Compiled:
    """Raises DiagnosticError."""
    dump, made = _dump(path, toolchain, checks)
    options = LowerOptions((name,), source(path).index, checks)
    lowered = lower_module(dump, made.info, options, made.oracle)
    module = run_passes(lowered.module)
    (info,) = lowered.kernels
    return Compiled(info, parse_module(print_module(module)), emit(module, "sm_80", PtxOptions()))


# ------------------------------------------------------------------------------- inputs

_BITS: Final = {"bool": 8, "usize": 64, "isize": 64}
_FLOATS: Final = (
    0.0, -0.0, 1.0, -1.0, 0.5, 1.5, 2.5, -2.5, 0.1, math.inf, -math.inf, math.nan, 1e-40, 3e38,
    127.6, 128.0, 255.9, -129.0, 65536.0, 2147483648.0, -2147483649.0, 4294967296.0, 1e19, -1e19,
    16777217.0, 9223372036854775807.0, 5e-324, -0.49999997,
)  # fmt: skip
_CHARS: Final = "aZ0_ é\u00dfß€\u2028😀\U0010ffff\ud7ff\ue000\0\n'\"\\"


def _scalar(name: str, rng: random.Random) -> bytes:
    if name == "bool":
        return bytes([rng.randrange(2)])
    if name == "char":
        return ord(rng.choice(_CHARS)).to_bytes(4, "little")
    if name in ("f32", "f64"):
        value = rng.choice(_FLOATS) if rng.random() < 0.5 else rng.uniform(-300, 300)
        return struct.pack("<f" if name == "f32" else "<d", value)
    bits = _BITS.get(name) or int(name[1:])
    pick = rng.random()
    top = 1 << (bits - 1)
    if pick < 0.4:
        value = rng.randrange(0, 10)
    elif pick < 0.7:
        value = rng.choice([0, 1, top, 2 * top - 1, top - 1, top + 1, 2 * top - 7, top >> 1])
    else:
        value = rng.getrandbits(bits)
    return value.to_bytes(bits // 8, "little")


def _value(ty: HostType, rng: random.Random) -> bytes:
    match ty:
        case ScalarType(name):
            return _scalar(name, rng)
        case ArrayType(elem, length):
            return b"".join(_value(elem, rng) for _ in range(length))
        case StructType(_, size, _, fields):
            parts = [(field.offset, _value(field.type, rng)) for field in fields]
        case EnumType(_, size, _, tag, variants):
            variant = rng.choice(variants)
            parts = [(field.offset, _value(field.type, rng)) for field in variant.fields]
            width = size_of(tag.type)
            number = tag_value(ty, variant) & ((1 << 8 * width) - 1)
            parts.append((tag.offset, number.to_bytes(width, "little")))
        case OpaqueType(_, size, _):
            return bytes(size)
        case _:
            assert_never(ty)
    out = bytearray(size)
    for offset, data in parts:
        out[offset : offset + len(data)] = data
    return bytes(out)


def inputs(kernel: KernelInfo, length: int) -> list[bytes]:
    """The bytes of every parameter but indices and extents; what pointers lead to is long
    enough for every thread."""
    rng = random.Random(kernel.name)
    out = []
    for param in _given(kernel):
        if param.kind is ParamKind.SLICE:
            count = length
        elif param.kind is ParamKind.POINTER:
            count = THREADS
        else:
            count = 1
        out.append(b"".join(_value(param.type, rng) for _ in range(count)))
    return out


def _given(kernel: KernelInfo) -> list[Any]:
    return [p for p in kernel.params if p.kind not in (ParamKind.INDEX, ParamKind.EXTENT)]


# -------------------------------------------------------------------------------- paths


def native(path: Path, name: str, checks: bool, length: int = LENGTH) -> Result:
    """rustc's own result, by the active toolchain."""
    infos = _infos(path, checks)
    info = infos[name]
    made: NativeResult = run_native(
        path,
        tuple(infos.values()),
        info,
        inputs(info, length),
        extents=_extents(path),
        grid=None,
        block=None,
        overflow_checks=checks,
    )
    panics: Panics = {
        p.place: (p.message, p.line, p.col) if p.file == str(path) else (p.message, None, None)
        for p in made.panics
    }
    return Result(made.buffers, panics)


@cache
def _infos(path: Path, checks: bool) -> dict[str, KernelInfo]:
    """The kernels of a file that lower."""
    from mirgpu.diagnostics import DiagnosticError

    out = {}
    for name in source(path).kernels:
        try:
            out[name] = compiled(path, name, None, checks).info
        except DiagnosticError:
            # Its own test tells.
            continue
    return out


def _extents(path: Path) -> tuple[int, int, int]:
    return EXTENTS[len(source(path).index)]


def _launch(path: Path) -> tuple[tuple[int, int, int], tuple[int, int, int]]:
    axes = len(source(path).index)
    extents, block = EXTENTS[axes], BLOCKS[axes]
    x, y, z = (-(-e // b) for e, b in zip(extents, block, strict=True))
    return (x, y, z), block


def _buffer(
    path: Path, kernel: KernelInfo, length: int, alloc: Any
) -> tuple[bytes, list[bytearray]]:
    """The parameter buffer, and the memory of each parameter, in order."""
    buffer = bytearray(kernel.buffer_size)
    given = [bytearray(data) for data in inputs(kernel, length)]
    rest = iter(given)
    for param in kernel.params:
        if param.kind is ParamKind.INDEX:
            continue
        if param.kind is ParamKind.EXTENT:
            data = _extents(path)[param.axis or 0].to_bytes(8, "little")
        elif param.kind is ParamKind.VALUE:
            data = bytes(next(rest))
        else:
            memory = next(rest)
            data = alloc(memory, param.mutable).to_bytes(8, "little")
            if param.kind is ParamKind.SLICE:
                data += length.to_bytes(8, "little")
        assert param.offset is not None
        buffer[param.offset : param.offset + len(data)] = data
    return bytes(buffer), given


def run_interp(path: Path, made: Compiled, order: str, length: int = LENGTH) -> Result:
    interpreter = Interpreter(made.module)
    buffer, memory = _buffer(
        path,
        made.info,
        length,
        lambda data, mutable: interpreter.alloc(data, align=16, readonly=not mutable),
    )
    grid, block = _launch(path)
    report = interpreter.launch(made.info.symbol, grid, block, buffer, order=order)
    records = [PanicRecord(r.site, r.block, r.thread, r.operands) for r in report.records]
    assert report.count == len(records)
    return Result(tuple(map(bytes, memory)), _panics(made, records, block))


def run_ptxsim(path: Path, made: Compiled, order: str, length: int = LENGTH) -> Result:
    sim = Sim(made.ptx.text)
    buffer, memory = _buffer(
        path, made.info, length, lambda data, mutable: sim.alloc(data, writable=mutable)
    )
    grid, block = _launch(path)
    sim.launch(made.info.symbol, grid, block, buffer, order=order)
    records: tuple[PanicRecord, ...] = ()
    if made.ptx.panic_buffer is not None:
        data = sim.read_global(made.ptx.panic_buffer.symbol)
        count, records = parse_buffer(made.ptx.panic_buffer, data)
        assert count == len(records)
    return Result(tuple(map(bytes, memory)), _panics(made, records, block))


def _panics(made: Compiled, records: Iterable[PanicRecord], block: tuple[int, int, int]) -> Panics:
    out: Panics = {}
    for record in records:
        site = made.module.panics[record.site]
        shown = tuple(
            format_scalar(operand.kind, operand.trait.value, bits)
            for operand, bits in zip(site.operands, record.operands, strict=False)
        )
        at = tuple(
            b * size + t for b, size, t in zip(record.block, block, record.thread, strict=True)
        )
        loc = site.loc
        message = format_message(site.message, shown).replace("\n", "\\n")
        assert at not in out
        out[at] = (message, loc and loc.line, loc and loc.col)
    return out


# --------------------------------------------------------------------------- comparison

_PLAIN: Final = (
    (r"index out of bounds: the length is", "index out of bounds: the len is"),
    (r"attempt to divide `.*` by zero", "attempt to divide by zero"),
    (
        r"attempt to calculate the remainder of `.*` with a divisor of zero",
        "attempt to calculate the remainder with a divisor of zero",
    ),
    (r"attempt to negate `.*`, which would overflow", "attempt to negate with overflow"),
    (r"attempt to shift left by `.*`, which", "attempt to shift left with overflow"),
    (r"attempt to shift right by `.*`, which", "attempt to shift right with overflow"),
    (r"attempt to compute `.* \+ .*`, which", "attempt to add with overflow"),
    (r"attempt to compute `.* - .*`, which", "attempt to subtract with overflow"),
    (r"attempt to compute `.* \* .*`, which", "attempt to multiply with overflow"),
    (r"attempt to compute `.* / .*`, which", "attempt to divide with overflow"),
    (
        r"attempt to compute the remainder of `.* % .*`, which",
        "attempt to calculate the remainder with overflow",
    ),
)
"""MIR's asserts say more than the panics that rustc makes of them."""


def plain(message: str) -> str:
    for pattern, words in _PLAIN:
        if re.match(pattern, message):
            return words + (message[re.match(pattern, message).end() :] if "index" in words else "")  # type: ignore[union-attr]
    return message


def disagreement(kernel: KernelInfo, want: Result, got: Result) -> str | None:
    """What the two differ in, first buffers, then panics."""
    for param, left, right in zip(_given(kernel), want.buffers, got.buffers, strict=True):
        found = difference(param.type, left, right)
        if found is not None:
            return f"{param.name}: {found}"
    for thread in sorted(want.panics.keys() | got.panics.keys()):
        expected, seen = want.panics.get(thread), got.panics.get(thread)
        if seen is not None:
            seen = (plain(seen[0]), *seen[1:])
            if expected is not None and expected[1] is None and seen[1] is not None:
                seen = (seen[0], None, None)
        if expected != seen:
            return f"thread {thread}: expected {expected}, got {seen}"
    return None
