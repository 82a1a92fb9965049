"""Rows counted, added up and averaged, over a selection or for each group."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import some_rows
from intercode_generate.sql.schema import SqlTable, SqlWorld

HARDER: tuple[Difficulty, ...] = ("medium", "hard")


def grouped(draw: Draw, world: SqlWorld) -> tuple[SqlTable, str, str] | None:
    """Return a table with a column to group by and a column of numbers."""
    tables = [each for each in world.tables if each.of_kind("label", "ref") and each.of_kind("whole", "money")]
    if not tables:
        return None
    table = draw.pick(tables)
    by = draw.pick(table.of_kind("label") or table.of_kind("ref"))
    return table, by, draw.pick(table.of_kind("whole", "money"))


@family(
    "How many rows of `{table}` are there {which}? Show only the count.",
    "Count the rows of `{table}` {which}. The answer is one number.",
    "Find out how many of the rows of `{table}` there are {which}, and return that number alone.",
)
def count_rows(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return how many rows fulfil conditions."""
    rows = some_rows(draw, world, difficulty, least=13)
    if rows is None:
        return None
    name = rows.table.name
    start = f"SELECT COUNT(*) FROM {name} WHERE"
    return Draft(
        {"table": name, "which": rows.text},
        f"{start} {rows.on()}",
        f"SELECT SUM(CASE WHEN {rows.on('x')} THEN 1 ELSE 0 END) FROM {name} AS x",
        (*(f"{start} {wrong}" for wrong in rows.wrong_on()), f"SELECT COUNT(*) FROM {name}"),
        rows.steps + 1,
    )


