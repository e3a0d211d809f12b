"""The textual form: every node printed and read back, and what is refused."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mirgpu.kir.equal import equal
from mirgpu.kir.module import Block, Function, FunctionKind, Global, Module, PanicSite
from mirgpu.kir.ops import Binary, BinaryOp, Br, IntConst, Location, Return, Target, Value
from mirgpu.kir.parser import KirSyntaxError, parse_module
from mirgpu.kir.printer import print_function, print_module
from mirgpu.kir.types import I32, AddressSpace

EVERYTHING = """\
panic 0 "the length is {0} but the index is {1}" (usize display, usize lower_hex) !0
panic 1 "\\u00e9 \\"quoted\\"" ()
global @tile shared size 1024 align 16 mutable !0
global @"odd name" const size 8 align 8 hex "0011223344556677" reloc 0 @tile + -8
kernel @every "crate::every<T>" (%x:ptr.generic slice.ptr size 8 align 8 freeze, \
%n:i64 slice.len size 8 align 8, %a:ptr.param value size 12 align 4) {
entry:
  %slot:ptr.local = alloca size 12, align 4
  %0:i32 = add 1:i32, 4294967295:i32 !0
  %i:i32, %o:i1 = uadd.overflow %0, %0 !1
  %i.1:f32 = fneg 0x7fc00000:f32
  %1:f32 = fma %i.1, %i.1, undef:f32
  %2:i1 = flt %1, %i.1
  %3:i64 = select %2, %n, 8:i64
  %p.0.0:i32 = trunc %3
  %p.0.1:ptr.generic = ptradd %x, %3 * 4 + -8
  %g:ptr.const = globaladdr @"odd name"
  %4:f32 = load %p.0.1, align 4
  %5:i8 = load volatile 0x10:ptr.generic, align 1
  store %4, %p.0.1, align 4
  store volatile %5, %slot, align 1
  memcopy %slot, %a, 12:i64, align 4
  memmove %slot, %slot, 12:i64, align 4
  memset %slot, 0:i8, 12:i64, align 1
  %6:i64, %7:f64 = call @f(%3)
  call @g()
  %8:i32 = read tid.x
  barrier
  condbr %2, loop(%8, %7), "odd label"()
loop(%9:i32, %"not bare":f64):
  switch %9, [0: entry2(), 4294967295: loop(%9, %7)], default "odd label"() !1
"odd label":
  panic 0(%n, %6)
entry2:
  unreachable
}
device @f "crate::f" (%10:i64 value size 8 align 8) -> (i64, f64) inline_never !1 {
entry:
  return 1:i64, 0x0000000000000000:f64
}
device @g "crate::g" () {
entry:
  br exit()
exit:
  return
}
!0 = "src/lib.rs":3:9
!1 = "core/x.rs":7:5 in "core::x" at !0
"""
# A parameter's number counts within its function.
EVERYTHING = EVERYTHING.replace("(%10:", "(%0:")


def test_every_form_reads_and_prints_back() -> None:
    module = parse_module(EVERYTHING)
    assert print_module(module) == EVERYTHING
    assert equal(parse_module(print_module(module)), module)


def test_a_function_alone() -> None:
    function = parse_module(EVERYTHING).functions[1]
    again = parse_module(print_function(function)).functions[0]
    assert equal(again, function)


def test_negative_constants_and_missing_parentheses_read() -> None:
    module = parse_module(
        'device @f "f" () {\na:\n br b // next\nb:\n %x:i8 = add -1:i8, 1:i8 return }'
    )
    assert "255:i8" in print_module(module)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("kernel @f", "line 1: expected a string"),
        ("\nglobal @g warm size 1 align 1", "line 2: expected an address space"),
        ('global @g shared size 1 align 1 hex "0g"', "bad hex digits"),
        ('panic 1 "x" ()', "numbered in order, 0 comes next"),
        ('device @f "f" () {\na:\n return %x\n}', "line 3: this value is not defined"),
        ('device @f "f" () {\na:\n return 1:i7\n}', "unknown type i7"),
        ('device @f "f" () {\na:\n %x:i8 = frob 1:i8\n}', "line 3: no operation of this name"),
        ('device @f "f" () {\na:\n add 1:i8, 1:i8\n}', "has 0 results"),
        ('device @f "f" () {\na:\n %x:i32 = read tid.w\n}', "unknown special register"),
        ('device @f "f" (%x:i8 value size 1 align 1, %x:i8 value size 1 align 1) {', "a second"),
        ('device @f "f" () {\na:\n return !0\n}', "unknown location"),
        ('!0 = "a":1:1\n!0 = "a":1:1', "line 2: a second location"),
        ('device @f "f" () {\na:\n ?', "no operation|expected"),
        ('device @f "f" () {\na:', "expected a word"),
    ],
)
def test_errors_name_the_line(text: str, message: str) -> None:
    with pytest.raises(KirSyntaxError, match=message):
        parse_module(text)


_NAMES = st.one_of(
    st.none(),
    st.sampled_from(["x", "x.1", "x.1.0", "1", "x.", "é", "i32", "br", "", '"', "a b"]),
    st.text(max_size=6),
)
_TEXTS = st.one_of(st.sampled_from(["e", "i32", "br", "panic", "1", "a.b"]), st.text(max_size=6))


@settings(deadline=None, derandomize=True, max_examples=300)
@given(st.lists(_NAMES, max_size=8), st.lists(_TEXTS, min_size=5, max_size=5), st.data())
def test_any_names_read_back(
    names: list[str | None], texts: list[str], data: st.DataObject
) -> None:
    caller = Location(texts[0], 1, 2)
    loc = Location(texts[1], 3, 4, texts[2], data.draw(st.sampled_from([None, caller])))
    values = [Value(I32, name) for name in names]
    one = IntConst(I32, 1)
    operands = st.sampled_from([one, *values])
    block = Block(
        texts[3],
        (),
        tuple(Binary(value, BinaryOp.ADD, data.draw(operands), one, loc) for value in values),
        Br(Target(texts[4] + "!"), loc),
    )
    end = Block(texts[4] + "!", (), (), Return(tuple(values), None))
    function = Function(texts[0], texts[1], FunctionKind.DEVICE, (), (), (block, end), loc)
    item = Global(texts[2], AddressSpace.CONST, 1, 1, b"x", (), False, loc)
    module = Module((function,), (item,), (PanicSite(texts[3], (), loc),))
    text = print_module(module)
    again = parse_module(text)
    assert equal(again, module)
    assert print_module(again) == text


def test_equality_sees_names_types_and_sharing() -> None:
    head = 'device @f "f" () {\ne:\n'
    text = head + "  %x:i32 = add 1:i32, 2:i32\n  %y:i32 = add %x, %x\n  return\n}\n"
    module = parse_module(text)
    assert equal(module, parse_module(text))
    for old, new in (("%x", "%z"), ("%x, %x", "%x, 1:i32"), ("2:i32", "3:i32"), ("e:", "g:")):
        assert not equal(module, parse_module(text.replace(old, new)))
    assert not equal(module, parse_module(text.replace("i32", "i8")))
    function = module.functions[0]
    block = function.blocks[0]
    first, second = block.instructions
    swapped = replace(block, instructions=(first, replace(second, lhs=second.result)))
    other = replace(module, functions=(replace(function, blocks=(swapped,)),))
    assert not equal(module, other)
    assert not equal(other, module)
