"""Recordings that ran on another file system than the one that their tasks are about.

Seen in the recordings themselves: up to task 30 of Plan & Solve, and throughout ReAct, commands about /system answer
`No such file or directory`, and /testbed is there; the rewards agree only when replayed so.
"""

from __future__ import annotations

from dataclasses import dataclass

from intercode.runs.replay.published.recordings import Harness, RecordedEpisode, Recording


@dataclass(frozen=True, slots=True)
class FileSystemMismatch:
    """The tasks `first` to `last` of `file_system` ran on file system `ran_on` in that harness's recording."""

    harness: Harness
    file_system: int
    first: int
    last: int
    ran_on: int


MOVED = (
    FileSystemMismatch("react", 2, 0, 52, 1),
    FileSystemMismatch("plan & solve", 2, 0, 30, 1),
)


def file_system_of(recording: Recording, episode: RecordedEpisode, chosen: int | None = None) -> int:
    """The file system that *episode* ran on; *chosen* overrules the table."""
    if chosen is not None:
        return chosen
    fitting = (each.ran_on for each in MOVED if _fits(each, recording.harness, episode))
    return next(fitting, episode.file_system)


def note(recording: Recording, chosen: int | None = None) -> str:
    """What a reader should know about the file systems of *recording*; "" where nothing is odd."""
    odd: dict[int, list[int]] = {}
    for episode in recording.episodes:
        ran_on = file_system_of(recording, episode, chosen)
        if ran_on != episode.file_system:
            odd.setdefault(ran_on, []).append(episode.number)
    why = "asked for" if chosen is not None else "as it was recorded"
    return "; ".join(
        f"tasks {min(numbers)} to {max(numbers)} on file system {ran_on}, {why}" for ran_on, numbers in odd.items()
    )


def _fits(moved: FileSystemMismatch, harness: Harness, episode: RecordedEpisode) -> bool:
    return (
        moved.harness == harness
        and moved.file_system == episode.file_system
        and moved.first <= episode.number <= moved.last
    )
