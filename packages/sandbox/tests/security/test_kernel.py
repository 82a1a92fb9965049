"""Attacks on the kernel: its settings, other file systems and namespaces, calls that have been ways out before."""

from __future__ import annotations

import os
import re
import socket
import stat
from pathlib import Path

import pytest

from intercode_sandbox.embedded.session import EmbeddedSession
from intercode_sandbox.sandbox import Session
from intercode_sandbox.util import paths

from .conftest import Compile
from .host import first_process, marked_child, mounts, outcomes, put, shell, successes

SETTINGS = (
    *("kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "kernel/panic", "kernel/shmmax", "vm/drop_caches"),
    *("fs/file-max", "fs/binfmt_misc/register", "net/ipv4/ip_forward", "user/max_user_namespaces"),
)
OTHERS = (
    *("/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/mtrr"),
    *("/proc/timer_list", "/proc/acpi/wakeup", "/proc/bus/pci/devices", "/proc/fs/nfsd/threads", "/proc/config.gz"),
    *("/sys/kernel/uevent_helper", "/sys/power/state", "/sys/fs/cgroup/cgroup.procs", "/dev/mem", "/dev/kmsg"),
)
NAMESPACES = ("cgroup", "ipc", "mnt", "net", "pid", "user", "uts")


def test_no_setting_of_the_kernel_can_be_written(session: Session, attack: Compile) -> None:
    paths = [Path("/proc/sys", name) for name in SETTINGS]
    before = [_content(path) for path in paths]
    found = outcomes(session, attack("writes"), *map(str, paths))
    assert set(found.values()) <= {"EROFS", "EACCES", "ENOENT", "EPERM"}
    assert [_content(path) for path in paths] == before


def test_all_settings_are_read_only_whoever_asks(session: Session) -> None:
    """Every file below /proc/sys, not only the famous ones. Opening for writing is enough to know."""
    can_write = 'while IFS= read -r -d "" file; do (exec 3>>"$file") 2>/dev/null && echo "$file"; done'
    assert shell(session, f"find /proc/sys -type f -print0 | {can_write}").text == ""
    assert shell(session, f"touch /tmp/file; find /tmp/file -print0 | {can_write}").text == "/tmp/file\n"


def test_what_else_the_kernel_listens_to_is_covered(session: Session, attack: Compile) -> None:
    """A write that is `done` has gone to /dev/null, which covers the file."""
    for path in successes(outcomes(session, attack("writes"), *OTHERS)):
        assert shell(session, f"stat -L -c %t,%T {path}").text == "1,3\n", path


def test_nothing_is_mounted_unmounted_entered_or_left(session: Session, attack: Compile) -> None:
    first, name = first_process(session), socket.gethostname()
    before = mounts(first), [_namespace(first, kind) for kind in NAMESPACES]
    found = outcomes(session, attack("mounts"))
    assert len(found) > 55
    assert successes(found) == set()
    assert (mounts(first), [_namespace(first, kind) for kind in NAMESPACES]) == before
    assert socket.gethostname() == name


def test_a_root_of_ones_own_leads_no_further_than_the_sessions(session: Session, attack: Compile) -> None:
    """What chroot takes it gives back to who holds a folder from before; above the session's root there is nothing."""
    found = outcomes(session, attack("cage"))
    assert successes(found) == {"chroot", "climb"}
    assert found["beyond"] == "ENOENT"


def test_the_host_is_not_led_astray_by_who_has_another_root(session: Session) -> None:
    """It reads and writes in the session's root, and says where a command has ended."""
    cage = "import os, time; os.makedirs('/cage/etc'); os.chroot('/cage'); os.chdir('/etc'); print(0, flush=True)"
    with session.open(["python3", "-c", f"{cage}; time.sleep(100)"]) as process:
        assert process.receive(30) == b"0\n"
        session.write("/etc/written", b"outside")
        assert shell(session, "cat /etc/written; ls /cage/etc").text == "outside"
    ended = session.run(["python3", "-c", "import os; os.chroot('/cage'); os.chdir('/etc')"])
    assert (ended.exit_code, ended.cwd) == (0, "/cage/etc")


def test_any_user_may_listen_on_any_port_of_the_session(session: Session) -> None:
    """As in containers: the ports are the session's own. The host's stay as they were."""
    before = Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text()
    listen = "import socket; [socket.create_server(('127.0.0.1', port)) for port in (1, 22, 53, 80, 443)]"
    users = [None, "nobody"] if getattr(session, "has_users", False) else [None]
    for user in users:
        done = session.run(["python3", "-c", listen], user=user)
        assert done.exit_code == 0, done.text
    assert Path("/proc/sys/net/ipv4/ip_unprivileged_port_start").read_text() == before


def test_no_device_can_be_made_or_changed(session: Session) -> None:
    """The machine's own /dev/null is shown: neither its mode nor its owner must change."""
    before = os.stat("/dev/null")
    shell(session, "chmod 0 /dev/null; chown 1 /dev/null; rm -f /dev/null; mv /dev/zero /dev/null")
    after = os.stat("/dev/null")
    assert (after.st_mode, after.st_uid, after.st_gid, after.st_rdev) == (before.st_mode, 0, 0, before.st_rdev)
    assert shell(session, "rm -f /dev/sda; mknod /dev/sda b 8 0; test -e /dev/sda").exit_code == 1


@pytest.mark.embedded_only(reason="an engine makes devices for each container")
def test_nobody_sets_the_times_of_the_machines_devices(session: Session) -> None:
    """All sessions would see them."""
    devices = "/dev/null /dev/zero /dev/full /dev/random /dev/urandom /dev/tty"
    assert shell(session, f"for each in {devices}; do touch -c $each 2> /dev/null && echo $each; done").output == b""
    assert shell(session, "echo x >> /dev/null && head -c 3 /dev/zero | wc -c").output == b"3\n"


def test_the_machines_own_programs_cannot_be_changed(session: Session, attack: Compile) -> None:
    """/usr is the machine's: read-only, also for who is root inside and holds its files open."""
    program = Path("/usr/bin/factor")

    def state() -> tuple[object, ...]:
        found = program.stat()
        numbers = (found.st_mode, found.st_uid, found.st_mtime_ns, found.st_ctime_ns, found.st_nlink)
        return (*numbers, program.read_bytes(), os.listxattr(program), sorted(os.listdir(program.parent)))

    before = state()
    assert successes(outcomes(session, attack("programs"), str(program), str(program.parent))) == set()
    assert state() == before


def test_no_lease_makes_the_host_wait(session: Session, attack: Compile) -> None:
    """On a file of the machine's /usr it would hold up everybody who runs that program."""
    assert outcomes(session, attack("lease"), "/usr/bin/factor") == {"write": "EPERM", "read": "EPERM"}


def test_only_plain_sockets_can_be_had(session: Session, attack: Compile) -> None:
    """And no keyring, BPF, ring, performance counter: of all that is tried, only what is called plain works."""
    before = _asynchronous()
    found = outcomes(session, attack("sockets"))
    assert successes(found) == {"plain-unix", "plain-inet", "plain-inet6", "plain-netlink", "plain-pair"}
    exotic = {result for name, result in found.items() if name.startswith(("vsock", "packet", "alg"))}
    assert exotic == {"EAFNOSUPPORT"}
    assert _asynchronous() < before + 30000, "as many as were asked for; database servers of other tests have some too"


def test_no_input_is_faked_into_a_terminal(session: Session, attack: Compile) -> None:
    found = outcomes(session, attack("terminal"))
    assert successes(found) == {"openpty", "plain-size"}
    assert {found[name] for name in ("sti", "sti-high", "linux")} == {"EPERM"}


@pytest.mark.embedded_only("an engine's containers have no limit on terminals of their own")
def test_terminals_of_a_session_are_few(session: Session) -> None:
    """The kernel has one limit for all terminals of the machine."""
    opens = "i=0; while exec {f}<>/dev/ptmx; do i=$((i+1)); done 2>/dev/null; echo $i"
    assert 0 < int(shell(session, opens).text) <= 256


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="only x86-64 has other doors to the kernel")
def test_there_is_one_door_to_the_kernel(session: Session, attack: Compile) -> None:
    """Calls have other numbers when made the 32-bit way, which kills the caller, or the x32 way, which is not there."""
    assert session.run([put(session, attack("numbers")), "32-bit"]).exit_code == 128 + 31  # SIGSYS
    assert outcomes(session, attack("numbers"), "x32") == {"getpid": "ENOSYS"}


