"""What a session's ending looks like to the rewards, read from outside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from intercode.errors import SandboxError
from intercode.rewards.core.file_endings import FinalState
from intercode.worlds.bash.paper_shell import strict_text
from intercode.worlds.bash.scoring.archives import MOST, ReadingBudget, members_digest
from intercode.worlds.bash.scoring.git_status import git_status, touches_git
from intercode.worlds.bash.scoring.git_tracked import IGNORED, TrackedFiles
from intercode.worlds.bash.scoring.paper import sums
from intercode.worlds.bash.shell import BASH
from intercode_sandbox.deadline import PATIENCE
from intercode_sandbox.sandbox import Change, Session

WHOLE = 256 << 20
"""Bytes that are read of a file for its sum: more than a session may write."""


def read_final_state(
    session: Session,
    answer: str | None,
    tracked: TrackedFiles | None,
    *,
    where: str = "",
    started_at: float = 0.0,
    archives: bool = False,
) -> FinalState:
    """Return all that both rewards want to know of *session*, whose image keeps *tracked* in its repository.

    Without *tracked* nothing is read that only `paper` looks at.
    *where* is the working directory at the end ("": not known). With *archives* the digest of an archive is that of
    its members.
    """
    changes = tuple(session.changes())
    status = "" if tracked is None else _status(session, changes, tracked)
    paper_sums = sums(status, lambda path: session.read(path, limit=WHOLE))
    if archives:
        budget = ReadingBudget()
        changes = tuple(_by_members(session, change, budget) for change in changes)
    moved_to = "" if where == session.image.workdir else where
    return FinalState(answer, changes, status, paper_sums, moved_to, started_at)


def _by_members(session: Session, change: Change, budget: ReadingBudget) -> Change:
    """Return *change*, its file told by its members where it is an archive: then its size tells nothing."""
    if change.after is None or change.after.type != "file":
        return change
    try:
        digest = members_digest(session.read(change.path, limit=MOST + 1), budget)
    except OSError:
        return change
    return change if digest is None else replace(change, after=replace(change.after, digest=digest, size=0))


def _status(session: Session, changes: Sequence[Change], tracked: TrackedFiles) -> str:
    """As the published program is told by git: by git itself where the agent meddled with it and it has an answer."""
    if touches_git(changes):
        result = session.run([BASH, "-c", "git status --short;"], timeout=session.limits.seconds * PATIENCE)
        text = strict_text(result)
        if result.exit_code == 0 and text is not None:
            return text
    return git_status(changes, tracked)


def list_tracked(session: Session) -> TrackedFiles:
    """Return what an image keeps in its repository, asked of a *session* of it in which nothing has happened yet.

    Raises:
        SandboxError: If that takes too long.
    """
    ignored = [word for name in sorted(IGNORED) for word in ("-o", "-name", name)][1:]
    kinds = ["(", "-type", "f", "-o", "-type", "l", ")"]
    argv = ["find", ".", "-xdev", "(", *ignored, ")", "-prune", "-o", *kinds, "-print0"]
    result = session.run(argv)
    if result.timed_out:
        raise SandboxError(f"the files of image {session.image.name!r} could not be listed: this machine is too busy")
    paths = result.output.decode("utf-8", "surrogateescape").split("\0")
    return TrackedFiles.of(path[1:] for path in paths if path)
