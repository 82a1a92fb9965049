"""What agents' answers showed on variants of a database: the same ones come again and again."""

from __future__ import annotations

import threading
from collections import OrderedDict

from intercode.types.databases import DatabaseSource, QueryResult

ANSWERS = 4096
"""Answers that are remembered; `FEW` is how many rows one may show."""

FEW = 100

AnswerKey = tuple[DatabaseSource, tuple[str, ...]]
"""A database, and the texts that were run on it one after the other."""


class RecentAnswers:
    """What answers showed lately. Safe to use from several threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._shown: OrderedDict[AnswerKey, QueryResult] = OrderedDict()

    def find(self, key: AnswerKey) -> QueryResult | None:
        """Return what the last text showed, or failed with; None where it is not remembered."""
        with self._guard:
            if key in self._shown:
                self._shown.move_to_end(key)
            return self._shown.get(key)

    def remember(self, key: AnswerKey, result: QueryResult) -> None:
        """Remember it, unless it is long, or ran out of time: then it may do better another time."""
        if result.timed_out or len(result.rows or ()) > FEW:
            return
        with self._guard:
            self._shown[key] = result
            if len(self._shown) > ANSWERS:
                self._shown.popitem(last=False)
