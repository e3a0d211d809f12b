"""Random valid kir kernels, and a run of them: what a pass must not change.

``cases()`` draws a module with a kernel ``k``, its inputs and a grid.  The kernel computes with
integers and floats, branches, loops with bounded trip counts, reads and writes local memory
(through pointers, at constant and computed offsets, by copies), calls a device function, may
panic or return early, and at last writes the values in scope to its part of the output.
Nothing in it is undefined, and no bits of a NaN that arithmetic made reach an integer, so any
right pass keeps ``run(module, case)`` the same to the last bit.

    @given(cases())
    def test_my_pass(case):
        assert run(my_pass.run(case.module), case) == run(case.module, case)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from mirgpu.kir.interpreter import Interpreter, PanicReport
from mirgpu.kir.module import (
    Block,
    FormatTrait,
    Function,
    FunctionKind,
    Global,
    Module,
    PanicOperand,
    PanicSite,
    Param,
    ParamRole,
)
from mirgpu.kir.ops import (
    Alloca,
    Axis,
    Binary,
    BinaryOp,
    Br,
    Call,
    Cast,
    CastOp,
    Compare,
    CompareOp,
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
    OverflowOp,
    Panic,
    PtrAdd,
    ReadSpecial,
    Return,
    Select,
    SpecialRegister,
    Store,
    Switch,
    Target,
    Terminator,
    Unary,
    UnaryOp,
    Unreachable,
    Value,
)
from mirgpu.kir.types import (
    F32,
    F64,
    I1,
    I8,
    I16,
    I32,
    I64,
    PTR,
    AddressSpace,
    FloatType,
    IntType,
    PtrType,
    Type,
    size_of,
)

INTS = (I8, I16, I32, I64)
SCALARS: tuple[Type, ...] = (I1, *INTS, F32, F64)
SLOT = 16
"""Bytes of each local slot, of the table, and of a thread's input."""
REGION = 512
"""Bytes of a thread's output."""

_B, _U = BinaryOp, UnaryOp
_INT_BINARY = (
    *(_B.ADD, _B.SUB, _B.MUL, _B.AND, _B.OR, _B.XOR, _B.UMIN, _B.UMAX, _B.SMIN, _B.SMAX),
    *(_B.UADD_SAT, _B.SADD_SAT, _B.USUB_SAT, _B.SSUB_SAT, _B.ROTL, _B.ROTR),
)
_DIVISIONS = (_B.UDIV, _B.UREM, _B.SDIV, _B.SREM)
_SHIFTS = (_B.SHL, _B.LSHR, _B.ASHR)
_FLOAT_BINARY = (
    *(_B.FADD, _B.FSUB, _B.FMUL, _B.FDIV, _B.FREM, _B.FMINNUM, _B.FMAXNUM),
    *(_B.FMINIMUM, _B.FMAXIMUM, _B.FCOPYSIGN),
)
_INT_UNARY = (_U.CTPOP, _U.CTLZ, _U.CTTZ, _U.BSWAP, _U.BITREVERSE)
_FLOAT_UNARY = tuple(op for op in UnaryOp if op not in _INT_UNARY)
_FLOAT_COMPARE = tuple(op for op in CompareOp if op.value.startswith("f"))
_INT_COMPARE = tuple(op for op in CompareOp if op not in _FLOAT_COMPARE)
_CALLER = Location("src/lib.rs", 3, 9, "crate::k")
_LOCATIONS = (None, _CALLER, Location("core/ops.rs", 7, 5, "core::add", _CALLER))


@dataclass(frozen=True)
class Case:
    """``arguments`` are the scalar parameters' bits, ``data`` the input of all threads."""

    module: Module
    arguments: tuple[tuple[Type, int], ...]
    data: bytes
    grid: int
    block: int


def run(module: Module, case: Case, *, order: str = "ascending") -> tuple[bytes, PanicReport]:
    """The output bytes and the panics of ``case`` with ``module`` in its module's place."""
    interpreter = Interpreter(module)
    output = bytearray(case.grid * case.block * REGION)
    addresses = (
        interpreter.alloc(output, align=16, name="output"),
        interpreter.alloc(case.data, align=16, readonly=True, name="input"),
    )
    buffer = bytearray()
    for address, size in zip(addresses, (len(output), len(case.data)), strict=True):
        buffer += address.to_bytes(8, "little") + size.to_bytes(8, "little")
    for ty, bits in case.arguments:
        buffer += bytes(-len(buffer) % size_of(ty)) + bits.to_bytes(size_of(ty), "little")
    report = interpreter.launch(
        "k", (case.grid,), (case.block,), bytes(buffer), order=order, max_steps=10_000
    )
    return bytes(output), report


