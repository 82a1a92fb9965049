"""The starter set of capture the flag: every challenge is solved by a script, on what lies in the sandbox."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from intercode.datasets import load
from intercode.datasets.base import Dataset
from intercode.datasets.challenges import new_flag
from intercode.testing.dataset import DatasetContract
from intercode.worlds.ctf import CtfEnv
from intercode.worlds.ctf.datasets.starter_ctf import CATEGORIES, StarterCtfDataset
from intercode.worlds.ctf.env import RIGHT
from intercode.worlds.ctf.starter.deflate import deflate
from intercode.worlds.ctf.starter.numbers import is_prime, next_prime, prime
from intercode_sandbox.sandbox import Sandbox

SOLUTIONS = Path(__file__).parent / "solutions"
"""Not called .py: each is a program of its own for the sandbox, no module of ours."""

NAMES = [recipe.name for recipes in CATEGORIES.values() for recipe in recipes]

PLAIN = {"badges"}
"""Challenges whose files hold the flag as it is, among others like it."""


class TestContract(DatasetContract):
    @pytest.fixture
    def dataset(self) -> Dataset:
        return StarterCtfDataset()


@pytest.fixture
def env(sandbox: Sandbox) -> Iterator[CtfEnv]:
    with CtfEnv(sandbox=sandbox, attempts=2) as env:
        yield env


def test_there_are_fifteen_at_least_in_five_categories() -> None:
    assert len(NAMES) >= 15
    assert len(CATEGORIES) == 5
    assert all(len(recipes) >= 3 for recipes in CATEGORIES.values())


@pytest.mark.parametrize("name", NAMES)
def test_a_script_solves_it_with_what_is_in_the_sandbox(env: CtfEnv, name: str) -> None:
    """It finds the flag of the episode, and the world says so; the flag stands nowhere else in the sandbox."""
    env.reset(seed=11, options={"task": f"starter-ctf/{name}"})
    assert env.task.gold
    found = env.current_session.run(
        ["grep", "-rlF", env.task.gold, "/ctf", "/etc", "/tmp", "/root", "/var", "/run", "/srv"]
    )
    assert bool(found.output) == (name in PLAIN), found.text
    env.current_session.write("/tmp/solve.py", (SOLUTIONS / f"{name}.py3").read_bytes())
    said = env.step("PYTHONPATH=. python3 /tmp/solve.py")[0]
    flag = said.strip().splitlines()[-1]
    observation, reward, terminated, _, _ = env.step(f"submit {flag}")
    assert (observation, reward, terminated) == (RIGHT, 1.0, True), said


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_makes_the_same_bytes_and_another_seed_makes_others(name: str) -> None:
    dataset = StarterCtfDataset()
    task = dataset.find(name)
    one, again, other = (dataset.challenge(task, seed) for seed in (5, 5, 6))
    assert one == again
    assert one.flag != other.flag
    assert (one.files, one.service) != (other.files, other.service)
    assert {path: len(data) for path, data in one.files.items()} or one.service


def test_no_two_tasks_share_a_flag() -> None:
    dataset = StarterCtfDataset()
    flags = [dataset.challenge(task, 5).flag for task in dataset]
    assert len(set(flags)) == len(flags)


def test_flags_cannot_be_guessed() -> None:
    flags = {new_flag(Random(seed)) for seed in range(100)}
    assert len(flags) == 100
    assert all(re.fullmatch(r"intercode\{[a-z]+_[a-z]+_[0-9a-f]{16}\}", flag) for flag in flags)


def test_a_query_names_no_flag_and_tells_how_to_hand_in() -> None:
    for task in load("starter-ctf"):
        assert "submit intercode{...}" in task.query
        assert not re.search(r"intercode\{\w", task.query)


def test_what_is_deflated_is_inflated_by_zlib() -> None:
    for data in (b"", b"a", bytes(range(256)) * 3):
        assert zlib.decompress(deflate(data)) == data


def test_primes_are_primes() -> None:
    assert [n for n in range(60) if is_prime(n)] == [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59]
    assert not is_prime((2**61 - 1) * (2**89 - 1))
    assert next_prime(10**9) == 1_000_000_007
    found = prime(Random(1), 200)
    assert is_prime(found)
    assert (found.bit_length(), found % 3) == (200, 2)
