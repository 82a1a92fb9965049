"""The contract notices worlds that are broken on purpose: each of them fails, in the test that is about it."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Self

import pytest
from gymnasium.error import ResetNeeded
from scripted_bash import SCRIPT, Scripted

from intercode.datasets.base import Dataset
from intercode.env.saved_state import SavedState
from intercode.env.snapshots import EnvSnapshot
from intercode.errors import IntercodeError, MachineError
from intercode.testing.env import ODD_ACTIONS, EnvContract
from intercode.types import SCORINGS, Action, Observation, Scores, Task, Turn
from intercode.worlds.bash import BashEnv
from intercode_sandbox.images import Image
from intercode_sandbox.scripted import ScriptedSandbox


class Sound(BashEnv):
    """Nothing is wrong with it."""


class Unseeded(BashEnv):
    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        return super().reset(seed=time.time_ns() % 2**32, options=options)


class Repetitive(BashEnv):
    """Draws each task anew."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        self._order = []
        return super().reset(seed=seed, options=options)


class Lax(BashEnv):
    """Takes whatever options there are."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        known = {"task": options["task"]} if options and options.get("task") in (0, 1, 2, 3) else {}
        return super().reset(seed=seed, options=known)


class Numeric(BashEnv):
    """Knows no ids."""

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[str, dict[str, Any]]:
        wanted = (options or {}).get("task")
        return super().reset(seed=seed, options={"task": 0} if isinstance(wanted, str) else options)


class Restless(BashEnv):
    """Goes on after the end."""

    def take_action(self, action: Action, *, seconds: float | None = None) -> Turn:
        try:
            return super().take_action(action, seconds=seconds)
        except ResetNeeded:
            return Turn(action, Observation(""))


class Telling(BashEnv):
    def execute(self, text: str) -> Observation:
        return Observation(f"(hint: {self.task.gold})")


class Chatty(BashEnv):
    def step(self, action: str) -> tuple[str, float, bool, bool, dict[str, Any]]:
        text, reward, terminated, truncated, info = super().step(action)
        return text, reward, terminated, truncated, {**info, "time": time.time()}


class Endless(BashEnv):
    """Never runs out of turns."""

    def execute(self, text: str) -> Observation:
        self.episode = replace(self.current_episode, ran=-1)
        return super().execute(text)


class Scoreless(BashEnv):
    def ending(self, task: Task) -> Any:
        return None


class Judgemental(BashEnv):
    """Judges who gives up."""

    def take_action(self, action: Action, *, seconds: float | None = None) -> Turn:
        return super().take_action(Action("submit") if action.kind == "skip" else action, seconds=seconds)


class Generous(BashEnv):
    """Takes doing nothing for an answer."""

    def ending(self, task: Task) -> Any:
        self.current_session.run(["/bin/bash", "-c", task.gold or ""])
        self.episode = replace(self.current_episode, answer=f"{task.gold} said this\n", ran=1)
        return super().ending(task)


class Final(BashEnv):
    def judge(self) -> Scores | None:
        try:
            return super().judge()
        finally:
            self.episode = self.current_episode.ended("submitted")


class Squeamish(BashEnv):
    def execute(self, text: str) -> Observation:
        text.encode("ascii")
        return super().execute(text)


class Timely(BashEnv):
    def state_hash(self) -> str:
        return f"{super().state_hash()}{time.time_ns()}"


class Blind(BashEnv):
    def state_hash(self) -> str:
        return "always the same"


class Leaky(BashEnv):
    """Goes on in the last episode's session."""

    def prepare(self) -> None:
        super().prepare()
        last, self._last = getattr(self, "_last", None), self.current_session
        if last is not None and hasattr(last, "state"):
            self.current_session.__dict__["state"] = last.state


class Merciful(BashEnv):
    """Gives 0 where the machine fails."""

    def execute(self, text: str) -> Observation:
        try:
            return super().execute(text)
        except MachineError as error:
            return Observation(str(error))


class Reopening(BashEnv):
    def close(self) -> None:
        super().close()
        self.is_closed = False


class Possessive(BashEnv):
    def close(self) -> None:
        super().close()
        self.sandbox.close()


class Careless(BashEnv):
    """Takes whatever settings there are."""

    def __init__(self, dataset: Dataset, *, turns: int = 10, scoring: Any = None, **options: Any) -> None:
        known = scoring if scoring in SCORINGS else None
        super().__init__(dataset, turns=max(turns, 1), scoring=known, **options)


class Mute(BashEnv):
    def render(self) -> str | None:
        return ""


class Wordy(BashEnv):
    def start_episode(self, task: Task, *, seed: int | None = None, started_at: float | None = None) -> Observation:
        return Observation("Your task: " + super().start_episode(task, seed=seed, started_at=started_at).text)


class Stingy(BashEnv):
    """Gives a reward at the end only."""

    def take_action(self, action: Action, *, seconds: float | None = None) -> Turn:
        self.reward_every_turn = False
        return super().take_action(action, seconds=seconds)


class Thoughtless(BashEnv):
    """Keeps something where there is nothing."""

    def snapshot(self) -> EnvSnapshot:
        if self.episode is None:
            self.start_episode(self.dataset[0])
        return super().snapshot()


