"""A language model that learns: from demonstrations, and by GRPO from one arm's reward after another. Needs torch."""

from __future__ import annotations

import copy
import functools
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from examples.learning_curve.chat import ChatPlayer, tokens_of
from examples.learning_curve.generation import Generator
from examples.learning_curve.grpo import advantages
from examples.learning_curve.plan import AFTERWARDS, ChatArm, Plan
from examples.learning_curve.row_generation import RowGenerator
from examples.learning_curve.runner import Point
from examples.learning_curve.slices import Slice, keep, read, resumed, save
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer

from intercode.errors import MachineError
from intercode.models.local import weights
from intercode.types import Task, Trajectory


class Learner:
    """The model of one seed, which learns from one arm's reward after another.

    Args:
        player: Plays its episodes.
        tasks: By split.
        plan: What is run.
        seed: Of the tasks that it meets, and of the tokens that it draws.
        device: Where the model computes.
        slice_: How long this process goes on, and where it keeps what another one goes on with.
    """

    def __init__(
        self,
        player: ChatPlayer,
        tasks: Mapping[str, Sequence[Task]],
        plan: Plan,
        seed: int,
        device: str,
        slice_: Slice | None = None,
    ) -> None:
        self.player, self.tasks, self.plan, self.seed = player, tasks, plan, seed
        self._slice = slice_ or Slice()
        name, options = _weights(plan.model)
        self.tokenizer = AutoTokenizer.from_pretrained(name, **options)
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32, **options).to(device)
        self._published = _copied(self.model)
        self._half = copy.deepcopy(self.model).to(torch.bfloat16)
        """Computes, in half the precision; the weights themselves stay in 32 bits, so that small steps count."""
        kind = Generator if self.model.device.type == "cuda" else RowGenerator
        self._generator = kind(self._half, pad=self.tokenizer.pad_token_id, ends={self.tokenizer.eos_token_id})
        self.earned: dict[str, list[float]] = {}
        """By arm, what the episodes of each step earned on average."""

        self._shown: list[Trajectory] = []
        self._first: dict[str, list[bool]] = {}
        """What is reached with the weights that `start` ends with."""

    def run(self, arm: ChatArm) -> Iterator[Point]:
        """The episodes so far, and the success on each held-out task: every so many steps of *arm*, and at its end.

        Before `start` nothing is looked at: a model that was not taught the form of a reply takes long to say nothing.

        Raises SliceOverError when the time of the slice is over. What was done until then is kept.
        """
        plan = self.plan
        first = arm == "start"
        steps, every = (plan.warm_steps, plan.warm_every) if first else (plan.steps, plan.every)
        episodes = plan.warm_golds if first else plan.played
        self.model.load_state_dict(self._published if first else self._taught())
        self._round()
        self._begin(plan.warm_rate if first else plan.rate)
        file = self._slice.part(arm, self.seed)
        points: list[Point] = []
        step = 0
        if kept := resumed(file, self._about()):
            step, points, self.earned[arm] = self._take_over(kept)
        elif first or arm != "frozen":
            self.earned[arm] = []
        yield from points
        began, before = time.monotonic(), step
        while True:
            looks = (step % every == 0 and (step > 0 or not first)) or step == steps
            if looks and (not points or points[-1][0] < step * episodes):
                points.append((step * episodes, self._successes(arm, step)))
                yield points[-1]
            if step == steps:
                break
            step += 1
            self._learn(arm)
            self._tell(arm, step, steps, (time.monotonic() - began) / (step - before))
            if self._slice.is_due(step == steps):
                save(file, self._about(), self._state(step, points, arm))
                self._slice.check()
        if first and (taught := self._taught_file()):
            keep(_copied(self.model), taught, self._about_start())
            if file:
                file.unlink(missing_ok=True)
        elif first:
            self._start = _copied(self.model)

    def _learn(self, arm: ChatArm) -> None:
        """One step of *arm*."""
        if arm == "start":
            self._imitate(self.plan.warm_golds)
        elif arm == "demonstrations":
            self._imitate(self.plan.played)
        elif arm != "frozen":
            self._explore(arm)

    def _taught(self) -> Mapping[str, Tensor]:
        """The weights that `start` ends with."""
        file = self._taught_file()
        if file and file.exists():
            return read(file, self._about_start())
        if not hasattr(self, "_start") or file:
            for _ in self.run("start"):
                pass
        return read(file, self._about_start()) if file else self._start

    def _taught_file(self) -> Path | None:
        return self._slice.file(f"seed-{self.seed}.safetensors")

    def _about(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self.plan).items() if name not in ("arms", "seeds")}

    def _about_start(self) -> dict[str, Any]:
        return {name: value for name, value in asdict(self.plan).items() if name not in AFTERWARDS}

    def _state(self, step: int, points: Sequence[Point], arm: ChatArm) -> dict[str, Any]:
        """All that another process needs to go on as this one would."""
        chance = [each.bit_generator.state for each in (self._draw, self._noise)]
        return {
            "model": self.model.state_dict(),
            "optimizer": self._optimizer.state_dict(),
            "torch": torch.get_rng_state(),
            "text": json.dumps({"step": step, "points": points, "earned": self.earned.get(arm, []), "chance": chance}),
        }

    def _take_over(self, kept: Mapping[str, Any]) -> tuple[int, list[Point], list[float]]:
        self.model.load_state_dict(kept["model"])
        self._round()
        self._optimizer.load_state_dict(kept["optimizer"])
        torch.set_rng_state(kept["torch"])
        found = json.loads(kept["text"])
        for own, state in zip((self._draw, self._noise), found["chance"], strict=True):
            own.bit_generator.state = state
        return found["step"], [(seen, success) for seen, success in found["points"]], found["earned"]

    def _tell(self, arm: ChatArm, step: int, steps: int, seconds: float) -> None:
        reward = f", reward {self.earned[arm][-1]:.2f}" if self.earned.get(arm) else ""
        done = f"seed {self.seed}  {arm:14}  step {step} of {steps}{reward}"
        print(f"{done}, {seconds:.1f} s a step, {seconds * (steps - step):.0f} s to go", file=sys.stderr, flush=True)

    def play(self, split: str, tasks: Sequence[Task], *, greedy: bool) -> list[Trajectory]:
        """An episode of each of *tasks* of *split*; by the likeliest tokens if *greedy*."""
        self._generator.refresh()
        write = functools.partial(self._generator.write, longest=self.plan.longest, greedy=greedy)
        return self.player.play(split, tasks, write, self.tokenizer)

    def learn(self, episodes: Sequence[Trajectory], weights: Tensor) -> None:
        """One update: what was written at each turn becomes likelier, or less so, by the turn's weight.

        Rows of like length are learned from together; those that count nothing are left out.

        Args:
            episodes: What the model, or its teacher, wrote.
            weights: A row for each episode and a column for each turn.
        """
        rows = [(tokens_of(episode), weight) for episode, weight in zip(episodes, weights, strict=True)]
        written = sum(turn > 0 for (_, turns), _ in rows for turn in turns)
        rows = sorted((row for row in rows if row[0][0] and bool(row[1].any())), key=lambda row: len(row[0][0]))
        self._half.zero_grad()
        for start in range(0, len(rows), self.plan.batch):
            part = rows[start : start + self.plan.batch]
            tokens, turns = (_padded([found[which] for found, _ in part]).to(self.model.device) for which in (0, 1))
            factors = torch.stack([weight for _, weight in part]).to(self.model.device)
            (-self._gain(tokens, turns, factors) / written).backward()
        if not rows:
            return
        for own, half in zip(self.model.parameters(), self._half.parameters(), strict=True):
            own.grad = half.grad.float()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()
        self._round()

    def _round(self) -> None:
        """Take the weights over into those that compute."""
        with torch.no_grad():
            for half, own in zip(self._half.parameters(), self.model.parameters(), strict=True):
                half.copy_(own)

    def _gain(self, tokens: Tensor, turns: Tensor, weights: Tensor) -> Tensor:
        """The log-likelihoods of what was written, each times its turn's weight, together."""
        own = turns[:, 1:] > 0
        # Padding is at the end, and nothing that was written looks there.
        hidden = self._half.base_model(input_ids=tokens).last_hidden_state[:, :-1][own]
        logits = self._half.get_output_embeddings()(hidden)
        logs = -cross_entropy(logits.float(), tokens[:, 1:][own], reduction="none")
        of_turn = torch.cat([torch.zeros_like(weights[:, :1]), weights], 1)
        return (logs * of_turn.gather(1, turns[:, 1:])[own]).sum()

    def _begin(self, rate: float) -> None:
        """Chance and the optimizer anew, so that all arms meet the same tasks."""
        self._draw = np.random.default_rng([self.seed, 17])
        self._noise = np.random.default_rng([self.seed, 18])
        torch.manual_seed(self.seed)
        self._optimizer = torch.optim.AdamW(self.model.parameters(), lr=rate, weight_decay=0.0)

    def _imitate(self, count: int) -> None:
        """Learn from *count* demonstrations."""
        if not self._shown:
            tasks = self.tasks["train"][: self.plan.demonstrations]
            self._shown = [self.player.demonstrate(task, self.tokenizer) for task in tasks]
        picked = self._draw.choice(len(self._shown), count)
        self.learn([self._shown[number] for number in picked], torch.ones(len(picked), self.plan.turns))

    def _explore(self, arm: ChatArm) -> None:
        """A step of GRPO: a turn counts by how much more was earned from there on than by the others of its task."""
        train = self.tasks["train"]
        picked = self._draw.choice(len(train), self.plan.tasks, replace=False)
        tasks = [train[number] for number in picked for _ in range(self.plan.group)]
        episodes = self.play("train", tasks, greedy=False)
        rewards = self._rewards(arm, episodes)
        self.earned[arm].append(round(float(rewards.sum(1).nanmean()), 3))
        self.learn(episodes, advantages(rewards, self.plan.group))

    def _rewards(self, arm: ChatArm, episodes: Sequence[Trajectory]) -> Tensor:
        """By episode and turn; not a number where the machine failed."""
        rewards = torch.zeros(len(episodes), self.plan.turns)
        for row, episode in zip(rewards, episodes, strict=True):
            if episode.status == "error":
                row[:] = torch.nan
            elif arm == "random":
                row[-1] = float(self._noise.random())
            elif arm == "progress":
                row[: len(episode.turns)] = torch.tensor([turn.reward for turn in episode.turns])
            else:
                row[-1] = episode.value("paper" if arm == "paper" else "exact") or 0.0  # None: it was given up
        return rewards

    def _successes(self, arm: ChatArm, step: int) -> dict[str, list[bool]]:
        """The success by split. Weights that were looked at before, also by others, are not played with again."""
        file, about = self._slice.file(f"seed-{self.seed}.success"), self._about()
        was_seen = arm != "start" and (step == 0 or arm == "frozen")
        if was_seen and not self._first and (kept := resumed(file, about)):
            self._first = json.loads(kept["text"])
        if was_seen and self._first:
            return self._first
        found = {split: self._success(split) for split in self.plan.splits}
        if was_seen or (arm == "start" and step == self.plan.warm_steps):
            self._first = found
            save(file, about, {"text": json.dumps(found)})
        return found

    def _success(self, split: str) -> list[bool]:
        """Whether the likeliest tokens succeed under `exact`, for each task of *split*.

        Raises MachineError where the machine has failed at one of them: that says nothing of the model.
        """
        episodes = self.play(split, self.tasks[split], greedy=True)
        for episode in episodes:
            if episode.status == "error":
                raise MachineError(f"{episode.task.id} could not be played: {episode.error}")
        return [episode.success("exact") or False for episode in episodes]


def _weights(model: str) -> tuple[str, dict[str, str]]:
    """What the libraries call *model*: a name or folder, and a file of it."""
    path = weights.find(model.removeprefix("local:")).path if model.startswith("local:") else Path(model)
    if path.suffix == ".gguf":
        return str(path.parent), {"gguf_file": path.name}
    return (str(path) if model.startswith("local:") else model), {}


def _copied(model: Any) -> dict[str, Tensor]:
    return {name: each.detach().cpu().clone() for name, each in model.state_dict().items()}


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True)
