"""Typed PTX to text, through the Jinja templates in ``mirgpu/templates/ptx/``.

A template sees the data of ``ir.py`` as it is, and a few filters that spell its smallest parts.
A user's folder takes precedence file by file.
"""

import functools
from pathlib import Path
from typing import assert_never

import jinja2

from mirgpu import cache
from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.targets.ptx.ir import (
    Address,
    AddressOf,
    FloatImm,
    Guard,
    Imm,
    Module,
    Operand,
    Pair,
    Reg,
    Space,
    SpecialReg,
    Symbol,
    Type,
    Variable,
)

_CACHE_KIND = "templates"
_WORDS_PER_LINE = 16


def render(module: Module, version: str, templates_dir: Path | None) -> str:
    """The text of ``module``.  Raises ``DiagnosticError`` for a template that fails."""
    try:
        template = _environment(templates_dir).get_template("module.ptx.j2")
        text = template.render(module=module, mirgpu_version=version)
    except jinja2.TemplateSyntaxError as error:
        raise _broken(error.filename or error.name, error.lineno, error.message) from error
    except jinja2.TemplateNotFound as error:
        raise _broken(None, None, f"template not found: {error.name}") from error
    except Exception as error:  # A template may do anything.
        file, line = _template_frame(error)
        if file is None:
            raise
        raise _broken(file, line, str(error)) from error
    if not text.isascii():
        wrong = next(c for c in text if not c.isascii())
        raise _broken(None, None, f"it writes {wrong!r}; PTX is ASCII, comments too")
    return text


@functools.lru_cache(maxsize=4)
def _environment(templates_dir: Path | None) -> jinja2.Environment:
    if templates_dir is not None and not templates_dir.is_dir():
        raise DiagnosticError(
            Diagnostic(
                code="MG0405",
                title=f"the templates folder '{templates_dir}' does not exist",
                helps=("copy mirgpu/templates/ptx and change what you like",),
            )
        )
    own = [jinja2.FileSystemLoader(str(templates_dir))] if templates_dir is not None else []
    environment = jinja2.Environment(
        loader=jinja2.ChoiceLoader([*own, jinja2.FileSystemLoader(str(_package_dir()))]),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        bytecode_cache=_BytecodeCache(),
        auto_reload=templates_dir is not None,
    )
    environment.filters.update(
        operand=operand, address=address, guard=guard, space=space, word=word, rows=rows
    )
    return environment


class _BytecodeCache(jinja2.BytecodeCache):
    """Compiled templates in the user's cache: compiling them takes longer than all the rest.

    Jinja keys an entry by the template's path, and checks that its text is still the same.
    """

    def load_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        data = cache.load(_CACHE_KIND, bucket.key)
        if data is not None:
            bucket.bytecode_from_string(data)

    def dump_bytecode(self, bucket: jinja2.bccache.Bucket) -> None:
        cache.store(_CACHE_KIND, bucket.key, bucket.bytecode_to_string())


def _package_dir() -> Path:
    import mirgpu.templates

    return Path(mirgpu.templates.__file__).parent / "ptx"


def _template_frame(error: BaseException) -> tuple[str | None, int | None]:
    """The template and line that an error came from: Jinja puts them into the traceback."""
    found: tuple[str | None, int | None] = (None, None)
    trace = error.__traceback__
    while trace is not None:
        name = trace.tb_frame.f_code.co_filename
        if name.endswith(".j2"):
            found = (name, trace.tb_lineno)
        trace = trace.tb_next
    return found


def _broken(file: str | None, line: int | None, message: str | None) -> DiagnosticError:
    return DiagnosticError(
        Diagnostic(
            code="MG0406",
            title=f"a PTX template fails: {message}",
            file=file,
            line=line,
            notes=("templates see the data of mirgpu.targets.ptx.ir; undefined names are errors",),
            helps=("compare with the template of the same name in the package",),
        )
    )


# ------------------------------------------------------------------------------------ filters


def operand(value: Operand) -> str:
    """``%r1``, ``-5``, ``0f3F800000``, ``tile``, ``%tid.x``, ``{%r1, %r2}``."""
    match value:
        case Reg(name=name) | Symbol(name=name) | SpecialReg(name=name):
            return name
        case Imm(value=number):
            return str(number)
        case FloatImm(type=ty, bits=bits):
            return f"0f{bits:08X}" if ty is Type.F32 else f"0d{bits:016X}"
        case Pair(low=low, high=high):
            return f"{{{low.name}, {high.name}}}"
        case _:
            assert_never(value)


def address(value: Address) -> str:
    """``[%rd1+8]``, ``[%rd1+-8]``."""
    offset = value.offset
    if offset == 0:
        return f"[{value.base.name}]"
    return f"[{value.base.name}+{offset}]"


def guard(value: Guard | None) -> str:
    """``@%p1 ``, ``@!%p1 ``, or nothing."""
    if value is None:
        return ""
    return f"@{'!' if value.negated else ''}{value.pred.name} "


def space(value: Space) -> str:
    """``.global``; nothing for generic."""
    return "" if value is Space.GENERIC else f".{value}"


def word(value: int | AddressOf) -> str:
    """One element of an initialiser."""
    if isinstance(value, int):
        return str(value)
    return (
        f"generic({value.symbol}){value.addend:+d}"
        if value.addend
        else (f"generic({value.symbol})")
    )


def rows(variable: Variable) -> list[str]:
    """The elements of an initialiser, in lines."""
    words = [word(w) for w in variable.words]
    return [
        ", ".join(words[at : at + _WORDS_PER_LINE]) for at in range(0, len(words), _WORDS_PER_LINE)
    ]
