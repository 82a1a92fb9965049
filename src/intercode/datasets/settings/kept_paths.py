"""Paths of the system that a task declares to be its agent's work, though programs that judge read them."""

from __future__ import annotations

from collections.abc import Sequence
from posixpath import normpath

WANTED = "expected a list of absolute paths such as ['/etc/nginx']"


def kept_paths(given: object) -> tuple[str, ...]:
    """Read the paths of a key or an option `keep`; in an option, commas stand between several.

    Raises:
        ValueError: If that is something else. Says what is expected.
    """
    paths = given.split(",") if isinstance(given, str) else given
    if not isinstance(paths, Sequence) or not all(isinstance(each, str) for each in paths):
        raise ValueError(f"{WANTED}, not {given!r:.80}")
    if wrong := [each for each in paths if not each.strip().startswith("/") or "\0" in each]:
        raise ValueError(f"{WANTED}: {wrong[0]!r:.80} is none")
    return tuple("/" + normpath(each.strip()).lstrip("/") for each in paths)
