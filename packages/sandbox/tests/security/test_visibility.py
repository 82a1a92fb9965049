"""What an agent can find out about the machine: as little as its image says."""

from __future__ import annotations

import os
import re
import socket
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from subprocess import PIPE, Popen

import pytest

from intercode_sandbox.embedded import EmbeddedSandbox, scratch
from intercode_sandbox.images import Image
from intercode_sandbox.sandbox import Session

from .host import becomes_true, first_process, marked, new_marker, shell

SECRET = new_marker()
LOOK = "env; cat /proc/*/environ /proc/*/cmdline /proc/*/task/*/environ /proc/self/mountinfo /proc/keys 2>/dev/null"
ROOT = {
    *("bin", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc", "root", "run"),
    *("sbin", "srv", "sys", "tmp", "usr", "var"),
}


@pytest.fixture(scope="module")
def session(image: Image, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Session]:
    """In a sandbox started while there was a secret in our environment."""
    with pytest.MonkeyPatch.context() as patch, EmbeddedSandbox() as sandbox:
        patch.setenv("SECRET_KEY", SECRET)
        patch.setenv("TMPDIR", str(tmp_path_factory.mktemp(SECRET)))
        with sandbox.start(image) as session:
            yield session


def test_the_environment_is_the_images(session: Session) -> None:
    assert os.environ["SECRET_KEY"] == SECRET
    assert SECRET not in shell(session, LOOK).text
    found = dict(line.split("=", 1) for line in session.run(["/usr/bin/env"]).text.splitlines())
    assert found == dict(session.image.env)


def test_the_first_process_has_an_empty_environment(session: Session) -> None:
    """What is not there cannot leak. Only from outside can one look."""
    assert Path(f"/proc/{first_process(session)}/environ").read_bytes() in (b"", b"PWD=/\0")


def test_no_process_of_the_host_is_seen(session: Session) -> None:
    """Only what runs in the session itself, and perhaps its process 1; the host's numbers mean nothing there."""
    assert len(shell(session, "cd /proc && echo [0-9]*").text.split()) <= 4
    marker = new_marker()
    with Popen(["/bin/sh", "-c", "read word; echo $word", marker], stdin=PIPE, stdout=PIPE, text=True) as ours:
        assert marker not in shell(session, f"cat /proc/[0-9]*/cmdline; kill -9 {ours.pid}").text
        assert ours.communicate("alive\n")[0] == "alive\n"


def test_no_file_of_the_host_is_seen(session: Session, tmp_path: Path) -> None:
    (tmp_path / SECRET).write_text(SECRET)
    home = Path.home()
    for path in (
        tmp_path / SECRET,
        Path(__file__),
        home / ".bashrc",
        home / ".ssh",
        Path("/boot"),
        Path("/lost+found"),
    ):
        assert shell(session, f"test -e '{path}'").exit_code == 1, path
    assert shell(session, f"find / -xdev -name '*{SECRET}*' -print -quit 2>/dev/null").text == ""
    assert set(shell(session, "ls -A /").text.split()) <= ROOT


def test_settings_of_the_host_are_not_seen(session: Session) -> None:
    """Users, names and networks in /etc are made up; private folders are empty."""
    users = {line.split(":")[0] for line in shell(session, "cat /etc/passwd").text.splitlines()}
    assert users == {"root", "user", "nobody"}
    assert shell(session, "cat /etc/shadow /etc/machine-id /etc/fstab /etc/sudoers 2>/dev/null").text == ""
    places = "/root /home/user /tmp /var/tmp /run /mnt /media /srv /opt /sys"
    assert shell(session, f"ls -A {places} | grep -v :").text.split() == ["lock"]
    names = shell(session, "uname -n; cat /proc/sys/kernel/hostname /etc/hostname").text.split()
    assert names == [session.image.hostname] * 3
    assert socket.gethostname() != session.image.hostname


def test_mounts_tell_no_path_of_the_host(session: Session) -> None:
    """Where the cache, the layers or temporary files are is nobody's business; /usr is shown as what it is."""
    text = shell(session, "cat /proc/self/mountinfo /proc/self/mounts /proc/self/mountstats 2>/dev/null").text
    if not scratch.tmpfs_suffices():
        pytest.skip("before Linux 6.6 what sessions write is on disk, and the mount tells where")
    private = {str(Path.home()), str(Path(__file__).parents[4]), SECRET, "/cache", "intercode", "/oldroot", "/newroot"}
    assert {path for path in private if path in text} <= {"/"}
    shown = {line.split()[3] for line in text.splitlines() if " - " in line}
    machine = {"/usr", "/bin", "/sbin", "/lib", "/lib64", "/lib32", "/libx32"}
    devices = {"/null", "/zero", "/full", "/random", "/urandom", "/tty"}
    assert shown - machine - devices <= {"/", "/1", "/shm", "/b/dev", "/sys", "/irq", "/bus", "/fs", "/acpi", "/scsi"}


def test_devices_are_the_harmless_ones(session: Session) -> None:
    lines = shell(session, "cd /dev && stat -c '%n %F' * pts/*").text.splitlines()
    kinds = dict(line.split(maxsplit=1) for line in lines)
    links = {"fd", "stdin", "stdout", "stderr", "ptmx"}
    devices = {"null", "zero", "full", "random", "urandom", "tty", "pts/ptmx"}
    assert set(kinds) == links | devices | {"pts", "shm"}
    assert {name for name, kind in kinds.items() if "special" in kind} == devices
    assert shell(session, "find /sys /run /etc /var -type b -o -type c").text == ""


def test_keys_logs_and_memory_of_the_machine_are_covered(session: Session) -> None:
    for name in ("keys", "key-users", "kmsg", "kcore", "config.gz", "timer_list", "kpagecount", "sysrq-trigger"):
        assert shell(session, f"timeout 2 head -c 10 /proc/{name} 2>/dev/null").output == b"", name
    assert shell(session, "dmesg").exit_code != 0


def test_where_the_host_put_us_is_not_seen(session: Session) -> None:
    """Control groups: the name of our own at most, not where the host's process is."""
    lines = shell(session, "cat /proc/self/cgroup").text.splitlines()
    assert lines
    assert all(re.fullmatch(r".*:/(intercode-[\d-]+)?", line) for line in lines)


def test_what_the_agent_calls_itself_is_seen_by_the_host(session: Session) -> None:
    """The other way round all is visible: the tests of this folder rely on it."""
    marker = new_marker()
    with closing(session.open(["/bin/bash", "-c", f"exec -a {marker} sleep 100"])):
        assert becomes_true(lambda: len(marked(marker)) == 1)
    assert becomes_true(lambda: marked(marker) == [])
