"""`python -m examples.learning_curve.language_model`: a language model, by demonstrations and then by GRPO, on one GPU.

It plays as the agent `react`: at each turn it writes a thought and a command, and sees what the command showed. Needs
`pip install 'intercode-env[trl]'`. Arms can be processes of their own, with the same `--start`; `--join` joins them.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from examples.learning_curve.chat import ChatPlayer, tokens_of
from examples.learning_curve.generation import Generator
from examples.learning_curve.grpo import advantages
from examples.learning_curve.runner import Point, WrongPlanError, collect, join, store, stored
from examples.learning_curve.start import keep, read
from examples.learning_curve.tasks import HELD_OUT, TOPICS, load_tasks
from examples.learning_curve.train import ARMS, Arm
from torch import Tensor
from torch.nn.functional import cross_entropy
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModelForCausalLM, AutoTokenizer

from intercode.errors import MachineError
from intercode.types import Task, Trajectory


@dataclass(frozen=True)
class Plan:
    """What is run. All arms of a seed begin with the same weights: those that *demonstrations* tasks have taught."""

    model: str = "Qwen/Qwen2.5-0.5B-Instruct"
    """A name on the Hugging Face Hub, a folder, or a `.gguf` file."""

    arms: tuple[Arm, ...] = ARMS
    seeds: tuple[int, ...] = (0, 1, 2)
    topics: tuple[str, ...] = TOPICS
    train: int = 300
    held_out: int = 160
    splits: tuple[str, ...] = HELD_OUT
    turns: int = 3
    longest: int = 160
    """Tokens of a reply."""

    demonstrations: int = 32
    warm_steps: int = 20
    warm_rate: float = 1e-5
    steps: int = 120
    tasks: int = 16
    """Tasks of a step."""

    group: int = 8
    """Episodes of each of these."""

    rate: float = 2e-6
    every: int = 30
    """Steps between two looks at the held-out tasks."""

    batch: int = 8
    """Episodes that the model learns from at once; the others of a step wait, as their memory would not suffice."""


AFTERWARDS = ("arms", "seeds", "held_out", "splits", "longest", "steps", "rate", "every")
"""What the weights after the demonstrations do not depend on."""


class Learner:
    """The model of one seed, which learns from one arm's reward after another.

    Args:
        player: Plays its episodes.
        tasks: By split.
        plan: What is run.
        seed: Of the tasks that it meets, and of the tokens that it draws.
        device: Where the model computes.
        start: Keeps the weights after the demonstrations, so that other processes can begin with the same.
    """

    def __init__(
        self,
        player: ChatPlayer,
        tasks: Mapping[str, Sequence[Task]],
        plan: Plan,
        seed: int,
        device: str,
        start: Path | None = None,
    ) -> None:
        self.player, self.tasks, self.plan, self.seed = player, tasks, plan, seed
        name, options = _weights(plan.model)
        self.tokenizer = AutoTokenizer.from_pretrained(name, **options)
        if self.tokenizer.pad_token is None:
            self.tokenizer.pad_token = self.tokenizer.eos_token
        self.model = AutoModelForCausalLM.from_pretrained(name, dtype=torch.float32, **options).to(device)
        self._generator = Generator(self.model, pad=self.tokenizer.pad_token_id, ends={self.tokenizer.eos_token_id})
        self.earned: dict[str, list[float]] = {}
        """By arm, what the episodes of each step earned on average."""

        self._shown = [player.demonstrate(task, self.tokenizer) for task in tasks["train"][: plan.demonstrations]]
        about = {name: value for name, value in asdict(plan).items() if name not in AFTERWARDS}
        if start and start.exists():
            self._weights = read(start, about)
            return
        self._begin(plan.warm_rate)
        for _ in range(plan.warm_steps):
            self._imitate()
        self._weights = {name: each.detach().cpu().clone() for name, each in self.model.state_dict().items()}
        if start:
            keep(self._weights, start, about)

    def run(self, arm: Arm) -> Iterator[Point]:
        """From the weights after the demonstrations: the episodes so far, and the success on each held-out task."""
        plan = self.plan
        self.model.load_state_dict(self._weights)
        self._begin(plan.rate)
        began = time.monotonic()
        for step in range(plan.steps + 1):
            if step and arm == "demonstrations":
                self._imitate()
            elif step and arm != "frozen":
                self._explore(arm)
            if step % plan.every == 0 or step == plan.steps:
                yield step * plan.tasks * plan.group, {split: self._success(split) for split in plan.splits}
            self._tell(arm, step, time.monotonic() - began)

    def _tell(self, arm: Arm, step: int, seconds: float) -> None:
        left = seconds / step * (self.plan.steps - step) if step else 0
        reward = f", reward {self.earned[arm][-1]:.2f}" if step and arm in self.earned else ""
        done = f"seed {self.seed}  {arm:14}  step {step} of {self.plan.steps}{reward}"
        print(f"{done}, {seconds:.0f} s, {left:.0f} s to go", file=sys.stderr, flush=True)

    def play(self, split: str, tasks: Sequence[Task], *, greedy: bool) -> list[Trajectory]:
        """An episode of each of *tasks* of *split*; by the likeliest tokens if *greedy*."""
        self._generator.refresh()
        write = functools.partial(self._generator.write, longest=self.plan.longest, greedy=greedy)
        return self.player.play(split, tasks, write, self.tokenizer)

    def learn(self, episodes: Sequence[Trajectory], weights: Tensor) -> None:
        """One update: what was written at each turn becomes likelier, or less so, by the turn's weight.

        Args:
            episodes: What the model, or its teacher, wrote.
            weights: A row for each episode and a column for each turn.
        """
        rows = [(tokens_of(episode), weight) for episode, weight in zip(episodes, weights, strict=True)]
        rows = [(found, weight) for found, weight in rows if found[0]]
        written = sum(turn > 0 for (_, turns), _ in rows for turn in turns)
        self.model.train()
        self._optimizer.zero_grad()
        for start in range(0, len(rows), self.plan.batch):
            part = rows[start : start + self.plan.batch]
            tokens, turns = (_padded([found[which] for found, _ in part]).to(self.model.device) for which in (0, 1))
            factors = torch.stack([weight for _, weight in part]).to(self.model.device)
            (-self._gain(tokens, turns, factors) / written).backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self._optimizer.step()

    def _gain(self, tokens: Tensor, turns: Tensor, weights: Tensor) -> Tensor:
        """The log-likelihoods of what was written, each times its turn's weight, together."""
        with self._in_half_precision():
            # Padding is at the end, and nothing that was written looks there.
            logits = self.model(input_ids=tokens).logits[:, :-1]
        logs = -cross_entropy(logits.float().transpose(1, 2), tokens[:, 1:], reduction="none")
        of_turn = torch.cat([torch.zeros_like(weights[:, :1]), weights], 1)
        return (logs * of_turn.gather(1, turns[:, 1:])).sum()

    def _in_half_precision(self) -> torch.autocast:
        """On a GPU: the weights stay as they are, so that small steps count."""
        return torch.autocast(self.model.device.type, torch.bfloat16, enabled=self.model.device.type == "cuda")

    def _begin(self, rate: float) -> None:
        """Chance and the optimizer anew, so that all arms meet the same tasks."""
        self._draw = np.random.default_rng([self.seed, 17])
        self._noise = np.random.default_rng([self.seed, 18])
        torch.manual_seed(self.seed)
        self._optimizer = torch.optim.AdamW(self.model.parameters(), lr=rate, weight_decay=0.0)

    def _imitate(self) -> None:
        """As many demonstrations as a step of GRPO has episodes."""
        picked = self._draw.choice(len(self._shown), self.plan.tasks * self.plan.group)
        self.learn([self._shown[number] for number in picked], torch.ones(len(picked), self.plan.turns))

    def _explore(self, arm: Arm) -> None:
        """A step of GRPO: a turn counts by how much more was earned from there on than by the others of its task."""
        train = self.tasks["train"]
        picked = self._draw.choice(len(train), self.plan.tasks, replace=False)
        tasks = [train[number] for number in picked for _ in range(self.plan.group)]
        episodes = self.play("train", tasks, greedy=False)
        rewards = self._rewards(arm, episodes)
        self.earned.setdefault(arm, []).append(round(float(rewards.sum(1).nanmean()), 3))
        self.learn(episodes, advantages(rewards, self.plan.group))

    def _rewards(self, arm: Arm, episodes: Sequence[Trajectory]) -> Tensor:
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
    path = Path(model)
    return (str(path.parent), {"gguf_file": path.name}) if path.suffix == ".gguf" else (model, {})


