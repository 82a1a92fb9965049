"""The published way of running Bash episodes, built anew to be measured: Docker containers that are kept, and git.

As published: two containers, one for the agent and one for the gold command, live on between episodes; the tree is
tracked by a git repository at /; a reset is `git reset --hard; git clean -fd;`, a diff `git status --short;`; a command
is the string `/bin/bash -c "…"` handed to docker-py's `exec_run`, which splits it; 10 seconds are watched by an alarm.
Kinder than published: no pause of 3 seconds after a container's start, no network to set up, several pairs at once
(published: one), and nothing is charged for stopping the containers. The alarm only works in the main thread.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from benchmarks import file_tree, timing
from benchmarks.bare_bash import BareBash
from benchmarks.docker_image import checked, docker_image, start
from intercode_sandbox.testing.docker_engine import DockerEngine, NoDockerEngine

RESET = "git reset --hard; git clean -fd;"
DIFF = "git status --short;"
SECONDS = 10


class DockerPublished:
    """One pair of kept containers: a design of `timing.Design` that owns them until `remove` (or the end of `with`)."""

    name = "docker, published way"

    def __init__(self, engine: DockerEngine, image: str) -> None:
        self._client = engine.client()
        self._containers: list[Any] = []
        try:
            for _ in ("agent", "gold"):
                self._containers.append(start(self._client, image))
        except BaseException:
            self.remove()
            raise
        self._agent, self._gold = self._containers

    def reset(self) -> None:
        """Bring the agent's files back. Raises RuntimeError when git says no."""
        _reset(self._agent)

    def run(self, command: str) -> str:
        """Return the merged output of *command* as an observation; "Command timed out" after 10 seconds."""
        try:
            answer = _within(SECONDS, lambda: self._agent.exec_run(quoted(command), workdir="/"))
        except TimeoutError:
            return "Command timed out"
        return str(answer.output.decode())

    def diff(self) -> list[str]:
        """Lines of `git status --short` of the agent's side."""
        return _status(self._agent)

    def close(self) -> None:
        """The end of an episode: nothing, both containers are kept."""

    def episode(self, commands: Sequence[str] = file_tree.COMMANDS) -> list[str]:
        """Reset, run the commands, return the diff: what `timing.play` times."""
        self.reset()
        for command in commands:
            self.run(command)
        return self.diff()

    def scored_episode(self, command: str = file_tree.COMMANDS[-1], gold: str = file_tree.COMMANDS[-1]) -> bool:
        """Reset, one command, and what the published reward runs: reset and gold in the other container, both diffs.

        True if output and diff agree. The checksums that the reward takes of common changes are left out.
        """
        self.reset()
        output = self.run(command)
        _reset(self._gold)
        expected = self._gold.exec_run(quoted(gold)).output.decode()
        diff, wanted_diff = self.diff(), _status(self._gold)
        return bool(output == expected and diff == wanted_diff)

    def remove(self) -> None:
        """Remove both containers."""
        for container in self._containers:
            container.remove(force=True)
        self._containers = []
        self._client.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.remove()


def quoted(command: str) -> str:
    """Return the string that the published way hands to docker-py, which splits it as a POSIX shell would."""
    return f'/bin/bash -c "{command.strip()}"'


def measure(engine: DockerEngine, base: Path, *, seconds: float, at_once: Sequence[int]) -> dict[str, Any]:
    """Times of parts beside bare bash, of scored episodes, and episodes per second at each number at once."""
    with docker_image(engine, base) as image, ExitStack() as stack:
        workers = [stack.enter_context(DockerPublished(engine, image))]
        parts = timing.interleave([workers[0], BareBash()], seconds=seconds)
        scored = timing.summary([timing.timed(workers[0].scored_episode) for _ in range(20)])
        rates = []
        for number in sorted(at_once):
            workers += [stack.enter_context(DockerPublished(engine, image)) for _ in range(number - len(workers))]
            rates.append(timing.throughput(workers[:number], seconds=seconds))
        return {"engine": engine.describe(), "parts_ms": parts, "scored_episode_ms": scored, "throughput": rates}


def _reset(container: Any) -> None:
    checked(container.exec_run(quoted(RESET)), "the reset failed")


def _status(container: Any) -> list[str]:
    return list(container.exec_run(quoted(DIFF)).output.decode().splitlines())


def _within(seconds: int, action: Callable[[], Any]) -> Any:
    """Return what *action* returns; in the main thread an alarm raises TimeoutError after *seconds*."""
    if threading.current_thread() is not threading.main_thread():
        return action()

    def expire(number: int, frame: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, expire)
    signal.alarm(seconds)
    try:
        return action()
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def main() -> None:
    """Measure, and print what was found."""
    parser = argparse.ArgumentParser(description="Measure the published way on Docker beside bare bash.")
    parser.add_argument("base", type=Path, help="root file system with bash and git: a tar archive or a folder")
    parser.add_argument("--seconds", type=float, default=15.0, help="for each measurement (default: 15)")
    parser.add_argument("--at-once", type=int, nargs="+", default=[1, 8, 32], metavar="N")
    given = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that the engine is ended then, too
    try:
        with DockerEngine() as engine:
            print(json.dumps(measure(engine, given.base, seconds=given.seconds, at_once=given.at_once), indent=2))
    except (NoDockerEngine, RuntimeError) as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
