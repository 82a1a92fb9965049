"""Endings in one file system of the Bash world, each reached once however many tasks want it judged.

What an action does depends on what ran before it and on the image, on no task. So an attempt that is the same for all
tasks over one image, as most of an adversary's are, is played once. A session goes on to the next attempt while it is
pristine: no process is left, and no file, shared memory or message queue was made or changed (`Session.is_pristine`).
Actions that left a session so count for nothing in what follows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from posixpath import dirname
from shlex import quote
from types import TracebackType
from typing import Self

from intercode.envs.bash.final_state import read_final_state
from intercode.envs.bash.fresh_shell import FreshShell
from intercode.errors import SessionLostError
from intercode.rewards.bash.final_state import FinalState
from intercode.runs.hackcheck.adversary import Moves
from intercode.sandboxes.base import Limits, Sandbox, Session
from intercode.sandboxes.images import Image
from intercode.types import Action, Observation

Path = tuple[str, ...]
"""The commands of an attempt, from the first."""

UNLESS_THERE = tuple(
    (re.compile(pattern, re.ASCII), exit_code)
    for pattern, exit_code in (
        (r"ln -sT /dev/null (/[\w./-]+) 2> /dev/null", 1),
        (r"for file in (/[\w./ -]+); do test -e \$file \|\| cp /[\w./-]+ \$file; done 2> /dev/null", 0),
    )
)
"""Commands that do nothing where there is something at each of their paths, and what they then exit with."""

QUOTE = "'\"'\"'"
"""How `shlex.quote` writes a single quote within quotes."""


@dataclass
class _Seat:
    """A session, the commands that ran in it since it was pristine, and the shell that ran them."""

    session: Session
    shell: FreshShell
    path: Path = ()


@dataclass(eq=False)
class EndingCache:
    """Plays attempts on *image*. Use it in a `with` block, by one thread; it forgets everything with its last use."""

    sandbox: Sandbox
    image: Image
    limits: Limits
    started_at: float
    played: int = field(default=0, init=False)
    """Attempts that were asked for, and `runs` the commands that had to be run for them."""

    runs: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self._seen: dict[Path, Observation | None] = {(): Observation("")}
        self._left: dict[tuple[Path, bool], FinalState] = {}
        self._idle: set[Path] = {()}
        self._makes: dict[str, bool] = {}
        self._there: dict[str, bool] = {}
        self._seat: _Seat | None = None
        self._pristine: dict[tuple[float, int], Session] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._leave()
        for session in self._pristine.values():
            session.close()
        self._pristine = {}

    def learn_from(self, other: EndingCache) -> None:
        """Take over what *other* knows of the same image and time, which another thread may be using.

        Each copy is one step. Who knows only a part of what one command did runs it again.
        """
        self._left = other._left.copy() | self._left
        self._idle |= other._idle.copy()
        self._makes |= other._makes.copy()
        self._there |= other._there.copy()
        self._seen = other._seen.copy() | self._seen

    def play(self, moves: Moves, *, archives: bool = False) -> tuple[FinalState | None, Path]:
        """What *moves* leave, and which commands they ran. None where they broke their session."""
        self.played += 1
        path: Path = ()
        action = next(moves, None)
        while action is not None and action.kind == "execute":
            path = (*path, action.text)
            seen = self._observe(self._effective(path))
            if seen is None:
                return None, path
            action = send(moves, seen)
        return self._ending(self._effective(path), archives), path

    def forget(self, text: str) -> None:
        """What the command *text* did alone: the next time it runs again, in a session where nothing has run."""
        path = (text,)
        self._seen.pop(path, None)
        self._idle.discard(path)
        for archives in (False, True):
            self._left.pop((path, archives), None)
        if self._seat is not None and self._seat.path == path:
            self._leave()

    @contextmanager
    def session(self, started_at: float, shuffle: int = 0) -> Iterator[Session]:
        """A session of the image in which nothing has happened yet, as far as anything that runs in it can see."""
        session = self._take(started_at, shuffle)
        try:
            yield session
        except BaseException:
            session.close()
            raise
        self._put((started_at, shuffle), session)

    def can_make(self, path: str) -> bool:
        """Whether there is nothing at *path* in the image, and a file can be made there."""
        if path not in self._makes:
            ending, _ = self.play(commands(f"mkdir -p {quote(dirname(path))}; echo > {quote(path)}"))
            made = [] if ending is None else [each.before for each in ending.changes if each.path == path]
            self._makes[path] = made == [None]
        return self._makes[path]

    def _effective(self, path: Path) -> Path:
        """The commands of *path* that the last one may notice, and the last one."""
        found: Path = ()
        for text in path:
            found = (text,) if found in self._idle else (*found, text)
        return found

    def _observe(self, path: Path) -> Observation | None:
        """What the last command of *path* shows."""
        if path not in self._seen:
            try:
                self._seen[path] = self._foresee(path) or self._run(path)
            except SessionLostError:
                self._seen[path] = None
                self._leave()
        return self._seen[path]

    def _foresee(self, path: Path) -> Observation | None:
        """What *path* shows where that is known without running it, and that it changes nothing."""
        if len(path) != 1:
            return None
        seen = None
        if (said := what_echo_says(path[0])) is not None:
            seen = Observation(f"{said}\n", 0)
        for pattern, exit_code in UNLESS_THERE:
            if (found := pattern.fullmatch(path[0])) and all(map(self._is_there, found[1].split(" "))):
                seen = Observation("", exit_code)
        if seen is not None:
            self._idle.add(path)
        return seen

    def _is_there(self, path: str) -> bool:
        """Whether the image has a file or folder at *path*; False where that is not known."""
        if path not in self._there:
            with self.session(self.started_at) as session:
                try:
                    session.read(path, limit=0)
                    self._there[path] = True
                except OSError as error:
                    self._there[path] = isinstance(error, IsADirectoryError)
        return self._there[path]

    def _run(self, path: Path) -> Observation:
        """Run the last command of *path*, those before it only where they have not just run."""
        seat = self._at(path[:-1])
        seen = self._step(seat, path)
        if seat.shell.cwd == self.image.workdir and seat.session.is_pristine():
            self._idle.add(path)
            seat.path = ()
        return seen

    def _step(self, seat: _Seat, path: Path) -> Observation:
        self.runs += 1
        seat.path = path
        return seat.shell.run(path[-1])

    def _at(self, path: Path) -> _Seat:
        """A session in which exactly *path* has run."""
        if self._seat is not None and self._seat.path == path:
            return self._seat
        self._leave()
        session = self._take(self.started_at)
        self._seat = seat = _Seat(session, FreshShell(session, seconds=self.limits.seconds))
        for number in range(1, len(path) + 1):
            self._step(seat, path[:number])
        return seat

    def _ending(self, path: Path, archives: bool) -> FinalState | None:
        if (path, archives) not in self._left:
            try:
                self._left[path, archives] = self._read(path, archives)
            except SessionLostError:
                self._leave()
                return None
        return self._left[path, archives]

    def _read(self, path: Path, archives: bool) -> FinalState:
        seen = self._seen[path]
        answer = seen.text if path and seen is not None else None
        if path in self._idle:
            return FinalState(answer, started_at=self.started_at)
        seat = self._at(path)
        seat.session.kill()
        return read_final_state(
            seat.session, answer, None, where=seat.shell.cwd, started_at=self.started_at, archives=archives
        )

    def _take(self, started_at: float, shuffle: int = 0) -> Session:
        """A pristine session, as one that began at that time, its folders in that order."""
        kind = (started_at, shuffle)
        if self._seat is not None and self._seat.path == () and kind == self._usual:
            self._leave()
        known = self._pristine.pop(kind, None)
        return known or self.sandbox.start(self.image, started_at=started_at, limits=self.limits, shuffle=shuffle)

    def _put(self, kind: tuple[float, int], session: Session) -> None:
        """Keep a session for the next who wants such a one, if it is pristine."""
        try:
            is_wanted = kind not in self._pristine and session.is_pristine()
        except SessionLostError:
            is_wanted = False
        if is_wanted:
            self._pristine[kind] = session
        else:
            session.close()

    def _leave(self) -> None:
        if self._seat is not None:
            seat, self._seat = self._seat, None
            if seat.path == () and self._usual not in self._pristine:
                self._pristine[self._usual] = seat.session
            else:
                seat.session.close()

    @property
    def _usual(self) -> tuple[float, int]:
        """When sessions begin in which attempts run, and the order of their folders."""
        return self.started_at, 0


def what_echo_says(command: str) -> str | None:
    """What the *command* prints, where it is `echo` and one quoted text, and so need not be run to be known."""
    word = command.removeprefix("echo ")
    text = word[1:-1].replace(QUOTE, "'") if word.startswith("'") else word
    if not command.startswith("echo ") or "\0" in command or text.startswith("-") or quote(text) != word:
        return None
    return text


def commands(*texts: str) -> Moves:
    """Moves that run *texts* and submit."""
    for text in texts:
        yield Action("execute", text)
    yield Action("submit")


def send(moves: Moves, seen: Observation) -> Action | None:
    """The next of *moves* after *seen*; None where there is none."""
    try:
        return moves.send(seen)
    except StopIteration:
        return None
