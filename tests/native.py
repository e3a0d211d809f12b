"""Runs a kernel natively: rustc's own code on the host is the truth that devices must match.

One program is built for each Rust file.  It takes a kernel's name, the launch and the bytes of
the arguments, runs every thread, and gives the bytes back, with what each thread's panic said.
Types are inferred from the kernel's signature, so the harness never spells one.
"""

import functools
import hashlib
import json
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, final

from mirgpu.runtime.manifest import KernelInfo, ParamKind
from mirgpu.rustc import device_crate_args, find_rustc

ORDERS: Final = ("ascending", "descending", "shuffled")

_PRELUDE: Final = r"""
#![allow(warnings)]
use std::{cell::RefCell, sync::Mutex};

/// An argument's bytes, aligned for any type.
struct Bytes { words: Vec<u128>, len: usize }
impl Bytes {
    fn read(data: &mut &[u8]) -> Bytes {
        let len = number(data) as usize;
        let mut words = vec![0u128; len / 16 + 1];
        let start = words.as_mut_ptr().cast::<u8>();
        unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), start, len) };
        *data = &data[len..];
        Bytes { words, len }
    }
    fn start<T>(&self) -> *mut T { self.words.as_ptr() as *mut T }
    unsafe fn slice<T>(&self) -> &[T] {
        std::slice::from_raw_parts(self.start(), self.len / size_of::<T>())
    }
    unsafe fn slice_mut<T>(&self) -> &mut [T] {
        std::slice::from_raw_parts_mut(self.start(), self.len / size_of::<T>())
    }
    unsafe fn reference<T>(&self) -> &T { &*self.start() }
    unsafe fn reference_mut<T>(&self) -> &mut T { &mut *self.start() }
    unsafe fn value<T>(&self) -> T { std::ptr::read(self.start()) }
}
fn number(data: &mut &[u8]) -> u64 {
    let (head, tail) = data.split_at(8);
    *data = tail;
    u64::from_le_bytes(head.try_into().unwrap())
}
thread_local!(static MESSAGE: RefCell<(String, String)> = Default::default());
static PANICS: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// One thread: a panic ends it, and is noted.
fn thread(place: String, body: impl FnOnce()) {
    if std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)).is_err() {
        let (message, at) = MESSAGE.with(|m| m.borrow().clone());
        PANICS.lock().unwrap().push(format!("{place}\t{at}\t{message}"));
    }
}
/// The numbers 0 to n in an order; `shuffled` is some fixed permutation.
fn numbers(n: u64, order: u64) -> Vec<u64> {
    let mut all: Vec<u64> = (0..n).collect();
    match order {
        0 => {}
        1 => all.reverse(),
        _ => all.sort_by_key(|k| (k + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)),
    }
    all
}
"""

_MAIN: Final = r"""
fn main() {
    std::panic::set_hook(Box::new(|info| {
        let at = info.location().map(|l| format!("{}:{}:{}", l.line(), l.column(), l.file()));
        let text = info.payload_as_str().unwrap_or("?").to_string();
        MESSAGE.with(|m| *m.borrow_mut() = (text, at.unwrap_or_default()));
    }));
    let arguments: Vec<String> = std::env::args().collect();
    let input = std::fs::read(&arguments[2]).unwrap();
    let mut data = &input[..];
    let launch: Vec<u64> = (0..7).map(|_| number(&mut data)).collect();
    let count = number(&mut data);
    let args: Vec<Bytes> = (0..count).map(|_| Bytes::read(&mut data)).collect();
    run(&arguments[1], &launch, &args);
    let mut out = Vec::new();
    for each in &args {
        out.extend_from_slice(unsafe { each.slice::<u8>() });
    }
    std::fs::write(&arguments[3], out).unwrap();
    for line in PANICS.lock().unwrap().iter() { println!("{}", line.replace('\n', "\\n")); }
}
"""


@final
@dataclass(frozen=True, slots=True)
class NativePanic:
    """``place`` is the thread: the indices of a plain kernel, or block and thread.

    ``file`` is the kernel's, or one of the standard library's.
    """

    place: tuple[int, ...]
    file: str
    line: int
    col: int
    message: str


@final
@dataclass(frozen=True, slots=True)
class NativeResult:
    """The bytes of every argument after the launch, in order, and the panics as they came."""

    buffers: tuple[bytes, ...]
    panics: tuple[NativePanic, ...]


