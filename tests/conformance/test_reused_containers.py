"""The published way, containers reused from episode to episode: its memory is in the recordings, and its fault B3."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.audit.replay.comparison import agreement
from intercode.audit.replay.published.reused_containers import ReusedContainersEnv
from intercode.audit.replay.replayer import replay
from intercode.audit.replay.source import ReplayOptions
from intercode.datasets import load
from intercode.errors import UserError
from intercode.types import Action
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.util import paths

pytestmark = pytest.mark.conformance


@pytest.fixture(scope="module")
def env(published_data: Path) -> Iterator[ReusedContainersEnv]:
    with ReusedContainersEnv(
        load("nl2bash", folder=published_data / "nl2bash"), image="debian", scoring="paper"
    ) as env:
        yield env


def run(env: ReusedContainersEnv, task: str, *commands: str) -> str:
    """Begin an episode; what the last command shows."""
    env.start_episode(env.dataset.find(f"nl2bash/{task}"))
    return [env.take_action(Action("execute", command)).observation.text for command in commands][-1]


def paper(env: ReusedContainersEnv) -> float:
    scores = env.judge()
    assert scores is not None
    return scores["paper"].value


@pytest.mark.parametrize("task", ["fs1/47", "fs2/17", "fs2/25", "fs2/41", "fs3/42"])
def test_a_right_answer_is_refused_once_the_gold_has_run_before(env: ReusedContainersEnv, task: str) -> None:
    """B3: what its first run deleted comes back with a new time, or what it made where git does not look is there."""
    run(env, task, env.dataset.find(f"nl2bash/{task}").gold or "")
    judgements = [paper(env), paper(env)]
    assert judgements[0] == 1
    assert judgements[1] < 1


def test_what_git_does_not_look_at_lives_on(env: ReusedContainersEnv) -> None:
    run(env, "fs3/1", "echo left > /usr/left; rm /workspace/results.txt; touch /workspace/new; mkdir /workspace/empty")
    assert run(env, "fs3/2", "cat /usr/left") == "left\n"
    assert run(env, "fs3/3", "ls /workspace/results.txt") == "/workspace/results.txt\n"
    assert "No such file" in run(env, "fs3/3", "ls /workspace/new")
    assert "No such file" in run(env, "fs3/3", "ls -d /workspace/empty")


def test_rights_that_git_does_not_know_are_kept_as_they_are(env: ReusedContainersEnv) -> None:
    """The repository knows 755; a first reset that wrote everything anew would make that of 777."""
    assert run(env, "fs3/9", "stat -c %a /workspace/dir1/all.txt") == "777\n"


def test_a_ruined_container_gives_way_to_a_new_one(env: ReusedContainersEnv) -> None:
    run(env, "fs3/1", "rm -rf /usr/lib /usr/bin")
    assert run(env, "fs3/2", "echo alive") == "alive\n"


def test_another_file_system_has_containers_of_its_own(env: ReusedContainersEnv) -> None:
    run(env, "fs3/1", "touch /usr/left-too")
    assert "No such file" in run(env, "fs1/1", "ls /usr/left-too")


def test_on_disk_folders_have_the_size_they_have_there(published_data: Path) -> None:
    """As when they were recorded: `find -size` and `du` look at it. In memory a folder has 40 bytes and more."""
    dataset = load("nl2bash", folder=published_data / "nl2bash")
    scratch = paths.cache() / "scratch"
    kind = ["stat", "--file-system", "--format=%T", str(paths.cache())]
    if subprocess.run(kind, capture_output=True, text=True, check=True).stdout == "tmpfs\n":
        pytest.skip("the cache is in memory here")
    with (
        EmbeddedSandbox(on_disk=True) as sandbox,
        ReusedContainersEnv(dataset, sandbox=sandbox, scoring="paper") as env,
    ):
        shown = run(env, "fs3/16", "stat -c %s /workspace/dir1")
        assert int(shown) == next(scratch.iterdir()).stat().st_size


def test_only_the_published_scoring_goes_with_it(published_data: Path) -> None:
    file = published_data / "recorded" / "bash" / "ic_bash_plan_solve_fs_3.json.gz"
    with pytest.raises(UserError, match="leave out --scoring"):
        replay([file], ReplayOptions(reuse_containers=True, scoring="exact"))
    with pytest.raises(UserError, match="leave out --sandbox"):
        replay([file], ReplayOptions(reuse_containers=True, sandbox="local", unsafe=True))


def test_all_recordings_agree_better_so(published_data: Path, request: pytest.FixtureRequest) -> None:
    """Seen: 94.4 % on `debian`, 94.4 % on Ubuntu 22.04."""
    if request.config.getoption("--conformance") != "whole":
        pytest.skip("the order of episodes matters, so no sample tells: `make conformance` plays all of them")
    files = sorted((published_data / "recorded" / "bash").glob("*.json.gz"))
    compared = replay(files, ReplayOptions(reuse_containers=True), parallel=2)
    rewards = agreement([episode for each in compared for episode in each.episodes]).rewards
    assert rewards.agreeing / rewards.of >= 0.935
