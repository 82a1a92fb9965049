"""Compare the SQLite engine with genuine servers: `scripts/sql_differences.py --seed 1 --count 1000`.

Statements are drawn from a grammar over twenty schemas, and from the published recordings over Spider's twenty
databases where `$INTERCODE_DATA` has both. Each is run on SQLite and on a server (`--server`, as `--database` of
`intercode run`; more than once for several), each time on an untouched copy, and counted:

- *equal*: the same rows (in any order unless the grammar asks for one) or the same count of changed rows, and the same
  table afterwards; or an error of the same number;
- *refused*: SQLite's error says that this engine cannot do it;
- *error*: an error on SQLite alone, which does not say so; or another number than the server's;
- *type*: the same rows, but for types (5 and 5.0) or exact digits (0.30000000000000004);
- *other*: rows, tables or counts that differ without a word, or an answer where the server gives an error. What MySQL
  refuses because of ONLY_FULL_GROUP_BY, which MariaDB has not, is *grouped*.
"""

from __future__ import annotations

import argparse
import os
import random
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

from intercode.audit.replay.published.recordings import read
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.types.databases import Database, DatabaseSource, QueryResult
from intercode.worlds.sql import databases

KINDS = {
    "int": ("0", "1", "7", "-3", "42", "'12'"),
    "decimal(8,2)": ("0.00", "1.50", "100.00", "33.33", "'2.5'"),
    "date": ("'2020-01-31'", "'2021-02-28'", "'2024-02-29'"),
    "datetime": ("'2020-01-31 10:00:00'", "'2023-12-31 23:59:59'"),
    "varchar(8)": ("'ann'", "'Ann'", "'bob '", "''", "'7up'", "'12'"),
    "enum('red','green')": ("'red'", "'green'"),
}
"""The types of columns, and values that fit."""

BAD = ("'abc'", "'2024-02-30'", "'much too long a text'", "99999999999", "'blue'", "12.345", "'3x'", "NULL", "''", "-1")
"""Values of which each is bad for some type."""


@dataclass(frozen=True)
class Schema:
    """Two tables, `a` and `b`, with a key `id` each; *columns* are the types of both by name."""

    columns: dict[str, str]
    script: str


def schema(draw: random.Random) -> Schema:
    """Draw one."""
    columns = {f"c{index}": kind for index, kind in enumerate([*KINDS, *draw.sample(sorted(KINDS), 2)])}
    lines: list[str] = []
    for table in "ab":
        wanted = "".join(f", {name} {kind}{draw.choice(['', ' NOT NULL'])}" for name, kind in columns.items())
        lines.append(f"CREATE TABLE {table} (id int PRIMARY KEY{wanted});")
        for key in range(1, draw.randint(4, 8)):
            values = ", ".join(draw.choice(KINDS[kind]) for kind in columns.values())
            lines.append(f"INSERT INTO {table} VALUES ({key}, {values});")
    return Schema(columns, "\n".join(lines) + "\n")


