"""Our own processor time: what this process spends on an episode and on a step, its children's not counted.

Python runs one thread of a process at a time. So this time, and not the commands', decides how many episodes a second
one process can play.
"""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Figures, summary
from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.types import Action, Task
from intercode.worlds.bash import BashEnv
from intercode_sandbox.embedded import EmbeddedSandbox

STEPS = 50
"""Steps in an episode that measures steps."""

THREADS = (1, 2, 4, 8, 16, 32, 64)


def report(console: Console) -> dict[str, Any]:
    """Both tables: what an episode and a step take of our own, and episodes a second by the number of threads."""
    with EmbeddedSandbox(progress=console.print) as sandbox:
        parts, rates = measured(sandbox), at_once(sandbox, THREADS)
    table = Table("ms of our own processor time", "median", "minimum", title="one process")
    for name, figures in parts.items():
        table.add_row(name, f"{figures['median']:.2f}", f"{figures['minimum']:.2f}")
    console.print(table)
    table = Table("threads", "scored episodes a second", "of the best", title="threads of one process")
    for count, rate in rates.items():
        table.add_row(count, f"{rate:.0f}", f"{rate / max(rates.values()):.2f}")
    console.print(table)
    return {"own time": parts, "threads": rates}


def measured(sandbox: EmbeddedSandbox, rounds: int = 20) -> dict[str, Figures]:
    """Milliseconds of our own for a scored starter episode, and for one step: the mean of each round is a sample.

    Golds are known by then. A step is a command that changes nothing, in a session with one changed file.
    """
    dataset = load("starter")
    with BashEnv(dataset, sandbox=sandbox, turns=STEPS * 2) as env:
        _play_all(env, dataset)
        episodes, steps, persistent = [], [], []
        with BashEnv(dataset, sandbox=sandbox, turns=STEPS * 2, shell="persistent") as stays:
            for _ in range(rounds):
                episodes.append(own(partial(_play_all, env, dataset)) / len(dataset))
                steps.append(_steps(env, dataset))
                persistent.append(_steps(stays, dataset))
    parts = {"scored episode": episodes, "step": steps, "step, persistent shell": persistent}
    return {name: summary(times) for name, times in parts.items()}


def at_once(sandbox: EmbeddedSandbox, counts: tuple[int, ...], *, seconds: float = 4.0, rounds: int = 3) -> Figures:
    """Scored starter episodes a second for each number of threads, in turns: the median of *rounds*."""
    dataset = load("starter")
    rates: dict[str, list[float]] = {str(count): [] for count in counts}
    for _ in range(rounds):
        for count in counts:
            rates[str(count)].append(_rate(sandbox, dataset, count, seconds))
    return {count: statistics.median(found) for count, found in rates.items()}


def own(action: Callable[[], object]) -> float:
    """Milliseconds of processor time that *action* takes in this process."""
    start = time.process_time()
    action()
    return (time.process_time() - start) * 1000


def play(env: BashEnv, task: Task) -> None:
    """An oracle's episode: reset, gold, both scorings."""
    env.start_episode(task)
    env.take_action(Action("execute", task.gold or ""))
    env.take_action(Action("submit"))


def _play_all(env: BashEnv, dataset: Dataset) -> None:
    for task in dataset:
        play(env, task)


def _steps(env: BashEnv, dataset: Dataset) -> float:
    env.start_episode(dataset[0])
    env.take_action(Action("execute", "echo hi > /tmp/x"))
    return own(lambda: [env.take_action(Action("execute", "true")) for _ in range(STEPS)]) / STEPS


def _rate(sandbox: EmbeddedSandbox, dataset: Dataset, count: int, seconds: float) -> float:
    """Episodes a second of *count* threads that go on for *seconds*, but for making and closing their environments."""
    played, ended, gate = [0] * count, [0.0] * count, threading.Barrier(count + 1)

    def work(place: int) -> None:
        with BashEnv(dataset, sandbox=sandbox) as env:
            play(env, dataset[place % len(dataset)])
            gate.wait()
            while time.monotonic() < end:
                play(env, dataset[(place + played[place]) % len(dataset)])
                played[place] += 1
            ended[place] = time.monotonic()
            gate.wait()

    threads = [threading.Thread(target=work, args=(place,)) for place in range(count)]
    for thread in threads:
        thread.start()
    end = float("inf")
    gate.wait()
    start = time.monotonic()
    end = start + seconds
    gate.wait()
    for thread in threads:
        thread.join()
    return sum(played) / (max(ended) - start)
