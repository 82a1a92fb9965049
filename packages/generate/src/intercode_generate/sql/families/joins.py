"""Tables joined along their references."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import link_of, listed, selected, some_rows
from intercode_generate.sql.schema import Link, SqlTable, SqlWorld


def named(table: SqlTable) -> bool:
    """Return whether rows of *table* have names."""
    return bool(table.of_kind("name"))


def on(link: Link) -> str:
    """Return the condition of the join along *link*."""
    return f"{link.child.name}.{link.column} = {link.parent.name}.{link.key}"


def joined(link: Link, how: str = "JOIN") -> str:
    """Child and parent, joined."""
    return f"{link.child.name} {how} {link.parent.name} ON {on(link)}"


def words(link: Link) -> dict[str, str]:
    """Return what phrasings say of *link*."""
    return {"child": link.child.name, "parent": link.parent.name, "column": link.column, "key": link.key}


@family(
    "Show {columns} of the rows of `{child}` {which}, each with the `name` of the row of `{parent}` whose `{key}` is "
    "its "
    "`{column}`. Any order of rows.",
    "For each row of `{child}` {which}, return {columns} and the `name` from `{parent}` (`{column}` refers to its "
    "`{key}`), in any order.",
    "Join `{child}` to `{parent}` by `{column}` = `{key}`, and show {columns} of `{child}` and `name` of `{parent}` "
    "for "
    "the rows of `{child}` {which}. The order does not matter.",
)
def with_name(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows with the name of what they refer to."""
    link = link_of(draw, world, parent=named, nullable=False)
    if link is None:
        return None
    rows = some_rows(draw, world, difficulty, link.child, but=(link.column,))
    if rows is None:
        return None
    child, parent = link.child.name, link.parent.name
    start = f"SELECT {selected(link.child.key, child)}, {parent}.name FROM"
    name = f"(SELECT p.name FROM {parent} AS p WHERE p.{link.key} = c.{link.column})"
    return Draft(
        {**words(link), "columns": listed(link.child.key), "which": rows.text},
        f"{start} {joined(link)} WHERE {rows.on()}",
        f"SELECT {selected(link.child.key, 'c')}, {name} FROM {child} AS c WHERE {rows.on('c')}",
        (
            *(f"{start} {joined(link)} WHERE {wrong}" for wrong in rows.wrong_on()),
            f"{start} {child} JOIN {parent} ON {child}.{link.child.key[0]} = {parent}.{link.key} WHERE {rows.on()}",
            f"SELECT {selected(link.child.key, child)}, {parent}.{link.key} FROM {joined(link)} WHERE {rows.on()}",
        ),
        rows.steps + 1,
    )


