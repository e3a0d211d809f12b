"""One-instruction programs for the evaluator's own tests, which ptxas must accept too."""

import struct
from typing import Final

from tests.ptxsim import Sim

HEAD: Final = ".version 7.0\n.target sm_80\n.address_size 64\n"
_REGISTERS: Final = "".join(
    f"\t.reg .{ty} %{prefix}<12>;\n"
    for ty, prefix in (
        ("pred", "p"), ("b16", "h"), ("b32", "r"), ("b64", "d"), ("f32", "f"), ("f64", "g"),
        ("u16", "hu"), ("u32", "u"), ("s32", "s"), ("u64", "ud"), ("s64", "sd"),
    )
)  # fmt: skip
PREFIX: Final = {16: "h", 32: "r", 64: "d"}


def entry(body: str, name: str = "main", declarations: str = "") -> str:
    """An entry with registers of every type, ``in`` and ``out`` in %d10 and %d11."""
    return (
        f".visible .entry {name}(.param .u64 in, .param .u64 out)\n{{\n{_REGISTERS}{declarations}"
        "\tld.param.u64 %d10, [in];\n\tld.param.u64 %d11, [out];\n"
        "\tcvta.to.global.u64 %d10, %d10;\n\tcvta.to.global.u64 %d11, %d11;\n"
        f"{body}\n\tret;\n}}\n"
    )


def run(
    body: str,
    data: bytes = b"",
    *,
    size: int = 64,
    before: str = "",
    declarations: str = "",
    threads: int = 1,
    blocks: int = 1,
    order: str = "ascending",
) -> bytes:
    """The bytes that the entry wrote to ``out``."""
    sim = Sim(HEAD + before + entry(body, declarations=declarations))
    out = bytearray(size)
    params = struct.pack("<QQ", sim.alloc(data or bytes(8), align=16), sim.alloc(out, align=16))
    sim.launch("main", (blocks, 1, 1), (threads, 1, 1), params, order=order)
    return bytes(out)


def operation(text: str, result: int, operands: tuple[tuple[int, int], ...]) -> str:
    """The body that applies ``text`` to operands of (width, bits), and stores the result.

    In ``text`` the operands are $a, $b, $c, $e and the result $d; all are untyped registers.
    ``result`` is its width, 1 for a predicate.
    """
    lines = []
    names = dict(zip("abce", range(1, 5), strict=True))
    for (name, number), (width, bits) in zip(names.items(), operands, strict=False):
        register = f"%{PREFIX[width]}{number}"
        lines.append(f"\tmov.b{width} {register}, {bits};")
        text = text.replace(f"${name}", register)
    target = "%p0" if result == 1 else f"%{PREFIX[result]}0"
    lines.append(f"\t{text.replace('$d', target)};")
    if result == 1:
        lines.append("\tselp.b32 %r0, 1, 0, %p0;")
        result, target = 32, "%r0"
    lines.append(f"\tst.global.b{result} [%d11], {target};")
    return "\n".join(lines)
