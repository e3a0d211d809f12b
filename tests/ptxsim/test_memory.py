"""State spaces: bounds, alignment, extension, what is written and what is not."""

import struct

import pytest
from tests.ptxsim import PtxMemoryError, PtxUndefinedError, Sim
from tests.ptxsim.snippets import HEAD, entry, run

GARBAGE = 0xA5A5A5A5


def words(data: bytes) -> list[int]:
    return list(struct.unpack(f"<{len(data) // 4}I", data))


@pytest.mark.parametrize(
    ("load", "bits"),
    [
        ("ld.global.u8 %d1", 0x80),
        ("ld.global.s8 %d1", 0xFFFFFFFFFFFFFF80),
        ("ld.global.b8 %d1", 0x80),
        ("ld.global.u16 %d1", 0xFF80),
        ("ld.global.s16 %d1", 0xFFFFFFFFFFFFFF80),
        ("ld.global.s32 %d1", 0xFFFFFFFF8000FF80),
        ("ld.global.u32 %d1", 0x8000FF80),
        ("ld.global.b32 %d1", 0x8000FF80),
        ("ld.global.nc.u16 %d1", 0xFF80),
        ("ld.volatile.global.u16 %d1", 0xFF80),
        ("ld.relaxed.gpu.global.u16 %d1", 0xFF80),
        ("ld.u16 %d1", 0xFF80),
    ],
)
def test_loads_extend(load: str, bits: int) -> None:
    found = run(f"{load}, [%d10];\nst.global.u64 [%d11], %d1;", struct.pack("<Q", 0x8000FF80))
    assert found[:8] == struct.pack("<Q", bits)


@pytest.mark.parametrize(
    ("store", "bits"),
    [
        ("st.global.u8", 0x88),
        ("st.global.s16", 0x7788),
        ("st.volatile.global.b32", 0x55667788),
        ("st.u64", 0x1122334455667788),
    ],
)
def test_stores_take_the_low_bytes(store: str, bits: int) -> None:
    found = run(f"mov.u64 %d1, 0x1122334455667788;\n{store} [%d11], %d1;", size=16)
    assert found == struct.pack("<QQ", bits, 0)


def test_parameters_take_the_low_bytes() -> None:
    """The byte beside keeps its value."""
    before = """
    .func (.param .align 2 .b8 r[2]) pass(.param .align 2 .b8 a[2])
    {
        .reg .u32 %x;
        ld.param.u16 %x, [a];
        st.param.b8 [r], %x;
        shr.u32 %x, %x, 4;
        st.param.b8 [r+1], %x;
        ret;
    }
    """
    body = """
        .param .align 2 .b8 a[2], r[2];
        mov.u32 %u1, 0x1234;
        st.param.b8 [a+1], %u1;
        mov.u32 %u1, 0x5678;
        st.param.b8 [a], %u1;
        call (r), pass, (a);
        ld.param.u16 %u2, [r];
        st.global.u32 [%d11], %u2;
    """
    assert words(run(body, size=4, before=before)) == [0x4778]


@pytest.mark.parametrize("space", ["local", "shared"])
def test_every_space_takes_the_low_bytes(space: str) -> None:
    """The byte beside keeps its value."""
    body = f"""
        .{space} .align 2 .b8 slot[2];
        mov.u32 %u1, 0x1234;
        st.{space}.b8 [slot+1], %u1;
        st.{space}.b8 [slot], %u1;
        ld.{space}.u16 %u2, [slot];
        st.global.u32 [%d11], %u2;
    """
    assert words(run(body, size=4)) == [0x3434]


@pytest.mark.parametrize("form", ["global", "local", "shared", "generic"])
def test_vectors(form: str) -> None:
    space = "" if form == "generic" else f".{form}"
    base = "%d11" if form in ("global", "generic") else "slot"
    declarations = f"\t.{form} .align 16 .b8 slot[32];\n" if base == "slot" else ""
    body = f"""
        mov.u32 %u1, 1; mov.u32 %u2, 2; mov.u32 %u3, 3; mov.u32 %u4, 4;
        st{space}.v4.u32 [{base}+16], {{%u1, %u2, %u3, %u4}};
        ld{space}.v2.u32 {{%u5, %u6}}, [{base}+24];
        ld{space}.v2.u64 {{%ud1, %ud2}}, [{base}+16];
        st.global.v2.u32 [%d11], {{%u6, %u5}};
        st.global.u64 [%d11+8], %ud2;
    """
    assert words(run(body, size=32, declarations=declarations))[:4] == [4, 3, 3, 4]


