"""Instructions that touch memory, and those of addresses.

The fast path reads typed views; whatever it raises sends the access to ``T.load`` or ``T.store``,
which take their time, and raise the error that names what is wrong.
"""

from typing import Final

from tests.ptxsim.codegen import Code, Mods, opcode
from tests.ptxsim.integer import BITS, INTEGERS
from tests.ptxsim.memory import KEYS, OFFSET, WINDOWS
from tests.ptxsim.parser import TYPES
from tests.ptxsim.syntax import (
    Address,
    Instruction,
    Int,
    Operand,
    Register,
    Symbol,
    Type,
    Variable,
    Vector,
)

_SPACES: Final = ("global", "shared", "local", "const", "param")
_SCOPES: Final = ("cta", "cluster", "gpu", "sys")
_TYPES: Final = ("b8", "u8", "s8", *BITS, *INTEGERS, "f32", "f64")
_ONES: Final = {1: "1", 2: "0x101", 4: "0x1010101", 8: "0x101010101010101"}
_TWOS: Final = {1: "2", 2: "0x202", 4: "0x2020202", 8: "0x202020202020202"}


def _head(c: Code, i: Instruction, m: Mods) -> tuple[str, int, Type]:
    """The state space (or generic), the number of elements and their type."""
    order = m.take("volatile", "weak", "relaxed", "acquire", "release")
    if order in ("acquire", "release") and (order == "acquire") != (i.opcode == "ld"):
        m.fail(f".{order} does not fit")
    if order in ("relaxed", "acquire", "release"):
        m.need(*_SCOPES)
    space = m.take(*_SPACES, "shared::cta").removesuffix("::cta") or "generic"
    if not order:
        m.take("ca", "cg", "cs", "lu", "cv", "wb", "wt")
    if m.take("nc") and (i.opcode != "ld" or space != "global" or order):
        m.fail(".nc is for ld.global")
    vector = m.take("v2", "v4")
    ty = m.type(*_TYPES)
    m.end(2)
    count = int(vector[1]) if vector else 1
    if ty.size * count > 16:
        m.fail("a vector has at most 16 bytes")
    return space, count, ty


def _elements(m: Mods, operand: Operand, count: int) -> tuple[Operand, ...]:
    if count == 1:
        if isinstance(operand, Vector):
            m.fail("a vector operand without .v2 or .v4")
        return (operand,)
    if not isinstance(operand, Vector) or len(operand.items) != count:
        m.fail(f"needs a vector of {count} registers")
    return operand.items


def address_of(c: Code, operand: Operand, space: str) -> str:
    """The expression of an address in ``space``."""
    if not isinstance(operand, Address):
        c.fail("not an address")
    match operand.base:
        case Register(type=Type(kind=kind, width=64), ident=ident) if kind in "bus":
            if operand.offset == 0:
                return ident
            return f"{ident} + {operand.offset} & 0xffffffffffffffff"
        case Register(type=Type(kind=kind, width=32), ident=ident) if kind in "bus" and space in (
            "shared",
            "local",
            "const",
            "param",
        ):
            return f"{ident} + {operand.offset} & 0xffffffff"
        case Symbol() as symbol:
            where, text = c.place.address(symbol)
            if space != where:
                c.fail(f"{symbol.name} is in .{where}, the access in .{space}")
            return f"{text} + {operand.offset}" if operand.offset else text
        case Int(value=value):
            return str(value)
        case _:
            return c.fail("an address is a 64-bit register or a symbol")


@opcode("ld")
def _(c: Code, i: Instruction, m: Mods) -> None:
    space, count, ty = _head(c, i, m)
    elements = _elements(m, i.operands[0], count)
    address = i.operands[1]
    if space == "param" and (variable := _param_variable(address)) is not None:
        assert isinstance(address, Address)
        place = c.place.access(variable, write=False)
        for n, item in enumerate(elements):
            _assign(c, item, ty, f"{place}.load({address.offset + n * ty.size}, {ty.size})")
        return
    _start(c, address_of(c, address, space), space, ty, count)
    for n, item in enumerate(elements):
        _load(c, item, ty, space, n * ty.size)


def _param_variable(address: Operand) -> Variable | None:
    if isinstance(address, Address) and isinstance(address.base, Symbol):
        return address.base.variable
    return None


def _start(c: Code, address: str, space: str, ty: Type, count: int) -> None:
    c.put(f"A = {address}")
    if count > 1:
        size = ty.size * count
        c.put(f"if A & {size - 1}: T.misaligned({space!r}, A, {size})")


