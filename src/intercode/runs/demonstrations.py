"""Which episodes of runs are good to learn from, for `intercode demos`."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from intercode.errors import UserError
from intercode.runs import store
from intercode.types import Trajectory
from intercode.types.trajectories import dumps
from intercode.util.atomic_write import write_text


def choose(runs: Sequence[Path], *, number: int, turns: tuple[int, int], seed: int) -> list[Trajectory]:
    """At most *number* successes of the *runs*, each with as many turns as *turns* allows, one for a task.

    Kinds of tasks (their categories) take turns; within one *seed* decides.

    Raises:
        UserError: If none fits.
    """
    least, most = turns
    found: dict[str, Trajectory] = {}
    for run in map(store.read, runs):
        scoring = run.manifest.leading_reward
        for episode in run.episodes:
            if episode.success(scoring) and least <= len(episode.turns) <= most:
                found.setdefault(episode.task.id, episode)
    if not found:
        raise UserError(
            f"none of these runs holds a success of {least} to {most} turns: widen --min-turns and --max-turns, or "
            "give other runs (intercode play --record makes one by hand)"
        )
    kinds: dict[str, list[Trajectory]] = defaultdict(list)
    for episode in Random(seed).sample(sorted(found.values(), key=lambda each: each.task.id), len(found)):
        kinds[episode.task.category].append(episode)
    piles = [kinds[kind] for kind in sorted(kinds)]
    rounds = [pile[depth] for depth in range(max(map(len, piles))) for pile in piles if depth < len(pile)]
    return rounds[:number]


def write(episodes: Sequence[Trajectory], file: Path) -> None:
    """One episode a line, without what models were asked and answered.

    Raises:
        UserError: If it cannot be written.
    """
    plain = [replace(each, turns=tuple(replace(turn, calls=()) for turn in each.turns)) for each in episodes]
    try:
        write_text(file, "".join(dumps(each) + "\n" for each in plain))
    except OSError as error:
        raise UserError(f"cannot write {file}: {error.strerror}") from error
