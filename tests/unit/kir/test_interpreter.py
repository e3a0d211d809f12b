"""Launches: threads, blocks, orders, barriers, panics, calls, control flow, limits."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

from mirgpu.kir.interpreter import CAPACITY, Interpreter, InterpreterError, PanicRecord
from mirgpu.kir.memory import FaultKind
from mirgpu.kir.parser import parse_module

THREAD = """
  %tid:i32 = read tid.x
  %ntid:i32 = read ntid.x
  %cta:i32 = read ctaid.x
  %m:i32 = mul %cta, %ntid
  %i32:i32 = add %m, %tid
  %i:i64 = zext %i32
"""
OUT = "%out:ptr.generic value size 8 align 8"


def _interpreter(body: str, rest: str = "") -> Interpreter:
    return Interpreter(parse_module(f'{rest}\nkernel @k "k" ({OUT}) {{\nentry:\n{body}\n}}'))


def _run(
    interpreter: Interpreter, grid: int, block: int, size: int = 4, **options: object
) -> list[int]:
    data = bytearray(grid * block * size)
    address = interpreter.alloc(data, align=8)
    interpreter.launch("k", (grid,), (block,), address.to_bytes(8, "little"), **options)  # type: ignore[arg-type]
    return list(memoryview(data).cast("I"))


def test_special_registers_on_all_axes() -> None:
    registers = [f"{r}.{a}" for r in ("tid", "ntid", "ctaid", "nctaid") for a in "xyz"]
    lines = [
        f"%r{n}:i32 = read {name} %p{n}:ptr.generic = ptradd %out, {n}:i64 * 4 + 0 "
        f"store %r{n}, %p{n}, align 4"
        for n, name in enumerate(registers)
    ]
    interpreter = _interpreter("\n".join([*lines, "return"]))
    data = bytearray(48)
    address = interpreter.alloc(data, align=8).to_bytes(8, "little")
    seen: list[tuple[int, int]] = []
    interpreter.launch(
        "k", (2, 3, 4), (5, 6, 7), address, progress=lambda done, total: seen.append((done, total))
    )
    assert list(memoryview(data).cast("I")) == [4, 5, 6, 5, 6, 7, 1, 2, 3, 2, 3, 4]
    assert seen == [(n, 24) for n in range(1, 25)]


LOG = f"""{THREAD}
  %c:ptr.global = globaladdr @count
  %n:i64 = load %c, align 8
  %p:ptr.generic = ptradd %out, %n * 4 + 0
  store %i32, %p, align 4
  %n2:i64 = add %n, 1:i64
  store %n2, %c, align 8
"""
COUNT = 'global @count global size 8 align 8 mutable hex "0000000000000000"'


def test_orders_of_threads_and_blocks() -> None:
    def order(name: str, seed: int = 0) -> list[int]:
        return _run(_interpreter(f"{LOG} return", COUNT), 3, 4, order=name, seed=seed)

    assert order("ascending") == list(range(12))
    assert order("descending") == list(range(11, -1, -1))
    shuffled = order("shuffled")
    assert shuffled != list(range(12))
    assert sorted(shuffled) == list(range(12))
    assert order("shuffled") == shuffled
    assert order("shuffled", 1) != shuffled
    blocks = [shuffled[n : n + 4] for n in (0, 4, 8)]
    assert sorted(sorted(block) for block in blocks) == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    with pytest.raises(ValueError, match="unknown order sideways"):
        order("sideways")


REVERSE = f"""{THREAD}
  %t:ptr.shared = globaladdr @tile
  %tid64:i64 = zext %tid
  %mine:ptr.shared = ptradd %t, %tid64 * 4 + 0
  store %i32, %mine, align 4
  barrier
  %last:i32 = sub %ntid, 1:i32
  %other:i32 = sub %last, %tid
  %other64:i64 = zext %other
  %theirs:ptr.shared = ptradd %t, %other64 * 4 + 0
  %x0:i32 = load %theirs, align 4
  %x:i32 = add %x0, 0:i32
  %p:ptr.generic = ptradd %out, %i * 4 + 0
  store %x, %p, align 4
  return