def test_a_vector_may_be_loaded_over_its_own_address() -> None:
    body = """
        ld.global.v2.u64 {%d10, %d1}, [%d10];
        st.global.v2.u64 [%d11], {%d1, %d10};
    """
    assert run(body, struct.pack("<QQ", 5, 6), size=16) == struct.pack("<QQ", 6, 5)


@pytest.mark.parametrize("space", ["global", "local", "shared", "const"])
def test_a_variable_is_aligned_as_declared_and_no_better(space: str) -> None:
    declaration = f".{space} .align 4 .b8 slot[16];\n"
    outside = {"before": declaration} if space != "local" else {"declarations": declaration}
    for offset in (0, 4):
        access = f"mov.u64 %d1, slot;\nld.{space}.b64 %d2, [%d1+{offset}];"
        if offset == 0:
            with pytest.raises(PtxMemoryError, match="misaligned"):
                run(access, **outside)
        else:
            run(access, **outside)


def test_a_buffer_is_aligned_as_asked_and_no_better() -> None:
    sim = Sim(HEAD + entry("ld.global.u64 %d1, [%d10];"))
    sim.launch("main", (1, 1, 1), (1, 1, 1), struct.pack("<QQ", sim.alloc(bytes(8), align=8), 0))
    with pytest.raises(PtxMemoryError, match="misaligned"):
        sim.launch(
            "main", (1, 1, 1), (1, 1, 1), struct.pack("<QQ", sim.alloc(bytes(8), align=4), 0)
        )


@pytest.mark.parametrize("space", ["global", "local", "shared", "const"])
@pytest.mark.parametrize("offset", [-4, 8, 4096, 1 << 33])
def test_a_neighbour_is_out_of_bounds(space: str, offset: int) -> None:
    lines = "".join(f".{space} .align 4 .b8 {name}[8];\n" for name in ("one", "two", "three"))
    outside = {"before": lines} if space != "local" else {"declarations": lines}
    access = f"mov.u64 %d1, two;\nadd.s64 %d1, %d1, {offset};\nld.{space}.u32 %u1, [%d1];"
    with pytest.raises(PtxMemoryError):
        run(access, **outside)


def test_the_last_bytes_of_a_buffer() -> None:
    run("ld.global.u16 %u1, [%d10+4];", bytes(6))
    with pytest.raises(PtxMemoryError, match="out of bounds"):
        run("ld.global.u32 %u1, [%d10+4];", bytes(6))
    with pytest.raises(PtxMemoryError, match="out of bounds"):
        run("st.global.v2.u32 [%d11+8], {%u1, %u1};".replace("%u1", "%u0"), size=12)


WRONG_SPACE = [
    ("cvta.shared.u64 %d1, %d0;\nld.global.u32 %u1, [%d1];", "shared"),
    ("ld.shared.u32 %u1, [%d11];", "shared"),
    ("ld.local.u32 %u1, [%d11];", "local"),
    ("ld.u32 %u1, [%d0];", "shared"),
    ("cvta.shared.u64 %d1, %d0;\ncvta.to.local.u64 %d1, %d1;", "shared"),
    ("cvta.local.u64 %d1, %d0;\ncvta.to.shared.u64 %d1, %d1;", "local"),
    ("cvta.local.u64 %d1, %d0;\nld.global.u32 %u1, [%d1];", "local"),
]


@pytest.mark.parametrize(("body", "space"), WRONG_SPACE)
def test_an_address_of_another_space(body: str, space: str) -> None:
    declaration = f".{space} .align 4 .b8 slot[8];\n"
    with pytest.raises(PtxMemoryError):
        run(f"{declaration}mov.u64 %d0, slot;\n{body}")


def test_generic_addresses() -> None:
    body = """
        cvta.const.u64 %d1, table;
        ld.u32 %u1, [%d1+4];
        st.shared.u32 [tile], 9;
        cvta.shared.u64 %d2, tile;
        ld.u32 %u2, [%d2];
        st.u32 [%d2], 11;
        ld.shared::cta.u32 %u3, [tile];
        cvta.param.u64 %d3, in;
        ld.u64 %d4, [%d3];
        ld.global.u32 %u4, [%d4];
        st.global.v4.u32 [%d11], {%u1, %u2, %u3, %u4};
    """
    before = ".const .align 4 .u32 table[2] = {1, 2};\n.shared .align 4 .b8 tile[4];\n"
    assert words(run(body, struct.pack("<Q", 77), size=16, before=before)) == [2, 9, 11, 77]


