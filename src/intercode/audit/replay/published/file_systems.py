"""The file systems that a recording ran on, which need not be those that its tasks are about.

The recording tells: where the folder that every task is about does not exist, and that of another file system is seen,
its commands ran there. Rewards agree only when such episodes are replayed so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from intercode.audit.replay.published.recordings import RecordedEpisode, Recording

ROOTS = {1: "/testbed", 2: "/system", 3: "/workspace"}
"""The folder of each file system; the fourth adds none."""

CHANGE = 5
"""Episodes that contradict what was known before another file system is believed: single files may be missing."""


def file_systems(recording: Recording, chosen: int | None = None) -> list[int]:
    """Return the file system that each episode of *recording* ran on; *chosen* overrules what it tells."""
    if chosen is not None:
        return [chosen] * len(recording.episodes)
    at_home = _at_home([_is_at_home(each) for each in recording.episodes])
    strangers = [each for each, home in zip(recording.episodes, at_home, strict=True) if not home]
    other = _most_seen(strangers)
    return [each.file_system if home else other for each, home in zip(recording.episodes, at_home, strict=True)]


def note(recording: Recording, ran_on: Sequence[int], chosen: int | None = None) -> str:
    """Return what a reader should know about the file systems that it *ran_on*; "" where nothing is odd."""
    odd: dict[int, list[int]] = {}
    for episode, place in zip(recording.episodes, ran_on, strict=True):
        if place != episode.file_system:
            odd.setdefault(place, []).append(episode.number)
    why = "asked for" if chosen is not None else "as it was recorded"
    return "; ".join(
        f"tasks {min(numbers)} to {max(numbers)} on file system {place}, {why}" for place, numbers in odd.items()
    )


def _is_at_home(episode: RecordedEpisode) -> bool | None:
    """Return whether an episode's own folder was there; None if the episode does not tell, or tells both."""
    root = ROOTS.get(episode.file_system)
    if root is None:
        return None
    missing, seen = _is_missing(root, episode), _is_seen(root, episode)
    return None if missing == seen else seen


def _is_missing(root: str, episode: RecordedEpisode) -> bool:
    error = re.compile(rf"{root}[^\s:]*: No such file or directory")
    return any(error.search(turn.observation) for turn in episode.turns)


def _is_seen(root: str, episode: RecordedEpisode) -> bool:
    path = re.compile(rf"(^|[\s:'\"]){root}([/:\s]|$)|^{root[1:]}$")  # a path, or a name in a list of `/`
    return any(path.search(line) for line in _lines(episode) if "No such file" not in line and "OCI" not in line)


def _lines(episode: RecordedEpisode) -> Iterable[str]:
    return (line for turn in episode.turns for line in turn.observation.split("\n"))


def _at_home(told: Sequence[bool | None]) -> list[bool]:
    """Return for each episode whether it ran on its own file system.

    A file is what a few processes played one after the other, each on one file system: the answer contradicts the
    fewest episodes, where a change counts as `CHANGE` of them.
    """
    best: dict[bool, tuple[int, tuple[bool, ...]]] = {True: (0, ())}
    for each in told:
        best = {
            home: min(
                (cost + CHANGE * (home != before) + (each is (not home)), (*path, home))
                for before, (cost, path) in best.items()
            )
            for home in (True, False)
        }
    return list(min(best.values())[1])


def _most_seen(episodes: Iterable[RecordedEpisode]) -> int:
    """Return the file system whose folder *episodes* saw most often besides their own; the fourth if they saw none."""
    seen = Counter(
        number
        for episode in episodes
        for number, root in ROOTS.items()
        if number != episode.file_system and _is_seen(root, episode)
    )
    return seen.most_common(1)[0][0] if seen else 4
