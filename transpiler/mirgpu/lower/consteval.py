"""Evaluates constant bodies (consts, promoteds, array lengths) to bytes.

Enough of MIR for what constant bodies hold after optimisation: aggregates, references to
locals, copies, wrapping integer arithmetic, branches and loops.  A body with more in it is
refused, never guessed at.
"""

from dataclasses import dataclass
from typing import final

from mirgpu.kir.ops import IntConst, PtrConst
from mirgpu.kir.types import I64, PTR, IntType
from mirgpu.lower.builder import int_const
from mirgpu.lower.constants import Blob, Constants
from mirgpu.lower.context import Round
from mirgpu.lower.errors import LowerError
from mirgpu.lower.image import Image, ImageAddr, Leaf, SymbolAddr
from mirgpu.lower.resolve import Instance
from mirgpu.lower.types import is_signed, pointee, scalar_type
from mirgpu.mir.syntax import (
    AdtAggregate,
    ArrayAggregate,
    ArrayTy,
    Assert,
    Assign,
    BinaryOp,
    BinOp,
    Body,
    Call,
    Cast,
    CastKind,
    CInt,
    CoercionKind,
    Constant,
    ConstantIndex,
    ConstItemDef,
    Copy,
    CopyForDeref,
    CPath,
    DefAggregate,
    Deref,
    Downcast,
    Field,
    FnItem,
    FnItemDef,
    Goto,
    Index,
    Move,
    Operand,
    Place,
    PointerCoercion,
    RawPtr,
    Ref,
    Repeat,
    Return,
    Rvalue,
    SetDiscriminant,
    SwitchInt,
    TupleAggregate,
    TupleTy,
    Ty,
    Use,
)

_STEPS = 200_000
"""Enough for a table of a few thousand entries; a body that needs more is refused."""


@final
@dataclass(frozen=True, slots=True)
class _At:
    image: Image
    offset: int
    ty: Ty
    meta: int | None = None
    variant: int | None = None
    variant_name: str = ""


def evaluate(round_: Round, instance: Instance) -> Image:
    """The bytes of a constant item.  Raises LowerError for what it cannot evaluate."""
    found = round_.images.get(id(instance))
    if found is not None:
        return found
    item = instance.item
    constants = Constants(round_, instance.subst)
    if isinstance(item, FnItemDef):
        raise _refuse(instance)
    ty = constants.ty(item.ty)
    if isinstance(item, ConstItemDef) and item.body is None:
        value = item.value
        if not isinstance(value, Constant):
            raise _refuse(instance)
        image = constants.image(value.value, ty)
    else:
        image = _Evaluator(round_, instance, [0]).run(())
    round_.images[id(instance)] = image
    round_.kept.append(instance)
    return image


def int_of_body(body: Body) -> int | None:
    """The value of an array length's body, where it is one literal."""
    for block in body.blocks:
        for statement in block.statements:
            match statement:
                case Assign(Place(0, ()), Use(Constant(CInt(value)))):
                    return value
                case _:
                    pass
    return None


def _refuse(instance: Instance) -> LowerError:
    return LowerError(
        "MG0312",
        f"the constant `{instance.header.path}` is computed in a way that is not supported",
        help="give the value as a literal, or compute it on the host and pass it as a parameter",
    )


