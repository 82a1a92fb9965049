"""What a reward of the SQL world looks at: the last result, the database it was left in, and the same of the gold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from intercode.types import Task
from intercode.types.databases import QueryResult, TableState

State = Mapping[str, TableState]
"""Every table and view of a database by name."""


@dataclass(frozen=True, slots=True)
class SqlFinalState:
    """What one side left behind, as the host read it.

    `statement` is the last one that was run and `result` what it did; None where nothing was run. `state` is the whole
    database afterwards; None where nothing but reading was done.
    """

    statement: str | None = None
    result: QueryResult | None = None
    state: State | None = None


@dataclass(frozen=True, slots=True)
class SqlEnding:
    """All that a reward may look at. The gold ran over an untouched copy of the database.

    `before` is that copy's state, wanted where either side has a `state`. `probe` is what the statement that
    `exact.question` asks for did there; None where it asks for none. `earlier` are the agent's texts before the last
    that may live on. `untouched` is the copy itself, which a reward may ask; None where there is none.
    """

    task: Task
    agent: SqlFinalState
    gold: SqlFinalState
    before: State = field(default_factory=dict)
    probe: QueryResult | None = None
    earlier: tuple[str, ...] = ()
    untouched: Untouched | None = field(default=None, repr=False, compare=False)


class Untouched(Protocol):
    """The database of a task as it was before anybody used it. Asking changes nothing for anybody."""

    def probe(self, statement: str) -> QueryResult:
        """Return what one *statement* shows there."""

    def variants(self, ending: SqlEnding) -> Iterator[SqlEnding]:
        """Yield what both sides of *ending* show on other rows, each time on rows that tell something."""
