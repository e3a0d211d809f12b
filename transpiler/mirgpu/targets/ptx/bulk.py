"""``memcopy``, ``memmove`` and ``memset``: straight lines for small constant sizes, else loops.

Pieces are as wide as the alignment allows, up to eight bytes.
"""

from collections.abc import Callable, Iterator

from mirgpu.kir.ops import IntConst, MemCopy, MemSet
from mirgpu.targets.ptx.builder import FunctionBuilder, Scalar, integer
from mirgpu.targets.ptx.convert import space_of
from mirgpu.targets.ptx.ir import Address, Bra, Guard, Imm, Load, Reg, Space, Store, Type
from mirgpu.targets.ptx.memory import shifted
from mirgpu.targets.ptx.tables import unsigned

INLINE_PIECES = 16
"""At most so many loads and stores are written out."""


def copy(b: FunctionBuilder, node: MemCopy) -> None:
    source, target = space_of(b, node.src.type), space_of(b, node.dst.type)
    src, dst = b.use_address(node.src), b.use_address(node.dst)
    if isinstance(node.size, IntConst):
        pieces = list(_pieces(node.size.value, node.align))
        if len(pieces) <= INLINE_PIECES:
            # All loads come before the first store, so that overlap does not matter.
            values = [_load(b, source, width, shifted(src, at)) for at, width in pieces]
            for (at, width), value in zip(pieces, values, strict=True):
                _store(b, target, width, shifted(dst, at), value)
            return
    from_, to = b.materialise(src), b.materialise(dst)
    if node.may_overlap and source is not target:
        from_, to = _to_generic(b, source, from_), _to_generic(b, target, to)
        source = target = Space.GENERIC
    size = b.use(node.size)

    def piece(at: Reg, width: int) -> None:
        value = _load(b, source, width, Address(_plus(b, from_, at), 0))
        _store(b, target, width, Address(_plus(b, to, at), 0), value)

    unit = min(node.align, 8)
    if not node.may_overlap:
        _upwards(b, size, unit, piece)
        return
    # Downwards where the target starts inside the source's bytes or after them.
    down, done = b.fresh_label("move_down"), b.fresh_label("move_done")
    b.emit(Bra(down, Guard(b.setp("gt", Type.U64, to, from_), negated=False)))
    _upwards(b, size, unit, piece)
    b.emit(Bra(done, None))
    b.label(down)
    _downwards(b, size, unit, piece)
    b.label(done)


def fill(b: FunctionBuilder, node: MemSet) -> None:
    space = space_of(b, node.dst.type)
    dst = b.use_address(node.dst)
    byte = b.use(node.byte)
    unit = min(node.align, 8)
    value = _splat(b, byte, unit)

    def narrowed(width: int) -> Scalar:
        """The low ``width`` bytes of ``value``; a store reads no more of a register anyway."""
        if isinstance(value, Imm):
            return integer(value.value, width * 8)
        return low if width < 8 else value

    low = _low_half(b, value)
    if isinstance(node.size, IntConst):
        pieces = list(_pieces(node.size.value, node.align))
        if len(pieces) <= INLINE_PIECES:
            for at, width in pieces:
                _store(b, space, width, shifted(dst, at), narrowed(width))
            return
    to = b.materialise(dst)

    def piece(at: Reg, width: int) -> None:
        _store(b, space, width, Address(_plus(b, to, at), 0), narrowed(width))

    _upwards(b, b.use(node.size), unit, piece)


def _pieces(size: int, align: int) -> Iterator[tuple[int, int]]:
    """(offset, width) of naturally aligned pieces that cover ``size`` bytes."""
    at, width = 0, min(align, 8)
    while at < size:
        while width > size - at:
            width //= 2
        yield at, width
        at += width


def _load(b: FunctionBuilder, space: Space, width: int, address: Address) -> Reg:
    value = b.temp(Type.B64 if width == 8 else Type.B32)
    b.emit(Load(space, False, unsigned(width * 8), value, address))
    return value


def _store(b: FunctionBuilder, space: Space, width: int, address: Address, value: Scalar) -> None:
    b.emit(Store(space, False, unsigned(width * 8), address, value))


def _plus(b: FunctionBuilder, base: Reg, offset: Reg) -> Reg:
    return b.compute(Type.B64, "add", Type.S64, base, offset)


def _to_generic(b: FunctionBuilder, space: Space, address: Reg) -> Reg:
    if space is Space.GENERIC:
        return address
    return b.compute(Type.B64, f"cvta.{space}", Type.U64, address)


def _splat(b: FunctionBuilder, byte: Scalar, unit: int) -> Scalar:
    """``byte`` repeated ``unit`` times."""
    ones = int.from_bytes(b"\1" * unit, "little")
    if isinstance(byte, Imm):
        return integer((byte.value & 0xFF) * ones, unit * 8)
    if unit == 1:
        return byte
    if unit < 8:
        return b.compute(Type.B32, "mul.lo", Type.U32, byte, Imm(ones))
    wide = b.compute(Type.B64, "cvt", (Type.U64, Type.U32), byte)
    return b.compute(Type.B64, "mul.lo", Type.U64, wide, integer(ones, 64))


def _low_half(b: FunctionBuilder, value: Scalar) -> Scalar:
    if isinstance(value, Reg) and value.type is Type.B64:
        return b.compute(Type.B32, "cvt", (Type.U32, Type.U64), value)
    return value


# --------------------------------------------------------------------------------------- loops


def _upwards(
    b: FunctionBuilder, size: Scalar, unit: int, piece: Callable[[Reg, int], None]
) -> None:
    """``piece(offset, width)`` over all bytes, first whole units, then what is left."""
    at = b.temp(Type.B64)
    b.move(at, Imm(0))
    if unit > 1:
        whole = b.compute(Type.B64, "and", Type.B64, size, Imm(-unit))
        _loop_up(b, at, whole, unit, piece)
    _loop_up(b, at, size, 1, piece)


def _loop_up(
    b: FunctionBuilder, at: Reg, end: Scalar, width: int, piece: Callable[[Reg, int], None]
) -> None:
    head, done = b.fresh_label("bytes_up"), b.fresh_label("bytes_up_done")
    b.label(head)
    b.emit(Bra(done, Guard(b.setp("ge", Type.U64, at, end), negated=False)))
    piece(at, width)
    b.op("add", Type.S64, at, at, Imm(width))
    b.emit(Bra(head, None))
    b.label(done)


def _downwards(
    b: FunctionBuilder, size: Scalar, unit: int, piece: Callable[[Reg, int], None]
) -> None:
    """As ``_upwards``, from the end to the start."""
    at = b.temp(Type.B64)
    b.move(at, size)
    if unit > 1:
        whole = b.compute(Type.B64, "and", Type.B64, size, Imm(-unit))
        _loop_down(b, at, whole, 1, piece)
        _loop_down(b, at, Imm(0), unit, piece)
    else:
        _loop_down(b, at, Imm(0), 1, piece)


def _loop_down(
    b: FunctionBuilder, at: Reg, end: Scalar, width: int, piece: Callable[[Reg, int], None]
) -> None:
    head, done = b.fresh_label("bytes_down"), b.fresh_label("bytes_down_done")
    b.label(head)
    b.emit(Bra(done, Guard(b.setp("le", Type.U64, at, end), negated=False)))
    b.op("sub", Type.S64, at, at, Imm(width))
    piece(at, width)
    b.emit(Bra(head, None))
    b.label(done)
