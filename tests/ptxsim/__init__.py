"""An evaluator of PTX text, written from the PTX ISA; it shares nothing with mirgpu's targets."""

from tests.ptxsim.errors import (
    PtxBarrierError,
    PtxError,
    PtxMemoryError,
    PtxRunawayError,
    PtxSyntaxError,
    PtxTrapError,
    PtxTypeError,
    PtxUndefinedError,
)
from tests.ptxsim.sim import Sim

__all__ = [
    "PtxBarrierError",
    "PtxError",
    "PtxMemoryError",
    "PtxRunawayError",
    "PtxSyntaxError",
    "PtxTrapError",
    "PtxTypeError",
    "PtxUndefinedError",
    "Sim",
]
