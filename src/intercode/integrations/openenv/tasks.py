"""OpenEnv's task routes: which tasks there are, by split. A task is told without its gold."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from intercode.integrations.openenv import protocol
from intercode.integrations.openenv.http import read, reply, route
from intercode.integrations.openenv.protocol import Json
from intercode.integrations.serving.served_tasks import ServedTasks
from intercode.types import Task

TYPES = ("train", "validation", "test")
"""The types of splits that OpenEnv knows."""


class SplitRequest(Struct):
    """Which split is meant."""

    split: str


class TaskRequest(Struct):
    """Which task of a split is meant."""

    split: str
    index: int


class RangeRequest(Struct):
    """Which tasks of a split are meant, as in a slice."""

    split: str
    start: int | None = None
    stop: int | None = None


class TaskRoutes:
    """Answers about *tasks*, under the name *env* that OpenEnv's clients put into the path."""

    def __init__(self, tasks: ServedTasks, env: str) -> None:
        self._tasks, self._env = tasks, env

    def all(self) -> list[Route]:
        """Return the routes."""
        return [
            route("GET", "/list_environments", self.environments),
            route("GET", "/{env}/splits", self.splits),
            route("POST", "/{env}/tasks", self.tasks),
            route("POST", "/{env}/num_tasks", self.count),
            route("POST", "/{env}/task", self.task),
            route("POST", "/{env}/task_range", self.task_range),
        ]

    async def environments(self, request: Request) -> Response:
        """Return the names of the environments: one."""
        return reply([self._env])

    async def splits(self, request: Request) -> Response:
        """Return the splits of the data set."""
        self._check(request)
        return reply([{"name": name, "type": name if name in TYPES else "test"} for name in self._tasks.split_names])

    async def tasks(self, request: Request) -> Response:
        """Return all tasks of a split."""
        self._check(request)
        found = self._tasks.split((await read(request, SplitRequest)).split)
        return reply({"tasks": _tasks_to_json(found, range(len(found))), "env_name": self._env})

    async def count(self, request: Request) -> Response:
        """Return how many tasks a split has."""
        self._check(request)
        return reply({"num_tasks": len(self._tasks.split((await read(request, SplitRequest)).split))})

    async def task(self, request: Request) -> Response:
        """Return one task of a split."""
        self._check(request)
        asked = await read(request, TaskRequest)
        self._tasks.of_split(asked.split, asked.index)
        (told,) = _tasks_to_json(self._tasks.split(asked.split), range(asked.index, asked.index + 1))
        return reply({"task": told})

    async def task_range(self, request: Request) -> Response:
        """Return some tasks of a split, in order."""
        self._check(request)
        asked = await read(request, RangeRequest)
        found = self._tasks.split(asked.split)
        return reply({"tasks": _tasks_to_json(found, range(len(found))[asked.start : asked.stop])})

    def _check(self, request: Request) -> None:
        if request.path_params["env"].lower() != self._env:
            raise HTTPException(404, f"the environment here is {self._env}")


def _tasks_to_json(tasks: Sequence[Task], indices: range) -> list[Json]:
    return [protocol.task_to_json(tasks[index]) | {"index": index} for index in indices]
