"""The promise of a peer: tasks of another framework, episodes that texts play, and what its own grader says of them."""

from __future__ import annotations

import ast
import json
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from inspect import getsourcefile
from pathlib import Path
from typing import Any

MOST_SOURCES = 20
"""Files of one grader that are read."""


class PeerError(Exception):
    """A failure that a framework has told of; all of it is in the message, and where it is raised says no more."""


@dataclass(frozen=True, slots=True)
class PeerTask:
    """One task, as its framework describes it.

    Attributes:
        id: Its name, unique among the peer's tasks.
        query: What an agent is told at first: the system's words, the request, and the tools that there are.
        answers: What the framework calls the right answers; empty where it knows none.
        solution: Actions that do the work, where the framework knows them.
        has_sandbox: Whether commands can be run.
    """

    id: str
    query: str
    answers: tuple[str, ...] = ()
    solution: tuple[str, ...] = ()
    has_sandbox: bool = False


@dataclass(frozen=True, slots=True)
class Shown:
    """What an agent sees next, and whether the episode has ended."""

    text: str = ""
    is_over: bool = False


ANSWERS = (
    "answer", "answers", "target", "gold", "solution", "expected", "label", "truth", "ground_truth", "reference",
    "reference_answer", "expected_answer", "expected_output", "correct_answer",
)  # fmt: skip
"""Fields of a task's data that hold the right answer."""


def answers_in(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the right answers among the *fields* of a task's data, those of its `info` too."""
    info = fields.get("info")
    known = {**(info if isinstance(info, Mapping) else {}), **fields}
    found: dict[str, None] = {}
    for name in ANSWERS:
        value = known.get(name)
        for each in value if isinstance(value, list | tuple) else [value]:
            if isinstance(each, str | int | float) and str(each).strip():
                found[str(each)] = None
        if isinstance(value, list | tuple | dict) and value:
            found[json.dumps(value, default=str)] = None
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Grade:
    """What the framework's own grader gave.

    Attributes:
        value: The reward.
        most: The reward for the whole work, as far as the framework says that.
        main: Of a reward with parts, what the part of most weight is worth, whether the work was done; None for
            rewards without parts.
        notes: What the grader said of it.
    """

    value: float
    most: float = 1.0
    main: float | None = None
    notes: tuple[str, ...] = field(default=())

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON."""
        return asdict(self)


def weighted(parts: Mapping[str, tuple[float, float]], value: float) -> Grade:
    """Return the grade of a rubric: *parts* are each reward with its weight, and *value* their sum."""
    heavy = {name: part for name, part in parts.items() if part[1] > 0}
    most = sum(weight for _, weight in heavy.values()) or 1.0
    main = max(heavy.values(), key=lambda part: part[1])[0] if heavy else None
    notes = tuple(f"{name}: {score:g} of weight {weight:g}" for name, (score, weight) in heavy.items())
    return Grade(value, most, main, notes)


class Peer(ABC):
    """Tasks with their grader. One episode goes on at a time; whatever these methods raise is the peer's failure."""

    tasks: Sequence[PeerTask] = ()
    sources: Sequence[Path] = ()
    """The files of the code that grades."""

    @abstractmethod
    def begin(self, index: int) -> Shown:
        """Begin an episode of the task at *index*; the last one ends."""

    @abstractmethod
    def say(self, text: str) -> Shown:
        """Give *text* as the agent's message, or as its action where the framework has those."""

    def run(self, command: str) -> Shown:
        """Run a command of a shell in the episode's sandbox, where there is one."""
        return self.say(command)

    @abstractmethod
    def grade(self) -> Grade:
        """End the episode, if it goes on, and return what it is worth."""

    def close(self) -> None:  # noqa: B027 - most start nothing
        """End the episode and what was started for it."""


def source_files(*things: object, but: str) -> tuple[Path, ...]:
    """Return the files in which *things* are defined, with what these import from beside them.

    Args:
        *things: Functions and classes.
        but: The package of the framework, whose own files grade nothing by themselves.
    """
    found: dict[Path, None] = {}
    for thing in things:
        module = str(getattr(thing, "__module__", ""))
        if module.partition(".")[0] == but:
            continue
        try:
            name = getsourcefile(thing)  # type: ignore[arg-type]
        except TypeError:
            continue
        if name and Path(name).is_file():
            found[Path(name)] = None
    return with_neighbours(found)


def with_neighbours(paths: Iterable[Path]) -> tuple[Path, ...]:
    """Return *paths*, and the Python files beside them that they import, and those that these import."""
    found = dict.fromkeys(path.resolve() for path in paths)
    todo = list(found)
    while todo and len(found) < MOST_SOURCES:
        path = todo.pop(0)
        new = [each.resolve() for each in _imported_from_beside(path) if each.resolve() not in found]
        found |= dict.fromkeys(new)
        todo += new
    return tuple(found)


def _imported_from_beside(path: Path) -> Iterator[Path]:
    try:
        tree = ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        names = [each.name for each in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        modules = [node.module or "", *names] if isinstance(node, ast.ImportFrom) else names
        for name in dict.fromkeys(part for module in modules for part in module.split(".")):
            for candidate in (path.parent / f"{name}.py", path.parent / name / "__init__.py"):
                if name and candidate.is_file():
                    yield candidate
