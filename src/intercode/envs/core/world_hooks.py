"""The half of an environment that a world writes: how code runs, what it shows, how an ending is judged.

The defaults are those of a world whose code runs in a session of a sandbox.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar

from gymnasium.error import ResetNeeded

from intercode import worlds
from intercode.envs.core.state_hash import StateHasher
from intercode.sandboxes.base import Limits, Sandbox, Session
from intercode.sandboxes.images import Image
from intercode.types import DEFAULT_WORLD, Action, Observation, Score, Scores, Status, Task, Turn
from intercode.worlds import WorldSpec


class WorldHooks(ABC):
    """What a world says of itself, and what `Env` calls in each episode: `execute` must be written."""

    world: ClassVar[str] = DEFAULT_WORLD
    """Data sets say which world their tasks are of. A subclass gives its `world_spec`, or a name alone."""

    world_spec: ClassVar[WorldSpec] = worlds.from_name(DEFAULT_WORLD)
    """What agents, commands and reports may know of the world."""

    needs_sandbox: ClassVar[bool] = True
    """Whether its code runs in a sandbox; without, `sandbox`, `image` and `session` are not there."""

    needs_gold: ClassVar[bool] = True
    """Whether a task without a gold cannot be judged by the world itself."""

    restores_in_place: ClassVar[bool] = False
    """Whether `restore` in the environment that made the snapshot takes far less than `reset`."""

    session: Session | None = None

    ending: object = None
    """What `score` has compared last, for rewards: see `EpisodeResult.ending`."""

    task: Task
    """That of the present episode, and of the last one after its end."""

    history: list[Turn]
    turns: int
    turn: int
    sandbox: Sandbox
    image: Image
    limits: Limits | None
    started_at: float
    _idle: int
    _hasher: StateHasher
    _owns_backend: bool

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "world_spec" in vars(cls):
            cls.world = cls.world_spec.name
        elif "world" in vars(cls):
            cls.world_spec = worlds.from_name(cls.world)

    def prepare(self) -> None:
        """Make everything ready for `task`: a fresh `session` of `image`."""
        self.session = self.sandbox.start(self.image, started_at=self.started_at, limits=self.limits)

    def initial_observation(self) -> Observation:
        """What the agent sees at first: the query."""
        return Observation(self.task.query)

    @abstractmethod
    def execute(self, text: str) -> Observation:
        """Run *text*, any text at all. What is wrong with it becomes the observation.

        Raises:
            MachineError: If the sandbox or the database breaks.
        """

    def on_submit(self, answer: str) -> Observation:
        """The agent submits; called before judging. Default: show the last observation again.

        Args:
            answer: What it hands in, in worlds that want an answer.

        Returns:
            What the agent sees.
        """
        return self.history[-1].observation if self.history else self.initial_observation()

    def status_after(self, action: Action) -> Status | None:
        """How *action*, which has been taken, ends the episode; None if the episode goes on."""
        if action.kind in ("execute", "nothing"):
            return "truncated" if self.turn + self._idle >= self.turns else None
        return "submitted" if action.kind == "submit" else "skipped"

    def score(self) -> Scores | None:
        """Judge the state, and `answer`, under both scorings. None if the world cannot."""
        return None

    def nearness(self, exact: Score) -> float:
        """How near the state is to success, from 0 to 1, for `step_reward`. Called only if it is no success.

        Args:
            exact: The score that was just computed of `ending`. A world may see more than this.
        """
        return exact.value

    def keep_golds(self) -> int:
        """Run the task's golds, and store what they leave behind for other processes.

        Returns:
            How many of them are stored.
        """
        return 0

    def state_hash(self) -> str:
        """A short hash of the state: equal for equal states."""
        return self._hasher.hash(self.current_session.changes())

    def stop_processes(self) -> None:
        """Called after the last action: end whatever still runs, before the state is judged."""
        self.current_session.kill()

    def end_episode(self) -> None:
        """Close what `prepare` made: between episodes, and at the end. Harmless when there is nothing."""
        if self.session is not None:
            self.session.close()
            self.session = None

    def close_backend(self) -> None:
        """The environment is closed: end what it started for all episodes."""
        if self._owns_backend:
            self.sandbox.close()

    @property
    def backend_id(self) -> str:
        """What the current task is played on, for records: its name, `@` and what identifies it."""
        return f"{self.image.name}@{self.image.digest}"

    @property
    def current_session(self) -> Session:
        """The session of the present episode.

        Raises:
            ResetNeeded: If there is none.
        """
        if self.session is None:
            raise ResetNeeded("no episode goes on: call reset() first")
        return self.session

    @property
    def limit_seconds(self) -> float:
        """The time limit of any action, in seconds: the session's."""
        return self.current_session.limits.seconds
