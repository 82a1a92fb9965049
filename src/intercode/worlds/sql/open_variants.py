"""Embedded databases that have variants of databases open: opening them takes longer than a statement."""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager

from intercode.types.databases import Database, DatabaseSource
from intercode.worlds.sql.databases.sqlite import SqliteDatabase

IDLE = 24
"""Databases whose variants are kept open."""

Place = tuple[DatabaseSource, str]
"""A source, and the name of a database in it."""


class OpenVariants:
    """Embedded databases that have variants open. Safe to use from several threads, each database by one at a time."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._idle = OrderedDict[Place, SqliteDatabase]()
        weakref.finalize(self, _close, self._idle)

    @contextmanager
    def use(self, database: Database, place: Place) -> Iterator[SqliteDatabase]:
        """Provide one for variants of the database at *place*, with the limits of *database*."""
        with self._guard:
            found = self._idle.pop(place, None)
        found = found or SqliteDatabase(limits=database.limits)
        try:
            yield found
        finally:
            with self._guard:
                rest = [self._idle.pop(place)] if place in self._idle else []
                self._idle[place] = found
                rest += [self._idle.popitem(last=False)[1]] if len(self._idle) > IDLE else []
            for each in rest:
                each.close()


def _close(idle: OrderedDict[Place, SqliteDatabase]) -> None:
    for each in idle.values():
        each.close()
