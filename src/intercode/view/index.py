"""Where each episode of a run lies in its file, and what a table says of it: built once, then kept up with the file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from threading import Lock
from typing import BinaryIO

from intercode.errors import BadDataError
from intercode.runs import manifest as manifests
from intercode.runs import outlines
from intercode.runs.episode_record import Key, key_of
from intercode.runs.manifest import Manifest
from intercode.runs.store import StoredRun
from intercode.types import Trajectory
from intercode.types.trajectories import EPISODES, without_collecting
from intercode.util.regular_files import LONGEST_LINE, open_regular

PART = 2 << 20
"""Bytes that are read at once: others wait so long."""

BLOCK = 1 << 18
"""Bytes that are searched at once: they fit into a processor's cache."""

MOST_PROBLEMS = 20
"""How many lines that cannot be read are named."""


@dataclass(frozen=True, slots=True)
class LinePlace:
    """An episode's line: where it begins, its bytes, and how many lines were stored before it."""

    offset: int
    length: int
    number: int


@dataclass(slots=True)
class IndexEntry:
    """An episode without its texts, and where to find it whole."""

    outline: Trajectory
    place: LinePlace


@dataclass
class RunIndex:
    """The episodes of the run in *folder*, by byte offset. Reads only; safe to use from several threads.

    `generation` is another whenever what was told of the file no longer holds: it was cut, or replaced. `count` is how
    many lines have been read; `problems` says which of them are no episodes. `is_whole` says whether all
    that was in the file has been read.
    """

    folder: Path
    manifest: Manifest
    problems: list[str] = field(default_factory=list)
    count: int = 0
    is_whole: bool = False
    _entries: dict[Key, IndexEntry] = field(default_factory=dict)
    _end: int = 0
    _inode: int = 0
    _cuts: int = 0
    _is_broken: bool = False
    _lock: Lock = field(default_factory=Lock)

    @classmethod
    def of(cls, folder: Path) -> RunIndex:
        """Return the run in *folder*.

        Raises:
            BadDataError: If there is none that this version can read.
        """
        return cls(folder, manifests.read(folder))

    @property
    def file(self) -> Path:
        """Return where its episodes are."""
        return self.folder / EPISODES

    @property
    def generation(self) -> str:
        """Told with every row, so that a reader knows when to begin anew."""
        return f"{self._inode:x}.{self._cuts}"

    def refresh(self, seconds: float = inf) -> bool:
        """Read what has been stored since the last call; whether there was anything.

        After about *seconds* it ends, with the beginning of a large file; `is_whole` says whether there is more.

        Raises:
            BadDataError: If the file cannot be read.
        """
        until, before = time.monotonic() + seconds, (self.generation, self.count)
        while True:
            with self._lock:
                self._read_on()
            if self.is_whole or time.monotonic() >= until:
                return (self.generation, self.count) != before
            time.sleep(0.001)  # a lock is not fair: who asks for what has been read gets it now

    def entries(self) -> list[IndexEntry]:
        """Return the last word on each episode, in the order in which they were stored."""
        with self._lock:
            return list(self._entries.values())

    def entries_after(self, count: int) -> list[IndexEntry]:
        """Return those whose line is not among the first *count*."""
        return [entry for entry in self.entries() if entry.place.number >= count]

    def entries_of(self, task: str) -> list[IndexEntry]:
        """Return the episodes of *task*, by their repeats."""
        with self._lock:
            return [self._entries[key] for key in sorted(key for key in self._entries if key[0] == task)]

    def repeats(self, task: str) -> list[int]:
        """Of which repeats of *task* there is an episode."""
        with self._lock:
            return sorted(repeat for name, repeat in self._entries if name == task)

    def outlines(self) -> StoredRun:
        """Return the run as reports take it."""
        return StoredRun(self.folder, self.manifest, tuple(entry.outline for entry in self.entries()))

    def line(self, key: Key) -> bytes:
        """Return the episode *key* as it is stored.

        Raises:
            BadDataError: If there is none.
        """
        with self._lock:
            entry = self._entries.get(key)
        if entry is None:
            raise BadDataError(f"no episode {key[0]}:{key[1]} in {self.folder}")
        return next(self.lines([entry.place]))

    def lines(self, places: list[LinePlace]) -> Iterator[bytes]:
        """Yield the lines at *places*, one after the other.

        Raises:
            BadDataError: If the file cannot be read.
        """
        try:
            with open_regular(self.file, within=self.folder) as file:
                for place in places:
                    yield os.pread(file.fileno(), place.length, place.offset)
        except OSError as error:
            raise BadDataError(f"cannot read {self.file}: {error.strerror}") from error

    def places_of(self, text: bytes) -> Iterator[int]:
        """Yield where a line of the file holds *text*, in small letters; not more than one for each block of a line.

        Raises:
            BadDataError: If the file cannot be read.
        """
        offset, tail, left = 0, b"", self._end
        try:
            with open_regular(self.file, within=self.folder) as file:
                while part := file.read(min(BLOCK, left)):
                    left -= len(part)
                    block = tail + part.lower()
                    yield from (offset + place for place in _once_a_line(block, text))
                    tail = block[len(block) - len(text) + 1 :]
                    offset += len(block) - len(tail)
        except OSError as error:
            raise BadDataError(f"cannot read {self.file}: {error.strerror}") from error

    def _read_on(self) -> None:
        try:
            with open_regular(self.file, within=self.folder) as file, without_collecting():
                self._read_part(file)
        except FileNotFoundError:
            self.is_whole = True
        except OSError as error:
            raise BadDataError(f"cannot read {self.file}: {error.strerror}") from error

    def _read_part(self, file: BinaryIO) -> None:
        state = os.fstat(file.fileno())
        if state.st_ino != self._inode or state.st_size < self._end:
            self._begin_anew(state.st_ino)
        file.seek(self._end)
        end = self._end + PART
        while not self._is_broken and (line := file.readline(LONGEST_LINE + 1)):
            if len(line) > LONGEST_LINE:
                self._give_up()
                break
            if not line.endswith(b"\n"):  # it is being written: the next call has it
                break
            self._take(line)
            if self._end >= end:
                self.is_whole = self._end >= state.st_size
                return
        self.is_whole = True

    def _give_up(self) -> None:
        """Leave out the rest of the file: what has no end of a line is no run."""
        self._is_broken = True
        what = f"line {self.count + 1} of {self.file} has over {LONGEST_LINE >> 20} MiB"
        self.problems.append(f"{what}: it and what follows are left out")

    def _begin_anew(self, inode: int) -> None:
        self._cuts += self._inode != 0
        self._inode, self._end, self.count, self._is_broken = inode, 0, 0, False
        self._entries.clear()
        self.problems.clear()

    def _take(self, line: bytes) -> None:
        place = LinePlace(self._end, len(line), self.count)
        self._end += len(line)
        self.count += 1
        try:
            found = outlines.read(line)
        except BadDataError as error:
            if len(self.problems) < MOST_PROBLEMS:
                self.problems.append(f"line {place.number + 1} of {self.file} is left out: {error}")
            return
        key = key_of(found)
        self._entries.pop(key, None)  # it was played again after an error: the last counts
        self._entries[key] = IndexEntry(found, place)


def _once_a_line(block: bytes, text: bytes) -> Iterator[int]:
    place = block.find(text)
    while place >= 0:
        yield place
        end = block.find(b"\n", place)
        place = block.find(text, end) if end >= 0 else -1
