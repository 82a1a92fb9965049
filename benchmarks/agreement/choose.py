"""Choose the episodes to be read: all on which the scorings differ, and of the others as many as wanted, by seed.

`python -m benchmarks.agreement.choose` writes episodes.jsonl anew; a reading belongs to the choice it was made of.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Sequence
from dataclasses import replace

from benchmarks.agreement import endings
from benchmarks.agreement.episodes import Episode, World, recorded, write

SEED = 16
WANTED: dict[World, int] = {"bash": 400, "sql": 350}
"""How many to read at least; the first actions of Bash are among them."""


def main() -> None:
    """Choose anew, for both worlds."""
    write([episode for world in WANTED for episode in choose(world, WANTED[world])])


def choose(world: World, wanted: int) -> list[Episode]:
    """At least *wanted* episodes of *world* in random order, each with its stratum and weight."""
    everything = list(recorded(world))
    with endings.world(world, endings.load(world)) as open_env:
        played = endings.play_all(everything, open_env, told=lambda done: print(f"\r{world} {done}", end="", file=sys.stderr))
    if broken := [each for each in played if each.error]:
        print(f"\n{len(broken)} episodes of {world} could not be played: {broken[0].error}", file=sys.stderr)
    return draw([replace(each.episode, stratum=stratum(each)) for each in played if not each.error], wanted)


def stratum(ending: endings.Ending) -> str:
    """What the two scorings say of *ending*."""
    assert ending.scores is not None
    paid = [ending.scores["paper"].success, ending.scores["exact"].success]
    return "both pay" if all(paid) else "neither pays" if not any(paid) else "scorings differ"


def draw(episodes: Sequence[Episode], wanted: int) -> list[Episode]:
    """All of *episodes* on which the scorings differ, and half of the rest of *wanted* from each other stratum."""
    dice = random.Random(SEED)
    found = [each for each in episodes if each.stratum == "scorings differ"]
    half = -(-max(0, wanted - len(found)) // 2)
    for name in ("both pay", "neither pays"):
        pool = [each for each in episodes if each.stratum == name]
        drawn = dice.sample(pool, min(half, len(pool)))
        found += [replace(each, weight=round(len(pool) / len(drawn), 4)) for each in drawn]
    dice.shuffle(found)
    return found


if __name__ == "__main__":
    main()
