"""An episode: actions, what they did, and all of it together as a trajectory."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from operator import add
from typing import Literal, NotRequired, TypedDict

from intercode.types.conversation import NO_USAGE, Json, ModelCall, Usage, plain_fields
from intercode.types.scores import Scores, scores_as_dict
from intercode.types.tasks import TaskView
from intercode_sandbox.network.usage import NetworkUsage

Status = Literal["submitted", "truncated", "skipped", "refused", "error"]
"""How an episode ended: handed in, out of turns, given up unscored, refused by the model's provider, or broken by the
machine (the last two are never scored)."""

ActionKind = Literal["execute", "submit", "skip", "nothing"]
"""What an action does: run code, hand in, give up, or, where an agent found no action to take, nothing."""


@dataclass(frozen=True, slots=True)
class Action:
    """What an agent does.

    Attributes:
        kind: `execute`: run code. `submit`: hand in. `skip`: give up. `nothing`: a turn in which nothing can be run, as
            when a model's reply holds no code.
        text: The code; for `submit` the answer, in worlds that want one; for `nothing` what the agent is told.
    """

    kind: ActionKind
    text: str = ""

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self)

    @classmethod
    def parse(cls, raw: str) -> Action:
        """Read an action as `Env.step` takes it: `submit`, `submit ANSWER`, `skip`; everything else is code."""
        word, *rest = raw.split(maxsplit=1) or [""]
        if word == "submit":
            return cls("submit", "".join(rest).strip())
        if raw.strip() == "skip":
            return cls("skip")
        return cls("execute", raw)

    def __str__(self) -> str:
        """Return the action as an agent writes it; `Action.parse(str(action)) == action` unless code looks like a word.

        `nothing` is not written at all.
        """
        if self.kind == "nothing":
            return ""
        if self.kind == "execute":
            return self.text
        return f"{self.kind} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class Observation:
    """What an action did, as the agent sees it.

    Attributes:
        text: What was printed, in the form that the world shows.
        exit_code: The exit status of the command. None where nothing was run or nothing ended.
        timed_out: Whether the action was stopped at its time limit.
        truncated: Whether the text was cut at the limit for output.
        seconds: How long the action took. Two observations that differ only in it are equal.
    """

    text: str
    exit_code: int | None = None
    timed_out: bool = False
    truncated: bool = False
    seconds: float = field(default=0.0, compare=False)

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self)

    def notes(self, shown: str) -> list[str]:
        """Describe what a person should know besides the text.

        Args:
            shown: The part of the text on display. Worlds say some of the notes in the text itself; these are left out.

        Returns:
            Short notes, such as `timed out` or `exit 2`.
        """
        said = shown.rstrip().split("\n")[-2:]
        is_told = any(line.startswith("[timed out after ") for line in said)
        is_cut = any(line.startswith("[") and line.endswith(" more bytes left out]") for line in said)
        notes = {
            "timed out": self.timed_out and not is_told,
            "output cut at the limit": self.truncated and not is_cut,
            f"exit {self.exit_code}": self.exit_code,
        }
        return [note for note, holds in notes.items() if holds]


class InfoDict(TypedDict):
    """What an environment adds to each step, as JSON: see `Env.info_dict`."""

    task: str
    turn: int
    observation: Observation
    state_hash: NotRequired[str]
    scores: NotRequired[Scores]


@dataclass(frozen=True, slots=True)
class Trial:
    """An action that was tried in a branch of the state, and what it did there.

    Attributes:
        action: What was tried.
        observation: What it showed.
        reward: What it would have earned. None where the agent was not told.
        ended: Whether the episode would have been over.
        chosen: Whether this is the action that was then taken.
    """

    action: Action
    observation: Observation
    reward: float | None = None
    ended: bool = False
    chosen: bool = False

    def as_dict(self) -> Json:
        """As JSON."""
        return plain_fields(self) | {"action": self.action.as_dict(), "observation": self.observation.as_dict()}


@dataclass(frozen=True, slots=True)
class Turn:
    """One action and what came of it.

    Attributes:
        action: What the agent did.
        observation: What it saw.
        reward: What it was given for the action.
        scores: The judgements of the state after the action, where it was judged, by the names of rewards.
        state_hash: Equal for equal states after the action; "" where none was computed.
        started: Seconds since the episode's start.
        thought: What a model thought before the action.
        calls: All questions to a model that led to the action, in order.
        trials: What was tried in branches before the action.
    """

    action: Action
    observation: Observation
    reward: float = 0.0
    scores: Scores | None = None
    state_hash: str = ""
    started: float = 0.0
    thought: str = ""
    calls: tuple[ModelCall, ...] = ()
    trials: tuple[Trial, ...] = ()

    @property
    def usage(self) -> Usage:
        """The sum of what its model calls used."""
        return reduce(add, (call.reply.usage for call in self.calls), NO_USAGE)

    def as_dict(self) -> Json:
        """As JSON, without `trials` where there are none: few agents try anything."""
        found = plain_fields(self) | {
            "action": self.action.as_dict(),
            "observation": self.observation.as_dict(),
            "scores": scores_as_dict(self.scores),
            "calls": [call.as_dict() for call in self.calls],
        }
        found["trials"] = [trial.as_dict() for trial in self.trials]
        return {name: value for name, value in found.items() if name != "trials" or value}


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One episode from reset to ending; all that is needed to see it or to run it again.

    Attributes:
        task: The task as the agent saw it.
        agent: The agent's name.
        status: How the episode ended.
        turns: All turns, in order.
        scores: The judgements of the ending, by the names of rewards. None where it was not judged, as `skipped`.
        seed: The seed that the environment was reset with.
        repeat: Which try at the task it is, from 0.
        image: The image or database that it ran on, with its digest.
        started_at: When it began, in seconds since 1970.
        seconds: How long it took.
        error: `ErrorClass: message` when `status` is `error` or `refused`, else "".
        phases: Seconds spent in each part of the episode, by name.
        usage: The sum of what all model calls used, including those that led to no turn because the episode broke.
        network: What its programs, and those that judged it, have had of networks. None: they had none.
    """

    task: TaskView
    agent: str
    status: Status
    turns: tuple[Turn, ...]
    scores: Scores | None = None
    seed: int | None = None
    repeat: int = 0
    image: str = ""
    started_at: float = 0.0
    seconds: float = 0.0
    error: str = ""
    phases: Mapping[str, float] = field(default_factory=dict)
    usage: Usage = NO_USAGE
    network: NetworkUsage | None = None

    @property
    def is_complete(self) -> bool:
        """Return whether it came to an end of its own.

        Neither was it broken by the machine nor did a provider refuse.
        """
        return self.status not in ("refused", "error")

    def value(self, reward: str) -> float | None:
        """Return what the ending is worth to *reward*, or None where that did not judge it."""
        score = (self.scores or {}).get(reward)
        return None if score is None else score.value

    def success(self, reward: str) -> bool | None:
        """Return whether *reward* finds the request met, or None where it did not judge the ending."""
        score = (self.scores or {}).get(reward)
        return None if score is None else score.success

    def as_dict(self) -> Json:
        """As JSON: a line of `episodes.jsonl`. `intercode.types.trajectories.from_json` reads it again."""
        found = plain_fields(self) | {
            "task": self.task.as_dict(),
            "turns": [turn.as_dict() for turn in self.turns],
            "scores": scores_as_dict(self.scores),
            "phases": dict(self.phases),
            "usage": self.usage.as_dict(),
            "network": self.network and plain_fields(self.network),
        }
        return {name: value for name, value in found.items() if name != "network" or value}