@st.composite
def cases(draw: st.DrawFn, size: int = 6, depth: int = 3) -> Case:
    """The outermost region has ``size`` statements or more; ``depth`` is how deep they nest."""
    module = Generator(draw, size, depth).module()
    kernel = module.functions[0]
    arguments = tuple(
        (param.value.type, draw(st.one_of(_edges(param.value.type), _bits(param.value.type))))
        for param in kernel.params[4:]
    )
    grid, block = draw(st.integers(1, 2)), draw(st.integers(1, 3))
    data = draw(st.binary(min_size=SLOT * grid * block, max_size=SLOT * grid * block))
    return Case(module, arguments, data, grid, block)


def _width(ty: Type) -> int:
    return ty.width if isinstance(ty, IntType | FloatType) else 64


def _bits(ty: Type) -> st.SearchStrategy[int]:
    return st.integers(0, (1 << _width(ty)) - 1)


def _edges(ty: Type) -> st.SearchStrategy[int]:
    if ty == F32:
        return st.sampled_from([0, 1 << 31, 0x3F800000, 0x7F800000, 0x7FC00000, 0xFF800001, 1])
    if ty == F64:
        one, inf = 0x3FF << 52, 0x7FF << 52
        return st.sampled_from([0, 1 << 63, one, inf, inf | 1 << 51, inf | 1 << 63, 1])
    top = (1 << _width(ty)) - 1
    return st.sampled_from(sorted({0, 1, min(7, top), top >> 1, top // 2 + 1, top}))


def _const(ty: Type, bits: int) -> IntConst | FloatConst:
    if isinstance(ty, FloatType):
        return FloatConst(ty, bits)
    assert isinstance(ty, IntType)
    return IntConst(ty, bits)


Scope = dict[Type, list[Value]]


class Generator:
    """Draws one module.  Each statement method appends to the block that is open."""

    def __init__(self, draw: st.DrawFn, size: int, depth: int) -> None:
        self._draw = draw
        self._size = size
        self._depth = depth
        self._blocks: list[Block] = []
        self._label = "entry"
        self._params: tuple[Value, ...] = ()
        self._instructions: list[Instruction] = []
        self._labels = 0
        self._scope: Scope = {ty: [] for ty in SCALARS}
        self._slots: list[Value] = []
        self._readable: list[Value] = []
        self._pointer_slot: Value | None = None
        self._output: Value | None = None
        self._panics = (
            PanicSite("at {0}: {1}", (_operand("i32"), _operand("u64")), _CALLER),
            PanicSite("plain", (), None),
        )

    # ------------------------------------------------------------------------- module

    def module(self) -> Module:
        table = Global(
            "table", AddressSpace.CONST, SLOT, 16, self._draw(st.binary(min_size=16, max_size=16)),
            (), False, None,
        )  # fmt: skip
        kernel = self._kernel()
        helper = self._helper()
        return Module((kernel, helper), (table,), self._panics)

    def _kernel(self) -> Function:
        params = []
        for name in ("output", "input"):
            pointer, length = Value(PTR, name), Value(I64, f"{name}_len")
            params.append(Param(pointer, ParamRole.SLICE_PTR, 8, 8, name == "input"))
            params.append(Param(length, ParamRole.SLICE_LEN, 8, 8))
        for ty in (I32, I8, I1, F32, F64, I64, I16):
            value = Value(ty, "arg" if ty == I32 else None)
            params.append(Param(value, ParamRole.VALUE, size_of(ty), size_of(ty)))
            self._scope[ty].append(value)
        self._entry(params[0].value, params[2].value)
        self._region(self._depth)
        self._write_scope()
        self._end(Return((), self._loc()))
        return Function(
            "k", "crate::k", FunctionKind.KERNEL, tuple(params), (), tuple(self._blocks), None
        )

    def _entry(self, output: Value, data: Value) -> None:
        """Slots for local memory, the thread's number, and its parts of output and input."""
        for name in ("slot", "slot", None):
            local = self._emit(
                PtrType(AddressSpace.LOCAL), lambda r: Alloca(r, SLOT, 16, None), name
            )
            slot = self._cast(CastOp.ADDRSPACECAST, PTR, local)
            self._slots.append(slot)
            if self._draw(st.booleans()):
                fill = IntConst(I8, self._draw(st.sampled_from([0, 1, 255])))
                self._add(MemSet(slot, fill, IntConst(I64, SLOT), 16, None))
            else:
                for offset in range(0, SLOT, 8):
                    value = IntConst(I64, self._draw(_edges(I64)))
                    self._add(Store(value, self._at(slot, offset), 8, False, None))
        holder = self._emit(PtrType(AddressSpace.LOCAL), lambda r: Alloca(r, 8, 8, None), "holder")
        self._pointer_slot = self._cast(CastOp.ADDRSPACECAST, PTR, holder)
        self._add(Store(self._slots[0], self._pointer_slot, 8, False, None))
        parts = []
        for register in (SpecialRegister.CTAID, SpecialRegister.NTID, SpecialRegister.TID):
            read = self._emit(I32, lambda r, k=register: ReadSpecial(r, k, Axis.X, None))  # type: ignore[misc]
            self._scope[I32].append(read)
            parts.append(self._cast(CastOp.ZEXT, I64, read))
        base = self._binary(BinaryOp.MUL, parts[0], parts[1])
        thread = self._binary(BinaryOp.ADD, base, parts[2])
        self._output = self._emit(PTR, lambda r: PtrAdd(r, output, thread, REGION, 0, None))
        source = self._emit(PTR, lambda r: PtrAdd(r, data, thread, SLOT, 0, None))
        address = self._emit(PtrType(AddressSpace.CONST), lambda r: GlobalAddr(r, "table", None))
        table = self._cast(CastOp.ADDRSPACECAST, PTR, address)
        self._readable = [*self._slots, source, table]

    def _helper(self) -> Function:
        """A device function of its own: an i32 and an f32 to an i32 and an f32."""
        other = Generator(self._draw, 3, 0)
        a, x = Value(I32, "a"), Value(F32, "x")
        other._scope[I32].append(a)
        other._scope[F32].append(x)
        for _ in range(self._draw(st.integers(0, 3))):
            other._draw(st.sampled_from(other._scalar_statements()))()
        other._if(0)
        other._end(Return((other._pick(I32), other._quiet(other._pick(F32))), None))
        params = (Param(a, ParamRole.VALUE, 4, 4), Param(x, ParamRole.VALUE, 4, 4))
        never = self._draw(st.booleans())
        return Function(
            "helper", "crate::helper", FunctionKind.DEVICE, params, (I32, F32),
            tuple(other._blocks), None, never,
        )  # fmt: skip

    def _write_scope(self) -> None:
        """The last values of each type, and the slots, to the output."""
        assert self._output is not None
        offset = 0
        for ty in SCALARS:
            for value in self._scope[ty][-4:]:
                self._store_at(self._quiet(value), self._output, offset)
                offset += 8
        for slot in self._slots:
            target = self._at(self._output, offset)
            self._add(MemCopy(target, slot, IntConst(I64, SLOT), 8, False, None))
            offset += SLOT
        assert offset <= REGION

    # ------------------------------------------------------------------------- blocks

    def _add(self, instruction: Instruction) -> None:
        self._instructions.append(instruction)

    def _emit(
        self, ty: Type, make: Callable[[Value], Instruction], name: str | None = None
    ) -> Value:
        result = Value(ty, name)
        self._add(make(result))
        return result

    def _end(self, terminator: Terminator) -> None:
        block = Block(self._label, self._params, tuple(self._instructions), terminator)
        self._blocks.append(block)
        self._instructions = []

    def _begin(self, label: str, params: tuple[Value, ...] = ()) -> None:
        self._label, self._params = label, params

    def _fresh(self, kind: str) -> str:
        self._labels += 1
        return f"{kind}{self._labels}"

    def _loc(self) -> Location | None:
        return self._draw(st.sampled_from(_LOCATIONS))

    def _copy(self) -> Scope:
        return {ty: list(values) for ty, values in self._scope.items()}

    def _pick(self, ty: Type) -> Operand:
        values = self._scope[ty]
        if values and self._draw(st.integers(0, 3)) > 0:
            back = self._draw(st.integers(1, min(len(values), 6)))
            return values[-back]
        return _const(ty, self._draw(st.one_of(_edges(ty), _bits(ty))))

    def _type(self, types: Sequence[Type] = SCALARS) -> Type:
        return self._draw(st.sampled_from(types))

    def _define(
        self, ty: Type, make: Callable[[Value], Instruction], name: str | None = None
    ) -> None:
        self._scope[ty].append(self._emit(ty, make, name))

    def _binary(self, op: BinaryOp, a: Operand, b: Operand) -> Value:
        return self._emit(a.type, lambda r: Binary(r, op, a, b, None))

    def _cast(self, op: CastOp, ty: Type, operand: Operand) -> Value:
        return self._emit(ty, lambda r: Cast(r, op, operand, None))

    def _at(self, base: Operand, offset: int) -> Value:
        return self._emit(PTR, lambda r: PtrAdd(r, base, IntConst(I64, 0), 1, offset, None))

    def _quiet(self, value: Operand) -> Operand:
        """A float with a known NaN in the place of any; other values as they are."""
        ty = value.type
        if not isinstance(ty, FloatType):
            return value
        nan = FloatConst(ty, 0x7FC00000 if ty == F32 else 0x7FF8 << 48)
        fine = self._emit(I1, lambda r: Compare(r, CompareOp.FEQ, value, value, None))
        return self._emit(ty, lambda r: Select(r, fine, value, nan, None))

    def _store_at(self, value: Operand, base: Operand, offset: int) -> None:
        self._add(Store(value, self._at(base, offset), size_of(value.type), False, self._loc()))

    # --------------------------------------------------------------------- statements

    def _region(self, depth: int) -> None:
        least = self._size if depth == self._depth else 1
        for _ in range(self._draw(st.integers(least, 2 * self._size if least > 1 else 4))):
            statements = [*self._scalar_statements(), *self._memory_statements(), self._call]
            if depth:
                nested = (self._if, self._loop, self._switch, self._stop)
                statements += 3 * [lambda make=make: make(depth - 1) for make in nested]
            self._draw(st.sampled_from(statements))()

    def _scalar_statements(self) -> list[Callable[[], None]]:
        return [
            *(self._int_binary, self._guarded, self._float_binary, self._int_unary),
            *(
                self._float_unary,
                self._compare,
                self._select,
                self._casts,
                self._overflow,
                self._fma,
            ),
        ]

    def _memory_statements(self) -> list[Callable[[], None]]:
        return [self._store, self._load, self._load, self._copy_slot, self._fill, self._pointer]

    def _int_binary(self) -> None:
        ty = self._type((I1, *INTS))
        ops = (BinaryOp.AND, BinaryOp.OR, BinaryOp.XOR) if ty == I1 else _INT_BINARY
        op, a, b, loc = (
            self._draw(st.sampled_from(ops)),
            self._pick(ty),
            self._pick(ty),
            self._loc(),
        )
        name = self._draw(st.sampled_from([None, "x", "x.1", "sum"]))
        self._define(ty, lambda r: Binary(r, op, a, b, loc), name)

    def _guarded(self) -> None:
        """Divisions by 1 to 127, shifts below the width."""
        ty = self._type(INTS)
        op = self._draw(st.sampled_from((*_DIVISIONS, *_SHIFTS)))
        a, b = self._pick(ty), self._pick(ty)
        if op in _SHIFTS:
            right = self._binary(BinaryOp.AND, b, _const(ty, _width(ty) - 1))
        else:
            some = self._binary(BinaryOp.AND, b, _const(ty, 127))
            right = self._binary(BinaryOp.OR, some, _const(ty, 1))
        self._scope[ty].append(self._binary(op, a, right))

    def _float_binary(self) -> None:
        ty = self._type((F32, F64))
        op, a, b = self._draw(st.sampled_from(_FLOAT_BINARY)), self._pick(ty), self._pick(ty)
        if op is BinaryOp.FCOPYSIGN:
            b = self._quiet(b)
        self._scope[ty].append(self._binary(op, a, b))

    def _int_unary(self) -> None:
        ty = self._type(INTS)
        op, a = self._draw(st.sampled_from(_INT_UNARY)), self._pick(ty)
        self._define(ty, lambda r: Unary(r, op, a, None))

    def _float_unary(self) -> None:
        ty = self._type((F32, F64))
        op, a = self._draw(st.sampled_from(_FLOAT_UNARY)), self._pick(ty)
        self._define(ty, lambda r: Unary(r, op, a, None))

    def _compare(self) -> None:
        ty = self._type()
        ops = _FLOAT_COMPARE if isinstance(ty, FloatType) else _INT_COMPARE
        op, a, b = self._draw(st.sampled_from(ops)), self._pick(ty), self._pick(ty)
        self._define(I1, lambda r: Compare(r, op, a, b, None))

    def _select(self) -> None:
        ty = self._type()
        cond, a, b = self._pick(I1), self._pick(ty), self._pick(ty)
        self._define(ty, lambda r: Select(r, cond, a, b, None))

    def _casts(self) -> None:
        source, target = self._type(), self._type()
        operand = self._pick(source)
        is_float = isinstance(source, FloatType), isinstance(target, FloatType)
        narrower = _width(target) < _width(source)
        if source == target:
            return
        if is_float == (False, False):
            ops = (CastOp.TRUNC,) if narrower else (CastOp.ZEXT, CastOp.SEXT)
        elif is_float == (True, True):
            ops = (CastOp.FPTRUNC if narrower else CastOp.FPEXT,)
        elif _width(source) == _width(target) and self._draw(st.booleans()):
            ops = (CastOp.BITCAST,)
            operand = self._quiet(operand)
        elif is_float == (False, True):
            ops = (CastOp.SITOFP, CastOp.UITOFP)
        elif target == I1:
            return
        else:
            ops = (CastOp.FPTOSI_SAT, CastOp.FPTOUI_SAT)
        self._scope[target].append(self._cast(self._draw(st.sampled_from(ops)), target, operand))

    def _overflow(self) -> None:
        ty = self._type(INTS)
        op, a, b = self._draw(st.sampled_from(OverflowOp)), self._pick(ty), self._pick(ty)
        result, flag = Value(ty), Value(I1, "overflow")
        self._add(Overflow(result, flag, op, a, b, self._loc()))
        self._scope[ty].append(result)
        self._scope[I1].append(flag)

    def _fma(self) -> None:
        ty = self._type((F32, F64))
        a, b, c = self._pick(ty), self._pick(ty), self._pick(ty)
        self._define(ty, lambda r: FusedMulAdd(r, a, b, c, None))

    # ------------------------------------------------------------------------- memory

    def _place(self, bases: Sequence[Value], ty: Type) -> Value:
        """A place for a ``ty`` within a slot, at a constant or a computed offset."""
        base, size = self._draw(st.sampled_from(bases)), size_of(ty)
        if self._draw(st.booleans()):
            return self._at(base, self._draw(st.integers(0, SLOT // size - 1)) * size)
        count = SLOT // size
        index = self._binary(BinaryOp.AND, self._pick(I64), IntConst(I64, count - 1))
        return self._emit(PTR, lambda r: PtrAdd(r, base, index, size, 0, None))

    def _store(self) -> None:
        ty = self._type()
        value = self._quiet(self._pick(ty))
        volatile = self._draw(st.integers(0, 9)) == 9
        self._add(Store(value, self._place(self._slots, ty), size_of(ty), volatile, self._loc()))

    def _load(self) -> None:
        ty = self._type(SCALARS[1:])
        ptr = self._place(self._readable, ty)
        volatile = self._draw(st.integers(0, 9)) == 9
        self._define(ty, lambda r: Load(r, ptr, size_of(ty), volatile, None))

    def _copy_slot(self) -> None:
        target = self._draw(st.sampled_from(self._slots))
        source = self._draw(st.sampled_from([s for s in self._readable if s is not target]))
        start = self._draw(st.sampled_from([0, 4, 8]))
        size = IntConst(I64, self._draw(st.sampled_from([0, 4, 8])))
        overlap = self._draw(st.booleans())
        to, come = self._at(target, start), self._at(target if overlap else source, 8 - start)
        self._add(MemCopy(to, come, size, 4, overlap or start == 4, None))

    def _fill(self) -> None:
        target = self._at(self._draw(st.sampled_from(self._slots)), 4)
        self._add(MemSet(target, self._pick(I8), IntConst(I64, 8), 4, None))

    def _pointer(self) -> None:
        """Keeps a slot's address in memory, or goes through the one that is kept."""
        assert self._pointer_slot is not None
        holder = self._pointer_slot
        if self._draw(st.booleans()):
            slot = self._draw(st.sampled_from(self._slots))
            self._add(Store(slot, holder, 8, False, None))
            return
        ptr = self._emit(PTR, lambda r: Load(r, holder, 8, False, None))
        if self._draw(st.booleans()):
            self._store_at(self._pick(I32), ptr, 4)
        else:
            self._define(I16, lambda r: Load(r, ptr, 2, False, None))

    def _call(self) -> None:
        a, x = self._pick(I32), self._quiet(self._pick(F32))
        results = Value(I32, "called"), Value(F32)
        self._add(Call(results, "helper", (a, x), self._loc()))
        self._scope[I32].append(results[0])
        self._scope[F32].append(results[1])

    # ------------------------------------------------------------------------ control

    def _if(self, depth: int) -> None:
        """Two branches whose values meet in block parameters; one may be empty."""
        types = self._draw(st.lists(st.sampled_from(SCALARS), max_size=2))
        then, other, join = self._fresh("then"), self._fresh("else"), self._fresh("join")
        cond, empty = self._pick(I1), self._draw(st.booleans())
        before = self._copy()
        direct = Target(join, tuple(self._pick(ty) for ty in types))
        self._end(CondBr(cond, Target(then), direct if empty else Target(other), self._loc()))
        for label in (then,) if empty else (then, other):
            self._begin(label)
            self._scope = {ty: list(values) for ty, values in before.items()}
            self._nested(depth)
            self._end(Br(Target(join, tuple(self._pick(ty) for ty in types)), None))
        self._scope = before
        self._join(join, types)

    def _nested(self, depth: int) -> None:
        if self._output is not None:
            self._region(depth)
            return
        for _ in range(self._draw(st.integers(0, 2))):
            self._draw(st.sampled_from(self._scalar_statements()))()

    def _join(self, label: str, types: Sequence[Type]) -> None:
        params = tuple(Value(ty, "joined") for ty in types)
        self._begin(label, params)
        for param in params:
            self._scope[param.type].append(param)

    def _loop(self, depth: int) -> None:
        """Up to three rounds, with two values carried around."""
        header, body, after = self._fresh("loop"), self._fresh("body"), self._fresh("after")
        types = self._draw(st.lists(st.sampled_from(SCALARS), max_size=2))
        bound = self._binary(BinaryOp.AND, self._pick(I32), IntConst(I32, 3))
        first = tuple(self._pick(ty) for ty in types)
        self._end(Br(Target(header, (IntConst(I32, 0), *first)), None))
        i, carried = Value(I32, "i"), tuple(Value(ty, "acc") for ty in types)
        self._begin(header, (i, *carried))
        for value in (i, *carried):
            self._scope[value.type].append(value)
        more = self._emit(I1, lambda r: Compare(r, CompareOp.ULT, i, bound, None))
        before = self._copy()
        self._end(CondBr(more, Target(body), Target(after), None))
        self._begin(body)
        self._nested(depth)
        following = self._binary(BinaryOp.ADD, i, IntConst(I32, 1))
        again = tuple(self._pick(ty) for ty in types)
        self._end(Br(Target(header, (following, *again)), None))
        self._scope = before
        self._begin(after)

    def _switch(self, depth: int) -> None:
        ty = self._type((I8, I32, I1))
        value = self._pick(ty)
        join, types = self._fresh("join"), (self._type(),)
        labels = [self._fresh("case") for _ in range(self._draw(st.integers(1, 3)))]
        cases = self._draw(st.lists(_edges(ty), min_size=0, max_size=len(labels) - 1, unique=True))
        listed = tuple(
            (case, Target(label)) for case, label in zip(cases, labels[1:], strict=False)
        )
        before = self._copy()
        self._end(Switch(value, listed, Target(labels[0]), self._loc()))
        for label in (labels[0], *[target.label for _, target in listed]):
            self._begin(label)
            self._scope = {ty: list(values) for ty, values in before.items()}
            self._nested(depth)
            self._end(Br(Target(join, (self._pick(types[0]),)), None))
        self._scope = before
        self._join(join, types)

    def _stop(self, depth: int) -> None:
        """Ends the thread on some condition, or says that a condition never holds."""
        stop, on = self._fresh("stop"), self._fresh("on")
        kind = self._draw(st.sampled_from(["panic", "plain", "return", "never"]))
        cond: Operand = IntConst(I1, 0) if kind == "never" else self._pick(I1)
        if kind == "never" and self._draw(st.booleans()):
            some = self._pick(I32)
            cond = self._emit(I1, lambda r: Compare(r, CompareOp.NE, some, some, None))
        self._end(CondBr(cond, Target(stop), Target(on), None))
        before = self._copy()
        self._begin(stop)
        if kind == "panic":
            self._end(Panic(0, (self._pick(I32), self._pick(I64)), self._loc()))
        elif kind == "plain":
            self._end(Panic(1, (), None))
        elif kind == "return":
            assert self._output is not None
            self._store_at(self._pick(I32), self._output, 0)
            self._end(Return((), None))
        else:
            self._end(Unreachable(None))
        self._scope = before
        self._begin(on)


def _operand(kind: str) -> PanicOperand:
    return PanicOperand(kind, FormatTrait.DISPLAY)
