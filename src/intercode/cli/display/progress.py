"""What has happened so far, counted; displays draw it."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter as TallyOf
from dataclasses import dataclass, field
from statistics import fmean, stdev

from intercode.report.report import kind
from intercode.report.statistics import Z, wilson
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.fail_fast import reason
from intercode.types import Action, Trajectory
from intercode.types.conversation import NO_USAGE
from intercode_sandbox.util.text import pluralize

QUIET = 60.0
"""Seconds without the end of an episode after which it is said what is waited for."""

WAITED_FOR = {"starting": "a session", "executing": "a command", "judging": "the judgement"}
"""What an episode waits for in each phase but that in which its agent decides."""

FEW = 5
"""Rewards from which on an interval is told."""

FIRST = 3
"""Errors of one kind that are shown one by one."""


@dataclass
class RunningEpisode:
    """An episode in flight."""

    name: str
    started: float = field(default_factory=time.monotonic)
    turn: int = 0
    phase: str = "starting"
    command: str = ""
    since: float = field(default_factory=time.monotonic)

    def enter(self, phase: str) -> None:
        """Begin another phase."""
        self.phase, self.since = phase, time.monotonic()

    @property
    def seconds(self) -> float:
        """Return how long it has been going on."""
        return time.monotonic() - self.started


class ProgressCounter(ProgressCallback):
    """Counts. *good* is what success is called: episodes succeed, replays agree.

    `scoring` is whose rewards count, `decider` who is waited for while an agent decides.
    """

    scoring: str = "exact"
    decider: str = "the agent"

    def __init__(self, good: str = "succeeded") -> None:
        self.good = good
        self.total = self.before = self.done = self.successes = self.errors = 0
        self.cost: float | None = 0.0
        self.rewards: list[float] = []
        self.outcomes: list[bool] = []
        self.usage, self.retries, self.cut = NO_USAGE, 0, 0
        self.reasons: set[str] = set()
        self.kinds: TallyOf[str] = TallyOf()
        self.flights: dict[Key, RunningEpisode] = {}
        self.lock = threading.Lock()
        self._started = self._ended = time.monotonic()

    def on_start(self, total: int, finished: int, successes: int) -> None:
        self.total, self.before, self.successes = total, finished, successes
        self.done = self.errors = 0
        self.kinds.clear()
        self.reasons.clear()
        self._started = self._ended = time.monotonic()

    def on_reset(self, episode: Key) -> None:
        task, repeat = episode
        with self.lock:
            self.flights[episode] = RunningEpisode(f"{task}:{repeat}" if repeat else task)

    def on_step(self, episode: Key, turn: int) -> None:
        with self.lock:
            self.flights[episode].turn = turn
            self.flights[episode].enter("deciding")

    def on_action(self, episode: Key, action: Action) -> None:
        with self.lock:
            flight = self.flights[episode]
            flight.enter("judging" if action.kind == "submit" else "executing")
            flight.command = next(iter(str(action).strip().splitlines()), "")

    def on_trajectory(self, trajectory: Trajectory) -> None:
        value, success = trajectory.value(self.scoring), trajectory.success(self.scoring)
        with self.lock:
            if success is not None and not trajectory.error:
                self.outcomes.append(success)
            if value is not None and not trajectory.error:
                self.rewards.append(value)
            self.usage += trajectory.usage
            replies = [call.reply for turn in trajectory.turns for call in turn.calls]
            self.retries += sum(max(0, reply.tries - 1) for reply in replies)
            self.cut += sum(reply.is_cut for reply in replies)

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        with self.lock:
            self.flights.pop(episode, None)
            self.done += 1
            self._ended = time.monotonic()
            self.successes += bool(success) and not error
            self.errors += bool(error)
            if error:
                self.kinds[kind(error)] += 1

    def on_usage(self, cost: float | None) -> None:
        self.cost = cost

    def is_news(self, episode: Key, error: str) -> bool:
        """Return whether an error is worth a line: the first few of each kind are, but no reason is told twice."""
        found = reason(episode[0], error)
        with self.lock:
            is_new = found not in self.reasons and self.kinds[kind(error)] <= FIRST
            self.reasons.add(found)
        return is_new

    @property
    def finished(self) -> int:
        """Return how many are over, those of an earlier sitting included."""
        return self.before + self.done

    @property
    def seconds(self) -> float:
        """Since the work began."""
        return time.monotonic() - self._started

    @property
    def left(self) -> float | None:
        """Seconds until all is done, if it goes on like this; None where that cannot be said."""
        return self.seconds / self.done * (self.total - self.finished) if self.done else None

    @property
    def counts(self) -> str:
        """`12 of 40 done, 9 succeeded, 1 error, $0.42`: the cost where models were asked whose price is known."""
        errors = f", {pluralize(self.errors, 'error')}" if self.errors else ""
        digits = 2 if (self.cost or 0.0) >= 0.1 else 4
        cost = f", ${self.cost:.{digits}f}" if self.cost else ""
        return f"{self.finished} of {self.total} done, {self.successes} {self.good}{errors}{cost}"

    @property
    def figures(self) -> list[str]:
        """Return what this sitting's episodes came to, each with its name; what there is nothing of is left out."""
        found = []
        if self.outcomes:
            found.append(self._success())
        if self.rewards:
            found.append(f"mean reward {fmean(self.rewards):.3f}{self._reward_interval()}")
        if self.usage.tokens:
            found.append(f"tokens {self.usage.prompt_tokens:,} in, {self.usage.completion_tokens:,} out")
        if self.retries:
            found.append(pluralize(self.retries, "retry", "retries"))
        if self.cut:
            found.append(f"{pluralize(self.cut, 'reply', 'replies')} cut")
        if self.done and self.seconds > 1:
            found.append(f"{60 * self.done / self.seconds:.1f} episodes/min")
        return found

    @property
    def waiting(self) -> str:
        """Return what is waited for where no episode has ended for a minute; "" where one has."""
        now, flights = time.monotonic(), list(self.flights.values())
        if now - self._ended < QUIET or not flights:
            return ""
        counts = TallyOf(WAITED_FOR.get(flight.phase, self.decider) for flight in flights)
        what = ", ".join(f"{name} in {pluralize(count, 'episode')}" for name, count in counts.most_common())
        longest = min(flights, key=lambda flight: flight.since)
        where = f"{longest.name}, turn {longest.turn}" if longest.turn else longest.name
        return (
            f"nothing has ended for {clock(now - self._ended)}; waiting for {what}, "
            f"the longest for {clock(now - longest.since)} ({where})"
        )

    def _success(self) -> str:
        within = wilson(sum(self.outcomes), len(self.outcomes))
        return f"success {fmean(self.outcomes):.1%} ({within.low * 100:.1f} to {within.high:.1%})"

    def _reward_interval(self) -> str:
        """Return the 95 % interval of the mean, by its standard error.

        It is drawn often, and a bootstrap takes a while.
        """
        if len(self.rewards) < FEW:
            return ""
        half = Z * stdev(self.rewards) / len(self.rewards) ** 0.5
        mean = fmean(self.rewards)
        return f" ({max(0.0, mean - half):.3f} to {min(1.0, mean + half):.3f})"

    @property
    def by_kind(self) -> str:
        """`errors: 2 sandbox, 1 model`."""
        return "errors: " + ", ".join(f"{count} {in_words(name)}" for name, count in self.kinds.most_common())


def in_words(name: str) -> str:
    """Return the name of an error's class as people say it: `context overflow` for ContextOverflowError."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("Error")).lower() or name


def clock(seconds: float | None) -> str:
    """Return `1:05`, `2:00:09`, or `-:--` for None."""
    if seconds is None:
        return "-:--"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
