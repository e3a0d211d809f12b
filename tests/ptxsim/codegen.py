"""What the translation of every instruction shares: operands as Python expressions, type checks.

A ``b u s`` register of n bits holds the int of its bits, an ``f`` register a float (see
``floats``), a predicate a bool.  A register that was never written is an unbound local variable.
"""

from collections.abc import Callable
from typing import Final, NoReturn, Protocol, final

from tests.ptxsim import floats
from tests.ptxsim.errors import PtxSyntaxError, PtxTypeError
from tests.ptxsim.parser import TYPES, float_bits
from tests.ptxsim.syntax import (
    Float,
    Instruction,
    Int,
    Not,
    Operand,
    Register,
    Sink,
    Special,
    Symbol,
    Type,
    Variable,
)

ONE_BIT: Final = TYPES["pred"]
U32: Final = TYPES["u32"]


class Place(Protocol):
    """Where variables are, as expressions."""

    def address(self, symbol: Symbol) -> tuple[str, str]:
        """The state space and the address in it."""

    def variable(self, variable: Variable) -> str:
        """The ``ParamVariable`` of a ``.param`` variable."""

    def access(self, variable: Variable, *, write: bool) -> str:
        """The same, for an access that is refused unless calls and returns go that way."""


@final
class Mods:
    """An instruction's modifiers, taken one by one; ``end`` refuses what is left."""

    def __init__(self, instruction: Instruction) -> None:
        self.instruction = instruction
        self.left = list(instruction.mods)

    def fail(self, message: str) -> NoReturn:
        name = ".".join((self.instruction.opcode, *self.instruction.mods))
        raise PtxSyntaxError(f"{name}: {message}", self.instruction.line)

    def take(self, *names: str) -> str:
        """The next modifier if it is one of these, else ``""``."""
        if self.left and self.left[0] in names:
            return self.left.pop(0)
        return ""

    def need(self, *names: str) -> str:
        found = self.take(*names)
        if not found:
            self.fail(f"expected one of {', '.join('.' + n for n in names)}")
        return found

    def type(self, *names: str) -> Type:
        return TYPES[self.need(*names)]

    def end(self, *operands: int) -> None:
        """No modifier is left, and the number of operands is one of these."""
        if self.left:
            self.fail(f"unknown modifier .{self.left[0]}")
        if len(self.instruction.operands) not in operands:
            self.fail(f"{len(self.instruction.operands)} operands")


