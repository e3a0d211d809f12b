"""kir as text: the inverse of ``kir.parser``, the same bytes for the same module.

A module is its panic table, globals and functions, then a table of source locations that
the lines above name by number::

    panic 0 "index out of bounds: the length is {0}" (usize display) !0
    global @tile shared size 1024 align 4 mutable
    kernel @f "crate::f" (%x:ptr.generic slice.ptr size 8 align 8 freeze, …) {
    entry:
      %a:i32 = add %i, 1:i32 !1
      br loop(%a, 0:i64)
    loop(%i.1:i32, %7:i64):
      …
    }
    !0 = "src/lib.rs":3:9
    !1 = "core/add.rs":7:5 in "core::add" at !0

A value's name is its hint, made unique within the function by ``.1``, ``.2`` …; a value
without a hint is a number.  A hint that itself ends so is never written without a suffix.
"""

import json
import re
from typing import assert_never

from mirgpu.kir.module import Function, Global, Module, PanicSite, Param
from mirgpu.kir.ops import (
    Alloca,
    Barrier,
    Binary,
    Br,
    Call,
    Cast,
    Compare,
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
    Panic,
    PtrAdd,
    PtrConst,
    ReadSpecial,
    Return,
    Select,
    Store,
    Switch,
    Target,
    Terminator,
    Unary,
    Undef,
    Unreachable,
    Value,
)
from mirgpu.kir.types import FloatType, IntType, PtrType, Type

_BARE = re.compile(r"[^\W\d][\w$.]*")
_NUMBERED = re.compile(r".*\.\d+", re.DOTALL)


def print_module(module: Module) -> str:
    """The text of ``module``; ``parse_module`` gives an equal module back."""
    locations = _Locations()
    lines = [_panic(index, site, locations) for index, site in enumerate(module.panics)]
    lines += [_global(item, locations) for item in module.globals]
    for function in module.functions:
        lines += _FunctionPrinter(function, locations).lines()
    lines += locations.lines
    return "".join(line + "\n" for line in lines)


def print_function(function: Function) -> str:
    """The text of one function, with the locations that it names."""
    locations = _Locations()
    lines = _FunctionPrinter(function, locations).lines()
    return "".join(line + "\n" for line in lines + locations.lines)


def print_node(function: Function, node: Instruction | Terminator) -> str:
    """The text of one node of ``function``, with its values named as ``print_function`` does."""
    printer = _FunctionPrinter(function, _Locations())
    printer.lines()
    return printer.node(node)


def print_type(ty: Type) -> str:
    """``i32``, ``f64``, ``ptr.global``."""
    match ty:
        case IntType(width=width):
            return f"i{width}"
        case FloatType(width=width):
            return f"f{width}"
        case PtrType(space=space):
            return f"ptr.{space.value}"
        case _:
            assert_never(ty)


