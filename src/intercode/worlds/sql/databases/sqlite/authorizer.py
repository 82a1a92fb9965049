"""What statements may do in the embedded SQLite: asked by SQLite itself while it prepares one."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE})

NEVER = frozenset({sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA, sqlite3.SQLITE_CREATE_VTABLE})
"""Other files, settings, and modules of SQLite."""

FORBIDDEN_CALLS = frozenset({"load_extension", "fts3_tokenizer", "readfile", "writefile", "edit"})


UNBOUNDED_CALLS = frozenset({"printf", "format", "json_group_array", "json_group_object"})
"""Functions of SQLite's alone that go on for minutes (`%.*c`) or hold gigabytes. Nobody can stop them."""


class Authorizer:
    """An authorizer. `writable` lets data and definitions be changed; `trusted` is for what we do ourselves.

    `native`: statements are SQLite's own.
    """

    def __init__(self, *, writable: bool, native: bool = False) -> None:
        self.writable = writable
        self._forbidden = FORBIDDEN_CALLS if native else FORBIDDEN_CALLS | UNBOUNDED_CALLS
        self.trusted = False
        self.defining = False

    @contextmanager
    def trust(self) -> Iterator[None]:
        """Provide what is prepared meanwhile is ours."""
        before, self.trusted = self.trusted, True
        try:
            yield
        finally:
            self.trusted = before

    def __call__(self, action: int, one: str | None, two: str | None, schema: str | None, trigger: str | None) -> int:
        """Return what SQLite asks of an authorizer."""
        if self.trusted or self._allows(action, one or "", two or ""):
            return sqlite3.SQLITE_OK
        return sqlite3.SQLITE_DENY

    def _allows(self, action: int, one: str, two: str) -> bool:
        if action in NEVER or (action == sqlite3.SQLITE_FUNCTION and two.lower() in self._forbidden):
            return False
        if action == sqlite3.SQLITE_READ and one.lower().startswith(("sqlite_", "pragma_", "dbstat")):
            return self.defining  # CREATE and ALTER look there themselves
        return self.writable or action in READING
