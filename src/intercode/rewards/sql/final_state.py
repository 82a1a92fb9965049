"""What a reward of the SQL world looks at: the last result, the database it was left in, and the same of the gold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from intercode.databases.base import QueryResult, TableState
from intercode.rewards.sql.constants import SubsetResult
from intercode.types import Task

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
    `exact.question` asks for did there; None where it asks for none. `subsets` is what both sides show on copies
    with only some of the rows, wanted where `exact.may_be_constant` says so.
    """

    task: Task
    agent: SqlFinalState
    gold: SqlFinalState
    before: State = field(default_factory=dict)
    probe: QueryResult | None = None
    subsets: Sequence[SubsetResult] = ()
