"""The episodes behind samples: each sample of a task of ours has an environment, from its set-up to its clean-up."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import Any, TypeVar

import anyio
from inspect_ai.solver import TaskState

from intercode import registry
from intercode.datasets.base import Dataset
from intercode.env.async_env import AGAIN
from intercode.env.env import Env
from intercode.errors import UserError
from intercode.integrations.inspect.sandbox import get_shared, shared_sandbox
from intercode.integrations.threads import in_thread, open_in_thread
from intercode.types import Action, Score, Task, Turn
from intercode.worlds.sql import databases
from intercode_sandbox.util.linux import default_sandbox

_Value = TypeVar("_Value")

_episodes: dict[str, SampleEpisode] = {}


class SampleEpisode:
    """An environment in which one sample is played, one call after the other. It is judged once, whoever asks first.

    What is cancelled, as by the sample's time limit, is stopped by `Env.interrupt` and waited for, since the scorers
    come next: as in `AsyncEnv`, but Inspect may run on trio.
    """

    def __init__(self, env: Env) -> None:
        self.env = env
        self._worker = ThreadPoolExecutor(1, "episode")

    async def begin(self, task: Task, seed: int) -> None:
        """Begin the episode.

        Raises:
            MachineError: If the machine fails, which makes the sample an error.
        """
        await self._call(self.env.start_episode, task, seed=seed)

    async def take(self, action: Action) -> Turn:
        """Return one action.

        Raises:
            MachineError: If the machine fails, which makes the sample an error.
        """
        return await self._call(self.env.take_action, action)

    async def judge(self, answer: str) -> dict[str, Score]:
        """Return both scores; hands in *answer*, unless the episode is over."""
        return await self._call(self._judge, answer)

    async def end(self) -> None:
        """Close the environment."""
        await self._call(self.env.close)
        self._worker.shutdown(wait=False)

    def _judge(self, answer: str) -> dict[str, Score]:
        if self.env.status is None:
            self.env.take_action(Action("submit", answer if self.env.world_spec.answer else ""))
        return dict(self.env.history[-1].scores or {})

    async def _call(self, function: Callable[..., _Value], *arguments: Any, **options: Any) -> _Value:
        call = self._worker.submit(function, *arguments, **options)
        try:
            return await in_thread(call.result)
        except anyio.get_cancelled_exc_class():
            if not call.cancel():  # it has begun
                with anyio.CancelScope(shield=True):
                    await in_thread(self._stop, call)
            raise

    def _stop(self, call: Future[Any]) -> None:
        while not call.done():
            self.env.interrupt()
            wait([call], AGAIN)


async def start_episode(state: TaskState, dataset: Dataset, options: dict[str, Any]) -> SampleEpisode:
    """Begin the sample's episode, whose task has the sample's id. What is drawn anew is another thing in each epoch."""
    episode = _episodes[state.uuid] = SampleEpisode(await open_in_thread(_make, dataset, options))
    await episode.begin(dataset.find(str(state.sample_id)), seed=state.epoch)
    return episode


def _make(dataset: Dataset, options: dict[str, Any]) -> Env:
    """Return an environment on the sandbox, or the database server, that all samples share."""
    kind: type[Env] = registry.find("envs", dataset.world)
    given = dict(options)
    name = given.pop("sandbox", "") or default_sandbox()
    if kind.needs_sandbox:
        given["sandbox"] = shared_sandbox(name)
    elif "database" in registry.options(kind):
        name = given.get("database") or databases.default(dataset.source(dataset[0]))
        given["database"] = get_shared("database", name, lambda: databases.find(name))
    env: Env = registry.create("envs", dataset.world, dataset, **given)
    return env


def find_episode(state: TaskState | None) -> SampleEpisode:
    """Return the episode of a sample.

    Raises:
        UserError: If the task is none of ours.
    """
    if state is None or state.uuid not in _episodes:
        raise UserError("this sample has no episode: solvers, tools and scorers of intercode need one of its tasks")
    return _episodes[state.uuid]


async def end_episode(state: TaskState) -> None:
    """Close the sample's environment."""
    if state.uuid in _episodes:
        await _episodes.pop(state.uuid).end()
