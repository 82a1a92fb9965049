"""`python -m examples.learning_curve.language_model`: a language model, by demonstrations and then by GRPO.

It plays as one of our agents, on a GPU or on processors. Needs `pip install 'intercode-env[trl]'`. With `--minutes` a
process works that long and keeps what it has; the same command goes on, also after one that was killed. Arms can be
processes of their own, with the same `--start`; `--join` joins them.
"""

from __future__ import annotations

import argparse
import functools
import json
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import torch
from examples.learning_curve.chat import FENCES, ChatPlayer
from examples.learning_curve.learner import Learner
from examples.learning_curve.plan import CHAT_ARMS, ChatArm, Plan
from examples.learning_curve.runner import Point, WrongPlanError, collect, join, store, stored
from examples.learning_curve.slices import Slice, SliceOverError
from examples.learning_curve.tasks import load_chat_tasks

from intercode.errors import UserError


def run(
    plan: Plan, *, device: str = "cpu", slice_: Slice | None = None, before: Mapping[str, Any] | None = None
) -> Iterator[dict[str, Any]]:
    """The curves of *plan* so far, after each of them. What *before* holds of the same plan is not run again.

    Raises:
        SliceOverError: When the time of *slice_* is over.
        WrongPlanError: If what is kept in its folder was made by another plan.
    """
    slice_ = slice_ or Slice()
    datasets, tasks = load_chat_tasks(plan.train, plan.held_out, plan.splits, plan.topics)
    with ChatPlayer(
        datasets, turns=plan.turns, at_once=max(plan.played, 32), agent=plan.agent, observation=plan.observation
    ) as player:

        @functools.lru_cache(maxsize=1)
        def learner(seed: int) -> Learner:
            return Learner(player, tasks, plan, seed, device, slice_)

        earned = dict(before["earned"]) if before else {}

        def train(arm: ChatArm, seed: int) -> list[Point]:
            points = list(learner(seed).run(arm))
            earned[f"{arm} {seed}"] = learner(seed).earned.get(arm, [])
            return points

        known = {
            "tasks": {split: [task.id for task in each] for split, each in tasks.items()},
            "device": torch.cuda.get_device_name(device) if device.startswith("cuda") else device,
            "earned": earned,
        }
        for found in collect(plan, player, known, before, train):
            yield found
            last = found["curves"][-1]
            if part := slice_.part(last["arm"], last["seed"]):
                part.unlink(missing_ok=True)


def _chosen_device(name: str) -> str:
    """The device that was asked for; without one, a GPU if there is one."""
    has_gpu = torch.cuda.is_available()
    if name.startswith("cuda") and not has_gpu:
        raise WrongPlanError("PyTorch finds no GPU here: leave --device out, and it computes on the processors")
    return name or ("cuda" if has_gpu else "cpu")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="examples.learning_curve.language_model", description=__doc__)
    parser.add_argument("--device", default="", help="cuda or cpu; cuda where PyTorch finds a GPU")
    parser.add_argument("--out", type=Path, default=Path("language_model.json"), metavar="FILE")
    parser.add_argument("--start", type=Path, metavar="FOLDER", help="what is kept for others; OUT without .json")
    parser.add_argument("--minutes", type=float, default=float("inf"), metavar="N", help="work that long, and keep it")
    parser.add_argument("--join", type=Path, nargs="+", metavar="FILE", help="only put their curves into --out")
    parser.add_argument("--seeds", type=int, nargs="+", default=Plan.seeds, metavar="N", help="by default 0 1 2")
    helps = {"arms": ", ".join(CHAT_ARMS), "model": "local:NAME, of the Hub, a folder, or a .gguf file"}
    for field in fields(Plan):
        default = getattr(Plan, field.name)
        if field.name != "seeds":
            kind = _names if isinstance(default, tuple) else type(default)
            choices = tuple(FENCES) if field.name == "agent" else None
            flag = f"--{field.name.replace('_', '-')}"
            parser.add_argument(
                flag, type=kind, default=default, choices=choices, help=f"{helps.get(field.name, '')} [{default}]"
            )
    return parser


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.split(","))


def main() -> None:
    """See `--help`."""
    parser = _parser()
    chosen = vars(parser.parse_args())
    out, start, minutes = chosen.pop("out"), chosen.pop("start"), chosen.pop("minutes")
    device, files = chosen.pop("device"), chosen.pop("join")
    try:
        if files:
            store([join([json.loads(file.read_text()) for file in files])], out)
            return
        folder = start or out.with_suffix("")
        for each in (out.parent, folder):
            each.mkdir(parents=True, exist_ok=True)
        plan = Plan(**{**chosen, "seeds": tuple(chosen["seeds"])})
        found = run(plan, device=_chosen_device(device), slice_=Slice(folder, 60 * minutes), before=stored(out))
        store(found, out)
    except SliceOverError:
        print(f"{minutes:g} minutes are over: the same command goes on", file=sys.stderr)
    except (OSError, WrongPlanError, UserError) as error:
        parser.error(str(error))


if __name__ == "__main__":
    main()
