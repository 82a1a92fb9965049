"""A run by one process and by Ray actors on the same machine, in turns: episodes a second.

It needs a Python with Ray: after `scripts/test_integrations.sh ray` that is `.venv/peers/ray/bin/python -m
benchmarks.ray_actors`.
"""

from __future__ import annotations

import argparse
import os
import statistics
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.processes import Clock
from intercode.integrations.ray import RayCluster
from intercode.runs.job import prepare
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore

EACH = 4
"""Episodes at a time for each actor."""


def episodes_per_second(cluster: RayCluster | None, actors: int, repeat: int) -> float:
    """Return the starter set by the oracle, *repeat* times over: by *actors* of *cluster*, or by this process alone.

    As many episodes at a time in either case. The first quarter warms up, and is not counted.
    """
    with tempfile.TemporaryDirectory() as folder, prepare(Settings(repeat=repeat)) as job:
        clock = Clock(job.episodes // 4)
        launcher = cluster.launcher(job.manifest) if cluster else None
        with RunStore.create(Path(folder, "run"), job.manifest) as store:
            processes = actors if cluster else 1
            Runner(job, store, actors * EACH, clock, processes=processes, launcher=launcher).run()
        return clock.figures["episodes_per_second"]


def main() -> None:
    """See `--help`."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ray_actors", description=__doc__)
    parser.add_argument("--actors", type=int, default=4)
    parser.add_argument("--repeat", type=int, default=16, help="how often each starter task is played in a run")
    parser.add_argument("--rounds", type=int, default=3)
    chosen = parser.parse_args()
    table = Table("round", "one process", f"{chosen.actors} actors", "ratio", title="episodes a second")
    ratios: list[float] = []
    with RayCluster("local", cpus=(os.cpu_count() or 1) / chosen.actors) as cluster:
        for number in range(1, chosen.rounds + 1):
            alone = episodes_per_second(None, chosen.actors, chosen.repeat)
            many = episodes_per_second(cluster, chosen.actors, chosen.repeat)
            ratios.append(many / alone)
            table.add_row(str(number), f"{alone:.0f}", f"{many:.0f}", f"{ratios[-1]:.2f}")
    table.add_section()
    table.add_row("median", "", "", f"{statistics.median(ratios):.2f}")
    Console().print(table)


if __name__ == "__main__":
    main()
