"""Copies of a session for programs to judge in: no process of the agent's, and the image's own system."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from intercode.env.gold_runner import GoldRunner, fresh
from intercode.env.judging_copy.image_facts import ImageFacts
from intercode.env.judging_copy.named_places import Places
from intercode.env.judging_copy.path_rules import PathRules, Solution, is_in, parents
from intercode.env.judging_copy.restoration import is_restored, restore
from intercode.errors import SandboxError, SessionLostError, SnapshotError
from intercode_sandbox.images import Image
from intercode_sandbox.network.hosts import NONE, NetworkPolicy
from intercode_sandbox.sandbox import Change, Limits, Sandbox, Session

SHOWN = 5
"""Paths that a note names."""

NOWHERE = Places()


@dataclass(frozen=True, slots=True)
class JudgingCopy:
    """A copy to judge in, and what of the agent's is not in it: paths that are the image's again."""

    session: Session
    left_out: tuple[str, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """A note for people of what is left out; none where nothing is."""
        if not self.left_out:
            return ()
        more = f" and {len(self.left_out) - SHOWN} more" if len(self.left_out) > SHOWN else ""
        return (f"judged without what was left at {', '.join(self.left_out[:SHOWN])}{more}",)


@dataclass(frozen=True)
class JudgingCopies:
    """Makes copies of sessions of one episode.

    Attributes:
        sandbox: Where they run.
        started_at: When the episode began.
        keep: Paths that the task says are its work, with all below: nothing there is given back to the image.
        reserved: Paths that are never anybody's work.
        solution: What the task's own solution changes; None where nobody knows.
        network: What programs in them may reach.
        note_network: Called with each copy before it ends.
    """

    sandbox: Sandbox
    started_at: float
    keep: tuple[str, ...] = ()
    reserved: tuple[str, ...] = ()
    solution: Solution | None = None
    network: NetworkPolicy = NONE
    note_network: Callable[[Session], None] = lambda session: None

    @contextmanager
    def copy(self, session: Session, limits: Limits, places: Places = NOWHERE) -> Iterator[JudgingCopy]:
        """Copy *session* for programs that name *places*.

        Raises:
            SessionLostError: If what the agent has left is in the way.
        """
        try:
            with (
                session.snapshot() as files,
                self.sandbox.start(
                    session.image, snapshot=files, started_at=self.started_at, limits=limits.for_judging(self.network)
                ) as copy,
            ):
                yield JudgingCopy(copy, self._clean(copy, places))
                self.note_network(copy)
        except SnapshotError as error:
            raise SessionLostError(f"no copy can be made of what the agent has left: {error}") from error

    def _clean(self, copy: Session, places: Places) -> tuple[str, ...]:
        """Give the image's own system back to *copy*; the topmost paths where that took something."""
        found = copy.changes()
        if not found:
            return ()
        rules = PathRules(self._facts(copy.image), places, self.keep, self.reserved, self.solution)
        undone = rules.undone(found)
        if not undone:
            return ()
        self._restore(copy, undone, rules)
        paths = {each.path for each in undone}
        tops = sorted(path for path in paths if paths.isdisjoint(parents(path)))
        return tuple(path for path in tops if not any(is_in(path, place) for place in self.reserved))

    def _restore(self, copy: Session, undone: Sequence[Change], rules: PathRules) -> None:
        with fresh(lambda: _start(self.sandbox, copy.image)) as original:
            restore(copy, undone, lambda path, size: original.read(path, limit=size))
        copy.kill()
        left = rules.undone(copy.changes())  # of all: what ran meanwhile may have been the agent's, and left more
        if wrong := [each.path for each in left if not is_restored(each)]:
            raise SessionLostError(f"{wrong[0]} cannot be given back to the image, and programs that judge read it")

    def _facts(self, image: Image) -> ImageFacts:
        """Return what is known of *image*, which its sandbox remembers and does not live on for."""
        sandbox = weakref.ref(self.sandbox)

        def start() -> AbstractContextManager[Session]:
            there = sandbox()
            if there is None:
                raise SandboxError("the sandbox is closed")
            return fresh(lambda: _start(there, image))

        return GoldRunner.of(self.sandbox).once(("image facts", image.digest), lambda: ImageFacts(image, start))


def _start(sandbox: Sandbox, image: Image) -> Session:
    return sandbox.start(image, limits=Limits(seconds=60))
