from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from intercode.errors import BadDataError, RewardError, SandboxError
from intercode.rewards.custom import CustomEnding, judge, load
from intercode.types import Score, Scores, Task

BY_COMPARISON: Scores = {"paper": Score(0.34, False), "exact": Score(0.0, False)}


def ending(scores: Scores | None = BY_COMPARISON) -> CustomEnding:
    return CustomEnding(Task("mine/0", "Say hi."), "hi\n", "", (), Path("/nowhere").joinpath, scores)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("given", "value", "success"), [(True, 1.0, True), (0, 0.0, False), (0.5, 0.5, False), (1.0, 1.0, True)]
)
def test_a_number_is_a_score_and_1_is_success(given: float, value: float, success: bool) -> None:
    assert judge(lambda ending: given, ending())["exact"] == Score(value, success)


def test_a_whole_score_is_taken_as_it_is() -> None:
    own = Score(0.9, True, {"tidy": 0.8}, ("one file too many",))
    assert judge(lambda ending: own, ending())["exact"] is own


def test_the_published_reward_stays_where_there_is_one() -> None:
    assert judge(lambda ending: 1.0, ending())["paper"].value == 0.34
    assert judge(lambda ending: 1.0, ending(scores=None))["paper"].value == 1.0


@pytest.mark.parametrize("given", [2, -0.1, float("nan"), "good", None, Score(3.0, True)])
def test_what_is_no_reward_is_refused(given: object) -> None:
    with pytest.raises(BadDataError, match=r"mine/0: reward\(\) gave .*: a number from 0 to 1 is wanted"):
        judge(lambda ending: given, ending())  # type: ignore[arg-type, return-value]


def test_a_file_is_run_once_and_must_have_the_function(tmp_path: Path) -> None:
    (tmp_path / "reward.py").write_text(
        "made = []\ndef reward(ending):\n    made.append(1)\n    return len(made) / 10\n"
    )
    assert [load(tmp_path / "reward.py")(ending()) for _ in range(2)] == [0.1, 0.2]
    (tmp_path / "other.py").write_text("def judge(ending): return 1\n")
    with pytest.raises(BadDataError, match=r"a function is wanted that begins: def reward\(ending\):"):
        load(tmp_path / "other.py")
    (tmp_path / "typo.py").write_text("\ndef reward(ending) return 1\n")
    with pytest.raises(BadDataError, match=r"typo.py, line 2: it is not Python"):
        load(tmp_path / "typo.py")


def test_what_a_reward_raises_is_told_with_its_file_and_lines(tmp_path: Path) -> None:
    """Not with those of what it has called elsewhere; and a reward that leaves is no end of ours."""
    path = tmp_path / "reward.py"
    path.write_text(
        "import json, sys\n\ndef parsed(text):\n    return json.loads(text)\n\n"
        "def reward(ending):\n    if ending.answer == 'bye':\n        sys.exit(3)\n    return parsed(ending.answer)\n"
    )
    own = load(path)
    said = rf"mine/0: {path}, line 9, in reward, line 4, in parsed: json.decoder.JSONDecodeError: Expecting value: "
    with pytest.raises(RewardError, match=said):
        judge(own, ending())
    with pytest.raises(RewardError, match=rf"{path}, line 8, in reward: SystemExit: 3$"):
        judge(own, replace(ending(), answer="bye"))


def test_what_the_machine_does_while_a_reward_reads_is_not_the_rewards_fault() -> None:
    def lose(path: str) -> bytes:
        raise SandboxError("the disk is gone")

    with pytest.raises(SandboxError):
        judge(lambda ending: len(ending.read("/a")), replace(ending(), read=lose))


def test_what_the_reward_cannot_read_is_the_agents_failure() -> None:
    """A folder in a file's place must not end the whole run; an error of the reward's own does."""

    def refuse(path: str) -> bytes:
        raise IsADirectoryError(21, "Is a directory", path)

    found = judge(lambda given: given.read("/answer") == b"x", replace(ending(), read=refuse))
    assert found["exact"].value == 0
    assert found["exact"].notes == ("the reward could not read /answer: Is a directory",)
    with pytest.raises(RewardError, match=r"FileNotFoundError"):
        judge(lambda given: Path("/no/such/file").read_bytes() == b"x", replace(ending(), read=refuse))
