"""Instruction selection: a kir function to typed PTX."""

from typing import assert_never

from mirgpu.kir import ops
from mirgpu.kir.cfg import Cfg
from mirgpu.kir.module import Block, FunctionKind
from mirgpu.kir.module import Function as KirFunction
from mirgpu.kir.ops import CastOp, Value
from mirgpu.kir.types import AddressSpace, FloatType, IntType, PtrType
from mirgpu.kir.visit import operands_of, successors
from mirgpu.targets.ptx import (
    bulk,
    calls,
    control,
    convert,
    floating,
    integer,
    kernel_params,
    memory,
    panics,
)
from mirgpu.targets.ptx.builder import FunctionBuilder, ModuleState
from mirgpu.targets.ptx.ir import (
    BarSync,
    Exit,
    Function,
    Line,
    Param,
    Ret,
    SpecialReg,
    Trap,
    Type,
)
from mirgpu.targets.ptx.regs import UniqueNames
from mirgpu.targets.ptx.source import one_line
from mirgpu.targets.ptx.tables import SPECIAL_REGISTERS, register_type


def select_function(module: ModuleState, function: KirFunction, taken: frozenset[str]) -> Function:
    """Selects instructions for all blocks that the entry reaches.

    ``taken`` are the module's names, which no name of the function may hide.
    """
    names = UniqueNames(taken)
    kernel = function.kind is FunctionKind.KERNEL
    result: Param | None = None
    if kernel:
        params = kernel_params.kernel_params(function, names)
    else:
        params, result = calls.signature(function, names)
    b = FunctionBuilder(module, names)
    cfg = Cfg(function)
    blocks = [cfg.blocks[label] for label in cfg.reverse_postorder]
    b.used_as_value = _used_as_values(blocks)
    if kernel:
        copy = not module.arch.has_cvta_param and _needs_param_copy(blocks)
        kernel_params.load_kernel_params(b, function, params, copy)
    else:
        calls.load_params(b, function, params)
    order = _cold_last(blocks)
    following = [block.label for block in order[1:]]
    flow = control.Flow(
        blocks=cfg.blocks,
        labels={block.label: b.fresh_label(block.label) for block in blocks},
        params={block.label: tuple([b.result(v) for v in block.params]) for block in blocks},
        following=dict(zip([b.label for b in order], [*following, None], strict=True)),
    )
    # Values are bound in reverse postorder, definitions before uses; code is put in its order.
    head = b.lines
    code: dict[str, list[Line]] = {}
    for block in blocks:
        b.lines = code[block.label] = []
        _block(b, flow, block, function, result)
    b.lines = head
    for block in order:
        if block is not blocks[0]:
            b.label(flow.labels[block.label])
        b.lines += code[block.label]
    place = f"{function.loc.file}:{function.loc.line}" if function.loc else None
    return Function(
        name=function.name,
        rust_name=one_line(function.rust_name),
        place=one_line(place) if place else None,
        kernel=kernel,
        params=params,
        result=result,
        registers=b.regs.groups(),
        locals=tuple(b.locals),
        lines=tuple(b.lines),
    )


# ------------------------------------------------------------------------- before selection


def _used_as_values(blocks: list[Block]) -> set[Value]:
    """The values that some instruction reads other than as an address."""
    used: set[Value] = set()
    for block in blocks:
        for node in block.instructions:
            match node:
                case ops.Load():
                    continue
                case ops.Store():
                    candidates: tuple[ops.Operand, ...] = (node.value,)
                case ops.PtrAdd():
                    candidates = (node.index,)
                case ops.MemCopy() | ops.MemSet():
                    candidates = (node.size,)
                case _:
                    candidates = operands_of(node)
            used.update(v for v in candidates if isinstance(v, Value))
        used.update(v for v in operands_of(block.terminator) if isinstance(v, Value))
    return used


def _needs_param_copy(blocks: list[Block]) -> bool:
    """Whether a parameter's generic address is taken."""
    for block in blocks:
        for node in block.instructions:
            if isinstance(node, ops.Cast) and node.op is CastOp.ADDRSPACECAST:
                ty = node.operand.type
                if isinstance(ty, PtrType) and ty.space is AddressSpace.PARAM:
                    return True
    return False


def _cold_last(blocks: list[Block]) -> list[Block]:
    """Blocks that can only panic go last; the entry stays first."""
    cold: set[str] = set()
    for block in reversed(blocks[1:]):  # In reverse postorder, successors come first but in loops.
        targets = successors(block.terminator)
        if isinstance(block.terminator, ops.Panic) or (
            targets and all(target.label in cold for target in targets)
        ):
            cold.add(block.label)
    hot = [block for block in blocks if block.label not in cold]
    return hot + [block for block in blocks if block.label in cold]


