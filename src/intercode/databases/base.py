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

from intercode.closing import Closeable
from intercode.databases.source_files import checksum

Progress = Callable[[str], None]
"""Called with a line for people when something takes a while."""

Row = tuple[Any, ...]
"""One row: int, float, Decimal, str, bytes, date, datetime, timedelta or None."""


@dataclass(frozen=True, slots=True)
class QueryLimits:
    """What one statement may use: seconds of time, rows and bytes of result, bytes of text.

    A result is cut at `rows` or `bytes` and marked as truncated; a longer `statement` is not run.
    """

    seconds: float = 10.0
    rows: int = 10_000
    bytes: int = 4 << 20
    statement: int = 4 << 20


DEFAULT_LIMITS = QueryLimits()
"""What holds where nobody says otherwise."""

NO_LIMITS = QueryLimits(rows=1 << 62, bytes=1 << 62)


TEXTS = (str, bytes)
"""Named: asking whether a value is `str | bytes` takes three times as long, for each value of each row."""


def limited(rows: Iterable[Row], limits: QueryLimits) -> tuple[list[Row], bool]:
    """The first *rows*, as far as *limits* let them, and whether there are more."""
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

    `rows` is None for a statement without a result set, or an error. `error` is the server's message as MySQL's own
    client prints it, e.g. `1146 (42S02): Table 'shop.orders' doesn't exist`. `affected` counts changed rows.
    """

    rows: tuple[Row, ...] | None
    columns: tuple[str, ...] = ()
    error: str | None = None
    affected: int = 0
    timed_out: bool = False
    truncated: bool = False
    seconds: float = 0.0

    def taking(self, seconds: float) -> QueryResult:
        """The same, which took so many *seconds*."""
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

    `mysql_dump`: one file made by mysqldump, perhaps .gz, with the databases that it names (or one, called `name`).
    `sql`: such a file, or a folder of .sql files, each a database called after it. `sqlite`: a database file, or a
    folder of them, perhaps one folder deeper.
    """

    name: str
    path: Path
    kind: Literal["mysql_dump", "sql", "sqlite"] = "mysql_dump"

    @property
    def checksum(self) -> str:
        """SHA-256 of all its files; what is converted from it is kept under that.

        Raises BadDataError without a file.
        """
        return checksum(self.path, self.kind)


@dataclass(frozen=True, slots=True)
class TableState:
    """One table or view: its `rows` as a sorted multiset, and the statement that makes it anew."""

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
        """Run one *statement*, written for MySQL, for at most *timeout* seconds (None: the session's limit).

        What fails, takes too long, is refused or is no SQL is in the result, and the session goes on. Raises
        DatabaseGoneError when the server died and what the session did is lost with it: a DatabaseLostError where a
        statement of the session's made it crash.
        """

    def interrupt(self) -> None:
        """From another thread: end the statement that runs, as if its time were over. Harmless where none does."""

    @abstractmethod
    def state(self) -> Mapping[str, TableState]:
        """Every table and view of the session's database by name, as committed; locks held by the session are ended."""

    @abstractmethod
    def changed(self) -> bool:
        """Whether anything was tried that may change data, definitions or the server. False: it only read."""

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
    def is_shareable(self) -> bool:
        """Whether one made alike in another process runs on the same server, or on none."""
        return False

    @property
    @abstractmethod
    def dialect(self) -> str:
        """What its SQL is: `mysql`, `mariadb` or `sqlite`."""

    @abstractmethod
    def load(self, source: DatabaseSource) -> None:
        """Make *source* ready to be opened, from what was kept of it before where it is the same by checksum.

        Raises BadDataError, naming file and line, for a dump that does not load, and DatabaseError.
        """

    @abstractmethod
    def names(self, source: DatabaseSource) -> list[str]:
        """The databases in *source*, sorted."""

    @abstractmethod
    def open(self, source: DatabaseSource, name: str) -> DatabaseSession:
        """A session on an untouched copy of the database *name*.

        Raises UnknownNameError, listing the names there are.
        """

    @abstractmethod
    def version(self) -> str:
        """What answers, and which version of it, e.g. `MariaDB 10.11.6`."""

    @abstractmethod
    def close(self) -> None:
        """End every session and server that this one started. Closing twice is harmless."""
