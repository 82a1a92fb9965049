"""Longer joins: over three tables, of a table with itself, with rows that refer to nothing."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER
from intercode_generate.sql.families.joins import joined, named, words
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import link_of, listed, selected, some_rows
from intercode_generate.sql.schema import Link, SqlWorld


def chain_of(draw: Draw, world: SqlWorld) -> tuple[Link, Link] | None:
    """Return a reference to a table that has one itself, so that three tables hang together."""
    found = [
        (low, high)
        for low in world.links
        for high in world.links
        if low.parent is high.child and low.child is not high.parent and not low.child.copy_of
    ]
    return draw.pick(found) if found else None


def all_three(low: Link, high: Link) -> str:
    """Return the three tables, joined."""
    top = f"JOIN {high.parent.name} ON {high.child.name}.{high.column} = {high.parent.name}.{high.key}"
    return f"{joined(low)} {top}"


@family(
    "For each row of `{top}`, count the rows of `{low}` {which} that belong to it: `{low}` refers by `{one}` to "
    "`{middle}`, which refers by `{other}` to `{top}`. Show the `{key}` of `{top}` and the count, without zeros, in "
    "any "
    "order.",
    "From `{low}` over `{middle}` (by `{one}`) to `{top}` (by `{other}`): how many rows of `{low}` {which} belong to "
    "each "
    "row of `{top}`? Return its `{key}` and the number, only where there is a row. Any order.",
    "`{low}`.`{one}` points to `{middle}`, and `{middle}`.`{other}` points to `{top}`. For every row of `{top}` that "
    "is "
    "reached from a row of `{low}` {which}, show its `{key}` and from how many such rows. Any order.",
    difficulties=HARDER,
)
def count_far(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows counted two references away."""
    chain = chain_of(draw, world)
    if chain is None:
        return None
    low, high = chain
    but = (low.column,)
    rows = some_rows(draw, world, difficulty, low.child, but=but, count=1 if difficulty == "medium" else 2, least=4)
    if rows is None:
        return None
    top = f"{high.parent.name}.{high.key}"
    start, end = f"SELECT {top}, COUNT(*) FROM {all_three(low, high)}", f"GROUP BY {top}"
    inside = f"SELECT c.{low.column} FROM {low.child.name} AS c WHERE {rows.on('c')}"
    pairs = (
        f"SELECT m.{high.column} AS far FROM {high.child.name} AS m "
        f"JOIN ({inside}) AS c ON c.{low.column} = m.{low.key} WHERE m.{high.column} IS NOT NULL"
    )
    return Draft(
        {
            "low": low.child.name,
            "one": low.column,
            "middle": low.parent.name,
            "other": high.column,
            "top": high.parent.name,
            "key": high.key,
            "which": rows.text,
        },
        f"{start} WHERE {rows.on()} {end}",
        f"SELECT far, COUNT(*) FROM ({pairs}) AS reached GROUP BY far",
        (
            f"{start} {end}",
            f"SELECT {top}, COUNT(DISTINCT {low.parent.name}.{low.key}) FROM {all_three(low, high)} {end}",
            *(f"{start} WHERE {wrong} {end}" for wrong in rows.wrong_on()[:1]),
        ),
        rows.steps + 3,
    )


