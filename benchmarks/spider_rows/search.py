"""Search rows that tell the golds of a database from near misses: `python -m benchmarks.spider_rows.search DATABASE`.

It climbs by seed: rows are drawn whose values are near to those that golds name, whose references hold, and they are
kept where more near misses show other rows than the gold than before. A recorded answer that was right and would be
wrong costs as much as `COST` near misses, since such rows decide what the request leaves open.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from benchmarks.agreement.episodes import recorded
from benchmarks.spider_rows import drawing, schema
from benchmarks.spider_rows.mutants import Mutant, mutants
from intercode.datasets.databases.extended_dump import with_statements
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.datasets.spider.verified import FOLDER, SpiderVerifiedDataset
from intercode.types import Task
from intercode.types.databases import DatabaseSession, QueryResult, Row
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode.worlds.sql.scoring.expected_rows import expected_rows
from intercode.worlds.sql.scoring.gold_order import order_of
from intercode.worlds.sql.scoring.question import is_void
from intercode.worlds.sql.scoring.row_matching import match
from intercode.worlds.sql.scoring.syntax import syntax_tree, tables

COST = 3
"""Near misses that an answer is worth which was right and no longer is."""

VOID = 3
"""Near misses that a gold is worth which shows something now."""


SECONDS = 0.5
"""What a near miss may take."""

ROUNDS = 2
"""Between them near misses are looked at that were told apart before."""


@dataclass(slots=True)
class Question:
    """A gold, with what should end as it does (`right`) and what should not (`wrong`)."""

    gold: str
    wrong: Sequence[Mutant]
    right: Sequence[str]
    tables: frozenset[str]
    watched: Sequence[Mutant] = ()
    alive: set[str] = field(default_factory=set)
    lost: set[str] = field(default_factory=set)
    void: bool = True

    @property
    def misery(self) -> int:
        """Return what is not as it should be."""
        return len(self.alive) + COST * len(self.lost) + VOID * self.void


def questions(tasks: Iterable[Task], state: Mapping[str, schema.Table]) -> list[Question]:
    """Return those of *tasks*, each gold once."""
    answers = _recorded_answers()
    columns, references = {name: table.kinds for name, table in state.items()}, schema.references(state)
    found: dict[str, Question] = {}
    for task in tasks:
        gold = task.gold or ""
        right = [*task.golds[1:], *sorted(answers.get(task.id.partition("/")[2], ()))]
        near = [Mutant("near miss", text) for text in task.extra.get("near_misses", ())]
        if gold in found:
            found[gold].right = [*found[gold].right, *right]
            found[gold].wrong = [*found[gold].wrong, *near]
            continue
        tree = syntax_tree(gold)
        assert tree is not None, task.id
        found[gold] = Question(gold, [*near, *mutants(gold, columns, references)], right, frozenset(tables(tree)))
    return list(found.values())


@cache
def _recorded_answers() -> Mapping[str, set[str]]:
    """Return the last statements of recorded episodes, by the ends of their tasks' ids."""
    found: dict[str, set[str]] = {}
    for episode in recorded("sql"):
        ran = [turn.code for turn in episode.turns if turn.kind == "run"]
        found.setdefault(episode.task, set()).add(ran[-1])
    return found


class Judge:
    """Runs statements on one session and compares them with golds."""

    def __init__(self, session: DatabaseSession) -> None:
        self.session = session

    def look(self, question: Question) -> None:
        """Find out what is alive, lost or void of *question* as the rows are now."""
        gold = self.session.run(question.gold)
        assert gold.rows is not None, (question.gold, gold.error)
        probe = order_of(question.gold).probe
        probed = self.session.run(probe) if probe else None
        question.void = is_void(gold.rows)
        question.alive = {each.text for each in question.watched if self._same(each.text, gold, probed, question.gold)}
        question.lost = {text for text in question.right if not self._same(text, gold, probed, question.gold)}

    def _same(self, text: str, gold: QueryResult, probed: QueryResult | None, statement: str) -> bool:
        mine = self.session.run(text, timeout=SECONDS)
        assert gold.rows is not None
        if mine.rows is None:
            return False
        if mine.rows == gold.rows or not mine.rows or not gold.rows:
            return mine.rows == gold.rows
        if len(mine.rows) != len(gold.rows):
            return False
        return match(mine.rows, expected_rows(gold.rows, order_of(statement), probed)).same


