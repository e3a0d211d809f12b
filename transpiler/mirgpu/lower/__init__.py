"""Lowering: typed MIR to kir.  ``lower_module`` is the way in."""

from mirgpu.lower.context import LowerOptions
from mirgpu.lower.lower import Lowered, lower_module

__all__ = ["LowerOptions", "Lowered", "lower_module"]
