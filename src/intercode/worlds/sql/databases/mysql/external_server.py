"""A server that is there already, given by its URL: all sessions share it, and each that writes gets a copy there.

Readers use the databases under their own names, by accounts that cannot write. At its first change a session gets a
copy of its database, loaded anew from the source, and an account for it. The copy's name is kept from the session: it
is exchanged in statements and answers. What processes leave that are killed is removed by the next one that comes.
"""

from __future__ import annotations

import itertools
import math
import re
import threading
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from secrets import token_hex
from typing import Any

from intercode.errors import DatabaseError, UserError
from intercode.types.databases import DatabaseSource, Progress, QueryLimits, QueryResult, Row, TableState
from intercode.worlds.sql.databases.dialect.tokenizer import Token, plain, quote, tokens
from intercode.worlds.sql.databases.dumps.script import ScriptStatement, lines
from intercode.worlds.sql.databases.mysql import introspection
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError, ServerAddress
from intercode.worlds.sql.databases.mysql.session_pool import (
    READING,
    WRITING,
    Lease,
    SessionPool,
    create_account,
    grant,
)
from intercode.worlds.sql.databases.mysql.template import load

BOOK = "intercode_loaded"
"""The database in which we write down what we have loaded."""

ANYWHERE = "%"
"""The host of accounts: sessions may come from any."""

GUEST = re.compile(r"intercode_([0-9a-f]{8})_\d+")
"""Names of copies and accounts: whose they are, and a number."""


class ExternalLease(Lease):
    """A connection to the given server; `copies` are the private databases of a writer, by their own names."""

    def __init__(self, home: ExternalSessionPool, user: str, password: str, copies: Mapping[str, str]) -> None:
        self.home, self.user, self.copies = home, user, copies
        self.private = bool(copies)
        self._address = home.address.as_user(user, password)
        self.link = Connection(self._address, seconds=home.seconds)

    def state(self, database: str) -> Mapping[str, TableState]:
        with self.home.lock:
            own = self.copies.get(database, database)
            seconds = introspection.READING_SECONDS if self.private else math.inf
            return introspection.state(self.home.admin(), own, self._address, ANYWHERE, seconds)

    def has_commits(self) -> bool:
        """See `Lease.has_commits`; nobody can tell here, and a copy is dropped in any case."""
        return False

    def alive(self) -> bool:
        return self.home.alive()

    def ask(self, statement: str) -> list[Row]:
        with self.home.lock:
            return self.home.admin().rows(statement)

    def connect(self) -> Connection:
        with self.home.lock:
            return introspection.connect_guest(self.home.admin(), self._address, ANYWHERE, self.home.seconds)

    def enter(self, database: str) -> None:
        self.link.reset(self.copies.get(database, database))

    def in_database(self, database: str) -> ExternalLease:
        """Return the same, once it has entered *database*.

        Raises:
            ConnectionLostError: If the server is gone. The connection is closed then.
        """
        try:
            self.enter(database)
        except ConnectionLostError:
            self.link.close()
            raise
        return self

    def map_names(self, statement: str) -> str:
        for name, copy in self.copies.items():
            if name in statement.lower():
                statement = _replace_database(statement, name, copy)
        return statement

    def restore_public_names(self, result: QueryResult) -> QueryResult:
        if not self.copies:
            return result
        rows = result.rows and tuple(tuple(self._outwards(value) for value in row) for row in result.rows)
        columns = tuple(self._outwards(column) for column in result.columns)
        return replace(result, rows=rows, columns=columns, error=self._outwards(result.error))

    def _outwards(self, value: Any) -> Any:
        if isinstance(value, str):
            for name, copy in self.copies.items():
                value = value.replace(copy, name)
        return value


