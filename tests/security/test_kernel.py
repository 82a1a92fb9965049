"""Attacks on the kernel: its settings, other file systems and namespaces, calls that have been ways out before."""

from __future__ import annotations

import ctypes
import os
import re
import socket
import subprocess
from pathlib import Path

import pytest

from intercode.sandboxes.base import Session
from intercode.sandboxes.bubblewrap.identity import HELPER

from .conftest import Compile
from .host import first_process, marked_child, outcomes, shell, successes

SETTINGS = ("kernel/core_pattern", "kernel/hostname", "kernel/modprobe", "kernel/panic", "vm/drop_caches", "fs/file-max",
            "kernel/shmmax", "net/ipv4/ip_forward", "user/max_user_namespaces", "fs/binfmt_misc/register")  # fmt: skip
OTHERS = ("/proc/sysrq-trigger", "/proc/irq/default_smp_affinity", "/proc/kcore", "/proc/kmsg", "/proc/keys", "/proc/mtrr",
          "/proc/timer_list", "/proc/acpi/wakeup", "/proc/bus/pci/devices", "/proc/fs/nfsd/threads", "/proc/config.gz",
          "/sys/kernel/uevent_helper", "/sys/power/state", "/sys/fs/cgroup/cgroup.procs", "/dev/mem", "/dev/kmsg")  # fmt: skip
HELPER_SOURCE = HELPER.parent / "helper"


def test_no_setting_of_the_kernel_can_be_written(session: Session, attack: Compile) -> None:
    paths = [Path("/proc/sys", name) for name in SETTINGS]
    before = {path: _content(path) for path in paths}
    found = outcomes(session, attack("writes"), *map(str, paths))
    assert set(found.values()) <= {"EROFS", "EACCES", "ENOENT", "EPERM"}
    assert {path: _content(path) for path in paths} == before


def test_all_settings_are_read_only_whoever_asks(session: Session) -> None:
    """Every file below /proc/sys, not only the famous ones. Opening for writing is enough to know."""
    script = r"find /proc/sys -type f -print0 | while IFS= read -r -d '' f; do (exec 3>>$f) 2>/dev/null && echo $f; done"
    assert shell(session, script).text == ""


def test_what_else_the_kernel_listens_to_is_covered(session: Session, attack: Compile) -> None:
    """A write that is `done` has gone to /dev/null, which covers the file."""
    found = outcomes(session, attack("writes"), *OTHERS)
    written = shell(session, f"stat -L -c '%n %t,%T' {' '.join(successes(found))} 2>&1").text if successes(found) else ""
    assert all(line.endswith(" 1,3") for line in written.splitlines()), written


def test_nothing_is_mounted_unmounted_entered_or_left(session: Session, attack: Compile) -> None:
    first = first_process(session)
    namespaces = Path(f"/proc/{first}/ns")
    before = _mounts(first), {name: _namespace(namespaces / name) for name in ("mnt", "net", "user", "pid", "uts")}
    name = socket.gethostname()
    found = outcomes(session, attack("mounts"))
    assert successes(found) == set()
    assert (_mounts(first), {name: _namespace(namespaces / name) for name in before[1]}) == before
    assert socket.gethostname() == name


def test_no_device_can_be_made_or_changed(session: Session) -> None:
    """The machine's own /dev/null is shown: neither its mode nor its owner must change."""
    before = os.stat("/dev/null")
    shell(session, "chmod 0 /dev/null; chown 1 /dev/null; rm -f /dev/null; mv /dev/zero /dev/null")
    after = os.stat("/dev/null")
    assert (after.st_mode, after.st_uid, after.st_gid, after.st_rdev) == (before.st_mode, 0, 0, before.st_rdev)
    assert shell(session, "rm -f /dev/sda; mknod /dev/sda b 8 0; test -e /dev/sda").exit_code == 1


