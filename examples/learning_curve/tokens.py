"""`python -m examples.learning_curve.tokens`: a policy that writes its commands, by demonstrations and then by GRPO.

It sees the request and, at the second turn, what its first command showed. Needs torch.
"""

from __future__ import annotations

import argparse
import copy
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from examples.learning_curve.__main__ import HELD_OUT, TOPICS
from examples.learning_curve.episodes import TURNS, Player
from examples.learning_curve.results import curve_of, table
from examples.learning_curve.templates import blank, fill, read
from examples.learning_curve.writer import SUBMIT, Episode, Vocabulary, Writer, pieces

from intercode.datasets import load
from intercode.types import Task


@dataclass(frozen=True)
class Plan:
    """What is run. All arms begin with the same weights: those that *demonstrations* tasks have taught."""

    arms: tuple[str, ...] = ("exact", "progress", "paper", "random", "frozen", "demonstrations")
    seeds: tuple[int, ...] = (0,)
    train: int = 300
    held_out: int = 160
    splits: tuple[str, ...] = HELD_OUT
    demonstrations: int = 60
    warm_steps: int = 150
    steps: int = 60
    tasks: int = 8
    group: int = 8
    rate: float = 3e-4
    every: int = 15
    device: str = "cpu"


class Learner:
    """One arm with one seed."""

    def __init__(self, player: Player, tasks: Mapping[str, Sequence[Task]], plan: Plan, arm: str, seed: int) -> None:
        self.player, self.tasks, self.plan, self.arm = player, tasks, plan, arm
        self.requests = {task.id: read(task.query) for known in tasks.values() for task in known}
        golds = [pieces(step) for task in tasks["train"] for step in self._steps(task)]
        words = [self.requests[task.id].words for task in tasks["train"]]
        self.vocabulary = Vocabulary([*words, *golds, [SUBMIT]])
        torch.manual_seed(seed)
        self._chance, self._draw = torch.Generator().manual_seed(seed), np.random.default_rng([seed, 17])
        self.model = Writer(len(self.vocabulary)).to(plan.device)
        self._optimizer = torch.optim.Adam(self.model.parameters(), lr=plan.rate)

    def warm_up(self) -> None:
        """Learn from the demonstrations that all arms have had."""
        shown = self.demonstrations(self.tasks["train"][: self.plan.demonstrations])
        for _ in range(self.plan.warm_steps):
            self._imitate(self._some(shown))

    def begin_like(self, other: Learner) -> None:
        """Take the weights of *other*, and the optimizer's memory of them."""
        self.model.load_state_dict(other.model.state_dict())
        self._optimizer.load_state_dict(copy.deepcopy(other._optimizer.state_dict()))

    def run(self) -> Iterator[tuple[int, dict[str, list[bool]]]]:
        """The episodes so far, and the success on each held-out task."""
        plan = self.plan
        shown = self.demonstrations(self.tasks["train"]) if self.arm == "demonstrations" else []
        for step in range(plan.steps + 1):
            if step and shown:
                self._imitate(self._some(shown))
            elif step and self.arm != "frozen":
                self._explore()
            if step % plan.every == 0 or step == plan.steps:
                yield step * plan.tasks * plan.group, {split: self._success(self.tasks[split]) for split in plan.splits}

    def demonstrations(self, tasks: Sequence[Task]) -> list[Episode]:
        """Golds step by step, with what each step shows, and `submit` where a turn is left."""
        golds = [self._steps(task)[:TURNS] for task in tasks]
        commands = [(self._fill(task, steps[0]),) for task, steps in zip(tasks, golds, strict=True)]
        first = self.player.play(list(zip(tasks, commands, strict=True)))
        shown = []
        for task, steps, earned in zip(tasks, golds, first, strict=True):
            episode = Episode.of(self.requests[task.id], self.vocabulary)
            episode.act(self.vocabulary.encode(pieces(steps[0])), 0)
            episode.observe(earned.shown[0], self.requests[task.id], self.vocabulary)
            episode.act(self.vocabulary.encode(pieces(steps[1] if len(steps) > 1 else SUBMIT)), 1)
            shown.append(episode)
        return shown

    def play(self, tasks: Sequence[Task], chance: torch.Generator | None) -> list[Episode]:
        """An episode of each of *tasks*."""
        episodes = [Episode.of(self.requests[task.id], self.vocabulary) for task in tasks]
        for turn in range(TURNS):
            going = [number for number, episode in enumerate(episodes) if not episode.is_over]
            written = self.model.write([episodes[number].tokens for number in going], chance) if going else []
            for number, tokens in zip(going, written, strict=True):
                episode, text = episodes[number], self.vocabulary.decode(tokens)
                episode.act(tokens, turn)
                episode.is_over = text == SUBMIT and turn > 0
                if not episode.is_over:  # to submit at once is a command like any other, that shell does not know
                    episode.commands += (self._fill(tasks[number], text),)
            if turn + 1 < TURNS:
                played = self.player.play([(tasks[number], episodes[number].commands) for number in going])
                for number, earned in zip(going, played, strict=True):
                    episodes[number].observe(earned.shown[-1], self.requests[tasks[number].id], self.vocabulary)
        return episodes

    def _explore(self) -> None:
        train = self.tasks["train"]
        picked = self._draw.choice(len(train), self.plan.tasks, replace=False)
        tasks = [train[number] for number in picked for _ in range(self.plan.group)]
        episodes = self.play(tasks, self._chance)
        to_come = torch.tensor(self._to_come(tasks, episodes), device=self.model.device, dtype=torch.float32)
        by_group = to_come.view(-1, self.plan.group, TURNS)
        advantages = (by_group - by_group.mean(1, keepdim=True)).view(-1, TURNS)
        logs, turns = self.model.log_likelihood(episodes)
        weights = torch.where(turns >= 0, advantages.gather(1, turns.clamp(min=0)), 0.0)
        self._step(-(logs * weights).sum() / (turns >= 0).sum())

    def _some(self, shown: Sequence[Episode]) -> list[Episode]:
        """As many demonstrations as a step of GRPO has episodes."""
        return [shown[number] for number in self._draw.choice(len(shown), self.plan.tasks * self.plan.group)]

    def _imitate(self, episodes: Sequence[Episode]) -> None:
        logs, turns = self.model.log_likelihood(episodes)
        self._step(-logs[turns >= 0].mean())

    def _step(self, loss: torch.Tensor) -> None:
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()

    def _to_come(self, tasks: Sequence[Task], episodes: Sequence[Episode]) -> np.ndarray[Any, Any]:
        """What each turn and those after it earn."""
        rewards = np.zeros((len(tasks), TURNS))
        played = self.player.play([(task, episode.commands) for task, episode in zip(tasks, episodes, strict=True)])
        for row, earned in zip(rewards, played, strict=True):
            if self.arm == "progress":
                row[: len(earned.progress)] = earned.progress
            else:
                chance = float(self._draw.random())
                row[-1] = {"exact": earned.exact, "paper": earned.paper}.get(self.arm, chance)
        return rewards[:, ::-1].cumsum(axis=1)[:, ::-1].copy()

    def _success(self, tasks: Sequence[Task]) -> list[bool]:
        episodes = self.play(tasks, None)
        played = self.player.play([(task, episode.commands) for task, episode in zip(tasks, episodes, strict=True)])
        return [earned.success for earned in played]

    def _steps(self, task: Task) -> list[str]:
        return blank(task.gold or "", self.requests[task.id])

    def _fill(self, task: Task, text: str) -> str:
        return fill(text, self.requests[task.id]) or "true"


