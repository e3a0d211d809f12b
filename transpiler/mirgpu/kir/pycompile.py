"""Compiles a kir function to Python source, once, for the interpreter.

A block with one way in is written where its predecessor jumps to it; the others, loop headers
above all, are arms of one ``while`` loop that tests the number of the next block::

    def f_saxpy(p0, p1, TX, TY, TZ, BX, BY, BZ):
        s = 0
        while True:
            if s == 1:
                …loop…
                continue
            …entry…
            v3 = 0; s = 1
            continue

A function that may reach a barrier is a generator that yields the barrier's number.  Nothing is
tested that Python finds by itself: a wrong address is a ``KeyError`` or an ``IndexError``, an
uninitialised operand a ``TypeError``; ``lines`` leads from the place of an exception to the node.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import assert_never, final

from mirgpu.kir import pyops, scalar
from mirgpu.kir.cfg import Cfg
from mirgpu.kir.memory import SHIFT
from mirgpu.kir.module import Block, Function, FunctionKind
from mirgpu.kir.ops import (
    Alloca,
    Barrier,
    Binary,
    Br,
    Call,
    Cast,
    CastOp,
    Compare,
    CondBr,
    FloatConst,
    FusedMulAdd,
    GlobalAddr,
    Instruction,
    IntConst,
    Load,
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
    SpecialRegister,
    Store,
    Switch,
    Target,
    Terminator,
    Unary,
    Undef,
    Unreachable,
    Value,
)
from mirgpu.kir.types import I1, AddressSpace, FloatType, IntType, PtrType, Type, size_of
from mirgpu.kir.visit import results_of, successors

REGISTERS = "TX, TY, TZ, BX, BY, BZ"
"""Parameters of kernels and of functions that read special registers: thread and block."""

_REGISTER = {
    SpecialRegister.TID: "T",
    SpecialRegister.CTAID: "B",
    SpecialRegister.NTID: "NT",
    SpecialRegister.NCTAID: "NB",
}
_CHAIN = 4  # so many arms are tested one after the other, more by halves


@final
@dataclass
class Context:
    """What a module's compiled functions share.

    ``names`` are Python globals; ``globals`` gives a Python expression for a symbol's address;
    ``counted`` makes each jump of a loop call ``step()``.
    """

    names: dict[str, object]
    globals: Mapping[str, str]
    generators: frozenset[str]
    readers: frozenset[str]
    counted: bool
    barriers: list[tuple[Function, Barrier]] = field(default_factory=list)


@final
@dataclass(frozen=True)
class Compiled:
    """``source`` defines one Python function; ``lines[n]`` is the node of its line n + 1;
    ``values`` has the Python name of each value."""

    function: Function
    source: str
    lines: list[Instruction | Terminator | None]
    values: Mapping[Value, str]


def python_name(function: str) -> str:
    return f"f_{function}"


def compile_function(function: Function, context: Context) -> Compiled:
    return _Compiler(function, context).compile()


def form_of(ty: Type) -> str:
    """The name of a type's typed view: ``32``, ``f64``; of its load and store functions too."""
    match ty:
        case IntType(width=1):
            return "1"
        case IntType(width=width):
            return str(width)
        case FloatType(width=width):
            return f"f{width}"
        case PtrType():
            return "64"


