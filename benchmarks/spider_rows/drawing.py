"""Rows drawn by seed: values near to what golds name, or like those that are there, and references that hold."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlglot import exp

from benchmarks.spider_rows.schema import FIXED, Table
from intercode.types.databases import Row
from intercode.worlds.sql.scoring.syntax import syntax_tree, tables

Tables = Mapping[str, Table]
Literals = Mapping[str, Sequence[str]]
"""What golds compare columns with, by the columns' names in small letters."""

NOTES = ("checked twice", "none", "see above", "to be checked")
"""What is put into columns that are empty."""

WORDS = ("Great", "Little", "New", "North", "Old", "Second", "South", "West")
"""What is put in front of a word to make another."""

LETTERS = "abcdefghijklmnopqrstuvwxyz"


def draw(state: Tables, gold: str, golds: Iterable[str], dice: random.Random) -> list[tuple[str, Row]]:
    """Return a few new rows for tables that *gold* reads, parents first; none where no row could be found."""
    tree = syntax_tree(gold)
    assert tree is not None
    read = [name for name in state if name in tables(tree) and name not in FIXED]
    if not read:
        return []
    near = literals([gold] if dice.random() < 0.6 else golds)
    chosen = [name for name in read if dice.random() < 0.5] or [dice.choice(read)]
    chosen = _parents_first(chosen, state) * dice.choice((1, 1, 2))
    drawn: list[tuple[str, Row]] = []
    for name in chosen:
        row = _row(state, name, near, drawn, dice)
        if row is not None:
            drawn.append((name, row))
    return drawn


def literals(golds: Iterable[str]) -> Literals:
    """Return what *golds* compare columns with; numbers with their neighbours, parts of texts as such."""
    found: dict[str, list[str]] = {}
    for gold in golds:
        tree = syntax_tree(gold)
        for literal in tree.find_all(exp.Literal) if tree is not None else ():
            parent = literal.parent
            if not isinstance(parent, exp.Binary | exp.Between) or not isinstance(parent.this, exp.Column):
                continue
            text = literal.this.strip("%")
            near = [text]
            if text.isdecimal():
                near += [str(int(text) + step) for step in (-1, 1)]
            if literal.this != text:
                near += [f"{text} Extra", f"New {text}", f"New {text} Extra"]
            found.setdefault(parent.this.name.lower(), []).extend(near)
    return found


def insert(table: Table, row: Row) -> str:
    """Return the statement that adds *row* to *table*."""
    columns = ", ".join(f"`{name}`" for name in table.columns)
    return f"INSERT INTO `{table.name}` ({columns}) VALUES ({', '.join(map(_literal, row))})"


def _literal(value: object) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, int | float | Decimal):
        return str(value)
    text = str(value).replace("\\", "\\\\").replace("'", "''").replace("\n", "\\n")
    return f"'{text}'"


def _parents_first(names: Sequence[str], state: Tables) -> list[str]:
    ordered: list[str] = []

    def add(name: str) -> None:
        for other, _ in state[name].references.values():
            if other in names and other != name and other not in ordered:
                add(other)
        if name not in ordered:
            ordered.append(name)

    for name in names:
        add(name)
    return ordered


def _row(state: Tables, name: str, near: Literals, drawn: Sequence[tuple[str, Row]], dice: random.Random) -> Row | None:
    """Return a row of the table *name* whose keys are new; None where five attempts found none."""
    table = state[name]
    for _ in range(5):
        row = tuple(_value(state, table, column, near, drawn, dice) for column in table.columns)
        others = [*table.rows, *(row for other, row in drawn if other == name)]
        if row is not None and all(_is_new(table, key, row, others) for key in table.keys):
            return row
    return None


def _is_new(table: Table, key: Sequence[str], row: Row, others: Sequence[Row]) -> bool:
    places = [list(table.columns).index(column) for column in key]
    return tuple(row[at] for at in places) not in {tuple(other[at] for at in places) for other in others}


