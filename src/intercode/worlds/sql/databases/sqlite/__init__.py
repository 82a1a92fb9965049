"""The embedded SQLite, which answers as MySQL would."""

from intercode.worlds.sql.databases.sqlite.database import SqliteDatabase

__all__ = ["SqliteDatabase"]
