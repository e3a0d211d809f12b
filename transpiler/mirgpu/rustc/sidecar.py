"""The trailing comment that makes a dump self-contained: what the MIR lacks, as JSON."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from mirgpu.crate_info import (
    AdtInfo,
    BodyInfo,
    CrateInfo,
    FieldLayout,
    ImplInfo,
    TagLayout,
    TypeLayout,
    VariantLayout,
)
from mirgpu.diagnostics import Diagnostic, DiagnosticError

SCHEMA = 1
PREFIX = "// mirgpu: "


def raw_info() -> CrateInfo:
    """What is known of a raw dump: nothing."""
    return CrateInfo(
        rustc=None, edition=None, overflow_checks=False, bodies=(), layouts={}, adts={}
    )


def make_self_contained(text: str, info: CrateInfo, layouts: Mapping[str, TypeLayout]) -> str:
    """The dump with a trailer of ``info`` and ``layouts``, and without this machine's folders."""
    whole = replace(info, layouts={**info.layouts, **layouts})
    return _without_folders(f"{text.rstrip()}\n\n{PREFIX}{write_trailer(whole)}\n")


_PLACE = re.compile(r"(?<= at )(?:/(?!rustc/)|\.\./)[^:\n]*\.rs(?=:\d)")


def _without_folders(text: str) -> str:
    """Source files outside of the current folder by their path from the folder of them all.

    ``/rustc/…/library`` stays: it is no folder of this machine, but rustc's own name.
    """
    names = set(_PLACE.findall(text))
    if not names:
        return text
    folder = os.path.commonpath([name.rpartition("/")[0] or "/" for name in names])
    short = {name: os.path.relpath(name, folder) for name in names}
    longest = sorted(map(re.escape, short), key=len, reverse=True)
    found = re.compile(rf"(?<= at )(?:{'|'.join(longest)})(?=:\d)")
    text = found.sub(lambda name: short[name[0]], text)
    body, mark, trailer = text.rpartition(PREFIX)
    for name in names:
        trailer = trailer.replace(f'"{name}"', f'"{short[name]}"')
    return body + mark + trailer


def write_trailer(info: CrateInfo) -> str:
    """One line of JSON: sorted, without defaults."""
    data: dict[str, Any] = {
        "schema": SCHEMA,
        "rustc": info.rustc,
        "edition": info.edition,
        "overflow_checks": info.overflow_checks,
        "bodies": [_lean(asdict(body)) for body in info.bodies],
        "layouts": {name: layout_data(layout) for name, layout in info.layouts.items()},
        "adts": {name: asdict(adt) for name, adt in info.adts.items()},
    }
    if info.impls:
        data["impls"] = [asdict(impl) for impl in info.impls]
    if info.twins:
        data["twins"] = list(info.twins)
    if info.const_params:
        data["const_params"] = info.const_params
    return json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


_DEFAULTS: dict[str, object] = {
    "occurrence": 0,
    "generics": [],
    "impl_self": None,
    "impl_trait": None,
    "public": False,
    "unsafe": False,
    "abi": "Rust",
    "kernel": False,
    "track_caller": False,
    "const_types": {},
    "file": None,
    "line": None,
}


def _lean(data: dict[str, Any]) -> dict[str, Any]:
    return {k: v for k, v in data.items() if k not in _DEFAULTS or (v or None) != _absent(k)}


def _absent(key: str) -> object:
    return _DEFAULTS[key] or None


def read_trailer(text: str) -> CrateInfo:
    """The facts in a trailer's JSON.  Raises ``DiagnosticError`` MG0205 if it is damaged."""
    try:
        data = json.loads(text)
        if data["schema"] != SCHEMA:
            raise DiagnosticError(
                Diagnostic(
                    "MG0205",
                    f"the dump's trailer is of schema {data['schema']}, not {SCHEMA}",
                    helps=("make the dump again with this version: `--emit mir`",),
                )
            )
        return CrateInfo(
            rustc=data["rustc"],
            edition=data["edition"],
            overflow_checks=data["overflow_checks"],
            bodies=tuple(_body(body) for body in data["bodies"]),
            layouts={name: layout_of(layout) for name, layout in data["layouts"].items()},
            adts={name: _adt(adt) for name, adt in data["adts"].items()},
            impls=tuple(_impl(impl) for impl in data.get("impls", ())),
            twins=tuple(data.get("twins", ())),
            const_params=dict(data.get("const_params", {})),
        )
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise DiagnosticError(
            Diagnostic(
                "MG0205",
                "the dump's trailer cannot be read",
                notes=(f"{type(error).__name__}: {error}",),
                helps=("make the dump again with `mirgpu transpile --emit mir`",),
            )
        ) from error


def layout_data(layout: TypeLayout) -> dict[str, Any]:
    """A layout as JSON data; ``layout_of`` is the inverse."""
    data: dict[str, Any] = {
        "kind": layout.kind,
        "size": layout.size,
        "align": layout.align,
        "variants": [
            {
                "name": v.name,
                "discriminant": v.discriminant,
                "fields": [[f.name, f.offset] for f in v.fields],
                "inhabited": v.inhabited,
            }
            for v in layout.variants
        ],
    }
    return data if layout.tag is None else {**data, "tag": asdict(layout.tag)}


def _body(data: dict[str, Any]) -> BodyInfo:
    absent: dict[str, Any] = {k: v for k, v in _DEFAULTS.items() if k in BodyInfo.__match_args__}
    values = {**absent, **data}
    return BodyInfo(**{**values, "generics": tuple(values["generics"])})


def layout_of(data: dict[str, Any]) -> TypeLayout:
    """The layout that ``layout_data`` wrote."""
    tag = data.get("tag")
    return TypeLayout(
        kind=data["kind"],
        size=data["size"],
        align=data["align"],
        variants=tuple(
            VariantLayout(
                v["name"],
                v["discriminant"],
                tuple(FieldLayout(name, offset) for name, offset in v["fields"]),
                v["inhabited"],
            )
            for v in data["variants"]
        ),
        tag=None if tag is None else TagLayout(**{**tag, "values": tuple(tag["values"])}),
    )


def _adt(data: dict[str, Any]) -> AdtInfo:
    return AdtInfo(
        kind=data["kind"],
        generics=tuple(data["generics"]),
        variants=tuple(
            (name, value, tuple((field, ty) for field, ty in fields))
            for name, value, fields in data["variants"]
        ),
        freeze=data["freeze"],
    )


def _impl(data: dict[str, Any]) -> ImplInfo:
    return ImplInfo(
        self_type=data["self_type"],
        trait=data["trait"],
        generics=tuple(data["generics"]),
        types=dict(data["types"]),
        consts=tuple((header, occurrence) for header, occurrence in data["consts"]),
        const_types=dict(data["const_types"]),
    )
