"""What a verified set changes: a line of JSON for each task that is not as published."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import fields, replace
from functools import cache
from pathlib import Path

import msgspec

from intercode.errors import BadDataError
from intercode.types import Criteria, Task
from intercode.util.decoding import ready

_CRITERIA = tuple(field.name for field in fields(Criteria))


class PlantedFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A file, a link or a folder that is in the image before the agent comes.

    Attributes:
        text: The content of a file, as many *times*.
        base64: The content of a file that is no text.
        link: What a symbolic link points to.
        folder: It is a folder, even if nothing is in it.
        mode: Its permissions in octal, such as "640".
        mtime: Seconds since the epoch; left out, the start of each session.
        age: How long before each session's start it was last modified, such as "50 minutes" or "6.5 days".
        owner: User and group id.
    """

    text: str = ""
    base64: bytes = b""
    times: int = 1
    link: str = ""
    folder: bool = False
    mode: str = ""
    mtime: float | None = None
    age: str = ""
    owner: tuple[int, int] | None = None

    def problem(self) -> str:
        """Return why this cannot be planted; "" for nothing."""
        if self.age and self.mtime is not None:
            return "a planted file has a time or an age, not both"
        try:
            seconds(self.age or "0 days")
        except ValueError as error:
            return str(error)
        return ""


UNITS = {"minutes": 60, "hours": 3600, "days": 86_400}


def seconds(age: str) -> int:
    """Return the seconds of *age*, a number and one of UNITS.

    Raises:
        ValueError: If it is something else.
    """
    number, _, unit = age.partition(" ")
    if unit not in UNITS or not number.replace(".", "", 1).isdecimal():
        raise ValueError(f"{age!r} is no age: write a number and one of {', '.join(UNITS)}")
    return round(float(number) * UNITS[unit])


class RebuiltService(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A service that is gone, as ours: a program in a sandbox of its own, run anew for every connection.

    Attributes:
        name: What the agent reaches it by.
        port: Where it listens.
        command: For `sh -c`; the connection is its standard input and output. The flag is in `flag.txt` beside it.
        files: Published files of the task that lie beside it, too, by their paths in the task's folder.
    """

    name: str
    port: int
    command: str
    files: tuple[str, ...] = ()


class TaskChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One task of a verified set that is not as published, or is not in it.

    Attributes:
        id: The end of the task's id: `fs1/3`.
        reason: What is wrong with the task as published, for anybody to object to.
        left_out: The task is not in the verified set.
        reworded: What of the request was open, in a word or two: `output format`. It goes with *query*.
        query: The request in our own words; "" keeps the published one.
        golds: The accepted ones in place of the published gold, the one to show first.
        alternative_golds: Accepted beside the published gold, which stays the first.
        near_misses: Texts that look right and must not be paid; the certificate plays them.
        criteria: What `exact` also judges: see `Criteria`. They come on top of those of the published task.
        files: Planted in the file system that the task is on, for all tasks there; by absolute path.
        tests: Hidden tests beside the published ones.
        note: Sentences of ours after the request; they settle what it leaves open or gets wrong.
        examples: So many of the published tests are shown with the request (Python).
        arguments: Of calls that tests are made of beside those that are drawn, as they stand between the brackets.
        domain: What holds of the arguments of all tests that are made: an expression over the gold's parameters.
        check: The name of a function in the set's own reward, which judges the task in the place of `exact`.
        service: What a task of capture the flag asks, where the published one is gone.
    """

    id: str
    reason: str
    left_out: bool = False
    reworded: str = ""
    query: str = ""
    golds: tuple[str, ...] = ()
    alternative_golds: tuple[str, ...] = ()
    near_misses: tuple[str, ...] = ()
    criteria: tuple[str, ...] = ()
    files: Mapping[str, PlantedFile] = {}
    tests: tuple[str, ...] = ()
    note: str = ""
    examples: int = 0
    arguments: tuple[str, ...] = ()
    domain: str = ""
    check: str = ""
    service: RebuiltService | None = None

    def problem(self) -> str:
        """Return why this cannot be a change; "" for nothing."""
        changed = any(getattr(self, name) for name in self.__struct_fields__[3:])
        if not self.reason.strip():
            return "it gives no reason"
        if self.left_out == changed:
            return "a task that is left out has no other change" if changed else "it changes nothing"
        if bool(self.query or self.note) != bool(self.reworded):
            return "`query` or `note`, and `reworded`, go together"
        if self.golds and self.alternative_golds:
            return "`golds` replace the published gold and `alternative_golds` keep it: give one of them"
        accepted = self.golds or self.alternative_golds
        if len(set(accepted)) < len(accepted):
            return "a gold is there twice"
        if set(accepted) & set(self.near_misses):
            return "a gold is among the near misses"
        if wrong := next((said for file in self.files.values() if (said := file.problem())), ""):
            return wrong
        unknown = [name for name in self.criteria if name not in _CRITERIA]
        return f"no criterion is called {unknown[0]!r}; there are: {', '.join(_CRITERIA)}" if unknown else ""

    def on(self, task: Task) -> Task:
        """Return *task* with this change. What it was, and why it was changed, is in its `extra`."""
        golds = self.golds or (*task.golds, *self.alternative_golds)
        about = {"reason": self.reason, "reworded": self.reworded, "near_misses": list(self.near_misses)}
        query = self._request(task)
        about |= {"published_query": task.query if query != task.query else "", "check": self.check}
        tests = {"tests": [*task.extra["tests"], *self.tests]} if self.tests else {}
        chosen = dict.fromkeys((*task.criteria.names, *self.criteria), True)
        return replace(
            task,
            query=query,
            gold=golds[0] if golds else None,
            alternative_golds=golds[1:],
            criteria=Criteria(**chosen),
            known_issue="" if self.golds or self.query or self.note or self.files else task.known_issue,
            extra={**task.extra, **{name: value for name, value in about.items() if value}, **tests},
        )

    def _request(self, task: Task) -> str:
        """Return what *task* asks for now."""
        said = " ".join(filter(None, (self.query or task.query, self.note)))
        shown = [expression(test) for test in task.extra.get("tests", ())[: self.examples]]
        return "\n".join([f"{said}\n\nFor example:", *shown]) if shown else said


def expression(test: str) -> str:
    """Return what the assertion *test* asserts."""
    statement = ast.parse(test.strip()).body[0]
    return ast.unparse(statement.test if isinstance(statement, ast.Assert) else statement)


@cache
def changes_in(folder: Path) -> Mapping[str, TaskChange]:
    """Return the changes that `changes.jsonl` in *folder* makes, by the ends of ids; none where there is no file.

    Raises:
        BadDataError: If a line is malformed. Names it.
    """
    path = folder / "changes.jsonl"
    found: dict[str, TaskChange] = {}
    for number, line in enumerate(path.read_bytes().splitlines() if path.is_file() else (), 1):
        try:
            change = msgspec.json.decode(line, type=ready(TaskChange))
        except msgspec.MsgspecError as error:
            raise BadDataError(f"{path}: line {number}: {error}") from error
        if problem := change.problem() or ("the task has a line already" if change.id in found else ""):
            raise BadDataError(f"{path}: line {number}, {change.id}: {problem}")
        found[change.id] = change
    return found
