"""Hex digests that name layers: the same recipe gives the same one in every process and on every machine."""

from __future__ import annotations

from hashlib import file_digest, sha256
from pathlib import Path

from intercode_sandbox.errors import ImageError

FORMAT = 1
"""Part of every key: raised when layers are built in another way, so that old ones are not taken for new ones."""


def recipe_key(kind: str, *parts: object) -> str:
    """Return the key of a recipe made of strings, bytes, numbers and tuples of them (their `repr` is what counts)."""
    return sha256(repr((FORMAT, kind, *parts)).encode("utf-8", "surrogateescape")).hexdigest()


def file_key(path: Path) -> str:
    """Return the SHA-256 of a file's content.

    Raises:
        ImageError: If it cannot be read.
    """
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ImageError(f"cannot read {path}: {error.strerror}") from error
