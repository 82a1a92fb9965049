"""One question, one answer, no look at anything: what the paper calls single turn, and seq2seq models can do too."""

from __future__ import annotations

import re
from typing import ClassVar

from intercode import world_specs
from intercode.agents.model_agents.model_agent import ModelAgent
from intercode.types import Action, Observation, Trajectory, Turn


class SingleTurnAgent(ModelAgent):
    """Runs the code of the first reply and hands in.

    With the parser `bare` a reply without a fence is code as a whole.
    """

    strategy: ClassVar[str] = "single_turn"
    parts: ClassVar[tuple[str, ...]] = ("system", "first", "no code")

    def decide(self, observation: Observation, reward: float) -> Action:
        """Return the code, then `submit`."""
        if self.dialogue.messages:
            return submit_last(observation, self.task.world)
        self.open(observation.text)
        return self.read(self.ask())

    def steps_to_show(self, episode: Trajectory) -> list[Turn]:
        """Return the last turn that ran code, which is the answer."""
        return [turn for turn in super().steps_to_show(episode) if turn.action.kind == "execute"][-1:]


def submit_last(observation: Observation, world: str) -> Action:
    """Return `submit`; where the world has an `answer_pattern`, with the first text like that in what was seen last.

    A function or a program needs no name: the world takes what was run last.
    """
    pattern = world_specs.find(world).answer_pattern
    found = re.search(pattern, observation.text) if pattern else None
    return Action("submit", found[0] if found else "")
