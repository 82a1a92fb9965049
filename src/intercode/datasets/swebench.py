"""SWE-bench, and tasks in its format: issues of real repositories, and the tests that came with their fixes."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

from intercode.datasets.base import ListedDataset
from intercode.datasets.formats import SUFFIXES, Record, read_records, tasks_from
from intercode.datasets.repositories import gold_command
from intercode.datasets.repositories.environments import Environments
from intercode.datasets.repositories.layers import RepositoryLayer
from intercode.datasets.repositories.source import HOST, RepositorySource
from intercode.datasets.sources import folder_of
from intercode.errors import BadDataError
from intercode.sandboxes.images import Image
from intercode.types import Scoring, Task

_REPO = re.compile(r"[A-Za-z0-9_.][\w.-]*/[A-Za-z0-9_.][\w.-]*\Z")
_COMMIT = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?\Z")
_NEEDED = ("instance_id", "repo", "base_commit", "problem_statement", "patch", "test_patch")


class SwebenchDataset(ListedDataset):
    """The records of one file in the published format, ids `swebench/INSTANCE_ID`.

    *file* is json, jsonl or parquet (None: the only such file where data lies, in `swebench`). *repositories* is a
    folder of mirrors (None: they are cloned from *host* when needed, and kept). *environments* is a file that says what
    the tests of each repository need (see `repositories/environments.py`). *history* is how many commits before the
    base an agent finds, 0 for all; with *hints* the query ends with the discussion of the issue.

    A record without FAIL_TO_PASS or `patch` can be played, not scored.

    Raises:
        BadDataError: If something is missing or malformed. Names the file, the record and the field.
    """

    name = "swebench"
    world = "swe"
    default_scoring: Scoring = "paper"
    default_image = "debian:bookworm"

    def __init__(
        self,
        *,
        file: str | PathLike[str] | None = None,
        repositories: str | PathLike[str] | None = None,
        environments: str | PathLike[str] | None = None,
        history: int = 100,
        hints: bool = False,
        host: str = HOST,
    ) -> None:
        self.file = _only_file() if file is None else Path(file)
        self.repositories = None if repositories is None else Path(repositories).absolute()
        self.history, self.host = history, host
        self.environments = Environments(None if environments is None else Path(environments).absolute())
        records, data = read_records(self.file)
        self._checksum = sha256(data).hexdigest()
        known = [_check_record(record, self.file) for record in records]
        tasks = tasks_from(known, self.file, name=self.name, query="problem_statement", gold="patch", world=self.world)
        self._tasks = [self._task(task, hints=hints) for task in tasks]
        self._images: dict[tuple[str, str], Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        """The repository of *task* at its base commit, on what its version needs, on *base*."""
        key = (task.id, base.digest)
        if key not in self._images:
            source = RepositorySource(task.extra["repo"], self.repositories, self.host)
            repository = RepositoryLayer(source, task.extra["base_commit"], self.history)
            environment = self.environments.find(task.extra["repo"], task.extra["version"])
            self._images[key] = environment.task_image(base, task.id.rpartition("/")[2], repository)
        return self._images[key]

    def _task(self, task: Task, *, hints: bool) -> Task:
        patch = task.gold or ""
        suite = self.environments.find(task.extra["repo"], task.extra["version"]).suite
        said = str(task.extra.get("hints_text") or "").strip()
        is_scored = bool(patch and task.extra["FAIL_TO_PASS"])
        return replace(
            task,
            query=f"{task.query}\n\n{said}" if hints and said else task.query,
            gold=gold_command(patch) if is_scored else None,
            extra={**task.extra, "patch": patch, "suite": suite},
        )


def _only_file() -> Path:
    folder = folder_of("swebench")
    found = sorted(path for path in folder.glob("*") if path.suffix in SUFFIXES) if folder.is_dir() else []
    if len(found) == 1:
        return found[0]
    there = f"there are {', '.join(path.name for path in found)}" if found else "there is none"
    raise BadDataError(
        f"expected one file of SWE-bench in {folder}, and {there}: name it by the option file=FILE "
        "(--dataset-option file=verified.parquet)"
    )


def _check_record(record: Record, path: Path) -> Record:
    """*record* with columns called as ours are, and its tests as lists."""
    columns = dict(record.columns)
    for name in _NEEDED:
        if not isinstance(columns.get(name), str):
            raise BadDataError(f"{path}: {record.place}, field {name!r}: expected a string; SWE-bench's format has one")
    for name, pattern in (("repo", _REPO), ("base_commit", _COMMIT)):
        if not pattern.match(columns[name]) or ".." in columns[name]:
            form = "OWNER/NAME" if name == "repo" else "40 hex digits"
            raise BadDataError(f"{path}: {record.place}, field {name!r}: expected {form}, not {columns[name]!r}")
    tests = {name: _tests(record, name, path) for name in ("FAIL_TO_PASS", "PASS_TO_PASS")}
    version = columns.get("version")
    ours = {
        "id": columns["instance_id"],
        "category": columns["repo"],
        "version": "" if version is None else str(version),
    }
    return replace(record, columns={**columns, **ours, **tests})


def _tests(record: Record, name: str, path: Path) -> tuple[str, ...]:
    """Names of tests: a list, or a list written as JSON, as it is published."""
    value: Any = record.columns.get(name) or []
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError) as error:
            raise BadDataError(f"{path}: {record.place}, field {name!r} is not JSON: {error}") from error
    if not isinstance(value, list) or not all(isinstance(test, str) for test in value):
        raise BadDataError(f"{path}: {record.place}, field {name!r}: expected a list of names of tests")
    return tuple(value)
