"""Control flow, memory, calls and barriers; and everything that must be refused."""

import struct

import numpy as np
import pytest
from tests.ptxsim import (
    PtxBarrierError,
    PtxError,
    PtxMemoryError,
    PtxSyntaxError,
    PtxTrapError,
    PtxTypeError,
    PtxUndefinedError,
    Sim,
)
from tests.ptxsim.snippets import HEAD, entry, run


def words(data: bytes) -> list[int]:
    return [word for (word,) in struct.iter_unpack("<I", data)]


def test_nested_loops_and_fallthrough() -> None:
    body = """
        mov.u32 %u1, 0;
        mov.u32 %u2, 0;
    outer:
        mov.u32 %u3, 0;
    inner:
        add.u32 %u2, %u2, %u3;
        add.u32 %u3, %u3, 1;
        setp.le.u32 %p1, %u3, %u1;
        @%p1 bra inner;
        add.u32 %u1, %u1, 1;
        setp.eq.u32 %p2, %u1, 5;
        @!%p2 bra outer;
        @%p2 st.global.u32 [%d11], %u2;
        @!%p2 st.global.u32 [%d11], %u1;
    """
    assert words(run(body, size=4)) == [0 + 1 + 3 + 6 + 10]


def test_branch_table() -> None:
    body = """
        mov.u32 %u0, %tid.x;
        mul.wide.u32 %ud1, %u0, 4;
        add.s64 %ud1, %d11, %ud1;
        table: .branchtargets a, b, a;
        brx.idx %u0, table;
    a:  mov.u32 %u1, 10;
        bra.uni end;
    b:  mov.u32 %u1, 20;
    end: st.global.u32 [%ud1], %u1;
    """
    assert words(run(body, size=12, threads=3)) == [10, 20, 10]
    with pytest.raises(PtxError, match="index 3"):
        run(body, size=16, threads=4)


CALLEE = """
.func (.param .align 8 .b8 result[16]) pair(.param .b32 a, .param .b64 b);
.func (.param .align 8 .b8 result[16]) pair(.param .b32 a, .param .b64 b)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<2>;
    ld.param.b32 %r0, [a];
    ld.param.b64 %d0, [b];
    st.param.b32 [result], %r0;
    st.param.b64 [result+8], %d0;
    ret;
}
.func (.reg .u32 %s) sum(.reg .u32 %n)
{
    .reg .pred %p;
    .reg .u32 %m, %t;
    mov.u32 %s, 0;
    setp.eq.u32 %p, %n, 0;
    @%p ret;
    sub.u32 %m, %n, 1;
    call (%t), sum, (%m);
    add.u32 %s, %t, %n;
    ret;
}
"""


def test_calls() -> None:
    body = """
        {
        .param .b32 a;
        .param .b64 b;
        .param .align 8 .b8 r[16];
        st.param.b32 [a], 7;
        st.param.b64 [b], 9;
        call.uni (r), pair, (a, b);
        ld.param.b32 %r0, [r];
        ld.param.b64 %d0, [r+8];
        }
        cvt.u32.u64 %r1, %d0;
        mov.u32 %u1, 4;
        call (%u2), sum, (%u1);
        st.global.v2.b32 [%d11], {%r0, %r1};
        st.global.u32 [%d11+8], %u2;
    """
    assert words(run(body, size=12, before=CALLEE)) == [7, 9, 10]


def test_a_part_of_a_result_that_was_never_written() -> None:
    body = """
        {
        .param .b32 a;
        .param .b64 b;
        .param .align 8 .b8 r[16];
        st.param.b32 [a], 7;
        st.param.b64 [b], 9;
        call.uni (r), pair, (a, b);
        ld.param.b32 %r0, [r+4];
        }
        add.u32 %r0, %r0, 1;
    """
    with pytest.raises(PtxUndefinedError, match="never written"):
        run(body, before=CALLEE)


REDUCE = """
        mov.u32 %u0, %tid.x;
        mov.u64 %d0, tile;
        mul.wide.u32 %ud1, %u0, 4;
        add.u64 %ud2, %d0, %ud1;
        st.shared.u32 [%ud2], %u0;
        bar.sync 0;
        setp.ne.u32 %p1, %u0, 0;
        @%p1 bra end;
        ld.shared.u32 %u1, [tile+4];
        ld.shared.v2.u32 {%u2, %u3}, [tile+8];
        cvta.shared.u64 %ud3, %d0;
        ld.u32 %u4, [%ud3+8];
        add.u32 %u1, %u1, %u2;
        add.u32 %u1, %u1, %u3;
        add.u32 %u1, %u1, %u4;
        st.global.u32 [%d11], %u1;
    end:
"""


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled"])
def test_shared_memory_and_barrier(order: str) -> None:
    before = ".shared .align 8 .b8 tile[16];\n"
    assert words(run(REDUCE, size=4, before=before, threads=4, order=order)) == [1 + 2 + 3 + 2]


