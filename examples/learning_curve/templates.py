"""Requests and commands with their values blanked: what the small policy reads, and what it chooses from.

A request's values are its words in backquotes, its times, addresses and numbers. Each gets a slot by its kind and
place: `<P1>` is the first path. The same values are blanked in golds of the training
split, which makes the command templates.
No gold of another split is read here.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from intercode.types import Task

VALUE = re.compile(
    r"`(?P<quoted>[^`]+)`|(?P<T>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)|(?P<M>\w+@[\w.]+\w)|(?P<N>\b\d+\b)"
)  # T: a time, M: an address, N: a number
SLOT = re.compile(r"<(?:[A-Z]\d+|FILES)>")
CONDITIONS = {
    "whose name begins with": "-name '<V>*'",
    "whose name ends in": "-name '*<V>'",
    "whose name contains": "-name '*<V>*'",
    "that is larger than": "-size +<V>c",
    "that is smaller than": "-size -<V>c",
    "that was last modified after": "-newermt '<V> UTC'",
    "that was last modified before": "! -newermt '<E> UTC'",
    "that belongs to the user with the number": "-uid <V>",
    "whose permissions are exactly": "-perm <V>",
    "that contains the text": r"-exec grep -qF <V> {} \;",
}
"""How a request chooses files, and what `find` wants then: with the value (`<V>`), or the second before it (`<E>`)."""

FILES = "<FILES>"
"""The slot of these."""

STEPS = re.compile(r"(mkdir \S+) && (.+)", re.DOTALL)
"""A gold that makes a folder first takes two turns."""


@dataclass(frozen=True)
class Request:
    """A request without its values, and the value of each slot."""

    words: tuple[str, ...]
    slots: Mapping[str, str]


def read(query: str) -> Request:
    """*query* with each value as its slot."""
    slots = {FILES: _files(query)}
    numbers: Counter[str] = Counter()

    def blank(match: re.Match[str]) -> str:
        value = match["quoted"] or match[0]
        kind = ("P" if value.startswith("/") else "W") if match["quoted"] else str(match.lastgroup)
        for slot, known in slots.items():
            if known == value and slot[1] == kind:
                return slot
        numbers[kind] += 1
        slots[f"<{kind}{numbers[kind]}>"] = value
        return f"<{kind}{numbers[kind]}>"

    text = VALUE.sub(blank, query)
    return Request(tuple(re.findall(r"<[A-Z]\d+>|[a-z]+", re.sub(r"\b[A-Z][a-z]*\b", _lower, text))), slots)


def _files(query: str) -> str:
    """What `find` wants for the first condition in *query*; empty where there is none."""
    for words, test in CONDITIONS.items():
        if words in query and (match := VALUE.search(query, query.index(words))):
            value = match["quoted"] or match[0]
            return test.replace("<V>", value).replace("<E>", _second_before(value))
    return ""


def _lower(match: re.Match[str]) -> str:
    return match[0].lower()


def _second_before(value: str) -> str:
    try:
        return str(datetime.fromisoformat(value) - timedelta(seconds=1))
    except ValueError:
        return value


def fill(template: str, request: Request) -> str:
    """The command: *template* with the values of *request*; a slot that it lacks becomes a name that nothing has."""
    return SLOT.sub(lambda match: request.slots.get(match[0]) or "nothing", template)


def blank(gold: str, request: Request) -> list[str]:
    """The steps of *gold* as templates."""
    steps = STEPS.fullmatch(gold)
    return [_blank(step, request) for step in (steps.groups() if steps else (gold,))]


def _blank(command: str, request: Request) -> str:
    slots = {value: slot for slot, value in request.slots.items() if value}
    if not slots:
        return command
    return re.sub("|".join(map(_pattern, sorted(slots, key=len, reverse=True))), lambda it: slots[it[0]], command)


def _pattern(value: str) -> str:
    # A number behind these is a column or a count that the command has of its own.
    guard = r"(?<![$,\\=+])(?<!-k )(?<!== )(?<!> )" if value.isdigit() else ""
    return rf"(?<![\w<]){guard}{re.escape(value)}(?![\w>])"


class Library:
    """The command templates that at least *least* of the golds of *tasks* have."""

    def __init__(self, tasks: Iterable[Task], *, least: int = 2) -> None:
        found = Counter(step for task in tasks for step in blank(task.gold or "", read(task.query)))
        self.templates = tuple(sorted(step for step, count in found.items() if count >= least))
        self._numbers = {template: number for number, template in enumerate(self.templates)}
        self.goes_on = [template.startswith("mkdir ") for template in self.templates]
        """Whether a second command follows, by template."""

    def demonstration(self, task: Task) -> tuple[int, ...] | None:
        """The templates of the task's gold; None where the library lacks one of them."""
        steps = blank(task.gold or "", read(task.query))
        return tuple(self._numbers[step] for step in steps) if all(step in self._numbers for step in steps) else None

    def command(self, template: int, request: Request) -> str:
        """What the template of that number runs for *request*."""
        return fill(self.templates[template], request)
