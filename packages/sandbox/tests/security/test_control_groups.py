"""Control groups of version 2: what holds a session, who made it, what is left, and what is said where there are none.

Each way to them is tried in a program of its own, since one program has one kind. They are skipped where memory is
accounted for by version 1: there a virtual machine with a stock Debian is the place to run them (`make vm`).
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from intercode_sandbox.embedded import EmbeddedSandbox, control_groups
from intercode_sandbox.embedded.control_groups import hierarchy, systemd, version_1, version_2
from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.errors import SandboxError
from intercode_sandbox.images import find
from intercode_sandbox.sandbox import Limits
from intercode_sandbox.testing.patience import patience

from .host import becomes_true, groups

LOOK = """
import json, os, time
from pathlib import Path
from intercode_sandbox.sandbox import Limits
from intercode_sandbox.embedded import control_groups
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.images import find

def own():
    return Path("/proc/self/cgroup").read_text()

before = own()
with EmbeddedSandbox(limits=Limits(memory=64 << 20, disk=16 << 20, processes=99, seconds=60)) as sandbox:
    with sandbox.start(find("host")) as session:
        process = session.open(["/bin/sh", "-c", "echo here; exec sleep 1000"])
        process.receive(60)
        state = control_groups.state()
        where = state.where.removeprefix("below ")
        folders = sorted(Path(where).glob("intercode-*")) if where else []
        names = ("memory.max", "memory.swap.max", "memory.oom.group", "pids.max", "pids.current")
        found = [(name, folders[0] / name) for name in names] if folders else []
        settings = {name: path.read_text().strip() for name, path in found if path.exists()}
        seen = session.run(["/bin/cat", "/proc/self/cgroup"]).text
        bomb = session.run(["/bin/sh", "-c", "tail /dev/zero; echo still here"])
        until = time.monotonic() + 30
        while process.exit_code is None and time.monotonic() < until:  # the news of it may come a moment later
            process.receive(0.1)
        ended = process.exit_code
        alive = session.run(["/bin/echo", "alive"]).text
        process.close()