def test_shared_memory_is_new_in_each_block_and_not_initialised() -> None:
    body = """
        ld.shared.u32 %u1, [tile];
        st.global.u32 [%d11], %u1;
        add.u32 %u1, %u1, 1;
    """
    with pytest.raises(PtxUndefinedError) as caught:
        run(body, before=".shared .align 4 .b8 tile[4];\n")
    assert "add.u32 %u1" in str(caught.value)
    assert "block (0, 0, 0) thread (0, 0, 0)" in str(caught.value)


def test_bounds_of_shared_variables() -> None:
    before = ".shared .align 4 .b8 one[4];\n.shared .align 4 .b8 two[4];\n"
    with pytest.raises(PtxMemoryError, match="out of bounds"):
        run("st.shared.u32 [one+4], 1;", before=before)


def test_threads_that_ended_do_not_hold_a_barrier() -> None:
    body = """
        mov.u32 %u0, %tid.x;
        setp.eq.u32 %p0, %u0, 1;
        @%p0 exit;
        bar.sync 0;
        st.global.u32 [%d11], %u0;
    """
    assert words(run(body, size=4, threads=3)) == [2]


def test_divergent_barriers() -> None:
    body = """
        mov.u32 %u0, %tid.x;
        setp.eq.u32 %p0, %u0, 1;
        @%p0 bra other;
        bar.sync 0;
        bra end;
    other:
        bar.sync NUMBER;
    end:
    """
    with pytest.raises(PtxBarrierError, match="same warp"):
        run(body.replace("NUMBER", "0"), threads=2)
    with pytest.raises(PtxBarrierError, match="barrier 1"):
        run(body.replace("NUMBER", "1"), threads=2)


def test_local_memory() -> None:
    body = """
        mov.u64 %d0, slot;
        cvta.local.u64 %d1, %d0;
        st.local.u32 [slot+4], 5;
        ld.u32 %u1, [%d1+4];
        st.global.u32 [%d11], %u1;
        cvta.to.local.u64 %d2, %d1;
        st.local.u8 [%d2], 255;
        ld.local.s8 %s1, [slot];
        st.global.s32 [%d11+4], %s1;
    """
    declarations = "\t.local .align 4 .b8 slot[8];\n"
    assert words(run(body, size=8, declarations=declarations)) == [5, 0xFFFFFFFF]
    with pytest.raises(PtxUndefinedError):
        run("ld.local.u32 %u1, [slot];\nadd.u32 %u1, %u1, 1;", declarations=declarations)
    with pytest.raises(PtxMemoryError, match="out of bounds"):
        run("ld.local.u32 %u1, [slot+8];", declarations=declarations)


def test_module_variables() -> None:
    text = HEAD + (
        ".global .align 4 .b8 counter[4];\n"
        ".const .align 4 .b32 table[3] = {1, -2};\n"
        ".global .align 8 .u64 pointer = generic(table)+4;\n"
    ) + entry(
        """
        ld.global.u64 %d1, [pointer];
        ld.s32 %s1, [%d1];
        ld.const.s32 %s2, [table];
        ld.const.s32 %s3, [table+8];
        add.s32 %s1, %s1, %s2;
        add.s32 %s1, %s1, %s3;
        st.global.s32 [counter], %s1;
        """
    )  # fmt: skip
    sim = Sim(text)
    assert sim.read_global("counter") == bytes(4)
    sim.launch("main", (1, 1, 1), (1, 1, 1), bytes(16))
    assert sim.read_global("counter") == b"\xff" * 4


def test_atomics() -> None:
    body = """
        mov.u32 %u0, %tid.x;
        atom.global.add.u32 %u1, [%d11], %u0;
        red.global.max.s32 [%d11+4], %u0;
        atom.cas.b32 %r1, [%d11+8], 0, 7;
        atom.exch.b32 %r2, [%d11+12], %u0;
    """
    assert words(run(body, size=16, threads=4)) == [6, 3, 7, 3]


