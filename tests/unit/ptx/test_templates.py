"""A user's templates, and what is said of broken ones."""

from pathlib import Path

import pytest
from tests.unit.ptx.programs import module

import mirgpu.templates
from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.targets.ptx import PtxOptions, emit

OWN = Path(mirgpu.templates.__file__).parent / "ptx"


def text(folder: Path | None) -> str:
    return emit(module("saxpy"), "sm_80", PtxOptions(templates_dir=folder)).text


def failure(folder: Path) -> Diagnostic:
    with pytest.raises(DiagnosticError) as caught:
        text(folder)
    return caught.value.diagnostics[0]


def test_one_file_is_overridden_and_the_others_stay(tmp_path: Path) -> None:
    template = (OWN / "instructions.ptx.j2").read_text()
    changed = template.replace("// {{ i.text }}", "// from {{ i.text }}")
    assert changed != template
    (tmp_path / "instructions.ptx.j2").write_text(changed)
    assert text(tmp_path) == text(None).replace("\t// src/", "\t// from src/")


def test_a_copy_of_all_files_gives_the_same_text(tmp_path: Path) -> None:
    for file in OWN.rglob("*.j2"):
        target = tmp_path / file.relative_to(OWN)
        target.parent.mkdir(exist_ok=True)
        target.write_text(file.read_text())
    assert text(tmp_path) == text(None)


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    (tmp_path / "module.ptx.j2").write_text("one\n")
    assert text(tmp_path) == "one\n"
    (tmp_path / "module.ptx.j2").write_text("another one\n")
    assert text(tmp_path) == "another one\n"


def test_a_syntax_error_names_its_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "module.ptx.j2").write_text("fine\n{% for x in %}\n")
    diagnostic = failure(tmp_path)
    assert diagnostic.code == "MG0406"
    assert (diagnostic.file, diagnostic.line) == (str(tmp_path / "module.ptx.j2"), 2)


def test_an_undefined_name_names_its_file_and_line(tmp_path: Path) -> None:
    (tmp_path / "module.ptx.j2").write_text("fine\n\n{{ module.nonsense }}\n")
    diagnostic = failure(tmp_path)
    assert (diagnostic.file, diagnostic.line) == (str(tmp_path / "module.ptx.j2"), 3)
    assert "nonsense" in diagnostic.title


def test_an_error_in_a_macro_names_its_file_and_line(tmp_path: Path) -> None:
    template = (OWN / "instructions.ptx.j2").read_text()
    (tmp_path / "instructions.ptx.j2").write_text(
        template.replace("{{ i.space | space }}.{{ i.type }} {{ i.dst", "{{ 1 / 0 }}{{ i.dst", 1)
    )
    diagnostic = failure(tmp_path)
    assert diagnostic.file == str(tmp_path / "instructions.ptx.j2")
    line = template[: template.index("macro load")].count("\n") + 1
    assert diagnostic.line == line


def test_a_missing_template_is_told(tmp_path: Path) -> None:
    (tmp_path / "module.ptx.j2").write_text('{% include "nowhere.j2" %}')
    assert "nowhere.j2" in failure(tmp_path).title


def test_a_missing_folder_is_told(tmp_path: Path) -> None:
    diagnostic = failure(tmp_path / "nowhere")
    assert diagnostic.code == "MG0405"
    assert "nowhere" in diagnostic.title


def test_text_is_ascii(tmp_path: Path) -> None:
    (tmp_path / "module.ptx.j2").write_text("// gr\u00f6\u00dfe\n", encoding="utf-8")
    assert "ASCII" in failure(tmp_path).title
