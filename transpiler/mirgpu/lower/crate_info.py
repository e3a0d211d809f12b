"""The facts that lowering reads beside the MIR: see ``mirgpu.crate_info``.

They live outside this package so that rustc can be started before lowering is imported.
"""

from mirgpu.crate_info import (
    AdtInfo,
    BodyInfo,
    CrateInfo,
    FieldLayout,
    ImplInfo,
    LayoutOracle,
    TagLayout,
    TypeLayout,
    VariantLayout,
)

__all__ = [
    "AdtInfo",
    "BodyInfo",
    "CrateInfo",
    "FieldLayout",
    "ImplInfo",
    "LayoutOracle",
    "TagLayout",
    "TypeLayout",
    "VariantLayout",
]
