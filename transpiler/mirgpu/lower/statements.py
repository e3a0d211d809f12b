"""Statements: assignments, and the few others that do something at run time."""

from typing import assert_never

from mirgpu.lower.context import FnContext
from mirgpu.lower.enums import set_discriminant
from mirgpu.lower.errors import LowerError
from mirgpu.lower.intrinsics_memory import copy_elements
from mirgpu.lower.operands import operand
from mirgpu.lower.places import place
from mirgpu.lower.rvalues import assign
from mirgpu.lower.types import pointee
from mirgpu.lower.values import scalar
from mirgpu.mir.syntax import (
    AscribeUserType,
    Assign,
    Assume,
    BackwardIncompatibleDropHint,
    ConstEvalCounter,
    CopyNonOverlapping,
    Coverage,
    FakeRead,
    Nop,
    PlaceMention,
    Retag,
    SetDiscriminant,
    Statement,
    StorageDead,
    StorageLive,
)


def statement(fx: FnContext, node: Statement) -> None:
    match node:
        case Assign(where, rvalue):
            assign(fx, place(fx, where), rvalue)
        case SetDiscriminant(where, variant_index):
            set_discriminant(fx, place(fx, where), variant_index)
        case CopyNonOverlapping(dst, src, count):
            source = operand(fx, src)
            elem = pointee(source.ty)
            if elem is None:
                raise LowerError("MG0303", "this form of copy_nonoverlapping is not supported")
            to = scalar(fx, operand(fx, dst))
            number = scalar(fx, operand(fx, count))
            copy_elements(fx, elem, to, scalar(fx, source), number, may_overlap=False)
        case (
            StorageLive()
            | StorageDead()
            | Assume()
            | Nop()
            | ConstEvalCounter()
            | PlaceMention()
            | Coverage()
            | FakeRead()
            | AscribeUserType()
            | BackwardIncompatibleDropHint()
            | Retag()
        ):
            pass
        case _:
            assert_never(node)
