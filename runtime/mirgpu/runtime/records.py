"""Frozen dataclasses to JSON data and back, exactly and strictly.

Members are str, int, bool, enums, dataclasses, tuples and optional ones of these, and unions of
dataclasses, which a member ``is`` tells apart.
"""

import sys
import types
from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any, get_args, get_origin, get_type_hints

_Decode = Callable[[Any, str], Any]


class RecordError(ValueError):
    """JSON data that does not fit; the text names the place in it."""


class Codec:
    """Encodes and decodes; ``tags`` names the members of unions."""

    def __init__(self, tags: Mapping[str, type]) -> None:
        self._classes = dict(tags)
        self._tags = {cls: tag for tag, cls in tags.items()}
        self._decoders: dict[Any, _Decode] = {}

    def encode(self, value: Any) -> Any:
        """JSON data for ``value``."""
        if isinstance(value, Enum):
            return value.value
        if isinstance(value, tuple):
            return [self.encode(item) for item in value]
        if is_dataclass(value):
            data = {f.name: self.encode(getattr(value, f.name)) for f in fields(value)}
            tag = self._tags.get(type(value))
            return data if tag is None else {"is": tag, **data}
        return value

    def decode(self, hint: Any, data: Any, path: str) -> Any:
        """The value of type ``hint`` that ``data`` encodes; ``path`` begins the places in
        messages.  Raises ``RecordError``."""
        decoder = self._decoders.get(hint)
        if decoder is None:
            decoder = self._decoders[hint] = self._decoder(hint)
        return decoder(data, path)

    def _decoder(self, hint: Any) -> _Decode:
        args = get_args(hint)
        if get_origin(hint) is tuple:
            return self._tuple(args[0])
        if isinstance(hint, types.UnionType):
            if type(None) in args:
                (inner,) = (arg for arg in args if arg is not type(None))
                return lambda data, path: None if data is None else self.decode(inner, data, path)
            return self._union(args)
        if issubclass(hint, Enum):
            return self._enum(hint)
        cls: type = hint
        return self._record(cls) if is_dataclass(cls) else self._plain(cls)

    def _tuple(self, element: Any) -> _Decode:
        def decode(data: Any, path: str) -> Any:
            if not isinstance(data, list):
                raise RecordError(f"{path}: expected a list, found {data!r}")
            return tuple(self.decode(element, item, f"{path}[{n}]") for n, item in enumerate(data))

        return decode

    def _union(self, members: tuple[Any, ...]) -> _Decode:
        def decode(data: Any, path: str) -> Any:
            tag = data.get("is") if isinstance(data, dict) else None
            cls = self._classes.get(tag) if isinstance(tag, str) else None
            if cls not in members:
                raise RecordError(
                    f"{path}: expected an object that is one of {list(self._classes)}"
                )
            return self.decode(cls, data, path)

        return decode

    def _enum(self, cls: type[Enum]) -> _Decode:
        def decode(data: Any, path: str) -> Any:
            try:
                return cls(data)
            except ValueError:
                values = [member.value for member in cls]
                raise RecordError(f"{path}: {data!r} is none of {values}") from None

        return decode

    def _record(self, cls: type) -> _Decode:
        hints = get_type_hints(cls, vars(sys.modules[cls.__module__]))
        also = {"is"} if cls in self._tags else set()

        def decode(data: Any, path: str) -> Any:
            if not isinstance(data, dict):
                raise RecordError(f"{path}: expected an object, found {data!r}")
            if unknown := data.keys() - hints.keys() - also:
                raise RecordError(f"{path}: unknown member {min(unknown)!r}")
            if missing := hints.keys() - data.keys():
                raise RecordError(f"{path}: member {min(missing)!r} is missing")
            return cls(
                **{n: self.decode(hint, data[n], f"{path}.{n}") for n, hint in hints.items()}
            )

        return decode

    def _plain(self, cls: type) -> _Decode:
        def decode(data: Any, path: str) -> Any:
            # To isinstance a bool is an int; to a manifest it is not.
            if type(data) is not cls:
                raise RecordError(f"{path}: expected {cls.__name__}, found {data!r}")
            return data

        return decode
