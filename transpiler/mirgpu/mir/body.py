"""Cuts an item's text into lines and pieces, and builds the item of them.

Line structure: a statement ends in ``;`` at the end of a line, comments stripped; the last
one of a block is its terminator.  An asm template, or an array length printed as its source,
may hold line ends, and then the statement goes on.
"""

import re
from dataclasses import dataclass
from typing import Any, NoReturn, final

from mirgpu.mir import syntax as s
from mirgpu.mir.pieces import fail, parse_piece, parse_statement

_CODE = re.compile(r"""(?:[^"'/]|"(?:[^"\\]|\\.)*"|'(?:\\.|[^\\'])'|'|/(?!/))*""", re.DOTALL)
_SPAN = r"(?:no-location|(.*):(\d+):(\d+): (\d+):(\d+)(?: \(#(\d+)\))?)\s*\Z"
_SOURCE = re.compile(r"// (?:in |return place in )?scope (\d+) at " + _SPAN)
_AT = re.compile(r"// at " + _SPAN)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:\\.|[^\\'])'", re.DOTALL)
_NO_LOCATION = s.Span("", 0, 0, 0, 0)
_BLOCK = re.compile(r"bb(\d+)( \(cleanup\))?: \{\Z")
_SCOPE = re.compile(r"scope (\d+)(?: \(inlined (.*)\))? \{\Z", re.DOTALL)
_ASM_END = re.compile(r"options\([A-Z_| ]*\)\) -> [^;]*;\s*(//.*)?\Z")


@final
@dataclass(slots=True)
class _Piece:
    """A stretch of code that ends in ``;``, ``{`` or ``}``, and where it stands."""

    text: str
    comment: str
    line: int
    col: int


def _split_comment(line: str) -> tuple[str, str]:
    at = line.find("//")
    if at < 0:
        return line, ""
    if '"' in line[:at] or "'" in line[:at]:
        m = _CODE.match(line)
        assert m is not None
        at = m.end()
    return line[:at].rstrip(), line[at:]


def _complete(code: str) -> bool:
    """Whether a statement, or a line that opens or closes a block, ends here."""
    if code[-1] == "{":
        return code.startswith(("bb", "scope "))
    if code[-1] != ";":
        return code == "}"
    if code.count("[") == code.count("]") and code.count("{") == code.count("}"):
        return True
    bare = _QUOTED.sub("", code)
    return bare.count("[") == bare.count("]") and bare.count("{") == bare.count("}")


def _pieces(lines: list[str], first: int) -> list[_Piece]:
    """The pieces of a body's lines; ``first`` is the number of the first line."""
    pieces: list[_Piece] = []
    i = 0
    while i < len(lines):
        line = lines[i]
        number = first + i
        i += 1
        text = line.strip()
        if not text or text.startswith("//"):
            continue
        col = len(line) - len(line.lstrip()) + 1
        if text.startswith('asm!("'):
            while (end := _ASM_END.search(text)) is None and i < len(lines):
                text += "\n" + lines[i]
                i += 1
            comment = end[1] or "" if end else ""
            code = text[: len(text) - len(comment)].rstrip()
            pieces.append(_Piece(code, comment, number, col))
            continue
        code, comment = _split_comment(text)
        while not _complete(code) and i < len(lines):
            more, comment = _split_comment(lines[i])
            code += "\n" + more
            i += 1
        pieces.append(_Piece(code, comment, number, col))
    return pieces


def _span(parts: tuple[str | None, ...]) -> s.Span:
    file, line, col, end_line, end_col, ctxt = parts
    if file is None or line is None or col is None or end_line is None or end_col is None:
        return _NO_LOCATION
    return s.Span(
        file, int(line), int(col), int(end_line), int(end_col), None if ctxt is None else int(ctxt)
    )


def source_info(comment: str) -> s.SourceInfo | None:
    """The scope and span in a trailing comment, where it has them."""
    m = _SOURCE.match(comment) if comment else None
    return None if m is None else s.SourceInfo(int(m[1]), _span(m.groups()[1:]))


def _call_site(comment: str) -> s.Span | None:
    m = _AT.match(comment) if comment else None
    return None if m is None else _span(m.groups())


class _Declarations:
    """What has been read of a body or scope; ``opening`` is the scope's first line."""

    def __init__(self, opening: _Piece | None) -> None:
        self.opening = opening
        self.debug: list[s.VarDebugInfo] = []
        self.locals_: list[s.LocalDecl] = []
        self.scopes: list[s.SourceScope] = []
        self.coverage: list[str] = []


@final
class _BodyReader:
    """Reads the pieces of one body, in order."""

    def __init__(self, pieces: list[_Piece], file: str, last_line: int) -> None:
        self.pieces = pieces
        self.file = file
        self.last_line = last_line
        self.at = 0

    def error(self, piece: _Piece, title: str) -> NoReturn:
        fail("MG0103", title, self.file, piece.line, piece.col, piece.text[:400])

    def body(self) -> s.Body:
        debug, locals_, scopes, coverage = self.declarations()
        blocks: list[s.BasicBlock] = []
        while self.at < len(self.pieces):
            blocks.append(self.block())
        return s.Body(debug, locals_, scopes, tuple(blocks), coverage)

    def declarations(
        self,
    ) -> tuple[
        tuple[s.VarDebugInfo, ...],
        tuple[s.LocalDecl, ...],
        tuple[s.SourceScope, ...],
        tuple[str, ...],
    ]:
        """What stands before the blocks.  Each `let` opens a scope inside the last, so that
        they nest as deep as a function is long: a stack of them instead of recursion."""
        top = _Declarations(None)
        stack = [top]
        while self.at < len(self.pieces):
            piece = self.pieces[self.at]
            text = piece.text
            if text.startswith("let "):
                stack[-1].locals_.append(self.local(piece))
            elif text.startswith("debug "):
                stack[-1].debug.append(self.debug(piece))
            elif text.startswith("scope "):
                stack.append(_Declarations(piece))
            elif text.startswith("coverage ") and len(stack) == 1:
                top.coverage.append(text[len("coverage ") : -1])
            elif text == "}" and len(stack) > 1:
                done = stack.pop()
                stack[-1].scopes.append(self.scope(done))
            else:
                break
            self.at += 1
        if stack[-1].opening is not None:
            self.error(stack[-1].opening, "this scope does not end")
        return tuple(top.debug), tuple(top.locals_), tuple(top.scopes), tuple(top.coverage)

    def scope(self, inside: "_Declarations") -> s.SourceScope:
        piece = inside.opening
        assert piece is not None
        m = _SCOPE.match(piece.text)
        if m is None:
            self.error(piece, "cannot read this scope")
        track_caller, path = False, None
        if m[2] is not None:
            col = piece.col + m.start(2)
            track_caller, path = parse_piece("inlined", m[2], self.file, piece.line, col)
        return s.SourceScope(
            int(m[1]),
            path,
            track_caller,
            tuple(inside.debug),
            tuple(inside.locals_),
            tuple(inside.scopes),
            _call_site(piece.comment),
        )

    def local(self, piece: _Piece) -> s.LocalDecl:
        text, *user_tys = piece.text[4:-1].split(" as UserTypeProjection ")
        local, mutable, ty = parse_piece("local_decl", text, self.file, piece.line, piece.col + 4)
        annotations = tuple("UserTypeProjection " + u for u in user_tys)
        return s.LocalDecl(local, mutable, ty, annotations, source_info(piece.comment))

    def debug(self, piece: _Piece) -> s.VarDebugInfo:
        name, arrow, value = piece.text[len("debug ") : -1].partition(" => ")
        if not arrow:
            self.error(piece, "a debug line has `=>`")
        ty, fragment = None, ()
        if name.startswith("("):
            name, ty, fragment = parse_piece(
                "debug_name", name, self.file, piece.line, piece.col + 6
            )
            col = piece.col + piece.text.index(" => ") + 4
        else:
            col = piece.col + 6 + len(name) + 4
        shown = parse_piece("debug_value", value, self.file, piece.line, col)
        return s.VarDebugInfo(name, shown, ty, fragment, source_info(piece.comment))

    def block(self) -> s.BasicBlock:
        head = self.pieces[self.at]
        m = _BLOCK.match(head.text)
        if m is None:
            self.error(head, "a basic block is expected here")
        begin = self.at + 1
        at = begin
        pieces = self.pieces
        while at < len(pieces) and pieces[at].text[-1] == ";":
            at += 1
        if at >= len(pieces) or pieces[at].text != "}":
            wrong = pieces[at] if at < len(pieces) else head
            self.error(wrong, "a statement ends in `;`, a block in `}`")
        if at == begin:
            self.error(head, "a basic block ends in a terminator")
        self.at = at + 1
        statements = tuple([self.statement("statement", p) for p in pieces[begin : at - 1]])
        terminator = self.statement("terminator", pieces[at - 1])
        return s.BasicBlock(int(m[1]), m[2] is not None, statements, terminator)

    def statement(self, start: str, piece: _Piece) -> Any:
        source = source_info(piece.comment)
        return parse_statement(start, piece.text[:-1], source, self.file, piece.line, piece.col)


def parse_body(lines: list[str], first: int, file: str) -> s.Body:
    """The body whose inner lines begin at line ``first`` of ``file``."""
    return _BodyReader(_pieces(lines, first), file, first + len(lines)).body()
