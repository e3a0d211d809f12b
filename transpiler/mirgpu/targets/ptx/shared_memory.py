"""How much static shared memory each kernel uses, its callees included."""

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.kir.module import FunctionKind, Module
from mirgpu.kir.ops import Call, GlobalAddr
from mirgpu.kir.types import AddressSpace

LIMIT = 48 * 1024
"""Bytes of static shared memory that a block can have on every architecture."""


def check_shared_memory(module: Module) -> None:
    """Raises ``DiagnosticError`` for a kernel whose shared arrays do not fit together."""
    shared = {item.symbol: item for item in module.globals if item.space is AddressSpace.SHARED}
    if sum(item.size + item.align for item in shared.values()) <= LIMIT:
        return
    functions = {function.name: function for function in module.functions}
    for kernel in module.functions:
        if kernel.kind is not FunctionKind.KERNEL:
            continue
        used: set[str] = set()
        seen = {kernel.name}
        pending = [kernel]
        while pending:
            for block in pending.pop().blocks:
                for node in block.instructions:
                    if isinstance(node, GlobalAddr) and node.symbol in shared:
                        used.add(node.symbol)
                    elif isinstance(node, Call) and node.callee not in seen:
                        seen.add(node.callee)
                        pending.append(functions[node.callee])
        total = sum(shared[symbol].size for symbol in used)
        if total > LIMIT:
            loc = kernel.loc
            raise DiagnosticError(
                Diagnostic(
                    code="MG0407",
                    title=f"kernel '{kernel.rust_name}' uses {total} bytes of static shared memory",
                    file=loc.file if loc else None,
                    line=loc.line if loc else None,
                    col=loc.col if loc else None,
                    notes=(f"a block has at most {LIMIT} bytes",),
                    helps=("use smaller tiles",),
                )
            )
