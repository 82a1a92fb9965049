"""Servers of our own for one source: one that all readers share, and for each that writes one for itself.

The reading server's accounts cannot write, so no reader can leave anything there. A server on which something was
written is killed, never mended; the next is started ahead, so that nobody waits for it as long as there is time
between two writers.
"""

from __future__ import annotations

import itertools
import math
import os
import threading
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from intercode.errors import DatabaseError
from intercode.types.databases import QueryLimits, Row, TableState
from intercode.worlds.sql.databases.mysql.connection import Connection
from intercode.worlds.sql.databases.mysql.driver import ConnectionLostError
from intercode.worlds.sql.databases.mysql.introspection import READING_SECONDS
from intercode.worlds.sql.databases.mysql.server import Server
from intercode.worlds.sql.databases.mysql.server_process import ServerProcess
from intercode.worlds.sql.databases.mysql.server_program import ServerProgram
from intercode.worlds.sql.databases.mysql.session_pool import AGENT, READING, Lease, SessionPool, create_account
from intercode.worlds.sql.databases.mysql.shared_server import share_server, shared_server
from intercode.worlds.sql.databases.mysql.template import Template
from intercode_sandbox.util.child_process import resident_memory

SPARES = 1
"""Servers started ahead."""

KEPT = 4
"""Clean servers, and connections of readers, that are kept for the next."""

ATTEMPTS = 3
"""How often a server that dies is started anew before we give up."""

HEAD_START = 0.05
"""Seconds for which whoever took a server, or has done with one, goes on alone: starting and ending take processors."""

MOMENT = 0.2
"""Seconds in which a server ends that has cut its connections."""

CRASHED = "got signal"
"""What servers write into their log when they end by a fault of their own; of being killed they know nothing."""

EXTRA = ("--log-bin=bin", "--binlog-format=MIXED")


class ManagedLease(Lease):
    """A connection to a server of ours."""

    def __init__(self, server: Server, user: str, *, private: bool, seconds: float) -> None:
        self.server, self.private, self._seconds = server, private, seconds
        self._address = server.address.as_user(user)
        self.link = Connection(self._address, seconds=seconds)
        try:
            self._position = server.position() if private else None
        except ConnectionLostError:
            self.link.close()
            raise

    def state(self, database: str) -> Mapping[str, TableState]:
        return self.server.state(database, self._address, seconds=READING_SECONDS if self.private else math.inf)

    def has_commits(self) -> bool:
        return self.private and self.server.position() != self._position

    def alive(self) -> bool:
        """See `Lease.alive`; one that has just lost its connections may need a moment to end."""
        return not self.server.wait(MOMENT)

    def has_crashed(self) -> bool:
        """See `Lease.has_crashed`: a server that ends so says so."""
        return not self.alive() and CRASHED in self.server.log(1 << 20)

    def memory(self) -> int:
        return resident_memory(self.server.pid)

    def ask(self, statement: str) -> list[Row]:
        return self.server.ask(statement)

    def connect(self) -> Connection:
        return self.server.guest(self._address, self._seconds)


@dataclass(eq=False, frozen=True)
class SpareServer:
    """A server made ready, or on the way; `wanted` says that somebody waits for it."""

    coming: Future[ManagedLease]
    wanted: Event

    def place(self) -> ManagedLease:
        """Wait for it.

        Raises:
            DatabaseError: If the server does not start.
        """
        self.wanted.set()
        return self.coming.result()


