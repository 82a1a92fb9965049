"""Published recordings of the Python world as material: each function run, submitted, and told how it did.

The harness put words of its own in the place of what was seen, in three ways; one file has all three.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from intercode.audit.replay.comparison import ComparedEpisode, ComparedTurn, Pair, until_failure
from intercode.audit.replay.published.nl2bash import ENDLESS
from intercode.audit.replay.published.recorded_turns import RecordedTurn, submitted_function
from intercode.audit.replay.published.recordings import RecordedEpisode, Recording
from intercode.audit.replay.published.task_sets import TaskSets
from intercode.audit.replay.source import ReplayItem, ReplayOptions, ReplaySource
from intercode.env.env import Env
from intercode.runs.factories import Say, env_of, make_backend
from intercode.runs.settings import Settings
from intercode.types import Action, Score, Scoring
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.unit_tests import PublishedRun, exact, paper


class PythonReplay:
    """What all published recordings of this world are replayed on: one sandbox."""

    def __init__(self, options: ReplayOptions, say: Say) -> None:
        self._options, self._sets = options, TaskSets(verified=options.verified)
        plain = Settings(dataset="mbpp", world="python", scoring=options.scoring, turns=ENDLESS)
        settings = options.settings(plain)
        dataset = self._sets.load("mbpp")
        settings = settings.changed(image=settings.image or dataset.default_image)
        self._sandbox = make_backend(settings, say)
        self._make_env = partial(env_of, settings, dataset, self._sandbox)

    def load_source(self, recording: Recording) -> ReplaySource:
        """Return the episodes of *recording* that are wanted, ready to be played."""
        episodes = [each for each in recording.episodes if self._options.want(each.task) and self._sets.has(each)]
        return ReplaySource(
            path=recording.path,
            kind=recording.harness,
            pieces=tuple(
                ReplayItem(each.task, 0, self._make_env, PythonPlayer(each, self._options.scoring).play)
                for each in episodes[: self._options.limit]
            ),
        )

    def close(self) -> None:
        """Close the sandbox."""
        self._sandbox.close()


@dataclass
class PythonPlayer:
    """Plays one recorded episode again."""

    episode: RecordedEpisode
    scoring: Scoring
    seen: str = ""
    succeeded: bool = False

    def play(self, env: Env) -> ComparedEpisode:
        """Return all turns that can be had; what the machine fails at is in `error`."""
        assert isinstance(env, PythonEnv)
        turns, error = until_failure(self._turns(env))
        return ComparedEpisode(self.episode.task, 0, turns, Pair(self.episode.success, self.succeeded), error)

    def _turns(self, env: PythonEnv) -> Iterator[ComparedTurn]:
        env.start_episode(env.dataset.find(self.episode.local_id))
        for number, turn in enumerate(self.episode.turns, 1):
            seen, score = self._turn(env, turn)
            self.succeeded = self.succeeded or score.success
            yield _compare_turn(number, turn, seen, {str(self.scoring): Pair(turn.reward, score.value)})

    def _turn(self, env: PythonEnv, turn: RecordedTurn) -> tuple[str, Score]:
        """Return what the harness would show, and the reward."""
        if turn.kind == "run":
            self.seen = env.take_action(Action("execute", turn.code)).observation.text
        name = submitted_function(turn)
        if not name:
            return self.seen, Score(0.0, success=False)
        env.submitted = name
        if self.scoring == "exact":
            ending = env.ending(env.task)
            assert ending is not None, "published tasks have tests"
            score = exact(ending.results)
            return (self.seen if score.success else turn.observation), score
        run = env.published()
        if turn.kind == "submit":
            return self.seen, paper(run)
        return format_feedback(run, env.task.extra["tests"], self.seen, turn.observation), paper(run)


def format_feedback(run: PublishedRun, tests: Sequence[str], seen: str, recorded: str) -> str:
    """Return what the harness said of *run*, in the one of its three ways that *recorded* is.

    *seen* where all was well.
    """
    failed = [test for test, mine, gold in zip(tests, run.agent, run.gold, strict=True) if mine != gold]
    if not failed:
        return seen
    if recorded.startswith("Failed Test Case: "):
        named = recorded.removeprefix("Failed Test Case: ").removesuffix("\nPlease try again.")
        return f"Failed Test Case: {named if named in failed else failed[0]}\nPlease try again."
    if recorded.startswith("Failed "):
        return f"Failed {len(failed)}/{len(tests)} Test Cases. Please try again."
    return "Test case did not pass. Please try again."


def _compare_turn(number: int, turn: RecordedTurn, seen: str, rewards: dict[str, Pair[float]]) -> ComparedTurn:
    pair = None if turn.kind == "nothing" else Pair(turn.observation, seen)
    return ComparedTurn(number, turn.raw, pair, rewards, judged=turn.judged, executed=turn.kind == "run")
