"""Questions about paths and headers that finding a body asks."""

import re

from mirgpu.crate_info import BodyInfo
from mirgpu.lower.types import path_args
from mirgpu.mir.syntax import (
    CPath,
    DisambSeg,
    FnItemDef,
    GenericArg,
    GenericArgs,
    ImplAtSeg,
    ImplTy,
    Lifetime,
    NameSeg,
    Path,
    PathTy,
    QualifiedSeg,
)


def impl_head(header: str) -> str | None:
    """The innermost impl that a header stands in."""
    start = header.rfind("<impl at ")
    if start < 0:
        return None
    end = header.find(">", start)
    return header[start : end + 1]


def impl_generics(body: BodyInfo) -> tuple[str, ...]:
    """The parameters of the impl: those of the body that its head mentions come first."""
    words = set(re.findall(r"\w+", f"{body.impl_self} {body.impl_trait or ''}"))
    return tuple(g for g in no_lifetimes(body.generics) if g in words)


def no_lifetimes(generics: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(g for g in generics if not g.startswith("'"))


def plain(path: Path) -> tuple[object, ...]:
    """Segments as (name, arguments) pairs, so that both spellings of a path unify."""
    out: list[object] = []
    for seg in path.segments:
        match seg:
            case NameSeg(name, args) if not isinstance(args, GenericArgs):
                out.append((name, ()))
            case NameSeg(name, args):
                assert isinstance(args, GenericArgs)
                out.append((name, tuple(a for a in args.args if not isinstance(a, Lifetime))))
            case DisambSeg(kind, index, args):
                given = args.args if args is not None else ()
                out.append((kind, index, tuple(a for a in given if not isinstance(a, Lifetime))))
            case QualifiedSeg(self_ty, trait):
                out.append((self_ty, None if trait is None else plain(trait)))
            case ImplAtSeg():
                out.append(seg)
            case _:
                out.append(seg)
    return tuple(out)


def is_library(path: Path) -> bool:
    head = path.segments[0]
    if isinstance(head, QualifiedSeg):
        return not isinstance(head.self_ty, PathTy) or is_library(head.self_ty.path)
    return isinstance(head, NameSeg) and head.name in ("std", "core", "alloc")


def own_args(path: Path) -> tuple[GenericArg, ...]:
    return path_args(Path(path.segments[-1:]))


def trait_args(trait: Path) -> tuple[GenericArg, ...]:
    return path_args(Path(trait.segments[-1:]))


def capitals(item: FnItemDef) -> set[str]:
    """In a raw dump: one-word type names of a signature, which may be its parameters."""
    out: set[str] = set()

    def walk(node: object) -> None:
        if isinstance(node, PathTy | CPath) and len(node.path.segments) == 1:
            head = node.path.segments[0]
            if isinstance(head, NameSeg) and head.args is None:
                out.add(head.name)
        if isinstance(node, ImplTy):
            from mirgpu.mir.printer import print_type

            out.add(print_type(node))
            return
        if isinstance(node, tuple):
            for part in node:
                walk(part)
        slots = getattr(node, "__slots__", None)
        if slots and not isinstance(node, str):
            for slot in slots:
                walk(getattr(node, slot))

    for param in item.params:
        walk(param.ty)
    walk(item.ret)
    return out
