"""Then and now: what a replay found, turn by turn, and how far it agrees."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from intercode.errors import MachineError
from intercode_sandbox.util.text import pluralize

if TYPE_CHECKING:
    from intercode.runs.store import StoredRun

TOLERANCE = 0.005
"""Rewards are rounded to two digits; what is nearer than half of the last is the same."""

IMAGE = "image"
"""The name, among what else is stored of an episode, of what it was played on."""

NAMED = 3
"""How many images are named of a file; in some worlds every task has its own."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Pair(Generic[T]):
    """The same thing as it was recorded, and as it is now."""

    then: T
    now: T


@dataclass(frozen=True, slots=True)
class ComparedTurn:
    """One turn. What is None (or empty) was not there to compare.

    `judged` is False where the harness gave a reward of 0 without asking, `executed` where it ran nothing and its
    observation is its own, or the last one again. `cut` says at how many characters the recorded observation was cut,
    0 for not at all. `others` is what else was stored of it, by name.
    """

    number: int
    action: str
    observation: Pair[str] | None = None
    rewards: Mapping[str, Pair[float]] = field(default_factory=dict)
    state: Pair[str] | None = None
    judged: bool = True
    executed: bool = True
    cut: int = 0
    others: Mapping[str, Pair[Any]] = field(default_factory=dict)

    @property
    def observation_agrees(self) -> bool | None:
        """Return whether both have the same lines, each equally often: their order is a race between output and errors.

        Where the recorded one was cut, its lines must all be among those of now.
        """
        if self.observation is None:
            return None
        then, now = self.observation.then.split("\n"), Counter(self.observation.now.split("\n"))
        if not self.cut or len(self.observation.then) < self.cut:
            return Counter(then) == now
        missing, left = Counter(then[:-1]) - now, now - Counter(then[:-1])
        return not missing and any(line.startswith(then[-1]) for line in left)

    @property
    def reward_agrees(self) -> bool | None:
        """Return whether every reward is the same, to the second digit."""
        if not self.rewards:
            return None
        return all(abs(pair.then - pair.now) < TOLERANCE for pair in self.rewards.values())

    @property
    def state_agrees(self) -> bool | None:
        """Return whether the state's hash is the same."""
        return None if self.state is None else self.state.then == self.state.now

    @property
    def differs(self) -> bool:
        """Return whether anything that was compared is not the same."""
        agreeing = (self.observation_agrees, self.reward_agrees, self.state_agrees)
        return False in agreeing or bool(differing(self.others))

    def to_json(self) -> dict[str, Any]:
        """Return the turn as plain dictionaries."""
        return {
            "turn": self.number,
            "action": self.action,
            "observation": _pair(self.observation),
            "rewards": {name: _pair(pair) for name, pair in self.rewards.items()},
            "state": _pair(self.state),
            "others": {name: _pair(pair) for name, pair in differing(self.others).items()},
        }


@dataclass(frozen=True, slots=True)
class ComparedEpisode:
    """One episode. `success` is None where it was not judged; `error` is the machine's, and then turns are missing.

    `otherwise` is the same as other variants of the scoring judge it, by their names; `others` is what was stored of
    the episode as a whole, by name.
    """

    task: str
    repeat: int
    turns: tuple[ComparedTurn, ...]
    success: Pair[bool] | None
    error: str = ""
    otherwise: Mapping[str, ComparedEpisode] = field(default_factory=dict)
    others: Mapping[str, Pair[Any]] = field(default_factory=dict)

    @property
    def agrees(self) -> bool:
        """Return whether it could be played to its end, and all that was compared is the same.

        What it was played on is no part of that: whether another image does the same is what a replay finds out.
        """
        return not (self.error or self.differing or any(turn.differs for turn in self.turns))

    @property
    def differing(self) -> dict[str, Pair[Any]]:
        """Return what was stored of the episode as a whole and is not the same, but for the image."""
        return {name: pair for name, pair in differing(self.others).items() if name != IMAGE}

    @property
    def images(self) -> Pair[str] | None:
        """The image then and now, where they are not the same."""
        return differing(self.others).get(IMAGE)


