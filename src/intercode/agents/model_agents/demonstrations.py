"""Few-shot demonstrations: stored episodes, shown to a model in the way it is to answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

from intercode.agents.model_agents.message_history import truncate_messages
from intercode.errors import BadDataError
from intercode.types import Action, Observation, TaskView, Trajectory, Turn, trajectories

LONGEST = 1000
"""Characters of an observation in a demonstration."""


STARTER = "starter"
"""The name of the demonstrations that come with the package, for each of its worlds."""

FOLDER = Path(__file__).parents[1] / "demos"


def files(name: str) -> list[Path]:
    """Return the files that `--demos NAME` reads."""
    path = Path(name)
    if name == STARTER and not path.exists():
        return sorted(FOLDER.glob("*.jsonl"))
    return [path / trajectories.EPISODES if path.is_dir() else path]


@cache
def read(name: str) -> tuple[Trajectory, ...]:
    """Return the episodes in the file *name*, one a line, as `intercode demos` writes them, or those of the package.

    Raises:
        BadDataError: If the file cannot be read, or a line is no episode.
    """
    return tuple(episode for path in files(name) for episode in _read(path))


def _read(path: Path) -> tuple[Trajectory, ...]:
    episodes, torn = trajectories.read(path)
    if torn or not episodes:
        raise BadDataError(f"{path} holds no demonstrations: make some with intercode demos RUN --out {path}")
    return episodes


def select(episodes: Sequence[Trajectory], task: TaskView) -> list[Trajectory]:
    """Return those that may be shown before *task*: never one of *task* itself, or of another world."""
    return [each for each in episodes if each.task.world == task.world and each.task.id != task.id]


def as_text(episodes: Sequence[Trajectory], write: Callable[[str, Action], str]) -> str:
    """Return all of *episodes* as one text, each turn by *write*, as the paper's prompts have them."""
    shown = [f"### Example {number}\n{_episode(each, write)}" for number, each in enumerate(episodes, 1)]
    return "\n\n".join(shown)


def steps(episode: Trajectory) -> list[Turn]:
    """Return the turns of *episode* that are worth showing, with short observations."""
    found = (turn for turn in episode.turns if turn.action.kind in ("execute", "submit"))
    return [replace(turn, observation=_shorten(turn.observation)) for turn in found]


def _shorten(seen: Observation) -> Observation:
    return replace(seen, text=truncate_messages(seen.text, LONGEST))


def _episode(episode: Trajectory, write: Callable[[str, Action], str]) -> str:
    lines = [f"Request: {episode.task.query}"]
    for turn in episode.turns:
        if turn.action.kind == "nothing":
            continue
        lines.append(write(turn.thought, turn.action))
        if turn.action.kind == "execute":
            lines.append(f"Observation: {truncate_messages(turn.observation.text, LONGEST).strip() or '(no output)'}")
    return "\n".join(lines)
