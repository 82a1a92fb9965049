"""Episodes in the real environment. Each is played once: who takes the same actions again is told what it earned."""

from __future__ import annotations

import json
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from intercode.datasets.base import Dataset
from intercode.errors import MachineError
from intercode.types import Action, Task
from intercode.worlds.bash import BashEnv
from intercode_sandbox.embedded import EmbeddedSandbox

TURNS = 2

Commands = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Earned:
    """What an episode earned: `exact` and `paper` at its end, the progress of each action, and what each showed."""

    success: bool
    exact: float
    paper: float
    progress: tuple[float, ...]
    shown: tuple[str, ...]


class Player:
    """Plays episodes of *datasets*, *workers* at once: up to `TURNS` commands.

    The tasks are deterministic, so an episode of the same task and commands is looked up. `played` counts those that
    ran in a sandbox, `asked` all of them. With a *file*, they are looked up there too, and added to it, so that a
    run can be taken up again. Use it as a context manager.
    """

    def __init__(self, datasets: Sequence[Dataset], *, file: Path | None = None, workers: int = 8) -> None:
        self.played = self.asked = 0
        self._file = file
        self._of = {task.id: dataset for dataset in datasets for task in dataset}
        self._known = _read(file) if file is not None and file.exists() else {}
        self._sandbox = EmbeddedSandbox()
        self._local = threading.local()
        self._envs: list[BashEnv] = []
        self._pool = ThreadPoolExecutor(workers)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._pool.shutdown()
        for env in self._envs:
            env.close()
        self._sandbox.close()

    def play(self, episodes: Sequence[tuple[Task, Commands]]) -> list[Earned]:
        """What each of *episodes* earns. Raises MachineError where the machine fails twice at one of them."""
        self.asked += len(episodes)
        new = {(task.id, commands): task for task, commands in episodes if (task.id, commands) not in self._known}
        self.played += len(new)
        for key, earned in zip(new, self._pool.map(lambda key: self._play(new[key], key[1]), new), strict=True):
            self._known[key] = earned
        self._write(list(new))
        return [self._known[task.id, commands] for task, commands in episodes]

    def counts(self) -> dict[str, int]:
        """How many episodes were asked for, and how many of them were played."""
        return {"asked": self.asked, "played": self.played}

    def _write(self, keys: Sequence[tuple[str, Commands]]) -> None:
        if self._file is not None:
            with self._file.open("a") as file:
                for task, commands in keys:
                    file.write(json.dumps([task, commands, *astuple(self._known[task, commands])]) + "\n")

    def _play(self, task: Task, commands: Commands) -> Earned:
        try:
            return self._episode(task, commands)
        except MachineError:
            return self._episode(task, commands)

    def _episode(self, task: Task, commands: Commands) -> Earned:
        env = self._env(self._of[task.id])
        env.turns = len(commands)  # the last of them ends the episode
        env.start_episode(task)
        turns = [env.take_action(Action("execute", commands[0]))]
        if len(commands) > 1 and env.status is None:  # a command that breaks its session ends the episode, too
            turns.append(env.take_action(Action("execute", commands[1])))
        scores = turns[-1].scores
        assert scores is not None, f"{task.id} has no gold"
        progress, shown = tuple(turn.reward for turn in turns), tuple(turn.observation.text for turn in turns)
        return Earned(scores["exact"].success, scores["exact"].value, scores["paper"].value, progress, shown)

    def _env(self, dataset: Dataset) -> BashEnv:
        envs: dict[int, BashEnv] = self._local.__dict__.setdefault("envs", {})
        if id(dataset) not in envs:
            env = BashEnv(dataset, sandbox=self._sandbox, scoring="exact", step_reward="progress", seconds=2)
            envs[id(dataset)] = env
            self._envs.append(env)
        return envs[id(dataset)]


def _read(file: Path) -> dict[tuple[str, Commands], Earned]:
    known = {}
    for line in file.read_text().splitlines():
        task, commands, success, exact, paper, progress, shown = json.loads(line)
        known[task, tuple(commands)] = Earned(success, exact, paper, tuple(progress), tuple(shown))
    return known
