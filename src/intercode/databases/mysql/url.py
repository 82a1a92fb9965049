"""How a server is named: `mysql://user:password@host:port`, `mysqld:PROGRAM`, `docker:IMAGE`."""

from __future__ import annotations

from urllib.parse import parse_qs, unquote, urlsplit

from intercode.databases import FORMS
from intercode.databases.mysql.connection import ServerAddress
from intercode.errors import UserError


def read(url: str) -> ServerAddress:
    """The address in a mysql:// URL. Raises UserError, which does not repeat the password."""
    try:
        parts = urlsplit(url)
        port = parts.port or 3306
    except ValueError as error:
        raise UserError(f"not the URL of a database server ({error}): write {FORMS}") from error
    if parts.scheme not in ("mysql", "mariadb"):
        raise UserError(f"not the URL of a database server, it begins with {parts.scheme or url[:10]!r}: write {FORMS}")
    sockets = parse_qs(parts.query).get("socket", [""])
    if not (parts.hostname or sockets[0]):
        raise UserError(f"the URL names neither a host nor a socket: write {FORMS}")
    user, password = unquote(parts.username or "root"), unquote(parts.password or "")
    return ServerAddress(user, password, socket=sockets[0], host=parts.hostname or "localhost", port=port)
