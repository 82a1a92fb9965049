"""How the published benchmark runs SQL: one connection for agent and gold, never reset, a reward by scipy.

What is in its favour: the server is in memory, and what the client does beside its statements is left out.
"""

from __future__ import annotations

import math
import threading
import warnings
from collections import Counter
from typing import Any

from scipy.stats import kendalltau

from benchmarks.sql_episodes import Episode, endless
from intercode.worlds.sql.databases.mysql.driver import ServerAddress

Rows = list[tuple[Any, ...]] | None


class OneConnection:
    """The connection that all workers share; an episode has it to itself."""

    def __init__(self, address: ServerAddress) -> None:
        import pymysql

        self.turn = threading.Lock()
        self.connection = pymysql.connect(
            user=address.user, unix_socket=address.socket, charset="utf8mb4", autocommit=True
        )

    def rows(self, statement: str) -> Rows:
        """Return what `fetchall` gives; None for an error."""
        import pymysql

        with self.connection.cursor() as cursor:
            try:
                cursor.execute(statement)
                return list(cursor.fetchall()) if cursor.description else None
            except pymysql.err.MySQLError:
                return None

    def close(self) -> None:
        self.connection.close()


PUBLISHED = "published way: one connection, no reset"


class SqlPublished:
    """One worker's episodes, on a connection that others may share."""

    def __init__(self, shared: OneConnection, found: list[Episode], name: str = PUBLISHED) -> None:
        self.name, self._shared, self.episodes = name, shared, endless(found)
        self._last: Rows = None

    def reset(self) -> None:
        self._shared.turn.acquire()
        self.episode = next(self.episodes)
        self._shared.connection.select_db(self.episode.database)

    def run(self, command: str) -> str:
        self._last = self._shared.rows(self.episode.query(command))
        return str(self._last)

    def diff(self) -> float:
        """Return the reward."""
        return reward(self._last, self._shared.rows(self.episode.task.gold or "") or [])

    def close(self) -> None:
        self._shared.turn.release()


def reward(agent: Rows, gold: list[tuple[Any, ...]]) -> float:
    """Intersection over union of the rows, times Kendall's tau of those that both have, by scipy as published."""
    if agent is None:
        return 0.0
    mine, right = list(map(str, agent)), list(map(str, gold))
    common = Counter(mine) & Counter(right)
    union = len(mine) + len(right) - common.total()
    share = common.total() / union if union else 1.0
    if not common:
        return share
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of too few rows
        tau = float(kendalltau(_cut(mine, common), _cut(right, common)).statistic)
    return share if math.isnan(tau) else round(tau * share, 2)


def _cut(rows: list[str], common: Counter[str]) -> list[str]:
    left = Counter(common)
    rest = []
    for row in rows:
        if left[row]:
            left[row] -= 1
            rest.append(row)
    return rest
