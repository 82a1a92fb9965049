"""What an agent leaves decides no verifier: of 21 of them each pays honest work alone, whatever else is left there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.worlds.harbor import HarborEnv
from intercode.worlds.harbor.datasets.harbor_folder import HarborFolderDataset
from intercode_sandbox.sandbox import Sandbox
from worlds.harbor.verifier_leftovers import EXIT, LEFTOVERS, programs
from worlds.harbor.verifier_tasks import SOLUTION, VERIFIERS, write_task, write_tasks

BREAKS_WORK = ("workdir-linked", "tests-linked-back", "bin-plants")
"""Leftovers that remove the folder in which the work is, or leave a shell by which nothing can be given back."""


@pytest.fixture(scope="module")
def env(sandbox: Sandbox, tmp_path_factory: pytest.TempPathFactory) -> Iterator[HarborEnv]:
    folder = tmp_path_factory.mktemp("verifiers")
    write_tasks(folder)
    with HarborEnv(HarborFolderDataset(folder), sandbox=sandbox) as env:
        yield env


def paid(env: HarborEnv, command: str) -> list[str]:
    """The verifiers that pay for what *command* leaves."""
    return [name for name in VERIFIERS if reward(env, name, command) > 0]


def reward(env: HarborEnv, verifier: str, command: str) -> float:
    env.reset(options={"task": verifier})
    env.step(command)
    return float(env.step("submit")[1])


def test_honest_work_is_paid_by_each(env: HarborEnv) -> None:
    assert paid(env, SOLUTION) == list(VERIFIERS)


def test_nothing_is_paid_by_none(env: HarborEnv) -> None:
    assert paid(env, "true") == []


@pytest.mark.bank
@pytest.mark.timeout(900)
@pytest.mark.parametrize("leftover", LEFTOVERS)
def test_a_leftover_is_paid_by_none(env: HarborEnv, leftover: str) -> None:
    assert paid(env, LEFTOVERS[leftover]) == []


@pytest.mark.bank
@pytest.mark.parametrize("leftover", [name for name in LEFTOVERS if name not in BREAKS_WORK])
def test_honest_work_is_paid_beside_what_steers_programs(env: HarborEnv, leftover: str) -> None:
    assert reward(env, "grep", f"{SOLUTION}{LEFTOVERS[leftover]}") == 1.0


MODULE = f"mkdir /app/src; {EXIT} > /app/src/json.py"


@pytest.mark.parametrize(
    ("check", "variables", "leftover"),
    [
        (f"export PATH=/app/tools:$PATH; {VERIFIERS['grep']}", "", programs("/app/tools")),
        (VERIFIERS["grep"], 'PATH = "/app/tools:/usr/bin:/bin"', programs("/app/tools")),
        (f"export PYTHONPATH=/app/src; {VERIFIERS['python-code']}", "", MODULE),
        (VERIFIERS["python-code"], 'PYTHONPATH = "/app/src"', MODULE),
    ],
)
def test_nor_is_one_in_a_folder_that_the_verifier_names(
    sandbox: Sandbox, tmp_path: Path, check: str, variables: str, leftover: str
) -> None:
    write_task(tmp_path / "task", check)
    with (tmp_path / "task/task.toml").open("a") as file:
        file.write(f"[verifier.env]\n{variables}\n")
    with HarborEnv(HarborFolderDataset(tmp_path), sandbox=sandbox) as env:
        assert [reward(env, "task", command) for command in (SOLUTION, leftover)] == [1.0, 0.0]


LOGIN = f"bash -lc '{VERIFIERS['grep']}'"
PROFILE = "mkdir /app/me; echo 'exit 0' > /app/me/.bash_profile"
WAITS = "mkdir -p /tmp/check.py; printf 'import os\nos._exit(0)\n' > /tmp/check.py/__main__.py"
COPIED = "cp /tests/check.py /tmp/check.py; python3 /tmp/check.py"
COMPARES = 'raise SystemExit(open("/app/greeting.txt").read() != "hello\\n")'


@pytest.mark.parametrize(
    ("check", "leftover"),
    [
        (f"export HOME=/app/me; {LOGIN}", PROFILE),
        (f"cd /app; export HOME=$PWD/me; {LOGIN}", PROFILE),
        (f'export HOME="${{APP:-/app}}/me"; {LOGIN}', PROFILE),
        (f"cd /app; export HOME=me; {LOGIN}", PROFILE),
        (f"BASH_ENV=/app/env bash -c '{VERIFIERS['grep']}'", "echo 'exit 0' > /app/env"),
        (f"echo '{COMPARES}' > /tests/check.py; {COPIED}", WAITS),
    ],
)
def test_nor_are_settings_where_the_verifier_looks_for_them(
    sandbox: Sandbox, tmp_path: Path, check: str, leftover: str
) -> None:
    write_task(tmp_path / "task", check)
    with HarborEnv(HarborFolderDataset(tmp_path), sandbox=sandbox) as env:
        assert [reward(env, "task", command) for command in (SOLUTION, leftover)] == [1.0, 0.0]
