"""Rewards: HOW an ending is judged. A promise (`base`), one file for each reward, and each world's own scorings.

`find("exact")`, `find("paper")`, `find("./shortest.py")`: a plug-in's name, or a file of one's own with a function
`reward(result)` or one class.
"""

from __future__ import annotations

import inspect
from hashlib import sha256
from pathlib import Path

from intercode import registry
from intercode.errors import UserError
from intercode.rewards.base import Reward
from intercode.rewards.core.function import FunctionReward, load
from intercode.types import SCORINGS, Scoring

__all__ = ["digest", "find", "scoring_of"]


def find(name: str) -> Reward:
    """The reward called *name*, or the one in the file *name*, if that ends in `.py`; which is run.

    Raises UnknownNameError, listing all names, and BadDataError for a file without a reward.
    """
    if name.endswith(".py"):
        return load(Path(name))
    found = registry.find("rewards", name)
    made: Reward = found() if isinstance(found, type) else FunctionReward(found)
    return made


def scoring_of(reward: str | Reward | None, scoring: Scoring | None, default: Scoring) -> Scoring:
    """The scoring that the agent sees where *reward* was chosen (None or "": none) and *scoring* asked for (None: not).

    `exact` and `paper` choose themselves, other rewards `exact`, in whose place they judge. Raises UserError where both
    were chosen and contradict each other.
    """
    itself = next((each for each in SCORINGS if each == reward), None)
    if itself and scoring and scoring != itself:
        raise UserError(f"the reward {reward} is not the scoring {scoring}: name one of them, and leave out the other")
    return itself or scoring or ("exact" if reward else default)


def digest(name: str) -> str:
    """A hex digest of the source of the reward called *name*: whether two runs were judged by the same."""
    path = Path(name) if name.endswith(".py") else _source(registry.find("rewards", name))
    return sha256(path.read_bytes()).hexdigest()


def _source(plugin: type) -> Path:
    return Path(inspect.getfile(plugin))
