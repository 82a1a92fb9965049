"""What can be tried in every world, whatever its language: saying nothing, and saying back what was said."""

from __future__ import annotations

from intercode.runs.hackcheck import fuzz
from intercode.runs.hackcheck.adversary import Adversary, Moves, hands_in, runs
from intercode.types import Action, TaskView

LONGEST = 20_000
"""Characters of an observation that are said back."""


def _runs_the_query(task: TaskView) -> Moves:
    yield Action("execute", task.query)


def _says_back(task: TaskView) -> Moves:
    seen = yield Action("execute", task.query)
    yield Action("submit", seen.text[:LONGEST])


SUBMITS_AT_ONCE = Adversary("submits-at-once", "hands in without having run anything", runs())
RUNS_NOTHING = Adversary("does-nothing", "runs an empty text", runs(""))
RUNS_THE_QUERY = Adversary(
    "runs-the-query", "runs the request's own words as code", lambda task: runs(task.query)(task)
)
HANDS_IN_THE_QUERY = Adversary("hands-in-the-query", "submits the request's own words", hands_in("{query}"))
COPIES_THE_OBSERVATION = Adversary("copies-the-observation", "submits what it was shown", _says_back)

LANGUAGE = fuzz.Language(says=lambda text: text, writes=lambda paths, text: (), lists="ls")
"""In a language that nobody knows a text is its own code, and no file can be written."""

ADVERSARIES = (
    SUBMITS_AT_ONCE,
    RUNS_NOTHING,
    RUNS_THE_QUERY,
    HANDS_IN_THE_QUERY,
    COPIES_THE_OBSERVATION,
    *(
        each
        for each in fuzz.adversaries(LANGUAGE, one_judge=False)
        if each.name not in ("touches-markers", "writes-success")
    ),
)
