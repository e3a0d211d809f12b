"""The other half of random kernels: memory, threads, control flow, the module around them."""

from collections.abc import Callable, Sequence

from hypothesis import strategies as st
from tests.passes.kir_scalars import BLOCK, CALLER, REGION, SCALARS, SLOT, Scalars, edges

from mirgpu.kir.module import (
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
    Barrier,
    BinaryOp,
    Br,
    Call,
    CastOp,
    Compare,
    CompareOp,
    CondBr,
    GlobalAddr,
    IntConst,
    Load,
    MemCopy,
    MemSet,
    Operand,
    Panic,
    PtrAdd,
    ReadSpecial,
    Return,
    SpecialRegister,
    Store,
    Switch,
    Target,
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
    PtrType,
    Type,
    size_of,
)


class Generator(Scalars):
    """Draws one module.  Each statement method appends to the block that is open."""

    def __init__(self, draw: st.DrawFn, size: int, depth: int) -> None:
        super().__init__(draw)
        self._size = size
        self._depth = depth
        self._slots: list[Value] = []
        self._readable: list[Value] = []
        self._pointer_slot: Value | None = None
        self._output: Value | None = None
        self._thread: tuple[Operand, Operand] | None = None  # in its block, and the block's size
        self._stopped = False  # whether some threads may have ended
        self._panics = (
            PanicSite("at {0}: {1}", (_operand("i32"), _operand("u64")), CALLER),
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
        tile = Global("tile", AddressSpace.SHARED, 4 * BLOCK, 4, None, (), True, None)
        return Module((kernel, helper), (table, tile), self._panics)

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
                    value = IntConst(I64, self._draw(edges(I64)))
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
        self._thread = parts[2], parts[1]
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

    # --------------------------------------------------------------------- statements

    def _region(self, depth: int) -> None:
        least = self._size if depth == self._depth else 1
        for _ in range(self._draw(st.integers(least, 2 * self._size if least > 1 else 4))):
            statements = [*self._scalar_statements(), *self._memory_statements(), self._call]
            if depth == self._depth and not self._stopped:
                statements.append(self._exchange)
            if depth:
                nested = (self._if, self._loop, self._switch, self._stop, self._option)
                statements += 3 * [lambda make=make: make(depth - 1) for make in nested]
            self._draw(st.sampled_from(statements))()

    def _memory_statements(self) -> list[Callable[[], None]]:
        return [self._store, self._load, self._load, self._copy_slot, self._fill, self._pointer]

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

    def _exchange(self) -> None:
        """Passes a value to the next thread of the block through shared memory."""
        assert self._thread is not None
        thread, count = self._thread
        value, shared = self._pick(I32), PtrType(AddressSpace.SHARED)
        tile = self._emit(shared, lambda r: GlobalAddr(r, "tile", None))
        base = self._cast(CastOp.ADDRSPACECAST, PTR, tile)
        mine = self._emit(PTR, lambda r: PtrAdd(r, base, thread, 4, 0, None))
        self._add(Store(value, mine, 4, False, self._loc()))
        self._add(Barrier(None))
        following = self._binary(BinaryOp.ADD, thread, IntConst(I64, 1))
        other = self._binary(BinaryOp.UREM, following, count)
        theirs = self._emit(PTR, lambda r: PtrAdd(r, base, other, 4, 0, None))
        self._define(I32, lambda r: Load(r, theirs, 4, False, None), "received")
        self._add(Barrier(None))

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
        cases = self._draw(st.lists(edges(ty), min_size=0, max_size=len(labels) - 1, unique=True))
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

    def _option(self, depth: int) -> None:
        """Makes an option in two ways, and takes it apart at once; used past the test too."""
        ty = self._type()
        test, tag, payload = self._fresh("test"), Value(I32, "tag"), Value(ty, "payload")
        arms = [self._fresh("made"), self._fresh("made")]
        self._end(CondBr(self._pick(I1), Target(arms[0]), Target(arms[1]), None))
        outer = self._copy()
        for number, label in enumerate(arms):
            self._begin(label)
            self._store()
            known = self._draw(st.integers(0, 3)) > 0
            made = IntConst(I32, number) if known else self._pick(I32)
            self._end(Br(Target(test, (made, self._pick(ty))), None))
            self._scope = {ty: list(values) for ty, values in outer.items()}
        self._begin(test, (tag, payload))
        op = self._draw(st.sampled_from([CompareOp.EQ, CompareOp.NE, CompareOp.UGT]))
        cond = self._emit(I1, lambda r: Compare(r, op, tag, IntConst(I32, 0), None))
        self._scope[ty].append(payload)
        some, none, join = (self._fresh(kind) for kind in ("some", "none", "join"))
        before = self._copy()
        self._end(CondBr(cond, Target(some), Target(none), None))
        for label in (some, none):
            self._begin(label)
            self._scope = {ty: list(values) for ty, values in before.items()}
            self._nested(depth)
            self._end(Br(Target(join, (self._pick(ty),)), None))
        self._scope = before
        self._join(join, (ty,))

    def _stop(self, depth: int) -> None:
        """Ends the thread on some condition, or says that a condition never holds."""
        stop, on = self._fresh("stop"), self._fresh("on")
        self._stopped = True
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
