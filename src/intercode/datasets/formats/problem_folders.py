"""Problems in folders of their own, with a file for each column, as APPS's authors published them.

test/0000/question.txt  input_output.json  solutions.json  metadata.json  and perhaps  starter_code.py
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from intercode.datasets.formats.large_jsonl import HiddenColumns, Kept, index_file, read_later
from intercode.errors import BadDataError
from intercode.util.regular_files import LARGEST_DATA, read_bytes, read_text

TESTS, ABOUT = "input_output.json", "metadata.json"

FILES = {
    "question": "question.txt",
    "solutions": "solutions.json",
    "input_output": TESTS,
    "starter_code": "starter_code.py",
}
"""Where the columns are; those that are missing are empty. The others are in `metadata.json`."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is kept of the problem in the folder called *name*."""

    name: str
    facts: Kept

    def columns(self, path: Path) -> Mapping[str, Any]:
        """Its tests, read from the folder in *path* whenever they are looked at."""
        return read_later(path / self.name / TESTS)


def indexed_folders(path: Path, *, keep: Callable[[HiddenColumns], Kept | None]) -> tuple[list[Problem], str]:
    """Return what *keep* keeps of each problem (None: nothing), and a digest of all.

    The answer is remembered in the cache for as long as the files are the same.

    Raises:
        BadDataError: If a problem is malformed. Names the folder.
    """
    folders = sorted(place for place in path.iterdir() if place.name.isdecimal() and place.is_dir())
    found, checksum = index_file(path, [*map(_state, folders)], lambda: _read(folders, keep))
    return [Problem(name, facts) for name, facts in found], checksum


def _state(folder: Path) -> tuple[str, list[tuple[int, int]]]:
    files = (folder / name for name in (*FILES.values(), ABOUT))
    return folder.name, [(file.stat().st_size, file.stat().st_mtime_ns) if file.exists() else (0, 0) for file in files]


def _read(folders: list[Path], keep: Callable[[HiddenColumns], Kept | None]) -> tuple[list[tuple[str, Kept]], str]:
    found, digest = [], sha256()
    for folder in folders:
        try:
            columns = dict(_columns(folder))
            digest.update(repr(sorted(columns.items())).encode())
            facts = keep(HiddenColumns(columns))
        except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise BadDataError(
                f"{folder} is not a problem in the published format: {type(error).__name__}: {error}"
            ) from error
        found += [] if facts is None else [(folder.name, facts)]
    return found, digest.hexdigest()


def _columns(folder: Path) -> Iterator[tuple[str, Any]]:
    yield from json.loads(read_bytes(folder / ABOUT)).items()
    yield "id", int(folder.name)
    for column, name in FILES.items():
        file = folder / name
        yield column, read_text(file, most=LARGEST_DATA) if file.exists() else ""
