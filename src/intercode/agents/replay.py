"""The agent that plays a stored episode again, action for action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from intercode.agents.base import Agent
from intercode.errors import UserError
from intercode.types import Action, Observation, TaskView, Trajectory, trajectories


class ReplayAgent(Agent):
    """Plays the actions of stored trajectories: `file` is a run's directory or a file of episodes, one a line.

    `repeat` picks one of several episodes of the same task. Once the stored actions are used up, it submits. What
    is observed now makes no difference to it; `intercode replay` is what compares.
    """

    def __init__(self, *, file: str = "", repeat: str = "0", **options: str) -> None:
        super().__init__(**options)
        if not file:
            raise UserError("the replay agent needs the run to play: --agent-option file=RUN")
        if not repeat.isdecimal():
            raise UserError(f"the replay agent's option repeat is a number from 0, not {repeat!r}")
        self._episodes = _read(Path(file), int(repeat))
        self._file = file
        self._thought = ""
        self._turns: Iterator[tuple[Action, str]] = iter(())

    def check(self, tasks: Sequence[TaskView]) -> None:
        """Check that there is a stored episode of each task.

        Raises:
            UserError: For tasks that no stored episode is about.
        """
        missing = [task.id for task in tasks if task.id not in self._episodes]
        if missing:
            raise UserError(f"{self._file} holds no episode of {', '.join(missing)}; pick others with --tasks")

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin the stored episode of *task*.

        Raises:
            UserError: If there is none.
        """
        self.check([task])
        self._turns = iter([(turn.action, turn.thought) for turn in self._episodes[task.id].turns])
        self._thought = ""

    def act(self, observation: Observation, reward: float) -> Action:
        """Return the next stored action."""
        action, self._thought = next(self._turns, (Action("submit"), ""))
        return action

    @property
    def thought(self) -> str:
        """Return what the recorded agent thought before this action."""
        return self._thought


@cache
def _read(path: Path, repeat: int) -> dict[str, Trajectory]:
    """Return the episodes in *path* by task id; a later line of the same task (a repaired `error`) wins."""
    episodes, _ = trajectories.read(path / trajectories.EPISODES if path.is_dir() else path)
    return {episode.task.id: episode for episode in episodes if episode.repeat == repeat}