def _padded(rows: Sequence[Sequence[int]]) -> Tensor:
    return pad_sequence([torch.tensor(row) for row in rows], batch_first=True)


def run(
    plan: Plan, *, device: str = "cpu", start: Path | None = None, before: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The curves of *plan* so far, after each of them. What *before* holds of the same plan is not run again.

    What all arms of a seed begin with is kept in the folder *start*. Raises WrongPlanError if it is another plan's.
    """
    datasets, tasks, _ = load_tasks(plan.train, plan.held_out, plan.splits, plan.topics)
    by_split = dict(zip(tasks, datasets, strict=True))
    with ChatPlayer(by_split, turns=plan.turns, at_once=plan.tasks * plan.group) as player:

        @functools.lru_cache(maxsize=1)
        def learner(seed: int) -> Learner:
            return Learner(player, tasks, plan, seed, device, start and start / f"seed-{seed}.safetensors")

        earned = dict(before["earned"]) if before else {}

        def train(arm: Arm, seed: int) -> list[Point]:
            points = list(learner(seed).run(arm))
            earned[f"{arm} {seed}"] = learner(seed).earned.get(arm, [])
            return points

        name = torch.cuda.get_device_name(device) if device.startswith("cuda") else device
        known = {
            "tasks": {split: [task.id for task in each] for split, each in tasks.items()},
            "device": name,
            "earned": earned,
        }
        yield from collect(plan, player, known, before, train)


def main() -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="examples.learning_curve.language_model", description=__doc__)
    parser.add_argument("--model", default=Plan.model, metavar="NAME", help="of the Hub; or a folder, or a .gguf file")
    parser.add_argument("--device", default="cuda", help="cuda, or cpu for a model that is tiny")
    parser.add_argument("--out", type=Path, default=Path("language_model.json"), metavar="FILE")
    parser.add_argument("--start", type=Path, metavar="FOLDER", help="keep there what arms begin with, for others")
    parser.add_argument("--join", type=Path, nargs="+", metavar="FILE", help="only put their curves into --out")
    parser.add_argument("--arms", type=lambda names: tuple(names.split(",")), default=Plan.arms, metavar="NAME,…")
    parser.add_argument("--splits", type=lambda names: tuple(names.split(",")), default=Plan.splits, metavar="NAME,…")
    parser.add_argument("--seeds", type=int, default=len(Plan.seeds), metavar="N", help="how many")
    for name in ("train", "held_out", "turns", "longest", "demonstrations", "warm_steps", "steps", "tasks", "group"):
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=getattr(Plan, name), metavar="N")
    for name in ("every", "batch"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Plan, name), metavar="N")
    parser.add_argument("--rate", type=float, default=Plan.rate)
    parser.add_argument("--warm-rate", type=float, default=Plan.warm_rate)
    chosen = vars(parser.parse_args())
    out, device, seeds = chosen.pop("out"), chosen.pop("device"), tuple(range(chosen.pop("seeds")))
    start, files = chosen.pop("start"), chosen.pop("join")
    try:
        if files:
            store([join([json.loads(file.read_text()) for file in files])], out)
            return
        for folder in filter(None, (out.parent, start)):
            folder.mkdir(parents=True, exist_ok=True)
        store(run(Plan(**chosen, seeds=seeds), device=device, start=start, before=stored(out)), out)
    except (OSError, WrongPlanError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
