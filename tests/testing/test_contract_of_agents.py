"""The contract notices agents that are broken on purpose: each of them fails, and in the test that is about it."""

from __future__ import annotations

import subprocess
import sys

import pytest

PREAMBLE = """
import itertools
import pytest
from intercode.agents.base import Agent
from intercode.errors import UserError
from intercode.testing.agent import AgentContract
from intercode.types import Action

class Sound(Agent):
    def reset(self, task, *, seed, gold=None): self.left = 2
    def act(self, observation, reward):
        self.left -= 1
        return Action("execute", "ls") if self.left else Action("submit")

class Deaf(Sound):
    def __init__(self, **options): pass

class Textual(Sound):
    def act(self, observation, reward): return "ls"

class Forgetful(Sound):
    left = 3
    def reset(self, task, *, seed, gold=None): pass
    def act(self, observation, reward):
        self.left -= 1
        return Action("execute", "ls") if self.left > 0 else Action("submit")

class Squeamish(Sound):
    def act(self, observation, reward):
        observation.text.encode("utf-8")
        return super().act(observation, reward)

class Mumbling(Sound):
    thought = None

class Peeking(Sound):
    def reset(self, task, *, seed, gold=None): self.gold = gold.strip()
    def act(self, observation, reward): return Action("submit")

class Picky(Sound):
    def check(self, tasks): raise UserError("not these")

class Oracle(Sound):
    pass

"""

CONTRACT = """
class Test{agent}(AgentContract):
    name = {name!r}
    @pytest.fixture
    def agent(self): return {agent}()
"""

BROKEN = {
    "Deaf": "test_an_unknown_option_is_a_user_error",
    "Textual": "test_every_answer_is_an_action",
    "Forgetful": "test_reset_begins_anew",
    "Squeamish": "test_odd_observations_do_no_harm",
    "Mumbling": "test_its_thought_is_text",
    "Peeking": "test_it_plays_without_the_gold_unless_it_says_otherwise",
    "Picky": "test_it_accepts_a_task_that_it_can_play",
    "Oracle": "test_it_is_found_under_its_name",
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What pytest says of the contract, applied to all of them and to one that is sound."""
    folder = tmp_path_factory.mktemp("broken")
    contracts = [
        CONTRACT.format(agent=agent, name="oracle" if agent == "Oracle" else "") for agent in ["Sound", *BROKEN]
    ]
    (folder / "test_it.py").write_text(PREAMBLE + "".join(contracts))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(folder), str(folder)]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


@pytest.mark.parametrize(("agent", "test"), BROKEN.items())
def test_a_broken_agent_fails_the_test_that_is_about_it(report: str, agent: str, test: str) -> None:
    assert f"::Test{agent}::{test}" in report


def test_a_sound_agent_passes(report: str) -> None:
    assert "::TestSound::" not in report
    assert " passed" in report
