"""Control flow, calls, barriers and the instructions that only order memory."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from tests.ptxsim.codegen import U32, Code, Mods, python_name
from tests.ptxsim.errors import PtxSyntaxError, PtxTypeError
from tests.ptxsim.syntax import (
    Group,
    Instruction,
    Int,
    Operand,
    Register,
    Sink,
    Symbol,
    Variable,
)

if TYPE_CHECKING:
    from tests.ptxsim.compile import FunctionCompiler

Handler = Callable[["FunctionCompiler", Code, Instruction, Mods], None]
HANDLERS: Final[dict[str, Handler]] = {}
BARRIERS: Final = 16


def _opcode(*names: str) -> Callable[[Handler], Handler]:
    def register(handler: Handler) -> Handler:
        HANDLERS.update(dict.fromkeys(names, handler))
        return handler

    return register


def guard(instruction: Instruction) -> str:
    assert instruction.guard is not None
    negated, register = instruction.guard
    return f"not {register.ident}" if negated else register.ident


def label(instruction: Instruction) -> str:
    """The label of a bra, or the table of a brx."""
    target = instruction.operands[-1] if instruction.operands else None
    if not isinstance(target, Symbol) or target.variable is not None or target.offset:
        raise PtxSyntaxError("a branch goes to a label", instruction.line)
    return target.name


def check_branch(instruction: Instruction) -> None:
    mods = Mods(instruction)
    mods.take("uni")
    mods.end(1)


def branch_index(code: Code, instruction: Instruction) -> str:
    mods = Mods(instruction)
    mods.need("idx")
    mods.take("uni")
    mods.end(2)
    return code.bits(instruction.operands[0], U32)


def leave(compiler: "FunctionCompiler", code: Code) -> None:
    """Return from the function with what it returns."""
    function = compiler.function
    if function.locals:
        code.put("T.pop(L)")
    results = [
        r.ident if isinstance(r, Register) else compiler.idents[id(r)] for r in function.returns
    ]
    code.put(f"return ({', '.join(results)}{',' if results else ''})")


@_opcode("ret")
def _(compiler: "FunctionCompiler", code: Code, i: Instruction, m: Mods) -> None:
    m.take("uni")
    m.end(0)
    leave(compiler, code)


@_opcode("exit")
def _(compiler: "FunctionCompiler", code: Code, i: Instruction, m: Mods) -> None:
    m.end(0)
    code.put("raise ThreadExit")


@_opcode("trap")
def _(compiler: "FunctionCompiler", code: Code, i: Instruction, m: Mods) -> None:
    m.end(0)
    code.put("T.trap()")


@_opcode("bar", "barrier")
def _(compiler: "FunctionCompiler", code: Code, i: Instruction, m: Mods) -> None:
    m.take("cta")
    m.need("sync")
    aligned = i.opcode == "bar" or bool(m.take("aligned"))
    m.end(1)
    number = i.operands[0]
    if not isinstance(number, Int) or not 0 <= number.value < BARRIERS:
        m.fail(f"the barrier is a number below {BARRIERS}")
    code.put(f"yield {number.value}, {i.line}, {aligned}")


@_opcode("membar")
def _(compiler: "FunctionCompiler", code: Code, i: Instruction, m: Mods) -> None:
    m.need("cta", "gl", "sys")
    m.end(0)


@_opcode("fence")
def _(compiler: "FunctionCompiler", code: Code, i: Instruction, m: Mods) -> None:
    m.take("sc", "acq_rel", "acquire", "release")
    m.need("cta", "cluster", "gpu", "sys")
    m.end(0)


@_opcode("nanosleep")
def _(compiler: "FunctionCompiler", code: Code, i: Instruction, m: Mods) -> None:
    ty = m.type("u32")
    m.end(1)
    code.put(f"X = {code.bits(i.operands[0], ty)} + 0")


@_opcode("call")
def _(compiler: "FunctionCompiler", code: Code, i: Instruction, m: Mods) -> None:
    m.take("uni")
    m.end(1, 2, 3)
    operands = list(i.operands)
    results = _group(operands)
    if not operands or not isinstance(operands[0], Symbol):
        m.fail("only direct calls are known here")
    name = operands.pop(0)
    assert isinstance(name, Symbol)
    args = _group(operands)
    callee = compiler.module.functions.get(name.name)
    if operands or callee is None or callee.entry:
        raise PtxSyntaxError(f"{name.name} is no function that can be called", i.line)
    if len(args) != len(callee.params) or len(results) != len(callee.returns):
        raise PtxTypeError(f"{name.name} takes {len(callee.params)} arguments and gives "
                           f"{len(callee.returns)} results", i.line)  # fmt: skip
    passed = [_argument(code, a, p) for a, p in zip(args, callee.params, strict=True)]
    call = f"{python_name(callee.name)}({', '.join(['T', *passed])})"
    if callee.name in compiler.waiting:
        call = f"yield from {call}"
    code.put(f"X = {call}")
    for n, (target, result) in enumerate(zip(results, callee.returns, strict=True)):
        if isinstance(result, Register):
            if not isinstance(target, Register) or target.type != result.type:
                raise PtxTypeError("a result of another type", i.line)
            code.put(f"{target.ident} = X[{n}]")
        elif isinstance(target, Sink):
            pass
        else:
            variable = _same_param(code, target, result)
            code.put(f"{compiler.idents[id(variable)]} = X[{n}]")


def _group(operands: list[Operand]) -> tuple[Operand, ...]:
    """The operands in parentheses that come next, if any."""
    if not operands or not isinstance(operands[0], Group):
        return ()
    group = operands.pop(0)
    assert isinstance(group, Group)
    return group.items


def _argument(code: Code, argument: Operand, param: Variable | Register) -> str:
    if isinstance(param, Register):
        return code.value(argument, param.type)
    return code.place.variable(_same_param(code, argument, param))


def _same_param(code: Code, argument: Operand, param: Variable) -> Variable:
    variable = argument.variable if isinstance(argument, Symbol) else None
    if variable is None or variable.space != "param":
        code.fail("an argument for a .param is a .param variable")
    if variable.size != param.size or variable.align < param.align:
        code.fail(f"{variable.name} is not declared as the parameter {param.name} is")
    return variable
