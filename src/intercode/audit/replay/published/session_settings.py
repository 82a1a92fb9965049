"""Settings that lasted from one recorded SQL episode to the next: the published benchmark kept one connection.

It kept it for as long as a process ran. A recorded file is what several processes played, each some tasks in the order
of their numbers: where a number does not follow the one before, another process begins, and with it a fresh connection.
"""

from __future__ import annotations

from collections.abc import Sequence

from intercode.audit.replay.published.recorded_turns import RecordedTurn
from intercode.audit.replay.published.recordings import Recording
from intercode.worlds.sql.databases.dialect.commands import server_command
from intercode.worlds.sql.databases.dialect.tokenizer import second_statement, tokens
from intercode_sandbox.util.text import pluralize


def settings(recording: Recording, *, none: bool = False) -> list[tuple[str, ...]]:
    """For each episode of *recording*, the SET statements that were in force when it began; or *none* at all."""
    found: list[tuple[str, ...]] = []
    held: tuple[str, ...] = ()
    number = -1
    for episode in recording.episodes:
        held = held if episode.number == number + 1 and not none else ()
        number = episode.number
        found.append(held)
        held = (*held, *(turn.code for turn in episode.turns if is_setting(turn)))
    return found


def is_setting(turn: RecordedTurn) -> bool:
    """Return whether a turn was one SET statement, and went well."""
    if turn.kind != "run" or turn.observation != "None":
        return False
    command = server_command(turn.code)
    return command is not None and command.kind == "set" and second_statement(tokens(turn.code)) is None


def note(found: Sequence[tuple[str, ...]]) -> str:
    """Return what a reader should know of them; "" for none."""
    affected = sum(bool(each) for each in found)
    names = sorted({statement for each in found for statement in each})
    return (
        f"settings that earlier episodes had left, in {pluralize(affected, 'episode')}: {', '.join(names)}"
        if names
        else ""
    )
