"""What rustc says of a crate besides its MIR: its items, and what their names mean.

Two runs, one after the other, in a thread of their own: the crate with macros expanded, then
its skeleton (see ``skeleton``), which is only needed where there are types or impls.
"""

import json
import threading
from collections.abc import Sequence
from typing import Any, final

from mirgpu.crate_info import AdtInfo, BodyInfo, ImplInfo
from mirgpu.rustc import identity, skeleton
from mirgpu.rustc.find import Rustc
from mirgpu.rustc.process import Job, expand_arguments
from mirgpu.rustc.scan import Item, parse_crate
from mirgpu.rustc.tokens import ScanError

_TRIES = 5


@final
class Outline:
    """Lazy: nothing runs before ``start`` or the first question."""

    def __init__(self, rustc: Rustc, source: str, flags: Sequence[str]) -> None:
        self.rustc = rustc
        self.source = source
        self.flags = tuple(flags)
        self._inner: list[str] = []
        self._items: list[Item] = []
        self._dropped: set[object] = set()
        self._resolved: skeleton.Resolved | None = None
        self._thread: threading.Thread | None = None
        self._job: Job | None = None
        self._failure: Exception | None = None

    def start(self, expanded: Job | None = None) -> None:
        """Begin in the background; ``expanded`` is the first run, if it has begun already."""
        if self._thread is None:
            self._job = expanded or Job(self.rustc, expand_arguments(self.flags, self.source))
            self._thread = threading.Thread(target=self._work, daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Give up: the source does not compile."""
        if self._job is not None:
            self._job.stop()
        if self._thread is not None:
            self._thread.join()

    def bodies(self, mir: str) -> tuple[BodyInfo, ...]:
        """Identities of the bodies in the dump, as far as they are certain."""
        self._wait()
        return identity.bodies(mir, self._items, self._resolved)

    def impls(self, mir: str) -> tuple[ImplInfo, ...]:
        """Associated types and constants, as far as rustc could be asked about them."""
        self._wait()
        return () if self._resolved is None else identity.impls(mir, self._items, self._resolved)

    def adts(self) -> dict[str, AdtInfo]:
        """Definitions of the crate's types, by path."""
        self._wait()
        return {} if self._resolved is None else identity.adts(self._items, self._resolved)

    def twins(self) -> tuple[str, ...]:
        """Paths that more than one of the crate's types have."""
        self._wait()
        return identity.twins(self._items)

    def const_params(self) -> dict[str, str]:
        """The types of constant parameters (see ``CrateInfo``)."""
        self._wait()
        return identity.const_params(self._items)

    def skeleton(self) -> skeleton.Skeleton:
        """The crate's types alone, to ask for layouts with."""
        self._wait()
        resolved = self._resolved
        owners = {n: identity.owner_name(resolved, n) for n in resolved.impls} if resolved else {}
        made = skeleton.build(self._inner, self._items, self._dropped, layouts=True, owners=owners)
        twice = identity.twins(self._items)
        for path in [path for path in made.aliases if identity.in_twins(path, twice)]:
            del made.aliases[path]
        return made

    def _wait(self) -> None:
        self.start()
        assert self._thread is not None
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _work(self) -> None:
        try:
            assert self._job is not None
            output = self._job.result()
            if output.status:
                return
            self._inner, self._items = parse_crate(output.stdout)
            if skeleton.interesting(self._items):
                self._resolve()
        except ScanError:
            # A form that the reader does not know: nothing is certain then.
            self._items = []
        except Exception as error:  # handed to the thread that asks
            self._failure = error

    def _resolve(self) -> None:
        """Leave out what does not stand alone, until rustc accepts the rest."""
        for _ in range(_TRIES):
            made = skeleton.build(self._inner, self._items, self._dropped)
            job = Job(self.rustc, (*self.skeleton_flags(), "-Zunpretty=mir", "-"), made.text())
            result = job.result()
            if result.status == 0:
                self._resolved = skeleton.read(made, result.stdout)
                return
            failing = failing_owners(result.stderr, made.owners)
            if not failing - self._dropped:
                return
            self._dropped |= failing

    def skeleton_flags(self) -> list[str]:
        """Arguments for runs on the skeleton: as the crate's own, without optimisation."""
        kept = [f for f in self.flags if not f.startswith(("-Zinline", "-Zmir", "-Copt"))]
        return [*kept, "--cap-lints=allow", "-Zmir-opt-level=0", "--error-format=json"]


def failing_owners(stderr: str, owners: Sequence[object]) -> set[object]:
    """The owners of the lines that rustc's JSON errors point at."""
    out: set[object] = set()
    for message in json_errors(stderr):
        for span in message["spans"]:
            line = span["line_start"] - 1
            if span["is_primary"] and span["file_name"] == "<anon>" and line < len(owners):
                out.add(owners[line])
    return out - {None}


def json_errors(stderr: str) -> list[dict[str, Any]]:
    """rustc's error messages among its JSON lines."""
    rows = [json.loads(line) for line in stderr.splitlines() if line.startswith("{")]
    return [row for row in rows if row.get("level", "").startswith("error")]