print(json.dumps({
    "pid": os.getpid(), "where": where, "reason": state.reason, "way_out": state.way_out,
    "settings": settings, "seen": seen, "bomb": [bomb.exit_code, bomb.text], "ended": ended, "alive": alive,
    "moved": own() != before,
}))
"""
BUSY = "for i in $(seq {}); do setsid sh -c 'while :; do :; done' </dev/null >/dev/null 2>&1 & done"
HIDE_SYSTEMD = "mount -t tmpfs none /run/systemd"
OWN_TREE = "umount -l /sys/fs/cgroup && mount -t cgroup2 none /sys/fs/cgroup"
NO_WRITING = "mount -o remount,ro,bind /sys/fs/cgroup"

with_version_1 = pytest.mark.skipif(
    version_1.parent() is None, reason="no control groups of version 1 are to be had here"
)
with_version_2 = pytest.mark.skipif(
    not hierarchy.is_mounted(), reason="memory is not accounted for by control groups of version 2 here"
)
with_systemd = pytest.mark.skipif(not systemd.is_running(), reason="systemd does not run here")
as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root can mount what this takes")


def look(*prefix: str) -> dict[str, Any]:
    """What a program sees that starts a session and fills its memory."""
    command = [*prefix, sys.executable, "-c", LOOK]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=patience(300))
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def in_a_mount_namespace(*commands: str, cgroup: bool = False) -> list[str]:
    """What to put before a command that shall run after *commands*, which mount things for it alone."""
    namespaces = ["--mount", "--propagation", "private", *(["--cgroup"] if cgroup else [])]
    return ["unshare", *namespaces, "sh", "-c", " && ".join((*commands, 'exec "$@"')), "sh"]


def is_held(found: dict[str, Any]) -> None:
    """The session has its limits, loses all its programs over them, and lives on; nothing is left of it."""
    limit = (64 + 16 + 32) << 20
    assert found["settings"] == {
        "memory.max": str(limit), "memory.swap.max": "0", "memory.oom.group": "1", "pids.max": "99", "pids.current": "1"
    }  # fmt: skip
    assert found["seen"].strip().splitlines()[-1] == "0::/intercode-1"
    assert found["bomb"] == [137, ""]
    assert found["ended"] == 137
    assert found["alive"] == "alive\n"
    assert not found["moved"]
    assert becomes_true(lambda: groups(found["pid"]) == set())


@with_version_2
@with_systemd
def test_systemd_makes_them_for_root_and_for_users() -> None:
    """The system's or the user's own; skipped where the user has none running (`su`, `cron`)."""
    found = look()
    if not found["where"] and os.geteuid():
        assert found["way_out"]
        pytest.skip(found["reason"])
    assert found["where"].endswith(".scope")
    is_held(found)


@with_version_2
@as_root
def test_root_makes_them_by_hand_where_there_is_no_systemd() -> None:
    found = look(*in_a_mount_namespace(HIDE_SYSTEMD))
    assert f"/intercode-{found['pid']}-" in found["where"]
    is_held(found)


@with_version_2
@with_systemd
@as_root
def test_a_container_with_a_tree_of_its_own_is_divided() -> None:
    """All its processes are in the group that is to be divided, as in a container that may write to its tree."""
    scope = ["systemd-run", "--quiet", "--scope", "-p", "Delegate=yes", "unshare", "--cgroup"]
    found = look(*scope, *in_a_mount_namespace(HIDE_SYSTEMD, OWN_TREE))
    assert found["where"].startswith("/sys/fs/cgroup/intercode-")
    assert found.pop("moved"), "there is no other way: a group with processes cannot be divided"
    is_held({**found, "moved": False})


@with_version_2
@as_root
def test_where_the_tree_is_read_only_it_is_said_and_memory_is_held_all_the_same() -> None:
    found = look(*in_a_mount_namespace(HIDE_SYSTEMD, NO_WRITING))
    assert found["where"] == ""
    assert "/sys/fs/cgroup" in found["reason"]
    assert "--cgroupns" in found["way_out"]
    assert (found["bomb"], found["alive"]) == ([137, ""], "alive\n")


@with_version_2
@as_root
def test_what_a_killed_program_left_is_cleaned_up(tmp_path: Path) -> None:
    """Made by hand they are empty folders that nobody removes, until `intercode doctor --clean` or the next sandbox."""
    script = LOOK.replace("alive = session", "os.kill(os.getpid(), 9); alive = session")
    command = [*in_a_mount_namespace(HIDE_SYSTEMD), sys.executable, "-c", script]
    done = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.waitid(os.P_PID, done.pid, os.WEXITED | os.WNOWAIT)
    assert groups(done.pid), "while its owner is not buried no sandbox of another test removes them"
    assert done.wait() == -9
    assert becomes_true(lambda: control_groups.clean() is not None and groups(done.pid) == set())


@pytest.mark.parametrize("code", [errno.ENOENT, errno.ESRCH, errno.ENODEV])
def test_a_group_that_goes_away_meanwhile_needs_no_killing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, code: int
) -> None:
    """Another thread closes the sandbox, and systemd removes the scope, between our opening and our writing."""

    def write(path: Path, value: object) -> None:
        raise OSError(code, os.strerror(code), str(path))

    group = object.__new__(version_2.GroupV2)
    group.path = tmp_path
    monkeypatch.setattr(version_2, "write_file", write)
    group.kill()


def test_a_group_that_was_killed_is_given_to_no_other_session(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Linux 6.18 kills at once whatever is started in it from outside."""
    written = ("memory.max", "memory.oom.group", "pids.max", "memory.swap.max", "cpu.weight", "cgroup.kill")
    read = {"memory.current": "0", "memory.events": "oom_kill 0", "cgroup.events": "populated 0"}
    for name, text in {**dict.fromkeys(written, ""), **read}.items():
        (tmp_path / name).write_text(text)
    monkeypatch.setattr(Path, "mkdir", lambda path: None)
    group = version_2.GroupV2(tmp_path, Limits(), lambda path: None)
    assert group.is_clean()
    assert (tmp_path / "cpu.weight").read_text() == "100"
    group.kill()
    assert (tmp_path / "cgroup.kill").read_text() == "1"
    assert not group.is_clean()
    group.close_files()


