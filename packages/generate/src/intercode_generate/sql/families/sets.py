"""What two tables, or two conditions, have in common, have together, and have alone."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import SelectedRows, some_rows
from intercode_generate.sql.schema import SqlTable, SqlWorld

Pair = tuple[SqlTable, str, SqlTable, str]


def alike(draw: Draw, world: SqlWorld) -> Pair | None:
    """Columns of two tables that hold the same sort of thing: labels of one name, or references to one table."""
    pairs: list[Pair] = []
    for table in world.tables:
        for other in world.tables:
            if table is other:
                continue
            for column in table.columns:
                for match in other.columns:
                    same = column.name == match.name and column.kind == match.kind == "label"
                    points = column.target and column.target == match.target
                    if (same or points) and not (column.nullable or match.nullable):
                        pairs.append((table, column.name, other, match.name))
    return draw.pick(pairs) if pairs else None


def two_sides(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> tuple[Pair, str, str, dict[str, str], int] | None:
    """Such a pair, with a condition on the first side where it is not easy: the two queries, words, steps."""
    pair = alike(draw, world)
    if pair is None:
        return None
    table, column, other, match = pair
    rows: SelectedRows | None = None
    if difficulty != "easy":
        rows = some_rows(draw, world, difficulty, table, but=(column,), count=1 if difficulty == "medium" else 2)
        if rows is None:
            return None
    which = f" {rows.text}" if rows else ""
    values = {"one": table.name, "column": column, "other": other.name, "match": match, "which": which}
    first = f"SELECT x.{column} FROM {table.name} AS x WHERE {rows.on('x') if rows else '1 = 1'}"
    return pair, first, f"SELECT z.{match} FROM {other.name} AS z", values, rows.steps if rows else 0


@family(
    "Which values occur both as `{column}` in the rows of `{one}`{which} and as `{match}` in any row of `{other}`? "
    "Show "
    "each once, in any order.",
    "List, without repetition and in any order, the values of `{column}` of the rows of `{one}`{which} that are also a "
    "`{match}` in `{other}`.",
    "Return every value once that is the `{column}` of a row of `{one}`{which} and the `{match}` of a row of `{other}` "
    "as "
    "well. Any order.",
)
def in_both(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return an intersection."""
    found = two_sides(draw, world, difficulty)
    if found is None:
        return None
    (table, column, other, match), first, second, values, steps = found
    return Draft(
        values,
        f"SELECT DISTINCT both_sides.{column} FROM ({first}) AS both_sides WHERE both_sides.{column} IN ({second})",
        f"SELECT DISTINCT a.{column} FROM ({first}) AS a JOIN {other.name} AS b ON a.{column} = b.{match}",
        (
            f"SELECT DISTINCT x.{column} FROM {table.name} AS x",
            f"SELECT DISTINCT s.{column} FROM ({first}) AS s WHERE s.{column} NOT IN ({second})",
            f"{first} UNION {second}",
        ),
        steps + 2,
    )


