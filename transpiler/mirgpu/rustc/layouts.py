"""Exact layouts of concrete types, asked of rustc.

Each type becomes an alias at the end of the crate's skeleton, with the attribute that has
rustc print its layout; one process answers for all of them.  Types that cannot be named
(closures, generic types inside functions) get no answer.
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, final

from mirgpu import cache
from mirgpu.crate_info import AdtInfo, TypeLayout
from mirgpu.rustc.layout_text import Definition, LayoutTextError, has_variants, parse, read_layout
from mirgpu.rustc.library_enums import is_listed, library_enum
from mirgpu.rustc.outline import Outline, failing_owners, json_errors
from mirgpu.rustc.process import Job
from mirgpu.rustc.sidecar import layout_data, layout_of
from mirgpu.rustc.tokens import tokens

_TRIES = 6
_ALIAS = "__mirgpu_q"
_ANSWER = re.compile(r"layout_of\(.*?\) = (Layout \{.*)", re.S)


@final
class Layouts:
    """The ``LayoutOracle`` of one crate.  ``key`` names its contents in the cache."""

    def __init__(self, outline: Outline, key: str | None) -> None:
        self.known: dict[str, TypeLayout] = {}
        """All that was answered so far."""
        self._outline = outline
        self._key = key

    def resolve(
        self, types: Sequence[str], variants: Mapping[str, frozenset[str]]
    ) -> Mapping[str, TypeLayout]:
        """See ``LayoutOracle``."""
        wanted = sorted(set(types))
        asked = json.dumps([wanted, sorted((t, sorted(v)) for t, v in variants.items())])
        key = None if self._key is None else cache.digest(self._key.encode(), asked.encode())
        known = None if key is None else cache.load("layouts", key)
        if known is not None:
            found = {name: layout_of(data) for name, data in json.loads(known).items()}
        else:
            found = self._ask(wanted, variants)
        self.known.update(found)
        if key is not None and known is None:
            data = {name: layout_data(layout) for name, layout in found.items()}
            cache.store("layouts", key, json.dumps(data, sort_keys=True).encode())
        return found

    def _ask(
        self, types: list[str], variants: Mapping[str, frozenset[str]]
    ) -> dict[str, TypeLayout]:
        outline = self._outline
        made = outline.skeleton()
        lines, owners = list(made.lines), list(made.owners)
        dump = "rustc_layout" if outline.rustc.release.startswith("1.95.") else "rustc_dump_layout"
        named: dict[object, str] = {}
        for number, text in enumerate(types):
            type_text = rust_type(text, made.aliases)
            if type_text is not None:
                lines.append(f"#[{dump}(debug)] type {_ALIAS}{number} = {type_text};")
                owners.append(number)
                named[number] = text
        flags = [*outline.skeleton_flags(), "-Zcrate-attr=feature(rustc_attrs)", "-Zunpretty=mir"]
        for _ in range(_TRIES):
            if not named:
                return {}
            stderr = Job(outline.rustc, [*flags, "-"], "\n".join(lines) + "\n").result().stderr
            answers = _answers(stderr, owners)
            if answers:
                return self._read({named[n]: text for n, text in answers.items()}, variants)
            failing = failing_owners(stderr, owners)
            if not failing:
                return {}
            for owner in failing:
                named.pop(owner, None)
            kept = [(row, o) for row, o in zip(lines, owners, strict=True) if o not in failing]
            lines, owners = [row for row, _ in kept], [owner for _, owner in kept]
        return {}

    def _read(
        self, answers: Mapping[str, str], variants: Mapping[str, frozenset[str]]
    ) -> dict[str, TypeLayout]:
        adts = self._outline.adts()
        out = {}
        for name, text in answers.items():
            try:
                layout = self._layout(name, parse(text), adts, variants.get(name, frozenset()))
            except (LayoutTextError, KeyError, IndexError, ValueError, TypeError):
                # Printed in a way that is not known: no answer is a right one.
                continue
            if layout is not None:
                out[name] = layout
        return out

    def _layout(
        self, name: str, root: dict[str, Any], adts: Mapping[str, AdtInfo], seen: frozenset[str]
    ) -> TypeLayout | None:
        path = name.split("<", 1)[0]
        own = adts.get(path)
        definition = None
        if own is not None:
            definition = Definition(
                own.kind,
                tuple((v, d, tuple(f for f, _ in fields)) for v, d, fields in own.variants),
            )
        elif has_variants(root) or seen or is_listed(path):
            definition = library_enum(self._outline, name, path)
            if definition is None or not seen <= {v for v, _, _ in definition.variants}:
                return None
        return read_layout(root, definition)


def _answers(stderr: str, owners: Sequence[object]) -> dict[object, str]:
    out = {}
    for message in json_errors(stderr):
        found = _ANSWER.match(message["message"])
        for span in message["spans"]:
            if found and span["file_name"] == "<anon>":
                out[owners[span["line_start"] - 1]] = found[1]
    return out


def rust_type(text: str, aliases: Mapping[str, str]) -> str | None:
    """A type as MIR prints it, as source at the skeleton's root; none if it has no name."""
    parts = list(tokens(text))
    out: list[str] = []
    at = 0
    while at < len(parts):
        token = parts[at]
        at += 1
        if token.text in ("{", "#") or token.text == "impl":
            return None
        if token.text == "&":
            out.append("&'static ")
            if at < len(parts) and parts[at].kind == "life":
                at += 1
        elif token.kind == "life":
            out.append("'static")
        elif token.kind == "word":
            words = [token.text]
            while at + 1 < len(parts) and parts[at].text == "::" and parts[at + 1].kind == "word":
                words.append(parts[at + 1].text)
                at += 2
            path = "::".join(words)
            out.append(aliases.get(path, path))
        else:
            out.append(token.text)
        out.append(" ")
    return "".join(out).strip()