def _value(
    state: Tables, table: Table, column: str, near: Literals, drawn: Sequence[tuple[str, Row]], dice: random.Random
) -> Any:
    if column in table.references:
        return _reference(state, table, column, near, drawn, dice)
    values = table.values(column)
    if (column,) in table.keys and not _are_names(values):
        return _new_key(table, column, values, drawn, dice)
    if not values:
        return _note(table.columns[column], table.sizes.get(column, 60), dice)
    named = near.get(column.lower(), ())
    if named and dice.random() < 0.5:
        return _typed(dice.choice(named), table.columns[column], values)
    if dice.random() < _sameness(values):
        return dice.choice(values)
    return _fresh(values, table.sizes.get(column, 60), dice)


def _note(type: str, size: int, dice: random.Random) -> str | None:
    """For a column in which there is nothing yet."""
    return (
        dice.choice(NOTES) if type in ("text", "varchar") and size > len(max(NOTES)) and dice.random() < 0.5 else None
    )


def _are_names(values: Sequence[Any]) -> bool:
    """Return whether *values* are texts too long for codes."""
    return all(isinstance(value, str) for value in values) and max(map(len, values), default=0) > 6


def _sameness(values: Sequence[Any]) -> float:
    """Return how likely a value is to be one that is there: names seldom come twice, categories nearly always."""
    if not isinstance(values[0], str):
        return 0.6
    return 0.03 if len(set(values)) == len(values) else 0.95 if len(set(values)) < 0.7 * len(values) else 0.5


def _reference(
    state: Tables, table: Table, column: str, near: Literals, drawn: Sequence[tuple[str, Row]], dice: random.Random
) -> Any:
    """Return a row that is referred to: one just drawn, one that a gold names, or any."""
    other, key = state[table.references[column][0]], table.references[column][1]
    at = [name.lower() for name in other.columns].index(key.lower())
    new = [row for name, row in drawn if name == other.name.lower()]
    if new and dice.random() < 0.6:
        return dice.choice(new)[at]
    named = [
        row
        for row in other.rows
        if any(str(value).strip() in near.get(name.lower(), ()) for name, value in zip(other.columns, row, strict=True))
    ]
    rows = named if named and dice.random() < 0.5 else other.rows
    return dice.choice(rows)[at] if rows else None


def _new_key(
    table: Table, column: str, values: Sequence[Any], drawn: Sequence[tuple[str, Row]], dice: random.Random
) -> Any:
    at = list(table.columns).index(column)
    taken = {*values, *(row[at] for name, row in drawn if name == table.name.lower())}
    if all(isinstance(value, int | float) for value in taken):
        return max(taken, default=0) + 1
    if all(str(value).isdecimal() for value in taken):
        return str(max(int(value) for value in taken) + 1)
    size = min(len(str(value)) for value in taken)
    return "".join(dice.choice(LETTERS.upper()) for _ in range(max(size, 3)))


def _typed(text: str, type: str, values: Sequence[Any]) -> Any:
    if type in ("int", "double", "float", "decimal"):
        try:
            return int(text)
        except ValueError:
            return values[0]
    return text


def _fresh(values: Sequence[Any], size: int, dice: random.Random) -> Any:
    """Return a value such as those that are there, and most likely not one of them."""
    value = dice.choice((dice.choice(values), dice.choice(values), min(values), max(values)))
    if isinstance(value, datetime | date):
        return value + timedelta(days=dice.choice((-400, -1, 1, 400)))
    if isinstance(value, int):
        return max(0, value + dice.choice((-1, 1, 3, 10)))
    if isinstance(value, float | Decimal):
        return type(value)(str(float(value) + dice.choice((1, 2, 10))))
    if str(value).replace(".", "", 1).isdigit():
        return str(_number_type(value)(value) + dice.choice((-1, 1, 3)))
    first, last = str(value).split(), str(dice.choice(values)).split()
    text = " ".join([*first[:-1], last[-1]]) if len(first) > 1 and len(last) > 1 else f"{dice.choice(WORDS)} {value}"
    return text if len(text) <= size else "".join(dice.choice(LETTERS.upper()) for _ in range(min(size, 3)))


def _number_type(text: str) -> type[int] | type[float]:
    """Return what number *text* is."""
    return float if "." in text else int
