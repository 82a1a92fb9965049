"""Rows changed in place."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER
from intercode_generate.sql.families.joins import words
from intercode_generate.sql.families.nulls import with_nulls
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import link_of, some_rows
from intercode_generate.sql.schema import SqlTable, SqlWorld


def labelled(draw: Draw, world: SqlWorld) -> tuple[SqlTable, str] | None:
    """Return a table with a column of labels."""
    tables = [each for each in world.tables if each.of_kind("label")]
    if not tables:
        return None
    table = draw.pick(tables)
    return table, draw.pick(table.of_kind("label"))


@family(
    "Set `{column}` to `{value}` in all rows of `{table}` {which}. Change nothing else.",
    "In `{table}`, every row {which} should have the `{column}` `{value}`; all else stays as it is.",
    "Update `{table}`: the rows {which} get the value `{value}` as their `{column}`, and nothing else changes.",
)
def set_label(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a label written to some rows."""
    found = labelled(draw, world)
    if found is None:
        return None
    table, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,))
    if rows is None:
        return None
    name, value = table.name, draw.pick(table.values(column))
    start = f"UPDATE {name} SET {column} = '{value}'"
    return Draft(
        {"table": name, "column": column, "value": value, "which": rows.text},
        f"{start} WHERE {rows.on()}",
        f"UPDATE {name} SET {column} = CASE WHEN {rows.on()} THEN '{value}' ELSE {column} END",
        (*(f"{start} WHERE {wrong}" for wrong in rows.wrong_on()[:2]), start, f"{start} WHERE NOT ({rows.on()})"),
        rows.steps + 1,
    )


