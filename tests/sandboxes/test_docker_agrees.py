"""The docker sandbox and the embedded one agree: on what has changed, on states' names, on rewards."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from intercode import datasets
from intercode.env.state_hash import state_hash
from intercode.types import Action, Observation, Turn
from intercode.worlds.bash import BashEnv
from intercode_sandbox import images
from intercode_sandbox.docker import DockerSandbox
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.sandbox import Change, Entry, Sandbox
from intercode_sandbox.testing.fixtures import contract_image, sh

START = 1_600_000_000.0
SCRIPTS = (
    "echo new > made; mkdir -p a/b; ln -s nowhere a/link; mkfifo pipe; chmod 600 old.txt; touch -d @1234567890 run.sh",
    "rm -r folder; mkdir folder; echo other > folder/other.txt; rm plain.txt; mkdir plain.txt; mv many lots",
    "cp -a folder saved && rm -r folder && mv saved folder; cp -p old.txt x; mv x old.txt; touch /tmp/t; rm /tmp/t",
    "chown 1000:1000 plain.txt; chmod 4755 run.sh; echo x >> /etc/hosts; rm -r /home/user; touch $'\\xff'",
    "truncate -s 1M holes; ln plain.txt twin; echo more >> twin; mkdir -m 0 closed; cd / && rm -r /mnt",
)


@pytest.fixture(scope="module")
def docker(docker_url: str) -> Iterator[Sandbox]:
    with DockerSandbox(engine=docker_url) as sandbox:
        yield sandbox


@pytest.fixture(scope="module")
def embedded() -> Iterator[Sandbox]:
    with EmbeddedSandbox() as sandbox:
        yield sandbox


@pytest.mark.parametrize("script", SCRIPTS)
def test_both_see_the_same_changes_and_name_the_state_alike(docker: Sandbox, embedded: Sandbox, script: str) -> None:
    found = []
    for sandbox in (docker, embedded):
        with sandbox.start(contract_image(images.find("host")), started_at=START) as session:
            result = sh(session, f"umask 022; {script}")
            changes = session.changes()
            found.append((result.output, [_seen(change) for change in changes], state_hash(changes)))
    assert found[0] == found[1]


def _seen(change: Change) -> tuple[object, ...]:
    return (change.path, change.before, _without_new_time(change.after))


def _without_new_time(entry: Entry | None) -> tuple[object, ...]:
    """All of it but a time that came about just now."""
    if entry is None:
        return ()
    when = entry.mtime_ns if entry.mtime_ns <= START * 1e9 else 0
    return (entry.type, entry.mode, entry.uid, entry.gid, entry.size, when, entry.digest)


def played(sandbox: Sandbox, dataset: str, task: int) -> tuple[Turn, ...]:
    env = BashEnv(dataset, sandbox=sandbox, image="host")
    env.start_episode(env.dataset[task], started_at=START)
    env.take_action(Action("execute", env.task.gold or ""))
    env.take_action(Action("submit"))
    env.close()
    return env.history


@pytest.mark.parametrize("task", [0, 20, 40, 60])
def test_the_starter_tasks_are_played_and_scored_alike(docker: Sandbox, embedded: Sandbox, task: int) -> None:
    """Observations, states and both scores, to the last digit: but for the order of names in a folder, the disk's."""
    assert played(docker, "starter", task)[-1].reward == 1.0
    ours, theirs = (played(sandbox, "starter", task) for sandbox in (docker, embedded))
    for mine, other in zip(ours, theirs, strict=True):
        assert _without_order(mine.observation) == _without_order(other.observation)
        assert (mine.state_hash, mine.scores) == (other.state_hash, other.scores)


def _without_order(observation: Observation) -> Observation:
    return replace(observation, text="".join(sorted(observation.text.splitlines(keepends=True))))


def test_a_shell_that_stays_works_in_a_container(docker: Sandbox) -> None:
    with BashEnv("starter", sandbox=docker, shell="persistent") as env:
        env.reset(options={"task": 0})
        env.step("cd /shop; x=5; cd orders")
        assert env.step("echo $x $PWD")[0] == "5 /shop/orders\n"


@pytest.mark.parametrize("task", ["nl2bash/fs1/4", "nl2bash/fs2/3", "nl2bash/fs3/2", "nl2bash/fs4/10"])
def test_the_published_tasks_are_scored_alike(
    docker: Sandbox, embedded: Sandbox, task: str, published_data: Path
) -> None:
    """With the git repository at / that the paper's reward reads, made by a script in a container."""
    number = [each.id for each in datasets.load("nl2bash")].index(task)
    ours, theirs = (played(sandbox, "nl2bash", number) for sandbox in (docker, embedded))
    assert ours[-1].scores == theirs[-1].scores
    assert [turn.state_hash for turn in ours] == [turn.state_hash for turn in theirs]


def test_an_episode_is_forked_in_containers(docker: Sandbox) -> None:
    """As in the embedded sandbox: branches go on by themselves, and name equal states alike."""
    with BashEnv("starter", sandbox=docker) as env:
        env.reset(options={"task": 0})
        env.step("echo one > /tmp/made")
        with env.fork() as other:
            assert other.step("cat /tmp/made; echo two > /tmp/made")[0] == "one\n"
            assert env.step("cat /tmp/made")[0] == "one\n"
            assert env.step("echo two > /tmp/made")[4]["state_hash"] == other.step("true")[4]["state_hash"]
