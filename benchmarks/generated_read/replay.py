"""How many generated requests mean the same to somebody who has only read them.

`KIND.jsonl` has a hundred requests of each kind of task, and a gold that was written from each text alone: for SQL also
from the tables that an agent can look at. What `exact` gives for such a gold is what this module finds out.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import intercode
from intercode import datasets

KINDS = ("bash", "sql", "python")

FOLDER = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Reading:
    """A *gold* written for the *query* that a data set had at *index*."""

    seed: int
    split: str
    index: int
    query: str
    gold: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """What `exact` gave for a reading; None where the request is not made any more, as a family was changed."""

    reading: Reading
    value: float | None


def readings(kind: str) -> tuple[Reading, ...]:
    """Return all of a *kind* of task, in the order in which they were read."""
    lines = (FOLDER / f"{kind}.jsonl").read_text(encoding="utf-8").splitlines()
    return tuple(Reading(**json.loads(line)) for line in lines)


def play(kind: str, chosen: Sequence[Reading]) -> Iterator[Verdict]:
    """Yield each of *chosen* in an episode of its own: its gold is the only action before `submit`."""
    options = {"database": "sqlite"} if kind == "sql" else {}
    for (seed, split), group in groupby(chosen, key=lambda each: (each.seed, each.split)):
        found = tuple(group)
        count = max(each.index for each in found) + 1
        dataset = datasets.load(f"generated-{kind}", count=count, seed=seed, split=split)
        with intercode.make(dataset, scoring="exact", **options) as env:
            for reading in found:
                query, _ = env.reset(options={"task": reading.index})
                if query != reading.query:
                    yield Verdict(reading, None)
                    continue
                env.step(reading.gold)
                yield Verdict(reading, float(env.step("submit")[1]))
