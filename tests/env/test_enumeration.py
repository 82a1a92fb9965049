"""The progress reward is asked by one guess after the other, in every world: it tells nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import replace

import pytest

from intercode import datasets
from intercode.datasets.base import Dataset
from intercode.env.env import Env
from intercode.rewards.core.guessed import is_guessed
from intercode.types import Action, Task
from intercode.worlds.bash import BashEnv
from intercode.worlds.ctf import CtfEnv
from intercode.worlds.python import PythonEnv
from intercode.worlds.sql import SqlEnv
from intercode_sandbox.embedded import EmbeddedSandbox

TASKS = 20
"""Of each data set."""


def solved(env: Env, tasks: list[Task], guesses: list[str]) -> list[str]:
    """Return the tasks that are solved by handing in whichever of *guesses* is rewarded most."""
    found = []
    for task in tasks:
        env.start_episode(task)
        rewards = [env.take_action(Action("execute", guess)).reward for guess in guesses]
        total, best = 0.0, (0.0, "")
        for guess, reward in zip(guesses, rewards, strict=True):
            total += reward
            best = max(best, (total, guess))
        if best[1]:
            env.take_action(Action("execute", best[1]))
        scores = env.take_action(Action("submit")).scores
        if scores is not None and scores["exact"].success:
            found.append(task.id)
    return found


@pytest.mark.parametrize("name", ["starter", "generated-bash"])
def test_bash_tells_no_number_and_no_word(name: str) -> None:
    guesses = [f"printf '{number}\\n{number + 1}\\n'; echo {number} >/dev/null" for number in range(0, 30, 2)]
    guesses += [f"echo {word}" for word in (*range(30), "yes", "no", "true", "false", "root", "none")]
    with EmbeddedSandbox() as sandbox, BashEnv(name, sandbox=sandbox, step_reward="progress", turns=99) as env:
        assert solved(env, list(env.dataset)[:TASKS], guesses) == []


@pytest.fixture(scope="module")
def sql() -> Iterator[SqlEnv]:
    with SqlEnv("starter-sql", database="sqlite", step_reward="progress", turns=99) as env:
        yield env


def test_sql_tells_no_number(sql: SqlEnv) -> None:
    found = []
    for task in list(sql.dataset)[:TASKS]:
        sql.start_episode(task)
        table = ast.literal_eval(sql.take_action(Action("execute", "SHOW TABLES")).observation.text)[0][0]
        size = sql.take_action(Action("execute", f"SELECT COUNT(*) FROM `{table}`")).observation.text.strip("[](), ")
        forms = (f"SELECT {{}} WHERE (SELECT COUNT(*) FROM `{table}`) = {size}", f"SELECT {{}} FROM `{table}` LIMIT 1")
        found += solved(sql, [task], [form.format(number) for number in range(1, 12) for form in forms])
    assert found == []


def test_sql_tells_nothing_of_a_small_count_even_where_it_is_asked_for(sql: SqlEnv) -> None:
    """It is paid at the end alone, so that the sizes of all tables cannot be tried."""
    task = replace(sql.dataset.find("sold-out"), gold="SELECT COUNT(*) FROM products WHERE stock = 0")
    sql.start_episode(task)
    assert sql.take_action(Action("execute", task.gold or "")).reward == 0
    assert sql.take_action(Action("submit")).reward == 1


def test_sql_tells_nothing_by_the_first_row_of_a_table(sql: SqlEnv) -> None:
    paid = 0
    for task in list(sql.dataset)[:TASKS]:
        sql.start_episode(task)
        tables = [
            name for (name,) in ast.literal_eval(sql.take_action(Action("execute", "SHOW TABLES")).observation.text)
        ]
        turns = [sql.take_action(Action("execute", f"SELECT * FROM `{table}` LIMIT 1")) for table in tables]
        paid += any(turn.reward > 0 for turn in turns)
    assert paid <= 1


def test_python_tells_nothing_of_constants() -> None:
    dataset: Dataset = datasets.load("starter-python")
    found = []
    with EmbeddedSandbox() as sandbox, PythonEnv(dataset, sandbox=sandbox, step_reward="progress", turns=99) as env:
        for task in list(dataset)[:8]:
            name = str(task.extra.get("entry_point") or task.extra.get("fn_name") or "solve")
            values = ("True", "False", "None", "0", "1", "2", "''", "[]", "{}")
            found += solved(env, [task], [f"def {name}(*values, **named):\n    return {value}\n" for value in values])
    assert found == []


def test_capture_the_flag_tells_nothing_before_the_flag_is_found() -> None:
    with EmbeddedSandbox() as sandbox, CtfEnv("starter-ctf", sandbox=sandbox, step_reward="progress", turns=99) as env:
        env.start_episode(env.dataset[0])
        turns = [env.take_action(Action("execute", f"echo {word}")) for word in ("flag", "picoCTF{flag}", "1", "yes")]
        assert [turn.reward for turn in turns] == [0, 0, 0, 0]


@pytest.mark.parametrize("text", ["0", "7\n", "42", "999", "-3", "5.0", "yes", "No", "root", "none"])
def test_what_chance_finds(text: str) -> None:
    assert is_guessed(text)


@pytest.mark.parametrize("text", ["1000", "3.14", "4 5", "1\n2", "/etc", "bicycles", "a-b", "", "x1"])
def test_what_chance_does_not_find(text: str) -> None:
    assert not is_guessed(text)
