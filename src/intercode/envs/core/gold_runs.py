"""A gold run in twins of the agent's session, and what the differences between the runs say about it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from intercode.envs.core.fingerprint import fingerprint
from intercode.envs.core.fresh import run_exact
from intercode.envs.core.outcome import outcome
from intercode.envs.core.paper import run_paper
from intercode.rewards.base import Gold, Outcome
from intercode.rewards.bash_exact import gold_fails
from intercode.rewards.git_tracked import Tracked
from intercode.rewards.quoting import paper_gold
from intercode.sandboxes.base import Limits, Sandbox, Session
from intercode.sandboxes.images import Image

SECONDS = 15.0
"""What a gold may take. The published benchmark sets it no limit; one of its golds would walk /proc for ever."""

APART = 61.0
"""Seconds between the starting times of the two runs: more than a minute, so that `ls -l` shows a difference."""

SHUFFLES = (11, 12, 13)
"""Seeds of the orders in which directories are read. With two files, one order in two is the usual one."""


@dataclass(frozen=True, slots=True)
class Twins:
    """Where golds run: sessions of one *image*, each fresh, with the agent's limits."""

    sandbox: Sandbox
    image: Image
    limits: Limits
    tracked: Tracked

    def session(self, started_at: float, shuffle: int = 0) -> Session:
        """One in which nothing has happened yet."""
        return self.sandbox.start(self.image, started_at=started_at, limits=self.limits, shuffle=shuffle)


@dataclass(frozen=True, slots=True)
class ExactRun:
    """One run as `bash -c GOLD`, its standard error apart."""

    outcome: Outcome
    errors: str
    exit_code: int
    timed_out: bool

    @property
    def answer(self) -> str:
        """What went to standard output."""
        return self.outcome.answer or ""

    def state(self) -> tuple[object, ...]:
        """All of it but the order of its lines, and times of files."""
        return (fingerprint(self.outcome.changes), _lines(self.answer), _lines(self.errors), self.exit_code)


@dataclass(frozen=True, slots=True)
class PaperRun:
    """One run under the published quoting; there is no outcome of a gold that cannot even be split."""

    outcome: Outcome | None
    timed_out: bool = False

    def state(self) -> tuple[object, ...]:
        """All of it that the published reward has an eye for: neither the order of lines nor times."""
        found = self.outcome
        return () if found is None else (_lines(found.answer or ""), found.status, dict(found.sums))


def run_gold(twins: Twins, text: str, started_at: float) -> Gold:
    """The gold's ending under both scorings, run once."""
    return _gold(_paper(twins, text, started_at), _exact(twins, text, started_at))


def study_gold(twins: Twins, text: str, started_at: float) -> Gold:
    """The gold's ending, and what more runs tell of it: is it volatile, is its order free, which times did it set.

    The second runs start `APART` seconds earlier. A run that was cut is not repeated.
    """
    paper = _paper(twins, text, started_at)
    paper_again = paper if paper.timed_out else _paper(twins, text, started_at - APART)
    exact = _exact(twins, text, started_at)
    exact_again = exact if exact.timed_out else _exact(twins, text, started_at - APART)
    return replace(
        _gold(paper, exact),
        volatile=paper.state() != paper_again.state() or exact.state() != exact_again.state(),
        order_free=_is_order_free(exact, exact_again, lambda seed: _exact(twins, text, started_at, seed)),
        explicit_times=_explicit_times(exact.outcome, exact_again.outcome),
    )


def _gold(paper: PaperRun, exact: ExactRun) -> Gold:
    return Gold(
        paper=paper.outcome or Outcome(),
        exact=exact.outcome,
        errors=exact.errors,
        exit_code=exact.exit_code,
        corrupt=paper.outcome is None,
        failed=exact.timed_out or gold_fails(exact.outcome, exact.errors),
    )


def _paper(twins: Twins, text: str, started_at: float) -> PaperRun:
    command = paper_gold(text)
    if command is None:
        return PaperRun(None)
    with twins.session(started_at) as session:
        observation = run_paper(session, command, seconds=SECONDS, keep=True)
        session.kill()
        return PaperRun(outcome(session, observation.text, twins.tracked), observation.timed_out)


def _exact(twins: Twins, text: str, started_at: float, shuffle: int = 0) -> ExactRun:
    with twins.session(started_at, shuffle) as session:
        result = run_exact(session, text, seconds=SECONDS, separate=True)
        session.kill()
        ending = outcome(session, result.text, twins.tracked)
    errors = result.errors.decode("utf-8", "replace")
    return ExactRun(ending, errors, result.exit_code, result.timed_out)


def _is_order_free(usual: ExactRun, again: ExactRun, shuffled: Callable[[int], ExactRun]) -> bool:
    """Whether nothing but the order of the lines changes, and that does, when directories are read in another order.

    So it is, too, where the usual order already gives another one each time: commands that run in parallel.
    """
    if len(_lines(usual.answer)) < 3 or usual.timed_out:  # a line and what follows its end: there is no other order
        return False
    if usual.answer != again.answer and usual.state() == again.state():
        return True
    runs = [shuffled(seed) for seed in SHUFFLES]
    return any(run.answer != usual.answer for run in runs) and all(run.state() == usual.state() for run in runs)


def _lines(text: str) -> list[str]:
    return sorted(text.split("\n"))


def _explicit_times(first: Outcome, second: Outcome) -> frozenset[str]:
    """The paths to which both runs gave the same new time, though they began at different ones."""
    times = {change.path: change.after.mtime_ns for change in second.changes if change.after}
    return frozenset(
        change.path
        for change in first.changes
        if change.after
        and change.after.mtime_ns == times.get(change.path)
        and (change.before is None or change.before.mtime_ns != change.after.mtime_ns)
    )