class Fresh(BashEnv):
    """Begins anew instead of going on."""

    def load_state(self, state: SavedState) -> None:
        self.prepare()


class Worn(BashEnv):
    """Its snapshots wear out: what later branches did is in them after a while."""

    def restore(self, snapshot: EnvSnapshot) -> Observation:
        self._times = getattr(self, "_times", 0) + 1
        seen = super().restore(snapshot)
        if self._times > 10:
            self.current_session.run(["/bin/bash", "-c", EnvContract.changing])
        return seen


class Amnesiac(BashEnv):
    """Forgets the turns that led there."""

    def restore(self, snapshot: EnvSnapshot) -> Observation:
        seen = super().restore(snapshot)
        self.episode = replace(self.current_episode, turns=())
        return seen


class Lucky(BashEnv):
    """Has its random numbers go on as if nothing had been restored."""

    def restore(self, snapshot: EnvSnapshot) -> Observation:
        drawn = self.np_random
        seen = super().restore(snapshot)
        drawn.random()
        self.np_random, self._order = drawn, []
        return seen


class Siamese(BashEnv):
    """Its forks are itself."""

    def fork(self) -> Self:
        return self


class Unfair(BashEnv):
    """Its forks forget what they have seen."""

    def fork(self) -> Self:
        twin = super().fork()
        twin.episode = replace(twin.current_episode, answer=None)
        return twin


BROKEN: list[tuple[type[BashEnv], str]] = [
    (Unseeded, "test_the_order_of_tasks_follows_from_the_seed"),
    (Unseeded, "test_gymnasiums_own_check_passes_without_warnings"),
    (Repetitive, "test_the_order_of_tasks_follows_from_the_seed"),
    (Lax, "test_unknown_options_and_tasks_are_the_callers_mistake"),
    (Numeric, "test_a_task_can_be_asked_for_by_index_and_by_id"),
    (Careless, "test_impossible_settings_are_the_callers_mistake"),
    (Restless, "test_nothing_can_be_done_before_the_first_reset"),
    (Restless, "test_nothing_can_be_done_after_the_end"),
    (Telling, "test_the_gold_is_in_nothing_that_an_agent_sees"),
    (Chatty, "test_infos_hold_what_is_promised"),
    (Chatty, "test_gymnasiums_own_check_passes_without_warnings"),
    (Wordy, "test_begin_and_play_are_reset_and_step"),
    (Mute, "test_an_episode_can_be_shown"),
    (Endless, "test_out_of_turns_is_truncated_and_judged"),
    (Scoreless, "test_submit_ends_the_episode_and_is_judged"),
    (Judgemental, "test_skip_ends_the_episode_unscored"),
    (Generous, "test_the_gold_scores_and_doing_nothing_does_not"),
    (Stingy, "test_a_reward_for_every_turn_is_given_when_asked_for"),
    (Final, "test_judging_does_not_end_the_episode"),
    (Squeamish, "test_odd_actions_are_answered_with_an_observation"),
    (Timely, "test_states_have_names"),
    (Blind, "test_states_have_names"),
    (Leaky, "test_episodes_begin_anew"),
    (Merciful, "test_the_machines_failure_is_no_reward"),
    (Reopening, "test_closing_twice_is_harmless_and_final"),
    (Thoughtless, "test_there_is_nothing_to_keep_before_the_first_reset"),
    (Amnesiac, "test_a_snapshot_brings_back_state_and_turns"),
    (Fresh, "test_what_had_changed_is_in_a_snapshot_too"),
    (Worn, "test_many_branches_of_one_state_never_see_each_other"),
    (Lucky, "test_random_numbers_go_on_from_a_snapshot"),
    (Siamese, "test_forks_do_not_see_each_other"),
    (Unfair, "test_a_fork_is_judged_as_the_original_would_be"),
    (Possessive, "test_a_place_that_was_given_is_not_closed"),
]
ERRORS = (AttributeError, LookupError, TypeError, ValueError, IntercodeError, ResetNeeded)
FAILURES = (AssertionError, pytest.fail.Exception, *ERRORS)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    """Golds stay in the test's own folder."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))


@pytest.mark.parametrize(("kind", "test"), BROKEN, ids=[f"{kind.__name__}-{test}" for kind, test in BROKEN])
def test_the_contract_notices(kind: type[BashEnv], test: str) -> None:
    with pytest.raises(FAILURES):
        _run(kind, test)


@pytest.mark.parametrize("test", sorted({test for _, test in BROKEN}))
def test_the_contract_passes_what_is_sound(test: str) -> None:
    """Called in the same way, so that what fails above does not fail for the way it is called."""
    _run(Sound, test)


def _run(kind: type[BashEnv], test: str) -> None:
    """The contract's *test* with what it asks for."""

    def make(**options: Any) -> BashEnv:
        return kind(Scripted(), **{"sandbox": ScriptedSandbox(SCRIPT), "image": Image("none", ()), **options})

    method: Callable[..., None] = getattr(EnvContract(), test)
    parameters = inspect.signature(method).parameters
    for action in ODD_ACTIONS if "action" in parameters else [""]:
        known = {"make": make, "env": make() if "env" in parameters else None, "action": action}
        method(**{name: known[name] for name in parameters})
