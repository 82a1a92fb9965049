"""Episodes that a language model plays as one of our agents: sandboxes to play them in, and episodes as tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from itertools import pairwise
from types import TracebackType
from typing import Any, Self

from examples.learning_curve.templates import STEPS

from intercode.datasets.base import Dataset
from intercode.errors import MachineError
from intercode.integrations.trl import rollout_func
from intercode.integrations.trl.engine import Generate
from intercode.report.exports.conversation.tokens import segments
from intercode.types import Task, Trajectory
from intercode_sandbox.embedded import EmbeddedSandbox

FENCES = {"compact": "```bash\n{1}\n```", "react": "Thought: {0}\nAction:\n```bash\n{1}\n```"}
"""By agent, how a model should write a thought and a command."""

HAND_INS = {"compact": "submit", "react": "Thought: All that was asked for is done.\nAction: submit"}


class ChatPlayer:
    """Plays episodes of *datasets*, by split, of up to *turns* turns, *at_once* at a time. Use it as a context manager.

    `played` counts them. The *agent* is one of those that `FENCES` names. It is shown *observation* characters of what
    a command printed; longer texts are cut in the middle.
    """

    def __init__(
        self,
        datasets: Mapping[str, Dataset],
        *,
        turns: int,
        at_once: int,
        agent: str = "react",
        observation: int = 1000,
    ) -> None:
        self.played, self._at_once, self._agent = 0, at_once, agent
        self._stack = ExitStack()
        sandbox = self._stack.enter_context(EmbeddedSandbox())
        self._of = {
            split: self._stack.enter_context(
                rollout_func(
                    dataset,
                    agent=agent,
                    agent_options={"observation_limit": str(observation)},
                    sandbox=sandbox,
                    turns=turns,
                    scoring="exact",
                    step_reward="progress",
                    seconds=2,
                )
            )
            for split, dataset in datasets.items()
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._stack.close()

    def play(self, split: str, tasks: Sequence[Task], generate: Generate, tokenizer: Any) -> list[Trajectory]:
        """An episode of each of *tasks*; both scores are at its end, and the progress of each action at its turn.

        Where the machine fails an episode is played once more.
        """
        episodes = self._play(split, tasks, generate, tokenizer)
        lost = [number for number, episode in enumerate(episodes) if episode.status == "error"]
        again = self._play(split, [tasks[number] for number in lost], generate, tokenizer)
        for number, episode in zip(lost, again, strict=True):
            episodes[number] = episode
        return episodes

    def _play(self, split: str, tasks: Sequence[Task], generate: Generate, tokenizer: Any) -> list[Trajectory]:
        self.played += len(tasks)
        parts = [tasks[start : start + self._at_once] for start in range(0, len(tasks), self._at_once)]
        return [each for part in parts for each in self._of[split].play(part, generate, tokenizer)]

    def demonstrate(self, task: Task, tokenizer: Any) -> Trajectory:
        """The gold of a training *task*, as the model should write it, and then `submit`.

        Raises MachineError where that does not succeed.
        """
        said = (f"{reply}{tokenizer.eos_token}" for reply in _replies(task, self._agent))
        replies = (tokenizer(each, add_special_tokens=False)["input_ids"] for each in said)
        (episode,) = self._play("train", [task], lambda prompts: [(next(replies), [])], tokenizer)
        if not episode.success("exact"):
            raise MachineError(f"the gold of {task.id} does not succeed here: {episode.error or episode.status}")
        return episode

    def counts(self) -> dict[str, int]:
        """How many episodes were played: all that were asked for."""
        return {"asked": self.played, "played": self.played}


def _replies(task: Task, agent: str) -> Iterator[str]:
    """What the model should say at each turn of *task*."""
    fence = FENCES[agent]
    steps = STEPS.fullmatch(task.gold or "")
    *before, last = steps.groups() if steps else (task.gold,)
    for step in before:
        yield fence.format("The folder has to be there first.", step)
    yield fence.format("This does what is asked for.", last)
    yield HAND_INS[agent]


def tokens_of(episode: Trajectory) -> tuple[list[int], list[int]]:
    """The tokens of *episode*, and for each the turn that wrote it, from 1; 0 for those that the model was shown.

    None where the model was never asked. What came after the agent began its conversation anew is left out.
    """
    segment = next(segments(episode), None)
    if segment is None:
        return [], []
    turns, turn = [0] * len(segment.prompt_ids), 0
    for before, own in pairwise((0, *segment.response_mask)):
        turn += own > before
        turns.append(turn * own)
    return [*segment.prompt_ids, *segment.response_ids], turns
