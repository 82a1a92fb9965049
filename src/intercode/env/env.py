"""Gymnasium's face of a world: an environment whose actions are code, the same for every world.

What a world writes is in `world.py`. Beside it: the episode as a value (`episode.py`), what happens in a turn
(`turns.py`), how an episode is judged (`judging.py`) and branched (`branching.py`), what ends it early (`failures.py`,
`clock.py`), what stops an action (`interruption.py`), which task comes next (`task_order.py`), networks
(`networks.py`), options (`options.py`), and the episode as a chat (`chat.py`).
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike, fspath
from typing import Any, NoReturn, Self

import gymnasium
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from intercode import datasets, registry, rewards
from intercode.datasets.base import Dataset
from intercode.env import branching, chat, judging, option_types, progress, task_order, turns
from intercode.env import options as env_options
from intercode.env.actions import as_action
from intercode.env.chosen_reward import choose_reward
from intercode.env.clock import EpisodeClock
from intercode.env.episode import Episode
from intercode.env.failures import BROKEN, MachineFailuresEnd
from intercode.env.interruption import RunningCode
from intercode.env.networks import Networks
from intercode.env.observations import as_observation
from intercode.env.snapshots import EnvSnapshot
from intercode.env.spaces import TextSpace
from intercode.env.state_hash import StateHasher
from intercode.env.world import World
from intercode.errors import SandboxError, UserError
from intercode.rewards.base import Reward
from intercode.rewards.core.function import RewardFunction
from intercode.types import Action, Observation, Scores, Scoring, StepReward, Task, Turn
from intercode.types.conversation import Json
from intercode_sandbox import images
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Limits, Sandbox
from intercode_sandbox.util.closing import HomeProcess
from intercode_sandbox.util.linux import default_sandbox

NOT_COPIED = "an environment cannot be copied or pickled: use fork(), or make one in each process"


class Env(gymnasium.Env[str, str], World):
    """One agent in one world, episode after episode.

    Actions are text: code to run, `submit` (or `submit ANSWER`) to hand in and be judged, `skip` to give up unscored.
    What an agent does wrong is an observation. If it breaks the session that it is in, the episode is over: judged
    as failed, and truncated unless that was seen when it submitted. `MachineError` means that the sandbox or the image
    broke: the episode is lost and unscored.

    `info` holds `task` (its id), `turn` (how many actions ran so far), `observation` (an `Observation`, whose text is
    what gymnasium calls the observation) and, after `step`, `state_hash`; where a turn was judged also `scores` (a
    `Score` by the name of each reward). The world's own are always among them.

    Args:
        dataset: A name, a path, or a `Dataset`.
        sandbox: A name, for a sandbox that is closed with the environment ("": the usual one of this system); or a
            `Sandbox`, which is not.
        image: A name, or an `Image`. None: the data set's.
        scoring: How the world is played, and whose value the agent gets at the end. None: the data set's.
        reward: A `Reward`, the name of one, or a file with one. It judges beside the world's own, under its name, and
            the agent gets its value unless *scoring* is `paper`. `exact` and `paper` choose the world's own; `progress`
            is short for *step_reward*. None: the data set's own reward, if it has one. A task without a gold is judged
            only by a reward that was chosen, or that the data set has.
        turns: After so many actions that are code (or nothing at all) the episode is truncated, and judged as it
            stands.
        limits: Those of each session. None: the sandbox's own.
        network: What the agent's programs reach (see `Limits`). None: what the limits say.
        verifier_network: The same for programs that judge. None: what the data set says.
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

    info_dict = staticmethod(chat.info_dict)

    def __new__(cls, *dataset: Any, **options: Any) -> Self:
        """Check the types of what `__init__`, that of a subclass too, is about to get.

        Raises:
            UserError: If a value is of another type than its option takes.
        """
        option_types.check_types({**dict(zip(("dataset",), dataset, strict=False)), **options})
        return super().__new__(cls)

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
        network: str | Sequence[str] | None = None,
        verifier_network: str | Sequence[str] | None = None,
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
        self.networks = Networks.of(network, verifier_network)
        self.turns, self.limits = turns, self.dataset.default_limits if limits is None else limits
        self.reward_every_turn, self.render_mode = reward_every_turn, render_mode
        self.step_reward: StepReward = step_reward
        self.clock = EpisodeClock(seconds, episode_seconds)
        env_options.check(self)
        self.chosen_reward, self.reward_name = choose_reward(reward, self.dataset)
        if self.needs_sandbox:
            image = self.dataset.default_image if image is None else image
            self.base_image = images.find(image) if isinstance(image, str | PathLike) else image
            self.owns_backend = isinstance(sandbox, str)
            name = sandbox or default_sandbox()
            self.sandbox: Sandbox = registry.create("sandboxes", name) if isinstance(name, str) else name
            self.limits = self.with_network(self.limits)
            self.sandbox.check(self.limits)
        self.action_space, self.observation_space = TextSpace(), TextSpace()
        self._order: list[int] = []
        self.running_code, self._hasher, self._home = RunningCode(), StateHasher(), HomeProcess()

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
        """Return the episode so far as text, if `render_mode` is "ansi"."""
        if self.render_mode != "ansi":
            return None
        moves = [f"> {turn.action}\n{turn.observation.text}" for turn in self.history]
        return "\n".join([self.current_episode.task.query, *moves])

    def close(self) -> None:
        """End the episode and all that this environment started. Closing twice is harmless.

        After `os.fork` it is the other process's: closing it here does nothing.
        """
        self.is_closed = True
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
        self.episode = Episode(task, time.time() if started_at is None else started_at)
        self.networks.used, self.clock.elapsed = None, 0.0
        if self.needs_sandbox:
            self.image = self.base_image  # what the episode is recorded with, if that of the task cannot be built
        with MachineFailuresEnd(self):
            if self.needs_sandbox:
                self.image = self.dataset.image(task, self.base_image)
            self.prepare()
            progress.start(self)
            query = as_observation(self.initial_observation(), task.id, "initial_observation")
        self.episode = replace(self.episode, query=query)
        return query

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
        if self.episode is None or self.status is not None or self.is_closed:
            raise ResetNeeded(f"no episode goes on ({self.status or 'none was begun'}): call reset() first")
        self.clock.allow(seconds)
        try:
            with MachineFailuresEnd(self):
                return turns.take_turn(self, action)
        finally:
            self.clock.allowed = math.inf

    def interrupt(self) -> None:
        """Stop the action that another thread takes, as Ctrl-C in a terminal does. The episode goes on.

        Its programs get SIGINT, so a shell or an interpreter that stays keeps its variables. If the action still runs a
        second later, all processes of the session are killed, and these variables are gone. Harmless when no action
        runs. What cannot be stopped, such as judging, ends by itself.
        """
        if self.session is not None:
            with suppress(SandboxError):  # it has ended meanwhile
                self.running_code.interrupt(self.session)

    def judge(self) -> Scores | None:
        """Return all scores of the state as it stands, without ending the episode. None for a task without a gold."""
        self._must_have_backend()
        with MachineFailuresEnd(self):
            try:
                return judging.judge(self).scores
            except BROKEN:
                return judging.failure(self)

    # From one state into many

    def snapshot(self) -> EnvSnapshot:
        """Return the episode as it stands: its world, turns and random numbers. `restore` and `fork` go on from there.

        Raises:
            ResetNeeded: If no episode was begun, or its world is gone.
            SnapshotError: If the state cannot be saved.
        """
        self._must_be_open()
        return branching.save(self, self.save_state)

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
        branching.restore(self, snapshot)
        return self.current_episode.last_seen

    def fork(self) -> Self:
        """Return another environment in the same state: what happens in one is not seen in the other.

        It shares this one's sandbox or database: close this one last.

        Raises:
            ResetNeeded: If no episode was begun, or its world is gone.
            SnapshotError: If the state cannot be saved.
        """
        self._must_be_open()
        return branching.fork(self)

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError(NOT_COPIED)

    # As a chat

    def tools(self) -> list[Json]:
        """Return what can be done here as functions, in OpenAI's form: the world's action, `submit` and `skip`."""
        return chat.tools(self.world_spec)

    def messages(self) -> list[Json]:
        """Return the episode so far as OpenAI's chat messages.

        Instructions, the query, and each action as a call of a tool.

        Raises:
            ResetNeeded: If no episode was begun.
        """
        return chat.messages(self.world_spec, self.current_episode, shell=self.shell)

    def read_call(self, name: str, arguments: str) -> Action:
        """Return the action that a call of one of `tools` asks for; *arguments* is the JSON text that a model wrote.

        A call that cannot be made is an action of the kind `nothing`, whose text says why.
        """
        return chat.read_call(self.world_spec, name, arguments)

    # How

    def _info(self, observation: Observation) -> dict[str, Any]:
        return {"task": self.task.id, "turn": self.turn, "observation": observation}

    def _must_be_open(self) -> None:
        """Refuse an environment that is closed, or whose backend it may not use."""
        if self.is_closed:
            raise ClosedEnvironmentError("this environment is closed: make another")
        self._must_have_backend()

    def _must_have_backend(self) -> None:
        """Refuse another process's environment, and a fork whose sandbox or database has ended."""
        self._home.check(self)
        if self.origin is not None and self.origin.is_closed:
            what = "sandbox" if self.needs_sandbox else "database"
            raise ClosedEnvironmentError(
                f"the {what} of this fork has ended with the environment that it was made from: close that one last"
            )
