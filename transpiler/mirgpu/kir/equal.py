"""Structural equality: values are equal only to themselves, so nodes do not compare with ``==``."""

from dataclasses import fields, is_dataclass

from mirgpu.kir.module import Function, Module
from mirgpu.kir.ops import Value


def equal(left: Module | Function, right: Module | Function) -> bool:
    """Whether the two are the same but for the identity of their values (names count)."""
    return _equal(left, right, {}, {})


def _equal(
    left: object, right: object, there: dict[Value, Value], back: dict[Value, Value]
) -> bool:
    if type(left) is not type(right):
        return False
    if isinstance(left, Value) and isinstance(right, Value):
        same = (left.type, left.name) == (right.type, right.name)
        return (
            same and there.setdefault(left, right) is right and back.setdefault(right, left) is left
        )
    if isinstance(left, tuple) and isinstance(right, tuple):
        return len(left) == len(right) and all(
            _equal(a, b, there, back) for a, b in zip(left, right, strict=True)
        )
    if is_dataclass(left) and is_dataclass(right):
        return all(
            _equal(getattr(left, f.name), getattr(right, f.name), there, back) for f in fields(left)
        )
    return left == right
