"""`make soak` (MINUTES=60): all worlds, 64 episodes at once, while processes are killed, disks fill up and models err.

At the end every episode must have been stored once, memory and descriptors must not have grown, and nothing may be
left. Status 1 where something is not so. Writes soak.json.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.resources import descendants
from benchmarks.soak import faults
from benchmarks.soak.rounds import WORLDS

PAUSE = 3.0
"""Seconds between faults."""

PATIENCE = 600.0
"""Seconds that a world gets to end what it is at."""

GROWTH = 30.0
"""Megabytes, or descriptors, that the last third of a process's runs may hold more than the first."""

KILLED = "ctf"
"""The world whose program is killed, too: the others' live on, so that growth would be seen."""

FILLED = ("bash", "python")
"""The worlds whose runs lie where there is little room."""


COUNTS = ("episodes", "successes", "errors", "lost", "doubled")


class World:
    """The process that plays one world, begun anew when it is killed. `runs` is what each of its processes told."""

    def __init__(self, name: str, folder: Path, parallel: int, url: str) -> None:
        self.name, self.folder = name, folder
        folder.mkdir(parents=True, exist_ok=True)
        self._command = [sys.executable, "-m", "benchmarks.soak.rounds", name, str(folder), str(parallel)]
        self._command += [url] * (name == "model")
        self.runs: list[list[dict[str, Any]]] = []
        self.faults = Counter[str]()
        self.begin()

    def begin(self) -> None:
        """Start a process; it goes on with the run that it finds."""
        env = os.environ | {"OPENAI_API_KEY": "none"}
        self.process = subprocess.Popen(
            self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=env
        )
        reports: list[dict[str, Any]] = []
        self.runs.append(reports)
        self._reader = threading.Thread(target=self._read, args=(self.process.stdout, reports), daemon=True)
        self._reader.start()

    @staticmethod
    def _read(stream: Any, reports: list[dict[str, Any]]) -> None:
        for line in stream:
            reports.append(json.loads(line))
            print(line, end="", flush=True)

    def kill(self) -> None:
        """Kill the program. Raises AssertionError where it leaves a process."""
        under = descendants(self.process.pid)
        self.process.kill()
        self.process.wait()
        left = _left_after(under, 30)
        assert not left, f"{self.name}: kill -9 left {left}"

    def ask_to_end(self) -> None:
        """After the run that it is at."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self) -> int:
        """Its exit status, when it has ended."""
        try:
            return self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()
        finally:
            self._reader.join(10)

    def problems(self) -> Iterator[str]:
        """Yield what should not be, of what its processes told."""
        reports = [each for runs in self.runs for each in runs]
        if not reports:
            yield f"{self.name}: no run was finished"
        for kind in ("lost", "doubled", "unknown"):
            if count := sum(each[kind] for each in reports):
                yield f"{self.name}: {count} episodes {kind}"
        for held in ("megabytes", "descriptors"):
            if (grown := max((growth(runs, held) for runs in self.runs), default=0.0)) > GROWTH:
                yield f"{self.name}: {grown:.0f} {held} more at the end"

    def summary(self) -> dict[str, Any]:
        """Return all that it told, in a line."""
        reports = [each for runs in self.runs for each in runs]
        return {
            "world": self.name,
            "runs": len(reports),
            **{
                name: sum(each[name] for each in reports)
                for name in ("episodes", "successes", "errors", "lost", "doubled")
            },
            "resumed": sum(each["tries"] - 1 for each in reports),
            "megabytes_more": max((growth(runs, "megabytes") for runs in self.runs), default=0.0),
            "descriptors_more": max((growth(runs, "descriptors") for runs in self.runs), default=0.0),
            "faults": dict(self.faults),
        }


def growth(runs: Sequence[Mapping[str, Any]], name: str) -> float:
    """By how much the last third of *runs* holds more than the first, by medians; 0 for less than 6."""
    third = len(runs) // 3
    if third < 2:
        return 0.0
    first, last = (statistics.median(run[name] for run in part) for part in (runs[:third], runs[-third:]))
    return float(last - first)


def break_something(worlds: Sequence[World], small: Path | None, draw: random.Random) -> None:
    """One fault, in one world."""
    world, luck = draw.choice(worlds), draw.random()
    if small is not None and luck < 0.15:
        for each in worlds:
            each.faults["full disk"] += each.name in FILLED
        faults.fill(small, 2)
    elif world.name == KILLED and luck < 0.3:
        world.kill()
        world.faults["program"] += 1
        world.begin()
    elif name := faults.kill_one(world.process.pid, draw):
        world.faults[name] += 1


def main() -> int:
    """Soak, and say what came of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--parallel", type=int, default=64, help="episodes at once, in all")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("soak.json"))
    given = parser.parse_args()
    before, mounts = set(os.listdir(tempfile.gettempdir())), _mounts()
    with _worlds(given.parallel) as (worlds, small):
        draw, until = random.Random(given.seed), time.monotonic() + given.minutes * 60
        while time.monotonic() < until:
            time.sleep(PAUSE)
            break_something(worlds, small, draw)
        for each in worlds:
            each.ask_to_end()
        problems = [f"{each.name}: ended with status {status}" for each in worlds if (status := each.wait())]
    problems += [problem for each in worlds for problem in each.problems()]
    left = {
        "processes": sorted(_left_after(descendants(os.getpid()), 30)),
        "mounts": sorted(_mounts() - mounts),
        "temporary files": sorted(set(os.listdir(tempfile.gettempdir())) - before),
    }
    problems += [f"left behind: {kind} {names}" for kind, names in left.items() if names]
    summaries = [each.summary() for each in worlds]
    found = {"minutes": given.minutes, "parallel": given.parallel, "seed": given.seed, "problems": problems}
    given.out.write_text(json.dumps(found | {"worlds": summaries}, indent=1) + "\n")
    print("\n".join([*map(json.dumps, summaries), *(problems or ["every episode accounted for, nothing left behind"])]))
    return 1 if problems else 0


@contextmanager
def _worlds(parallel: int) -> Iterator[tuple[list[World], Path | None]]:
    """Provide all worlds, each with its share of *parallel*; and the folder that can be filled, for root."""
    share = max(1, parallel // len(WORLDS))
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="soak-")))
        small = stack.enter_context(faults.small_folder()) if os.geteuid() == 0 else None
        url = stack.enter_context(faults.flaky_model())
        worlds = []
        for name in WORLDS:
            place = small if small is not None and name in FILLED else folder
            worlds.append(World(name, place / name, share, url))
            stack.callback(worlds[-1].process.kill)
        yield worlds, small


def _mounts() -> set[str]:
    return {line.split()[4] for line in Path("/proc/self/mountinfo").read_text().splitlines()}


def _left_after(pids: set[int], seconds: float) -> set[int]:
    """Return those of *pids* that are there after some time (zombies that others must reap included)."""
    until = time.monotonic() + seconds
    while left := {pid for pid in pids if Path(f"/proc/{pid}").exists()}:
        if time.monotonic() > until:
            break
        time.sleep(0.1)
    return left


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.exit(main())
