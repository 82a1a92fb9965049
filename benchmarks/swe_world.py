"""Whole episodes of the software engineering world: reset, the gold, the hidden tests in a fresh session."""

from __future__ import annotations

from collections import defaultdict

from benchmarks.timing import Figures, Samples, summary, timed
from intercode.types import Action
from intercode.worlds.swe import SweEnv
from intercode.worlds.swe.datasets.starter_swe import StarterSweDataset
from intercode_sandbox.embedded import EmbeddedSandbox


def scored_episodes(sandbox: EmbeddedSandbox, rounds: int = 3) -> dict[str, dict[str, Figures]]:
    """Oracle episodes of every starter task, part by part, for each runner; images are built before."""
    samples: defaultdict[str, Samples] = defaultdict(lambda: defaultdict(list))
    with SweEnv(StarterSweDataset(), sandbox=sandbox) as env:
        for task in env.dataset:
            env.start_episode(task)
        for task in [*env.dataset] * rounds:
            parts = samples[f"scored fix, {task.extra['suite'].runner}"]
            parts["reset"].append(timed(env.start_episode, task))
            parts["gold"].append(timed(env.take_action, Action("execute", task.gold or "")))
            parts["tests"].append(timed(env.take_action, Action("submit")))
    return {name: {part: summary(times) for part, times in parts.items()} for name, parts in samples.items()}
