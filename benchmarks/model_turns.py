"""What is ours of a turn with a model: `python -m benchmarks.model_turns`. Writes model_turns.json.

Episodes of ten turns by the `react` agent against a server on loopback (a process of its own), in a world that does
nothing: what is left is prompts, parsing, the HTTP client, records and the store.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from intercode import models
from intercode.agents.react import ReactAgent
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.models.base import Model
from intercode.rewards.base import EndingReward
from intercode.runs.budget import Budget, MeteredModel
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.job import Job
from intercode.runs.manifest import Manifest
from intercode.runs.runner import Runner
from intercode.runs.settings import Settings
from intercode.runs.store import RunStore
from intercode.types import Observation, Score, Task
from intercode_sandbox.images import Image
from intercode_sandbox.scripted import ScriptedSandbox

TURNS = 10
AT_ONCE = 64
DELAY = 0.2
ROUNDS = 5
OUTPUT = Observation("a.txt\nb.txt\nc.txt\n", 0)
SCORE = Score(0.0, False)


class IdleDataset(Dataset):
    """As many tasks as are wanted."""

    def __init__(self, size: int) -> None:
        self._size, self.name = size, "idle"

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, index: int) -> Task:
        if index >= self._size:
            raise IndexError(index)
        return Task(f"idle/{index}", "Which files are there?", "ls")


class IdleEnv(Env):
    """Whatever is run, the same is seen. There is no session: a scripted sandbox would keep each for looking at."""

    def prepare(self) -> None:
        pass

    def stop_processes(self) -> None:
        pass

    def execute(self, text: str) -> Observation:
        return OUTPUT

    rewards = dict.fromkeys(("paper", "exact"), EndingReward(lambda ending: SCORE))

    def ending(self, task: Task) -> str:
        return OUTPUT.text

    def state_hash(self) -> str:
        return "idle"


def main() -> None:
    """Measure, and write what was found."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.model_turns", description=__doc__)
    parser.add_argument("--episodes", type=int, default=10_000, help="for the growth of memory")
    parser.add_argument("--out", type=Path, default=Path("model_turns.json"))
    options = parser.parse_args()
    figures = measured(options.episodes)
    options.out.write_text(json.dumps(figures, indent=1) + "\n")
    print(json.dumps(figures, indent=1))


def measured(episodes: int) -> dict[str, dict[str, float]]:
    """Processor time of a turn, turns a second of many at once, and memory over so many *episodes*."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    return {"cpu_ms_per_turn": cpu(), "at_once": at_once(), "memory": memory(episodes)}


def cpu() -> dict[str, float]:
    """Milliseconds of processor time of this process for one turn, one episode at a time and 64 at once."""
    found = {}
    with server(0.0) as url, models.load("m", base_url=url) as model:
        play(model, 4, 1)
        for parallel in (1, AT_ONCE):
            started = time.process_time()
            play(model, 64, parallel)
            found[f"{parallel} at once"] = (time.process_time() - started) / (64 * TURNS) * 1e3
    return found


def at_once() -> dict[str, float]:
    """Turns a second of 64 episodes at once where an answer takes 200 ms; ideal are 64 / 0.2 s = 320.

    The median and the best of some runs of 192 episodes each, from the first thread's start to the last one's end.
    """
    ideal, rates, busy = AT_ONCE / DELAY, [], []
    with server(DELAY) as url, models.load("m", base_url=url) as model:
        play(model, AT_ONCE, AT_ONCE)
        for _ in range(ROUNDS):
            started, used = time.monotonic(), time.process_time()
            play(model, 3 * AT_ONCE, AT_ONCE)
            rates.append(3 * AT_ONCE * TURNS / (time.monotonic() - started))
            busy.append((time.process_time() - used) / (3 * AT_ONCE * TURNS) * 1e3)
    return {
        "turns_per_second": statistics.median(rates),
        "share_of_ideal": statistics.median(rates) / ideal,
        "best_share_of_ideal": max(rates) / ideal,
        "cpu_ms_per_turn": statistics.median(busy),
    }


def memory(episodes: int) -> dict[str, float]:
    """Resident megabytes of one run of so many episodes, after each tenth of it."""
    callback = Meter(episodes // 10)
    with tempfile.TemporaryDirectory() as folder:
        replies = Path(folder, "replies.json")
        replies.write_text(json.dumps({"replies": {"": ["Thought: x\nAction: execute[ls]", "Action: submit"]}}))
        with models.load(f"scripted:{replies}") as model:
            play(model, episodes, 8, callback)
    return callback.megabytes


class Meter(ProgressCallback):
    """Looks at the memory after every so many episodes."""

    def __init__(self, every: int) -> None:
        self.every, self.stored = every, 0
        self.megabytes: dict[str, float] = {}

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        self.stored += 1
        if self.stored % self.every == 0:
            self.megabytes[f"after {self.stored}"] = resident()


def play(model: Model, size: int, parallel: int, callback: ProgressCallback | None = None) -> None:
    """*size* episodes of ten turns, stored."""
    settings = Settings(dataset="idle", agent="react", scoring="exact", image="idle", turns=TURNS)
    dataset = IdleDataset(size)
    tasks = tuple(dataset)

    def env() -> Env:
        return IdleEnv(dataset, sandbox=ScriptedSandbox(), image=Image("idle", ()), scoring="exact", turns=TURNS)

    manifest = Manifest(settings, tuple(task.id for task in tasks))
    metered = MeteredModel(model, Budget())
    with tempfile.TemporaryDirectory() as folder, RunStore.create(Path(folder, "run"), manifest) as store:
        Runner(
            Job(settings, tasks, env, lambda: ReactAgent(model=metered), manifest),
            store,
            parallel,
            callback or ProgressCallback(),
        ).run()


@contextmanager
def server(delay: float) -> Iterator[str]:
    """Provide the URL of a server that answers after *delay* seconds."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "url")
        command = [sys.executable, str(Path(__file__).with_name("model_server.py")), str(file), str(delay)]
        with subprocess.Popen(command) as process:
            try:
                while not file.exists():
                    time.sleep(0.02)
                yield file.read_text()
            finally:
                process.kill()


def resident() -> float:
    """Megabytes that this process holds now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1e6


if __name__ == "__main__":
    main()
