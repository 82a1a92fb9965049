"""Days, months, years, and the time between two days."""

from __future__ import annotations

from datetime import date, timedelta

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import link_of, listed, selected, some_rows
from intercode_generate.sql.schema import SqlTable, SqlWorld


def dated(draw: Draw, world: SqlWorld) -> tuple[SqlTable, str] | None:
    """Return a table with a date in every row."""
    tables = [each for each in world.tables if each.of_kind("date")]
    if not tables:
        return None
    table = draw.pick(tables)
    return table, draw.pick(table.of_kind("date"))


@family(
    "By the year and the month of `{date}`, count the rows of `{table}` {which}. Show year, month (1 to 12) and count, "
    "without months that have none, in the order of time.",
    "For every month in which the rows of `{table}` {which} have a `{date}`: return the year, the month as a number "
    "from "
    "1 to 12, and how many of these rows there are. The earliest month comes first.",
    "How many rows of `{table}` {which} are there for each year and month of `{date}`? Three columns: year, month "
    "number "
    "(1 to 12), count; sorted by year and month ascending; months without rows are left out.",
)
def per_month(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows counted by month."""
    found = dated(draw, world)
    if found is None:
        return None
    table, day = found
    rows = some_rows(draw, world, difficulty, table, but=(day,), count=2 if difficulty == "hard" else 1, least=6)
    if rows is None:
        return None
    name = table.name
    year, month = f"YEAR({name}.{day})", f"MONTH({name}.{day})"

    def show(where: str, order: str = f"{year}, {month}") -> str:
        return f"SELECT {year}, {month}, COUNT(*) FROM {name} WHERE {where} GROUP BY {year}, {month} ORDER BY {order}"

    inner = f"SELECT YEAR(x.{day}) AS y, MONTH(x.{day}) AS m FROM {name} AS x WHERE {rows.on('x')}"
    return Draft(
        {"table": name, "date": day, "which": rows.text},
        show(rows.on()),
        f"SELECT y, m, COUNT(*) FROM ({inner}) AS months GROUP BY y, m ORDER BY y * 100 + m",
        (
            show("1 = 1"),
            show(rows.on(), f"{year} DESC, {month} DESC"),
            f"SELECT {month}, COUNT(*) FROM {name} WHERE {rows.on()} GROUP BY {month} ORDER BY {month}",
        ),
        rows.steps + 2,
    )


@family(
    "How many rows of `{table}` {which} have a `{date}` in {one}, and how many in {two}? Show both numbers in one row.",
    "Count the rows of `{table}` {which}, once those of them whose `{date}` lies in {one}, and once those with {two}. "
    "Return one row with the two counts.",
    "Return one row with two numbers: the rows of `{table}` {which} with a `{date}` in {one}, and those with one in "
    "{two}.",
)
def two_years(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Two years side by side."""
    found = dated(draw, world)
    if found is None:
        return None
    table, day = found
    rows = some_rows(draw, world, difficulty, table, but=(day,), least=5)
    if rows is None:
        return None
    name = table.name
    one, two = draw.sample((2021, 2022, 2023), 2)

    def show(first: int, second: int, where: str) -> str:
        sides = ", ".join(f"COUNT(CASE WHEN YEAR({name}.{day}) = {year} THEN 1 END)" for year in (first, second))
        return f"SELECT {sides} FROM {name} WHERE {where}"

    counts = ", ".join(
        f"(SELECT COUNT(*) FROM {name} AS x WHERE {rows.on('x')} AND x.{day} BETWEEN '{year}-01-01' AND '{year}-12-31')"
        for year in (one, two)
    )
    other = ({2021, 2022, 2023} - {one, two}).pop()
    return Draft(
        {"table": name, "date": day, "which": rows.text, "one": str(one), "two": str(two)},
        show(one, two, rows.on()),
        f"SELECT {counts}",
        (show(one, two, "1 = 1"), show(one, other, rows.on()), show(other, two, rows.on())),
        rows.steps + 2,
    )


@family(
    "Show {columns} of the rows of `{table}` {which} and whose `{date}` lies in the {days} days up to {day}: not after "
    "{day}, "
    "and at most {less} days before it. Any order.",
    "Which rows of `{table}` {which} have a `{date}` of {day} or of one of the {less} days before? Return {columns}, "
    "in "
    "any order. (Together these are {days} days.)",
    "List {columns} of the rows of `{table}` {which}, only those with a `{date}` within a window of {days} days that "
    "ends "
    "with {day} (this day is included, and the {less} before it). Any order.",
)
def last_days(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a window of days."""
    found = dated(draw, world)
    if found is None:
        return None
    table, column = found
    rows = some_rows(draw, world, difficulty, table, but=(column,), count=2 if difficulty == "hard" else 1, least=6)
    if rows is None:
        return None
    first, last = sorted(draw.sample(sorted(set(table.values(column))), 2))
    days = (date.fromisoformat(last) - date.fromisoformat(first)).days + 1
    name, columns = table.name, list(dict.fromkeys([*table.key, column]))
    before = (date.fromisoformat(first) - timedelta(1)).isoformat()
    start = f"SELECT {selected(columns, name)} FROM {name}"

    def show(low: str, high: str) -> str:
        return f"{start} WHERE {rows.on()} AND {name}.{column} {low} AND {name}.{column} {high}"

    values = {"table": name, "date": column, "which": rows.text, "day": last, "days": str(days), "less": str(days - 1)}
    return Draft(
        {**values, "columns": listed(columns)},
        show(f"> '{before}'", f"<= '{last}'"),
        f"SELECT {selected(columns, 'x')} FROM {name} AS x WHERE {rows.on('x')} "
        f"AND DATEDIFF('{last}', x.{column}) BETWEEN 0 AND {days - 1}",
        (
            show(f"> '{first}'", f"<= '{last}'"),
            show(f"> '{before}'", f"< '{last}'"),
            f"{start} WHERE {name}.{column} > '{before}' AND {name}.{column} <= '{last}'",
        ),
        rows.steps + 2,
    )


@family(
    "For each row of `{child}` {which}, count the days from the `{early}` of its row of `{parent}` (`{column}` holds "
    "the "
    "`{key}`) to its own `{late}`; the number is negative where `{late}` is earlier. Show {columns} and the days, in "
    "any "
    "order.",
    "Join `{child}` to `{parent}` (`{column}` = `{key}`). For the rows of `{child}` {which} return {columns} and the "
    "number of days by which `{late}` of `{child}` lies after `{early}` of `{parent}`, below 0 if it lies before. Any "
    "order.",
    "How many days after the `{early}` in `{parent}` is the `{late}` in `{child}`? Answer for each row of `{child}` "
    "{which} (its `{column}` is the `{key}` of `{parent}`) with {columns} and the days; before counts as negative. Any "
    "order.",
)
def days_between(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Days from one table's date to another's."""
    link = link_of(draw, world, parent=lambda table: table.of_kind("date"))
    if link is None or not link.child.of_kind("date"):
        return None
    late, early = draw.pick(link.child.of_kind("date")), draw.pick(link.parent.of_kind("date"))
    rows = some_rows(draw, world, difficulty, link.child, but=(link.column, late))
    if rows is None:
        return None
    child, parent = link.child.name, link.parent.name
    keys = selected(link.child.key, child)
    join = f"{child} JOIN {parent} ON {child}.{link.column} = {parent}.{link.key}"
    days = f"DATEDIFF({child}.{late}, {parent}.{early})"
    turned = f"DATEDIFF({parent}.{early}, {child}.{late})"
    other = f"(SELECT p.{early} FROM {parent} AS p WHERE p.{link.key} = c.{link.column})"
    return Draft(
        {
            "child": child,
            "parent": parent,
            "column": link.column,
            "key": link.key,
            "late": late,
            "early": early,
            "columns": listed(link.child.key),
            "which": rows.text,
        },
        f"SELECT {keys}, {days} FROM {join} WHERE {rows.on()}",
        f"SELECT {selected(link.child.key, 'c')}, DATEDIFF(c.{late}, {other}) FROM {child} AS c "
        f"WHERE {rows.on('c')} AND c.{link.column} IS NOT NULL",
        (
            f"SELECT {keys}, {turned} FROM {join} WHERE {rows.on()}",
            f"SELECT {keys}, {days} FROM {join}",
            f"SELECT {keys}, {days} + 1 FROM {join} WHERE {rows.on()}",
        ),
        rows.steps + 2,
    )


@family(
    "For each `{by}` among the rows of `{table}` {which}, show `{by}`, the first `{date}`, the last `{date}`, and the "
    "days "
    "between the two (0 if they are the same). Any order of rows.",
    "Group the rows of `{table}` {which} by `{by}`. Return `{by}`, the earliest and the latest `{date}` of the group, "
    "and "
    "how many days lie from the one to the other. Any order.",
    "What are the first and the last `{date}` of every `{by}`, and the number of days from the first to the last? Only "
    "the rows of `{table}` {which} count. Return `{by}`, first, last, days, in any order of rows.",
    difficulties=HARDER,
)
def spans(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """First and last day of each group."""
    tables = [each for each in world.tables if each.of_kind("date") and each.of_kind("label", "ref")]
    if not tables:
        return None
    table = draw.pick(tables)
    by, day = draw.pick(table.of_kind("label", "ref")), draw.pick(table.of_kind("date"))
    rows = some_rows(draw, world, "easy" if difficulty == "medium" else "medium", table, but=(by, day), least=6)
    if rows is None:
        return None
    name, column = table.name, f"{table.name}.{day}"

    def show(where: str, days: str = f"DATEDIFF(MAX({column}), MIN({column}))") -> str:
        return (
            f"SELECT {name}.{by}, MIN({column}), MAX({column}), {days} FROM {name} WHERE {where} GROUP BY {name}.{by}"
        )

    inner = f"SELECT x.{by} AS own, MIN(x.{day}) AS a, MAX(x.{day}) AS z FROM {name} AS x WHERE {rows.on('x')}"
    return Draft(
        {"table": name, "by": by, "date": day, "which": rows.text},
        show(rows.on()),
        f"SELECT own, a, z, -DATEDIFF(a, z) FROM ({inner} GROUP BY x.{by}) AS ends",
        (
            show("1 = 1"),
            show(rows.on(), f"DATEDIFF(MAX({column}), MIN({column})) + 1"),
            f"SELECT {name}.{by}, MIN({column}), MAX({column}) FROM {name} WHERE {rows.on()} GROUP BY {name}.{by}",
        ),
        rows.steps + 3,
    )
