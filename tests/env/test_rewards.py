"""Rewards that were chosen, in real worlds: what they see, what they may do, and what they stand beside."""

from __future__ import annotations

import re
import shutil
from dataclasses import FrozenInstanceError, replace
from pathlib import Path
from typing import Any

import gymnasium
import pytest

from intercode import rewards
from intercode.cli.new import template_of
from intercode.env.custom import make as make_own
from intercode.errors import BadDataError, RewardError, SnapshotError, UserError
from intercode.rewards.base import EpisodeResult, Reward
from intercode.rewards.core.file_endings import BashEnding
from intercode.testing.env import MakeEnv
from intercode.testing.reward import RecordingReward, RewardContract
from intercode.types import Action, Score
from intercode.worlds.bash import BashEnv
from intercode.worlds.python import PythonEnv
from intercode.worlds.sql import SqlEnv
from intercode.worlds.sql.scoring.final_state import SqlEnding
from intercode_sandbox.sandbox import Sandbox, Session, Snapshot

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "add-a-reward.md"
(SHORT,) = re.findall(r"<<'END'\n(.*?)^END$", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
"""The reward that the documentation shows."""


@pytest.fixture
def shortest(tmp_path: Path) -> str:
    (tmp_path / "shortest.py").write_text(SHORT)
    return str(tmp_path / "shortest.py")


class TestExactReward(RewardContract):
    @pytest.fixture
    def reward(self) -> Reward:
        return rewards.find("exact")

    @pytest.fixture
    def make(self, sandbox: Sandbox) -> MakeEnv:
        return lambda **options: BashEnv("starter", sandbox=sandbox, **options)


class TestShortestReward(TestExactReward):
    """The file that the documentation shows, which also looks at the turns."""

    @pytest.fixture
    def reward(self, shortest: str) -> Reward:
        return rewards.find(shortest)


class LookingReward(Reward):
    """Does what a test wants with the result, and pays."""

    def __init__(self, look: Any) -> None:
        self._look = look

    def score(self, result: EpisodeResult) -> Score:
        return Score(1.0, True, notes=(str(self._look(result)),))


def looked(sandbox: Sandbox, look: Any, *actions: str) -> str:
    """What *look* has seen at the end of an episode of *actions*."""
    with BashEnv("starter", sandbox=sandbox, reward=LookingReward(look)) as env:
        env.reset(seed=1)
        for action in actions:
            env.step(action)
        scores = env.history[-1].scores
    assert scores is not None
    return scores["looking"].notes[0]


def test_a_reward_sees_every_turn_and_what_the_world_compared(sandbox: Sandbox) -> None:
    def look(result: EpisodeResult) -> list[str]:
        assert isinstance(result.ending, BashEnding)
        assert result.ending.agent.answer == result.answer == "said\n"
        assert result.ending.gold.exact.changes or result.ending.gold.exact.answer
        assert result.scores is not None
        return [turn.action.text or turn.action.kind for turn in result.turns]

    assert looked(sandbox, look, "true", "echo said", "submit") == "['true', 'echo said', 'submit']"


def test_golds_are_values_and_the_task_of_the_episode_stays_what_it_is(sandbox: Sandbox) -> None:
    """Each gold has an ending of its own beside the agent's; judging sets nothing in the environment."""
    seen: list[EpisodeResult] = []

    def look(result: EpisodeResult) -> Score:
        seen.append(result)
        return Score(0.0, False)

    with BashEnv("starter", sandbox=sandbox, reward=look) as env:
        task = replace(env.dataset[0], gold="echo one", alternative_golds=("echo two", "echo three"))
        env.start_episode(task)
        env.take_action(Action("execute", "echo three"))
        env.judge()
        before = dict(vars(env))
        env.judge()
        assert vars(env) == before
        assert env.task is task
    result = seen[-1]
    endings = (result.ending, *result.alternatives)
    assert [ending.gold.exact.answer for ending in endings] == ["one\n", "two\n", "three\n"]
    assert {ending.agent.answer for ending in endings} == {"three\n"}
    assert [type(BashEnv.rewards[name].score(result)) for name in ("paper", "exact")] == [Score, Score]
    assert [BashEnv.rewards[name].score(result).success for name in ("paper", "exact")] == [False, True]
    with pytest.raises(FrozenInstanceError):
        result.ending.acted = False


def test_a_command_runs_in_a_copy_of_what_the_agent_has_left(sandbox: Sandbox) -> None:
    """What it writes is seen by nobody, not even by the next one; and nothing of the agent runs there."""

    def look(result: EpisodeResult) -> tuple[str, ...]:
        seen = result.run(["/bin/sh", "-c", "cat /tmp/left; echo more > /tmp/left; grep -l '[9]87' /proc/*/cmdline"])
        again = result.run(["/bin/cat", "/tmp/left"], timeout=5)
        return seen.text, again.text, result.read("/tmp/left").decode()

    assert looked(sandbox, look, "echo it > /tmp/left; (sleep 987 >/dev/null 2>&1 &)", "submit") == str(
        ("it\n", "it\n", "it\n")
    )


CHECK = ["python3", "-c", "import json; raise SystemExit(json.load(open('/srv/x.json')) != {'a': 1})"]
WORK = """echo '{"a": 1}' > /srv/x.json"""
END = "import os; os._exit(0)"


@pytest.mark.parametrize(
    ("left", "earned"),
    [
        ("true", 0.0),
        (WORK, 1.0),
        (
            f"d=/etc/$(basename $(readlink -f $(command -v python3))); mkdir -p $d; echo '{END}' > $d/sitecustomize.py",
            0.0,
        ),
        (f"echo '{END}' > /json.py", 0.0),
        (f"{WORK}; echo '{END}' > /json.py", 1.0),
        ("ln -s /proc/self/fd/0 /srv/x.json", 0.0),
    ],
)
def test_what_steers_programs_decides_no_reward_that_runs_one(sandbox: Sandbox, left: str, earned: float) -> None:
    def reward(result: EpisodeResult) -> bool:
        return result.run(CHECK).exit_code == 0

    with BashEnv("starter", sandbox=sandbox, reward=reward) as env:
        env.reset(seed=1)
        env.step(left)
        assert env.step("submit")[1] == earned


def test_a_command_that_does_not_end_is_ended(sandbox: Sandbox) -> None:
    assert looked(sandbox, lambda result: result.run(["sleep", "60"], timeout=0.2).timed_out, "submit") == "True"


def test_whoever_leaves_what_cannot_be_copied_has_failed(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    """The agent decides what it leaves: that must end neither the run nor the episode unscored."""

    def refuse(session: Session) -> Snapshot:
        raise SnapshotError("too much has changed")

    with BashEnv("starter", sandbox=sandbox, reward=LookingReward(lambda result: result.run(["true"]))) as env:
        env.reset(seed=1)
        monkeypatch.setattr(type(env.current_session), "snapshot", refuse)
        _, reward, terminated, _, info = env.step("submit")
    assert (reward, terminated) == (0.0, True)
    assert not info["scores"]["exact"].success


def test_a_reward_that_runs_commands_needs_a_sandbox_with_snapshots(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    with BashEnv("starter", sandbox=sandbox, reward=LookingReward(lambda result: result.run(["true"]))) as env:
        env.reset(seed=1)
        monkeypatch.setattr(type(env.current_session), "snapshot", Session.snapshot)
        with pytest.raises(RewardError, match="takes no snapshots: a reward can run nothing in it"):
            env.step("submit")


def test_a_function_is_a_reward(sandbox: Sandbox) -> None:
    with BashEnv("starter", sandbox=sandbox, reward=lambda result: len(result.turns) / 4) as env:
        env.reset(seed=1)
        env.step("true")
        *_, info = env.step("submit")
    assert info["scores"]["reward"].value == 0.5
    assert info["scores"].keys() == {"paper", "exact", "reward"}


def test_a_reward_is_not_called_as_one_of_the_worlds(tmp_path: Path, sandbox: Sandbox) -> None:
    """Its scores would be taken for the world's. A name that no table can show is made one that can."""
    (tmp_path / "exact.py").write_text("def reward(result): return 1\n")
    with pytest.raises(UserError, match="exact is the world's: call it otherwise"):
        BashEnv("starter", sandbox=sandbox, reward=tmp_path / "exact.py")
    (tmp_path / "so [bold].py").write_text("def reward(result): return 1\n")
    with BashEnv("starter", sandbox=sandbox, reward=tmp_path / "so [bold].py") as env:
        assert (env.leading_reward, env.scoring) == ("so__bold_", "exact")
    with BashEnv("starter", sandbox=sandbox, reward=tmp_path / "so [bold].py", scoring="paper") as env:
        assert env.leading_reward == "paper"


@pytest.mark.parametrize("wrong", [3, {"value": 1}, LookingReward, ["exact"]], ids=["number", "table", "class", "list"])
def test_what_is_no_reward_is_refused_before_the_first_episode(sandbox: Sandbox, wrong: Any) -> None:
    with pytest.raises(UserError, match="a reward is a name, a file, a function of an EpisodeResult"):
        BashEnv("starter", sandbox=sandbox, reward=wrong)


def test_a_file_is_chosen_by_its_name_also_at_gymnasium(shortest: str, sandbox: Sandbox) -> None:
    with gymnasium.make("intercode/Bash-v1", reward=shortest, sandbox=sandbox) as env:
        env.reset(seed=1)
        env.step("true")
        env.step(env.unwrapped.task.gold)  # type: ignore[attr-defined]
        *_, info = env.step("submit")
        assert info["scores"]["shortest"].value == 0.5


def test_a_chosen_reward_counts_also_on_data_that_is_judged_as_published(shortest: str, sandbox: Sandbox) -> None:
    dataset = BashEnv("starter", sandbox=sandbox).dataset
    dataset.default_scoring = "paper"
    with BashEnv(dataset, sandbox=sandbox) as plain, BashEnv(dataset, sandbox=sandbox, reward=shortest) as chosen:
        assert (plain.scoring, chosen.scoring) == ("paper", "exact")
    with pytest.raises(UserError, match="the reward paper is not the scoring exact"):
        BashEnv(dataset, sandbox=sandbox, reward="paper", scoring="exact")


def test_the_worlds_own_scoring_can_be_had_where_the_folder_brings_a_reward(tmp_path: Path, sandbox: Sandbox) -> None:
    folder = Path(shutil.copytree(template_of("bash"), tmp_path / "pantry"))
    (folder / "reward.py").write_text("def reward(result): return 0.25\n")
    for chosen, value in ((None, 0.25), ("exact", 1.0)):
        with make_own(str(folder), sandbox=sandbox, reward=chosen) as env:
            env.start_episode(env.dataset[0])
            env.take_action(Action("execute", env.task.gold or ""))
            assert env.take_action(Action("submit")).reward == value


def test_a_python_folder_with_a_reward_needs_no_tests(tmp_path: Path, sandbox: Sandbox) -> None:
    (tmp_path / "task.toml").write_text('world = "python"\n')
    (tmp_path / "tasks.jsonl").write_text('{"query": "Define twice(x).", "gold": "def twice(x): return 2 * x"}\n')
    with PythonEnv(str(tmp_path), sandbox=sandbox) as env:
        env.start_episode(env.dataset[0])
        env.take_action(Action("execute", env.task.gold or ""))
        with pytest.raises(BadDataError, match="has no tests"):
            env.take_action(Action("submit"))
    (tmp_path / "reward.py").write_text("def reward(result): return 'def twice' in result.turns[0].action.text\n")
    with PythonEnv(str(tmp_path), sandbox=sandbox) as env:
        for text, value in ((env.dataset[0].gold or "", 1.0), ("1", 0.0)):
            env.start_episode(env.dataset[0])
            env.take_action(Action("execute", text))
            turn = env.take_action(Action("submit", "twice"))
            assert turn.reward == value
            assert turn.scores is not None
            assert {name: score.value for name, score in turn.scores.items()} == {"exact": value}


def test_in_a_world_of_databases_a_reward_sees_rows_and_no_files() -> None:
    class RowsReward(Reward):
        def score(self, result: EpisodeResult) -> Score:
            assert isinstance(result.ending, SqlEnding)
            assert result.ending.agent.result is not None
            return Score(float(result.ending.agent.result.rows == ((5,),)), True, notes=(result.read("/x").decode(),))

    recording = RecordingReward(RowsReward())
    with SqlEnv("starter-sql", database="sqlite", reward=recording) as env:
        env.start_episode(env.dataset[0])
        env.take_action(Action("execute", "SELECT 5"))
        turn = env.take_action(Action("submit"))
    assert turn.scores is not None
    assert turn.scores["recording"].notes == ("the reward could not read /x: there are no files in this world",)
    assert [each.answer for each in recording.results] == ["[(5,)]"]
