"""The promise of a database: WHERE queries run.

A `Database` opens sessions on the databases of a `Source`; each session is one episode's, a world of its own until it
is closed. Three rules hold for every one of them, and `intercode.testing.database` checks them:

- what a statement does wrong is in its `QueryResult`, in MySQL's words; only the database's own failure is an
  exception (`DatabaseError`);
- nothing of a session lives on after `close()`, and no session sees another, whatever was done in it;
- `state` is read from outside the account that runs the statements: nothing in the session can answer for it.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from intercode.util.database_files import checksum
from intercode_sandbox.util.closing import Closeable

Progress = Callable[[str], None]
"""Called with a line for people when something takes a while."""

Reach = Literal["process", "machine", "anywhere"]
"""How far others may be from whoever made a database, to use it: see `Database.reach`."""

Row = tuple[Any, ...]
"""One row: int, float, Decimal, str, bytes, date, datetime, timedelta or None."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one statement may use.

    Attributes:
        seconds: Time.
        rows: Rows of the result; the rest is cut off, and the result is marked as truncated.
        bytes: Bytes of the result; the rest is cut off, and the result is marked as truncated.
        statement: Bytes of the statement's text. A longer one is not run.
    """

    seconds: float = 10.0
    rows: int = 10_000
    bytes: int = 4 << 20
    statement: int = 4 << 20


DEFAULT_LIMITS = QueryLimits()
"""What holds where nobody says otherwise."""

NO_LIMITS = QueryLimits(rows=1 << 62, bytes=1 << 62)

VIEW_LIMITS = QueryLimits(seconds=4.0, rows=1_000_000, bytes=64 << 20)
"""How much of a view is looked at: what it shows is the agent's own code."""


TEXTS = (str, bytes)
"""Named: asking whether a value is `str | bytes` takes three times as long, for each value of each row."""


def limit_rows(rows: Iterable[Row], limits: QueryLimits) -> tuple[list[Row], bool]:
    """Return the first *rows*, as far as *limits* let them, and whether there are more."""
    kept: list[Row] = []
    size = 0
    for row in rows:
        for value in row:
            size += len(value) if isinstance(value, TEXTS) else 8
        if len(kept) == limits.rows or size > limits.bytes:
            return kept, True
        kept.append(row)
    return kept, False


@dataclass(frozen=True, slots=True)
class QueryResult:
    """What one statement did.

    Attributes:
        rows: The result set. None for a statement without one, and for an error.
        columns: The names of its columns.
        error: The server's message as MySQL's own client prints it, e.g. `1146 (42S02): Table 'shop.orders' doesn't
            exist`.
        affected: How many rows were changed.
        timed_out: Whether it was stopped at its time limit.
        truncated: Whether rows were cut off.
        seconds: How long it took.
    """

    rows: tuple[Row, ...] | None
    columns: tuple[str, ...] = ()
    error: str | None = None
    affected: int = 0
    timed_out: bool = False
    truncated: bool = False
    seconds: float = 0.0

    def taking(self, seconds: float) -> QueryResult:
        """Return the same result, with the time that it took, in *seconds*."""
        truth = self.error, self.affected, self.timed_out, self.truncated
        return QueryResult(self.rows, self.columns, *truth, seconds)  # `replace` takes five times as long

    @property
    def message(self) -> str:
        """`error` without its numbers, as the published benchmark shows it; empty where nothing failed."""
        head, separator, text = (self.error or "").partition("): ")
        return text if separator and head[:1].isdigit() else self.error or ""

    @property
    def code(self) -> int:
        """MySQL's number of the error; 0 where nothing failed."""
        if self.error is None:
            return 0
        number = self.error.partition(" ")[0]
        return int(number) if number.isdecimal() else 0


