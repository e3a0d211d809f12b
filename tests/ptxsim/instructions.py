"""Each instruction as lines of Python.  The modifiers of every opcode are listed: an unknown
one is an error."""

import re
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from tests.ptxsim.errors import PtxError
from tests.ptxsim.text import Address, Imm, Instruction, Name, Pair, Reg, Vector

if TYPE_CHECKING:
    from tests.ptxsim.compile import FunctionCompiler

_TYPE = re.compile(r"[busf](8|16|32|64)|pred")
_SPACES = ("global", "shared", "local", "const", "param")
_ROUNDINGS = ("rn", "rz", "rm", "rp")
_ORDERED = ("eq", "ne", "lt", "le", "gt", "ge")
_FLOAT_COMPARISONS = (*_ORDERED, *(f"{op}u" for op in _ORDERED), "num", "nan")

Handler = Callable[["FunctionCompiler", Instruction, list[str]], Iterator[str]]
_HANDLERS: dict[str, Handler] = {}


def handler(*names: str) -> Callable[[Handler], Handler]:
    def register(function: Handler) -> Handler:
        for name in names:
            _HANDLERS[name] = function
        return function

    return register


def translate(c: "FunctionCompiler", i: Instruction) -> Iterator[str]:
    head, *mods = i.op.split(".")
    if head not in _HANDLERS:
        raise PtxError(f"line {c.line}: unknown instruction {i.op}")
    try:
        yield from _HANDLERS[head](c, i, mods)
    except (ValueError, KeyError, AssertionError) as error:
        raise PtxError(f"line {c.line}: {i.op} with these operands is unknown ({error})") from None


def only(c: "FunctionCompiler", i: Instruction, mods: list[str], allowed: tuple[str, ...]) -> str:
    """The single type at the end; every other modifier must be allowed."""
    *rest, type_ = mods
    if not _TYPE.fullmatch(type_) or any(mod not in allowed for mod in rest):
        raise PtxError(f"line {c.line}: unknown {i.op}")
    return type_


def mask(type_: str) -> int:
    return (1 << int(type_[1:])) - 1


def exact(expr: str, type_: str) -> str:
    """The signed or unsigned integer that an operand's bits mean."""
    return f"signed({expr}, {type_[1:]})" if type_[0] == "s" else f"({expr})"


# ------------------------------------------------------------------------- arithmetic