def _assign(c: Code, dst: Operand, ty: Type, text: str) -> None:
    """Bits that come from memory, possibly undefined."""
    if ty.kind == "f":
        if isinstance(dst, Register) and dst.type.kind not in "bf":
            c.fail(f"register {dst.name} of type .{dst.type} for .{ty}")
        # As bits: set_bits turns them into a float where the register holds one.
        c.set_bits(dst, TYPES[f"b{ty.width}"], text)
    else:
        c.set_bits(dst, ty, text, wider=True)


def _load(c: Code, dst: Operand, ty: Type, space: str, offset: int) -> None:
    at = f"A + {offset}" if offset else "A"
    slow = f"T.load({space!r}, {at}, {ty.size})"
    if space not in ("global", "generic", "shared"):
        _assign(c, dst, ty, slow)
        return
    is_float = isinstance(dst, Register) and dst.type.kind == "f" and ty.size in (4, 8)
    c.put("try:")
    c.indent += 1
    shift = ty.size.bit_length() - 1
    if space == "shared":
        c.shared_sizes.add(("float" if is_float else "int", ty.size))
        view = f"{'SF' if is_float else 'SI'}{ty.size}"
        c.put(f"X = ({at}) >> {shift}")
        misaligned = f" or ({at}) & {ty.size - 1}" if ty.size > 1 else ""
        c.put(f"if SM{ty.size}[X] != {_ONES[ty.size]}{misaligned}: raise IndexError")
        fast = f"{view}[X]"
    else:
        c.put(f"X = {'GF' if is_float else 'GL'}{ty.size}[({at}) & {KEYS[ty.size]:#x}]")
        fast = f"X[0][(({at}) - X[1] & {OFFSET:#x}) >> {shift}]"
    if is_float:
        assert isinstance(dst, Register)
        if ty.kind not in "fb":
            c.fail(f"register {dst.name} of type .{dst.type} for .{ty}")
        c.set_float(dst, TYPES[f"f{ty.width}"], fast)
        c.put(f"if {dst.ident} != {dst.ident}: raise ValueError")
    else:
        _assign(c, dst, ty, fast)
    c.indent -= 1
    c.put("except Exception:")
    c.indent += 1
    _assign(c, dst, ty, slow)
    c.indent -= 1


@opcode("st")
def _(c: Code, i: Instruction, m: Mods) -> None:
    space, count, ty = _head(c, i, m)
    elements = _elements(m, i.operands[1], count)
    address = i.operands[0]
    if space == "param":
        variable = _param_variable(address)
        if variable is None:
            m.fail("st.param takes a variable")
        assert isinstance(address, Address)
        place = c.place.access(variable, write=True)
        for n, item in enumerate(elements):
            where = address.offset + n * ty.size
            c.put(f"{place}.store({where}, {ty.size}, {_whole(c, item, ty)})")
        return
    if space == "const":
        m.fail("constant memory is read-only")
    _start(c, address_of(c, address, space), space, ty, count)
    for n, item in enumerate(elements):
        _store(c, item, ty, space, n * ty.size)


def _whole(c: Code, item: Operand, ty: Type) -> str:
    """The bits to store, undefined or not; a wider register is cut by the callee."""
    if isinstance(item, Register):
        if item.type.kind == "f":
            if ty.kind not in "fb" or ty.width != item.type.width:
                c.fail(f"register {item.name} of type .{item.type} for .{ty}")
            return f"f2u{ty.width}({item.ident})" if ty.width != 16 else item.ident
        if ty.kind == "f":
            if item.type != TYPES[f"b{ty.width}"]:
                c.fail(f"register {item.name} of type .{item.type} for .{ty}")
        else:
            c.bits(item, ty, wider=True)
        return item.ident
    if ty.kind == "f":
        return f"f2b{ty.width}({c.float(item, ty)})"
    return c.bits(item, ty)


