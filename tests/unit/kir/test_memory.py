"""What the interpreter refuses in memory, with the Rust place, block and thread; and what not."""

import pytest

from mirgpu.kir.interpreter import Interpreter, InterpreterError
from mirgpu.kir.memory import FaultError, FaultKind
from mirgpu.kir.parser import parse_module

GLOBALS = """\
global @table const size 8 align 4 hex "0102030405060708" !0
global @counter global size 8 align 8 mutable hex "0000000000000000"
global @link const size 8 align 8 hex "0000000000000000" reloc 0 @table + 4
global @tile shared size 8 align 8 mutable
"""
DEVICE = """\
device @leak "leak" () -> (ptr.generic) {
entry:
  %l:ptr.local = alloca size 4, align 4
  %g:ptr.generic = addrspacecast %l
  return %g
}
"""
LOC = '!0 = "src/lib.rs":3:9 in "f" at !1\n!1 = "src/lib.rs":20:5\n'
LOC = '!1 = "src/lib.rs":20:5\n' + LOC.splitlines()[0] + "\n"


def _kernel(body: str) -> str:
    params = "%p:ptr.generic value size 8 align 8, %a:ptr.param value size 8 align 4"
    return f'{GLOBALS}{DEVICE}kernel @k "k" ({params}) {{\nentry:\n{body}\n}}\n{LOC}'


def _run(
    body: str, data: bytearray | None = None, *, align: int = 8, readonly: bool = False
) -> bytearray:
    interpreter = Interpreter(parse_module(_kernel(body)))
    data = bytearray(range(16)) if data is None else data
    address = interpreter.alloc(data, align=align, readonly=readonly, name="y")
    interpreter.launch("k", (1,), (1,), address.to_bytes(8, "little") + bytes(range(1, 9)))
    return data


