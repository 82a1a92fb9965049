"""Read the history of a logged episode, in whichever shape it was written.

The harnesses wrote three lists under `turn_history`. The environment itself, which people used by hand, wrote pairs of
action and observation under `trajectory`, and one reward for the whole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

NAMES = ("turn_history", "trajectory", "history", "turns")
"""Where a history may stand; else in the episode itself."""

WORDS = ("action", "observation", "reward")
"""What a turn that is written as a list holds, in this order."""


@dataclass(frozen=True, slots=True)
class History:
    """What was done, seen and paid, turn by turn; the `name` that it stood under, and its own `fields`.

    `final_reward` is that of an episode which has one for the whole; then `rewards` are zeros.
    """

    actions: tuple[str, ...]
    observations: tuple[str, ...]
    rewards: tuple[float, ...]
    final_reward: float | None = None
    name: str = ""
    fields: frozenset[str] = frozenset()


def read_history(log: Mapping[str, Any]) -> History | None:
    """Return the history in *log*; None if it holds none.

    Raises:
        KeyError, TypeError, ValueError: If it cannot be read.
    """
    name = next((each for each in NAMES if log.get(each) is not None), "")
    found = log[name] if name else log
    if not name and "actions" not in found:
        return None
    columns = found if isinstance(found, Mapping) else _columns(found)
    actions, observations = (tuple(_text(each) for each in columns[part]) for part in ("actions", "observations"))
    rewards, final = columns.get("rewards"), log.get("reward")
    return History(
        actions,
        observations,
        (0.0,) * len(actions) if rewards is None else tuple(float(each or 0) for each in rewards),
        float(final) if rewards is None and final is not None else None,
        name,
        frozenset(columns),
    )


def _columns(turns: Sequence[Any]) -> dict[str, list[Any]]:
    """Return the lists that *turns*, pairs or objects, are written as elsewhere."""
    rows = [each if isinstance(each, Mapping) else dict(zip(WORDS, each, strict=False)) for each in turns]
    found = {"actions": [row["action"] for row in rows], "observations": [row["observation"] for row in rows]}
    return found | ({"rewards": [row["reward"] for row in rows]} if all("reward" in row for row in rows) else {})


def _text(value: Any) -> str:
    """Return *value* as text: some harnesses logged an action as a list of one."""
    return str(value[0]) if isinstance(value, list) and len(value) == 1 else str(value)
