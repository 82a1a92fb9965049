"""How fast generated tasks are made, and whether they are the same as before: `python -m benchmarks.generated_speed`.

All splits and difficulties have their turn. The digest is of all that the tasks hold, and of the databases' scripts:
two versions that print the same digest make the same tasks.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from hashlib import sha256
from itertools import product
from typing import Any

from intercode_generate.bash.dataset import GeneratedBashDataset
from intercode_generate.dataset import GeneratedDataset
from intercode_generate.family import DIFFICULTIES
from intercode_generate.python.dataset import GeneratedPythonDataset
from intercode_generate.splits import SPLITS
from intercode_generate.sql.dataset import GeneratedSqlDataset

KINDS: dict[str, type[GeneratedDataset[Any]]] = {
    "bash": GeneratedBashDataset,
    "sql": GeneratedSqlDataset,
    "python": GeneratedPythonDataset,
}


def datasets(kind: str, count: int) -> Iterator[GeneratedDataset[Any]]:
    """Data sets of *count* tasks, one for each split, difficulty and two seeds."""
    for split, difficulty, seed in product(SPLITS, ("", *DIFFICULTIES), (0, 7)):
        yield KINDS[kind](count=count, seed=seed, split=split, difficulty=difficulty)


def measure(kind: str, count: int) -> tuple[float, int, str]:
    """Seconds of processor time, how many tasks they made, and a digest of these."""
    seconds, made, digest = 0.0, 0, sha256()
    for dataset in datasets(kind, count):
        began = time.process_time()
        tasks = list(dataset)
        seconds += time.process_time() - began
        made += len(tasks)
        digest.update(repr(tasks).encode())
        if isinstance(dataset, GeneratedSqlDataset):
            digest.update(
                "".join(dataset.batch_of(task).world.script for task in tasks[:: dataset.maker.size]).encode()
            )
    return seconds, made, digest.hexdigest()


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description="How fast generated tasks are made.")
    parser.add_argument("kinds", nargs="*", metavar="KIND", help=f"of {', '.join(KINDS)}; all of them if none is given")
    parser.add_argument("--count", type=int, default=80, metavar="N", help="tasks of each split, difficulty and seed")
    given = parser.parse_args()
    for kind in given.kinds or KINDS:
        seconds, made, digest = measure(kind, given.count)
        print(f"{kind}: {made / seconds:.0f} tasks in a second of processor time; {made} tasks, {digest[:16]}")


if __name__ == "__main__":
    main()
