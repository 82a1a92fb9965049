"""What may be taken as an action: agents and callers of an environment may be a user's own."""

from __future__ import annotations

from typing import get_args

from intercode.errors import BadDataError
from intercode.types import Action
from intercode.types.episodes import ActionKind

KINDS: tuple[str, ...] = get_args(ActionKind)


def as_action(given: object, source: str) -> Action:
    """Return *given*, by whatever *source* names, if it is an action that a world can take and a run's record can hold.

    Raises:
        BadDataError: If it is none.
    """
    if isinstance(given, Action):
        kind, text = given.kind, given.text
        if isinstance(text, str) and isinstance(kind, str) and kind in KINDS:
            return given
    wanted = f"expected Action(KIND, TEXT), where KIND is {', '.join(KINDS[:-1])} or {KINDS[-1]} and TEXT is a string"
    raise BadDataError(f"{source} gave {_short(given)}: {wanted}")


def _short(given: object, most: int = 80) -> str:
    shown = repr(given)
    return shown if len(shown) <= most else f"{shown[:most]}…"
