"""Manifests as JSON and in comments; artifacts on disk; what an import brings in."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from tests.unit.runtime.builders import RGB, SAXPY, SHAPE, VEC3, kernel, manifest, shared, value

from mirgpu.runtime import artifact as artifacts
from mirgpu.runtime.artifact import Artifact
from mirgpu.runtime.manifest import (
    Manifest,
    ManifestError,
    OpaqueType,
    PanicBuffer,
    embed,
    extract,
    from_json,
    to_json,
)

FULL = manifest(
    SAXPY,
    kernel("paint", value("c", RGB), shared("scene", SHAPE), shared("o", OpaqueType("é", 3, 1))),
    target="ptx",
    arch="sm_70",
    types=(VEC3, SHAPE, RGB),
    panic_buffer=PanicBuffer("panics", 32, 48),
)


def test_json_is_an_exact_inverse() -> None:
    assert from_json(to_json(FULL)) == FULL
    assert from_json(to_json(FULL, indent=2)) == FULL
    assert to_json(FULL).isascii()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(schema=99), "schema 99"),
        (lambda d: d.pop("schema"), "schema None"),
        (lambda d: d.pop("target"), "manifest: member 'target' is missing"),
        (lambda d: d.update(extra=1), "manifest: unknown member 'extra'"),
        (lambda d: d.update(mirgpu=3), "manifest.mirgpu: expected str, found 3"),
        (lambda d: d.update(kernels={}), "manifest.kernels: expected a list"),
        (lambda d: d["kernels"][0].update(plain=1), "kernels[0].plain: expected bool, found 1"),
        (lambda d: d["kernels"][0].update(line=True), "kernels[0].line: expected int, found True"),
        (
            lambda d: d["kernels"][0]["params"][1].update(kind="odd"),
            "kernels[0].params[1].kind: 'odd' is none of",
        ),
        (lambda d: d["types"][0].update({"is": "union"}), "types[0]: expected an object that is"),
        (lambda d: d["types"][0].pop("is"), "types[0]: expected an object that is"),
        (lambda d: d["panics"].append("x"), "panics[1]: expected an object, found 'x'"),
    ],
)
def test_damage_is_named(change: object, message: str) -> None:
    data = json.loads(to_json(FULL))
    change(data)  # type: ignore[operator]
    with pytest.raises(ManifestError) as caught:
        from_json(json.dumps(data))
    assert message in str(caught.value)


@pytest.mark.parametrize("text", ["", "{", "[]", "3"])
def test_not_a_manifest(text: str) -> None:
    with pytest.raises(ManifestError):
        from_json(text)


@pytest.mark.parametrize("comment", ["//", ";"])
def test_embedding(comment: str) -> None:
    text = ".version 6.0\n// a comment\n.target sm_70"
    both = embed(text, FULL, comment)
    assert both.startswith(text + "\n")
    assert extract(both) == FULL
    assert extract(both.replace("\n", "\r\n")) == FULL
    for line in both.splitlines()[3:]:
        assert line.startswith(comment)
        assert not line.endswith(("\\", " "))
        assert len(line) < 130


def test_embedding_again_replaces() -> None:
    other = manifest(target="ptx")
    assert embed(embed("x\n", other), FULL) == embed("x\n", FULL)


def test_extract_finds_nothing_or_says_what_is_damaged() -> None:
    assert extract(".version 6.0\n") is None
    lines = embed("x", FULL).splitlines()
    with pytest.raises(ManifestError, match="not JSON"):
        extract("\n".join(lines[:-1]))


def test_save_and_load(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    assert artifacts.save(Artifact("text\n", FULL), path) == tmp_path / "k.manifest.json"
    assert artifacts.load(path) == Artifact("text\n", FULL)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["k.manifest.json", "k.ptx"]
    assert path.stat().st_mode & 0o444 == (tmp_path / "k.manifest.json").stat().st_mode & 0o444


def test_the_embedded_manifest_wins(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    artifacts.save(Artifact(embed("text", FULL), manifest(target="ptx")), path)
    assert artifacts.load(path).manifest == FULL


def test_load_refuses(tmp_path: Path) -> None:
    path = tmp_path / "k.ptx"
    path.write_text("text")
    with pytest.raises(ManifestError, match=r"no k\.manifest\.json beside it"):
        artifacts.load(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ManifestError, match="is not text"):
        artifacts.load(path)
    path.write_text(embed("text", manifest(target="kir")))
    with pytest.raises(ManifestError, match="of a kir module"):
        artifacts.load(path)
    with pytest.raises(OSError, match="nothing"):
        artifacts.load(tmp_path / "nothing.ptx")


def test_a_failed_write_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "k.ptx"
    path.write_text("old")
    with pytest.raises(UnicodeEncodeError):
        artifacts.write_atomic(path, "\ud800")
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["k.ptx"]


def _modules_after(statement: str) -> set[str]:
    code = f"import sys\n{statement}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_imports_are_lazy() -> None:
    loaded = _modules_after("import mirgpu.runtime.manifest, mirgpu.runtime.artifact")
    assert not loaded & {"numpy", "cupy", "mirgpu.runtime.module"}
    assert "numpy" in _modules_after("from mirgpu.runtime import load")


def test_names_of_the_package() -> None:
    import mirgpu.runtime

    assert mirgpu.runtime.Manifest is Manifest
    for name in mirgpu.runtime.__all__:
        assert getattr(mirgpu.runtime, name) is not None
        assert name in dir(mirgpu.runtime)
    with pytest.raises(AttributeError, match="nonsense"):
        _ = mirgpu.runtime.nonsense
