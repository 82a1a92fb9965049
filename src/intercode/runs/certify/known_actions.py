"""What moves do that never look at what they are shown: that is known without playing them."""

from __future__ import annotations

from typing import NoReturn, cast

from intercode.runs.certify.endings import send
from intercode.runs.hackcheck.adversary import Moves
from intercode.types import Observation


class _LookedError(Exception):
    """Moves wanted to know what an action has shown."""


class _Unseen:
    """Stands for what an action shows."""

    def __getattr__(self, name: str) -> NoReturn:
        raise _LookedError


def actions_of(moves: Moves, *shown: Observation) -> tuple[tuple[str, ...], str] | None:
    """The texts of the actions of *moves*, and what they submit; None where it depends on what the actions show.

    What the first of them have *shown* is known.
    """
    texts: list[str] = []
    known = list(shown)
    try:
        action = next(moves, None)
        while action is not None and action.kind == "execute":
            texts.append(action.text)
            action = send(moves, known.pop(0) if known else cast(Observation, _Unseen()))
    except _LookedError:
        return None
    return tuple(texts), action.text if action is not None else ""
