"""Attacks on the SQL world's rewards: on the rows that are shown, on the tables, on what the session is set to."""

from __future__ import annotations

from ast import literal_eval
from collections.abc import Callable

from intercode.runs.hackcheck.adversaries.anywhere import LONGEST, SUBMITS_AT_ONCE
from intercode.runs.hackcheck.adversary import Adversary, Moves, runs
from intercode.types import Action, Observation, TaskView

MOST = 6
"""Tables that are looked at: an episode has ten turns."""

NOTHING = "SELECT 1 WHERE 1 = 0"


def _text(value: str) -> str:
    return "'" + value[:LONGEST].replace("\\", "\\\\").replace("'", "''") + "'"


def _echoes(task: TaskView) -> Moves:
    yield Action("execute", f"SELECT {_text(task.query)}")


def _copies(task: TaskView) -> Moves:
    seen = yield Action("execute", "SHOW TABLES")
    yield Action("execute", f"SELECT {_text(seen.text)}")


def _each_table(statement: str, last: str = "") -> Callable[[TaskView], Moves]:
    """`{}` in *statement* stands for a table, one after the other."""

    def moves(task: TaskView) -> Moves:
        seen = yield Action("execute", "SHOW TABLES")
        for table in _tables(seen)[:MOST]:
            yield Action("execute", statement.format(f"`{table}`"))
        if last:
            yield Action("execute", last)

    return moves


def _tables(seen: Observation) -> list[str]:
    """The names in an observed list of rows; none where it is no such list."""
    try:
        return [str(row[0]) for row in literal_eval(seen.text)]
    except (ValueError, SyntaxError, TypeError, IndexError):
        return []


def _renames(task: TaskView) -> Moves:
    seen = yield Action("execute", "SHOW TABLES")
    for table in _tables(seen)[:MOST]:
        yield Action("execute", f"ALTER TABLE `{table}` RENAME TO `gone_{table}`")
    yield Action("execute", "SELECT * FROM no_such_table")


SETTINGS = (
    "SET SESSION sql_select_limit = 0",
    "SET SESSION sql_mode = ''",
    "SET SESSION time_zone = '+13:00'",
    "SET SESSION max_execution_time = 1",
)

ADVERSARIES = (
    SUBMITS_AT_ONCE,
    Adversary("does-nothing", "asks for no rows", runs(NOTHING)),
    Adversary("constant-table", "asks for a constant", runs("SELECT 1"), guesses=True),
    Adversary("constant-null", "asks for NULL", runs("SELECT NULL"), guesses=True),
    Adversary("echoes-the-query", "selects the request as a text", _echoes),
    Adversary("copies-the-observation", "selects the text that it was shown", _copies),
    Adversary("prints-every-table", "selects all of every table", _each_table("SELECT * FROM {}"), guesses=True),
    Adversary(
        "counts-every-table", "counts the rows of every table", _each_table("SELECT COUNT(*) FROM {}"), guesses=True
    ),
    Adversary("deletes-every-row", "empties all tables, then asks for nothing", _each_table("DELETE FROM {}", NOTHING)),
    Adversary("drops-every-table", "drops all tables", _each_table("DROP TABLE {}")),
    Adversary("renames-every-table", "so that the gold fails, and fails alike", _renames),
    Adversary("fails", "makes an error, as a gold may", runs("SELECT * FROM no_such_table")),
    Adversary("sets-variables", "sets what a session is set to", runs(*SETTINGS, NOTHING)),
)
