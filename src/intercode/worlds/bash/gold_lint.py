"""What looks wrong with a gold, seen from what it printed, complained of and touched: a hint to read it, no verdict."""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import normpath

from intercode.rewards.core.answer import lines
from intercode.rewards.core.file_endings import Gold
from intercode.types import Task
from intercode.types.gold_warnings import BASH_RULES, GoldWarning, in_order
from intercode.worlds.bash.scoring.state import work

EMPTY_DIGESTS = frozenset(
    [
        "d41d8cd98f00b204e9800998ecf8427e",
        "da39a3ee5e6b4b0d3255bfef95601890afd80709",
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    ]
)
"""What md5sum, sha1sum and sha256sum say of no bytes at all."""

_ZEROS = re.compile(r"0([ \t]+0)*|4294967295 0")
"""What counting and summing nothing comes to; the last is what `cksum` says."""

_HARMLESS = re.compile(r"tar: Removing leading `")
"""What programs say to standard error though all went well."""

_PATH = re.compile(r"(?<![\w.~*/:])/[\w.+@%-]+(?:/[\w.+@%-]+)*")
_COUNT = re.compile(r"(?:\w+ )?(?:and (?:count|print) )?(?:the )?(?:total )?number of\b|How many\b|Counts? ", re.I)
_EACH = re.compile(r"\b(?:each|every|per|occurr?[ea]nces|by|for)\b", re.I)
_SHOWS = re.compile(r"\b(?:prints?|displays?|counts?|lists?|shows?|calculates?|search(?:es)?|finds?)\b", re.I)


def lint(task: Task, text: str, gold: Gold) -> tuple[GoldWarning, ...]:
    """Return what looks wrong with the gold *text* of *task*, which left *gold* behind.

    At most one warning for each rule.
    """
    found = dict(_warnings_of(task, text, gold))
    return in_order(task, found)


def _warnings_of(task: Task, text: str, gold: Gold) -> Iterator[tuple[str, str]]:
    said, changed = lines(gold.exact.answer), work(gold.exact, gold.explicit_times)
    if gold.failed:
        yield "fails", BASH_RULES["fails"]
    elif not said and not changed and not gold.exact.moved_to:
        yield "vacuous", BASH_RULES["vacuous"]
    if complaint := next((line for line in lines(gold.errors) if line and not _HARMLESS.match(line)), ""):
        yield "errors", f"it writes to standard error: {complaint}"
    if _is_of_nothing(said):
        yield "nothing", f"its answer is that of no input: {said[0]}"
    if literal := next((line for line in said if "$(" in line), ""):
        yield "literal", f"it prints a command that was meant to be run: {literal}"
    if untouched := [path for path in _paths(task.query) if not _touches(text, gold, path)]:
        yield "path", f"it never touches {', '.join(untouched)}"
    if len(said) > 1 and _COUNT.match(task.query) and not _EACH.search(task.query):
        yield "count", f"the query asks for a number, and it prints {len(said)} lines"
    if not said and _SHOWS.search(task.query):
        yield "silent", BASH_RULES["silent"]


def _is_of_nothing(said: list[str]) -> bool:
    if len(said) != 1:
        return False
    return bool(_ZEROS.fullmatch(said[0].strip())) or said[0].split()[0] in EMPTY_DIGESTS


def _paths(query: str) -> Iterator[str]:
    """Yield the absolute paths in *query*, each once, without the full stop of a sentence."""
    yield from dict.fromkeys(match[0].rstrip(".") for match in _PATH.finditer(query))


def _is_named(path: str, text: str) -> bool:
    """Return whether every part of *path* is a word of *text*, wherever it stands."""
    parts = [part for part in path.split("/") if part]
    return all(re.search(rf"(?<![\w.-]){re.escape(part)}(?![\w-])", text) for part in parts)


def _touches(text: str, gold: Gold, path: str) -> bool:
    """Return whether the gold names *path*, or something there has changed."""
    if _is_named(path, text):
        return True
    place = normpath(path)
    return any(change.path == place or change.path.startswith(f"{place}/") for change in gold.exact.changes)
