"""Starts rustc without waiting for it, with the flags that every run shares."""

import os
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

from mirgpu.diagnostics import ToolMissingError
from mirgpu.rustc.find import Rustc


def expand_arguments(flags: Sequence[str], source: str) -> list[str]:
    """Arguments that print the crate with its macros expanded."""
    return [*flags, "--cap-lints=allow", "-Zunpretty=expanded", source]


@final
@dataclass(frozen=True, slots=True)
class Output:
    status: int
    stdout: str
    stderr: str


@final
class Job:
    """A running rustc; ``result`` waits for it.  ``text`` goes to its standard input."""

    def __init__(
        self,
        rustc: Rustc,
        arguments: Sequence[str],
        text: str | None = None,
        pipe: bool = False,
    ) -> None:
        """``pipe``: what rustc writes to the file ``{pipe}`` among the arguments is kept."""
        reader = writer = -1
        command = [str(rustc.path), *arguments]
        if pipe:
            reader, writer = os.pipe()
            command = [part.replace("{pipe}", f"/dev/fd/{writer}") for part in command]
        try:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=rustc.environment(),
                pass_fds=(writer,) if pipe else (),
            )
        except OSError as error:
            if pipe:
                os.close(reader)
            raise ToolMissingError(f"cannot run {rustc.path}: {error.strerror}") from error
        finally:
            if pipe:
                os.close(writer)
        self._text = None if text is None else text.encode()
        self._streams = (b"", b"")
        self._piped = b""
        self._threads = [threading.Thread(target=self._communicate, daemon=True)]
        if pipe:
            self._threads.append(threading.Thread(target=self._read, args=(reader,), daemon=True))
        for thread in self._threads:
            thread.start()

    def _communicate(self) -> None:
        self._streams = self._process.communicate(self._text)

    def _read(self, descriptor: int) -> None:
        with os.fdopen(descriptor, "rb") as stream:
            self._piped = stream.read()

    def result(self) -> Output:
        self._wait()
        out, err = self._streams
        # MIR quotes source bytes only escaped; a file name may be anything.
        return Output(
            self._process.returncode,
            out.decode("utf-8", "surrogateescape"),
            err.decode("utf-8", "replace"),
        )

    def piped(self) -> str:
        self._wait()
        return self._piped.decode("utf-8", "surrogateescape")

    def _wait(self) -> None:
        for thread in self._threads:
            thread.join()

    def stop(self) -> None:
        """End it, if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._wait()
