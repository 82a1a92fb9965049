"""A run by one process and by several: episodes a second, and whose processor time an episode takes.

Episodes a second are counted from the first stored episode to the last: starting a worker takes a second, once.
"""

from __future__ import annotations

import os
import statistics
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.timing import Figures
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore

HEADS = ("episodes_per_second", "parent_ms", "workers_ms")
HERTZ = os.sysconf("SC_CLK_TCK")


@dataclass
class Clock(ProgressCallback):
    """When episodes were stored, and what this process and its workers had used of processors by then.

    The first quarter warms up: golds are studied in it.
    """

    after: int
    stored: list[float] = field(default_factory=list)
    used: list[tuple[float, float]] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        """See `ProgressCallback`."""
        with self.guard:
            self.stored.append(time.monotonic())
            if len(self.stored) in (self.after, 4 * self.after):
                self.used.append((time.process_time(), sum(map(_processor_time, _workers()))))

    @property
    def figures(self) -> Figures:
        """Episodes a second, and milliseconds of this process's and of workers' processor time for each."""
        count = len(self.stored) - self.after
        (mine, theirs), (mine_then, theirs_then) = self.used[1], self.used[0]
        return {
            "episodes_per_second": count / (self.stored[-1] - self.stored[self.after - 1]),
            "parent_ms": (mine - mine_then) / count * 1000,
            "workers_ms": (theirs - theirs_then) / count * 1000,
        }


def measured(
    counts: Sequence[int] = (1, 2), *, parallel: int = 8, repeat: int = 8, rounds: int = 5
) -> dict[str, Figures]:
    """The starter set by the oracle, *repeat* times over, by each number of processes in turns: medians of *rounds*."""
    found: dict[int, list[Figures]] = {count: [] for count in counts}
    for _ in range(rounds):
        for count in counts:
            found[count].append(_run(count, parallel, repeat))
    return {
        str(count): {name: statistics.median(each[name] for each in rates) for name in rates[0]}
        for count, rates in found.items()
    }


def report(console: Console) -> dict[str, dict[str, Figures]]:
    """The table of both."""
    found = measured()
    table = Table("processes", "episodes a second", "ms of the parent", "ms of workers", title="several processes")
    for count, figures in found.items():
        table.add_row(count, *(f"{figures[head]:.2f}" for head in HEADS))
    console.print(table)
    return {"processes": found}


def _run(processes: int, parallel: int, repeat: int) -> Figures:
    with tempfile.TemporaryDirectory() as folder, prepare(Settings(repeat=repeat)) as job:
        clock = Clock(job.episodes // 4)
        with RunStore.create(Path(folder, "run"), job.manifest) as store:
            Runner(job, store, parallel, clock, processes=processes).run()
    return clock.figures


def _workers() -> list[int]:
    """The worker processes of this one."""
    groups = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
    children = [int(child) for group in groups for child in group]
    return [child for child in children if b"processes.worker" in Path(f"/proc/{child}/cmdline").read_bytes()]


def _processor_time(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / HERTZ


if __name__ == "__main__":
    print(measured(), os.getloadavg())
