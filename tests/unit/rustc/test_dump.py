"""Dumping: errors, warnings, the cache, and the search for a compiler."""

import json
import multiprocessing
import os
import threading
from pathlib import Path

import pytest

from mirgpu import cache
from mirgpu.diagnostics import DiagnosticError, ToolMissingError
from mirgpu.rustc import (
    Rustc,
    RustcError,
    RustcOptions,
    dump_mir,
    find_rustc,
    make_self_contained,
    raw_info,
    read_trailer,
    start_dump,
)
from mirgpu.rustc import dump as dump_module
from mirgpu.rustc.sidecar import PREFIX, write_trailer

SAXPY = """
pub fn saxpy(i: usize, a: f32, x: &[f32], y: &mut [f32]) { y[i] = a * x[i] + y[i]; }
"""
TYPES = """
#[derive(Clone, Copy)] pub struct P { pub a: u8, pub b: Option<u32> }
pub fn f(p: P) -> Option<u32> { p.clone().b }
"""


@pytest.fixture
def options(toolchain: str) -> RustcOptions:
    return RustcOptions(toolchain=toolchain or None)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "saxpy.rs"
    path.write_text(SAXPY)
    return path


@pytest.fixture
def no_rustc(monkeypatch: pytest.MonkeyPatch) -> None:
    """From here on, starting rustc is an error."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("rustc was started")

    monkeypatch.setattr(dump_module, "Job", refuse)
    monkeypatch.setattr("mirgpu.rustc.outline.Job", refuse)
    monkeypatch.setattr("mirgpu.rustc.layouts.Job", refuse)


def test_text_and_facts(source: Path, options: RustcOptions) -> None:
    dump = start_dump(source, options)()
    assert "fn saxpy(_1: usize, _2: f32, _3: &[f32], _4: &mut [f32]) -> () {" in dump.text
    assert dump.info.rustc == dump.rustc.version
    assert (dump.info.edition, dump.info.overflow_checks) == ("2021", False)
    assert dump.files == (source,)
    assert " at " in dump.text
    assert "saxpy.rs:2:" in dump.text


def test_overflow_checks_and_flags_that_are_passed_on(
    source: Path, options: RustcOptions, toolchain: str
) -> None:
    source.write_text("pub fn f(a: u32) -> u32 { a + 1 }\n")
    assert "AddWithOverflow" not in dump_mir(source, options).text
    checked = RustcOptions(toolchain=toolchain or None, overflow_checks=True)
    assert "AddWithOverflow" in dump_mir(source, checked).text
    assert dump_mir(source, checked).info.overflow_checks
    passed = RustcOptions(toolchain=toolchain or None, codegen=("overflow-checks=on",))
    assert "AddWithOverflow" in dump_mir(source, passed).text
    assert dump_mir(source, passed).info.overflow_checks
    plain = RustcOptions(toolchain=toolchain or None, unstable=("mir-include-spans=off",))
    assert "saxpy.rs:1:" not in dump_mir(source, plain).text


def test_editions(source: Path, options: RustcOptions, toolchain: str) -> None:
    source.write_text("pub fn f() { let gen = 1; let _ = gen; }\n")
    dump_mir(source, options)
    newer = RustcOptions(toolchain=toolchain or None, edition="2024")
    with pytest.raises(RustcError):
        dump_mir(source, newer)


def test_rusts_own_errors_are_left_as_they_are(source: Path, options: RustcOptions) -> None:
    source.write_text('pub fn f() -> u32 { "no" }\n')
    with pytest.raises(RustcError) as caught:
        dump_mir(source, options)
    assert caught.value.text.startswith("error[E0308]: mismatched types\n")
    assert "error: aborting due to 1 previous error" in caught.value.text
    assert caught.value.diagnostics[0].code == "MG0203"


def test_errors_as_json(source: Path, toolchain: str) -> None:
    source.write_text('pub fn f() -> u32 { "no" }\n')
    with pytest.raises(RustcError) as caught:
        dump_mir(source, RustcOptions(toolchain=toolchain or None, json=True))
    first = json.loads(caught.value.text.splitlines()[0])
    assert first["code"]["code"] == "E0308"


def test_warnings_are_shown_once(
    source: Path, options: RustcOptions, capfd: pytest.CaptureFixture[str]
) -> None:
    source.write_text("pub fn f(unused: u32) {}\n")
    dump_mir(source, options).info  # noqa: B018
    shown = capfd.readouterr().err
    assert shown.count("unused variable") == 1
    assert "internal" not in shown
    dump_mir(source, options)
    assert capfd.readouterr().err == ""


def test_a_source_that_cannot_be_read(tmp_path: Path, options: RustcOptions) -> None:
    with pytest.raises(DiagnosticError) as caught:
        dump_mir(tmp_path / "none.rs", options)
    assert caught.value.diagnostics[0].code == "MG0202"


# ----------------------------------------------------------------------------- the cache


def test_a_second_dump_needs_no_rustc(
    source: Path, options: RustcOptions, request: pytest.FixtureRequest
) -> None:
    source.write_text(TYPES)
    first = dump_mir(source, options)
    layouts = first.oracle.resolve(["P", "std::option::Option<u32>"], {})
    assert len(layouts) == 2
    info = first.info
    request.getfixturevalue("no_rustc")
    second = dump_mir(source, options)
    assert (second.text, second.info, second.files) == (first.text, info, first.files)
    assert second.oracle.resolve(["std::option::Option<u32>", "P"], {}) == layouts
    assert second.oracle.known == layouts


def test_included_files_count(source: Path, options: RustcOptions) -> None:
    source.write_text('mod other;\npub fn f() -> u32 { other::g() + include!("n.txt") }\n')
    (source.parent / "other.rs").write_text("pub fn g() -> u32 { 11 }\n")
    (source.parent / "n.txt").write_text("22\n")
    first = dump_mir(source, options)
    assert {path.name for path in first.files} == {"saxpy.rs", "other.rs", "n.txt"}
    assert "33_u32" in first.text
    (source.parent / "n.txt").write_text("23\n")
    assert "34_u32" in dump_mir(source, options).text
    (source.parent / "other.rs").unlink()
    with pytest.raises(RustcError):
        dump_mir(source, options)


def test_a_damaged_cache_is_a_miss(
    source: Path, options: RustcOptions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source.write_text(TYPES)
    first = dump_mir(source, options)
    first.info  # noqa: B018
    first.oracle.resolve(["P"], {})
    entries = [path for path in cache.folder().rglob("*") if path.is_file()]
    assert {path.parent.name for path in entries} >= {"dump", "mir", "info", "layouts", "rustc"}
    for path in entries:
        data = bytearray(path.read_bytes())
        data[-1] ^= 1
        path.write_bytes(data)
    again = dump_mir(source, options)
    assert (again.text, again.info) == (first.text, first.info)
    assert again.oracle.resolve(["P"], {}) == first.oracle.known
    for path in entries:
        path.write_bytes(b"")
    assert dump_mir(source, options).info == first.info


def test_a_cache_that_cannot_be_written(
    source: Path, options: RustcOptions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    blocker = tmp_path / "file"
    blocker.write_text("")
    monkeypatch.setenv("XDG_CACHE_HOME", str(blocker))
    assert dump_mir(source, options).info.bodies[0].path == "saxpy"


def _dump_text(arguments: tuple[str, RustcOptions]) -> str:
    dump = dump_mir(Path(arguments[0]), arguments[1])
    return dump.text + repr(dump.info)


def test_many_processes_share_the_cache(
    source: Path, options: RustcOptions, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source.write_text(TYPES + "#[mirgpu::kernel] fn k() {}\n")
    with multiprocessing.get_context("spawn").Pool(4) as pool:
        texts = pool.map(_dump_text, [(str(source), options)] * 8)
    assert len(set(texts)) == 1
    assert not list(cache.folder().rglob(".*"))


def test_entries_are_whole_under_concurrent_writes(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    bodies = [bytes([n]) * 50_000 for n in range(4)]

    def write(body: bytes) -> None:
        for _ in range(50):
            cache.store("kind", "key", body)

    threads = [threading.Thread(target=write, args=(body,)) for body in bodies]
    for thread in threads:
        thread.start()
    seen = [cache.load("kind", "key") for _ in range(200)]
    for thread in threads:
        thread.join()
    assert all(each is None or each in bodies for each in seen)
    assert cache.load("kind", "key") in bodies


# -------------------------------------------------------------------- finding a compiler


def _fake(folder: Path, release: str) -> Path:
    """A program that says it is a rustc of that release."""
    path = folder / "bin" / "rustc"
    path.parent.mkdir(parents=True)
    path.write_text(
        "#!/bin/sh\n"
        'case "$1" in +*) exit 1;; esac\n'
        f'if [ "$1" = --print ]; then echo {folder}; exit; fi\n'
        f'printf "rustc {release} (abc 2030-01-01)\\nhost: x\\nrelease: {release}\\n"\n'
    )
    path.chmod(0o755)
    return path


def test_no_rustc_at_all(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ToolMissingError, match="no rustc on PATH"):
        find_rustc(None, None)
    with pytest.raises(ToolMissingError, match=r"no rustc at /nowhere/rustc"):
        find_rustc("/nowhere/rustc", None)


def test_an_unknown_version_stops(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = _fake(tmp_path / "new", "2.5.0")
    with pytest.raises(DiagnosticError) as caught:
        find_rustc(str(path), None)
    assert caught.value.diagnostics[0].code == "MG0201"
    assert "--allow-untested-rustc" in caught.value.diagnostics[0].helps[0]
    rustc = find_rustc(str(path), None, allow_untested=True)
    assert (rustc.path, rustc.release) == (path, "2.5.0")
    assert rustc.environment()["RUSTC_BOOTSTRAP"] == "1"


def test_the_one_on_path_serves_where_there_is_no_rustup(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = _fake(tmp_path / "distribution", "1.96.0")
    monkeypatch.setenv("PATH", str(path.parent), prepend=os.pathsep)
    assert find_rustc(None, None).path == path
    with pytest.raises(ToolMissingError, match=r"rustc \+nightly"):
        find_rustc(None, "nightly")
    path.unlink()
    other = _fake(tmp_path / "other", "1.95.0")
    monkeypatch.setenv("PATH", str(other.parent), prepend=os.pathsep)
    assert find_rustc(None, None).release == "1.95.0"


def test_a_known_compiler_is_not_asked_again(rustc: Rustc, monkeypatch: pytest.MonkeyPatch) -> None:
    first = find_rustc(str(rustc.path), None)

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("rustc was started")

    monkeypatch.setattr("mirgpu.rustc.find.subprocess.run", refuse)
    assert find_rustc(str(rustc.path), None) == first


# ------------------------------------------------------------------- self-contained dumps


def test_a_self_contained_dump_says_all(source: Path, options: RustcOptions) -> None:
    source.write_text(TYPES)
    dump = dump_mir(source, options)
    layouts = dump.oracle.resolve(["P"], {})
    text = dump.self_contained()
    assert text == dump.self_contained()
    assert str(source.parent) not in text
    before, _, trailer = text.rpartition(PREFIX)
    assert before.endswith("}\n\n")
    info = read_trailer(trailer)
    assert info.layouts == layouts
    assert info.adts == dump.info.adts
    assert [b.path for b in info.bodies] == [b.path for b in dump.info.bodies]
    assert next(b.header for b in info.bodies).startswith("<impl at saxpy.rs:2:")


def test_folders_of_several_files(source: Path, options: RustcOptions) -> None:
    source.write_text("mod deep;\npub struct A(u8);\nimpl A { pub fn a(&self) -> u8 { self.0 } }\n")
    (source.parent / "deep").mkdir()
    (source.parent / "deep" / "mod.rs").write_text(
        "impl crate::A { pub fn b(&self) -> Option<u8> { [self.0].iter().copied().max() } }\n"
    )
    dump = dump_mir(source, options)
    text = dump.self_contained()
    assert str(source.parent) not in text
    assert "<impl at saxpy.rs:3:1: 3:7>::a" in text
    assert "<impl at deep/mod.rs:1:1: 1:14>::b" in text
    assert f" at /rustc/{dump.rustc.commit}/library/core/src/" in text
    info = read_trailer(text.rpartition(PREFIX)[2])
    assert {body.file for body in info.bodies if body.file} == {"saxpy.rs", "deep/mod.rs"}


def test_trailers_round_trip(source: Path, options: RustcOptions) -> None:
    source.write_text(TYPES)
    info = dump_mir(source, options).info
    assert read_trailer(write_trailer(info)) == info
    empty = make_self_contained("", raw_info(), {})
    assert read_trailer(empty.rpartition(PREFIX)[2]) == raw_info()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema":1}', '{"schema":99}', '{"schema":"x"}'])
def test_damaged_trailers(text: str) -> None:
    with pytest.raises(DiagnosticError) as caught:
        read_trailer(text)
    assert caught.value.diagnostics[0].code == "MG0205"
