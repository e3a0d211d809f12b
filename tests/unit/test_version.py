"""The version that is written into outputs is the installed one."""

from importlib.metadata import version

from mirgpu.version import VERSION


def test_version() -> None:
    assert version("mirgpu") == VERSION
