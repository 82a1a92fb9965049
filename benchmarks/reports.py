"""How long `intercode report` takes on a run of 10 000 episodes: `python -m benchmarks.reports`."""

from __future__ import annotations

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from intercode.runs import manifest as manifests
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.types import Action, Observation, Score, TaskView, Trajectory, Turn
from intercode.types.trajectories import EPISODES, dumps

COUNT = 10_000
REPEATS = (1, 5)
ROUNDS = 5
LEVELS = ("easy", "medium", "hard")


def main() -> None:
    """A line for a run of as many tasks, and one for a fifth of the tasks, played five times each."""
    for name, found in measured().items():
        median, least, cpu = (f"{found[each]:.2f} s" for each in ("median", "least", "cpu"))
        print(f"{name}: {median} (median), {least} (least), {cpu} of CPU (least)")


def measured() -> dict[str, dict[str, float]]:
    """Seconds of `intercode report`, from the start of the program to its end, by what it reports on."""
    return {f"{COUNT // repeats} tasks, each played {repeats} times": _report(repeats) for repeats in REPEATS}


def _report(repeats: int) -> dict[str, float]:
    program = str(Path(sys.executable).with_name("intercode"))
    with tempfile.TemporaryDirectory() as folder:
        size = _write(Path(folder), repeats)
        walls, busy = zip(*(_timed([program, "report", folder]) for _ in range(ROUNDS)), strict=True)
    return {"megabytes": size / 1e6, "median": statistics.median(walls), "least": min(walls), "cpu": min(busy)}


def _timed(command: list[str]) -> tuple[float, float]:
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    seconds, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def _write(folder: Path, repeats: int) -> int:
    """Return a run as large as one of ten turns with outputs of some hundred characters is.

    Returns its size in bytes.
    """
    draw = random.Random(0)
    tasks = [f"made-up/{number}" for number in range(COUNT // repeats)]
    settings = Settings(dataset="made-up", agent="made-up", scoring="exact", repeat=repeats, image="debian")
    manifests.write(Manifest(settings, tuple(tasks), {"debian": "0"}, {"made-up": "0"}), folder)
    with (folder / EPISODES).open("w") as file:
        for repeat in range(repeats):
            file.writelines(dumps(_episode(draw, task, repeat)) + "\n" for task in tasks)
    return (folder / EPISODES).stat().st_size


def _episode(draw: random.Random, task: str, repeat: int) -> Trajectory:
    turns = tuple(_turn(draw, number) for number in range(draw.randint(1, 10)))
    view = TaskView(task, "Find what is asked for.", "bash", draw.choice("abcd"), draw.choice(LEVELS))
    return Trajectory(view, "made-up", "truncated", turns, turns[-1].scores, repeat=repeat, seconds=draw.random())


def _turn(draw: random.Random, number: int) -> Turn:
    value = 1.0 if draw.random() < 0.1 else round(draw.random(), 3)  # graded, and seldom the same
    score = Score(value, value == 1.0, {"state": value})
    shown = Observation("/testbed/folder/file.txt\n" * draw.randint(1, 20), int(draw.random() < 0.2), seconds=0.01)
    action = Action("execute", f"find /testbed -name '*.txt' | head -n {number}")
    return Turn(action, shown, score.value, {"paper": score, "exact": score}, "0123456789abcdef", number / 2)


if __name__ == "__main__":
    main()
