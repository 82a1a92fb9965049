"""The promise of a world: a `gymnasium.Env` whose actions are code.

A new world subclasses `Env` and writes `execute`, and perhaps `prepare` (what there is beside the session), `score`
(how an ending is judged) and `state_hash` (what tells two states apart). Everything else is inherited. A world that
runs elsewhere than in a sandbox says so by `needs_sandbox`, and writes `stop_processes`, `end_episode` and `backend_id`
too.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from operator import index
from typing import Any, ClassVar, NoReturn, Self, TypedDict

import gymnasium
from gymnasium.error import ClosedEnvironmentError, ResetNeeded

from intercode import datasets, registry, worlds
from intercode.datasets.base import Dataset
from intercode.envs.core.snapshots import EnvSnapshot, SavedState, restore_fields, save_fields
from intercode.envs.core.spaces import TextSpace
from intercode.envs.core.state_hash import state_hash
from intercode.errors import DatabaseLostError, MachineError, SessionLostError, SnapshotError, UserError
from intercode.rewards import custom
from intercode.sandboxes import images
from intercode.sandboxes.base import Limits, Sandbox, Session, Snapshot
from intercode.sandboxes.images import Image
from intercode.types import DEFAULT_WORLD, SCORINGS, Action, Observation, Score, Scores, Scoring, Status, Task, Turn
from intercode.worlds import WorldSpec

SKIPPED = Observation("skipped")

BROKEN = (SessionLostError, DatabaseLostError)
"""What an agent has broken itself: judged, as a failure, and never the machine's error."""

ENDINGS: Mapping[str, Status] = {"submit": "submitted", "skip": "skipped"}

LOST = "the session has been broken by what ran in it: the episode is over, and has failed"
"""What the agent is told then, and what the score says."""


NO_WAY_BACK = "this state cannot be branched from"


class PlayOptions(TypedDict, total=False):
    """What every world takes beside its data set, for subclasses that hand it on; the defaults are `Env`'s."""

    scoring: Scoring | None
    turns: int
    reward_every_turn: bool
    render_mode: str | None


class EnvOptions(PlayOptions, total=False):
    """The same for worlds that run in a sandbox."""

    sandbox: str | Sandbox
    image: str | Image | None
    limits: Limits | None