@family(
    "In the rows of `{table}` {which}, make `{column}` {amount} {more} than it is. Change nothing else.",
    "In every row of `{table}` {which}, `{column}` should be {amount} {more} than it is now. All else stays.",
    "Update the rows of `{table}` {which}: their `{column}` becomes {amount} {more}. Leave other columns and rows "
    "alone.",
)
def shift_number(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a number made larger or smaller."""
    table = draw.pick([each for each in world.tables if each.of_kind("whole", "money")])
    column = draw.pick(table.of_kind("whole", "money"))
    rows = some_rows(draw, world, difficulty, table, but=(column,))
    if rows is None:
        return None
    name = table.name
    amount = str(draw.integer(2, 9)) + (".50" if table.kind_of(column) == "money" else "")
    sign, other = draw.pick((("+", "-"), ("-", "+")))
    start = f"UPDATE {name} SET {column} = {column} {sign} {amount}"
    values = {"more": "more" if sign == "+" else "less", "amount": amount}
    return Draft(
        {**values, "table": name, "column": column, "which": rows.text},
        f"{start} WHERE {rows.on()}",
        f"UPDATE {name} SET {column} = {column} {sign} CASE WHEN {rows.on()} THEN {amount} ELSE 0 END",
        (
            start,
            f"UPDATE {name} SET {column} = {column} {other} {amount} WHERE {rows.on()}",
            f"UPDATE {name} SET {column} = {amount} WHERE {rows.on()}",
            f"{start} WHERE {rows.wrong_on()[0]}",
        ),
        rows.steps + 1,
    )


@family(
    "Set `{label}` to `{value}` in the rows of `{child}` whose `{column}` refers to a row of `{parent}` (by `{key}`) "
    "{which}. Nothing else changes.",
    "All rows of `{child}` that belong, by `{column}`, to a row of `{parent}` {which} should get the `{label}` "
    "`{value}`. "
    "(`{column}` holds the `{key}`.) Leave all else as it is.",
    "Find the `{key}` of the rows of `{parent}` {which}. In each row of `{child}` that has one of them as its "
    "`{column}`, "
    "write `{value}` as `{label}`, and change nothing else.",
)
def set_by_parent(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a change decided by another table."""
    link = link_of(draw, world)
    if link is None or not link.child.of_kind("label"):
        return None
    label = draw.pick(link.child.of_kind("label"))
    rows = some_rows(draw, world, difficulty, link.parent)
    if rows is None:
        return None
    child, parent, value = link.child.name, link.parent.name, draw.pick(link.child.values(label))
    start = f"UPDATE {child} SET {label} = '{value}'"
    inside = f"SELECT p.{link.key} FROM {parent} AS p WHERE"
    return Draft(
        {**words(link), "label": label, "value": value, "which": rows.text},
        f"{start} WHERE {link.column} IN ({inside} {rows.on('p')})",
        f"UPDATE {child} JOIN {parent} ON {child}.{link.column} = {parent}.{link.key} SET {child}.{label} = '{value}' "
        f"WHERE {rows.on()}",
        (
            *(f"{start} WHERE {link.column} IN ({inside} {wrong})" for wrong in rows.wrong_on("p")[:2]),
            start,
            f"{start} WHERE {link.column} NOT IN ({inside} {rows.on('p')})",
        ),
        rows.steps + 2,
    )


@family(
    "Where `{column}` is NULL in the rows of `{table}` {which}, set it to {value}. Change nothing else.",
    "In `{table}`, write {value} as the `{column}` of every row {which} that has none (it is NULL). All else stays.",
    "Fill in {value} for each missing (NULL) `{column}` in the rows of `{table}` {which}; leave everything else alone.",
)
def fill_nulls(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Missing numbers filled in."""
    found = with_nulls(draw, world, "whole", "money")
    if found is None:
        return None
    table, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), count=2 if difficulty == "hard" else 1, least=4)
    if rows is None:
        return None
    name, value = table.name, str(draw.integer(100, 900))
    start = f"UPDATE {name} SET {column} = {value}"
    return Draft(
        {"table": name, "column": column, "value": value, "which": rows.text},
        f"{start} WHERE {column} IS NULL AND {rows.on()}",
        f"UPDATE {name} SET {column} = COALESCE({column}, {value}) WHERE {rows.on()}",
        (f"{start} WHERE {column} IS NULL", f"{start} WHERE {rows.on()}"),
        rows.steps + 1,
    )


@family(
    "Swap two values of `{column}` in `{table}`: rows with `{one}` get `{two}`, and rows with `{two}` get `{one}`. "
    "Only "
    "the rows {which} take part; nothing else changes.",
    "In the rows of `{table}` {which}, exchange the `{column}` values `{one}` and `{two}`: each becomes the other. "
    "Leave "
    "all else as it is.",
    "Among the rows of `{table}` {which}, every `{column}` that is now `{one}` should be `{two}`, and every one that "
    "is "
    "now `{two}` should be `{one}`. All other rows and values stay.",
    difficulties=HARDER,
)
def swap_labels(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Two labels exchanged."""
    found = labelled(draw, world)
    if found is None:
        return None
    table, column = found
    values = draw.sample(sorted(set(table.values(column))), 2)
    rows = some_rows(draw, world, "easy" if difficulty == "medium" else "medium", table, but=(column,), least=4)
    if rows is None or len(values) < 2:
        return None
    name, (one, two) = table.name, values
    case = f"CASE {column} WHEN '{one}' THEN '{two}' WHEN '{two}' THEN '{one}' ELSE {column} END"

    def turn(first: str, second: str) -> str:
        return f"UPDATE {name} SET {column} = '{second}' WHERE {column} = '{first}' AND {rows.on()}"

    return Draft(
        {"table": name, "column": column, "one": one, "two": two, "which": rows.text},
        f"UPDATE {name} SET {column} = {case} WHERE {rows.on()}",
        f"{turn(one, 'in between')}; {turn(two, one)}; {turn('in between', two)}",
        (f"{turn(one, two)}; {turn(two, one)}", turn(one, two), f"UPDATE {name} SET {column} = {case}"),
        rows.steps + 2,
    )
