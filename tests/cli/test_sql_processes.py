"""SQL by several processes, on a server that the run's own process has started."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from terminal import intercode

from intercode.errors import UserError
from intercode.runs import store
from intercode.runs.job import Job, prepare
from intercode.runs.processes.parent import Launcher
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore

COUNT = 24


def played(folder: Path) -> dict[str, tuple[Any, ...]]:
    """What became of each task, but for times."""
    return {
        each.task.id: (each.error, each.scores, [(turn.action, turn.observation.text) for turn in each.turns])
        for each in store.read(folder).episodes
    }


def test_what_three_processes_find_is_what_one_does(tmp_path: Path) -> None:
    """Questions that read, and changes, for which each session gets a server alone."""
    words = ["run", "--dataset", "generated-sql", "--dataset-option", f"count={COUNT}", "--database", "mysql"]
    for count in ("1", "3"):
        done = intercode(*words, "--parallel", "6", "--processes", count, "--out", tmp_path / count)
        assert done.returncode == 0, done.stderr
        assert "a worker process ended" not in done.stderr
    assert len(played(tmp_path / "1")) == COUNT
    assert played(tmp_path / "1") == played(tmp_path / "3")


@pytest.fixture
def job() -> Iterator[Job]:
    options = {"count": 2}
    with prepare(Settings(dataset="generated-sql", dataset_options=options, database="mysql")) as made:
        yield made


def test_other_machines_are_refused_what_is_on_a_server_of_this_one(job: Job, tmp_path: Path) -> None:
    with (
        RunStore.create(tmp_path / "run", job.manifest) as runs,
        pytest.raises(UserError, match="--ray: all episodes share a database server"),
    ):
        Runner(job, runs, 2, launcher=cast("Launcher", object()))
