"""Read in recorded statements and their results whether a table existed: in listings, errors and results."""

from __future__ import annotations

import re
from collections.abc import Iterable

from intercode.audit.replay.published.recorded_turns import RecordedTurn
from intercode.worlds.sql.databases.dialect.commands import server_command

ERROR = "Error executing query: "

ABOUT_COLUMNS = re.compile(r"\bcolumn\b|GROUP BY|\bExpression #|group function", re.IGNORECASE)
"""Errors that the server finds only once it has opened every table of a statement."""


def first_sighting(turns: Iterable[RecordedTurn], database: str, table: str, *, is_current: bool) -> bool | None:
    """Return whether *table* existed in *database*, as the first turn says that tells of it; None if none does.

    Args:
        turns: The turns of one episode.
        database: Where the table is.
        table: The name of it.
        is_current: Whether statements without a database's name are about *database*.
    """
    sightings = (sighting(turn, database, table, is_current=is_current) for turn in turns)
    return next((each for each in sightings if each is not None), None)


def sighting(turn: RecordedTurn, database: str, table: str, *, is_current: bool) -> bool | None:
    """Return whether *table* existed in *database* when *turn* was played; None if the turn does not tell."""
    if turn.kind != "run":
        return None
    if f"Table '{database}.{table}' doesn't exist" in turn.observation:
        return False
    if is_current and f"Table '{table}' already exists" in turn.observation:
        return True
    command = server_command(turn.code)
    if command is not None and command.kind == "tables":
        is_whole = command.like is None and (command.database == database or (is_current and not command.database))
        return _is_listed(turn.observation, table) if is_whole else None
    if turn.observation.startswith(ERROR) and not ABOUT_COLUMNS.search(turn.observation):
        return None
    if command is not None:
        is_about = command.table == table and (command.database or (database if is_current else "")) == database
        return True if is_about else None
    return _is_used(turn.code, database, table, is_current=is_current) if table in turn.code.lower() else None


def _is_listed(observation: str, table: str) -> bool | None:
    return f"('{table}'" in observation if observation.startswith("[") else None


def _is_used(statement: str, database: str, table: str, *, is_current: bool) -> bool | None:
    """Return True if *statement*, which went well, needs *table*; False if it makes it."""
    from sqlglot import exp

    from intercode.worlds.sql.databases.dialect.syntax_tree import syntax_trees

    try:
        trees = syntax_trees(statement)
    except ValueError:
        return None
    if not trees:
        return None
    tree = trees[0]
    is_made = isinstance(tree, exp.Create)
    own = set() if is_made else {each.alias.lower() for each in tree.find_all(exp.CTE)}
    current = database if is_current else ""
    named = {(each.db.lower() or current, each.name.lower()) for each in tree.find_all(exp.Table)}
    return not is_made if (database, table) in named and table not in own else None
