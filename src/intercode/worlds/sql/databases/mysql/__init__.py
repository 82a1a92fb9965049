"""MySQL and MariaDB servers: find one, start one, talk to it, and leave none behind."""

from intercode.worlds.sql.databases.mysql.database import MysqlDatabase

__all__ = ["MysqlDatabase"]
