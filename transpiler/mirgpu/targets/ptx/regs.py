"""Names: registers, labels, parameters and variables, each unique where it must be.

A register keeps the name of the Rust variable that it holds, where there is one; the others are
numbered by type as in nvcc's output: ``%p0 %r0 %rd0 %f0 %fd0``.
"""

import re
from typing import final

from mirgpu.targets.ptx.ir import REGISTER_TYPES, Reg, RegisterGroup, Type

_PREFIX = {Type.PRED: "p", Type.B32: "r", Type.B64: "rd", Type.F32: "f", Type.F64: "fd"}
_NOT_IDENTIFIER = re.compile(r"[^A-Za-z0-9_$]+")

# Names that PTX defines itself, or that the numbered registers use.
_PREDEFINED = re.compile(
    r"(p|r|rd|f|fd|pm|envreg)\d+(_64)?"
    r"|n?tid|laneid|n?warpid|n?ctaid|n?smid|gridid|clock(_hi|64)?|lanemask_\w+"
    r"|globaltimer(_lo|_hi)?|reserved_smem_\w+|\w+_smem_size|is_explicit_cluster"
    r"|n?clusterid|cluster_n?cta(id|rank)|current_graph_exec"
)


def identifier(text: str) -> str:
    """``text`` with what PTX does not allow in a name replaced; never empty."""
    return _NOT_IDENTIFIER.sub("_", text).strip("_") or "v"


@final
class UniqueNames:
    """Hands out each name once: ``x``, ``x_2``, ``x_3`` …"""

    def __init__(self, taken: frozenset[str] = frozenset()) -> None:
        self._taken = set(taken)
        self._next: dict[str, int] = {}

    def pick(self, wanted: str) -> str:
        name = wanted
        number = self._next.get(wanted, 2)
        while name in self._taken:
            name = f"{wanted}_{number}"
            number += 1
        self._next[wanted] = number
        self._taken.add(name)
        return name


@final
class Registers:
    """The registers of one function."""

    def __init__(self) -> None:
        self._names = UniqueNames()
        self._named: dict[Type, list[str]] = {ty: [] for ty in REGISTER_TYPES}
        self._counts: dict[Type, int] = dict.fromkeys(REGISTER_TYPES, 0)

    def new(self, ty: Type, hint: str | None = None) -> Reg:
        """A fresh register, called after ``hint`` where there is one."""
        if hint is None:
            number = self._counts[ty]
            self._counts[ty] = number + 1
            return Reg(ty, f"%{_PREFIX[ty]}{number}")
        wanted = identifier(hint)
        if _PREDEFINED.fullmatch(wanted):
            wanted += "_"
        name = "%" + self._names.pick(wanted)
        self._named[ty].append(name)
        return Reg(ty, name)

    def groups(self) -> tuple[RegisterGroup, ...]:
        """All registers handed out, by type; types without any are left out."""
        return tuple(
            RegisterGroup(ty, tuple(self._named[ty]), "%" + _PREFIX[ty], self._counts[ty])
            for ty in REGISTER_TYPES
            if self._named[ty] or self._counts[ty]
        )
