"""SkyRL's registry makes our environment, which plays as its base class promises."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
import skyrl_gym
from skyrl_gym.envs.base_text_env import BaseTextEnv

from intercode import datasets
from intercode.errors import UserError
from intercode.integrations import skyrl

TASK = datasets.load("starter").find("count-january")


@pytest.fixture
def env() -> Iterator[BaseTextEnv]:
    made = skyrl_gym.make("intercode", extras={"dataset": "starter", "task": TASK.id, "max_turns": 3})
    yield made
    made.close()


def fenced(code: str | None) -> str:
    return f"Thought: so it is.\nAction:\n```bash\n{code}\n```"


def test_an_episode_played_by_its_gold_earns_one(env: BaseTextEnv) -> None:
    prompt, told = env.init([])
    assert prompt[-1]["role"] == "user"
    assert TASK.query in prompt[-1]["content"]
    assert told == {"task": TASK.id}
    moved = env.step(fenced(TASK.gold))
    assert (moved["reward"], moved["done"]) == (0.0, False)
    assert moved["observations"][0]["role"] == "user"
    assert moved["observations"][0]["content"].startswith("Observation: ")
    ended = env.step("Thought: done.\nAction: submit")
    assert (ended["reward"], ended["done"], ended["observations"]) == (1.0, True, [])
    assert ended["metadata"]["status"] == "submitted"
    assert env.get_metrics() == {"exact": 1.0, "paper": 1.0, "turns": 2}


def test_the_prompt_of_the_row_is_kept(env: BaseTextEnv) -> None:
    row = next(each for each in skyrl.rows() if each["task"] == TASK.id)
    assert env.init(row["prompt"])[0] == row["prompt"]
    assert row["env_class"] == "intercode"
    assert str(TASK.gold) not in str(row)


def test_an_episode_is_truncated_after_its_turns_and_a_reply_without_an_action_is_a_turn(env: BaseTextEnv) -> None:
    env.init([])
    assert "no action" in env.step("Hm.\nAction:")["observations"][0]["content"]
    assert env.step(fenced("ls"))["done"] is False
    ended = env.step(fenced("ls"))
    assert (ended["done"], ended["reward"], ended["metadata"]["status"]) == (True, 0.0, "truncated")


def test_two_episodes_are_apart() -> None:
    first, second = (skyrl_gym.make("intercode", extras={"task": TASK.id}) for _ in range(2))
    try:
        for each in (first, second):
            each.init([])
        first.step(fenced("echo mine > /tmp/mine"))
        assert "No such file" in second.step(fenced("cat /tmp/mine"))["observations"][0]["content"]
    finally:
        first.close()
        second.close()


def test_another_world_is_played_in_the_same_way() -> None:
    env = skyrl_gym.make("intercode", env_config={"database": "sqlite"}, extras={"dataset": "starter-sql", "task": 0})
    try:
        prompt, _ = env.init([])
        gold = datasets.load("starter-sql")[0].gold
        assert prompt
        env.step(f"Thought: so it is.\nAction: execute[{gold}]")
        assert env.step("Action: submit")["reward"] == 1.0
    finally:
        env.close()


def test_tasks_that_cannot_be_judged_have_no_rows(tmp_path: Path) -> None:
    tasks = tmp_path / "tasks.jsonl"
    tasks.write_text('{"id": "one", "query": "?", "gold": "ls"}\n{"id": "two", "query": "?"}\n')
    assert [row["task"] for row in skyrl.rows(str(tasks))] == ["tasks/one"]


def test_options_that_there_are_not_are_refused() -> None:
    with pytest.raises(UserError, match="colour"):
        skyrl_gym.make("intercode", env_config={"colour": "red"}, extras={"task": TASK.id})
