"""The episodes behind samples: each sample of a task of ours has an environment, from its set-up to its clean-up."""

from __future__ import annotations

from typing import Any

from inspect_ai.solver import TaskState

from intercode import databases, registry
from intercode.datasets.base import Dataset
from intercode.envs.base import Env
from intercode.errors import UserError
from intercode.integrations.inspect.sandbox import get_shared, in_thread, shared_sandbox
from intercode.sandboxes.core.linux import default_sandbox
from intercode.types import Action, Score, Scoring, Turn

_episodes: dict[str, Episode] = {}


class Episode:
    """An environment in which one sample is played. It is judged once, whoever asks first."""

    def __init__(self, env: Env) -> None:
        self.env = env

    async def take(self, action: Action) -> Turn:
        """One action.

        Raises:
            MachineError: If the machine fails, which makes the sample an error.
        """
        return await in_thread(self.env.take_action, action)

    async def judge(self, answer: str) -> dict[Scoring, Score]:
        """Both scores; hands in *answer*, unless the episode is over."""
        if self.env.status is None:
            await self.take(Action("submit", answer if self.env.world_spec.answer else ""))
        return dict(self.env.history[-1].scores or {})


async def start_episode(state: TaskState, dataset: Dataset, options: dict[str, Any]) -> Episode:
    """Begin the sample's episode, whose task has the sample's id. What is drawn anew is another thing in each epoch."""
    episode = _episodes[state.uuid] = Episode(await in_thread(_make, dataset, options))
    await in_thread(episode.env.start_episode, dataset.find(str(state.sample_id)), seed=state.epoch)
    return episode


def _make(dataset: Dataset, options: dict[str, Any]) -> Env:
    """An environment on the sandbox, or the database server, that all samples share."""
    kind: type[Env] = registry.find("envs", dataset.world)
    given = dict(options)
    name = given.pop("sandbox", "") or default_sandbox()
    if kind.needs_sandbox:
        given["sandbox"] = shared_sandbox(name)
    elif "database" in registry.options(kind):
        name = given.get("database") or databases.default(dataset.source(dataset[0]))
        given["database"] = get_shared("database", name, lambda: databases.find(name))
    return kind(dataset, **given)


def find_episode(state: TaskState | None) -> Episode:
    """The episode of a sample.

    Raises:
        UserError: If the task is none of ours.
    """
    if state is None or state.uuid not in _episodes:
        raise UserError("this sample has no episode: solvers, tools and scorers of intercode need one of its tasks")
    return _episodes[state.uuid]


async def end_episode(state: TaskState) -> None:
    """Close the sample's environment."""
    if state.uuid in _episodes:
        await in_thread(_episodes.pop(state.uuid).env.close)
