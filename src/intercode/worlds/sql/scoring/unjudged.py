"""Statements of golds that leave nothing that is judged, by name: what they make shows in no state of the database."""

from __future__ import annotations

from intercode.worlds.sql.databases.dialect.tokenizer import Token, meaningful, statement_texts

_WAY_OUT = "let the gold end with a statement that shows what it did, or judge it by a reward.py of your own"
_ON_A_SERVER = "before that, play it on a server (--database mysql): the embedded SQLite does not know this statement"
_OF_SERVERS = ("trigger", "procedure", "function", "sequence")

_OBJECTS = {
    "trigger": "what a trigger does shows only when rows change",
    "procedure": "what a procedure does shows only when it is called",
    "function": "what a function does shows only when it is called",
    "event": "what an event does shows only with time",
    "sequence": "of the servers only MariaDB has sequences",
    "database": "a session is judged by the one database that it was opened on",
    "schema": "a session is judged by the one database that it was opened on",
    "user": "accounts are the server's, not the database's",
    "role": "accounts are the server's, not the database's",
    "server": "servers that are linked are no part of the database",
    "tablespace": "where tables lie is no part of what is in them",
    "table": "what it changes shows in no state",
    "view": "what the view shows is as before",
    "index": "the index changes nothing, or was there already",
}
"""By what CREATE, ALTER and DROP are about."""

_WORDS = {
    "grant": "rights are the server's, not the database's",
    "revoke": "rights are the server's, not the database's",
    "set": "a variable ends with its session",
    "lock": "a lock ends with its session",
    "unlock": "a lock ends with its session",
    "use": "which database is looked at ends with the session",
    "begin": "a transaction without a change leaves nothing",
    "start": "a transaction without a change leaves nothing",
    "commit": "a transaction without a change leaves nothing",
    "rollback": "a transaction that is undone leaves nothing",
    "prepare": "a prepared statement ends with its session",
    "analyze": "statistics are no part of the database",
    "optimize": "how a table is stored is no part of what is in it",
    "repair": "how a table is stored is no part of what is in it",
    "check": "whether a table is sound is no part of what is in it",
    "checksum": "it changes nothing",
    "flush": "what a server keeps in memory is no part of the database",
    "kill": "connections are no part of the database",
    "comment": "MySQL has no COMMENT ON: write COMMENT in an ALTER TABLE",
}
"""By how statements begin."""

_ENDS = "a temporary table ends with its session"
_NUMBER = "the number that the next row gets shows only when there is one"


def why_unjudged(gold: str, *, failed: bool = False) -> str:
    """Return why the first of the statements in *gold* that is of such a kind is not judged, with the way out.

    Args:
        gold: Statements that succeeded and left nothing.
        failed: *gold* is one that failed instead; what is about tables, views and indexes fails for another reason.

    Returns:
        An empty text where no statement is of such a kind.
    """
    for statement in statement_texts(gold) or (gold,):
        name, why = _reason(meaningful(statement))
        if why and not (failed and name.rpartition(" ")[2] in ("TABLE", "VIEW", "INDEX", "SET", "USE")):
            needs_server = failed and name.rpartition(" ")[2].lower() in _OF_SERVERS
            return f"{name} is not judged: {why}; {_WAY_OUT}" + (f"; {_ON_A_SERVER}" if needs_server else "")
    return ""


def _reason(found: list[Token]) -> tuple[str, str]:
    """Return what a statement is called, and why it is not judged: nothing where it is of no such kind."""
    words = [token.lower for token in found if token.kind == "word"]
    first = words[0] if words else ""
    if first not in ("create", "alter", "drop"):
        return first.upper(), _WORDS.get(first, "")
    kind = next((word for word in words[1:] if word in _OBJECTS), "")
    if kind == "table" and "temporary" in words[:4]:
        return f"{first.upper()} TEMPORARY TABLE", _ENDS
    if kind == "table" and words[-1] == "auto_increment" and not {"modify", "change", "add"} & set(words):
        return "ALTER TABLE … AUTO_INCREMENT", _NUMBER
    return f"{first.upper()} {kind.upper()}", _OBJECTS.get(kind, "")
