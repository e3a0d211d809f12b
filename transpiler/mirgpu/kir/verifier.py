"""Checks every invariant of kir, in time linear in the module.

``verify`` looks at a module's tables and at each function's shape, control flow and dominance;
the types of single nodes are ``kir.typecheck``'s.
"""

import re
from typing import NoReturn

from mirgpu.kir.cfg import Cfg
from mirgpu.kir.module import (
    Block,
    Function,
    FunctionKind,
    Global,
    Module,
    PanicSite,
    Param,
    ParamRole,
)
from mirgpu.kir.ops import Alloca, Instruction, Target, Terminator, Value
from mirgpu.kir.printer import print_node
from mirgpu.kir.typecheck import (
    PANIC_KINDS,
    NodeError,
    Signatures,
    check_const,
    check_node,
    check_type,
)
from mirgpu.kir.types import I64, AddressSpace, PtrType, Type, size_of
from mirgpu.kir.visit import operands_of, results_of, successors

_SYMBOL = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\{(\d+)\}|[{}]")


_NOWHERE: tuple[str | None, int] = (None, -1)


class VerifyError(ValueError):
    """A module breaks an invariant: the message says where and which."""


def verify(module: Module) -> None:
    """Raises ``VerifyError`` at the first invariant that ``module`` breaks."""
    globals_ = {item.symbol: item for item in module.globals}
    functions = {function.name: function for function in module.functions}
    seen: set[str] = set()
    for symbol in [f.name for f in module.functions] + [g.symbol for g in module.globals]:
        if not _SYMBOL.fullmatch(symbol):
            raise VerifyError(f"symbol {symbol!r}: not an identifier in PTX and C")
        if symbol in seen:
            raise VerifyError(f"symbol {symbol}: defined twice")
        seen.add(symbol)
    for item in module.globals:
        _verify_global(item, globals_)
    for index, site in enumerate(module.panics):
        _verify_panic_site(index, site)
    signatures = Signatures(functions, globals_, module.panics)
    for function in module.functions:
        _FunctionVerifier(function, signatures).verify()


def _is_alignment(align: int) -> bool:
    return align > 0 and align & (align - 1) == 0


def _verify_global(item: Global, globals_: dict[str, Global]) -> None:
    def fail(message: str) -> NoReturn:
        raise VerifyError(f"global {item.symbol}: {message}")

    if item.space not in (AddressSpace.GLOBAL, AddressSpace.CONST, AddressSpace.SHARED):
        fail(f"no memory with a name in space {item.space.value}")
    if item.size < 0:
        fail("negative size")
    if not _is_alignment(item.align):
        fail(f"alignment {item.align} is no power of two")
    if item.space is AddressSpace.SHARED and (item.data is not None or item.relocs):
        fail("shared memory has no initial bytes")
    if item.space is AddressSpace.CONST and item.mutable:
        fail("constant memory is not mutable")
    if item.data is not None and len(item.data) != item.size:
        fail(f"{len(item.data)} bytes of data for a size of {item.size}")
    if item.relocs and item.data is None:
        fail("a relocation in uninitialised memory")
    end = 0
    for reloc in sorted(item.relocs, key=lambda reloc: reloc.offset):
        if reloc.offset < end:
            fail(f"relocation at {reloc.offset} overlaps another or starts before the data")
        end = reloc.offset + 8
        if end > item.size:
            fail(f"relocation at {reloc.offset} ends past the data")
        target = globals_.get(reloc.symbol)
        if target is None:
            fail(f"relocation to {reloc.symbol}, which is no global")
        if target.space is AddressSpace.SHARED:
            fail(f"relocation to {reloc.symbol}: shared memory has no fixed address")


def _verify_panic_site(index: int, site: PanicSite) -> None:
    for operand in site.operands:
        if operand.kind not in PANIC_KINDS:
            raise VerifyError(f"panic {index}: unknown operand kind {operand.kind}")
    for match in _PLACEHOLDER.finditer(site.message):
        if match.group() in ("{", "}"):
            raise VerifyError(f"panic {index}: a single brace in the message")
        if match.group(1) is not None and int(match.group(1)) >= len(site.operands):
            raise VerifyError(f"panic {index}: {match.group()} has no operand")


