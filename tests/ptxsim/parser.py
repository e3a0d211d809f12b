"""PTX text to ``syntax``: strict, so that what is not understood is an error."""

import re
import struct
from typing import Final, NoReturn, final

from tests.ptxsim.errors import PtxSyntaxError, PtxTypeError
from tests.ptxsim.syntax import (
    Address,
    Float,
    Function,
    Group,
    Instruction,
    Int,
    Label,
    Module,
    Not,
    Operand,
    Pair,
    Register,
    Sink,
    Special,
    Symbol,
    Type,
    Variable,
    Vector,
)

TYPES: Final = {
    **{f"{kind}{width}": Type(kind, width) for kind in "bus" for width in (8, 16, 32, 64)},
    "f16": Type("f", 16),
    "f32": Type("f", 32),
    "f64": Type("f", 64),
    "pred": Type("pred", 1),
}
_SPACES: Final = ("global", "shared", "const", "local", "param")
_LINKAGE: Final = ("visible", "extern", "weak")
_AXES: Final = {f"%{name}.{axis}" for name in ("tid", "ntid", "ctaid", "nctaid") for axis in "xyz"}
_SPECIALS: Final = _AXES | {"%laneid", "%warpid", "%nwarpid", "WARP_SZ"}
_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t\r]+|//[^\n]*|/\*.*?\*/)
    |(?P<newline>\n)
    |(?P<string>"[^"]*")
    |(?P<bits>0[fF][0-9a-fA-F]{8}\b|0[dD][0-9a-fA-F]{16}\b)
    |(?P<decimal>\d+\.\d*(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)
    |(?P<integer>0[xX][0-9a-fA-F]+U?|0[bB][01]+U?|\d+U?)
    |(?P<dot>\.[A-Za-z0-9_]+(?:::[A-Za-z0-9_]+)*)
    |(?P<name>[A-Za-z][A-Za-z0-9_$]*|[_$%][A-Za-z0-9_$]+|_)
    |(?P<mark>[{}()\[\];,:=<>@!|+-])""",
    re.VERBOSE | re.DOTALL,
)

Scope = dict[str, "Register | Variable | tuple[str, int, Type, str]"]


def parse(text: str) -> Module:
    """Raises ``PtxSyntaxError`` and ``PtxTypeError``."""
    return _Parser(text).module()


@final
class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, int]] = []
        line, at = 1, 0
        while at < len(text):
            found = _TOKEN.match(text, at)
            if found is None:
                raise PtxSyntaxError(f"unexpected character {text[at]!r}", line)
            kind = found.lastgroup or ""
            if kind not in ("space", "newline"):
                self.tokens.append((kind, found.group(), line))
            line += found.group().count("\n")
            at = found.end()
        self.tokens.append(("end", "end of text", line))
        self.at = 0
        self.scopes: list[Scope] = []
        self.count = 0
        self.result = Module("", "")

    # ------------------------------------------------------------------------- tokens

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def text(self) -> str:
        return self.tokens[self.at][1]

    @property
    def line(self) -> int:
        return self.tokens[self.at][2]

    def fail(self, message: str) -> NoReturn:
        raise PtxSyntaxError(message, self.line)

    def next(self) -> str:
        text = self.text
        self.at += 1
        return text

    def accept(self, text: str) -> bool:
        if self.text == text and self.kind != "string":
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.fail(f"expected `{text}`, found `{self.text}`")

    def name(self) -> str:
        if self.kind != "name":
            self.fail(f"expected a name, found `{self.text}`")
        return self.next()

    def integer(self) -> int:
        negative = self.accept("-")
        if self.kind != "integer":
            self.fail(f"expected an integer, found `{self.text}`")
        digits = self.next().rstrip("U").lower()
        octal = digits[0] == "0" and digits.isdigit()
        if octal and set(digits) & {"8", "9"}:
            self.fail(f"{digits} is no octal number")
        value = int(digits, 8 if octal else 0)
        if value >= 1 << 64:
            self.fail(f"{value} does not fit in 64 bits")
        return -value if negative else value

    def skip_line(self) -> None:
        line = self.line
        while self.line == line and self.kind != "end":
            self.at += 1

    # ------------------------------------------------------------------------- module

    def module(self) -> Module:
        if not self.accept(".version"):
            self.fail("a PTX module starts with .version")
        version = self.next()
        if not re.fullmatch(r"\d+\.\d+", version):
            self.fail(f"no PTX version: {version}")
        self.expect(".target")
        target = self.name()
        if not re.fullmatch(r"sm_\d+[af]?", target):
            self.fail(f"unknown target {target}")
        while self.accept(","):
            if self.name() != "debug":
                self.fail("unknown target option")
        self.expect(".address_size")
        if self.integer() != 64:
            self.fail("only 64-bit addresses are known here")
        self.result.version, self.result.target = version, target
        while self.kind != "end":
            self.toplevel()
        for function in self.result.functions.values():
            if not function.defined:
                raise PtxSyntaxError(f"{function.name} is declared, not defined", function.line)
        return self.result

    def toplevel(self) -> None:
        if self.text == ".file":
            self.skip_line()
            return
        if self.accept(".section"):
            while not self.accept("}"):
                self.at += 1
            return
        linkage = set()
        while self.text.removeprefix(".") in _LINKAGE and self.kind == "dot":
            linkage.add(self.next()[1:])
        if self.text in (".entry", ".func"):
            self.function()
        elif self.text[1:] in ("global", "shared", "const") and self.kind == "dot":
            for variable in self.variables(allow_unsized="extern" in linkage):
                if variable.name in self.result.variables:
                    self.fail(f"{variable.name} is defined twice")
                self.result.variables[variable.name] = variable
        else:
            self.fail(f"unknown directive `{self.text}`")

    # ---------------------------------------------------------------------- variables

    def variables(self, *, allow_unsized: bool = False) -> list[Variable]:
        space = self.next()[1:]
        align, ty = self.alignment_and_type()
        found = []
        while True:
            found.append(self.variable(space, align, ty, allow_unsized))
            if not self.accept(","):
                break
        self.expect(";")
        return found

    def alignment_and_type(self) -> tuple[int | None, Type]:
        align = None
        if self.accept(".align"):
            align = self.integer()
            if align < 1 or align & (align - 1):
                self.fail(f"alignment {align} is no power of two")
        if self.text in (".v2", ".v4"):
            self.fail("vector variables are not known here")
        return align, self.type()

    def type(self) -> Type:
        ty = TYPES.get(self.text[1:]) if self.kind == "dot" else None
        if ty is None:
            self.fail(f"expected a type, found `{self.text}`")
        self.at += 1
        return ty

    def variable(self, space: str, align: int | None, ty: Type, unsized: bool) -> Variable:
        line = self.line
        name = self.name()
        if ty.kind == "pred":
            self.fail("predicates live in registers only")
        size: int | None = ty.size
        array = self.text == "["
        while self.accept("["):
            if self.accept("]"):
                size = None
                break
            assert size is not None
            size *= self.integer()
            self.expect("]")
        variable = Variable(name, space, ty, align or ty.size, size, line)
        if self.accept("="):
            if space not in ("global", "const"):
                self.fail(f"{space} variables have no initialiser")
            self.initialiser(variable, array)
        if variable.size is None and not unsized:
            self.fail(f"{name} has no size")
        return variable

    def initialiser(self, variable: Variable, array: bool) -> None:
        data = bytearray()
        relocations = []
        size = variable.type.size
        if array:
            self.expect("{")
        while self.text != "}":
            value = self.element(variable.type)
            if isinstance(value, tuple):
                if size != 8:
                    self.fail("an address takes 8 bytes")
                relocations.append((len(data), *value))
                value = 0
            data += (value & ((1 << 8 * size) - 1)).to_bytes(size, "little")
            if not array or not self.accept(","):
                break
        if array:
            self.expect("}")
        total = variable.size if variable.size is not None else len(data)
        if len(data) > total:
            self.fail(f"{len(data)} bytes of values for {variable.name}, which has {total}")
        variable.size = total
        variable.initial = bytes(data.ljust(total, b"\0"))
        variable.relocations = tuple(relocations)

    def element(self, ty: Type) -> int | tuple[str, int, bool]:
        if self.kind == "name":
            generic = self.accept("generic")
            if generic:
                self.expect("(")
            name = self.name()
            if generic:
                self.expect(")")
            return name, self.addend(), generic
        constant = self.constant()
        if isinstance(constant, Int):
            if ty.kind == "f":
                self.fail(f"an integer in a .{ty} variable")
            self.check_range(constant.value, ty.width)
            return constant.value
        if ty.kind != "f":
            self.fail(f"a float in a .{ty} variable")
        return float_bits(constant, ty.width, self.line)

    def check_range(self, value: int, width: int) -> None:
        if not -(1 << (width - 1)) <= value < 1 << width:
            self.fail(f"{value} does not fit in {width} bits")

    def addend(self) -> int:
        if self.accept("+"):
            return self.integer()
        if self.text == "-":
            return self.integer()
        return 0

    def constant(self) -> Int | Float:
        negative = self.accept("-")
        if self.kind == "bits":
            if negative:
                self.fail("a minus before bits")
            digits = self.next()
            bits = int(digits[2:], 16)
            return Float(32 if digits[1] in "fF" else 64, bits, 0.0)
        if self.kind == "decimal":
            value = float(self.next())
            return Float(0, 0, -value if negative else value)
        value_int = self.integer()
        return Int(-value_int if negative else value_int)

    # ---------------------------------------------------------------------- functions

    def function(self) -> None:
        line = self.line
        entry = self.next() == ".entry"
        scope: Scope = {}
        self.scopes = [scope]
        returns = self.parameters(scope) if not entry and self.text == "(" else []
        name = self.name()
        params = self.parameters(scope) if self.text == "(" else []
        if any(isinstance(p, Register) for p in params) and entry:
            self.fail("an entry has .param parameters only")
        function = Function(name, entry, line, params, returns)
        self.attributes(function)
        earlier = self.result.functions.get(name)
        if earlier is not None:
            if earlier.defined and self.text == "{":
                self.fail(f"{name} is defined twice")
            if _shape(earlier) != _shape(function):
                self.fail(f"{name} is declared with another signature")
        if self.accept(";"):
            self.result.functions.setdefault(name, function)
            return
        self.result.functions[name] = function
        function.defined = True
        self.expect("{")
        depth = len(self.scopes)
        self.scopes.append({})
        while len(self.scopes) > depth:
            self.statement(function)

    def attributes(self, function: Function) -> None:
        while self.kind == "dot":
            match self.next():
                case ".reqntid" | ".maxntid" as directive:
                    sizes = [self.integer()]
                    while self.accept(","):
                        sizes.append(self.integer())
                    x, y, z = (*sizes, 1, 1)[:3]
                    if directive == ".reqntid":
                        function.reqntid = x, y, z
                    else:
                        function.maxntid = x * y * z
                case ".minnctapersm" | ".maxnreg":
                    self.integer()
                case ".noreturn":
                    pass
                case other:
                    self.fail(f"unknown directive `{other}`")

    def parameters(self, scope: Scope) -> "list[Variable | Register]":
        self.expect("(")
        found: list[Variable | Register] = []
        while not self.accept(")"):
            if self.accept(".reg"):
                ty = self.type()
                register = self.register(self.name(), ty)
                scope[register.name] = register
                found.append(register)
            else:
                self.expect(".param")
                align, ty = self.alignment_and_type()
                variable = self.variable("param", align, ty, False)
                scope[variable.name] = variable
                found.append(variable)
            if self.text != ")":
                self.expect(",")
        return found

    def register(self, name: str, ty: Type) -> Register:
        self.count += 1
        if ty.width == 8:
            raise PtxTypeError("8-bit registers are not known here", self.line)
        return Register(name, ty, f"v{self.count}_{re.sub('[^A-Za-z0-9]', '_', name)}")

    def declare(self, name: str, what: "Register | Variable | tuple[str, int, Type, str]") -> None:
        if name in self.scopes[-1]:
            self.fail(f"{name} is declared twice")
        if isinstance(what, Variable) and what.space == "param" and name in self.scopes[0]:
            raise PtxSyntaxError(f"{name} hides a parameter", what.line)
        self.scopes[-1][name] = what

    # --------------------------------------------------------------------- statements

    def statement(self, function: Function) -> None:
        if self.accept("{"):
            self.scopes.append({})
        elif self.accept("}"):
            self.scopes.pop()
        elif self.accept(";"):
            pass
        elif self.kind == "dot":
            self.directive(function)
        elif self.kind == "name" and self.tokens[self.at + 1][1] == ":":
            line, name = self.line, self.name()
            self.expect(":")
            if self.accept(".branchtargets"):
                function.tables[name] = self.names()
            else:
                function.body.append(Label(line, name))
        else:
            function.body.append(self.instruction())

    def names(self) -> tuple[str, ...]:
        found = [self.name()]
        while self.accept(","):
            found.append(self.name())
        self.expect(";")
        return tuple(found)

    def directive(self, function: Function) -> None:
        match self.text:
            case ".loc" | ".file":
                self.skip_line()
            case ".pragma":
                self.next()
                if self.kind != "string":
                    self.fail("expected a string")
                self.next()
                self.expect(";")
            case ".reg":
                self.next()
                ty = self.type()
                while True:
                    name = self.name()
                    if self.accept("<"):
                        self.count += 1
                        self.declare(f"{name}<", (name, self.integer(), ty, f"v{self.count}_"))
                        self.expect(">")
                    else:
                        self.declare(name, self.register(name, ty))
                    if not self.accept(","):
                        break
                self.expect(";")
            case ".local" | ".shared" | ".param":
                for variable in self.variables():
                    self.declare(variable.name, variable)
                    if variable.space == "local":
                        function.locals.append(variable)
                    elif variable.space == "param":
                        function.call_params.append(variable)
                    else:
                        # Its own name in the module, whatever function it stands in.
                        self.result.variables[
                            f"{function.name}/{variable.name}/{variable.line}"
                        ] = variable
            case other:
                self.fail(f"unknown directive `{other}`")

    def instruction(self) -> Instruction:
        line = self.line
        guard = None
        if self.accept("@"):
            negated = self.accept("!")
            register = self.lookup(self.name())
            if not isinstance(register, Register) or register.type.kind != "pred":
                raise PtxTypeError("a guard is a predicate register", line)
            guard = negated, register
        opcode = self.name()
        mods = []
        while self.kind == "dot":
            mods.append(self.next()[1:])
        operands: list[Operand] = []
        if not self.accept(";"):
            operands.append(self.operand())
            while not self.accept(";"):
                self.expect(",")
                operands.append(self.operand())
        return Instruction(line, guard, opcode, tuple(mods), tuple(operands))

    def operand(self) -> Operand:
        if self.accept("["):
            address = self.address()
            self.expect("]")
            return address
        if self.text in ("{", "("):
            close = {"{": "}", "(": ")"}[self.next()]
            items: list[Operand] = []
            while not self.accept(close):
                items.append(self.operand())
                if self.text != close:
                    self.expect(",")
            return Vector(tuple(items)) if close == "}" else Group(tuple(items))
        if self.accept("!"):
            register = self.lookup(self.name())
            if not isinstance(register, Register):
                self.fail("`!` takes a predicate register")
            return Not(register)
        if self.kind != "name":
            return self.constant()
        first = self.named()
        if self.accept("|"):
            return Pair(first, self.named())
        return first

    def named(self) -> Operand:
        name = self.name()
        if name == "_":
            return Sink()
        if self.kind == "dot" and f"{name}{self.text}" in _SPECIALS:
            return Special(name + self.next())
        if name in _SPECIALS:
            return Special(name)
        found = self.lookup(name)
        if isinstance(found, Register):
            return found
        if name.startswith("%"):
            self.fail(f"{name} is not declared")
        return Symbol(name, found, self.addend())

    def address(self) -> Address:
        if self.kind == "integer" or self.text == "-":
            return Address(Int(self.integer()), 0)
        name = self.name()
        found = self.lookup(name)
        offset = self.addend()
        if isinstance(found, Register):
            return Address(found, offset)
        if name.startswith("%"):
            self.fail(f"{name} is not declared")
        return Address(Symbol(name, found, 0), offset)

    def lookup(self, name: str) -> Register | Variable | None:
        digits = re.search(r"(0|[1-9]\d*)$", name)
        for scope in reversed(self.scopes):
            found = scope.get(name)
            if isinstance(found, Register | Variable):
                return found
            if digits is not None:
                # `%r1<10>` declares %r10 to %r19: the prefix may end in digits itself.
                for cut in range(digits.start(), len(name)):
                    family = scope.get(f"{name[:cut]}<")
                    if isinstance(family, tuple) and int(name[cut:]) < family[1]:
                        ident = family[3] + re.sub("[^A-Za-z0-9]", "_", name)
                        register = Register(name, family[2], ident)
                        scope[name] = register
                        return register
        return None


def _shape(function: Function) -> list[tuple[str, Type, object]]:
    return [
        ("reg", p.type, None) if isinstance(p, Register) else (p.space, p.type, p.size)
        for p in (*function.returns, *function.params)
    ]


def float_bits(constant: Float, width: int, line: int) -> int:
    """The bits of a literal in an f32 or f64; a decimal one is rounded."""
    if constant.width == width:
        return constant.bits
    if constant.width == 0 and width in (32, 64):
        code, word = ("<f", "<I") if width == 32 else ("<d", "<Q")
        return int(struct.unpack(word, struct.pack(code, constant.value))[0])
    raise PtxTypeError(f"a literal of {constant.width} bits for an f{width}", line)
