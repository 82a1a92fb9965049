"""Groups set side by side: by their size and their means, a column for each value, shares of a whole."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER, grouped
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import some_rows
from intercode_generate.sql.schema import SqlWorld


@family(
    "For each `{by}` of `{table}`, show `{by}`, the number of its rows whose `{other}` is `{one}`, and the number of "
    "its "
    "rows whose `{other}` is `{two}` (0 where there are none). Rows in any order.",
    "Make a table with a row for every `{by}` in `{table}`: `{by}`, how many of its rows have the `{other}` `{one}`, "
    "and "
    "how many the `{other}` `{two}`. Zero counts are shown as 0. Any order of rows.",
    "Count the rows of `{table}` per `{by}`, once those with the `{other}` `{one}` and once those with `{two}`. Return "
    "`{by}` and both counts (0 if none) for every `{by}` that the table has, in any order.",
)
def two_counts(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a column for each of two values."""
    tables = [each for each in world.tables if len(each.of_kind("label", "ref")) > 1 and each.of_kind("label")]
    if not tables:
        return None
    table = draw.pick(tables)
    other = draw.pick(table.of_kind("label"))
    by = draw.pick([each for each in table.of_kind("label", "ref") if each != other])
    values = draw.sample(sorted(set(table.values(other))), 2)
    if len(values) < 2:
        return None
    name, (first, second) = table.name, values

    def show(one: str, two: str, end: str = "") -> str:
        sums = ", ".join(f"SUM(CASE WHEN {name}.{other} = '{each}' THEN 1 ELSE 0 END)" for each in (one, two))
        return f"SELECT {name}.{by}, {sums} FROM {name}{end} GROUP BY {name}.{by}"

    counts = ", ".join(
        f"(SELECT COUNT(*) FROM {name} AS y WHERE y.{by} = x.{by} AND y.{other} = '{each}')" for each in values
    )
    wrong = draw.pick([each for each in sorted(set(table.values(other))) if each not in values] or ["none"])
    return Draft(
        {"table": name, "by": by, "other": other, "one": values[0], "two": values[1]},
        show(first, second),
        f"SELECT x.{by}, {counts} FROM (SELECT DISTINCT {by} FROM {name}) AS x",
        (
            show(values[0], wrong),
            f"SELECT {name}.{by}, COUNT(*) FROM {name} WHERE {name}.{other} = '{values[0]}' GROUP BY {name}.{by}",
            show(first, second, f" WHERE {name}.{other} = '{values[0]}'"),
        ),
        3,
    )


