"""Like ReAct, with a prompt of one line: for small models that are trained to answer so."""

from __future__ import annotations

from typing import ClassVar

from intercode.agents.model_agents.model_agent import ModelAgent
from intercode.types import Action, Observation


class CompactAgent(ModelAgent):
    """Runs the code of each reply and shows what it printed. The model says itself when it is done.

    The prompt names nothing but the form of a reply, so that little is read before each answer. A model that was not
    trained on it (`intercode export --as compact`) will not know what is asked for.
    """

    strategy: ClassVar[str] = "compact"

    def decide(self, observation: Observation, reward: float) -> Action:
        """Return the next action that the model decides on."""
        if self.dialogue.messages:
            self.tell("next", observation=observation)
        else:
            self.open(observation.text)
        return self.read(self.ask())
