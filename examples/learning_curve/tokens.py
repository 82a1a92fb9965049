"""`python -m examples.learning_curve.tokens`: a policy that writes its commands, by a corpus and then by GRPO.

The corpus holds commands for each task, of which only one is right: which one, rewards have to teach. The policy sees
the request and, at the second turn, what its first command showed. Needs torch.
"""

from __future__ import annotations

import argparse
import copy
import functools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
import torch
from examples.learning_curve.episodes import TURNS, Player
from examples.learning_curve.grpo import advantages, of_turns
from examples.learning_curve.runner import Point, collect, store, stored
from examples.learning_curve.tasks import HELD_OUT, load_tasks
from examples.learning_curve.templates import blank, fill, read
from examples.learning_curve.writer import LONGEST, Episode, Vocabulary, Writer, pieces

from intercode.types import Task

SUBMIT = "submit"
"""What the policy writes at the second turn where one command was enough."""

CLIP = 0.2
"""How far the probability of a word may move in one step, as a share: beyond that nothing more is gained."""

Arm = Literal["exact", "progress", "paper", "random", "frozen", "demonstrations"]
Corpus = Literal["golds", "attempts"]


@dataclass(frozen=True)
class Plan:
    """What is run. All arms of a seed begin with the same weights: those that a corpus has taught.

    The corpus has the golds of the first *demonstrations* tasks. One of attempts has their near misses, too.
    """

    arms: tuple[Arm, ...] = get_args(Arm)
    seeds: tuple[int, ...] = (0, 1, 2, 3, 4)
    topics: tuple[str, ...] = ("archives", "links")
    train: int = 450
    held_out: int = 600
    splits: tuple[str, ...] = ("train", *HELD_OUT)
    corpus: Corpus = "attempts"
    demonstrations: int = 1000
    warm_steps: int = 100
    warm_rate: float = 1e-3
    steps: int = 40
    tasks: int = 8
    group: int = 8
    updates: int = 3
    """By each batch of episodes."""

    rate: float = 5e-4
    every: int = 10


class Learner:
    """The policy of one seed, which learns from one arm's reward after another."""

    def __init__(self, player: Player, tasks: Mapping[str, Sequence[Task]], plan: Plan, seed: int) -> None:
        self.player, self.tasks, self.plan, self.seed = player, tasks, plan, seed
        self.requests = {task.id: read(task.query) for known in tasks.values() for task in known}
        shown = tasks["train"][: plan.demonstrations]
        golds = [(task, task.gold or "") for task in shown]
        near = [(task, text) for task in shown for text in task.extra["near_misses"] if plan.corpus == "attempts"]
        texts = [pieces(step) for task, command in (*golds, *near) for step in self._steps(task, command)]
        self.vocabulary = Vocabulary([*(self.requests[task.id].words for task in tasks["train"]), *texts, [SUBMIT]])
        torch.manual_seed(seed)
        self.model = Writer(len(self.vocabulary))
        self.earned: dict[str, list[float]] = {}
        """By arm, what the episodes of each step earned on average."""

        self._golds = self._demonstrations(golds)
        corpus = [*self._golds, *self._demonstrations(near)]
        self._begin(plan.warm_rate)
        for _ in range(plan.warm_steps):
            self._imitate(corpus)
        self._weights = copy.deepcopy(self.model.state_dict())

    def run(self, arm: Arm) -> Iterator[Point]:
        """From the weights after the demonstrations: the episodes so far, and the success on each held-out task."""
        plan = self.plan
        self.model.load_state_dict(self._weights)
        self._begin(plan.rate)
        for step in range(plan.steps + 1):
            if step and arm == "demonstrations":
                self._imitate(self._golds)
            elif step and arm != "frozen":
                self._explore(arm)
            if step % plan.every == 0 or step == plan.steps:
                yield step * plan.tasks * plan.group, {split: self._success(self.tasks[split]) for split in plan.splits}

    def play(self, tasks: Sequence[Task], chance: torch.Generator | None) -> list[Episode]:
        """An episode of each of *tasks*."""
        episodes = [Episode.of(self.requests[task.id], self.vocabulary) for task in tasks]
        for turn in range(TURNS):
            written = self.model.write([episode.tokens for episode in episodes], chance)
            for task, episode, tokens in zip(tasks, episodes, written, strict=True):
                text = self.vocabulary.decode(tokens)
                episode.act(tokens)
                if turn == 0 or text != SUBMIT:  # to submit at once is a command like any other, unknown to the shell
                    episode.commands += (self._fill(task, text),)
            if turn + 1 < TURNS:
                self._observe(tasks, episodes)
        return episodes

    def _begin(self, rate: float) -> None:
        """Chance and the optimizer anew, so that all arms meet the same tasks."""
        self._draw = np.random.default_rng([self.seed, 17])
        self._noise = np.random.default_rng([self.seed, 18])
        self._chance = torch.Generator().manual_seed(self.seed)
        self._optimizer = torch.optim.Adam(self.model.parameters(), lr=rate)

    def _demonstrations(self, shown: Sequence[tuple[Task, str]]) -> list[Episode]:
        """Tasks and commands turn by turn, with what each shows, and `SUBMIT` where a turn is left."""
        tasks = [task for task, _ in shown]
        commands = [self._steps(task, command) for task, command in shown]
        episodes = [Episode.of(self.requests[task.id], self.vocabulary) for task in tasks]
        for task, episode, steps in zip(tasks, episodes, commands, strict=True):
            episode.act(self.vocabulary.encode(pieces(steps[0])))
            episode.commands = (self._fill(task, steps[0]),)
        self._observe(tasks, episodes)
        for episode, steps in zip(episodes, commands, strict=True):
            episode.act(self.vocabulary.encode(pieces(steps[1] if len(steps) > 1 else SUBMIT)))
        return [episode for episode in episodes if len(episode.tokens) <= LONGEST]

    def _observe(self, tasks: Sequence[Task], episodes: Sequence[Episode]) -> None:
        played = self.player.play([(task, episode.commands) for task, episode in zip(tasks, episodes, strict=True)])
        for task, episode, earned in zip(tasks, episodes, played, strict=True):
            episode.observe(earned.shown[-1], self.requests[task.id], self.vocabulary)

    def _imitate(self, shown: Sequence[Episode]) -> None:
        """As many of those *shown* as a step of GRPO has episodes."""
        self.model.train()
        picked = self._draw.choice(len(shown), self.plan.tasks * self.plan.group)
        logs, wrote = self.model.log_likelihood([shown[number] for number in picked])
        self._step(-logs[wrote].mean())

    def _explore(self, arm: Arm) -> None:
        """A step of GRPO: a turn counts by how much more was earned from there on than by the others of its task."""
        train = self.tasks["train"]
        picked = self._draw.choice(len(train), self.plan.tasks, replace=False)
        tasks = [train[number] for number in picked for _ in range(self.plan.group)]
        episodes = self.play(tasks, self._chance)
        rewards = self._rewards(arm, tasks, episodes)
        self.earned.setdefault(arm, []).append(round(float(rewards.sum(1).mean()), 3))
        with torch.no_grad():
            before, wrote = self.model.log_likelihood(episodes)
        weights = of_turns(advantages(rewards, self.plan.group), wrote)
        for _ in range(self.plan.updates):
            ratio = (self.model.log_likelihood(episodes)[0] - before).exp()
            gain = torch.minimum(ratio * weights, ratio.clamp(1 - CLIP, 1 + CLIP) * weights)
            self._step(-(gain * wrote).sum(1).mean())

    def _rewards(self, arm: Arm, tasks: Sequence[Task], episodes: Sequence[Episode]) -> torch.Tensor:
        """By episode and turn."""
        rewards = torch.zeros(len(tasks), TURNS)
        if arm == "random":
            rewards[:, -1] = torch.tensor([float(each) for each in self._noise.random(len(tasks))])
            return rewards
        played = self.player.play([(task, episode.commands) for task, episode in zip(tasks, episodes, strict=True)])
        for row, earned in zip(rewards, played, strict=True):
            if arm == "progress":
                row[: len(earned.progress)] = torch.tensor(earned.progress)
            else:
                row[-1] = earned.paper if arm == "paper" else earned.exact
        return rewards

    def _step(self, loss: torch.Tensor) -> None:
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()

    def _success(self, tasks: Sequence[Task]) -> list[bool]:
        """Whether the likeliest commands succeed under `exact`, for each of *tasks*."""
        episodes = self.play(tasks, None)
        played = self.player.play([(task, episode.commands) for task, episode in zip(tasks, episodes, strict=True)])
        return [earned.success for earned in played]

    def _steps(self, task: Task, command: str) -> list[str]:
        return blank(command, self.requests[task.id])

    def _fill(self, task: Task, text: str) -> str:
        return fill(text.strip(), self.requests[task.id]) or "true"


