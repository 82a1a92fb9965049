"""Endings in one file system of the Bash world, each reached once however many tasks want it judged.

What an action does depends on what ran before it and on the image, on no task. So an attempt that is the same for all
tasks over one image, as most of an adversary's are, is played once; and sessions in which nothing was changed are used
again.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field, replace
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


@dataclass
class _Seat:
    """A session, the commands that ran in it, and the shell that ran them."""

    session: Session
    shell: FreshShell
    path: Path = ()


@dataclass
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
        self._makes: dict[str, bool] = {}
        self._seat: _Seat | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._leave()

    def play(self, moves: Moves, *, archives: bool = False) -> tuple[FinalState | None, Path]:
        """What *moves* leave, and which commands they ran. None where they broke their session."""
        self.played += 1
        path: Path = ()
        action = next(moves, None)
        while action is not None and action.kind == "execute":
            path = (*path, action.text)
            seen = self._observe(path)
            if seen is None:
                return None, path
            action = send(moves, seen)
        return self._ending(path, archives), path

    def forget(self, text: str) -> None:
        """What the command *text* did alone: the next time it runs again, in a session where nothing has run."""
        self._seen.pop((text,), None)
        for archives in (False, True):
            self._left.pop(((text,), archives), None)
        if self._seat is not None and self._seat.path == (text,):
            self._leave()

    def _observe(self, path: Path) -> Observation | None:
        """What the last command of *path* shows."""
        if path not in self._seen and (said := what_echo_says(path[-1])) is not None:
            self._foresee(path, f"{said}\n")
        if path not in self._seen:
            try:
                self._seen[path] = self._run(path)
            except SessionLostError:
                self._seen[path] = None
                self._leave()
        return self._seen[path]

    def _foresee(self, path: Path, said: str) -> None:
        """Remember what an `echo` does that ends *path*, where nothing has been changed before it."""
        before = self._ending(path[:-1], False)
        if before is not None and not before.changes:
            self._seen[path] = Observation(said, 0)
            self._left[path, False] = self._left[path, True] = replace(before, answer=said)

    def can_make(self, path: str) -> bool:
        """Whether there is nothing at *path* in the image, and a file can be made there."""
        if path not in self._makes:
            ending, _ = self.play(commands(f"mkdir -p {quote(dirname(path))}; echo > {quote(path)}"))
            made = [] if ending is None else [each.before for each in ending.changes if each.path == path]
            self._makes[path] = made == [None]
        return self._makes[path]

    def _run(self, path: Path) -> Observation:
        """Run the last command of *path*, those before it only where they have not just run."""
        seat = self._at(path[:-1])
        self.runs += 1
        seat.path = path
        return seat.shell.run(path[-1])

    def _at(self, path: Path) -> _Seat:
        """A session in which exactly *path* has run."""
        if self._seat is not None and self._seat.path == path:
            return self._seat
        self._begin()
        assert self._seat is not None
        for number, text in enumerate(path, 1):
            self.runs += 1
            self._seat.path = path[:number]
            self._seat.shell.run(text)
        return self._seat

    def _begin(self) -> None:
        """An untouched session: the last one, if nothing was changed in it, or a new one."""
        if self._seat is not None and self._is_untouched(self._seat):
            self._seat.path = ()
            return
        self._leave()
        session = self.sandbox.start(self.image, started_at=self.started_at, limits=self.limits)
        self._seat = _Seat(session, FreshShell(session, seconds=self.limits.seconds))

    def _is_untouched(self, seat: _Seat) -> bool:
        try:
            seat.session.kill()
            return seat.shell.cwd == self.image.workdir and not seat.session.changes()
        except SessionLostError:
            return False

    def _ending(self, path: Path, archives: bool) -> FinalState | None:
        if (path, archives) not in self._left:
            try:
                self._left[path, archives] = self._read(path, archives)
            except SessionLostError:
                self._leave()
                return None
        return self._left[path, archives]

    def _read(self, path: Path, archives: bool) -> FinalState:
        seat = self._at(path)
        seat.session.kill()
        seen = self._seen[path]
        answer = seen.text if path and seen is not None else None
        return read_final_state(
            seat.session, answer, None, where=seat.shell.cwd, started_at=self.started_at, archives=archives
        )

    def _leave(self) -> None:
        if self._seat is not None:
            self._seat.session.close()
            self._seat = None


def what_echo_says(command: str) -> str | None:
    """What the *command* prints, where it is `echo` and one quoted text, and so need not be run to be known."""
    if not command.startswith("echo ") or "\0" in command:
        return None
    try:
        words = shlex.split(command.removeprefix("echo "))
    except ValueError:
        return None
    if len(words) != 1 or words[0].startswith("-") or shlex.quote(words[0]) != command.removeprefix("echo "):
        return None
    return words[0]


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
