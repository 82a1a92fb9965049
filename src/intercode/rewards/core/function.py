"""A reward that is one function in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from intercode import registry
from intercode.errors import BadDataError
from intercode.rewards.base import EpisodeResult, Reward
from intercode.rewards.core.judge import as_score
from intercode.types import Score

RewardFunction = Callable[[EpisodeResult], Score | float]
"""Returns a number in [0, 1] (True and False are 1 and 0), or a whole `Score`. 1 is success."""

FORMS = "expected a function that begins: def reward(result):, or one class whose name ends in Reward"


class FunctionReward(Reward):
    """Judges by *function*."""

    def __init__(self, function: RewardFunction) -> None:
        self._function = function

    def score(self, result: EpisodeResult) -> Score:
        """See `Reward.score`.

        Raises:
            RewardError: If the function returns no score.
        """
        return as_score(self._function(result), result.task.id)


def load(path: Path) -> Reward:
    """Return the reward in the Python file at *path*.

    Its function `reward`, or its one class whose name ends in Reward.

    The file is run, with the user's own rights.

    Raises:
        BadDataError: For a file without either, and for one that is not Python; what goes wrong inside is let
            through with its trace, which its owner wants.
    """
    function = getattr(registry.load_file(path), "reward", None)
    if callable(function):
        return FunctionReward(function)
    try:
        registry.find("rewards", str(path))
    except BadDataError as error:
        raise BadDataError(f"{path}: {FORMS}") from error
    made: Reward = registry.create("rewards", str(path))
    return made
