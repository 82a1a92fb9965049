"""One arm: a policy, what it learns from, and how it does on tasks that it never learns from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from examples.learning_curve.episodes import TURNS, Commands, Player
from examples.learning_curve.policy import FIRST, Array, Features, Numbers, Policy
from examples.learning_curve.templates import Library, read

from intercode.types import Task

Arm = Literal["exact", "progress", "paper", "random", "frozen", "demonstrations"]
ARMS: tuple[Arm, ...] = get_args(Arm)


@dataclass(frozen=True)
class Settings:
    """How an arm learns; the same for all of them."""

    steps: int = 120
    tasks: int = 16
    """Tasks of a step."""

    group: int = 8
    """Episodes of each of these."""

    rate: float = 0.1
    entropy: float = 0.003
    every: int = 30
    """Steps between two looks at the held-out tasks."""


@dataclass(frozen=True)
class Setting:
    """What all arms share: the player, the library, and the tasks by split."""

    player: Player
    library: Library
    features: Features
    tasks: Mapping[str, Sequence[Task]]


@dataclass(frozen=True)
class Choices:
    """What was chosen at one turn: by which episodes, after which templates."""

    episodes: Numbers
    before: Numbers
    templates: Numbers


class Learner:
    """Trains one policy with one *arm*'s reward and one *seed*."""

    def __init__(self, setting: Setting, arm: Arm, seed: int, settings: Settings) -> None:
        self.setting, self.arm, self.settings = setting, arm, settings
        self._chance = np.random.default_rng([seed, 17])
        self._noise = np.random.default_rng([seed, 18])  # so that the random arm sees the same tasks
        self.policy = Policy(len(setting.features), len(setting.library.templates), rate=settings.rate)
        self._requests = {task.id: read(task.query) for tasks in setting.tasks.values() for task in tasks}

    def run(self, splits: Sequence[str]) -> Iterator[tuple[int, dict[str, list[bool]]]]:
        """At the start and every `every` steps: the episodes so far, and the success on each task of *splits*."""
        for step in range(self.settings.steps + 1):
            if step:
                self._step()
            if step % self.settings.every == 0 or step == self.settings.steps:
                episodes = step * self.settings.tasks * self.settings.group
                yield episodes, {split: self.success(self.setting.tasks[split]) for split in splits}

    def success(self, tasks: Sequence[Task]) -> list[bool]:
        """Whether the likeliest commands succeed under `exact`, for each of *tasks*."""
        commands = self._choose(tasks, None)[2]
        return [earned.success for earned in self.setting.player.play(list(zip(tasks, commands, strict=True)))]

    def _step(self) -> None:
        if self.arm == "frozen":
            return
        tasks = self._draw()
        if self.arm == "demonstrations":
            self._imitate(tasks)
        else:
            self._explore(tasks)
        self.policy.step()

    def _draw(self) -> list[Task]:
        train = self.setting.tasks["train"]
        picked = self._chance.choice(len(train), self.settings.tasks, replace=False)
        return [train[number] for number in picked for _ in range(self.settings.group)]

    def _explore(self, tasks: Sequence[Task]) -> None:
        """A step of GRPO: each episode counts by how much more it earned than the others of its task."""
        rows, turns, commands = self._choose(tasks, self._chance)
        rewards = self._rewards(tasks, commands)
        for turn, made in enumerate(turns):
            to_come = rewards[made.episodes, turn:].sum(axis=1)
            self._learn(rows, made, self._advantages(to_come, made.episodes), len(tasks))

    def _imitate(self, tasks: Sequence[Task]) -> None:
        """As many demonstrations as `_explore` has episodes, of the same tasks."""
        rows = self._rows(tasks)
        shown = [self.setting.library.demonstration(task) or () for task in tasks]
        for turn in range(TURNS):
            episodes = np.array([number for number, steps in enumerate(shown) if len(steps) > turn], dtype=np.int64)
            if len(episodes):
                before = np.array([shown[number][turn - 1] if turn else FIRST for number in episodes])
                templates = np.array([shown[number][turn] for number in episodes])
                self._learn(rows, Choices(episodes, before, templates), np.ones(len(episodes)), len(tasks))

    def _learn(self, rows: Array, made: Choices, weights: Array, parts: int) -> None:
        entropy = self.settings.entropy / parts
        self.policy.learn(rows[made.episodes], made.before, made.templates, weights / parts, entropy=entropy)

    def _advantages(self, to_come: Array, episodes: Numbers) -> Array:
        """*to_come*, less the mean of those of the same task."""
        group = episodes // self.settings.group
        sums, counts = np.bincount(group, weights=to_come), np.bincount(group)
        advantages: Array = to_come - (sums / np.maximum(counts, 1))[group]
        return advantages

    def _rewards(self, tasks: Sequence[Task], commands: Sequence[Commands]) -> Array:
        """By episode and turn. Chance does not look at what was done, so that arm has nothing to play."""
        rewards = np.zeros((len(tasks), TURNS))
        last = np.array([len(each) - 1 for each in commands])
        if self.arm == "random":
            rewards[np.arange(len(tasks)), last] = self._noise.random(len(tasks))
            return rewards
        for row, earned in zip(rewards, self.setting.player.play(list(zip(tasks, commands, strict=True))), strict=True):
            if self.arm == "progress":
                row[: len(earned.progress)] = earned.progress
            else:
                row[len(earned.progress) - 1] = earned.paper if self.arm == "paper" else earned.exact
        return rewards

    def _choose(
        self, tasks: Sequence[Task], chance: np.random.Generator | None
    ) -> tuple[Array, list[Choices], list[Commands]]:
        """An episode of each of *tasks*: their features, the choices by turn, and the commands."""
        library, rows = self.setting.library, self._rows(tasks)
        commands: list[Commands] = [() for _ in tasks]
        turns: list[Choices] = []
        episodes, before = np.arange(len(tasks)), np.full(len(tasks), FIRST)
        while len(episodes) and len(turns) < TURNS:
            templates = self.policy.choose(rows[episodes], before, chance)
            turns.append(Choices(episodes, before, templates))
            for number, template in zip(episodes.tolist(), templates.tolist(), strict=True):
                commands[number] += (library.command(template, self._requests[tasks[number].id]),)
            goes_on = np.array([library.goes_on[template] for template in templates])
            episodes, before = episodes[goes_on], templates[goes_on]
        return rows, turns, commands

    def _rows(self, tasks: Sequence[Task]) -> Array:
        return self.setting.features.matrix([self._requests[task.id] for task in tasks])
