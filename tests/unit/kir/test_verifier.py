"""One error for each invariant of kir."""

from dataclasses import replace

import pytest
from tests.unit.kir.test_text import EVERYTHING

from mirgpu.kir.module import Module, PanicOperand, PanicSite
from mirgpu.kir.ops import Br, Return, Target
from mirgpu.kir.parser import parse_module
from mirgpu.kir.types import IntType
from mirgpu.kir.verifier import VerifyError, verify

PRELUDE = """\
panic 0 "{0} and {1}" (usize display, f32 debug)
global @tile shared size 16 align 4 mutable
global @table const size 4 align 4 hex "00000000"
device @two "two" (%a:i32 value size 4 align 4) -> (i32, f32) {
entry:
  return %a, 0x00000000:f32
}
kernel @other "other" () {
entry:
  return
}
"""

PARAMS = """\
%p:ptr.generic slice.ptr size 8 align 8, %n:i64 slice.len size 8 align 8, \
%agg:ptr.param value size 12 align 4, %a:i32 value size 4 align 4, \
%b:i8 value size 1 align 1, %f:f32 value size 4 align 4, %d:f64 value size 8 align 8, \
%c:i1 value size 1 align 1"""


def _module(body: str) -> Module:
    return parse_module(f'{PRELUDE}kernel @k "k" ({PARAMS}) {{\nentry:\n{body}\n}}\n')


def _refused(module: Module, message: str) -> None:
    with pytest.raises(VerifyError, match=message):
        verify(module)


def test_the_forms_of_the_text_tests_are_valid_but_for_their_odd_names() -> None:
    text = EVERYTHING.replace('@"odd name"', "@odd").replace("reloc 0 @tile", "reloc 0 @odd")
    text = text.replace("panic 0(%n, %6)", "panic 0(%n, %n)")
    verify(parse_module(text))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("%r:i32 = add %a, %b", "operands and result have one type"),
        ("%r:i8 = add %a, %a", "operands and result have one type"),
        ("%r:f32 = add %f, %f", "not for f32, integers only"),
        ("%r:i1 = add %c, %c", "not for i1, integers only"),
        ("%r:ptr.generic = and %p, %p", "not for ptr.generic, integers only"),
        ("%r:i32 = fadd %a, %a", "not for i32, floats only"),
        ("%r:i8 = ult %a, %a", "result: expected i1, found i8"),
        ("%r:i1 = ult %a, %b", "one type"),
        ("%r:i1 = ult %f, %f", "integers or pointers"),
        ("%r:i1 = flt %a, %a", "floats only"),
        ("%r:i32, %o:i8 = uadd.overflow %a, %a", "overflow: expected i1"),
        ("%r:i1, %o:i1 = uadd.overflow %c, %c", "integers only"),
        ("%r:i32 = ctpop %b", "one type"),
        ("%r:f32 = ctpop %f", "integers only"),
        ("%r:i32 = fneg %a", "floats only"),
        ("%r:f32 = fma %f, %f, %d", "one type"),
        ("%r:i32 = fma %a, %a, %a", "floats only"),
        ("%r:i32 = select %b, %a, %a", "condition: expected i1, found i8"),
        ("%r:i32 = select %c, %a, %b", "one type"),
        ("%r:i32 = trunc %b", "no trunc from i8 to i32"),
        ("%r:i32 = trunc %a", "no trunc from i32 to i32"),
        ("%r:i8 = zext %a", "no zext from i32 to i8"),
        ("%r:i32 = sext %f", "no sext from f32 to i32"),
        ("%r:f32 = fptrunc %f", "no fptrunc"),
        ("%r:f32 = fpext %d", "no fpext"),
        ("%r:i32 = sitofp %a", "no sitofp"),
        ("%r:i1 = fptoui.sat %f", "no fptoui.sat"),
        ("%r:i32 = bitcast %d", "no bitcast from f64 to i32"),
        ("%r:i32 = bitcast %a", "no bitcast from i32 to i32"),
        ("%r:i32 = ptrtoint %p", "no ptrtoint"),
        ("%r:i64 = ptrtoint %agg", "no ptrtoint from ptr.param"),
        ("%r:ptr.global = inttoptr %n", "no inttoptr"),
        ("%r:ptr.generic = addrspacecast %p", "no addrspacecast"),
        ("%r:ptr.local = addrspacecast %agg", "no addrspacecast from ptr.param to ptr.local"),
        ("%r:ptr.generic = alloca size 4, align 4", "expected ptr.local"),
        ("%r:ptr.local = alloca size -4, align 4", "negative size"),
        ("%r:ptr.local = alloca size 4, align 3", "alignment 3 is no power of two"),
        ("%r:i32 = ptradd %a, %n * 1 + 0", "expected a pointer, found i32"),
        ("%r:ptr.global = ptradd %p, %n * 1 + 0", "one type"),
        ("%r:ptr.generic = ptradd %p, %a * 1 + 0", "index: expected i64"),
        ("%r:ptr.shared = globaladdr @nothing", "no global nothing"),
        ("%r:ptr.generic = globaladdr @tile", "expected ptr.shared"),
        ("%r:i32 = load %n, align 4", "expected a pointer"),
        ("%r:i32 = load %p, align 0", "alignment 0"),
        ("store %a, %n, align 4", "expected a pointer"),
        ("store %a, %agg, align 4", "writes to ptr.param, which is read only"),
        ("store %a, %p, align 6", "alignment 6"),
        ("memcopy %agg, %p, 12:i64, align 4", "read only"),
        ("memcopy %p, %a, 12:i64, align 4", "expected a pointer"),
        ("memcopy %p, %agg, 12:i32, align 4", "size: expected i64"),
        ("memcopy %p, %agg, 12:i64, align 12", "alignment 12"),
        ("memset %agg, 0:i8, 12:i64, align 4", "read only"),
        ("memset %p, 0:i32, 12:i64, align 4", "byte: expected i8"),
        ("memset %p, 0:i8, 12:i8, align 4", "size: expected i64"),
        ("memset %p, 0:i8, 12:i64, align 5", "alignment 5"),
        ("call @nothing()", "no function nothing"),
        ("call @other()", "a kernel is not called"),
        ("%r:i32, %s:f32 = call @two()", "takes 1 arguments"),
        ("%r:i32, %s:f32 = call @two(%b)", "argument: expected i32"),
        ("%r:i32 = call @two(%a)", "gives 2 results"),
        ("%r:i32, %s:f64 = call @two(%a)", "result: expected f32"),
        ("%r:i64 = read tid.x", "expected i32"),
        ("%r:i8 = add %b, 256:i8", "constant 256 is out of i8's range"),
        ("%r:f32 = fadd %f, 0x100000000:f32", "out of f32's bits"),
        ("store %b, 0x10000000000000000:ptr.generic, align 1", "address .* out of range"),
    ],
)
def test_instructions(line: str, message: str) -> None:
    _refused(_module(f"  {line}\n  return"), message)


