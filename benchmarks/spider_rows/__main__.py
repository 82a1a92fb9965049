"""What the planted rows of `spider-verified` tell apart: `python -m benchmarks.spider_rows` (it needs INTERCODE_DATA).

Every accepted gold is run on the published rows and on the planted ones, and so is every near miss that `mutants`
makes of a task's first gold; a near miss lives if `exact` pays it. `--compare mysql` also runs the golds on a server,
and says where they show something else there.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path

from benchmarks.spider_rows import schema
from benchmarks.spider_rows.mutants import Mutant, mutants
from intercode.datasets.base import Dataset
from intercode.datasets.spider.dataset import SpiderDataset
from intercode.datasets.spider.verified import SpiderVerifiedDataset
from intercode.types import Task
from intercode.types.databases import Database
from intercode.worlds.sql import databases
from intercode.worlds.sql.gold_cache import SqlGoldCache
from intercode.worlds.sql.judging import judge_exactly
from intercode.worlds.sql.scoring.final_state import SqlEnding, SqlFinalState
from intercode.worlds.sql.scoring.question import is_void
from intercode.worlds.sql.untouched_database import UntouchedDatabase

SECONDS = 1.0
"""What a near miss may take: one that joins everything with everything shows nothing in that time."""


@dataclass(slots=True)
class Figures:
    """What is counted on one world. `alive` are the near misses that are paid, by task; `failed` golds do not run."""

    tasks: int = 0
    golds: int = 0
    near_misses: Counter[str] = field(default_factory=Counter)
    paid: Counter[str] = field(default_factory=Counter)
    void: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    alive: dict[str, list[str]] = field(default_factory=dict)

    def to_json(self) -> dict[str, object]:
        """As plain dictionaries."""
        found = {each.name: getattr(self, each.name) for each in fields(self)}
        return {name: dict(value) if isinstance(value, Counter) else value for name, value in found.items()}


class World:
    """One set on one database engine."""

    def __init__(self, dataset: Dataset, engine: Database) -> None:
        self.dataset, self.engine = dataset, engine
        self.golds = SqlGoldCache.of(engine)

    def gold(self, task: Task, text: str) -> SqlFinalState:
        """Return what the gold *text* shows."""
        return self.golds.outcome(self.engine, self.dataset.source(task), self.dataset.database(task), text)

    def is_paid(self, task: Task, text: str) -> bool:
        """Return whether `exact` pays *text*, by any of the golds of *task*."""
        source, name = self.dataset.source(task), self.dataset.database(task)
        with self.engine.open(source, name) as session:
            mine = SqlFinalState(text, session.run(text, timeout=SECONDS))
        if mine.result is None or mine.result.rows is None:
            return False
        for each in (task, *task.alternatives):
            untouched = UntouchedDatabase(self.golds, self.engine, source, name)
            if judge_exactly(SqlEnding(each, mine, self.gold(each, each.gold or ""), untouched=untouched)).success:
                return True
        return False

    def mutants(self, task: Task) -> list[Mutant]:
        """Return the near misses that are made of the first gold of *task*."""
        before = self.golds.before(self.engine, self.dataset.source(task), self.dataset.database(task))
        state = schema.read(self.dataset.database(task), before)
        columns = {name: table.kinds for name, table in state.items()}
        return mutants(task.gold or "", columns, schema.references(state))


def near_misses(world: World, tasks: Iterable[Task]) -> Iterator[tuple[Task, list[Mutant]]]:
    """Yield each of *tasks* with its near misses; of tasks with the same golds only the first has any."""
    seen = set()
    for task in tasks:
        key = world.dataset.database(task), task.golds
        written = [Mutant("written", text) for text in task.extra.get("near_misses", ())]
        made = [] if key in seen else world.mutants(task)
        seen.add(key)
        yield task, written + made


def count(world: World, tasks: Sequence[tuple[Task, list[Mutant]]]) -> Figures:
    """Run all golds and near misses of *tasks* on *world*."""
    found = Figures()
    for number, (task, wrong) in enumerate(tasks, 1):
        found.tasks += 1
        found.golds += len(task.golds)
        shown = [world.gold(task, text).result for text in task.golds]
        if any(each is None or each.rows is None for each in shown):
            found.failed.append(task.id)
        elif shown[0] is not None and is_void(shown[0].rows or ()):
            found.void.append(task.id)
        for each in wrong:
            found.near_misses[each.kind] += 1
            if world.is_paid(task, each.text):
                found.paid[each.kind] += 1
                found.alive.setdefault(task.id, []).append(each.text)
        if number % 100 == 0:
            print(f"{world.dataset.name}: {number} tasks", file=sys.stderr)
    return found


def differences(one: World, other: World, tasks: Iterable[Task]) -> list[str]:
    """Return the golds of *tasks* that one engine pays and the other one does not, played beside the other's own."""
    found = []
    for task in tasks:
        for text in task.golds:
            here, there = one.gold(task, text), other.gold(task, text)
            place = other.engine, other.dataset.source(task), other.dataset.database(task)
            untouched = UntouchedDatabase(other.golds, *place)
            if not judge_exactly(SqlEnding(replace(task, gold=text), here, there, untouched=untouched)).success:
                found.append(f"{task.id}: {text}")
    return found


def main() -> None:
    """Count on both worlds and print what was found."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("databases", nargs="*", help="only tasks about these; none: all")
    parser.add_argument("--compare", metavar="ENGINE", help="another engine on which the golds are run: mysql")
    parser.add_argument("--golds-only", action="store_true", help="leave out the near misses, which take minutes")
    parser.add_argument("--alive", action="store_true", help="also show the near misses that are paid")
    parser.add_argument("--out", type=Path, help="also write the figures as JSON")
    options = parser.parse_args()
    published, verified = SpiderDataset(), SpiderVerifiedDataset()
    figures: dict[str, object] = {}
    with databases.find("sqlite") as engine:
        before, after = World(published, engine), World(verified, engine)
        names = {name.lower() for name in options.databases}
        tasks = [task for task in verified if not names or verified.database(task).lower() in names]
        chosen = [(task, []) for task in tasks] if options.golds_only else list(near_misses(after, tasks))
        for name, world in (("published rows", before), ("planted rows", after)):
            found = count(world, chosen)
            figures[name] = found.to_json()
            show(name, found)
            if options.alive and world is after:
                for id, texts in found.alive.items():
                    print(*(f"{id}: {text}" for text in texts), sep="\n")
        if options.compare:
            with databases.find(options.compare) as other:
                unlike = differences(after, World(verified, other), tasks)
            print(f"golds that show something else on {options.compare}: {len(unlike)}", *unlike, sep="\n  ")
            figures[f"unlike on {options.compare}"] = unlike
    if options.out is not None:
        options.out.write_text(json.dumps(figures, indent=1) + "\n", encoding="utf-8")


def show(name: str, found: Figures) -> None:
    """Print the figures."""
    paid, of = found.paid.total(), found.near_misses.total()
    print(f"{name}: {found.tasks} tasks, {found.golds} golds, {len(found.failed)} fail: {' '.join(found.failed)}")
    print(f"  void: {len(found.void)} {' '.join(found.void)}")
    print(f"  near misses that are not paid: {of - paid} of {of} ({(of - paid) / max(of, 1):.1%})")
    for kind, number in sorted(found.near_misses.items()):
        print(f"    {kind}: {number - found.paid[kind]} of {number}")


if __name__ == "__main__":
    main()
