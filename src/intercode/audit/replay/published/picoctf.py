"""Published recordings of capture the flag as material: commands quoted as they were, flags judged where handed in.

Two harnesses made them: the first ran what was typed without a shell, the second in one, in double quotes. A wrong flag
ended nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from intercode.audit.replay.comparison import ComparedEpisode, ComparedTurn, Pair, until_failure
from intercode.audit.replay.published.nl2bash import ENDLESS, SKIPPED
from intercode.audit.replay.published.recorded_turns import MARKED, RecordedTurn
from intercode.audit.replay.published.recordings import RecordedEpisode, Recording
from intercode.audit.replay.published.task_sets import TaskSets
from intercode.audit.replay.source import ReplayItem, ReplayOptions, ReplaySource
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.runs.factories import Say, make_backend
from intercode.runs.settings import Settings
from intercode.types import Action, Scoring
from intercode.worlds.bash.paper_shell import PaperShell, Quote
from intercode.worlds.bash.scoring.paper_quoting import bare_ctf_command, recorded_ctf_command
from intercode.worlds.bash.shell import Shell
from intercode.worlds.ctf import CtfEnv
from intercode.worlds.ctf.env import RIGHT
from intercode_sandbox.sandbox import Sandbox

WRONG = "Submitted flag is incorrect. Keep trying!"
"""What the harness said to a wrong flag."""


class RecordedCtfEnv(CtfEnv):
    """The world, with the quoting of a recording, and no end to turns and attempts."""

    def __init__(self, dataset: Dataset, *, quote: Quote, sandbox: Sandbox, image: str) -> None:
        super().__init__(dataset, attempts=ENDLESS, scoring="paper", turns=ENDLESS, sandbox=sandbox, image=image)
        self._quote = quote

    def make_shell(self) -> Shell:
        """Return the paper's shell, which starts in the task's folder."""
        shell = PaperShell(self.current_session, seconds=self.current_session.limits.seconds, quote=self._quote)
        shell.cwd = self._challenge.folder
        return shell


class CtfReplay:
    """What all published recordings of this world are replayed on: one sandbox. Every task counts, as it did."""

    def __init__(self, options: ReplayOptions, say: Say) -> None:
        self._options, self._sets = options, TaskSets(verified=options.verified)
        settings = options.settings(Settings(dataset="ctf", world="ctf", scoring=options.scoring, turns=ENDLESS))
        self._dataset = self._sets.load("ctf", excluded=True)
        self._image = settings.image or self._dataset.default_image
        backend = make_backend(settings, say)
        assert isinstance(backend, Sandbox), "this world runs in one"
        self._sandbox = backend
        self._makers: dict[Quote, Callable[[], Env]] = {}

    def load_source(self, recording: Recording) -> ReplaySource:
        """Return the episodes of *recording* that are wanted, ready to be played."""
        is_first = any(turn.raw.startswith(MARKED) for episode in recording.episodes for turn in episode.turns)
        quote = bare_ctf_command if is_first else recorded_ctf_command
        make_env = self._makers.setdefault(quote, partial(self._env, quote))
        episodes = [each for each in recording.episodes if self._options.want(each.task) and self._sets.has(each)]
        return ReplaySource(
            path=recording.path,
            kind=recording.harness,
            pieces=tuple(
                ReplayItem(each.task, 0, make_env, CtfPlayer(each, self._options.scoring).play)
                for each in episodes[: self._options.limit]
            ),
        )

    def close(self) -> None:
        """Close the sandbox."""
        self._sandbox.close()

    def _env(self, quote: Quote) -> Env:
        return RecordedCtfEnv(self._dataset, quote=quote, sandbox=self._sandbox, image=self._image)


@dataclass
class CtfPlayer:
    """Plays one recorded episode again."""

    episode: RecordedEpisode
    scoring: Scoring
    seen: str = ""
    succeeded: bool = False

    def play(self, env: Env) -> ComparedEpisode:
        """Return all turns that can be had; what the machine fails at is in `error`."""
        assert isinstance(env, CtfEnv)
        turns, error = until_failure(self._turns(env))
        return ComparedEpisode(self.episode.task, 0, turns, Pair(self.episode.success, self.succeeded), error)

    def _turns(self, env: CtfEnv) -> Iterator[ComparedTurn]:
        env.start_episode(env.dataset.find(self.episode.local_id))
        for number, turn in enumerate(self.episode.turns, 1):
            yield self._turn(env, number, turn)

    def _turn(self, env: CtfEnv, number: int, turn: RecordedTurn) -> ComparedTurn:
        reward = self._hand_in(env, turn) if turn.kind == "submit" else 0.0
        if turn.kind == "run":
            self.seen = env.take_action(Action("execute", turn.code)).observation.text
        shown = self._harness_output(turn, reward)
        return ComparedTurn(
            number,
            turn.raw,
            None if shown is None else Pair(turn.observation, shown),
            {self.scoring: Pair(turn.reward, reward)},
            judged=turn.judged,
            executed=turn.kind == "run",
        )

    def _hand_in(self, env: CtfEnv, turn: RecordedTurn) -> float:
        env.on_submit(Action.parse(turn.code).text)
        scores = env.judge()
        assert scores is not None, "every task counts here"
        self.succeeded = self.succeeded or scores[self.scoring].success
        return scores[self.scoring].value

    def _harness_output(self, turn: RecordedTurn, reward: float) -> str | None:
        """Return what the harness would show; to a right flag its own words or, later, the last observation again."""
        if turn.kind == "nothing":
            return None
        if turn.kind == "skip":
            return SKIPPED
        if turn.kind == "submit" and reward != 1:
            return WRONG
        return RIGHT if turn.kind == "submit" and turn.observation == RIGHT else self.seen
