"""Reads ``core::fmt::Arguments`` back: the message, and the places of what it shows.

rustc (1.95 and later) encodes a format string as bytes: 0x01 to 0x7f and that many bytes of
text; 0x80, a u16 and that many bytes of text; 0xc0 with bits for what follows, a placeholder
(1: u32 flags, 2: u16 width, 4: u16 precision, 8: u16 argument, 16 and 32: width and precision
are arguments); 0 ends it.
"""

from dataclasses import dataclass
from typing import final

from mirgpu.kir.module import FormatTrait
from mirgpu.lower.context import FnContext
from mirgpu.lower.literals import str_bytes
from mirgpu.lower.types import FLOATS, INTEGERS, last_name
from mirgpu.mir.syntax import (
    AdtAggregate,
    ArrayAggregate,
    Assign,
    Call,
    Cast,
    CBytes,
    Constant,
    Copy,
    CopyForDeref,
    CStr,
    Deref,
    FnItem,
    Index,
    Move,
    NameSeg,
    Operand,
    Place,
    Prim,
    QualifiedSeg,
    RawPtr,
    Ref,
    RefTy,
    Ty,
    Use,
)

ELLIPSIS = "{{…}}"
"""What stands for an operand that cannot be shown."""

_TRAITS = {
    "Display": FormatTrait.DISPLAY,
    "Debug": FormatTrait.DEBUG,
    "LowerHex": FormatTrait.LOWER_HEX,
    "UpperHex": FormatTrait.UPPER_HEX,
}
_SHOWN = ((INTEGERS | FLOATS) - {"i128", "u128", "f16", "f128"}) | {"bool", "char"}


@final
@dataclass(frozen=True, slots=True)
class Shown:
    """An operand of a message: a scalar at a place, or text known here."""

    place: Place | None
    ty: Ty | None
    trait: FormatTrait
    text: str | None


@final
@dataclass(frozen=True, slots=True)
class Placeholder:
    arg: int
    plain: bool
    """No width, precision or flags."""


