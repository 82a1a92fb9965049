"""Looks ahead: several actions are tried in branches of the state, and the best of them is taken.

What makes it cheap is that a state can be branched in milliseconds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import ClassVar

from intercode.agents.base import BranchResult
from intercode.agents.model_agents.message_history import truncate_messages
from intercode.agents.model_agents.model_agent import ModelAgent, count
from intercode.agents.parsers.default import without_thinking
from intercode.agents.parsers.parsed_reply import ParsedReply
from intercode.errors import ContextOverflowError, UserError
from intercode.types import Action, Observation, Trial
from intercode.types.conversation import Message, Reply

Candidate = tuple[Reply, ParsedReply, Action]

SHOWN = 1500
"""Characters of an outcome that are shown where one is to be chosen."""


class TreeSearchAgent(ModelAgent):
    """At every turn asks for `width` replies (3), tries the different actions among them, and takes the best.

    `judge=vote` lets the model choose, shown what each of them does. `judge=reward` takes the one with the world's
    highest reward: then what is measured is how far search gets with a perfect judge, not how good the agent is.
    Where a state cannot be branched it takes the first. Replies differ only where the model samples: give it
    `--model-option temperature=0.8` or so.
    """

    strategy: ClassVar[str] = "tree_search"
    wants_branches: ClassVar[bool] = True
    parts: ClassVar[tuple[str, ...]] = ("system", "first", "next", "choose", "no code")

    def __init__(self, *, width: str = "3", judge: str = "vote", **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._width = count("width", width)
        if self._width < 1:
            raise UserError("the agent option width starts at 1")
        if judge not in ("vote", "reward"):
            raise UserError(f"the agent option judge is vote or reward, not {judge!r}")
        self.sees_reward = judge == "reward"
        self._trials: tuple[Trial, ...] = ()

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Return what the candidates for the last action did, each in its branch."""
        return self._trials

    def decide(self, observation: Observation, reward: float) -> Action:
        """Return the best of some candidates."""
        self._trials = ()
        if not self.dialogue.messages:
            self.open(observation.text)
        elif self.sees_reward and reward == 1.0:
            return Action("submit")
        else:
            self.tell("next", observation=observation)
        candidates = self._candidates()
        reply, parsed, _ = candidates[self._best(candidates)]
        self._thought = "\n\n".join(filter(None, (reply.reasoning.strip(), parsed.thought)))
        self.dialogue.add(Message("assistant", without_thinking(reply.text) or reply.text))
        return self.take(reply, parsed.action)

    def _candidates(self) -> list[Candidate]:
        """Return the different actions among some replies; where none holds code, the first of them."""
        found: dict[Action, Candidate] = {}
        for _ in range(self._width):
            reply = self.ask()
            parsed = self.parse(reply)
            action = parsed.action or Action("nothing", self.prompt.part("no code"))
            found.setdefault(action, (reply, parsed, action))
        useful = [each for each in found.values() if each[2].kind != "nothing"]
        return useful or list(found.values())

    def _best(self, candidates: Sequence[Candidate]) -> int:
        if len(candidates) == 1:
            return 0
        if self.branches is None:
            raise UserError("tree search needs a world whose state can be branched, and this one cannot")
        try:
            trials = self.branches.try_out([action for _, _, action in candidates])
        except UserError:  # a state that cannot be branched (see `Env.save_state`): there is nothing to compare
            return 0
        if self.sees_reward:
            best = max(range(len(trials)), key=lambda at: trials[at].reward)
        else:
            best = self._chosen(candidates, trials)
        self._trials = tuple(
            Trial(action, trial.observation, trial.reward if self.sees_reward else None, trial.ended, place == best)
            for place, ((_, _, action), trial) in enumerate(zip(candidates, trials, strict=True))
        )
        return best

    def _chosen(self, candidates: Sequence[Candidate], trials: Sequence[BranchResult]) -> int:
        """Return what the model chooses; the first where its answer names none."""
        outcomes = [
            f"### {number}\n```\n{action}\n```\n{_describe_result(action, self.show_observation(trial.observation))}"
            for number, ((_, _, action), trial) in enumerate(zip(candidates, trials, strict=True), 1)
        ]
        before = list(self.dialogue.messages), list(self.dialogue.observed)
        self.tell("choose", candidates="\n\n".join(outcomes))
        try:
            answer = without_thinking(self.ask().text)
        except ContextOverflowError:  # too long to be compared: the first will do
            answer = ""
        finally:
            self.dialogue.messages, self.dialogue.observed = before
        numbers = [int(digits) for digits in re.findall(r"\d{1,9}", answer)]
        return next((number - 1 for number in numbers if 1 <= number <= len(candidates)), 0)


def _describe_result(action: Action, observation: str) -> str:
    return "ends the episode" if action.kind == "submit" else truncate_messages(observation, SHOWN)
