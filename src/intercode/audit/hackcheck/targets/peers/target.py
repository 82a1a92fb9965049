"""A peer's environment or tasks, as hackcheck checks them."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from intercode.adversaries import messages
from intercode.adversaries.adversary import Adversary
from intercode.agents.oracle import OracleAgent
from intercode.audit.hackcheck.adversaries import of_world
from intercode.audit.hackcheck.targets.base import GradedTarget, OpenTarget
from intercode.audit.hackcheck.targets.peers.env import PeerDataset, PeerEnv
from intercode.audit.hackcheck.targets.peers.kinds import PeerName
from intercode.audit.hackcheck.targets.peers.process import PeerProcess
from intercode.errors import RewardError, UserError
from intercode.runs.factories import Say
from intercode.runs.job import Job
from intercode.runs.manifest import Manifest
from intercode.runs.settings import Settings
from intercode.runs.task_selection import select
from intercode.types import DEFAULT_WORLD, Task
from intercode.util.regular_files import read_text

TURNS = 40
"""The most messages or commands of an episode."""

PLACES = 2
"""Processes in which a task is played: where adversaries play, and one in which its gold alone does."""


@dataclass(frozen=True)
class PeerTarget(GradedTarget):
    """The tasks of *peer*, some of them.

    Attributes:
        peer: The peer.
        tasks: Their ids; empty for all.
        limit: The most tasks. None: all.
        solution: Actions that do the work of every task, where somebody knows them.
    """

    peer: PeerName
    tasks: Sequence[str] = ()
    limit: int | None = None
    solution: Sequence[str] = ()

    @property
    def name(self) -> str:
        return self.peer.spec

    @property
    def words(self) -> Sequence[str]:
        return [self.peer.spec]

    @property
    def advice(self) -> str:
        return "" if self.solution else "--solution FILE names what does the work, as messages or calls of tools"

    @contextmanager
    def open(self, say: Say) -> Iterator[OpenTarget]:
        say(f"running the code of {self.peer.spec} in a process of its own, unguarded")
        processes = _Processes(self.peer)
        try:
            with processes.lend() as process:
                about = process.ask("about")
                if not about["tasks"]:
                    raise UserError(f"{self.peer.spec} has no tasks")
                tools = _tools(process)
            dataset = PeerDataset(self.peer, about, tools, self.solution)
            job = self._job(dataset, processes)
            processes.start(PLACES)
            yield OpenTarget(job, job, adversaries(dataset, job.tasks), dataset.sources)
        finally:
            processes.close()

    def _job(self, dataset: PeerDataset, processes: _Processes) -> Job:
        settings = Settings(dataset=self.peer.spec, world=dataset.world, scoring="exact")
        tasks = select(dataset, tuple(self.tasks), self.limit)
        make_env = partial(_make_env, dataset, processes)
        manifest = Manifest(settings, tuple(task.id for task in tasks))
        return Job(settings, tasks, make_env, OracleAgent, manifest)


def read_solution(path: Path | None) -> Sequence[str]:
    """Return the actions in a file: a JSON list of texts, or one text.

    Args:
        path: The file; None for none.

    Raises:
        UserError: If it cannot be read.
    """
    if path is None:
        return ()
    try:
        text = read_text(path)
    except (OSError, ValueError) as error:
        raise UserError(f"--solution {path}: it cannot be read: {error}") from error
    try:
        found = json.loads(text)
    except ValueError:
        found = None
    is_list = isinstance(found, list) and all(isinstance(each, str) for each in found)
    return found if is_list and found else (text.strip(),)


def adversaries(dataset: PeerDataset, tasks: Sequence[Task]) -> Sequence[Adversary]:
    """Return those that play messages and, where one of *tasks* has a sandbox, those that run commands."""
    if not any(dataset.sandboxes[task.id] for task in tasks):
        return messages.ADVERSARIES
    shell = of_world(DEFAULT_WORLD)
    names = {each.name for each in shell}
    return (*shell, *(each for each in messages.ADVERSARIES if each.name not in names))


def _tools(process: PeerProcess) -> list[str]:
    """Return the lines by which the first task's first message tells of tools; none where it cannot be begun."""
    try:
        shown: str = process.ask("begin", 0)["text"]
    except RewardError:  # which each task will tell of itself
        return []
    return [line for line in shown.splitlines() if messages.TOOL.match(line)]


@dataclass
class _Processes:
    """Processes of one peer. One that an environment gives back serves the next: to start one takes seconds."""

    peer: PeerName
    _free: list[PeerProcess] = field(default_factory=list)
    _all: list[PeerProcess] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def take(self) -> PeerProcess:
        with self._lock:
            if self._free:
                return self._free.pop()
            self._all.append(PeerProcess(self.peer))
            return self._all[-1]

    def start(self, number: int) -> None:
        """Start so many, if there are fewer: to load a framework takes seconds, which are none of a check's."""
        while len(self._all) < number:
            self._free.append(PeerProcess(self.peer))
            self._all.append(self._free[-1])
            self._free[-1].start()

    def give_back(self, process: PeerProcess) -> None:
        with self._lock:
            if process not in self._free:
                self._free.append(process)

    @contextmanager
    def lend(self) -> Iterator[PeerProcess]:
        process = self.take()
        yield process
        self.give_back(process)

    def close(self) -> None:
        for process in self._all:
            process.close()


def _make_env(dataset: PeerDataset, processes: _Processes) -> PeerEnv:
    return PeerEnv(dataset, processes.take(), processes.give_back, turns=TURNS, scoring="exact")
