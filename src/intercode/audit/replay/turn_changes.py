"""What each turn of a stored episode changed in its world: found by playing it again, and the gold beside it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from threading import Lock
from typing import Any

from intercode import world_specs
from intercode.audit.replay.source import ReplayOptions
from intercode.audit.replay.stored_runs import replay_settings
from intercode.audit.replay.world_state import Kind, StateItem, StateReader, Values, readers
from intercode.env.env import Env
from intercode.env.state_hash import state_hash
from intercode.errors import BadDataError, MachineError
from intercode.runs.job import Job, Say, prepare
from intercode.runs.manifest import Manifest
from intercode.types import Observation, Scores, Task, Trajectory
from intercode.worlds.swe.env import BY_PRODUCTS

MOST_GOLDS = 3
"""How many of a task's golds are played."""

ROOM = 4 << 20
"""Characters of all texts of one turn; what is beyond is only named."""

OnTurn = Callable[[int, int], None]
"""Told the turn that is being played, and of how many."""


@dataclass(frozen=True, slots=True)
class TurnChange:
    """One thing that is not as it was: `before` is None for what is new, `after` for what is gone.

    `is_by_product`: a cache or git's own files, which nobody asked for.
    """

    kind: Kind
    name: str
    before: StateItem | None
    after: StateItem | None
    is_by_product: bool = False


