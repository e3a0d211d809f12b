"""Single instructions on given bits, compiled once and run for many operands."""

import functools
import struct
from collections.abc import Sequence

from tests.ptxsim import Sim
from tests.ptxsim.snippets import HEAD

NAMES = "abce"


class Snippet:
    """Instructions from ``%a``, ``%b``, ``%c``, ``%e`` to ``%d`` (and ``%q``), all as bits."""

    def __init__(self, body: str, ins: Sequence[str], outs: Sequence[str]) -> None:
        lines = [
            ".reg .u64 %in, %out;",
            ".reg .u32 %flag;",
            "ld.param.u64 %in, [in];",
            "ld.param.u64 %out, [out];",
        ]
        for k, (name, type_) in enumerate(zip(NAMES, ins, strict=False)):
            lines.append(f".reg .{type_} %{name};")
            if type_ == "pred":
                lines.append(f"ld.global.u32 %flag, [%in+{8 * k}];")
                lines.append(f"setp.ne.u32 %{name}, %flag, 0;")
            else:
                lines.append(f"ld.global.{type_} %{name}, [%in+{8 * k}];")
        lines += [f".reg .{type_} %{name};" for name, type_ in zip("dq", outs, strict=False)]
        lines.append(body)
        for k, (name, type_) in enumerate(zip("dq", outs, strict=False)):
            if type_ == "pred":
                lines.append(f"selp.u32 %flag, 1, 0, %{name};")
                lines.append(f"st.global.u32 [%out+{8 * k}], %flag;")
            else:
                lines.append(f"st.global.{type_} [%out+{8 * k}], %{name};")
        lines.append("ret;")
        body = "\n".join(lines)
        text = f"{HEAD}.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n{body}\n}}\n"
        self.outs = len(outs)
        self.input = bytearray(8 * len(NAMES))
        self.output = bytearray(16)
        self.sim = Sim(text)
        addresses = [self.sim.alloc(self.input), self.sim.alloc(self.output)]
        self.params = struct.pack("<QQ", *addresses)

    def __call__(self, *bits: int) -> int | tuple[int, ...]:
        for k, value in enumerate(bits):
            struct.pack_into("<Q", self.input, 8 * k, value & ((1 << 64) - 1))
        self.output[:] = bytes(16)
        self.sim.launch("k", (1, 1, 1), (1, 1, 1), self.params)
        found = struct.unpack("<QQ", self.output)[: self.outs]
        return int(found[0]) if self.outs == 1 else found


@functools.cache
def snippet(body: str, ins: tuple[str, ...], outs: tuple[str, ...]) -> Snippet:
    """A snippet, compiled once."""
    return Snippet(body, ins, outs)


def calc(instruction: str, type_: str, *bits: int, out: str | None = None) -> int:
    """``instruction %d, %a, …;`` with operands of one type."""
    names = ", ".join(f"%{name}" for name in NAMES[: len(bits)])
    found = snippet(f"{instruction} %d, {names};", (type_,) * len(bits), (out or type_,))(*bits)
    assert isinstance(found, int)
    return found
