"""How designs are timed: the same episode for each, one after the other in a shuffled order, on one clock.

All times are wall-clock milliseconds.
"""

from __future__ import annotations

import random
import statistics
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from benchmarks.file_tree import COMMANDS

Figures = dict[str, float]
"""`median`, `minimum`, `p95` in milliseconds, and `samples`."""

Samples = dict[str, list[float]]


class Design(Protocol):
    """One way of running episodes. `close` ends an episode only: what is kept for the next one stays."""

    name: str

    def reset(self) -> Any: ...
    def run(self, command: str) -> Any: ...
    def diff(self) -> Any: ...
    def close(self) -> Any: ...


def summary(samples: Sequence[float]) -> Figures:
    """Return the figures of some samples, in milliseconds as they are."""
    ordered = sorted(samples)
    p95 = ordered[min(len(ordered) - 1, round(0.95 * (len(ordered) - 1)))]
    return {"median": statistics.median(ordered), "minimum": ordered[0], "p95": p95, "samples": len(ordered)}


def timed(action: Callable[..., Any], *arguments: Any) -> float:
    """Milliseconds that *action* takes."""
    start = time.perf_counter()
    action(*arguments)
    return (time.perf_counter() - start) * 1000


def play(design: Design, commands: Sequence[str] = COMMANDS) -> Samples:
    """Time one episode, part by part: reset, first command (`echo hi`), all commands, diff, close, and the whole."""
    start = time.perf_counter()
    reset = timed(design.reset)
    times = [timed(design.run, command) for command in commands]
    diff, close = timed(design.diff), timed(design.close)
    whole = (time.perf_counter() - start) * 1000
    return {"reset": [reset], "echo": times[:1], "command": times, "diff": [diff], "close": [close], "episode": [whole]}


def interleave(
    designs: Sequence[Design],
    *,
    rounds: int = 30,
    seconds: float = 60.0,
    seed: int = 0,
    commands: Sequence[str] = COMMANDS,
) -> dict[str, dict[str, Figures]]:
    """Play up to *rounds* episodes of every design, in a fresh random order each round: name → part → figures.

    One unmeasured episode of each goes first. No round begins after *seconds*; the first always does.
    """
    samples: Mapping[str, Samples] = {design.name: defaultdict(list) for design in designs}
    order, shuffler = list(designs), random.Random(seed)
    for design in order:
        play(design, commands)
    end = time.monotonic() + seconds
    for played in range(rounds):
        if played and time.monotonic() > end:
            break
        shuffler.shuffle(order)
        for design in order:
            for part, times in play(design, commands).items():
                samples[design.name][part] += times
    return {name: {part: summary(times) for part, times in parts.items()} for name, parts in samples.items()}


def throughput(workers: Sequence[Design], *, seconds: float = 15.0, commands: Sequence[str] = COMMANDS) -> Figures:
    """Episodes per second with one thread for each worker, all starting together and at work for *seconds*.

    An episode that has begun is finished and counted, and the clock runs until the last has ended. The error of a
    worker, if any, is raised once all have stopped.
    """
    played, errors = [0] * len(workers), list[BaseException]()
    gate = threading.Barrier(len(workers) + 1)

    def work(place: int) -> None:
        gate.wait()
        try:
            while time.monotonic() < end and not errors:
                play(workers[place], commands)
                played[place] += 1
        except BaseException as error:  # noqa: BLE001 - raised again below, in the thread that asked
            errors.append(error)

    threads = [threading.Thread(target=work, args=(place,)) for place in range(len(workers))]
    for thread in threads:
        thread.start()
    start = time.monotonic()
    end = start + seconds
    gate.wait()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]
    spent = time.monotonic() - start
    total = sum(played)
    return {"at_once": len(workers), "episodes": total, "seconds": spent, "episodes_per_second": total / spent}