@final
class Code:
    """Lines of Python, and for each the line of the PTX that it comes from."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.lines: list[str] = []
        self.origin: list[int] = []
        self.indent = 0
        self.line = 0
        self.shared_sizes: set[tuple[str, int]] = set()

    def put(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)
        self.origin.append(self.line)

    def fail(self, message: str) -> NoReturn:
        raise PtxTypeError(message, self.line)

    # ----------------------------------------------------------------------- reading

    def bits(self, operand: Operand, ty: Type, *, wider: bool = False) -> str:
        """The unsigned int of an operand of an instruction of type b, u or s.

        ``wider`` registers are chopped (st, cvt).
        """
        match operand:
            case Register(type=have, ident=ident):
                if have.kind == "f" and ty.kind == "b" and have.width == ty.width:
                    return ident if ty.width == 16 else f"f2b{ty.width}({ident})"
                if have.kind in "bus" and have.width == ty.width:
                    return ident
                if have.kind in "bus" and wider and have.width > ty.width:
                    return f"({ident} & {(1 << ty.width) - 1:#x})"
                return self.fail(f"register {operand.name} of type .{have} for .{ty}")
            case Int(value=value):
                if not -(1 << (ty.width - 1)) <= value < 1 << ty.width:
                    self.fail(f"{value} does not fit in .{ty}")
                return str(value & ((1 << ty.width) - 1))
            case Float():
                if ty.kind != "b":
                    self.fail(f"a float for .{ty}")
                return str(self.literal(operand, ty.width))
            case Special(name=name):
                return self.fail(f"{name} is read by mov only")
            case _:
                return self.fail(f"not an operand of type .{ty}")

    def literal(self, operand: Float, width: int) -> int:
        """The bits of a float literal."""
        return float_bits(operand, width, self.line)

    def signed(self, operand: Operand, ty: Type, *, wider: bool = False) -> str:
        """As ``bits``, as a signed int."""
        if isinstance(operand, Int):
            bits = int(self.bits(operand, ty))
            return f"({bits - (1 << ty.width) if bits >> (ty.width - 1) else bits})"
        top = 1 << (ty.width - 1)
        return f"(({self.bits(operand, ty, wider=wider)} ^ {top:#x}) - {top:#x})"

    def number(self, operand: Operand, ty: Type, *, wider: bool = False) -> str:
        """As the type says: signed for s."""
        if ty.kind == "s":
            return self.signed(operand, ty, wider=wider)
        return self.bits(operand, ty, wider=wider)

    def float(self, operand: Operand, ty: Type) -> str:
        match operand:
            case Register(type=have, ident=ident):
                if have.width == ty.width and have.kind == "f":
                    return ident if ty.width != 16 else f"b2f16({ident})"
                if have.width == ty.width and have.kind == "b":
                    return f"b2f{ty.width}({ident})"
                return self.fail(f"register {operand.name} of type .{have} for .{ty}")
            case Float():
                bits = self.literal(operand, ty.width)
                value = floats.bits_to_float(bits, ty.width)
                if value != value:
                    return f"b2f{ty.width}({bits})"
                return {float("inf"): "INF", -float("inf"): "(-INF)"}.get(value, f"({value!r})")
            case _:
                return self.fail(f"not an operand of type .{ty}")

    def pred(self, operand: Operand) -> str:
        match operand:
            case Register(type=Type(kind="pred"), ident=ident):
                return ident
            case Not(register=Register(type=Type(kind="pred"), ident=ident)):
                return f"(not {ident})"
            case Int(value=value):
                return str(value != 0)
            case _:
                return self.fail("not a predicate")

    def value(self, operand: Operand, ty: Type) -> str:
        """For instructions that only move: the register's own form, floats as they are."""
        if ty.kind == "pred":
            return self.pred(operand)
        if isinstance(operand, Register) and fits(operand.type, ty):
            return operand.ident
        if ty.kind == "f" and ty.width != 16:
            return self.float(operand, ty)
        return self.bits(operand, ty)

    # ----------------------------------------------------------------------- writing

    def set_bits(self, dst: Operand, ty: Type, text: str, *, wider: bool = False) -> None:
        """Assign the unsigned int ``text`` of ``ty``.

        A ``wider`` register gets it extended, by its sign for s (ld, cvt).
        """
        if isinstance(dst, Sink):
            self.put(text)
            return
        if not isinstance(dst, Register):
            self.fail("the destination is a register")
        have = dst.type
        if have.kind in "bus" and have.width == ty.width:
            self.put(f"{dst.ident} = {text}")
        elif have.kind in "bus" and wider and have.width > ty.width:
            if ty.kind == "s":
                text = f"extend({text}, {ty.width}, {have.width})"
            self.put(f"{dst.ident} = {text}")
        elif have.kind == "f" and ty.kind == "b" and have.width == ty.width:
            self.put(f"{dst.ident} = {text if ty.width == 16 else f'u2f{ty.width}({text})'}")
        else:
            self.fail(f"register {dst.name} of type .{have} for a result of .{ty}")

    def set_float(self, dst: Operand, ty: Type, text: str) -> None:
        if not isinstance(dst, Register):
            self.fail("the destination is a register")
        have = dst.type
        if have.width != ty.width or have.kind not in "fb" or have.width == 16:
            self.fail(f"register {dst.name} of type .{have} for a result of .{ty}")
        self.put(f"{dst.ident} = {text if have.kind == 'f' else f'f2u{ty.width}({text})'}")

    def set_pred(self, dst: Operand, text: str) -> None:
        if isinstance(dst, Sink):
            return
        if not isinstance(dst, Register) or dst.type.kind != "pred":
            self.fail("the destination is a predicate register")
        self.put(f"{dst.ident} = {text}")

    def set_value(self, dst: Operand, ty: Type, source: Operand) -> None:
        """Move ``source``: bit-exact, undefined or not."""
        if isinstance(dst, Register) and isinstance(source, Register):
            if not (fits(dst.type, ty) and fits(source.type, ty)):
                self.fail(f"registers of type .{dst.type} and .{source.type} for .{ty}")
            have, want = source.type.kind == "f", dst.type.kind == "f"
            if have == want or ty.width == 16:
                self.put(f"{dst.ident} = {source.ident}")
            else:
                self.put(f"{dst.ident} = {'f2u' if have else 'u2f'}{ty.width}({source.ident})")
        elif ty.kind == "pred":
            self.set_pred(dst, self.pred(source))
        elif ty.kind == "f" and ty.width != 16:
            self.set_float(dst, ty, self.float(source, ty))
        else:
            self.set_bits(dst, ty, self.bits(source, ty))


def fits(register: Type, ty: Type) -> bool:
    """Whether ptxas takes such a register for an operand of type ``ty``."""
    if register == ty:
        return True
    if register.width != ty.width or "pred" in (register.kind, ty.kind):
        return False
    if "b" in (register.kind, ty.kind):
        return True
    return register.kind in "us" and ty.kind in "us"


Handler = Callable[[Code, Instruction, Mods], None]
HANDLERS: Final[dict[str, Handler]] = {}


def opcode(*names: str) -> Callable[[Handler], Handler]:
    """Register the translation of these opcodes."""

    def register(handler: Handler) -> Handler:
        for name in names:
            assert name not in HANDLERS
            HANDLERS[name] = handler
        return handler

    return register


def python_name(name: str) -> str:
    """A PTX name as a Python function's."""
    return "f_" + "".join(c if c.isalnum() else f"_{ord(c):x}_" for c in name)
