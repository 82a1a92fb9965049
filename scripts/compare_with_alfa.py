"""Play the golds of nl2bash-verified on NL2SH-ALFA's tasks, and those of NL2SH-ALFA on ours; show what is refused.

    scripts/compare_with_alfa.py                   every task that both have
    scripts/compare_with_alfa.py fs1/3 fs2/38      some of ours, by the ends of their ids

Two tasks are one where they are on the file system of the same number and the published request is the same text but
for blanks, case, quotes and full stops. `--near 0.85` also takes requests that are so much alike, which NL2SH-ALFA
reworded; then a difference may be that of the requests. Shown is each pair with a gold that earns 1 on its own task and
not on the other; golds that earn nothing on their own (void, or another answer at each run) prove nothing. Every such
pair of the same text has been read: docs/decisions/verified-sets.md says who is right.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

from intercode import datasets, registry
from intercode.env.env import Env
from intercode.types import Action, Task

SAME = 1.0


@dataclass(frozen=True, slots=True)
class Pair:
    """A task of ours and the one of theirs with the same request; *alike* is 1 where it is the same text."""

    ours: Task
    theirs: Task
    alike: float


@dataclass(frozen=True, slots=True)
class Play:
    """A gold, and whether it earns 1 on its own task and on the other set's."""

    gold: str
    at_home: bool
    abroad: bool


def main() -> None:
    """Play all pairs, show those with a refused gold, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tasks", nargs="*", help="ends of ids of nl2bash-verified; none: all that both have")
    parser.add_argument(
        "--near", type=float, default=SAME, help="how much alike requests are that count as one (0 to 1)"
    )
    options = parser.parse_args()
    ours, theirs = datasets.load("nl2bash-verified"), datasets.load("nl2sh-alfa")
    pairs = [pair for pair in pairs_of(list(ours), list(theirs), options.near) if is_wanted(pair, options.tasks)]
    world = registry.find("envs", ours.world)
    counts = {"agree": 0, "theirs refused by ours": 0, "ours refused by theirs": 0}
    with world(ours, scoring="exact") as here, world(theirs, scoring="exact") as there:
        for pair in pairs:
            found = [plays_of(pair.theirs, there, pair.ours, here), plays_of(pair.ours, here, pair.theirs, there)]
            refused = [any(play.at_home and not play.abroad for play in plays) for plays in found]
            counts["agree"] += not any(refused)
            counts["theirs refused by ours"] += refused[0]
            counts["ours refused by theirs"] += refused[1]
            if any(refused):
                print("\n".join(lines_of(pair, *found)), flush=True)
    print(f"{len(pairs)} tasks that both have: {', '.join(f'{count} {what}' for what, count in counts.items())}")


def pairs_of(ours: list[Task], theirs: list[Task], near: float) -> Iterator[Pair]:
    """Yield each task of *ours* with the one of *theirs* that is most alike, if it is so as much as *near*."""
    for task in ours:
        here = [each for each in theirs if each.category == task.category]
        alike = {each.id: likeness(task, each) for each in here}
        best = max(here, key=lambda each: alike[each.id])
        if alike[best.id] >= near:
            yield Pair(task, best, alike[best.id])


def likeness(ours: Task, theirs: Task) -> float:
    """Return how much alike the published requests are, from 0 to 1."""
    one, other = normalized(ours.extra.get("published_query") or ours.query), normalized(theirs.query)
    return SAME if one == other else min(SequenceMatcher(None, one, other).ratio(), 0.999)


def normalized(request: str) -> str:
    """Return *request* without what does not change its meaning."""
    return " ".join(re.sub(r"[\s\"'`.]+", " ", request).lower().split())


def is_wanted(pair: Pair, ids: list[str]) -> bool:
    """Return whether the pair's task of ours is one of *ids*; all are where none is named."""
    return not ids or pair.ours.id.partition("/")[2] in ids


def plays_of(task: Task, home: Env, other: Task, abroad: Env) -> list[Play]:
    """Play each gold of *task* on it and on the *other*."""
    return [Play(gold, pays(home, task, gold), pays(abroad, other, gold)) for gold in task.golds]


def pays(env: Env, task: Task, text: str) -> bool:
    """Return whether *text* alone, run in a fresh world, is paid in full."""
    env.start_episode(task)
    env.take_action(Action("execute", text))
    scores = env.judge()
    return scores is not None and scores["exact"].success


def lines_of(pair: Pair, theirs: list[Play], ours: list[Play]) -> Iterator[str]:
    """Yield what is to be read about a pair: the requests, and how each gold fared."""
    yield f"{pair.ours.id} and {pair.theirs.id}" + (f", alike {pair.alike:.2f}" if pair.alike < SAME else "")
    yield f"  ours: {pair.ours.query}"
    yield f"  theirs: {pair.theirs.query}"
    for whose, plays in (("theirs", theirs), ("ours", ours)):
        for play in plays:
            said = "void at home" if not play.at_home else "paid" if play.abroad else "REFUSED"
            yield f"    {whose}, {said}: {play.gold}"


if __name__ == "__main__":
    main()
