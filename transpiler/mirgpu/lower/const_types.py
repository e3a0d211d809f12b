"""The types of MIR constants, which their text only tells in part."""

from mirgpu.lower.context import Round
from mirgpu.lower.errors import LowerError
from mirgpu.lower.known import ENUMS
from mirgpu.lower.types import Subst, parent, path_key, std_key
from mirgpu.mir.syntax import (
    AnonItemDef,
    ArrayTy,
    CAdtStruct,
    CAdtTuple,
    CAlloc,
    CArray,
    CBool,
    CBytes,
    CChar,
    CFloat,
    CFnPtr,
    CIndirect,
    CInt,
    CIntPtr,
    ConstItemDef,
    CPath,
    CPattern,
    CRepeat,
    CScalar,
    CSlice,
    CStr,
    CTransmute,
    CTuple,
    CUnreachable,
    CValue,
    CZeroSized,
    NameSeg,
    Path,
    PathTy,
    QualifiedSeg,
    RefTy,
    TupleTy,
    Ty,
)


class ConstantTypes:
    """Types constants under one substitution."""

    def __init__(self, round_: Round, subst: Subst) -> None:
        self.round = round_
        self.types = round_.crate.types
        self.layouts = round_.crate.layouts
        self.bodies = round_.crate.bodies
        self.subst = subst

    def ty(self, ty: Ty) -> Ty:
        return self.types.mono(ty, self.subst)

    def type_of(self, value: CValue, expected: Ty | None) -> Ty:
        match value:
            case CInt(_, suffix) | CFloat(_, suffix):
                if suffix is not None:
                    return self.types.prim(suffix)
            case CBool():
                return self.types.bool
            case CChar():
                return self.types.prim("char")
            case CStr():
                return self.types.str_ref
            case CBytes(data, deref):
                if expected is None:
                    array = self.types.intern(ArrayTy(self.types.u8, CInt(len(data), None)))
                    return array if deref else self.types.intern(RefTy(False, array))
            case CTuple(elems):
                if not elems:
                    return self.types.unit
                if expected is None:
                    return self.types.intern(TupleTy(tuple(self.type_of(e, None) for e in elems)))
            case CArray(elems):
                if expected is None and elems:
                    elem = self.type_of(elems[0], None)
                    return self.types.intern(ArrayTy(elem, CInt(len(elems), None)))
            case CRepeat(elem_value, count):
                if expected is None:
                    elem = self.type_of(elem_value, None)
                    n = self.types.length(count, self.subst)
                    return self.types.intern(ArrayTy(elem, CInt(n, None)))
            case CAdtTuple(path) | CAdtStruct(path):
                return self.adt(path, expected)[0]
            case CPath(path):
                return self._path_type(path, expected)
            case (
                CAlloc(ty=ty)
                | CIntPtr(ty=ty)
                | CFnPtr(ty=ty)
                | CTransmute(ty=ty)
                | CUnreachable(ty=ty)
                | CZeroSized(ty=ty)
                | CIndirect(ty=ty)
                | CScalar(ty=ty)
                | CSlice(ty=ty)
            ):
                return self.ty(ty)
            case CPattern(inner):
                return self.type_of(inner, expected)
            case _:
                pass
        if expected is None:
            raise LowerError("MG0311", "the type of a constant is not clear from the MIR text")
        return expected

    def _path_type(self, path: Path, expected: Ty | None) -> Ty:
        mono = self.types.path(path, self.subst)
        param = self._param(path)
        if param is not None:
            return self.type_of(param, expected)
        known = self.sized_property(mono)
        if known is not None:
            return known[0]
        instance = self.bodies.constant(mono)
        if instance is not None and isinstance(instance.item, ConstItemDef | AnonItemDef):
            return self.types.mono(instance.item.ty, instance.subst)
        if expected is not None:
            return expected
        return self.adt(path, None)[0]

    def sized_property(self, mono: Path) -> tuple[Ty, int] | None:
        """``<T as SizedTypeProperties>::IS_ZST`` and kin, which core asks in generics."""
        head, last = mono.segments[0], mono.segments[-1]
        if (
            not isinstance(head, QualifiedSeg)
            or head.trait is None
            or std_key(head.trait) != "mem::SizedTypeProperties"
            or not isinstance(last, NameSeg)
        ):
            return None
        if last.name == "IS_ZST":
            return self.types.bool, int(self.layouts.is_zst(head.self_ty))
        if last.name in ("SIZE", "ALIGN"):
            layout = self.layouts.exact(head.self_ty, "its size")
            return self.types.usize, layout.size if last.name == "SIZE" else layout.align
        return None

    def _param(self, path: Path) -> CValue | None:
        """The value of a constant parameter."""
        if len(path.segments) == 1 and isinstance(path.segments[0], NameSeg):
            name = path.segments[0].name
            found = self.subst.mapping.get(name)
            if isinstance(found, CInt):
                known = self.subst.const_types.get(name)
                if known is None:
                    known = self.round.crate.info.const_params.get(name)
                if known == "" or (known is None and found.value < 0):
                    raise LowerError(
                        "MG0311",
                        f"the type of the constant parameter `{name}` is not clear",
                        help="give it a primitive type, and parameters of other types other names",
                    )
                return CInt(found.value, known)
            if isinstance(found, CBool | CChar):
                return found
        return None

    def adt(self, path: Path, expected: Ty | None) -> tuple[Ty, str]:
        """The type that a value path builds, and the variant's name (empty for a struct)."""
        mono = self.types.path(path, self.subst)
        key = path_key(mono)
        owner = parent(mono)
        owner_key = path_key(owner) if owner.segments else None
        last = mono.segments[-1]
        name = last.name if isinstance(last, NameSeg) else ""
        if isinstance(expected, PathTy):
            want = path_key(expected.path) or ""
            if _spells(key, want):
                return expected, ""
            if _spells(owner_key, want):
                return expected, name
        adts = self.round.crate.info.adts
        if key in adts and adts[key].kind != "enum":
            return self.types.intern(PathTy(mono)), ""
        if owner.segments and (
            std_key(owner) in ENUMS or (owner_key in adts and adts[owner_key].kind == "enum")
        ):
            return self.types.intern(PathTy(owner)), name
        before = owner.segments[-1] if owner.segments else None
        if isinstance(before, NameSeg) and before.name[:1].isupper():
            return self.types.intern(PathTy(owner)), name
        return self.types.intern(PathTy(mono)), ""


def _spells(path: str | None, full: str) -> bool:
    """Whether a path means the type of path ``full``: rustc may cut it to its last names."""
    return path is not None and (full == path or full.endswith(f"::{path}"))
