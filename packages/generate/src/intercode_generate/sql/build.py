"""Builds databases: which tables there are, what they are called, and their rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from itertools import product
from typing import Any

from intercode_generate.draw import Draw
from intercode_generate.splits import Split, words_of
from intercode_generate.sql import names
from intercode_generate.sql.engine import ScriptDatabase
from intercode_generate.sql.schema import Kind, Row, SqlColumn, SqlTable, SqlWorld

FIRST_DAY = date(2021, 1, 4)
DAYS = 1000

NEEDS = {
    "event": ("client",),
    "payment": ("event",),
    "line": ("event", "item"),
    "supply": ("supplier", "item"),
    "review": ("client", "item"),
    "shift": ("staff",),
    "copy": ("event",),
}
"""Roles that a role cannot do without; other references are left out where their table is not there."""

ALWAYS = ("client", "event")
LEAST, MOST = 3, 12

SIZES = {
    "place": (6, 8), "staff": (14, 20), "client": (20, 30), "kind": (5, 7), "item": (18, 26), "event": (45, 60),
    "line": (60, 80), "payment": (34, 44), "supplier": (6, 8), "supply": (26, 34), "review": (28, 36),
    "shift": (34, 44), "copy": (18, 26),
}  # fmt: skip
"""Least and most rows."""

PERIODS = ("archived", "old", "imported", "former", "draft")
"""What a table that resembles another is called: a distractor, and something to compare with."""


@dataclass
class _Builder:
    """One database while it is built."""

    draw: Draw
    split: Split
    tables: dict[str, SqlTable] = field(default_factory=dict)

    _pools: dict[Sequence[str], list[str]] = field(default_factory=dict)
    _titles: dict[Sequence[str], str] = field(default_factory=dict)

    def word(self, words: Sequence[str], low: int, high: int) -> Callable[[], str]:
        """Draws from *low* to *high* of those of *words* that the split may use, for every column the same."""
        if words not in self._pools:
            self._pools[words] = self.draw.sample(words_of(words, self.split), self.draw.integer(low, high))
        some = self._pools[words]
        return lambda: self.draw.pick(some)

    def title(self, *choices: str) -> str:
        """Return what a column is called, one of *choices*: alike in tables that resemble each other."""
        return self._titles.setdefault(choices, self.draw.pick(choices))

    def unique(self, *lists: Sequence[str]) -> Callable[[], str]:
        """Draws each combination of a word of every list once."""
        own = (words_of(words, self.split) for words in lists)
        left = self.draw.shuffled([" ".join(words) for words in product(*own)])
        return left.pop

    def whole(self, low: int, high: int) -> Callable[[], int]:
        """Return a whole number."""
        return lambda: self.draw.integer(low, high)

    def money(self, low: int, high: int) -> Callable[[], float]:
        """Return an amount in quarters, so that no sum of them depends on how a database adds."""
        return lambda: self.draw.integer(low * 4, high * 4) / 4

    def day(self) -> str:
        """Any day."""
        return (FIRST_DAY + timedelta(self.draw.integer(0, DAYS))).isoformat()

    def reference(self, role: str) -> Callable[[], int]:
        """Return a key of the table of that *role*; some rows, the last fifth, are never referred to."""
        keys = [row[0] for row in self.tables[role].rows]
        used = keys[: max(2, len(keys) - len(keys) // 5)]
        return lambda: self.draw.pick(used)


Field = tuple[str, Kind, Callable[[], Any], float]
"""Name, kind, where values come from, and the share of NULL."""


def build(draw: Draw, split: Split) -> SqlWorld:
    """Return a database with 3 to 12 tables. The domains of training, validation and tests are different ones."""
    domain = draw.pick(words_of(sorted(names.DOMAINS), split))
    words = {**names.DOMAINS[domain]}
    words["copy"] = f"{draw.pick(PERIODS)}_{words['event']}"
    builder = _Builder(draw, split)
    key = draw.pick(("id", "number", "code"))
    for role in _roles(draw):
        builder.tables[role] = _table(builder, role, words, key)
    tables = tuple(builder.tables.values())
    world = SqlWorld(f"{domain}_{draw.integer(100, 999)}", tables, ScriptDatabase("SELECT 1"))
    return SqlWorld(world.name, tables, ScriptDatabase(world.script))


def _roles(draw: Draw) -> list[str]:
    """Roles in an order in which each stands behind those that it refers to."""
    count = draw.integer(LEAST, MOST)
    wanted = list(ALWAYS)
    for role in draw.shuffled(["payment", "copy", *(each for each in names.ROLES if each not in ALWAYS)]):
        more = [each for each in (*NEEDS.get(role, ()), role) if each not in wanted]
        if len(wanted) + len(more) <= count:
            wanted += more
    if len(wanted) < LEAST:
        wanted.append("payment")
    return [role for role in (*names.ROLES, "copy") if role in wanted]


def singular(noun: str) -> str:
    """Return one of *noun*."""
    if noun.endswith("ies"):
        return noun[:-3] + "y"
    return noun[:-2] if noun.endswith(("ches", "shes", "sses", "xes", "oes")) else noun[:-1]


def _table(builder: _Builder, role: str, words: dict[str, str], key: str) -> SqlTable:
    draw = builder.draw
    columns: list[SqlColumn] = []
    values: list[tuple[Callable[[], Any], float]] = []
    pairs = {"line": ("event", "item"), "supply": ("supplier", "item")}.get(role, ())
    if not pairs:
        columns.append(SqlColumn(key, "key"))
    for target, nullable in _references(role):
        if target in builder.tables:
            name = f"{singular(words[target])}_{key}"
            columns.append(SqlColumn(name, "ref", nullable, f"{words[target]}.{key}"))
            values.append((builder.reference(target), 0.15 if nullable else 0.0))
    for name, kind, value, empty in _fields(builder, role):
        columns.append(SqlColumn(name, kind, empty > 0))
        values.append((value, empty))
    count = draw.integer(*SIZES[role])
    rows: list[Row] = []
    first = 1001 if role == "copy" else 1
    for number in range(first, first + count):
        row = tuple(None if empty and draw.chance(empty) else value() for value, empty in values)
        rows.append(row if pairs else (number, *row))
    if role == "staff":
        columns.append(SqlColumn(f"boss_{key}", "ref", True, f"{words[role]}.{key}"))
        rows = [(*row, None if row[0] <= 2 else draw.integer(1, max(1, row[0] // 2))) for row in rows]
    if pairs:
        rows = list({row[:2]: row for row in rows}.values())
    keys = tuple(column.name for column in columns[: len(pairs) or 1])
    return SqlTable(words[role], tuple(columns), tuple(rows), keys, words["event"] if role == "copy" else "")


def _references(role: str) -> tuple[tuple[str, bool], ...]:
    """Return what a table of that *role* refers to, and whether NULL may stand there."""
    return {
        "staff": (("place", False),),
        "item": (("kind", True),),
        "event": (("client", False), ("staff", True)),
        "copy": (("client", False),),
        "line": (("event", False), ("item", False)),
        "payment": (("event", False),),
        "supply": (("supplier", False), ("item", False)),
        "review": (("client", False), ("item", False)),
        "shift": (("staff", False),),
    }.get(role, ())


def _fields(builder: _Builder, role: str) -> list[Field]:
    """Return the columns of a table of that *role* beyond its keys."""
    make: dict[str, Callable[[_Builder], list[Field]]] = {
        "place": _place, "staff": _staff, "client": _client, "kind": _kind, "item": _item, "event": _event,
        "copy": _event, "line": _line, "payment": _payment, "supplier": _supplier, "supply": _supply,
        "review": _review, "shift": _shift,
    }  # fmt: skip
    return make[role](builder)


def _place(it: _Builder) -> list[Field]:
    return [
        ("name", "name", it.unique(names.GROUPS), 0),
        ("city", "label", it.word(names.CITIES, 3, 4), 0),
        ("opened", "date", it.day, 0),
        (it.title("seats", "area", "capacity"), "whole", it.whole(20, 400), 0),
    ]


def _staff(it: _Builder) -> list[Field]:
    return [
        ("name", "name", it.unique(names.FIRST, names.LAST), 0),
        (it.title("title", "grade"), "label", it.word(names.TITLES, 3, 4), 0),
        ("hired", "date", it.day, 0),
        (it.title("salary", "wage", "pay"), "money", it.money(1800, 4200), 0),
        ("bonus", "money", it.money(50, 400), 0.3),
    ]


def _client(it: _Builder) -> list[Field]:
    return [
        ("name", "name", it.unique(names.FIRST, names.LAST), 0),
        ("city", "label", it.word(names.CITIES, 4, 6), 0),
        (it.title("tier", "plan"), "label", it.word(names.LEVELS, 3, 3), 0),
        (it.title("joined", "registered"), "date", it.day, 0),
        (it.title("points", "credits"), "whole", it.whole(0, 60), 0),
        (it.title("referrer", "agent"), "label", it.word(names.LAST, 3, 4), 0.3),
    ]


def _kind(it: _Builder) -> list[Field]:
    return [
        ("name", "name", it.unique(names.GROUPS), 0),
        ("country", "label", it.word(names.COUNTRIES, 3, 3), 0),
        ("tax", "whole", it.whole(4, 25), 0),
    ]


def _item(it: _Builder) -> list[Field]:
    return [
        ("name", "name", it.unique(names.ADJECTIVES, names.THINGS), 0),
        (it.title("price", "rate"), "money", it.money(4, 60), 0),
        (it.title("list_price", "old_price"), "money", it.money(4, 70), 0.2),
        (it.title("stock", "amount_left"), "whole", it.whole(0, 40), 0),
        ("introduced", "date", it.day, 0),
    ]


def _event(it: _Builder) -> list[Field]:
    return [
        (it.title("day", "placed", "booked"), "date", it.day, 0),
        (it.title("status", "state"), "label", it.word(names.STATUSES, 4, 5), 0),
        (it.title("total", "value"), "money", it.money(10, 120), 0),
        ("discount", "whole", it.whole(1, 20), 0.35),
    ]


def _line(it: _Builder) -> list[Field]:
    return [("quantity", "whole", it.whole(1, 12), 0), ("price", "money", it.money(4, 60), 0)]


def _payment(it: _Builder) -> list[Field]:
    return [
        ("paid", "date", it.day, 0),
        ("amount", "money", it.money(5, 90), 0),
        ("method", "label", it.word(names.METHODS, 3, 4), 0),
        ("fee", "money", it.money(1, 9), 0.4),
    ]


def _supplier(it: _Builder) -> list[Field]:
    return [
        ("name", "name", it.unique(names.LAST, ("Works", "Supply", "Trading", "Partners", "Brothers")), 0),
        ("country", "label", it.word(names.COUNTRIES, 3, 4), 0),
        ("rating", "whole", it.whole(1, 5), 0.3),
    ]


def _supply(it: _Builder) -> list[Field]:
    return [("cost", "money", it.money(2, 40), 0), ("lead_days", "whole", it.whole(1, 30), 0)]


def _review(it: _Builder) -> list[Field]:
    return [
        ("stars", "whole", it.whole(1, 5), 0),
        ("written", "date", it.day, 0),
        ("votes", "whole", it.whole(0, 30), 0),
    ]


def _shift(it: _Builder) -> list[Field]:
    return [
        ("worked", "date", it.day, 0),
        ("hours", "whole", it.whole(3, 11), 0),
        ("slot", "label", it.word(names.SLOTS, 3, 4), 0),
    ]