@family(
    "What is the sum of `{column}` over the rows of `{table}` {which}? Show the number alone.",
    "Add up `{column}` of all rows of `{table}` {which}, and return only the total.",
    "Return one number: the total of `{column}` in the rows of `{table}` {which}.",
)
def sum_rows(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a sum over a selection."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, _, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), least=3)
    if rows is None:
        return None
    name = table.name
    start = f"SELECT SUM({name}.{column}) FROM {name} WHERE"
    return Draft(
        {"table": name, "column": column, "which": rows.text},
        f"{start} {rows.on()}",
        f"SELECT SUM(CASE WHEN {rows.on('x')} THEN x.{column} ELSE 0 END) FROM {name} AS x",
        (
            *(f"{start} {wrong}" for wrong in rows.wrong_on()),
            f"SELECT SUM(DISTINCT {name}.{column}) FROM {name} WHERE {rows.on()}",
            f"SELECT COUNT({name}.{column}) FROM {name} WHERE {rows.on()}",
        ),
        rows.steps + 1,
    )


@family(
    "What is the average of `{column}` over the rows of `{table}` {which}, rounded to 2 decimals? Show the number "
    "alone.",
    "Return the mean of `{column}` of all rows of `{table}` {which}: one number, rounded to two decimals.",
    "For the rows of `{table}` {which}, compute the average `{column}` and round it to 2 decimals. Nothing else is "
    "wanted.",
)
def average_rows(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a mean over a selection."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, _, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), least=3)
    if rows is None:
        return None
    name = table.name
    start = f"SELECT ROUND(AVG({name}.{column}), 2) FROM {name} WHERE"
    return Draft(
        {"table": name, "column": column, "which": rows.text},
        f"{start} {rows.on()}",
        f"SELECT ROUND(SUM(x.{column}) * 1.0 / COUNT(*), 2) FROM {name} AS x WHERE {rows.on('x')}",
        (
            *(f"{start} {wrong}" for wrong in rows.wrong_on()),
            f"SELECT ROUND(AVG({name}.{column}), 0) FROM {name} WHERE {rows.on()}",
            f"SELECT SUM({name}.{column}) FROM {name} WHERE {rows.on()}",
        ),
        rows.steps + 1,
    )


@family(
    "Show in one row the smallest and the largest `{column}` of the rows of `{table}` {which}, and the difference "
    "between them.",
    "Of the rows of `{table}` {which}: what are the minimum of `{column}`, its maximum, and the maximum minus the "
    "minimum? Return one row with these three numbers.",
    "Return one row: lowest `{column}`, highest `{column}`, and how much higher the highest is. Only the rows of "
    "`{table}` {which} count.",
)
def extremes(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return the smallest and the largest value."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, _, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), least=3)
    if rows is None:
        return None
    name = table.name

    def show(where: str) -> str:
        low, high = f"MIN({name}.{column})", f"MAX({name}.{column})"
        return f"SELECT {low}, {high}, {high} - {low} FROM {name}{where}"

    end = f"FROM {name} AS x WHERE {rows.on('x')} ORDER BY x.{column}"
    return Draft(
        {"table": name, "column": column, "which": rows.text},
        show(f" WHERE {rows.on()}"),
        f"SELECT low, high, high - low FROM (SELECT (SELECT x.{column} {end} LIMIT 1) AS low, "
        f"(SELECT x.{column} {end} DESC LIMIT 1) AS high) AS both_ends",
        (show(""), f"SELECT MIN({name}.{column}), MAX({name}.{column}) FROM {name} WHERE {rows.on()}"),
        rows.steps + 2,
    )


@family(
    "How many different values of `{by}` are there in the rows of `{table}` {which}, and how many such rows? Show both "
    "numbers in one row.",
    "Return one row for the rows of `{table}` {which}: the number of distinct `{by}`, and the number of rows.",
    "Look at the rows of `{table}` {which}. Count the distinct values of `{by}`, and count the rows. One row with "
    "these "
    "two numbers is wanted.",
)
def count_distinct(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Distinct values and rows."""
    tables = [each for each in world.tables if each.of_kind("label", "ref")]
    table = draw.pick(tables)
    by = draw.pick(table.of_kind("label", "ref"))
    rows = some_rows(draw, world, difficulty, table, but=(by,), least=5)
    if rows is None:
        return None
    name = table.name
    start = f"SELECT COUNT(DISTINCT {name}.{by}), COUNT(*) FROM {name}"
    return Draft(
        {"table": name, "by": by, "which": rows.text},
        f"{start} WHERE {rows.on()}",
        f"SELECT COUNT(*), SUM(amount_of) FROM (SELECT x.{by}, COUNT(*) AS amount_of FROM {name} AS x "
        f"WHERE {rows.on('x')} GROUP BY x.{by}) AS per_value",
        (
            f"SELECT COUNT({name}.{by}), COUNT(*) FROM {name} WHERE {rows.on()}",
            start,
            f"{start} WHERE NOT ({rows.on()})",
        ),
        rows.steps + 2,
    )


@family(
    "For each `{by}`, count the rows of `{table}` {which}. Show `{by}` and the count; leave out values without such "
    "rows. "
    "Any order of rows.",
    "For every value of `{by}` that occurs in the rows of `{table}` {which}, return the value and how many of these "
    "rows "
    "have it, in any order.",
    "How often does each `{by}` occur among the rows of `{table}` {which}? Show the value and the number, in any "
    "order, "
    "without those that never occur.",
)
def count_groups(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows counted by a column."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, by, _ = found
    rows = some_rows(draw, world, difficulty, table, but=(by,), least=5)
    if rows is None:
        return None
    name = table.name
    start, end = f"SELECT {name}.{by}, COUNT(*) FROM {name}", f"GROUP BY {name}.{by}"
    counted = f"(SELECT COUNT(*) FROM {name} AS y WHERE y.{by} = x.{by} AND {rows.on('y')})"
    return Draft(
        {"table": name, "by": by, "which": rows.text},
        f"{start} WHERE {rows.on()} {end}",
        f"SELECT DISTINCT x.{by}, {counted} FROM {name} AS x WHERE {rows.on('x')}",
        (
            f"{start} {end}",
            *(f"{start} WHERE {wrong} {end}" for wrong in rows.wrong_on()[:2]),
        ),
        rows.steps + 1,
    )


@family(
    "Add up `{column}` of `{table}` by `{by}`, only for the rows {which}. Show `{by}` and the sum, the largest sum "
    "first "
    "and equal sums by `{by}` ascending.",
    "For each `{by}` in the rows of `{table}` {which}, show it with its total `{column}`, sorted by the total "
    "descending, "
    "then by `{by}` ascending.",
    "Total `{column}` per `{by}`, from the rows of `{table}` {which}: `{by}` and total, highest total first; ties in "
    "the "
    "ascending order of `{by}`.",
)
def sum_groups(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Sums by a column, sorted."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, by, column = found
    rows = some_rows(draw, world, difficulty, table, but=(by, column), least=5)
    if rows is None:
        return None
    name = table.name
    start, end = f"SELECT {name}.{by}, SUM({name}.{column}) AS total_of FROM {name}", f"GROUP BY {name}.{by}"
    order = f"ORDER BY total_of DESC, {name}.{by}"
    added = f"(SELECT SUM(y.{column}) FROM {name} AS y WHERE y.{by} = x.{by} AND {rows.on('y')}) AS total_of"
    inner = f"SELECT DISTINCT x.{by} AS one_value, {added} FROM {name} AS x WHERE {rows.on('x')}"
    return Draft(
        {"table": name, "by": by, "column": column, "which": rows.text},
        f"{start} WHERE {rows.on()} {end} {order}",
        f"SELECT one_value, total_of FROM ({inner}) AS sums ORDER BY total_of DESC, one_value ASC",
        (
            f"{start} {end} {order}",
            f"{start} WHERE {rows.on()} {end} ORDER BY total_of, {name}.{by}",
            f"SELECT {name}.{by}, COUNT(*) AS total_of FROM {name} WHERE {rows.on()} {end} {order}",
        ),
        rows.steps + 2,
    )
