"""The device crate: what its MIR looks like in a kernel, what its macro refuses, how it runs."""

import re
from pathlib import Path

import pytest

from mirgpu.diagnostics import ToolMissingError
from mirgpu.rustc import Rustc, RustcError, RustcOptions, device_crate, device_crate_args, dump_mir

KERNELS = """
use mirgpu::thread::{sync_threads, threadIdx_x};
use mirgpu::{index_1d, SharedArray};

#[mirgpu::kernel]
pub fn exchange(flag: bool, out: &mut [f32]) {
    static mut TILE: SharedArray<f32, 64, 16> = SharedArray::UNINIT;
    let t = threadIdx_x() as usize;
    unsafe {
        TILE[t] = 1.0;
        if flag { TILE[t] = 2.0 } else { out[0] = 3.0 }
        let before = TILE[5];
        sync_threads();
        let after = TILE[5];
        out[t] = before + after;
    }
}
mod inner {
    #[mirgpu::kernel]
    pub(super) unsafe fn hidden(x: &mut [u32], mut n: u32) -> () {
        let i = mirgpu::index_1d();
        if i.in_bounds(x.len()) { n += 1; x[i.get()] = n; }
    }
    pub fn plain() {}
}
#[mirgpu::kernel]
fn indexed(out: &mut [usize]) { out[0] = index_1d().get(); }
"""


def _options(toolchain: str) -> RustcOptions:
    return RustcOptions(toolchain=toolchain or None, cache=False)


@pytest.fixture(scope="module")
def kernels(toolchain: str, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, set[str]]:
    source = tmp_path_factory.mktemp("kernels") / "k.rs"
    source.write_text(KERNELS)
    dump = dump_mir(source, _options(toolchain))
    assert {b.header for b in dump.info.bodies if b.public} == {"exchange", "inner::plain"}
    return dump.text, {body.header for body in dump.info.bodies if body.kernel}


def _body(mir: str, name: str) -> str:
    found = re.search(rf"^fn {name}\(.*?^}}", mir, re.M | re.S)
    assert found is not None
    return found[0]


def test_kernels_are_found(kernels: tuple[str, set[str]]) -> None:
    assert kernels[1] == {"exchange", "inner::hidden", "indexed"}
    assert "\nconst __mirgpu_kernel_exchange: () = " in kernels[0]


def test_a_barrier_stays_one_call_between_the_loads(kernels: tuple[str, set[str]]) -> None:
    body = _body(kernels[0], "exchange")
    assert len(re.findall(r"mirgpu::(?:thread::)?sync_threads\(\)", body)) == 1
    # Loads of TILE[5] are copies through a fresh reference each; follow the blocks in order.
    blocks = dict(re.findall(r"^ {4}(bb\d+): \{\n(.*?)^ {4}\}", body, re.M | re.S))
    at = next(name for name, text in blocks.items() if "sync_threads()" in text)
    target = re.search(r"sync_threads\(\) -> \[return: (bb\d+)", blocks[at])
    assert target is not None
    loads = {name: text for name, text in blocks.items() if re.search(r"\[5 of 6\]", text)}
    assert len(re.findall(r"\[5 of 6\]", body)) == 2, body
    assert any(re.search(r"\[5 of 6\]", blocks[name]) for name in loads if name == target[1])


def test_index_inlines_to_registers(kernels: tuple[str, set[str]]) -> None:
    body = _body(kernels[0], "indexed")
    calls = re.findall(r"= ([\w:]+)\(\) ->", body)
    assert [call.rpartition("::")[2] for call in calls] == [
        "blockIdx_x",
        "blockDim_x",
        "threadIdx_x",
    ]


def test_shared_arrays_have_their_alignment(kernels: tuple[str, set[str]]) -> None:
    assert re.search(r"alloc\d+ \(static: exchange::TILE, size: 256, align: 16\)", kernels[0])


def test_no_path_of_this_machine(kernels: tuple[str, set[str]]) -> None:
    assert str(device_crate.device_folder()) not in kernels[0]


REFUSED = {
    "#[mirgpu::kernel] pub fn a<T>(x: T) {}": "cannot be generic: call",
    "#[mirgpu::kernel] pub fn b(x: impl Copy) {}": "cannot be generic: name the type",
    "#[mirgpu::kernel] pub async fn c() {}": "cannot be `async`",
    "#[mirgpu::kernel] pub const fn d() {}": "cannot be `const`",
    '#[mirgpu::kernel] pub extern "C" fn e() {}': "leave `extern` out",
    "#[mirgpu::kernel] pub fn f() -> u32 { 1 }": "returns nothing",
    "struct S; impl S { #[mirgpu::kernel] pub fn g(&mut self) {} }": "no `self`",
    "#[mirgpu::kernel] pub struct H;": "goes on a function",
    "#[mirgpu::kernel(3)] pub fn i() {}": "takes no arguments",
}