class Env(gymnasium.Env[str, str], ABC):
    """One agent in one world, episode after episode.

    Actions are text: code to run, `submit` (or `submit ANSWER`) to hand in and be judged, `skip` to give up unscored.
    After *turns* actions that are code (or nothing at all) the episode is truncated, and judged as it stands. The
    reward is the judgement's value under *scoring* (None: what the data set says), given at the end; with
    *reward_every_turn* also after every action, as agents that try again want it. Both scorings are always computed. A
    task without a gold is not judged, unless the data set brings a reward of its own.

    `info` holds `task` (its id), `turn` (how many actions ran so far), `observation` (an `Observation`, whose text is
    what gymnasium calls the observation) and, after `step`, `state_hash`; where a turn was judged also `scores` (a
    `Score` by scoring).

    What an agent does wrong is an observation. Where it breaks the session that it is in, the episode is over: judged
    as failed, and truncated unless that was seen when it submitted. `MachineError` means that sandbox or image gave
    way: the episode is lost and unscored. A sandbox given by name is made here and closed with the environment; one
    given as an object is not. *limits* are those of each session (None: the sandbox's own).
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}
    world: ClassVar[str] = DEFAULT_WORLD
    """Data sets say which world their tasks are of. A subclass gives its `world_spec`, or a name alone."""

    world_spec: ClassVar[WorldSpec] = worlds.from_name(DEFAULT_WORLD)
    """What agents, commands and reports may know of the world."""

    needs_sandbox: ClassVar[bool] = True
    """Whether its code runs in a sandbox; without, `sandbox`, `image` and `session` are not there."""

    session: Session | None = None
    status: Status | None = None
    """How the last episode ended; None while one goes on."""

    turn: int = 0
    """How many actions have run in this episode."""

    idle: int = 0
    """How many turns passed in which nothing was run, for want of an action: they count towards the limit too."""

    answer: str | None = None
    """What the last of them showed; None where nothing was run."""

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
        turns: int = 10,
        limits: Limits | None = None,
        reward_every_turn: bool = False,
        render_mode: str | None = None,
    ) -> None:
        self.dataset = datasets.load(dataset) if isinstance(dataset, str) else dataset
        self.scoring: Scoring = scoring or self.dataset.default_scoring
        self.turns, self.limits = turns, self.dataset.default_limits if limits is None else limits
        self.reward_every_turn, self.render_mode = reward_every_turn, render_mode
        self._check_options()
        path = self.dataset.reward_file
        self._own_reward = None if path is None else custom.load(path)
        if self.needs_sandbox:
            self._find_sandbox(sandbox, image)
        self.action_space, self.observation_space = TextSpace(), TextSpace()
        self.history: list[Turn] = []
        self._order: list[int] = []

    # What gymnasium calls

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        """Begin an episode; the observation is the query.

        `options={"task": index or id}` says which; else it is the next one of an order that *seed* decides, in which
        every task comes once before any comes again. Raises UserError for other options and unknown tasks,
        MachineError when the sandbox does not start.
        """
        super().reset(seed=seed)
        if seed is not None:
            self._order = []
        observation = self.start_episode(self._choose(options or {}))
        return observation.text, self._info(observation)

    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        """Take one action. Raises ResetNeeded before a reset and after the end, MachineError when a sandbox breaks."""
        if not isinstance(action, str):
            raise UserError(f"an action is text, not {type(action).__name__}")
        turn = self.take_action(Action.parse(action))
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
        """End the episode and all that this environment started. Closing twice is harmless."""
        self._closed, self._playing = True, False
        self.end_episode()
        self.close_backend()

    # The same, typed

    def start_episode(self, task: Task, *, seed: int | None = None, started_at: float | None = None) -> Observation:
        """Begin an episode of *task* in a fresh world; what is observed is its query.

        *started_at*, seconds since the epoch (None: now), is the time that files without one of their own get.
        """
        self._must_be_open()
        if seed is not None:
            super().reset(seed=seed)
        self.end_episode()
        self.task = task
        if self.needs_sandbox:
            self.image = self.dataset.image(task, self._base)
        self.started_at = time.time() if started_at is None else started_at
        self.history, self.status, self.answer = [], None, None
        self.turn = self.idle = 0
        self._handed_in = ""
        self._began, self._playing = time.monotonic(), True
        with self._guarded():
            self.prepare()
            return self.initial_observation()

    def take_action(self, action: Action) -> Turn:
        """Take one action; `status` says whether the episode has ended with it. Raises as `step` does."""
        if not self._playing:
            raise ResetNeeded(f"no episode goes on ({self.status or 'none was begun'}): call reset() first")
        with self._guarded():
            turn = self._take(action, time.monotonic() - self._began)
        self.history.append(turn)
        return turn

    def judge(self) -> Scores | None:
        """Both scores of the state as it stands, without ending the episode. None for a task without a gold."""
        self._require_task()
        with self._guarded():
            try:
                return self._scores()
            except BROKEN:
                return self._failure()

    # From one state into many

    def snapshot(self) -> EnvSnapshot:
        """The episode as it stands: its world, turns and random numbers. `restore` and `fork` go on from there.

        Raises ResetNeeded where no episode was begun or its world is gone, SnapshotError for a state that cannot be
        kept.
        """
        return self._kept(self.save_state)

    def restore(self, snapshot: EnvSnapshot) -> Observation:
        """Go on from *snapshot*; what was going on here is given up. What is observed is what was seen last then.

        Raises UserError, and gives nothing up, for a snapshot that is closed or of an environment of another `kind`;
        SnapshotError for a state that cannot be come to again.
        """
        self._must_be_open()
        if not isinstance(snapshot, EnvSnapshot):
            raise UserError(f"restore takes what snapshot() gives, not {type(snapshot).__name__}")
        snapshot.check(self.compatibility_key)
        self.release_for_restore(snapshot.world)
        restore_fields(self, snapshot.fields)
        if self.needs_sandbox:
            self.image = self.dataset.image(self.task, self._base)
        self.history = list(snapshot.history)
        self._began = time.monotonic() - snapshot.seconds
        try:
            with self._guarded():
                self.restore_state(snapshot.world)
                return self.history[-1].observation if self.history else self.initial_observation()
        except (SnapshotError, *BROKEN) as error:
            self.status, self._playing = "error", False
            raise error if isinstance(error, SnapshotError) else SnapshotError(f"{NO_WAY_BACK}: {error}") from error

    def fork(self) -> Self:
        """Another environment in the same state: what happens in one is not seen in the other.

        It shares this one's sandbox or database, and ends with that. Raises as `snapshot` does.
        """
        with self._kept(self.save_state_for_fork) as snapshot:
            twin = object.__new__(type(self))
            vars(twin).update(vars(self))
            twin.detach()
            try:
                twin.restore(snapshot)
            except BaseException:
                twin.close()
                raise
        return twin

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        raise TypeError("an environment cannot be copied or pickled: use fork(), or make one in each process")

    @property
    def compatibility_key(self) -> dict[str, str]:
        """What must be the same in every environment that goes on from a snapshot of this one, by name."""
        kind = {"class": type(self).__qualname__, "data set": self.dataset.name, "scoring": self.scoring}
        if not self.needs_sandbox:
            return kind
        return kind | {"sandbox": type(self.sandbox).__name__, "image": f"{self._base.name}@{self._base.digest}"}

    # What a world writes

    def save_state(self) -> SavedState:
        """What the world has to keep to become what it now is: here the session's file system."""
        return self.current_session.snapshot()

    def save_state_for_fork(self) -> SavedState:
        """The same for another environment, where it helps nobody that this one goes on: here no different."""
        return self.save_state()

    def restore_state(self, world: SavedState) -> None:
        """In place of `prepare`: make the world what it was when *world* was frozen."""
        assert isinstance(world, Snapshot)
        self.session = self.sandbox.start(self.image, snapshot=world, started_at=self.started_at, limits=self.limits)

    def release_for_restore(self, world: SavedState) -> None:
        """Before `restore_state`: give up what goes on, but for what helps to become what it was when *world* was
        frozen.
        """
        self.end_episode()

    def detach(self) -> None:
        """Forget, without ending it, all that belongs to the environment that this one is a copy of."""
        self._owns_sandbox, self.session = False, None

    def prepare(self) -> None:
        """Make everything ready for `task`: here a fresh `session` of `image`."""
        self.session = self.sandbox.start(self.image, started_at=self.started_at, limits=self.limits)

    def initial_observation(self) -> Observation:
        """What the agent sees at first: the query."""
        return Observation(self.task.query)

    @abstractmethod
    def execute(self, text: str) -> Observation:
        """Run *text*, any text at all. What is wrong with it goes into the observation; raises MachineError only."""

    def on_submit(self, answer: str) -> Observation:
        """The agent submits (and hands over *answer*, where the world wants one): what it sees; here the last again."""
        return self.history[-1].observation if self.history else self.initial_observation()

    def status_after(self, action: Action) -> Status | None:
        """How the episode ends with *action*, which has been taken; None where it goes on."""
        if action.kind in ("execute", "nothing"):
            return "truncated" if self.turn + self.idle >= self.turns else None
        return "submitted" if action.kind == "submit" else "skipped"

    def score(self) -> Scores | None:
        """Judge the state, and `answer`, under both scorings; None where a world has no way to."""
        return None

    def state_hash(self) -> str:
        """A short name for the state: equal for equal states."""
        return state_hash(self.current_session.changes())

    def stop_processes(self) -> None:
        """The last action is done: end whatever still runs, before the state is judged."""
        self.current_session.kill()

    def end_episode(self) -> None:
        """Give up what `prepare` made: between episodes, and at the end. Harmless when there is nothing."""
        if self.session is not None:
            self.session.close()
            self.session = None

    def close_backend(self) -> None:
        """The environment is closed: end what it started for all episodes."""
        if self._owns_sandbox:
            self.sandbox.close()

    @property
    def backend_id(self) -> str:
        """What the current task is played on, for records: its name, `@` and what tells it from others."""
        return f"{self.image.name}@{self.image.digest}"

    @property
    def current_session(self) -> Session:
        """The session of the episode that goes on. Raises ResetNeeded where there is none."""
        if self.session is None:
            raise ResetNeeded("no episode goes on: call reset() first")
        return self.session

    # How

    def _find_sandbox(self, sandbox: str | Sandbox, image: str | Image | None) -> None:
        image = self.dataset.default_image if image is None else image
        self._base = images.find(image) if isinstance(image, str) else image
        self._owns_sandbox = isinstance(sandbox, str)
        self.sandbox: Sandbox = registry.find("sandboxes", sandbox)() if isinstance(sandbox, str) else sandbox
        self.sandbox.check(self.limits)

    def _kept(self, freeze: Callable[[], SavedState]) -> EnvSnapshot:
        self._must_be_open()
        self._require_task()
        if self.needs_sandbox and self.session is None:
            raise ResetNeeded(f"no episode goes on ({self.status}): call reset() first")
        with self._guarded():
            try:
                world = freeze()
            except BROKEN as error:  # which the next action finds out, too, and is judged for
                raise SnapshotError(f"this state cannot be kept: {error}") from error
        seconds = time.monotonic() - self._began
        return EnvSnapshot(self.task, tuple(self.history), seconds, world, save_fields(self), self.compatibility_key)

    def _must_be_open(self) -> None:
        if self._closed:
            raise ClosedEnvironmentError("this environment is closed: make another")

    def _take(self, action: Action, started: float) -> Turn:
        """Take the action, and judge where it is time for that; whoever breaks the session has failed."""
        observation = None
        try:
            observation = self._observe(action)
            return self._judged(action, observation, started)
        except BROKEN:
            return self._broken(action, observation, started)

    def _broken(self, action: Action, observation: Observation | None, started: float) -> Turn:
        """The last turn of an episode whose session is gone; *observation* is what was seen before, if anything."""
        if observation is None and action.kind == "execute":
            self.turn += 1
            self.answer = None
        self.status, self._playing = ENDINGS.get(action.kind, "truncated"), False
        self.end_episode()
        scores = None if action.kind == "skip" else self._failure()
        return Turn(action, observation or Observation(f"[{LOST}]"), 0.0, scores, state_hash((), LOST), started)

    def _failure(self) -> Scores | None:
        """Scores of 0; None for a task that nothing judges."""
        if self.task.gold is None and self._own_reward is None:
            return None
        return dict.fromkeys(SCORINGS, Score(0.0, False, notes=(LOST,)))

    def _judged(self, action: Action, observation: Observation, started: float) -> Turn:
        ending = self.status_after(action)
        if ending in ("submitted", "truncated"):
            self.stop_processes()
        is_judged = action.kind == "submit" or ending == "truncated" or (ending is None and self.reward_every_turn)
        scores = self._scores() if is_judged else None
        reward = 0.0 if scores is None else scores[self.scoring].value
        turn = Turn(action, observation, reward, scores, self.state_hash(), started)
        self.status, self._playing = ending, ending is None
        return turn

    def _scores(self) -> Scores | None:
        """Both scores by the world's own reward or the data set's; None where nothing can be said."""
        scores = None if self.task.gold is None else self._best_scores()
        if self._own_reward is None:
            return scores
        changes = () if self.session is None else tuple(self.session.changes())
        ending = custom.CustomEnding(self.task, self.answer, self._handed_in, changes, self._read, scores)
        return custom.judge(self._own_reward, ending)

    def _best_scores(self) -> Scores | None:
        """The world's scores by the task's gold, `exact` by whichever of its alternatives the ending is most like."""
        scores, task = self.score(), self.task
        try:
            for self.task in task.alternatives:
                if scores is None or scores["exact"].success:
                    break
                other = self.score()
                if other is not None and other["exact"].value > scores["exact"].value:
                    scores = {**scores, "exact": other["exact"]}
        finally:
            self.task = task
        return scores

    def _read(self, path: str) -> bytes:
        if self.session is None:
            raise FileNotFoundError(path)
        return self.session.read(path, limit=self.session.limits.disk)

    def _observe(self, action: Action) -> Observation:
        if action.kind == "skip":
            return SKIPPED
        if action.kind == "submit":
            self._handed_in = action.text
            return self.on_submit(action.text)
        if action.kind == "nothing":
            self.idle += 1
            return Observation(action.text)
        observation = self.execute(action.text)
        self.turn += 1
        self.answer = observation.text
        return observation

    @contextmanager
    def _guarded(self) -> Iterator[None]:
        """When the machine fails in here, the episode is over."""
        try:
            yield
        except MachineError:
            self.status, self._playing = "error", False
            raise

    def _choose(self, options: Mapping[str, Any]) -> Task:
        if unknown := sorted(options.keys() - {"task"}):
            raise UserError(f"unknown options {unknown}: reset takes options={{'task': index or id}}")
        wanted = options.get("task")
        if isinstance(wanted, str):
            return self.dataset.find(wanted)
        if wanted is not None:
            return self.dataset.find(_index(wanted))
        if not self._order:
            self._order = [int(number) for number in self.np_random.permutation(len(self.dataset))]
        return self.dataset[self._order.pop()]

    def _info(self, observation: Observation) -> dict[str, Any]:
        return {"task": self.task.id, "turn": self.turn, "observation": observation}

    def _require_task(self) -> None:
        if not hasattr(self, "task"):
            raise ResetNeeded("no episode was begun: call reset() first")

    def _check_options(self) -> None:
        name = self.dataset.name
        if self.scoring not in SCORINGS:
            raise UserError(f"no scoring called {self.scoring!r}; there are: {', '.join(SCORINGS)}")
        if self.turns < 1:
            raise UserError(f"turns={self.turns}: an episode needs one at least")
        if len(self.dataset) == 0:
            raise UserError(f"the data set {name} is empty: there is nothing to play")
        if self.dataset.world != self.world and not self._is_in(self.dataset.world):
            way_out = "name a data set of that world (--dataset NAME, or dataset=NAME in Python)"
            raise UserError(f"{name} is for the world {self.dataset.world!r}, and this is {self.world!r}: {way_out}")

    def _is_in(self, file: str) -> bool:
        """Whether *file* is the one of a user's own that this world is defined in."""
        return file.endswith(".py") and registry.find("envs", file) is type(self)


def _index(wanted: Any) -> int:
    try:
        return index(wanted)
    except TypeError as error:
        raise UserError(f"a task is an index or an id, not {wanted!r}") from error
