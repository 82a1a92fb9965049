"""The Python world: a reset, the smallest action, and scored episodes of MBPP, one at a time and several at once."""

from __future__ import annotations

import resource
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from benchmarks.timing import Figures, summary, timed
from intercode.datasets.base import Dataset
from intercode.types import Action, Task
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.datasets.starter_python import StarterPythonDataset
from intercode_sandbox.embedded import EmbeddedSandbox

PAUSE = 0.1
"""Seconds between two episodes: far less than a model takes for a word, enough to make an interpreter ready."""

ONE = Action("execute", "1 + 1")


def single_steps(sandbox: EmbeddedSandbox, rounds: int = 50) -> dict[str, Figures]:
    """Return a reset after a pause, one after the other without, and `1 + 1`."""
    env = PythonEnv(StarterPythonDataset(), sandbox=sandbox)
    env.start_episode(env.dataset[0])
    paced, steps = [], []
    for _ in range(rounds):
        time.sleep(PAUSE)
        paced.append(timed(env.start_episode, env.dataset[0]))
        env.take_action(ONE)
        steps += [timed(env.take_action, ONE) for _ in range(5)]
    hurried = [timed(env.start_episode, env.dataset[0]) for _ in range(rounds)]
    env.close()
    return {"reset": summary(paced), "reset, no pause": summary(hurried), "1 + 1": summary(steps)}


def scored_episodes(
    sandbox: EmbeddedSandbox, dataset: Dataset, tasks: Sequence[Task], workers: int, image: str
) -> Figures:
    """Oracle episodes (reset, gold, submit, both rewards) by so many threads: episodes a second."""
    local = threading.local()

    def play(task: Task) -> None:
        if not hasattr(local, "env"):
            local.env = PythonEnv(dataset, sandbox=sandbox, image=image)
        local.env.start_episode(task)
        local.env.take_action(Action("execute", task.gold or ""))
        local.env.take_action(Action("submit"))

    with ThreadPoolExecutor(workers) as threads:
        list(threads.map(play, tasks[:workers]))  # what is paid once
        began = time.perf_counter()
        list(threads.map(play, tasks))
        seconds = time.perf_counter() - began
    return {"workers": workers, "episodes": len(tasks), "episodes_per_second": len(tasks) / seconds}


def processor_time(dataset: Dataset, tasks: Sequence[Task], image: str, few: int = 10) -> float:
    """Milliseconds of a processor for a scored episode, ours and the sandbox's together: what more of them cost more.

    Unlike episodes a second it tells little of what else the machine does. Sandboxes are closed before they are
    counted, since the kernel tells of processes that have ended.
    """
    seconds = []
    for some in (tasks[:few], tasks):
        before = _spent()
        with EmbeddedSandbox() as sandbox:
            scored_episodes(sandbox, dataset, some, 1, image)
        seconds.append(_spent() - before)
    return 1000 * (seconds[1] - seconds[0]) / (len(tasks) - few)


def _spent() -> float:
    who = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(usage.ru_utime + usage.ru_stime for usage in map(resource.getrusage, who))
