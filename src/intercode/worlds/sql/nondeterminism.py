"""What chance or the clock has left where no look at tables finds it: in variables, temporary tables, transactions."""

from __future__ import annotations

from collections.abc import Iterable

from intercode.worlds.sql.databases.dialect.tokenizer import Token, meaningful

CHANCE = frozenset({
    "rand", "uuid", "uuid_short", "uuid_v4", "uuid_v7", "sys_guid", "random_bytes", "connection_id",
    "now", "sysdate", "curdate", "curtime", "current_date", "current_time", "current_timestamp", "localtime",
    "localtimestamp", "unix_timestamp", "utc_date", "utc_time", "utc_timestamp",
})  # fmt: skip
"""Words of a statement whose answer is another each time, or at another time."""

OPENING = frozenset({"temporary", "begin", "start", "autocommit", "xa"})
"""Words of a statement after which there is a temporary table, or a transaction."""


def nondeterministic_state(statements: Iterable[str]) -> str:
    """The first of *statements*, run in this order, that may have left what comes out otherwise next time, unseen.

    Judged by its words alone; "" for none.
    """
    opened = False
    for statement in statements:
        found = meaningful(statement)
        words = {token.lower.lstrip("@") for token in found if token.kind in ("word", "variable")}
        opened = opened or bool(words & OPENING)
        if words & CHANCE and (opened or any(map(_is_own_variable, found))):
            return statement
    return ""


def _is_own_variable(token: Token) -> bool:
    return token.kind == "variable" and not token.text.startswith("@@")
