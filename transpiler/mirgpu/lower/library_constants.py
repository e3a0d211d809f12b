"""The constants of Rust's library that the bodies of other constants mention by name."""

import re
from math import isqrt
from typing import Final

from mirgpu.kir.ops import Const, FloatConst
from mirgpu.kir.types import FloatType, IntType
from mirgpu.lower.builder import int_const
from mirgpu.lower.image import float_bits
from mirgpu.lower.types import is_signed, scalar_type
from mirgpu.mir.syntax import ArrayTy, CArray, CInt, CTuple, CValue, Ty

_NAME: Final = re.compile(
    r"(?:core|std)::(?:num|f32|f64)::<impl (?P<type>\w+)>::(?P<name>[A-Z_]+)"
    r"|(?:core|std)::(?P<float>f32|f64)::(?:consts::)?(?P<const>[A-Z0-9_]+)"
)
_ISQRT: Final = re.compile(r"(?:core|std)::num::(?:\w+::)*int_sqrt::U8_ISQRT_WITH_REMAINDER")
"""By byte: its integer square root, and what is left over."""
_FLOATS: Final = {
    "PI": "3.14159265358979323846264338327950288",
    "TAU": "6.28318530717958647692528676655900577",
    "FRAC_PI_2": "1.57079632679489661923132169163975144",
    "FRAC_PI_3": "1.04719755119659774615421446109316763",
    "FRAC_PI_4": "0.785398163397448309615660845819875721",
    "FRAC_PI_6": "0.52359877559829887307710723054658381",
    "FRAC_PI_8": "0.39269908169872415480783042290993786",
    "FRAC_1_PI": "0.318309886183790671537767526745028724",
    "FRAC_2_PI": "0.636619772367581343075535053490057448",
    "FRAC_2_SQRT_PI": "1.12837916709551257389615890312154517",
    "SQRT_2": "1.41421356237309504880168872420969808",
    "FRAC_1_SQRT_2": "0.707106781186547524400844362104849039",
    "E": "2.71828182845904523536028747135266250",
    "LN_2": "0.693147180559945309417232121458176568",
    "LN_10": "2.30258509299404568401799145468436421",
    "LOG2_E": "1.44269504088896340735992468100189214",
    "LOG10_E": "0.434294481903251827651128918916605082",
    "LOG2_10": "3.32192809488736234787031942948939018",
    "LOG10_2": "0.301029995663981195213738894724493027",
}
"""Of ``f32::consts`` and ``f64::consts``, to more digits than either has."""
_BITS: Final = {
    "NAN": (0x7FC0_0000, 0x7FF8_0000_0000_0000),
    "INFINITY": (0x7F80_0000, 0x7FF0_0000_0000_0000),
    "NEG_INFINITY": (0xFF80_0000, 0xFFF0_0000_0000_0000),
    "MAX": (0x7F7F_FFFF, 0x7FEF_FFFF_FFFF_FFFF),
    "MIN": (0xFF7F_FFFF, 0xFFEF_FFFF_FFFF_FFFF),
    "MIN_POSITIVE": (0x0080_0000, 0x0010_0000_0000_0000),
    "EPSILON": (0x3400_0000, 0x3CB0_0000_0000_0000),
}
"""Of ``f32`` and ``f64``."""


def library_constant(text: str, ty: Ty) -> Const | None:
    """The value of a constant of type ``ty`` by its path, such as ``core::num::<impl u8>::MAX``."""
    found = _NAME.fullmatch(text)
    if found is None:
        return None
    scalar = scalar_type(ty)
    name = found["name"] or found["const"]
    match scalar:
        case FloatType(width) if name in _BITS:
            return FloatConst(scalar, _BITS[name][width == 64])
        case FloatType(width) if name in _FLOATS and found["float"]:
            return FloatConst(scalar, float_bits(_FLOATS[name], width))
        case IntType() if name == "BITS" and found["type"]:
            bits = {"usize": 64, "isize": 64}.get(found["type"]) or int(found["type"][1:])
            return int_const(scalar, bits)
        case IntType(width) if name in ("MIN", "MAX") and found["type"]:
            top = 1 << (width - is_signed(ty))
            if name == "MAX":
                return int_const(scalar, top - 1)
            return int_const(scalar, top if is_signed(ty) else 0)
        case _:
            return None


def library_table(text: str, ty: Ty) -> CValue | None:
    """The value of a table of the library that its code reads, by its path."""
    if not _ISQRT.fullmatch(text) or not isinstance(ty, ArrayTy) or ty.len != CInt(256, None):
        return None
    roots = ((n, isqrt(n)) for n in range(256))
    return CArray(
        tuple(CTuple((CInt(root, "u8"), CInt(n - root * root, "u8"))) for n, root in roots)
    )
