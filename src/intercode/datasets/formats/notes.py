"""What a reader of tasks should know of how they were read: golds that are missing, and line ends that were changed."""

from __future__ import annotations

from collections.abc import Sequence

from intercode.datasets.formats.columns import guess, look_up
from intercode.datasets.formats.criteria import ALTERNATIVES
from intercode.datasets.formats.record import Record
from intercode.types import Task
from intercode_sandbox.util.text import pluralize

MOST = 5
"""Tasks that a note names."""


def notes_on(
    tasks: Sequence[Task], records: Sequence[Record], *, gold: str = "gold", golds: str = "golds"
) -> tuple[str, ...]:
    """Return a sentence for each thing that was found in the golds of *tasks*, which were read from *records*."""
    columns = (gold, golds, ALTERNATIVES)
    dos = [
        task.id
        for task, record in zip(tasks, records, strict=True)
        if any(_holds_returns(look_up(record.columns, column)) for column in columns)
    ]
    blank = [task.id for task in tasks if task.gold is None]
    hint = guess(records[0].columns, but="query") if len(blank) == len(tasks) else ""
    return (
        *([f"no task has a gold; if a column holds them, say which, {hint}"] if hint else []),
        *(
            [f"{_named(dos)}: the gold had the line ends of DOS (CR LF), and is run with those of the sandbox"]
            if dos
            else []
        ),
        *([f"{_named(blank)}: no gold, so it is played and not scored"] if 0 < len(blank) < len(tasks) else []),
    )


def _holds_returns(value: object) -> bool:
    if isinstance(value, list | dict):
        return any(map(_holds_returns, value.values() if isinstance(value, dict) else value))
    return isinstance(value, str) and ("\r\n" in value or value.endswith("\r"))


def _named(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - MOST} more" if len(ids) > MOST else ""
    return f"{pluralize(len(ids), 'task')} ({', '.join(ids[:MOST])}{more})"
