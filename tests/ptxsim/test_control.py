"""Branches, guards, calls, endings and barriers."""

import struct

import pytest
from tests.ptxsim import PtxBarrierError, PtxError, PtxRunawayError, PtxTrapError, Sim
from tests.ptxsim.snippets import HEAD, entry, run


def words(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


def test_guards() -> None:
    """On any instruction, either way."""
    body = """
        setp.eq.u32 %p1, 1, 1;
        mov.u32 %u1, 0;
        @%p1 add.u32 %u1, %u1, 1;
        @!%p1 add.u32 %u1, %u1, 10;
        @!%p1 trap;
        @!%p1 exit;
        @!%p1 bra skip;
        @!%p1 st.global.u32 [%d11+64], %u1;
        @!%p1 call (%u1), twice, (%u1);
        @%p1 call (%u1), twice, (%u1);
        st.global.u32 [%d11], %u1;
        @%p1 ret;
    skip:
        st.global.u32 [%d11], 99;
    """
    before = """
    .func (.reg .u32 %r) twice(.reg .u32 %a)
    {
        add.u32 %r, %a, %a;
        ret;
    }
    """
    assert words(run(body, size=4, before=before)) == [2]


def test_a_loop_with_two_entries_and_a_join() -> None:
    body = """
        mov.u32 %u1, 0;
        mov.u32 %u2, 0;
        setp.eq.u32 %p1, %u1, 0;
        @%p1 bra middle;
    top:
        add.u32 %u2, %u2, 10;
    middle:
        add.u32 %u2, %u2, 1;
        add.u32 %u1, %u1, 1;
        setp.lt.u32 %p2, %u1, 4;
        @%p2 bra.uni top;
        st.global.u32 [%d11], %u2;
    """
    assert words(run(body, size=4)) == [34]


@pytest.mark.parametrize(("index", "result"), [(0, 5), (1, 6), (2, 5)])
def test_a_branch_table(index: int, result: int) -> None:
    body = f"""
        mov.u32 %u1, {index};
    table: .branchtargets five, six, five;
        brx.idx %u1, table;
    five:
        st.global.u32 [%d11], 5;
        bra end;
    six:
        st.global.u32 [%d11], 6;
    end:
    """
    assert words(run(body, size=4)) == [result]


def test_an_index_past_a_branch_table() -> None:
    with pytest.raises(PtxError, match="index 1"):
        run("mov.u32 %u1, 1;\nt: .branchtargets e;\nbrx.idx %u1, t;\ne:")


def test_a_loop_without_end() -> None:
    sim = Sim(HEAD + entry("top:\nbra top;"))
    sim._namespace["LIMIT"] = 1000
    with pytest.raises(PtxRunawayError):
        sim.launch("main", (1, 1, 1), (1, 1, 1), bytes(16))


FACTORIAL = """
    .func (.param .b32 r) fact(.param .b32 n)
    {
        .local .align 4 .b8 mine[4];
        .reg .b32 %n, %m;
        .reg .pred %p;
        ld.param.b32 %n, [n];
        st.local.b32 [mine], %n;
        setp.eq.u32 %p, %n, 0;
        @%p bra one;
        sub.u32 %m, %n, 1;
        {
        .param .b32 less;
        .param .b32 got;
        st.param.b32 [less], %m;
        call.uni (got), fact, (less);
        ld.param.b32 %m, [got];
        }
        ld.local.b32 %n, [mine];
        mul.lo.u32 %m, %m, %n;
        bra out;
    one:
        mov.b32 %m, 1;
    out:
        st.param.b32 [r], %m;
        ret;
    }
"""


def test_recursion_keeps_frames_apart() -> None:
    body = """
        {
        .param .b32 n, r;
        st.param.b32 [n], 10;
        call.uni (r), fact, (n);
        ld.param.b32 %r0, [r];
        }
        st.global.b32 [%d11], %r0;
    """
    assert words(run(body, size=4, before=FACTORIAL)) == [3628800]


def test_structs_pass_by_value() -> None:
    before = """
    .func (.param .align 4 .b8 r[8]) swap(.param .align 4 .b8 a[8])
    {
        .reg .b32 %x, %y;
        ld.param.b32 %x, [a];
        ld.param.b32 %y, [a+4];
        st.param.b32 [r], %y;
        st.param.b32 [r+4], %x;
        ret;
    }
    """
    body = """
        .param .align 4 .b8 a[8];
        .param .align 4 .b8 r[8];
        st.param.v2.b32 [a], {%r1, %r2};
        call (r), swap, (a);
        ld.param.v2.b32 {%r3, %r4}, [r];
        st.global.v2.b32 [%d11], {%r3, %r4};
    """
    found = run("mov.b32 %r1, 1;\nmov.b32 %r2, 2;" + body, size=8, before=before)
    assert words(found) == [2, 1]


def test_scopes_hide_registers() -> None:
    body = """
        mov.u32 %u1, 1;
        {
        .reg .u32 %u1;
        mov.u32 %u1, 2;
        st.global.u32 [%d11], %u1;
        }
        st.global.u32 [%d11+4], %u1;
    """
    assert words(run(body, size=8)) == [2, 1]


def test_exit_in_a_callee_ends_the_thread() -> None:
    before = """
    .func stop()
    {
        exit;
    }
    """
    body = "st.global.u32 [%d11], 1;\ncall stop, ();\nst.global.u32 [%d11], 2;"
    assert words(run(body, size=4, before=before)) == [1]


def test_trap_names_the_thread() -> None:
    body = "mov.u32 %u1, %tid.x;\nsetp.eq.u32 %p1, %u1, 2;\n@%p1 trap;"
    with pytest.raises(PtxTrapError) as caught:
        run(body, threads=3, blocks=2)
    assert caught.value.thread == (2, 0, 0)
    assert caught.value.block == (0, 0, 0)


ROUNDS = """
        .shared .align 4 .b8 tile[16];
        mov.u32 %u0, %tid.x;
        mov.u64 %d1, tile;
        mul.wide.u32 %ud1, %u0, 4;
        add.u64 %ud1, %d1, %ud1;
        add.u32 %u1, %u0, 1;
        and.b32 %u1, %u1, 3;
        mul.wide.u32 %ud2, %u1, 4;
        add.u64 %ud2, %d1, %ud2;
        mov.u32 %u2, %u0;
        mov.u32 %u3, 0;
    top:
        st.shared.u32 [%ud1], %u2;
        call wait, ();
        ld.shared.u32 %u2, [%ud2];
        call wait, ();
        add.u32 %u3, %u3, 1;
        setp.lt.u32 %p1, %u3, 3;
        @%p1 bra top;
        mul.wide.u32 %ud1, %u0, 4;
        add.u64 %ud1, %d11, %ud1;
        st.global.u32 [%ud1], %u2;
"""
WAIT = ".func wait()\n{\n\tbar.sync 0;\n\tret;\n}\n"


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled"])
def test_barriers_in_a_loop_and_a_callee(order: str) -> None:
    """Three rounds, in which each takes its right neighbour's value."""
    found = run(ROUNDS, size=16, before=WAIT, threads=4, order=order)
    assert words(found) == [3, 0, 1, 2]


def test_without_the_barriers_the_order_shows() -> None:
    racy = ROUNDS.replace("call wait, ();", "")
    with pytest.raises(PtxError, match="never written"):
        run(racy + "add.u32 %u2, %u2, 0;", size=16, before=WAIT, threads=4)


DIVERGED = """
        mov.u32 %u0, %tid.x;
        setp.ge.u32 %p0, %u0, 32;
        @%p0 bra other;
        bar.sync 0;
        bra end;
    other:
        bar.sync NUMBER;
    end:
        st.global.u32 [%d11], 1;
"""


def test_warps_may_meet_at_different_instructions_of_a_barrier() -> None:
    assert words(run(DIVERGED.replace("NUMBER", "0"), size=4, threads=64)) == [1]


def test_warps_at_different_barriers() -> None:
    with pytest.raises(PtxBarrierError, match="barrier"):
        run(DIVERGED.replace("NUMBER", "1"), threads=64)


def test_a_warp_may_not_diverge_at_a_barrier() -> None:
    with pytest.raises(PtxBarrierError, match="same warp"):
        run(DIVERGED.replace("NUMBER", "0").replace("%u0, 32;", "%u0, 16;"), threads=32)


def test_one_that_waits_while_the_others_have_ended() -> None:
    body = "mov.u32 %u0, %tid.x;\nsetp.ne.u32 %p0, %u0, 0;\n@%p0 ret;\nbar.sync 0;\n"
    assert words(run(f"{body}st.global.u32 [%d11], 1;", size=4, threads=40)) == [1]


@pytest.mark.parametrize(
    ("directive", "block", "fits"),
    [
        (".reqntid 32", (32, 1, 1), True),
        (".reqntid 32", (16, 2, 1), False),
        (".reqntid 8, 4", (8, 4, 1), True),
        (".maxntid 64", (64, 1, 1), True),
        (".maxntid 64", (65, 1, 1), False),
        ("", (1024, 1, 1), True),
        ("", (1025, 1, 1), False),
        ("", (0, 1, 1), False),
    ],
)
def test_block_sizes(directive: str, block: tuple[int, int, int], fits: bool) -> None:
    sim = Sim(f"{HEAD}.visible .entry k()\n{directive}\n{{\n\tret;\n}}\n")
    if fits:
        sim.launch("k", (1, 1, 1), block, b"")
    else:
        with pytest.raises(PtxError):
            sim.launch("k", (1, 1, 1), block, b"")


def test_launches_that_do_not_fit() -> None:
    sim = Sim(HEAD + FACTORIAL + entry(""))
    for name, params in [("other", bytes(16)), ("fact", bytes(4)), ("main", bytes(8))]:
        with pytest.raises(PtxError):
            sim.launch(name, (1, 1, 1), (1, 1, 1), params)
