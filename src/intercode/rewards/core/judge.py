"""What judges an ending, with what it returns checked: a chosen reward beside the world's own scores, and the world."""

from __future__ import annotations

import math
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import SupportsFloat

from intercode.errors import MachineError, RewardError
from intercode.rewards.base import EpisodeResult, FinalWorld, Reward
from intercode.types import Score
from intercode_sandbox.sandbox import Result

CALLS, CHARACTERS = 3, 500
"""How much of a reward's failure is shown: the innermost lines of its file, and of the text of what it raised."""


_TEXTS, _NUMBERS = frozenset({str}), frozenset({float})


def judge(reward: Reward, result: EpisodeResult) -> Score:
    """Return the *reward*'s score of *result*.

    A file that the reward cannot read, and does not expect to be like that, is the agent's failure.

    Raises:
        RewardError: If the reward raises anything else (names its file and line), or returns no score. MachineError
            goes through.
    """
    world = _RecordedReads(result.world)
    try:
        return as_score(reward.score(replace(result, world=world)), result.task.id)
    except (MachineError, RewardError):
        raise
    except (Exception, SystemExit) as error:
        if not isinstance(error, OSError) or error not in world.refused:
            raise RewardError(f"{result.task.id}: {_where(error)}: {_what(error)}") from error
        return Score(0.0, False, notes=(f"the reward could not read {error.filename}: {error.strerror}",))


def as_score(returned: object, task: str) -> Score:
    """Return *returned* as a score of *task*: a number from 0 to 1 is one, NumPy's too, and 1 a success.

    Raises:
        RewardError: If it is something else.
    """
    if isinstance(returned, Score):
        score = _plain(returned)
    else:
        number = as_float(returned)
        score = Score(number, number == 1)
    if score is not None and 0 <= score.value <= 1:
        return score
    wanted = "expected a number from 0 to 1, or a Score with such a value, a success, numbers as parts, and notes"
    raise RewardError(f"{task}: the reward gave {returned!r}: {wanted}")


def world_score(name: str, reward: Reward, result: EpisodeResult) -> Score:
    """Return what a world's own *reward*, which may be a user's, gives: made of plain numbers, whatever it was.

    Raises:
        RewardError: If a run's record cannot hold it.
    """
    returned = reward.score(result)
    score = _plain(returned)
    if score is not None and math.isfinite(score.value):
        return score
    wanted = "expected a Score with numbers as value, success and parts, and texts as notes"
    raise RewardError(f"{result.task.id}: the world's reward {name} gave {returned!r}: {wanted}")


def _plain(score: object) -> Score | None:
    """Return *score* as a run's record can hold it, whatever kind of numbers it is made of; None if it cannot."""
    if not isinstance(score, Score):
        return None
    if _is_plain(score):
        return Score(score.value, score.success, dict(score.parts), score.notes)  # what is recorded changes no more
    given: object = score.parts
    notes: object = score.notes
    if not isinstance(given, Mapping) or not isinstance(notes, list | tuple):
        return None
    parts, success = {name: as_float(value) for name, value in given.items()}, as_float(score.success)
    if not all(isinstance(text, str) for text in (*parts, *notes)):
        return None
    if not all(map(math.isfinite, (success, *parts.values()))):
        return None
    return Score(as_float(score.value), bool(success), parts, tuple(notes))


def _is_plain(score: Score) -> bool:
    """Return whether a run's record can hold all of *score* as it is, as nearly always.

    To convert each part takes longer.
    """
    parts, notes = score.parts, score.notes
    return (
        type(score.success) is bool
        and type(parts) is dict
        and type(notes) is tuple
        and _TEXTS.issuperset(map(type, (*parts, *notes)))
        and _NUMBERS.issuperset(map(type, (score.value, *parts.values())))
        and all(map(math.isfinite, parts.values()))
    )


def as_float(number: object) -> float:
    """NaN for what is no number, or only looks like one: an array of several."""
    try:
        # The protocol is asked last: it takes a tenth of a millisecond.
        return float(number) if isinstance(number, (float, int, SupportsFloat)) else math.nan
    except (TypeError, ValueError, OverflowError):
        return math.nan


def _where(error: BaseException) -> str:
    """Return the reward's file and the lines of it that led to *error*, the outermost first."""
    ours = Path(__file__).parent
    frames = [each for each in traceback.extract_tb(error.__traceback__) if Path(each.filename).parent != ours]
    path = frames[0].filename if frames else "the reward"
    lines = [f"line {frame.lineno}, in {frame.name}" for frame in frames if frame.filename == path]
    return ", ".join([path, *lines[:1], *lines[1:][-CALLS:]])


def _what(error: BaseException) -> str:
    return "".join(traceback.format_exception_only(error)).strip()[:CHARACTERS]


@dataclass
class _RecordedReads:
    """Knows which errors of reading came from the world, and not from files of the reward's own."""

    world: FinalWorld
    refused: list[OSError] = field(default_factory=list)

    def read(self, path: str) -> bytes:
        try:
            return self.world.read(path)
        except OSError as error:
            self.refused.append(error)
            raise

    def run(self, argv: Sequence[str], *, cwd: str = "/", stdin: bytes = b"", timeout: float | None = None) -> Result:
        return self.world.run(argv, cwd=cwd, stdin=stdin, timeout=timeout)
