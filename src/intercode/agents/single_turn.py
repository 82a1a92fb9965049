"""One question, one answer, no look at anything: what the paper calls single turn, and seq2seq models can do too."""

from __future__ import annotations

import re
from typing import ClassVar

from intercode.agents.core.model_agent import ModelAgent
from intercode.types import Action, Observation

FUNCTION = re.compile(r"^def\s+(\w+)\s*\(", re.MULTILINE)


class SingleTurnAgent(ModelAgent):
    """Runs the code of the first reply and hands in. A reply without a fence is code as a whole."""

    strategy: ClassVar[str] = "single_turn"
    parts: ClassVar[tuple[str, ...]] = ("system", "first", "no code")

    def decide(self, observation: Observation, reward: float) -> Action:
        """The code, then `submit`."""
        if self.dialogue.messages:
            return handed_in(self.last, self.task.world)
        self.open(observation.text)
        return self.read(self.ask())


def handed_in(action: Action, world: str) -> Action:
    """`submit`, with the function that the code defines last where a world wants one named."""
    functions = FUNCTION.findall(action.text) if world == "python" else []
    return Action("submit", functions[-1] if functions else "")
