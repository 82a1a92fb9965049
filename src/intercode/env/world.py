"""The promise of a world: how code runs, what it shows, how an ending is judged, how a state is kept.

A new world subclasses `Env`, which is this and Gymnasium's face, and writes `execute`, and perhaps `prepare` (what
there is beside the session), `ending` (what is judged) with its `rewards`, and `state_hash` (what tells two states
apart). Everything else is inherited: the defaults are those of a world whose code runs in a session of a sandbox. A
world that runs elsewhere says so by `needs_sandbox`, and writes `stop_processes`, `end_episode`, `close_backend`,
`backend_id` and how its state is saved too.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Any, ClassVar

from gymnasium.error import ResetNeeded

from intercode import world_specs
from intercode.datasets.base import Dataset
from intercode.env.clock import EpisodeClock
from intercode.env.episode import Episode
from intercode.env.interruption import RunningCode
from intercode.env.judging_copy import JudgingCopies, Solution
from intercode.env.networks import Networks
from intercode.env.saved_state import SavedState
from intercode.env.state_hash import StateHasher
from intercode.rewards.base import Reward
from intercode.types import (
    DEFAULT_WORLD,
    Action,
    Observation,
    Score,
    Scoring,
    Status,
    StepReward,
    Task,
    Turn,
    leading_reward,
)
from intercode.world_specs import WorldSpec
from intercode_sandbox.images import Image
from intercode_sandbox.network.hosts import NetworkPolicy, network_title
from intercode_sandbox.sandbox import Change, Limits, Sandbox, Session, Snapshot


class World(ABC):
    """What a world says of itself, what it finds, and what `Env` calls in each episode: `execute` must be written."""

    world: ClassVar[str] = DEFAULT_WORLD
    """Data sets say which world their tasks are of. A subclass gives its `world_spec`, or a name alone."""

    world_spec: ClassVar[WorldSpec] = world_specs.from_name(DEFAULT_WORLD)
    """What agents, commands and reports may know of the world."""

    needs_sandbox: ClassVar[bool] = True
    """Whether its code runs in a sandbox; without, `sandbox`, `image` and `session` are not there."""

    needs_gold: ClassVar[bool] = True
    """Whether a task without a gold cannot be judged by the world itself."""

    rewards: ClassVar[Mapping[str, Reward]] = {}
    """The world's own, `exact` and perhaps `paper`: each judges by what `ending` gives."""

    judges_files_alone: ClassVar[bool] = False
    """Whether what is printed and handed in counts for nothing: two endings with the same files are the same work."""

    restores_in_place: ClassVar[bool] = False
    """Whether `restore` in the environment that made the snapshot takes far less than `reset`."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "world_spec" in vars(cls):
            cls.world = cls.world_spec.name
        elif "world" in vars(cls):
            cls.world_spec = world_specs.from_name(cls.world)

    # What a world finds

    session: Session | None = None
    """Where the agent's code runs, for as long as the episode goes on."""

    episode: Episode | None = None
    """The present episode, or the last one after its end."""

    dataset: Dataset
    sandbox: Sandbox
    base_image: Image
    """That of the environment, on which the `image` of each task stands."""

    image: Image
    limits: Limits | None
    turns: int
    """After so many actions the episode is truncated."""

    scoring: Scoring
    step_reward: StepReward
    reward_every_turn: bool
    shell: str = ""
    """What stays between commands where there is a shell: `fresh` (files only) or `persistent` (the shell, too)."""

    chosen_reward: Reward | None
    """What judges beside the world's own rewards, if anything was chosen."""

    reward_name: str
    """What its scores are called; "" without one."""

    clock: EpisodeClock
    networks: Networks
    running_code: RunningCode
    owns_backend: bool = False
    """Whether the sandbox or the database is closed with this environment."""

    origin: World | None = None
    """Of a fork: the environment that ends its sandbox or database. None where that is nobody's, or its own."""

    is_closed: bool = False
    """Whether it was closed, and plays no more."""

    _hasher: StateHasher

    @property
    def current_episode(self) -> Episode:
        """The present episode, or the last one.

        Raises:
            ResetNeeded: If none was begun.
        """
        if self.episode is None:
            raise ResetNeeded("no episode was begun: call reset() first")
        return self.episode

    @property
    def task(self) -> Task:
        """That of the present episode, and of the last one after its end."""
        return self.current_episode.task

    def set_gold(self, gold: str | None) -> None:
        """Give the episode's task another gold, for tasks whose gold is known only once an episode has begun."""
        self.episode = replace(self.current_episode, task=replace(self.task, gold=gold))

    @property
    def started_at(self) -> float:
        """The time that files without one of their own have, in seconds since 1970."""
        return self.current_episode.started_at

    @property
    def history(self) -> tuple[Turn, ...]:
        """Return all turns of the episode so far."""
        return self.episode.turns if self.episode else ()

    @property
    def turn(self) -> int:
        """Return how many actions have run in this episode."""
        return self.episode.ran if self.episode else 0

    @property
    def answer(self) -> str | None:
        """Return what the last of them showed; None where nothing was run."""
        return self.episode.answer if self.episode else None

    @property
    def status(self) -> Status | None:
        """Return how the last episode ended; None while one goes on."""
        return self.episode.status if self.episode else None

    @property
    def leading_reward(self) -> str:
        """Return the name of the reward whose value the agent gets."""
        return leading_reward(self.scoring, self.reward_name)

    @property
    def judging_network(self) -> NetworkPolicy:
        """What programs that judge the present episode may reach."""
        chosen = self.networks.verifiers
        return self.dataset.verifier_network(self.task) if chosen is None else chosen

    def with_network(self, limits: Limits | None) -> Limits | None:
        """Return *limits* with the network that was chosen for this environment, if one was."""
        chosen = self.networks.agents
        return limits if chosen is None else (limits or self.sandbox.limits).with_network(chosen)

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
    def action_seconds(self) -> float:
        """What the action that is being taken may take: worlds that run it hold to this."""
        return min(self.limit_seconds, self.clock.allowed)

    # What a world writes

    def prepare(self) -> None:
        """Make everything ready for `task`: a fresh `session` of `image`."""
        self.session = self.sandbox.start(self.image, started_at=self.started_at, limits=self.limits)

    def initial_observation(self) -> Observation:
        """Return what the agent sees at first: the query."""
        return Observation(self.task.query)

    @abstractmethod
    def execute(self, text: str) -> Observation:
        """Run *text*, any text at all. What is wrong with it becomes the observation.

        Raises:
            MachineError: If the sandbox or the database breaks.
        """

    def on_submit(self, answer: str) -> Observation:
        """Return the agent submits; called before judging. Default: show the last observation again.

        Args:
            answer: What it hands in, in worlds that want an answer.

        Returns:
            What the agent sees.
        """
        return self.current_episode.last_seen

    def status_after(self, action: Action) -> Status | None:
        """Return how *action*, which has been taken, ends the episode; None if the episode goes on."""
        if action.kind in ("execute", "nothing"):
            return "truncated" if self.current_episode.ran + self.current_episode.idle >= self.turns else None
        return "submitted" if action.kind == "submit" else "skipped"

    def ending(self, task: Task) -> Any:
        """Return all that the world's `rewards` compare, frozen: what the agent has left, and what the gold leaves.

        Args:
            task: That of the episode, or the same with an alternative gold in the place of its own.

        Returns:
            None if the world cannot judge the task.
        """
        return None

    def potential_of(self, ending: Any, score: Score) -> float:
        """Return how near an *ending* is to success, from 0 to 1, for `step_reward`. Called only if it is no success.

        Args:
            ending: What `ending` gave for the episode's task.
            score: The score that it got. A world may see more than this.
        """
        return score.value

    def is_answer_guessed(self, ending: Any) -> bool:
        """Return whether the gold of *ending* shows what chance finds, so that guesses earn nothing on the way."""
        return False

    def gives_the_answer(self) -> bool:
        """Return whether the agent has said what the task's data call the right answer, however that was judged."""
        return False

    def keep_golds(self) -> int:
        """Run the task's golds, and store what they leave behind for other processes.

        Returns:
            How many of them are stored.
        """
        return 0

    def fault(self) -> str:
        """Return why the task that has just begun says nothing of an agent; "" where nothing is known against it.

        The episode is over then.
        """
        return ""

    def judging_copies(self, *, reserved: tuple[str, ...] = (), solution: Solution | None = None) -> JudgingCopies:
        """Return what copies a session for programs that judge it: without what the agent left to steer programs.

        Args:
            reserved: Paths that are never anybody's work, such as those of hidden tests.
            solution: What the task's own solution changes, if that is known: it tells work in the system from the rest.
        """
        keep = self.dataset.kept_paths(self.task)
        network = self.judging_network
        return JudgingCopies(self.sandbox, self.started_at, keep, reserved, solution, network, self.networks.note)

    def state_hash(self) -> str:
        """Return a short hash of the state: equal for equal states."""
        return self.hash_of(self.current_session.changes())

    def hash_of(self, changes: list[Change], *more: str) -> str:
        """Return the hash of the session's *changes* and of *more*.

        A session with a network has other hashes than one without: what it has fetched is in no image.
        """
        limits = self.current_session.limits
        network = (f"network {network_title(limits.network_policy)}",) if limits.has_network else ()
        return self._hasher.hash(changes, *more, *network)

    def stop_processes(self) -> None:
        """Called after the last action: end whatever still runs, before the state is judged."""
        self.current_session.kill()

    def freeze(self) -> AbstractContextManager[None]:
        """Stop what still runs for as long as the state is judged: it goes on afterwards, if the episode does.

        Default: all processes of the session, unless the world wants them to run on even at the end (`stop_processes`).
        """
        stops = type(self).stop_processes is World.stop_processes
        return self.session.frozen() if self.session is not None and stops else nullcontext()

    def end_episode(self) -> None:
        """Close what `prepare` made: between episodes, and at the end. Harmless when there is nothing."""
        if self.session is not None:
            self.session.close()
            self.networks.note_ended(self.session)
            self.session = None

    @abstractmethod
    def close(self) -> None:
        """End the episode and all that this environment started: `Env` does."""

    def close_backend(self) -> None:
        """The environment is closed: end what it started for all episodes."""
        if self.owns_backend:
            self.sandbox.close()

    @property
    def backend_id(self) -> str:
        """Return what the current task is played on, for records: its name, `@` and what identifies it."""
        return f"{self.image.name}@{self.image.digest}"

    @property
    def limit_seconds(self) -> float:
        """The time limit of any action, in seconds: the session's."""
        return self.current_session.limits.seconds

    # Branches: how a state is kept

    def branch_key(self) -> dict[str, str]:
        """Return what must be equal, by name, in every environment that goes on from a snapshot of this one."""
        alike = {
            "class": type(self).__qualname__,
            "data set": self.dataset.name,
            "scoring": self.scoring,
            "step reward": self.step_reward,
        }
        if not self.needs_sandbox:
            return alike
        image = f"{self.base_image.name}@{self.base_image.digest}"
        return alike | {"sandbox": type(self.sandbox).__name__, "image": image}

    def save_state(self) -> SavedState:
        """Return what the world has to keep to become what it is now.

        Raises:
            SnapshotError: If the state cannot be kept.
        """
        return self.current_session.snapshot()

    def save_state_for_fork(self) -> SavedState:
        """Return the state for `fork`, which goes on in another environment at once. Default: as `save_state`."""
        return self.save_state()

    def end_before_restore(self, state: SavedState) -> None:
        """Before `load_state`: end what runs, but for what helps to come back to *state*."""
        self.end_episode()

    def load_state(self, state: SavedState) -> None:
        """In place of `prepare`: make the world what it was when *state* was saved.

        Raises:
            SnapshotError: If the state cannot be restored.
        """
        assert isinstance(state, Snapshot)
        self.session = self.sandbox.start(self.image, snapshot=state, started_at=self.started_at, limits=self.limits)

    def detach(self) -> None:
        """Forget, without ending it, all that belongs to the environment that this one was copied from."""
        self.session = None
