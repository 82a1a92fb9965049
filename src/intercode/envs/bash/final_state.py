"""What a session's ending looks like to the rewards, read from outside."""

from __future__ import annotations

from collections.abc import Sequence

from intercode.envs.bash.paper_shell import strict_text
from intercode.envs.bash.shell import BASH
from intercode.rewards.bash.final_state import FinalState
from intercode.rewards.bash.git_status import git_status, touches_git
from intercode.rewards.bash.git_tracked import IGNORED, Tracked
from intercode.rewards.bash.paper import sums
from intercode.sandboxes.base import Change, Session

WHOLE = 256 << 20
"""Bytes that are read of a file for its sum: more than a session may write."""


def read_final_state(session: Session, answer: str | None, tracked: Tracked) -> FinalState:
    """All that both rewards want to know of *session*, whose image keeps *tracked* in its repository."""
    changes = tuple(session.changes())
    status = _status(session, changes, tracked)
    return FinalState(answer, changes, status, sums(status, lambda path: session.read(path, limit=WHOLE)))


def _status(session: Session, changes: Sequence[Change], tracked: Tracked) -> str:
    """As the published program is told by git: by git itself where the agent meddled with it and it has an answer."""
    if touches_git(changes):
        result = session.run([BASH, "-c", "git status --short;"])
        text = strict_text(result)
        if result.exit_code == 0 and text is not None:
            return text
    return git_status(changes, tracked)


def list_tracked(session: Session) -> Tracked:
    """What an image keeps in its repository, asked of a *session* of it in which nothing has happened yet."""
    ignored = [word for name in sorted(IGNORED) for word in ("-o", "-name", name)][1:]
    kinds = ["(", "-type", "f", "-o", "-type", "l", ")"]
    argv = ["find", ".", "-xdev", "(", *ignored, ")", "-prune", "-o", *kinds, "-print0"]
    paths = session.run(argv).output.decode("utf-8", "surrogateescape").split("\0")
    return Tracked.of(path[1:] for path in paths if path)
