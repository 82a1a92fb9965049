"""A world of your own: actions are AWK programs over one file, judged by what the last of them prints."""

import json
from dataclasses import dataclass

from intercode.env.env import Env
from intercode.env.gold_runner import gold_session
from intercode.rewards.base import EndingReward
from intercode.types import Observation, Score, Task
from intercode.worlds import WorldSpec
from intercode_sandbox.sandbox import Session

DATA = "/data/birds.txt"


@dataclass(frozen=True)
class Outputs:
    """What is compared: the output of the agent's last program, and what the gold prints."""

    mine: str | None
    gold: Observation


def exact(outputs: Outputs) -> Score:
    """Return 1 if both are the same. A gold that fails or prints nothing equals nothing."""
    gold = outputs.gold
    right = gold.exit_code == 0 and gold.text.strip() != "" and outputs.mine == gold.text
    return Score(float(right), right, notes=() if right else ("the output differs from the gold's",))


class AwkEnv(Env):
    """An action is an AWK program; the observation is what it prints for the lines of the file."""

    world_spec = WorldSpec(
        "awk",
        language="awk",
        about=f"a file of text, {DATA}, through AWK",
        code="an AWK program",
        rules=("You are judged by what your LAST program prints.",),
        reading_actions=("{ print }",),
        says=lambda text: f"BEGIN {{ print {json.dumps(text)} }}",
    )
    rewards = {"exact": EndingReward(exact)}

    def execute(self, text: str) -> Observation:
        """Run *text*, whatever it is. What is wrong with it goes into the observation."""
        if "\0" in text or len(text.encode("utf-8", "replace")) > 100_000:
            return Observation("[no AWK program: it holds a NUL character, or is too long]")
        return run(self.current_session, text)

    def ending(self, task: Task) -> Outputs:
        """Return the last output, and the gold's, which runs in a fresh session, away from the agent."""
        with gold_session(self) as session:
            return Outputs(self.answer, run(session, task.gold or ""))


def run(session: Session, program: str) -> Observation:
    """What AWK says to *program*. Its output is an observation, and so are its errors and its time-out."""
    result = session.run(["awk", "--", program.encode("utf-8", "replace").decode(), DATA])
    return Observation(result.text, result.exit_code, result.timed_out, result.truncated, result.seconds)