SLOT = "%l:ptr.local = alloca size 8, align 4"
UNDEF_I32 = f"{SLOT} %u:i32 = load %l, align 4"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("%q:ptr.generic = ptradd %p, 16:i64 * 1 + 0 %r:i8 = load %q, align 1", "BOUNDS"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + 12 %r:i64 = load %q, align 4", "BOUNDS"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + 16 %r:i64 = load %q, align 8", "BOUNDS"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + -4 %r:i32 = load %q, align 4", "BOUNDS"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + -4 store 1:i32, %q, align 4", "BOUNDS"),
        ("%q:ptr.generic = ptradd %p, 4:i64 * 4 + 0 store 1:i32, %q, align 4", "BOUNDS"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + 2 %r:i32 = load %q, align 4", "MISALIGNED"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + 2 store 1:i32, %q, align 4", "MISALIGNED"),
        ("%r:i32 = load 0:ptr.generic, align 4", "NULL"),
        ("%r:i32 = load 4:ptr.generic, align 4", "NULL"),
        ("store 1:i32, 4:ptr.generic, align 4", "NULL"),
        ("memcopy %p, 0:ptr.generic, 4:i64, align 4", "NULL"),
        ("%r:i8 = load undef:ptr.generic, align 1", "UNINITIALISED"),
        ("%q:ptr.generic = call @leak() %r:i32 = load %q, align 4", "DANGLING"),
        ("%q:ptr.shared = addrspacecast %p %r:i32 = load %q, align 4", "SPACE"),
        ("%q:ptr.local = addrspacecast %p %r:i32 = load %q, align 4", "SPACE"),
        (f"{SLOT} %q:ptr.generic = addrspacecast %l %g:ptr.global = addrspacecast %q "
         "store 1:i32, %g, align 4", "SPACE"),
        (f"{SLOT} %q:ptr.local = ptradd %l, 8:i64 * 1 + 0 store 1:i8, %q, align 1", "BOUNDS"),
        (f"{SLOT} %q:ptr.local = ptradd %l, 0:i64 * 1 + -1 store 1:i8, %q, align 1", "BOUNDS"),
        (f"{SLOT} store 1:i64, %l, align 8", "MISALIGNED"),
        ("%t:ptr.shared = globaladdr @tile %r:i32 = load %t, align 4 %s:i32 = add %r, 1:i32",
         "UNINITIALISED"),
        ("%t:ptr.shared = globaladdr @tile %q:ptr.shared = ptradd %t, 2:i64 * 4 + 0 "
         "store 1:i32, %q, align 4", "BOUNDS"),
        ("%t:ptr.const = globaladdr @table %q:ptr.generic = addrspacecast %t "
         "store 1:i32, %q, align 4", "READ_ONLY"),
        ("%q:ptr.generic = addrspacecast %a store 1:i32, %q, align 4", "READ_ONLY"),
        ("%q:ptr.generic = addrspacecast %a memset %q, 0:i8, 4:i64, align 4", "READ_ONLY"),
        ("%q:ptr.generic = addrspacecast %a memcopy %q, %p, 4:i64, align 4", "READ_ONLY"),
        ("%t:ptr.const = globaladdr @table %r:i64 = load %t, align 8", "MISALIGNED"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + 4 memcopy %q, %p, 8:i64, align 4", "OVERLAP"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + 12 memcopy %q, %p, 8:i64, align 4", "BOUNDS"),
        ("memset %p, 0:i8, 17:i64, align 4", "BOUNDS"),
        (f"{SLOT} memset %l, 0:i8, 8:i64, align 8", "MISALIGNED"),
        (f"{UNDEF_I32} %r:i32 = add %u, 1:i32", "UNINITIALISED"),
        (f"{UNDEF_I32} %r:i1 = eq %u, 1:i32", "UNINITIALISED"),
        (f"{UNDEF_I32} %r:i1 = ne 1:i32, %u", "UNINITIALISED"),
        (f"{UNDEF_I32} %r:i64 = zext %u", "UNINITIALISED"),
        (f"{UNDEF_I32} %r:f32 = bitcast %u", "UNINITIALISED"),
        (f"{UNDEF_I32} %r:i32 = ctpop %u", "UNINITIALISED"),
        (f"{UNDEF_I32} %r:i32 = umin %u, 1:i32", "UNINITIALISED"),
        (f"{UNDEF_I32} %r:i32, %o:i1 = umul.overflow %u, %u", "UNINITIALISED"),
        (f"{UNDEF_I32} %r:f64 = uitofp %u", "UNINITIALISED"),
        ("%r:f32 = fneg undef:f32", "UNINITIALISED"),
        ("%r:f32 = fminnum undef:f32, undef:f32", "UNINITIALISED"),
        ("%r:f32 = fma undef:f32, 0x0:f32, 0x0:f32", "UNINITIALISED"),
        ("%r:f64 = fpext undef:f32", "UNINITIALISED"),
        ("%r:i32 = fptosi.sat undef:f32", "UNINITIALISED"),
        ("%r:i32 = select undef:i1, 1:i32, 2:i32", "UNINITIALISED"),
        ("%r:ptr.generic = ptradd %p, undef:i64 * 1 + 0", "UNINITIALISED"),
        ("memset %p, 0:i8, undef:i64, align 1", "UNINITIALISED"),
        ("condbr undef:i1, x(), x()\nx:", "UNINITIALISED"),
        ("switch undef:i8, [], default x()\nx:", "UNINITIALISED"),
        ("switch undef:i8, [3: x()], default x()\nx:", "UNINITIALISED"),
        ("%r:i32 = udiv 1:i32, 0:i32", "UNDEFINED"),
        ("%r:i32 = srem 1:i32, 0:i32", "UNDEFINED"),
        ("%r:i8 = sdiv 128:i8, 255:i8", "UNDEFINED"),
        ("%r:i8 = shl 1:i8, 8:i8", "UNDEFINED"),
        ("%r:i8 = ashr 1:i8, 200:i8", "UNDEFINED"),
        ("%q:ptr.generic = ptradd %p, 0:i64 * 1 + 2 %r:i1 = load %q, align 1", "UNDEFINED"),
        (f"{SLOT} store 2:i8, %l, align 1 %r:i1 = load %l, align 1", "UNDEFINED"),
        ("br u()\nu:\n unreachable\nx:", "UNREACHABLE"),
    ],
)  # fmt: skip
def test_refused(body: str, kind: str) -> None:
    with pytest.raises(InterpreterError) as caught:
        _run(f"{body} return")
    assert caught.value.kind is FaultKind[kind], str(caught.value)