def _store(c: Code, item: Operand, ty: Type, space: str, offset: int) -> None:
    at = f"A + {offset}" if offset else "A"
    whole = _whole(c, item, ty)
    slow = f"T.store({space!r}, {at}, {ty.size}, {whole})"
    if space not in ("global", "generic", "shared"):
        c.put(slow)
        return
    is_float = isinstance(item, Register) and item.type.kind == "f" and ty.size in (4, 8)
    if is_float:
        assert isinstance(item, Register)
        value = item.ident
    elif isinstance(item, Register) and item.type.width > ty.width:
        value = f"{item.ident} & {(1 << ty.width) - 1:#x}"
    else:
        value = whole
    shift = ty.size.bit_length() - 1
    c.put("try:")
    c.indent += 1
    if is_float:
        c.put(f"if {value} != {value}: raise ValueError")
    if space == "shared":
        c.shared_sizes.add(("float" if is_float else "int", ty.size))
        c.put(f"X = ({at}) >> {shift}")
        misaligned = f" or ({at}) & {ty.size - 1}" if ty.size > 1 else ""
        c.put(f"if SM{ty.size}[X] & {_TWOS[ty.size]}{misaligned}: raise IndexError")
        c.put(f"{'SF' if is_float else 'SI'}{ty.size}[X] = {value}")
        c.put(f"SM{ty.size}[X] = {_ONES[ty.size]}")
    else:
        c.put(f"X = {'HF' if is_float else 'GS'}{ty.size}[({at}) & {KEYS[ty.size]:#x}]")
        c.put(f"X[0][(({at}) - X[1] & {OFFSET:#x}) >> {shift}] = {value}")
    c.indent -= 1
    c.put("except Exception:")
    c.indent += 1
    c.put(slow)
    c.indent -= 1


# ------------------------------------------------------------------------------ addresses


@opcode("cvta")
def _(c: Code, i: Instruction, m: Mods) -> None:
    to = m.take("to")
    space = m.need(*_SPACES)
    ty = m.type("u64")
    m.end(2)
    d, a = i.operands
    if isinstance(a, Symbol):
        if to:
            m.fail("cvta.to takes a generic address")
        where, text = c.place.address(a)
        if where != space:
            m.fail(f"{a.name} is in .{where}")
    else:
        text = c.bits(a, ty)
    if space == "global":
        c.set_bits(d, ty, f"T.to_global({text})" if to else text)
    elif to:
        c.set_bits(d, ty, f"T.to_space({space!r}, {text})")
    else:
        c.set_bits(d, ty, f"{text} + {WINDOWS[space]:#x} & 0xffffffffffffffff")


# -------------------------------------------------------------------------------- atomics

_ATOMS: Final = {
    # Of floats, f64 only: an f32 sum is flushed in global memory, and in shared memory is not.
    "add": ("u32", "s32", "u64", "f64"),
    "min": ("u32", "s32", "u64", "s64"),
    "max": ("u32", "s32", "u64", "s64"),
    "and": ("b32", "b64"),
    "or": ("b32", "b64"),
    "xor": ("b32", "b64"),
    "exch": ("b32", "b64"),
    "cas": ("b16", "b32", "b64"),
    "inc": ("u32",),
    "dec": ("u32",),
}


@opcode("atom", "red")
def _(c: Code, i: Instruction, m: Mods) -> None:
    order = m.take("relaxed", "acquire", "release", "acq_rel")
    if i.opcode == "red" and order in ("acquire", "acq_rel"):
        m.fail(f".{order} does not fit")
    m.take(*_SCOPES)
    space = m.take("global", "shared", "shared::cta").removesuffix("::cta") or "generic"
    names = [n for n in _ATOMS if i.opcode == "atom" or n not in ("exch", "cas")]
    op = m.need(*names)
    ty = m.type(*_ATOMS[op])
    m.end((3 if i.opcode == "atom" else 2) + (op == "cas"))
    operands = list(i.operands)
    dst = operands.pop(0) if i.opcode == "atom" else None
    c.put(f"A = {address_of(c, operands[0], space)}")
    c.put(f"X = T.load({space!r}, A, {ty.size})")
    if ty.kind == "f":
        total = f"floats.add(b2f{ty.width}(X), {c.float(operands[1], ty)}, {ty.width}, 'rn')"
        new = f"f2b{ty.width}({total})"
    else:
        b = c.bits(operands[1], ty)
        ones = (1 << ty.width) - 1
        signed = f"lambda n: (n ^ {1 << (ty.width - 1):#x}) - {1 << (ty.width - 1):#x}"
        new = {
            "add": f"X + {b} & {ones:#x}",
            "and": f"X & {b}",
            "or": f"X | {b}",
            "xor": f"X ^ {b}",
            "exch": b,
            "min": f"min(X, {b}{f', key={signed}' if ty.kind == 's' else ''})",
            "max": f"max(X, {b}{f', key={signed}' if ty.kind == 's' else ''})",
            "inc": f"0 if X >= {b} else X + 1",
            "dec": f"{b} if X == 0 or X > {b} else X - 1",
            "cas": f"{c.bits(operands[2], ty)} if X == {b} else X" if op == "cas" else "",
        }[op]
    c.put(f"T.store({space!r}, A, {ty.size}, {new})")
    if dst is not None:
        _assign(c, dst, ty, "X")
