"""Reads the text that ``kir.printer`` writes; the form of each node stands in ``kir.ops``.

Besides: ``//`` starts a comment, blanks and line ends are free between tokens, ``()`` after a
label may be left out, integer constants may be negative, and values may have any names.
"""

import json
import re
from collections.abc import Callable, Iterator
from typing import NoReturn, TypeVar

from mirgpu.kir.module import (
    Block,
    FormatTrait,
    Function,
    FunctionKind,
    Global,
    GlobalReloc,
    Module,
    PanicOperand,
    PanicSite,
    Param,
    ParamRole,
)
from mirgpu.kir.ops import (
    Alloca,
    Axis,
    Barrier,
    Binary,
    BinaryOp,
    Br,
    Call,
    Cast,
    CastOp,
    Compare,
    CompareOp,
    CondBr,
    FloatConst,
    FusedMulAdd,
    GlobalAddr,
    Instruction,
    IntConst,
    Load,
    Location,
    MemCopy,
    MemSet,
    Operand,
    Overflow,
    OverflowOp,
    Panic,
    PtrAdd,
    PtrConst,
    ReadSpecial,
    Return,
    Select,
    SpecialRegister,
    Store,
    Switch,
    Target,
    Terminator,
    Unary,
    UnaryOp,
    Undef,
    Unreachable,
    Value,
)
from mirgpu.kir.types import (
    F16,
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    I128,
    AddressSpace,
    FloatType,
    IntType,
    PtrType,
    Type,
)

T = TypeVar("T")

_TYPE = r"(?:[if]\d+|ptr\.[a-z]+)(?![\w$.])"
_STRING = r'"(?:[^"\\]|\\.)*"'
_TOKEN = re.compile(
    rf"""(?P<skip>\s+|//[^\n]*)
    |(?P<const>(?:0x[0-9a-f]+|-?\d+|undef):{_TYPE})
    |(?P<define>%(?:{_STRING}(?:\.\d+)?|[\w$.]+):{_TYPE})
    |(?P<value>%(?:{_STRING}(?:\.\d+)?|[\w$.]+))
    |(?P<symbol>@(?:{_STRING}|[\w$.]+))
    |(?P<location>!\d+)
    |(?P<number>-?\d+)
    |(?P<string>{_STRING})
    |(?P<word>[^\W\d][\w$.]*)
    |(?P<punct>->|[=,(){{}}\[\]:+*])
    |(?P<bad>.)""",
    re.VERBOSE | re.DOTALL,
)
_SUFFIX = re.compile(r"\.\d+$")

_BINARY = {op.value: op for op in BinaryOp}
_COMPARE = {op.value: op for op in CompareOp}
_UNARY = {op.value: op for op in UnaryOp}
_CAST = {op.value: op for op in CastOp}
_OVERFLOW = {op.value: op for op in OverflowOp}
_TYPES: dict[str, Type] = {
    **{f"i{ty.width}": ty for ty in (I1, I8, I16, I32, I64, I128)},
    **{f"f{ty.width}": ty for ty in (F16, F32, F64)},
    **{f"ptr.{space.value}": PtrType(space) for space in AddressSpace},
}


class KirSyntaxError(ValueError):
    """The text is not kir; the message starts with the line."""


def parse_module(text: str) -> Module:
    """The module that ``text`` spells.  Raises ``KirSyntaxError``."""
    return _Parser(text).module()


def parse_type(text: str) -> Type:
    """``i32``, ``f64``, ``ptr.global``.  Raises ``KirSyntaxError``."""
    ty = _TYPES.get(text)
    if ty is None:
        raise KirSyntaxError(f"unknown type {text}")
    return ty


