"""Rows held against an average, a largest value, or all rows that refer to them."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER, grouped
from intercode_generate.sql.families.joins import words
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import link_of, listed, selected, some_rows
from intercode_generate.sql.schema import SqlWorld


@family(
    "Show {columns} of the rows of `{table}` {which} and whose `{column}` is more than the average `{column}` of all "
    "rows of "
    "`{table}`. Any order.",
    "Which rows of `{table}` {which} have a `{column}` above the mean `{column}` of the whole table? Return {columns}, "
    "in "
    "any order.",
    "Take the average of `{column}` over all of `{table}`. List {columns} of the rows {which} that lie above it; the "
    "order does not matter.",
)
def above_average(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows above the mean of all."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, _, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), least=4)
    if rows is None:
        return None
    name, columns = table.name, list(dict.fromkeys([*table.key, column]))
    start = f"SELECT {selected(columns, name)} FROM {name}"
    mean = f"SELECT AVG(x.{column}) FROM {name} AS x"
    return Draft(
        {"table": name, "column": column, "columns": listed(columns), "which": rows.text},
        f"{start} WHERE {rows.on()} AND {name}.{column} > ({mean})",
        f"SELECT {selected(columns, 'y')} FROM {name} AS y CROSS JOIN (SELECT SUM({column}) AS s, COUNT(*) AS n "
        f"FROM {name}) AS whole WHERE {rows.on('y')} AND y.{column} * whole.n > whole.s",
        (
            f"{start} WHERE {rows.on()} AND {name}.{column} < ({mean})",
            f"{start} WHERE {name}.{column} > ({mean})",
            f"{start} WHERE {rows.on()}",
        ),
        rows.steps + 2,
    )


@family(
    "Show {columns} of the rows of `{table}` {which} and whose `{column}` is more than the average `{column}` of all "
    "rows of "
    "`{table}` with the same `{by}`. Any order.",
    "Which rows of `{table}` {which} have a `{column}` above the mean of their own `{by}`, taken over all rows of "
    "`{table}` with that `{by}`? Return {columns}; any order.",
    "For each `{by}` of `{table}` there is an average `{column}` of all its rows. List {columns} of the rows {which} "
    "that "
    "exceed the average of their `{by}`, in any order.",
    difficulties=HARDER,
)
def above_own_average(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows above the mean of their group."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, by, column = found
    rows = some_rows(draw, world, "easy" if difficulty == "medium" else "medium", table, but=(by, column), least=5)
    if rows is None:
        return None
    name, columns = table.name, list(dict.fromkeys([*table.key, by, column]))
    start = f"SELECT {selected(columns, name)} FROM {name} WHERE {rows.on()}"
    mean = f"SELECT AVG(x.{column}) FROM {name} AS x"
    sums = f"SELECT {by} AS own, SUM({column}) AS s, COUNT(*) AS n FROM {name} GROUP BY {by}"
    return Draft(
        {"table": name, "column": column, "columns": listed(columns), "which": rows.text, "by": by},
        f"{start} AND {name}.{column} > ({mean} WHERE x.{by} = {name}.{by})",
        f"SELECT {selected(columns, 'y')} FROM {name} AS y JOIN ({sums}) AS g ON g.own = y.{by} "
        f"WHERE {rows.on('y')} AND y.{column} * g.n > g.s",
        (
            f"{start} AND {name}.{column} > ({mean})",
            f"{start} AND {name}.{column} < ({mean} WHERE x.{by} = {name}.{by})",
            f"SELECT {selected(columns, name)} FROM {name} WHERE {name}.{column} > ({mean} WHERE x.{by} = {name}.{by})",
        ),
        rows.steps + 3,
    )


@family(
    "Which rows of `{table}` {which} have the {most} `{column}` among these rows? Show {columns}; if several are "
    "equal, "
    "show all of them, in any order.",
    "Of the rows of `{table}` {which}, return {columns} of the one with the {most} `{column}`, or of all that share "
    "it. "
    "Any order.",
    "Find the {most} `{column}` that a row of `{table}` {which} has, and list {columns} of every such row with this "
    "`{column}`, in any order.",
)
def holders(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return all rows with the extreme value: ties count."""
    tables = [each for each in world.tables if each.of_kind("whole")]
    table = draw.pick(tables)
    column = draw.pick(table.of_kind("whole"))
    rows = some_rows(draw, world, difficulty, table, but=(column,), least=3)
    if rows is None:
        return None
    name, columns = table.name, list(dict.fromkeys([*table.key, column]))
    high = draw.chance(0.5)
    best, worst = ("MAX", "MIN") if high else ("MIN", "MAX")
    start = f"SELECT {selected(columns, name)} FROM {name} WHERE"
    top = f"SELECT {best}(x.{column}) FROM {name} AS x"
    beaten = f"EXISTS (SELECT 1 FROM {name} AS x WHERE {rows.on('x')} AND x.{column} {'>' if high else '<'} y.{column})"
    return Draft(
        {
            "table": name,
            "column": column,
            "columns": listed(columns),
            "which": rows.text,
            "most": "highest" if high else "lowest",
        },
        f"{start} {rows.on()} AND {name}.{column} = ({top} WHERE {rows.on('x')})",
        f"SELECT {selected(columns, 'y')} FROM {name} AS y WHERE {rows.on('y')} AND NOT {beaten}",
        (
            f"{start} {rows.on()} AND {name}.{column} = ({top.replace(best, worst, 1)} WHERE {rows.on('x')})",
            f"{start} {name}.{column} = ({top})",
            f"{start} {rows.on()}",
        ),
        rows.steps + 2,
    )


