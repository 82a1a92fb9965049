"""`--reward`, where the documentation's own commands do not show it."""

from __future__ import annotations

from pathlib import Path

import pytest
from terminal import intercode

from intercode.runs import store


@pytest.fixture
def half(tmp_path: Path) -> Path:
    (tmp_path / "half.py").write_text("def reward(result): return 0.5\n")
    return tmp_path


def test_a_sweep_is_judged_by_the_reward_that_is_named(half: Path) -> None:
    (half / "plan.toml").write_text('[run]\nlimit = 1\nsandbox = "scripted"\n[grid]\nturns = [3, 4]\n')
    done = intercode("sweep", "plan.toml", "--reward", "half.py", cwd=half)
    assert done.returncode == 0, done.stderr
    for name in ("turns=3", "turns=4"):
        run = store.read(half / "runs" / "plan" / name)
        assert (run.manifest.reward, run.episodes[0].value("half")) == ("half.py", 0.5)
    again = intercode("sweep", "plan.toml", "--reward", "exact", cwd=half)
    assert again.returncode == 2
    assert "reward is 'half.py', not 'exact'" in again.stderr


def test_a_person_is_judged_by_the_reward_that_is_named(half: Path) -> None:
    options = ["--reward", "half.py", "--sandbox", "scripted", "--record", "mine"]
    done = intercode("play", *options, stdin="submit\n", cwd=half, INTERCODE_STATE=str(half))
    assert done.returncode == 0, done.stderr
    assert store.read(half / "mine").episodes[0].value("half") == 0.5


@pytest.mark.parametrize(
    ("command", "says"),
    [
        (["run", "--reward", "nobody"], "no reward called 'nobody'; there are: exact, paper"),
        (["run", "--reward", "paper", "--scoring", "exact"], "the reward paper is not the scoring exact"),
        (["replay", ".", "--verify", "--reward", "exact"], "--verify certifies what a run's own reward gave"),
    ],
    ids=["unknown", "contradiction", "certificate"],
)
def test_what_cannot_be_is_refused_with_the_way_out(command: list[str], says: str, half: Path) -> None:
    done = intercode(*command, cwd=half)
    assert done.returncode == 2
    assert says in done.stderr
