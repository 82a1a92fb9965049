"""What was done to a database: the rows that came and went, and what changed in how its tables are made.

A changed row is one that went and one that came; where a table gets other columns, its rows only come: who deletes them
all has done nothing of it. The order of a table's columns, the room for texts, checks, comments and indexes change
nothing of what is in it: they are details, which count in a table of which the gold changes nothing else. Of a view
counts what it shows.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import dataclass
from typing import Any

from intercode.rewards.core.answer import is_mostly_unrequested
from intercode.types.databases import TableState
from intercode.worlds.sql.databases.dialect.definition import ColumnDefinition, ForeignKey, literal, parse
from intercode.worlds.sql.scoring.final_state import State
from intercode.worlds.sql.scoring.values import Plain, ValueReader, plain

Fact = tuple[object, ...]
"""`came` or `went`, the table, and what: a row with the names of its columns, or a word on how the table is made."""

_FAMILIES = {
    **dict.fromkeys(("int", "tinyint", "smallint", "mediumint", "bigint"), "whole number"),
    **dict.fromkeys(("decimal", "double", "float"), "number"),
    **dict.fromkeys(("char", "varchar", "tinytext", "text", "mediumtext", "longtext"), "text"),
    **dict.fromkeys(("datetime", "timestamp"), "moment"),
}
"""Types that hold the same; one that is not here stands for itself."""

_ACTION = re.compile(r"on (?:delete|update) (?:cascade|set null|set default)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TableStateMatch:
    """How two sides' changes compare: facts that both changed alike, that only the gold did, and only the agent.

    Nothing is paid where more than half of what the agent did was not asked for: emptying all tables does delete what
    was to go.
    """

    same: int
    missing: int
    unwanted: int

    @property
    def part(self) -> float:
        """Equal facts over all facts that either side changed; 1 where neither changed any."""
        if is_mostly_unrequested(self.same + self.unwanted, self.same):
            return 0.0
        total = self.same + self.missing + self.unwanted
        return self.same / total if total else 1.0

    @property
    def notes(self) -> tuple[str, ...]:
        """For people: how many changes differ."""
        kinds = (("changes not done", self.missing), ("unwanted changes", self.unwanted))
        return tuple(f"{kind}: {number}" for kind, number in kinds if number)


def compare(before: State, gold: State, agent: State) -> TableStateMatch:
    """Hold what the agent did to *before* against what the gold did, by the states that both left."""
    expected, done = Counter[Fact](), Counter[Fact]()
    tables = [{name.lower(): table for name, table in state.items()} for state in (before, gold, agent)]
    for name in sorted(set().union(*tables)):
        old, right, mine = (state.get(name) for state in tables)
        if right == old == mine:
            continue
        reader = ValueReader(row for table in (old, right) if table is not None for row in table.rows)
        wanted = _changes(name, old, right, plain)
        done += _changes(name, old, mine, reader.read)
        if not wanted and (wanted := _detail_changes(name, old, right)):
            done += _detail_changes(name, old, mine)
        expected += wanted
    return TableStateMatch((expected & done).total(), (expected - done).total(), (done - expected).total())


def _changes(name: str, old: TableState | None, new: TableState | None, read: Callable[[Any], Plain]) -> Counter[Fact]:
    had = Counter(() if old is None else _facts(old, plain))
    has = Counter(() if new is None else _facts(new, read))
    went, came = had - has, has - had
    return _name_changes(name, went - _kept(went, has), came)


def _detail_changes(name: str, old: TableState | None, new: TableState | None) -> Counter[Fact]:
    """Return the same of the details of a table that there is before and after; none of others."""
    if old is None or new is None or old.create == new.create:
        return Counter()
    had, has = Counter(_details(old)), Counter(_details(new))
    return _name_changes(name, had - has, has - had)


def _name_changes(name: str, went: Counter[Fact], came: Counter[Fact]) -> Counter[Fact]:
    return Counter({("went", name, *fact): number for fact, number in went.items()}) + Counter(
        {("came", name, *fact): number for fact, number in came.items()}
    )


def _kept(went: Counter[Fact], has: Counter[Fact]) -> Counter[Fact]:
    """Return the rows of *went* that are in *has* with more columns, or fewer.

    A column came or went, and none of them.
    """
    rows, others = ([fact for fact in facts.elements() if fact[0] == "row"] for facts in (went, has))
    if not rows or not others:
        return Counter()
    shared = _named(rows[0]).keys() & _named(others[0]).keys()
    if not shared or len(shared) == len(_named(rows[0])) == len(_named(others[0])):
        return Counter()
    left, kept = Counter(_part(fact, shared) for fact in others), Counter[Fact]()
    for fact in rows:
        part = _part(fact, shared)
        if left[part]:
            left[part] -= 1
            kept[fact] += 1
    return kept


def _part(row: Fact, names: Set[str]) -> tuple[tuple[str, Plain], ...]:
    return tuple(pair for pair in _named(row).items() if pair[0] in names)


def _named(row: Fact) -> dict[str, Plain]:
    """Return the values of a row by their columns, in the order of these."""
    _, names, values = row
    assert isinstance(names, tuple)
    assert isinstance(values, tuple)
    return dict(zip(names, values, strict=True))


def _facts(table: TableState, read: Callable[[Any], Plain]) -> Iterator[Fact]:
    """Yield what there is to a table: its rows, columns in the order of their names, and how it is made."""
    places = sorted(range(len(table.columns)), key=lambda place: table.columns[place].lower())
    names = tuple(table.columns[place].lower() for place in places)
    for row in table.rows:
        yield "row", names, tuple(read(row[place]) for place in places)
    yield "columns", names
    definition = parse(table.create)
    if definition is not None:
        yield ("table",)
        primary = _names(definition.primary)
        yield "primary key", primary
        for column in definition.columns:
            yield from _column_facts(column, is_key=column.name.lower() in primary)
        yield from (("unique", _names(columns)) for _, columns in definition.unique)
        yield from set(map(_reference, definition.foreign))


def _column_facts(column: ColumnDefinition, *, is_key: bool) -> Iterator[Fact]:
    name = column.name.lower()
    yield "type", name, _FAMILIES.get(column.word, column.type)
    if not column.nullable and not is_key:
        yield "never null", name
    if (default := literal(column.default)) is not None:
        yield "default", name, plain(default)


def _details(table: TableState) -> Iterator[Fact]:
    """Yield how a table is kept, but for names that nobody asks for."""
    definition = parse(table.create)
    if definition is None:
        return
    yield "order", tuple(_lower(table.columns))
    yield "comment", definition.comment
    for column in definition.columns:
        name = column.name.lower()
        yield "exact type", name, column.type.lower()
        yield "column comment", name, column.comment
        yield "counts", name, column.counts
        yield "on update", name, column.on_update
        yield "computed", name, _expression(column.generated)
    yield from (("index", tuple(_lower(columns))) for _, columns in definition.indexes)
    yield from (("check", _expression(check)) for check in definition.checks)


def _expression(text: str) -> str:
    """Return an expression as one text, however it is quoted, spaced and set in brackets."""
    return re.sub(r"[`\s()]", "", text).lower()


def _reference(key: ForeignKey) -> Fact:
    pairs = sorted(zip(_lower(key.columns), _lower(key.references), strict=False))
    actions = sorted(action.lower() for action in _ACTION.findall(key.actions))
    return "references", key.table.lower(), tuple(pairs), tuple(actions)


def _names(columns: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(_lower(columns)))


def _lower(columns: Iterable[str]) -> list[str]:
    return [column.lower() for column in columns]
