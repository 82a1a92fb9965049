"""Rewards as plug-ins: found by name and by file, applied, and what they return checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import EntryPoint
from pathlib import Path

import msgspec
import numpy as np
import pytest

from intercode import registry, rewards
from intercode.errors import BadDataError, RewardError, SandboxError, UnknownNameError, UserError
from intercode.rewards.base import EpisodeResult, Reward
from intercode.rewards.core.function import FunctionReward, RewardFunction
from intercode.rewards.core.judge import judge
from intercode.rewards.exact import ExactReward
from intercode.rewards.paper import PaperReward
from intercode.types import Score, Scores, Task
from intercode_sandbox.sandbox import Result

BY_COMPARISON: Scores = {"paper": Score(0.34, False), "exact": Score(0.0, False)}


def result(scores: Scores | None = BY_COMPARISON) -> EpisodeResult:
    return EpisodeResult(Task("mine/0", "Say hi."), answer="hi\n", scores=scores)


def judged(function: RewardFunction, of: EpisodeResult | None = None) -> Score:
    return judge(FunctionReward(function), of or result())


UNREADABLE = (
    Score(0.5, "yes"),  # type: ignore[arg-type]
    Score(0.5, False, {"tidy": float("nan")}),
    Score(0.5, False, {"tidy": "much"}),  # type: ignore[dict-item]
    Score(0.5, False, {5: 1.0}),  # type: ignore[dict-item]
    Score(0.5, False, notes="a note"),  # type: ignore[arg-type]
    Score(0.5, False, notes=(5,)),  # type: ignore[arg-type]
    Score(0.5, False, None),  # type: ignore[arg-type]
    Score(0.5, False, notes=None),  # type: ignore[arg-type]
)


@pytest.mark.parametrize(
    ("given", "value", "success"),
    [
        *[(True, 1.0, True), (0, 0.0, False), (0.5, 0.5, False), (1.0, 1.0, True)],
        *[(np.float32(0.5), 0.5, False), (np.int64(1), 1.0, True), (np.bool_(True), 1.0, True)],
    ],
)
def test_a_number_is_a_score_and_1_is_success(given: float, value: float, success: bool) -> None:
    assert judged(lambda result: given) == Score(value, success)


def test_a_whole_score_is_taken_as_it_is() -> None:
    own = Score(0.9, True, {"tidy": 0.8}, ("one file too many",))
    assert judged(lambda result: own) == own


def test_a_score_is_made_of_what_a_record_holds_whatever_it_was_made_of() -> None:
    """Else a run would be stored that nobody can read again."""
    own = Score(np.float32(0.5), 1, {"tidy": np.int64(1)}, ["one file too many"])  # type: ignore[arg-type, dict-item]
    found = judged(lambda result: own)
    assert found == Score(0.5, True, {"tidy": 1.0}, ("one file too many",))
    assert msgspec.json.decode(msgspec.json.encode(found), type=Score) == found


@pytest.mark.parametrize(
    "given", [2, -0.1, float("nan"), "good", None, Score(3.0, True), np.ones(3), 10**400, *UNREADABLE]
)
def test_what_is_no_reward_is_refused(given: object) -> None:
    with pytest.raises(BadDataError, match=r"mine/0: the reward gave .*: expected a number from 0 to 1"):
        judged(lambda result: given)  # type: ignore[arg-type, return-value]


def test_the_two_scorings_are_rewards() -> None:
    assert (rewards.find("exact").score(result()), rewards.find("paper").score(result())) == (
        BY_COMPARISON["exact"],
        BY_COMPARISON["paper"],
    )
    assert {"exact", "paper"} <= set(registry.names("rewards"))
    assert rewards.find("exact").score(result(scores=None)) == Score(0, False, notes=NO_GOLD)


NO_GOLD = ("the task has no gold to compare with",)


@pytest.mark.parametrize("name", ["custom", "bash", "core", "no-such-reward"])
def test_a_folder_of_a_world_is_no_reward(name: str) -> None:
    with pytest.raises(UnknownNameError, match=r"no reward called .*; there are: exact, paper"):
        rewards.find(name)


def test_a_reward_of_a_package_is_found_by_its_entry_point(monkeypatch: pytest.MonkeyPatch) -> None:
    """A class, or a function."""
    points = {
        "strict": EntryPoint("strict", "intercode.rewards.exact:ExactReward", "intercode.rewards"),
        "absolute": EntryPoint("absolute", "builtins:abs", "intercode.rewards"),
    }
    monkeypatch.setattr(registry, "_outside", lambda kind: points)
    assert isinstance(rewards.find("strict"), ExactReward)
    assert isinstance(rewards.find("absolute"), FunctionReward)
    assert rewards.digest("strict") == rewards.digest("exact") != rewards.digest("paper")


@pytest.mark.parametrize(
    ("reward", "scoring", "seen"),
    [("", None, "paper"), ("exact", None, "exact"), ("paper", "paper", "paper"), ("mine.py", None, "exact")],
)
def test_a_reward_decides_which_scoring_is_seen(reward: str, scoring: str | None, seen: str) -> None:
    """A chosen reward leads where the world is played as `exact`, unless the other way was asked for."""
    assert rewards.scoring_of(reward, scoring, "paper") == seen  # type: ignore[arg-type]
    assert rewards.scoring_of("mine.py", "paper", "exact") == "paper"


def test_a_reward_and_a_scoring_that_contradict_each_other_are_refused() -> None:
    with pytest.raises(UserError, match="the reward exact is not the scoring paper: name one of them"):
        rewards.scoring_of("exact", "paper", "exact")


def test_a_file_is_run_once_and_has_a_function_or_a_class(tmp_path: Path) -> None:
    (tmp_path / "reward.py").write_text(
        "made = []\ndef reward(result):\n    made.append(1)\n    return len(made) / 10\n"
    )
    found = [rewards.find(str(tmp_path / "reward.py")).score(result()).value for _ in range(2)]
    assert found == [0.1, 0.2]
    (tmp_path / "short.py").write_text(
        "from intercode.rewards.base import Reward\nfrom intercode.types import Score\n"
        "class ShortReward(Reward):\n    def score(self, result): return Score(0.5, False)\n"
    )
    assert judge(rewards.find(str(tmp_path / "short.py")), result()).value == 0.5


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def judge(result): return 1\n", r"def reward\(result\):, or one class whose name ends in Reward"),
        ("\ndef reward(result) return 1\n", r"typo.py, line 2: it is not Python"),
        (None, "there is no such Python file"),
    ],
)
def test_a_file_without_a_reward_is_refused(tmp_path: Path, text: str | None, message: str) -> None:
    if text is not None:
        (tmp_path / "typo.py").write_text(text)
    with pytest.raises(BadDataError, match=message):
        rewards.find(str(tmp_path / "typo.py"))


@dataclass
class Refusing:
    """A world in which a folder stands where a file should."""

    def read(self, path: str) -> bytes:
        raise IsADirectoryError(21, "Is a directory", path)

    def run(self, argv: Sequence[str], *, cwd: str = "/", stdin: bytes = b"", timeout: float | None = None) -> Result:
        return Result(0, b"ran")


def test_what_the_reward_cannot_read_is_the_agents_failure() -> None:
    """A folder in a file's place must not end the whole run; an error of the reward's own does."""
    given = EpisodeResult(Task("mine/0", "Say hi."), world=Refusing())
    found = judged(lambda result: result.read("/answer") == b"x", given)
    assert found.value == 0
    assert found.notes == ("the reward could not read /answer: Is a directory",)
    assert judged(lambda result: result.run(["x"]).text == "ran", given).success
    with pytest.raises(RewardError, match="FileNotFoundError"):
        judged(lambda result: Path("/no/such/file").read_bytes() == b"x", given)


def test_what_a_reward_raises_is_told_with_its_file_and_lines(tmp_path: Path) -> None:
    """Not with those of what it has called elsewhere; and a reward that exits does not end the program."""
    path = tmp_path / "reward.py"
    path.write_text(
        "import json, sys\n\ndef parsed(text):\n    return json.loads(text)\n\n"
        "def reward(result):\n    if result.answer == 'bye':\n        sys.exit(3)\n    return parsed(result.answer)\n"
    )
    own = rewards.find(str(path))
    said = rf"mine/0: {path}, line 9, in reward, line 4, in parsed: json.decoder.JSONDecodeError: Expecting value: "
    with pytest.raises(RewardError, match=said):
        judge(own, result())
    with pytest.raises(RewardError, match=rf"{path}, line 8, in reward: SystemExit: 3$"):
        judge(own, replace(result(), answer="bye"))


class Lost(Refusing):
    """A world whose machine gives way."""

    def read(self, path: str) -> bytes:
        raise SandboxError("the disk is gone")


def test_what_the_machine_does_while_a_reward_reads_is_not_the_rewards_fault() -> None:
    with pytest.raises(SandboxError):
        judged(lambda result: len(result.read("/a")), EpisodeResult(Task("mine/0", "Say hi."), world=Lost()))


def test_where_there_is_no_sandbox_nothing_is_read_and_nothing_run() -> None:
    assert judged(lambda result: result.read("/answer") == b"x").notes == (
        "the reward could not read /answer: there are no files in this world",
    )
    with pytest.raises(UserError, match="this world runs no commands for a reward"):
        result().run(["ls"])


def test_a_chosen_reward_can_be_the_published_one() -> None:
    """As an object it judges like any other."""
    given: Reward = PaperReward()
    assert judge(given, result()) == BY_COMPARISON["paper"]
