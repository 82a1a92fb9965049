"""How near a state of the Bash world is to the gold's, finer than `exact`: files count by their content.

For rewards along the way. A file is worth as much as it has moved from the image's content to the gold's, so what was
alike from the start earns nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from intercode.rewards.core.answer import is_mostly_unrequested
from intercode.rewards.core.file_endings import BashEnding
from intercode.types import Score
from intercode.worlds.bash.scoring.exact import has_work
from intercode.worlds.bash.scoring.state import FileStateMatch, compare
from intercode_sandbox.sandbox import Change, Entry

Lines = Counter[bytes]

CONTENT, MODE, OWNER = 0.7, 0.2, 0.1
"""What each is worth in a file that is not as the gold has it; together 1."""

ELSEWHERE = 0.3
"""What a file is worth that has the gold's content, in another place."""


@dataclass(frozen=True, slots=True)
class Content:
    """The lines of a file as the gold leaves it, and how alike the image's were."""

    lines: Lines
    alike_before: float


def similarity(one: Lines, other: Lines) -> float:
    """Twice the lines that both have over all lines; 1 where neither has any."""
    total = one.total() + other.total()
    return 2 * (one & other).total() / total if total else 1.0


def nearness(
    ending: BashEnding, exact: Score, expected: Mapping[str, Content], read: Callable[[str], Lines | None]
) -> float:
    """From 0 to 1, for an *ending* that is no success and is worth *exact*.

    *expected* holds what the gold's files contain, *read* gives what the agent's do, None for what cannot be read.
    """
    if "state" not in exact.parts or not has_work(ending.gold, ending.task.criteria):
        return exact.value
    match = compare(ending.gold, ending.agent, ending.task.criteria)
    state = _state(ending, match, expected, read)
    return (state + exact.parts["answer"]) / 2 if "answer" in exact.parts else state


def _state(
    ending: BashEnding, match: FileStateMatch, expected: Mapping[str, Content], read: Callable[[str], Lines | None]
) -> float:
    gold, mine = ({change.path: change for change in side.changes} for side in (ending.gold.exact, ending.agent))
    found = {_content(mine[path]) for path in match.unwanted if path in mine} - {None}
    misplaced = sum(path in gold and _content(gold[path]) in found for path in match.missing)
    touched = len(match.same) + len(match.different)
    if match.destroyed or is_mostly_unrequested(touched + len(match.unwanted), touched + misplaced):
        return 0.0
    credit = sum(_credit(gold[path], mine[path], expected.get(path), read) for path in match.different)
    total = touched + len(match.missing) + len(match.unwanted)
    return (len(match.same) + credit + ELSEWHERE * misplaced) / total if total else 1.0


def _credit(gold: Change, mine: Change, expected: Content | None, read: Callable[[str], Lines | None]) -> float:
    """Return what one path is worth that both sides changed, otherwise."""
    right, found = gold.after, mine.after
    if right is None or found is None or right.type != found.type:
        return 0.0
    credit = MODE * (right.mode == found.mode) + OWNER * ((right.uid, right.gid) == (found.uid, found.gid))
    return credit * _has_news(gold, mine) + CONTENT * _content_credit(right, found, expected, read, mine.path)


def _has_news(gold: Change, mine: Change) -> bool:
    """Return whether the gold made the file, or its mode or owner another: else these were right from the start."""
    before, right = gold.before, gold.after
    assert right is not None
    return before is None or (before.mode, before.uid, before.gid) != (right.mode, right.uid, right.gid)


def _content_credit(
    right: Entry, found: Entry, expected: Content | None, read: Callable[[str], Lines | None], path: str
) -> float:
    if (right.digest, right.size) == (found.digest, found.size):
        return 1.0
    lines = None if expected is None else read(path)
    if expected is None or lines is None or expected.alike_before == 1:
        return 0.0
    gained = similarity(lines, expected.lines) - expected.alike_before
    return max(0.0, gained / (1 - expected.alike_before))


def _content(change: Change) -> tuple[str, int] | None:
    entry = change.after
    return None if entry is None or entry.type != "file" or not entry.size else (entry.digest, entry.size)
