"""Says in words what the parser expected: terminals of ``mir.lark`` for people."""

from collections.abc import Iterable
from functools import cache

from mirgpu.mir.lalr import grammar

_WORDS = {
    "LOCAL": "a local like `_1`",
    "NAME": "a name",
    "INT": "a number",
    "BB": "a block like `bb1`",
    "LABEL": "a target like `return: bb1`",
    "UNWIND": "an unwind action like `unwind continue`",
    "CAST_KIND": "the kind of cast, like `(IntToInt)`",
    "STRING": "a string",
    "LIFETIME": "a lifetime",
    "VARIANT": "`variant#N`",
    "CONST_INDEX": "a constant index like `[0 of 1]`",
    "$END": "the end of the line",
    "_COPY": "`copy PLACE`",
    "_MOVE": "`move PLACE`",
    "_CONST": "`const`",
    "MUT": "`mut`",
    "_AS": "`as`",
    "_FN": "`fn(`",
    "_DYN": "`dyn`",
    "_IMPL": "`impl`",
    "_LBRACE": "`{ `",
    "_LBRACE2": "`{{ `",
    "_RBRACE2": "` }}`",
    "_IS": "`is`",
    "_FROM": "`from`",
    "_FOR": "`for`",
    "SUFFIX": "a suffix like ` - shim`",
    "ANNOTATION": "a user type annotation",
    "ASM_OPTIONS": "`options(…)`",
}
_TYPE_START = {"_FN", "_DYN", "_IMPL", "NAME", "DEF_SPAN", "UNSAFE"}
_VALUE_START = {"INT", "FLOAT", "CHAR", "STRING", "BYTES", "ALLOC_REF"}


@cache
def _literals() -> dict[str, str]:
    return {name: f"`{text.strip()}`" for text, name in grammar().literals.items()}


def expectation(terminals: Iterable[str]) -> str:
    """``a, b or c`` for the terminals that could have stood there."""
    names = set(terminals)
    words: list[str] = []
    if names >= _TYPE_START:
        constant = names >= _VALUE_START
        words.append("a type or a constant" if constant else "a type")
        return " or ".join(words)
    for name in sorted(names):
        word = _WORDS.get(name) or _literals().get(name)
        if word is not None and word not in words:
            words.append(word)
    if not words:
        return "something else"
    if len(words) == 1:
        return words[0]
    return f"{', '.join(words[:-1])} or {words[-1]}"
