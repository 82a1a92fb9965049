"""Attacks on processes: on process 1, which starts and kills all others, and on whatever is outside."""

from __future__ import annotations

import os
import time
from contextlib import closing
from pathlib import Path

import pytest

from intercode.sandboxes.base import Session

from .conftest import Compile, Start
from .host import becomes_true, first_process, marked, marked_child, new_marker, outcomes, parent, shell, successes

HARMLESS = {"read-fdinfo/0", "read-personality", "read-syscall", "read-stack", "read-io", "read-auxv"}
"""What older kernels may show of process 1 to its own user: numbers that tell nothing."""


def test_the_first_process_gives_nothing_away_and_takes_nothing(session: Session, attack: Compile) -> None:
    """Not its memory, descriptors, environment or limits; no signal kills or stops it."""
    first = first_process(session)
    before = _state(first)
    found = outcomes(session, attack("first"))
    assert len(found) > 70
    assert successes(found) - HARMLESS == set()
    assert _state(first) == before
    assert session.run(["/bin/echo", "alive"]).output == b"alive\n"


def _state(pid: int) -> dict[str, object]:
    """All of a process that another could have changed, as the host reads it."""
    folder = Path(f"/proc/{pid}")
    status = (line.split(":") for line in (folder / "status").read_text().splitlines())
    kept = {"State", "TracerPid", "Uid", "Gid", "SigBlk", "SigIgn", "SigCgt", "CapEff", "Cpus_allowed"}
    return {
        **{name: value for name, value in status if name in kept and name != "State"},
        "limits": (folder / "limits").read_text(),
        "oom": (folder / "oom_score_adj").read_text(),
        "nice": os.getpriority(os.PRIO_PROCESS, pid),
        "policy": os.sched_getscheduler(pid),
        "processors": os.sched_getaffinity(pid),
        "name": (folder / "comm").read_text(),
    }


def test_a_shell_cannot_raise_its_oom_score_either(session: Session) -> None:
    """The simplest way: with a score of 1000 the kernel would kill process 1, and the session, for any memory bomb."""
    first = first_process(session)
    before = Path(f"/proc/{first}/oom_score_adj").read_text()
    shell(
        session,
        "echo 1000 > /proc/1/oom_score_adj; echo 1000 > /proc/1/task/1/oom_score_adj; cd /proc/1 && echo 9 > oom_score_adj",
    )
    assert Path(f"/proc/{first}/oom_score_adj").read_text() == before


def test_killing_everything_kills_only_the_session(start: Start) -> None:
    """`kill -9 -1` as root: another session and this very process must not notice."""
    session, other = start(), start()
    mine, others = marked_child(session), marked_child(other)
    shell(session, "kill -9 -1; kill -STOP -1; kill -9 1; kill -STOP 1")
    assert becomes_true(lambda: not Path(f"/proc/{mine}").exists())
    assert Path(f"/proc/{others}").exists()
    assert session.run(["/bin/echo", "alive"]).output == b"alive\n"


def test_everything_stopped_is_a_command_that_times_out(session: Session) -> None:
    result = shell(session, "sleep 100 & kill -STOP -1; kill -STOP $$; sleep 100", timeout=0.5)
    assert result.timed_out
    assert session.run(["/bin/echo", "alive"]).output == b"alive\n"


def test_stopping_the_next_command_before_it_begins_holds_up_nothing(start: Start, attack: Compile) -> None:
    """A process that stops whatever number comes next hits commands in the moment between fork and exec."""
    session = start(seconds=1.0)
    source = '#include "attack.h"\nint main(void) { if (fork()) _exit(0); setsid(); close(0); close(1); close(2);' \
             "usleep(200000); for (pid_t last = getpid();;) for (pid_t next = last + 1; next < last + 6; next++)" \
             "if (kill(next, SIGSTOP) == 0) last = next; }\n"  # fmt: skip
    session.write("/tmp/attack", attack(source), mode=0o755)
    session.run(["/tmp/attack"])
    time.sleep(0.4)
    results = [session.run(["/bin/true"]) for _ in range(3)]
    assert all(result.exit_code == 0 or result.timed_out for result in results)
    session.kill()
    assert session.run(["/bin/echo", "alive"]).output == b"alive\n"


def test_a_chain_of_processes_that_outrun_the_killer_is_caught(start: Start, attack: Compile) -> None:
    """Each starts the next and ends: whoever looks up a process finds it gone."""
    session, marker = start(seconds=1.0), new_marker()
    source = '#include "attack.h"\nint main(void) { for (int i = 0; i < 30; i++) if (fork() == 0)' \
             "for (;;) { if (i % 3 == 0) setsid(); if (fork() > 0) _exit(0); } for (;;) pause(); }\n"  # fmt: skip
    session.write(f"/tmp/{marker}", attack(source), mode=0o755)
    assert session.run([f"/tmp/{marker}"]).timed_out
    assert marked(marker) == []


def test_a_command_that_times_out_takes_its_daemons_along(start: Start) -> None:
    """Daemons leave the command's process group and session; they were started by it all the same."""
    session, marker = start(seconds=0.5), new_marker()
    script = f"(setsid bash -c 'setsid bash -c \"exec -a {marker} sleep 1000\" &' &); trap '' TERM INT HUP; exec -a {marker} sleep 1000"
    assert shell(session, script).timed_out
    assert marked(marker) == []


