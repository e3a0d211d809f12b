"""PTX text to a small tree: variables, functions, instructions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from tests.ptxsim.errors import PtxError

_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
    |(?P<string>"[^"\n]*")
    |(?P<float>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b)
    |(?P<int>0[xX][0-9a-fA-F]+U?|\d+U?(?![\w.]))
    |(?P<word>[.]?[a-zA-Z_$%][\w$.]*(?:::[\w.]+)*|\d+\.\d+)
    |(?P<punct>[{}()\[\],;:@!+\-<>=|])""",
    re.X | re.S,
)


@dataclass(frozen=True)
class Token:
    kind: str
    text: str
    line: int


def tokens(text: str) -> Iterator[Token]:
    line, at = 1, 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise PtxError(f"line {line}: unexpected {text[at : at + 20]!r}")
        kind = match.lastgroup or ""
        if kind != "space":
            yield Token(kind, match.group(), line)
        line += match.group().count("\n")
        at = match.end()


@dataclass(frozen=True)
class Variable:
    """``type`` is ``b8``, ``f32``, …; ``count`` 1 for a scalar; ``init`` as written."""

    space: str
    type: str
    name: str
    align: int
    count: int
    array: bool
    init: tuple[object, ...] | None = None

    @property
    def size(self) -> int:
        return self.count * size_of(self.type)


@dataclass(frozen=True)
class Symbol:
    """``generic(name)+offset`` or ``name+offset`` in an initialiser."""

    name: str
    offset: int
    generic: bool


@dataclass(frozen=True)
class Reg:
    name: str


@dataclass(frozen=True)
class Imm:
    """An integer, or the bits of a float with its width."""

    value: int
    float_width: int | None = None


@dataclass(frozen=True)
class Name:
    """A variable, function or label."""

    name: str


@dataclass(frozen=True)
class Address:
    base: Reg | Name | Imm
    offset: int


@dataclass(frozen=True)
class Vector:
    elems: tuple[object, ...]


@dataclass(frozen=True)
class Pair:
    """``p|q``: two results."""

    first: object
    second: object


@dataclass(frozen=True)
class Args:
    """The parenthesised list of a call."""

    elems: tuple[object, ...]


Operand = Reg | Imm | Name | Address | Vector | Pair | Args


@dataclass(frozen=True)
class Instruction:
    """``guard`` is (register, negated)."""

    op: str
    operands: tuple[Operand, ...]
    guard: tuple[str, bool] | None
    line: int


@dataclass(frozen=True)
class Label:
    name: str
    line: int


@dataclass
class Function:
    entry: bool
    name: str
    results: list[Variable]
    params: list[Variable]
    regs: dict[str, str] = field(default_factory=dict)
    locals: list[Variable] = field(default_factory=list)
    body: list[Instruction | Label] = field(default_factory=list)
    tables: dict[str, tuple[str, ...]] = field(default_factory=dict)
    defined: bool = False


@dataclass
class Module:
    version: str
    target: str
    variables: list[Variable]
    functions: dict[str, Function]


def size_of(type_: str) -> int:
    """Bytes of a fundamental type; a predicate has none."""
    return int(type_[1:]) // 8


_SPACES = (".global", ".const", ".shared", ".local", ".param")
_IGNORED = (".visible", ".weak", ".extern")
_PERF = (".maxntid", ".reqntid", ".minnctapersm", ".maxnreg", ".noreturn")


