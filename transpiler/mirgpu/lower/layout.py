"""Layouts: rustc's own where known, else chosen so that the module agrees with itself.

A chosen layout is only good for memory that no host and no cast sees byte by byte; whoever
needs such a view asks with ``exact``, and gets an error where rustc could not say.

Lowering runs in rounds: what a round learns (fields of library types as they appear in MIR,
types whose exact layout is needed) goes into the layouts of the next one, until nothing is
new.  A round that starts with everything known is the last.
"""

from collections.abc import Mapping
from typing import final

from mirgpu.kir.types import size_of
from mirgpu.lower import known
from mirgpu.lower.crate_info import CrateInfo, LayoutOracle, TagLayout, TypeLayout
from mirgpu.lower.errors import LowerError
from mirgpu.lower.layout_data import Layout, Seen, Variant
from mirgpu.lower.types import (
    Subst,
    Types,
    is_fat,
    is_unsized,
    iterated,
    path_args,
    path_key,
    scalar_type,
    std_key,
    type_args,
)
from mirgpu.mir.syntax import (
    ArrayTy,
    CInt,
    DefTy,
    FnDefTy,
    NameSeg,
    PathTy,
    PatternTy,
    Prim,
    QualifiedSeg,
    RawPtrTy,
    RefTy,
    SliceTy,
    TupleTy,
    Ty,
)

_UNKNOWN = "MG0320"


