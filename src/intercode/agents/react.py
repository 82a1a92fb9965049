"""ReAct: a thought, an action, what is observed, and again; the model says itself when it is done.

S. Yao et al., "ReAct: Synergizing Reasoning and Acting in Language Models", ICLR 2023.
"""

from __future__ import annotations

from typing import ClassVar

from intercode.agents.model_agents.model_agent import ModelAgent
from intercode.types import Action, Observation


class ReactAgent(ModelAgent):
    """Thinks, acts, observes. No reward is shown. Few-shot demonstrations come from `demos`."""

    strategy: ClassVar[str] = "react"
    stops: ClassVar[tuple[str, ...]] = ("\nObservation:",)

    def decide(self, observation: Observation, reward: float) -> Action:
        """Return the next action that the model decides on."""
        if self.dialogue.messages:
            self.tell("next", observation=observation)
        else:
            self.open(observation.text)
        return self.read(self.ask())

    def write_turn(self, thought: str, action: Action) -> str:
        """As `Thought: … Action: …`."""
        before = f"Thought: {thought}\n" if thought else ""
        return f"{before}Action:{chr(10) if action.kind == 'execute' else ' '}{self.write_action(action)}"

    def write_paper_turn(self, thought: str, action: Action) -> str:
        """As `Thought: … Action: execute[…]`."""
        code = str(action) if action.kind != "execute" else f"execute[{action}]"
        return f"Thought: {thought or '…'}\nAction: {code}"
