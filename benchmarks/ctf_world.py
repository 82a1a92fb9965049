"""Capture the flag: resets with and without a service, a command, a flag handed in, and whole episodes."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmarks.timing import Figures, Samples, summary, timed
from intercode.types import Action, Task
from intercode.worlds.ctf import CtfEnv
from intercode.worlds.ctf.datasets.starter_ctf import StarterCtfDataset
from intercode_sandbox.embedded import EmbeddedSandbox

LOOK = Action("execute", "ls -l")


def episodes(sandbox: EmbeddedSandbox, rounds: int = 10) -> dict[str, dict[str, Figures]]:
    """Return every starter task: reset (the challenge made from a new seed), a command, its flag handed in.

    Part by part.
    """
    samples: defaultdict[str, Samples] = defaultdict(lambda: defaultdict(list))
    with CtfEnv(StarterCtfDataset(), sandbox=sandbox) as env:
        for number, task in enumerate([*env.dataset] * (rounds + 1)):
            times = _played(env, task, number)
            if number >= len(env.dataset):  # the first round pays for what is kept
                for part, milliseconds in times.items():
                    samples[_kind(env, task)][part].append(milliseconds)
    return {name: {part: summary(times) for part, times in parts.items()} for name, parts in samples.items()}


def throughput(sandbox: EmbeddedSandbox, workers: int, rounds: int = 10) -> Figures:
    """Return the same episodes by so many threads: how many a second, both scorings among it."""
    local = threading.local()
    dataset = StarterCtfDataset()

    def play(numbered: tuple[int, Task]) -> None:
        if not hasattr(local, "env"):
            local.env = CtfEnv(dataset, sandbox=sandbox)
        _played(local.env, numbered[1], numbered[0])

    todo: Sequence[tuple[int, Task]] = list(enumerate([*dataset] * rounds))
    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(play, todo[:workers]))  # what is paid once
        began = time.perf_counter()
        list(threads.map(play, todo))
        seconds = time.perf_counter() - began
    return {"workers": workers, "episodes": len(todo), "episodes_per_second": len(todo) / seconds}


def _played(env: CtfEnv, task: Task, seed: int) -> dict[str, float]:
    began = time.perf_counter()
    reset = timed(lambda: env.start_episode(task, seed=seed))
    command = timed(env.take_action, LOOK)
    flag = timed(env.take_action, Action("submit", env.task.gold or ""))
    assert env.history[-1].reward == 1.0, f"the flag of {task.id} is its gold"
    return {
        "reset": reset, "ls -l": command, "submit": flag, "episode": (time.perf_counter() - began) * 1000
    }  # fmt: skip


def _kind(env: CtfEnv, task: Task) -> str:
    return "with a service" if env.dataset.challenge(task, 0).service else "files alone"
