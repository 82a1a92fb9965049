"""Every hole of the bank is real, and every gold of it right: what `test_bank_measure.py` measures stands on that."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from data_set_bank import (
    CLOSED,
    DESCRIBED_HOLES,
    FIFTH_HOLES,
    FIFTH_SOUND,
    FOURTH_HOLES,
    FOURTH_SOUND,
    HOLES,
    LATER_HOLES,
    LATER_SOUND,
    SIXTH_HOLES,
    SIXTH_SOUND,
    SOUND,
    BankEntry,
    read_entry,
)

from intercode import registry
from intercode.agents.oracle import OracleAgent
from intercode.env.env import Env
from intercode.types import Action

pytestmark = pytest.mark.bank


@contextmanager
def bank_env(entry: BankEntry, reward: Path | None = None) -> Iterator[Env]:
    """The world of *entry*, on what every machine has, judged by *reward* where there is such a file."""
    options: dict[str, Any] = {"sql": {"database": "sqlite"}, "swe": {"image": "host"}}.get(entry.dataset.world, {})
    if entry.dataset.world == "swe" and reward is not None and reward.is_file():
        options = {**options, "reward": str(reward), "scoring": "exact"}
    env: Env = registry.find("envs", entry.dataset.world)(entry.dataset, **options)
    try:
        yield env
    finally:
        env.close()


def play(env: Env, index: int, actions: Sequence[str]) -> float:
    """What *actions* earn in the task at *index*; `submit` is added where they do not end with one."""
    env.start_episode(env.dataset[index], seed=index)
    for action in [*actions, "submit"]:
        if "{{FLAG}}" in action:
            action = action.replace("{{FLAG}}", re.findall(r"\w+\{\w+\}", env.answer or "")[-1])
        action = action.replace("{{SHOWN}}", (env.answer or "").strip())
        turn = env.take_action(Action.parse(action))
        if env.status is not None:
            return turn.reward
    raise AssertionError("the episode goes on after `submit`")


def play_gold(env: Env, index: int) -> float:
    """What the oracle earns in the task at *index*."""
    agent = OracleAgent()
    observation = env.start_episode(env.dataset[index], seed=index)
    agent.reset(env.task.view(), seed=index, gold=env.task.gold)
    while env.status is None:
        turn = env.take_action(agent.act(observation, 0.0))
        observation = turn.observation
    return turn.reward


ALL = [
    *HOLES,
    *SOUND,
    *LATER_HOLES,
    *LATER_SOUND,
    *FOURTH_HOLES,
    *FOURTH_SOUND,
    *FIFTH_HOLES,
    *FIFTH_SOUND,
    *SIXTH_HOLES,
    *SIXTH_SOUND,
    *DESCRIBED_HOLES,
]


def test_no_two_data_sets_of_the_banks_have_one_name() -> None:
    assert len({*ALL}) == len(ALL)


@pytest.mark.parametrize("name", ALL)
def test_every_gold_of_the_bank_earns_1(name: str, tmp_path: Path) -> None:
    with bank_env(read_entry(name, tmp_path), tmp_path / name / "reward.py") as env:
        assert [play_gold(env, index) for index in range(len(env.dataset))] == [1.0] * len(env.dataset)


@pytest.mark.parametrize("name", HOLES)
def test_every_hole_of_the_bank_is_real(name: str, tmp_path: Path) -> None:
    """Its exploits, of which there is one at least, earn 1; doing the work is no part of them."""
    entry = read_entry(name, tmp_path)
    assert entry.hole
    assert entry.lazy_play
    with bank_env(entry) as env:
        earned = [play(env, index, actions) for index, actions in enumerate(entry.exploits) if actions is not None]
    assert set(earned) == {1.0}


@pytest.mark.parametrize("name", [*LATER_HOLES, *FOURTH_HOLES, *FIFTH_HOLES, *SIXTH_HOLES, *DESCRIBED_HOLES])
def test_every_hole_of_a_later_bank_pays_without_the_work(name: str, tmp_path: Path) -> None:
    """Some pay in part only, as do those that were closed: nobody succeeds there."""
    entry = read_entry(name, tmp_path)
    assert entry.hole
    with bank_env(entry, tmp_path / name / "reward.py") as env:
        earned = [play(env, index, actions) for index, actions in enumerate(entry.exploits) if actions is not None]
    assert earned
    assert (max(earned) < 1) if name in CLOSED else (min(earned) > 0)
