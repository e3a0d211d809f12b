"""What an artifact says of itself: kernels, parameters, types, panics.

Written by the transpiler, read by launchers and tools; plain data, imports only the standard
library.  ``to_json`` and ``from_json`` are each other's inverse; ``embed`` and ``extract`` keep a
manifest in a text's comments.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Final, final

from mirgpu.runtime.records import Codec, RecordError

SCHEMA = 1


class ManifestError(ValueError):
    """A manifest that is missing, damaged or of another schema."""


# --------------------------------------------------------------------------- host types


@final
@dataclass(frozen=True, slots=True)
class ScalarType:
    """A Rust scalar: ``bool char u8 … i64 usize isize f32 f64``."""

    name: str


@final
@dataclass(frozen=True, slots=True)
class ArrayType:
    elem: "HostType"
    len: int


@final
@dataclass(frozen=True, slots=True)
class FieldType:
    name: str
    offset: int
    type: "HostType"


@final
@dataclass(frozen=True, slots=True)
class StructType:
    """A struct, tuple or closure in rustc's layout; a tuple's fields are ``_0``, ``_1``, …"""

    name: str
    size: int
    align: int
    fields: tuple[FieldType, ...]


@final
@dataclass(frozen=True, slots=True)
class VariantType:
    """A variant: ``tag`` is the value of the enum's tag that means it."""

    name: str
    tag: int
    fields: tuple[FieldType, ...]


@final
@dataclass(frozen=True, slots=True)
class EnumType:
    """An enum with a direct tag, in rustc's layout."""

    name: str
    size: int
    align: int
    tag: FieldType
    variants: tuple[VariantType, ...]


@final
@dataclass(frozen=True, slots=True)
class OpaqueType:
    """A type whose inside a host cannot fill in (holds pointers, say); its Rust text."""

    name: str
    size: int
    align: int


HostType = ScalarType | ArrayType | StructType | EnumType | OpaqueType

# --------------------------------------------------------------------------- parameters


class ParamKind(Enum):
    VALUE = "value"
    """By value: ``type`` is the parameter's type."""
    SLICE = "slice"
    """``&[T]`` or ``&mut [T]``: ``type`` is T; 16 bytes ``{ptr, len}`` in the ABI."""
    REFERENCE = "reference"
    """``&T`` or ``&mut T``: ``type`` is T."""
    POINTER = "pointer"
    """``*const T`` or ``*mut T``: ``type`` is T."""
    INDEX = "index"
    """Bound to the global thread index on ``axis``; not in the ABI."""
    EXTENT = "extent"
    """Hidden: the number of threads on ``axis``, a u64; last in the ABI."""


@final
@dataclass(frozen=True, slots=True)
class KernelParam:
    """``offset`` is the parameter's place in the parameter buffer, none for ``INDEX``.

    ``mutable`` for ``&mut`` and ``*mut``; ``interior`` where T has interior mutability.
    """

    name: str
    rust_type: str
    kind: ParamKind
    type: HostType
    mutable: bool
    interior: bool
    size: int
    align: int
    offset: int | None
    axis: int | None


@final
@dataclass(frozen=True, slots=True)
class KernelInfo:
    """``plain`` kernels have ``INDEX`` and ``EXTENT`` parameters, device-crate kernels none.

    ``params`` are in ABI order, with ``INDEX`` ones where they stand in the Rust signature.
    ``buffer_size`` is the size of the parameter buffer.
    """

    name: str
    symbol: str
    params: tuple[KernelParam, ...]
    buffer_size: int
    plain: bool
    shared_bytes: int
    barriers: bool
    file: str | None
    line: int | None


# ------------------------------------------------------------------------------- panics


@final
@dataclass(frozen=True, slots=True)
class PanicOperandInfo:
    """``kind``: a scalar's name; ``trait``: display, debug, lower_hex or upper_hex."""

    kind: str
    trait: str


