"""Rows that come and go, views and tables that are made."""

from __future__ import annotations

from intercode_generate.draw import Draw
from intercode_generate.family import Difficulty, Draft
from intercode_generate.sql.families.groups import HARDER, grouped
from intercode_generate.sql.families.joins import words
from intercode_generate.sql.registry import family
from intercode_generate.sql.rows import SelectedRows, link_of, listed, some_rows
from intercode_generate.sql.schema import TYPES, SqlTable, SqlWorld, literal


def leaves(world: SqlWorld) -> list[SqlTable]:
    """Tables with one key to which nothing refers: their rows may go."""
    targets = {link.parent.name for link in world.references if not link.child.copy_of}
    return [each for each in world.tables if each.name not in targets and len(each.key) == 1]


@family(
    "Delete the rows of `{table}` {which}. Leave all others.",
    "Remove every row of `{table}` {which}, and no other row.",
    "All rows of `{table}` {which} have to go; the others stay.",
)
def delete_rows(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows deleted by conditions."""
    rows = some_rows(draw, world, difficulty, draw.pick(leaves(world) or [world.tables[-1]]))
    if rows is None or rows.table not in leaves(world):
        return None
    name, key = rows.table.name, rows.table.key[0]
    start = f"DELETE FROM {name}"
    inner = f"SELECT x.{key} AS gone FROM {name} AS x WHERE {rows.on('x')}"
    return Draft(
        {"table": name, "which": rows.text},
        f"{start} WHERE {rows.on()}",
        f"{start} WHERE {key} IN (SELECT gone FROM ({inner}) AS chosen)",
        (*(f"{start} WHERE {wrong}" for wrong in rows.wrong_on()[:2]), f"{start} WHERE NOT ({rows.on()})"),
        rows.steps,
    )


@family(
    "Delete the rows of `{child}` whose `{column}` refers to a row of `{parent}` (by `{key}`) {which}. Everything else "
    "stays, the rows of `{parent}` too.",
    "Remove each row of `{child}` that belongs, by its `{column}`, to a row of `{parent}` {which}; `{column}` holds "
    "the "
    "`{key}`. Delete nothing else, and nothing in `{parent}`.",
    "From `{child}`, delete what points to a row of `{parent}` {which} (`{column}` is its `{key}`). No other row goes, "
    "and "
    "none of `{parent}`.",
)
def delete_by_parent(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows deleted by what they refer to."""
    link = link_of(draw, world)
    if link is None or link.child not in leaves(world):
        return None
    rows = some_rows(draw, world, difficulty, link.parent)
    if rows is None:
        return None
    child, parent = link.child.name, link.parent.name
    start = f"DELETE FROM {child}"
    inside = f"SELECT p.{link.key} FROM {parent} AS p WHERE"
    return Draft(
        {**words(link), "which": rows.text},
        f"{start} WHERE {link.column} IN ({inside} {rows.on('p')})",
        f"DELETE {child} FROM {child} JOIN {parent} ON {child}.{link.column} = {parent}.{link.key} WHERE {rows.on()}",
        (
            *(f"{start} WHERE {link.column} IN ({inside} {wrong})" for wrong in rows.wrong_on("p")[:2]),
            f"{start} WHERE {link.column} NOT IN ({inside} {rows.on('p')})",
        ),
        rows.steps + 1,
    )


@family(
    "Insert one row into `{table}`: {values}. {key_text}",
    "Add a new row to `{table}` with these values: {values}. {key_text}",
    "`{table}` needs one more row. Its values are {values}. {key_text}",
)
def insert_row(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a row added."""
    tables = [each for each in world.tables if len(each.key) == 1 and each.of_kind("name")]
    table = draw.pick(tables)
    columns = [each for each in table.columns[1:] if not (each.kind == "ref" and each.nullable)]
    like = {each.name: draw.pick([value for value in table.values(each.name) if value is not None]) for each in columns}
    like["name"] = " ".join(draw.sample(sorted({word for name in table.values("name") for word in name.split()}), 2))
    if like["name"] in table.values("name"):
        return None
    name, key = table.name, table.key[0]
    new = len(table.rows) + 1 if difficulty != "easy" else draw.integer(100, 900)
    say = [
        f"`{column}` {'`' + value + '`' if isinstance(value, str) else literal(value)}"
        for column, value in like.items()
    ]
    given = ", ".join(map(literal, like.values()))
    into = f"INSERT INTO {name} ({', '.join([key, *like])})"
    rest = [each.name for each in table.columns[1:] if each.name not in like]
    key_text = f"Its `{key}` is {new}." if difficulty == "easy" else f"Its `{key}` is one more than the highest so far."
    if rest:
        key_text += f" {listed(rest)} stays NULL."
    return Draft(
        {"table": name, "values": ", ".join(say), "key_text": key_text},
        f"{into} VALUES ({new}, {given})",
        f"{into} SELECT {new if difficulty == 'easy' else f'MAX(x.{key}) + 1'}, {given} FROM {name} AS x "
        + (f"WHERE x.{key} = 1" if difficulty == "easy" else ""),
        (
            f"{into} VALUES ({new + 1}, {given})",
            f"{into} VALUES ({new}, {given}); {into} VALUES ({new + 1}, {given})",
            f"UPDATE {name} SET name = '{like['name']}' WHERE {key} = 1",
        ),
        1 if difficulty == "easy" else 2,
    )


def copied(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> tuple[SelectedRows, str, list[str]] | None:
    """Rows of a table, the table that resembles it, and the columns that both have."""
    copies = [each for each in world.tables if each.copy_of]
    if not copies:
        return None
    table = world.table(copies[0].copy_of)
    rows = some_rows(draw, world, difficulty, table)
    columns = [each.name for each in copies[0].columns]
    return None if rows is None else (rows, copies[0].name, columns)


@family(
    "Copy the rows of `{table}` {which} into `{other}`, which has the columns {columns}: take these columns unchanged. "
    "`{table}` itself stays as it is.",
    "Insert into `{other}` a copy of each row of `{table}` {which}, with the same {columns}. Do not change `{table}`.",
    "`{other}` should get {columns} of every row of `{table}` {which} as additional rows; `{table}` keeps them, too.",
)
def copy_rows(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Rows copied to a table like theirs."""
    found = copied(draw, world, difficulty)
    if found is None:
        return None
    rows, other, columns = found
    name, key = rows.table.name, rows.table.key[0]
    list_of = ", ".join(columns)
    into = f"INSERT INTO {other} ({list_of})"
    start = f"{into} SELECT {', '.join(f'{name}.{column}' for column in columns)} FROM {name}"
    inside = f"SELECT x.{key} FROM {name} AS x WHERE {rows.on('x')}"
    return Draft(
        {"table": name, "other": other, "columns": listed(columns), "which": rows.text},
        f"{start} WHERE {rows.on()}",
        f"{start} WHERE {name}.{key} IN ({inside})",
        (*(f"{start} WHERE {wrong}" for wrong in rows.wrong_on()[:2]), start),
        rows.steps + 1,
    )


@family(
    "Create a view `{view}` with the columns `{by}` and `{count}`: each `{by}` of the rows of `{table}` {which}, and "
    "how "
    "many of these rows have it.",
    "Make a view called `{view}`. For every `{by}` that occurs in the rows of `{table}` {which} it shows a row with "
    "`{by}` and, as `{count}`, the number of those rows.",
    "Define the view `{view}` on `{table}`: it groups the rows {which} by `{by}` and has two columns, `{by}` and "
    "`{count}` "
    "(the number of rows in the group).",
)
def make_view(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a view that counts."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, by, _ = found
    rows = some_rows(draw, world, difficulty, table, but=(by,), count=2 if difficulty == "hard" else 1, least=4)
    if rows is None:
        return None
    name, count = table.name, draw.pick(("amount", "rows_found", "how_many"))
    view = f"{name}_{draw.pick(('overview', 'report', 'summary'))}"

    def make(where: str, title: str = count) -> str:
        return f"CREATE VIEW {view} AS SELECT {name}.{by}, COUNT(*) AS {title} FROM {name}{where} GROUP BY {name}.{by}"

    return Draft(
        {"table": name, "view": view, "by": by, "count": count, "which": rows.text},
        make(f" WHERE {rows.on()}"),
        f"CREATE VIEW {view} AS SELECT x.{by} AS {by}, SUM(CASE WHEN {rows.on('x')} THEN 1 ELSE 0 END) AS {count} "
        f"FROM {name} AS x GROUP BY x.{by} HAVING SUM(CASE WHEN {rows.on('x')} THEN 1 ELSE 0 END) > 0",
        (make(""), make(f" WHERE NOT ({rows.on()})"), make(f" WHERE {rows.wrong_on()[0]}")),
        rows.steps + 2,
    )


@family(
    "Create a table `{new}` with the columns `{by}` ({type}, primary key) and `{total}` ({number_type}, not NULL), and "
    "fill it: a row for each `{by}` in the rows of `{table}` {which}, with the sum of their `{number}` as `{total}`.",
    "Make a new table `{new}`: `{by}` {type} as the primary key, and `{total}` {number_type} NOT NULL. For every "
    "`{by}` "
    "of the rows of `{table}` {which} it holds a row with the sum of `{number}` over these rows in `{total}`.",
    "Store in a new table `{new}` what `{number}` adds up to for each `{by}` in the rows of `{table}` {which}. Its "
    "columns "
    "are `{by}` ({type}), which is the primary key, and `{total}` ({number_type}), which is never NULL.",
    difficulties=HARDER,
)
def make_table(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a table made and filled."""
    found = grouped(draw, world)
    if found is None:
        return None
    table, by, number = found
    rows = some_rows(draw, world, "easy" if difficulty == "medium" else "medium", table, but=(by, number), least=4)
    if rows is None:
        return None
    name, total = table.name, draw.pick(("total_of_all", "sum_of_all", "added_up"))
    new = f"{name}_by_{by}"
    kind, number_kind = TYPES[table.kind_of(by)], TYPES[table.kind_of(number)]
    create = f"CREATE TABLE {new} ({by} {kind} NOT NULL, {total} {number_kind} NOT NULL, PRIMARY KEY ({by}))"

    def fill(where: str, what: str = "SUM") -> str:
        into = f"INSERT INTO {new} SELECT {name}.{by}, {what}({name}.{number}) FROM {name}"
        return f"{into} WHERE {where} GROUP BY {name}.{by}"

    added = f"(SELECT SUM(y.{number}) FROM {name} AS y WHERE y.{by} = x.{by} AND {rows.on('y')})"
    return Draft(
        {
            "table": name,
            "new": new,
            "by": by,
            "type": kind,
            "number": number,
            "number_type": number_kind,
            "total": total,
            "which": rows.text,
        },
        f"{create}; {fill(rows.on())}",
        f"{create}; INSERT INTO {new} ({by}, {total}) SELECT DISTINCT x.{by}, {added} FROM {name} AS x WHERE "
        f"{rows.on('x')}",
        (f"{create}; {fill('1 = 1')}", f"{create}; {fill(rows.on(), 'MAX')}", create),
        rows.steps + 3,
    )


@family(
    "Add a column `{column}` (INTEGER, may be NULL) to `{parent}`, and set it in every row to the number of rows of "
    "`{child}` {which} that refer to it (their `{link}` is its `{key}`), 0 where there are none.",
    "Give `{parent}` a new INTEGER column `{column}` that allows NULL. In each row it should hold how many rows of "
    "`{child}` {which} have its `{key}` as their `{link}`; 0 if none has.",
    "`{parent}` gets another column, `{column}` INTEGER (NULL allowed). Fill it in all rows with the count of the rows "
    "of "
    "`{child}` {which} whose `{link}` is the row's `{key}`; the count may be 0.",
    difficulties=HARDER,
)
def add_column(draw: Draw, world: SqlWorld, difficulty: Difficulty) -> Draft | None:
    """Return a column added and filled."""
    link = link_of(draw, world)
    if link is None:
        return None
    rows = some_rows(draw, world, "easy" if difficulty == "medium" else "medium", link.child, but=(link.column,))
    if rows is None:
        return None
    child, parent = link.child.name, link.parent.name
    column = f"{child}_{draw.pick(('count', 'seen', 'found'))}"
    alter = f"ALTER TABLE {parent} ADD COLUMN {column} INTEGER"
    end = f"FROM {child} AS c WHERE c.{link.column} = {parent}.{link.key}"
    set_it = f"UPDATE {parent} SET {column} = (SELECT COUNT(*) {end}"
    case = f"CASE WHEN {rows.on('c')} THEN 1 ELSE 0 END"
    return Draft(
        {
            "parent": parent,
            "child": child,
            "link": link.column,
            "key": link.key,
            "column": column,
            "which": rows.text,
        },
        f"{alter}; {set_it} AND {rows.on('c')})",
        f"{alter}; UPDATE {parent} SET {column} = COALESCE((SELECT SUM({case}) {end}), 0)",
        (
            f"{alter}; {set_it})",
            alter,
            f"{alter}; {set_it} AND {rows.on('c')}) WHERE EXISTS (SELECT 1 {end} AND {rows.on('c')})",
        ),
        rows.steps + 3,
    )
