"""Text that ptxas would refuse, or that is not known here: refused, and at its line."""

import pytest
from tests.ptxsim import PtxError, PtxSyntaxError, Sim
from tests.ptxsim.snippets import HEAD, entry

SNIPPETS = [
    # Types that an instruction does not have.
    "add.b32 %r1, %r1, %r1;",
    "add.rn.f16 %h1, %h1, %h1;",
    "add.u8 %h1, %h1, %h1;",
    "add.rn.u32 %u1, %u1, %u1;",
    "add.sat.u32 %u1, %u1, %u1;",
    "add.cc.u16 %hu1, %hu1, %hu1;",
    "mul.u32 %u1, %u1, %u1;",
    "mul.wide.u64 %ud1, %ud1, %ud1;",
    "mul.lo.rn.f32 %f1, %f1, %f1;",
    "mad.lo.f32 %f1, %f1, %f1, %f1;",
    "fma.f32 %f1, %f1, %f1, %f1;",
    "div.b32 %r1, %r1, %r1;",
    "rem.f32 %f1, %f1, %f1;",
    "neg.u32 %u1, %u1;",
    "abs.b32 %r1, %r1;",
    "and.u32 %u1, %u1, %u1;",
    "not.s32 %s1, %s1;",
    "shl.u32 %u1, %u1, %u1;",
    "shr.f32 %f1, %f1, %u1;",
    "clz.u32 %u1, %u1;",
    "popc.b16 %u1, %h1;",
    "bfind.b32 %u1, %r1;",
    "brev.u32 %u1, %u1;",
    "bfi.u32 %u1, %u1, %u1, %u1, %u1;",
    "prmt.b64 %d1, %d1, %d1, %r1;",
    "shf.l.b32 %r1, %r1, %r1, %r1;",
    "shf.l.wrap.b64 %d1, %d1, %d1, %r1;",
    "min.b32 %r1, %r1, %r1;",
    "min.NaN.f64 %g1, %g1, %g1;",
    "max.NaN.s32 %s1, %s1, %s1;",
    "copysign.b32 %r1, %r1, %r1;",
    "testp.zero.f32 %p1, %f1;",
    "setp.eq.pred %p1, %p1, %p1;",
    "setp.lt.b32 %p1, %r1, %r1;",
    "setp.num.u32 %p1, %u1, %u1;",
    "setp.lo.f32 %p1, %f1, %f1;",
    "setp.eq.nand.u32 %p1, %u1, %u1, %p1;",
    "selp.pred %p1, %p1, %p1, %p1;",
    "mov.u8 %hu1, %hu1;",
    "cvt.b32.u32 %r1, %u1;",
    "cvt.rn.u64.u32 %ud1, %u1;",
    "cvt.f32.u32 %f1, %u1;",
    "cvt.rzi.f32.u32 %f1, %u1;",
    "cvt.rn.s32.f32 %s1, %f1;",
    "cvt.rni.f64.f32 %g1, %f1;",
    "cvta.global.u32 %u1, %u1;",
    "ld.global.pred %p1, [%d10];",
    "ld.global.v4.u64 {%ud1, %ud2, %ud3, %ud4}, [%d10];",
    "ld.global.relaxed.u32 %u1, [%d10];",
    "ld.relaxed.global.u32 %u1, [%d10];",
    "ld.release.gpu.global.u32 %u1, [%d10];",
    "st.acquire.gpu.global.u32 [%d11], %u1;",
    "st.global.nc.u32 [%d11], %u1;",
    "st.const.u32 [%d11], %u1;",
    "st.param.u64 [in], %d1;",
    ".param .b32 p;\nld.param.b32 %r1, [p];",
    ".param .b32 p;\nst.param.b32 [p], %r1;",
    ".param .u64 in;",
    # Operands of other kinds and sizes.
    "add.u32 %u1, %u1, 0f3F800000;",
    "add.rn.f32 %f1, %f1, 1;",
    "add.rn.f32 %f1, %f1, 0d3FF0000000000000;",
    "add.u32 1, %u1, %u1;",
    "add.u32 %p1, %u1, %u1;",
    "add.u32 %u1, [%d10], %u1;",
    "add.u32 %u1, {%u1, %u2}, %u1;",
    "mov.u32 %u1, {%hu1, %hu2};",
    "mov.b32 %r1, {%r1, %r2};",
    "mov.b64 {%r1, %r2, %r3}, %d1;",
    "mov.f32 %f1, %u1;",
    "mov.pred %p1, %u1;",
    "mov.u64 %ud1, %tid.x;",
    "mov.u32 %u1, %tid.w;",
    "mad.wide.u32 %ud1, %u1, %u1, %u1;",
    "bfe.u64 %ud1, %ud1, %ud1, %u1;",
    "ld.global.u32 %u1, %d10;",
    "ld.global.v2.u32 %u1, [%d10];",
    "ld.global.v2.u32 {%u1, %u2, %u3}, [%d10];",
    "ld.global.u64 %u1, [%d10];",
    "ld.global.f32 %f1, [%f2];",
    "ld.global.f64 %f1, [%d10];",
    "ld.shared.u32 %u1, [in];",
    "st.global.u32 [%d11], {%u1};",
    "st.global.f32 [%d11], %u1;",
    "ld.global.f32 %u1, [%d10];",
    "ld.local.f32 %u1, [%d10];",
    "@%u1 bra end;\nend:",
    "@!%r1 mov.u32 %u1, 1;",
    "selp.u32 %u1, %u1, %u1, !%p1;",
    "setp.eq.u32 %p1|%u1, %u1, %u1;",
    # Numbers and kinds of operands.
    "ret %u1;",
    "bar.sync;",
    "bar.sync 16;",
    "bar.arrive 0, 32;",
    "bra;",
    "bra %u1;",
    "brx.idx %u1, nothing;",
    "call;",
    "call main, ();",
    "trap 1;",
    # Names and punctuation.
    "add.u32 %u1 %u1, %u1;",
    "add.u32 %u1, %u1, %u1,;",
    "add.u32 %u1, %u1, %u12;",
    "mov.u64 %d1, bra_target;",
    "mov.u32 %u1, 08;",
    "mov.u64 %d1, 0x10000000000000000;",
    "x: bra x;\nx: bra x;",
    ".reg .u32 %u0;\n.reg .u32 %u0;",
    ".reg .u8 %byte;",
    ".local .pred flag;",
    ".local .align 3 .b8 odd[4];",
    ".local .b8 unsized[];",
    ".local .b32 init = 1;",
    ".unknown;",
    "#",
]