@pytest.mark.parametrize(
    ("body", "data"),
    [
        ("cvta.const.u64 %d1, table;\nst.u32 [%d1], 1;", b""),
        ("cvta.param.u64 %d1, in;\nst.u64 [%d1], 1;", b""),
        ("st.global.u8 [%d10], 1;", bytes(8)),
        ("st.global.f32 [%d10], 0f3F800000;", bytes(8)),
        ("st.global.v2.u32 [%d10], {%u0, %u0};", bytes(8)),
    ],
)
def test_read_only_memory(body: str, data: bytes) -> None:
    with pytest.raises(PtxMemoryError, match="read-only"):
        run(f"mov.u32 %u0, 1;\n{body}", data, before=".const .align 4 .u32 table[1] = {7};\n")


def test_an_allocation_that_is_not_writable() -> None:
    sim = Sim(HEAD + entry("st.global.u32 [%d11], 1;"))
    address = sim.alloc(bytearray(4), writable=False)
    with pytest.raises(PtxMemoryError, match="read-only"):
        sim.launch("main", (1, 1, 1), (1, 1, 1), struct.pack("<QQ", 0, address))


def test_a_pointer_into_a_frame_that_is_left() -> None:
    before = """
    .func (.param .b64 r) leak()
    {
        .local .align 4 .b8 slot[4];
        .reg .b64 %x;
        st.local.u32 [slot], 5;
        mov.u64 %x, slot;
        st.param.b64 [r], %x;
        ret;
    }
    """
    call = ".param .b64 r;\ncall (r), leak, ();\nld.param.b64 %d1, [r];\n"
    with pytest.raises(PtxMemoryError, match="frame"):
        run(f"{call}ld.local.u32 %u1, [%d1];", before=before)


def test_memory_that_nobody_wrote() -> None:
    for space in ("local", "shared"):
        slot = f".{space} .align 4 .b8 slot[8];\nst.{space}.u16 [slot+2], 0x1234;\n"
        for access in ("ld.{0}.u16 %u1, [slot];", "ld.{0}.u32 %u1, [slot];"):
            with pytest.raises(PtxUndefinedError):
                run(f"{slot}{access.format(space)}\nadd.u32 %u1, %u1, 1;")
        run(f"{slot}ld.{space}.u16 %u1, [slot+2];\nadd.u32 %u1, %u1, 1;")


def test_unwritten_bytes_arrive_as_garbage() -> None:
    """Zeros could be right by luck; the bytes that were written arrive as they are."""
    body = """
        .local .align 8 .b8 slot[8];
        st.local.u16 [slot+2], 0x1234;
        ld.local.b64 %d1, [slot];
        mov.b64 %d2, %d1;
        st.global.b64 [%d11], %d2;
        st.global.u32 [%d11+8], %u5;
        div.u32 %u1, 1, 0;
        st.global.u32 [%d11+12], %u1;
    """
    assert words(run(body, size=16)) == [0x1234A5A5, GARBAGE, GARBAGE, GARBAGE]


def test_writing_makes_it_defined_again() -> None:
    body = """
        st.global.u64 [%d11], %ud1;
        st.global.u32 [%d11], 5;
        ld.global.u32 %u1, [%d11];
        add.u32 %u1, %u1, 1;
        st.global.f32 [%d11+4], 0f3F800000;
        ld.global.f32 %f1, [%d11+4];
        add.rn.f32 %f1, %f1, %f1;
        st.global.f32 [%d11+4], %f1;
        st.global.u32 [%d11], %u1;
    """
    assert words(run(body, size=8)) == [6, 0x40000000]


def test_each_thread_has_its_locals_and_each_block_its_shared_memory() -> None:
    body = """
        .shared .align 4 .b8 tile[4];
        .local .align 4 .b8 slot[4];
        mov.u32 %u0, %ctaid.x;
        mov.u32 %u1, %tid.x;
        mad.lo.u32 %u1, %u0, 2, %u1;
        st.local.u32 [slot], %u1;
        setp.eq.u32 %p0, %u1, 0;
        @%p0 st.shared.u32 [tile], 100;
        bar.sync 0;
        ld.local.u32 %u2, [slot];
        ld.shared.u32 %u3, [tile];
        setp.ne.u32 %p1, %u0, 0;
        @%p1 mov.u32 %u3, 0;
        add.u32 %u3, %u3, %u2;
        mul.wide.u32 %ud1, %u1, 4;
        add.u64 %ud1, %d11, %ud1;
        st.global.u32 [%ud1], %u3;
    """
    assert words(run(body, size=16, threads=2, blocks=2)) == [100, 101, 2, 3]
    leak = body.replace("@%p1 mov.u32 %u3, 0;", "")
    with pytest.raises(PtxUndefinedError):
        run(leak, size=16, threads=2, blocks=2)
