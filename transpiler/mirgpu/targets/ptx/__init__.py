"""The PTX target: kir to PTX text.  See ``emit``."""

from mirgpu.targets.ptx.emit import emit
from mirgpu.targets.ptx.options import PtxOptions, PtxOutput

__all__ = ["PtxOptions", "PtxOutput", "emit"]
