"""Looking at a server from the outside: what is in a database, and whether anything was ever committed."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing

from intercode.databases.base import QueryLimits, QueryResult, Row, TableState
from intercode.databases.mysql.connection import Connection
from intercode.databases.mysql.server_program import ServerProgram
from intercode.errors import DatabaseError


class TableLockedError(Exception):
    """A table is locked by somebody."""


def position(admin: Connection, program: ServerProgram) -> object:
    """The end of the binary log."""
    newer = program.flavour == "mysql" and tuple(map(int, program.version.split(".")[:2])) >= (8, 2)
    return admin.rows(f"SHOW {'BINARY LOG' if newer else 'MASTER'} STATUS")[0][:2]


LOCKED = 1205
"""The error of who waited too long for a lock."""

UNKNOWN = 1049
"""The error of who asks for a database that is not there."""

AT_ONCE = 64
"""Questions that are sent together: more could fill the ways in both directions."""

VIEWS = QueryLimits(seconds=4.0, rows=1_000_000, bytes=64 << 20)
"""How much of a view is looked at: what it shows is the agent's own code."""


def state(admin: Connection, database: str, guest: Callable[[], Connection]) -> Mapping[str, TableState]:
    """Every table and view of *database*, as committed; nothing where the database is gone. Raises Locked.

    A view is the agent's code, and could call functions of the agent's with the rights of whoever looks at it:
    *guest* makes a connection with the agent's own rights for that.
    """
    try:
        kinds, at_once = _kinds(admin, database)
        tables = _tables(admin, database, [name for name, kind in kinds if kind != "VIEW"], at_once)
        return {name: _view(admin, database, name, guest) if kind == "VIEW" else tables[name] for name, kind in kinds}
    except DatabaseError as error:
        if f": {LOCKED} " in str(error):
            raise TableLockedError(str(error)) from error
        if f": {UNKNOWN} " in str(error):
            return {}
        raise


def warm(admin: Connection, database: str) -> None:
    """Have a server that has just started open the tables of *database*, which takes it longer the first time."""
    if database:
        kinds, at_once = _kinds(admin, database)
        questions = [_created(_place(database, name)) for name, kind in kinds if kind != "VIEW"]
        _asked(admin, questions, at_once)


PATIENCE = "SET SESSION lock_wait_timeout = 1"


def quoted(name: str) -> str:
    """A name in backticks."""
    return "`" + name.replace("`", "``") + "`"


def _kinds(admin: Connection, database: str) -> tuple[Sequence[Row], int]:
    """What there is, as names and kinds, and how much of it may be asked for at once.

    Each question that meets a lock waits for a second: where there are any, not all of them shall.
    """
    place = quoted(database)
    shown = admin.together([PATIENCE, f"SHOW FULL TABLES FROM {place}", f"SHOW OPEN TABLES FROM {place} WHERE In_use"])
    _, kinds, locked = [result.rows or () for result in shown]
    return kinds, 1 if locked else AT_ONCE


def _tables(admin: Connection, database: str, names: Sequence[str], at_once: int) -> Mapping[str, TableState]:
    """The tables called *names*."""
    places = [_place(database, name) for name in names]
    answers = _asked(admin, [text for place in places for text in (_created(place), _content(place))], at_once)
    return {name: _table(name, *answers[2 * number : 2 * number + 2]) for number, name in enumerate(names)}


def _asked(admin: Connection, questions: Sequence[str], at_once: int) -> list[QueryResult]:
    """The answers to *questions*, of which so many are sent at once."""
    parts = [questions[start : start + at_once] for start in range(0, len(questions), at_once)]
    return [answer for part in parts for answer in admin.together(part)]


def _place(database: str, name: str) -> str:
    return f"{quoted(database)}.{quoted(name)}"


def _created(place: str) -> str:
    return f"SHOW CREATE TABLE {place}"


def _content(place: str) -> str:
    return f"SELECT * FROM {place}"


def _table(name: str, created: QueryResult, content: QueryResult) -> TableState:
    create = (created.rows or ())[0][1]
    return TableState(name, content.columns, tuple(sorted(content.rows or (), key=repr)), create)


def _view(admin: Connection, database: str, name: str, guest: Callable[[], Connection]) -> TableState:
    """A view; one that cannot be read has neither columns nor rows."""
    place = _place(database, name)
    create = admin.rows(f"SHOW CREATE VIEW {place}")[0][1]
    create = re.sub(r"^CREATE .*? VIEW ", "CREATE VIEW ", create).replace(f"{quoted(database)}.", "")
    with closing(guest()) as link:
        link.rows(PATIENCE)
        try:
            result = link.run(_content(place), VIEWS.seconds, VIEWS)
        except TimeoutError:
            admin.rows(f"KILL CONNECTION {link.id}")
            return TableState(name, (), (), create)
    if result.code == LOCKED:
        raise TableLockedError(result.message)
    return TableState(name, result.columns, tuple(sorted(result.rows or (), key=repr)), create)