@final
@dataclass(frozen=True, slots=True)
class PanicInfo:
    """``message`` holds ``{0}``, ``{1}`` … for the operands, ``{{`` and ``}}`` for braces."""

    message: str
    operands: tuple[PanicOperandInfo, ...]
    file: str | None
    line: int | None
    col: int | None


@final
@dataclass(frozen=True, slots=True)
class PanicBuffer:
    """The global that panicking threads write to.

    Sixteen bytes of header: a u32 count of panics, then zeros.  Then ``capacity`` records of
    ``record_bytes``: u32 site, u32 block x y z, u32 thread x y z, u32 zero, then u64 operands
    (integers zero-extended from their bits, floats as bits).
    """

    symbol: str
    capacity: int
    record_bytes: int


# ----------------------------------------------------------------------------- manifest


@final
@dataclass(frozen=True, slots=True)
class Manifest:
    """``target`` is ``ptx``, ``hip`` or ``kir``; ``isa`` the PTX version, where it is one."""

    mirgpu: str
    rustc: str | None
    target: str
    arch: str | None
    isa: str | None
    flags: tuple[str, ...]
    kernels: tuple[KernelInfo, ...]
    types: tuple[HostType, ...]
    panics: tuple[PanicInfo, ...]
    panic_buffer: PanicBuffer | None
    schema: int = SCHEMA


# --------------------------------------------------------------------------------- text

_CODEC: Final = Codec(
    {
        "scalar": ScalarType,
        "array": ArrayType,
        "struct": StructType,
        "enum": EnumType,
        "opaque": OpaqueType,
    }
)
_MARK: Final = "mirgpu-manifest: "
_WIDTH: Final = 96
"""Characters of JSON in one comment line."""


def to_json(manifest: Manifest, *, indent: int | None = None) -> str:
    """The manifest as ASCII JSON text; with ``indent`` for people, without on one line."""
    separators = (",", ":") if indent is None else (",", ": ")
    return json.dumps(_CODEC.encode(manifest), indent=indent, separators=separators)


def from_json(text: str) -> Manifest:
    """Read what ``to_json`` wrote.

    Raises ``ManifestError`` for text that is not JSON, another schema, and missing, unknown or
    ill-typed members.
    """
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise ManifestError(f"the manifest is not JSON: {error}") from None
    if not isinstance(data, dict):
        raise ManifestError("the manifest is not a JSON object")
    schema = data.get("schema")
    if schema != SCHEMA:
        raise ManifestError(
            f"the manifest has schema {schema!r}, this mirgpu reads {SCHEMA}: "
            "transpile the kernel again, or install the version that made it"
        )
    try:
        manifest = _CODEC.decode(Manifest, data, "manifest")
    except RecordError as error:
        raise ManifestError(str(error)) from None
    assert isinstance(manifest, Manifest)
    return manifest


def embed(text: str, manifest: Manifest, comment: str = "//") -> str:
    """``text`` with the manifest after it in lines that start with ``comment``.

    A manifest that ``text`` already carries is replaced.
    """
    body = "".join(line for line in text.splitlines(keepends=True) if _MARK not in line)
    if body and not body.endswith("\n"):
        body += "\n"
    return body + "".join(f"{comment} {_MARK}{piece}\n" for piece in _pieces(to_json(manifest)))


def extract(text: str) -> Manifest | None:
    """The manifest that ``embed`` put into ``text``, or none; ``ManifestError`` if damaged."""
    pieces = [line.split(_MARK, 1)[1] for line in text.split("\n") if _MARK in line]
    return from_json("".join(piece.rstrip("\r") for piece in pieces)) if pieces else None


def _pieces(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = min(start + _WIDTH, len(text))
        # A backslash before the line's end would continue the comment in C; a blank there
        # may be cut by an editor.
        while end < len(text) and end - start > 1 and text[end - 1] in "\\ ":
            end -= 1
        yield text[start:end]
        start = end