@family(
    "For each row of `{parent}` that rows of `{child}` {which} refer to (`{column}` holds its `{key}`), show its "
    "`{key}` "
    "and the latest `{date}` of these rows. Any order.",
    "For each row of `{parent}`: what is the last `{date}` of the rows of `{child}` {which} that refer to it (by "
    "`{column}` = `{key}`)? Return `{key}` and date, only where there is such a row; any order.",
    "Show, in any order, `{key}` of every row of `{parent}` to which a row of `{child}` {which} belongs by `{column}`, "
    "and "
    "the most recent `{date}` among those rows.",
)
def latest(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return the last date of each group."""
    link = link_of(draw, world)
    if link is None or not link.child.of_kind("date"):
        return None
    date = draw.pick(link.child.of_kind("date"))
    rows = some_rows(draw, world, difficulty, link.child, but=(link.column, date), count=1, least=6)
    if rows is None:
        return None
    child, parent = link.child.name, link.parent.name
    show = f"SELECT {parent}.{link.key}, MAX({child}.{date}) FROM {parent} JOIN {child}"
    on, end = f"ON {child}.{link.column} = {parent}.{link.key}", f"GROUP BY {parent}.{link.key}"
    later = f"EXISTS (SELECT 1 FROM {child} AS d WHERE d.{link.column} = c.{link.column} AND d.{date} > c.{date}"
    return Draft(
        {**words(link), "date": date, "which": rows.text},
        f"{show} {on} WHERE {rows.on()} {end}",
        f"SELECT DISTINCT c.{link.column}, c.{date} FROM {child} AS c WHERE c.{link.column} IS NOT NULL AND "
        f"{rows.on('c')} AND NOT {later} AND {rows.on('d')})",
        (
            f"{show} {on} {end}",
            f"{show.replace('MAX', 'MIN')} {on} WHERE {rows.on()} {end}",
            f"SELECT {child}.{link.column}, {child}.{date} FROM {child} WHERE {rows.on()}",
        ),
        rows.steps + 2,
    )


@family(
    "Show `{key}` of the rows of `{parent}` that have rows of `{child}` (`{column}` holds `{key}`), all of them "
    "{which}. "
    "Rows of `{parent}` without any are left out. Any order.",
    "For which rows of `{parent}` is every row of `{child}` that refers to it by `{column}` a row {which}? At least "
    "one "
    "row must refer to it. Return its `{key}`, in any order.",
    "List, in any order, `{key}` of each row of `{parent}` to which at least one row of `{child}` belongs (`{column}` "
    "is "
    "its `{key}`) and no row that is not one {which}.",
    difficulties=HARDER,
)
def all_of_them(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows whose children all fulfil a condition."""
    link = link_of(draw, world)
    if link is None:
        return None
    but = (link.column, *(each.name for each in link.child.columns if each.nullable))
    rows = some_rows(draw, world, "easy", link.child, but=but, least=6)
    if rows is None:
        return None
    child, column = link.child.name, f"{link.child.name}.{link.column}"
    there = f"SELECT {column} FROM {child} WHERE {column} IS NOT NULL"
    wrong = f"SELECT x.{link.column} FROM {child} AS x WHERE x.{link.column} = p.{link.key} AND NOT ({rows.on('x')})"
    some = f"SELECT x.{link.column} FROM {child} AS x WHERE x.{link.column} = p.{link.key}"
    return Draft(
        {**words(link), "which": rows.text},
        f"{there} GROUP BY {column} HAVING SUM(CASE WHEN {rows.on()} THEN 0 ELSE 1 END) = 0",
        f"SELECT p.{link.key} FROM {link.parent.name} AS p WHERE EXISTS ({some}) AND NOT EXISTS ({wrong})",
        (
            f"{there} AND {rows.on()} GROUP BY {column}",
            f"{there} GROUP BY {column} HAVING SUM(CASE WHEN {rows.on()} THEN 1 ELSE 0 END) = 0",
            f"SELECT p.{link.key} FROM {link.parent.name} AS p WHERE NOT EXISTS ({wrong})",
        ),
        rows.steps + 3,
    )


@family(
    "What is the second highest of the different values of `{column}` in the rows of `{table}` {which}? Show that "
    "value, "
    "and how many of these rows have it.",
    "Among the distinct values of `{column}` in rows of `{table}` {which}, take the second largest. Return it with the "
    "number of those rows that have it.",
    "Return one row: the second greatest distinct `{column}` of the rows of `{table}` {which}, and the count of these "
    "rows with that `{column}`.",
    difficulties=HARDER,
)
def second_highest(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return the value below the largest."""
    table = draw.pick([each for each in world.tables if each.of_kind("whole", "money")])
    column = draw.pick(table.of_kind("whole", "money"))
    rows = some_rows(draw, world, difficulty, table, but=(column,), count=1, least=5)
    if rows is None:
        return None
    name = table.name
    start, end = f"SELECT {name}.{column}, COUNT(*) FROM {name}", f"GROUP BY {name}.{column}"
    order = f"ORDER BY {name}.{column} DESC"
    top = f"SELECT MAX(x.{column}) FROM {name} AS x WHERE {rows.on('x')}"
    second = f"SELECT MAX(y.{column}) FROM {name} AS y WHERE {rows.on('y')} AND y.{column} < ({top})"
    return Draft(
        {"table": name, "column": column, "which": rows.text},
        f"{start} WHERE {rows.on()} {end} {order} LIMIT 1 OFFSET 1",
        f"SELECT z.{column}, COUNT(*) FROM {name} AS z WHERE {rows.on('z')} AND z.{column} = ({second}) "
        f"GROUP BY z.{column}",
        (
            f"{start} WHERE {rows.on()} {end} {order} LIMIT 1",
            f"{start} {end} {order} LIMIT 1 OFFSET 1",
            f"{start} WHERE {rows.on()} {end} ORDER BY {name}.{column} LIMIT 1 OFFSET 1",
        ),
        rows.steps + 2,
    )