@final
class Layouts:
    def __init__(self, types: Types, info: CrateInfo, oracle: LayoutOracle | None) -> None:
        self.types = types
        self.info = info
        self.oracle = oracle
        self.dirty = False
        """Set when a layout was used before all that decides it was known."""
        self._rustc: dict[str, TypeLayout] = dict(info.layouts)
        self._asked: set[str] = set()
        self._twins = tuple(tuple(path.split("::")) for path in info.twins)
        self._cache: dict[int, Layout] = {}
        self._seen: dict[int, Seen] = {}
        self._nominal: dict[int, Ty] = {}
        self._settled: dict[int, int] = {}
        self._wanted: dict[int, Ty] = {}
        self._field_types: dict[int, tuple[tuple[Ty, ...], ...] | None] = {}

    # ------------------------------------------------------------------ between rounds

    def settle(self) -> None:
        """Take in what the round has learnt; asks rustc at most once."""
        self.dirty = False
        if self.oracle is not None and self._wanted:
            texts = {}
            for ty in self._nominal.values():
                text = self.types.text(ty)
                if text not in self._asked and text not in self._rustc:
                    seen = self._seen.get(id(ty))
                    texts[text] = frozenset(seen.variants if seen else ())
            if texts:
                self._asked.update(texts)
                named = {text: names for text, names in texts.items() if names}
                self._rustc.update(self.oracle.resolve(tuple(texts), named))
        self._wanted.clear()
        self._cache.clear()
        self._settled = {
            key: sum(map(len, seen.fields.values())) + len(seen.variants)
            for key, seen in self._seen.items()
        }

    # ----------------------------------------------------------------------- learning

    def _note(self, ty: Ty) -> Seen:
        seen = self._seen.get(id(ty))
        if seen is None:
            seen = self._seen[id(ty)] = Seen()
        return seen

    def see_field(self, ty: Ty, variant: str, index: int, field_ty: Ty) -> None:
        """MIR shows that field ``index`` of ``ty`` (of its variant) has this type."""
        if not isinstance(ty, PathTy | DefTy):
            return
        shown = self._note(ty).fields.setdefault(variant, {})
        before = shown.get(index)
        if before is None:
            shown[index] = field_ty
            self._touch(ty)
        elif before is not field_ty and not self._note(ty).union and not variant:
            self._note(ty).union = True
            self._touch(ty)

    def see_names(self, ty: Ty, variant: str, names: tuple[str, ...]) -> None:
        if isinstance(ty, PathTy | DefTy):
            self._note(ty).names.setdefault(variant, names)

    def see_variant(self, ty: Ty, name: str) -> None:
        seen = self._note(ty)
        if name not in seen.variants:
            seen.variants.append(name)
            self._touch(ty)

    def _touch(self, ty: Ty) -> None:
        """A fact came after a layout was made from the facts: that layout was too early."""
        layout = self._cache.get(id(ty))
        if layout is not None and not layout.exact and self._from_facts(ty):
            self.dirty = True

    def _from_facts(self, ty: Ty) -> bool:
        """Whether the chosen layout of ``ty`` depends on what MIR shows of it."""
        return self._definition(ty) is None

    # ------------------------------------------------------------------------ answers

    def of(self, ty: Ty) -> Layout:
        found = self._cache.get(id(ty))
        if found is None:
            found = self._cache[id(ty)] = self._compute(ty)
        return found

    def exact(self, ty: Ty, why: str) -> Layout:
        """rustc's layout; ``why`` says what looks at the bytes."""
        layout = self.of(ty)
        if layout.exact:
            return layout
        if self.oracle is not None and self._unasked(ty):
            self._wanted[id(ty)] = ty
            self.dirty = True
            return layout
        raise LowerError(
            "MG0321",
            f"the layout of `{self.types.text(ty)}` is not known, and {why} needs it",
            help="transpile the Rust source, or a dump made by `mirgpu transpile --emit mir`, "
            "which carries layouts; or mark the type `#[repr(C)]` with public fields",
        )

    def _unasked(self, ty: Ty) -> bool:
        """Whether some part of ``ty`` that is not exact has not been asked of rustc yet."""
        match ty:
            case ArrayTy(elem) | SliceTy(elem):
                return self._unasked(elem)
            case PathTy() | DefTy() | TupleTy():
                text = self.types.text(ty)
                if text not in self._asked and text not in self._rustc:
                    return True
                return any(self._unasked(p) for p in self._parts(ty))
            case _:
                return False

    def _parts(self, ty: Ty) -> tuple[Ty, ...]:
        return ty.elems if isinstance(ty, TupleTy) else ()

    def is_zst(self, ty: Ty) -> bool:
        return self.of(ty).size == 0 and not is_unsized(ty)

    # -------------------------------------------------------------------- computation

    def _compute(self, ty: Ty) -> Layout:
        scalar = scalar_type(ty)
        if scalar is not None:
            size = size_of(scalar)
            return Layout(size, size, True, scalar=scalar)
        if is_fat(ty):
            return Layout(16, 8, True, fat=True)
        match ty:
            case Prim("!" | "str"):
                return Layout(0, 1, True)
            case FnDefTy():
                return Layout(0, 1, True)
            case SliceTy(elem):
                inner = self.of(elem)
                return Layout(0, inner.align, inner.exact)
            case ArrayTy(elem, length):
                inner = self.of(elem)
                assert isinstance(length, CInt)
                return Layout(inner.size * length.value, inner.align, inner.exact)
            case PatternTy(base):
                return self.of(base)
            case TupleTy(elems):
                return self._tuple(ty, elems)
            case PathTy() | DefTy():
                return self._nominal_layout(ty)
            case _:
                raise LowerError(
                    "MG0302", f"values of type `{self.types.text(ty)}` are not supported"
                )

    def _tuple(self, ty: Ty, elems: tuple[Ty, ...]) -> Layout:
        solid = [e for e in elems if not self.is_zst(e)]
        if len(solid) > 1:
            self._nominal[id(ty)] = ty
            told = self._rustc.get(self.types.text(ty))
            if told is not None:
                return self._told(ty, told)
        return self._sequence("", elems, exact=len(solid) <= 1)

    def _sequence(self, name: str, elems: tuple[Ty, ...], exact: bool) -> Layout:
        """Fields one after the other; exact only where there is no choice."""
        at, align, offsets = 0, 1, {}
        for index, elem in enumerate(elems):
            inner = self.of(elem)
            at = _round_up(at, inner.align)
            offsets[index] = at
            at += inner.size
            align = max(align, inner.align)
            exact = exact and inner.exact
        variant = Variant(name, 0, offsets, True)
        return Layout(_round_up(at, align), align, exact, variants=(variant,))

    def _nominal_layout(self, ty: PathTy | DefTy) -> Layout:
        if isinstance(ty, PathTy) and isinstance(ty.path.segments[0], QualifiedSeg):
            raise LowerError(
                "MG0332",
                f"which type `{self.types.text(ty)}` is, the MIR text does not tell",
                help="give the function a parameter for that type, or mark it `#[inline]`",
            )
        if self._twins:
            self._check_twins(ty)
        wrapped = self.peel_once(ty)
        if wrapped is not None:
            inner = self.of(wrapped)
            zero = dict.fromkeys(range(4), 0)
            return Layout(
                inner.size, inner.align, inner.exact, variants=(Variant("", 0, zero, True),)
            )
        key = std_key(ty.path) if isinstance(ty, PathTy) else None
        if key is not None and key.startswith("marker::Phantom"):
            return Layout(0, 1, True, variants=(Variant("", 0, {}, True),))
        if key == "cmp::Ordering":
            variants = tuple(Variant(n, d, {}, True) for n, d, _ in known.ENUMS[key])
            return Layout(1, 1, True, variants=variants, tag=TagLayout(0, 1, (255, 0, 1), None))
        if key == "option::Option":
            niche = self._null_niche(ty)
            if niche is not None:
                return niche
        data = iterated(ty)
        if data is not None:
            return self._array_iter(data)
        self._nominal[id(ty)] = ty
        told = self._rustc.get(self.types.text(ty))
        if told is not None:
            return self._told(ty, told)
        return self._chosen(ty)

    def _check_twins(self, ty: PathTy | DefTy) -> None:
        if not isinstance(ty, PathTy):
            return
        names = [seg.name for seg in ty.path.segments if isinstance(seg, NameSeg)]
        if any(tuple(names[-len(twin) :]) == twin for twin in self._twins):
            raise LowerError(
                "MG0323",
                f"two types are named `{self.types.text(ty)}`, and the MIR text does not tell "
                "which is meant",
                help="name the types that are declared in one function differently",
            )

    def _array_iter(self, data: Ty) -> Layout:
        """The range of live elements, then the array: at one place for every length."""
        inner = self.of(data)
        at = _round_up(16, inner.align)
        align = max(8, inner.align)
        variant = Variant("", 0, {0: 0, 1: at}, True)
        return Layout(_round_up(at + inner.size, align), align, False, variants=(variant,))

    def _null_niche(self, ty: PathTy | DefTy) -> Layout | None:
        """``Option`` of a reference, NonNull or NonZero: the size of its payload, 0 is None."""
        assert isinstance(ty, PathTy)
        args = type_args(ty.path)
        if not args:
            return None
        inner = args[0]
        key = std_key(inner.path) if isinstance(inner, PathTy) else None
        if isinstance(inner, RefTy) or key in known.POINTERS:
            width = 8
        elif key == "num::NonZero":
            width = self.of(inner).size
        else:
            return None
        payload = self.of(inner)
        variants = (Variant("None", 0, {}, True), Variant("Some", 1, {0: 0}, True))
        tag = TagLayout(0, width, (0, 0), 1)
        return Layout(payload.size, payload.align, payload.exact, variants=variants, tag=tag)

    def _told(self, ty: Ty, told: TypeLayout) -> Layout:
        """A layout that rustc gave; fields are matched by name where MIR shows names."""
        variants = []
        for variant in told.variants:
            key = variant.name if told.kind == "enum" else ""
            names = self.source_names(ty, key)
            by_name = {f.name: f.offset for f in variant.fields}
            if names is not None and set(names) == set(by_name) and len(names) == len(by_name):
                offsets = {i: by_name[name] for i, name in enumerate(names)}
            else:
                offsets = {i: f.offset for i, f in enumerate(variant.fields)}
            if told.kind == "union":
                offsets = dict.fromkeys(range(max(len(offsets), 8)), 0)
            variants.append(Variant(variant.name, variant.discriminant, offsets, variant.inhabited))
        return Layout(told.size, told.align, True, variants=tuple(variants), tag=told.tag)

    def source_names(self, ty: Ty, variant: str) -> tuple[str, ...] | None:
        seen = self._seen.get(id(ty))
        if seen is not None and variant in seen.names:
            return seen.names[variant]
        if isinstance(ty, PathTy):
            adt = self.info.adts.get(path_key(ty.path) or "")
            if adt is not None:
                for name, _, adt_fields in adt.variants:
                    if name == variant or adt.kind != "enum":
                        return tuple(field for field, _ in adt_fields)
        return None

    def _chosen(self, ty: PathTy | DefTy) -> Layout:
        definition = self._definition(ty)
        if definition is not None:
            if self.is_enum(ty):
                return self._chosen_enum(definition, exact=True)
            fields = definition[0][2] if definition else ()
            if self.is_union(ty):
                return self._union(fields, exact=True)
            solid = [f for f in fields if not self.is_zst(f)]
            return self._sequence("", fields, exact=len(solid) == 0)
        seen = self._note(ty)
        facts = sum(map(len, seen.fields.values())) + len(seen.variants)
        if self._settled.get(id(ty)) != facts:
            self.dirty = True
        if seen.variants:
            variants = tuple(
                (name, None, tuple(_dense(seen.fields.get(name, {}), self.types.unit)))
                for name in seen.variants
            )
            return self._chosen_enum(variants, exact=False)
        fields = tuple(_dense(seen.fields.get("", {}), self.types.unit))
        if seen.union:
            return self._union(fields, exact=False)
        return self._sequence("", fields, exact=False)

    def _union(self, fields: tuple[Ty, ...], exact: bool) -> Layout:
        inner = [self.of(f) for f in fields]
        align = max((f.align for f in inner), default=1)
        size = _round_up(max((f.size for f in inner), default=0), align)
        exact = exact and all(f.exact for f in inner)
        offsets = dict.fromkeys(range(max(len(inner), 8)), 0)
        return Layout(size, align, exact, variants=(Variant("", 0, offsets, True),))

    def _chosen_enum(
        self, definition: tuple[tuple[str, int | None, tuple[Ty, ...]], ...], *, exact: bool
    ) -> Layout:
        """A tag, then the payloads side by side: nothing overlaps, so all can be split."""
        inhabited = [not any(self._uninhabited(f) for f in fields) for _, _, fields in definition]
        single = sum(inhabited) <= 1
        at, align = (0, 1) if single else (4, 4)
        variants = []
        for (name, discriminant, fields), live in zip(definition, inhabited, strict=True):
            offsets = {}
            for index, field in enumerate(fields):
                inner = self.of(field)
                at = _round_up(at, inner.align)
                offsets[index] = at
                at += inner.size
                align = max(align, inner.align)
            variants.append(Variant(name, discriminant, offsets, live))
        tag = None if single else TagLayout(0, 4, tuple(range(len(variants))), None)
        size = _round_up(at, align)
        return Layout(size, align, exact and size == 0, variants=tuple(variants), tag=tag)

    # ------------------------------------------------------------------- definitions

    def is_enum(self, ty: Ty) -> bool:
        if not isinstance(ty, PathTy):
            return False
        if std_key(ty.path) in known.ENUMS:
            return True
        adt = self.info.adts.get(path_key(ty.path) or "")
        if adt is not None:
            return adt.kind == "enum"
        told = self._rustc.get(self.types.text(ty))
        if told is not None:
            return told.kind == "enum"
        seen = self._seen.get(id(ty))
        return seen is not None and bool(seen.variants)

    def is_union(self, ty: Ty) -> bool:
        if not isinstance(ty, PathTy):
            return False
        if std_key(ty.path) in known.UNIONS:
            return True
        adt = self.info.adts.get(path_key(ty.path) or "")
        if adt is not None:
            return adt.kind == "union"
        told = self._rustc.get(self.types.text(ty))
        if told is not None:
            return told.kind == "union"
        seen = self._seen.get(id(ty))
        return seen is not None and seen.union

    def _definition(self, ty: Ty) -> tuple[tuple[str, int | None, tuple[Ty, ...]], ...] | None:
        """Variants with their discriminants and field types, from a definition."""
        if not isinstance(ty, PathTy):
            return None
        key = std_key(ty.path)
        if key in known.ENUMS:
            args = type_args(ty.path)
            unit = self.types.unit
            return tuple(
                (name, disc, tuple(args[i] if i < len(args) else unit for i in indices))
                for name, disc, indices in known.ENUMS[key]
            )
        adt = self.info.adts.get(path_key(ty.path) or "")
        if adt is None:
            return None
        names = [g for g in adt.generics if not g.startswith("'")]
        args_ = path_args(ty.path)
        if len(names) != len(args_):
            return None
        cached = self._field_types.get(id(ty))
        if cached is None:
            subst = Subst(dict(zip(names, args_, strict=True)))
            cached = self._field_types[id(ty)] = tuple(
                tuple(self.types.parse(text, subst) for _, text in fields)
                for _, _, fields in adt.variants
            )
        return tuple(
            (name, disc, types) for (name, disc, _), types in zip(adt.variants, cached, strict=True)
        )

    def is_defined(self, ty: Ty) -> bool:
        """Whether all fields are known, not only those that MIR shows."""
        return isinstance(ty, TupleTy) or self._definition(ty) is not None

    def field_types(self, ty: Ty) -> tuple[Ty, ...]:
        """The types of all fields that are known, of all variants."""
        if isinstance(ty, TupleTy):
            return ty.elems
        definition = self._definition(ty)
        if definition is not None:
            return tuple(f for _, _, fields in definition for f in fields)
        seen = self._seen.get(id(ty))
        if seen is None:
            return ()
        return tuple(f for fields in seen.fields.values() for f in fields.values())

    def variant_fields(self, ty: Ty, variant: str) -> tuple[Ty, ...] | None:
        """The field types of a struct (``variant`` empty) or variant, where defined."""
        if isinstance(ty, TupleTy):
            return ty.elems
        definition = self._definition(ty)
        if definition is not None:
            for name, _, fields in definition:
                if name == variant or not self.is_enum(ty):
                    return fields
            return None
        seen = self._seen.get(id(ty))
        if seen is None or variant not in seen.fields:
            return None
        return tuple(_dense(seen.fields[variant], self.types.unit))

    def _uninhabited(self, ty: Ty) -> bool:
        if ty is self.types.never:
            return True
        if isinstance(ty, TupleTy):
            return any(self._uninhabited(e) for e in ty.elems)
        if isinstance(ty, PathTy):
            if std_key(ty.path) == "convert::Infallible":
                return True
            adt = self.info.adts.get(path_key(ty.path) or "")
            return adt is not None and adt.kind == "enum" and not adt.variants
        return False

    def variant_index(self, ty: Ty, variant: str | int) -> int:
        if isinstance(variant, int):
            return variant
        self.see_variant(ty, variant)
        for index, known_variant in enumerate(self.of(ty).variants):
            if known_variant.name == variant:
                return index
        if self._is_final(ty):
            raise LowerError(
                _UNKNOWN, f"the layout of `{self.types.text(ty)}` lacks its variant {variant}"
            )
        self.dirty = True
        return 0

    def variant_name(self, ty: Ty, index: int) -> str:
        """The name of a variant that MIR gives by its number."""
        variants = self.of(ty).variants
        if not self._is_final(ty) or index >= len(variants):
            raise LowerError(
                "MG0322",
                f"the variants of `{self.types.text(ty)}` are not in the MIR text",
                help="transpile the Rust source, or a dump made by `mirgpu transpile --emit mir`",
            )
        return variants[index].name

    def _is_final(self, ty: Ty) -> bool:
        """Whether nothing that MIR may still show changes the layout of ``ty``."""
        return self.of(ty).exact or not self._from_facts(ty)

    def field_offset(self, ty: Ty, variant: int | None, index: int, field_ty: Ty) -> int:
        layout = self.of(ty)
        at = 0 if variant is None else variant
        if at < len(layout.variants):
            offset = layout.variants[at].offsets.get(index)
            if offset is not None:
                return offset
        if self.is_zst(field_ty):
            return 0
        if self._is_final(ty):
            raise LowerError(
                _UNKNOWN, f"the layout of `{self.types.text(ty)}` lacks its field {index}"
            )
        self.dirty = True
        return 0

    # ------------------------------------------------------------------------- peeling

    def peel_once(self, ty: Ty) -> Ty | None:
        """The type that a transparent library wrapper has the layout of."""
        if not isinstance(ty, PathTy):
            return None
        key = std_key(ty.path)
        if key is None:
            return None
        if key in known.POINTERS:
            args = type_args(ty.path)
            return self.types.intern(RawPtrTy(False, args[0])) if args else None
        if key.startswith("num::niche_types::"):
            return self._niche_int(key)
        if known.is_wrapper(key):
            args = type_args(ty.path)
            return args[0] if args else None
        return None

    def _niche_int(self, key: str) -> Ty | None:
        name = key.rpartition("::")[2]
        for width in ("128", "64", "32", "16", "8", "size"):
            for sign in "UI":
                if (sign + width).lower() in name.lower():
                    return self.types.prim((sign + width).lower())
        return None

    def peel(self, ty: Ty) -> Ty:
        """``ty`` without transparent wrappers, inside arrays and slices too."""
        while True:
            inner = self.peel_once(ty)
            if inner is None:
                break
            ty = inner
        match ty:
            case ArrayTy(elem, length):
                return self.types.intern(ArrayTy(self.peel(elem), length))
            case SliceTy(elem):
                return self.types.intern(SliceTy(self.peel(elem)))
            case _:
                return ty

    def same_bytes(self, a: Ty, b: Ty, why: str) -> None:
        """Check that memory of type ``a`` may be seen as ``b``: raises where it may not."""
        if a is b or self.peel(a) is self.peel(b):
            return
        self.exact(a, why)
        self.exact(b, why)


def _round_up(value: int, align: int) -> int:
    return (value + align - 1) // align * align


def _dense(fields: Mapping[int, Ty], filler: Ty) -> list[Ty]:
    """Field types by index; those that no MIR showed take no space."""
    return [fields.get(i, filler) for i in range(max(fields) + 1)] if fields else []
