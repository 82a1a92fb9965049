"""Rows seen beside others of their group: ranks, running totals, differences, shares."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER, grouped
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import SelectedRows, some_rows
from intercode_generate.sql.schema import SqlTable, SqlWorld

GAPS = "the rank of a row is one more than the number of rows above it, so that ties leave gaps"
NO_GAPS = "the next lower value has the next rank, so that there are no gaps"


def numbered(
    draw: Draw, world: SqlWorld, difficulty: Difficulty, least: int = 5
) -> tuple[SelectedRows, SqlTable, str, str] | None:
    """Rows of a table with one key, a column to group by and a column of numbers."""
    found = grouped(draw, world)
    if found is None or len(found[0].key) != 1:
        return None
    table, by, column = found
    count = {"easy": 1, "medium": 1, "hard": 2}[difficulty]
    rows = some_rows(draw, world, difficulty, table, but=(by, column), count=count, least=least)
    return None if rows is None else (rows, table, by, column)


@family(
    "For each `{by}` of the rows of `{table}` {which}, show the {count} rows with the highest `{column}` (all, where "
    "there are fewer); of equal ones the smaller `{key}` goes first. Columns: `{by}`, `{key}`, `{column}`; rows in any "
    "order.",
    "Within every `{by}`, rank the rows of `{table}` {which} by `{column}` descending, then `{key}` ascending, and "
    "keep "
    "the first {count} of each. Return `{by}`, `{key}` and `{column}`, rows in any order.",
    "Show `{by}`, `{key}` and `{column}` of the best {count} rows of each `{by}`: best is the highest `{column}`, and "
    "between equal ones the smaller `{key}`. Only the rows of `{table}` {which} take part. Any order of rows.",
)
def best_of_each(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return the first few of every group."""
    found = numbered(draw, world, difficulty, least=7)
    if found is None:
        return None
    rows, table, by, column = found
    name, key, count = table.name, table.key[0], draw.integer(2, 3)

    def show(where: str, most: int, way: str = "DESC") -> str:
        place = f"ROW_NUMBER() OVER (PARTITION BY {name}.{by} ORDER BY {name}.{column} {way}, {name}.{key}) AS place"
        inner = f"SELECT {name}.{by}, {name}.{key}, {name}.{column}, {place} FROM {name} WHERE {where}"
        return f"SELECT {by}, {key}, {column} FROM ({inner}) AS numbered WHERE place <= {most}"

    better = f"b.{column} > a.{column} OR (b.{column} = a.{column} AND b.{key} < a.{key})"
    before = f"SELECT COUNT(*) FROM {name} AS b WHERE b.{by} = a.{by} AND {rows.on('b')} AND ({better})"
    return Draft(
        {"table": name, "by": by, "column": column, "key": key, "which": rows.text, "count": str(count)},
        show(rows.on(), count),
        f"SELECT a.{by}, a.{key}, a.{column} FROM {name} AS a WHERE {rows.on('a')} AND ({before}) < {count}",
        (show(rows.on(), count + 1), show(rows.on(), count, "ASC"), show("1 = 1", count)),
        rows.steps + 2,
    )


