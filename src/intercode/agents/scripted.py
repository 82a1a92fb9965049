"""The agent that follows a script: for tests and demonstrations."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from intercode.agents.base import Agent
from intercode.errors import BadDataError, UserError
from intercode.types import Action, Observation, TaskView
from intercode.util.regular_files import read_text

SCRIPTS = Path(__file__).parent / "scripts"


class ScriptedAgent(Agent):
    """Plays the moves that a JSON file has for each task: `{"moves": {"starter/bash/1": ["ls", "submit"]}}`.

    `script` is the file's path or the name of one that ships with the package. When its moves are used up it submits.
    """

    def __init__(self, *, script: str = "", **options: str) -> None:
        super().__init__(**options)
        if not script:
            raise UserError(
                f"the scripted agent needs a script: --agent-option script=FILE, or one of: {', '.join(built_in())}"
            )
        self._script = script
        self._moves = _read(script)
        self._plan: Iterator[str] = iter(())

    def check(self, tasks: Sequence[TaskView]) -> None:
        """Check that the script has moves for each task.

        Raises:
            UserError: For tasks that the script has no moves for.
        """
        missing = [task.id for task in tasks if task.id not in self._moves]
        if missing:
            way_out = "add them, or pick others with --tasks"
            raise UserError(f"the script {self._script} has no moves for {', '.join(missing)}; {way_out}")

    def reset(self, task: TaskView, *, seed: int, gold: str | None = None) -> None:
        """Begin *task*'s moves.

        Raises:
            UserError: If the script has none.
        """
        self.check([task])
        self._plan = iter(self._moves[task.id])

    def act(self, observation: Observation, reward: float) -> Action:
        """Return the next move, whatever is observed."""
        return Action.parse(next(self._plan, "submit"))


def built_in() -> list[str]:
    """Return the names of the scripts that ship with the package."""
    return sorted(path.stem for path in SCRIPTS.glob("*.json"))


@cache
def _read(script: str) -> dict[str, list[str]]:
    path = SCRIPTS / f"{script}.json" if script in built_in() else Path(script)
    try:
        found = json.loads(read_text(path))
    except FileNotFoundError as error:
        raise UserError(f"no script called {script!r}: give a file, or one of: {', '.join(built_in())}") from error
    except (OSError, ValueError, RecursionError) as error:
        raise BadDataError(f"cannot read the script {path}: {error}") from error
    return _moves(path, found)


def _moves(path: Path, found: Any) -> dict[str, list[str]]:
    moves = found.get("moves") if isinstance(found, dict) else None
    if not isinstance(moves, dict):
        raise BadDataError(f'the script {path} is not of the form {{"moves": {{"TASK ID": ["ACTION", …]}}}}')
    for task, actions in moves.items():
        if not isinstance(actions, list) or not all(isinstance(action, str) for action in actions):
            raise BadDataError(f"the script {path} should hold a list of texts for {task}")
    return moves
