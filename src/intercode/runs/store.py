"""A run is a directory: `manifest.json`, and `episodes.jsonl` with one line for each finished episode.

Lines are only ever added, each flushed to the disk before its episode is reported as finished: whatever kills the
program, those episodes are there. A line that a kill has torn is set aside, and its episode run again.
"""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from os import PathLike
from pathlib import Path
from threading import Lock
from typing import Self

from intercode.errors import BadDataError, MachineError, UserError
from intercode.runs import cli_hints
from intercode.runs import manifest as manifests
from intercode.runs.episode_record import EpisodeOutcome, EpisodeRecord, Key, key_of, outcome_of
from intercode.runs.manifest import Manifest
from intercode.types import Trajectory, trajectories
from intercode.types.conversation import NO_USAGE
from intercode.types.trajectories import EPISODES
from intercode.util.regular_files import open_to_append
from intercode_sandbox.util.closing import Closeable
from intercode_sandbox.util.locks import lock
from intercode_sandbox.util.text import failure

TORN = "episodes.torn"
"""Where lines that were not written to their end are kept."""


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run as read from its directory.

    Attributes:
        path: The directory.
        manifest: What was played, and on what.
        episodes: The last record of each episode, in the order in which they were finished.
        left_out: How many of its tasks `without` has taken away.
    """

    path: Path
    manifest: Manifest
    episodes: tuple[Trajectory, ...]
    left_out: int = 0

    @property
    def missing(self) -> int:
        """Return how many episodes are still to be played, those that ended in an error included."""
        return self.manifest.episodes - sum(episode.status != "error" for episode in self.episodes)

    def without(self, tasks: Collection[str]) -> Self:
        """Return the same run as if *tasks* had never been part of it."""
        tasks_left = tuple(task for task in self.manifest.tasks if task not in tasks)
        episodes = tuple(episode for episode in self.episodes if episode.task.id not in tasks)
        left_out = self.left_out + len(self.manifest.tasks) - len(tasks_left)
        return replace(self, manifest=replace(self.manifest, tasks=tasks_left), episodes=episodes, left_out=left_out)


def read(path: str | PathLike[str], *, outlines: bool = False) -> StoredRun:
    """Read a run. One that is being written can be read: a last line that is not yet whole is skipped.

    Args:
        path: The run's directory, or a file in it.
        outlines: Whether to keep only what figures are made of (`outlines.read`), so that ten thousand episodes fit in
            memory.

    Raises:
        BadDataError: If it cannot be read; the message names the file and the line.
    """
    path = Path(path)
    folder = path.parent if path.is_file() else path
    if not folder.is_dir():
        raise BadDataError(f"no run in {path}: there is no such directory")
    manifest = manifests.read(folder)
    reader = _outline if outlines else trajectories.read_line
    with trajectories.without_collecting():
        latest = _latest(trajectories.stream(folder / EPISODES, reader=reader))
    return StoredRun(folder, manifest, tuple(latest.values()))


class RunStore(Closeable):
    """The one writer of a run. Make one with `create` or `resume`; `append` may be called from several threads."""

    def __init__(self, path: Path, manifest: Manifest, file: int) -> None:
        self.path = path
        self.manifest = manifest
        self.note = ""
        """What a person should know of how the run was found; "" when nothing was odd."""
        self.used = NO_USAGE
        """What models took for all that was in it when it was opened, episodes that were played again included."""
        self._file = file
        planned = product(manifest.tasks, range(manifest.settings.repeat))
        self._outcomes: dict[Key, EpisodeOutcome | None] = dict.fromkeys(
            planned
        )  # all of it now: later it does not grow
        self._size = self._safe = os.fstat(file).st_size
        self._failure: OSError | None = None
        self._writing, self._saving = Lock(), Lock()

    @classmethod
    def create(cls, path: str | PathLike[str], manifest: Manifest) -> Self:
        """Begin a run.

        Args:
            path: A directory that is new or empty.
            manifest: What is played, and on what.

        Raises:
            UserError: If a run, or anything else, is already there.
            MachineError: If nothing can be written there.
        """
        path = Path(path)
        if (path / manifests.NAME).exists():
            go_on = cli_hints.resume_command(path, manifest.settings)
            raise UserError(f"{path} already holds a run: choose another directory, or resume it: {go_on}")
        if path.is_dir() and set(os.listdir(path)) - {EPISODES, f"{manifests.NAME}.new"}:
            raise UserError(f"{path} is not empty and holds no run: choose another directory")
        manifest = replace(manifest, begun_in=os.path.relpath(Path.cwd(), path.resolve()))
        file = _open(path)
        try:
            _write_manifest(manifest, path)
        except BaseException:
            os.close(file)
            raise
        return cls(path, manifest, file)

    @classmethod
    def resume(cls, path: str | PathLike[str]) -> Self:
        """Go on with the run in *path*.

        A torn last line is moved to `episodes.torn`, and `note` says so.

        Raises:
            BadDataError: If no run is there that this version can read.
            UserError: If scores would have other names than those that it holds.
        """
        path = Path(path)
        manifest = manifests.read(path)
        if manifest.is_reward_renamed:
            raise UserError(
                f"{path} is of format 1, in which the scores of {manifest.reward} are stored as exact: it can be read "
                "and replayed, but nothing can be added to it; begin another run with another --out"
            )
        store = cls(path, manifest, _open(path))
        try:
            store._take_up()
        except BaseException:
            store.close()
            raise
        return store

    def replace_manifest(self, manifest: Manifest) -> None:
        """Go on under another manifest.

        Raises:
            MachineError: If it cannot be written.
        """
        _write_manifest(manifest, self.path)
        self.manifest = manifest

    def finished(self) -> frozenset[Key]:
        """Return the episodes that need not be played (again): all but those that ended in an error."""
        with self._writing:
            return frozenset(key for key, outcome in self._outcomes.items() if outcome and outcome.is_finished)

    def successes(self, scoring: str) -> int:
        """Return how many of the episodes so far are successes under *scoring*."""
        with self._writing:
            return sum(scoring in outcome.won for outcome in self._outcomes.values() if outcome)

    def append(self, episode: Trajectory) -> None:
        """Store *episode*: when this returns, it is on the disk.

        Raises:
            MachineError: As `append_all` does.
        """
        self.append_all([EpisodeRecord.of(episode)])

    def append_all(self, records: Sequence[EpisodeRecord]) -> None:
        """Store episodes: when this returns, they are on the disk.

        Raises:
            MachineError: If they cannot be written; the file then ends with the last whole line.
        """
        line = b"".join(record.line for record in records)
        with self._writing:
            try:
                _write(self._file, line)
            except OSError as error:
                self._cut_off(self._size)
                raise MachineError(self._full(error)) from error
            self._size += len(line)
            end = self._size
        self._save(end)
        with self._writing:
            for record in records:
                self._outcomes[record.key] = record.outcome

    def _save(self, end: int) -> None:
        """Have the disk keep the file up to *end*. Of threads that wait here, the next one does it for all of them."""
        with self._saving:
            if self._safe >= end:
                return
            size = self._size
            try:
                if self._failure is not None:  # the kernel tells it once, and forgets what it could not write
                    raise self._failure
                os.fsync(self._file)
            except OSError as error:
                self._failure = error
                self._cut_off(self._safe)
                raise MachineError(self._full(error)) from error
            self._safe = size

    def _cut_off(self, end: int) -> None:
        with contextlib.suppress(OSError):  # else the next to open it sets the torn line aside
            os.truncate(self.path / EPISODES, end)

    def _take_up(self) -> None:
        """Learn what the file holds, without keeping it."""
        torn: list[bytes] = []
        for episode in trajectories.stream(self.path / EPISODES, torn=torn.append):
            self._outcomes[key_of(episode)] = outcome_of(episode)
            self.used += episode.usage
        self.note = _keep_torn_line(self.path, self._file, b"".join(torn))
        self._size = self._safe = os.fstat(self._file).st_size

    def close(self) -> None:
        """Release the run: another process may write it now. Closing twice is harmless."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _full(self, error: OSError) -> str:
        stored = sum(outcome is not None for outcome in self._outcomes.values())
        return failure(
            f"cannot write to {self.path / EPISODES}: {error.strerror} (the {stored} episodes in it are whole)",
            fix=_cure(error),
            resume=cli_hints.resume_command(self.path, self.manifest.settings),
        )


