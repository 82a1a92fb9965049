"""Few-shot demonstrations: stored episodes, shown to a model in the way it is to answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

from intercode import trajectories
from intercode.agents.core.message_history import truncate_messages
from intercode.errors import BadDataError
from intercode.types import Action, TaskView, Trajectory

LONGEST = 1000
"""Characters of an observation in a demonstration."""


@cache
def read(file: str) -> tuple[Trajectory, ...]:
    """The episodes in *file*, one a line, as `intercode demos` writes them.

    Raises:
        BadDataError: If the file cannot be read, or a line is no episode.
    """
    path = Path(file)
    episodes, torn = trajectories.read(path / trajectories.EPISODES if path.is_dir() else path)
    if torn or not episodes:
        raise BadDataError(f"{file} holds no demonstrations: make some with intercode demos RUN --out {file}")
    return episodes


def format_demonstrations(episodes: Sequence[Trajectory], task: TaskView, write: Callable[[str, Action], str]) -> str:
    """All of them as text, each turn by *write*; never one of *task* itself, or of another world."""
    fitting = [each for each in episodes if each.task.world == task.world and each.task.id != task.id]
    shown = [f"### Example {number}\n{_episode(each, write)}" for number, each in enumerate(fitting, 1)]
    return "\n\n".join(shown)


def _episode(episode: Trajectory, write: Callable[[str, Action], str]) -> str:
    lines = [f"Request: {episode.task.query}"]
    for turn in episode.turns:
        if turn.action.kind == "nothing":
            continue
        lines.append(write(turn.thought, turn.action))
        if turn.action.kind == "execute":
            lines.append(f"Observation: {truncate_messages(turn.observation.text, LONGEST).strip() or '(no output)'}")
    return "\n".join(lines)