@dataclass(frozen=True, slots=True)
class TurnChanges:
    """What one turn changed. `agrees`: the state's hash is the one that was stored; `note` says what is missing."""

    number: int
    changes: tuple[TurnChange, ...]
    state_hash: str
    agrees: bool
    note: str = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a world was left: all changes since the beginning, the last observation, and the scores where judged."""

    action: str
    changes: tuple[TurnChange, ...]
    observation: Observation
    state_hash: str
    scores: Scores | None = None


@dataclass(frozen=True, slots=True)
class EpisodeChanges:
    """Every turn, the agent's ending, and that of each gold. `error` is the machine's; then the rest is missing."""

    turns: tuple[TurnChanges, ...]
    agent: Ending | None
    golds: tuple[Ending, ...]
    error: str = ""


class ChangeReplayer:
    """Plays episodes of the run in *folder* again. Close it: it keeps a sandbox or a database open.

    Raises:
        BadDataError: If the run cannot be played here.
        UserError: If the run cannot be played here.
        MachineError: If the run cannot be played here.
    """

    def __init__(self, folder: Path, manifest: Manifest, *, unsafe: bool = False, say: Say = lambda line: None) -> None:
        self._folder = folder
        self._job: Job = prepare(replay_settings(manifest, folder, ReplayOptions(unsafe=unsafe)), say=say)
        self._tasks = {task.id: task for task in self._job.tasks}
        self._lock = Lock()

    def play(self, episode: Trajectory, on_turn: OnTurn = lambda turn, turns: None) -> EpisodeChanges:
        """Return *episode* again, turn by turn, then the golds of its task.

        Raises:
            BadDataError: For a task that is gone.
        """
        task = self._tasks.get(episode.task.id)
        if task is None:
            raise BadDataError(f"{self._folder} has an episode of {episode.task.id}, which its data set does not hold")
        try:
            with self._lock, self._job.make_env() as env:
                found = _play_episode(env, task, episode, on_turn)
        except MachineError as error:
            return EpisodeChanges((), None, (), f"{type(error).__name__}: {error}")
        return found

    def close(self) -> None:
        """End the sandbox or the database."""
        self._job.close()


def _play_episode(env: Env, task: Task, episode: Trajectory, on_turn: OnTurn) -> EpisodeChanges:
    turns: list[TurnChanges] = []
    steps = len(episode.turns) + len(task.golds[:MOST_GOLDS])
    with _ChangeRecorder(env, task, episode) as watch:
        for number, then in enumerate(episode.turns, 1):
            on_turn(number, steps)
            if env.status is not None:
                break
            now = env.take_action(then.action)
            changes, note = watch.look()
            agrees = now.state_hash == then.state_hash
            turns.append(TurnChanges(number, changes, now.state_hash, agrees, note))
        agent = watch.ending("")
    made = (env.task.gold,) if env.task.gold else ()  # a flag that comes from the episode's seed
    golds = []
    for number, gold in enumerate(task.golds[:MOST_GOLDS] or made, len(episode.turns) + 1):
        on_turn(number, steps)
        golds.append(_gold_ending(env, replace(task, gold=gold, alternative_golds=()), episode))
    return EpisodeChanges(tuple(turns), agent, tuple(golds))


def _gold_ending(env: Env, task: Task, episode: Trajectory) -> Ending:
    with _ChangeRecorder(env, task, episode) as watch:
        for action in world_specs.find(task.world).gold_actions(env.task.gold):
            if env.status is None:
                env.take_action(action)
                watch.look()
        return watch.ending(env.task.gold or "")


class _ChangeRecorder:
    """The eye on one episode, from its beginning in *env* on."""

    def __init__(self, env: Env, task: Task, episode: Trajectory) -> None:
        self._env = env
        env.start_episode(task, seed=episode.seed, started_at=episode.started_at)
        self._stack = ExitStack()
        self._readers: list[StateReader] = []
        self._last: dict[str, Values] = {}
        self._is_lost = False

    def __enter__(self) -> _ChangeRecorder:
        self._readers = readers(self._env)
        for reader in self._readers:
            self._stack.callback(reader.close)
            self._last[reader.kind] = reader.read()
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def look(self) -> tuple[tuple[TurnChange, ...], str]:
        """Return what has changed since the last look, and what stood in the way of seeing it."""
        if self._is_gone():
            return (), "the session was broken by this turn: what it held is gone"
        found: list[TurnChange] = []
        for reader in self._readers:
            before, now = self._last[reader.kind], reader.read()
            self._last[reader.kind] = now
            found += _changes(reader, before, now)
        return tuple(_within(found)), ""

    def ending(self, action: str) -> Ending:
        """Return all that differs from the beginning, as last seen."""
        turn = self._env.history[-1] if self._env.history else None
        found = [change for reader in self._readers for change in _changes(reader, {}, self._last[reader.kind])]
        seen = turn.observation if turn else Observation("")
        name = turn.state_hash if turn else state_hash(())
        return Ending(action, tuple(_within(found)), seen, name, turn.scores if turn else None)

    def _is_gone(self) -> bool:
        self._is_lost = self._is_lost or (self._env.needs_sandbox and self._env.session is None)
        return self._is_lost


def _changes(reader: StateReader, before: Values, now: Values) -> list[TurnChange]:
    """Return what differs between two readings, in the order of names."""
    found = []
    for name in sorted({*before, *now}):
        old = _value(reader, before, name)
        new = _value(reader, now, name)
        if old != new:
            first, second = reader.items(old, new)
            by_product = reader.kind == "file" and any(part in f"{name}/" for part in BY_PRODUCTS)
            found.append(TurnChange(reader.kind, name, first, second, by_product))
    return found


def _value(reader: StateReader, values: Values, name: str) -> Any:
    return values[name] if name in values else reader.original(name)


def _within(changes: Sequence[TurnChange]) -> list[TurnChange]:
    """Return *changes* with texts as far as there is room."""
    room, found = ROOM, []
    for change in changes:
        size = sum(len(item.text or "") for item in (change.before, change.after) if item)
        room -= size
        if room < 0:
            room += size
            change = replace(change, before=_bare(change.before), after=_bare(change.after))
        found.append(change)
    return found


def _bare(item: StateItem | None) -> StateItem | None:
    return item and StateItem(None, f"{item.about}, not shown: this turn changed too much")


def to_json(changes: EpisodeChanges) -> Mapping[str, Any]:
    """As plain dictionaries and lists."""
    import msgspec

    found = msgspec.to_builtins(changes)
    assert isinstance(found, dict)
    return found
