"""What the two scorings of the Bash world compare: what the agent has left, and what the gold leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from intercode.sandboxes.base import Change
from intercode.types import Task


@dataclass(frozen=True, slots=True)
class FinalState:
    """What one side left behind, as the host read it.

    `answer` is the last observation (None where nothing was run). `changes` is all that differs from the image.
    `moved_to` is the working directory, "" where that is the one it began in. `started_at` (seconds since the epoch)
    is the time that files of the image without one of their own have.
    `status` is what `git status --short` would say at `/`, and `sums` the `md5sum` line of those of its untracked
    paths that hold a "."; both are there only for `paper`.
    """

    answer: str | None = None
    changes: tuple[Change, ...] = ()
    status: str = ""
    sums: Mapping[str, str] = field(default_factory=dict)
    moved_to: str = ""
    started_at: float = 0.0


@dataclass(frozen=True, slots=True)
class Gold:
    """What the gold left behind, once per scoring, and what is known of it.

    `paper` ran under the published quoting, `exact` as it is written (its `answer` is standard output alone, and
    `errors` what went to standard error). `corrupt`: the published code could not even split it. `failed`: it only
    produced errors, so nothing can agree with it. `volatile`: two runs differed. `order_free`: only the order of its
    lines changes when directories are read in another order. `explicit_times`: paths whose modification time it set
    to the same value in both runs; `start_times`: those to which each run gave the time of its own start, as a copy of
    a file without a time of its own has it.
    """

    paper: FinalState
    exact: FinalState
    errors: str = ""
    exit_code: int = 0
    corrupt: bool = False
    failed: bool = False
    volatile: bool = False
    order_free: bool = False
    explicit_times: frozenset[str] = frozenset()
    start_times: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class BashEnding:
    """All that both look at. `acted` is False where the agent never ran anything."""

    task: Task
    agent: FinalState
    gold: Gold
    acted: bool = True
