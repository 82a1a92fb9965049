"""A table altered as MySQL would: made anew beside, filled from what it was, and put in its place.

SQLite itself can add, drop and rename columns, and no more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from intercode.databases.dialect.alteration import Alteration, NotDone, Redefinition
from intercode.databases.dialect.definition import Column, Definition
from intercode.databases.dialect.errors import told
from intercode.databases.dialect.written import written
from intercode.databases.embedded.catalogue import About, Catalogue, described
from intercode.databases.embedded.engine import Engine
from intercode.databases.embedded.fitting import converted, misfits
from intercode.databases.embedded.tables import create, quoted

BESIDE = "intercode_altered"
"""What the table is called until it takes the other's place."""

NUMBERS = frozenset({"tinyint", "smallint", "mediumint", "int", "bigint", "decimal", "float", "double", "bit", "year"})


def alter(
    engine: Engine,
    catalogue: Catalogue,
    alteration: Alteration,
    tables: Mapping[str, Definition],
    run: Callable[[str], object],
) -> bool:
    """Do it, each statement by *run*; False where the table is none of ours, or a part is not understood.

    Nothing is changed then, nor when it raises NotDone or sqlite3.Error. *tables* are those that keys may refer to.
    """
    with engine.guard.trust():
        before = (
            None if _is_temporary(engine, alteration.table) else catalogue.complete(engine.connection, alteration.table)
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


def _is_temporary(engine: Engine, table: str) -> bool:
    asked = "SELECT 1 FROM sqlite_temp_master WHERE name = ? COLLATE NOCASE"
    return engine.connection.execute(asked, (table,)).fetchone() is not None


def _check_free(engine: Engine, catalogue: Catalogue, name: str) -> None:
    with engine.guard.trust():
        if any(name.lower() == taken.lower() for taken, _ in catalogue.tables(engine.connection)):
            raise NotDone(told(1050, f"Table '{name}' already exists"))


def _check_values(engine: Engine, wanted: Redefinition, old: Mapping[str, Column]) -> None:
    """Raises NotDone where a column of another type than before holds what that cannot."""
    for column in wanted.definition.columns:
        origin = old.get(wanted.origins.get(column.name, ""))
        if origin is None or origin.type == column.type:
            continue
        for condition, error in misfits(quoted(column.name), column):
            asked = f"SELECT 1 FROM {quoted(wanted.definition.name)} WHERE {condition} LIMIT 1"
            if engine.finds(asked):
                raise NotDone(error)


@contextmanager
def _apart(engine: Engine, checked: str = "", *, keys_follow: bool = False) -> Iterator[None]:
    """All or nothing, while views stay as they are and, unless *keys_follow*, other tables' foreign keys too.

    Those of the table *checked* must hold afterwards. Raises NotDone where they do not.
    """
    _settings(engine, foreign_keys=keys_follow, legacy_alter_table=True)
    done = False
    try:
        engine.begin()
        yield
        if checked and engine.finds(f"PRAGMA foreign_key_check({quoted(checked)})"):
            raise NotDone(told(1452, "Cannot add or update a child row: a foreign key constraint fails"))
        done = True
    finally:
        engine.commit(undo=not done)
        _settings(engine, foreign_keys=True, legacy_alter_table=False)


def _settings(engine: Engine, **values: bool) -> None:
    with engine.guard.trust():
        for name, value in values.items():
            engine.connection.execute(f"PRAGMA {name} = {'ON' if value else 'OFF'}").close()


def _describe(engine: Engine, catalogue: Catalogue, definition: Definition) -> None:
    """What MySQL says of the table from now on."""
    with engine.guard.trust():
        asked = "SELECT sql FROM sqlite_master WHERE name = ? COLLATE NOCASE"
        (made,) = engine.connection.execute(asked, (definition.name,)).fetchone()
    catalogue.about[definition.name.lower()] = About(made, written(definition), described(definition))


def _rebuilding(wanted: Redefinition, tables: Mapping[str, Definition], old: Mapping[str, Column]) -> Iterator[str]:
    """The statements for SQLite that make the table *wanted* of the one that there is, with the columns *old*.

    *tables* are all others.
    """
    here = wanted.definition
    yield create(replace(here, name=BESIDE, if_missing=False), {**tables, here.name.lower(): here})[0]
    filled = [(column.name, _before(column, wanted.origins, old)) for column in here.columns if not column.generated]
    pairs = [(quoted(name), value) for name, value in filled if value is not None]
    if pairs:
        names, values = (", ".join(part) for part in zip(*pairs, strict=True))
        yield f"INSERT INTO {BESIDE} ({names}) SELECT {values} FROM {quoted(here.name)}"
    yield f"DROP TABLE {quoted(here.name)}"
    yield f"ALTER TABLE {BESIDE} RENAME TO {quoted(here.name.lower())}"
    yield from create(here, tables)[1:]


def _renaming(before: Definition, name: str) -> Iterator[str]:
    """The statements for SQLite that call a table *name*, and its indexes after it."""
    yield f"ALTER TABLE {quoted(before.name)} RENAME TO {quoted(name.lower())}"
    for index, _ in before.indexes:
        yield f"DROP INDEX IF EXISTS {quoted(f'{before.name.lower()}.{index}')}"
    yield from create(replace(before, name=name), {})[1:]


def _before(column: Column, origins: Mapping[str, str], old: Mapping[str, Column]) -> str | None:
    """What a column is filled with; None for its default."""
    if column.name in origins:
        origin = origins[column.name]
        return converted(quoted(origin), old[origin], column) if origin in old else quoted(origin)
    if column.default is not None or column.nullable or column.counts:
        return None
    return "0" if column.word in NUMBERS else "''"
