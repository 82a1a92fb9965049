"""What we aim at, beside what was measured: the first table of the page."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from benchmarks.page.tables import number, table

Figures = Mapping[str, Any]
OURS, BARE, PUBLISHED = "intercode, embedded", "bare bash", "docker, published way"
TASKS, ECHO = "five tasks' commands", "five times `echo hi`"


@dataclass(frozen=True, slots=True)
class Aim:
    """A *bound* on a measured *value*, which is at most that or, with *at_least*, no less."""

    text: str
    value: Callable[[Figures], float]
    bound: float
    unit: str = ""
    at_least: bool = False

    def row(self, figures: Figures) -> list[str]:
        """Return the aim, the value, and whether it is met."""
        value = self.value(figures)
        met = value >= self.bound if self.at_least else value <= self.bound
        sign = "≥" if self.at_least else "≤"
        return [
            self.text,
            f"{sign} {self.bound:g}{self.unit}",
            f"{number(value)}{self.unit}",
            "yes" if met else "**no**",
        ]


def _beside(kind: str, count: str, design: str) -> Callable[[Figures], float]:
    """Return how many times another design's episodes a second ours are, so many at once."""

    def value(figures: Figures) -> float:
        found = figures[f"{kind}, at once"]
        ours, theirs = (found[name][count]["episodes_per_second"] for name in (OURS, design))
        return float(ours / theirs)

    return value


def _peer(figures: Figures) -> float:
    found = figures["peers"]["in Docker, five tasks' commands"]
    return float(found["Inspect, docker sandbox"]["episode"]["median"] / found[OURS]["episode"]["median"])


def _worst_branch(call: str) -> Callable[[Figures], float]:
    return lambda figures: max(each[call]["median"] for each in figures["branches"].values())


def _own(name: str) -> Callable[[Figures], float]:
    return lambda figures: float(figures["own time"][name]["median"])


def _best_share(figures: Figures) -> float:
    found = figures["threads"]
    return float(found["64"] / max(found.values()))


def _two_processes(figures: Figures) -> float:
    one, two = (figures["processes"][count]["episodes_per_second"] for count in ("1", "2"))
    return float(two / one)


def _sql(database: str, count: str) -> Callable[[Figures], float]:
    def value(figures: Figures) -> float:
        found = figures["sql"]["at once"]
        return float(next(each for name, each in found.items() if database in name)[count]["beside"])

    return value


AIMS = (
    Aim("reset", lambda figures: figures[ECHO][OURS]["reset"]["median"], 5, " ms"),
    Aim(
        "an episode's time beside bare `bash -c`, tasks' commands",
        lambda figures: 1 / _beside(TASKS, "1", BARE)(figures),
        1.1,
        " times",
    ),
    Aim(
        "an episode's time beside bare `bash -c`, `echo hi`",
        lambda figures: 1 / _beside(ECHO, "1", BARE)(figures),
        1.1,
        " times",
    ),
    Aim(
        "episodes beside the published way, tasks' commands",
        _beside(TASKS, "1", PUBLISHED),
        16,
        " times",
        at_least=True,
    ),
    Aim("episodes beside the published way, `echo hi`", _beside(ECHO, "1", PUBLISHED), 25, " times", at_least=True),
    Aim("the same, 32 at once", _beside(ECHO, "32", PUBLISHED), 30, " times", at_least=True),
    Aim("an episode beside Inspect's docker sandbox", _peer, 20, " times", at_least=True),
    Aim("our own processor time, a scored Bash episode", _own("scored episode"), 0.8, " ms"),
    Aim("our own processor time, a step", _own("step"), 0.15, " ms"),
    Aim("64 threads beside the best number of threads", _best_share, 0.95, " times", at_least=True),
    Aim("two processes beside one, on two cores", _two_processes, 0.97, " times", at_least=True),
    Aim("memory for each further session", lambda figures: figures["memory"]["megabytes_each"], 1, " MB"),
    Aim("`intercode --help`", lambda figures: figures["help"]["median"], 200, " ms"),
    Aim("SQL on MariaDB beside the published way, 1 worker", _sql("MariaDB", "1"), 1, " times", at_least=True),
    Aim("SQL on MariaDB beside the published way, 4 workers", _sql("MariaDB", "4"), 1, " times", at_least=True),
    Aim("SQL on SQLite beside the published way, 1 worker", _sql("SQLite", "1"), 1, " times", at_least=True),
    Aim("SQL on SQLite beside the published way, 4 workers", _sql("SQLite", "4"), 1, " times", at_least=True),
    Aim("reset in Python", lambda figures: figures["python steps"]["reset"]["median"], 10, " ms"),
    Aim("`1 + 1` in Python", lambda figures: figures["python steps"]["1 + 1"]["median"], 2, " ms"),
    Aim(
        "scored MBPP episodes a second",
        lambda figures: max(each["episodes_per_second"] for each in figures["scored MBPP episodes"]),
        30,
        at_least=True,
    ),
    *(
        Aim(f"`{call}` of a small state, the slowest world", _worst_branch(call), 5, " ms")
        for call in ("snapshot", "restore", "fork")
    ),
    Aim(
        "64 model turns at once: share of the ideal",
        lambda figures: figures["models"]["at_once"]["share_of_ideal"],
        0.9,
        at_least=True,
    ),
    Aim(
        "a report on 10 000 episodes",
        lambda figures: max(each["median"] for each in figures["reports"].values()),
        2,
        " s",
    ),
)


def aims(figures: Figures) -> str:
    """Return all of them."""
    return table(["aim", "at", "measured", "met"], [aim.row(figures) for aim in AIMS])
