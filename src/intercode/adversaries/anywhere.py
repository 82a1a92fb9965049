"""What can be tried in every world, whatever its language: saying nothing, and saying back what was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from intercode.adversaries import fuzz
from intercode.adversaries.adversary import Adversary, Attempt, Moves, fuzzer, hands_in, runs
from intercode.adversaries.clues import Clues
from intercode.types import Action, TaskView
from intercode.world_specs import WorldSpec

LONGEST = 20_000
"""Characters of an observation that are said back."""


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

UNKNOWN = ("touches-markers", "writes-success")
"""What takes a language that can write files; a world that has one names adversaries of its own."""


def adversaries(world: WorldSpec) -> tuple[Adversary, ...]:
    """Return what needs no knowledge of a *world*, and what its description offers.

    How to look, and how to say something.
    """
    language = fuzz.Language(
        says=world.says, writes=lambda paths, text: (), lists=next(iter(world.reading_actions), "ls")
    )
    return (
        SUBMITS_AT_ONCE,
        RUNS_NOTHING,
        RUNS_THE_QUERY,
        HANDS_IN_THE_QUERY,
        COPIES_THE_OBSERVATION,
        *([_reader(world.reading_actions)] if world.reading_actions else []),
        *(each for each in fuzz.adversaries(language, one_judge=False) if each.name not in UNKNOWN),
    )


def _reader(actions: Sequence[str]) -> Adversary:
    """Make an adversary that runs each of *actions* and submits its output, then all of them together."""

    def tries(task: TaskView, clues: Clues) -> Iterator[Attempt]:
        for action in actions:
            yield f"hands in what {action[:40]!r} shows", partial(_hand_in_what_is_shown, (action,))
        yield "hands in all that can be read", partial(_hand_in_what_is_shown, actions)

    return fuzzer("prints-what-is-there", "looks around, and hands in what it saw", tries)


def _hand_in_what_is_shown(actions: Sequence[str], task: TaskView) -> Moves:
    shown = ""
    for action in actions:
        shown += (yield Action("execute", action)).text
    yield Action("submit", shown[:LONGEST])
