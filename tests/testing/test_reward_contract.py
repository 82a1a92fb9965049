"""The contract notices rewards that are broken on purpose: each of them fails, in the test that is about it."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from scripted_bash import CHANGING, SCRIPT, Scripted

from intercode.env.env import Env
from intercode.errors import IntercodeError
from intercode.rewards.base import EpisodeResult, Reward
from intercode.rewards.exact import ExactReward
from intercode.testing.reward import ODD_TEXTS, RewardContract
from intercode.types import Score
from intercode.worlds.bash import BashEnv
from intercode_sandbox.images import Image
from intercode_sandbox.scripted import ScriptedSandbox


class Sound(ExactReward):
    """Nothing is wrong with it."""


class Generous(ExactReward):
    """Takes doing nothing for an answer."""

    def score(self, result: EpisodeResult) -> Score:
        return Score(1.0, True)


class Stingy(ExactReward):
    """Pays nobody."""

    def score(self, result: EpisodeResult) -> Score:
        return Score(0.0, False)


class Boundless(ExactReward):
    """Pays double."""

    def score(self, result: EpisodeResult) -> Score:
        return Score(2 * super().score(result).value, True)


class Numeric(ExactReward):
    """Gives a number, as only a function may."""

    def score(self, result: EpisodeResult) -> Score:
        return super().score(result).value  # type: ignore[return-value]


class Upset(ExactReward):
    """Calls a success what is none, and the other way round."""

    def score(self, result: EpisodeResult) -> Score:
        value = super().score(result).value
        return Score(value, value < 1)


class Moody(ExactReward):
    """Pays each time something else."""

    numbers = itertools.count(2)

    def score(self, result: EpisodeResult) -> Score:
        return Score(1 / next(self.numbers), False)


class Forgetless(ExactReward):
    """Pays only for what is not what it has seen last."""

    last: str | None = "nothing"

    def score(self, result: EpisodeResult) -> Score:
        is_new, self.last = result.answer != self.last, result.answer
        return Score(float(is_new), is_new)


class Meddling(ExactReward):
    """Acts in the agent's own world."""

    def score(self, result: EpisodeResult) -> Score:
        result.world.session.run(["/bin/bash", "-c", CHANGING])  # type: ignore[attr-defined]
        return super().score(result)


class Squeamish(ExactReward):
    """Wants plain text."""

    def score(self, result: EpisodeResult) -> Score:
        (result.answer or "").encode("ascii")
        return super().score(result)


class Expecting(ExactReward):
    """Thinks that something has been run."""

    def score(self, result: EpisodeResult) -> Score:
        assert result.answer is not None
        return super().score(result)


class Particular(Reward):
    """Thinks that there is always a gold."""

    def score(self, result: EpisodeResult) -> Score:
        assert result.scores is not None
        return result.scores["exact"]


BROKEN: list[tuple[type[Reward], str]] = [
    (Stingy, "test_the_gold_earns_1"),
    (Generous, "test_doing_nothing_earns_0"),
    (Boundless, "test_a_value_is_from_0_to_1"),
    (Numeric, "test_a_value_is_from_0_to_1"),
    (Upset, "test_full_pay_is_a_success_and_no_pay_is_none"),
    (Moody, "test_the_same_result_gets_the_same_score"),
    (Forgetless, "test_the_same_result_gets_the_same_score"),
    (Meddling, "test_judging_changes_nothing"),
    (Squeamish, "test_odd_answers_are_judged"),
    (Expecting, "test_odd_answers_are_judged"),
    (Particular, "test_a_result_of_which_nothing_else_is_known_is_judged"),
]
FAILURES = (AssertionError, AttributeError, LookupError, TypeError, ValueError, IntercodeError)


@pytest.fixture(autouse=True)
def cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Golds stay in the test's own folder."""
    monkeypatch.setenv("INTERCODE_CACHE", str(tmp_path))


@pytest.mark.parametrize(("kind", "test"), BROKEN, ids=[f"{kind.__name__}-{test}" for kind, test in BROKEN])
def test_the_contract_notices(kind: type[Reward], test: str) -> None:
    with pytest.raises(FAILURES):
        _run(kind, test)


@pytest.mark.parametrize("test", sorted({test for _, test in BROKEN}))
def test_the_contract_passes_what_is_sound(test: str) -> None:
    """Called in the same way, so that what fails above does not fail for the way it is called."""
    _run(Sound, test)


def test_every_test_of_the_contract_has_a_reward_that_fails_it() -> None:
    assert {test for _, test in BROKEN} == {name for name in vars(RewardContract) if name.startswith("test_")}


def _run(kind: type[Reward], test: str) -> None:
    """The contract's *test* with what it asks for."""
    reward = kind()

    def make(**options: Any) -> Env:
        return BashEnv(Scripted(), **{"sandbox": ScriptedSandbox(SCRIPT), "image": Image("none", ()), **options})

    method: Callable[..., None] = getattr(RewardContract(), test)
    parameters = inspect.signature(method).parameters
    for text in ODD_TEXTS if "text" in parameters else [""]:
        known = {"make": make, "reward": reward, "text": text}
        if "env" in parameters:
            known["env"] = make(reward=reward, scoring="exact")
        method(**{name: known[name] for name in parameters})
