"""Builds the device crate for a rustc, once, so that a single file can use it."""

from mirgpu.rustc.find import Rustc


def device_crate_args(rustc: Rustc, *, for_codegen: bool) -> list[str]:
    return []
