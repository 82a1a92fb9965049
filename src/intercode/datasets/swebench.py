"""SWE-bench, and tasks in its format: issues of real repositories, and the tests that came with their fixes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256
from os import PathLike
from pathlib import Path
from typing import Any

from intercode.datasets.base import ListedDataset
from intercode.datasets.formats import SUFFIXES, ending, read_records, tasks_from
from intercode.datasets.repositories import gold_command
from intercode.datasets.repositories.environments import Environment, Environments
from intercode.datasets.repositories.layers import RepositoryLayer
from intercode.datasets.repositories.record_columns import conda_path, read_columns
from intercode.datasets.repositories.records import column_notes, left_out_note, sort_records
from intercode.datasets.repositories.source import HOST, RepositorySource
from intercode.datasets.sources import folder_of
from intercode.errors import BadDataError, ImageError
from intercode.types import Scoring, Task
from intercode_sandbox import images
from intercode_sandbox.images import Image
from intercode_sandbox.images.container_layers import pinned_name
from intercode_sandbox.images.defaults import ENV


class SwebenchDataset(ListedDataset):
    """The records of one file in the published format, ids `swebench/INSTANCE_ID`.

    *file* is json, jsonl or parquet (None: the only such file where data lies, in `swebench`). *repositories* is a
    folder of mirrors (None: they are cloned from *host* when needed, and kept). *environments* is a file that says what
    the tests of each repository need (see `repositories/environments.py`). *history* is how many commits before the
    base an agent finds, 0 for all; with *hints* the query ends with the discussion of the issue.

    Records that name no tests to be made to pass, or whose tests cannot be run here, are in `left_out`, with the
    reason. A record without a `patch` can be played, not scored. What a record says of its image and of how its tests
    are run is used where *environments* does not describe its repository and no image is chosen; `notes` names the
    columns that change nothing.

    Raises:
        BadDataError: If something is missing or malformed, or no record is left. Names the file, the record and the
            field.
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
        playable, self.left_out = sort_records(records, self.file)
        self.notes = (*left_out_note(self.left_out), *column_notes(playable, self.file))
        tasks = tasks_from(
            playable, self.file, name=self.name, query="problem_statement", gold="patch", world=self.world
        )
        self._tasks = [self._task(task, hints=hints) for task in tasks]
        self._images: dict[tuple[str, str], Image] = {}

    def image(self, task: Task, base: Image) -> Image:
        """Return the repository of *task* at its base commit, on what its version needs, on *base*."""
        key = (task.id, base.digest)
        if key not in self._images:
            source = RepositorySource(task.extra["repo"], self.repositories, self.host)
            repository = RepositoryLayer(source, task.extra["base_commit"], self.history)
            environment = self._environment(task.extra)
            env = dict(environment.env)
            is_described = self.environments.describes(task.extra["repo"])
            if not is_described and base.digest == images.find(self.default_image).digest:
                base, path = _own_image(task) or base, conda_path(str(task.extra.get("eval_script", "")))
                env = {"PATH": f"{path}:{base.env.get('PATH') or ENV['PATH']}", **env} if path else env
            environment = replace(environment, env=tuple(env.items()))
            self._images[key] = environment.task_image(base, task.id.rpartition("/")[2], repository)
        return self._images[key]

    def _environment(self, columns: Mapping[str, Any]) -> Environment:
        return self.environments.find(columns["repo"], columns["version"], read_columns(columns).table)

    def _task(self, task: Task, *, hints: bool) -> Task:
        patch = task.gold or ""
        said = str(task.extra.get("hints_text") or "").strip() if hints else ""
        return replace(
            task,
            query="\n\n".join(filter(None, (task.query, *_interface(task.extra), said))),
            gold=gold_command(patch) if patch else None,
            extra={**task.extra, "patch": patch, "suite": self._environment(task.extra).suite},
        )


def _own_image(task: Task) -> Image | None:
    """Return the image of containers that the record of *task* names; None if it names none.

    Raises:
        ImageError: If it cannot be had here. Says what to do instead.
    """
    name = read_columns(task.extra).image
    if not name:
        return None
    try:
        return images.find(f"docker:{pinned_name(name)}")
    except ImageError as error:
        raise ImageError(
            f"{task.id}: its record names the image {name}, which {error}; or name another, by --image or by `image` "
            "in the file of environments (--dataset-option environments=FILE)"
        ) from error


def _interface(columns: Mapping[str, Any]) -> Iterator[str]:
    """Yield what SWE-bench Pro tells beside the issue, since its tests ask for it."""
    if columns.get("interface"):
        for name, title in (("requirements", "Requirements"), ("interface", "Interface")):
            if text := str(columns.get(name) or "").strip():
                yield f"{title}:\n{text}"


def _only_file() -> Path:
    folder = folder_of("swebench")
    found = sorted(path for path in folder.glob("*") if ending(path) in SUFFIXES) if folder.is_dir() else []
    if len(found) == 1:
        return found[0]
    there = f"there are {', '.join(path.name for path in found)}" if found else "there is none"
    raise BadDataError(
        f"expected one file of SWE-bench in {folder}, and {there}: name it by the option file=FILE "
        "(--dataset-option file=verified.parquet)"
    )
