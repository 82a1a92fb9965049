"""A world that needs no sandbox, for tests of what plays and stores episodes."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from intercode.agents.base import Agent
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.errors import SandboxError
from intercode.rewards.base import EndingReward
from intercode.runs.job import Job
from intercode.runs.manifest import Manifest, machine
from intercode.runs.settings import Settings
from intercode.types import Action, Observation, Score, Task, TaskView
from intercode_sandbox.images import Image
from intercode_sandbox.scripted import ScriptedSandbox


class ToyDataset(Dataset):
    """Tasks that are solved by saying their number."""

    def __init__(self, size: int = 3, name: str = "toy") -> None:
        self._size, self.name = size, name

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> Task:
        if index >= self._size:
            raise IndexError(index)
        return Task(f"{self.name}/{index}", f"Say {index}.", f"say {index}", difficulty=("easy", "hard")[index % 2])


def _exact(right: bool) -> Score:
    return Score(float(right), right, {"said": float(right)}, () if right else ("not said",))


def _paper(right: bool) -> Score:
    return replace(_exact(right), value=1.0 if right else 0.34)


class ToyEnv(Env):
    """`say X` is observed as X; `sleep X` takes X seconds; `break` is the machine's failure, `crash` a bug of ours."""

    rewards = {"paper": EndingReward(_paper), "exact": EndingReward(_exact)}

    def prepare(self) -> None:
        self.session = self.sandbox.start(self.image)
        self.said: list[str] = []

    def execute(self, text: str) -> Observation:
        word, _, rest = text.partition(" ")
        if word == "sleep":
            time.sleep(float(rest))
        if word == "break":
            raise SandboxError("the toy is broken")
        if word == "crash":
            raise ZeroDivisionError("a bug")
        self.said.append(rest)
        return Observation(rest, 0)

    def ending(self, task: Task) -> bool:
        return self.said[-1:] == [str(task.gold).removeprefix("say ")]

    def state_hash(self) -> str:
        return f"{len(self.said)}:{':'.join(self.said)}"


class ToyAgent(Agent):
    """Plays what a table has for a task's id, then hands in."""

    def __init__(self, moves: Mapping[str, list[str]] | None = None, then: str = "submit") -> None:
        super().__init__()
        self.moves, self.then = moves or {}, then
        self.taken: list[str] = []

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        self.taken = list(self.moves.get(task.id, [f"say {task.id.rpartition('/')[2]}"]))

    def act(self, observation: Observation, reward: float) -> Action:
        return Action.parse(self.taken.pop(0) if self.taken else self.then)

    @property
    def thought(self) -> str:
        return f"{len(self.taken)} to go"


def toy_env(dataset: Dataset | None = None, turns: int = 5) -> ToyEnv:
    """An environment over *dataset*; its sandbox runs nothing."""
    image = Image("toy", ())
    return ToyEnv(dataset or ToyDataset(), sandbox=ScriptedSandbox(), image=image, scoring="exact", turns=turns)


def toy_job(
    moves: Mapping[str, list[str]] | None = None,
    *,
    size: int = 3,
    make_agent: Callable[[], Agent] | None = None,
    **settings: Any,
) -> Job:
    """A job over *size* tasks."""
    wanted = Settings(dataset="toy", world="toy", agent="toy", scoring="exact", image="toy").changed(**settings)
    dataset = ToyDataset(size)
    tasks = tuple(dataset)
    manifest = Manifest(wanted, tuple(task.id for task in tasks), {"toy": "0"}, {"toy": dataset.checksum}, machine())
    return Job(wanted, tasks, lambda: toy_env(dataset, wanted.turns), make_agent or (lambda: ToyAgent(moves)), manifest)
