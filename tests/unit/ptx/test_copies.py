"""The moves of an edge keep their meaning when they are put one after the other."""

from hypothesis import given
from hypothesis import strategies as st

from mirgpu.targets.ptx.copies import Source, sequence_copies
from mirgpu.targets.ptx.ir import Imm, Reg, Type

REGS = [Reg(Type.B32, f"%x{i}") for i in range(7)]


def run(moves: list[tuple[Reg, Source]], state: dict[Reg, int]) -> dict[Reg, int]:
    state = dict(state)
    for dst, src in moves:
        state[dst] = src.value if isinstance(src, Imm) else state[src]  # type: ignore[index]
    return state


def ordered(moves: list[tuple[Reg, Source]]) -> list[tuple[Reg, Source]]:
    fresh = iter(range(100))
    return sequence_copies(moves, lambda reg: Reg(reg.type, f"%t{next(fresh)}"))


sources: st.SearchStrategy[Source] = st.one_of(st.sampled_from(REGS), st.just(Imm(99)))


@given(st.dictionaries(st.sampled_from(REGS), sources))
def test_as_if_at_once(moves: dict[Reg, Source]) -> None:
    before = {reg: index for index, reg in enumerate(REGS)}
    expected = dict(before)
    for dst, src in moves.items():
        expected[dst] = src.value if isinstance(src, Imm) else before[src]  # type: ignore[index]
    steps = ordered(list(moves.items()))
    after = run(steps, before)
    assert {reg: after[reg] for reg in REGS} == expected


def test_a_swap_takes_one_more_register() -> None:
    a, b = REGS[:2]
    assert ordered([(a, b), (b, a)]) == [
        (Reg(Type.B32, "%t0"), a),
        (a, b),
        (b, Reg(Type.B32, "%t0")),
    ]


def test_nothing_to_move() -> None:
    a, b = REGS[:2]
    assert ordered([(a, a), (b, b)]) == []


def test_a_chain_takes_no_more_registers() -> None:
    a, b, c = REGS[:3]
    assert ordered([(a, b), (b, c), (c, Imm(1))]) == [(a, b), (b, c), (c, Imm(1))]
