"""What is printed is read back as the same nodes, for generated MIR."""

import pytest
from hypothesis import given, settings
from tests.parse import strategies

from mirgpu.mir import syntax as s
from mirgpu.mir.parser import parse_file, parse_path, parse_type
from mirgpu.mir.pieces import parse_piece, parse_statement
from mirgpu.mir.printer import (
    print_const,
    print_file,
    print_path,
    print_statement,
    print_terminator,
    print_type,
)

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")


@given(strategies.types)
def test_types(ty: s.Ty) -> None:
    assert parse_type(print_type(ty)) == ty


@given(strategies.paths)
def test_paths(path: s.Path) -> None:
    assert parse_path(print_path(path)) == path


@given(strategies.constants)
def test_constants(value: s.CValue) -> None:
    assert parse_piece("constant", print_const(value), "f", 1, 1) == value


@given(strategies.statements)
def test_statements(statement: s.Statement) -> None:
    text = print_statement(statement)
    assert parse_statement("statement", text, statement.source, "f", 1, 1) == statement


@given(strategies.terminators)
def test_terminators(terminator: s.Terminator) -> None:
    text = print_terminator(terminator)
    assert parse_statement("terminator", text, terminator.source, "f", 1, 1) == terminator


@settings(max_examples=60)
@given(strategies.files)
def test_files(file: s.File) -> None:
    assert parse_file(print_file(file), "f") == file