def run(
    plan: Plan, *, episodes: Path | None = None, before: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The curves of *plan* so far, after each of them. What *before* holds of the same plan is not run again."""
    torch.set_num_threads(1)  # the matrices are small: threads would wait for each other, most of all on a busy machine
    datasets, tasks, _ = load_tasks(plan.train, plan.held_out, plan.splits, plan.topics)
    with Player(datasets, file=episodes) as player:
        learner = functools.cache(lambda seed: Learner(player, tasks, plan, seed))
        earned = dict(before["earned"]) if before else {}

        def train(arm: Arm, seed: int) -> list[Point]:
            points = list(learner(seed).run(arm))
            earned[f"{arm} {seed}"] = learner(seed).earned.get(arm, [])
            return points

        known = {"tasks": {split: [task.id for task in each] for split, each in tasks.items()}, "earned": earned}
        yield from collect(plan, player, known, before, train)


def main() -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="examples.learning_curve.tokens", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("tokens.json"), metavar="FILE")
    parser.add_argument("--episodes", type=Path, metavar="FILE", help="keep what was played, to go on from there")
    parser.add_argument("--arms", type=lambda names: tuple(names.split(",")), default=Plan.arms, metavar="NAME,…")
    parser.add_argument("--topics", type=lambda names: tuple(names.split(",")), default=Plan.topics, metavar="NAME,…")
    parser.add_argument("--splits", type=lambda names: tuple(names.split(",")), default=Plan.splits, metavar="NAME,…")
    parser.add_argument("--corpus", choices=get_args(Corpus), default=Plan.corpus)
    parser.add_argument("--seeds", type=int, default=len(Plan.seeds), metavar="N", help="how many")
    for name in ("train", "held_out", "demonstrations", "warm_steps", "steps", "every", "tasks", "group", "updates"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Plan, name), metavar="N")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--warm-rate", type=float, default=Plan.warm_rate)
    chosen = vars(parser.parse_args())
    out, episodes, seeds = chosen.pop("out"), chosen.pop("episodes"), tuple(range(chosen.pop("seeds")))
    store(run(Plan(**chosen, seeds=seeds), episodes=episodes, before=stored(out)), out)


if __name__ == "__main__":
    main()
