"""What the evaluator refuses: PTX that is wrong or unknown, and programs that misbehave."""

from typing import final


class PtxError(Exception):
    """``line`` is the line of the PTX text, ``block`` and ``thread`` who ran it, if anyone."""

    def __init__(self, message: str, line: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.text = ""
        self.block: tuple[int, int, int] | None = None
        self.thread: tuple[int, int, int] | None = None

    def __str__(self) -> str:
        at = "" if self.line is None else f"PTX line {self.line}: "
        text = f" in `{self.text}`" if self.text else ""
        who = "" if self.thread is None else f", block {self.block} thread {self.thread}"
        return f"{at}{self.message}{text}{who}"


@final
class PtxSyntaxError(PtxError):
    """The text is no PTX, or holds an instruction, modifier or type that is not known here."""


@final
class PtxTypeError(PtxError):
    """An operand does not fit the type of its instruction."""


@final
class PtxMemoryError(PtxError):
    """An access out of bounds, misaligned, in the wrong space, or of read-only memory."""


@final
class PtxUndefinedError(PtxError):
    """A value that was never written takes part in a computation."""


@final
class PtxBarrierError(PtxError):
    """Threads that wait at different barriers, or for ever."""


@final
class PtxTrapError(PtxError):
    """``trap`` was executed."""


@final
class PtxRunawayError(PtxError):
    """A thread took too many backward branches."""