"""
TILE = "global @tile shared size 16 align 4 mutable"


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled"])
def test_barriers_make_shared_memory_visible(order: str) -> None:
    assert _run(_interpreter(REVERSE, TILE), 2, 4, order=order) == [3, 2, 1, 0, 7, 6, 5, 4]


def test_without_the_barrier_the_race_is_seen() -> None:
    interpreter = _interpreter(REVERSE.replace("barrier", ""), TILE)
    for order in ("ascending", "descending"):
        with pytest.raises(InterpreterError, match="uninitialised"):
            _run(interpreter, 1, 4, order=order)


def test_shared_memory_is_fresh_in_each_block() -> None:
    body = f"""{THREAD}
      %t:ptr.shared = globaladdr @tile
      %first:i1 = eq %cta, 0:i32
      condbr %first, fill(), use()
      fill:
      memset %t, 1:i8, 16:i64, align 4
      return
      use:
      %x:i32 = load %t, align 4
      %p:ptr.generic = ptradd %out, %i * 4 + 0
      store %x, %p, align 4
      %y:i32 = add %x, 1:i32
      return"""
    with pytest.raises(InterpreterError, match="uninitialised"):
        _run(_interpreter(body, TILE), 2, 1)


HELPER = 'device @wait "wait" (%x:i32 value size 4 align 4) -> (i32) { e: barrier return %x }'


def test_a_barrier_in_a_called_function_and_threads_that_left() -> None:
    body = f"""{THREAD}
      %p:ptr.generic = ptradd %out, %i * 4 + 0
      %one:i1 = eq %tid, 1:i32
      condbr %one, leave(), stay()
      leave:
      store 9:i32, %p, align 4
      return
      stay:
      %x:i32 = call @wait(%i32)
      %y:i32 = call @wait(%x)
      store %y, %p, align 4
      return"""
    assert _run(_interpreter(body, HELPER), 1, 4) == [0, 9, 2, 3]


def test_threads_at_different_barriers_are_an_error() -> None:
    body = f"""{THREAD}
      %odd:i1 = trunc %tid
      condbr %odd, a(), b()
      a:
      barrier !0
      return
      b:
      barrier !1
      return"""
    locations = '!0 = "src/lib.rs":5:1\n!1 = "src/lib.rs":8:1'
    with pytest.raises(InterpreterError) as caught:
        _run(_interpreter(body, locations), 1, 2)
    assert caught.value.kind is FaultKind.BARRIER
    assert caught.value.thread == (1, 0, 0)
    assert "src/lib.rs:8, at src/lib.rs:5:1" in str(caught.value)


SHARE_LOCAL = f"""{THREAD}
  %l:ptr.local = alloca size 4, align 4
  %g:ptr.generic = addrspacecast %l
  store %i32, %l, align 4
  %t:ptr.shared = globaladdr @tile
  %slot:ptr.shared = ptradd %t, 0:i64 * 1 + 0
  %first:i1 = eq %tid, 0:i32
  condbr %first, put(), wait()
put:
  store %g, %slot, align 8
  br wait()
wait:
  barrier
  %h:ptr.generic = load %slot, align 8
  %x:i32 = load %h, align 4
  barrier
  return