@family(
    "Which values occur as `{column}` in the rows of `{one}`{which}, but not as `{match}` in any row of `{other}`? "
    "Show "
    "each once, in any order.",
    "List, without repetition and in any order, the values of `{column}` of the rows of `{one}`{which} that are no "
    "`{match}` in `{other}`.",
    "Return every value once that is the `{column}` of a row of `{one}`{which} and the `{match}` of no row of "
    "`{other}`. "
    "Any order.",
)
def only_in_one(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a difference."""
    found = two_sides(draw, world, difficulty)
    if found is None:
        return None
    (table, column, other, match), first, second, values, steps = found
    return Draft(
        values,
        f"SELECT DISTINCT one_side.{column} FROM ({first}) AS one_side WHERE one_side.{column} NOT IN ({second})",
        f"SELECT DISTINCT a.{column} FROM ({first}) AS a LEFT JOIN {other.name} AS b ON a.{column} = b.{match} "
        f"WHERE b.{match} IS NULL",
        (
            f"SELECT DISTINCT x.{column} FROM {table.name} AS x",
            f"SELECT DISTINCT s.{column} FROM ({first}) AS s WHERE s.{column} IN ({second})",
            f"SELECT DISTINCT z.{match} FROM {other.name} AS z WHERE z.{match} NOT IN ({first})",
        ),
        steps + 2,
    )


@family(
    "How often does each value occur as `{column}` in the rows of `{one}`{which} and as `{match}` in all of `{other}` "
    "together? Show the value and the number, for every value that occurs in one of them. Any order.",
    "Put `{column}` of the rows of `{one}`{which} and `{match}` of all rows of `{other}` into one list, and count how "
    "often each value stands in it. Return value and count, in any order.",
    "Return each value that is a `{column}` of the rows of `{one}`{which} or a `{match}` of `{other}`, with the number "
    "of "
    "rows of both tables together in which it is. Only those rows of `{one}` count, and all rows of `{other}`. Any "
    "order.",
)
def count_together(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Two lists in one, counted."""
    found = two_sides(draw, world, difficulty)
    if found is None:
        return None
    (_, column, other, match), first, second, values, steps = found

    def show(lists: str) -> str:
        return f"SELECT entries.{column}, COUNT(*) FROM ({lists}) AS entries GROUP BY entries.{column}"

    one = f"SELECT a.{column} AS one_value, COUNT(*) AS many FROM ({first}) AS a GROUP BY a.{column}"
    two = f"SELECT b.{match}, COUNT(*) FROM {other.name} AS b GROUP BY b.{match}"
    return Draft(
        values,
        show(f"{first} UNION ALL {second}"),
        f"SELECT one_value, SUM(many) FROM ({one} UNION ALL {two}) AS parts GROUP BY one_value",
        (
            show(f"{first} UNION {second}"),
            show(first),
            f"SELECT b.{match}, COUNT(*) FROM {other.name} AS b GROUP BY b.{match}",
        ),
        steps + 2,
    )


@family(
    "Show {key} of the rows of `{table}` of which exactly one of these two is true: (1) it is a row {one}; (2) it is a "
    "row {other}. Any order.",
    "Which rows of `{table}` are a row {one}, or a row {other}, but not both? Return {key}, in any order.",
    "List {key} of the rows of `{table}` that fulfil one of two demands and not the other. The first: a row {one}. The "
    "second: a row {other}. Any order.",
    difficulties=HARDER,
)
def either_not_both(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a symmetric difference."""
    table = draw.pick([each for each in world.tables if len(each.rows) > 15])
    nullable = tuple(each.name for each in table.columns if each.nullable)
    one = some_rows(draw, world, "easy", table, but=nullable, least=4)
    other = some_rows(draw, world, "easy" if difficulty == "medium" else "medium", table, but=nullable, least=3)
    if one is None or other is None:
        return None
    name, key = table.name, ", ".join(f"`{each}`" for each in table.key)
    columns = ", ".join(f"{name}.{each}" for each in table.key)
    start = f"SELECT {columns} FROM {name} WHERE"
    xor = f"({one.on()} OR {other.on()}) AND NOT ({one.on()} AND {other.on()})"
    keys = ", ".join(f"x.{each}" for each in table.key)
    picked = f"CASE WHEN {one.on('x')} THEN 1 ELSE 0 END + CASE WHEN {other.on('x')} THEN 1 ELSE 0 END"
    return Draft(
        {"table": name, "key": key, "one": one.text, "other": other.text},
        f"{start} {xor}",
        f"SELECT {keys} FROM {name} AS x WHERE {picked} = 1",
        (f"{start} {one.on()} OR {other.on()}", f"{start} {one.on()} AND {other.on()}", f"{start} NOT ({xor})"),
        one.steps + other.steps + 1,
    )
