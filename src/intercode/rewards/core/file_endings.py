"""What the two scorings of the Bash world compare: what the agent has left, and what the gold leaves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from intercode.types import Task
from intercode_sandbox.sandbox import Change


@dataclass(frozen=True, slots=True)
class FinalState:
    """What one side left behind, as the host read it.

    Attributes:
        answer: The last observation. None where nothing was run.
        changes: All that differs from the image.
        status: What `git status --short` would say at `/`; only for `paper`.
        sums: The `md5sum` line of those untracked paths that hold a "."; only for `paper`.
        moved_to: The working directory; "" where that is the one it began in.
        started_at: Seconds since 1970: the time that files of the image without one of their own have.
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

    Attributes:
        paper: Its ending under the published quoting.
        exact: Its ending as it is written. Its `answer` is standard output alone.
        errors: What went to standard error.
        exit_code: Its exit status.
        corrupt: The published code could not even split it.
        failed: It only produced errors, so nothing can agree with it.
        volatile: Two runs differed.
        order_free: Only the order of its lines changes when directories are read in another order.
        explicit_times: Paths whose modification time it set to the same value in both runs.
        start_times: Paths to which each run gave the time of its own start, as a copy of a file without a time of its
            own has it.
        cut: Its time ran out in one of the runs. What is said of it then is no fact, and never kept.
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
    cut: bool = False


@dataclass(frozen=True, slots=True)
class BashEnding:
    """All that both scorings look at.

    Attributes:
        task: The task.
        agent: What the agent left behind.
        gold: What the gold left behind.
        acted: Whether the agent ran anything at all.
    """

    task: Task
    agent: FinalState
    gold: Gold
    acted: bool = True
