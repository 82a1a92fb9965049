"""The same tables with other rows: what an answer has to follow where its gold does.

Four kinds of variant. `fewer` drops rows, and with them those that refer to them; `more` copies rows, and those that
refer to them, under new keys and names. Both keep what happens to hold: names are names of one, a table whose rows are
all referred to stays so, pairs that go both ways do. `repeated` copies rows under new keys only, and `permuted` deals
the values of each column out anew. Keys and references hold in all of them, so that a join says what it said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from itertools import combinations
from random import Random
from string import ascii_lowercase, digits

from intercode.types.databases import Row, TableState
from intercode.worlds.sql.databases.dialect.definition import TableDefinition, parse
from intercode.worlds.sql.scoring.values import Plain, plain

MOST_ROWS = 500
"""Of one table: enough to tell."""

LEAST_MOVED, MOST_MOVED = 0.1, 0.8
"""Shares of a table's rows that go or are copied at once."""

Rows = dict[str, list[Row]]
"""By the name of their table in small letters."""

Places = tuple[int, ...]
Key = tuple[Plain, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """The columns at `places` hold what those at `columns` of `table` hold."""

    places: Places
    table: str
    columns: Places


@dataclass(frozen=True, slots=True)
class VariantTable:
    """A table with its rows. `keys` are the sets of columns that tell its rows apart; `fixed` are never permuted."""

    rows: Sequence[Row]
    width: int
    keys: Sequence[Places]
    references: Sequence[Reference]
    fixed: frozenset[int]


Tables = Mapping[str, VariantTable]


def tables_of(state: Mapping[str, TableState]) -> Tables:
    """Return the tables of a database in that *state*; not its views."""
    read = {each.name.lower(): (each, parse(each.create)) for each in state.values()}
    known = {name: (each, definition) for name, (each, definition) in read.items() if definition is not None}
    columns = {name: [column.lower() for column in each.columns] for name, (each, _) in known.items()}
    references = {name: _references(name, definition, columns) for name, (_, definition) in known.items()}
    referred = {(each.table, each.columns) for found in references.values() for each in found}
    return {
        name: _table(each, definition, columns[name], references[name], [at for of, at in referred if of == name])
        for name, (each, definition) in known.items()
    }


def _table(
    state: TableState,
    definition: TableDefinition,
    columns: Sequence[str],
    references: Sequence[Reference],
    referred: Sequence[Places],
) -> VariantTable:
    declared = (definition.primary, *(names for _, names in definition.unique))
    keys = {*filter(None, (_places(names, columns) for names in declared)), *referred}
    generated = [column.name for column in definition.columns if column.generated]
    fixed = {*(_places(definition.primary, columns) or ()), *(_places(generated, columns) or ())}
    fixed.update(place for each in references for place in each.places)
    fixed.update(place for each in referred for place in each)
    return VariantTable(state.rows, len(columns), sorted(keys), references, frozenset(fixed))


def _references(name: str, definition: TableDefinition, columns: Mapping[str, Sequence[str]]) -> list[Reference]:
    found = []
    for key in definition.foreign:
        there = columns.get(key.table.lower())
        if there is not None:
            places, referred = _places(key.columns, columns[name]), _places(key.references, there)
            if places and referred:
                found.append(Reference(places, key.table.lower(), referred))
    return found


def _places(names: Sequence[str], columns: Sequence[str]) -> Places | None:
    """Return where *names* stand among *columns*; None where one does not, or there are none."""
    found = tuple(columns.index(name.lower()) for name in names if name.lower() in columns)
    return found if found and len(found) == len(names) else None


def fewer(tables: Tables, draw: Random, *, most: float = MOST_MOVED) -> Rows:
    """Without a share of the rows of each table, *most* of them, and without what refers to them.

    Those that go stand beside each other in one of the columns: so other shares go of what a condition holds for.
    """
    rows = _with_single_names(tables, _sample(tables, draw))
    for name, table in tables.items():
        gone = set(_block(rows[name], table.width, draw, most))
        rows[name] = [row for place, row in enumerate(rows[name]) if place not in gone]
    return _consistent(tables, rows)


def more(tables: Tables, draw: Random) -> Rows:
    """With a share of the rows of each table twice, and some of what refers to them.

    The values of keys are new, and those of columns that mostly differ. Rows that are pairs, of tables that refer to
    two others, are copied for new pairs only.
    """
    rows = _with_single_names(tables, _sample(tables, draw))
    return _consistent(tables, _with_copies(tables, rows, draw, is_rough=False))


def repeated(tables: Tables, draw: Random) -> Rows:
    """Return rows of which some are copied under new keys only, so that any pair may come again."""
    return _with_copies(tables, _sample(tables, draw), draw, is_rough=True)


def _with_copies(tables: Tables, rows: Rows, draw: Random, *, is_rough: bool) -> Rows:
    copied: dict[tuple[str, Places], dict[Key, Row]] = {}
    for name in _parents_first(tables):
        table, kept = tables[name], rows[name]
        are_pairs = len(table.references) > 1 and not is_rough
        own = set[int]() if are_pairs else set(_block(kept, table.width, draw))
        makers = _new_values(table, kept, has_names=not is_rough)
        known = {key: {_key(row, key) for row in kept} for key in table.keys}
        copies = []
        for place, row in enumerate(kept):
            moved = _moved(table, row, copied, draw)
            if moved == row and place not in own:
                continue
            made = _copied(moved, makers)
            new = {key: _key(made, key) for key in table.keys}
            if any(value in known[key] for key, value in new.items()):
                continue
            for key, value in new.items():
                known[key].add(value)
                copied.setdefault((name, key), {})[_key(row, key)] = made
            copies.append(made)
        rows[name] = kept + copies
    return rows


def permuted(tables: Tables, draw: Random) -> Rows:
    """With the values of each column dealt out anew; keys and references stay where they are."""
    rows = _sample(tables, draw)
    for name, table in tables.items():
        columns = [list(column) for column in zip(*rows[name], strict=True)]
        for place, column in enumerate(columns):
            if place not in table.fixed:
                draw.shuffle(column)
        rows[name] = list(zip(*columns, strict=True))
    return rows


def _sample(tables: Tables, draw: Random) -> Rows:
    rows = {
        name: list(table.rows) if len(table.rows) <= MOST_ROWS else draw.sample(table.rows, MOST_ROWS)
        for name, table in tables.items()
    }
    return _without_dangling(tables, rows) if any(len(each.rows) > MOST_ROWS for each in tables.values()) else rows


def _block(rows: Sequence[Row], width: int, draw: Random, most: float = MOST_MOVED) -> list[int]:
    """Return the places of some of *rows*, a tenth to *most*, that stand beside each other in the order of a column."""
    if len(rows) < 2:
        return []
    column, first = draw.randrange(width), draw.randrange(len(rows))
    ordered = sorted(range(len(rows)), key=lambda place: _sortable(rows[place][column]))
    count = min(max(round(len(rows) * draw.uniform(LEAST_MOVED, most)), 1), len(rows) - 1)
    return [ordered[(first + step) % len(rows)] for step in range(count)]


def _sortable(value: object) -> tuple[bool, bool, int | float | str]:
    found = plain(value)
    return found is None, isinstance(found, str), 0 if found is None else found


def _with_single_names(tables: Tables, rows: Rows) -> Rows:
    """Return *rows* without those that share the name of another."""
    for name, table in tables.items():
        for place in _names(table, table.rows):
            first: dict[Plain, Row] = {}
            for row in rows[name]:
                first.setdefault(_folded(row[place]), row)
            rows[name] = [row for row in rows[name] if row[place] is None or first[_folded(row[place])] is row]
    return _without_dangling(tables, rows)


def _consistent(tables: Tables, rows: Rows) -> Rows:
    """Return *rows* without those that break what holds in *tables*."""
    while True:
        count = _count(_without_dangling(tables, rows))
        for name, table in tables.items():
            for each in table.references:
                referred = {_key(row, each.places) for row in rows[name]}
                if _keys(tables[each.table].rows, each.columns) <= _keys(table.rows, each.places):
                    rows[each.table] = [row for row in rows[each.table] if _key(row, each.columns) in referred]
            for pair in _mutual(table):
                there = _keys(rows[name], pair)
                rows[name] = [row for row in rows[name] if _key(row, pair[::-1]) in there]
        if _count(rows) == count:
            return rows


def _mutual(table: VariantTable) -> Iterator[Places]:
    """Pairs of columns that refer to the same, and each pair of whose values is there the other way round."""
    for first, second in combinations(table.references, 2):
        pair = first.places + second.places
        is_one = len(pair) == 2 and (first.table, first.columns) == (second.table, second.columns)
        if is_one and _keys(table.rows, pair) == _keys(table.rows, pair[::-1]):
            yield pair


def _without_dangling(tables: Tables, rows: Rows) -> Rows:
    """Return *rows* without those that refer to a row of *tables* that is gone.

    What referred to none before may stay.
    """
    while True:
        count = _count(rows)
        for name, table in tables.items():
            for each in table.references:
                gone = _keys(tables[each.table].rows, each.columns) - _keys(rows[each.table], each.columns)
                if gone:
                    rows[name] = [row for row in rows[name] if _key(row, each.places) not in gone]
        if _count(rows) == count:
            return rows


def _count(rows: Rows) -> int:
    return sum(map(len, rows.values()))


def _parents_first(tables: Tables) -> Iterator[str]:
    left = dict(tables)
    while left:
        free = [name for name, each in left.items() if not any(_waits(name, ref, left) for ref in each.references)]
        for name in free or list(left):
            yield name
            del left[name]


def _waits(name: str, reference: Reference, left: Mapping[str, VariantTable]) -> bool:
    return reference.table in left and reference.table != name


def _moved(table: VariantTable, row: Row, copied: Mapping[tuple[str, Places], Mapping[Key, Row]], draw: Random) -> Row:
    """Return *row* with some of its references to the copies of what it refers to."""
    values = list(row)
    for each in table.references:
        copy = copied.get((each.table, each.columns), {}).get(_key(row, each.places))
        if copy is not None and draw.random() < 0.5:
            for place, column in zip(each.places, each.columns, strict=True):
                values[place] = copy[column]
    return tuple(values)


NewValue = Callable[[object], object]


def _new_values(table: VariantTable, rows: Sequence[Row], *, has_names: bool) -> Mapping[int, NewValue]:
    """Return what makes new values, by the place of the column: of keys that refer to nothing, and of names."""
    places = {place for key in table.keys for place in key} | (_names(table, rows) if has_names else set())
    referring = {place for each in table.references for place in each.places}
    return {place: _maker([row[place] for row in rows]) for place in places - referring}


def _names(table: VariantTable, rows: Sequence[Row]) -> set[int]:
    """Return the places of columns whose values mostly differ; NULL is no name, and neither is a day."""
    referring = {place for each in table.references for place in each.places}
    columns = {
        place: {row[place] for row in rows if not isinstance(row[place], date | None)}
        for place in range(table.width)
        if place not in referring
    }
    return {place for place, values in columns.items() if len(values) > max(1, 0.7 * len(rows))}


def _maker(column: Sequence[object]) -> NewValue:
    """What gives for a value of *column* another one of its kind and length that is not in it, and never one twice."""
    taken = {_folded(value) for value in column}
    last = max((int(value) for value in column if isinstance(value, int | float | Decimal)), default=0)

    def new(value: object) -> object:
        nonlocal last
        if isinstance(value, int | float | Decimal):
            last += 1
            return type(value)(last)
        if isinstance(value, str) and value:
            for letter in digits[1:] + ascii_lowercase if value[-1].isdigit() else ascii_lowercase + digits:
                made = value[:-1] + letter
                if made.casefold() not in taken:
                    taken.add(made.casefold())
                    return made
        return value

    return new


def _copied(row: Row, makers: Mapping[int, NewValue]) -> Row:
    return tuple(makers[place](value) if place in makers else value for place, value in enumerate(row))


def _keys(rows: Iterable[Row], places: Places) -> set[Key]:
    return {_key(row, places) for row in rows}


def _key(row: Row, places: Places) -> Key:
    return tuple(_folded(row[place]) for place in places)


def _folded(value: object) -> Plain:
    found = plain(value)
    return found.casefold() if isinstance(found, str) else found