class _FunctionVerifier:
    def __init__(self, function: Function, signatures: Signatures) -> None:
        self._function = function
        self._signatures = signatures
        self._where = f"function {function.name}"
        self._labels: dict[str, Block] = {}
        self._defined: dict[Value, tuple[str | None, int]] = {}  # block, place in it

    def verify(self) -> None:
        function = self._function
        if not function.blocks:
            self._fail("no blocks")
        if function.kind is FunctionKind.KERNEL and function.results:
            self._fail("a kernel has no results")
        for ty in function.results:
            self._check_type(ty)
        self._verify_params()
        entry = function.blocks[0]
        if entry.params:
            self._fail("the entry block has parameters")
        for block in function.blocks:
            if block.label in self._labels:
                self._fail(f"two blocks with the label {block.label}")
            self._labels[block.label] = block
        self._collect_definitions(entry)
        for block in function.blocks:
            for target in successors(block.terminator):
                self._verify_target(block, target)
        self._verify_nodes()

    # ---------------------------------------------------------------------- reporting

    def _fail(self, message: str) -> NoReturn:
        raise VerifyError(f"{self._where}: {message}")

    def _fail_at(self, block: Block, node: Instruction | Terminator, message: str) -> NoReturn:
        text = print_node(self._function, node)
        self._fail(f"block {block.label}: {text}: {message}")

    def _check_type(self, ty: Type) -> None:
        try:
            check_type(ty)
        except NodeError as error:
            self._fail(str(error))

    # --------------------------------------------------------------------- parameters

    def _verify_params(self) -> None:
        function = self._function
        kernel = function.kind is FunctionKind.KERNEL
        expect_len = False
        for index, param in enumerate(function.params):
            where = f"parameter {index}"
            self._define(param.value, function.blocks[0], -1)
            self._verify_param(where, param, kernel)
            if (param.role is ParamRole.SLICE_LEN) != expect_len:
                self._fail(f"{where}: slice.ptr and slice.len stand next to each other")
            expect_len = param.role is ParamRole.SLICE_PTR
        if expect_len:
            self._fail("the last parameter is a slice.ptr without its slice.len")

    def _verify_param(self, where: str, param: Param, kernel: bool) -> None:
        ty = param.value.type
        if not _is_alignment(param.align):
            self._fail(f"{where}: alignment {param.align} is no power of two")
        space = ty.space if isinstance(ty, PtrType) else None
        if space is AddressSpace.PARAM:
            if not kernel:
                self._fail(f"{where}: ptr.param is for aggregates of kernels")
            if param.role is not ParamRole.VALUE:
                self._fail(f"{where}: ptr.param is for values")
            if param.size < 0 or param.size % param.align != 0:
                self._fail(f"{where}: size {param.size} is no multiple of its alignment")
        elif param.size != size_of(ty):
            self._fail(f"{where}: size {param.size}, but its type has {size_of(ty)} bytes")
        elif kernel and space not in (None, AddressSpace.GENERIC, AddressSpace.GLOBAL):
            self._fail(f"{where}: a kernel gets generic or global pointers")
        if param.freeze and (space is None or space is AddressSpace.PARAM or not kernel):
            self._fail(f"{where}: freeze is for pointers that a kernel gets")
        if param.role is ParamRole.VALUE:
            return
        if not kernel:
            self._fail(f"{where}: all parameters of a device function are values")
        if param.role is ParamRole.SLICE_PTR and space is None:
            self._fail(f"{where}: slice.ptr is a pointer")
        if param.role is ParamRole.SLICE_LEN and ty != I64:
            self._fail(f"{where}: slice.len is an i64")

    # -------------------------------------------------------------------------- blocks

    def _define(self, value: Value, block: Block, place: int) -> None:
        self._check_type(value.type)
        if value in self._defined:
            self._fail(f"block {block.label}: the value {value.name or ''} is defined twice")
        self._defined[value] = (block.label, place)

    def _collect_definitions(self, entry: Block) -> None:
        for block in self._function.blocks:
            for param in block.params:
                self._define(param, block, -1)
            for place, instruction in enumerate(block.instructions):
                for result in results_of(instruction):
                    self._define(result, block, place)
                if isinstance(instruction, Alloca) and block is not entry:
                    self._fail_at(block, instruction, "an alloca outside the entry block")

    def _verify_target(self, block: Block, target: Target) -> None:
        def fail(message: str) -> NoReturn:
            self._fail_at(block, block.terminator, message)

        to = self._labels.get(target.label)
        if to is None:
            fail(f"no block {target.label}")
        if to is self._function.blocks[0]:
            fail("the entry block has a predecessor")
        if len(target.args) != len(to.params):
            fail(f"{target.label} has {len(to.params)} parameters, not {len(target.args)}")
        for arg, param in zip(target.args, to.params, strict=True):
            if arg.type != param.type:
                fail(f"an argument for {target.label} has another type than its parameter")

    def _verify_nodes(self) -> None:
        cfg = Cfg(self._function)
        for block in self._function.blocks:
            for place, instruction in enumerate(block.instructions):
                self._verify_node(cfg, block, instruction, place)
            self._verify_node(cfg, block, block.terminator, len(block.instructions))

    def _verify_node(
        self, cfg: Cfg, block: Block, node: Instruction | Terminator, place: int
    ) -> None:
        try:
            for operand in operands_of(node):
                if not isinstance(operand, Value):
                    check_const(operand)
                    continue
                label, defined_at = self._defined.get(operand, _NOWHERE)
                if label != block.label or defined_at >= place:
                    self._verify_use(cfg, block, operand, label)
            check_node(node, self._function, self._signatures)
        except NodeError as error:
            self._fail_at(block, node, str(error))

    @staticmethod
    def _verify_use(cfg: Cfg, block: Block, operand: Value, label: str | None) -> None:
        """A use of what is not defined before in its block."""
        if label is None:
            raise NodeError(f"the value {operand.name or ''} is defined nowhere")
        if block.label not in cfg.positions and label != block.label:
            return
        above = label in cfg.positions and label != block.label
        if not above or not cfg.dominates(label, block.label):
            name = operand.name or "a value"
            raise NodeError(f"the definition of {name} does not dominate this use")