class ManagedSessionPool(SessionPool):
    """See the top of this file."""

    def __init__(self, program: ServerProgram, template: Template, limits: QueryLimits) -> None:
        self.program, self.template, self.names = program, template, template.names
        self._seconds = limits.seconds
        self._lock = threading.Lock()
        self._workers = ThreadPoolExecutor(max_workers=2 * (os.cpu_count() or 2), thread_name_prefix="intercode-mysql")
        self._numbers = itertools.count(1)
        self._reading: Server | None = None
        self._readers: list[ManagedLease] = []
        self._spares: list[SpareServer] = []
        self._written = ""
        self._servers: set[Server] = set()
        self._closed = False
        self._ending = Event()

    def reader(self, database: str) -> Lease:
        for _ in range(ATTEMPTS):
            place = self._idle_reader() or self._new_reader()
            if place is None:
                continue
            try:
                place.enter(database)
            except ConnectionLostError:
                place.link.close()
                place.alive()  # gives a server that is dying the time to do so
            else:
                return place
        raise DatabaseError(f"{self.program.title} died {ATTEMPTS} times in a row")

    def writer(self, database: str) -> Lease:
        """See `SessionPool.writer`; a spare that could not start, or died while it waited, is no reason to fail."""
        for attempt in range(ATTEMPTS):
            with self._lock:
                self._written = database
                spare = self._spares.pop(0) if self._spares else self._submit()
                self._order()
            try:
                place = spare.place()
            except DatabaseError:
                if attempt + 1 == ATTEMPTS:
                    raise
                continue
            try:
                place.enter(database)
            except ConnectionLostError:
                place.link.close()
                self._end(place.server)
            else:
                return place
        raise DatabaseError(f"{self.program.title} died {ATTEMPTS} times in a row")

    def release(self, place: Lease, *, clean: bool) -> None:
        """See `SessionPool.release`; what is not clean is killed in the background."""
        assert isinstance(place, ManagedLease)
        if clean and not place.private:
            with suppress(ConnectionLostError):  # noticed when it is taken again
                place.link.begin_reset()
        with self._lock:
            if clean and not self._closed:
                if not place.private and len(self._readers) < KEPT:
                    self._readers.append(place)  # whether its server lives is asked when it is taken again
                    return
                if place.private and len(self._spares) < KEPT and place.server.alive():
                    self._spares.insert(0, _ready(place))
                    return
        place.link.close()
        if place.private:
            with suppress(RuntimeError):  # closed meanwhile: the server is gone already
                self._workers.submit(self._end_aside, place.server)

    def share(self, folder: Path) -> None:
        """See `SessionPool.share`: readers of all processes share a server, and each writer has its own as ever."""
        with self._lock:
            self._reading = server = self._server()
        share_server(folder, self.template.key, server)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._ending.set()
            spares, self._spares = self._spares, []
            servers, self._readers, idle = list(self._servers), [], self._readers
        for spare in spares:
            spare.wanted.set()
            spare.coming.cancel()
        self._workers.shutdown(wait=True)
        ended = [spare.coming for spare in spares]
        idle += [coming.result() for coming in ended if not coming.cancelled() and not coming.exception()]
        for place in idle:
            place.link.close()
        for server in {*servers, *self._servers}:
            self._end(server)

    def _order(self) -> None:
        """Have as many servers on the way as are to be ready."""
        if not self._closed:
            self._spares += [self._submit() for _ in range(SPARES - len(self._spares))]

    def _submit(self) -> SpareServer:
        if self._closed:
            raise DatabaseError("the database is closed")
        wanted = Event()
        return SpareServer(self._workers.submit(self._start, wanted), wanted)

    def _start(self, wanted: Event) -> ManagedLease:
        wanted.wait(HEAD_START)
        server = self._server()
        try:
            server.warm(self._written)
            place = ManagedLease(server, AGENT, private=True, seconds=self._seconds)
        except ConnectionLostError as error:
            self._end(server)
            raise DatabaseError(f"{self.program.title} died as soon as it had started: {error}") from error
        return place

    def _server(self) -> ServerProcess:
        if self._closed:
            raise DatabaseError("the database is closed")
        server = ServerProcess(self.program, template=self.template.archive, extra=EXTRA)
        self._servers.add(server)
        return server

    def _idle_reader(self) -> ManagedLease | None:
        with self._lock:
            while self._readers:
                place = self._readers.pop()
                if place.server.alive():
                    return place
                place.link.close()
        return None

    def _new_reader(self) -> ManagedLease | None:
        """Return a connection to the reading server, which is started when there is none.

        None when it has just died.
        """
        with self._lock:
            if self._reading is None or not self._reading.alive():
                if self._reading is not None:
                    self._end(self._reading)
                self._reading = self._shared() or self._server()
                self._order()
            server, user = self._reading, f"{self._reading.readers}_{next(self._numbers)}"
        try:
            with server.lock:
                create_account(server.admin, user, READING, self.names)
            return ManagedLease(server, user, private=False, seconds=self._seconds)
        except ConnectionLostError:
            self._end(server)
            return None

    def _shared(self) -> Server | None:
        """Return the run's reading server, for a worker process; None where there is none, or none any more."""
        server = shared_server(self.program, self.template.key)
        if server is not None:
            self._servers.add(server)
        return server

    def _end_aside(self, server: Server) -> None:
        self._ending.wait(HEAD_START)
        self._end(server)

    def _end(self, server: Server) -> None:
        server.close()
        self._servers.discard(server)


def _ready(place: ManagedLease) -> SpareServer:
    done: Future[ManagedLease] = Future()
    done.set_result(place)
    return SpareServer(done, Event())