def test_what_cannot_be_a_kernel_is_refused(toolchain: str, tmp_path: Path) -> None:
    source = tmp_path / "k.rs"
    source.write_text("\n".join(REFUSED) + "\n")
    with pytest.raises(RustcError) as caught:
        dump_mir(source, _options(toolchain))
    errors = {
        int(line): message
        for message, line in re.findall(
            r"^error: (.*)\n +--> .*k\.rs:(\d+):", caught.value.text, re.M
        )
    }
    for line, message in enumerate(REFUSED.values(), 1):
        assert message in errors[line]


def test_a_module_in_another_file_may_use_it(toolchain: str, tmp_path: Path) -> None:
    (tmp_path / "k.rs").write_text("mod other;\npub fn f() {}\n")
    (tmp_path / "other.rs").write_text("#[mirgpu::kernel] pub fn g() { mirgpu::sync_threads() }\n")
    dump = dump_mir(tmp_path / "k.rs", _options(toolchain))
    assert [b.header for b in dump.info.bodies if b.kernel] == ["other::g"]
    assert {file.name for file in dump.files} == {"k.rs", "other.rs"}


def test_a_damaged_build_is_made_again(rustc: Rustc) -> None:
    arguments = device_crate_args(rustc, for_codegen=False)
    library = Path(arguments[0].partition("mirgpu=")[2])
    whole = library.read_bytes()
    library.write_bytes(whole[:100])
    assert device_crate_args(rustc, for_codegen=False) == arguments
    assert library.read_bytes() == whole


def test_without_a_linker(rustc: Rustc, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissingError, match="no C compiler"):
        device_crate_args(rustc, for_codegen=False)
    assert not any(path.is_file() for path in tmp_path.rglob("*"))


HOST = """
use mirgpu::host::{launch, launch_in_order, Order, SharedSlice};
use mirgpu::thread::*;
use mirgpu::SharedArray;

#[mirgpu::kernel]
fn reverse(x: &mut [u32]) {
    static mut TILE: SharedArray<u32, 32> = SharedArray::UNINIT;
    let t = threadIdx_x() as usize;
    let first = (blockIdx_x() * blockDim_x()) as usize;
    if first + t >= x.len() { return }
    unsafe {
        TILE[t] = x[first + t];
        sync_threads();
        let n = (x.len() - first).min(32);
        x[first + t] = TILE[n - 1 - t];
        sync_threads();
    }
}
fn main() {
    let mut x: Vec<u32> = (0..75).collect();
    let shared = SharedSlice::new(&mut x);
    launch(3, 32, || reverse(unsafe { shared.get() }));
    println!("{x:?}");
    for order in [Order::Ascending, Order::Descending, Order::Shuffled(7)] {
        let mut seen = Vec::new();
        launch_in_order((2, 2), (2, 1, 2), order, || {
            seen.push([blockIdx_x(), blockIdx_y(), threadIdx_x(), threadIdx_z(),
                gridDim_x(), gridDim_y(), gridDim_z(), blockDim_z()]);
        });
        println!("{seen:?}");
    }
    launch(2, 8, || {
        sync_threads();
        if blockIdx_x() == 1 && threadIdx_x() == 3 { panic!("thread three") }
        sync_threads();
    });
}
"""


def test_kernels_run_on_the_host(rustc: Rustc, run_native) -> None:  # type: ignore[no-untyped-def]
    flags = device_crate_args(rustc, for_codegen=True)
    assert "thread three" in run_native(HOST, *flags, fails=True)
    quiet = HOST.replace('panic!("thread three")', "return")
    lines = run_native(quiet, *flags).splitlines()
    blocks = [range(32), range(32, 64), range(64, 75)]
    assert lines[0] == str([n for block in blocks for n in reversed(block)])
    up, down, mixed = (eval(line) for line in lines[1:])
    assert up == [
        [bx, by, tx, tz, 2, 2, 1, 2]
        for by in range(2)
        for bx in range(2)
        for tz in range(2)
        for tx in range(2)
    ]
    assert down == up[::-1]
    assert mixed not in (up, down)
    assert sorted(mixed) == sorted(up)


def test_a_barrier_in_a_plain_loop_is_refused(  # type: ignore[no-untyped-def]
    rustc: Rustc, run_native
) -> None:
    program = """
    use mirgpu::host::{launch_in_order, Order};
    fn main() { launch_in_order(1, 2, Order::Ascending, mirgpu::sync_threads) }
    """
    message = run_native(program, *device_crate_args(rustc, for_codegen=True), fails=True)
    assert "mirgpu::host::launch" in message
