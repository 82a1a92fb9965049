"""Names with their database: `shop.orders` where `shop` is the database that the session is in, or beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from intercode.databases.dialect.tokenizer import Token, plain, tokens

BEFORE_TABLES = frozenset({"from", "join", "into", "update", "table"})


def qualify_names(
    statement: str, own: str, tables: Collection[str], others: Collection[str]
) -> tuple[str, frozenset[str]]:
    """*statement* with `own.` as SQLite calls it, and which of the *others* it names. *tables* are those of `own`."""
    found = list(tokens(statement))
    named: set[str] = set()
    for at, token in enumerate(found):
        database = plain(token).lower() if token.kind in ("word", "name") else ""
        if database in (own, *others) and _is_database(found, at, database in tables):
            if database == own:
                found[at] = Token("word", "main", token.start)
            else:
                named.add(database)
    return "".join(token.text for token in found), frozenset(named)


def _is_database(found: Sequence[Token], at: int, is_table: bool) -> bool:
    """Whether the name there is a database's: a dot follows, and it is no table with its column."""
    if at + 2 >= len(found) or found[at + 1].text != ".":
        return False
    if at and found[at - 1].text == ".":
        return False
    whole = at + 4 < len(found) and found[at + 3].text == "."
    before = next((token.lower for token in reversed(found[:at]) if token.kind != "space"), "")
    return whole or not is_table or before in BEFORE_TABLES
