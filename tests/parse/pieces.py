"""Small pieces of MIR, by kind: each is printed back as it stands.

They hold what no dump in ``data`` shows, older and rare forms above all.
"""

from tests.parse.text import DATA


def _lines(name: str) -> list[str]:
    return (DATA / "pieces" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


TYPES = _lines("types") + [
    f"{binder}{unsafe}{abi}fn({params}){ret}"
    for binder in ("", "for<'a> ")
    for unsafe in ("", "unsafe ")
    for abi in ("", 'extern "C" ')
    for params in ("", "u8", "u8, u16")
    for ret in ("", " -> u8")
]
PATHS = _lines("paths")
INSTANCES = _lines("instances")
CONSTANTS = _lines("constants")
PLACES = _lines("places")
RVALUES = _lines("rvalues")
STATEMENTS = _lines("statements") + [f"_1 = {rvalue}" for rvalue in RVALUES]
TERMINATORS = _lines("terminators")
BODY_LINES = _lines("body_lines")
