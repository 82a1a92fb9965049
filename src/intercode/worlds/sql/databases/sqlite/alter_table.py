"""A table altered as MySQL would: made anew beside, filled from what it was, and put in its place.

SQLite itself can add, drop and rename columns, and no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from intercode.worlds.sql.databases.dialect.alteration import Alteration, AlterationError, Redefinition
from intercode.worlds.sql.databases.dialect.definition import ColumnDefinition, TableDefinition
from intercode.worlds.sql.databases.dialect.errors import CHILD_ROW, format_error
from intercode.worlds.sql.databases.dialect.show_create import show_create
from intercode.worlds.sql.databases.sqlite.catalog import Catalog
from intercode.worlds.sql.databases.sqlite.connection import SqliteConnection
from intercode.worlds.sql.databases.sqlite.table_definitions import create, quote

BESIDE = "intercode_altered"
"""What the table is called until it takes the other's place."""

NUMBERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "bit", "year"})


def alter(
    engine: SqliteConnection,
    catalogue: Catalog,
    alteration: Alteration,
    tables: Mapping[str, TableDefinition],
    run: Callable[[str], object],
) -> bool:
    """Do it, each statement by *run*; False where the table is none of ours, or a part is not understood.

    Nothing is changed then. *tables* are those that keys may refer to.

    Raises:
        AlterationError: If MySQL refuses it. Nothing is changed.
        sqlite3.Error: If SQLite refuses it. Nothing is changed.
    """
    with engine.guard.trust():
        before = (
            None
            if _is_temporary(engine, alteration.table)
            else catalogue.definition(engine.connection, alteration.table)
        )
    if before is None:
        return False
    old = {column.name: column for column in before.columns}
    wanted = Redefinition(before)
    if not all(wanted.apply(item) for item in alteration.items):
        return False
    if wanted.name.lower() != before.name.lower():
        _check_free(engine, catalogue, wanted.name)
    if wanted.changed:
        with _apart(engine, before.name):
            for statement in _rebuilding(wanted, tables, old):
                run(statement)
            _check_values(engine, wanted, old)
        _describe(engine, catalogue, before)
    if wanted.name.lower() != before.name.lower():
        with _apart(engine, keys_follow=True):
            for statement in _renaming(before, wanted.name):
                run(statement)
        before.name = wanted.name.lower()
        _describe(engine, catalogue, before)
    return True


def _is_temporary(engine: SqliteConnection, table: str) -> bool:
    asked = "SELECT 1 FROM sqlite_temp_master WHERE name = ? COLLATE NOCASE"
    return engine.connection.execute(asked, (table,)).fetchone() is not None


def _check_free(engine: SqliteConnection, catalogue: Catalog, name: str) -> None:
    with engine.guard.trust():
        if any(name.lower() == taken.lower() for taken, _ in catalogue.tables(engine.connection)):
            raise AlterationError(format_error(1050, f"Table '{name}' already exists"))


def _check_values(engine: SqliteConnection, wanted: Redefinition, old: Mapping[str, ColumnDefinition]) -> None:
    """Raises AlterationError where a column of another type than before holds what that cannot."""
    for column in wanted.definition.columns:
        origin = old.get(wanted.origins.get(column.name, ""))
        if origin is None or origin.type == column.type:
            continue
        for condition, error in find_misfits(quote(column.name), column):
            asked = f"SELECT 1 FROM {quote(wanted.definition.name)} WHERE {condition} LIMIT 1"
            if engine.finds(asked):
                raise AlterationError(error)


@contextmanager
def _apart(engine: SqliteConnection, checked: str = "", *, keys_follow: bool = False) -> Iterator[None]:
    """Provide all or nothing, while views stay as they are and, unless *keys_follow*, other tables' foreign keys too.

    Those of the table *checked* must hold afterwards. Raises AlterationError where they do not.
    """
    _settings(engine, foreign_keys=keys_follow, legacy_alter_table=True)
    done = False
    try:
        engine.begin()
        yield
        if checked and engine.finds(f"PRAGMA foreign_key_check({quote(checked)})"):
            raise AlterationError(CHILD_ROW)
        done = True
    finally:
        engine.commit(undo=not done)
        _settings(engine, foreign_keys=True, legacy_alter_table=False)


def _settings(engine: SqliteConnection, **values: bool) -> None:
    with engine.guard.trust():
        for name, value in values.items():
            engine.connection.execute(f"PRAGMA {name} = {'ON' if value else 'OFF'}").close()


def _describe(engine: SqliteConnection, catalogue: Catalog, definition: TableDefinition) -> None:
    """Set what MySQL says of the table from now on."""
    with engine.guard.trust():
        catalogue.describe(engine.connection, definition.name, show_create(definition))