@family(
    "Show {columns} of those rows of `{child}` whose `{column}` refers to a row of `{parent}` (by its `{key}`) "
    "{which}. "
    "Any order.",
    "Which rows of `{child}` belong, by `{column}`, to a row of `{parent}` {which}? (`{column}` holds the `{key}` of "
    "`{parent}`.) Return their {columns} in any order.",
    "Find the rows of `{parent}` {which}. Then list {columns} of all rows of `{child}` that refer to one of them by "
    "`{column}`, which holds its `{key}`; the order does not matter.",
)
def by_parent(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows chosen by what they refer to."""
    link = link_of(draw, world)
    if link is None:
        return None
    rows = some_rows(draw, world, difficulty, link.parent)
    if rows is None:
        return None
    child = link.child.name
    start = f"SELECT {selected(link.child.key, child)} FROM {joined(link)} WHERE"
    inside = f"SELECT p.{link.key} FROM {link.parent.name} AS p WHERE {rows.on('p')}"
    return Draft(
        {**words(link), "columns": listed(link.child.key), "which": rows.text},
        f"{start} {rows.on()}",
        f"SELECT {selected(link.child.key, 'c')} FROM {child} AS c WHERE c.{link.column} IN ({inside})",
        (
            *(f"{start} {wrong}" for wrong in rows.wrong_on()),
            f"SELECT {selected(link.child.key, child)} FROM {joined(link)}",
        ),
        rows.steps + 1,
    )


@family(
    "For every row of `{parent}`, also those without any, count the rows of `{child}` {which} whose `{column}` is its "
    "`{key}`. Show the `{key}` of `{parent}` and the count, in any order.",
    "How many rows of `{child}` {which} refer to each row of `{parent}` (by `{column}`)? Show `{key}` of each row of "
    "`{parent}` and the number, 0 included. Any order.",
    "List all `{key}` of `{parent}`, each with the number of rows of `{child}` {which} whose `{column}` it is. Where "
    "there "
    "is none the number is 0. Any order of rows.",
)
def count_children(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Children counted, zeros included."""
    link = link_of(draw, world)
    if link is None:
        return None
    rows = some_rows(draw, world, difficulty, link.child, but=(link.column,), count=1 if difficulty == "easy" else 2)
    if rows is None:
        return None
    child, parent = link.child.name, link.parent.name
    start = f"SELECT {parent}.{link.key}, COUNT({child}.{link.column}) FROM {parent}"
    end = f"GROUP BY {parent}.{link.key}"
    outer = f"{start} LEFT JOIN {child} ON {on(link)}"
    count = f"(SELECT COUNT(*) FROM {child} AS c WHERE c.{link.column} = p.{link.key} AND {rows.on('c')})"
    return Draft(
        {**words(link), "which": rows.text},
        f"{outer} AND {rows.on()} {end}",
        f"SELECT p.{link.key}, {count} FROM {parent} AS p",
        (
            f"{outer} WHERE {rows.on()} {end}",
            f"SELECT {parent}.{link.key}, COUNT(*) FROM {parent} LEFT JOIN {child} ON {on(link)} AND {rows.on()} {end}",
            f"{outer} {end}",
        ),
        rows.steps + 2,
    )


@family(
    "Show {columns} of the rows of `{parent}` to whose `{key}` no row of `{child}` {which} refers by its `{column}`. "
    "Any "
    "order.",
    "Which rows of `{parent}` have no row of `{child}` {which}? (`{column}` of `{child}` holds the `{key}` of "
    "`{parent}`.) "
    "Return their {columns}, in any order.",
    "List {columns} of each row of `{parent}` whose `{key}` is the `{column}` of no row of `{child}` {which}. The "
    "order "
    "does not matter.",
)
def without_children(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows to which nothing refers."""
    link = link_of(draw, world)
    if link is None:
        return None
    rows = some_rows(draw, world, difficulty, link.child, but=(link.column,), least=3)
    if rows is None:
        return None
    child, parent, columns = link.child.name, link.parent.name, [link.key, *link.parent.of_kind("name")]
    show = f"SELECT {selected(columns, parent)} FROM {parent}"
    there = f"EXISTS (SELECT 1 FROM {child} WHERE {on(link)} AND"
    return Draft(
        {**words(link), "columns": listed(columns), "which": rows.text},
        f"{show} WHERE NOT {there} {rows.on()})",
        f"{show} LEFT JOIN {child} AS c ON c.{link.column} = {parent}.{link.key} AND {rows.on('c')} "
        f"WHERE c.{link.column} IS NULL",
        (
            f"{show} WHERE {there} {rows.on()})",
            f"{show} WHERE NOT {there} 1 = 1)",
            f"{show} WHERE {there} NOT ({rows.on()}))",
        ),
        rows.steps + 2,
    )


@family(
    "For each row of `{parent}` with rows of `{child}` {which} (joined by `{column}` = `{key}`), show its `name` and "
    "the "
    "sum of their `{number}`, only where the sum is more than {limit}. Any order.",
    "For each row of `{parent}`, add up `{number}` of the rows of `{child}` {which} that refer to it by `{column}` "
    "(its "
    "`{key}`). Return the `name` of that row and the sum where it exceeds {limit}, in any order.",
    "Which rows of `{parent}` have, in the rows of `{child}` {which} that refer to them (`{column}` = `{key}`), a "
    "total "
    "`{number}` above {limit}? Show `name` and total; any order.",
    difficulties=HARDER,
)
def large_sums(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Sums of children above a limit."""
    link = link_of(draw, world, parent=named)
    if link is None or not link.child.of_kind("whole", "money"):
        return None
    number = draw.pick(link.child.of_kind("whole", "money"))
    rows = some_rows(draw, world, difficulty, link.child, but=(link.column, number), count=1, least=6)
    if rows is None:
        return None
    parent = link.parent.name
    added = f"SUM({link.child.name}.{number})"
    start, end = f"SELECT {parent}.name, {added} FROM {joined(link)}", f"GROUP BY {parent}.{link.key}, {parent}.name"
    sums = sorted(value for _, value in world.engine.rows(f"{start} WHERE {rows.on()} {end}"))
    if len(sums) < 3:
        return None
    limit = sums[len(sums) // 2]
    say = f"{limit:.2f}" if isinstance(limit, float) else str(limit)
    inner = (
        f"SELECT c.{link.column} AS own, SUM(c.{number}) AS total_of FROM {link.child.name} AS c WHERE {rows.on('c')}"
    )
    return Draft(
        {**words(link), "number": number, "which": rows.text, "limit": say},
        f"{start} WHERE {rows.on()} {end} HAVING {added} > {say}",
        f"SELECT p.name, t.total_of FROM {parent} AS p JOIN ({inner} GROUP BY c.{link.column}) AS t "
        f"ON t.own = p.{link.key} WHERE t.total_of > {say}",
        (
            f"{start} WHERE {rows.on()} {end}",
            f"{start} {end} HAVING {added} > {say}",
            f"{start} WHERE {rows.on()} {end} HAVING {added} >= {say}",
        ),
        rows.steps + 3,
    )
