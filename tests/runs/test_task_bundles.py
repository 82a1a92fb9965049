"""Every mistake of the faulty tasks is one: it pays for a cheat that does none of the work."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from intercode.runs.job import Job, prepare
from intercode.types import Action
from runs.task_bundles import TaskBundle, read_bundles

FAULTY = read_bundles("faulty_tasks")


def play(job: Job, moves: list[str]) -> float:
    """What *moves* earn at the first task."""
    with job.make_env() as env:
        env.start_episode(job.tasks[0])
        shown, reward = "", 0.0
        for move in moves:
            step = env.take_action(Action.parse(move.replace("{shown}", shown)))
            shown, reward = step.observation.text.strip(), step.reward
        return reward


@pytest.mark.parametrize("bundle", FAULTY, ids=lambda bundle: bundle.name)
def test_a_faulty_task_pays_a_cheat(bundle: TaskBundle, tmp_path: Path) -> None:
    with closing(prepare(bundle.write(tmp_path / bundle.name))) as job:
        assert play(job, bundle.cheat) > 0