def test_coordinates() -> None:
    text = HEAD + entry(
        """
        mov.u32 %u0, %tid.x;
        mov.u32 %u1, %ctaid.y;
        mov.u32 %u2, %ntid.x;
        mov.u32 %u3, %nctaid.y;
        mov.u32 %u4, %tid.z;
        mad.lo.u32 %u5, %u1, %u2, %u0;
        mad.lo.u32 %u5, %u4, 100, %u5;
        mul.wide.u32 %ud1, %u5, 4;
        add.u64 %ud1, %d11, %ud1;
        st.global.u32 [%ud1], %u3;
        """
    )
    sim = Sim(text)
    out = np.zeros(110, np.uint32)
    params = struct.pack("<QQ", 0, sim.alloc(out, align=4))
    sim.launch("main", (1, 3, 1), (2, 1, 2), params)
    assert np.flatnonzero(out).tolist() == [*range(6), *range(100, 106)]
    assert set(out[out > 0]) == {3}


def test_entry_parameters_of_several_sizes() -> None:
    text = HEAD + (
        ".visible .entry k(.param .u8 a, .param .align 8 .b8 s[16], .param .f32 f)\n{\n"
        "\t.reg .b32 %r<4>;\n\t.reg .b64 %d<4>;\n\t.reg .f32 %f;\n"
        "\tld.param.u8 %r1, [a];\n\tld.param.u64 %d1, [s];\n\tld.param.u32 %r2, [s+8];\n"
        "\tld.param.f32 %f, [f];\n\tst.global.v2.b32 [%d1], {%r1, %r2};\n"
        "\tst.global.f32 [%d1+8], %f;\n\tret;\n}\n"
    )
    sim = Sim(text)
    out = bytearray(12)
    params = struct.pack("<B7xQQf", 3, sim.alloc(out, align=8), 9, 1.5)
    sim.launch("k", (1, 1, 1), (1, 1, 1), params)
    assert words(bytes(out)) == [3, 9, 0x3FC00000]
    with pytest.raises(PtxError, match="28 bytes of parameters"):
        sim.launch("k", (1, 1, 1), (1, 1, 1), params[:20])


def test_nan_payloads_survive_memory_and_moves() -> None:
    body = """
        ld.global.f32 %f1, [%d10];
        mov.f32 %f2, %f1;
        st.global.f32 [%d11], %f2;
        ld.global.v2.f32 {%f3, %f4}, [%d10+8];
        st.global.v2.f32 [%d11+8], {%f3, %f4};
    """
    data = struct.pack("<4I", 0x7F800001, 0, 0xFFC12345, 0x80000000)
    assert run(body, data, size=16) == struct.pack("<4I", 0x7F800001, 0, 0xFFC12345, 0x80000000)


def test_undefined_bytes_can_be_copied() -> None:
    """A copy of a struct with padding, word by word."""
    body = """
        st.local.u8 [slot], 7;
        ld.local.b32 %r1, [slot];
        st.global.b32 [%d11], %r1;
        ld.global.u8 %r2, [%d11];
        st.global.u32 [%d11+4], %r2;
    """
    found = run(body, size=8, declarations="\t.local .align 4 .b8 slot[4];\n")
    assert words(found)[1] == 7
    with pytest.raises(PtxUndefinedError):
        run(body + "add.u32 %r1, %r1, 1;", declarations="\t.local .align 4 .b8 slot[4];\n")


