"""Lists of stable tasks: those whose outcome depends on no clock, host or network."""

from __future__ import annotations

import json
from pathlib import Path

from intercode.errors import BadDataError
from intercode.util.regular_files import read_text

NAME = "bash_stable_tasks.json"
"""What such a list is called where it comes with recordings, one folder above them."""


def read(path: Path) -> frozenset[str]:
    """Return the ids in `{"tasks": {"fs_1": [0, 2, …], …}}`.

    Raises:
        BadDataError: If the file cannot be read, or has another form.
    """
    try:
        found = json.loads(read_text(path))
        pairs = [(str(name), int(number)) for name, numbers in found["tasks"].items() for number in numbers]
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BadDataError(f"{path} is not a list of stable tasks: {type(error).__name__}: {error}") from error
    return frozenset(f"nl2bash/{name.replace('_', '')}/{number}" for name, number in pairs)


def beside(recording: Path) -> frozenset[str]:
    """Return the list that came with *recording*; empty where none did."""
    path = recording.resolve().parent.parent / NAME
    return read(path) if path.is_file() else frozenset()