@pytest.mark.parametrize("body", SNIPPETS)
def test_refused_at_its_line(body: str) -> None:
    """The first line holds nothing wrong; the error is at the second, or at the body's end."""
    text = HEAD + entry(f"mov.u32 %u9, 1;\n{body}")
    first = text[: text.index("%u9, 1;")].count("\n") + 2
    with pytest.raises(PtxError) as caught:
        Sim(text)
    assert caught.value.line is not None
    assert first <= caught.value.line <= first + body.count("\n")


@pytest.mark.parametrize(
    "before",
    [
        ".global .u32 x;\n.global .u32 x;\n",
        ".global .u32 x[2] = {1, 2, 3};\n",
        ".global .u8 x = 256;\n",
        ".global .u32 x = 0f3F800000;\n",
        ".global .f32 x = 1;\n",
        ".global .u32 x = y;\n",
        ".global .u64 x = y;\n",
        ".shared .u32 x = 1;\n",
        ".global .u32 x[];\n",
        ".extern .func other();\n",
        ".func f() { ret; }\n.func f() { ret; }\n",
        ".entry e(.reg .u32 %r) { ret; }\n",
        ".entry e() .frob 1 { ret; }\n",
        ".tex .u32 t;\n",
        ".func f(.param .b32 a) { .reg .b32 %r; st.param.b32 [a], %r; ret; }\n",
        ".func (.param .b32 a) f() { .reg .b32 %r; ld.param.b32 %r, [a]; ret; }\n",
        ".entry e() { .local .b8 huge[600000]; ret; }\n",
    ],
)
def test_modules_that_are_refused(before: str) -> None:
    with pytest.raises(PtxError, match=r"PTX line [4-6]\b"):
        Sim(f"{HEAD}{before}")


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".target sm_80\n",
        ".version 8.0\n.address_size 64\n",
        ".version 8.0\n.target sm_80\n.address_size 32\n",
        ".version 8\n.target sm_80\n.address_size 64\n",
        ".version 8.0\n.target gfx90a\n.address_size 64\n",
        f"{HEAD}.entry e() {{",
        f"{HEAD}.entry e() {{ ret; ",
    ],
)
def test_heads_and_ends_that_are_refused(text: str) -> None:
    with pytest.raises(PtxSyntaxError):
        Sim(text)


def test_a_run_time_error_names_its_line_and_text() -> None:
    text = HEAD + entry("mov.u32 %u1, 1;\nld.global.u32 %u2, [%d10+4];\nmov.u32 %u3, 1;")
    sim = Sim(text)
    with pytest.raises(PtxError) as caught:
        sim.launch("main", (1, 1, 1), (1, 1, 1), sim.alloc(bytes(4)).to_bytes(8, "little") * 2)
    line = text[: text.index("ld.global.u32 %u2")].count("\n") + 1
    assert caught.value.line == line
    assert "ld.global.u32 %u2, [%d10+4];" in str(caught.value)
