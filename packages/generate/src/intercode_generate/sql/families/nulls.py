"""NULL: counted, replaced, put at the end."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import listed, selected, some_rows
from intercode_generate.sql.schema import SqlTable, SqlWorld


def with_nulls(draw: Draw, world: SqlWorld, *kinds: str) -> tuple[SqlTable, str] | None:
    """Return a table, and a column of one of those *kinds* that is NULL in some rows."""
    found = [
        (table, column.name)
        for table in world.tables
        for column in table.columns
        if column.nullable and column.kind in kinds and None in table.values(column.name)
    ]
    return draw.pick(found) if found else None


@family(
    "For each `{by}` of the rows of `{table}` {which}, show `{by}`, the number of these rows, and in how many of them "
    "`{column}` is NULL. Any order of rows.",
    "Group the rows of `{table}` {which} by `{by}`: return `{by}`, the number of rows, and the number of those without "
    "a "
    "`{column}` (it is NULL). Any order.",
    "Count, per `{by}`, the rows of `{table}` {which} and, beside that, those among them whose `{column}` is NULL. "
    "Return "
    "`{by}` and both counts in any order of rows.",
)
def count_nulls(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """NULLs counted by group."""
    found = with_nulls(draw, world, "whole", "money", "label", "ref")
    if found is None:
        return None
    table, column = found
    groups = table.of_kind("label", "ref")
    if not groups:
        return None
    by = draw.pick(groups)
    rows = some_rows(draw, world, difficulty, table, but=(by, column), count=2 if difficulty == "hard" else 1, least=6)
    if rows is None:
        return None
    name = table.name

    def show(where: str, what: str = "NULL THEN 1 ELSE 0") -> str:
        count = f"SUM(CASE WHEN {name}.{column} IS {what} END)"
        return f"SELECT {name}.{by}, COUNT(*), {count} FROM {name} WHERE {where} GROUP BY {name}.{by}"

    return Draft(
        {"table": name, "by": by, "column": column, "which": rows.text},
        show(rows.on()),
        f"SELECT x.{by}, COUNT(*), COUNT(*) - COUNT(x.{column}) FROM {name} AS x WHERE {rows.on('x')} GROUP BY x.{by}",
        (show("1 = 1"), show(rows.on(), "NULL THEN 0 ELSE 1"), show(f"{rows.on()} AND {name}.{column} IS NULL")),
        rows.steps + 2,
    )


@family(
    "Show {columns} and `{column}` of the rows of `{table}` {which}, with {instead} wherever `{column}` is NULL. Any "
    "order.",
    "Return {columns} and `{column}` for each row of `{table}` {which}; a `{column}` that is NULL is shown as "
    "{instead}. "
    "The order does not matter.",
    "List the rows of `{table}` {which} with {columns} and `{column}`, and put {instead} in the place of a missing "
    "(NULL) "
    "`{column}`. Any order.",
)
def replaced(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a value in the place of NULL."""
    found = with_nulls(draw, world, "whole", "money")
    if found is None:
        return None
    table, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), least=4)
    if rows is None:
        return None
    name, instead = table.name, draw.pick(("0", "-1", "999"))
    keys = selected(table.key, name)
    start = f"SELECT {keys}, COALESCE({name}.{column}, {instead}) FROM {name}"
    case = f"CASE WHEN x.{column} IS NULL THEN {instead} ELSE x.{column} END"
    return Draft(
        {"table": name, "columns": listed(table.key), "column": column, "which": rows.text, "instead": instead},
        f"{start} WHERE {rows.on()}",
        f"SELECT {selected(table.key, 'x')}, {case} FROM {name} AS x WHERE {rows.on('x')}",
        (
            f"SELECT {keys}, {name}.{column} FROM {name} WHERE {rows.on()}",
            f"{start} WHERE {rows.on()} AND {name}.{column} IS NOT NULL",
            f"{start} WHERE {rows.wrong_on()[0]}",
        ),
        rows.steps + 1,
    )


@family(
    "What is the average `{column}` of the rows of `{table}` {which}, once over the rows that have one, and once over "
    "all "
    "of them with NULL taken as 0? Show both in one row, rounded to 2 decimals.",
    "Return one row with two averages of `{column}` over the rows of `{table}` {which}, both rounded to 2 decimals: "
    "the "
    "first leaves out the rows where it is NULL, the second counts them as 0.",
    "Two numbers in one row, rounded to two decimals, for the rows of `{table}` {which}: the mean of `{column}` where "
    "it "
    "is not NULL; and the mean over all these rows when a NULL `{column}` counts as 0.",
)
def two_averages(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return what NULL does to a mean."""
    found = with_nulls(draw, world, "whole", "money")
    if found is None:
        return None
    table, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), least=4)
    if rows is None:
        return None
    name = table.name

    def show(one: str, two: str, where: str) -> str:
        return f"SELECT ROUND({one}, 2), ROUND({two}, 2) FROM {name} WHERE {where}"

    known, every = f"AVG({name}.{column})", f"AVG(COALESCE({name}.{column}, 0))"
    return Draft(
        {"table": name, "column": column, "which": rows.text},
        show(known, every, rows.on()),
        f"SELECT ROUND(SUM(x.{column}) * 1.0 / COUNT(x.{column}), 2), ROUND(SUM(x.{column}) * 1.0 / COUNT(*), 2) "
        f"FROM {name} AS x WHERE {rows.on('x')}",
        (show(known, known, rows.on()), show(every, every, rows.on()), show(known, every, "1 = 1")),
        rows.steps + 2,
    )


@family(
    "Show {columns} and `{column}` of the rows of `{table}` {which}, sorted by `{column}` ascending with NULL at the "
    "end; "
    "rows of equal `{column}`, and those without, by {keys} ascending.",
    "Sort the rows of `{table}` {which} by `{column}`, the smallest first, and put those where it is NULL last. Where "
    "`{column}` is the same or NULL, sort by {keys} ascending. Return {columns} and `{column}`.",
    "Return {columns} and `{column}` of the rows of `{table}` {which}: first those with a `{column}`, in its ascending "
    "order, then those where it is NULL. Ties and NULLs are in the ascending order of {keys}.",
)
def nulls_last(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return an order with NULL at its end."""
    found = with_nulls(draw, world, "whole", "money")
    if found is None:
        return None
    table, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), least=5)
    if rows is None:
        return None
    name = table.name
    keys = selected(table.key, name)
    start = f"SELECT {keys}, {name}.{column} FROM {name} WHERE {rows.on()} ORDER BY"
    case = f"CASE WHEN x.{column} IS NULL THEN 1 ELSE 0 END"
    return Draft(
        {
            "table": name,
            "columns": listed(table.key),
            "keys": listed(table.key),
            "column": column,
            "which": rows.text,
        },
        f"{start} {name}.{column} IS NULL, {name}.{column}, {keys}",
        f"SELECT {selected(table.key, 'x')}, x.{column} FROM {name} AS x WHERE {rows.on('x')} "
        f"ORDER BY {case}, COALESCE(x.{column}, 0), {selected(table.key, 'x')}",
        (
            f"{start} {name}.{column}, {keys}",
            f"{start} {name}.{column} DESC, {keys}",
            f"{start} {name}.{column} IS NULL DESC, {name}.{column}, {keys}",
        ),
        rows.steps + 2,
    )
