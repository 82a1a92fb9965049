"""Whole episodes of the Bash world, memory, snapshots, start-up: the figures that no other design has a part in."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.embedded import Ours
from benchmarks.timing import Figures, summary, timed
from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.types import Action, Task
from intercode.worlds.bash import BashEnv
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Session
from intercode_sandbox.util import paths


def scored_episodes(sandbox: EmbeddedSandbox, dataset: Dataset, image: str, rounds: int = 3) -> dict[str, Figures]:
    """Oracle episodes (reset, gold, both rewards) of every task.

    The first round finds the golds' endings (or reads them from the cache), the later ones know them.
    """
    env = BashEnv(dataset, sandbox=sandbox, image=image)
    times = [[timed(_oracle, env, task) for task in dataset] for _ in range(rounds)]
    env.close()
    return {"first": summary(times[0]), "known": summary([each for later in times[1:] for each in later])}


def _oracle(env: BashEnv, task: Task) -> None:
    env.start_episode(task)
    env.take_action(Action("execute", env.task.gold or ""))
    env.take_action(Action("submit"))


def memory_of_live_sessions(sandbox: EmbeddedSandbox, image: Image, count: int = 256) -> Figures:
    """Megabytes that each further live session costs the machine, all told (processes, mounts, page cache)."""
    held = [_busy(sandbox, image) for _ in range(8)]  # what is paid once is paid by now
    before = _available()
    held += [_busy(sandbox, image) for _ in range(count)]
    spent = before - _available()
    for session in held:
        session.close()
    return {"sessions": count, "megabytes_each": spent / count / 1e6}


def _busy(sandbox: EmbeddedSandbox, image: Image) -> Session:
    session = sandbox.start(image)
    session.run(["/bin/bash", "-c", "echo hi > /tmp/x"])
    return session


def _available() -> int:
    gc.collect()
    time.sleep(1)
    lines = Path("/proc/meminfo").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable"))


def growth(sandbox: EmbeddedSandbox, image: Image, episodes: int = 10_000) -> Figures:
    """Return what this process and the sandbox's own grow by over many episodes, after a thousand to warm up."""
    design = Ours(sandbox, image)
    for _ in range(min(1000, episodes)):
        _short(design)
    before, files = _resident(), len(os.listdir("/proc/self/fd"))
    start = time.perf_counter()
    for _ in range(episodes):
        _short(design)
    seconds = time.perf_counter() - start
    grown = (_resident() - before) / 1e6
    return {
        "episodes": episodes,
        "seconds": seconds,
        "megabytes_grown": grown,
        "descriptors_grown": len(os.listdir("/proc/self/fd")) - files,
    }


def _short(design: Ours) -> None:
    design.reset()
    design.run("echo hi > /tmp/x")
    design.diff()
    design.close()


def _resident() -> int:
    """Bytes that this process and all below it hold."""
    gc.collect()
    time.sleep(1)
    parents = {}
    sizes = {}
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            fields = dict(line.split(":", 1) for line in status.read_text().splitlines() if ":" in line)
        except OSError:
            continue  # it has just ended
        pid = int(fields["Pid"])
        parents[pid] = int(fields["PPid"])
        sizes[pid] = int(fields.get("VmRSS", "0 kB").split()[0]) * 1024
    ours = {os.getpid()}
    while new := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= new
    return sum(sizes.get(pid, 0) for pid in ours)


def snapshots(sandbox: EmbeddedSandbox, image: Image, files: int, rounds: int = 30) -> dict[str, Figures]:
    """Taking a snapshot of a session that wrote *files* small files, and starting a branch from it."""
    with sandbox.start(image) as session:
        session.run(["/bin/bash", "-c", f"mkdir /tmp/many && for i in $(seq {files}); do echo $i > /tmp/many/$i; done"])
        take, branch = [], []
        for _ in range(rounds):
            start = time.perf_counter()
            with session.snapshot() as snapshot:
                take.append((time.perf_counter() - start) * 1000)
                start = time.perf_counter()
                with sandbox.start(image, snapshot=snapshot):
                    branch.append((time.perf_counter() - start) * 1000)
    return {"take": summary(take), "branch": summary(branch)}


def help_seconds(rounds: int = 10) -> Figures:
    """Seconds until `intercode --help` has ended."""
    command = [str(Path(sys.executable).with_name("intercode")), "--help"]
    return summary(
        [timed(subprocess.run, command, -1, None, subprocess.DEVNULL, subprocess.DEVNULL) for _ in range(rounds)]
    )


def published_tasks() -> tuple[Dataset, str] | None:
    """NL2Bash on the `debian` image, where its files are there; else None."""
    return (load("nl2bash"), "debian") if (paths.data() / "nl2bash").is_dir() else None
