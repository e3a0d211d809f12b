"""Variants of enums from other crates: their names in order, and their discriminants.

The commonest are written down here (a test compares them with rustc); of others rustc is
asked: the names by ``-Zprint-type-sizes``, the discriminants by the MIR of a ``match``.
"""

import json
import re

from mirgpu import cache
from mirgpu.rustc.layout_text import Definition
from mirgpu.rustc.outline import Outline
from mirgpu.rustc.process import Job

KNOWN: dict[str, tuple[tuple[str, int], ...]] = {
    "option::Option": (("None", 0), ("Some", 1)),
    "result::Result": (("Ok", 0), ("Err", 1)),
    "cmp::Ordering": (("Less", -1), ("Equal", 0), ("Greater", 1)),
    "ops::ControlFlow": (("Continue", 0), ("Break", 1)),
    "convert::Infallible": (),
}
_RECORD = b"1"
"""The form of what is kept on disk."""
_VARIANT = re.compile(r"^print-type-size     variant `(\w+)`", re.M)
_SWITCH = re.compile(
    r"^fn __mirgpu_e(\d+)\((?:.|\n)*?let mut (_\d+): ([iu])(\d+|size);\n"
    r"(?:.|\n)*?\2 = discriminant\((?:.|\n)*?switchInt\(\w+ \2\) -> \[(\d+):",
    re.M,
)


def is_listed(path: str) -> bool:
    """Whether ``path`` is one of ``KNOWN``."""
    return path.startswith(("std::", "core::")) and path.split("::", 1)[1] in KNOWN


def library_enum(outline: Outline, text: str, path: str) -> Definition | None:
    """The enum ``path`` of a library, ``text`` being one of its instances; none if unknown."""
    if is_listed(path):
        listed: tuple[tuple[str, int], ...] | None = KNOWN[path.split("::", 1)[1]]
    else:
        listed = probe(outline, text, path)
    if listed is None:
        return None
    return Definition("enum", tuple((name, value, None) for name, value in listed))


def probe(outline: Outline, text: str, path: str) -> tuple[tuple[str, int], ...] | None:
    """Ask rustc; kept on disk for the standard library's."""
    from mirgpu.rustc.layouts import rust_type

    key = None
    if path.split("::", 1)[0] in ("std", "core", "alloc"):
        key = cache.digest(_RECORD, outline.rustc.identity.encode(), path.encode())
        known = cache.load("enums", key)
        if known is not None:
            return tuple((name, value) for name, value in json.loads(known))
    made = outline.skeleton()
    type_text = rust_type(text, made.aliases)
    if type_text is None:
        return None
    base = made.text()
    flags = [*outline.skeleton_flags()]
    sizes = Job(
        outline.rustc,
        [*flags, "-Zprint-type-sizes", "--emit=mir=/dev/null", "-"],
        f"{base}pub fn __mirgpu_s() -> usize {{ core::mem::size_of::<{type_text}>() }}\n"
        f"pub fn __mirgpu_v(x: {type_text}) -> {type_text} {{ x }}\n",
    ).result()
    block = re.search(
        rf"^print-type-size type: `{re.escape(text)}`.*\n((?:print-type-size  .*\n)*)",
        sizes.stdout,
        re.M,
    )
    if block is None:
        return None
    names = _VARIANT.findall(block[1])
    if not names:
        return None
    probes = "".join(
        f"pub fn __mirgpu_e{n}(x: &{type_text}) -> u8 "
        f"{{ match *x {{ {path}::{name} {{ .. }} => 1, _ => 0 }} }}\n"
        for n, name in enumerate(names)
    )
    mir = Job(outline.rustc, [*flags, "-Zunpretty=mir", "-"], base + probes).result()
    found = {
        names[int(n)]: _signed(int(value), 64 if width == "size" else int(width), sign)
        for n, _, sign, width, value in _SWITCH.findall(mir.stdout)
    }
    if mir.status or len(found) != len(names):
        return None
    listed = tuple(sorted(found.items(), key=lambda pair: pair[1]))
    if [value for _, value in listed] != list(range(len(listed))) and _has_fields(block[1]):
        # The order of the variants is not that of their discriminants.
        return None
    if key is not None:
        cache.store("enums", key, json.dumps(listed).encode())
    return listed


def _signed(bits: int, width: int, sign: str) -> int:
    """A switch's value, which MIR prints as unsigned bits."""
    return bits - (1 << width) if sign == "i" and bits >> (width - 1) else bits


def _has_fields(block: str) -> bool:
    return "field `" in block
