"""The promise of a world: a `gymnasium.Env` whose actions are code.

A new world subclasses `Env` and writes `execute`, and perhaps `prepare` (what there is beside the session), `score`
(how an ending is judged) and `state_hash` (what tells two states apart). Everything else is inherited. A world that
runs elsewhere than in a sandbox says so by `needs_sandbox`, and writes `stop_processes`, `end_episode`,
`close_backend`, `backend_id` and its own `branching` too.

In `core/`: what happens in a turn (`turns.py`), how an episode is judged (`judging.py`) and branched (`branching.py`),
what ends it early (`failures.py`, `time_limits.py`), what stops an action (`interruption.py`), which task comes next
(`task_order.py`), the options (`options.py`), and the episode as a chat (`chat.py`).
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from contextlib import suppress
from typing import Any, ClassVar, NoReturn, Self

import gymnasium
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from intercode import datasets, registry, rewards, worlds
from intercode.closing import HomeProcess
from intercode.datasets.base import Dataset
from intercode.envs.core import options as env_options
from intercode.envs.core import progress, task_order, turns
from intercode.envs.core.branching import Branching
from intercode.envs.core.chat import Chat
from intercode.envs.core.failures import BROKEN, machine_failures_end
from intercode.envs.core.interruption import RunningCode
from intercode.envs.core.judging import Judge
from intercode.envs.core.snapshots import EnvSnapshot
from intercode.envs.core.spaces import TextSpace
from intercode.envs.core.state_hash import StateHasher
from intercode.envs.core.time_limits import TimeLimits
from intercode.errors import SandboxError, UserError
from intercode.rewards.base import Reward
from intercode.sandboxes import images
from intercode.sandboxes.base import Limits, Sandbox, Session
from intercode.sandboxes.images import Image
from intercode.types import DEFAULT_WORLD, Action, Observation, Score, Scores, Scoring, Status, StepReward, Task, Turn
from intercode.worlds import WorldSpec


class Env(gymnasium.Env[str, str], Chat, TimeLimits):
    """One agent in one world, episode after episode.

    Actions are text: code to run, `submit` (or `submit ANSWER`) to hand in and be judged, `skip` to give up unscored.
    What an agent does wrong is an observation. If it breaks the session that it is in, the episode is over: judged
    as failed, and truncated unless that was seen when it submitted. `MachineError` means that the sandbox or the image
    broke: the episode is lost and unscored.

    `info` holds `task` (its id), `turn` (how many actions ran so far), `observation` (an `Observation`, whose text is
    what gymnasium calls the observation) and, after `step`, `state_hash`; where a turn was judged also `scores` (a
    `Score` by scoring). Both scorings are always computed.

    Args:
        dataset: A name, a path, or a `Dataset`.
        sandbox: A name, for a sandbox that is closed with the environment; or a `Sandbox`, which is not.
        image: A name, or an `Image`. None: the data set's.
        scoring: Whose value the agent gets as its reward, at the end. None: the data set's.
        reward: A `Reward`, the name of one, or a file with one. It judges in place of `exact`, and the agent gets its
            value unless *scoring* says otherwise. `exact` and `paper` choose the world's own; `progress` is short for
            *step_reward*. None: the data set's own reward, if it has one. A task without a gold is judged only by a
            reward that was chosen, or that the data set has.
        turns: After so many actions that are code (or nothing at all) the episode is truncated, and judged as it
            stands.
        limits: Those of each session. None: the sandbox's own.
        reward_every_turn: Whether every action is judged, as agents that try again want it, and not only the last.
        step_reward: With `progress` each action gets how much nearer it came to success under `exact`, or less than 0
            if it went away from it. Over an episode these add up to the final exact score, minus what the start was
            worth.
        render_mode: `ansi`, or None for no rendering.
        seconds: The limit of each action, where the session's is not shorter. `take_action` can bound a single one.
        episode_seconds: So long after its reset, an agent's thinking included, an episode is truncated, and judged as
            it stands. An action that runs then is stopped, one that comes later is not run, and the observation says
            so.

    Raises:
        UserError: If an option is impossible, or the data set is for another world.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}
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
    status: Status | None = None
    """How the last episode ended; None while one goes on."""

    turn: int = 0
    """How many actions have run in this episode."""

    ending: object = None
    """What `score` has compared last, for rewards: see `EpisodeResult.ending`."""

    branching: ClassVar[type[Branching[Any]]] = Branching
    """How episodes are kept, come back to, and forked."""

    answer: str | None = None
    """What the last of them showed; None where nothing was run."""

    shell: str = ""
    """What stays between commands where there is a shell: `fresh` (files only) or `persistent` (the shell, too)."""

    _idle: int = 0
    """How many turns passed in which nothing was run, for want of an action: they count towards the limit too."""

    _potential: float = 0.0
    """What the state is worth that the episode is in, with `step_reward`."""

    _is_final: bool = True
    """Whether what `score` says is the judgement, and not only a look on the way, for which less care will do."""

    _closed = _playing = _owns_sandbox = False

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "world_spec" in vars(cls):
            cls.world = cls.world_spec.name
        elif "world" in vars(cls):
            cls.world_spec = worlds.from_name(cls.world)

    def __init__(
        self,
        dataset: str | Dataset = "starter",
        *,
        sandbox: str | Sandbox = "embedded",
        image: str | Image | None = None,
        scoring: Scoring | None = None,
        reward: str | Reward | None = None,
        turns: int = 10,
        limits: Limits | None = None,
        reward_every_turn: bool = False,
        step_reward: StepReward = "none",
        render_mode: str | None = None,
        seconds: float | None = None,
        episode_seconds: float | None = None,
    ) -> None:
        self.dataset = datasets.load(dataset) if isinstance(dataset, str) else dataset
        if reward == "progress":
            reward, step_reward = "exact", "progress"
        self.scoring: Scoring = rewards.scoring_of(reward, scoring, self.dataset.default_scoring)
        self.turns, self.limits = turns, self.dataset.default_limits if limits is None else limits
        self.reward_every_turn, self.render_mode = reward_every_turn, render_mode
        self.step_reward: StepReward = step_reward
        self.seconds, self.episode_seconds = seconds, episode_seconds
        env_options.check(self)
        self._judge = Judge.of(reward, self.dataset)
        if self.needs_sandbox:
            image = self.dataset.default_image if image is None else image
            self._base = images.find(image) if isinstance(image, str) else image
            self._owns_sandbox = isinstance(sandbox, str)
            self.sandbox: Sandbox = registry.find("sandboxes", sandbox)() if isinstance(sandbox, str) else sandbox
            self.sandbox.check(self.limits)
        self.action_space, self.observation_space = TextSpace(), TextSpace()
        self.history: list[Turn] = []
        self._order: list[int] = []
        self._running_code, self._hasher = RunningCode(), StateHasher()
        self._home = HomeProcess()

    # What gymnasium calls

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; the observation is the query.

        Args:
            seed: Decides the order of tasks, in which every task comes once before any comes again.
            options: `{"task": index or id}` chooses the task. None: the next one.

        Raises:
            UserError: If there is no such option or task.
            MachineError: If the sandbox does not start.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._order = []
        observation = self.start_episode(task_order.choose(self.dataset, options or {}, self._order, self.np_random))
        return observation.text, self._info(observation)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one action.

        Raises:
            ResetNeeded: Before a reset, and after the end of an episode.
            MachineError: If the sandbox breaks.
        """
        return self.step_within(action, None)

    def step_within(self, action: str, seconds: float | None) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one action as `step` does, and stop it after *seconds*: gymnasium's `step` has no argument for them.

        Raises:
            UserError: If *seconds* is not a positive number.
        """
        if not isinstance(action, str):
            raise UserError(f"an action is text, not {type(action).__name__}")
        turn = self.take_action(Action.parse(action), seconds=seconds)
        info = self._info(turn.observation) | {"state_hash": turn.state_hash}
        if turn.scores is not None:
            info["scores"] = dict(turn.scores)
        terminated = self.status in ("submitted", "skipped")
        return turn.observation.text, turn.reward, terminated, self.status == "truncated", info

    def render(self) -> str | None:
        """The episode so far as text, if `render_mode` is "ansi"."""
        if self.render_mode != "ansi":
            return None
        self._require_task()
        moves = [f"> {turn.action}\n{turn.observation.text}" for turn in self.history]
        return "\n".join([self.task.query, *moves])

    def close(self) -> None:
        """End the episode and all that this environment started. Closing twice is harmless.

        After `os.fork` it is the other process's: closing it here does nothing.
        """
        self._closed, self._playing = True, False
        if not self._home.is_here:
            return
        self.end_episode()
        self.close_backend()

    # The same, typed

    def start_episode(self, task: Task, *, seed: int | None = None, started_at: float | None = None) -> Observation:
        """Begin an episode of *task* in a fresh world.

        Args:
            task: One of the data set's tasks.
            seed: The episode's seed.
            started_at: The time that files without one of their own get, in seconds since 1970. None: now.

        Returns:
            The query.
        """
        self._must_be_open()
        if seed is not None:
            super().reset(seed=seed)
        self.end_episode()
        self.task = task
        if self.needs_sandbox:
            self.image = self.dataset.image(task, self._base)
        self.started_at = time.time() if started_at is None else started_at
        self.history, self.status, self.answer, self.ending = [], None, None, None
        self.turn, self._idle, self._handed_in = 0, 0, ""
        self._began, self._playing = time.monotonic(), True
        with machine_failures_end(self):
            self.prepare()
            progress.start(self)
            self._first = self.initial_observation()
        return self._first

    def take_action(self, action: Action, *, seconds: float | None = None) -> Turn:
        """Take one action. `status` says whether it has ended the episode.

        Args:
            action: What to do.
            seconds: When to stop it, where that is sooner than its other limits.

        Raises:
            ResetNeeded: Before a reset, and after the end of an episode.
            MachineError: If the sandbox breaks.
        """
        env_options.check_seconds("seconds", seconds)
        self._home.check(self)
        if not self._playing:
            raise ResetNeeded(f"no episode goes on ({self.status or 'none was begun'}): call reset() first")
        self._allow(seconds)
        try:
            with machine_failures_end(self):
                turn = turns.take(self, action, self.elapsed)
        finally:
            self._allowed = math.inf
        self.history.append(turn)
        return turn

    def interrupt(self) -> None:
        """Stop the action that another thread takes, as Ctrl-C in a terminal does. The episode goes on.

        Its programs get SIGINT, so a shell or an interpreter that stays keeps its variables. If the action still runs a
        second later, all processes of the session are killed, and these variables are gone. Harmless when no action
        runs. What cannot be stopped, such as judging, ends by itself.
        """
        if self.session is not None:
            with suppress(SandboxError):  # it has ended meanwhile
                self._running_code.interrupt(self.session)

    def judge(self) -> Scores | None:
        """Both scores of the state as it stands, without ending the episode. None for a task without a gold."""
        self._home.check(self)
        self._require_task()
        with machine_failures_end(self):
            try:
                return self._judge.scores(self)
            except BROKEN:
                return self._judge.failure(self)

    # From one state into many

    def snapshot(self) -> EnvSnapshot:
        """The episode as it stands: its world, turns and random numbers. `restore` and `fork` go on from there.

        Raises:
            ResetNeeded: If no episode was begun, or its world is gone.
            SnapshotError: If the state cannot be saved.
        """
        self._must_be_open()
        return self.branching(self).snapshot()

    def restore(self, snapshot: EnvSnapshot) -> Observation:
        """Go on from *snapshot*, and drop the present episode.

        Returns:
            The last observation before the snapshot.

        Raises:
            UserError: If the snapshot is closed, or of an environment made with other options. The episode then goes
                on.
            SnapshotError: If the state cannot be restored.
        """
        self._must_be_open()
        return self.branching(self).restore(snapshot)

    def fork(self) -> Self:
        """Another environment in the same state: what happens in one is not seen in the other.

        It shares this one's sandbox or database, and ends with that.

        Raises:
            ResetNeeded: If no episode was begun, or its world is gone.
            SnapshotError: If the state cannot be saved.
        """
        self._must_be_open()
        twin: Self = self.branching(self).fork()
        return twin

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("an environment cannot be copied or pickled: use fork(), or make one in each process")

    # What a world writes

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
        if self._owns_sandbox:
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

    # How

    def _must_be_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("this environment is closed: make another")
        self._home.check(self)

    def _info(self, observation: Observation) -> dict[str, Any]:
        return {"task": self.task.id, "turn": self.turn, "observation": observation}

    def _require_task(self) -> None:
        if not hasattr(self, "task"):
            raise ResetNeeded("no episode was begun: call reset() first")
