"""Runs kernels of a Rust file twice, by native rustc and by the kir interpreter, and compares.

Inputs are seeded by the kernel's name.  Every parameter is a slice or a scalar of numbers, or
of ``Copy`` types for which every bit pattern that ``make_input`` gives is valid.
"""

import os
import random
import shutil
import struct
import subprocess
from dataclasses import dataclass
from pathlib import Path

from mirgpu.kir.interpreter import Interpreter
from mirgpu.kir.verifier import verify
from mirgpu.lower import Lowered, LowerOptions, lower_module
from mirgpu.lower.crate_info import CrateInfo
from mirgpu.mir.dump import Dump
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
from mirgpu.rustc import MirDump

DATA = Path(__file__).parent / "data"
THREADS = 12
LENGTH = 9
"""Slices are shorter than the grid, so that the last threads go out of bounds."""

_SIZES = {"bool": 1, "u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "char": 4}


def have_rustc() -> bool:
    return shutil.which("rustc") is not None


@dataclass(frozen=True)
class Outcome:
    """Bytes of each ``&mut`` parameter, and the messages of the threads that panicked."""

    buffers: tuple[bytes, ...]
    panics: tuple[str | None, ...]


def scalar_bytes(name: str, rng: random.Random) -> bytes:
    """A value, small ones, extremes and specials among them."""
    if name == "bool":
        return bytes([rng.randrange(2)])
    if name == "char":
        return rng.choice("aZ0é€😀").encode("utf-32-le")
    if name in ("f32", "f64"):
        specials = [0.0, -0.0, 1.0, -1.5, 2.5, float("inf"), 1e-40, 3.0e9, -7.25]
        value = rng.choice(specials) if rng.random() < 0.4 else rng.uniform(-50, 50)
        return struct.pack("<f" if name == "f32" else "<d", value)
    size = _SIZES.get(name, 8)
    bits = 8 * size
    pick = rng.random()
    if pick < 0.6:
        value = rng.randrange(0, 7)
    elif pick < 0.75:
        value = rng.choice([0, 1, 1 << (bits - 1), (1 << bits) - 1, (1 << (bits - 1)) - 1])
    else:
        value = rng.getrandbits(bits)
    return value.to_bytes(size, "little")


def make_input(ty: HostType, rng: random.Random) -> bytes:
    match ty:
        case ScalarType(name):
            return scalar_bytes(name, rng)
        case ArrayType(elem, length):
            return b"".join(make_input(elem, rng) for _ in range(length))
        case StructType(_, size, _, fields):
            out = bytearray(size)
            for field in fields:
                data = make_input(field.type, rng)
                out[field.offset : field.offset + len(data)] = data
            return bytes(out)
        case EnumType(_, size, _, tag, variants):
            out = bytearray(size)
            variant = rng.choice(variants)
            for field in variant.fields:
                data = make_input(field.type, rng)
                out[field.offset : field.offset + len(data)] = data
            width = int(tag.type.name[1:]) // 8  # type: ignore[union-attr]
            out[tag.offset : tag.offset + width] = variant.tag.to_bytes(width, "little")
            return bytes(out)
        case OpaqueType(_, size, _):
            return bytes(size)


def canonical(ty: HostType, data: bytes) -> bytes:
    """The value's bytes with padding, and what an enum's variant leaves open, as zeros."""
    match ty:
        case StructType(_, size, _, fields):
            out = bytearray(size)
        case EnumType(_, size, _, tag, variants):
            out = bytearray(size)
            width = int(tag.type.name[1:]) // 8  # type: ignore[union-attr]
            raw = data[tag.offset : tag.offset + width]
            out[tag.offset : tag.offset + width] = raw
            chosen = [v for v in variants if v.tag == int.from_bytes(raw, "little")]
            fields = chosen[0].fields if chosen else ()
        case ArrayType(elem, length):
            size = len(data) // length if length else 0
            return b"".join(canonical(elem, data[i * size : (i + 1) * size]) for i in range(length))
        case _:
            return data
    for field in fields:
        part = canonical(field.type, data[field.offset : field.offset + size_of(field.type)])
        out[field.offset : field.offset + len(part)] = part
    return bytes(out)


def size_of(ty: HostType) -> int:
    match ty:
        case ScalarType(name):
            return _SIZES.get(name, 4 if name == "f32" else 8)
        case ArrayType(elem, length):
            return size_of(elem) * length
        case StructType(size=size) | EnumType(size=size) | OpaqueType(size=size):
            return size


def canonical_buffers(kernel: KernelInfo, buffers: list[bytes]) -> tuple[bytes, ...]:
    out = []
    mutable = [p for p in kernel.params if p.mutable]
    for param, data in zip(mutable, buffers, strict=True):
        size = size_of(param.type)
        out.append(
            b"".join(canonical(param.type, data[i : i + size]) for i in range(0, len(data), size))
        )
    return tuple(out)


def inputs(kernel: KernelInfo) -> list[bytes]:
    """The bytes of every parameter but indices and extents."""
    rng = random.Random(kernel.name)
    out = []
    for param in kernel.params:
        if param.kind is ParamKind.SLICE:
            out.append(b"".join(make_input(param.type, rng) for _ in range(LENGTH)))
        elif param.kind in (ParamKind.VALUE, ParamKind.REFERENCE, ParamKind.POINTER):
            out.append(make_input(param.type, rng))
    return out


# ------------------------------------------------------------------------ interpreter


def lower_text(
    text: str, file: str, info: CrateInfo | None = None, kernels: tuple[str, ...] = ()
) -> Lowered:
    empty = CrateInfo(None, None, False, (), {}, {})
    lowered = lower_module(
        Dump(text, file), info or empty, LowerOptions(kernels, ("i",), False), None
    )
    verify(lowered.module)
    return lowered


def lower_source(path: Path, toolchain: str | None = None) -> Lowered:
    from mirgpu.rustc import RustcOptions, dump_mir

    return lower_dump(dump_mir(path, RustcOptions(toolchain=toolchain)), path)


def lower_dump(made: MirDump, path: Path, checks: bool = False) -> Lowered:
    options = LowerOptions((), ("i",), checks)
    lowered = lower_module(Dump(made.text, str(path)), made.info, options, made.oracle)
    verify(lowered.module)
    return lowered


def run_interp(lowered: Lowered, kernel: KernelInfo, order: str = "ascending") -> Outcome:
    interp = Interpreter(lowered.module)
    given = iter(inputs(kernel))
    buffer = bytearray(kernel.buffer_size)
    written: list[bytearray] = []
    for param in kernel.params:
        if param.offset is None:
            continue
        if param.kind is ParamKind.EXTENT:
            data = THREADS.to_bytes(8, "little")
        elif param.kind is ParamKind.VALUE:
            data = next(given)
        else:
            memory = bytearray(next(given))
            address = interp.alloc(memory, align=16, name=param.name)
            data = address.to_bytes(8, "little")
            if param.kind is ParamKind.SLICE:
                data += LENGTH.to_bytes(8, "little")
            if param.mutable:
                written.append(memory)
        buffer[param.offset : param.offset + len(data)] = data
    report = interp.launch(kernel.symbol, (2,), (8,), bytes(buffer), order=order)
    panics: list[str | None] = [None] * THREADS
    for record in report.records:
        site = lowered.module.panics[record.site]
        shown = [
            _show(operand.kind, operand.trait.value, bits)
            for operand, bits in zip(site.operands, record.operands, strict=True)
        ]
        panics[record.block[0] * 8 + record.thread[0]] = site.message.format(*shown)
    return Outcome(canonical_buffers(kernel, [bytes(m) for m in written]), tuple(panics))


def _show(kind: str, trait: str, bits: int) -> str:
    from mirgpu.runtime.rust_format import format_scalar

    return format_scalar(kind, trait, bits)


# ----------------------------------------------------------------------------- native


def build_native(
    source: Path, kernels: tuple[KernelInfo, ...], folder: Path, checks: bool = False
) -> Path:
    """An executable that runs the kernel its first argument names over the bytes in a file."""
    arms = []
    for kernel in kernels:
        lets, args, outs = [], [], []
        for number, param in enumerate(kernel.params):
            ty = param.rust_type
            if param.kind is ParamKind.INDEX:
                args.append("t as _")
                continue
            if param.kind is ParamKind.EXTENT:
                continue
            name = f"p{number}"
            match param.kind:
                case ParamKind.SLICE:
                    elem = ty.split("[", 1)[1].rsplit("]", 1)[0]
                    lets.append(f"let mut {name}: Vec<{elem}> = take(&mut data, {LENGTH});")
                    args.append(f"&mut {name}[..]" if param.mutable else f"&{name}[..]")
                case ParamKind.REFERENCE | ParamKind.POINTER:
                    inner = ty.split(" ", 1)[1] if " " in ty else ty[1:]
                    inner = inner.removeprefix("mut ")
                    lets.append(f"let mut {name}: Vec<{inner}> = take(&mut data, 1);")
                    args.append(f"&mut {name}[0]" if param.mutable else f"&{name}[0]")
                case _:
                    lets.append(f"let mut {name}: Vec<{ty}> = take(&mut data, 1);")
                    args.append(f"{name}[0]")
            if param.mutable:
                outs.append(f"show(&{name});")
        arms.append(
            f'"{kernel.name}" => {{ {" ".join(lets)} for t in 0..{THREADS}usize {{ '
            f"report(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| "
            f"kernel::{kernel.name}({', '.join(args)})))); }} {' '.join(outs)} }}"
        )
    main = f"""
#![allow(warnings)]
#[path = "{source.resolve()}"] mod kernel;
use kernel::*;
fn take<T: Copy>(data: &mut Vec<u8>, n: usize) -> Vec<T> {{
    let size = n * std::mem::size_of::<T>();
    let mut out = Vec::with_capacity(n);
    unsafe {{
        std::ptr::copy_nonoverlapping(data.as_ptr(), out.as_mut_ptr() as *mut u8, size);
        out.set_len(n);
    }}
    data.drain(..size);
    out
}}
fn show<T>(v: &Vec<T>) {{
    let size = v.len() * std::mem::size_of::<T>();
    let b = unsafe {{ std::slice::from_raw_parts(v.as_ptr() as *const u8, size) }};
    println!("buffer {{}}", b.iter().map(|x| format!("{{x:02x}}")).collect::<String>());
}}
thread_local!(static MSG: std::cell::RefCell<String> = Default::default());
fn report(r: std::thread::Result<()>) {{
    match r {{
        Ok(()) => println!("ok"),
        Err(_) => println!("panic {{:?}}", MSG.with(|m| m.borrow().clone())),
    }}
}}
fn main() {{
    std::panic::set_hook(Box::new(|info| {{
        MSG.with(|m| *m.borrow_mut() = info.payload_as_str().unwrap_or("?").to_string())
    }}));
    let args: Vec<String> = std::env::args().collect();
    let mut data = std::fs::read(&args[2]).unwrap();
    match args[1].as_str() {{ {" ".join(arms)} _ => panic!("no kernel") }}
}}
"""
    text = folder / "main.rs"
    text.write_text(main)
    program = folder / "main"
    subprocess.run(
        [
            "rustc",
            "--edition",
            "2021",
            "-O",
            f"-Coverflow-checks={'on' if checks else 'off'}",
            text,
            "-o",
            program,
        ],
        check=True,
        capture_output=True,
        env={**os.environ, "RUST_BACKTRACE": "0"},
    )
    return program


def run_native(program: Path, kernel: KernelInfo, folder: Path) -> Outcome:
    data = folder / f"{kernel.name}.bin"
    data.write_bytes(b"".join(inputs(kernel)))
    done = subprocess.run(
        [program, kernel.name, data], check=True, capture_output=True, text=True
    ).stdout
    buffers, panics = [], []
    for line in done.splitlines():
        word, _, rest = line.partition(" ")
        if word == "buffer":
            buffers.append(bytes.fromhex(rest))
        elif word == "panic":
            panics.append(rest[1:-1].encode().decode("unicode_escape"))
        else:
            panics.append(None)
    return Outcome(canonical_buffers(kernel, buffers), tuple(panics))
