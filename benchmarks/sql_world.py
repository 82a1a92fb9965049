"""The SQL world beside the published way, on one server program: episodes, resets, loading, and tau beside scipy's."""

from __future__ import annotations

import os
import random
import tempfile
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from statistics import median
from typing import Any

from scipy.stats import kendalltau

from benchmarks import timing
from benchmarks.sql_episodes import QUERIES, Episode, endless
from benchmarks.sql_published import PUBLISHED, OneConnection, SqlPublished
from benchmarks.timing import Figures, summary, timed
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.types import Action
from intercode.types.databases import Database, DatabaseSource
from intercode.worlds.sql import SqlEnv, databases
from intercode.worlds.sql.databases.mysql import server_program
from intercode.worlds.sql.databases.mysql.driver import ServerAddress
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.template import template
from intercode.worlds.sql.scoring.kendall import tau

AT_ONCE = (1, 4)

THINKING = 1.0
"""Seconds between two writing episodes: less than any model takes."""


class SqlDesign:
    """One worker's episodes in our world; the database is shared with other workers."""

    def __init__(self, name: str, database: Database, dataset: SpiderDataset, found: list[Episode]) -> None:
        self.name, self.episodes = name, endless(found)
        self._env = SqlEnv(dataset, database=database)

    def reset(self) -> None:
        self.episode = next(self.episodes)
        self._env.start_episode(self.episode.task)

    def run(self, command: str) -> str:
        return self._env.take_action(Action("execute", self.episode.query(command))).observation.text

    def diff(self) -> float:
        """Return the reward: both scorings."""
        return self._env.take_action(Action("submit")).reward

    def close(self) -> None:
        self._env.end_episode()


def side_by_side(found: list[Episode], dataset: SpiderDataset, seconds: float) -> dict[str, Any]:
    """Return the designs in turns, episode by episode; then episodes per second of one worker and of four."""
    with ExitStack() as stack:
        server = stack.enter_context(databases.find("mysql"))
        sqlite = stack.enter_context(databases.find("sqlite"))
        address = stack.enter_context(_server(dataset.source(dataset[0])))
        shared, *own = (stack.enter_context(closing(OneConnection(address))) for _ in range(1 + max(AT_ONCE)))
        sides: dict[str, Callable[[str], SqlDesign | SqlPublished]] = {
            f"intercode, {server.version()}": lambda name: SqlDesign(name, server, dataset, found),
            f"intercode, {sqlite.version()}": lambda name: SqlDesign(name, sqlite, dataset, found),
            PUBLISHED: lambda name: SqlPublished(shared, found),
            "a connection for each worker, no reset": lambda name: SqlPublished(own.pop(), found, name),
        }
        designs = {name: [make(name) for _ in range(max(AT_ONCE))] for name, make in sides.items()}
        for workers in designs.values():  # golds are found once: by now they are
            for _ in found:
                timing.play(workers[0], QUERIES)
        one_each = [workers[0] for workers in designs.values()]
        parts = timing.interleave(one_each, rounds=len(found), seconds=seconds, commands=QUERIES)
        return {"parts": parts, "at once": _at_once(designs, found)}


def _at_once(
    designs: Mapping[str, Sequence[SqlDesign | SqlPublished]], found: list[Episode], rounds: int = 40
) -> dict[str, dict[str, Figures]]:
    """Episodes per second, as medians over rounds.

    In each round every worker of every design plays the same few episodes, since they differ more than designs do.
    `beside` is the share of the published way in the same round.
    """
    rates: dict[str, dict[str, list[tuple[float, float]]]] = {name: defaultdict(list) for name in designs}
    shuffler = random.Random(0)
    for number in range(rounds):
        few = found[number::rounds]
        for count in AT_ONCE:
            turns = shuffler.sample(list(designs), len(designs))
            rate = {name: _rate(designs[name][:count], few) for name in turns}
            for name in designs:
                rates[name][str(count)].append((rate[name], rate[name] / rate[PUBLISHED]))
    return {name: {count: _medians(pairs) for count, pairs in each.items()} for name, each in rates.items()}


def _rate(workers: Sequence[SqlDesign | SqlPublished], few: list[Episode]) -> float:
    """Episodes per second when each of *workers*, in a thread of its own, plays all of *few*."""

    def work(worker: SqlDesign | SqlPublished) -> None:
        worker.episodes = iter(few)
        for _ in few:
            timing.play(worker, QUERIES)

    with ThreadPoolExecutor(len(workers)) as crowd:
        started = time.perf_counter()
        list(crowd.map(work, workers))
        return len(workers) * len(few) / (time.perf_counter() - started)


def _medians(pairs: Sequence[tuple[float, float]]) -> Figures:
    return {"episodes_per_second": median(rate for rate, _ in pairs), "beside": median(share for _, share in pairs)}


@contextmanager
def _server(source: DatabaseSource) -> Iterator[ServerAddress]:
    """Provide a server with the same databases, as root: where the published way runs."""
    found = server_program.find()
    server = ServerProcess(found, template=template(found, source, lambda line: None).archive)
    try:
        yield server.address
    finally:
        server.close()


def resets(kind: str, dataset: SpiderDataset, rounds: int = 20) -> dict[str, Figures]:
    """Return a reset after an episode that read, and after one that wrote; and the first statement that writes.

    `spare` is that statement where a server or copy is ready, as it is when the agent has thought for a moment.
    """
    change, look = Action("execute", "DELETE FROM singer WHERE Age > 50"), Action("execute", "SELECT * FROM singer")
    times: dict[str, list[float]] = {"after reading": [], "after writing": [], "spare": [], "first look": []}
    with databases.find(kind) as database, SqlEnv(dataset, database=database) as env:
        task = dataset.find(0)
        env.start_episode(task)
        for _ in range(rounds):
            env.take_action(look)
            times["after reading"].append(timed(env.start_episode, task))
            times["first look"].append(timed(env.take_action, look))
            time.sleep(THINKING)
            times["spare"].append(timed(env.take_action, change))
            times["after writing"].append(timed(env.start_episode, task))
    return {name: summary(each) for name, each in times.items()}


def loading(kind: str, dataset: SpiderDataset) -> dict[str, float]:
    """Seconds until Spider can be opened: for the first time on a machine, and in every later process."""
    source = dataset.source(dataset[0])
    with tempfile.TemporaryDirectory() as empty, _cache_at(empty):
        return {which: _load(kind, source) for which in ("first", "later")}


def _load(kind: str, source: DatabaseSource) -> float:
    with databases.find(kind) as database:
        started = time.perf_counter()
        database.load(source)
        database.open(source, "concert_singer").close()
        return time.perf_counter() - started


@contextmanager
def _cache_at(folder: str) -> Iterator[None]:
    before = os.environ.get("INTERCODE_CACHE")
    os.environ["INTERCODE_CACHE"] = folder
    try:
        yield
    finally:
        del os.environ["INTERCODE_CACHE"]
        if before is not None:
            os.environ["INTERCODE_CACHE"] = before


def taus(lengths: Sequence[int] = (4, 40, 400)) -> dict[str, Figures]:
    """Milliseconds for Kendall's tau of two orders of as many rows, ours and scipy's."""
    found = {}
    for length in lengths:
        first = [f"({number}, 'row')" for number in range(length)]
        second = random.Random(length).sample(first, length)
        found[f"{length} rows"] = summary([timed(tau, first, second) for _ in range(100)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found[f"{length} rows, scipy"] = summary([timed(kendalltau, first, second) for _ in range(100)])
    return found