def run(plan: Plan, episodes: Path | None) -> Iterator[dict[str, Any]]:
    """The curves so far, after each of them."""
    began = time.monotonic()
    counts = {"train": plan.train, **dict.fromkeys(plan.splits, plan.held_out)}
    datasets = {
        split: load("generated-bash", count=count, seed=0, split=split, difficulty="easy")
        for split, count in counts.items()
    }
    tasks = {split: [task for task in dataset if task.category in TOPICS] for split, dataset in datasets.items()}
    known = {"plan": asdict(plan), "tasks": {split: [task.id for task in each] for split, each in tasks.items()}}
    curves: list[dict[str, Any]] = []
    with Player(list(datasets.values()), file=episodes) as player:
        for seed in plan.seeds:
            teacher = Learner(player, tasks, plan, "demonstrations", seed)
            teacher.warm_up()
            for arm in plan.arms:
                learner = Learner(player, tasks, plan, arm, seed)
                learner.begin_like(teacher)
                points = []
                for point in learner.run():
                    points.append(point)
                    rates = {split: f"{sum(each) / len(each):.0%}" for split, each in point[1].items()}
                    print(f"{time.monotonic() - began:5.0f} s  seed {seed}  {arm}  {point[0]}  {rates}", flush=True)
                curves.append(curve_of(arm, seed, points))
                yield known | {
                    "episodes": player.counts(),
                    "seconds": round(time.monotonic() - began),
                    "curves": curves,
                }


def main() -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="examples.learning_curve.tokens", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("tokens.json"), metavar="FILE")
    parser.add_argument("--episodes", type=Path, metavar="FILE", help="keep what was played, to go on from there")
    parser.add_argument("--arms", type=lambda names: tuple(names.split(",")), default=Plan.arms, metavar="NAME,…")
    parser.add_argument("--splits", type=lambda names: tuple(names.split(",")), default=HELD_OUT, metavar="NAME,…")
    parser.add_argument("--seeds", type=int, default=1, metavar="N", help="how many")
    parser.add_argument("--device", default="cpu", help="cpu or cuda")
    for name in ("train", "held_out", "demonstrations", "warm_steps", "steps", "every", "tasks", "group"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Plan, name), metavar="N")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    chosen = vars(parser.parse_args())
    out, episodes, seeds = chosen.pop("out"), chosen.pop("episodes"), tuple(range(chosen.pop("seeds")))
    for found in run(Plan(**chosen, seeds=seeds), episodes):
        out.write_text(json.dumps(found) + "\n")
    print(table(found))


if __name__ == "__main__":
    main()
