"""Choose the episodes to be read: all on which the scorings differ, and of the others as many as wanted, by seed.

`python -m benchmarks.agreement.choose` writes episodes.jsonl anew; a reading belongs to the choice it was made of.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace

from benchmarks.agreement import endings
from benchmarks.agreement.endings import progress
from benchmarks.agreement.episodes import Episode, Stratum, World, recorded, write

SEED = 16

WANTED: Mapping[World, Mapping[Stratum, int]] = {
    "bash": {"both pay": 100, "neither pays": 200},
    "sql": {"both pay": 90, "neither pays": 90, "no answer": 12},
}
"""How many to read of each stratum, beside all on which the scorings differ."""


def main() -> None:
    """Choose anew, for both worlds."""
    write([episode for world in WANTED for episode in draw(strata(world), WANTED[world])])


def strata(world: World) -> list[Episode]:
    """Return all episodes of *world* that can be played, each with its stratum."""
    with endings.world(world, endings.load(world)) as open_env:
        played = endings.play_all(list(recorded(world)), open_env, on_done=progress(world))
    if broken := [each for each in played if each.error]:
        print(f"\n{len(broken)} episodes of {world} could not be played: {broken[0].error}", file=sys.stderr)
    return [replace(each.episode, stratum=stratum(each)) for each in played if not each.error]


def stratum(ending: endings.Ending) -> Stratum:
    """Return what the two scorings say of *ending*; whether there is anything to read is asked of SQL alone."""
    assert ending.scores is not None
    paid = [ending.scores["paper"].success, ending.scores["exact"].success]
    if ending.episode.world == "sql" and (ending.rows is None or ending.rows.error is not None) and not any(paid):
        return "no answer"
    return "both pay" if all(paid) else "neither pays" if not any(paid) else "scorings differ"


def draw(episodes: Sequence[Episode], wanted: Mapping[Stratum, int]) -> list[Episode]:
    """All of *episodes* on which the scorings differ and as many of each other stratum as *wanted*, in random order.

    The weight of each is how many of *episodes* it stands for.
    """
    dice = random.Random(SEED)
    found = [each for each in episodes if each.stratum == "scorings differ"]
    for name, most in wanted.items():
        pool = [each for each in episodes if each.stratum == name]
        drawn = dice.sample(pool, min(most, len(pool)))
        found += [replace(each, weight=round(len(pool) / len(drawn), 4)) for each in drawn]
    dice.shuffle(found)
    return found


if __name__ == "__main__":
    main()
