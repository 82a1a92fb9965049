"""Plan and solve: first a plan in numbered steps, then an action for each of them, then perhaps a few more tries.

L. Wang et al., "Plan-and-Solve Prompting", ACL 2023; steps as in the paper's harness.
"""

from __future__ import annotations

import re
from collections import deque
from typing import ClassVar

from intercode.agents.model_agents.model_agent import ModelAgent, count
from intercode.agents.parsers.default import without_thinking
from intercode.agents.single_turn import submit_last
from intercode.types import Action, Observation, TaskView, Trajectory
from intercode.types.conversation import Message

STEP = re.compile(r"^[ \t*]*\d+[.)][ \t*]+(.+?)(?=^[ \t*]*\d+[.)][ \t*]+|\Z)", re.MULTILINE | re.DOTALL)


class PlanSolveAgent(ModelAgent):
    """Asks for a plan, then for the code of each step. It hands in when the steps are done, or the reward is 1.

    `refine=N` gives it up to N further tries after the last step, in which it is shown the reward. `steps` is the most
    steps that are taken from a plan (20).
    """

    strategy: ClassVar[str] = "plan_solve"
    sees_reward = True
    parts: ClassVar[tuple[str, ...]] = ("system", "first", "step", "refine", "no code")

    def __init__(self, *, refine: str = "0", steps: str = "20", **options: object) -> None:
        super().__init__(**options)  # type: ignore[arg-type]
        self._tries, self._most = count("refine", refine), count("steps", steps)

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin without a plan."""
        super().reset(task, seed=seed, gold=gold)
        self._steps: deque[str] = deque()
        self._left = self._tries

    def decide(self, observation: Observation, reward: float) -> Action:
        """Return the code of the next step; a further try; or `submit`."""
        if not self.dialogue.messages:
            self._plan(observation)
            self.tell("step", observation=Observation("(this is the first)"), step=self._steps.popleft())
        elif reward == 1.0:
            return submit_last(observation, self.task.world)
        elif self._steps:
            self.tell("step", observation=observation, step=self._steps.popleft())
        elif self._left:
            self._left -= 1
            self.tell("refine", observation=observation, reward=f"{reward:g}")
        else:
            return submit_last(observation, self.task.world)
        return self.read(self.ask())

    def demonstrate(self, episode: Trajectory) -> list[Message]:
        """Return *episode* as a plan, whose steps are its thoughts, and the code of each step."""
        found = self.steps_to_show(episode)
        steps = [" ".join(turn.thought.split()) or f"Run {str(turn.action).splitlines()[0]}" for turn in found]
        plan = "\n".join(f"{number}. {step}" for number, step in enumerate(steps, 1))
        messages = [Message("user", self.prompt.part("first", query=episode.task.query)), Message("assistant", plan)]
        shown = "(this is the first)"
        for step, turn in zip(steps, found, strict=True):
            messages.append(Message("user", self.prompt.part("step", observation=shown, step=step)))
            messages.append(Message("assistant", self.write_action(turn.action)))
            shown = self.show_observation(turn.observation)
        return messages

    def _plan(self, observation: Observation) -> None:
        """Ask for the plan; where no steps can be told apart, the whole of it is one."""
        self.open(observation.text)
        reply = self.ask()
        self._note, plan = self.cut_note(reply), without_thinking(reply.text)
        self.dialogue.add(Message("assistant", plan))
        steps = [step.strip() for step in STEP.findall(plan)][: self._most]
        self._steps.extend(steps or [plan or observation.text])
