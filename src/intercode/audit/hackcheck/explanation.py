"""What a task's holes are: one for each class of mistake, proved by the smallest moves that are paid."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from intercode.adversaries.hole_classes import NEVER_COMPARES, class_of
from intercode.audit.hackcheck.clock import Deadlines
from intercode.audit.hackcheck.paying_line import watch
from intercode.audit.hackcheck.shrink import shrink
from intercode.audit.hackcheck.verdict import AdversaryScore, Hole, TaskCheck
from intercode.types import Action

MOST = 3
"""Holes of one task that are made small; of a reward that pays for anything there is one of every class."""

LONGEST = 300
"""Characters of what a judge said."""

NO_DEADLINES = Deadlines()

Moves = tuple[Action, ...]
Play = Callable[[Sequence[Action], bool], tuple[bool, AdversaryScore]]
"""Plays actions as those of an adversary that guesses, or not: whether they are paid, and what they earn."""


@dataclass
class Explanations:
    """Explains the holes of a data set's tasks. What proves one is tried first on the next: most have one judge."""

    _proofs: dict[str, Moves] = field(default_factory=dict)

    def explain(
        self, check: TaskCheck, play: Play, reward_file: Path | None, deadlines: Deadlines = NO_DEADLINES
    ) -> tuple[Hole, ...]:
        """Return the holes of *check*.

        Args:
            check: A task with all that its adversaries earned.
            play: Plays moves on the task.
            reward_file: What judged, if that is a file of Python.
            deadlines: When holes are told without a proof, or with the smallest that was found until then.
        """
        found: list[Hole] = []
        for hole in _by_class(check, check.scoring):
            if any(_has(hole.moves, other.moves) for other in found):
                continue
            proved = hole
            if len(found) < MOST and not deadlines.no_more_proofs:
                proved = self._prove(hole, check, play, reward_file, deadlines)
            if not proved.moves:  # who is paid for nothing at all is paid for everything else too
                return (replace(proved, others=len(check.paid(check.scoring)) - 1),)
            if not any(_has(proved.moves, other.moves) for other in found):
                found.append(proved)
        return tuple(found)

    def _prove(self, hole: Hole, check: TaskCheck, play: Play, reward_file: Path | None, deadlines: Deadlines) -> Hole:
        guesses = next(each.guesses for each in check.adversaries if each.name == hole.adversary)
        is_paid = partial(_is_paid, play, guesses)
        moves = self._proofs.get(hole.adversary)
        if moves is None or not is_paid(moves):
            moves = hole.moves
            if not is_paid(moves):
                return replace(hole, why=f"not each time: {hole.why}" if hole.why else "not each time")
            moves = shrink(moves, lambda candidate: not deadlines.no_more_proofs and is_paid(candidate))
            self._proofs[hole.adversary] = moves
        with watch(reward_file) as line:
            _, score = play(moves, guesses)
        why = line.text or _said(score, check.scoring)
        value = score.value(check.scoring) or hole.value
        file = str(line.file) if line.line else ""
        kind = hole.kind if moves else NEVER_COMPARES
        return replace(hole, moves=moves, kind=kind, value=value, why=why, file=file, line=line.line)


def _is_paid(play: Play, guesses: bool, moves: Sequence[Action]) -> bool:
    return play(moves, guesses)[0]


def _has(moves: Moves, part: Moves) -> bool:
    """Return whether each of *part* stands somewhere in *moves*, which then prove nothing new."""
    return all(any(each.text in action.text for action in moves) for each in part)


def _by_class(check: TaskCheck, scoring: str) -> Iterator[Hole]:
    """Yield one hole for each class of mistake: that of whoever earned most."""
    kinds: dict[str, list[AdversaryScore]] = {}
    for each in check.paid(scoring):
        kinds.setdefault(class_of(each.name).name, []).append(each)
    for paid in kinds.values():
        best = max(paid, key=lambda each: each.value(scoring))
        about = best.about if best.attempts > 1 else ""
        kind, value = class_of(best.name), best.value(scoring)
        moves = tuple(action for action in best.moves if action.kind == "execute" or action.text)
        yield Hole(best.name, value, moves, _said(best, scoring), kind, about, len(paid) - 1)


def _said(score: AdversaryScore, scoring: str) -> str:
    """Return what the judge said, on one line."""
    notes = () if score.scores is None else score.scores[scoring].notes
    return "; ".join(" ".join(note.split()) for note in notes)[:LONGEST]
