"""A run by one process and by several: episodes a second, and whose processor time an episode takes.

Episodes a second are counted from the first stored episode to the last: starting a worker takes a second, once. On a
machine of many cores `python -m benchmarks.processes --processes 1,2,4,8` shows how far it scales.
"""

from __future__ import annotations

import argparse
import json
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

HEADS = ("episodes_per_second", "parent_ms", "workers_ms", "cores")
HERTZ = os.sysconf("SC_CLK_TCK")

LOOKS = 8
"""How often, in a quarter of a run, it is looked at what workers have used."""


@dataclass
class Clock(ProgressCallback):
    """When episodes were stored, and what this process and its workers had used of processors by then.

    The first quarter warms up: golds are studied in it.
    """

    after: int
    stored: list[float] = field(default_factory=list)
    used: list[tuple[float, float, float]] = field(default_factory=list)
    guard: threading.Lock = field(default_factory=threading.Lock)
    workers: dict[int, float] = field(default_factory=dict)
    """What each worker had used when it was last looked at: some end before the last episode is stored."""

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        with self.guard:
            self.stored.append(time.monotonic())
            if len(self.stored) % max(1, self.after // LOOKS) == 0:
                self.workers |= {worker: _processor_time(worker) for worker in _workers()}
            if len(self.stored) in (self.after, 4 * self.after):
                self.used.append((time.process_time(), sum(self.workers.values()), _busy()))

    @property
    def figures(self) -> Figures:
        """Episodes a second, milliseconds of this process's and of workers' time for each, and how many cores are busy.

        The cores are those of the whole machine: with what agents start, and with what else runs there.
        """
        count, seconds = len(self.stored) - self.after, self.stored[-1] - self.stored[self.after - 1]
        mine, theirs, busy = (now - then for then, now in zip(*self.used, strict=True))
        return {
            "episodes_per_second": count / seconds,
            "parent_ms": mine / count * 1000,
            "workers_ms": theirs / count * 1000,
            "cores": busy / seconds,
        }


def measured(
    counts: Sequence[int] = (1, 2), *, parallel: int = 8, each: int = 0, repeat: int = 8, rounds: int = 5
) -> dict[str, Figures]:
    """Return the starter set by the oracle, *repeat* times over, by each number of processes in turns.

    Medians of *rounds*.

    *parallel* episodes are played at once, and *each* for every process where that is more.
    """
    found: dict[int, list[Figures]] = {count: [] for count in counts}
    for _ in range(rounds):
        for count in counts:
            found[count].append(_run(count, max(parallel, each * count), repeat))
    return {
        str(count): {name: statistics.median(each[name] for each in rates) for name in rates[0]}
        for count, rates in found.items()
    }


def report(console: Console) -> dict[str, dict[str, Figures]]:
    """Return the table of both."""
    found = measured()
    _show(found, console)
    return {"processes": found}


def _show(found: dict[str, Figures], console: Console) -> None:
    heads = ("processes", "episodes a second", "ms of the parent", "ms of workers", "cores busy")
    table = Table(*heads, title="several processes")
    for count, figures in found.items():
        table.add_row(count, *(f"{figures[head]:.2f}" for head in HEADS))
    console.print(table)


def _run(processes: int, parallel: int, repeat: int) -> Figures:
    with tempfile.TemporaryDirectory() as folder, prepare(Settings(repeat=repeat)) as job:
        clock = Clock(job.episodes // 4)
        with RunStore.create(Path(folder, "run"), job.manifest) as store:
            Runner(job, store, parallel, clock, processes=processes).run()
    return clock.figures


def _workers() -> list[int]:
    """Return the worker processes of this one."""
    groups = [path.read_text().split() for path in Path("/proc/self/task").glob("*/children")]
    children = [int(child) for group in groups for child in group]
    return [child for child in children if b"processes.worker" in Path(f"/proc/{child}/cmdline").read_bytes()]


def _processor_time(process: int) -> float:
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / HERTZ


def _busy() -> float:
    """Seconds that all cores together have worked since the machine started."""
    user, nice, system, _idle, _waits, *interrupts = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:8]
    return sum(map(int, (user, nice, system, *interrupts))) / HERTZ


def main() -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.processes", description=__doc__)
    parser.add_argument("--processes", default="1,2", metavar="N,…", help="how many, in turns")
    parser.add_argument("--each", type=int, default=4, metavar="N", help="episodes at a time for each process")
    parser.add_argument("--repeat", type=int, default=8, metavar="N", help="how often each task is played in a run")
    parser.add_argument("--rounds", type=int, default=5, metavar="N")
    parser.add_argument("--out", type=Path, metavar="FILE", help="store the figures as JSON")
    chosen = parser.parse_args()
    counts = [int(count) for count in chosen.processes.split(",")]
    found = measured(counts, each=chosen.each, repeat=chosen.repeat, rounds=chosen.rounds)
    _show(found, Console())
    if chosen.out:
        chosen.out.write_text(json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
