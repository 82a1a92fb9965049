"""What has happened so far, counted; displays draw it."""

from __future__ import annotations

import re
import threading
import time
from collections import Counter as TallyOf
from dataclasses import dataclass, field
from statistics import fmean, stdev

from intercode.conversation import NO_USAGE
from intercode.runs.callback import ProgressCallback
from intercode.runs.episode_record import Key
from intercode.runs.report.report import kind
from intercode.runs.report.statistics import Z, wilson
from intercode.text import pluralize
from intercode.types import Action, Scoring, Trajectory

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

    @property
    def seconds(self) -> float:
        """How long it has been going on."""
        return time.monotonic() - self.started


class ProgressCounter(ProgressCallback):
    """Counts. *good* is what success is called: episodes succeed, replays agree. `scoring` is whose rewards count."""

    scoring: Scoring = "exact"

    def __init__(self, good: str = "succeeded") -> None:
        self.good = good
        self.total = self.before = self.done = self.successes = self.errors = 0
        self.cost: float | None = 0.0
        self.rewards: list[float] = []
        self.outcomes: list[bool] = []
        self.usage, self.retries = NO_USAGE, 0
        self.kinds: TallyOf[str] = TallyOf()
        self.flights: dict[Key, RunningEpisode] = {}
        self.lock = threading.Lock()
        self._started = time.monotonic()

    def on_start(self, total: int, finished: int, successes: int) -> None:
        """See `ProgressCallback`."""
        self.total, self.before, self.successes = total, finished, successes
        self.done = self.errors = 0
        self.kinds.clear()
        self._started = time.monotonic()

    def on_reset(self, episode: Key) -> None:
        """See `ProgressCallback`."""
        task, repeat = episode
        with self.lock:
            self.flights[episode] = RunningEpisode(f"{task}:{repeat}" if repeat else task)

    def on_step(self, episode: Key, turn: int) -> None:
        """See `ProgressCallback`."""
        with self.lock:
            self.flights[episode].turn, self.flights[episode].phase = turn, "deciding"

    def on_action(self, episode: Key, action: Action) -> None:
        """See `ProgressCallback`."""
        with self.lock:
            flight = self.flights[episode]
            flight.phase = "judging" if action.kind == "submit" else "executing"
            flight.command = next(iter(str(action).strip().splitlines()), "")

    def on_trajectory(self, trajectory: Trajectory) -> None:
        """See `ProgressCallback`."""
        value, success = trajectory.value(self.scoring), trajectory.success(self.scoring)
        with self.lock:
            if success is not None and not trajectory.error:
                self.outcomes.append(success)
            if value is not None and not trajectory.error:
                self.rewards.append(value)
            self.usage += trajectory.usage
            self.retries += sum(max(0, call.reply.tries - 1) for turn in trajectory.turns for call in turn.calls)

    def on_episode_end(self, episode: Key, success: bool | None, error: str) -> None:
        """See `ProgressCallback`."""
        with self.lock:
            self.flights.pop(episode, None)
            self.done += 1
            self.successes += bool(success) and not error
            self.errors += bool(error)
            if error:
                self.kinds[kind(error)] += 1

    def on_usage(self, cost: float | None) -> None:
        """See `ProgressCallback`."""
        self.cost = cost

    def is_news(self, error: str) -> bool:
        """Whether an error is worth a line of its own: the first few of each kind are, the rest are counted."""
        return self.kinds[kind(error)] <= FIRST

    @property
    def finished(self) -> int:
        """How many are over, those of an earlier sitting included."""
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
        """What this sitting's episodes came to, each with its name; what there is nothing of is left out."""
        found = []
        if self.outcomes:
            found.append(self._success())
        if self.rewards:
            found.append(f"mean reward {fmean(self.rewards):.3f}{self._reward_interval()}")
        if self.usage.tokens:
            found.append(f"tokens {self.usage.prompt_tokens:,} in, {self.usage.completion_tokens:,} out")
        if self.retries:
            found.append(pluralize(self.retries, "retry", "retries"))
        if self.done and self.seconds > 1:
            found.append(f"{60 * self.done / self.seconds:.1f} episodes/min")
        return found

    def _success(self) -> str:
        within = wilson(sum(self.outcomes), len(self.outcomes))
        return f"success {fmean(self.outcomes):.1%} ({within.low * 100:.1f} to {within.high:.1%})"

    def _reward_interval(self) -> str:
        """The 95 % interval of the mean, by its standard error: it is drawn often, and a bootstrap takes a while."""
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
    """The name of an error's class as people say it: `context overflow` for ContextOverflowError."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name.removesuffix("Error")).lower() or name


def clock(seconds: float | None) -> str:
    """`1:05`, `2:00:09`, or `-:--` for None."""
    if seconds is None:
        return "-:--"
    minutes, second = divmod(round(seconds), 60)
    hours, minute = divmod(minutes, 60)
    return f"{hours}:{minute:02}:{second:02}" if hours else f"{minute}:{second:02}"
