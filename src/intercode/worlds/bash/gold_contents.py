"""What is in the files that a gold makes or rewrites, read when rewards along the way ask for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from intercode.env.gold_runner import GoldRunner, gold_session
from intercode.worlds.bash.fresh_shell import run_exact
from intercode.worlds.bash.gold_runs import SECONDS
from intercode.worlds.bash.scoring.nearness import Content, Lines, similarity
from intercode_sandbox.sandbox import Session

if TYPE_CHECKING:
    from intercode.env.env import Env

FILES = 64
"""How many of a gold's files are read; the others count as a whole or not at all."""

BYTES = 64 << 10
"""How much of each file is read."""


@dataclass(frozen=True, slots=True)
class FoundContents:
    """What is in a gold's files; *cut*: when its time ran out."""

    files: Mapping[str, Content]
    cut: bool


class GoldContents(GoldRunner):
    """Knows the content of each gold's files. Safe to use from several threads."""

    def contents(self, env: Env) -> Mapping[str, Content]:
        """Return what is in the files of the gold of *env*'s task, by path.

        Raises:
            MachineError: If the sandbox breaks.
        """
        gold = env.task.gold or ""
        found = self.once((env.image.digest, gold), lambda: _read(env, gold), is_fact=lambda found: not found.cut)
        return found.files


def read_lines(session: Session, path: str) -> Lines | None:
    """Return the lines at the start of a file; None for what is no regular file, or is gone."""
    try:
        return Counter(session.read(path, limit=BYTES).splitlines())
    except OSError:
        return None


def _read(env: Env, gold: str) -> FoundContents:
    after: dict[str, Lines] = {}
    with gold_session(env) as session:
        result = run_exact(session, gold, cwd=session.image.workdir, seconds=SECONDS)
        session.kill()
        files = [each.path for each in session.changes() if each.after is not None and each.after.type == "file"]
        for path in files[:FILES]:
            if (lines := read_lines(session, path)) is not None:
                after[path] = lines
    with gold_session(env) as session:
        before = {path: read_lines(session, path) for path in after}
    contents = {
        path: Content(lines, 0.0 if (old := before[path]) is None else similarity(old, lines))
        for path, lines in after.items()
    }
    return FoundContents(contents, result.timed_out)
