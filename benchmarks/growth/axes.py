"""What is varied, in which sizes, and what is timed at each size."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace

from benchmarks import timing
from benchmarks.embedded import Ours
from benchmarks.timing import Samples, timed
from intercode.datasets import load
from intercode.env.state_hash import state_hash
from intercode.runs.episode_record import EpisodeRecord
from intercode.types import Action, Trajectory
from intercode.worlds.bash import BashEnv
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import Image, find
from intercode_sandbox.images.files_layer import FilesLayer
from intercode_sandbox.sandbox import Limits, Session

BASH = "/bin/bash"
ONE_CHANGE = ("echo hi > /tmp/x",)
ROOMY = Limits(seconds=120.0, output=1 << 30, disk=1 << 30)
"""So that no limit of a session cuts what is measured."""

Measure = Callable[[EmbeddedSandbox, int, int], Samples]
"""Milliseconds by part, so many times over, of a sandbox and a size."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Something that grows. `linear` are the parts that may grow as fast as it does; all others must not grow."""

    title: str
    label: str
    sizes: Sequence[int]
    measure: Measure
    linear: frozenset[str] = frozenset()


def files_in_image(sandbox: EmbeddedSandbox, size: int, rounds: int) -> Samples:
    """Return an episode that changes one file, on an image with *size* files.

    It was built before, once for all episodes.
    """
    return _episodes(sandbox, _image(size), rounds)


def files_changed(sandbox: EmbeddedSandbox, size: int, rounds: int) -> Samples:
    """Return what is read of, kept of, and begun from a session that wrote *size* files of a few bytes."""
    found: Samples = {part: [] for part in ("diff", "state hash", "snapshot", "start from it", "close")}
    image = find("host")
    with sandbox.start(image, limits=ROOMY) as session:
        _bash(session, f"mkdir /tmp/many && cd /tmp/many && for i in $(seq {size}); do echo $i > $i; done")
        for _ in range(rounds):
            _bash(session, "true")  # else the last answer still holds
            with _timing(found["diff"]):
                changes = session.changes()
            with _timing(found["state hash"]):
                state_hash(changes)
            with _timing(found["snapshot"]):
                snapshot = session.snapshot()
            with snapshot:
                with _timing(found["start from it"]):
                    branch = sandbox.start(image, snapshot=snapshot, limits=ROOMY)
                found["close"].append(timed(branch.close))
    return found


def output(sandbox: EmbeddedSandbox, size: int, rounds: int) -> Samples:
    """Return a command that prints *size* bytes: all of them kept, and no more than the usual megabyte."""
    found: Samples = {"kept whole": [], "kept up to 1 MiB": []}
    for part, limits in zip(found, (ROOMY, replace(ROOMY, output=Limits().output)), strict=True):
        with sandbox.start(find("host"), limits=limits) as session:
            for _ in range(rounds):
                found[part].append(timed(_bash, session, f"head -c {size} /dev/zero"))
    return found


def sessions(sandbox: EmbeddedSandbox, size: int, rounds: int) -> Samples:
    """Return an episode that changes one file, beside *size* other sessions that have changed one each and are idle."""
    with _idle_sessions(sandbox, size):
        return _episodes(sandbox, find("host"), rounds)


def turns(sandbox: EmbeddedSandbox, size: int, rounds: int) -> Samples:
    """Return a step after *size* others, and the record of the whole episode, as the store writes it."""
    dataset = load("starter")
    with BashEnv(dataset, sandbox=sandbox, turns=size + rounds + 1) as env:
        env.start_episode(dataset[0])
        for _ in range(size):
            env.take_action(Action("execute", *ONE_CHANGE))
        steps = [timed(env.take_action, Action("execute", *ONE_CHANGE)) for _ in range(rounds)]
        episode = Trajectory(dataset[0].view(), "benchmark", "truncated", tuple(env.history[:size]))
    return {"the next step": steps, "record": [timed(EpisodeRecord.of, episode) for _ in range(rounds)]}


AXES: dict[str, Axis] = {
    "files": Axis("Files in the image", "files", [10**n for n in range(2, 7)], files_in_image),
    "changes": Axis(
        "Files changed", "files", [10**n for n in range(5)], files_changed,
        frozenset({"diff", "state hash", "snapshot", "start from it", "close"}),
    ),
    "output": Axis(
        "Output of a command", "bytes", [10**n for n in range(3, 9)], output,
        frozenset({"kept whole", "kept up to 1 MiB"}),
    ),
    "sessions": Axis("Other sessions", "sessions", [10**n for n in range(4)], sessions),
    "turns": Axis("Turns of the episode", "turns", [10**n for n in range(4)], turns, frozenset({"record"})),
}  # fmt: skip


def _image(size: int) -> Image:
    """Return this machine's own programs, and *size* small files in folders of a thousand."""
    files = {f"grown/{number // 1000}/{number % 1000}": b"x" for number in range(size)}
    return replace(find("host").with_layers(FilesLayer(files)), name=f"{size} files")


def _episodes(sandbox: EmbeddedSandbox, image: Image, rounds: int) -> Samples:
    design = Ours(sandbox, image)
    timing.play(design, ONE_CHANGE)  # what is done once for an image is done by now
    played = [timing.play(design, ONE_CHANGE) for _ in range(rounds)]
    return {part: [each[part][0] for each in played] for part in ("reset", "command", "diff", "close")}


@contextmanager
def _idle_sessions(sandbox: EmbeddedSandbox, count: int) -> Iterator[None]:
    with ExitStack() as stack:
        for _ in range(count):
            _bash(stack.enter_context(sandbox.start(find("host"))), *ONE_CHANGE)
        yield


@contextmanager
def _timing(samples: list[float]) -> Iterator[None]:
    start = time.perf_counter()
    yield
    samples.append((time.perf_counter() - start) * 1000)


def _bash(session: Session, command: str) -> None:
    result = session.run([BASH, "-c", command])
    assert result.exit_code == 0, result.text[:500]