@family(
    "Show `{key}`, `{column}` and a running total of `{column}` for the rows of `{table}` {which}, in the ascending "
    "order "
    "of `{key}`: each row has the sum of `{column}` of itself and all such rows before it.",
    "Sort the rows of `{table}` {which} by `{key}`, ascending, and return for each `{key}`, `{column}`, and the sum of "
    "`{column}` from the first of these rows up to and including it.",
    "Running sum: for each row of `{table}` {which}, sorted by `{key}` ascending, show `{key}`, its `{column}`, and "
    "the "
    "`{column}` of it and of all earlier ones of these rows added up.",
)
def running_total(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Sums that grow from row to row."""
    found = numbered(draw, world, difficulty)
    if found is None:
        return None
    rows, table, _, column = found
    name, key = table.name, table.key[0]

    def show(where: str, window: str, way: str = "") -> str:
        total = f"SUM({name}.{column}) OVER ({window})"
        return f"SELECT {name}.{key}, {name}.{column}, {total} FROM {name} WHERE {where} ORDER BY {name}.{key}{way}"

    added = f"(SELECT SUM(b.{column}) FROM {name} AS b WHERE {rows.on('b')} AND b.{key} <= a.{key})"
    return Draft(
        {"table": name, "column": column, "key": key, "which": rows.text},
        show(rows.on(), f"ORDER BY {name}.{key}"),
        f"SELECT a.{key}, a.{column}, {added} FROM {name} AS a WHERE {rows.on('a')} ORDER BY a.{key} ASC",
        (
            show(rows.on(), ""),
            show(rows.on(), f"ORDER BY {name}.{key}", " DESC"),
            show(rows.wrong_on()[0], f"ORDER BY {name}.{key}"),
            show(rows.on(), f"ORDER BY {name}.{key} DESC"),
        ),
        rows.steps + 2,
    )


@family(
    "Give the rows of `{table}` {which} ranks by `{column}`, the highest first: equal ones have the same rank, and "
    "{gaps}. "
    "Show `{key}`, `{column}` and the rank, rows in any order.",
    "Rank the rows of `{table}` {which} by descending `{column}`, beginning with 1. Ties share a rank; {gaps}. Return "
    "`{key}`, `{column}` and rank in any order of rows.",
    "For each row of `{table}` {which}, return `{key}`, `{column}` and its place by `{column}` (1 is the highest; ties "
    "have one place; {gaps}). Any order of rows.",
)
def ranks(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Places with ties, with gaps or without."""
    tables = [each for each in world.tables if each.of_kind("whole") and len(each.key) == 1]
    if not tables:
        return None
    table = draw.pick(tables)
    column = draw.pick(table.of_kind("whole"))
    rows = some_rows(draw, world, difficulty, table, but=(column,), count=2 if difficulty == "hard" else 1, least=6)
    if rows is None:
        return None
    name, key, dense = table.name, table.key[0], draw.chance(0.5)
    right, other = ("DENSE_RANK", "RANK") if dense else ("RANK", "DENSE_RANK")

    def show(function: str, where: str, way: str = "DESC") -> str:
        place = f"{function}() OVER (ORDER BY {name}.{column} {way})"
        return f"SELECT {name}.{key}, {name}.{column}, {place} FROM {name} WHERE {where}"

    what = f"COUNT(DISTINCT b.{column})" if dense else "COUNT(*)"
    before = f"SELECT {what} FROM {name} AS b WHERE {rows.on('b')} AND b.{column} > a.{column}"
    return Draft(
        {"table": name, "column": column, "key": key, "which": rows.text, "gaps": NO_GAPS if dense else GAPS},
        show(right, rows.on()),
        f"SELECT a.{key}, a.{column}, ({before}) + 1 FROM {name} AS a WHERE {rows.on('a')}",
        (show(other, rows.on()), show("ROW_NUMBER", rows.on()), show(right, rows.on(), "ASC"), show(right, "1 = 1")),
        rows.steps + 2,
    )


@family(
    "Show `{key}` of the rows of `{table}` {which}, and by how much `{column}` differs from that of the row before "
    "(its "
    "`{column}` minus the earlier one), when these rows are sorted by `{key}` ascending. The first row, which has none "
    "before it, is left out. Rows in any order.",
    "Sort the rows of `{table}` {which} by `{key}` (ascending). For each but the first return `{key}` and its "
    "`{column}` "
    "minus the `{column}` of the row just before. Any order of rows.",
    "For every row of `{table}` {which} except the one with the smallest `{key}`: return `{key}`, and `{column}` minus "
    "the "
    "`{column}` that the preceding one of these rows has (in the ascending order of `{key}`). Any order.",
    difficulties=HARDER,
)
def changes(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Differences between neighbors."""
    found = numbered(draw, world, difficulty)
    if found is None:
        return None
    rows, table, _, column = found
    name, key = table.name, table.key[0]

    def show(where: str, what: str, end: str = " WHERE earlier IS NOT NULL") -> str:
        lag = f"LAG({name}.{column}) OVER (ORDER BY {name}.{key}) AS earlier"
        inner = f"SELECT {name}.{key}, {name}.{column}, {lag} FROM {name} WHERE {where}"
        return f"SELECT {key}, {what} FROM ({inner}) AS seen{end}"

    last = f"SELECT MAX(c.{key}) FROM {name} AS c WHERE {rows.on('c')} AND c.{key} < a.{key}"
    return Draft(
        {"table": name, "column": column, "key": key, "which": rows.text},
        show(rows.on(), f"{column} - earlier"),
        f"SELECT a.{key}, a.{column} - b.{column} FROM {name} AS a JOIN {name} AS b ON b.{key} = ({last}) "
        f"WHERE {rows.on('a')}",
        (
            show(rows.on(), f"earlier - {column}"),
            show(rows.on(), f"{column} - earlier", ""),
            show("1 = 1", f"{column} - earlier"),
        ),
        rows.steps + 3,
    )


@family(
    "What percentage of the total `{column}` of its `{by}` does each row of `{table}` {which} have? Only these rows "
    "count "
    "in the totals. Show `{key}` and the percentage (0 to 100), rounded to 1 decimal; any order.",
    "Among the rows of `{table}` {which}, add up `{column}` per `{by}`. Return each row's `{key}` with its `{column}` "
    "in "
    "percent of that sum, rounded to one decimal, in any order.",
    "For each row of `{table}` {which}: `{key}`, and 100 times its `{column}` divided by the sum of `{column}` of all "
    "such "
    "rows with the same `{by}`, rounded to 1 decimal. Any order of rows.",
    difficulties=HARDER,
)
def share_of_group(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a row's part of its group."""
    found = numbered(draw, world, difficulty)
    if found is None:
        return None
    rows, table, by, column = found
    if min(table.values(column)) <= 0:
        return None
    name, key = table.name, table.key[0]

    def show(where: str, window: str) -> str:
        share = f"ROUND(100.0 * {name}.{column} / SUM({name}.{column}) OVER ({window}), 1)"
        return f"SELECT {name}.{key}, {share} FROM {name} WHERE {where}"

    sums = f"SELECT x.{by} AS own, SUM(x.{column}) AS total_of FROM {name} AS x WHERE {rows.on('x')} GROUP BY x.{by}"
    return Draft(
        {"table": name, "by": by, "column": column, "key": key, "which": rows.text},
        show(rows.on(), f"PARTITION BY {name}.{by}"),
        f"SELECT y.{key}, ROUND(y.{column} * 100.0 / g.total_of, 1) FROM {name} AS y JOIN ({sums}) AS g ON g.own = "
        f"y.{by} "
        f"WHERE {rows.on('y')}",
        (show(rows.on(), ""), show("1 = 1", f"PARTITION BY {name}.{by}")),
        rows.steps + 3,
    )
