"""An episode up to now, as a value: each action makes the next one."""

from __future__ import annotations

from dataclasses import dataclass, replace

from intercode.types import Observation, Status, Task, Turn

NOTHING_SEEN = Observation("")


@dataclass(frozen=True, slots=True)
class Episode:
    """A task, what was done about it, and what came of that. An environment holds that which goes on, or the last one.

    A snapshot of an environment keeps the value as it is, and a fork begins with it.
    """

    task: Task
    """What is to be done, with its gold."""

    started_at: float
    """The time that files without one of their own have, in seconds since 1970."""

    query: Observation = NOTHING_SEEN
    """What the agent saw at first."""

    turns: tuple[Turn, ...] = ()
    """What was done, and what came of it, in order."""

    ran: int = 0
    """How many actions have run."""

    idle: int = 0
    """How many turns passed in which nothing was run, for want of an action: they count towards the limit too."""

    answer: str | None = None
    """What the last action that ran has shown; None where nothing was run, or it broke the session."""

    handed_in: str = ""
    """The text that came with `submit`."""

    status: Status | None = None
    """How it ended; None while it goes on."""

    potential: float = 0.0
    """What its state is worth on the way, where each step is paid."""

    @property
    def last_seen(self) -> Observation:
        """Return the last observation; before the first turn that is the query."""
        return self.turns[-1].observation if self.turns else self.query

    def after_code(self, answer: str | None) -> Episode:
        """Return it after one more action that ran and has shown *answer*."""
        return replace(self, ran=self.ran + 1, answer=answer)

    def after_nothing(self) -> Episode:
        """Return it after one more turn in which nothing was run."""
        return replace(self, idle=self.idle + 1)

    def ended(self, status: Status | None) -> Episode:
        """Return it with its *status*; None if it goes on."""
        return replace(self, status=status)