"""


def test_another_threads_local_memory_is_not_readable() -> None:
    tile = TILE.replace("align 4", "align 8")
    with pytest.raises(InterpreterError) as caught:
        _run(_interpreter(SHARE_LOCAL, tile), 1, 2)
    assert caught.value.kind is FaultKind.OTHER_THREAD
    assert caught.value.thread == (1, 0, 0)
    _run(_interpreter(SHARE_LOCAL, tile), 1, 1)
    with pytest.raises(InterpreterError) as caught:
        _run(_interpreter(SHARE_LOCAL.replace("  barrier", ""), tile), 1, 2)
    assert caught.value.kind is FaultKind.DANGLING


SITES = """\
panic 0 "{0} {1} {2} {3}" (bool debug, i8 display, f32 debug, f64 debug)
panic 1 "" ()
"""


def test_panics_end_a_thread_and_are_recorded() -> None:
    body = f"""{THREAD}
      %p:ptr.generic = ptradd %out, %i * 4 + 0
      store %i32, %p, align 4
      %odd:i1 = trunc %tid
      condbr %odd, a(), b()
      a:
      panic 0(%odd, 255:i8, 0xff800001:f32, 0x7ff0000000000001:f64)
      b:
      return"""
    interpreter = _interpreter(body, SITES)
    data = bytearray(4 * 4)
    address = interpreter.alloc(data, align=8).to_bytes(8, "little")
    report = interpreter.launch("k", (2,), (2,), address)
    assert report.count == 2
    operands = (1, 255, 0xFF800001, 0x7FF0000000000001)
    assert report.records == (
        PanicRecord(0, (0, 0, 0), (1, 0, 0), operands),
        PanicRecord(0, (1, 0, 0), (1, 0, 0), operands),
    )
    assert list(memoryview(data).cast("I")) == [0, 1, 2, 3]


def test_only_the_first_panics_have_a_record() -> None:
    interpreter = _interpreter("panic 1()", SITES)
    report = interpreter.launch("k", (10,), (10,), bytes(8))
    assert report.count == 100
    assert len(report.records) == CAPACITY
    assert report.records[-1].block == (3, 0, 0)


def test_a_panic_in_a_called_function_releases_a_barrier() -> None:
    fail = 'device @fail "fail" () { e: %l:ptr.local = alloca size 4, align 4 panic 1() }'
    body = f"""{THREAD}
      %p:ptr.generic = ptradd %out, %i * 4 + 0
      %one:i1 = eq %tid, 1:i32
      condbr %one, a(), b()
      a:
      call @fail()
      return
      b:
      barrier
      store 5:i32, %p, align 4
      return"""
    interpreter = _interpreter(body, f"{SITES}\n{fail}")
    data = bytearray(4 * 3)
    address = interpreter.alloc(data, align=8).to_bytes(8, "little")
    report = interpreter.launch("k", (1,), (3,), address)
    assert [record.thread for record in report.records] == [(1, 0, 0)]
    assert list(memoryview(data).cast("I")) == [5, 0, 5]


COLLATZ = f"""{THREAD}
  br head(%i, 0:i32)
head(%n:i64, %steps:i32):
  %done:i1 = ule %n, 1:i64
  condbr %done, out(), body()
body:
  %bit:i64 = and %n, 1:i64
  switch %bit, [0: even(), 1: odd()], default never()
even:
  %half:i64 = lshr %n, 1:i64
  br next(%half)
odd:
  %triple:i64 = mul %n, 3:i64
  %more:i64 = add %triple, 1:i64
  br next(%more)
never:
  unreachable
next(%n2:i64):
  %steps2:i32 = add %steps, 1:i32
  br head(%n2, %steps2)
out:
  %p:ptr.generic = ptradd %out, %i * 4 + 0
  store %steps, %p, align 4
  return
"""


def _collatz(n: int) -> int:
    steps = 0
    while n > 1:
        n = 3 * n + 1 if n % 2 else n // 2
        steps += 1
    return steps


def test_loops_and_switches() -> None:
    interpreter = _interpreter(COLLATZ)
    expected = [_collatz(n) for n in range(40)]
    assert _run(interpreter, 4, 10) == expected
    assert _run(interpreter, 4, 10, max_steps=1000) == expected


def test_block_arguments_are_assigned_at_once() -> None:
    body = f"""{THREAD}
      br head(0:i32, 1:i32, %i)
      head(%a:i32, %b:i32, %n:i64):
      %stop:i1 = eq %n, 0:i64
      %less:i64 = sub %n, 1:i64
      condbr %stop, out(), head(%b, %a, %less)
      out:
      %p:ptr.generic = ptradd %out, %i * 4 + 0
      store %a, %p, align 4
      return"""
    assert _run(_interpreter(body), 1, 5) == [0, 1, 0, 1, 0]


def test_many_joins() -> None:
    """More arms than are tested one by one, and nesting deeper than Python's would go."""
    count = 300
    lines = [THREAD, "br b0(0:i32)"]
    for n in range(count):
        lines.append(f"b{n}(%s{n}:i32):\n %t{n}:i32 = add %s{n}, {n}:i32")
        lines.append(f" %u{n}:i1 = ult %t{n}, 100:i32")
        lines.append(f" condbr %u{n}, x{n}(), y{n}()\nx{n}:\n br b{n + 1}(%t{n})")
        lines.append(f"y{n}:\n %v{n}:i32 = sub %t{n}, 7:i32\n br b{n + 1}(%v{n})")
    lines.append(f"b{count}(%r:i32):\n store %r, %out, align 4\n return")
    expected = 0
    for n in range(count):
        expected += n
        expected -= 7 if expected >= 100 else 0
    assert _run(_interpreter("\n".join(lines)), 1, 1) == [expected]


