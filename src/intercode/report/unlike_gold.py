"""What was paid and is not the gold: where a task asks too little, this shows it in any run."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from typing import Any

from intercode import world_specs
from intercode.report.table import Column, Table
from intercode.runs import factories
from intercode.runs.manifest import settings_here
from intercode.runs.store import StoredRun
from intercode.runs.trust import guarded
from intercode.types import Task, Trajectory

COLUMNS = (Column("task"), Column("likeness", "share"), Column("paid", "count"), Column("gold"), Column("was paid"))

NOTE = "likeness: how many of their words both have in order, of all; the least alike stand first. Read these tasks"


@dataclass(frozen=True, slots=True)
class Unlike:
    """A way other than the gold in which a task was solved.

    Attributes:
        task: Its id.
        gold: The gold that is most like what was paid.
        code: What was paid: all code of the episode, a line each.
        episodes: How many episodes were paid for this code.
        likeness: How many words of both stand in both in the same order, of all words, from 0 to 1.
    """

    task: str
    gold: str
    code: str
    episodes: int
    likeness: float

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        return asdict(self)


def unlike_gold(episodes: Iterable[Trajectory], tasks: Mapping[str, Task], scoring: str) -> tuple[Unlike, ...]:
    """Return what *episodes* were paid for and no gold says, the least like a gold first.

    An episode that ran a gold among other code is left out, and so are tasks whose gold is no code.

    Args:
        episodes: Of one run or of several.
        tasks: By id, with their golds.
        scoring: By which an episode was paid: its judgement is a success.
    """
    found: dict[tuple[str, str], int] = defaultdict(int)
    for episode in episodes:
        task = tasks.get(episode.task.id)
        if task is None or task.gold is None or world_specs.find(task.world).gold_is_answer:
            continue
        code = [turn.action.text.strip() for turn in episode.turns if turn.action.kind == "execute"]
        is_paid = episode.scores is not None and scoring in episode.scores and episode.scores[scoring].success
        if is_paid and not {_plain(each) for each in code} & {_plain(gold) for gold in _golds(task)}:
            found[task.id, "\n".join(code)] += 1
    told = [_compare(tasks[name], code, count) for (name, code), count in found.items()]
    return tuple(sorted(told, key=lambda each: (each.likeness, each.task, each.code)))


def of_runs(runs: Iterable[StoredRun], scoring: str | None, unsafe: bool = False) -> tuple[Unlike, ...]:
    """Return the same for stored runs, whose data sets are loaded for their golds.

    Args:
        runs: With all that was done in them, not outlines.
        scoring: See `unlike_gold`. None: what leads each run.
        unsafe: Whether a data set may be loaded that is somebody's code.

    Raises:
        UnsafeError: If one is, and *unsafe* does not allow it.
        UserError: If a data set cannot be loaded.
    """
    found: list[Unlike] = []
    for run in runs:
        dataset = factories.load(guarded(settings_here(run.manifest, run.path), unsafe))
        tasks = {task.id: task for task in dataset}
        found += unlike_gold(run.episodes, tasks, scoring or run.manifest.leading_reward)
    return tuple(sorted(found, key=lambda each: (each.likeness, each.task, each.code)))


def make_table(found: Sequence[Unlike]) -> Table:
    """Lay out what `unlike_gold` found, a line for each."""
    rows = tuple((each.task, each.likeness, each.episodes, each.gold, each.code) for each in found)
    return Table("paid, but not the gold", COLUMNS, rows, NOTE)


def _golds(task: Task) -> tuple[str, ...]:
    return (*((task.gold,) if task.gold is not None else ()), *task.alternative_golds)


def _plain(code: str) -> str:
    """Return *code* without what makes no difference: blanks, and a semicolon at its end."""
    return " ".join(code.split()).rstrip("; ")


def _words(code: str) -> list[str]:
    return re.findall(r"\w+|[^\w\s]", code)


def _compare(task: Task, code: str, episodes: int) -> Unlike:
    words = _words(code)
    likeness, gold = max(
        (SequenceMatcher(None, words, _words(gold), autojunk=False).ratio(), gold) for gold in _golds(task)
    )
    return Unlike(task.id, gold, code, episodes, likeness)