@family(
    "What percentage of the rows of `{table}` {which} does each `{by}` have? Show `{by}` and the percentage (0 to "
    "100), "
    "rounded to 1 decimal, in any order; values without such rows are left out.",
    "Take the rows of `{table}` {which}. For each `{by}` among them, return `{by}` and its share of these rows in "
    "percent, "
    "rounded to one decimal. Any order.",
    "Share of each `{by}` among the rows of `{table}` {which}: return `{by}` and 100 times its rows over all these "
    "rows, "
    "rounded to 1 decimal. The order does not matter; what has no such row is not shown.",
)
def shares(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Percentages of a whole."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, by, _ = found
    rows = some_rows(draw, world, difficulty, table, but=(by,), count=1 if difficulty == "easy" else 2, least=6)
    if rows is None:
        return None
    name = table.name

    def show(where: str, whole: str, digits: int = 1) -> str:
        share = f"ROUND(100.0 * COUNT(*) / (SELECT COUNT(*) FROM {name} WHERE {whole}), {digits})"
        return f"SELECT {name}.{by}, {share} FROM {name} WHERE {where} GROUP BY {name}.{by}"

    parts = f"SELECT x.{by} AS one_value, COUNT(*) AS many FROM {name} AS x WHERE {rows.on('x')} GROUP BY x.{by}"
    return Draft(
        {"table": name, "by": by, "which": rows.text},
        show(rows.on(), rows.on()),
        f"SELECT one_value, ROUND(many * 100.0 / SUM(many) OVER (), 1) FROM ({parts}) AS parts",
        (show(rows.on(), "1 = 1"), show(rows.on(), rows.on(), 0), show("1 = 1", "1 = 1")),
        rows.steps + 3,
    )


@family(
    "Which values of `{by}` in `{table}` have at least one row {which} and at least {least} rows in all? Show `{by}` "
    "and "
    "the number of all its rows, in any order.",
    "Show every `{by}` of `{table}` with {least} or more rows, of which at least one is a row {which}, together with "
    "how "
    "many rows it has altogether. Any order.",
    "From `{table}`, list `{by}` and its count of all rows, but only where that count is {least} or more and one row "
    "at "
    "least is there {which}. Any order of rows.",
    difficulties=HARDER,
)
def both_demands(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Groups by their size and by a row that they have."""
    tables = [each for each in world.tables if len(each.rows) > 20 and each.of_kind("ref", "label")]
    if not tables:
        return None
    table = draw.pick(tables)
    by = draw.pick(table.of_kind("ref") or table.of_kind("label"))
    rows = some_rows(draw, world, "easy" if difficulty == "medium" else "medium", table, but=(by,), least=3)
    if rows is None:
        return None
    name, least = table.name, draw.integer(2, 4)
    start = f"SELECT {name}.{by}, COUNT(*) FROM {name}"
    end = f"GROUP BY {name}.{by}"
    some = f"SUM(CASE WHEN {rows.on()} THEN 1 ELSE 0 END) > 0"
    inside = f"x.{by} IN (SELECT y.{by} FROM {name} AS y WHERE {rows.on('y')})"
    return Draft(
        {"table": name, "by": by, "which": rows.text, "least": str(least)},
        f"{start} {end} HAVING COUNT(*) >= {least} AND {some}",
        f"SELECT x.{by}, COUNT(*) FROM {name} AS x WHERE {inside} GROUP BY x.{by} HAVING COUNT(*) > {least - 1}",
        (
            f"{start} {end} HAVING COUNT(*) >= {least}",
            f"{start} {end} HAVING {some}",
            f"{start} WHERE {rows.on()} {end} HAVING COUNT(*) >= {least}",
        ),
        rows.steps + 3,
    )


@family(
    "Show each `{by}` of `{table}` that occurs in at least {least} rows {which}, with the number of these rows, in any "
    "order.",
    "Which values of `{by}` have {least} or more rows of `{table}` {which}? Return value and count; any order.",
    "Group the rows of `{table}` {which} by `{by}` and keep only the groups of at least {least} rows. Show `{by}` and "
    "the number of rows, in any order.",
    difficulties=HARDER,
)
def large_groups(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Groups of a least size."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, by, _ = found
    rows = some_rows(draw, world, difficulty, table, but=(by,), count=1, least=8)
    if rows is None:
        return None
    name = table.name
    start = f"SELECT {name}.{by}, COUNT(*) FROM {name} WHERE {rows.on()} GROUP BY {name}.{by}"
    sizes = sorted(count for _, count in world.engine.rows(start))
    if len(sizes) < 2:
        return None
    least = draw.pick(sizes[1:])
    inner = f"SELECT x.{by} AS one_value, COUNT(*) AS many FROM {name} AS x WHERE {rows.on('x')} GROUP BY x.{by}"
    return Draft(
        {"table": name, "by": by, "which": rows.text, "least": str(least)},
        f"{start} HAVING COUNT(*) >= {least}",
        f"SELECT one_value, many FROM ({inner}) AS counted WHERE many > {least - 1}",
        (
            start,
            f"{start} HAVING COUNT(*) > {least}",
            f"SELECT {name}.{by}, COUNT(*) FROM {name} GROUP BY {name}.{by} HAVING COUNT(*) >= {least}",
        ),
        rows.steps + 2,
    )


@family(
    "Which `{by}` of `{table}` has the largest average `{column}`? Show `{by}` and that average, rounded to 2 "
    "decimals; "
    "only the rows {which} count. If several are equal, show all of them, in any order.",
    "Among the rows of `{table}` {which}, find the value of `{by}` whose rows have the highest mean `{column}`, all "
    "such "
    "values if there are several. Return value and mean, the mean rounded to two decimals.",
    "Average `{column}` per `{by}`, counting only the rows of `{table}` {which}, and show the `{by}` with the highest "
    "average (every one, if they tie) together with the average rounded to 2 decimals.",
    difficulties=HARDER,
)
def best_group(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return the group with the largest mean."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, by, column = found
    rows = some_rows(draw, world, difficulty, table, but=(by, column), count=1, least=8)
    if rows is None:
        return None
    name = table.name

    def means(where: str, what: str = "AVG") -> str:
        value = f"{what}({name}.{column})"
        return f"SELECT {name}.{by} AS one_value, {value} AS mean_of FROM {name} WHERE {where} GROUP BY {name}.{by}"

    def best(inner: str, pick: str = "MAX") -> str:
        top = f"SELECT {pick}(mean_of) FROM ({inner}) AS m"
        return f"SELECT one_value, ROUND(mean_of, 2) FROM ({inner}) AS n WHERE mean_of = ({top})"

    ranked = f"SELECT one_value, mean_of, RANK() OVER (ORDER BY mean_of DESC) AS place FROM ({means(rows.on())}) AS m"
    return Draft(
        {"table": name, "by": by, "column": column, "which": rows.text},
        best(means(rows.on())),
        f"SELECT one_value, ROUND(mean_of, 2) FROM ({ranked}) AS r WHERE place = 1",
        (best(means(rows.on()), "MIN"), best(means("1 = 1")), best(means(rows.on(), "SUM"))),
        rows.steps + 3,
    )