def test_a_long_chain_of_tests() -> None:
    """Every block has one way in, so all of them are nested in one tree."""
    count = 400
    lines = [THREAD, "br b0()"]
    for n in range(count):
        lines.append(f"b{n}:\n %c{n}:i1 = eq %i, {n}:i64\n condbr %c{n}, x{n}(), b{n + 1}()")
        lines.append(f"x{n}:\n store {n + 1}:i32, %out, align 4\n return")
    lines.append(f"b{count}:\n return")
    assert _run(_interpreter("\n".join(lines)), 1, 1) == [1]


FIB = """device @fib "fib" (%n:i64 value size 8 align 8) -> (i64, i32) {
entry:
  %l:ptr.local = alloca size 8, align 8
  store %n, %l, align 8
  %small:i1 = ult %n, 2:i64
  condbr %small, base(), more()
base:
  return %n, 1:i32
more:
  %a:i64 = sub %n, 1:i64
  %b:i64 = sub %n, 2:i64
  %x:i64, %p:i32 = call @fib(%a)
  %y:i64, %q:i32 = call @fib(%b)
  %r:i64 = add %x, %y
  %s:i32 = add %p, %q
  %same:i64 = load %l, align 8
  %d:i64 = sub %same, %n
  %z:i64 = add %r, %d
  return %z, %s
}"""


def test_calls_recurse_with_frames_of_their_own() -> None:
    body = """%r:i64, %c:i32 = call @fib(10:i64)
      %v:i32 = trunc %r
      store %v, %out, align 4
      %p:ptr.generic = ptradd %out, 0:i64 * 1 + 4
      store %c, %p, align 4
      return"""
    assert _run(_interpreter(body, FIB), 1, 1, size=8) == [55, 89]


def test_special_registers_in_called_functions() -> None:
    index = 'device @index "index" () -> (i32) { e: %t:i32 = read tid.x return %t }'
    twice = 'device @twice "twice" () -> (i32) { e: %a:i32 = call @index() return %a }'
    body = f"""{THREAD} %x:i32 = call @twice()
      %p:ptr.generic = ptradd %out, %i * 4 + 0 store %x, %p, align 4 return"""
    assert _run(_interpreter(body, f"{index}\n{twice}"), 2, 3) == [0, 1, 2, 0, 1, 2]


@pytest.mark.parametrize("barrier", ["", "barrier"])
def test_endless_loops_are_bounded(barrier: str) -> None:
    body = f"{barrier} br loop()\nloop:\n br loop()"
    with pytest.raises(InterpreterError, match="a thread jumped more than 1000 times") as caught:
        _run(_interpreter(body), 1, 2, max_steps=1000)
    assert caught.value.kind is FaultKind.STEPS


def test_steps_are_counted_for_each_thread() -> None:
    assert _run(_interpreter(COLLATZ), 1, 8, max_steps=100) == [_collatz(n) for n in range(8)]
    with pytest.raises(InterpreterError, match="too many steps"):
        _run(_interpreter(COLLATZ), 1, 8, max_steps=10)


def test_endless_recursion_is_an_error() -> None:
    again = 'device @again "again" () { e: call @again() !0 return }\n!0 = "a.rs":1:2'
    with pytest.raises(InterpreterError, match=r"call depth.* at a.rs:1:2"):
        _run(_interpreter("call @again() return", again), 1, 1)


