"""Device functions: their parameters, results, calls and returns.

A parameter is a ``.param`` of its register's type, an ``i1`` a ``.b32`` of 0 or 1.  One result
likewise; several are packed in one byte array, each at its natural alignment.
"""

from mirgpu.kir.module import Function
from mirgpu.kir.ops import Call, Return
from mirgpu.kir.ops import Operand as KirOperand
from mirgpu.targets.ptx.builder import FunctionBuilder, Scalar
from mirgpu.targets.ptx.integer import predicate_into, zero_or_one
from mirgpu.targets.ptx.ir import (
    Address,
    CallArg,
    CallResult,
    Load,
    Param,
    Reg,
    Ret,
    Space,
    Store,
    Symbol,
    Type,
)
from mirgpu.targets.ptx.ir import Call as PtxCall
from mirgpu.targets.ptx.regs import UniqueNames, identifier
from mirgpu.targets.ptx.tables import register_type

_RESULT_ALIGN = 8
_BYTES = {Type.PRED: 4, Type.B32: 4, Type.F32: 4, Type.B64: 8, Type.F64: 8}


def passed_type(register: Type) -> Type:
    """The type that a register is passed as."""
    return Type.B32 if register is Type.PRED else register


def signature(function: Function, names: UniqueNames) -> tuple[tuple[Param, ...], Param | None]:
    """The formal parameters of a device function, and its result."""
    params = []
    for param in function.params:
        ty = passed_type(register_type(param.value.type, function.loc))
        name = names.pick(f"{function.name}_{identifier(param.value.name or 'param')}")
        params.append(Param(name, ty, _BYTES[ty], None))
    results = result_registers(function)
    if not results:
        return tuple(params), None
    name = names.pick(f"{function.name}_result")
    if len(results) == 1:
        ty = passed_type(results[0])
        return tuple(params), Param(name, ty, _BYTES[ty], None)
    return tuple(params), Param(name, Type.B8, _RESULT_ALIGN, _layout(results)[1])


def result_registers(function: Function) -> tuple[Type, ...]:
    return tuple(register_type(ty, function.loc) for ty in function.results)


def _layout(results: tuple[Type, ...]) -> tuple[tuple[int, ...], int]:
    """Offsets of the results in the array that holds them, and its size."""
    offsets, end = [], 0
    for ty in results:
        size = _BYTES[ty]
        end = (end + size - 1) // size * size
        offsets.append(end)
        end += size
    return tuple(offsets), end


def argument_name(index: int) -> str:
    """A name for a call's parameter that no function can have: Rust has no ``$`` in names."""
    return f"arg${index}"


def load_params(b: FunctionBuilder, function: Function, params: tuple[Param, ...]) -> None:
    """Reads a device function's parameters into registers."""
    for param, formal in zip(function.params, params, strict=True):
        address = Address(Symbol(formal.name), 0)
        dst = b.result(param.value)
        _load_passed(b, dst, address)


def _load_passed(b: FunctionBuilder, dst: Reg, address: Address) -> None:
    ty = passed_type(dst.type)
    raw = dst if dst.type is ty else b.temp(ty)
    b.emit(Load(Space.PARAM, False, ty, raw, address))
    if raw is not dst:
        predicate_into(b, dst, raw)


def _passed(b: FunctionBuilder, operand: KirOperand) -> Scalar:
    value = b.use(operand)
    if isinstance(value, Reg) and value.type is Type.PRED:
        return zero_or_one(b, value, Type.B32)
    return value


def call(b: FunctionBuilder, node: Call) -> None:
    args = []
    for index, operand in enumerate(node.args):
        ty = passed_type(register_type(operand.type, b.loc))
        args.append(CallArg(argument_name(index), ty, _passed(b, operand)))
    registers = b.module.signatures[node.callee]
    offsets, size = _layout(registers)
    loads: list[CallResult] = []
    predicates: list[tuple[Reg, Reg]] = []
    for value, register, offset in zip(node.results, registers, offsets, strict=True):
        dst = b.result(value)
        ty = passed_type(register)
        raw = dst if register is ty else b.temp(ty)
        loads.append(CallResult(ty, offset, raw))
        if raw is not dst:
            predicates.append((dst, raw))
    b.emit(PtxCall(node.callee, tuple(args), tuple(loads), size))
    for dst, raw in predicates:
        predicate_into(b, dst, raw)


def return_(b: FunctionBuilder, node: Return, registers: tuple[Type, ...], name: str) -> None:
    """``name`` is the result parameter's; without results there is none."""
    offsets, _ = _layout(registers)
    for operand, register, offset in zip(node.values, registers, offsets, strict=True):
        address = Address(Symbol(name), offset)
        b.emit(Store(Space.PARAM, False, passed_type(register), address, _passed(b, operand)))
    b.emit(Ret())