@pytest.mark.parametrize(
    ("terminator", "message"),
    [
        ("condbr %b, x(), x()\nx:\n return", "condition: expected i1"),
        ("switch %f, [], default x()\nx:\n return", "switches on an integer, not on f32"),
        ("switch %b, [256: x()], default x()\nx:\n return", "case 256 is out of i8's range"),
        ("switch %b, [1: x(), 1: x()], default x()\nx:\n return", "case 1 occurs twice"),
        ("return %a", "returns 1 values, not 0"),
        ("panic 1()", "no panic site 1"),
        ("panic 0(%n)", "the site has 2 operands"),
        ("panic 0(%a, %f)", "usize: expected i64, found i32"),
        ("br nowhere()", "no block nowhere"),
        ("br entry()", "the entry block has a predecessor"),
        ("br x()\nx(%i:i32):\n return", "x has 1 parameters, not 0"),
        ("br x(%b)\nx(%i:i32):\n return", "another type than its parameter"),
        ("br x()\nx:\n br x()\nx:\n return", "two blocks with the label x"),
        ("br x()\nx:\n %s:ptr.local = alloca size 1, align 1 return", "alloca outside the entry"),
    ],
)
def test_terminators_and_blocks(terminator: str, message: str) -> None:
    _refused(_module(f"  {terminator}"), message)


@pytest.mark.parametrize(
    "body",
    [
        "%y:i32 = add %x, %x %x:i32 = add %a, %a return",
        "%x:i32 = add %x, %a return",
        "condbr %c, l(), r()\nl:\n %x:i32 = add %a, %a br j()\nr:\n br j()\n"
        "j:\n %y:i32 = add %x, %x return",
        "br l()\nl:\n %y:i32 = add %x, %a br m()\nm:\n %x:i32 = add %a, %a br l()",
        "br m()\nl:\n %x:i32 = add %a, %a br m()\nm:\n %y:i32 = add %x, %x return",
    ],
)
def test_a_use_is_dominated(body: str) -> None:
    _refused(_module(body), "does not dominate this use")


def test_unreachable_blocks_may_use_what_does_not_dominate_them() -> None:
    verify(_module("br m()\nl:\n %y:i32 = add %x, %x return\nm:\n %x:i32 = add %a, %a return"))