class Grammar:
    """Draws statements over one schema."""

    def __init__(self, schema: Schema, draw: random.Random) -> None:
        self.schema, self.draw = schema, draw

    def statement(self) -> tuple[str, str]:
        """Return the kind of a statement, and its text."""
        kinds = ("plain", "where", "join", "group", "having", "subquery", "union", "window", "literal", "order")
        changes = ("insert", "update", "delete", "replace", "duplicate")
        kind = self.draw.choice([*kinds, *kinds, *changes])
        text: str = getattr(self, kind)()
        return kind, text

    def column(self, kind: str = "") -> str:
        return self.draw.choice([name for name, held in self.schema.columns.items() if kind in held])

    def value(self) -> str:
        return self.draw.choice(self.draw.choice([*KINDS.values(), BAD, ("20210101", "2", "0.1", "1e3")]))

    def expression(self, atom: str = "") -> str:
        one, number, text, date = atom or f"a.{self.column()}", self.value(), self.value(), f"a.{self.column('date')}"
        forms = (
            f"{one}", f"{one} + 0", f"{one} * 1.5", f"{one} / 3", f"{one} % 4", f"-{one}", f"ABS({one})",
            f"ROUND({one}, 1)", f"CONCAT({one}, {text})", f"UPPER({one})", f"LENGTH({one})", f"LEFT({one}, 3)",
            f"SUBSTRING({one}, 2, 2)", f"REPLACE({one}, '0', 'x')", f"IFNULL({one}, {number})", f"TRIM({one})",
            f"COALESCE(NULL, {one})", f"CASE WHEN {one} > {number} THEN 1 ELSE 0 END", f"GREATEST({one}, {number})",
            f"CAST({one} AS CHAR)", f"CAST({one} AS SIGNED)", f"CAST({one} AS DECIMAL(10,1))", f"CAST({one} AS DATE)",
            f"YEAR({date})", f"DATEDIFF({date}, {one})", f"DATE_ADD({date}, INTERVAL 1 MONTH)", f"DATE({one})",
            f"DATE_FORMAT({date}, '%Y-%m %W')", f"LAST_DAY({date})", f"FLOOR({one})", f"MOD({one}, 3)", f"{one} DIV 2",
        )  # fmt: skip
        return self.draw.choice(forms)

    def condition(self) -> str:
        one, other = f"a.{self.column()}", self.draw.choice([f"a.{self.column()}", self.value(), self.value()])
        operator = self.draw.choice(("=", "<", ">", "<=", "<>", "<=>"))
        forms = (
            f"{one} {operator} {other}", f"{one} {operator} {other}", f"{one} BETWEEN {self.value()} AND {other}",
            f"{one} IN ({other}, {self.value()})", f"{one} LIKE '%2%'", f"{one} IS NULL", f"NOT {one}", one,
            f"{self.value()} {operator} {self.value()}", f"{self.expression()} {operator} {other}",
        )  # fmt: skip
        return self.draw.choice(forms)

    def aggregate(self) -> str:
        name = self.draw.choice(("COUNT", "SUM", "AVG", "MIN", "MAX", "COUNT(DISTINCT", "GROUP_CONCAT"))
        return f"{name} a.{self.column()})" if "(" in name else f"{name}(a.{self.column()})"

    def plain(self) -> str:
        return f"SELECT a.id, {self.expression()}, {self.expression()} FROM a"

    def where(self) -> str:
        return f"SELECT a.id FROM a WHERE {self.condition()} {self.draw.choice(['AND', 'OR'])} {self.condition()}"

    def join(self) -> str:
        way = self.draw.choice(("JOIN", "LEFT JOIN"))
        return f"SELECT a.id, b.id FROM a {way} b ON a.{self.column()} = b.{self.column()} WHERE {self.condition()}"

    def group(self) -> str:
        key, shown = self.column(), self.column()
        shown = self.draw.choice((key, key, shown))
        rollup = self.draw.choice(("", "", "", " WITH ROLLUP"))
        return f"SELECT a.{shown}, {self.aggregate()}, {self.aggregate()} FROM a GROUP BY a.{key}{rollup}"

    def having(self) -> str:
        if self.draw.random() < 0.3:
            return f"SELECT a.id, a.{(key := self.column())} FROM a HAVING a.{key} > {self.value()}"
        return f"SELECT a.{(key := self.column())} FROM a GROUP BY a.{key} HAVING {self.aggregate()} > {self.value()}"

    def subquery(self) -> str:
        limit = self.draw.choice(("", "", "", " LIMIT 1"))
        inner = f"SELECT b.{self.column()} FROM b ORDER BY b.id{limit}"
        return f"SELECT a.id FROM a WHERE a.{self.column()} {self.draw.choice(['IN', 'NOT IN'])} ({inner})"

    def union(self) -> str:
        way = self.draw.choice(("UNION", "UNION ALL", "INTERSECT", "EXCEPT"))
        return f"SELECT {self.column()} FROM a {way} SELECT {self.column()} FROM b"

    def window(self) -> str:
        name = self.draw.choice(("ROW_NUMBER()", "RANK()", f"SUM(a.{self.column()})", f"LAG(a.{self.column()})"))
        return f"SELECT a.id, {name} OVER (PARTITION BY a.{self.column()} ORDER BY a.id) FROM a"

    def literal(self) -> str:
        return f"SELECT {self.expression(self.value())}, {self.value()} = {self.value()} FROM a"

    def order(self) -> str:
        return f"SELECT a.id FROM a ORDER BY {self.expression()} DESC, a.id LIMIT 3"

    def insert(self) -> str:
        held = self.schema.columns.values()
        values = [self.draw.choice(KINDS[kind]) for kind in held]
        values[self.draw.randrange(len(values))] = self.value()
        return f"INSERT INTO a VALUES ({self.draw.choice(('90', '2'))}, {', '.join(values)})"

    def replace(self) -> str:
        return self.insert().replace("INSERT", "REPLACE", 1)

    def duplicate(self) -> str:
        return f"{self.insert()} ON DUPLICATE KEY UPDATE {self.column()} = {self.value()}"

    def update(self) -> str:
        return f"UPDATE a SET {self.column()} = {self.draw.choice([self.value(), self.expression()])} WHERE id < 3"

    def delete(self) -> str:
        return f"DELETE FROM a WHERE {self.condition()}"


def loose(value: Any) -> Any:
    """Return *value* as it is compared where types do not count."""
    try:
        return f"{float(value):.4g}" if isinstance(value, (int, float, Decimal)) else str(value)
    except (ValueError, OverflowError):
        return str(value)


def shown(rows: Any, ordered: bool) -> tuple[list[str], list[str]]:
    """Return *rows* exactly and without types, sorted unless *ordered*."""
    exact, alike = [repr(row) for row in rows], [repr(tuple(map(loose, row))) for row in rows]
    return (exact, alike) if ordered else (sorted(exact), sorted(alike))


FULL_GROUP_BY = (1055, 1140)
"""Errors of MySQL's ONLY_FULL_GROUP_BY."""


