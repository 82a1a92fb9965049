"""One world's part of a soak, a process of its own: `python -m benchmarks.soak.rounds WORLD FOLDER PARALLEL [URL]`.

It plays one run after the other. A run that fails is resumed until all its episodes are there; then what is stored is
counted. A line of JSON on standard output tells of each run. It ends when its standard input does.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.resources import Resources
from intercode.errors import MachineError, ModelRefusedError
from intercode.runs import store
from intercode.runs.job import Job, prepare
from intercode.runs.resume import is_run, reopen
from intercode.runs.runner import Runner, assignments
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore
from intercode.types.trajectories import EPISODES

EPISODES_EACH = 100
"""About so many episodes a run has."""

TRIES = 50
"""How often a run is resumed before it is said to be lost."""

WORLDS = {
    "bash": Settings(dataset="starter"),
    "model": Settings(dataset="starter", agent="react", model="openai:soak", turns=4),
    "sql": Settings(dataset="starter-sql"),
    "python": Settings(dataset="starter-python"),
    "ctf": Settings(dataset="starter-ctf"),
    "swe": Settings(dataset="starter-swe"),
}
"""What is played: golds, but for `model`, whose agent asks a server that fails."""


def main(world: str, folder: Path, parallel: int, url: str) -> None:
    """Play runs until standard input ends."""
    settings = WORLDS[world].changed(base_url=url) if url else WORLDS[world]
    with prepare(settings) as job:
        settings = settings.changed(repeat=max(1, EPISODES_EACH // len(job.tasks)))
    number = 0
    while not _is_over():
        report = play(settings, folder / "run", parallel)
        resources = Resources.of(os.getpid())
        held = {"descriptors": resources.descriptors, "megabytes": resources.megabytes, "below": resources.processes}
        print(json.dumps({"world": world, "run": number, **report, **held}), flush=True)
        number += 1


def play(settings: Settings, folder: Path, parallel: int) -> dict[str, Any]:
    """Return one run, whatever happens to it. It may have been begun by a process that was killed."""
    began, failures, tries = time.monotonic(), Counter[str](), 0
    while tries < TRIES:
        tries += 1
        try:
            with prepare(settings) as job, _opened(folder, job) as run:
                Runner(job, run, parallel, keep_going=True).run()
        except (MachineError, ModelRefusedError) as error:
            failures[type(error).__name__] += 1
            time.sleep(1)
            continue
        if not store.read(folder, outlines=True).missing:
            break
    seconds = time.monotonic() - began
    report = {"seconds": seconds, "tries": tries, "failures": dict(failures), **count(settings, folder)}
    shutil.rmtree(folder)
    return report


def count(settings: Settings, folder: Path) -> dict[str, Any]:
    """Return what is stored beside what was to be played: an episode counts once, errors are played again."""
    with prepare(settings) as job:
        planned = {each.key for each in assignments(job)}
    counted, errors, successes = Counter[tuple[str, int]](), 0, 0
    for line in (folder / EPISODES).read_text().splitlines():
        episode = json.loads(line)
        if episode["status"] == "error":
            errors += 1
            continue
        counted[episode["task"]["id"], episode["repeat"]] += 1
        successes += episode["scores"]["exact"]["success"]
    return {
        "episodes": len(counted),
        "successes": successes,
        "errors": errors,
        "lost": len(planned - set(counted)),
        "doubled": sum(each > 1 for each in counted.values()),
        "unknown": len(set(counted) - planned),
    }


def _opened(folder: Path, job: Job) -> RunStore:
    return reopen(folder, job) if is_run(folder) else RunStore.create(folder, job.manifest)


def _is_over() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0]) and not sys.stdin.read(1)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "")
