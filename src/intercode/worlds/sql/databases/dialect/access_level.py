"""What a statement can do, judged by its words alone; where that is doubtful, the worse is assumed.

The judgement decides which server a statement goes to and what an episode costs, not what is allowed: the account
that reads cannot write, whatever is thought of a statement here.
"""

from __future__ import annotations

from itertools import zip_longest
from typing import Literal

from intercode.worlds.sql.databases.dialect.tokenizer import Token, cache_statements, first_word, meaningful

AccessLevel = Literal["read", "session", "write"]
"""`read`: looks at data. `session`: sets what ends with the connection. `write`: may leave traces."""

READERS = frozenset({"select", "with", "table", "values", "use"})
TELLERS = frozenset({"show", "desc", "describe", "explain"})
"""Statements that do not run what they name: SHOW CREATE TABLE, EXPLAIN UPDATE."""

SETTERS = frozenset(
    {"set", "begin", "start", "commit", "rollback", "savepoint", "release", "lock", "unlock", "do", "kill", "help"}
)

WRITING = frozenset({"insert", "update", "delete", "nextval", "setval"})
"""Words of a reading statement that may leave traces: WITH … DELETE, SELECT … FOR UPDATE, sequences."""

SETTING = frozenset({
    "insert", "update", "delete", "replace", "create", "drop", "alter", "truncate", "load", "call", "execute",
    "prepare", "grant", "revoke", "global", "persist", "persist_only", "password", "statement", "nextval", "setval",
})  # fmt: skip
"""Words of a setting statement that may leave traces: SET STATEMENT … FOR, MariaDB's BEGIN NOT ATOMIC."""

PERSONAL = frozenset({
    "into", "lock", "processlist", "performance_schema", "information_schema", "current_user", "current_role",
    "session_user", "system_user", "get_lock", "release_lock", "release_all_locks", "is_free_lock", "is_used_lock",
    "connection_id", "last_insert_id", "found_rows", "row_count",
})  # fmt: skip
"""Words of a reading statement whose answer is about the connection or the account: others must not share those."""

TOLD = frozenset({"grants", "privileges", "full", "status", "processlist"})
"""The same for a SHOW."""

CALLED = frozenset({"replace", "insert", "truncate"})
"""Functions called like statements."""


@cache_statements
def access_level(statement: str) -> AccessLevel:
    """Return what *statement* can reach at most."""
    whole = meaningful(statement)
    found = [token for token in whole if token.text not in "();"]
    if not found:
        return "read"
    first, words = found[0].lower, _words(whole)
    if any(token.kind in ("code", "open") for token in found):
        return "write"
    if first in READERS and not words & WRITING:
        variables = any(token.kind == "variable" and token.text[:2] != "@@" for token in found)
        return "session" if words & PERSONAL or variables else "read"
    if first in TELLERS:
        return "session" if words & (PERSONAL | TOLD) else "read"
    if first not in SETTERS or words & SETTING or (first == "begin" and words - {"work"}):
        return "write"
    return "session"


def _words(found: list[Token]) -> set[str]:
    """Return the words after the first, without functions that only share a statement's name.

    `user()` counts as personal.
    """
    words = set()
    for token, after in zip_longest(found[1:], found[2:]):
        called = after is not None and after.text == "("
        if token.kind == "word" and not (called and token.lower in CALLED):
            words.add("current_user" if called and token.lower == "user" else token.lower)
    return words


SCRIPTS = frozenset(
    {"begin", "call", "execute", "if", "case", "loop", "while", "repeat", "for", "declare", "set", "drop", "do", "xa"}
)
"""How statements begin that may have done something before they fail."""


def one_step(statement: str) -> bool:
    """Return whether the server checks all names in *statement* before it does anything.

    No routine, no script in it.
    """
    return first_word(statement) not in SCRIPTS and "/*" not in statement