@family(
    "Show {columns} of the rows of `{low}` that lead, by `{one}` to `{middle}` and from there by `{other}` to `{top}`, "
    "to "
    "a row of `{top}` {which}. Any order.",
    "`{one}` of `{low}` refers to `{middle}`, whose `{other}` refers to `{top}`. Return {columns} of all rows of "
    "`{low}` "
    "for which the row of `{top}` is one {which}, in any order.",
    "Which rows of `{low}` belong to a row of `{top}` {which}? (`{low}` points to `{middle}` by `{one}`, `{middle}` to "
    "`{top}` by `{other}`.) Show their {columns}; the order does not matter.",
)
def by_grandparent(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows chosen two references away."""
    chain = chain_of(draw, world)
    if chain is None:
        return None
    low, high = chain
    rows = some_rows(draw, world, difficulty, high.parent)
    if rows is None:
        return None
    child, key = low.child.name, low.child.key
    start = f"SELECT {selected(key, child)} FROM {all_three(low, high)}"
    inner = f"SELECT t.{high.key} FROM {high.parent.name} AS t WHERE {rows.on('t')}"
    middle = f"SELECT m.{low.key} FROM {low.parent.name} AS m WHERE m.{high.column} IN ({inner})"
    return Draft(
        {
            "low": child,
            "one": low.column,
            "middle": low.parent.name,
            "other": high.column,
            "top": high.parent.name,
            "columns": listed(key),
            "which": rows.text,
        },
        f"{start} WHERE {rows.on()}",
        f"SELECT {selected(key, 'c')} FROM {child} AS c WHERE c.{low.column} IN ({middle})",
        (*(f"{start} WHERE {wrong}" for wrong in rows.wrong_on()), start),
        rows.steps + 2,
    )


@family(
    "Show {columns} of all rows of `{child}` {which}, each with the `name` from `{parent}` that its `{column}` refers "
    "to "
    "(by `{key}`), or with the text `{nothing}` where `{column}` is NULL. Any order.",
    "For every row of `{child}` {which}, return {columns} and the `name` of the row of `{parent}` whose `{key}` is its "
    "`{column}`. Rows without a `{column}` are listed too, with `{nothing}` for the name. Any order.",
    "List {columns} of the rows of `{child}` {which} together with a name: that of `{parent}` (`{column}` holds its "
    "`{key}`), and `{nothing}` if `{column}` is NULL. The order does not matter.",
)
def name_or_nothing(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Names, where there are any."""
    link = link_of(draw, world, parent=named, nullable=True)
    if link is None:
        return None
    rows = some_rows(draw, world, difficulty, link.child, but=(link.column,), least=4)
    if rows is None:
        return None
    child, parent = link.child.name, link.parent.name
    nothing = draw.pick(("nobody", "none", "unknown", "n/a"))
    start = f"SELECT {selected(link.child.key, child)}, COALESCE({parent}.name, '{nothing}') FROM"
    keys = selected(link.child.key, "c")
    one = f"SELECT {keys}, p.name FROM {child} AS c JOIN {parent} AS p ON p.{link.key} = c.{link.column}"
    other = f"SELECT {keys}, '{nothing}' FROM {child} AS c WHERE c.{link.column} IS NULL AND {rows.on('c')}"
    return Draft(
        {**words(link), "columns": listed(link.child.key), "which": rows.text, "nothing": nothing},
        f"{start} {joined(link, 'LEFT JOIN')} WHERE {rows.on()}",
        f"{one} WHERE {rows.on('c')} UNION ALL {other}",
        (
            f"{start} {joined(link)} WHERE {rows.on()}",
            f"SELECT {selected(link.child.key, child)}, {parent}.name FROM {joined(link, 'LEFT JOIN')} WHERE "
            f"{rows.on()}",
            f"{start} {joined(link, 'LEFT JOIN')} WHERE {rows.wrong_on()[0]}",
        ),
        rows.steps + 2,
    )


@family(
    "In `{table}`, `{boss}` holds the `{key}` of another row of it. Show the `name` of each row {which} that has a "
    "`{boss}`, and the `name` of the row it points to. Any order.",
    "`{table}` refers to itself by `{boss}`, which is a `{key}` of `{table}`. For the rows {which} whose `{boss}` is "
    "not "
    "NULL, return their `name` and the `name` that belongs to `{boss}`, in any order.",
    "List pairs of names from `{table}`: the `name` of a row {which}, and the `name` of the row whose `{key}` is its "
    "`{boss}`. Rows without a `{boss}` are left out. Any order.",
)
def bosses(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a table joined with itself."""
    own = [link for link in world.references if link.child.name == link.parent.name]
    if not own:
        return None
    link = own[0]
    rows = some_rows(draw, world, difficulty, link.child, but=(link.column,), least=3)
    if rows is None:
        return None
    name = link.child.name
    start = f"SELECT a.name, b.name FROM {name} AS a"
    join = f"JOIN {name} AS b ON a.{link.column} = b.{link.key}"
    boss = f"(SELECT b.name FROM {name} AS b WHERE b.{link.key} = a.{link.column})"
    return Draft(
        {"table": name, "boss": link.column, "key": link.key, "which": rows.text},
        f"{start} {join} WHERE {rows.on('a')}",
        f"SELECT a.name, {boss} FROM {name} AS a WHERE {rows.on('a')} AND a.{link.column} IS NOT NULL",
        (
            f"{start} LEFT {join} WHERE {rows.on('a')}",
            f"{start} {join} WHERE {rows.on('b')}",
            f"{start} JOIN {name} AS b ON b.{link.column} = a.{link.key} WHERE {rows.on('a')}",
        ),
        rows.steps + 2,
    )


@family(
    "Which rows of `{table}` {which} have a higher `{number}` than the row that their `{boss}` (a `{key}` of "
    "`{table}`) "
    "points to? Show `{key}` and `name`, in any order.",
    "`{boss}` in `{table}` is the `{key}` of another row. Return `{key}` and `name` of the rows {which} whose "
    "`{number}` "
    "is more than that of the other row. Any order.",
    "Compare each row of `{table}` {which} with the row whose `{key}` is its `{boss}`. Show `{key}` and `name` of "
    "those "
    "with the greater `{number}`; the order does not matter.",
)
def above_boss(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows compared with those that they point to."""
    own = [link for link in world.references if link.child.name == link.parent.name]
    if not own:
        return None
    link = own[0]
    number = draw.pick(link.child.of_kind("money", "whole"))
    rows = some_rows(draw, world, "easy", link.child, but=(link.column, number), least=4)
    if rows is None:
        return None
    name, key, boss = link.child.name, link.key, link.column
    start = f"SELECT a.{key}, a.name FROM {name} AS a JOIN {name} AS b ON a.{boss} = b.{key} WHERE"
    other = f"(SELECT b.{number} FROM {name} AS b WHERE b.{key} = a.{boss})"
    return Draft(
        {"table": name, "boss": boss, "key": key, "number": number, "which": rows.text},
        f"{start} {rows.on('a')} AND a.{number} > b.{number}",
        f"SELECT a.{key}, a.name FROM {name} AS a WHERE {rows.on('a')} AND a.{number} > {other}",
        (
            f"{start} {rows.on('a')} AND a.{number} < b.{number}",
            f"{start} a.{number} > b.{number}",
            f"{start} {rows.on('b')} AND a.{number} > b.{number}",
        ),
        rows.steps + 2,
    )
