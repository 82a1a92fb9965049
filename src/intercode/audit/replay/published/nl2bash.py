"""Published recordings as material: each harness stepped and judged as it did.

Per turn of "try again" and "plan & solve": the action is run, then judged. ReAct: judged only where it submits. The
state is not reset between the judgements of one episode.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from intercode.audit.replay.comparison import ComparedEpisode, ComparedTurn, Pair, until_failure
from intercode.audit.replay.published import file_systems, stable_tasks
from intercode.audit.replay.published.recorded_turns import CUT, REACT_NO_CODE, RecordedTurn
from intercode.audit.replay.published.recordings import RecordedEpisode, Recording
from intercode.audit.replay.published.reused_containers import ReusedContainersEnv
from intercode.audit.replay.published.task_sets import TaskSets
from intercode.audit.replay.source import ReplayItem, ReplayOptions, ReplaySource
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.errors import UnknownNameError, UserError
from intercode.runs.factories import Say, env_of, make_backend
from intercode.runs.settings import Settings
from intercode.types import Action, Scores, Scoring
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.sandbox import Sandbox

SKIPPED = "skipped"
"""What the published environment says to `skip`."""

ENDLESS = 1_000_000
"""A limit of turns that no recording reaches: recordings end by themselves."""


class BashReplay:
    """What all published recordings are replayed on: one sandbox, and NL2Bash on each file system that is asked for."""

    def __init__(self, options: ReplayOptions, say: Say) -> None:
        self._options, self._sets = options, TaskSets(verified=options.verified)
        plain = Settings(dataset="nl2bash", world="bash", scoring=options.scoring, turns=ENDLESS)
        self._settings = options.settings(plain)
        if options.reuse_containers and options.scoring != "paper":
            raise UserError(
                "--reuse-containers replays the published way, scored by its own reward: leave out --scoring"
            )
        if options.reuse_containers and options.sandbox not in ("", "embedded"):
            raise UserError("--reuse-containers replays in the embedded sandbox: leave out --sandbox")
        self._sandbox = (
            EmbeddedSandbox(progress=say, on_disk=True)
            if options.reuse_containers
            else make_backend(self._settings, say)
        )
        self._environments: dict[tuple[Path | None, int | None], Callable[[], Env]] = {}

    def load_source(self, recording: Recording) -> ReplaySource:
        """Return the episodes of *recording* that are wanted, ready to be played.

        Raises:
            UserError: If none of its episodes is wanted.
        """
        listed = (
            stable_tasks.read(self._options.stable) if self._options.stable else stable_tasks.beside(recording.path)
        )
        ran_on = file_systems.file_systems(recording, self._options.file_system)
        rows = zip(recording.episodes, ran_on, strict=True)
        selected = [row for row in rows if self._options.want(row[0].task, listed) and self._counts(*row)]
        return ReplaySource(
            path=recording.path,
            kind=recording.harness,
            pieces=tuple(self._piece(recording, *row) for row in selected[: self._options.limit]),
            note=file_systems.note(recording, ran_on, self._options.file_system),
            stable=listed,
            in_order=self._options.reuse_containers,
        )

    def close(self) -> None:
        """Close the sandbox."""
        self._sandbox.close()

    def _piece(self, recording: Recording, episode: RecordedEpisode, ran_on: int) -> ReplayItem:
        file = recording.path if self._options.reuse_containers else None  # containers are reused within one file
        make_env = self._make_env(file, None if ran_on == episode.file_system else ran_on)
        return ReplayItem(episode.task, 0, make_env, BashPlayer(recording, episode, self._options.scoring).play)

    def _counts(self, episode: RecordedEpisode, ran_on: int) -> bool:
        """Return whether the verified set, if it is asked for, has its task, and it ran on that one's file system."""
        return not self._options.verified or (ran_on == episode.file_system and self._sets.has(episode))

    def _make_env(self, file: Path | None, file_system: int | None) -> Callable[[], Env]:
        """Return how to make an environment whose tasks are all on *file_system*, or each on its own."""
        key = file, file_system
        if key not in self._environments:
            options = {} if file_system is None else {"file_system": file_system}
            dataset = self._sets.load("nl2bash", **options)
            settings = self._settings.changed(image=self._settings.image or dataset.default_image)
            self._environments[key] = partial(self._env, settings, dataset)
        return self._environments[key]

    def _env(self, settings: Settings, dataset: Dataset) -> Env:
        if not self._options.reuse_containers:
            return env_of(settings, dataset, self._sandbox)
        assert isinstance(self._sandbox, Sandbox)
        return ReusedContainersEnv(
            dataset, sandbox=self._sandbox, image=settings.image, scoring=self._options.scoring, turns=ENDLESS
        )


@dataclass
class BashPlayer:
    """Plays one recorded episode again."""

    recording: Recording
    episode: RecordedEpisode
    scoring: Scoring
    seen: str = ""
    succeeded: bool = False

    def play(self, env: Env) -> ComparedEpisode:
        """Return all turns that can be had; what the machine fails at is in `error`."""
        turns, error = until_failure(self._turns(env))
        return ComparedEpisode(self.episode.task, 0, turns, Pair(self.episode.success, self.succeeded), error)

    def _turns(self, env: Env) -> Iterator[ComparedTurn]:
        env.start_episode(env.dataset.find(self.episode.local_id))
        for number, turn in enumerate(self.episode.turns, 1):
            yield self._turn(env, number, turn)

    def _turn(self, env: Env, number: int, turn: RecordedTurn) -> ComparedTurn:
        if turn.kind == "run":
            self.seen = env.take_action(Action("execute", turn.code)).observation.text
        now = self._now(turn)
        return ComparedTurn(
            number,
            turn.raw,
            None if now is None else Pair(turn.observation, now),
            {self.scoring: Pair(turn.reward, self._judge(env) if turn.judged else 0.0)},
            judged=turn.judged,
            executed=turn.kind == "run",
            cut=CUT if self.recording.harness == "react" else 0,
        )

    def _now(self, turn: RecordedTurn) -> str | None:
        """Return what the harness would show: what was run, or the last of that again, or words of its own."""
        if turn.kind == "nothing":
            return REACT_NO_CODE if self.recording.harness == "react" else None
        return SKIPPED if turn.kind == "skip" else self.seen

    def _judge(self, env: Env) -> float:
        """Return the reward now.

        An episode succeeds when any judgement does: the best counts, and ReAct has only one.
        """
        scores: Scores | None = env.judge()
        if scores is None:
            raise UnknownNameError(f"{self.episode.task} has no gold to be judged by")
        score = scores[self.scoring]
        self.succeeded = self.succeeded or score.success
        return score.value