class Parser:
    def __init__(self, text: str) -> None:
        self.tokens = list(tokens(text))
        self.at = 0
        self.scopes: list[dict[str, str]] = []
        self.renamed = 0

    # ------------------------------------------------------------------ tokens

    def peek(self, ahead: int = 0) -> Token:
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else Token("end", "", -1)

    def next(self) -> Token:
        token = self.peek()
        if token.kind == "end":
            raise PtxError("the text ends too early")
        self.at += 1
        return token

    def take(self, text: str) -> bool:
        if self.peek().text == text:
            self.at += 1
            return True
        return False

    def need(self, text: str) -> None:
        token = self.next()
        if token.text != text:
            raise PtxError(f"line {token.line}: expected {text!r}, found {token.text!r}")

    def integer(self) -> int:
        negative = self.take("-")
        token = self.next()
        if token.kind != "int":
            raise PtxError(f"line {token.line}: expected a number, found {token.text!r}")
        value = int(token.text.rstrip("U"), 0)
        return -value if negative else value

    # ------------------------------------------------------------------ module

    def module(self) -> Module:
        self.need(".version")
        version = self.next().text
        self.need(".target")
        target = self.next().text
        self.need(".address_size")
        if self.integer() != 64:
            raise PtxError("only 64-bit addresses")
        module = Module(version, target, [], {})
        while self.peek().kind != "end":
            self.top(module)
        return module

    def top(self, module: Module) -> None:
        while self.peek().text in _IGNORED:
            self.next()
        word = self.peek()
        if word.text == ".file":
            self.skip_line()
        elif word.text in (".entry", ".func"):
            self.function(module)
        elif word.text in _SPACES:
            module.variables += self.variables()
        else:
            raise PtxError(f"line {word.line}: unexpected {word.text!r}")

    def skip_line(self) -> None:
        line = self.peek().line
        while self.peek().line == line:
            self.next()

    def variables(self) -> list[Variable]:
        space = self.next().text[1:]
        first = self.declarator(space)
        out = [first]
        while self.take(","):
            out.append(self.declarator(space, first.type, first.align))
        self.need(";")
        return out

    def declarator(self, space: str, type_: str | None = None, align: int = 0) -> Variable:
        while type_ is None:
            token = self.next()
            if token.text == ".align":
                align = self.integer()
            elif re.fullmatch(r"\.[busf](8|16|32|64)|\.pred", token.text):
                type_ = token.text[1:]
            elif token.text != ".ptr":
                raise PtxError(f"line {token.line}: unexpected {token.text!r} in a declaration")
        while self.peek().text in _SPACES or self.peek().text == ".align":
            if self.next().text == ".align":
                self.integer()
        name = self.next().text
        count, array = 1, False
        while self.take("["):
            array = True
            if not self.take("]"):
                count *= self.integer()
                self.need("]")
            else:
                count = 0
        init = None
        if self.take("="):
            init = tuple(self.initialiser())
        if type_ == "pred":
            raise PtxError("a predicate is no variable")
        return Variable(space, type_, name, align or size_of(type_), count, array, init)

    def initialiser(self) -> Iterator[object]:
        if self.take("{"):
            while not self.take("}"):
                yield from self.initialiser()
                self.take(",")
            return
        token = self.peek()
        if token.kind == "word":
            generic = token.text == "generic"
            self.next()
            if generic:
                self.need("(")
                name = self.next().text
                self.need(")")
            else:
                name = token.text
            offset = 0
            if self.take("+"):
                offset = self.integer()
            elif self.take("-"):
                offset = -self.integer()
            yield Symbol(name, offset, generic)
        elif token.kind == "float":
            yield int(self.next().text[2:], 16)
        else:
            yield self.integer()

    # --------------------------------------------------------------- functions

    def function(self, module: Module) -> None:
        entry = self.next().text == ".entry"
        results = self.parameters() if self.peek().text == "(" else []
        name = self.next().text
        params = self.parameters() if self.peek().text == "(" else []
        function = Function(entry, name, results, params)
        while self.peek().text in _PERF:
            self.next()
            while self.peek().kind == "int" or self.peek().text == ",":
                self.next()
        if self.take(";"):
            module.functions.setdefault(name, function)
            return
        self.need("{")
        function.defined = True
        module.functions[name] = function
        self.block(function, module)

    def parameters(self) -> list[Variable]:
        self.need("(")
        out = []
        while not self.take(")"):
            space = self.next().text
            if space not in (".param", ".reg"):
                raise PtxError(f"parameters are .param or .reg, not {space}")
            out.append(self.declarator(space[1:]))
            self.take(",")
        return out

    def block(self, function: Function, module: Module) -> None:
        """The inside of braces; what a nested block declares gets a name of its own."""
        self.scopes.append({})
        while not self.take("}"):
            token = self.peek()
            if token.text == "{":
                self.next()
                self.block(function, module)
            elif token.text == ".reg":
                self.registers(function)
            elif token.text in (".local", ".param"):
                function.locals += [self.scoped(each) for each in self.variables()]
            elif token.text == ".shared":
                module.variables += self.variables()
            elif token.text in (".loc", ".pragma", ".file"):
                self.skip_line()
            elif self.peek(1).text == ":":
                self.next()
                self.next()
                if self.peek().text == ".branchtargets":
                    self.next()
                    names = [self.next().text]
                    while self.take(","):
                        names.append(self.next().text)
                    self.need(";")
                    function.tables[token.text] = tuple(names)
                else:
                    function.body.append(Label(token.text, token.line))
            else:
                function.body.append(self.instruction())
        self.scopes.pop()

    def scoped(self, variable: Variable) -> Variable:
        if len(self.scopes) == 1:
            return variable
        return replace(variable, name=self.rename(variable.name))

    def rename(self, name: str) -> str:
        self.renamed += 1
        self.scopes[-1][name] = f"{name}@{self.renamed}"
        return self.scopes[-1][name]

    def resolve(self, name: str) -> str:
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return name

    def registers(self, function: Function) -> None:
        self.next()
        type_ = self.next().text[1:]
        while True:
            name = self.next().text
            names = [name]
            if self.take("<"):
                names = [f"{name}{k}" for k in range(self.integer())]
                self.need(">")
            for each in names:
                if len(self.scopes) > 1:
                    each = self.rename(each)
                if each in function.regs:
                    raise PtxError(f"{function.name}: register {each} is declared twice")
                function.regs[each] = type_
            if not self.take(","):
                break
        self.need(";")

    def instruction(self) -> Instruction:
        guard = None
        if self.take("@"):
            negated = self.take("!")
            guard = (self.resolve(self.next().text), negated)
        token = self.next()
        operands: list[Operand] = []
        while not self.take(";"):
            operands.append(self.operand())
            self.take(",")
        return Instruction(token.text, tuple(operands), guard, token.line)

    def operand(self) -> Operand:
        token = self.peek()
        if self.take("["):
            base = self.atom()
            offset = 0
            if self.take("+") or self.peek().text == "-":
                offset = self.integer()
            self.need("]")
            if not isinstance(base, Reg | Name | Imm):
                raise PtxError(f"line {token.line}: no address")
            return Address(base, offset)
        if self.take("{"):
            elems = []
            while not self.take("}"):
                elems.append(self.atom())
                self.take(",")
            return Vector(tuple(elems))
        if self.take("("):
            elems = []
            while not self.take(")"):
                elems.append(self.atom())
                self.take(",")
            return Args(tuple(elems))
        first = self.atom()
        if self.take("|"):
            return Pair(first, self.atom())
        if isinstance(first, Name) and self.take("+"):
            raise PtxError(f"line {token.line}: a symbol plus a number is no operand here")
        return first

    def atom(self) -> Reg | Imm | Name:
        token = self.peek()
        if token.kind == "int" or token.text == "-":
            return Imm(self.integer())
        self.next()
        if token.kind == "float":
            return Imm(int(token.text[2:], 16), 32 if token.text[1] in "fF" else 64)
        if token.kind != "word":
            raise PtxError(f"line {token.line}: unexpected {token.text!r}")
        name = self.resolve(token.text)
        return Reg(name) if token.text.startswith("%") else Name(name)


def parse(text: str) -> Module:
    """The module; raises PtxError for what is no PTX known here."""
    return Parser(text).module()