@dataclass(slots=True)
class Climb:
    """A search on one database. `planted` are the rows so far, each with its table."""

    judge: Judge
    all: Sequence[Question]
    state: dict[str, schema.Table]
    dice: random.Random
    planted: list[tuple[str, Row]] = field(default_factory=list)

    def look_at_all(self) -> None:
        """Look at every near miss. Between two such looks only those are watched that are alive."""
        for each in self.all:
            each.watched = each.wrong
            self.judge.look(each)
            each.watched = [mutant for mutant in each.wrong if mutant.text in each.alive]

    def forgive(self) -> None:
        """What is not right at first cannot be lost."""
        for each in self.all:
            each.right = [text for text in each.right if text not in each.lost]
            each.lost = set()

    def step(self) -> bool:
        """Draw a few rows, and keep them if all is better with them."""
        unhappy = [each for each in self.all if each.misery]
        if not unhappy:
            return False
        target = self.dice.choices(unhappy, [each.misery for each in unhappy])[0]
        rows = drawing.draw(self.state, target.gold, [each.gold for each in self.all], self.dice)
        if not rows:
            return True
        session = self.judge.session
        session.run("BEGIN")
        if any(session.run(drawing.insert(self.state[table], row)).error for table, row in rows):
            session.run("ROLLBACK")
            return True
        if self._is_better(target, {table for table, _ in rows}):
            session.run("COMMIT")
            self._remember(rows)
        else:
            session.run("ROLLBACK")
        return True

    def _is_better(self, target: Question, touched: set[str]) -> bool:
        """Whether *target* is better with the rows, which is looked at first, and all whose tables are *touched*."""
        near = [target, *(each for each in self.all if each.tables & touched and each is not target)]
        before = [(each.alive, each.lost, each.void) for each in near]
        total, before_target, now = sum(each.misery for each in near), target.misery, 0
        for each in near:
            self.judge.look(each)
            now += each.misery
            if now >= total or (each is target and now >= before_target):
                break
        else:
            return True
        for each, (alive, lost, void) in zip(near, before, strict=True):
            each.alive, each.lost, each.void = alive, lost, void
        return False

    def _remember(self, rows: Sequence[tuple[str, Row]]) -> None:
        for name, row in rows:
            table = self.state[name]
            self.state[name] = schema.Table(
                table.name, table.columns, table.sizes, table.keys, table.references, (*table.rows, row)
            )
            self.planted.append((name, row))


def search(database: str, *, steps: int, seconds: float, seed: int, folder: Path) -> None:
    """Search for *database* and write `DATABASE.sql` in *folder*, which replaces what was there.

    `DATABASE.SOMETHING.sql` there is made by hand and comes first.
    """
    path = folder / f"{database}.sql"
    dataset, published = SpiderVerifiedDataset(), SpiderDataset()
    tasks = [task for task in dataset if dataset.database(task).lower() == database]
    by_hand = "".join(each.read_text("utf-8") for each in sorted(folder.glob(f"{database}.*.sql")))
    source = with_statements(published.source(tasks[0]), by_hand)
    with SqliteDatabase() as engine, engine.open(source, dataset.database(tasks[0])) as session:
        state = schema.read(database, session.state())
        found = questions(tasks, state)
        climb = Climb(Judge(session), found, state, random.Random(f"{seed} {database}"))
        climb.look_at_all()
        climb.forgive()
        print(f"{database}: {_told(found)} at first", flush=True)
        for _ in range(ROUNDS):
            end = time.process_time() + seconds / ROUNDS
            for _ in range(steps):
                if time.process_time() > end or not climb.step():
                    break
            write(path, dataset.database(tasks[0]), climb)  # each time, since it may be stopped
            climb.look_at_all()
        print(f"{database}: {_told(found)} with {len(climb.planted)} rows", flush=True)
        for each in found:
            for text in sorted(each.alive):
                print(f"  alive: {text}\n     of: {each.gold}")
            for text in sorted(each.lost):
                print(f"  lost: {text!r}\n    of: {each.gold}")


def write(path: Path, database: str, climb: Climb) -> None:
    """Write the statements that plant what *climb* has found; nothing where that is nothing."""
    lines = [drawing.insert(climb.state[table], row) for table, row in climb.planted]
    if lines:
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"USE `{database}`;\n" + "".join(f"{line};\n" for line in lines), "utf-8")


def _told(asked: Sequence[Question]) -> str:
    alive, of = sum(len(each.alive) for each in asked), sum(len(each.wrong) for each in asked)
    lost, right = sum(len(each.lost) for each in asked), sum(len(each.right) for each in asked)
    void = sum(each.void for each in asked)
    return f"{alive} of {of} near misses alive, {void} of {len(asked)} golds void, {lost} of {right} answers lost"


def main() -> None:
    """Search for the databases that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("databases", nargs="+")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--seconds", type=float, default=15, help="of processor time, for each database")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", type=Path, default=FOLDER / "planted")
    options = parser.parse_args()
    for database in options.databases:
        search(database, steps=options.steps, seconds=options.seconds, seed=options.seed, folder=options.folder)


if __name__ == "__main__":
    main()
