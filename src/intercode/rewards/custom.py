"""A reward of one's own: one function of a task's folder, which judges what a world has read from outside."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from intercode.errors import BadDataError, MachineError, RewardError
from intercode.registry import load_file
from intercode.sandboxes.base import Change
from intercode.types import Score, Scores, Task


@dataclass(frozen=True, slots=True)
class CustomEnding:
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


DEEPEST, LONGEST = 3, 500
"""Lines of a reward that are named, beside its first, and characters of what it raised."""

OwnReward = Callable[[CustomEnding], Score | float]
"""Gives a number in [0, 1] (True and False are 1 and 0), or a whole `Score`. 1 is success."""


def load(path: Path) -> OwnReward:
    """The function `reward` in the Python file at *path*, which is run: it is its owner's, with the user's own rights.

    Raises BadDataError for a file without one, and for one that is not Python. What goes wrong inside is let through,
    with its trace: its owner wants that.
    """
    try:
        found = getattr(load_file(path), "reward", None)
    except SyntaxError as error:
        raise BadDataError(f"{error.filename}, line {error.lineno}: it is not Python: {error.msg}") from error
    if not callable(found):
        raise BadDataError(f"{path}: a function is wanted that begins: def reward(ending):")
    reward: OwnReward = found
    return reward


def judge(reward: OwnReward, ending: CustomEnding) -> Scores:
    """Both scores of *ending*: `exact` is the *reward*'s, and so is `paper` where the world has no other.

    A file that the reward cannot read, and does not expect to be like that, is the agent's failure. Raises RewardError
    when it raises anything else, with its file and line, or gives what is no reward; lets MachineError through.
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
    except (MachineError, RewardError):
        raise
    except (Exception, SystemExit) as error:
        if not isinstance(error, OSError) or error not in refused:
            raise RewardError(f"{ending.task.id}: {_where(error)}: {_what(error)}") from error
        own = Score(0.0, False, notes=(f"the reward could not read {error.filename}: {error.strerror}",))
    return {"paper": own if ending.scores is None else ending.scores["paper"], "exact": own}


def _where(error: BaseException) -> str:
    """The file and the lines of it by which *error* came about, the call first; what it called elsewhere is left out.

    The first frame is `judge`'s own, the second that of the reward.
    """
    frames = traceback.extract_tb(error.__traceback__)[1:]
    path = frames[0].filename if frames else "the reward"
    lines = [f"line {frame.lineno}, in {frame.name}" for frame in frames if frame.filename == path]
    return ", ".join([path, *lines[:1], *lines[1:][-DEEPEST:]])


def _what(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip()[:LONGEST]


def _score(given: object, task: str) -> Score:
    if isinstance(given, Score) and 0 <= given.value <= 1:
        return given
    if isinstance(given, int | float) and 0 <= given <= 1:
        return Score(float(given), given == 1)
    raise RewardError(f"{task}: reward() gave {given!r}: a number from 0 to 1 is wanted, or a Score of such a value")