def test_set_user_id_programs_give_nothing(session: Session) -> None:
    """Neither set-user-id bits nor rights kept in files count for anything."""
    shell(session, "cp /bin/bash /tmp/become; cp /usr/bin/id /tmp/id; chmod 6755 /tmp/become /tmp/id")
    many = int(shell(session, "cat /proc/self/uid_map").text.split()[-1]) > 1
    who, user = ("setpriv --reuid 1000 --clear-groups --", "1000") if many else ("", "0")
    assert shell(session, f"{who} /tmp/id -u").text == f"{user}\n"
    assert shell(session, f"{who} /tmp/become -p -c 'id -u'").text == f"{user}\n"


@pytest.mark.embedded_only("an engine keeps its layers behind a folder that only root may enter")
def test_a_set_user_id_program_is_out_of_everybodys_reach(session: EmbeddedSession) -> None:
    """It is on a file system that no path of the host leads to, or behind a folder that nobody else may enter."""
    shell(session, "cp /bin/bash /etc/become; chmod 6755 /etc/become")
    made = os.stat("etc/become", dir_fd=session.upper)
    assert made.st_mode & stat.S_ISUID
    assert made.st_uid != 0
    devices = {line.split()[2] for line in Path("/proc/self/mountinfo").read_text().splitlines()}
    if f"{os.major(made.st_dev)}:{os.minor(made.st_dev)}" in devices:
        places = list((paths.cache() / "scratch").glob(f"{os.getpid()}-*/*/u/etc/become"))
        assert places
        assert all(not place.parents[3].stat().st_mode & 0o077 for place in places)


