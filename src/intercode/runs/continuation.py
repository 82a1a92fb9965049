"""Going on from a turn of a stored episode: what was done before it is done again, and then somebody else plays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing, nullcontext
from pathlib import Path
from typing import ClassVar

from intercode.agents.base import Agent
from intercode.agents.human import HumanAgent, show_observation
from intercode.env.env import Env
from intercode.errors import UserError
from intercode.runs.episode import EpisodeRun
from intercode.runs.job import Job
from intercode.types import Action, Observation, TaskView, Trajectory, Turn
from intercode.types.conversation import ModelCall
from intercode.util.terminal import escape_control_characters
from intercode_sandbox.util.text import pluralize


class ContinuingAgent(Agent):
    """Takes the stored *turns* again and shows them, then asks *person*."""

    interactive: ClassVar[bool] = True

    def __init__(self, turns: Sequence[Turn], person: HumanAgent) -> None:
        super().__init__()
        self._turns, self._person = tuple(turns), person
        self._taken = 0

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        self._taken = 0
        self._person.shell = self.shell
        self._person.turns_before = len(self._turns)
        self._person.reset(task, seed=seed)

    def act(self, observation: Observation, reward: float) -> Action:
        """Return the next stored action, printed as if it were typed; what the person says once there is none."""
        self._taken += 1
        if self._taken > len(self._turns):
            return self._person.act(observation, reward)
        show_observation(observation, reward)
        action = self._turns[self._taken - 1].action
        print(escape_control_characters(f"{self._taken}> {action}"))
        return action

    @property
    def thought(self) -> str:
        """Return what the stored agent thought; a person does not say."""
        return self._turns[self._taken - 1].thought if self._taken <= len(self._turns) else ""

    @property
    def calls(self) -> tuple[ModelCall, ...]:
        """None: no model was asked now."""
        return ()


def turns_before(episode: Trajectory, turn: int | None) -> tuple[Turn, ...]:
    """Return the turns of *episode* before *turn*, from 1 (None: the last).

    Raises:
        UserError: If it has no such turn.
    """
    count = len(episode.turns)
    chosen = max(count, 1) if turn is None else turn
    if not 1 <= chosen <= max(count, 1):
        raise UserError(
            f"{episode.task.id} has {pluralize(count, 'turn')}: --turn is 1 to {max(count, 1)}, not {chosen}"
        )
    return episode.turns[: chosen - 1]


def continue_episode(
    job: Job,
    stored: Trajectory,
    turns: Sequence[Turn],
    person: HumanAgent,
    run: Path,
    *,
    during: Callable[[Env, Action], AbstractContextManager[None]] = lambda env, action: nullcontext(),
) -> Trajectory:
    """Return the episode that begins with *turns* of *stored*, an episode of *run*, and that *person* plays to its end.

    Each action is taken in the context that *during* gives. Says so where the same actions led to another state.

    Raises:
        UserError: If the task is gone.
    """
    task = next((task for task in job.tasks if task.id == stored.task.id), None)
    if task is None:
        raise UserError(f"{run} has an episode of {stored.task.id}, which its data set does not hold any more")
    with closing(job.make_env()) as env:
        agent = ContinuingAgent(turns, person)
        agent.shell = job.settings.shell
        episode = EpisodeRun(
            env, agent, task, name="human", seed=stored.seed or 0, clock=stored.started_at, during=during
        )

        def warn(taken: int) -> None:
            if taken == len(turns):
                _warn(episode.turns, turns)

        episode.between = warn
        return episode.play()


def _warn(now: Sequence[Turn], then: Sequence[Turn]) -> None:
    for number, (mine, theirs) in enumerate(zip(now, then, strict=True), 1):
        if mine.state_hash != theirs.state_hash:
            print(f"[turn {number} led to another state than the one stored: you go on from what it is now]")
            return
