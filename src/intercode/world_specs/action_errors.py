"""What an action error is, for everything that counts them."""

from __future__ import annotations

from intercode import world_specs
from intercode.types import Turn


def is_error(turn: Turn, world: str) -> bool:
    """Return whether code was run in *world* and ended in an error.

    That is an exit status other than 0, an error of the database, or a time-out; but no status by which a command
    answers, such as the 1 of `grep` and `diff`.
    """
    seen = turn.observation
    if turn.action.kind != "execute":
        return False
    if seen.timed_out or seen.exit_code in (0, None):
        return seen.timed_out
    return not world_specs.find(world).is_answer(turn.action.text, seen.exit_code)