def test_the_error_says_where() -> None:
    body = "%q:ptr.generic = ptradd %p, 5:i64 * 4 + 0 %r:f32 = load %q, align 4 !0 return"
    with pytest.raises(InterpreterError) as caught:
        _run(body)
    assert str(caught.value) == (
        "out of bounds: 4 bytes at offset 20 of y, which has 16 bytes, at src/lib.rs:3:9, "
        "called at src/lib.rs:20:5, in kernel k, block (0, 0, 0) thread (0, 0, 0)"
    )
    assert [loc.line for loc in caught.value.locations] == [3, 20]


def test_an_uninitialised_operand_is_shown() -> None:
    with pytest.raises(InterpreterError, match=r"an operand of `%r:i32 = add %u, 1:i32`"):
        _run(f"{UNDEF_I32} %r:i32 = add %u, 1:i32 return")


def test_a_host_buffer_may_be_read_only() -> None:
    with pytest.raises(InterpreterError, match="write to read-only memory: 4 bytes at offset 0"):
        _run("store 1:i32, %p, align 4 return", readonly=True)


def test_host_buffers_are_no_more_aligned_than_said() -> None:
    with pytest.raises(InterpreterError, match="misaligned"):
        _run("store 1:i64, %p, align 8 return", align=4)
    _run("store 1:i64, %p, align 4 return", align=4)
    _run("store 1:i32, %p, align 1 return", align=1)


def test_undef_may_be_moved() -> None:
    body = f"""{UNDEF_I32}
      store %u, %p, align 4
      %v:i32 = load %p, align 4
      %w:i32 = select 1:i1, %v, 7:i32
      br x(%w)
      x(%z:i32):
      store %z, %l, align 4
      memcopy %p, %l, 4:i64, align 4
      %q:ptr.generic = ptradd %p, 0:i64 * 1 + 4
      %f:i32 = load %q, align 4
      store 9:i32, %p, align 4
      %g:i32 = load %p, align 4
      %h:i32 = add %f, %g
      store %h, %p, align 4
      return"""
    assert _run(body)[:8] == bytes([13, 5, 6, 7, 4, 5, 6, 7])


def test_a_copy_keeps_what_is_uninitialised() -> None:
    body = f"""{SLOT}
      %m:ptr.local = alloca size 8, align 4
      store 5:i32, %l, align 4
      memcopy %m, %l, 8:i64, align 4
      %x:i32 = load %m, align 4
      store %x, %p, align 4
      %q:ptr.local = ptradd %m, 0:i64 * 1 + 4
      %y:i32 = load %q, align 4
      %z:i32 = add %y, 1:i32
      return"""
    with pytest.raises(InterpreterError, match=r"uninitialised: an operand of `%z"):
        _run(body)
    assert _run(body.replace("%z:i32 = add %y, 1:i32", ""))[:4] == bytes([5, 0, 0, 0])


def test_uninitialised_host_memory_becomes_fast_when_filled() -> None:
    module = parse_module(
        'kernel @k "k" (%p:ptr.generic value size 8 align 8) { e: '
        "%q:ptr.generic = ptradd %p, 0:i64 * 1 + 4 "
        "store 1:i32, %p, align 4 store 2:i32, %q, align 4 "
        "%a:i32 = load %p, align 4 %b:i32 = load %q, align 4 %c:i32 = add %a, %b "
        "store %c, %p, align 4 return }"
    )
    interpreter = Interpreter(module)
    address = interpreter.alloc(8, align=8)
    with pytest.raises(FaultError, match="uninitialised"):
        interpreter.read(address, 8)
    interpreter.launch("k", (1,), (1,), address.to_bytes(8, "little"))
    assert interpreter.read(address, 8) == bytes([3, 0, 0, 0, 2, 0, 0, 0])
    assert interpreter.read(address + 8, 0) == b""


