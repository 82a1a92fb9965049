"""Time what a session does, beside `bash -c` without a sandbox: `python packages/sandbox/benchmark.py [ROUNDS]`.

Prints the median of each part in milliseconds. Every round does all parts, so that a busy machine is busy for all.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from typing import TypeVar

from intercode_sandbox import EmbeddedSandbox, Image, Sandbox, images

CHANGE = ["bash", "-c", "mkdir -p /work && echo one > /work/note"]
T = TypeVar("T")
Times = dict[str, list[float]]


def take(times: Times, part: str, action: Callable[[], T]) -> T:
    """Do *action* and add the milliseconds that it took to *part*."""
    start = time.perf_counter()
    done = action()
    times[part].append((time.perf_counter() - start) * 1000)
    return done


def play(sandbox: Sandbox, image: Image, times: Times) -> None:
    """Do each part once and add how long it took to *times*."""
    take(
        times, "bash -c, no sandbox", lambda: subprocess.run(["bash", "-c", "echo hi"], capture_output=True, check=True)
    )
    session = take(times, "start", lambda: sandbox.start(image))
    assert take(times, "run", lambda: session.run(["bash", "-c", "echo hi"])).text == "hi\n"
    session.run(CHANGE)
    assert take(times, "read", lambda: session.read("/work/note")) == b"one\n"
    assert len(take(times, "diff", session.changes)) == 2
    snapshot = take(times, "snapshot", session.snapshot)
    fork = take(times, "fork", lambda: sandbox.start(image, snapshot=snapshot))
    assert fork.read("/work/note") == b"one\n"
    take(times, "close", session.close)
    fork.close()


def main() -> None:
    """Play the rounds and print a line for each part; the first round is not counted."""
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 50
    times: Times = defaultdict(list)
    with EmbeddedSandbox() as sandbox:
        image = images.find("host")
        play(sandbox, image, defaultdict(list))
        for _ in range(rounds):
            play(sandbox, image, times)
    for part, each in times.items():
        print(f"{statistics.median(each):8.2f} ms  {part}")


if __name__ == "__main__":
    main()
