"""Figures of the generated SQL tasks, as docs/generated.md has them: `python -m benchmarks.generated_sql`.

How a scripted solver's success falls with difficulty.
"""

from __future__ import annotations

import argparse
import re
from collections import defaultdict

from intercode.types import Action, Task
from intercode.worlds.sql import SqlEnv
from intercode.worlds.sql.databases.sqlite import SqliteDatabase
from intercode_generate.family import DIFFICULTIES
from intercode_generate.sql.dataset import GeneratedSqlDataset

CONDITIONS = (
    (r"`(\w+)` is `([^`]+)` or `([^`]+)`", "{} IN ('{}', '{}')"),
    (r"`(\w+)` is `([^`]+)`(?! or)", "{} = '{}'"),
    (r"`(\w+)` is more than ([\d.]+\d|\d+)", "{} > {}"),
    (r"`(\w+)` is at least ([\d.]+\d|\d+)", "{} >= {}"),
    (r"`(\w+)` is less than ([\d.]+\d|\d+)", "{} < {}"),
    (r"`(\w+)` is at most ([\d.]+\d|\d+)", "{} <= {}"),
    (r"`(\w+)` lies between ([\d.]+) and ([\d.]+)", "{} BETWEEN {} AND {}"),
    (r"`(\w+)` is after ([\d-]{10})", "{} > '{}'"),
    (r"`(\w+)` is ([\d-]{10}) or earlier", "{} <= '{}'"),
    (r"`(\w+)` lies in the year (\d{4})", "YEAR({}) = {}"),
    (r"`(\w+)` begins with `(\w)`", "{} LIKE '{}%'"),
    (r"`(\w+)` is NULL", "{} IS NULL"),
    (r"`(\w+)` is not NULL", "{} IS NOT NULL"),
)
"""What the solver understands of a selection."""

ACTIONS = {
    "groups/count-rows": (r"", "SELECT COUNT(*) FROM {table} WHERE {where}"),
    "groups/sum-rows": (r"(?:sum of|Add up|total of) `(\w+)`", "SELECT SUM({0}) FROM {table} WHERE {where}"),
    "groups/average-rows": (
        r"(?:average of|mean of|average) `(\w+)`",
        "SELECT ROUND(AVG({0}), 2) FROM {table} WHERE {where}",
    ),
    "updates/set-label": (
        r"(?:Set|have the) `(\w+)` (?:to )?`(\w+)`",
        "UPDATE {table} SET {0} = '{1}' WHERE {where}",
    ),
    "rows-and-tables/delete-rows": (r"", "DELETE FROM {table} WHERE {where}"),
}
"""What it understands of what is asked, by the family: it is told which, and finds the columns."""


def solve(task: Task, most: int) -> str:
    """Return one statement of a solver that understands up to *most* conditions.

    What it does not understand it leaves out.
    """
    pattern, form = ACTIONS[task.extra["family"]]
    table = re.search(r"(?:of|In|Update) `(\w+)`(?: whose|,|:| there| are)", task.query)
    action = re.search(pattern, task.query)
    which = task.query[task.query.find("whose") :]
    found = [form.format(*match.groups()) for text, form in CONDITIONS for match in re.finditer(text, which)]
    where = " AND ".join(found[:most]) or "1 = 1"
    groups = action.groups() if action else ()
    if table is None or (pattern and not groups):
        return "SELECT 1"
    return form.format(*groups, table=table[1], where=where)


def solver(count: int) -> dict[str, list[float]]:
    """Return the share that the solver gets right, by difficulty, where it knows one, two or three conditions."""
    dataset = GeneratedSqlDataset(count=count, seed=5)
    tasks = [task for task in dataset if task.extra["family"] in ACTIONS]
    shares: dict[str, list[float]] = {level: [] for level in DIFFICULTIES}
    with SqliteDatabase() as database, SqlEnv(dataset, database=database) as env:
        for most in (1, 2, 3):
            right: defaultdict[str, list[bool]] = defaultdict(list)
            for task in tasks:
                env.start_episode(task, seed=0)
                env.take_action(Action("execute", solve(task, most)))
                scores = env.take_action(Action("submit")).scores
                assert scores is not None
                right[task.difficulty].append(scores["exact"].success)
            for level, found in right.items():
                shares[level].append(sum(found) / len(found))
    print(f"solver: {len(tasks)} of {count} tasks are of its families")
    return shares


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="Figures of the generated SQL tasks.")
    parser.add_argument("--solver", type=int, default=800, metavar="N", help="tasks to choose the solver's from")
    given = parser.parse_args()
    for level, shares in solver(given.solver).items():
        print(f"solver, {level}: " + ", ".join(f"{share:.0%}" for share in shares))


if __name__ == "__main__":
    main()
