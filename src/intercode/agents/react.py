"""ReAct: a thought, an action, what is observed, and again; the model says itself when it is done.

S. Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models", ICLR 2023.
"""

from __future__ import annotations

from typing import ClassVar

from intercode.agents.core.model_agent import ModelAgent
from intercode.types import Action, Observation


class ReactAgent(ModelAgent):
    """Thinks, acts, observes. No reward is shown. Few-shot demonstrations come from `demos`."""

    strategy: ClassVar[str] = "react"

    def decide(self, observation: Observation, reward: float) -> Action:
        """The next action that the model decides on."""
        if self.dialogue.messages:
            self.tell("next", observation=observation)
        else:
            self.open(observation.text)
        return self.read(self.ask())

    def write_turn(self, thought: str, action: Action) -> str:
        """As `Thought: … Action: …`."""
        code = str(action) if action.kind != "execute" else f"execute[{action}]"
        return f"Thought: {thought or '…'}\nAction: {code}"
