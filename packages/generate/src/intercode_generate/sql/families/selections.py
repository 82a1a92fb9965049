"""Rows of one table: chosen, sorted, cut off."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import listed, selected, some_columns, some_rows
from intercode_generate.sql.schema import SqlWorld


@family(
    "[Show|List] {columns} of the rows of `{table}` {which}, in any order.",
    "From `{table}`, give {columns} of each row {which}. The order of the rows does not matter.",
    "Which rows of `{table}` are there {which}? [Print|Return] their {columns}; rows may come in any order.",
)
def show_rows(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Columns of the rows that fulfil conditions."""
    rows = some_rows(draw, world, difficulty)
    if rows is None:
        return None
    name, columns = rows.table.name, some_columns(draw, rows.table)
    show = f"SELECT {selected(columns, name)} FROM {name} WHERE"
    return Draft(
        {"table": name, "columns": listed(columns), "which": rows.text},
        f"{show} {rows.on()}",
        f"WITH chosen AS (SELECT * FROM {name} AS x WHERE {rows.on('x')}) SELECT {', '.join(columns)} FROM chosen",
        (*(f"{show} {wrong}" for wrong in rows.wrong_on()), f"{show} NOT ({rows.on()})"),
        rows.steps,
    )


@family(
    "Show {columns} of the rows of `{table}` {which}, sorted by `{by}`, {direction}; where that is equal, by {key} "
    "ascending.",
    "List the rows of `{table}` {which}: {columns}, in the order of `{by}` ({direction}), and of {key} (ascending) "
    "where `{by}` is the same.",
    "Sort the rows of `{table}` {which} by `{by}`, {direction}, then by {key}, ascending. Return {columns}.",
)
def sorted_rows(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return the same, in an order with ties."""
    rows = some_rows(draw, world, difficulty, least=3)
    by = rows and draw.pick(rows.table.of_kind("whole", "money", "date", "label"))
    if rows is None or not by:
        return None
    name = rows.table.name
    columns = list(dict.fromkeys([*rows.table.key, by]))
    up = draw.chance(0.5)
    way, other = ("ASC", "DESC") if up else ("DESC", "ASC")
    keys, down = selected(rows.table.key, name), ", ".join(f"{name}.{key} DESC" for key in rows.table.key)
    start = f"SELECT {selected(columns, name)} FROM {name} WHERE"
    place = f"ROW_NUMBER() OVER (ORDER BY {name}.{by} {way}, {keys}) AS place"
    inner = f"SELECT {selected(columns, name)}, {place} FROM {name} WHERE {rows.on()}"
    return Draft(
        {
            "table": name,
            "columns": listed(columns),
            "which": rows.text,
            "by": by,
            "key": listed(rows.table.key),
            "direction": "ascending" if up else "descending",
        },
        f"{start} {rows.on()} ORDER BY {name}.{by} {way}, {keys}",
        f"SELECT {', '.join(columns)} FROM ({inner}) AS numbered ORDER BY place",
        (
            f"{start} {rows.on()} ORDER BY {name}.{by} {other}, {keys}",
            f"{start} {rows.wrong_on()[0]} ORDER BY {name}.{by} {way}, {keys}",
            f"{start} {rows.on()} ORDER BY {down}",
        ),
        rows.steps + 1,
    )


@family(
    "Which {count} rows of `{table}` {which} have the {most} `{by}`? Show {columns}, the {most} first; among equals "
    "the "
    "smaller {key} goes first.",
    "From the rows of `{table}` {which}, show the {count} with the {most} `{by}`, sorted with the {most} at the top. "
    "Between rows of equal `{by}` the smaller {key} goes first. Columns: {columns}.",
    "Rank the rows of `{table}` {which} by `{by}`, the {most} first, equal ones by {key} ascending, and return "
    "{columns} "
    "of the first {count}.",
)
def top_rows(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return the first few rows of an order."""
    table = draw.pick([each for each in world.tables if len(each.key) == 1])
    rows = some_rows(draw, world, difficulty, table, count=2 if difficulty == "hard" else 1, least=5)
    by = draw.pick(table.of_kind("whole", "money") or [""])
    if rows is None or not by:
        return None
    name, count = table.name, draw.integer(3, 4)
    high = draw.chance(0.5)
    way, other = ("DESC", "ASC") if high else ("ASC", "DESC")
    columns = [table.key[0], by]
    start = f"SELECT {selected(columns, name)} FROM {name} WHERE"
    order, key = f"ORDER BY {name}.{by} {way}, {name}.{table.key[0]}", table.key[0]
    beats = f"b.{by} {'>' if high else '<'} a.{by} OR (b.{by} = a.{by} AND b.{key} < a.{key})"
    before = f"SELECT COUNT(*) FROM {name} AS b WHERE {rows.on('b')} AND ({beats})"
    return Draft(
        {
            "table": name,
            "columns": listed(columns),
            "which": rows.text,
            "by": by,
            "key": listed(table.key),
            "most": "highest" if high else "lowest",
            "count": str(count),
        },
        f"{start} {rows.on()} {order} LIMIT {count}",
        f"SELECT {selected(columns, 'a')} FROM {name} AS a WHERE {rows.on('a')} AND ({before}) < {count} "
        f"ORDER BY a.{by} {way}, a.{key}",
        (
            f"{start} {rows.on()} {order} LIMIT {count + 1}",
            f"{start} {rows.on()} ORDER BY {name}.{by} {other}, {name}.{key} LIMIT {count}",
            f"SELECT {selected(columns, name)} FROM {name} {order} LIMIT {count}",
        ),
        rows.steps + 1,
    )


@family(
    "Sort the rows of `{table}` {which} by `{by}`, equal ones by `{key}` (both ascending), and show {columns} of the "
    "rows "
    "{first} to {last} of that order (the first row is number 1).",
    "Show {columns} of the rows in the places {first} to {last}, counted from 1, when the rows of `{table}` {which} "
    "are "
    "sorted by `{by}` and then `{key}`, both ascending. Keep that order.",
    "A page: of the rows of `{table}` {which}, ordered by `{by}`, then by `{key}` (both ascending), number {first} to "
    "number {last}, counted from 1. Return {columns} in this order.",
)
def page(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows from the middle of an order."""
    table = draw.pick([each for each in world.tables if len(each.rows) > 16 and len(each.key) == 1])
    by = draw.pick(table.of_kind("whole", "money", "date"))
    rows = some_rows(draw, world, "easy", table, least=9)
    if rows is None:
        return None
    name, key = table.name, table.key[0]
    first = draw.integer(3, 5)
    count = draw.integer(3, 5)
    order = f"ORDER BY {name}.{by}, {name}.{key}"
    start = f"SELECT {selected([key, by], name)} FROM {name} WHERE {rows.on()}"
    place = f"ROW_NUMBER() OVER ({order}) AS place"
    inner = f"SELECT {selected([key, by], name)}, {place} FROM {name} WHERE {rows.on()}"
    return Draft(
        {
            "table": name,
            "columns": listed([key, by]),
            "by": by,
            "key": key,
            "which": rows.text,
            "first": str(first),
            "last": str(first + count - 1),
        },
        f"{start} {order} LIMIT {count} OFFSET {first - 1}",
        f"SELECT {key}, {by} FROM ({inner}) AS numbered WHERE place BETWEEN {first} AND {first + count - 1} ORDER BY "
        f"place",
        (
            f"{start} {order} LIMIT {count} OFFSET {first}",
            f"{start} {order} LIMIT {count - 1} OFFSET {first - 1}",
            f"{start} ORDER BY {name}.{by} DESC, {name}.{key} LIMIT {count} OFFSET {first - 1}",
        ),
        rows.steps + 2,
    )


@family(
    "Which different pairs of `{one}` and `{other}` occur in the rows of `{table}` {which}? Show each pair once, in "
    "any "
    "order of rows.",
    "List `{one}` and `{other}` of the rows of `{table}` {which}, every combination only once. Any order will do.",
    "Take the rows of `{table}` {which}, and return the distinct combinations of `{one}` and `{other}`, in any order.",
)
def distinct_pairs(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Combinations without repetition."""
    tables = [each for each in world.tables if len(each.of_kind("label", "ref")) >= 2]
    if not tables:
        return None
    table = draw.pick(tables)
    one, other = draw.sample(table.of_kind("label", "ref"), 2)
    rows = some_rows(draw, world, difficulty, table, but=(one, other), count=1, least=4)
    if rows is None:
        return None
    name = table.name
    pair = selected([one, other], name)
    return Draft(
        {"table": name, "one": one, "other": other, "which": rows.text},
        f"SELECT DISTINCT {pair} FROM {name} WHERE {rows.on()}",
        f"SELECT {pair} FROM {name} WHERE {rows.on()} GROUP BY {pair}",
        (
            f"SELECT {pair} FROM {name} WHERE {rows.on()}",
            f"SELECT DISTINCT {pair} FROM {name} WHERE NOT ({rows.on()})",
            f"SELECT DISTINCT {name}.{one} FROM {name} WHERE {rows.on()}",
        ),
        rows.steps + 1,
    )