def _name(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


def _hint(text: str) -> str | None:
    """The hint in a value's text (without the ``%``)."""
    if text.isdecimal():
        return None
    if text.startswith('"'):
        return str(json.loads(text[: text.rindex('"') + 1]))
    return _SUFFIX.sub("", text)


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._kinds: list[str] = []
        self._texts: list[str] = []
        self._starts: list[int] = []
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup
            if kind == "skip" or kind is None:
                continue
            self._kinds.append(kind)
            self._texts.append(match.group())
            self._starts.append(match.start())
        self._kinds.append("end")
        self._texts.append("the end")
        self._starts.append(len(text))
        self._at = 0
        self._values: dict[str, Value] = {}
        self._locations: dict[str, Location] = {}

    # ------------------------------------------------------------------------- tokens

    def _fail(self, message: str) -> NoReturn:
        line = self._text.count("\n", 0, self._starts[self._at]) + 1
        raise KirSyntaxError(f"line {line}: {message}, at {self._texts[self._at]!r}")

    def _take(self, kind: str) -> str:
        if self._kinds[self._at] != kind:
            self._fail(f"expected a {kind}")
        text = self._texts[self._at]
        self._at += 1
        return text

    def _expect(self, text: str) -> None:
        if not self._accept(text):
            self._fail(f"expected {text!r}")

    def _accept(self, text: str) -> bool:
        if self._texts[self._at] == text and self._kinds[self._at] in ("punct", "word"):
            self._at += 1
            return True
        return False

    def _number(self) -> int:
        return int(self._take("number"))

    def _string(self) -> str:
        return str(json.loads(self._take("string")))

    def _symbol(self) -> str:
        return _name(self._take("symbol")[1:])

    def _label(self) -> str:
        return self._string() if self._kinds[self._at] == "string" else self._take("word")

    def _keyword(self, table: Callable[[str], T], what: str) -> T:
        try:
            found = table(self._texts[self._at])
        except (KeyError, ValueError):
            self._fail(f"expected {what}")
        self._at += 1
        return found

    def _list(self, item: Callable[[], T], close: str) -> tuple[T, ...]:
        if self._accept(close):
            return ()
        items = [item()]
        while not self._accept(close):
            self._expect(",")
            items.append(item())
        return tuple(items)

    def _type(self, text: str) -> Type:
        try:
            return parse_type(text)
        except KirSyntaxError as error:
            self._fail(str(error))

    def _named_number(self, name: str) -> int:
        self._expect(name)
        return self._number()

    # ------------------------------------------------------------------------- module

    def module(self) -> Module:
        self._read_locations()
        self._at = 0
        functions: list[Function] = []
        globals_: list[Global] = []
        panics: list[PanicSite] = []
        while self._kinds[self._at] != "end":
            if self._accept("panic"):
                if self._number() != len(panics):
                    self._at -= 1
                    self._fail(f"panic sites are numbered in order, {len(panics)} comes next")
                panics.append(self._panic_site())
            elif self._accept("global"):
                globals_.append(self._global())
            elif self._kinds[self._at] == "location":
                self._location_line()
            else:
                functions.append(self._function())
        return Module(tuple(functions), tuple(globals_), tuple(panics))

    def _read_locations(self) -> None:
        """The table stands behind its uses, so it is read first."""
        for index, kind in enumerate(self._kinds):
            if kind == "location" and self._texts[index + 1] == "=":
                self._at = index
                name = self._texts[index]
                if name in self._locations:
                    self._fail("a second location of this number")
                self._locations[name] = self._location_line()

    def _location_line(self) -> Location:
        self._take("location")
        self._expect("=")
        file = self._string()
        self._expect(":")
        line = self._number()
        self._expect(":")
        col = self._number()
        function = self._string() if self._accept("in") else None
        at = self._known_location() if self._accept("at") else None
        return Location(file, line, col, function, at)

    def _known_location(self) -> Location:
        found = self._locations.get(self._texts[self._at])
        if found is None:
            self._fail("unknown location")
        self._at += 1
        return found

    def _loc(self) -> Location | None:
        is_use = self._kinds[self._at] == "location" and self._texts[self._at + 1] != "="
        return self._known_location() if is_use else None

    def _panic_site(self) -> PanicSite:
        message = self._string()
        self._expect("(")
        return PanicSite(message, self._list(self._panic_operand, ")"), self._loc())

    def _panic_operand(self) -> PanicOperand:
        return PanicOperand(self._take("word"), self._keyword(FormatTrait, "a format"))

    def _global(self) -> Global:
        symbol = self._symbol()
        space = self._keyword(AddressSpace, "an address space")
        size = self._named_number("size")
        align = self._named_number("align")
        mutable = self._accept("mutable")
        data = None
        if self._accept("hex"):
            try:
                data = bytes.fromhex(self._string())
            except ValueError:
                self._at -= 1
                self._fail("bad hex digits")
        relocs = []
        while self._accept("reloc"):
            offset = self._number()
            target = self._symbol()
            self._expect("+")
            relocs.append(GlobalReloc(offset, target, self._number()))
        return Global(symbol, space, size, align, data, tuple(relocs), mutable, self._loc())

    # ---------------------------------------------------------------------- functions

    def _function(self) -> Function:
        kind = self._keyword(FunctionKind, "panic, global, kernel or device")
        name = self._symbol()
        rust_name = self._string()
        self._read_definitions()
        self._expect("(")
        params = self._list(self._param, ")")
        results: tuple[Type, ...] = ()
        if self._accept("->"):
            self._expect("(")
            results = self._list(lambda: self._type(self._take("word")), ")")
        inline_never = self._accept("inline_never")
        loc = self._loc()
        self._expect("{")
        blocks = []
        while not self._accept("}"):
            blocks.append(self._block())
        return Function(name, rust_name, kind, params, results, tuple(blocks), loc, inline_never)

    def _read_definitions(self) -> None:
        """Uses may stand before definitions, so all of a function's values are made first."""
        start = self._at
        self._values = {}
        while self._kinds[self._at] != "end" and self._texts[self._at] != "}":
            if self._kinds[self._at] == "define":
                name, _, type_text = self._texts[self._at].rpartition(":")
                if name in self._values:
                    self._fail(f"a second definition of {name}")
                self._values[name] = Value(self._type(type_text), _hint(name[1:]))
            self._at += 1
        self._at = start

    def _param(self) -> Param:
        value = self._define()
        role = self._keyword(ParamRole, "a parameter role")
        size = self._named_number("size")
        align = self._named_number("align")
        return Param(value, role, size, align, self._accept("freeze"))

    def _define(self) -> Value:
        return self._values[self._take("define").rpartition(":")[0]]

    def _block(self) -> Block:
        label = self._label()
        params: tuple[Value, ...] = ()
        if self._accept("("):
            params = self._list(self._define, ")")
        self._expect(":")
        instructions: list[Instruction] = []
        while True:
            is_plain = self._kinds[self._at] == "word"
            make = _TERMINATORS.get(self._texts[self._at]) if is_plain else None
            if make is not None:
                self._at += 1
                terminator = make(self)
                return Block(label, params, tuple(instructions), terminator)
            instructions.append(self._instruction())

    def _operand(self) -> Operand:
        kind, text = self._kinds[self._at], self._texts[self._at]
        if kind == "value":
            value = self._values.get(text)
            if value is None:
                self._fail("this value is not defined")
            self._at += 1
            return value
        if kind != "const":
            self._fail("expected a value or a constant")
        number_text, _, type_text = text.partition(":")
        ty = self._type(type_text)
        self._at += 1
        if number_text == "undef":
            return Undef(ty)
        number = int(number_text, 16 if number_text.startswith("0x") else 10)
        match ty:
            case IntType():
                if number < 0:
                    number += 1 << ty.width
                return IntConst(ty, number)
            case FloatType():
                return FloatConst(ty, number)
            case PtrType():
                return PtrConst(ty, number)

    def _operands(self, count: int) -> Iterator[Operand]:
        for index in range(count):
            if index:
                self._expect(",")
            yield self._operand()

    def _arguments(self) -> tuple[Operand, ...]:
        self._expect("(")
        return self._list(self._operand, ")")

    def _align(self) -> int:
        self._expect(",")
        return self._named_number("align")

    def _instruction(self) -> Instruction:
        results: list[Value] = []
        while self._kinds[self._at] == "define":
            results.append(self._define())
            if not self._accept(","):
                self._expect("=")
                break
        start = self._at
        name = self._take("word")
        if not results and name in _EFFECTS:
            return _EFFECTS[name](self)
        if name == "call":
            callee = self._symbol()
            return Call(tuple(results), callee, self._arguments(), self._loc())
        if len(results) == 2 and name in _OVERFLOW:
            lhs, rhs = self._operands(2)
            return Overflow(results[0], results[1], _OVERFLOW[name], lhs, rhs, self._loc())
        made = self._pure(name, results[0]) if len(results) == 1 else None
        if made is None:
            self._at = start
            self._fail(f"no operation of this name has {len(results)} results")
        return made

    def _pure(self, name: str, result: Value) -> Instruction | None:
        if name in _BINARY:
            lhs, rhs = self._operands(2)
            return Binary(result, _BINARY[name], lhs, rhs, self._loc())
        if name in _COMPARE:
            lhs, rhs = self._operands(2)
            return Compare(result, _COMPARE[name], lhs, rhs, self._loc())
        if name in _UNARY:
            return Unary(result, _UNARY[name], self._operand(), self._loc())
        if name in _CAST:
            return Cast(result, _CAST[name], self._operand(), self._loc())
        match name:
            case "fma":
                a, b, c = self._operands(3)
                return FusedMulAdd(result, a, b, c, self._loc())
            case "select":
                cond, if_true, if_false = self._operands(3)
                return Select(result, cond, if_true, if_false, self._loc())
            case "alloca":
                size = self._named_number("size")
                return Alloca(result, size, self._align(), self._loc())
            case "ptradd":
                base, index = self._operands(2)
                self._expect("*")
                stride = self._number()
                self._expect("+")
                return PtrAdd(result, base, index, stride, self._number(), self._loc())
            case "globaladdr":
                return GlobalAddr(result, self._symbol(), self._loc())
            case "load":
                volatile = self._accept("volatile")
                return Load(result, self._operand(), self._align(), volatile, self._loc())
            case "read":
                register, _, axis = self._take("word").partition(".")
                try:
                    return ReadSpecial(result, SpecialRegister(register), Axis(axis), self._loc())
                except ValueError:
                    self._at -= 1
                    self._fail("unknown special register")
            case _:
                return None

    def _store(self) -> Instruction:
        volatile = self._accept("volatile")
        value, ptr = self._operands(2)
        return Store(value, ptr, self._align(), volatile, self._loc())

    def _memory_copy(self, may_overlap: bool) -> Instruction:
        dst, src, size = self._operands(3)
        return MemCopy(dst, src, size, self._align(), may_overlap, self._loc())

    def _memory_set(self) -> Instruction:
        dst, byte, size = self._operands(3)
        return MemSet(dst, byte, size, self._align(), self._loc())

    # --------------------------------------------------------------------- terminators

    def _target(self) -> Target:
        label = self._label()
        args = self._arguments() if self._texts[self._at] == "(" else ()
        return Target(label, args)

    def _br(self) -> Terminator:
        return Br(self._target(), self._loc())

    def _cond_br(self) -> Terminator:
        cond = self._operand()
        self._expect(",")
        if_true = self._target()
        self._expect(",")
        return CondBr(cond, if_true, self._target(), self._loc())

    def _switch(self) -> Terminator:
        value = self._operand()
        self._expect(",")
        self._expect("[")
        cases = self._list(self._case, "]")
        self._expect(",")
        self._expect("default")
        return Switch(value, cases, self._target(), self._loc())

    def _case(self) -> tuple[int, Target]:
        number = self._number()
        self._expect(":")
        return number, self._target()

    def _return(self) -> Terminator:
        values: list[Operand] = []
        if self._kinds[self._at] in ("value", "const"):
            values.append(self._operand())
            while self._accept(","):
                values.append(self._operand())
        return Return(tuple(values), self._loc())

    def _unreachable(self) -> Terminator:
        return Unreachable(self._loc())

    def _panic(self) -> Terminator:
        return Panic(self._number(), self._arguments(), self._loc())


_EFFECTS: dict[str, Callable[[_Parser], Instruction]] = {
    "store": lambda parser: parser._store(),
    "memcopy": lambda parser: parser._memory_copy(False),
    "memmove": lambda parser: parser._memory_copy(True),
    "memset": lambda parser: parser._memory_set(),
    "barrier": lambda parser: Barrier(parser._loc()),
}

_TERMINATORS: dict[str, Callable[[_Parser], Terminator]] = {
    "br": _Parser._br,
    "condbr": _Parser._cond_br,
    "switch": _Parser._switch,
    "return": _Parser._return,
    "unreachable": _Parser._unreachable,
    "panic": _Parser._panic,
}