def escape(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def decode(template: bytes) -> list[str | Placeholder] | None:
    """Text and placeholders of an encoded format string; none if it is not one."""
    out: list[str | Placeholder] = []
    at = arg = 0
    try:
        while True:
            byte = template[at]
            at += 1
            if byte == 0:
                return out
            if byte <= 0x80:
                size = byte
                if byte == 0x80:
                    size = int.from_bytes(template[at : at + 2], "little")
                    at += 2
                out.append(template[at : at + size].decode())
                at += size
                continue
            if byte < 0xC0:
                return None
            flags = 0xE0000020
            if byte & 1:
                flags = int.from_bytes(template[at : at + 4], "little")
                at += 4
            at += 2 * (bool(byte & 2) + bool(byte & 4))
            if byte & 8:
                arg = int.from_bytes(template[at : at + 2], "little")
                at += 2
            out.append(Placeholder(arg, byte & 0x37 == 0 and flags == 0xE0000020))
            arg += 1
    except (IndexError, UnicodeDecodeError):
        return None


@final
class Tracer:
    """Follows values backwards from a panic in block ``block``."""

    def __init__(self, fx: FnContext, block: int) -> None:
        self.fx = fx
        self.block = block

    # --------------------------------------------------------------------- definitions

    def definition(self, local: int) -> tuple[Assign | Call, int, int] | None:
        """What wrote a local: the last write in this block, else the only one there is."""
        found = self.fx.index.definitions.get(local, [])
        here = [d for d in found if d.block == self.block]
        if here:
            return here[-1].node, here[-1].block, here[-1].index
        if len(found) == 1:
            return found[0].node, found[0].block, found[0].index
        return None

    def source(self, node: Operand) -> object:
        """The rvalue, call or operand that a value comes from, through copies and casts."""
        for _ in range(32):
            if not isinstance(node, Copy | Move):
                return node
            place = node.place
            if place.projection:
                return node
            found = self.definition(place.local)
            if found is None:
                return node
            made = found[0]
            if isinstance(made, Call):
                return made
            match made.rvalue:
                case Use(inner) | Cast(_, inner, _):
                    node = inner
                case CopyForDeref(place):
                    node = Copy(place)
                case RawPtr(_, Place(local, (Deref(),))) | Ref(_, Place(local, (Deref(),))):
                    node = Copy(Place(local))
                case other:
                    return other
        return node

    def pointee(self, node: Operand) -> Place | None:
        """The place that a pointer value points to, safe to read at the end of the block."""
        best: Place | None = None
        for _ in range(32):
            if not isinstance(node, Copy | Move) or node.place.projection:
                break
            local = node.place.local
            if isinstance(self.fx.local_ty(local), RefTy):
                best = Place(local, (Deref(),))
            found = self.definition(local)
            if found is None or isinstance(found[0], Call):
                break
            made, block, index = found
            assert isinstance(made, Assign)
            match made.rvalue:
                case Use(inner) | Cast(_, inner, _):
                    node = inner
                case RawPtr(_, Place(base, (Deref(),))) | Ref(_, Place(base, (Deref(),))):
                    node = Copy(Place(base))
                case RawPtr(_, place) | Ref(_, place):
                    return place if self._stable(place, block, index) else best
                case _:
                    break
        return best

    def _stable(self, place: Place, block: int, index: int) -> bool:
        """Whether the place is the same one at the end of this block as at its borrow."""
        moving = {e.local for e in place.projection if isinstance(e, Index)}
        if any(isinstance(e, Deref) for e in place.projection):
            moving.add(place.local)
        for local in moving:
            for definition in self.fx.index.definitions.get(local, []):
                if block != self.block:
                    if len(self.fx.index.definitions[local]) > 1:
                        return False
                elif definition.block == block and definition.index > index:
                    return False
        return True

    # --------------------------------------------------------------------- arguments

    def arguments(self, node: Operand) -> tuple[str, list[Shown]] | None:
        """The message and operands of a ``fmt::Arguments`` value."""
        made = self.source(node)
        if isinstance(made, Call):
            return self._call(made)
        if not isinstance(made, AdtAggregate) or made.operands is None:
            return None
        if last_name(made.path) != "Arguments" or len(made.operands) != 2:
            return None
        return self._parts(made.operands[0], made.operands[1])

    def _call(self, call: Call) -> tuple[str, list[Shown]] | None:
        if not isinstance(call.func, FnItem):
            return None
        name = last_name(call.func.path)
        if name in ("from_str", "from_str_nonconst", "new_const") and len(call.args) == 1:
            text = self.text(call.args[0])
            return None if text is None else (escape(text), [])
        if name == "new" and len(call.args) == 2:
            return self._parts(call.args[0], call.args[1])
        return None

    def _parts(self, template: Operand, args: Operand) -> tuple[str, list[Shown]] | None:
        made = self.source(template)
        if not isinstance(made, Constant):
            return None
        match made.value:
            case CStr(text):
                return escape(str_bytes(text).decode("utf-8", "replace")), []
            case CBytes(data):
                pieces = decode(data)
            case _:
                return None
        if pieces is None:
            return None
        shown = self._array(args)
        message: list[str] = []
        used: list[Shown] = []
        for piece in pieces:
            if isinstance(piece, str):
                message.append(escape(piece))
                continue
            operand = shown[piece.arg] if piece.arg < len(shown) else None
            if operand is None or not piece.plain:
                message.append(ELLIPSIS)
            elif operand.text is not None:
                message.append(escape(operand.text))
            else:
                if operand not in used:
                    used.append(operand)
                message.append(f"{{{used.index(operand)}}}")
        return "".join(message), used

    def _array(self, node: Operand) -> list[Shown | None]:
        place = self._array_place(node)
        if place is None:
            return []
        found = self.definition(place.local)
        if found is None or not isinstance(found[0], Assign):
            return []
        made = found[0].rvalue
        if not isinstance(made, ArrayAggregate):
            return []
        return [self._argument(operand) for operand in made.operands]

    def _array_place(self, node: Operand) -> Place | None:
        place = self.pointee(node)
        return place if place is not None and not place.projection else None

    def _argument(self, node: Operand) -> Shown | None:
        made = self.source(node)
        if isinstance(made, Call):
            return self._new_argument(made)
        if isinstance(made, AdtAggregate) and made.operands and last_name(made.path) == "Argument":
            made = self.source(made.operands[0])
        if not isinstance(made, AdtAggregate) or made.operands is None:
            return None
        if last_name(made.path) != "Placeholder" or len(made.operands) < 2:
            return None
        formatter = self.source(made.operands[1])
        if not isinstance(formatter, FnItem):
            return None
        path = self.fx.types.path(formatter.path, self.fx.subst)
        head = path.segments[0]
        if not isinstance(head, QualifiedSeg) or head.trait is None:
            return None
        return self.shown(made.operands[0], head.self_ty, last_name(head.trait) or "")

    def _new_argument(self, call: Call) -> Shown | None:
        """``Argument::new_display::<T>(&x)``, where it was not inlined."""
        if not isinstance(call.func, FnItem) or len(call.args) != 1:
            return None
        path = self.fx.types.path(call.func.path, self.fx.subst)
        name = last_name(path) or ""
        last = path.segments[-1]
        args = last.args if isinstance(last, NameSeg) else None
        given = [a for a in getattr(args, "args", ()) if isinstance(a, Prim | RefTy)]
        if not name.startswith("new_") or not given:
            return None
        trait = "".join(word.capitalize() for word in name[4:].split("_"))
        return self.shown(call.args[0], given[-1], trait)

    def shown(self, node: Operand, ty: Ty, trait: str) -> Shown | None:
        """What ``node``, a pointer to a ``ty``, shows."""
        place = self.pointee(node)
        kind = _TRAITS.get(trait)
        if kind is None:
            return None
        if place is None:
            return None
        while isinstance(ty, RefTy):
            if isinstance(ty.pointee, Prim) and ty.pointee.name == "str":
                text = self.text(Copy(place)) if not place.projection else None
                if text is None:
                    return None
                return Shown(None, None, kind, text if trait == "Display" else _quoted(text))
            ty = ty.pointee
            place = Place(place.local, (*place.projection, Deref()))
        if isinstance(ty, Prim) and ty.name in _SHOWN:
            return Shown(place, ty, kind, None)
        return None

    def text(self, node: Operand) -> str | None:
        """The characters of a string that is a constant."""
        made = self.source(node)
        if isinstance(made, Constant) and isinstance(made.value, CStr):
            return str_bytes(made.value.text).decode("utf-8", "replace")
        return None


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