def test_the_rights_of_root_are_few(session: Session) -> None:
    """What the kernel says of a process of the session, asked from outside. None of them counts outside the session."""
    status = Path(f"/proc/{marked_child(session)}/status").read_text()
    found = {int(value, 16) for value in re.findall(r"^Cap(?:Prm|Eff|Bnd):\s+(\w+)$", status, re.MULTILINE)}
    chown, dac_override, fowner, fsetid, kill, setgid, setuid, bind, chroot, ptrace = 0, 1, 3, 4, 5, 6, 7, 10, 18, 19
    allowed = {chown, dac_override, fowner, fsetid, kill, setgid, setuid, bind, chroot, ptrace}
    assert {number for rights in found for number in range(64) if rights >> number & 1} <= allowed
    assert re.findall(r"^Cap(?:Inh|Amb):\s+(\w+)$", status, re.MULTILINE) == ["0" * 16] * 2
    assert re.search(r"^Seccomp:\s+2$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)


def _asynchronous() -> int:
    """For how many reads and writes at once the whole machine has given room."""
    return int(Path("/proc/sys/fs/aio-nr").read_text())


def _content(path: Path) -> str:
    try:
        return path.read_text()
    except OSError as error:
        return str(error.errno)


def _namespace(pid: int, kind: str) -> str:
    try:
        return os.readlink(f"/proc/{pid}/ns/{kind}")
    except PermissionError:
        return "not for an ordinary user to look at"
