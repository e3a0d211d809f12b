"""From a path at a call to the body it means, with what that body's parameters stand for.

Who a body is comes from rustc (``CrateInfo.bodies``).  In a raw dump, which has no such
facts, a body is found by its header's path, and one in an impl by its name and signature,
if exactly one fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar, final

from mirgpu.lower.crate_info import BodyInfo, CrateInfo
from mirgpu.lower.errors import LowerError
from mirgpu.lower.headers import (
    capitals,
    is_library,
    no_lifetimes,
    own_args,
    plain,
    trait_args,
)
from mirgpu.lower.impls import Identities, Impl
from mirgpu.lower.types import (
    Subst,
    Types,
    last_name,
    parent,
    path_args,
    path_key,
    unify,
)
from mirgpu.mir.dump import Dump, ItemHeader, ItemKind
from mirgpu.mir.syntax import (
    AnonItemDef,
    CInt,
    Constant,
    ConstItemDef,
    DefTy,
    DisambSeg,
    FnItemDef,
    GenericArg,
    Item,
    NameSeg,
    Path,
    PathTy,
    PromotedSeg,
    QualifiedSeg,
    RefTy,
    StaticItemDef,
    Ty,
)


@final
@dataclass(frozen=True, slots=True)
class Instance:
    """A body and what its generic parameters stand for."""

    header: ItemHeader
    item: Item
    subst: Subst

    @property
    def fn(self) -> FnItemDef:
        assert isinstance(self.item, FnItemDef)
        return self.item


_T = TypeVar("_T")


def _bind(names: Sequence[str], given: Sequence[GenericArg]) -> dict[str, GenericArg]:
    """What each parameter stands for.  ``impl Trait`` arguments are named by their text."""
    out: dict[str, GenericArg] = {}
    for name, arg in zip(names, given, strict=True):
        if out.setdefault(name, arg) != arg:
            raise LowerError(
                "MG0331",
                f"two arguments of one call are `{name}`, and the MIR text does not tell which "
                "of their types is meant",
                help="give them type parameters of different names: `fn f<F: Fn(u32), G: Fn(u32)>`",
            )
    return out


def _only(headers: Sequence[ItemHeader]) -> ItemHeader:
    """The one item of a name.  Blocks are not in paths, so that there may be two."""
    if len(headers) > 1:
        raise LowerError(
            "MG0330",
            f"several items are named `{headers[0].path}`, and the MIR text does not tell which "
            "is meant",
            help="name the items that are declared in one function differently",
        )
    return headers[0]


_EMPTY = Subst({}, open=True)


@final
class Bodies:
    """The crate's bodies, by what calls name them."""

    def __init__(self, dump: Dump, info: CrateInfo, types: Types) -> None:
        self.dump = dump
        self.info = info
        self.types = types
        self._by_key: dict[str, list[ItemHeader]] = {}
        self._methods: dict[str, list[ItemHeader]] = {}
        self._closures: list[ItemHeader] = []
        self._who = Identities(dump, info)
        self._infos: dict[str, list[BodyInfo]] = {}
        self._instances: dict[tuple[int, tuple[tuple[str, GenericArg], ...]], Instance] = {}
        self._closure_cache: dict[int, Instance | None] = {}
        self._closure_types: dict[int, Ty] = {}
        for body in info.bodies:
            self._infos.setdefault(body.header, []).append(body)
        from mirgpu.mir.parser import parse_path

        for header in dump.headers:
            if header.ctfe:
                continue
            text = header.path
            if header.kind is ItemKind.FN and "{closure#" in text.rpartition("::")[2]:
                self._closures.append(header)
            elif "<impl at " in text:
                who = self._who.bodies.get(header.index)
                if who is not None and who.impl_self is None:
                    # Declared in a method's body.
                    path = parse_path(who.path)
                    self._by_key.setdefault(path_key(path) or "", []).append(header)
                    continue
                self._methods.setdefault(text.rpartition("::")[2], []).append(header)
            else:
                self._by_key.setdefault(text, []).append(header)

    # ------------------------------------------------------------------------ instances

    def instance(self, header: ItemHeader, mapping: dict[str, GenericArg]) -> Instance:
        key = (header.index, tuple(sorted(mapping.items(), key=lambda kv: kv[0])))
        found = self._instances.get(key)
        if found is None:
            subst = Subst(mapping)
            subst.const_types = self._who.const_types.get(header.index, {})
            found = self._instances[key] = Instance(header, self.dump.item(header), subst)
        return found

    def info_of(self, header: ItemHeader) -> BodyInfo | None:
        return self._who.bodies.get(header.index)

    # ---------------------------------------------------------------------------- calls

    def resolve(self, path: Path, args: tuple[Ty, ...], ret: Ty | None) -> Instance | None:
        """The local body that a call of ``path`` (monomorphic) runs; none if it is not here."""
        head = path.segments[0]
        if isinstance(head, QualifiedSeg) and head.trait is not None:
            return self._trait_method(head.self_ty, head.trait, path, args, ret)
        key = path_key(path)
        if key is None:
            return None
        free = [h for h in self._by_key.get(key, ()) if h.kind is ItemKind.FN]
        if free:
            return self._free_fn(_only(free), path, args, ret)
        return self._inherent(path, key, args, ret)

    def _free_fn(
        self, header: ItemHeader, path: Path, args: tuple[Ty, ...], ret: Ty | None
    ) -> Instance:
        given = path_args(path)
        if not given:
            return self.instance(header, {})
        info = self.info_of(header)
        if info is not None:
            names = no_lifetimes(info.generics)
            if len(names) == len(given):
                return self.instance(header, _bind(names, given))
        return self._inferred(header, args, ret, {})

    def _inherent(
        self, path: Path, key: str, args: tuple[Ty, ...], ret: Ty | None
    ) -> Instance | None:
        name = last_name(path)
        if name is None or len(path.segments) < 2:
            return None
        headers = self._methods.get(name, ())
        fits = self._inherent_fits(headers, path)
        if not fits and not self._who.known:
            inferred = ((header, self._infer(header, args, ret, {})) for header in headers)
            fits = [(header, found) for header, found in inferred if found is not None]
        return self._with_own(fits, path, args, ret)

    def _inherent_fits(
        self, headers: Sequence[ItemHeader], path: Path
    ) -> list[tuple[ItemHeader, dict[str, GenericArg]]]:
        """The items in inherent impls of the type that ``path`` begins with."""
        fits = []
        head = path.segments[0]
        for header in headers:
            impl = self._who.impl(header)
            if impl is None or impl.trait is not None:
                continue
            params = frozenset(impl.generics)
            pattern = self.types.parse(impl.self_ty, _EMPTY)
            found: dict[str, GenericArg] = {}
            if isinstance(head, QualifiedSeg) and len(path.segments) == 2:
                same = unify(pattern, head.self_ty, params, found)
            else:
                same = isinstance(pattern, PathTy) and unify(
                    plain(pattern.path), plain(parent(path)), params, found
                )
            if same:
                fits.append((header, found))
        return fits

    def _with_own(
        self,
        fits: list[tuple[ItemHeader, dict[str, GenericArg]]],
        path: Path,
        args: tuple[Ty, ...],
        ret: Ty | None,
    ) -> Instance | None:
        """Add the method's own parameters to what the impl's stand for."""
        if len(fits) > 1:
            narrowed = [(h, m) for h, m in fits if self._infer(h, args, ret, m) is not None]
            fits = narrowed or fits
        if not fits:
            return None
        if len(fits) > 1:
            raise LowerError(
                "MG0330",
                "several bodies fit this call, and the MIR text does not tell which is meant",
                help="transpile the Rust source instead of a raw dump",
            )
        header, mapping = fits[0]
        own = own_args(path)
        if not own:
            return self.instance(header, mapping)
        info = self.info_of(header)
        if info is not None:
            names = [n for n in no_lifetimes(info.generics) if n not in mapping and n != "Self"]
            if len(names) == len(own):
                return self.instance(header, {**mapping, **_bind(names, own)})
        return self._inferred(header, args, ret, mapping)

    def _trait_method(
        self, self_ty: Ty, trait: Path, path: Path, args: tuple[Ty, ...], ret: Ty | None
    ) -> Instance | None:
        name = last_name(path)
        if name is None:
            return None
        fits = self._fitting(self._methods.get(name, ()), self_ty, trait)
        if not fits and not self._who.known:
            inferred = (
                (header, self._infer(header, args, ret, {}))
                for header in self._methods.get(name, ())
                if header.kind is ItemKind.FN
            )
            fits = [(header, found) for header, found in inferred if found is not None]
        if fits:
            return self._with_own(fits, path, args, ret)
        return self._default_method(self_ty, trait, name, path, args, ret)

    def _fitting(
        self, headers: Sequence[ItemHeader], self_ty: Ty, trait: Path
    ) -> list[tuple[ItemHeader, dict[str, GenericArg]]]:
        """The items in impls of ``trait`` for ``self_ty``, with the impls' arguments."""
        impls = [(header, self._who.impl(header)) for header in headers]
        return self._matching([(h, i) for h, i in impls if i is not None], self_ty, trait)

    def _matching(
        self, impls: list[tuple[_T, Impl]], self_ty: Ty, trait: Path
    ) -> list[tuple[_T, dict[str, GenericArg]]]:
        """The impls of ``trait`` for ``self_ty``, with what their parameters stand for.

        An impl's text leaves out arguments that are the trait's defaults, which a path out of
        generic code may spell; where no impl has as many as the path, any number fits.
        """
        fits: dict[bool, list[tuple[_T, dict[str, GenericArg]]]] = {True: [], False: []}
        want = trait_args(trait)
        for thing, impl in impls:
            if impl.trait is None:
                continue
            params = frozenset(impl.generics)
            found: dict[str, GenericArg] = {}
            pattern = self.types.parse(impl.trait, _EMPTY)
            if not isinstance(pattern, PathTy) or path_key(pattern.path) != path_key(trait):
                continue
            if not unify(self.types.parse(impl.self_ty, _EMPTY), self_ty, params, found):
                continue
            have = trait_args(pattern.path)
            short = min(len(want), len(have))
            if unify(have[:short], want[:short], params, found):
                fits[len(want) == len(have)].append((thing, found))
        return fits[True] or fits[False]

    def associated(self, self_ty: Ty, trait: Path, name: str) -> Ty | None:
        """What a local impl says an associated type is."""
        said = [(text, impl) for impl, text in self._who.types.get(name, ())]
        fits = self._matching(said, self_ty, trait)
        return self.types.parse(fits[0][0], Subst(fits[0][1])) if len(fits) == 1 else None

    def _default_method(
        self,
        self_ty: Ty,
        trait: Path,
        name: str,
        path: Path,
        args: tuple[Ty, ...],
        ret: Ty | None,
    ) -> Instance | None:
        for header in self._by_key.get(f"{path_key(trait)}::{name}", ()):
            if header.kind is not ItemKind.FN:
                continue
            mapping: dict[str, GenericArg] = {"Self": self_ty}
            info = self.info_of(header)
            given = (*path_args(trait), *own_args(path))
            if info is not None:
                names = [n for n in no_lifetimes(info.generics) if n != "Self"]
                if len(names) == len(given):
                    return self.instance(header, {**mapping, **_bind(names, given)})
            if not given:
                return self.instance(header, mapping)
            return self._inferred(header, args, ret, mapping)
        return None

    # ------------------------------------------------------------------------ inference

    def _infer(
        self,
        header: ItemHeader,
        args: tuple[Ty, ...],
        ret: Ty | None,
        given: dict[str, GenericArg],
    ) -> dict[str, GenericArg] | None:
        """What the parameters of ``header`` must stand for, from its signature."""
        item = self.dump.item(header)
        if not isinstance(item, FnItemDef) or len(item.params) != len(args):
            return None
        found = dict(given)
        info = self.info_of(header)
        impl = self._who.impl(header)
        names = set(given)
        if info is not None:
            names |= set(no_lifetimes(info.generics))
        if impl is not None:
            names |= set(impl.generics)
        if info is None and impl is None:
            names |= capitals(item)
        params = frozenset(names)
        for param, actual in zip(item.params, args, strict=True):
            if not unify(self.types.mono(param.ty, _EMPTY), actual, params, found):
                return None
        if ret is not None and not unify(self.types.mono(item.ret, _EMPTY), ret, params, found):
            return None
        return found

    def _inferred(
        self,
        header: ItemHeader,
        args: tuple[Ty, ...],
        ret: Ty | None,
        given: dict[str, GenericArg],
    ) -> Instance:
        mapping = self._infer(header, args, ret, given)
        if mapping is None:
            raise LowerError(
                "MG0331",
                f"the generic arguments of this call of `{header.path}` are not clear from the "
                "MIR text",
                help="transpile the Rust source instead of a raw dump",
            )
        return self.instance(header, mapping)

    # ------------------------------------------------------------------------- closures

    def closure(self, ty: DefTy) -> Instance | None:
        """The body of a closure type."""
        if id(ty) in self._closure_cache:
            return self._closure_cache[id(ty)]
        result = None
        for header in self._closures:
            pattern = self._closure_type(header)
            if pattern is None:
                continue
            if pattern == ty:
                result = self.instance(header, {})
                break
            if pattern.where == ty.where or isinstance(ty.where, PathTy):
                continue
            found: dict[str, GenericArg] = {}
            if unify(pattern, ty, self._closure_params(header, pattern), found):
                result = self.instance(header, found)
                break
        self._closure_cache[id(ty)] = result
        return result

    def _closure_type(self, header: ItemHeader) -> DefTy | None:
        known = self._closure_types.get(header.index)
        if known is None:
            item = self.dump.item(header)
            if not isinstance(item, FnItemDef) or not item.params:
                return None
            first = item.params[0].ty
            while isinstance(first, RefTy):
                first = first.pointee
            known = self._closure_types[header.index] = self.types.mono(first, _EMPTY)
        return known if isinstance(known, DefTy) else None

    def _closure_params(self, header: ItemHeader, pattern: DefTy) -> frozenset[str]:
        """The parameters of the function that a closure stands in."""
        outer = header.path
        names: set[str] = {"Self"}
        while True:
            outer, _, last = outer.rpartition("::")
            if not outer:
                break
            if "{" not in last:
                for info in self._infos.get(f"{outer}::{last}", ()):
                    names |= set(no_lifetimes(info.generics))
        if len(names) == 1 and isinstance(pattern.where, Path):
            names |= {
                a.path.segments[0].name
                for a in path_args(pattern.where)
                if isinstance(a, PathTy)
                and len(a.path.segments) == 1
                and isinstance(a.path.segments[0], NameSeg)
            }
        return frozenset(names)

    # ------------------------------------------------------------------------ constants

    def constant(self, path: Path) -> Instance | None:
        """The body of a named constant, promoted or static (``path`` monomorphic)."""
        last = path.segments[-1]
        if isinstance(last, PromotedSeg):
            return self._promoted(path, last)
        key = path_key(path)
        if key is not None:
            named = [h for h in self._by_key.get(key, ()) if h.kind is not ItemKind.FN]
            if named:
                header = _only(named)
                return self.instance(header, self._const_args(header, path))
        name = last_name(path)
        if name is None:
            return None
        head = path.segments[0]
        headers = [h for h in self._methods.get(name, ()) if h.kind is not ItemKind.FN]
        if isinstance(head, QualifiedSeg) and head.trait is not None:
            fits = self._fitting(headers, head.self_ty, head.trait)
        else:
            fits = self._inherent_fits(headers, path)
        if fits:
            _only([header for header, _ in fits])
            return self.instance(*fits[0])
        if isinstance(head, QualifiedSeg) and head.trait is not None:
            for header in self._by_key.get(f"{path_key(head.trait)}::{name}", ()):
                return self.instance(header, {"Self": head.self_ty})
        if len(headers) == 1 and self._who.impl(headers[0]) is None and not is_library(path):
            # An impl whose head nobody told: the name is the only one.
            return self.instance(headers[0], {})
        return None

    def _const_args(self, header: ItemHeader, path: Path) -> dict[str, GenericArg]:
        given = path_args(path)
        if not given:
            return {}
        outer = header.path
        while outer:
            for info in self._infos.get(outer, ()):
                names = no_lifetimes(info.generics)
                if len(names) == len(given):
                    return _bind(names, given)
            outer = outer.rpartition("::")[0]
        raise LowerError(
            "MG0331", f"the generic arguments of `{header.path}` are not clear from the MIR text"
        )

    def _promoted(self, path: Path, last: PromotedSeg) -> Instance | None:
        """A promoted belongs to a body: its header is the body's with ``promoted[N]``."""
        owner = Path(path.segments[:-1])
        suffix = f"::promoted[{last.index}]"
        key = path_key(owner)
        named = self._by_key.get(f"{key}{suffix}", ())
        if named:
            header = _only(named)
            return self.instance(header, self._const_args(header, path))
        body = self._owner(owner)
        if body is None:
            return None
        # It stands behind its body; a macro may have written several bodies of one header.
        for header in self.dump.find(body.header.path + suffix):
            if header.index > body.header.index:
                return Instance(header, self.dump.item(header), body.subst)
        return None

    def _owner(self, path: Path) -> Instance | None:
        """The body that a path names, without a signature to go by."""
        last = path.segments[-1]
        if isinstance(last, DisambSeg) and last.kind == "closure":
            for header in self._closures:
                pattern = self._closure_type(header)
                if pattern is not None and isinstance(pattern.where, Path):
                    found: dict[str, GenericArg] = {}
                    if unify(
                        plain(pattern.where),
                        plain(path),
                        self._closure_params(header, pattern),
                        found,
                    ):
                        return self.instance(header, found)
            return None
        return self.resolve(path, (), None) or self.constant(path)

    def static_type(self, path: Path) -> Ty | None:
        """The type of a static of this crate."""
        key = path_key(path)
        for header in self._by_key.get(key or "", ()):
            if header.kind is ItemKind.STATIC:
                item = self.dump.item(header)
                assert isinstance(item, StaticItemDef)
                return self.types.mono(item.ty, _EMPTY)
        return None

    def has_drop(self, ty: Ty) -> bool:
        """Whether the crate implements ``Drop`` for a type."""
        for header in self._methods.get("drop", ()):
            impl = self._who.impl(header)
            if impl is None:
                if self._infer(header, (self.types.intern(RefTy(True, ty)),), None, {}) is not None:
                    return True
            elif impl.trait is not None and impl.trait.rpartition("::")[2] == "Drop":
                pattern = self.types.parse(impl.self_ty, _EMPTY)
                if unify(pattern, ty, frozenset(impl.generics), {}):
                    return True
        return False

    def is_mutable_static(self, path: Path) -> bool:
        for header in self._by_key.get(path_key(path) or "", ()):
            item = self.dump.item(header)
            if isinstance(item, StaticItemDef):
                return item.mutable
        return False

    # ----------------------------------------------------- what types ask (types.Resolver)

    def const_len(self, path: Path, subst: Subst) -> int | None:
        instance = self.constant(self.types.path(path, subst))
        if instance is None:
            return None
        item = instance.item
        if isinstance(item, ConstItemDef) and isinstance(item.value, Constant):
            value = item.value.value
            return value.value if isinstance(value, CInt) else None
        if isinstance(item, ConstItemDef | AnonItemDef) and item.body is not None:
            from mirgpu.lower.consteval import int_of_body

            return int_of_body(item.body)
        return None

    def project(self, self_ty: Ty, trait: Path, name: str) -> Ty | None:
        from mirgpu.lower.assoc import project

        return project(self, self_ty, trait, name)

    def method_ret(self, self_ty: Ty, trait: Path, method: str) -> Ty | None:
        """The return type of an impl's method, for associated types that equal it."""
        headers = [h for h in self._methods.get(method, ()) if h.kind is ItemKind.FN]
        fits = self._fitting(headers, self_ty, trait)
        if len(fits) != 1:
            return None
        instance = self.instance(*fits[0])
        return self.types.mono(instance.fn.ret, instance.subst)
