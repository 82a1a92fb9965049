"""Rollouts for training: actors that play one episode for each call, with a policy that is sent along."""

from __future__ import annotations

import os
import queue
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import ray

from intercode.agents.base import Agent
from intercode.integrations.ray.actor import settle
from intercode.integrations.ray.cluster import MEMORY, remove_shared
from intercode.integrations.ray.parcel import Parcel
from intercode.runs.budget import Budget
from intercode.runs.episode import EpisodeRun
from intercode.runs.job import prepare, prepare_part
from intercode.runs.settings import Settings
from intercode.types import Trajectory
from intercode_sandbox.util.closing import Closeable

if TYPE_CHECKING:
    from ray import ObjectRef

    from intercode.env.env import Env


class RolloutPool(Closeable):
    """Long-lived actors with several environments each, on the Ray cluster that this process is connected to.

    Made in one thread and used there. A lost actor is started again, and what it was at is played again.

    Args:
        dataset: The data set, as `--dataset` names it.
        actors: How many; each asks for *cpus* cores and *memory* bytes.
        environments: How many episodes each plays at once.
        waiting: How many episodes may be under way or wait in all; None: twice as many as are played at once.
        settings: What else a run can be asked: `world`, `image`, `turns`, `scoring`, `reward` and so on.
    """

    def __init__(
        self,
        dataset: str = "starter",
        *,
        actors: int = 2,
        environments: int = 2,
        waiting: int | None = None,
        cpus: float = 1,
        memory: int = MEMORY,
        **settings: Any,
    ) -> None:
        with prepare(Settings(dataset=dataset, **settings)) as job:
            self.tasks = tuple(task.view() for task in job.tasks)
            manifest = job.manifest
        self.waiting = 2 * actors * environments if waiting is None else waiting
        self._shared = f"intercode-ray-{uuid4().hex}"
        self._sent = ray.put(Parcel.of(manifest))  # as long as an actor may have to be started again
        options = {"num_cpus": cpus, "memory": memory, "scheduling_strategy": "SPREAD", "max_concurrency": environments}
        kind = ray.remote(max_restarts=-1, max_task_retries=3, **options)(RolloutActor)
        more = (environments, self._shared, os.getcwd())
        self._actors = [kind.remote(manifest.settings, self._sent, *more) for _ in range(actors)]
        self._under_way: dict[ObjectRef, int] = {}

    def play(self, policy: Agent | ObjectRef, task: int = 0, *, seed: int = 0) -> ObjectRef:
        """Have the task at that index of `tasks` played; `ray.get` of what is returned gives the `Trajectory`.

        Each episode has a copy of *policy* for itself; `ray.put` a large one once, and hand in the reference. Waits
        while as many episodes as may be are under way. A failure of the machine is a trajectory with the status
        `error` and no scores; a bug of the policy is raised by `ray.get`.
        """
        while len(self._under_way) >= self.waiting:
            done, _ = ray.wait(list(self._under_way), num_returns=1, fetch_local=False)
            for each in done:
                del self._under_way[each]
        loads = list(self._under_way.values())
        least = min(range(len(self._actors)), key=loads.count)
        found = self._actors[least].play.remote(policy, self.tasks[task].id, seed)
        self._under_way[found] = least
        return found

    def close(self) -> None:
        """End the actors, and with them what is under way. Closing twice is harmless."""
        for actor in self._actors:
            ray.kill(actor)
        if self._actors:
            remove_shared(self._shared)
        self._actors, self._under_way = [], {}


class RolloutActor:
    """Environments on a node, each of which plays one episode at a time."""

    def __init__(self, settings: Settings, parcel: Parcel, environments: int, shared: str, directory: str) -> None:
        settle(shared, directory)
        dataset = parcel.unpack(settings)
        budget = Budget()
        self._job = prepare_part(settings, budget, checksum=parcel.checksum, say=lambda line: None, dataset=dataset)
        self._tasks = {task.id: task for task in self._job.tasks}
        self._idle: queue.SimpleQueue[Env] = queue.SimpleQueue()
        for _ in range(environments):
            self._idle.put(self._job.make_env())

    def play(self, policy: Agent, task: str, seed: int) -> Trajectory:
        """Return one episode."""
        policy.shell = self._job.settings.shell
        env = self._idle.get()
        try:
            return EpisodeRun(env, policy, self._tasks[task], name=type(policy).__name__, seed=seed).play()
        finally:
            self._idle.put(env)
