"""Executes PTX text, from the PTX ISA alone: an independent truth for what mirgpu emits.

Shares no code and no table with ``mirgpu.targets``.  What it does not know is an error.
"""

from tests.ptxsim.errors import PtxError
from tests.ptxsim.sim import Sim

__all__ = ["PtxError", "Sim"]
