"""The PTX target's front: a kir module to PTX text."""

from mirgpu.kir.module import FunctionKind, Module
from mirgpu.runtime.manifest import PanicBuffer
from mirgpu.targets.ptx import panics, render, variables
from mirgpu.targets.ptx.arch import INLINED_AT, find_arch, isa_text
from mirgpu.targets.ptx.builder import ModuleState
from mirgpu.targets.ptx.calls import result_registers
from mirgpu.targets.ptx.ir import Module as PtxModule
from mirgpu.targets.ptx.isel import select_function
from mirgpu.targets.ptx.options import PtxOptions, PtxOutput
from mirgpu.targets.ptx.regs import UniqueNames
from mirgpu.targets.ptx.shared_memory import check_shared_memory
from mirgpu.targets.ptx.source import SourceMap
from mirgpu.targets.ptx.tables import FLOAT_REMAINDER
from mirgpu.version import VERSION


def emit(module: Module, arch: str, options: PtxOptions) -> PtxOutput:
    """PTX for ``module``, the same text for the same module and options.

    Raises ``DiagnosticError`` for an architecture not known, for what PTX cannot hold (128-bit
    integers, an unaligned address in a constant), and for a template that fails.
    """
    typed, panic_buffer = select_module(module, arch, options)
    text = render.render(typed, VERSION, options.templates_dir)
    return PtxOutput(text, typed.isa_version, panic_buffer)


def select_module(
    module: Module, arch: str, options: PtxOptions
) -> tuple[PtxModule, PanicBuffer | None]:
    """``module`` as typed PTX, and the panic buffer that it declares."""
    known = find_arch(arch)
    check_shared_memory(module)
    reserved = {f"mirgpu_{helper}" for helper in FLOAT_REMAINDER.values()} | {panics.SYMBOL}
    taken = frozenset({function.name for function in module.functions} | reserved)
    names = UniqueNames(taken)
    const_space = variables.constant_space(module.globals)
    variable_names = variables.variable_names(module.globals, names)
    state = ModuleState(
        arch=known,
        options=options,
        source=SourceMap(inlined=known.isa_version >= INLINED_AT),
        const_space=const_space,
        variable_names=variable_names,
        signatures={
            function.name: result_registers(function)
            for function in module.functions
            if function.kind is FunctionKind.DEVICE
        },
        panic_record_bytes=panics.record_bytes(module),
    )
    every_name = taken | frozenset(variable_names.values())
    functions = tuple(select_function(state, function, every_name) for function in module.functions)
    declared = variables.variables(module.globals, variable_names, const_space)
    panic_buffer = None
    if state.panics:
        declared = (*declared, variables.panic_buffer(state.panic_record_bytes))
        panic_buffer = PanicBuffer(panics.SYMBOL, panics.CAPACITY, state.panic_record_bytes)
    typed = PtxModule(
        isa_version=isa_text(known.isa_version),
        arch=known.name,
        variables=declared,
        helpers=tuple(sorted(state.helpers)),
        functions=functions,
        files=state.source.files,
        debug_strings=state.source.debug_strings,
    )
    return typed, panic_buffer