def run_native(
    source: Path,
    kernels: Sequence[KernelInfo],
    kernel: KernelInfo,
    arguments: Sequence[bytes],
    *,
    extents: tuple[int, ...] | None,
    grid: tuple[int, int, int] | None,
    block: tuple[int, int, int] | None,
    order: str = "ascending",
    overflow_checks: bool = False,
) -> NativeResult:
    """Run ``kernel`` of ``source``; ``arguments`` are those that are no index or extent.

    ``kernels`` are all kernels of the file, so that one build serves them all.  ``order`` is
    that of threads, for kernels without barriers.
    """
    program = _build(source, tuple(kernels), overflow_checks)
    if extents is not None:
        launch = [*[*extents, 1, 1][:3], 0, 0, 0]
    else:
        assert grid is not None
        assert block is not None
        launch = [*grid, *block]
    words = [*launch, ORDERS.index(order), len(arguments)]
    with tempfile.TemporaryDirectory() as folder:
        given, got = Path(folder) / "in", Path(folder) / "out"
        given.write_bytes(
            b"".join(word.to_bytes(8, "little") for word in words)
            + b"".join(len(each).to_bytes(8, "little") + each for each in arguments)
        )
        done = subprocess.run(
            [program, kernel.symbol, given, got], check=True, capture_output=True, text=True
        )
        data = got.read_bytes()
    buffers = []
    for each in arguments:
        buffers.append(data[: len(each)])
        data = data[len(each) :]
    return NativeResult(tuple(buffers), tuple(map(_panic, done.stdout.splitlines())))


def _panic(line: str) -> NativePanic:
    place, at, message = line.split("\t", 2)
    row, col, file = at.split(":", 2)
    return NativePanic(tuple(map(int, place.split(","))), file, int(row), int(col), message)


@functools.cache
def _build(source: Path, kernels: tuple[KernelInfo, ...], overflow_checks: bool) -> Path:
    """The harness, built once a file and kept by content."""
    rustc = find_rustc(None, None)
    uses_crate = "mirgpu" in source.read_text(encoding="utf-8")
    text = "\n".join(
        [
            _PRELUDE,
            f"#[path = {json.dumps(str(source.resolve()))}]\nmod kernels;",
            "fn run(name: &str, launch: &[u64], args: &[Bytes]) { match name {",
            *(_arm(kernel) for kernel in kernels),
            '_ => panic!("no kernel {name}") } }',
            _MAIN,
        ]
    )
    key = hashlib.sha256(
        b"\0".join(
            [
                text.encode(),
                source.read_bytes(),
                rustc.identity.encode(),
                bytes([overflow_checks]),
            ]
        )
    ).hexdigest()[:24]
    folder = Path(tempfile.gettempdir()) / "mirgpu-native"
    program = folder / key
    if program.exists():
        return program
    with tempfile.TemporaryDirectory() as work:
        main = Path(work) / "main.rs"
        main.write_text(text, encoding="utf-8")
        built = Path(work) / "main"
        checks = "on" if overflow_checks else "off"
        command = [str(rustc.path), "--edition=2021", "-Copt-level=2", "-Cpanic=unwind"]
        command += [f"-Coverflow-checks={checks}", "-o", str(built), str(main)]
        command += device_crate_args(rustc, for_codegen=True) if uses_crate else []
        done = subprocess.run(
            command, capture_output=True, text=True, env=rustc.environment(), check=False
        )
        assert done.returncode == 0, done.stderr
        folder.mkdir(exist_ok=True)
        part = folder / f"{key}.{Path(work).name}"
        part.write_bytes(built.read_bytes())
        part.chmod(0o755)
        part.replace(program)
    return program


def _arm(kernel: KernelInfo) -> str:
    """The match arm that runs every thread of ``kernel``."""
    shown = []
    number = 0
    for param in kernel.params:
        if param.kind is ParamKind.INDEX:
            shown.append(f"at[{param.axis}] as _")
        elif param.kind is not ParamKind.EXTENT:
            shown.append(f"args[{number}].{_ACCESS[param.kind, param.mutable]}()")
            number += 1
    call = f"kernels::{kernel.name}({', '.join(shown)})"
    if kernel.plain:
        return (
            f'"{kernel.symbol}" =>'
            " for k in numbers(launch[0] * launch[1] * launch[2], launch[6]) {"
            " let at = [k % launch[0], k / launch[0] % launch[1], k / launch[0] / launch[1]];"
            ' thread(format!("{},{},{}", at[0], at[1], at[2]), || unsafe { ' + call + " }) },"
        )
    place = (
        "{ use mirgpu::thread::*; format!("
        '"{},{},{},{},{},{}", blockIdx_x(), blockIdx_y(), blockIdx_z(),'
        " threadIdx_x(), threadIdx_y(), threadIdx_z()) }"
    )
    body = f"|| thread({place}, || unsafe {{ {call} }})"
    dims = [
        f"({', '.join(f'launch[{axis}] as u32' for axis in range(start, start + 3))})"
        for start in (0, 3)
    ]
    if kernel.barriers:
        run = f"mirgpu::host::launch({dims[0]}, {dims[1]}, {body})"
    else:
        order = (
            "[mirgpu::host::Order::Ascending, mirgpu::host::Order::Descending,"
            " mirgpu::host::Order::Shuffled(7)][launch[6] as usize]"
        )
        run = f"mirgpu::host::launch_in_order({dims[0]}, {dims[1]}, {order}, {body})"
    return f'"{kernel.symbol}" => {run},'


_ACCESS: Final = {
    (ParamKind.SLICE, False): "slice",
    (ParamKind.SLICE, True): "slice_mut",
    (ParamKind.REFERENCE, False): "reference",
    (ParamKind.REFERENCE, True): "reference_mut",
    (ParamKind.POINTER, False): "start",
    (ParamKind.POINTER, True): "start",
    (ParamKind.VALUE, False): "value",
}