@with_version_2
def test_a_session_that_leaves_processes_harms_no_later_one() -> None:
    """Its group is killed with it. On some kernels that group kills whatever is started in it later."""
    with EmbeddedSandbox() as sandbox:
        for _ in range(20):
            with sandbox.start(find("host")) as session:
                assert session.run(["/bin/sh", "-c", "sleep 1000 & echo left"]).text == "left\n"
                session.kill()
                assert session.run(["/bin/echo", "again"]).text == "again\n"
                session.run(["/bin/sh", "-c", "sleep 1000 &"])


@with_version_1
def test_version_1_survives_a_bomb_as_well() -> None:
    """Version 1 has no limit for all processes to end together: one is chosen, until there is room."""
    found = look()
    assert Path(found["where"]).parent == version_1.parent()
    assert {line.partition(":")[2].partition(":")[2] for line in found["seen"].splitlines()} <= {"/", "/intercode-1"}
    assert found["alive"] == "alive\n"
    assert not found["moved"]
    assert becomes_true(lambda: groups(found["pid"]) == set())


def _used(sessions: Sequence[EmbeddedSession], seconds: float) -> tuple[float, ...]:
    """Return the seconds of processors that each of *sessions* uses in *seconds*."""
    before = [session.processor_use().seconds for session in sessions]
    time.sleep(seconds)
    return tuple(session.processor_use().seconds - then for session, then in zip(sessions, before, strict=True))


@pytest.mark.skipif(version_1.processors_parent() is None, reason="no groups for processors are to be had here")
@with_version_1
@pytest.mark.parametrize(("limits", "least"), [(Limits(), 0.4), (Limits(judging=True), 2.0)])
def test_a_session_has_one_share_of_the_processors_however_many_processes_it_has(limits: Limits, least: float) -> None:
    """Forty, each in a session of its own, beside as many as there are processors; a judge's have ten shares."""
    with EmbeddedSandbox() as sandbox:
        crowd, other = (sandbox.start(find("host"), limits=each) for each in (Limits(), limits))
        for session, busy in ((crowd, 40), (other, len(os.sched_getaffinity(0)))):
            session.run(["/bin/bash", "-c", BUSY.format(busy)])
        assert isinstance(crowd, EmbeddedSession)
        assert isinstance(other, EmbeddedSession)
        # One window may be somebody else's: other tests run beside this one, and the busy ones have to start.
        assert any(ours > least * theirs for theirs, ours in (_used((crowd, other), patience(2)) for _ in range(5)))


@as_root
@with_version_1
def test_programs_of_another_pid_namespace_keep_their_groups() -> None:
    """Such as those of another container: of theirs nobody here can tell whether they live."""
    with EmbeddedSandbox() as sandbox, sandbox.start(find("host")) as session:
        clean = "from intercode_sandbox.embedded import control_groups; print(control_groups.clean())"
        alone = ["unshare", "--pid", "--fork", "--mount-proc", sys.executable, "-c", clean]
        before = groups()
        removed = subprocess.run(alone, capture_output=True, text=True, check=True, timeout=patience(60)).stdout
        assert before
        assert not [group for group in before if group in removed]
        assert groups() == before
        assert session.run(["/bin/echo", "alive"]).text == "alive\n"


def test_a_group_that_cannot_be_had_is_the_sandboxes_fault_and_leaves_nothing(tmp_path: Path) -> None:
    """As where no more files can be opened: here there are no control groups at all."""
    with pytest.raises(SandboxError, match=r"no control group for a session: .*No such file"):
        version_1.SubtreeV1(tmp_path).make_new(Limits())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(shutil.which("setpriv") is None, reason="setpriv is not installed")
@as_root
def test_who_has_none_is_told_why(tmp_path: Path) -> None:
    """An ordinary user of a service, without a login: no systemd of its own, and no group to write to."""
    user = ["setpriv", "--reuid", "61183", "--regid", "61183", "--clear-groups"]
    look_only = (
        "import os\nfrom intercode_sandbox.embedded import control_groups\n"
        "found = control_groups.claim([os.getpid()], os.getuid())\n"
        "print(found, control_groups.state().reason != '', control_groups.state().way_out != '')"
    )
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    command = [*user, _reachable_python(), "-c", look_only]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if "Permission denied" in done.stderr or "No module named" in done.stderr:
        pytest.skip("others than root may not reach this repository")
    assert done.stdout == "None True True\n", done.stderr


def _reachable_python() -> str:
    return shutil.which("python3", path="/usr/bin") or sys.executable
