"""What agents do, turn by turn, and what goes wrong: the published analysis of actions, for any run."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from intercode import world_specs
from intercode.report.statistics import Interval
from intercode.report.summary import Clusters, is_counted
from intercode.report.turn_counts import is_cut, moves
from intercode.report.turns import first_success
from intercode.types import Trajectory, Turn
from intercode.world_specs.action_errors import is_error

NO_CODE = "(no code)"
"""The first word of a turn without code."""

BY_TURN = ("number", "steps", "errors", "nothing", "repeated", "cut", "exploring", "gain")
"""What is told of each turn, besides the interval of its errors."""


@dataclass(frozen=True, slots=True)
class Step:
    """One action within its episode.

    Attributes:
        number: Counts from 1 the turns that are code, or should have been.
        turn: The turn.
        word: What the action begins with: see `first_word`.
        error: What kind of error it ended in: see `error_of`.
        repeated: Whether the very same action was taken before.
        cut: Whether a model's reply that led to it was cut.
        answers: Whether it is the last before the end, or changed the state: it does not only look around.
        gain: By how much it raised the best reward of the episode. None where the turn was not judged.
    """

    number: int
    turn: Turn
    word: str
    error: str
    repeated: bool
    cut: bool
    answers: bool
    gain: float | None

    @property
    def explores(self) -> bool:
        """Return whether it looked around: a command that does, before the last one, that changed nothing."""
        return not self.answers


@dataclass
class AtTurn:
    """All steps at one turn, counted.

    Attributes:
        number: The turn, from 1.
        steps: All steps.
        errors: Steps whose code ended in an error.
        nothing: Steps without code.
        repeated: Steps with an action that was taken before in the same episode.
        cut: Steps for which a model's reply was cut.
        exploring: Steps that only looked around.
        gains: What each judged step added to the best reward of its episode.
        episodes: The episodes whose step has code.
        erring: Whether the step of each of these episodes was an error.
    """

    number: int
    steps: int = 0
    errors: int = 0
    nothing: int = 0
    repeated: int = 0
    cut: int = 0
    exploring: int = 0
    gains: list[float] = field(default_factory=list)
    episodes: list[Trajectory] = field(default_factory=list)
    erring: list[bool] = field(default_factory=list)

    def add(self, step: Step, episode: Trajectory) -> None:
        """Count *step* of *episode*."""
        if step.turn.action.kind == "execute":
            self.episodes.append(episode)
            self.erring.append(bool(step.error))
        self.steps += 1
        self.errors += bool(step.error)
        self.nothing += step.turn.action.kind == "nothing"
        self.repeated += step.repeated
        self.cut += step.cut
        self.exploring += step.explores
        self.gains += [] if step.gain is None else [step.gain]

    @property
    def error_rate(self) -> float | None:
        """Return the share of actions that ended in an error; None where no code was run."""
        return self.errors / len(self.erring) if self.erring else None

    @property
    def interval(self) -> Interval | None:
        """Return where the true share of errors lies; None where no code was run."""
        return Clusters(self.episodes).interval(self.erring) if self.erring else None

    @property
    def gain(self) -> float | None:
        """Return what the turn adds to the best reward, in the mean over its judged steps."""
        return sum(self.gains) / len(self.gains) if self.gains else None


@dataclass(frozen=True, slots=True)
class Recovery:
    """What becomes of episodes after an error.

    Each value is how many there are, and how many of them did well.

    Attributes:
        sound: Actions that follow an error; those without an error.
        won: Episodes with an error; those that succeeded.
        won_without: Episodes without any error; those that succeeded.
        intervals: Where the true shares lie, by the same names.
    """

    sound: tuple[int, int]
    won: tuple[int, int]
    won_without: tuple[int, int]
    intervals: Mapping[str, Interval]


@dataclass(frozen=True, slots=True)
class Oddity:
    """Something other than an error that is worth counting.

    Attributes:
        name: What it is.
        count: How often it came.
        of: Of how many turns or episodes.
        example: An episode that had it.
    """

    name: str
    count: int
    of: int
    example: str


@dataclass(frozen=True, slots=True)
class Actions:
    """The actions of a run.

    Attributes:
        steps: How many there are.
        by_turn: Their figures at each turn.
        errors: Errors by kind.
        examples: For each kind of error, a message.
        oddities: Replies without code or cut, repeated actions, episodes that a provider refused; those that occurred.
        words: First words of actions, with how often each comes at each turn.
        recovery: What becomes of episodes after an error.
    """

    steps: int
    by_turn: tuple[AtTurn, ...]
    errors: Mapping[str, int]
    examples: Mapping[str, str]
    oddities: tuple[Oddity, ...]
    words: Mapping[str, Mapping[int, int]]
    recovery: Recovery

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries and lists."""
        return {
            "actions": self.steps,
            "by_turn": [
                {name: getattr(at, name) for name in BY_TURN}
                | {"errors_low": at.interval and at.interval.low, "errors_high": at.interval and at.interval.high}
                for at in self.by_turn
            ],
            "errors": dict(self.errors),
            "examples": dict(self.examples),
            "oddities": [{name: getattr(each, name) for name in Oddity.__slots__} for each in self.oddities],
            "words": {word: {str(turn): count for turn, count in turns.items()} for word, turns in self.words.items()},
            "recovery": {
                name: {"of": pair[0], "are": pair[1], "low": interval.low, "high": interval.high}
                for name, interval in self.recovery.intervals.items()
                for pair in (getattr(self.recovery, name),)
            },
        }


