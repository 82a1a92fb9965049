"""A task, and what an agent may know of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, Literal

from intercode.types.conversation import Json, plain_fields

DEFAULT_WORLD = "bash"
"""The world of tasks, data sets and commands that name none."""

KnownIssue = Literal["", "wrong", "ambiguous", "void"]
"""What a careful reader found in a gold: it does not do what the query asks (`wrong`), the query can be read in another
way that is as good (`ambiguous`), or it leaves nothing that an ending could be compared with (`void`). "": nothing."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What `exact` judges of one task beyond what it judges of every task; all off unless the data set says so.

    Attributes:
        file_times: The modification times of files that the gold makes or rewrites and whose times it sets or keeps.
        working_directory: Where the shell stands at the end.
        archive_members: Archives and compressed files count by what is in them, not by their bytes.
        any_order: The order of the answer's lines does not count; of a function's value, that of the list or tuple.
        any_blanks: How many blanks and tabs stand between the words of an answer's line does not count.
        close_numbers: Decimal fractions in a function's value may differ by rounding.
    """

    file_times: bool = False
    working_directory: bool = False
    archive_members: bool = False
    any_order: bool = False
    any_blanks: bool = False
    close_numbers: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """Those that are on."""
        return tuple(field.name for field in fields(self) if getattr(self, field.name))


NO_CRITERIA = Criteria()


@dataclass(frozen=True, slots=True)
class TaskView:
    """What an agent may know of a task: everything but how it is judged.

    Attributes:
        id: The task's id, e.g. `nl2bash/fs1/17`.
        query: The request, in words.
        world: The name of the world that it is played in.
        category: The group that the data set puts it in; "" for none.
        difficulty: `easy`, `medium`, `hard` and the like; "" for none.
        excluded: Why the task counts in no score; "" for all that count.
    """

    id: str
    query: str
    world: str
    category: str = ""
    difficulty: str = ""
    excluded: str = ""

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self)


@dataclass(frozen=True, slots=True)
class Task:
    """One request and its answer.

    Attributes:
        id: Unique among all data sets, e.g. `nl2bash/fs1/17`.
        query: The request, in words.
        gold: The code (or several commands, joined by `;`) whose ending is right. None: the task can be played but not
            scored.
        world: The name of the world that it is played in.
        category: The group that the data set puts it in; "" for none.
        difficulty: `easy`, `medium`, `hard` and the like; "" for none.
        extra: The columns of the source that have no field here.
        excluded: Why a task is listed that has no gold because nobody could solve it; "" for all others.
        alternative_golds: Under `exact`, an ending may be that of any of these instead.
        criteria: What else `exact` judges.
        known_issue: What a careful reader found in the gold.
    """

    id: str
    query: str
    gold: str | None = None
    world: str = DEFAULT_WORLD
    category: str = ""
    difficulty: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)
    excluded: str = ""
    alternative_golds: tuple[str, ...] = ()
    criteria: Criteria = NO_CRITERIA
    known_issue: KnownIssue = ""

    @property
    def golds(self) -> tuple[str, ...]:
        """All that are accepted, the published one first; empty for a task that is not scored."""
        return () if self.gold is None else (self.gold, *self.alternative_golds)

    @property
    def alternatives(self) -> tuple[Task, ...]:
        """The same task once with each of its alternative golds in place of the first, and without others."""
        return tuple(replace(self, gold=gold, alternative_golds=()) for gold in self.alternative_golds)

    def view(self) -> TaskView:
        """Return the same task without its gold: the only thing of it that reaches an agent."""
        return TaskView(self.id, self.query, self.world, self.category, self.difficulty, self.excluded)
