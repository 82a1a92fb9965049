"""The embedded SQLite, which answers as MySQL would."""

from intercode.databases.sqlite.database import SqliteDatabase

__all__ = ["SqliteDatabase"]