def test_odd_processes_are_killed_like_others(start: Start, attack: Compile) -> None:
    """One whose first thread has ended looks dead in /proc; one has a name that reads like a state; one hides its memory."""
    session, marker = start(seconds=0.5), new_marker()
    source = """#include "attack.h"
#include <pthread.h>
#include <sys/prctl.h>
static void *stay(void *nothing) { for (;;) pause(); }
int main(void) {
    pthread_t thread;
    if (fork() == 0) { setsid(); pthread_create(&thread, NULL, stay, NULL); syscall(SYS_exit, 0); }
    if (fork() == 0) { setsid(); prctl(PR_SET_NAME, "a) Z 1 1 1 1 1"); for (;;) pause(); }
    if (fork() == 0) { setsid(); prctl(PR_SET_DUMPABLE, 0); for (;;) pause(); }
    if (fork() == 0) { setsid(); if (fork() == 0) { setsid(); for (;;) pause(); } _exit(0); }
    for (;;) pause();
}
"""
    session.write(f"/tmp/{marker}", attack(source), mode=0o755)
    assert session.run([f"/tmp/{marker}"]).timed_out
    assert becomes_true(lambda: _alive(marker) == [], 0.5)


def _alive(marker: str) -> list[str]:
    """Threads with *marker*: also of processes whose first thread, and with it the command line, is gone."""
    found = []
    for task in Path("/proc").glob("[0-9]*/task/[0-9]*"):
        try:
            if marker.encode() in (task / "cmdline").read_bytes() or marker[:15] in (task / "comm").read_text():
                found.append(str(task))
        except OSError:
            continue
    return found


def test_older_jobs_outlive_a_command_that_times_out(start: Start) -> None:
    """They are not its children: a server started before must go on."""
    session = start(seconds=0.5)
    server = marked_child(session)
    time.sleep(0.05)  # the kernel counts a process's start in hundredths of a second
    assert shell(session, "sleep 100").timed_out
    assert Path(f"/proc/{server}").exists()


def test_daemons_end_with_the_session(start: Start) -> None:
    """However they hide: ignoring signals, stopped, orphaned, with all descriptors closed."""
    session, marker = start(), new_marker()
    shell(session, f"""
        (setsid bash -c "trap '' TERM HUP INT; exec -a {marker} sleep 1000" >/dev/null 2>&1 </dev/null &)
        (exec -a {marker} sleep 1000) >/dev/null 2>&1 </dev/null & kill -STOP $!
        nohup bash -c "exec -a {marker} sleep 1000" >/dev/null 2>&1 </dev/null & disown
    """)  # fmt: skip
    assert becomes_true(lambda: len(marked(marker)) == 3)
    first = parent(marked_child(session))
    session.close()
    assert marked(marker) == []
    assert becomes_true(lambda: not Path(f"/proc/{first}").exists())


def test_programs_have_no_descriptor_of_the_hosts(session: Session, attack: Compile) -> None:
    """Only the three they were given: no directory, socket or file of the machine to go on from."""
    source = '#include "attack.h"\nint main(void) { for (int i = 0; i < 1024; i++) if (fcntl(i, F_GETFD) >= 0)' \
             'printf("%d open\\n", i); return 0; }\n'  # fmt: skip
    session.write("/tmp/attack", attack(source), mode=0o755)
    assert session.run(["/tmp/attack"]).text.split()[::2] == ["0", "1", "2"]
    assert session.run(["/tmp/attack"], stdin=b"x", separate=True).text.split()[::2] == ["0", "1", "2"]
    with closing(session.open(["/tmp/attack"])) as process:
        assert process.receive(5).split()[::2] == [b"0", b"1", b"2"]


def test_descriptors_underway_elsewhere_do_not_starve_other_sessions(start: Start, attack: Compile) -> None:
    """Descriptors that lie in sockets are counted for each user of the machine: our sessions are all one user."""
    session, other = start(), start()
    source = """#include "attack.h"
int main(void) {
    int files[253], pair[2];
    struct iovec vector = {"x", 1};
    char room[CMSG_SPACE(sizeof files)];
    for (int i = 0; i < 253; i++) files[i] = 0;
    for (;;) {
        if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair) < 0) break;
        struct msghdr message = {.msg_iov = &vector, .msg_iovlen = 1, .msg_control = room, .msg_controllen = sizeof room};
        struct cmsghdr *header = CMSG_FIRSTHDR(&message);
        *header = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(sizeof files)};
        memcpy(CMSG_DATA(header), files, sizeof files);
        if (sendmsg(pair[0], &message, MSG_DONTWAIT) < 0) break;
    }
    printf("%s\\n", strerrorname_np(errno));
    fflush(stdout);
    pause();
}
"""
    session.write("/tmp/attack", attack(source), mode=0o755)
    with closing(session.open(["/tmp/attack"])) as process:
        assert process.receive(10) == b"ETOOMANYREFS\n"
        other.write("/tmp/file", b"hello")
        assert other.read("/tmp/file") == b"hello"
        assert other.run(["/bin/cat", "/tmp/file"]).output == b"hello"
        other.snapshot().close()
        assert start().run(["/bin/echo", "hi"]).output == b"hi\n"


@pytest.mark.slow
def test_the_host_is_not_held_up_by_a_shell_that_does_not_read(start: Start) -> None:
    """A shell that stays, with a pipe made small and then stopped, before it is sent a long command."""
    session = start()
    began = time.monotonic()
    with closing(session.open(["/bin/bash", "-c", "kill -STOP $$"])) as process, pytest.raises(BrokenPipeError):
        process.send(b"x" * (1 << 20))
    assert time.monotonic() - began < 30
    assert session.run(["/bin/echo", "alive"]).output == b"alive\n"