def test_the_error_names_function_block_and_node() -> None:
    module = _module("  %r:i32 = add %a, %b\n  return")
    _refused(module, r"function k: block entry: %r:i32 = add %a, %b: operands and result")


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ("%a:i32 value size 8 align 4", "size 8, but its type has 4 bytes"),
        ("%a:i32 value size 4 align 3", "alignment 3 is no power of two"),
        ("%a:ptr.param value size 13 align 4", "no multiple of its alignment"),
        ("%a:ptr.shared value size 8 align 8", "generic or global pointers"),
        ("%a:i64 value size 8 align 8 freeze", "freeze is for pointers"),
        ("%a:ptr.param value size 8 align 8 freeze", "freeze is for pointers"),
        ("%p:ptr.generic slice.ptr size 8 align 8", "without its slice.len"),
        ("%n:i64 slice.len size 8 align 8", "stand next to each other"),
        (
            "%p:ptr.generic slice.ptr size 8 align 8, %a:i64 value size 8 align 8, "
            "%n:i64 slice.len size 8 align 8",
            "parameter 1: slice.ptr and slice.len stand next",
        ),
        (
            "%p:i64 slice.ptr size 8 align 8, %n:i64 slice.len size 8 align 8",
            "slice.ptr is a pointer",
        ),
        (
            "%p:ptr.generic slice.ptr size 8 align 8, %n:i32 slice.len size 4 align 4",
            "slice.len is an i64",
        ),
        ("%p:ptr.param slice.ptr size 8 align 8", "ptr.param is for values"),
    ],
)
def test_kernel_parameters(params: str, message: str) -> None:
    _refused(parse_module(f'kernel @k "k" ({params}) {{\nentry:\n return\n}}'), message)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('device @f "f" (%a:ptr.param value size 4 align 4) { e: return }', "for aggregates of"),
        ('device @f "f" (%a:ptr.generic value size 8 align 8 freeze) { e: return }', "freeze"),
        (
            'device @f "f" (%p:ptr.generic slice.ptr size 8 align 8, '
            "%n:i64 slice.len size 8 align 8) { e: return }",
            "device function are values",
        ),
        ('kernel @f "f" () -> (i32) { e: return 1:i32 }', "a kernel has no results"),
        ('device @f "f" () -> (i32) { e: return }', "returns 0 values, not 1"),
        ('device @f "f" () -> (i32) { e: return 1:i8 }', "value: expected i32, found i8"),
        ('device @f "f" () { }', "no blocks"),
        ('device @f "f" () { e(%a:i32): return }', "the entry block has parameters"),
        ('device @"a b" "f" () { e: return }', "not an identifier"),
        ('device @f "f" () { e: return } device @f "f" () { e: return }', "f: defined twice"),
        ('device @f "f" () { e: return } global @f const size 0 align 1', "f: defined twice"),
        ("global @g local size 4 align 4", "no memory with a name in space local"),
        ("global @g const size -4 align 4", "negative size"),
        ("global @g const size 4 align 0", "alignment 0 is no power of two"),
        ('global @g shared size 1 align 1 mutable hex "00"', "no initial bytes"),
        ("global @g const size 4 align 4 mutable", "constant memory is not mutable"),
        ('global @g const size 4 align 4 hex "00"', "1 bytes of data for a size of 4"),
        ("global @g const size 8 align 8 reloc 0 @g + 0", "relocation in uninitialised"),
        ('global @g const size 4 align 4 hex "00000000" reloc 0 @g + 0', "ends past the data"),
        (
            f'global @g const size 12 align 4 hex "{"00" * 12}" reloc 0 @g + 0 reloc 4 @g + 0',
            "relocation at 4 overlaps",
        ),
        (f'global @g const size 8 align 8 hex "{"00" * 8}" reloc 0 @h + 0', "h, which is no"),
        (
            f'global @g const size 8 align 8 hex "{"00" * 8}" reloc 0 @s + 0 '
            "global @s shared size 4 align 4",
            "no fixed address",
        ),
        ('panic 0 "{0}" ()', "has no operand"),
        ('panic 0 "{x}" ()', "a single brace"),
        ('panic 0 "" (u128 display)', "unknown operand kind u128"),
    ],
)
def test_module_items(text: str, message: str) -> None:
    _refused(parse_module(text), message)


def test_escaped_braces_are_no_placeholders() -> None:
    verify(Module((), (), (PanicSite("{{0}} {0}", (PanicOperand("u8", _display()),), None),)))


def _display():  # type: ignore[no-untyped-def]
    return parse_module('panic 0 "" (u8 display)').panics[0].operands[0].trait


def test_values_are_defined_once_and_somewhere() -> None:
    module = _module("  %x:i32 = add %a, %a\n  return")
    function = module.functions[-1]
    block = function.blocks[0]
    twice = replace(block, instructions=block.instructions * 2)
    _refused(_with_block(module, twice), "the value x is defined twice")
    gone = replace(block, instructions=(), terminator=Br(Target("y"), None))
    use = replace(block, label="y", instructions=(_reuse(block),), terminator=Return((), None))
    _refused(_with_block(module, gone, use), "the value x is defined nowhere")


def _reuse(block):  # type: ignore[no-untyped-def]
    add = block.instructions[0]
    other = parse_module('device @f "f" () { e: %z:i32 = add 1:i32, 1:i32 return }')
    return replace(other.functions[0].blocks[0].instructions[0], lhs=add.result)


def _with_block(module: Module, *blocks):  # type: ignore[no-untyped-def]
    function = replace(module.functions[-1], blocks=blocks)
    return replace(module, functions=(*module.functions[:-1], function))


def test_types_have_known_widths() -> None:
    function = parse_module('device @f "f" () -> (i32) { e: unreachable }').functions[0]
    _refused(Module((replace(function, results=(IntType(7),)),), (), ()), "no integer type of 7")