class _Compiler:
    def __init__(self, function: Function, context: Context) -> None:
        self._function = function
        self._context = context
        self._out: list[str] = []
        self._lines: list[Instruction | Terminator | None] = []
        self._values: dict[Value, str] = {}
        self._allocas: list[str] = []
        self._local: set[Value] = set()  # addresses within an alloca
        self._defined: set[Value] = set()  # never undef
        self._node: Instruction | Terminator | None = None
        self._cfg = Cfg(function)
        self._inline: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._sizes: dict[str, int] = {}

    def compile(self) -> Compiled:
        function, cfg = self._function, self._cfg
        params = [self._value(param.value) for param in function.params]
        if function.kind is FunctionKind.KERNEL:
            self._defined.update(param.value for param in function.params)
        self._plan()
        if function.kind is FunctionKind.KERNEL or function.name in self._context.readers:
            params.append(REGISTERS)
        self._emit(0, f"def {python_name(function.name)}({', '.join(params)}):")
        arms = sorted(self._numbers, key=lambda label: (-self._depth(label), cfg.positions[label]))
        if len(arms) == 1:
            self._tree(cfg.blocks[cfg.entry], 1)
        else:
            self._numbers = {label: number for number, label in enumerate(arms)}
            self._emit(1, f"s = {self._numbers[cfg.entry]}")
            self._emit(1, "while True:")
            if self._context.counted:
                self._emit(2, "step()")
            self._arms(arms, 0, 2)
        source = "\n".join(self._out) + "\n"
        return Compiled(function, source, self._lines, self._values)

    def _plan(self) -> None:
        """Which blocks are written inline, and how large each tree of them is."""
        edges = dict.fromkeys(self._cfg.reverse_postorder, 0)
        for label in self._cfg.reverse_postorder:
            for target in successors(self._cfg.blocks[label].terminator):
                edges[target.label] += 1
        self._inline = {label for label, count in edges.items() if count == 1}
        self._numbers = {label: 0 for label in edges if label not in self._inline}
        for label in self._cfg.reverse_postorder:
            for instruction in self._cfg.blocks[label].instructions:
                self._analyse(instruction)
        for label in reversed(self._cfg.reverse_postorder):
            inlined = [name for name in self._cfg.successors[label] if name in self._inline]
            self._sizes[label] = 1 + sum(self._sizes[name] for name in inlined)

    def _analyse(self, node: Instruction) -> None:
        """Notes which results are never undef, and which point into an alloca."""
        match node:
            case Load() | Call():
                return
            case Select(result, _, if_true, if_false):
                if not self._maybe_undef(if_true) and not self._maybe_undef(if_false):
                    self._defined.add(result)
            case Cast(result, op, operand):
                if op is not CastOp.ADDRSPACECAST or not self._maybe_undef(operand):
                    self._defined.add(result)
                if operand in self._local:
                    self._local.add(result)
            case PtrAdd(result, base):
                self._defined.add(result)
                if base in self._local:
                    self._local.add(result)
            case Alloca(result):
                self._defined.add(result)
                self._local.add(result)
                self._allocas.append(self._value(result))
            case _:
                self._defined.update(results_of(node))

    def _depth(self, label: str) -> int:
        depth = 0
        header = self._cfg.innermost_loop.get(label)
        while header is not None:
            depth += 1
            header = self._cfg.loops[header].parent
        return depth

    # -------------------------------------------------------------------------- output

    def _emit(self, depth: int, text: str) -> None:
        self._out.append(" " * depth + text)
        self._lines.append(self._node)

    def _value(self, value: Value) -> str:
        name = self._values.get(value)
        if name is None:
            name = self._values[value] = f"v{len(self._values)}"
        return name

    def _operand(self, operand: Operand) -> str:
        match operand:
            case Value():
                return self._value(operand)
            case IntConst(value=number) | PtrConst(address=number):
                return f"({number})"
            case FloatConst(type=ty, bits=bits):
                return self._float(ty, bits)
            case Undef():
                return "UNDEF"
            case _:
                assert_never(operand)

    def _float(self, ty: FloatType, bits: int) -> str:
        name = f"K{ty.width}_{bits:x}"
        if name not in self._context.names:
            value: float = getattr(scalar, f"f{ty.width}_from_bits")(bits)
            if math.isfinite(value):
                return f"({value!r})"
            self._context.names[name] = value
        return name

    def _operands(self, operands: tuple[Operand, ...]) -> str:
        return ", ".join(self._operand(operand) for operand in operands)

    def _maybe_undef(self, operand: Operand) -> bool:
        return isinstance(operand, Undef) or (
            isinstance(operand, Value) and operand not in self._defined
        )

    # ------------------------------------------------------------------------- control

    def _arms(self, arms: list[str], first: int, depth: int) -> None:
        if len(arms) > _CHAIN:
            middle = len(arms) // 2
            self._node = None
            self._emit(depth, f"if s < {first + middle}:")
            self._arms(arms[:middle], first, depth + 1)
            self._arms(arms[middle:], first + middle, depth)
            return
        for number, label in enumerate(arms[:-1], first):
            self._node = None
            self._emit(depth, f"if s == {number}:")
            self._tree(self._cfg.blocks[label], depth + 1)
        self._tree(self._cfg.blocks[arms[-1]], depth)

    def _tree(self, block: Block, depth: int) -> None:
        """A block and what is inlined into it; the code never falls out at its end."""
        following: Block | None = block
        while following is not None:
            for instruction in following.instructions:
                self._node = instruction
                for line in self._instruction(instruction):
                    self._emit(depth, line)
            self._node = following.terminator
            following = self._terminator(following.terminator, depth)

    def _size(self, target: Target) -> int:
        return self._sizes[target.label] if target.label in self._inline else 0

    def _jump(self, target: Target, depth: int) -> Block | None:
        """Goes to ``target``: the block to write next, at this depth, if it is inlined."""
        block = self._cfg.blocks[target.label]
        pairs = [
            (self._value(param), self._operand(arg))
            for param, arg in zip(block.params, target.args, strict=True)
        ]
        pairs = [(to, value) for to, value in pairs if to != value]
        if pairs:
            left = ", ".join(to for to, _ in pairs)
            self._emit(depth, f"{left} = {', '.join(value for _, value in pairs)}")
        if target.label in self._inline:
            return block
        self._emit(depth, f"s = {self._numbers[target.label]}")
        self._emit(depth, "continue")
        return None

    def _branch(self, target: Target, depth: int) -> None:
        node = self._node
        block = self._jump(target, depth)
        if block is not None:
            self._tree(block, depth)
        self._node = node

    def _terminator(self, node: Terminator, depth: int) -> Block | None:
        match node:
            case Br(target):
                return self._jump(target, depth)
            case CondBr(cond, if_true, if_false):
                true_first = self._size(if_true) <= self._size(if_false)
                test = self._operand(cond)
                self._emit(depth, f"if {test}:" if true_first else f"if not {test}:")
                nested, rest = (if_true, if_false) if true_first else (if_false, if_true)
                self._branch(nested, depth + 1)
                return self._jump(rest, depth)
            case Switch():
                return self._switch(node, depth)
            case Return(values):
                if self._allocas:
                    self._emit(depth, f"free({', '.join(self._allocas)})")
                if len(values) == 1:
                    self._emit(depth, f"return {self._operand(values[0])}")
                else:
                    self._emit(depth, f"return {self._operands(values)}")
            case Unreachable():
                self._emit(depth, "unreachable()")
            case Panic(site, operands):
                bits = "".join(f"{self._bits(operand)}, " for operand in operands)
                self._emit(depth, f"raise ThreadPanic({site}, ({bits}))")
            case _:
                assert_never(node)
        return None

    def _switch(self, node: Switch, depth: int) -> Block | None:
        value = self._operand(node.value)
        largest = node.default
        for _, target in node.cases:
            if self._size(target) > self._size(largest):
                largest = target
        if not node.cases:
            self._emit(depth, f"{value} | 0")
        rest = None
        for case, target in node.cases:
            if target is largest and rest is None:
                rest = case
                continue
            self._emit(depth, f"if {value} == {case}:")
            self._branch(target, depth + 1)
        if rest is not None:
            self._emit(depth, f"if {value} != {rest}:")
            self._branch(node.default, depth + 1)
        return self._jump(largest, depth)

    def _bits(self, operand: Operand) -> str:
        name = self._operand(operand)
        if isinstance(operand.type, FloatType):
            return f"f{operand.type.width}_bits({name})"
        return f"{name} | 0"

    # -------------------------------------------------------------------- instructions

    def _instruction(self, node: Instruction) -> list[str]:
        use, value = self._operand, self._value
        match node:
            case Binary(result, op, lhs, rhs):
                return [pyops.binary(op, result.type, value(result), use(lhs), use(rhs))]
            case Compare(result, op, lhs, rhs):
                return [pyops.compare(op, lhs.type, value(result), use(lhs), use(rhs))]
            case Overflow(result, flag, op, lhs, rhs):
                names = value(result), value(flag), use(lhs), use(rhs)
                return [pyops.overflow(op, result.type, *names)]
            case Unary(result, op, operand):
                return [pyops.unary(op, result.type, value(result), use(operand))]
            case FusedMulAdd(result, a, b, c):
                return [pyops.fma(result.type, value(result), use(a), use(b), use(c))]
            case Cast(result, op, operand):
                return [pyops.cast(op, operand.type, result.type, value(result), use(operand))]
            case Select(result, cond, if_true, if_false):
                return [f"{value(result)} = {use(if_true)} if {use(cond)} else {use(if_false)}"]
            case Alloca(result, size, align):
                return [f"{value(result)} = alloca({size}, {align}, {result.name!r})"]
            case PtrAdd():
                return [self._ptr_add(node)]
            case GlobalAddr(result, symbol):
                return [f"{value(result)} = {self._context.globals[symbol]}"]
            case Load():
                return self._load(node)
            case Store():
                return self._store(node)
            case MemCopy(dst, src, size, align, may_overlap):
                spaces = f"({_space(dst.type)}, {_space(src.type)})"
                arguments = f"{use(dst)}, {use(src)}, {use(size)}, {align}, {spaces}"
                return [f"copy({arguments}, {may_overlap})"]
            case MemSet(dst, byte, size, align):
                where = f"{align}, {_space(dst.type)}"
                return [f"fill({use(dst)}, {use(byte)}, {use(size)}, {where})"]
            case Call():
                return [self._call(node)]
            case ReadSpecial(result, register, axis):
                return [f"{value(result)} = {_REGISTER[register]}{axis.value.upper()}"]
            case Barrier():
                self._context.barriers.append((self._function, node))
                return [f"yield {len(self._context.barriers) - 1}"]
            case _:
                assert_never(node)

    def _ptr_add(self, node: PtrAdd) -> str:
        terms = [self._operand(node.base)]
        match node.index:
            case IntConst(value=number):
                offset = number * node.stride + node.offset
            case _:
                offset = node.offset
                index = self._operand(node.index)
                terms.append(index if node.stride == 1 else f"{index} * {node.stride}")
        total = " + ".join([*terms, str(offset)] if offset or len(terms) == 1 else terms)
        return f"{self._value(node.result)} = {total} & 0xffffffffffffffff"

    def _call(self, node: Call) -> str:
        arguments = [self._operand(arg) for arg in node.args]
        if node.callee in self._context.readers:
            arguments.append(REGISTERS)
        call = f"{python_name(node.callee)}({', '.join(arguments)})"
        if node.callee in self._context.generators:
            call = f"yield from {call}"
        results = ", ".join(self._value(result) for result in node.results)
        return f"{results} = {call}" if results else call

    # -------------------------------------------------------------------------- memory

    def _is_slow(self, ptr: Operand, ty: Type, align: int) -> bool:
        """Whether no typed view can serve: local memory, odd types, too little alignment."""
        space = ptr.type.space if isinstance(ptr.type, PtrType) else None
        return (
            ptr in self._local
            or space is AddressSpace.LOCAL
            or form_of(ty) in ("128", "f16")
            or align < size_of(ty)
        )

    def _load(self, node: Load) -> list[str]:
        ty, align = node.result.type, node.align
        result, ptr = self._value(node.result), self._operand(node.ptr)
        form, space = form_of(ty), _space(node.ptr.type)
        slow = f"{result} = load{form}({ptr}, {size_of(ty)}, {align}, {space})"
        if self._is_slow(node.ptr, ty, align):
            return [slow]
        view = "8" if ty == I1 else form
        misaligned = f" or {ptr} & {align - 1}" if align > 1 else ""
        shift = size_of(ty).bit_length() - 1
        index = f"{ptr} - A.base >> {shift}" if shift else f"{ptr} - A.base"
        head = f"A = mem_{space}[{ptr} >> {SHIFT}]; V = A.r{view}"
        test = f"if V is None or {ptr} < A.base{misaligned}: {slow}"
        if ty == FloatType(32):
            again = f" if {result} != {result}: {slow}"
            return [head, test, "else:", f" {result} = V[{index}]", again]
        read = f"check_bool(V[{index}])" if ty == I1 else f"V[{index}]"
        return [head, test, f"else: {result} = {read}"]

    def _store(self, node: Store) -> list[str]:
        ty, align = node.value.type, node.align
        stored, ptr = self._operand(node.value), self._operand(node.ptr)
        form, space = form_of(ty), _space(node.ptr.type)
        slow = f"store{form}({ptr}, {stored}, {size_of(ty)}, {align}, {space})"
        if self._is_slow(node.ptr, ty, align):
            return [slow]
        view = "8" if ty == I1 else form
        tests = f"V is None or {ptr} < A.base"
        if align > 1:
            tests += f" or {ptr} & {align - 1}"
        if self._maybe_undef(node.value):
            tests += f" or {stored} is UNDEF"
        if ty == FloatType(32):
            tests += f" or {stored} != {stored}"
        shift = size_of(ty).bit_length() - 1
        index = f"{ptr} - A.base >> {shift}" if shift else f"{ptr} - A.base"
        return [
            f"A = mem_{space}[{ptr} >> {SHIFT}]; V = A.w{view}",
            f"if {tests}: {slow}",
            f"else: V[{index}] = {stored}",
        ]


def _space(ty: Type) -> str:
    assert isinstance(ty, PtrType)
    return ty.space.name
