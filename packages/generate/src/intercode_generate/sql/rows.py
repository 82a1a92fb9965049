"""Which rows a request is about: conditions on a table's columns, in words and in SQL, and conditions nearly like them.

In SQL `{t}` stands for the table's name or alias. Comparisons are with values that occur, so that `>` is not `>=`, and
only of columns that are never NULL.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty
from intercode_generate.sql.schema import Link, SqlTable, SqlWorld, number

COUNT: dict[Difficulty, int] = {"easy": 1, "medium": 2, "hard": 3}
"""Conditions of a selection."""


@dataclass(frozen=True, slots=True)
class RowCondition:
    """One condition: *text* goes on after "whose", *wrong* are conditions that somebody might take for it."""

    text: str
    sql: str
    wrong: tuple[str, ...]
    steps: int = 1

    def on(self, name: str) -> str:
        """For the table called, or aliased, *name*."""
        return self.sql.replace("{t}", name)


@dataclass(frozen=True, slots=True)
class SelectedRows:
    """Rows of *table*: *text* goes on after "the rows of"; *wrong* are conditions that nearly say `sql`."""

    table: SqlTable
    text: str
    sql: str
    wrong: tuple[str, ...]
    steps: int

    def on(self, name: str = "") -> str:
        """Return the condition for the table under its own name, or aliased *name*."""
        return self.sql.replace("{t}", name or self.table.name)

    def wrong_on(self, name: str = "") -> tuple[str, ...]:
        """Return the same of those that are wrong."""
        return tuple(each.replace("{t}", name or self.table.name) for each in self.wrong)


def some_rows(
    draw: Draw,
    world: SqlWorld,
    difficulty: Difficulty,
    table: SqlTable | None = None,
    *,
    but: Sequence[str] = (),
    count: int | None = None,
    least: int = 2,
) -> SelectedRows | None:
    """Rows of *table*, or of any: *least* at least and not all, by *count* conditions, none on the columns *but*.

    Where it is hard a condition may name a row of another table in place of a value.
    """
    table = table or draw.pick(world.tables)
    wanted = count or COUNT[difficulty]
    found: list[RowCondition] = []
    link = _link_from(draw, world, table, but) if difficulty == "hard" and draw.chance(0.4) else None
    if link is not None:
        found.append(_by_reference(draw, link))
        but = (*but, link.column)
    found += _by_columns(draw, table, but, wanted - len(found))
    if len(found) < min(wanted, 2):
        return None
    rows = _joined(table, found)
    there = world.engine.value(f"SELECT COUNT(*) FROM {table.name} WHERE {rows.on()}")
    return rows if least <= there < len(table.rows) else None


def _joined(table: SqlTable, found: Sequence[RowCondition]) -> SelectedRows:
    """Return all conditions at once; wrong is one of them missing or nearly said, or `OR` for `AND`."""
    parts = [each.sql for each in found]
    wrong = []
    for place, each in enumerate(found):
        others = parts[:place] + parts[place + 1 :]
        wrong.append(" AND ".join([*others, each.wrong[0]]))
        if others:
            wrong.append(" AND ".join(others))
    text = "whose " + " and whose ".join(each.text for each in found)
    return SelectedRows(table, text, " AND ".join(parts), tuple(wrong[:3]), sum(each.steps for each in found))


def _by_columns(draw: Draw, table: SqlTable, but: Sequence[str], count: int) -> list[RowCondition]:
    makers: dict[str, Callable[[Draw, SqlTable, str], RowCondition]] = {
        "label": _label, "whole": _number, "money": _number, "date": _date, "name": _name
    }  # fmt: skip
    columns = [each for each in table.columns if each.name not in but and (each.nullable or each.kind in makers)]
    found = []
    for column in draw.sample(columns, count):
        make = _null if column.nullable else makers[column.kind]
        found.append(make(draw, table, column.name))
    return found


def _label(draw: Draw, table: SqlTable, column: str) -> RowCondition:
    values = sorted(set(table.values(column)))
    one, *others = draw.sample(values, 3)
    if len(others) == 2 and draw.chance(0.3):
        return RowCondition(
            f"`{column}` is `{one}` or `{others[0]}`",
            f"{{t}}.{column} IN ('{one}', '{others[0]}')",
            (f"{{t}}.{column} = '{one}'", f"{{t}}.{column} IN ('{one}', '{others[1]}')"),
        )
    other = others[0] if others else "none"
    return RowCondition(f"`{column}` is `{one}`", f"{{t}}.{column} = '{one}'", (f"{{t}}.{column} = '{other}'",))


def _number(draw: Draw, table: SqlTable, column: str) -> RowCondition:
    values = sorted(set(table.values(column)))
    middle = values[len(values) // 5 : -max(1, len(values) // 5)] or values
    low = draw.pick(middle)
    say = number(low)
    words, sign, wrong = draw.pick(
        (
            ("is more than", ">", ">="),
            ("is at least", ">=", ">"),
            ("is less than", "<", "<="),
            ("is at most", "<=", "<"),
        )
    )
    name = f"{{t}}.{column}"
    above = [value for value in values if value > low]
    if above and draw.chance(0.25):
        high = number(draw.pick(above))
        return RowCondition(
            f"`{column}` lies between {say} and {high} (both included)",
            f"{name} BETWEEN {say} AND {high}",
            (f"{name} > {say} AND {name} <= {high}", f"{name} >= {say} AND {name} < {high}"),
        )
    return RowCondition(f"`{column}` {words} {say}", f"{name} {sign} {say}", (f"{name} {wrong} {say}",))


def _date(draw: Draw, table: SqlTable, column: str) -> RowCondition:
    day = draw.pick(table.values(column))
    name = f"{{t}}.{column}"
    kind = draw.integer(0, 2)
    if kind == 0:
        return RowCondition(f"`{column}` is after {day}", f"{name} > '{day}'", (f"{name} >= '{day}'",))
    if kind == 1:
        return RowCondition(f"`{column}` is {day} or earlier", f"{name} <= '{day}'", (f"{name} < '{day}'",))
    year = int(day[:4])
    return RowCondition(
        f"`{column}` lies in the year {year}",
        f"{name} >= '{year}-01-01' AND {name} < '{year + 1}-01-01'",
        (f"{name} >= '{year}-01-01'", f"{name} >= '{year + 1}-01-01'"),
    )


def _name(draw: Draw, table: SqlTable, column: str) -> RowCondition:
    first = draw.pick(table.values(column))[0]
    return RowCondition(
        f"`{column}` begins with `{first}`", f"{{t}}.{column} LIKE '{first}%'", (f"{{t}}.{column} LIKE '%{first}'",)
    )


def _null(draw: Draw, table: SqlTable, column: str) -> RowCondition:
    name = f"{{t}}.{column}"
    if draw.chance(0.5):
        return RowCondition(f"`{column}` is NULL", f"{name} IS NULL", (f"{name} IS NOT NULL",))
    return RowCondition(f"`{column}` is not NULL", f"{name} IS NOT NULL", (f"{name} IS NULL",))


def _link_from(draw: Draw, world: SqlWorld, table: SqlTable, but: Sequence[str]) -> Link | None:
    """Return a reference of *table* to another, by none of the columns *but*."""
    links = [link for link in world.links if link.child is table and link.column not in but]
    links = [link for link in links if link.parent.of_kind("label", "name")]
    return draw.pick(links) if links else None


def _by_reference(draw: Draw, link: Link) -> RowCondition:
    """Return a value in the row that the reference leads to."""
    column = draw.pick(link.parent.of_kind("label") or link.parent.of_kind("name"))
    one, other = [*draw.sample(sorted(set(link.parent.values(column))), 2), "none"][:2]
    inside = f"SELECT {link.key} FROM {link.parent.name} WHERE {column}"
    return RowCondition(
        f"`{link.column}` is the `{link.key}` of a row of `{link.parent.name}` with the `{column}` `{one}`",
        f"{{t}}.{link.column} IN ({inside} = '{one}')",
        (f"{{t}}.{link.column} IN ({inside} = '{other}')",),
        2,
    )


def link_of(
    draw: Draw, world: SqlWorld, *, nullable: bool | None = None, parent: Callable[[SqlTable], object] = bool
) -> Link | None:
    """Return a reference between two tables of the world whose parent fulfils *parent*."""
    found = [
        link
        for link in world.links
        if not link.child.copy_of and parent(link.parent) and nullable in (None, link.nullable)
    ]
    return draw.pick(found) if found else None


def listed(names: Sequence[str]) -> str:
    """Return `a`, `b` and `c`."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} and {quoted[-1]}"


def selected(names: Sequence[str], table: str) -> str:
    """Return the columns *names* of *table*, for a SELECT or an ORDER BY."""
    return ", ".join(f"{table}.{name}" for name in names)


def some_columns(draw: Draw, table: SqlTable, most: int = 2) -> list[str]:
    """Return the key, by which rows can be told apart, and up to *most* other columns."""
    others = [each.name for each in table.columns if each.name not in table.key]
    return [*table.key, *draw.sample(others, draw.integer(1, most))]
