"""How an episode ended: compared with the gold's own endings, and as what it earned."""

from __future__ import annotations

import re
from dataclasses import dataclass

from intercode.adversaries.adversary import Adversary
from intercode.audit.hackcheck.final_files import FinalFiles
from intercode.audit.hackcheck.verdict import AdversaryScore
from intercode.errors import RewardError
from intercode.types import Trajectory


@dataclass(frozen=True, slots=True)
class AttackEnding:
    """What an episode left: its last code and what that showed, what was handed in, and the state."""

    code: str
    shown: str
    handed_in: str
    state: str
    files: FinalFiles | None = None
    begun: str = ""
    """The state in which the episode began; "" where that is not known."""

    @staticmethod
    def of(played: Trajectory, files: FinalFiles | None = None) -> AttackEnding:
        """Return how *played* ended; *files* are those that it left, where nothing else is judged."""
        shown = [turn.observation.text for turn in played.turns if turn.action.kind == "execute"]
        handed_in = [turn.action.text for turn in played.turns if turn.action.kind == "submit"]
        state = played.turns[-1].state_hash if played.turns else ""
        ran = [turn.action.text for turn in played.turns if turn.action.kind == "execute"]
        code = " ".join(re.sub("[`;\"']", " ", "".join(ran[-1:])).casefold().split())
        return AttackEnding(code, " ".join("".join(shown[-1:]).split()), "".join(handed_in[-1:]), state, files)

    def earns(self, gold: AttackEnding, adversary: Adversary) -> bool:
        """Return whether it is the *gold*'s own work, or, where that counts as luck for an *adversary*, ends alike."""
        if self.ran(gold):
            return True
        has_said_so = not adversary.uses_words_of_golds or _words(self.code) <= _words(gold.code)
        return adversary.may_be_right and has_said_so and self.is_like(gold)

    def ran(self, gold: AttackEnding) -> bool:
        """Return whether it ended with the gold's own code, but for case, blanks and quotes, in the gold's state."""
        return self.code == gold.code != "" and self.state == gold.state

    def is_like(self, gold: AttackEnding) -> bool:
        """Return whether it says the same, and leaves the same.

        What a gold hands in is all that it says: a flag, often. Where nothing but files is judged it is enough to have
        the gold's.
        """
        if self.files is not None and gold.files is not None:
            return self.files.has_all_of(gold.files)
        if self.state != gold.state:
            return False
        if gold.handed_in:
            return self.handed_in == gold.handed_in
        return self.shown == gold.shown or gold.is_silent_work

    @property
    def is_silent_work(self) -> bool:
        """Return whether it changed the state and showed nothing: then what is said besides is no part of the work."""
        return not self.shown and self.begun not in ("", self.state)


def _words(code: str) -> set[str]:
    return set(re.findall(r"\w+", code))


def score_of(played: Trajectory) -> AdversaryScore:
    """Return what an episode earned; that the reward failed is no fault of the machine's."""
    failed = played.error.startswith(f"{RewardError.__name__}: ")
    failures = (played.error.partition(": ")[2],) if failed else ()
    error = "" if failed else played.error
    moves = tuple(turn.action for turn in played.turns)
    return AdversaryScore(played.agent, played.scores, error, reward_failures=failures, moves=moves)


def rank(earning: AdversaryScore, scoring: str) -> tuple[bool, float]:
    """Return what succeeds wrongly comes first, then what earns most."""
    return earning.succeeds(scoring) and not earning.is_right, earning.value(scoring)