def _rebuilding(
    wanted: Redefinition, tables: Mapping[str, TableDefinition], old: Mapping[str, ColumnDefinition]
) -> Iterator[str]:
    """Yield the statements for SQLite that make the table *wanted* of the one that there is, with the columns *old*.

    *tables* are all others.
    """
    here = wanted.definition
    yield create(replace(here, name=BESIDE, if_missing=False), {**tables, here.name.lower(): here})[0]
    filled = [(column.name, _before(column, wanted.origins, old)) for column in here.columns if not column.generated]
    pairs = [(quote(name), value) for name, value in filled if value is not None]
    if pairs:
        names, values = (", ".join(part) for part in zip(*pairs, strict=True))
        yield f"INSERT INTO {BESIDE} ({names}) SELECT {values} FROM {quote(here.name)}"
    yield f"DROP TABLE {quote(here.name)}"
    yield f"ALTER TABLE {BESIDE} RENAME TO {quote(here.name.lower())}"
    yield from create(here, tables)[1:]


def _renaming(before: TableDefinition, name: str) -> Iterator[str]:
    """Yield the statements for SQLite that call a table *name*, and its indexes after it."""
    yield f"ALTER TABLE {quote(before.name)} RENAME TO {quote(name.lower())}"
    for index, _ in before.indexes:
        yield f"DROP INDEX IF EXISTS {quote(f'{before.name.lower()}.{index}')}"
    yield from create(replace(before, name=name), {})[1:]


def _before(column: ColumnDefinition, origins: Mapping[str, str], old: Mapping[str, ColumnDefinition]) -> str | None:
    """Return what a column is filled with; None for its default."""
    if column.name in origins:
        origin = origins[column.name]
        return convert_value(quote(origin), old[origin], column) if origin in old else quote(origin)
    if column.default is not None or column.nullable or column.counts:
        return None
    return "0" if column.word in NUMBERS else "''"


BITS = {"tinyint": 8, "smallint": 16, "mediumint": 24, "int": 32, "bigint": 64}

TEXTS = frozenset({"char", "varchar"})

MOMENTS = {"date": "mysql_day", "datetime": "mysql_moment", "timestamp": "mysql_moment", "time": "mysql_clock"}


def convert_value(value: str, old: ColumnDefinition, new: ColumnDefinition) -> str:
    """Return the expression *value*, of the column *old*, as *new* holds it."""
    if old.type == new.type:
        return value
    scale = _sizes(new)[-1:] or [0]
    if new.word in BITS:
        return f"CASE typeof({value}) WHEN 'real' THEN mysql_integer({value}) ELSE {value} END"
    if new.word == "decimal":
        return f"CASE typeof({value}) WHEN 'real' THEN mysql_decimal({value}, {scale[0]}) ELSE {value} END"
    if new.word in MOMENTS:
        return f"coalesce({MOMENTS[new.word]}({value}), {value})"
    if old.word == "decimal" and (new.word in TEXTS or new.word.endswith("text")):
        return f"mysql_fixed({value}, {_sizes(old)[-1]})" if _sizes(old) else value
    return value


def find_misfits(name: str, new: ColumnDefinition) -> Iterator[tuple[str, str]]:
    """Yield what holds for values that do not fit *new*, whose name in quotes is *name*, and what MySQL says then."""
    word, sizes = new.word, _sizes(new)
    out_of_range = format_error(1264, f"Out of range value for column '{new.name}' at row 1")
    if word in BITS or word == "decimal":
        kind = "decimal" if word == "decimal" else "integer"
        yield f"typeof({name}) = 'text'", format_error(1366, f"Incorrect {kind} value for column '{new.name}' at row 1")
    if word in BITS and BITS[word] < 64:
        least, most = (0, 1 << BITS[word]) if "unsigned" in new.type else (-1 << BITS[word] - 1, 1 << BITS[word] - 1)
        yield f"{name} NOT BETWEEN {least} AND {most - 1}", out_of_range
    if word == "decimal" and len(sizes) == 2:
        yield f"abs({name}) >= 1e{sizes[0] - sizes[1]}", out_of_range
    if word in TEXTS and sizes:
        yield f"length({name}) > {sizes[0]}", format_error(1265, f"Data truncated for column '{new.name}' at row 1")
    if word in MOMENTS:
        wrong = format_error(1292, f"Incorrect {word} value for column '{new.name}' at row 1")
        yield f"{name} IS NOT NULL AND {MOMENTS[word]}({name}) IS NULL", wrong
    if word == "enum" and (values := re.fullmatch(r"enum\((.*)\)", new.type, re.IGNORECASE | re.DOTALL)):
        yield f"{name} NOT IN ({values[1]})", format_error(1265, f"Data truncated for column '{new.name}' at row 1")


def _sizes(column: ColumnDefinition) -> list[int]:
    return [int(size) for size in re.findall(r"\d+", column.type.partition("(")[2])] if column.word != "enum" else []