class _Locations:
    """Numbers locations in the order of their first use, a caller before its callee."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._numbers: dict[Location, int] = {}

    def suffix(self, loc: Location | None) -> str:
        return "" if loc is None else f" !{self._number(loc)}"

    def _number(self, loc: Location) -> int:
        known = self._numbers.get(loc)
        if known is not None:
            return known
        at = "" if loc.inlined_at is None else f" at !{self._number(loc.inlined_at)}"
        function = "" if loc.function is None else f" in {_quote(loc.function)}"
        number = self._numbers[loc] = len(self.lines)
        self.lines.append(f"!{number} = {_quote(loc.file)}:{loc.line}:{loc.col}{function}{at}")
        return number


def _quote(text: str) -> str:
    return json.dumps(text)


def _bare(name: str) -> str:
    return name if _BARE.fullmatch(name) else _quote(name)


def _panic(index: int, site: PanicSite, locations: _Locations) -> str:
    operands = ", ".join(f"{operand.kind} {operand.trait.value}" for operand in site.operands)
    return f"panic {index} {_quote(site.message)} ({operands}){locations.suffix(site.loc)}"


def _global(item: Global, locations: _Locations) -> str:
    parts = [f"global @{_bare(item.symbol)} {item.space.value} size {item.size} align {item.align}"]
    if item.mutable:
        parts.append("mutable")
    if item.data is not None:
        parts.append(f'hex "{item.data.hex()}"')
    parts += [f"reloc {r.offset} @{_bare(r.symbol)} + {r.addend}" for r in item.relocs]
    return " ".join(parts) + locations.suffix(item.loc)


class _FunctionPrinter:
    def __init__(self, function: Function, locations: _Locations) -> None:
        self._function = function
        self._locations = locations
        self._names: dict[Value, str] = {}
        self._uses: dict[str, int] = {}
        self._unnamed = 0

    def lines(self) -> list[str]:
        function = self._function
        params = ", ".join(self._param(param) for param in function.params)
        results = ", ".join(print_type(ty) for ty in function.results)
        head = f"{function.kind.value} @{_bare(function.name)} {_quote(function.rust_name)} "
        head += f"({params})" + (f" -> ({results})" if results else "")
        head += " inline_never" if function.inline_never else ""
        out = [head + self._locations.suffix(function.loc) + " {"]
        suffix = self._locations.suffix
        for block in function.blocks:
            block_params = ", ".join(self._define(value) for value in block.params)
            out.append(_bare(block.label) + (f"({block_params}):" if block_params else ":"))
            for instruction in block.instructions:
                out.append(f"  {self.node(instruction)}{suffix(instruction.loc)}")
            out.append(f"  {self.node(block.terminator)}{suffix(block.terminator.loc)}")
        out.append("}")
        return out

    def _param(self, param: Param) -> str:
        freeze = " freeze" if param.freeze else ""
        value = self._define(param.value)
        return f"{value} {param.role.value} size {param.size} align {param.align}{freeze}"

    def _name(self, value: Value) -> str:
        """The value's unique name, given at the first mention, be it a definition or a use."""
        known = self._names.get(value)
        if known is not None:
            return known
        hint = value.name
        if hint is None:
            name = f"%{self._unnamed}"
            self._unnamed += 1
        else:
            used = self._uses.get(hint, 0)
            self._uses[hint] = used + 1
            plain = used == 0 and not _NUMBERED.fullmatch(hint)
            name = f"%{_bare(hint)}" + ("" if plain else f".{used}")
        self._names[value] = name
        return name

    def _define(self, value: Value) -> str:
        return f"{self._name(value)}:{print_type(value.type)}"

    def _operand(self, operand: Operand) -> str:
        match operand:
            case Value():
                return self._name(operand)
            case IntConst(type=ty, value=number):
                return f"{number}:i{ty.width}"
            case FloatConst(type=float_type, bits=bits):
                return f"0x{bits:0{float_type.width // 4}x}:f{float_type.width}"
            case PtrConst(type=ptr_type, address=address):
                return f"{address:#x}:ptr.{ptr_type.space.value}"
            case Undef(type=any_type):
                return f"undef:{print_type(any_type)}"
            case _:
                assert_never(operand)

    def _operands(self, operands: tuple[Operand, ...]) -> str:
        return ", ".join(self._operand(operand) for operand in operands)

    def _target(self, target: Target) -> str:
        return f"{_bare(target.label)}({self._operands(target.args)})"

    def node(self, node: Instruction | Terminator) -> str:
        use, define = self._operand, self._define
        match node:
            case Binary() | Compare():
                r = node
                return f"{define(r.result)} = {r.op.value} {use(r.lhs)}, {use(r.rhs)}"
            case Overflow(result, overflow, op, lhs, rhs):
                return f"{define(result)}, {define(overflow)} = {op.value} {use(lhs)}, {use(rhs)}"
            case Unary() | Cast():
                return f"{define(node.result)} = {node.op.value} " + use(node.operand)
            case FusedMulAdd(result, a, b, c):
                return f"{define(result)} = fma {use(a)}, {use(b)}, {use(c)}"
            case Select(result, cond, if_true, if_false):
                return f"{define(result)} = select {use(cond)}, {use(if_true)}, {use(if_false)}"
            case Alloca(result, size, align):
                return f"{define(result)} = alloca size {size}, align {align}"
            case PtrAdd(result, base, index, stride, offset):
                return f"{define(result)} = ptradd {use(base)}, {use(index)} * {stride} + {offset}"
            case GlobalAddr(result, symbol):
                return f"{define(result)} = globaladdr @{_bare(symbol)}"
            case Load(result, ptr, align, volatile):
                op_text = "load volatile" if volatile else "load"
                return f"{define(result)} = {op_text} {use(ptr)}, align {align}"
            case Store(value, ptr, align, volatile):
                op_text = "store volatile" if volatile else "store"
                return f"{op_text} {use(value)}, {use(ptr)}, align {align}"
            case MemCopy(dst, src, size, align, may_overlap):
                op_text = "memmove" if may_overlap else "memcopy"
                return f"{op_text} {use(dst)}, {use(src)}, {use(size)}, align {align}"
            case MemSet(dst, byte, size, align):
                return f"memset {use(dst)}, {use(byte)}, {use(size)}, align {align}"
            case Call(results, callee, args):
                defined = ", ".join(define(result) for result in results)
                call = f"call @{_bare(callee)}({self._operands(args)})"
                return f"{defined} = {call}" if results else call
            case ReadSpecial(result, register, axis):
                return f"{define(result)} = read {register.value}.{axis.value}"
            case Barrier():
                return "barrier"
            case Br(target):
                return f"br {self._target(target)}"
            case CondBr(cond, if_true, if_false):
                targets = f"{self._target(if_true)}, {self._target(if_false)}"
                return f"condbr {self._operand(cond)}, {targets}"
            case Switch(value, cases, default):
                listed = ", ".join(f"{case}: {self._target(target)}" for case, target in cases)
                text = f"switch {self._operand(value)}, [{listed}]"
                return f"{text}, default {self._target(default)}"
            case Return(values):
                return f"return {self._operands(values)}" if values else "return"
            case Unreachable():
                return "unreachable"
            case Panic(site, operands):
                return f"panic {site}({self._operands(operands)})"
            case _:
                assert_never(node)
