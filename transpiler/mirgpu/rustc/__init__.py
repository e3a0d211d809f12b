"""rustc as a source of MIR and of the facts that its text leaves out."""

from mirgpu.rustc.device_crate import device_crate_args
from mirgpu.rustc.dump import MirDump, RustcError, RustcOptions, dump_mir, start_dump
from mirgpu.rustc.find import TESTED, Rustc, find_rustc
from mirgpu.rustc.sidecar import make_self_contained, raw_info, read_trailer

__all__ = [
    "TESTED",
    "MirDump",
    "Rustc",
    "RustcError",
    "RustcOptions",
    "device_crate_args",
    "dump_mir",
    "find_rustc",
    "make_self_contained",
    "raw_info",
    "read_trailer",
    "start_dump",
]