@dataclass(frozen=True, slots=True)
class Share:
    """How many of how many."""

    of: int
    agreeing: int

    def __str__(self) -> str:
        return f"{self.agreeing / self.of:.1%}" if self.of else "-"

    def to_json(self) -> dict[str, Any]:
        """Return both counts and their ratio (None of nothing)."""
        return {"of": self.of, "agreeing": self.agreeing, "rate": self.agreeing / self.of if self.of else None}


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far some episodes agree.

    `rewards` and `observations` are of all turns that have one; `judged` is of those at which the harness asked for a
    reward, `executed` of those at which it ran something.
    """

    episodes: int
    errors: int
    turns: int
    rewards: Share
    judged: Share
    observations: Share
    executed: Share
    states: Share
    success: Pair[Share]

    def to_json(self) -> dict[str, Any]:
        """As plain dictionaries."""
        counts = {name: getattr(self, name) for name in ("episodes", "errors", "turns")}
        shares = {
            name: getattr(self, name).to_json() for name in ("rewards", "judged", "observations", "executed", "states")
        }
        return counts | shares | {"success": {"then": self.success.then.to_json(), "now": self.success.now.to_json()}}


@dataclass(frozen=True, slots=True)
class Comparison:
    """One file. `kind` says what it is, `note` what a reader should know, `stable` which tasks are.

    `run` is what was replayed, where that is a run of ours, and `checksum` the one of its episodes' file then.
    """

    path: Path
    kind: str
    episodes: tuple[ComparedEpisode, ...]
    note: str = ""
    stable: frozenset[str] = frozenset()
    run: StoredRun | None = None
    checksum: str = ""

    @property
    def remarks(self) -> str:
        """Return what a reader should know.

        The note, and in a sentence each that images are others now, and that episodes had a network, "" for nothing.
        """
        return "; ".join(filter(None, (self.note, self._other_images, self._networked)))

    @property
    def networked(self) -> int:
        """Return how many of the stored episodes had a network."""
        return 0 if self.run is None else sum(each.network is not None for each in self.run.episodes)

    @property
    def _networked(self) -> str:
        counted = pluralize(self.networked, "episode")
        return f"{counted} had a network: what it gave then it may not give again" * bool(self.networked)

    @property
    def _other_images(self) -> str:
        moved = Counter((pair.then, pair.now) for each in self.episodes if (pair := each.images))
        if not moved:
            return ""
        played = pluralize(len(self.episodes), "episode was", "episodes were")
        named = ", ".join(f"{then} then, {now} now" for then, now in list(moved)[:NAMED])
        more = f", and {len(moved) - NAMED} more" if len(moved) > NAMED else ""
        kind = "database" if self.run is not None and self.run.manifest.settings.database else "image"
        return f"{moved.total()} of {played} played on another {kind} ({named}{more})"

    @property
    def agreement(self) -> Agreement:
        """Of all episodes."""
        return agreement(self.episodes)

    @property
    def on_stable_tasks(self) -> Agreement | None:
        """Of the episodes on stable tasks; None where it is not known which those are."""
        return agreement(each for each in self.episodes if each.task in self.stable) if self.stable else None

    @property
    def differences(self) -> list[tuple[ComparedEpisode, ComparedTurn]]:
        """The first differing turn of each episode that has one."""
        firsts = [(episode, next((turn for turn in episode.turns if turn.differs), None)) for episode in self.episodes]
        return [(episode, turn) for episode, turn in firsts if turn is not None]


def differing(pairs: Mapping[str, Pair[Any]]) -> dict[str, Pair[Any]]:
    """Return those of *pairs* of which both sides are not the same."""
    return {name: pair for name, pair in pairs.items() if pair.then != pair.now}


def until_failure(turns: Iterable[T]) -> tuple[tuple[T, ...], str]:
    """Return all *turns* that can be had, and what the machine failed at; "" for nothing."""
    had: list[T] = []
    try:
        for turn in turns:
            had.append(turn)  # noqa: PERF402 - what came before a failure counts
    except MachineError as failure:
        return tuple(had), f"{type(failure).__name__}: {failure}"
    return tuple(had), ""


def best_variant(episodes: Sequence[ComparedEpisode]) -> tuple[list[ComparedEpisode], str]:
    """*episodes* as that variant of the scoring judges them which fits the recorded rewards best, and a word on it.

    Negative rewards can only come from the order of rows, which `paper` alone looks at: they are proof. Agreement is
    not quite, since databases differ in the order of rows.
    """
    names = sorted({name for episode in episodes for name in episode.otherwise})
    judged = {name: [episode.otherwise.get(name, episode) for episode in episodes] for name in names}
    judged = {"paper": list(episodes), **judged}
    shares = {name: agreement(each).judged for name, each in judged.items()}
    best = "paper" if _is_any_negative(episodes) else max(shares, key=lambda name: shares[name].agreeing)
    summary = ", ".join(f"{name} {share}" for name, share in shares.items())
    return judged[best], f"rewards as {best}, which fits ({summary})" if names else ""


def _is_any_negative(episodes: Sequence[ComparedEpisode]) -> bool:
    return any(pair.then < 0 for episode in episodes for turn in episode.turns for pair in turn.rewards.values())


def agreement(episodes: Iterable[ComparedEpisode]) -> Agreement:
    """Return how far *episodes* agree, all taken together."""
    episodes = list(episodes)
    turns = [turn for episode in episodes for turn in episode.turns]
    judged = [episode.success for episode in episodes if episode.success is not None and not episode.error]
    return Agreement(
        episodes=len(episodes),
        errors=sum(bool(episode.error) for episode in episodes),
        turns=len(turns),
        rewards=_share(turns, lambda turn: turn.reward_agrees),
        judged=_share(turns, lambda turn: turn.reward_agrees if turn.judged else None),
        observations=_share(turns, lambda turn: turn.observation_agrees),
        executed=_share(turns, lambda turn: turn.observation_agrees if turn.executed else None),
        states=_share(turns, lambda turn: turn.state_agrees),
        success=Pair(
            Share(len(judged), sum(pair.then for pair in judged)), Share(len(judged), sum(pair.now for pair in judged))
        ),
    )


def _share(turns: Sequence[ComparedTurn], agrees: Callable[[ComparedTurn], bool | None]) -> Share:
    answers = [answer for turn in turns if (answer := agrees(turn)) is not None]
    return Share(len(answers), sum(answers))


def _pair(pair: Pair[Any] | None) -> dict[str, Any] | None:
    return None if pair is None else {"then": pair.then, "now": pair.now}
