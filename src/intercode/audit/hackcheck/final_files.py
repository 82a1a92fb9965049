"""The files that an episode leaves, as far as somebody who reads them takes them for the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import basename

from intercode.env.env import Env
from intercode_sandbox.sandbox import Change

LARGEST = 1 << 20
"""Bytes of a file that is compared by what it says; a larger one by its digest."""

MOST = 200
"""Files that are read."""

ASIDE = ("/tmp/", "/logs/", "/root/.", "/var/cache/", "/var/lib/", "/solution/", "/oracle/", "/proc/", "/dev/")
"""Where programs leave what is no work."""


@dataclass(frozen=True, slots=True)
class FinalFiles:
    """What changed, by path: a file's text without blanks, a link's target, or only that it is there or gone."""

    found: Mapping[str, str]

    def has_all_of(self, gold: FinalFiles) -> bool:
        """Return whether all of *gold* is here too, which is not nothing."""
        return bool(gold.found) and all(self.found.get(path) == text for path, text in gold.found.items())


def read(env: Env, named: str) -> FinalFiles | None:
    """Return the files that the last episode of *env* has left, if nothing else is judged.

    Args:
        env: The environment, whose session is still there.
        named: The request and what grades it. Of what changed, files that are named there count; if none is, all do.
    """
    session = env.session
    if not env.judges_files_alone or session is None:
        return None
    changes = [change for change in session.changes() if not _is_aside(change.path)][:MOST]
    changes = [change for change in changes if basename(change.path) in named] or changes
    return FinalFiles({change.path: _substance(env, change) for change in changes if _is_work(change)})


def _is_aside(path: str) -> bool:
    return path.startswith(ASIDE) or "__pycache__" in path


def _is_work(change: Change) -> bool:
    return change.after is None or change.after.type != "directory"


def _substance(env: Env, change: Change) -> str:
    if change.after is None:
        return "gone"
    if change.after.type != "file" or env.session is None:
        return f"{change.after.type} {change.after.digest}"
    try:
        text = env.session.read(change.path, limit=LARGEST).decode()
    except (OSError, UnicodeDecodeError):
        return f"file {change.after.digest}"
    try:
        return json.dumps(json.loads(text), sort_keys=True)
    except (ValueError, RecursionError):
        return " ".join(text.split())
