"""A task for each world: `inspect eval intercode/bash -T dataset=nl2bash`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.solver import Generate, Solver, TaskState, solver

from intercode import datasets, world_specs
from intercode.datasets.base import Dataset
from intercode.errors import UserError
from intercode.integrations.inspect.episodes import end_episode, start_episode
from intercode.integrations.inspect.names import qualify
from intercode.integrations.inspect.scorers import exact, paper
from intercode.integrations.inspect.solvers import model_solver


def world_task(dataset: str, *, world: str = "", turns: int = 10, sandbox: str = "", **options: Any) -> Task:
    """Return the tasks of a data set, played by `react` with the world's action. Golds are in no sample.

    *options* go to the environment (`reward`, `image` …).

    Raises:
        UserError: If the data set is of another *world*.
    """
    data = datasets.load(dataset)
    if world and data.world != world:
        raise UserError(f"{dataset} is of the world {data.world!r}: play it by the task intercode/{data.world}")
    samples = [
        Sample(each.query, id=each.id, metadata={"category": each.category, "difficulty": each.difficulty})
        for each in data
        if not each.excluded
    ]
    settings = {"turns": turns, "sandbox": sandbox, **options}
    return Task(
        dataset=MemoryDataset(samples, name=data.name),
        setup=_episode(data, settings),
        solver=model_solver(world_specs.find(data.world)),
        scorer=[exact(), paper()],
        cleanup=end_episode,
        metadata={"dataset": data.name, "checksum": data.checksum, "world": data.world},
    )


@solver(name=qualify("episode"))
def _episode(dataset: Dataset, options: dict[str, Any]) -> Solver:
    async def solve(state: TaskState, generate: Generate) -> TaskState:
        await start_episode(state, dataset, options)
        return state

    return solve


def _task_of(world: str) -> Callable[..., Task]:
    starter = world_specs.from_name(world).starter

    def make(
        dataset: str = starter, turns: int = 10, sandbox: str = "", image: str | None = None,
        database: str | None = None, reward: str | None = None,
    ) -> Task:  # fmt: skip
        given = {"image": image, "database": database, "reward": reward}
        options = {name: value for name, value in given.items() if value is not None}
        return world_task(dataset, world=world, turns=turns, sandbox=sandbox, **options)

    make.__name__ = world
    make.__doc__ = (
        f"Tasks of the {world} world: *dataset*, at most *turns* actions. Other options are the environment's."
    )
    return task(name=qualify(world))(make)


TASKS = {world: _task_of(world) for world in world_specs.names()}
"""By world; each is registered under its name."""


def __getattr__(name: str) -> Callable[..., Task]:
    """Return `tasks.bash` and so on, for Python; an AttributeError for what is no world of ours."""
    if name not in TASKS:
        raise AttributeError(f"no task called {name!r}; there are: {', '.join(TASKS)}")
    return TASKS[name]
