"""Whether tasks of different splits, or of one, have the same text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from hashlib import sha256

from intercode.types import Task


def text_hash(task: Task) -> str:
    """Return a hex digest of what is asked, blanks and case apart: what a hash list holds."""
    return sha256(" ".join(task.query.casefold().split()).encode("utf-8", "surrogatepass")).hexdigest()


def repeated(tasks: Iterable[Task]) -> Mapping[str, str]:
    """Return the ids of tasks whose text an earlier task has, and that task's id.

    Only tasks that begin in the same state are compared: a request about another file system is another request.
    """
    first: dict[tuple[str, ...], str] = {}
    found: dict[str, str] = {}
    for task in tasks:
        key = (text_hash(task), str(task.extra.get("db", "")), str(task.extra.get("batch", "")))
        if key in first:
            found[task.id] = first[key]
        else:
            first[key] = task.id
    return found