def actions(episodes: Sequence[Trajectory], scoring: str) -> Actions:
    """Return the actions of all *episodes* that the machine did not break."""
    ended = [episode for episode in episodes if episode.is_complete]
    by_turn: dict[int, AtTurn] = {}
    errors: Counter[str] = Counter()
    examples: dict[str, str] = {}
    words: defaultdict[str, Counter[int]] = defaultdict(Counter)
    odd: dict[str, list[str]] = {"no code in the reply": [], "reply cut": [], "action repeated": []}
    for episode in ended:
        for step in steps(episode, scoring):
            by_turn.setdefault(step.number, AtTurn(step.number)).add(step, episode)
            words[step.word][step.number] += 1
            if step.error:
                errors[step.error] += 1
                examples.setdefault(step.error, _show_name(episode))
            for is_odd, found in zip((step.word == NO_CODE, step.cut, step.repeated), odd.values(), strict=True):
                found += [_show_name(episode)] * is_odd
    total = sum(at.steps for at in by_turn.values())
    refused = [_show_name(episode) for episode in episodes if episode.status == "refused"]
    counted = [*((name, found, total) for name, found in odd.items()), ("refused", refused, len(episodes))]
    return Actions(
        steps=total,
        by_turn=tuple(by_turn[number] for number in sorted(by_turn)),
        errors=dict(errors.most_common()),
        examples=examples,
        oddities=tuple(Oddity(name, len(found), of, found[0]) for name, found, of in counted if found),
        words=dict(sorted(words.items(), key=lambda pair: -sum(pair[1].values()))),
        recovery=_recovery(ended, scoring),
    )


def _show_name(episode: Trajectory) -> str:
    """Return what `intercode show` calls it: without a number it shows the first repeat."""
    return f"{episode.task.id}:{episode.repeat}" if episode.repeat else episode.task.id


def steps(episode: Trajectory, scoring: str) -> Iterator[Step]:
    """The actions of *episode* that are code, or should have been, with what a reader would note in the margin."""
    taken = moves(episode.turns)
    judged = _judgements(episode.turns, scoring)
    best, state = 0.0, ""
    world = episode.task.world
    reading = world_specs.find(world).reading_words
    for number, (turn, again) in enumerate(taken, 1):
        value = judged[number - 1]
        gain = None if value is None else max(0.0, value - best)
        best = max(best, value or 0.0)
        word = first_word(turn)
        changed = bool(state) and turn.state_hash != state
        looks = word in reading and not changed and number < len(taken)
        yield Step(number, turn, word, error_of(turn, world), again, is_cut(turn), not looks, gain)
        state = turn.state_hash or state


def first_word(turn: Turn) -> str:
    """Return what an action begins with, in small letters: the command, the statement; `(no code)` for none."""
    if turn.action.kind == "nothing":
        return NO_CODE
    found = re.match(r"\W*([\w.+-]+)", turn.action.text)
    return found[1].lower() if found else "(other)"


def error_of(turn: Turn, world: str) -> str:
    """Return the kind of error an action in *world* ended in, as its message without particulars; "" for none."""
    if not is_error(turn, world):
        return ""
    if turn.observation.timed_out:
        return "timed out"
    lines = [line.strip() for line in turn.observation.text.splitlines() if line.strip()]
    return next((kind for line in lines if (kind := _error_kind(line))), f"exit status {turn.observation.exit_code}")


KNOWN = [
    (re.compile(pattern, re.IGNORECASE), name)
    for pattern, name in (
        (r"command not found", "command not found"),
        (r"no such file or directory", "no such file or directory"),
        (r"permission denied|operation not permitted", "permission denied"),
        (r"is a directory|not a directory", "a directory, or none"),
        (
            r"syntax error|unexpected (token|eof|end of file)|error in your sql syntax|unmatched|malformed",
            "syntax error",
        ),
        (r"unknown column|no such column", "unknown column"),
        (r"table .*doesn't exist|no such table", "unknown table"),
        (r"unknown database", "unknown database"),
        (r"ambiguous", "ambiguous name"),
        (r"group by|aggregate", "grouping"),
        (
            r"(invalid|unrecognized|illegal|unknown) (option|argument|predicate)|missing (operand|argument)|usage:",
            "wrong usage",
        ),
        (r"(\w+Error|\w+Exception)\b", ""),
    )
]
"""Messages that are common enough to have a name; "" is the name that the message has itself."""


def _error_kind(line: str) -> str:
    for pattern, name in KNOWN:
        if found := pattern.search(line):
            return name or found[1]
    return ""


def _judgements(turns: Iterable[Turn], scoring: str) -> list[float | None]:
    """Return the judgement of each turn that is code; handing in judges the turn before it."""
    found: list[float | None] = []
    for turn in turns:
        score = (turn.scores or {}).get(scoring)
        value = None if score is None else score.value
        if turn.action.kind in ("execute", "nothing"):
            found.append(value)
        elif found and value is not None:
            found[-1] = max(value, found[-1] or 0.0)
    return found


def _recovery(episodes: Iterable[Trajectory], scoring: str) -> Recovery:
    found: dict[str, list[tuple[Trajectory, bool]]] = {"sound": [], "won": [], "won_without": []}
    for episode in episodes:
        erring = [bool(step.error) for step in steps(episode, scoring)]
        found["sound"] += [(episode, not after) for before, after in pairwise(erring) if before]
        if is_counted(episode):
            won = first_success(episode, scoring) is not None
            found["won" if any(erring) else "won_without"].append((episode, won))
    shares = {name: (len(each), sum(truth for _, truth in each)) for name, each in found.items()}
    return Recovery(**shares, intervals={name: _interval(each) for name, each in found.items()})


def _interval(found: Sequence[tuple[Trajectory, bool]]) -> Interval:
    return Clusters([episode for episode, _ in found]).interval([truth for _, truth in found])