def test_only_plain_sockets_can_be_had(session: Session, attack: Compile) -> None:
    """And no keyring, BPF, ring, performance counter: of all that is tried, only what is called plain works."""
    before = Path("/proc/sys/fs/aio-nr").read_text()
    found = outcomes(session, attack("sockets"))
    plain = {"plain-unix", "plain-inet", "plain-inet6", "plain-netlink", "plain-pair"}
    assert successes(found) == plain
    families = {result for name, result in found.items() if name.startswith(("vsock", "packet", "alg"))}
    assert families == {"EAFNOSUPPORT"}
    assert Path("/proc/sys/fs/aio-nr").read_text() == before


def test_no_input_is_faked_into_a_terminal(session: Session, attack: Compile) -> None:
    found = outcomes(session, attack("terminal"))
    assert {name: result for name, result in found.items() if result != "done"} == {
        **dict.fromkeys(("sti", "sti-high", "linux"), "EPERM"), "cons": found["cons"],
    }  # fmt: skip
    assert found["cons"] != "done"


def test_terminals_of_a_session_are_few(session: Session) -> None:
    """The kernel has one limit for all terminals of the machine."""
    opens = "i=0; while exec {f}<>/dev/ptmx; do i=$((i+1)); done 2>/dev/null; echo $i"
    assert 0 < int(shell(session, opens).text) <= 256


def test_no_lease_makes_the_host_wait(session: Session, attack: Compile) -> None:
    """A lease on a file of the machine's /usr holds up, for 45 seconds, whoever opens it outside."""
    source = '#include "attack.h"\nint main(int c, char **v) { int f = open(v[1], O_RDONLY);' \
             'ATTEMPT("write", fcntl(f, F_SETLEASE, F_WRLCK)); ATTEMPT("read", fcntl(f, F_SETLEASE, F_RDLCK)); }\n'  # fmt: skip
    found = outcomes(session, attack(source), "/usr/bin/factor")
    assert found == {"write": "EPERM", "read": "EPERM"}


# The filter of system calls


def _table(name: str) -> list[str]:
    """The entries of one of guard.c's tables, each without its braces."""
    text = re.sub(r"/\*.*?\*/", "", (HELPER_SOURCE / "guard.c").read_text(), flags=re.DOTALL)
    body = text.split(f"{name}[] = {{", 1)[1].split("\n};", 1)[0]
    lines = [line if line.startswith("#") else "\n".join(re.findall(r"\{([^{}]+)\}", line)) for line in body.splitlines()]
    return [entry.strip() for entry in "\n".join(lines).splitlines() if entry.strip()]


def _every_call() -> str:
    """A C program that makes each denied call, without the denied arguments' table, and with it; given an argument, under the
    filter alone and with all the rights of its user."""
    calls = [entry if entry.startswith("#") else
             f'ATTEMPT("{entry.split(",")[0]} {entry.split(",")[1].strip()}", syscall({entry.split(",")[0]}, -1L, -1L, -1L, -1L, -1L, -1L));'
             for entry in _table("denied")]  # fmt: skip
    for entry in _table("denied_arguments"):
        number, index, value = (part.strip() for part in entry.split(","))
        arguments = ", ".join(f"(long)({value})" if str(i) == index else "0L" for i in range(6))
        calls.append(f'ATTEMPT("{number} {index} {value} EPERM", syscall({number}, {arguments}));')
    return "\n".join(
        ['#include "helper.h"', '#include "attack.h"', "void filter_system_calls(void);", "int main(int argc, char **argv) {",
         "if (argc > 1) filter_system_calls();", *calls, "return 0; }", ""]
    )  # fmt: skip


@pytest.fixture(scope="module")
def every_call(attack: Compile) -> bytes:
    files = [str(HELPER_SOURCE / name) for name in ("guard.c", "wire.c")]
    return attack(_every_call(), "-I", str(HELPER_SOURCE), *files)


def test_every_entry_of_the_filter_answers(session: Session, every_call: bytes) -> None:
    found = outcomes(session, every_call)
    assert len(found) >= 50
    assert [(call, result) for call, result in found.items() if call.split()[-1] != result] == []


