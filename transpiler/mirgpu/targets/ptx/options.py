"""Options and result of the PTX target."""

from pathlib import Path
from typing import Literal, final

from mirgpu.node import node
from mirgpu.runtime.manifest import PanicBuffer


@final
@node
class PtxOptions:
    """``debug`` writes ``.file`` and ``.loc``.

    ``fp_contract``: ``off`` writes ``add.rn`` and ``mul.rn``, which ptxas never fuses; ``fast``
    leaves the rounding out (it is ``.rn`` still), which lets ptxas fuse a product with a sum.
    ``panic``: ``report`` writes a record and ends the thread, ``trap`` ends the launch.
    ``templates_dir`` holds templates that take precedence over the package's, file by file.
    """

    debug: bool = False
    fp_contract: Literal["off", "fast"] = "off"
    panic: Literal["report", "trap"] = "report"
    templates_dir: Path | None = None


@final
@node
class PtxOutput:
    """``isa_version`` as in the ``.version`` line; ``panic_buffer`` is none where the text has
    no such variable (nothing panics, or ``panic`` is ``trap``)."""

    text: str
    isa_version: str
    panic_buffer: PanicBuffer | None
