"""What each GPU architecture needs and has.

``isa_version`` is the first PTX ISA version that knows the architecture: the lowest that can
be written, so that the text loads on the oldest driver that has the GPU at all.
"""

import re
from typing import final

from mirgpu.diagnostics import Diagnostic, DiagnosticError
from mirgpu.node import node

IsaVersion = tuple[int, int]

INLINED_AT: IsaVersion = (7, 2)
"""``.loc … function_name …, inlined_at …``."""

_FIRST_ISA: dict[str, IsaVersion] = {
    "sm_60": (5, 0),
    "sm_61": (5, 0),
    "sm_62": (5, 0),
    "sm_70": (6, 0),
    "sm_72": (6, 1),
    "sm_75": (6, 3),
    "sm_80": (7, 0),
    "sm_86": (7, 1),
    "sm_87": (7, 4),
    "sm_88": (9, 0),
    "sm_89": (7, 8),
    "sm_90": (7, 8),
    "sm_90a": (8, 0),
    "sm_100": (8, 6),
    "sm_100a": (8, 6),
    "sm_100f": (8, 8),
    "sm_101": (8, 6),
    "sm_101a": (8, 6),
    "sm_101f": (8, 8),
    "sm_103": (8, 8),
    "sm_103a": (8, 8),
    "sm_103f": (8, 8),
    "sm_110": (9, 0),
    "sm_110a": (9, 0),
    "sm_110f": (9, 0),
    "sm_120": (8, 7),
    "sm_120a": (8, 7),
    "sm_120f": (8, 8),
    "sm_121": (8, 8),
    "sm_121a": (8, 8),
    "sm_121f": (8, 8),
}


@final
@node
class Arch:
    """``number`` is 90 for ``sm_90a``."""

    name: str
    number: int
    isa_version: IsaVersion

    @property
    def has_min_nan(self) -> bool:
        """``min.NaN.f32`` and ``max.NaN.f32``."""
        return self.number >= 80

    @property
    def has_cvta_param(self) -> bool:
        """A kernel parameter has a generic address."""
        return self.number >= 70 and self.isa_version >= (7, 7)


def known_archs() -> tuple[str, ...]:
    """All architectures that text can be made for, oldest first."""
    return tuple(_FIRST_ISA)


def find_arch(name: str) -> Arch:
    """The architecture called ``sm_NN``.  Raises ``DiagnosticError`` for one not known."""
    isa = _FIRST_ISA.get(name)
    if isa is None:
        import difflib

        close = difflib.get_close_matches(name, _FIRST_ISA, n=1)
        hint = (f"did you mean {close[0]}?",) if close else ()
        raise DiagnosticError(
            Diagnostic(
                code="MG0401",
                title=f"unknown GPU architecture '{name}'",
                notes=(f"known are {', '.join(_FIRST_ISA)}",),
                helps=(*hint, "a GPU also runs PTX that was made for an older architecture"),
            )
        )
    digits = re.search(r"\d+", name)
    assert digits is not None
    return Arch(name, int(digits.group()), isa)


def isa_text(version: IsaVersion) -> str:
    """``8.6``."""
    return f"{version[0]}.{version[1]}"