def test_it_is_the_filter_that_answers(every_call: bytes, tmp_path: Path) -> None:
    """Outside, without any other guard: as root nothing else says EPERM. No jump in the filter leads astray."""
    program = tmp_path / "every-call"
    program.write_bytes(every_call)
    program.chmod(0o755)
    done = subprocess.run([str(program), "filter"], capture_output=True, text=True, check=True)
    found = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    assert len(found) >= 50
    assert [(call, result) for call, result in found.items() if call.split()[-1] != result] == []


def test_calls_beside_the_filtered_ones_still_work(session: Session) -> None:
    """The same calls with other arguments: limits and niceness of one's own, starting processes, asking a terminal."""
    script = "ulimit -n 512 && nice -n 5 true && renice -n 6 $$ && (true | cat) && sleep 0 & wait %1 && [ ! -t 0 ] && taskset -p $$"
    result = shell(session, script)
    assert result.exit_code == 0, result.text


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="only x86-64 has a second and a third way to call the kernel")
class TestOtherWaysToCall:
    SOURCE = '#include "attack.h"\nint main(void) { long result = 0;\n%s\nreturn 0; }\n'

    def test_32_bit_calls_kill_the_caller(self, session: Session, attack: Compile) -> None:
        """They have numbers of their own, which the filter does not know: 20 is getpid."""
        code = '__asm__ volatile("int $0x80" : "=a"(result) : "a"(20) : "memory");'
        session.write("/tmp/attack", attack(self.SOURCE % code), mode=0o755)
        assert session.run(["/tmp/attack"]).exit_code == 128 + 31  # SIGSYS
        assert session.run(["/bin/echo", "alive"]).output == b"alive\n"

    def test_x32_calls_do_not_exist(self, session: Session, attack: Compile) -> None:
        code = 'ATTEMPT("call", syscall(0x40000000 | SYS_getpid));'
        assert outcomes(session, attack(self.SOURCE % code)) == {"call": "ENOSYS"}


def test_set_user_id_programs_give_nothing(session: Session) -> None:
    """Neither set-user-id bits nor rights kept in files count for anything."""
    shell(session, "cp /bin/bash /tmp/become; cp /usr/bin/id /tmp/id; chmod 6755 /tmp/become /tmp/id")
    assert shell(session, "grep NoNewPrivs /proc/self/status").text.split() == ["NoNewPrivs:", "1"]
    who = "/usr/bin/setpriv --reuid 1000 --clear-groups --" if _has_many_users(session) else ""
    user = "1000" if who else "0"
    assert shell(session, f"{who} /tmp/id -u").text.strip() == user
    assert shell(session, f"{who} /tmp/become -p -c 'id -u'").text.strip() == user


def test_the_rights_of_root_are_few(session: Session) -> None:
    """What the kernel says of a process of the session, asked from outside. None of them counts outside the session."""
    status = Path(f"/proc/{marked_child(session)}/status").read_text()
    found = {int(value, 16) for value in re.findall(r"^Cap(?:Prm|Eff|Bnd):\s+(\w+)$", status, re.MULTILINE)}
    chown, dac_override, fowner, fsetid, kill, setgid, setuid, bind, ptrace = 0, 1, 3, 4, 5, 6, 7, 10, 19
    allowed = {chown, dac_override, fowner, fsetid, kill, setgid, setuid, bind, ptrace}
    assert {number for rights in found for number in range(64) if rights >> number & 1} <= allowed
    assert re.findall(r"^Cap(?:Inh|Amb):\s+(\w+)$", status, re.MULTILINE) == ["0" * 16] * 2
    assert re.search(r"^Seccomp:\s+2$", status, re.MULTILINE)
    assert re.search(r"^NoNewPrivs:\s+1$", status, re.MULTILINE)


def _has_many_users(session: Session) -> bool:
    return int(shell(session, "cat /proc/self/uid_map").text.split()[2]) > 1


def _content(path: Path) -> str:
    try:
        return path.read_text()
    except OSError as error:
        return str(error.errno)


def _mounts(pid: int) -> str:
    return Path(f"/proc/{pid}/mounts").read_text()


def _namespace(path: Path) -> str:
    try:
        return os.readlink(path)
    except PermissionError:  # an ordinary user may not look at process 1, which cannot be traced
        return ""
