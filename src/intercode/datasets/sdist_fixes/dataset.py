"""Bug fixes between two releases of Python packages, judged by the tests that came with the later one.

What is here of a package are its name, versions and checksums, the names of tests, and a request in our own words. The
source distributions themselves are fetched (`intercode data get sdist-fixes`); `scripts/mine_sdist_fixes.py` finds such
pairs.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from intercode.datasets.base import Dataset
from intercode.datasets.repositories import ROOT, TestSuite, gold_command
from intercode.datasets.repositories.layers import PYTEST, Commit, history_layer, pytest_layers, tree_layer
from intercode.datasets.repositories.patch_text import write_patch
from intercode.datasets.sdist_fixes.sdists import agent_files, fix_files, read_sdist, test_files
from intercode.datasets.sources import folder_of
from intercode.errors import BadDataError
from intercode.types import Task
from intercode_sandbox.images import Image

ROWS = Path(__file__).parent / "tasks.jsonl"
OPTIONS = ("-c", "/dev/null", "--rootdir", ROOT)
"""A project's own settings of pytest ask for plug-ins that are not here, such as one that measures coverage."""

SECONDS = 120.0
"""For all tests of a task together."""


class SdistFixesDataset(Dataset):
    """The tasks of `tasks.jsonl`, ids `sdist-fixes/PACKAGE-VERSION`, of which VERSION is the one that has the fix.

    An agent sees the files of the release before it, as a repository of one commit. The gold is what the later release
    changed in Python files that are no tests; hidden tests are what it changed in tests. Every gold is known to score
    1, and doing nothing to score 0. The image has to have git and Python 3.11 or later.

    Raises:
        BadDataError: If source distributions are not on this machine, or are others. Says what to type.
    """

    name = "sdist-fixes"
    world = "swe"

    def __init__(self, *, rows: Sequence[Mapping[str, Any]] | None = None) -> None:
        text = ROWS.read_text(encoding="utf-8")
        self._rows = [json.loads(line) for line in text.splitlines()] if rows is None else list(rows)
        self._checksum = sha256(json.dumps(self._rows).encode()).hexdigest()
        for row in self._rows:
            for kind in ("before", "after"):
                _check(folder_of(self.name) / row[kind]["file"], row[kind]["sha256"])
        self._tasks: dict[int, Task] = {}
        self._images: dict[tuple[str, str], Image] = {}

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Task:
        if index not in self._tasks:
            self._tasks[index] = _task(self._rows[index])
        return self._tasks[index]

    @property
    def checksum(self) -> str:
        return self._checksum

    def image(self, task: Task, base: Image) -> Image:
        """Return *base* with the earlier release as a repository, and with pytest."""
        key = (task.id, base.digest)
        if key not in self._images:
            name = task.id.rpartition("/")[2]
            self._images[key] = base.with_layers(
                *pytest_layers(),
                tree_layer(agent_files(_tree(task.extra["before"])), title=f"the files before {name}"),
                history_layer([Commit(task.extra["title"], (".",))]),
                name=f"{base.name}+{name}",
                env={"PYTHONPATH": ":".join((PYTEST, *(f"{ROOT}/{path}" for path in task.extra["suite"].path)))},
            )
        return self._images[key]


def _task(row: Mapping[str, Any]) -> Task:
    before, after = (_tree(row[kind]["file"]) for kind in ("before", "after"))
    patch = write_patch(fix_files(before), fix_files(after))
    name = f"{row['package']}-{row['after']['version']}"
    extra = {
        "repo": row["package"],
        "title": f"{row['package']} {row['before']['version']}",
        "before": row["before"]["file"],
        "licence": row["licence"],
        "patch": patch,
        "test_patch": write_patch(test_files(before), test_files(after)),
        "FAIL_TO_PASS": tuple(row["FAIL_TO_PASS"]),
        "PASS_TO_PASS": tuple(row["PASS_TO_PASS"]),
        "suite": TestSuite("pytest", arguments=OPTIONS, path=tuple(row["path"]), seconds=SECONDS),
    }
    return Task(f"sdist-fixes/{name}", row["query"], gold_command(patch), "swe", row["package"], extra=extra)


@cache
def _tree(file: str) -> Mapping[str, bytes]:
    return read_sdist(folder_of(SdistFixesDataset.name) / file)


@cache
def _check(path: Path, digest: str) -> None:
    """Raise BadDataError where *path* does not hold what is pinned."""
    way_out = "fetch the releases: intercode data get sdist-fixes"
    try:
        found = sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise BadDataError(f"{path} is not here ({error.strerror}); {way_out}") from error
    if found != digest:
        raise BadDataError(f"{path} is not the release that is pinned (SHA-256 {digest}); {way_out}")
