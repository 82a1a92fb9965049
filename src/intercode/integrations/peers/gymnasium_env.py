"""Gymnasium environments whose actions are texts: the reward of an episode is the sum of its steps' rewards.

An action that the space does not hold, of numbers for one, is refused when the environment is opened. Ten seeds are ten
tasks, since an environment usually draws what it asks for. A solution is known where the environment says it: in
`info["solution"]` or `info["answer"]` after a reset, as a text or as a list of texts.
"""

from __future__ import annotations

import importlib
import math
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import gymnasium

from intercode.integrations.peers.base import Grade, Peer, PeerTask, Shown, source_files

SEEDS = 10
"""How many tasks an environment has."""

SOLUTIONS = ("solution", "answer", "gold", "target")
"""Names in `info` under which a reset may tell the right answer."""

MOST_STEPS = 1_000


class GymnasiumPeer(Peer):
    """One environment, and a task for each seed."""

    def __init__(self, env: gymnasium.Env[Any, Any]) -> None:
        self.env = env
        self.sources = source_files(type(env.unwrapped), but="gymnasium")
        if not _takes_texts(env.action_space):
            space = type(env.action_space).__name__
            raise SystemExit(f"its actions are no texts ({space}): only environments that take a str can be checked")
        seen: dict[PeerTask, PeerTask] = {}
        for seed in range(SEEDS):
            task = self._task(seed)
            seen.setdefault(replace(task, id=""), task)  # an environment that draws nothing has one task
        self.tasks = list(seen.values())
        self._total, self._is_over, self._notes = 0.0, True, dict[str, str]()

    def _task(self, seed: int) -> PeerTask:
        observation, info = self.env.reset(seed=seed)
        return replace(PeerTask(f"seed{seed}", _text(observation)), **_known(info))

    def begin(self, index: int) -> Shown:
        observation, _ = self.env.reset(seed=int(self.tasks[index].id.removeprefix("seed")))
        self._total, self._is_over, self._notes = 0.0, False, {}
        return Shown(_text(observation))

    def say(self, text: str) -> Shown:
        if self._is_over:
            return Shown("", is_over=True)
        observation, reward, terminated, truncated, info = self.env.step(text)
        self._total += float(reward)
        self._is_over = bool(terminated or truncated)
        self._notes = {name: str(value)[:200] for name, value in info.items() if isinstance(value, str | int | float)}
        return Shown(_text(observation), self._is_over)

    def grade(self) -> Grade:
        threshold = self.env.spec.reward_threshold if self.env.spec is not None else None
        most = threshold if threshold is not None and threshold > 0 else 1.0
        notes = tuple(f"{name}: {value}" for name, value in self._notes.items())
        return Grade(self._total if math.isfinite(self._total) else 0.0, most, notes=notes)

    def close(self) -> None:
        self.env.close()


def open_peer(name: str) -> GymnasiumPeer:
    """Make the environment `ID`, or `MODULE:ID` after importing the module; a module may be a file's path."""
    module, _, identity = name.rpartition(":")
    if module:
        path = Path(module)
        folder = path.parent if path.suffix == ".py" or "/" in module else Path()
        sys.path.insert(0, str(folder.resolve()))
        importlib.import_module(path.stem if folder != Path() or path.suffix == ".py" else module)
    return GymnasiumPeer(gymnasium.make(identity, disable_env_checker=True))


def _takes_texts(space: gymnasium.Space[Any]) -> bool:
    return isinstance(space.sample(), str)


def _text(observation: Any) -> str:
    """Return what an agent reads of an observation."""
    if isinstance(observation, str):
        return observation
    if isinstance(observation, Mapping):
        return "\n".join(f"{name}: {_text(value)}" for name, value in observation.items())
    return str(observation)


def _known(info: Mapping[str, Any]) -> dict[str, Any]:
    """Return the answer, or the actions, that a reset has told."""
    for name in SOLUTIONS:
        value = info.get(name)
        if isinstance(value, str):
            return {"answers": (value,)}
        if isinstance(value, list | tuple) and value and all(isinstance(text, str) for text in value):
            return {"solution": tuple(value)}
    return {}