def test_memmove_and_equal_pointers_may_overlap() -> None:
    body = "%q:ptr.generic = ptradd %p, 0:i64 * 1 + 1 memmove %q, %p, 8:i64, align 1"
    assert _run(f"{body} memcopy %p, %p, 16:i64, align 8 return")[:10] == bytes(
        [0, 0, 1, 2, 3, 4, 5, 6, 7, 9]
    )


def test_copies_and_fills_of_nothing_touch_nothing() -> None:
    _run("memcopy 1:ptr.generic, 2:ptr.generic, 0:i64, align 1 return")
    _run("memset 1:ptr.generic, 0:i8, 0:i64, align 1 return")


def test_memset_initialises_and_undef_takes_it_away() -> None:
    body = f"{SLOT} memset %l, 7:i8, 8:i64, align 4 %x:i64 = load %l, align 4"
    assert _run(f"{body} store %x, %p, align 8 return")[:8] == bytes([7] * 8)
    with pytest.raises(InterpreterError, match="uninitialised"):
        _run(f"{body} memset %l, undef:i8, 1:i64, align 1 %y:i32 = load %l, align 4 "
             "%z:i32 = add %y, %y return")  # fmt: skip


def test_globals_and_by_value_parameters_are_read() -> None:
    body = """
      %t:ptr.const = globaladdr @table
      %x:i32 = load %t, align 4
      store %x, %p, align 4
      %k:ptr.const = globaladdr @link
      %q:ptr.generic = load %k, align 8
      %y:i8 = load %q, align 1
      %o:ptr.generic = ptradd %p, 0:i64 * 1 + 4
      store %y, %o, align 1
      %b:ptr.param = ptradd %a, 0:i64 * 1 + 4
      %z:i32 = load %b, align 4
      %o2:ptr.generic = ptradd %p, 0:i64 * 1 + 8
      store %z, %o2, align 4
      return"""
    assert _run(body)[:12] == bytes([1, 2, 3, 4, 5, 5, 6, 7, 5, 6, 7, 8])


def test_mutable_globals_live_as_long_as_the_interpreter() -> None:
    module = parse_module(
        _kernel(
            "%c:ptr.global = globaladdr @counter %x:i64 = load %c, align 8 "
            "%y:i64 = add %x, 1:i64 store %y, %c, align 8 store %y, %p, align 8 return"
        )
    )
    interpreter = Interpreter(module)
    data = bytearray(8)
    address = interpreter.alloc(data, align=8)
    for expected in (1, 2):
        interpreter.launch("k", (1,), (1,), address.to_bytes(8, "little") + bytes(8))
        assert data[0] == expected


def test_allocations_of_the_host() -> None:
    interpreter = Interpreter(parse_module(_kernel("store 1:i32, %p, align 4 return")))
    data = bytearray(4)
    address = interpreter.alloc(memoryview(data).cast("I"), align=4)
    interpreter.launch("k", (1,), (1,), address.to_bytes(8, "little") + bytes(8))
    assert data == bytes([1, 0, 0, 0])
    interpreter.free(address)
    with pytest.raises(InterpreterError, match="dangling pointer"):
        interpreter.launch("k", (1,), (1,), address.to_bytes(8, "little") + bytes(8))
    with pytest.raises(ValueError, match="no allocation"):
        interpreter.free(address)
    with pytest.raises(ValueError, match="read-only"):
        interpreter.alloc(b"1234", align=4)
    with pytest.raises(ValueError, match="too many"):
        interpreter.alloc(1 << 36, align=4)
    assert interpreter.read(interpreter.alloc(b"1234", align=4, readonly=True), 4) == b"1234"