@final
class _Evaluator:
    """One activation of a constant body or ``const fn``."""

    def __init__(self, round_: Round, instance: Instance, steps: list[int]) -> None:
        self.round = round_
        self.instance = instance
        self.constants = Constants(round_, instance.subst)
        self.layouts = round_.crate.layouts
        self.index = round_.crate.index(instance)
        self.steps = steps
        self.locals: dict[int, _At] = {}

    def run(self, args: tuple[_At, ...]) -> Image:
        for local in self.index.local_types:
            ty = self.constants.ty(self.index.local_types[local])
            layout = self.layouts.of(ty)
            self.locals[local] = _At(Image(layout.size, layout.align), 0, ty)
        for number, arg in enumerate(args):
            self._copy(self.locals[number + 1], arg)
        block = self.index.blocks[0]
        while True:
            for statement in block.statements:
                self._step()
                match statement:
                    case Assign(place, rvalue):
                        self._assign(self._place(place), rvalue)
                    case SetDiscriminant():
                        raise _refuse(self.instance)
                    case _:
                        pass
            self._step()
            match block.terminator:
                case Return():
                    return self.locals[0].image
                case Goto(target):
                    block = self.index.blocks[target]
                case Assert(_, _, _, _, target):
                    block = self.index.blocks[target]
                case SwitchInt(discr, values, targets, otherwise):
                    bits = self._int(discr)
                    chosen = dict(zip(values, targets, strict=True)).get(bits, otherwise)
                    block = self.index.blocks[chosen]
                case Call() as call if call.target is not None:
                    self._call(call)
                    block = self.index.blocks[call.target]
                case _:
                    raise _refuse(self.instance)

    def _step(self) -> None:
        self.steps[0] += 1
        if self.steps[0] > _STEPS:
            raise _refuse(self.instance)

    def _call(self, call: Call) -> None:
        if not isinstance(call.func, FnItem):
            raise _refuse(self.instance)
        args = tuple(self._operand(arg, None) for arg in call.args)
        path = self.constants.types.path(call.func.path, self.instance.subst)
        dest = self._place(call.destination)
        callee = self.round.crate.bodies.resolve(path, tuple(a.ty for a in args), dest.ty)
        if callee is None:
            raise _refuse(self.instance)
        image = _Evaluator(self.round, callee, self.steps).run(args)
        self._copy(dest, _At(image, 0, dest.ty))

    # ------------------------------------------------------------------------- places

    def _place(self, node: Place) -> _At:
        at = self.locals[node.local]
        for elem in node.projection:
            match elem:
                case Deref():
                    at = self._deref(at)
                case Field(index, ty):
                    field = self.constants.ty(ty)
                    self.layouts.see_field(at.ty, at.variant_name, index, field)
                    offset = self.layouts.field_offset(at.ty, at.variant, index, field)
                    at = _At(at.image, at.offset + offset, field)
                case Downcast(variant):
                    number = self.layouts.variant_index(at.ty, variant)
                    at = _At(at.image, at.offset, at.ty, None, number, str(variant))
                case Index(local):
                    chosen = self.locals[local]
                    leaf = chosen.image.leaf(0, I64)
                    assert isinstance(leaf, IntConst)
                    at = self._element(at, leaf.value)
                case ConstantIndex(offset, _, False):
                    at = self._element(at, offset)
                case _:
                    raise _refuse(self.instance)
        return at

    def _deref(self, at: _At) -> _At:
        inner = pointee(at.ty)
        target = at.image.leaf(at.offset, PTR)
        if inner is None or not isinstance(target, ImageAddr):
            raise _refuse(self.instance)
        meta = None
        if self.layouts.of(at.ty).fat:
            leaf = at.image.leaf(at.offset + 8, I64)
            assert isinstance(leaf, IntConst)
            meta = leaf.value
        return _At(target.image, target.addend, inner, meta)

    def _element(self, at: _At, index: int) -> _At:
        elem = getattr(at.ty, "elem", None)
        if elem is None:
            raise _refuse(self.instance)
        size = self.layouts.of(elem).size
        if at.offset + (index + 1) * size > len(at.image.data):
            raise _refuse(self.instance)
        return _At(at.image, at.offset + index * size, elem)

    def _copy(self, dest: _At, source: _At) -> None:
        size = self.layouts.of(dest.ty).size
        dest.image.paste(dest.offset, source.image, source.offset, size)

    # ----------------------------------------------------------------------- operands

    def _operand(self, node: Operand, expected: Ty | None) -> _At:
        match node:
            case Copy(place) | Move(place):
                return self._place(place)
            case Constant(value):
                ty = self.constants.type_of(value, expected)
                return _At(self.constants.image(value, ty), 0, ty)
            case _:
                raise _refuse(self.instance)

    def _int(self, node: Operand) -> int:
        at = self._operand(node, None)
        leaf = self._leaf(at)
        if not isinstance(leaf, IntConst):
            raise _refuse(self.instance)
        return leaf.value

    def _leaf(self, at: _At) -> Leaf:
        scalar = scalar_type(at.ty)
        if scalar is None:
            raise _refuse(self.instance)
        return at.image.leaf(at.offset, scalar)

    # ------------------------------------------------------------------------ rvalues

    def _assign(self, dest: _At, rvalue: Rvalue) -> None:
        match rvalue:
            case Use(operand):
                if isinstance(operand, Constant):
                    self._fill(dest, operand)
                else:
                    self._copy(dest, self._operand(operand, dest.ty))
            case CopyForDeref(place):
                self._copy(dest, self._place(place))
            case Ref(_, place) | RawPtr(_, place):
                at = self._place(place)
                dest.image.put(dest.offset, ImageAddr(at.image, at.offset))
                if at.meta is not None:
                    dest.image.put(dest.offset + 8, IntConst(I64, at.meta))
            case Repeat(operand, count):
                elem = getattr(dest.ty, "elem", None)
                assert elem is not None
                size = self.layouts.of(elem).size
                source = self._operand(operand, elem)
                for i in range(self.constants.types.length(count, self.instance.subst)):
                    dest.image.paste(dest.offset + i * size, source.image, source.offset, size)
            case TupleAggregate(operands):
                self._fields(dest, "", None, operands)
            case ArrayAggregate(operands):
                for i, operand in enumerate(operands):
                    at = self._element(dest, i)
                    self._copy(at, self._operand(operand, at.ty))
            case AdtAggregate(path, names, operands):
                ty, variant = self.constants.adt(path, dest.ty)
                if names is not None:
                    self.layouts.see_names(ty, variant, names)
                number = self.layouts.variant_index(ty, variant) if variant else None
                self._fields(dest, variant, number, operands or ())
                if number is not None:
                    for offset, piece in self.constants.tag(ty, number, dest.offset):
                        assert not isinstance(piece, Blob)
                        dest.image.put(offset, piece)
            case Cast(kind, operand, ty):
                self._cast(dest, kind, operand)
            case BinaryOp(op, left, right):
                self._binary(dest, op, left, right)
            case DefAggregate() if self.layouts.of(dest.ty).size == 0:
                # A closure without captures.
                pass
            case _:
                raise _refuse(self.instance)

    def _fill(self, dest: _At, operand: Constant) -> None:
        self.constants.fill(dest.image, dest.offset, operand.value, dest.ty)

    def _fields(
        self, dest: _At, variant: str, number: int | None, operands: tuple[Operand, ...]
    ) -> None:
        known = self.layouts.variant_fields(dest.ty, variant)
        for i, operand in enumerate(operands):
            expected = known[i] if known is not None and i < len(known) else None
            source = self._operand(operand, expected)
            self.layouts.see_field(dest.ty, variant, i, source.ty)
            offset = self.layouts.field_offset(dest.ty, number, i, source.ty)
            self._copy(_At(dest.image, dest.offset + offset, source.ty), source)

    def _cast(self, dest: _At, kind: CastKind | PointerCoercion, operand: Operand) -> None:
        source = self._operand(operand, None)
        if isinstance(kind, PointerCoercion):
            inner = pointee(source.ty)
            if kind.kind is CoercionKind.UNSIZE and isinstance(inner, ArrayTy):
                assert isinstance(inner.len, CInt)
                dest.image.put(dest.offset, source.image.leaf(source.offset, PTR))
                dest.image.put(dest.offset + 8, IntConst(I64, inner.len.value))
                return
            raise _refuse(self.instance)
        match kind:
            case CastKind.INT_TO_INT:
                leaf = self._leaf(source)
                scalar = scalar_type(dest.ty)
                if not isinstance(leaf, IntConst) or not isinstance(scalar, IntType):
                    raise _refuse(self.instance)
                dest.image.put(dest.offset, int_const(scalar, _value(leaf, source.ty)))
            case CastKind.PTR_TO_PTR:
                dest.image.put(dest.offset, source.image.leaf(source.offset, PTR))
                if self.layouts.of(dest.ty).fat:
                    dest.image.put(dest.offset + 8, source.image.leaf(source.offset + 8, I64))
            case CastKind.TRANSMUTE:
                self.layouts.same_bytes(source.ty, dest.ty, "a transmute")
                self._copy(dest, source)
            case _:
                raise _refuse(self.instance)

    def _binary(self, dest: _At, op: BinOp, left: Operand, right: Operand) -> None:
        at_l, at_r = self._pair(dest, op, left, right)
        lhs, rhs = self._leaf(at_l), self._leaf(at_r)
        if isinstance(lhs, SymbolAddr | ImageAddr | PtrConst) or not (
            isinstance(lhs, IntConst) and isinstance(rhs, IntConst)
        ):
            raise _refuse(self.instance)
        a, b = _value(lhs, at_l.ty), _value(rhs, at_r.ty)
        width = lhs.type.width
        result = exact(op, a, b, width)
        if result is None:
            raise _refuse(self.instance)
        scalar = scalar_type(dest.ty)
        if isinstance(scalar, IntType):
            dest.image.put(dest.offset, int_const(scalar, result))
            return
        wrapped = int_const(lhs.type, result)
        overflow = _value(wrapped, at_l.ty) != result
        for number, leaf in enumerate((wrapped, int_const(IntType(1), int(overflow)))):
            elems = getattr(dest.ty, "elems", ())
            offset = self.layouts.field_offset(dest.ty, None, number, elems[number])
            dest.image.put(dest.offset + offset, leaf)

    def _pair(self, dest: _At, op: BinOp, left: Operand, right: Operand) -> tuple[_At, _At]:
        """Both operands; a constant parameter does not tell its type, but what is around does."""
        made = dest.ty.elems[0] if isinstance(dest.ty, TupleTy) else dest.ty
        if op in _SHIFTS:
            usize = self.round.crate.types.usize
            return self._operand(left, made), self._operand(right, usize)
        expected = None if op in _COMPARISONS else made
        if isinstance(left, Constant) and isinstance(left.value, CPath):
            at_r = self._operand(right, expected)
            return self._operand(left, at_r.ty), at_r
        at_l = self._operand(left, expected)
        return at_l, self._operand(right, at_l.ty)