class ExternalSessionPool(SessionPool):
    """See the top of this file.

    Raises:
        UserError: If the server has other databases of the same names.
    """

    def __init__(self, address: ServerAddress, source: DatabaseSource, limits: QueryLimits, progress: Progress) -> None:
        self.address, self.source, self.seconds = address, source, limits.seconds
        self.lock = threading.RLock()
        self._own = token_hex(4)
        self._numbers = itertools.count(1)
        self._admin: Connection | None = None
        self._closed = False
        self._script = list(lines(source))
        self.names = sorted({line.database for line in self._script})
        try:
            with self.lock:
                self._sweep()
                self._load(progress)
        except BaseException:
            self._hang_up()
            raise

    def admin(self) -> Connection:
        """Our own connection; take `lock` first.

        Raises:
            ConnectionLostError: If the server is gone.
        """
        if self._admin is None:
            self._admin = Connection(self.address)
            self._admin.rows("SELECT GET_LOCK(%s, 0)", (f"intercode_{self._own}",))
        return self._admin

    def alive(self) -> bool:
        """Return whether the server answers."""
        with self.lock:
            try:
                self.admin().rows("SELECT 1")
            except ConnectionLostError:
                self._hang_up()
                return False
            return True

    def reader(self, database: str) -> Lease:
        with self.lock:
            user, password = self._account(READING, self.names)
        return ExternalLease(self, user, password, {}).in_database(database)

    def writer(self, database: str) -> Lease:
        """See `SessionPool.writer`: a fresh copy, loaded from the source."""
        with self.lock:
            copy = self._name()
            own = [replace(line, database=copy) for line in self._script if line.database == database]
            self._run(own)
            user, password = self._account(WRITING, [copy])
            grant(self.admin(), user, READING, self._without(database), host=ANYWHERE)
        return ExternalLease(self, user, password, {database: copy}).in_database(database)

    def release(self, place: Lease, *, clean: bool) -> None:
        """See `SessionPool.release`: its account and its copy are dropped."""
        assert isinstance(place, ExternalLease)
        with suppress(ConnectionLostError, DatabaseError):
            place.end()
            place.ask(introspection.PATIENCE)
            for copy in place.copies.values():
                place.ask(f"DROP DATABASE IF EXISTS {quote(copy)}")
            place.ask(f"DROP USER IF EXISTS '{place.user}'@'%'")

    def share(self, folder: Path) -> None:
        """See `SessionPool.share`: the server is found by its address, and says what is loaded."""

    def close(self) -> None:
        """See `SessionPool.close`; the databases that were loaded stay for the next time."""
        with self.lock:
            if self._admin is not None:
                with suppress(ConnectionLostError, DatabaseError):
                    self._sweep(self._own)
                self._hang_up()

    def _hang_up(self) -> None:
        if self._admin is not None:
            self._admin.close()
            self._admin = None

    def _name(self) -> str:
        return f"intercode_{self._own}_{next(self._numbers)}"

    def _without(self, database: str) -> list[str]:
        return [name for name in self.names if name != database]

    def _account(self, rights: str, databases: Iterable[str]) -> tuple[str, str]:
        user, password = self._name(), token_hex(16)
        create_account(self.admin(), user, rights, databases, password=password, host=ANYWHERE)
        return user, password

    def _load(self, progress: Progress) -> None:
        """Load the databases that are not there yet; one process at a time."""
        admin, turn = self.admin(), Connection(self.address)
        admin.rows(f"CREATE DATABASE IF NOT EXISTS {BOOK}")
        admin.rows(f"CREATE TABLE IF NOT EXISTS {BOOK}.loaded (name VARCHAR(64) PRIMARY KEY, checksum CHAR(64))")
        admin.rows(f"CREATE TABLE IF NOT EXISTS {BOOK}.turn (nothing INT)")
        try:
            turn.rows("SET SESSION lock_wait_timeout = 600")
            turn.rows(f"LOCK TABLES {BOOK}.turn WRITE")  # a lock that no session can take, unlike those of GET_LOCK
            known: dict[str, str] = dict(admin.rows(f"SELECT name, checksum FROM {BOOK}.loaded"))
            there = {row[0] for row in admin.rows("SHOW DATABASES")}
            for name in self.names:
                if not (name in there and known.get(name) == self.source.checksum):
                    self._load_one(name, there, known, progress)
        finally:
            turn.close()

    def _load_one(self, name: str, there: set[str], known: Mapping[str, str], progress: Progress) -> None:
        if name in there and name not in known:
            raise UserError(
                f"the server at {self.address} has a database {name!r} that was not loaded by InterCode: "
                f"drop it, or give a server of its own"
            )
        progress(f"loading {name} into {self.address}")
        admin = self.admin()
        admin.rows(f"DROP DATABASE IF EXISTS {quote(name)}")
        admin.rows(f"REPLACE INTO {BOOK}.loaded VALUES (%s, '')", (name,))
        self._run([line for line in self._script if line.database == name])
        admin.rows(f"REPLACE INTO {BOOK}.loaded VALUES (%s, %s)", (name, self.source.checksum))

    def _run(self, script: list[ScriptStatement]) -> None:
        """Run it on a connection of its own: a reset ends the locks that tell that we are here."""
        link = Connection(self.address)
        try:
            load(link, script)
        finally:
            link.close()

    def _sweep(self, own: str = "") -> None:
        """Drop copies and accounts that nobody uses any more: those of *own*, or of all whose connection is gone."""
        admin = self.admin()
        databases = admin.rows("SHOW DATABASES LIKE 'intercode\\_%'")
        users = admin.rows("SELECT user FROM mysql.user WHERE user LIKE 'intercode\\_%'")
        for kind, found in (("DATABASE", databases), ("USER", users)):
            for (name,) in found:
                guest = GUEST.fullmatch(name)
                if guest and (guest[1] == own if own else self._is_left(guest[1])):
                    admin.rows(f"DROP {kind} IF EXISTS " + (quote(name) if kind == "DATABASE" else f"'{name}'@'%'"))

    def _is_left(self, whose: str) -> bool:
        return whose != self._own and self.admin().rows("SELECT IS_FREE_LOCK(%s)", (f"intercode_{whose}",)) == [(1,)]


def _replace_database(statement: str, name: str, copy: str) -> str:
    """*statement* with one database's name for another's, where it is a database's name, or a text of its own."""
    found = list(tokens(statement))
    for at, token in enumerate(found):
        if plain(token).lower() == name and (token.kind == "string" or _is_database(found, at)):
            text = f"'{copy}'" if token.kind == "string" else quote(copy)
            found[at] = Token(token.kind, text, token.start)
    return "".join(token.text for token in found)


def _is_database(found: list[Token], at: int) -> bool:
    """Return whether a dot and two more names follow, or it stands where only databases and tables do."""
    before = [token.lower for token in found[:at] if token.kind != "space"][-2:]
    follows = [token.text for token in found[at + 1 : at + 4]]
    if before[-1:] in (["use"], ["database"], ["schema"]) or (
        before[-1:] in (["from"], ["in"]) and found[0].lower == "show"
    ):
        return True
    if follows[:1] != ["."] or before[-1:] == ["."]:
        return False
    return follows[2:3] == ["."] or before[-1:] in (["from"], ["join"], ["into"], ["update"], ["table"])
