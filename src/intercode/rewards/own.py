"""A reward of one's own: one function of a task's folder, which judges what a world has read from outside."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from intercode.errors import BadData
from intercode.registry import load_file
from intercode.sandboxes.base import Change
from intercode.types import Score, Scores, Task


@dataclass(frozen=True, slots=True)
class OwnEnding:
    """All that a reward of one's own may look at. Everything was read by the host; nothing in it is the agent's word.

    `answer` is what the last action showed (None where nothing was run), and `handed_in` what came with `submit`.
    `changes` is all that differs from the image, and `read(path)` the content of a file in the sandbox (raises
    FileNotFoundError, or OSError for what is no regular file: where the reward lets that pass, it is 0); in a world of
    databases there are none. `scores` is what the world itself says by comparing with the gold; None for a task without
    one.
    """

    task: Task
    answer: str | None
    handed_in: str
    changes: tuple[Change, ...]
    read: Callable[[str], bytes]
    scores: Scores | None


OwnReward = Callable[[OwnEnding], Score | float]
"""Gives a number in [0, 1] (True and False are 1 and 0), or a whole `Score`. 1 is success."""


def load(path: Path) -> OwnReward:
    """The function `reward` in the Python file at *path*, which is run: it is its owner's, with the user's own rights.

    Raises BadData for a file without one, and for one that is not Python. What goes wrong inside is let through, with
    its trace: its owner wants that.
    """
    try:
        found = getattr(load_file(path), "reward", None)
    except SyntaxError as error:
        raise BadData(f"{error.filename}, line {error.lineno}: it is not Python: {error.msg}") from error
    if not callable(found):
        raise BadData(f"{path}: a function is wanted that begins: def reward(ending):")
    reward: OwnReward = found
    return reward


def judge(reward: OwnReward, ending: OwnEnding) -> Scores:
    """Both scores of *ending*: `exact` is the *reward*'s, and so is `paper` where the world has no other.

    A file that the reward cannot read, and does not expect to be like that, is the agent's failure. Raises BadData when
    it gives what is no reward.
    """
    refused: list[OSError] = []

    def read(path: str) -> bytes:
        try:
            return ending.read(path)
        except OSError as error:
            refused.append(error)
            raise

    try:
        own = _score(reward(replace(ending, read=read)), ending.task.id)
    except OSError as error:
        if error not in refused:
            raise
        own = Score(0.0, False, notes=(f"the reward could not read {error.filename}: {error.strerror}",))
    return {"paper": own if ending.scores is None else ending.scores["paper"], "exact": own}


def _score(given: object, task: str) -> Score:
    if isinstance(given, Score) and 0 <= given.value <= 1:
        return given
    if isinstance(given, int | float) and 0 <= given <= 1:
        return Score(float(given), given == 1)
    raise BadData(f"{task}: reward() gave {given!r}: a number from 0 to 1 is wanted, or a Score of such a value")
