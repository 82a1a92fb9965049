"""The promise of a world: a `gymnasium.Env` whose actions are code.

A new world subclasses `Env` and writes `execute`, and perhaps `prepare` (what there is beside the session), `score`
(how an ending is judged) and `state_hash` (what tells two states apart). Everything else is inherited. A world that
runs elsewhere than in a sandbox says so by `needs_sandbox`, and writes `stop_processes`, `end_episode`,
`close_backend`, `backend_id` and its own `branching` too. All that a world may write is in `core/world_hooks.py`.

Also in `core/`: what happens in a turn (`turns.py`), how an episode is judged (`judging.py`) and branched
(`branching.py`), what ends it early (`failures.py`, `time_limits.py`), what stops an action (`interruption.py`), which
task comes next (`task_order.py`), the options (`options.py`), and the episode as a chat (`chat.py`).
"""

from __future__ import annotations

import math
import time
from contextlib import suppress
from os import PathLike, fspath
from typing import Any

import gymnasium
from gymnasium.error import ResetNeeded

from intercode import datasets, registry, rewards
from intercode.closing import HomeProcess
from intercode.datasets.base import Dataset
from intercode.envs.core import option_types, progress, task_order, turns
from intercode.envs.core import options as env_options
from intercode.envs.core.actions import as_action
from intercode.envs.core.branching import Branchable
from intercode.envs.core.chat import Chat
from intercode.envs.core.failures import BROKEN, MachineFailuresEnd
from intercode.envs.core.interruption import RunningCode
from intercode.envs.core.judging import Judge
from intercode.envs.core.observations import as_observation
from intercode.envs.core.spaces import TextSpace
from intercode.envs.core.state_hash import StateHasher
from intercode.envs.core.time_limits import TimeLimits
from intercode.envs.core.world_hooks import WorldHooks
from intercode.errors import SandboxError, UserError
from intercode.rewards.base import Reward
from intercode.rewards.core.function import RewardFunction
from intercode.sandboxes import images
from intercode.sandboxes.base import Limits, Sandbox
from intercode.sandboxes.core.linux import default_sandbox
from intercode.sandboxes.images import Image
from intercode.types import Action, Observation, Scores, Scoring, Status, StepReward, Task, Turn


class Env(gymnasium.Env[str, str], WorldHooks, Branchable, Chat, TimeLimits, option_types.CheckedOptions):
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
        sandbox: A name, for a sandbox that is closed with the environment ("": the usual one of this system); or a
            `Sandbox`, which is not.
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
    status: Status | None = None
    """How the last episode ended; None while one goes on."""

    turn: int = 0
    """How many actions have run in this episode."""

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

    _closed = _playing = _owns_backend = False

    def __init__(
        self,
        dataset: str | Dataset = "starter",
        *,
        sandbox: str | Sandbox = "",
        image: str | PathLike[str] | Image | None = None,
        scoring: Scoring | None = None,
        reward: str | PathLike[str] | Reward | RewardFunction | None = None,
        turns: int = 10,
        limits: Limits | None = None,
        reward_every_turn: bool = False,
        step_reward: StepReward = "none",
        render_mode: str | None = None,
        seconds: float | None = None,
        episode_seconds: float | None = None,
    ) -> None:
        self.dataset = dataset if isinstance(dataset, Dataset) else datasets.load(fspath(dataset))
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
            self._base = images.find(image) if isinstance(image, str | PathLike) else image
            self._owns_backend = isinstance(sandbox, str)
            name = sandbox or default_sandbox()
            self.sandbox: Sandbox = registry.create("sandboxes", name) if isinstance(name, str) else name
            self.sandbox.check(self.limits)
        self.action_space, self.observation_space = TextSpace(), TextSpace()
        self.history: list[Turn] = []
        self._order: list[int] = []
        self._running_code, self._hasher, self._home = RunningCode(), StateHasher(), HomeProcess()

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
        with MachineFailuresEnd(self):
            self.prepare()
            progress.start(self)
            self._first = as_observation(self.initial_observation(), task.id, "initial_observation")
        return self._first

    def take_action(self, action: Action, *, seconds: float | None = None) -> Turn:
        """Take one action. `status` says whether it has ended the episode.

        Args:
            action: What to do.
            seconds: When to stop it, where that is sooner than its other limits.

        Raises:
            ResetNeeded: Before a reset, and after the end of an episode.
            BadDataError: If *action* is no `Action`, or one of an unknown kind.
            ClosedEnvironmentError: In a fork, once the environment that it shares a sandbox with is closed.
            MachineError: If the sandbox breaks.
        """
        action = as_action(action, "the caller of take_action()")
        env_options.check_seconds("seconds", seconds)
        self._must_have_backend()
        if not self._playing:
            raise ResetNeeded(f"no episode goes on ({self.status or 'none was begun'}): call reset() first")
        self._allow(seconds)
        try:
            with MachineFailuresEnd(self):
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
        self._must_have_backend()
        self._require_task()
        with MachineFailuresEnd(self):
            try:
                return self._judge.scores(self)
            except BROKEN:
                return self._judge.failure(self)

    # How

    def _info(self, observation: Observation) -> dict[str, Any]:
        return {"task": self.task.id, "turn": self.turn, "observation": observation}

    def _require_task(self) -> None:
        if not hasattr(self, "task"):
            raise ResetNeeded("no episode was begun: call reset() first")
