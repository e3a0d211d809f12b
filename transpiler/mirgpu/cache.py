"""A content-addressed cache on disk, safe under concurrent use and damage.

An entry is a file named by its key.  It starts with a checksum of the rest, is written under
a temporary name and renamed, and counts as absent when the checksum does not match.
Everything that cannot be read or written counts as a miss: the cache never fails a command.
"""

import hashlib
import os
import threading
from pathlib import Path

_DIGEST = 16


def folder() -> Path:
    """``$XDG_CACHE_HOME/mirgpu``, by default ``~/.cache/mirgpu``."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    if not Path(base).is_absolute():
        base = os.path.expanduser("~/.cache")  # noqa: PTH111 (never raises)
    return Path(base) / "mirgpu"


def digest(*parts: bytes) -> str:
    """A key from parts, each counted with its length."""
    state = hashlib.blake2b(digest_size=_DIGEST)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()


def load(kind: str, key: str) -> bytes | None:
    """The entry's bytes, none if it is absent or damaged."""
    try:
        data = (folder() / kind / key).read_bytes()
    except OSError:
        return None
    body = data[_DIGEST:]
    if hashlib.blake2b(body, digest_size=_DIGEST).digest() != data[:_DIGEST]:
        return None
    return body


def store(kind: str, key: str, body: bytes) -> None:
    """Writes an entry whole or not at all."""
    target = folder() / kind / key
    temporary = target.with_name(f".{key}.{os.getpid()}.{threading.get_ident()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        temporary.write_bytes(hashlib.blake2b(body, digest_size=_DIGEST).digest() + body)
        temporary.replace(target)
    except OSError:
        try:
            temporary.unlink(missing_ok=True)
        except OSError:
            return
