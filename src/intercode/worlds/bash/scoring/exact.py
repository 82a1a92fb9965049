"""What the published reward of the Bash world should have been: the state and the answer, each compared in full.

No program is asked that the agent could have replaced. The reasons are in `docs/decisions/exact-scoring.md`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from posixpath import normpath

from intercode.rewards.core.answer import ExpectedAnswer, lines
from intercode.rewards.core.file_endings import BashEnding, FinalState, Gold
from intercode.types import Criteria, Score, Task
from intercode.worlds.bash.scoring.state import FileStateMatch, compare, work
from intercode_sandbox.sandbox import Change

EXPECTS = "expects"
"""The key in `Task.extra` that says `nothing` where the task is to change nothing and to say nothing."""

JUDGES = 10_000
"""Golds for which is remembered what they ask for."""

_MISSING_PROGRAM = re.compile(r": command not found$", re.MULTILINE)
_MISSING_FILE = re.compile(
    r"^(?:(?:xargs|gzip): [^:]{1,4096}|find: [\u2018'\"]?(?P<found>[^\n]{1,4096}?)[\u2019'\"]?)"
    r": No such file or directory$",
    re.MULTILINE,
)
"""What programs in a pipeline say whose input is not there; the exit status of a pipeline tells nothing of them."""


def exact(ending: BashEnding) -> Score:
    """Judge state and answer; `success` if all is as the gold left it, and then, only then, the value is 1.

    Parts: `state` (equal paths over all paths changed by either side) and `answer` (how much of the gold's standard
    output the last observation holds); each only where the gold gives something to compare. The task's criteria may
    widen or loosen what is compared. A task about both is worth their mean. Where the gold changes nothing, any change
    of the agent's halves the value. Doing nothing is worth 0, and so is everything where the gold fails or does nothing
    itself.
    """
    key = (ending.task.id, ending.task.gold)
    known = _judges.get(key)
    if known is None or (known.task, known.gold) != (ending.task, ending.gold):
        if len(_judges) >= JUDGES:
            _judges.clear()
        known = _judges[key] = ExactJudge(ending.task, ending.gold)
    return known.judge(ending.agent, acted=ending.acted)


@dataclass(frozen=True)
class ExactJudge:
    """Judges endings of one *task* by its *gold*'s, as `exact` says; what that wants is worked out once."""

    task: Task
    gold: Gold

    def judge(self, agent: FinalState, *, acted: bool = True) -> Score:
        """Return what is paid for what the *agent* left behind; *acted*: whether it ran anything at all."""
        if self.gold.failed:
            why = "did not end in its time" if self.gold.cut else "itself fails"
            return _nothing(f"the gold {why}: nothing can agree with it")
        if not self.has_work and not self.expected.lines:
            if self.task.extra.get(EXPECTS) == "nothing":
                return _silence(agent, self._compare(agent))
            return _nothing(
                "vacuous gold: it changes nothing and prints nothing, so nothing tells doing the task from not"
            )
        if not acted:
            return _nothing("nothing was run")
        return self._combine(agent.answer or "", self._compare(agent))

    @cached_property
    def work(self) -> Mapping[str, Change]:
        """Return what an agent has to change."""
        return work(self.gold.exact, self.gold.explicit_times)

    @cached_property
    def expected(self) -> ExpectedAnswer:
        """Return what an agent has to say."""
        return ExpectedAnswer.of(self.gold, self.task.criteria)

    @cached_property
    def has_work(self) -> bool:
        """Return whether the gold changes anything that an agent has to change as well."""
        return has_work(self.gold, self.task.criteria, self.work)

    def _compare(self, agent: FinalState) -> FileStateMatch:
        if agent.changes or agent.moved_to:
            return compare(self.gold, agent, self.task.criteria, self.work)
        return self._unchanged

    @cached_property
    def _unchanged(self) -> FileStateMatch:
        """Return how a state compares in which nothing was changed."""
        return compare(self.gold, FinalState(), self.task.criteria, self.work)

    def _combine(self, text: str, state: FileStateMatch) -> Score:
        answer = self.expected.match(text) if self.expected.lines else 1.0
        if self.has_work and self.expected.lines:
            value, parts = (state.part + answer) / 2, {"state": state.part, "answer": answer}
        elif self.has_work:
            value, parts = state.part, {"state": state.part}
        else:
            value, parts = answer if state.part == 1 else answer / 2, {"state": state.part, "answer": answer}
        said = () if answer == 1 else ("the answer differs",)
        volatile = ("the gold is volatile: another run of it may differ",) if self.gold.volatile else ()
        return Score(value, value == 1, parts, (*state.notes, *said, *volatile))


_judges: dict[tuple[str, str | None], ExactJudge] = {}


def has_work(gold: Gold, criteria: Criteria, done: Mapping[str, Change] | None = None) -> bool:
    """Return whether the gold changes anything that an agent has to change as well.

    Args:
        gold: The gold's endings.
        criteria: The task's.
        done: The gold's `work`, where the caller has it.
    """
    has_moved = criteria.working_directory and bool(gold.exact.moved_to)
    return has_moved or bool(work(gold.exact, gold.explicit_times) if done is None else done)


def gold_fails(gold: FinalState, errors: str) -> bool:
    """Return whether a gold's run shows only errors, as `Gold.failed` means it.

    No change and no output, but complaints.

    A gold also fails if it lacks a program (`command not found`), or if xargs, gzip or find do not find what they
    should work on, whatever it prints.
    """
    if _MISSING_PROGRAM.search(errors) or _lacks_file(gold, errors):
        return True
    return bool(lines(errors)) and not lines(gold.answer) and not work(gold)


def _lacks_file(gold: FinalState, errors: str) -> bool:
    """Return whether anything that should be there is not.

    `find` also misses folders that its own `-exec rm -r` has just removed, named as it was told where to begin.
    """
    removed = [change.path for change in gold.changes if change.after is None]
    for match in _MISSING_FILE.finditer(errors):
        name = match["found"]
        if name is None or not any(path.endswith(normpath(f"/{name.lstrip('/')}")) for path in removed):
            return True
    return False


def _silence(agent: FinalState, state: FileStateMatch) -> Score:
    """Return the judgement where the right thing is to change nothing and to say nothing."""
    is_silent = not lines(agent.answer)
    value = float(state.part == 1 and is_silent)
    said = () if is_silent else ("the answer should be empty",)
    return Score(value, value == 1, {"state": state.part, "answer": float(is_silent)}, (*state.notes, *said))


def _nothing(note: str) -> Score:
    return Score(0.0, success=False, notes=(note,))