@dataclass(frozen=True)
class Case:
    """A statement on the database *name* of *source*; *after*, if any, asks for what it may have changed."""

    kind: str
    source: DatabaseSource
    name: str
    statement: str
    after: str = ""

    def answers(self, database: Database) -> list[QueryResult]:
        """Return what the statement did on an untouched copy, and what the table holds afterwards."""
        with database.open(self.source, self.name) as session:
            return [session.run(self.statement), *([session.run(self.after)] if self.after else [])]


def verdict(ours: Sequence[QueryResult], theirs: Sequence[QueryResult], statement: str) -> str:
    """Return which of the six it is; the first result is the statement's, the second the table afterwards."""
    mine, other = ours[0], theirs[0]
    if mine.error is not None:
        if "cannot do" in mine.error or "use mysql" in mine.error:
            return "refused"
        return "equal" if mine.code == other.code else "error"
    if other.code in FULL_GROUP_BY:
        return "grouped"
    if other.error is not None or mine.affected != other.affected:
        return "other"
    pairs = [(one.rows or (), two.rows or ()) for one, two in zip(ours, theirs, strict=True)]
    ordered = "ORDER BY a.id LIMIT" in statement or "DESC, a.id" in statement
    both = [(shown(one, ordered), shown(two, ordered)) for one, two in pairs]
    if all(one[0] == two[0] for one, two in both):
        return "equal"
    return "type" if all(one[1] == two[1] for one, two in both) else "other"


def drawn(seed: int, count: int, folder: Path) -> Iterator[Case]:
    """Yield *count* statements of the grammar over schemas that are written into *folder*."""
    draw = random.Random(seed)
    schemas = {f"world{index}": schema(draw) for index in range(20)}
    for name, made in schemas.items():
        (folder / f"{name}.sql").write_text(made.script)
    source = DatabaseSource("worlds", folder, "sql")
    for index in range(count):
        name = f"world{index % len(schemas)}"
        kind, statement = Grammar(schemas[name], draw).statement()
        yield Case(kind, source, name, statement, "SELECT * FROM a ORDER BY id")


def recorded(seed: int, count: int, folder: Path) -> list[Case]:
    """Return *count* different statements that models ran in the recordings of *folder*, or all that there are."""
    dataset = SpiderDataset()
    tasks = {task.id: task for task in dataset}
    asked: set[tuple[str, str]] = set()
    for file in sorted(folder.glob("*.json*")):
        for episode in read(file).episodes:
            if (task := tasks.get(episode.task)) is not None:
                asked |= {(dataset.database(task), turn.code) for turn in episode.turns if turn.kind == "run"}
    source = dataset.source(next(iter(tasks.values())))
    chosen = random.Random(seed).sample(sorted(asked), min(count, len(asked)))
    return [Case("recorded", source, name, statement) for name, statement in chosen]


def compare(
    cases: Sequence[Case], ours: Database, theirs: Database
) -> Iterator[tuple[str, Case, list[QueryResult], list[QueryResult]]]:
    """Yield the verdict of each of *cases*, and what both answered."""
    for case in cases:
        mine, other = case.answers(ours), case.answers(theirs)
        yield verdict(mine, other, case.statement), case, mine, other


def report(title: str, cases: Sequence[Case], ours: Database, theirs: Database, examples: int) -> None:
    """Count *cases*, and print."""
    counted: Counter[str] = Counter()
    found: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for said, case, mine, other in compare(cases, ours, theirs):
        counted[said] += 1
        if said not in ("equal", "refused", "grouped"):
            told = [str(one[0].error or one[0].rows or one[0].affected)[:150] for one in (mine, other)]
            found[said, case.kind].append(f"{case.statement}\n      sqlite {told[0]}\n      server {told[1]}")
    print(f"{title}, {len(cases)} statements, against {theirs.version()}")
    for said, number in counted.most_common():
        print(f"{said:8} {number:5} {number / len(cases):7.1%}")
    for (said, kind), texts in sorted(found.items(), key=lambda item: -len(item[1])):
        print(f"\n{said}, {kind}: {len(texts)}", *texts[:examples], sep="\n  ")


def main() -> None:
    """Draw, compare, count, and print."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--count", type=int, default=1000, help="of each source of statements")
    options.add_argument("--server", action="append", help="a genuine server; default: mysql")
    options.add_argument("--examples", type=int, default=2, help="of each kind of difference")
    chosen = options.parse_args()
    data = Path(os.environ.get("INTERCODE_DATA", ""), "recorded", "sql")
    with ExitStack() as open_ones:
        folder = Path(open_ones.enter_context(tempfile.TemporaryDirectory()))
        sources = {f"seed {chosen.seed}": list(drawn(chosen.seed, chosen.count, folder))}
        if "INTERCODE_DATA" in os.environ and data.is_dir():
            sources[f"recordings, seed {chosen.seed}"] = recorded(chosen.seed, chosen.count, data)
        else:
            print("without the recordings: INTERCODE_DATA names no folder that has recorded/sql\n")
        ours = open_ones.enter_context(databases.find("sqlite"))
        for server in chosen.server or ["mysql"]:
            with databases.find(server) as theirs:
                for title, cases in sources.items():
                    report(title, cases, ours, theirs, chosen.examples)
                    print()


if __name__ == "__main__":
    main()
