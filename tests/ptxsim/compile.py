"""A PTX function to Python source: registers are Python locals, blocks a dispatch on ``pc``.

Registers hold bits as unsigned integers, predicates bools, what is undefined ``None``: every
computation here raises on it (hence ``-p`` where a predicate is tested).
"""

import re
from dataclasses import dataclass, field

from tests.ptxsim import instructions
from tests.ptxsim.errors import PtxError
from tests.ptxsim.text import Address, Args, Function, Imm, Instruction, Label, Module, Name, Reg

_SPECIAL = re.compile(r"%(tid|ntid|ctaid|nctaid)\.([xyz])|%(laneid|warpid)|%clock(64)?")
_ENDS = ("bra", "ret", "exit", "trap", "brx")


@dataclass
class Block:
    label: str | None
    body: list[Instruction] = field(default_factory=list)


@dataclass
class Compiled:
    """Source of one Python function, and the PTX line of each of its lines."""

    source: str
    lines: list[int]


class FunctionCompiler:
    def __init__(self, module: Module, function: Function, waits: set[str]) -> None:
        self.module = module
        self.function = function
        self.waits = waits
        self.names = {name: f"r{k}" for k, name in enumerate(function.regs)}
        self.param_names = {v.name: f"q{k}" for k, v in enumerate(self.param_variables())}
        self.out: list[str] = []
        self.lines: list[int] = []
        self.line = 0

    def param_variables(self) -> list:
        f = self.function
        own = [v for v in f.locals if v.space == "param"]
        return own if f.entry else [*f.params, *f.results, *own]

    # ---------------------------------------------------------------- operands

    def reg_type(self, name: str) -> str:
        try:
            return self.function.regs[name]
        except KeyError:
            raise PtxError(f"line {self.line}: register {name} is not declared") from None

    def check(self, name: str, type_: str, wider: bool) -> None:
        """Whether a register fits an instruction type, by the ISA's table of compatibility."""
        have = self.reg_type(name)
        if have == "pred" or type_ == "pred":
            fits = have == type_
        else:
            kind, width = type_[0], int(type_[1:])
            own, own_width = have[0], int(have[1:])
            fits = width == own_width or (wider and own_width > width and own != "f")
            fits = fits and (kind == own or "b" in (kind, own) or {kind, own} == {"u", "s"})
        if not fits:
            raise PtxError(f"line {self.line}: {name} is .{have}, the instruction wants .{type_}")

    def dest(self, operand: object, type_: str, wider: bool = False) -> str:
        if isinstance(operand, Name) and operand.name == "_":
            return "_"
        if not isinstance(operand, Reg):
            raise PtxError(f"line {self.line}: the result is no register")
        self.check(operand.name, type_, wider)
        return self.names[operand.name]

    def width_of(self, operand: object) -> int:
        assert isinstance(operand, Reg)
        type_ = self.reg_type(operand.name)
        return 1 if type_ == "pred" else int(type_[1:])

    def value(self, operand: object, type_: str, wider: bool = False) -> str:
        """The operand's bits as an expression, below 2**width."""
        width = 1 if type_ == "pred" else int(type_[1:])
        match operand:
            case Reg(name) if (special := self.special(name)) is not None:
                if type_ not in ("u32", "b32", "s32"):
                    raise PtxError(f"line {self.line}: {name} is 32 bits wide")
                return special
            case Reg(name):
                self.check(name, type_, wider)
                have = self.reg_type(name)
                if type_ != "pred" and int(have[1:]) > width:
                    return f"({self.names[name]} & {(1 << width) - 1})"
                return self.names[name]
            case Imm(value, None):
                if type_[0] == "f":
                    raise PtxError(f"line {self.line}: an integer where .{type_} is wanted")
                if type_ == "pred":
                    return str(bool(value))
                if not -(1 << (width - 1)) <= value < 1 << width:
                    raise PtxError(f"line {self.line}: {value} does not fit .{type_}")
                return str(value & ((1 << width) - 1))
            case Imm(value, float_width):
                if float_width != width or type_[0] == "u" or type_[0] == "s":
                    raise PtxError(f"line {self.line}: a float of {float_width} bits for .{type_}")
                return str(value)
            case Name(name):
                if width != 64:
                    raise PtxError(f"line {self.line}: the address of {name} has 64 bits")
                return self.symbol(name)
            case _:
                raise PtxError(f"line {self.line}: unexpected operand {operand}")

    def special(self, name: str) -> str | None:
        match = _SPECIAL.fullmatch(name)
        if match is None or name in self.function.regs:
            return None
        if match[1]:
            return f"t.{match[1]}[{'xyz'.index(match[2])}]"
        if match[3] == "laneid":
            return "t.lane"
        raise PtxError(f"line {self.line}: {name} is not simulated")

    def symbol(self, name: str) -> str:
        if name in self.param_names:
            raise PtxError(f"line {self.line}: the address of .param {name} is not simulated")
        if any(v.name == name for v in self.function.locals):
            return f"frame_{self.local_names()[name]}"
        if self.function.entry and any(v.name == name for v in self.function.params):
            return f"PARAMS[{self.function.name!r}][{name!r}]"
        if any(v.name == name for v in self.module.variables):
            return f"SYMBOLS[{name!r}]"
        raise PtxError(f"line {self.line}: {name} is not declared")

    def local_names(self) -> dict[str, int]:
        names = [v.name for v in self.function.locals if v.space == "local"]
        return {name: k for k, name in enumerate(names)}

    def address(self, operand: object, space: str) -> str:
        """The generic address of a memory operand in a state space."""
        if not isinstance(operand, Address):
            raise PtxError(f"line {self.line}: expected an address")
        window = {
            "": "",
            "global": "",
            "shared": " + SHARED_WINDOW",
            "local": " + LOCAL_WINDOW",
            "const": " + CONST_WINDOW",
            "param": " + PARAM_WINDOW",
        }[space]
        base = self.value(operand.base, "b64")
        if isinstance(operand.base, Name):
            declared = self.space_of(operand.base.name)
            if declared != (space or declared) or (space == "" and declared != "global"):
                raise PtxError(f"line {self.line}: {operand.base.name} is in .{declared}")
        offset = f" + {operand.offset}" if operand.offset else ""
        return f"(({base}{offset}) & M64){window}"

    def space_of(self, name: str) -> str:
        for variable in [
            *self.function.params,
            *self.function.results,
            *self.function.locals,
            *self.module.variables,
        ]:
            if variable.name == name:
                return variable.space
        raise PtxError(f"line {self.line}: {name} is not declared")

    # ------------------------------------------------------------------- code

    def emit(self, indent: int, text: str) -> None:
        self.out.append("    " * indent + text)
        self.lines.append(self.line)

    def compile(self) -> Compiled:
        f = self.function
        blocks = self.blocks()
        self.targets = {b.label: k for k, b in enumerate(blocks) if b.label is not None}
        incoming = "" if f.entry else "".join(f", {self.param_names[v.name]}" for v in f.params)
        self.emit(0, f"def {python_name(f.name)}(t{incoming}):")
        if self.names:
            self.emit(1, " = ".join(self.names.values()) + " = None")
        for variable in self.param_variables():
            if variable not in f.params or f.entry:
                name = self.param_names[variable.name]
                self.emit(1, f"{name} = blank({variable.size}, {variable.name!r})")
        for name, k in self.local_names().items():
            (variable,) = [v for v in f.locals if v.name == name]
            self.emit(1, f"frame_{k} = t.push({variable.size}, {variable.align})")
        self.emit(1, "pc = 0")
        self.emit(1, "while True:")
        self.tree(blocks, 0, len(blocks), 2)
        if f.name in self.waits:
            self.emit(1, "yield")
        return Compiled("\n".join(self.out) + "\n", self.lines)

    def blocks(self) -> list[Block]:
        blocks = [Block(None)]
        for item in self.function.body:
            if isinstance(item, Label):
                blocks.append(Block(item.name))
                continue
            blocks[-1].body.append(item)
            if item.op.split(".")[0] in _ENDS and item.guard is None:
                blocks.append(Block(None))
        return blocks

    def tree(self, blocks: list[Block], low: int, high: int, indent: int) -> None:
        if high - low > 1:
            middle = (low + high) // 2
            self.emit(indent, f"if pc < {middle}:")
            self.tree(blocks, low, middle, indent + 1)
            self.emit(indent, "else:")
            self.tree(blocks, middle, high, indent + 1)
            return
        for instruction in blocks[low].body:
            self.line = instruction.line
            at = indent
            if instruction.guard is not None:
                name, negated = instruction.guard
                self.check(name, "pred", False)
                self.emit(at, f"if {'not ' if negated else ''}-{self.names[name]}:")
                at += 1
            self.instruction(instruction, at)
        if low + 1 < len(blocks):
            self.emit(indent, f"pc = {low + 1}")
        else:
            self.emit(indent, "fell_off()")

    def instruction(self, instruction: Instruction, indent: int) -> None:
        head = instruction.op.split(".")[0]
        match head:
            case "bra":
                (target,) = instruction.operands
                assert isinstance(target, Name)
                if instruction.op not in ("bra", "bra.uni") or target.name not in self.targets:
                    raise PtxError(f"line {self.line}: cannot branch to {target.name}")
                self.emit(indent, f"pc = {self.targets[target.name]}")
                self.emit(indent, "continue")
            case "brx":
                index, table = instruction.operands
                assert isinstance(table, Name)
                numbers = [self.targets[name] for name in self.function.tables[table.name]]
                self.emit(indent, f"pc = {numbers}[{self.value(index, 'u32')}]")
                self.emit(indent, "continue")
            case "ret":
                self.emit(indent, "t.pop()" if self.local_names() else "pass")
                results = "".join(f"{self.param_names[v.name]}, " for v in self.function.results)
                self.emit(indent, f"return ({results})")
            case "exit":
                self.emit(indent, "raise ThreadExit")
            case "trap":
                self.emit(indent, "trap()")
            case "call":
                self.call(instruction, indent)
            case "bar" | "barrier":
                operands = instruction.operands
                if instruction.op not in ("bar.sync", "barrier.sync", "barrier.sync.aligned") or (
                    operands != (Imm(0),)
                ):
                    raise PtxError(f"line {self.line}: only barrier 0 of the whole block")
                self.emit(indent, f"yield {self.line}")
            case _:
                for line in instructions.translate(self, instruction):
                    self.emit(indent, line)

    def call(self, instruction: Instruction, indent: int) -> None:
        if instruction.op not in ("call", "call.uni"):
            raise PtxError(f"line {self.line}: unknown {instruction.op}")
        parts = list(instruction.operands)
        results = parts.pop(0) if isinstance(parts[0], Args) else Args(())
        callee = parts.pop(0)
        arguments = parts.pop(0) if parts else Args(())
        assert isinstance(callee, Name)
        assert isinstance(results, Args)
        assert isinstance(arguments, Args)
        function = self.module.functions.get(callee.name)
        if function is None or not function.defined or function.entry:
            raise PtxError(f"line {self.line}: no function {callee.name}")
        for given, wanted in ((arguments, function.params), (results, function.results)):
            if len(given.elems) != len(wanted):
                raise PtxError(f"line {self.line}: wrong number of arguments for {callee.name}")
            for each, variable in zip(given.elems, wanted, strict=True):
                mine = [v for v in self.param_variables() if Name(v.name) == each]
                if not mine or mine[0].size != variable.size or variable.space != "param":
                    raise PtxError(f"line {self.line}: an argument does not fit {variable.name}")
        passed = "".join(f", {self.param_names[each.name]}" for each in arguments.elems)
        got = "".join(f"{self.param_names[each.name]}, " for each in results.elems)
        wait = "yield from " if callee.name in self.waits else ""
        target = f"({got}) = " if got else ""
        self.emit(indent, f"{target}{wait}{python_name(callee.name)}(t{passed})")


def python_name(name: str) -> str:
    """A PTX identifier as a Python one."""
    return "f_" + name.replace("$", "_S_").replace("%", "_P_").replace(".", "_D_")


def waiting(module: Module) -> set[str]:
    """The functions that reach a barrier: they become generators."""
    waits: set[str] = set()
    calls: dict[str, set[str]] = {}
    for function in module.functions.values():
        calls[function.name] = set()
        for item in function.body:
            if isinstance(item, Instruction):
                head = item.op.split(".")[0]
                if head in ("bar", "barrier"):
                    waits.add(function.name)
                if head == "call":
                    calls[function.name] |= {o.name for o in item.operands if isinstance(o, Name)}
    while True:
        more = {name for name, called in calls.items() if called & waits} - waits
        if not more:
            return waits
        waits |= more
