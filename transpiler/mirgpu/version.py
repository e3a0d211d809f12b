"""mirgpu's version, without the cost of reading the installed package's metadata."""

VERSION = "0.1.0"
"""The same as in ``pyproject.toml``; a test compares them."""
