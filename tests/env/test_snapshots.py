"""Snapshots and forks of Bash episodes: what of a shell lives on, and that a thousand branches never meet."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from gymnasium.error import ClosedEnvironmentError

from env.tiny import TinyDataset
from intercode import make
from intercode.errors import UserError
from intercode.types import Action
from intercode.worlds.bash import BashEnv
from intercode_sandbox.sandbox import Limits, Sandbox

BRANCHES = 1000


def run(env: BashEnv, command: str) -> str:
    return env.take_action(Action("execute", command)).observation.text


@pytest.fixture
def fresh(sandbox: Sandbox) -> Iterator[BashEnv]:
    with BashEnv(TinyDataset(), sandbox=sandbox, turns=10_000) as env:
        env.reset(seed=0)
        yield env


@pytest.fixture
def persistent(sandbox: Sandbox) -> Iterator[BashEnv]:
    with BashEnv(TinyDataset(), sandbox=sandbox, shell="persistent", turns=100) as env:
        env.reset(seed=0)
        yield env


@pytest.mark.slow
def test_a_thousand_branches_of_one_state_never_see_each_other(fresh: BashEnv) -> None:
    run(fresh, "mkdir /tree; echo root > /tree/root; cd /tree")
    with fresh.snapshot() as snapshot:
        for number in range(BRANCHES):
            fresh.restore(snapshot)
            if number % 10 == 0:
                assert run(fresh, f"ls; echo {number} > branch-{number}; pwd") == "root\n/tree\n"
            else:
                fresh.current_session.write(f"/tree/branch-{number}", b"x")
        fresh.restore(snapshot)
        assert run(fresh, "ls") == "root\n"


def test_branches_live_side_by_side(fresh: BashEnv) -> None:
    run(fresh, "echo 0 > /number")
    forks = [fresh.fork() for _ in range(20)]
    for number, twin in enumerate(forks):
        run(twin, f"echo {number} >> /number")
    assert [run(twin, "cat /number") for twin in forks] == [f"0\n{number}\n" for number in range(20)]
    for twin in forks:
        twin.close()


@pytest.mark.parametrize(
    ("dataset", "action"), [("starter", "pwd"), ("starter-python", "1 + 1"), ("starter-sql", "SELECT 1")]
)
def test_a_fork_says_that_its_sandbox_or_database_has_ended(dataset: str, action: str) -> None:
    env = make(dataset)
    env.reset(seed=0)
    twin = env.fork()
    twin_of_twin = twin.fork()
    env.close()
    for fork in (twin, twin_of_twin):
        for use in (lambda fork=fork: fork.step(action), fork.judge, fork.reset, fork.snapshot, fork.fork):
            with pytest.raises(ClosedEnvironmentError, match="of this fork has ended with the environment"):
                use()
        fork.close()


def test_a_fork_lives_on_in_a_sandbox_that_several_environments_share(sandbox: Sandbox) -> None:
    env = BashEnv(TinyDataset(), sandbox=sandbox)
    env.reset(seed=0)
    twin = env.fork()
    env.close()
    assert run(twin, "echo here") == "here\n"
    twin.close()


def test_the_working_directory_is_part_of_it(fresh: BashEnv) -> None:
    run(fresh, "mkdir -p /deep/er; cd /deep/er")
    twin = fresh.fork()
    run(fresh, "cd /")
    assert run(twin, "pwd") == "/deep/er\n"
    twin.close()


def test_a_published_shells_odd_directory_is_part_of_it(sandbox: Sandbox) -> None:
    with BashEnv(TinyDataset("paper"), sandbox=sandbox) as env:
        env.reset(seed=0)
        run(env, "cd / && ls")
        twin = env.fork()
        assert run(twin, "pwd") == run(env, "pwd")
        twin.close()


def test_variables_functions_and_options_are_part_of_a_shell_that_stays(persistent: BashEnv) -> None:
    run(persistent, "x='a b\nc'; export Y=é; declare -A map=([k]=v); greet() { echo \"hello $1\"; }")
    run(persistent, "shopt -s nullglob extglob; set -o noclobber; umask 027; alias ll='ls -l'; cd /usr; (exit 3)")
    twin = persistent.fork()
    run(persistent, "x=changed; unset -f greet; cd /")
    question = 'echo $? "$x" $Y ${map[k]} $(umask) $(pwd) $-; greet you; shopt extglob; alias ll; env | grep ^Y'
    answer = run(twin, question)
    assert answer.startswith("3 a b\nc é v 0027 /usr ")
    assert "C" in answer.splitlines()[1].split()[-1]
    for word in ("hello you", "extglob        \ton", "alias ll='ls -l'", "Y=é"):
        assert word in answer
    twin.close()


def test_arguments_and_traps_are_part_of_a_shell_that_stays(persistent: BashEnv) -> None:
    run(
        persistent, "set -- one 'two words' '' $'a\nb'; set -uo pipefail; trap 'echo bye' EXIT; readonly fixed=1; IFS=:"
    )
    twin = persistent.fork()
    assert run(twin, "printf '[%s]' \"$@\"; echo $#") == "[one][two words][][a\nb]4\n"
    assert run(twin, "trap -p EXIT; echo $fixed $-") == run(persistent, "trap -p EXIT; echo $fixed $-")
    twin.close()


def test_a_shell_whose_directory_is_gone_cannot_be_kept_and_goes_on(persistent: BashEnv) -> None:
    run(persistent, "mkdir /gone; cd /gone; rmdir /gone")
    for branch in (persistent.snapshot, persistent.fork):
        with pytest.raises(UserError, match="directory /gone is gone"):
            branch()
    assert run(persistent, "cd /; x=1; pwd") == "/\n"
    twin = persistent.fork()
    assert run(twin, "echo $x") == "1\n"
    twin.close()


def test_a_snapshot_is_of_one_kind_of_shell(fresh: BashEnv, persistent: BashEnv) -> None:
    with persistent.snapshot() as snapshot, pytest.raises(UserError, match="the shell is persistent there, and fresh"):
        fresh.restore(snapshot)
    assert run(fresh, "pwd") == "/\n"


def test_background_jobs_are_not_part_of_it(persistent: BashEnv) -> None:
    run(persistent, "(until [ -e /go ]; do sleep 0.05; done; echo late > /late) & job=$!")
    twin = persistent.fork()
    assert run(twin, "touch /go; sleep 0.5; cat /late") == "cat: /late: No such file or directory\n"
    assert run(persistent, "touch /go; wait $job; cat /late").endswith("\nlate\n")
    twin.close()


def test_a_shell_that_holds_too_much_cannot_be_kept_and_goes_on(sandbox: Sandbox) -> None:
    with BashEnv(TinyDataset(), sandbox=sandbox, shell="persistent", limits=Limits(output=20_000)) as env:
        env.reset(seed=0)
        run(env, "big=$(head -c 50000 /dev/zero | tr '\\0' x)")
        with pytest.raises(UserError, match="too many to save"):
            env.snapshot()
        assert run(env, "echo ${#big}") == "50000\n"


def test_an_episode_that_has_ended_is_kept_as_it_ended(fresh: BashEnv) -> None:
    run(fresh, "echo x > /made")
    fresh.take_action(Action("submit"))
    with fresh.snapshot() as snapshot:
        fresh.reset()
        fresh.restore(snapshot)
    assert (fresh.status, snapshot.status, snapshot.turn) == ("submitted", "submitted", 1)
