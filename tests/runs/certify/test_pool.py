"""Workers of a certificate share what there is to do, however it is cut into pieces."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from types import SimpleNamespace
from typing import cast

from intercode.envs.base import Env
from intercode.runs.certify.pool import BashPool, Certifier, Piece, pieces
from intercode.runs.certify.verdict import TaskVerdict
from intercode.runs.job import Job
from intercode.types import Task

SECONDS = 60.0
"""How long a worker waits for the other one at most: for ever, if nobody comes."""


class Meeting:
    """Certifies a task only while another one is being certified."""

    def __init__(self) -> None:
        self.barrier = threading.Barrier(2, timeout=SECONDS)

    def certify(
        self, tasks: Iterator[tuple[int, Task]], done: Callable[[TaskVerdict], None]
    ) -> tuple[TaskVerdict, ...]:
        """See `Certifier.certify`."""
        for _, task in tasks:
            self.barrier.wait()
            done(TaskVerdict(task.id))
        return ()


class MeetingPool(BashPool):
    """Has workers meet."""

    def _prepare(self, here: Env, there: Env) -> tuple[Certifier, list[Piece]]:
        return Meeting(), pieces(self.job.tasks, lambda task: task.gold or "")


def tasks_over(*golds: str) -> list[Task]:
    return [Task(str(number), "look", gold=gold) for number, gold in enumerate(golds)]


def verdicts(tasks: list[Task], parallel: int) -> list[str]:
    job = cast(Job, SimpleNamespace(tasks=tasks, make_env=lambda: nullcontext(), close=lambda: None))
    return [each.task for each in MeetingPool(job, job, (), parallel).run()]


def test_who_has_no_piece_of_its_own_helps() -> None:
    """Else the only worker of the only piece, or of the longest, would wait in vain."""
    for golds in ("aaaaaa", "abbbbb", "aaabbb", "abcdef"):
        tasks = tasks_over(*golds)
        assert verdicts(tasks, 2) == [task.id for task in tasks]


def test_a_piece_is_what_stands_on_the_same_thing() -> None:
    found = pieces(tasks_over(*"aabab", *"c" * 70), lambda task: task.gold or "")
    assert [[number for number, _ in piece] for piece in found[:4]] == [[0, 1], [2], [3], [4]]
    assert [len(piece) for piece in found[4:]] == [64, 6]