# -------------------------------------------------------------------------------- selection


def _block(
    b: FunctionBuilder,
    flow: control.Flow,
    block: Block,
    function: KirFunction,
    result: Param | None,
) -> None:
    b.start_block()
    for node in block.instructions:
        b.at(node.loc)
        _instruction(b, node)
    terminator = block.terminator
    b.at(terminator.loc)
    match terminator:
        case ops.Br():
            control.branch(b, flow, block.label, terminator)
        case ops.CondBr():
            control.conditional(b, flow, block.label, terminator)
        case ops.Switch():
            control.switch(b, flow, block.label, terminator)
        case ops.Return():
            if result is None:
                b.emit(Ret())
            else:
                registers = b.module.signatures[function.name]
                calls.return_(b, terminator, registers, result.name)
        case ops.Unreachable():
            b.emit(Trap())
            b.emit(Exit(None))
        case ops.Panic():
            panics.panic(b, terminator)
        case _:
            assert_never(terminator)


def _instruction(b: FunctionBuilder, node: ops.Instruction) -> None:
    match node:
        case ops.Binary():
            _binary(b, node)
        case ops.Compare():
            _compare(b, node)
        case ops.Cast():
            convert.cast(b, node)
        case ops.Load():
            memory.load(b, node)
        case ops.Store():
            memory.store(b, node)
        case ops.PtrAdd():
            memory.ptr_add(b, node)
        case ops.Unary():
            _unary(b, node)
        case ops.Overflow():
            width = _int_width(node.lhs)
            lhs, rhs = b.use(node.lhs), b.use(node.rhs)
            dst, over = b.result(node.result), b.result(node.overflow)
            integer.overflow(b, node.op, width, lhs, rhs, dst, over)
        case ops.Select():
            _select(b, node)
        case ops.FusedMulAdd():
            ty = b.register_type(node.result)
            srcs = (b.use(node.a), b.use(node.b), b.use(node.c))
            b.op("fma.rn", ty, b.result(node.result), *srcs)
        case ops.Alloca():
            memory.alloca(b, node)
        case ops.GlobalAddr():
            memory.global_address(b, node)
        case ops.MemCopy():
            bulk.copy(b, node)
        case ops.MemSet():
            bulk.fill(b, node)
        case ops.Call():
            calls.call(b, node)
        case ops.ReadSpecial():
            name = f"{SPECIAL_REGISTERS[node.register]}.{node.axis.value}"
            b.op("mov", Type.U32, b.result(node.result), SpecialReg(name))
        case ops.Barrier():
            b.emit(BarSync(0))
        case _:
            assert_never(node)


def _int_width(operand: ops.Operand) -> int:
    """The width of an integer or pointer.  Raises ``DiagnosticError`` above 64 bits."""
    ty = operand.type
    assert isinstance(ty, IntType | PtrType)
    return ty.width if isinstance(ty, IntType) else 64


def _binary(b: FunctionBuilder, node: ops.Binary) -> None:
    lhs, rhs = b.use(node.lhs), b.use(node.rhs)
    dst = b.result(node.result)
    if isinstance(node.lhs.type, FloatType):
        floating.binary(b, node.op, dst.type, lhs, rhs, dst)
    else:
        integer.binary(b, node.op, _int_width(node.lhs), lhs, rhs, dst)


def _unary(b: FunctionBuilder, node: ops.Unary) -> None:
    value = b.use(node.operand)
    dst = b.result(node.result)
    if isinstance(node.operand.type, FloatType):
        floating.unary(b, node.op, dst.type, value, dst)
    else:
        integer.unary(b, node.op, _int_width(node.operand), value, dst)


def _compare(b: FunctionBuilder, node: ops.Compare) -> None:
    lhs, rhs = b.use(node.lhs), b.use(node.rhs)
    ty = register_type(node.lhs.type, b.loc)
    dst = b.result(node.result)
    if isinstance(node.lhs.type, FloatType):
        floating.compare(b, node.op, ty, lhs, rhs, dst)
    else:
        integer.compare(b, node.op, _int_width(node.lhs), lhs, rhs, dst)


def _select(b: FunctionBuilder, node: ops.Select) -> None:
    pred = b.use_reg(node.cond)
    yes, no = b.use(node.if_true), b.use(node.if_false)
    dst = b.result(node.result)
    if dst.type is not Type.PRED:
        b.op("selp", dst.type, dst, yes, no, pred)
        return
    # selp knows no predicates: (c and yes) or (not c and no).
    taken = b.compute(Type.PRED, "and", Type.PRED, pred, yes)
    opposite = b.compute(Type.PRED, "not", Type.PRED, pred)
    other = b.compute(Type.PRED, "and", Type.PRED, opposite, no)
    b.op("or", Type.PRED, dst, taken, other)
