"""What the turns of episodes were: code that ran or failed, code again, no code, replies that were cut."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from intercode.types import Trajectory, Turn
from intercode.world_specs.action_errors import is_error


@dataclass(frozen=True, slots=True)
class TurnCounts:
    """Turns that are code or should have been, counted.

    Attributes:
        turns: All of them.
        actions: Those whose code was run.
        errors: Actions that ended in an error: see `is_error`.
        no_code: Turns in which no code was found.
        repeated: Actions that were taken before in the same episode.
        cut: Turns for which a model's reply was cut, as it had no more tokens.
    """

    turns: int = 0
    actions: int = 0
    errors: int = 0
    no_code: int = 0
    repeated: int = 0
    cut: int = 0

    @classmethod
    def of(cls, episodes: Iterable[Trajectory]) -> TurnCounts:
        """Count the turns of *episodes*."""
        found = [(each.task.world, turn, again) for each in episodes for turn, again in moves(each.turns)]
        return cls(
            turns=len(found),
            actions=sum(turn.action.kind == "execute" for _, turn, _ in found),
            errors=sum(is_error(turn, world) for world, turn, _ in found),
            no_code=sum(turn.action.kind == "nothing" for _, turn, _ in found),
            repeated=sum(again for _, _, again in found),
            cut=sum(is_cut(turn) for _, turn, _ in found),
        )


def moves(turns: Sequence[Turn]) -> list[tuple[Turn, bool]]:
    """Return the turns that are code, or should have been, each with whether its code was run before."""
    seen: set[str] = set()
    found: list[tuple[Turn, bool]] = []
    for turn in turns:
        code = turn.action.text.strip()
        if turn.action.kind in ("execute", "nothing"):
            found.append((turn, turn.action.kind == "execute" and code in seen))
        if turn.action.kind == "execute":
            seen.add(code)
    return found


def is_cut(turn: Turn) -> bool:
    """Return whether a reply that led to *turn* was cut."""
    return any(call.reply.is_cut for call in turn.calls)