def test_an_error_in_a_called_function_shows_the_call() -> None:
    read = 'device @bad "bad" () { e: %x:i8 = load 0:ptr.generic, align 1 !0 return }'
    locations = '!0 = "a.rs":1:2\n!1 = "a.rs":9:3'
    with pytest.raises(InterpreterError, match=r"at a.rs:1:2, called at a.rs:9:3, in kernel k"):
        _run(_interpreter("call @bad() !1 return", f"{read}\n{locations}"), 1, 1)


def test_the_interpreter_goes_on_after_an_error() -> None:
    body = f"""%l:ptr.local = alloca size 4, align 4 {THREAD}
      %one:i1 = eq %tid, 1:i32 barrier
      condbr %one, a(), b()
      a:
      %x:i8 = load 0:ptr.generic, align 1
      return
      b:
      return"""
    interpreter = _interpreter(body, TILE)
    before = len(interpreter._memory._all)
    with pytest.raises(InterpreterError):
        interpreter.launch("k", (1,), (2,), bytes(8))
    assert interpreter.launch("k", (1,), (1,), bytes(8)).count == 0
    assert len(interpreter._memory._all) == before


def test_an_error_is_explained_the_same_twice() -> None:
    interpreter = _interpreter("br x()\nx:\n unreachable !0", '!0 = "a.rs":1:2')
    messages = []
    for _ in range(2):
        with pytest.raises(InterpreterError) as caught:
            interpreter.launch("k", (1,), (1,), bytes(8))
        messages.append(str(caught.value))
    assert messages[0] == messages[1]
    assert messages[0].startswith("unreachable code, at a.rs:1:2, in kernel k")


def test_parameters_stand_at_their_alignment() -> None:
    params = (
        f"%b:i8 value size 1 align 1, {OUT}, %c:i1 value size 1 align 1, "
        "%f:f32 value size 4 align 4, %s:ptr.param value size 3 align 1"
    )
    text = f"""kernel @k "k" ({params}) {{ e:
      %w:i32 = zext %b
      %x:i32 = select %c, %w, 0:i32
      store %x, %out, align 4
      %p:ptr.generic = ptradd %out, 0:i64 * 1 + 4
      store %f, %p, align 4
      %q:ptr.generic = ptradd %out, 0:i64 * 1 + 8
      memcopy %q, %s, 3:i64, align 1
      return }}"""
    interpreter = Interpreter(parse_module(text))
    data = bytearray(12)
    address = interpreter.alloc(data, align=8).to_bytes(8, "little")
    nan = bytes([1, 0, 0xA0, 0x7F])
    buffer = bytes([200]) + bytes(7) + address + bytes([1, 0, 0, 0]) + nan + bytes([7, 8, 9])
    interpreter.launch("k", (1,), (1,), buffer)
    assert data == bytes([200, 0, 0, 0]) + nan + bytes([7, 8, 9, 0])
    with pytest.raises(ValueError, match="ends within parameter 4"):
        interpreter.launch("k", (1,), (1,), buffer[:-1])
    with pytest.raises(ValueError, match="a bool parameter of value 2"):
        interpreter.launch("k", (1,), (1,), buffer[:16] + bytes([2]) + buffer[17:])


def test_wrong_launches() -> None:
    interpreter = _interpreter("return", 'device @d "d" () { e: return }')
    for symbol in ("nothing", "d"):
        with pytest.raises(ValueError, match=f"no kernel {symbol}"):
            interpreter.launch(symbol, (1,), (1,), bytes(8))
    for grid in ((0,), (1, 2, 3, 4), (1, -1)):
        with pytest.raises(ValueError, match="grid"):
            interpreter.launch("k", grid, (1,), bytes(8))


def test_an_interrupt_goes_through() -> None:
    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        _interpreter("return").launch("k", (2,), (1,), bytes(8), progress=stop)


def _imports() -> Iterator[str]:
    code = (
        "import sys, mirgpu.kir.interpreter, mirgpu.kir.verifier, mirgpu.kir.parser\n"
        "print(*sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    yield from done.stdout.split()


def test_kir_imports_nothing_heavy() -> None:
    loaded = set(_imports())
    assert "mirgpu.kir.interpreter" in loaded
    assert not loaded & {"numpy", "lark", "rich", "typer", "jinja2"}
