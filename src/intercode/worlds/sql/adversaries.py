"""Attacks on the SQL world's rewards: on the rows that are shown, on the tables, on what the session is set to."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Callable, Iterator, Sequence
from posixpath import basename

from intercode.adversaries import fuzz
from intercode.adversaries.adversary import Adversary, Attempt, Moves, fuzzer, runs
from intercode.adversaries.anywhere import LONGEST, SUBMITS_AT_ONCE
from intercode.adversaries.clues import Clues
from intercode.types import Action, Observation, TaskView

MOST = 6
"""Tables that are looked at: an episode has ten turns."""

MOST_ALONE = 10
"""Tables that are selected alone, each in an episode of its own."""

MOST_COLUMNS = 12
"""Columns that are selected alone, of the first tables."""

NOTHING = "SELECT 1 WHERE 1 = 0"


def _text(value: str) -> str:
    return "'" + value[:LONGEST].replace("\\", "\\\\").replace("'", "''") + "'"


def _echoes(task: TaskView) -> Moves:
    yield Action("execute", f"SELECT {_text(task.query)}")


def _select_seen_text(task: TaskView) -> Moves:
    seen = yield Action("execute", "SHOW TABLES")
    yield Action("execute", f"SELECT {_text(seen.text)}")


def _each_table(statement: str, last: str = "") -> Callable[[TaskView], Moves]:
    """Return moves that run *statement* with each table in the place of `{}`, one after the other."""

    def moves(task: TaskView) -> Moves:
        seen = yield Action("execute", "SHOW TABLES")
        for table in _tables(seen)[:MOST]:
            yield Action("execute", statement.format(f"`{table}`"))
        if last:
            yield Action("execute", last)

    return moves


def _tables(seen: Observation) -> list[str]:
    """Return the names in an observed list of rows; none where it is no such list."""
    try:
        return [str(row[0]) for row in literal_eval(seen.text)]
    except (ValueError, SyntaxError, TypeError, IndexError):
        return []


def _renames(task: TaskView) -> Moves:
    seen = yield Action("execute", "SHOW TABLES")
    for table in _tables(seen)[:MOST]:
        yield Action("execute", f"ALTER TABLE `{table}` RENAME TO `gone_{table}`")
    yield Action("execute", "SELECT * FROM no_such_table")


MANY = (
    "0, 1, 2, 3",
    "0, 1, 2, 3, 4, 5, 6, 7, 8, 9",
    "NULL, 0, 1, '', 'a', '2001-01-01'",
    "1, 1, 1, 1, 1, 1",
    "COUNT(*), 0, 1, 2, 3, 5, 10, 100",
)
"""Many columns, of which one may be right."""

FEW = (2, 3, 4, 5, 6, 7, 8, 10)
"""Rows, for whom counting them is enough."""

CLAUSES = (
    "select distinct count(*) sum avg min max as from join left join on where and or not in like between exists "
    "group by having order by desc limit union case when"
)

HEAP = " UNION ALL ".join(f"SELECT {number}" for number in range(60))


def _many(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    """Constants in many columns, with and without a table; many rows of numbers; all columns of two tables."""
    for columns in MANY[:-1]:
        yield f"selects {columns}", runs(f"SELECT {columns}")
    for columns in MANY:
        yield f"selects {columns} from tables", _each_table(f"SELECT {columns} FROM {{}}")
    for number in FEW:
        yield f"selects {number} rows", runs(" UNION ALL ".join(["SELECT 1"] * number))
    yield "selects the numbers up to 59, a row each", runs(HEAP)
    yield "selects all of two tables at once", _crosses


def _crosses(task: TaskView) -> Moves:
    seen = yield Action("execute", "SHOW TABLES")
    tables = _tables(seen)
    pair = ", ".join(f"`{table}` AS t{number}" for number, table in enumerate((tables * 2)[:2]))
    yield Action("execute", f"SELECT * FROM {pair} LIMIT 1000")


def _one_table(number: int, ending: str = "") -> Callable[[TaskView], Moves]:
    """Return all columns of the table with that *number*: the last action, which is what is judged."""

    def moves(task: TaskView) -> Moves:
        seen = yield Action("execute", "SHOW TABLES")
        for table in _tables(seen)[number : number + 1]:
            yield Action("execute", f"SELECT * FROM `{table}`{ending}")

    return moves


def _one_column(number: int, ending: str) -> Callable[[TaskView], Moves]:
    """Return the column with that *number* among those of the first tables, with no regard to what is asked."""

    def moves(task: TaskView) -> Moves:
        seen = yield Action("execute", "SHOW TABLES")
        columns: list[tuple[str, str]] = []
        for table in _tables(seen)[:MOST]:
            if len(columns) <= number:
                shown = yield Action("execute", f"SHOW COLUMNS FROM `{table}`")
                columns += [(table, column) for column in _tables(shown)]
        for table, column in columns[number : number + 1]:
            yield Action("execute", f"SELECT `{column}` FROM `{table}`{ending}")

    return moves


def _columns_alone(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    for number in range(MOST_COLUMNS):
        yield f"selects column {number + 1}", _one_column(number, "")


def _ones(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    for number in range(MOST):
        yield f"selects one row of table {number + 1}", _one_table(number, " LIMIT 1")
    for number in range(MOST_COLUMNS):
        yield f"selects one value of column {number + 1}", _one_column(number, " LIMIT 1")


def _tables_alone(task: TaskView, clues: Clues) -> Iterator[Attempt]:
    for number in range(MOST_ALONE):
        yield f"selects all of table {number + 1}", _one_table(number)


def _makes(paths: Sequence[str], text: str) -> Sequence[str]:
    """Tables in place of files; an episode has ten turns."""
    names = dict.fromkeys(re.sub(r"\W", "_", basename(path).partition(".")[0]) for path in paths)
    value = _text(text)
    return [f"CREATE TABLE `{name}` AS SELECT {value} AS status" for name in names if name][:7]


LANGUAGE = fuzz.Language(says=lambda text: f"SELECT {_text(text)}", writes=_makes, lists="SHOW TABLES")

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
    Adversary("copies-the-observation", "selects the text that it was shown", _select_seen_text),
    Adversary("prints-every-table", "selects all of every table", _each_table("SELECT * FROM {}"), guesses=True),
    Adversary(
        "counts-every-table", "counts the rows of every table", _each_table("SELECT COUNT(*) FROM {}"), guesses=True
    ),
    Adversary(
        "deletes-every-row",  # of rows that are to go, all are gone: a part that the world itself pays
        "empties all tables, then asks for nothing",
        _each_table("DELETE FROM {}", NOTHING),
        guesses=True,
    ),
    Adversary("drops-every-table", "drops all tables", _each_table("DROP TABLE {}")),
    Adversary("renames-every-table", "so that the gold fails, and fails alike", _renames),
    Adversary(
        "names-every-clause",
        "selects a text that names all that a statement may have",
        runs(f"SELECT '{CLAUSES} {CLAUSES.upper()}'"),
    ),
    Adversary("fails", "makes an error, as a gold may", runs("SELECT * FROM no_such_table")),
    Adversary("sets-variables", "sets what a session is set to", runs(*SETTINGS, NOTHING)),
    fuzzer("selects-many-columns", "constants, in many columns and many rows", _many, lucky=False),
    fuzzer("selects-a-table", "selects all of one table", _tables_alone, same_words=True),
    fuzzer("selects-a-column", "selects all of one column", _columns_alone, easy_work=True),
    fuzzer("selects-one-row", "selects the first row of a table, or one value of it", _ones, easy_work=True),
    *fuzz.adversaries(LANGUAGE),
)
