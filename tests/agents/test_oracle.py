"""The oracle plays golds, and looks first where it is told to: so that who learns from it learns to look."""

from __future__ import annotations

import pytest

import intercode
from intercode import datasets
from intercode.agents.oracle import OracleAgent
from intercode.env.env import Env
from intercode.errors import UserError
from intercode.types import Action, Observation


def played(env: Env, look: str) -> list[tuple[list[str], float, list[str]]]:
    """The code, the reward and the observations of each of twelve episodes."""
    found = []
    for index in range(12):
        task = env.dataset[index]
        agent = OracleAgent(look=look)
        turns = [env.start_episode(task).text]
        code, reward = list[str](), 0.0
        agent.reset(env.task.view(), seed=0, gold=task.gold)
        while env.status is None:
            turn = env.take_action(agent.act(Observation(turns[-1]), reward))
            code += [turn.action.text] if turn.action.kind == "execute" else []
            turns, reward = [*turns, turn.observation.text], turn.reward
        found.append((code, reward, turns[1:]))
    return found


def test_a_look_at_files_and_folders_comes_before_the_gold() -> None:
    with intercode.make("starter") as env:
        episodes = played(env, "true")
    assert [reward for _, reward, _ in episodes] == [1.0] * 12
    assert {len(code) for code, _, _ in episodes} == {2}
    assert {code[0].partition(" ")[0] for code, _, _ in episodes} == {"ls", "head", "tar"}
    assert not any("No such file" in seen[0] or not seen[0].strip() for _, _, seen in episodes)


def test_a_look_at_columns_comes_before_a_query() -> None:
    with intercode.make("starter-sql", database="sqlite") as env:
        episodes = played(env, "true")
    assert [reward for _, reward, _ in episodes] == [1.0] * 12
    for code, _, seen in episodes:
        assert code[:-1]
        assert all(each.startswith("DESCRIBE ") for each in code[:-1])
        assert all("Error" not in text for text in seen[: len(code)])


def test_it_looks_at_nothing_unless_it_is_told_to() -> None:
    with intercode.make("starter") as env:
        assert {len(code) for code, _, _ in played(env, "false")} == {1}


def test_a_task_without_a_gold_is_skipped_without_a_look() -> None:
    agent = OracleAgent(look="true")
    agent.reset(datasets.load("starter")[0].view(), seed=0, gold=None)
    assert agent.act(Observation(""), 0.0) == Action("skip")


def test_another_word_than_true_or_false_is_refused() -> None:
    with pytest.raises(UserError, match="look=yes: the oracle looks first or does not"):
        OracleAgent(look="yes")
