"""What the gold and the adversaries earned, and whether any adversary was paid."""

from __future__ import annotations

from dataclasses import dataclass

from intercode.adversaries.hole_classes import HoleClass
from intercode.types import Action, Scores
from intercode.types.gold_warnings import GoldWarning


@dataclass(frozen=True, slots=True)
class AdversaryScore:
    """What one player got for one episode; no `scores` where it was not judged, for the reason in `error`.

    `guesses`: see `Adversary`. Where an adversary made several `attempts` this is the best of them, which is told in
    `about`. `is_right`: it is paid, but ends as the gold does, so that the reward is right to pay.
    """

    name: str
    scores: Scores | None
    error: str = ""
    guesses: bool = False
    attempts: int = 1
    about: str = ""
    is_right: bool = False
    reward_failures: tuple[str, ...] = ()
    """How often, and by what, the tasks' own reward failed: each time what was tried, and what the reward raised."""

    moves: tuple[Action, ...] = ()
    """The actions of the episode."""

    right: int = 0
    """How many of its attempts ended as the gold does, and succeeded."""

    is_cut: bool = False
    """Whether time ran out before its last attempt."""

    def value(self, scoring: str) -> float:
        """Return the reward; 0 where nothing was judged."""
        score = (self.scores or {}).get(scoring)
        return 0.0 if score is None else score.value

    def succeeds(self, scoring: str) -> bool:
        """Return whether it passes for having met the request."""
        score = (self.scores or {}).get(scoring)
        return score is not None and score.success

    def is_paid(self, scoring: str, allowed: float) -> bool:
        """Return whether it got more than it may: what is *allowed*, or, where it guesses, all but a success."""
        if self.is_right:
            return False
        return self.succeeds(scoring) if self.guesses else self.value(scoring) > allowed


@dataclass(frozen=True, slots=True)
class Hole:
    """A way to be paid for no work.

    Attributes:
        adversary: Who found it.
        value: What it earns.
        moves: The smallest actions that are paid, and that whoever plays them is paid for.
        why: What judged them, as far as that can be seen: the line of the reward's file, or what the judge said.
        kind: The class of the mistake.
        about: Which attempt of the adversary it was; "" where it makes one.
        others: How many more adversaries are paid for a mistake of the same class.
        file: The file of the reward, where the line that paid can be seen; else "".
        line: That line; 0 where it cannot be seen.
    """

    adversary: str
    value: float
    moves: tuple[Action, ...]
    why: str
    kind: HoleClass
    about: str = ""
    others: int = 0
    file: str = ""
    line: int = 0


@dataclass(frozen=True, slots=True)
class TaskCheck:
    """One task: what its gold earned each time that it was played, and what each adversary did.

    `scoring` is the one that counts, and `allowed` what an adversary may earn, as partly right answers do in rewards
    that pay for them. `warnings` are hints to read a gold; they count for nothing.
    """

    task: str
    gold: tuple[AdversaryScore, ...]
    adversaries: tuple[AdversaryScore, ...]
    scoring: str = "exact"
    allowed: float = 0.0
    warnings: tuple[GoldWarning, ...] = ()
    shares: bool = False
    """Whether it had only its share of the generic attempts."""

    holes: tuple[Hole, ...] = ()
    """What is proved of those who are paid."""

    skipped: tuple[str, ...] = ()
    """The adversaries that did not play, or not to the end.

    Time had run out, the gold was not judged, or one that was paid was enough.
    """

    def gold_is_right(self, scoring: str) -> bool:
        """Return whether the gold succeeds every time, or there is none."""
        return all(each.succeeds(scoring) for each in self.gold)

    def why_gold_is_wrong(self, scoring: str) -> str:
        """Return what the judge says to the first time that it does not succeed; "" where it always does."""
        wrong = next((each for each in self.gold if not each.succeeds(scoring)), None)
        if wrong is None:
            return ""
        score = (wrong.scores or {}).get(scoring)
        notes = () if score is None else score.notes
        said = wrong.error or "; ".join([*wrong.reward_failures[:1], *notes[-1:]])
        return said or f"{wrong.name} earns {wrong.value(scoring):.2f}"

    def paid(self, scoring: str) -> tuple[AdversaryScore, ...]:
        """Return the adversaries that got more than they may: *allowed*, or, where they guess, all but a success."""
        return tuple(each for each in self.adversaries if each.is_paid(scoring, self.allowed))

    def is_checked(self, scoring: str) -> bool:
        """Return whether right work was seen to be paid; where there is no gold, whether anything was judged.

        Who pays for nothing at all, whatever is done, pays no adversary either.
        """
        scores = self.gold or self.adversaries
        return any(each.succeeds(scoring) if self.gold else each.scores is not None for each in scores)

    @property
    def is_judged(self) -> bool:
        """Return whether anything judges it.

        Not a task without a gold, unless its data set brings a reward of its own.
        """
        return any(each.scores is not None or each.reward_failures for each in (*self.gold, *self.adversaries))

    def is_usable(self, scoring: str) -> bool:
        """Return whether it can be solved for sure: it is judged, and the gold, if there is one, succeeds each time."""
        return self.is_judged and self.gold_is_right(scoring)

    def passes(self, scoring: str) -> bool:
        """Return whether it is usable and no adversary that was tried is paid: others might be."""
        return self.is_usable(scoring) and not self.paid(scoring) and not (self.error or self.reward_failures)

    @property
    def reward_failures(self) -> tuple[tuple[str, str], ...]:
        """Return who made the tasks' own reward fail, and how."""
        return tuple((each.name, how) for each in (*self.gold, *self.adversaries) for how in each.reward_failures)

    @property
    def is_good(self) -> bool:
        """Return whether it passes under the scoring that counts."""
        return self.passes(self.scoring)

    @property
    def attempts(self) -> int:
        """Return how many episodes the adversaries played."""
        return sum(each.attempts for each in self.adversaries)

    @property
    def error(self) -> str:
        """The first failure of the machine, "" where there was none."""
        return next((f"{each.name}: {each.error}" for each in (*self.gold, *self.adversaries) if each.error), "")