@handler("add", "sub")
def add_sub(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    head = i.op.split(".")[0]
    type_ = only(c, i, mods, ("sat", *_ROUNDINGS, "cc"))
    d, a, b = i.operands
    x, y = c.value(a, type_), c.value(b, type_)
    target = c.dest(d, type_)
    sign = "+" if head == "add" else "-"
    if type_[0] == "f":
        assert "sat" not in mods
        assert "cc" not in mods
        yield f"{target} = fl.{head}({x}, {y}, {type_[1:]}, {rounding(mods)!r})"
        return
    assert not set(mods) & set(_ROUNDINGS)
    if "sat" in mods:
        assert type_ == "s32"
        yield f"{target} = sc.sat({exact(x, type_)} {sign} {exact(y, type_)}, 32, True)"
    elif "cc" in mods:
        yield f"wide = {x} {sign} {y}"
        yield f"t.carry = wide >> {type_[1:]} & 1"
        yield f"{target} = wide & {mask(type_)}"
    else:
        yield f"{target} = ({x} {sign} {y}) & {mask(type_)}"


@handler("addc", "subc")
def carry(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ("cc",))
    d, a, b = i.operands
    sign = "+" if i.op.startswith("addc") else "-"
    yield f"wide = {c.value(a, type_)} {sign} {c.value(b, type_)} {sign} t.carry"
    if "cc" in mods:
        yield f"t.carry = wide >> {type_[1:]} & 1"
    yield f"{c.dest(d, type_)} = wide & {mask(type_)}"


def rounding(mods: list[str]) -> str:
    given = [mod for mod in mods if mod in _ROUNDINGS]
    assert len(given) <= 1
    return given[0] if given else "rn"


@handler("mul", "mad")
def mul(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    head = i.op.split(".")[0]
    type_ = only(c, i, mods, ("lo", "hi", "wide", *_ROUNDINGS))
    d, a, b, *rest = i.operands
    x, y = c.value(a, type_), c.value(b, type_)
    width = int(type_[1:])
    if type_[0] == "f":
        assert head == "mul"
        yield f"{c.dest(d, type_)} = fl.mul({x}, {y}, {width}, {rounding(mods)!r})"
        return
    product = f"{exact(x, type_)} * {exact(y, type_)}"
    result = type_
    if "wide" in mods:
        assert width <= 32
        result = f"{type_[0]}{2 * width}"
    elif "hi" in mods:
        product = f"({product} >> {width})"
    else:
        assert "lo" in mods
    if head == "mad":
        product = f"{product} + {c.value(rest[0], result)}"
    yield f"{c.dest(d, result)} = ({product}) & {mask(result)}"


@handler("fma")
def fma(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, _ROUNDINGS)
    assert type_[0] == "f"
    assert set(mods) & set(_ROUNDINGS)
    d, *abc = i.operands
    values = ", ".join(c.value(each, type_) for each in abc)
    yield f"{c.dest(d, type_)} = fl.fma({values}, {type_[1:]}, {rounding(mods)!r})"


@handler("div", "rem")
def div_rem(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    head = i.op.split(".")[0]
    type_ = only(c, i, mods, _ROUNDINGS)
    d, a, b = i.operands
    x, y = c.value(a, type_), c.value(b, type_)
    if type_[0] == "f":
        assert head == "div"
        assert set(mods) & set(_ROUNDINGS)
        yield f"{c.dest(d, type_)} = fl.div({x}, {y}, {type_[1:]}, {rounding(mods)!r})"
    else:
        assert type_[0] != "b"
        yield f"{c.dest(d, type_)} = sc.{head}({x}, {y}, {type_[1:]}, {type_[0] == 's'})"


@handler("sqrt", "rcp")
def sqrt(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, _ROUNDINGS)
    assert type_[0] == "f"
    assert set(mods) & set(_ROUNDINGS)
    d, a = i.operands
    x = c.value(a, type_)
    if i.op.startswith("rcp"):
        one = 0x3F800000 if type_ == "f32" else 0x3FF0000000000000
        yield f"{c.dest(d, type_)} = fl.div({one}, {x}, {type_[1:]}, {rounding(mods)!r})"
    else:
        yield f"{c.dest(d, type_)} = fl.sqrt({x}, {type_[1:]}, {rounding(mods)!r})"


@handler("neg", "abs")
def neg_abs(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ())
    d, a = i.operands
    x, target, width = c.value(a, type_), c.dest(d, type_), int(type_[1:])
    negate = i.op.startswith("neg")
    if type_[0] == "f":
        change = f"{x} ^ {1 << (width - 1)}" if negate else f"{x} & {(1 << (width - 1)) - 1}"
        yield f"{target} = fl.NAN[{width}] if fl.is_nan({x}, {width}) else {change}"
    else:
        assert type_[0] == "s"
        value = f"-({x})" if negate else f"abs(signed({x}, {width}))"
        yield f"{target} = {value} & {mask(type_)}"


@handler("min", "max")
def min_max(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    head = i.op.split(".")[0]
    type_ = only(c, i, mods, ("NaN",))
    d, a, b = i.operands
    x, y = c.value(a, type_), c.value(b, type_)
    if type_[0] == "f":
        nan = "NaN" in mods
        yield (f"{c.dest(d, type_)} = fl.minmax({x}, {y}, {type_[1:]}, {head == 'max'}, {nan})")
    else:
        assert mods == [type_]
        assert type_[0] != "b"
        yield (f"{c.dest(d, type_)} = {head}({exact(x, type_)}, {exact(y, type_)}) & {mask(type_)}")


@handler("copysign")
def copysign(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ())
    d, a, b = i.operands
    top = 1 << (int(type_[1:]) - 1)
    yield (f"{c.dest(d, type_)} = {c.value(a, type_)} & {top} | {c.value(b, type_)} & {top - 1}")


# ------------------------------------------------------------------------------- bits


@handler("and", "or", "xor")
def logic(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ())
    assert type_[0] in "bp"
    d, a, b = i.operands
    sign = {"and": "&", "or": "|", "xor": "^"}[i.op.split(".")[0]]
    yield f"{c.dest(d, type_)} = {c.value(a, type_)} {sign} {c.value(b, type_)}"


@handler("not", "cnot")
def not_(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ())
    assert type_[0] in "bp"
    d, a = i.operands
    x = c.value(a, type_)
    if i.op.startswith("cnot"):
        yield f"{c.dest(d, type_)} = int(-{x} == 0)"
    else:
        yield f"{c.dest(d, type_)} = {x} ^ {True if type_ == 'pred' else mask(type_)}"


@handler("shl", "shr")
def shift(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ())
    d, a, b = i.operands
    x, amount, width = c.value(a, type_), c.value(b, "u32"), type_[1:]
    if i.op.startswith("shl"):
        assert type_[0] == "b"
        yield f"{c.dest(d, type_)} = sc.shl({x}, {amount}, {width})"
    else:
        yield f"{c.dest(d, type_)} = sc.shr({x}, {amount}, {width}, {type_[0] == 's'})"


@handler("shf")
def shf(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    side, wrap, type_ = mods
    assert side in ("l", "r")
    assert wrap in ("wrap", "clamp")
    assert type_ == "b32"
    d, *abc = i.operands
    values = ", ".join(c.value(each, "b32") for each in abc)
    yield f"{c.dest(d, 'b32')} = sc.shf({values}, {side == 'l'}, {wrap == 'wrap'})"


@handler("prmt")
def prmt(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    assert mods[0] == "b32"
    assert len(mods) <= 2
    d, *abc = i.operands
    values = ", ".join(c.value(each, "b32") for each in abc)
    yield f"{c.dest(d, 'b32')} = sc.prmt({values}, {mods[1] if len(mods) > 1 else ''!r})"


@handler("brev", "clz", "popc", "bfind")
def count(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    head = i.op.split(".")[0]
    type_ = only(c, i, mods, ("shiftamt",) if head == "bfind" else ())
    d, a = i.operands
    x, width = c.value(a, type_), type_[1:]
    assert int(width) >= 32
    if head == "brev":
        yield f"{c.dest(d, type_)} = sc.brev({x}, {width})"
    elif head == "bfind":
        flags = f"{type_[0] == 's'}, {'shiftamt' in mods}"
        yield f"{c.dest(d, 'u32')} = sc.bfind({x}, {width}, {flags})"
    else:
        value = f"sc.clz({x}, {width})" if head == "clz" else f"({x}).bit_count()"
        yield f"{c.dest(d, 'u32')} = {value}"


@handler("bfe", "bfi")
def field(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ())
    d, *values, start, length = i.operands
    shown = ", ".join(c.value(each, type_) for each in values)
    spots = f"{c.value(start, 'u32')}, {c.value(length, 'u32')}, {type_[1:]}"
    if i.op.startswith("bfe"):
        yield f"{c.dest(d, type_)} = sc.bfe({shown}, {spots}, {type_[0] == 's'})"
    else:
        yield f"{c.dest(d, type_)} = sc.bfi({shown}, {spots})"


# ------------------------------------------------------------------ compare and select


@handler("setp")
def setp(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    op, *rest = mods
    type_ = rest.pop()
    assert _TYPE.fullmatch(type_)
    assert len(rest) <= 1
    d, a, b, *more = i.operands
    x, y = c.value(a, type_), c.value(b, type_)
    if type_[0] == "f":
        assert op in [
            "eq",
            "ne",
            "lt",
            "le",
            "gt",
            "ge",
            "equ",
            "neu",
            "ltu",
            "leu",
            "gtu",
            "geu",
            "num",
            "nan",
        ]
        test = f"fl.compare({x}, {y}, {type_[1:]}, {op!r})"
    elif op in ("eq", "ne"):
        # A difference, so that an undefined operand is seen.
        test = f"({x} - {y} {'==' if op == 'eq' else '!='} 0)"
    else:
        if op in ("lo", "ls", "hi", "hs"):
            assert type_[0] == "u"
            op = {"lo": "lt", "ls": "le", "hi": "gt", "hs": "ge"}[op]
        assert type_[0] in "us"
        sign = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}[op]
        test = f"({exact(x, type_)} {sign} {exact(y, type_)})"
    first, second = (d.first, d.second) if isinstance(d, Pair) else (d, None)
    if more:
        sign = {"and": "&", "or": "|", "xor": "^"}[rest[0]]
        other = f" {sign} {c.value(more[0], 'pred')}"
    else:
        assert not rest
        other = ""
    yield f"test = {test}"
    yield f"{c.dest(first, 'pred')} = test{other}"
    if second is not None:
        yield f"{c.dest(second, 'pred')} = (not test){other}"


@handler("selp")
def selp(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ())
    d, a, b, p = i.operands
    x, y = c.value(a, type_), c.value(b, type_)
    yield f"{c.dest(d, type_)} = {x} if -{c.value(p, 'pred')} else {y}"


@handler("testp")
def testp(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    kind, type_ = mods
    d, a = i.operands
    x, width = c.value(a, type_), type_[1:]
    test = {
        "notanumber": f"fl.is_nan({x}, {width})",
        "number": f"not fl.is_nan({x}, {width})",
        "infinite": f"({x} & (fl.SIGN[{width}] - 1)) == fl.INF[{width}]",
        "finite": f"({x} & (fl.SIGN[{width}] - 1)) < fl.INF[{width}]",
    }[kind]
    yield f"{c.dest(d, 'pred')} = {test}"


# --------------------------------------------------------------------- move and convert


@handler("mov")
def mov(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    type_ = only(c, i, mods, ())
    d, a = i.operands
    if isinstance(a, Vector):
        part = int(type_[1:]) // len(a.elems)
        values = [c.value(each, f"b{part}") for each in a.elems]
        joined = " | ".join(f"{value} << {k * part}" for k, value in enumerate(values))
        yield f"{c.dest(d, type_)} = {joined}"
    elif isinstance(d, Vector):
        part = int(type_[1:]) // len(d.elems)
        x = c.value(a, type_)
        for k, each in enumerate(d.elems):
            yield f"{c.dest(each, f'b{part}')} = {x} >> {k * part} & {(1 << part) - 1}"
    else:
        yield f"{c.dest(d, type_)} = {c.value(a, type_)}"


@handler("cvt")
def cvt(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    *flags, to, source = mods
    assert _TYPE.fullmatch(to)
    assert _TYPE.fullmatch(source)
    assert "pred" not in (to, source)
    assert to[0] != "b"
    assert source[0] != "b"
    assert len(flags) <= 1
    d, a = i.operands
    x = c.value(a, source, wider=True)
    target = c.dest(d, to, wider=True)
    flag = flags[0] if flags else ""
    to_width, from_width = int(to[1:]), int(source[1:])
    if to[0] == "f" and source[0] == "f":
        if to == source and flag in ("rni", "rzi", "rmi", "rpi"):
            yield f"{target} = fl.to_integral({x}, {to_width}, {flag!r})"
        else:
            assert flag in _ROUNDINGS if to_width < from_width else flag == ""
            yield f"{target} = fl.convert({x}, {from_width}, {to_width}, {flag or 'rn'!r})"
    elif to[0] == "f":
        assert flag in _ROUNDINGS
        yield f"{target} = fl.from_int({exact(x, source)}, {to_width}, {flag!r})"
    elif source[0] == "f":
        assert flag in ("rni", "rzi", "rmi", "rpi")
        value = f"fl.to_int({x}, {from_width}, {flag!r}, {to_width}, {to[0] == 's'})"
        yield f"{target} = {extend(c, value, to, d)}"
    else:
        value = exact(x, source)
        if flag == "sat":
            value = f"sc.sat({value}, {to_width}, {to[0] == 's'})"
        else:
            assert flag == ""
        yield f"{target} = {extend(c, f'{value} & {mask(to)}', to, d)}"


def extend(c: "FunctionCompiler", bits: str, type_: str, register: object) -> str:
    """Bits of a type in a register that may be wider: sign- or zero-extended."""
    width = c.width_of(register)
    if type_[0] == "s" and width > int(type_[1:]):
        return f"signed({bits}, {type_[1:]}) & {(1 << width) - 1}"
    return bits


@handler("cvta")
def cvta(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    to = mods[0] == "to"
    space, type_ = mods[to:]
    assert space in _SPACES
    assert type_ == "u64"
    d, a = i.operands
    x, target = c.value(a, "u64"), c.dest(d, "u64")
    if space == "global":
        yield f"{target} = {x}"
    else:
        sign = "-" if to else "+"
        yield f"{target} = ({x} {sign} {space.upper()}_WINDOW) & M64"


# ------------------------------------------------------------------------------ memory


def _memory(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> tuple[str, int, str]:
    """State space, vector length and type."""
    space, vector, type_ = "", 1, mods[-1]
    for mod in mods[:-1]:
        if mod in _SPACES:
            space = mod
        elif mod in ("v2", "v4"):
            vector = int(mod[1])
        elif mod not in ("volatile", "nc", "relaxed", "weak", "gpu", "cta", "sys"):
            raise PtxError(f"line {c.line}: unknown {i.op}")
    assert _TYPE.fullmatch(type_)
    assert type_ != "pred"
    return space, vector, type_


def _place(c: "FunctionCompiler", operand: object, space: str) -> tuple[str, str] | None:
    """A .param variable of this function: its Python name and offset."""
    assert isinstance(operand, Address)
    if space == "param" and isinstance(operand.base, Name) and operand.base.name in c.param_names:
        return c.param_names[operand.base.name], str(operand.offset)
    return None


@handler("ld")
def ld(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    space, vector, type_ = _memory(c, i, mods)
    d, a = i.operands
    size = int(type_[1:]) // 8
    targets = d.elems if isinstance(d, Vector) else (d,)
    assert len(targets) == vector
    place = _place(c, a, space)
    if vector > 1:
        assert place is None
        yield f"aligned({c.address(a, space)}, {size * vector})"
    for k, each in enumerate(targets):
        target = c.dest(each, type_, wider=True)
        if place is not None:
            yield f"got = {place[0]}.load({place[1]} + {k * size}, {size})"
        else:
            reader = "ld_global" if space == "global" else "ld"
            yield f"got = {reader}({c.address(a, space)} + {k * size}, {size})"
        if type_[0] == "s" and c.width_of(each) > size * 8:
            yield f"{target} = None if got is None else {extend(c, 'got', type_, each)}"
        else:
            yield f"{target} = got"


@handler("st")
def st(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    space, vector, type_ = _memory(c, i, mods)
    a, s = i.operands
    size = int(type_[1:]) // 8
    sources = s.elems if isinstance(s, Vector) else (s,)
    assert len(sources) == vector
    assert "nc" not in mods
    assert space != "const"
    place = _place(c, a, space)
    if vector > 1:
        yield f"aligned({c.address(a, space)}, {size * vector})"
    for k, each in enumerate(sources):
        # A narrower type stores the register's low bytes; an undefined register stays so.
        if isinstance(each, Reg) and c.special(each.name) is None:
            c.check(each.name, type_, True)
            value = c.names[each.name]
        else:
            value = c.value(each, type_)
        if place is not None:
            yield f"{place[0]}.store({place[1]} + {k * size}, {size}, {value})"
        else:
            assert space != "param"
            writer = "st_global" if space == "global" else "st"
            yield f"{writer}({c.address(a, space)} + {k * size}, {size}, {value})"


@handler("atom", "red")
def atom(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    head = i.op.split(".")[0]
    space, op, type_ = "", "", mods[-1]
    for mod in mods[:-1]:
        if mod in ("global", "shared"):
            space = mod
        elif mod in ("add", "cas", "exch", "min", "max", "and", "or", "xor"):
            op = mod
        elif mod not in ("relaxed", "acquire", "release", "acq_rel", "cta", "gpu", "sys"):
            raise PtxError(f"line {c.line}: unknown {i.op}")
    operands = list(i.operands)
    target = c.dest(operands.pop(0), type_) if head == "atom" else "_"
    a, *values = operands
    x = [c.value(each, type_) for each in values]
    size = int(type_[1:]) // 8
    yield f"at = {c.address(a, space)}"
    yield f"old = ld(at, {size})"
    if type_[0] == "f":
        assert op == "add"
        new = f"fl.add(old, {x[0]}, {type_[1:]}, 'rn')"
    elif op == "cas":
        new = f"{x[1]} if old - {x[0]} == 0 else old"
    elif op in ("min", "max"):
        new = f"{op}({exact('old', type_)}, {exact(x[0], type_)}) & {mask(type_)}"
    else:
        sign = {
            "add": "old + {}",
            "exch": "{}",
            "and": "old & {}",
            "or": "old | {}",
            "xor": "old ^ {}",
        }
        new = f"({sign[op].format(x[0])}) & {mask(type_)}"
    yield f"st(at, {size}, {new})"
    yield f"{target} = old"


@handler("membar", "fence", "nanosleep")
def nothing(c: "FunctionCompiler", i: Instruction, mods: list[str]) -> Iterator[str]:
    known = ("cta", "gl", "gpu", "sys", "sc", "acq_rel", "u32")
    assert all(mod in known for mod in mods)
    assert all(isinstance(o, Imm | Reg) for o in i.operands)
    yield "pass"
