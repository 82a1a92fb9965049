"""What is known of an attempt's score before it is played: whether any ending that it can have would score 1.

`exact` gives 1 only where the answer is the gold's, and every path that the gold changes was changed alike, and no
other. So an attempt need not be played whose last words are known not to be the answer, which cannot make what the gold
makes, or which surely makes or shows what the gold does not. What attempts can do at most is said where they are
written (`Effect`), and a test holds it against what they do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256

from intercode.rewards.bash.answer import ExpectedAnswer
from intercode.rewards.bash.archives import is_of_members, members_digest
from intercode.rewards.bash.exact import has_work
from intercode.rewards.bash.final_state import Gold
from intercode.rewards.bash.state import work
from intercode.runs.hackcheck.adversary import Effect
from intercode.sandboxes.base import Change, Entry
from intercode.types import Criteria

LONGEST = 1 << 14
"""Bytes of a content of which a digest is known here: a sandbox tells longer files by digests of another form."""

DIGITS = 32
"""Of a digest."""


@dataclass(frozen=True)
class Foresight:
    """Knows what a task's gold wants: the paths that it changes, and its answer."""

    work: Mapping[str, Change]
    explicit_times: frozenset[str]
    answer: ExpectedAnswer

    @classmethod
    def of(cls, gold: Gold, criteria: Criteria) -> Foresight | None:
        """None where nothing tells doing the task from not doing it."""
        done = work(gold.exact, gold.explicit_times)
        answer = ExpectedAnswer(gold.exact.answer or "", gold.errors, gold.order_free or criteria.any_order)
        if not has_work(gold, criteria, done) and not answer.lines:
            return None
        return cls(done, gold.explicit_times, answer)

    def rules_out(self, effect: Effect, can_make: Callable[[str], bool]) -> bool:
        """Whether no ending that *effect* allows scores 1. *can_make*: whether nothing is at a path, and a file can be.

        What is cheap to know is asked first.
        """
        if effect.shows is not None and self.answer.lines and self.answer.match(effect.shows) < 1:
            return True
        if effect.line and self._never_shows(effect.line):
            return True
        if any(path not in self.work and can_make(path) for path in effect.surely):
            return True
        return effect.makes is not None and not self._allows(effect, effect.makes)

    def _never_shows(self, line: str) -> bool:
        """Whether an answer is wanted that has no such line. Errors of the gold may stand in it, too."""
        answer = self.answer
        if not answer.lines or answer.errors or len(answer.output) > LONGEST:
            return False
        return not any(re.fullmatch(line, each) for each in answer.lines)

    def _allows(self, effect: Effect, makes: frozenset[str]) -> bool:
        """Whether all that the gold changes can come of *effect*."""
        return all(
            _allows(effect, makes, change, is_set=path in self.explicit_times) for path, change in self.work.items()
        )


def _allows(effect: Effect, makes: frozenset[str], change: Change, *, is_set: bool) -> bool:
    """Whether *change* can come of *effect*. *is_set*: whether the gold set its time, to one that no clock shows."""
    before, after = change.before, change.after
    if after is None:
        return effect.removes
    if before is not None and (before.type, before.mode, before.uid, before.gid, before.digest) == (
        after.type, after.mode, after.uid, after.gid, after.digest,
    ):  # fmt: skip
        return not is_set  # nothing but a time: what an attempt writes has that of the clock
    if before is not None and is_of_members(after.digest):
        return True  # perhaps nothing but a time, too: before it was told by its bytes
    if after.type == "directory":
        return effect.folders
    return after.type == "file" and any(_is_content(after, text) for text in makes)


def _is_content(entry: Entry, text: str) -> bool:
    """Whether the file *entry* may hold *text*. Where it could not be read its digest is a word."""
    size, digest, members = _size_and_digests(text)
    if is_of_members(entry.digest):
        return entry.digest == members
    if len(entry.digest) != DIGITS:
        return True
    return entry.digest == digest if size <= LONGEST else entry.size == size


@lru_cache(maxsize=1024)
def _size_and_digests(text: str) -> tuple[int, str, str | None]:
    """Bytes of *text*, what a sandbox says of a file with that content, if it is short, and what of an archive."""
    content = text.encode("utf-8", "surrogatepass")
    return len(content), sha256(content).hexdigest()[:DIGITS], members_digest(content)
