"""Value numbering where there is much to merge: few operands, each way round, tested before."""

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.passes.kir_strategy import Case, run

from mirgpu.kir.parser import parse_module
from mirgpu.kir.types import I32
from mirgpu.passes import gvn

OPERANDS = ("%x", "%y", "%x", "%y", "7:i32")
BINARY = ("add", "sub", "rotl", "umin", "usub.sat")
COMPARE = ("eq", "ne", "ult", "uge", "slt", "sge")


def _block(rng: random.Random, name: str) -> str:
    """Operations whose results are all mixed into the output."""
    lines = [f"%{name}.m0:i32 = xor %x, 1:i32"]
    for index in range(1, 9):
        a, b = rng.choices(OPERANDS, k=2)
        value = f"%{name}.v{index}"
        if rng.random() < 0.5:
            lines.append(f"{value}:i32 = {rng.choice(BINARY)} {a}, {b}")
        else:
            lines.append(f"%{name}.c{index}:i1 = {rng.choice(COMPARE)} {a}, {b}")
            lines.append(f"{value}:i32 = zext %{name}.c{index}")
        lines.append(f"%{name}.w{index}:i32 = mul %{name}.m{index - 1}, 31:i32")
        lines.append(f"%{name}.m{index}:i32 = add %{name}.w{index}, {value}")
    return "\n".join([*lines, f"store %{name}.m8, %output, align 4", "return"])


def _case(rng: random.Random) -> Case:
    a, b = rng.choice([("%x", "%y"), ("%y", "%x"), ("%x", "7:i32")])
    test = f"%c:i1 = {rng.choice(COMPARE)} {a}, {b}\ncondbr %c, then(), else()"
    if rng.random() < 0.3:
        test = f"%s:i32 = sub {a}, {b}\nswitch %x, [3: then()], default else()"
    text = f"""
    kernel @k "k" (%output:ptr.generic slice.ptr size 8 align 8, %n:i64 slice.len size 8 align 8,
      %input:ptr.generic slice.ptr size 8 align 8, %m:i64 slice.len size 8 align 8,
      %x:i32 value size 4 align 4, %y:i32 value size 4 align 4) {{
    entry: {test}
    then: {_block(rng, "t")}
    else: {_block(rng, "e")}
    }}"""
    x, y = rng.choices([0, 3, 7, 8, 1 << 31, (1 << 32) - 1], k=2)
    return Case(parse_module(text), ((I32, x), (I32, y)), bytes(16), 1, 1)


@settings(max_examples=300)
@given(seed=st.integers(0, 1 << 32))
def test_merged_values_are_equal(seed: int) -> None:
    case = _case(random.Random(seed))
    assert run(gvn.run(case.module), case) == run(case.module, case)