@pytest.mark.parametrize(
    ("body", "error", "message"),
    [
        ("ld.global.u32 %u1, [%d10+8];", PtxMemoryError, "out of bounds at offset 8"),
        ("ld.global.u32 %u1, [%d10+-4];", PtxMemoryError, "out of bounds at offset -4"),
        ("ld.global.u32 %u1, [%d10+2];", PtxMemoryError, "misaligned"),
        ("st.global.u32 [%d10], 1;", PtxMemoryError, "read-only"),
        ("mov.u64 %d1, 0;\nld.u32 %u1, [%d1];", PtxMemoryError, "nowhere"),
        ("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d11+8];", PtxMemoryError, "misaligned"),
        ("add.u32 %u1, %u2, 1;", PtxUndefinedError, "never written"),
        ("mov.u32 %u1, %u2;\nnot.b32 %u1, %u1;", PtxUndefinedError, "never written"),
        ("@%p3 bra x;\nx:", PtxUndefinedError, "never written"),
        ("div.u32 %u1, 1, 0;\nadd.u32 %u1, %u1, 1;", PtxUndefinedError, "never written"),
        (
            "bfe.u64 %ud1, 1, 256, 1;\nadd.u64 %ud1, %ud1, 1;",
            PtxUndefinedError,
            "never written",
        ),
        ("trap;", PtxTrapError, "trap"),
        ("cvta.to.shared.u64 %d1, %d10;", PtxMemoryError, "in .global"),
    ],
)
def test_run_time_errors(body: str, error: type[PtxError], message: str) -> None:
    with pytest.raises(error) as caught:
        run(body)
    assert message in str(caught.value)
    assert str(caught.value).startswith("PTX line ")
    assert "thread (0, 0, 0)" in str(caught.value)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("frob.u32 %u1, %u2;", "unknown instruction frob.u32"),
        ("add.foo.u32 %u1, %u1, 1;", "expected one of"),
        ("add.u32.x %u1, %u1, 1;", "unknown modifier .x"),
        ("add.u8 %u1, %u1, 1;", "expected one of"),
        ("add.f32 %f1, %f1, %f2;", "may be fused"),
        ("add.rn.ftz.f32 %f1, %f1, %f2;", "expected one of"),
        ("rsqrt.approx.f32 %f1, %f2;", "unknown instruction"),
        ("sqrt.approx.f32 %f1, %f2;", "expected one of"),
        ("ld.global.v3.u32 {%u1, %u2, %u3}, [%d10];", "expected one of"),
        ("ld.shared.nc.u32 %u1, [%d10];", ".nc is for ld.global"),
        ("setp.lo.s32 %p1, %s1, %s2;", ".lo does not compare .s32"),
        ("setp.ltu.u32 %p1, %u1, %u2;", "does not compare"),
        ("cvt.u32.f32 %u1, %f1;", "integer rounding"),
        ("cvt.f32.f64 %f1, %g1;", "needs a rounding"),
        ("cvt.rn.f64.f32 %g1, %f1;", "takes no rounding"),
        ("bra nowhere;", "no label nowhere"),
        ("mov.u32 %u99, 1;", "%u99 is not declared"),
        ("mov.u64 %d1, unknown;", "unknown is not declared"),
        ("call nothing, ();", "no function that can be called"),
        ("add.u32 %u1, %u1;", "2 operands"),
        ("cvt.sat.s64.s32 %sd1, %s1;", "every value fits"),
    ],
)
def test_text_that_is_refused(body: str, message: str) -> None:
    with pytest.raises(PtxSyntaxError) as caught:
        Sim(HEAD + entry(body))
    assert message in str(caught.value)


@pytest.mark.parametrize(
    "body",
    [
        "add.u32 %d1, %d1, 1;",
        "add.u32 %u1, %f1, 1;",
        "add.u64 %ud1, %ud1, %u1;",
        "add.rn.f32 %f1, %u1, %f1;",
        "add.rn.f32 %f1, %g1, %f1;",
        "mov.u32 %f1, %u1;",
        "mov.b32 %d1, %r1;",
        "shl.b32 %r1, %r1, %d1;",
        "setp.eq.u32 %r1, %r1, %r1;",
        "selp.b32 %r1, %r1, %r1, %r1;",
        "st.global.u64 [%d11], %u1;",
        "ld.global.f32 %g1, [%d10];",
        "ld.global.u32 %f1, [%d10];",
        "ld.global.u32 %u1, [%r1];",
        "add.u16 %h1, %h1, 70000;",
        "and.b32 %r1, %r1, 0x1ffffffff;",
    ],
)
def test_operands_that_do_not_fit(body: str) -> None:
    with pytest.raises(PtxTypeError, match=r"PTX line \d+"):
        Sim(HEAD + entry(body))


@pytest.mark.parametrize(
    "body",
    [
        "add.rn.f32 %f1, %r1, %f1;",
        "xor.b32 %f1, %f1, -2147483648;",
        "add.u32 %s1, %r1, %u1;",
        "ld.global.u8 %d1, [%d10];",
        "st.global.u8 [%d11], %d1;",
        "mov.b32 %r1, 0f3F800000;",
        "mov.b32 %f1, %r1;",
        "cvt.u64.u32 %d1, %d2;",
    ],
)
def test_operands_that_fit(body: str) -> None:
    Sim(HEAD + entry(body))
