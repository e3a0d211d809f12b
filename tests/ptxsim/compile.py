"""A PTX function as a Python function.

Blocks with one predecessor are written where they are jumped to; the others get a number, and a
loop dispatches on it by binary search.  A function that can reach a barrier is a generator that
yields there.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, TypeGuard, final

from tests.ptxsim import access, control, integer, scalar
from tests.ptxsim.codegen import HANDLERS, Code, Mods, python_name
from tests.ptxsim.errors import PtxSyntaxError, PtxTypeError
from tests.ptxsim.syntax import (
    Address,
    Function,
    Group,
    Instruction,
    Label,
    Module,
    Not,
    Pair,
    Register,
    Symbol,
    Variable,
    Vector,
)

_LOADED: Final = (access, control, integer, scalar)
"""Their instructions register themselves."""
MAX_DEPTH: Final = 30
ENDS: Final = ("bra", "brx", "ret", "exit", "trap")


@final
@dataclass(slots=True)
class Block:
    number: int
    instructions: list[Instruction] = field(default_factory=list)
    successors: list[int] = field(default_factory=list)


@final
@dataclass(frozen=True, slots=True)
class Compiled:
    """``origin`` gives the PTX line of each line of ``source``."""

    source: str
    origin: tuple[int, ...]


def suspends(module: Module) -> set[str]:
    """The functions that can reach a barrier."""
    calls: dict[str, set[str]] = {}
    found = set()
    for function in module.functions.values():
        calls[function.name] = set()
        for item in function.body:
            if isinstance(item, Instruction):
                if item.opcode in ("bar", "barrier"):
                    found.add(function.name)
                elif item.opcode == "call":
                    calls[function.name].update(
                        o.name for o in item.operands if isinstance(o, Symbol)
                    )
    while more := {f for f, callees in calls.items() if callees & found} - found:
        found |= more
    return found


def _is_call(item: Instruction | Label) -> TypeGuard[Instruction]:
    return isinstance(item, Instruction) and item.opcode == "call"


def _registers(operands: Iterable[object]) -> set[str]:
    """The registers in instructions and their operands, by their names in Python."""
    found: set[str] = set()
    for operand in operands:
        match operand:
            case Register(ident=ident):
                found.add(ident)
            case Instruction(guard=guard, operands=parts):
                found |= _registers((*parts, *((guard[1],) if guard else ())))
            case Vector(items=parts) | Group(items=parts):
                found |= _registers(parts)
            case Pair(first=first, second=second):
                found |= _registers((first, second))
            case Not(register=part) | Address(base=part):
                found |= _registers((part,))
    return found


@final
class FunctionCompiler:
    """Translates one function; ``addresses`` gives module variables' places by identity."""

    def __init__(
        self, module: Module, function: Function, addresses: dict[int, int], waiting: set[str]
    ) -> None:
        self.module = module
        self.function = function
        self.addresses = addresses
        self.waiting = waiting
        self.code = Code(self)
        self.idents: dict[int, str] = {}
        self.blocks: list[Block] = []
        self.labels: dict[str, int] = {}
        self.heads: dict[int, int] = {}
        self.loops: set[int] = set()

    # ------------------------------------------------------------- Place, for Code

    def address(self, symbol: Symbol) -> tuple[str, str]:
        variable = symbol.variable or self.module.variables.get(symbol.name)
        if variable is None:
            what = "a function" if symbol.name in self.module.functions else "not declared"
            raise PtxSyntaxError(f"{symbol.name} is {what}", self.code.line)
        if variable.space == "local":
            text = f"L + {variable.offset + symbol.offset}"
        elif variable.space == "param":
            if not self.function.entry or not any(p is variable for p in self.function.params):
                raise PtxSyntaxError(
                    f"the address of {symbol.name}, no parameter of an entry", self.code.line
                )
            text = str(variable.offset + symbol.offset)
        else:
            text = str(self.addresses[id(variable)] + symbol.offset)
        return variable.space, f"({text})" if variable.space == "local" else text

    def variable(self, variable: Variable) -> str:
        if self.function.entry and any(p is variable for p in self.function.params):
            return f"T.parameter({variable.offset}, {variable.size})"
        return self.idents[id(variable)]

    def access(self, variable: Variable, *, write: bool) -> str:
        function, calls = self.function, [i for i in self.function.body if _is_call(i)]
        passed, got = set(), set()
        for call in calls:
            before = True
            for operand in call.operands:
                if isinstance(operand, Group):
                    names = {id(s.variable) for s in operand.items if isinstance(s, Symbol)}
                    (got if before else passed).update(names)
                else:
                    before = False
        allowed = passed | {id(r) for r in function.returns}
        if not write:
            allowed = got | {id(p) for p in function.params}
        if id(variable) not in allowed:
            way = "written" if write else "read"
            raise PtxTypeError(f"{variable.name} is no .param to be {way} here", self.code.line)
        return self.variable(variable)

    # ------------------------------------------------------------------- the whole

    def compile(self) -> Compiled:
        function, code = self.function, self.code
        code.line = function.line
        self._split()
        self._choose_heads()
        names = []
        for n, param in enumerate(function.params):
            if isinstance(param, Register):
                names.append(param.ident)
            else:
                self.idents[id(param)] = f"P{n}"
                names.append(f"P{n}")
        if function.entry:
            names = []
        for n, variable in enumerate(function.call_params):
            self.idents[id(variable)] = f"C{n}"
        code.put(f"def {python_name(function.name)}({', '.join(['T', *names])}):")
        code.indent += 1
        start = len(code.lines)
        code.put("n = 0")
        # What was never written can be moved and stored, as the bytes of an inactive variant are.
        unwritten = [*sorted(_registers(function.body) - set(names)), "CC"]
        code.put(f"{' = '.join(unwritten)} = UNDEF")
        for n, result in enumerate(function.returns):
            if isinstance(result, Variable):
                self.idents[id(result)] = f"Q{n}"
                code.put(f"Q{n} = ParamVariable({result.size})")
        for n, variable in enumerate(function.call_params):
            code.put(f"C{n} = ParamVariable({variable.size})")
        if function.locals:
            code.put("L = T.push(LAYOUT_" + python_name(function.name) + ")")
        if function.name in self.waiting:
            code.put("if False: yield")
        self._body()
        prologue = []
        for kind, size in sorted(code.shared_sizes):
            view = f"views[{size}]" if kind == "int" else f"floats[{size}]"
            prologue.append(f"    S{'I' if kind == 'int' else 'F'}{size} = T.shared.{view}")
        prologue += [f"    SM{n} = T.shared.masks[{n}]" for n in {s for _, s in code.shared_sizes}]
        code.lines[start:start] = prologue
        code.origin[start:start] = [function.line] * len(prologue)
        return Compiled("\n".join(code.lines) + "\n", tuple(code.origin))

    # --------------------------------------------------------------- control flow

    def _split(self) -> None:
        current = Block(0)
        self.blocks.append(current)
        fresh = True
        for item in self.function.body:
            if isinstance(item, Label):
                if item.name in self.labels:
                    raise PtxSyntaxError(f"label {item.name} is defined twice", item.line)
                if current.instructions or not fresh:
                    current = Block(len(self.blocks))
                    self.blocks.append(current)
                self.labels[item.name] = current.number
                fresh = True
                continue
            current.instructions.append(item)
            if item.opcode in ENDS and (item.guard is None or item.opcode in ("bra", "brx")):
                current = Block(len(self.blocks))
                self.blocks.append(current)
                fresh = False
        for block in self.blocks:
            last = block.instructions[-1] if block.instructions else None
            if last is not None and last.opcode == "bra":
                block.successors.append(self._target(last, control.label(last)))
            elif last is not None and last.opcode == "brx":
                block.successors += self._table(last)
            if last is None or last.opcode not in ENDS or last.guard is not None:
                if block.number + 1 == len(self.blocks):
                    # ptxas takes the end of a function's text for a return.
                    continue
                block.successors.append(block.number + 1)

    def _target(self, instruction: Instruction, name: str) -> int:
        if name not in self.labels:
            raise PtxSyntaxError(f"no label {name}", instruction.line)
        return self.labels[name]

    def _table(self, instruction: Instruction) -> list[int]:
        name = control.label(instruction)
        if name not in self.function.tables:
            raise PtxSyntaxError(f"no .branchtargets {name}", instruction.line)
        return [self._target(instruction, label) for label in self.function.tables[name]]

    def _choose_heads(self) -> None:
        """Number the blocks that need it, in order of their places in the text."""
        reachable, work = {0}, [0]
        predecessors: dict[int, int] = {}
        while work:
            for successor in self.blocks[work.pop()].successors:
                predecessors[successor] = predecessors.get(successor, 0) + 1
                if successor not in reachable:
                    reachable.add(successor)
                    work.append(successor)
        heads = {0} | {b for b in reachable if predecessors.get(b, 0) > 1}
        # A chain of single predecessors that is too deep to nest is cut.
        depth = dict.fromkeys(heads, 0)
        work = sorted(heads)
        while work:
            number = work.pop()
            for successor in self.blocks[number].successors:
                if successor in depth:
                    continue
                depth[successor] = depth[number] + 1
                if depth[successor] > MAX_DEPTH:
                    heads.add(successor)
                    depth[successor] = 0
                work.append(successor)
        self.heads = {block: n for n, block in enumerate(sorted(heads))}

    def _body(self) -> None:
        code = self.code
        if len(self.heads) == 1 and not self._jumps_to(0):
            self._block(0, None)
            return
        code.put("pc = 0")
        code.put("while True:")
        code.indent += 1
        self._dispatch(sorted(self.heads))
        code.indent -= 1

    def _jumps_to(self, head: int) -> bool:
        return any(head in block.successors for block in self.blocks)

    def _dispatch(self, heads: list[int]) -> None:
        code = self.code
        if len(heads) == 1:
            head = heads[0]
            if self._is_loop(head):
                code.put("while True:")
                code.indent += 1
                self._block(head, head)
                code.indent -= 1
            else:
                self._block(head, None)
            return
        middle = len(heads) // 2
        code.put(f"if pc < {self.heads[heads[middle]]}:")
        code.indent += 1
        self._dispatch(heads[:middle])
        code.indent -= 1
        code.put("else:")
        code.indent += 1
        self._dispatch(heads[middle:])
        code.indent -= 1

    def _is_loop(self, head: int) -> bool:
        """Whether the code written at ``head`` jumps to it."""
        work = [head]
        while work:
            for successor in self.blocks[work.pop()].successors:
                if successor == head:
                    return True
                if successor not in self.heads:
                    work.append(successor)
        return False

    def _block(self, number: int, loop: int | None) -> None:
        """Write a block and what follows it; ``loop`` is the head of the loop around."""
        code = self.code
        while True:
            block = self.blocks[number]
            for instruction in block.instructions:
                code.line = instruction.line
                if instruction.opcode in ("bra", "brx"):
                    break
                self._instruction(instruction)
            last = block.instructions[-1] if block.instructions else None
            if last is not None and last.opcode == "brx":
                self._brx(last, number, loop)
            elif last is not None and last.opcode == "bra":
                if last.guard is not None:
                    code.put(f"if {control.guard(last)}:")
                    code.indent += 1
                    self._jump(block.successors[0], number, loop)
                    code.indent -= 1
                control.check_branch(last)
            if last is not None and last.opcode in ENDS and last.guard is None:
                if last.opcode != "bra":
                    return
                following = block.successors[0]
            elif number + 1 == len(self.blocks):
                control.leave(self, code)
                return
            else:
                following = number + 1
            if following in self.heads:
                self._jump(following, number, loop)
                return
            number = following

    def _jump(self, target: int, source: int, loop: int | None) -> None:
        code = self.code
        if target not in self.heads:
            self._block(target, loop)
            return
        if target <= source:
            code.put("n += 1")
            code.put("if n > LIMIT: T.runaway()")
        if target == loop:
            code.put("continue")
            return
        code.put(f"pc = {self.heads[target]}")
        code.put("break" if loop is not None else "continue")

    def _brx(self, instruction: Instruction, number: int, loop: int | None) -> None:
        code = self.code
        index = control.branch_index(code, instruction)
        if instruction.guard is not None:
            code.put(f"if {control.guard(instruction)}:")
            code.indent += 1
        for n, target in enumerate(self._table(instruction)):
            code.put(f"if {index} == {n}:")
            code.indent += 1
            self._jump(target, number, loop)
            code.indent -= 1
        code.put(f"T.bad_index({index})")
        if instruction.guard is not None:
            code.indent -= 1

    def _instruction(self, instruction: Instruction) -> None:
        code = self.code
        handler = HANDLERS.get(instruction.opcode)
        if handler is None and instruction.opcode not in control.HANDLERS:
            name = ".".join((instruction.opcode, *instruction.mods))
            raise PtxSyntaxError(f"unknown instruction {name}", instruction.line)
        if instruction.guard is not None:
            code.put(f"if {control.guard(instruction)}:")
            code.indent += 1
        if handler is not None:
            handler(code, instruction, Mods(instruction))
        else:
            control.HANDLERS[instruction.opcode](self, code, instruction, Mods(instruction))
        if instruction.guard is not None:
            code.put("pass")
            code.indent -= 1
