"""A world of your own: actions are AWK programs over one file, judged by what the last of them prints."""

import json

from intercode.envs.base import Env
from intercode.envs.core.gold_runner import gold_session
from intercode.sandboxes.base import Session
from intercode.types import Observation, Score, Scores
from intercode.worlds import WorldSpec

DATA = "/data/birds.txt"


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

    def execute(self, text: str) -> Observation:
        """Run *text*, whatever it is. What is wrong with it goes into the observation."""
        if "\0" in text or len(text.encode("utf-8", "replace")) > 100_000:
            return Observation("[no AWK program: it holds a NUL character, or is too long]")
        return run(self.current_session, text)

    def score(self) -> Scores:
        """Compare the last output with the gold's, which runs in a fresh session, away from the agent."""
        with gold_session(self) as session:
            gold = run(session, self.task.gold or "")
        right = gold.exit_code == 0 and gold.text.strip() != "" and self.answer == gold.text
        score = Score(float(right), right, notes=() if right else ("the output differs from the gold's",))
        return {"exact": score, "paper": score}


def run(session: Session, program: str) -> Observation:
    """What AWK says to *program*. Its output is an observation, and so are its errors and its time-out."""
    result = session.run(["awk", "--", program.encode("utf-8", "replace").decode(), DATA])
    return Observation(result.text, result.exit_code, result.timed_out, result.truncated, result.seconds)
