"""One question, one answer, no look at anything: what the paper calls single turn, and seq2seq models can do too."""

from __future__ import annotations

import re
from typing import ClassVar

from intercode.agents.core.model_agent import ModelAgent
from intercode.types import Action, Observation

FLAG = re.compile(r"\w+\{[^{}\n]+\}")


class SingleTurnAgent(ModelAgent):
    """Runs the code of the first reply and hands in. A reply without a fence is code as a whole."""

    strategy: ClassVar[str] = "single_turn"
    parts: ClassVar[tuple[str, ...]] = ("system", "first", "no code")

    def decide(self, observation: Observation, reward: float) -> Action:
        """The code, then `submit`."""
        if self.dialogue.messages:
            return handed_in(observation, self.task.world)
        self.open(observation.text)
        return self.read(self.ask())


def handed_in(observation: Observation, world: str) -> Action:
    """`submit`; where a flag is wanted with the first text that looks like one in what was seen last.

    A function or a program needs no name: the world takes what was run last.
    """
    found = FLAG.search(observation.text) if world == "ctf" else None
    return Action("submit", found[0] if found else "")
