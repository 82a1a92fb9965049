"""Snapshots of Python episodes: a fork of the interpreter is gone back to, and where a fork would lie, none is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from intercode.env.snapshots import EnvSnapshot
from intercode.errors import SandboxError, SnapshotError
from intercode.types import Action
from intercode.worlds.python import PythonEnv
from intercode.worlds.python.saved_state import PythonState
from intercode_sandbox.sandbox import Limits, Sandbox, Session
from worlds.python.python_world import FewTasks

BRANCHES = 200


@pytest.fixture
def env(sandbox: Sandbox) -> Iterator[PythonEnv]:
    with PythonEnv(FewTasks(), sandbox=sandbox, turns=10_000) as env:
        env.reset(seed=0)
        yield env


def run(env: PythonEnv, text: str) -> str:
    return env.take_action(Action("execute", text)).observation.text


def processes(session: Session) -> list[str]:
    """Those of the session that run Python."""
    links = session.run(["/bin/sh", "-c", "for each in /proc/[0-9]*; do readlink $each/exe; done"]).text
    return [line for line in links.splitlines() if "python" in line]


def is_forked(snapshot: EnvSnapshot) -> bool:
    assert isinstance(snapshot.world, PythonState)
    return snapshot.world.copy is not None


def test_what_chance_has_made_comes_back(env: PythonEnv) -> None:
    run(env, "import os, random, time")
    made = run(env, "made = random.random(), time.time(), os.urandom(8); made")
    with env.snapshot() as snapshot:
        drawn = run(env, "random.random()")
        for _ in range(3):
            env.restore(snapshot)
            assert run(env, "made") == made
            assert run(env, "random.random()") == drawn, "the generator goes on from where it stood"


def test_nothing_is_run_again(env: PythonEnv) -> None:
    run(env, "count = []\nclass Once:\n  def __repr__(self):\n    count.append(0)\n    return f'{len(count)}'")
    assert run(env, "Once()") == "1\n"
    with env.snapshot() as snapshot:
        session = env.session
        for _ in range(2):
            env.restore(snapshot)
            assert run(env, "Once()") == "2\n"
    assert env.session is session


def test_hundreds_of_branches_of_one_state_never_see_each_other(env: PythonEnv) -> None:
    run(env, "seen = []")
    with env.snapshot() as snapshot:
        for number in range(BRANCHES):
            env.restore(snapshot)
            assert run(env, f"seen.append({number}); seen") == f"[{number}]\n"
        env.restore(snapshot)
        assert run(env, "seen") == "[]\n"


def test_snapshots_of_snapshots_come_back_in_any_order(env: PythonEnv) -> None:
    snapshots = []
    for number in range(5):
        run(env, f"depth = {number}")
        snapshots.append(env.snapshot())
    for number in (0, 4, 2, 2, 3, 0, 1):
        env.restore(snapshots[number])
        assert run(env, "depth") == f"{number}\n"
    env.restore(snapshots[1])
    run(env, "depth = 'beside'")
    with env.snapshot() as beside:
        env.restore(snapshots[3])
        assert run(env, "depth") == "3\n"
        env.restore(beside)
        assert run(env, "depth") == "'beside'\n"
    for snapshot in snapshots:
        snapshot.close()


def test_an_interpreter_that_died_is_gone_back_to_and_dies_no_less_later(env: PythonEnv) -> None:
    run(env, "x = 1")
    with env.snapshot() as snapshot:
        for status in (3, 4):
            assert f"ended with status {status}" in run(env, f"import os; os._exit({status})")
            assert "NameError" in run(env, "x")
            run(env, "x = 'new'")
            env.restore(snapshot)
            assert run(env, "x") == "1\n"
    assert "ended with status 5" in run(env, "import os; os._exit(5)")
    assert "NameError" in run(env, "x")


@pytest.mark.parametrize(("action", "status"), [("os._exit(7)", 7), ("os.kill(os.getpid(), 9)", 137)])
def test_one_that_was_gone_back_to_dies_as_any_other(env: PythonEnv, action: str, status: int) -> None:
    run(env, "import os; x = os.urandom(8)")
    with env.snapshot() as snapshot:
        before = env.session
        env.restore(snapshot)
        assert f"ended with status {status}" in run(env, action)
        assert "NameError" in run(env, "x")
    assert env.session is before


def test_one_that_was_gone_back_to_is_interrupted_as_any_other(sandbox: Sandbox) -> None:
    with PythonEnv(FewTasks(), sandbox=sandbox, limits=Limits(seconds=2)) as env:
        env.reset(seed=0)
        run(env, "x = 1")
        with env.snapshot() as snapshot:
            env.restore(snapshot)
            assert "interrupted; its variables are kept" in run(env, "while True: pass")
            assert run(env, "x") == "1\n"
            env.restore(snapshot)
            assert run(env, "x") == "1\n"


def test_nothing_of_copies_outlives_the_episode(env: PythonEnv, sandbox: Sandbox) -> None:
    run(env, "big = bytearray(b'x') * (1 << 20)")
    snapshots = [env.snapshot() for _ in range(4)]
    for snapshot in snapshots:
        env.restore(snapshot)
    session = env.current_session
    assert len(processes(session)) >= 5
    env.end_episode()
    with pytest.raises(SandboxError):
        processes(session)
    for snapshot in snapshots:
        snapshot.close()


def test_where_a_file_has_changed_since_the_actions_are_run_again(env: PythonEnv) -> None:
    run(env, "x = 1; open('/tmp/before', 'w').close()")
    with env.snapshot() as snapshot:
        run(env, "open('/tmp/after', 'w').close()")
        env.restore(snapshot)
        assert run(env, "import os; x, sorted(os.listdir('/tmp'))") == "(1, ['before'])\n"


def test_where_something_runs_that_was_started_since_they_are_too(env: PythonEnv) -> None:
    run(env, "x = 1")
    with env.snapshot() as snapshot:
        before = env.session
        run(env, "import subprocess; child = subprocess.Popen(['sleep', '1000'])")
        env.restore(snapshot)
        assert env.session is not before
        assert run(env, "x") == "1\n"


@pytest.mark.parametrize(
    "action",
    [
        "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start()",
        "file = open('/etc/passwd')",
        "import subprocess; child = subprocess.Popen(['sleep', '1000'])",
        "import os; os.fork() or os._exit(0)",
        "import signal; signal.setitimer(signal.ITIMER_REAL, 1000)",
        "import signal; signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
        "import mmap; shared = mmap.mmap(-1, 4096)",
        "open('/dev/shm/note', 'w').close()",
        "large = bytearray(b'x') * (400 << 20)",
    ],
    ids=["thread", "file", "child", "dead child", "timer", "signals", "mapping", "shared memory", "size"],
)
def test_what_a_fork_would_not_copy_is_not_kept_by_one(env: PythonEnv, action: str) -> None:
    assert "Error" not in run(env, action)
    with env.snapshot() as snapshot:
        assert not is_forked(snapshot)
    assert run(env, "1 + 1") == "2\n", "and the episode goes on"


def test_so_many_wait_and_more_are_run_again(env: PythonEnv) -> None:
    run(env, "x = 0")
    snapshots = []
    for number in range(20):
        snapshots.append(env.snapshot())
        run(env, f"x = {number + 1}")
    assert [is_forked(snapshot) for snapshot in snapshots] == [True] * 16 + [False] * 4
    for snapshot in snapshots[:16]:
        snapshot.close()
    with env.snapshot() as another:
        assert is_forked(another)
    for snapshot in snapshots[16:]:
        snapshot.close()


def test_forks_and_other_episodes_run_the_actions_again(env: PythonEnv) -> None:
    run(env, "x = 1")
    with env.snapshot() as snapshot:
        twin = env.fork()
        env.reset()
        env.restore(snapshot)
        run(env, "x = 2")
        assert (run(twin, "x"), run(env, "x")) == ("1\n", "2\n")
        twin.close()


def test_what_cannot_be_run_again_cannot_be_forked(env: PythonEnv) -> None:
    run(env, "import os; x = os.urandom(8)")
    with pytest.raises(SnapshotError, match="time or chance"):
        env.fork()
    assert run(env, "len(x)") == "8\n"


def test_a_branch_that_was_gone_back_to_is_judged_by_its_own_actions(env: PythonEnv) -> None:
    env.start_episode(env.dataset[0])
    run(env, "import os; noise = os.urandom(8)")
    with env.snapshot() as snapshot:
        run(env, "def square(number):\n    return 0")
        assert env.take_action(Action("submit")).reward == 0
        env.restore(snapshot)
        run(env, env.task.gold or "")
        assert env.take_action(Action("submit")).reward == 1
        env.restore(snapshot)
        assert env.take_action(Action("submit")).reward == 0


def test_lies_of_the_interpreter_about_its_copies_are_survived(env: PythonEnv) -> None:
    run(env, "x = 1")
    run(env, "import sys; copies = sys.modules['intercode.worlds.python.inside.forks']")
    for lie in ("'kept a b'", "'kept 99999999999 1'", "'kept 999999 1'", "'back 1'", "'\\0'", "1 / 0"):
        run(env, f"copies.keep = lambda *_: {lie}")
        with env.snapshot() as snapshot:
            env.restore(snapshot)
            assert run(env, "x") == "1\n"


def test_chance_in_an_attribute_cannot_be_forked_either(env: PythonEnv) -> None:
    run(env, "import os\nclass Box: pass\nbox = Box(); box.drawn = os.urandom(8)")
    with pytest.raises(SnapshotError, match="time or chance"):
        env.fork()
    assert run(env, "len(box.drawn)") == "8\n"