def _open(path: Path) -> int:
    """Return the file of episodes, open for this process alone."""
    try:
        path.mkdir(parents=True, exist_ok=True)
        file = open_to_append(path / EPISODES)
    except (PermissionError, NotADirectoryError, FileExistsError, IsADirectoryError) as error:
        raise UserError(f"cannot write a run to {path}: {error.strerror}; choose another directory") from error
    except OSError as error:
        if error.errno == errno.EINVAL:  # what is there is no file that could be written
            raise UserError(f"cannot write to {path / EPISODES}: {error.strerror}") from error
        raise MachineError(
            f"cannot write to {path}: {error.strerror}; {_cure(error)}, or choose another directory"
        ) from error
    try:
        lock(file, wait=False)
    except BlockingIOError as error:
        os.close(file)
        raise UserError(f"another process is writing {path}: wait for it, or choose another directory") from error
    return file


def _cure(error: OSError) -> str:
    return "make room" if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG) else "repair the file system"


def _write(file: int, line: bytes) -> None:
    rest = memoryview(line)
    while rest:
        rest = rest[os.write(file, rest) :]


def _write_manifest(manifest: Manifest, path: Path) -> None:
    try:
        manifests.write(manifest, path)
    except OSError as error:
        raise MachineError(
            f"cannot write to {path}: {error.strerror}; {_cure(error)}, or choose another directory"
        ) from error


def _outline(line: bytes) -> Trajectory:
    from intercode.runs import outlines  # its structs take time to make

    return outlines.read(line)


def _latest(episodes: Iterable[Trajectory]) -> dict[Key, Trajectory]:
    """Return one trajectory for each episode: where one was played again after an error, the last."""
    found: dict[Key, Trajectory] = {}
    for episode in episodes:
        found.pop(key_of(episode), None)
        found[key_of(episode)] = episode
    return found


def _keep_torn_line(path: Path, file: int, torn: bytes) -> str:
    if not torn:
        return ""
    with os.fdopen(open_to_append(path / TORN), "ab") as aside:
        aside.write(torn.rstrip(b"\n") + b"\n")
    os.ftruncate(file, os.fstat(file).st_size - len(torn))
    return f"the last line of {path / EPISODES} was torn (kept in {TORN}): that episode is run again"