@dataclass(frozen=True, slots=True)
class DatabaseSource:
    """Where databases come from.

    Attributes:
        name: What the one database is called, in a dump that names none.
        path: A file, or a folder.
        kind: `mysql_dump`: one file made by mysqldump, perhaps .gz, with the databases that it names. `sql`: such a
            file, or a folder of .sql files, each of them a database with the file's name. `sqlite`: a database file, or
            a folder of them, perhaps one folder deeper.
    """

    name: str
    path: Path
    kind: Literal["mysql_dump", "sql", "sqlite"] = "mysql_dump"

    @property
    def checksum(self) -> str:
        """SHA-256 of all its files; what is converted from it is cached under this name.

        Raises:
            BadDataError: If there is no file.
        """
        return checksum(self.path, self.kind)


@dataclass(frozen=True, slots=True)
class TableState:
    """One table or view.

    Attributes:
        name: Its name.
        columns: The names of its columns.
        rows: Its rows, sorted.
        create: The statement that creates it.
    """

    name: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    create: str


class DatabaseSession(Closeable):
    """One episode's database. Not for several threads at once."""

    name: str
    """The database that it was opened on."""

    limits: QueryLimits

    @abstractmethod
    def run(self, statement: str, *, timeout: float | None = None) -> QueryResult:
        """Run one statement.

        What fails, takes too long, is refused or is not SQL is part of the result, and the session goes on.

        Args:
            statement: Written for MySQL.
            timeout: Seconds until it is stopped. None: the session's limit.

        Raises:
            DatabaseGoneError: If the server died, and with it all that the session did.
            DatabaseLostError: If the server died of a statement of this session.
        """

    def interrupt(self) -> None:
        """Called from another thread: stop the statement that runs, as if its time were over. Harmless if none does."""

    @abstractmethod
    def state(self) -> Mapping[str, TableState]:
        """Return every table and view of the session's database by name, as committed.

        Locks of the session are released.
        """

    @abstractmethod
    def changed(self) -> bool:
        """Return whether anything was tried that may change data, definitions or the server. False: it only read."""

    @abstractmethod
    def close(self) -> None:
        """End it; whatever it did is gone. Closing twice is harmless."""


class Database(Closeable):
    """A way to run queries. Making one is cheap and starts nothing; safe to use from several threads."""

    limits: QueryLimits

    def __init__(
        self,
        *,
        url: str | None = None,
        limits: QueryLimits = DEFAULT_LIMITS,
        progress: Progress = lambda line: None,
    ) -> None:
        self.url, self.limits, self.progress = url, limits, progress

    @property
    def reach(self) -> Reach:
        """Return which processes can play a run on it.

        `machine`: those of this machine, once `share` has told them of its servers. `anywhere`: all that make one with
        the same options. Else only this `process`.
        """
        return "process"

    def share(self, sources: Iterable[DatabaseSource], folder: Path) -> None:
        """Have the processes of this run, whose `paths.shared` is *folder*, use this one's servers for *sources*.

        Where there is none, or it is found anyway, nothing is done.

        Raises:
            BadDataError: If a source's files are missing or malformed.
            DatabaseError: If a server cannot be started.
        """

    @property
    @abstractmethod
    def dialect(self) -> str:
        """The SQL that it speaks: `mysql`, `mariadb` or `sqlite`."""

    @abstractmethod
    def load(self, source: DatabaseSource) -> None:
        """Prepare *source* to be opened. What was cached of a source with the same checksum is used again.

        Raises:
            BadDataError: If a dump does not load; the message names file and line.
            DatabaseError: If the server cannot be started, or breaks.
        """

    @abstractmethod
    def names(self, source: DatabaseSource) -> list[str]:
        """Return the databases in *source*, sorted."""

    @abstractmethod
    def open(self, source: DatabaseSource, name: str) -> DatabaseSession:
        """Open a session on an untouched copy of a database.

        Args:
            source: Where the database comes from.
            name: Its name there.

        Raises:
            UnknownNameError: If there is no such database; the message lists all names.
            DatabaseError: If the server cannot be started, or breaks.
        """

    @abstractmethod
    def version(self) -> str:
        """Return the server's name and version, e.g. `MariaDB 10.11.6`."""

    @abstractmethod
    def close(self) -> None:
        """End every session and server that this one started. Closing twice is harmless."""