_SHIFTS = {BinOp.SHL, BinOp.SHR, BinOp.SHL_UNCHECKED, BinOp.SHR_UNCHECKED}
_COMPARISONS = {BinOp.EQ, BinOp.NE, BinOp.LT, BinOp.LE, BinOp.GT, BinOp.GE, BinOp.CMP}


def _value(leaf: IntConst, ty: Ty) -> int:
    if is_signed(ty) and leaf.value >> (leaf.type.width - 1):
        return leaf.value - (1 << leaf.type.width)
    return leaf.value


def exact(op: BinOp, a: int, b: int, width: int) -> int | None:
    """The result before it is cut to its width; none for what constants do not hold."""
    match op:
        case BinOp.ADD | BinOp.ADD_UNCHECKED | BinOp.ADD_WITH_OVERFLOW:
            return a + b
        case BinOp.SUB | BinOp.SUB_UNCHECKED | BinOp.SUB_WITH_OVERFLOW:
            return a - b
        case BinOp.MUL | BinOp.MUL_UNCHECKED | BinOp.MUL_WITH_OVERFLOW:
            return a * b
        case BinOp.BIT_AND:
            return a & b
        case BinOp.BIT_OR:
            return a | b
        case BinOp.BIT_XOR:
            return a ^ b
        case BinOp.SHL | BinOp.SHL_UNCHECKED:
            return a << (b % width)
        case BinOp.SHR | BinOp.SHR_UNCHECKED:
            return a >> (b % width)
        case BinOp.DIV | BinOp.REM if b:
            quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
            return quotient if op is BinOp.DIV else a - quotient * b
        case BinOp.EQ:
            return int(a == b)
        case BinOp.NE:
            return int(a != b)
        case BinOp.LT:
            return int(a < b)
        case BinOp.LE:
            return int(a <= b)
        case BinOp.GT:
            return int(a > b)
        case BinOp.GE:
            return int(a >= b)
        case _:
            return None
