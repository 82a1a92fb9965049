"""Attacks on processes: on process 1, which starts and kills all others, and on whatever is outside."""

from __future__ import annotations

import os
import signal
import time
from contextlib import closing
from glob import iglob
from pathlib import Path

import pytest

from intercode_sandbox.errors import SessionLostError
from intercode_sandbox.sandbox import Session
from intercode_sandbox.testing.patience import patience

from .conftest import Compile, Start
from .host import (
    becomes_true,
    exists,
    family,
    first_process,
    leave,
    marked,
    marked_child,
    new_marker,
    outcomes,
    put,
    shell,
    successes,
)

NUMBERS = {"read-fdinfo/0", "read-personality", "read-syscall", "read-stack", "read-io", "read-auxv"}
"""What older kernels may show of process 1 to its own user: numbers that tell nothing."""


def state(pid: int) -> dict[str, object]:
    """All of a process that another could have changed."""
    folder = Path(f"/proc/{pid}")
    kept = {"TracerPid", "Uid", "Gid", "SigBlk", "SigIgn", "SigCgt", "CapEff", "Cpus_allowed"}
    status = (line.split(":") for line in (folder / "status").read_text().splitlines())
    return {
        **{name: value for name, value in status if name in kept},
        **{name: (folder / name).read_text() for name in ("limits", "oom_score_adj", "comm")},
        "nice": os.getpriority(os.PRIO_PROCESS, pid),
        "policy": os.sched_getscheduler(pid),
        "processors": os.sched_getaffinity(pid),
    }


def test_the_first_process_gives_nothing_away_and_takes_nothing(session: Session, attack: Compile) -> None:
    """Not its memory, descriptors, environment or limits; no signal kills or stops it."""
    first = first_process(session)
    before = state(first)
    found = outcomes(session, attack("first"))
    assert len(found) > 70
    assert successes(found) - NUMBERS == set()
    assert state(first) == before
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


@pytest.mark.parametrize(
    "path", ["/proc/1/oom_score_adj", "/proc/1/task/1/oom_score_adj", "/proc/self/../1/oom_score_adj"]
)
def test_nobody_raises_its_oom_score(session: Session, path: str) -> None:
    """With a score of 1000 the kernel would kill process 1, and the session, for any memory bomb."""
    first = first_process(session)
    before = Path(f"/proc/{first}/oom_score_adj").read_text()
    shell(session, f"echo 1000 > {path}; cd {path.rpartition('/')[0]} && echo 1000 > oom_score_adj")
    assert Path(f"/proc/{first}/oom_score_adj").read_text() == before


def test_killing_everything_kills_only_the_session(start: Start) -> None:
    """`kill -9 -1` as root: another session, and this very process, do not notice."""
    session, other = start(), start()
    mine, others = marked_child(session), marked_child(other)
    shell(session, "kill -9 -1; kill -STOP -1; kill -9 1; kill -STOP 1")
    assert becomes_true(lambda: not exists(mine))
    assert exists(others)
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


def test_everything_stopped_is_a_command_that_times_out(session: Session) -> None:
    result = shell(session, "sleep 100 & kill -STOP -1; kill -STOP $$; sleep 100", timeout=0.5)
    assert result.timed_out
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


def test_stopping_the_next_command_before_it_begins_holds_up_nothing(start: Start, attack: Compile) -> None:
    """There is a moment, after fork and before exec, in which a program is not yet one of the agent's."""
    session = start(seconds=1.0)
    session.run([put(session, attack("stop_next"))])
    time.sleep(0.4)
    results = [session.run(["/bin/true"]) for _ in range(3)]
    assert all(result.exit_code == 0 or result.timed_out for result in results)
    session.kill()
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


def test_nobody_is_traced(session: Session, attack: Compile) -> None:
    """Nor looked into: who traces a program can hold it back from ending."""
    assert set(outcomes(session, attack("trace"), "child").values()) == {"EPERM"}


def test_programs_may_be_traced_where_that_is_asked_for(start: Start, attack: Compile) -> None:
    """As debuggers do. But nobody is stopped at the end: no signal would kill it then."""
    session = start(tracing=True)
    assert set(outcomes(session, attack("trace"), "child").values()) == {"done"}
    assert set(outcomes(session, attack("trace"), "exit").values()) == {"EPERM"}


@pytest.mark.parametrize("tracing", [False, True])
@pytest.mark.parametrize("how", ["next", "next-exit"])
def test_a_command_that_is_held_back_from_ending_times_out(
    start: Start, attack: Compile, how: str, *, tracing: bool
) -> None:
    """By a daemon that traces it and never looks: that goes too, and the next command is as good as any."""
    session = start(seconds=2.0, tracing=tracing)
    session.run([put(session, attack("trace"), "/tmp/trace"), how], timeout=patience(30))
    result = session.run(["/bin/sleep", "1"])
    assert result.timed_out or not tracing or how == "next-exit"
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"
    assert session.changes()


def test_a_chain_of_processes_that_outrun_the_killer_is_caught(start: Start, attack: Compile) -> None:
    session, marker = start(seconds=1.0), new_marker()
    assert session.run([put(session, attack("chain"), f"/tmp/{marker}")]).timed_out
    assert marked(marker) == []


def test_a_command_that_times_out_takes_its_daemons_along(start: Start) -> None:
    """Daemons leave the command's process group and session; they were started by it all the same."""
    session, marker = start(seconds=0.5), new_marker()
    sleep = f"exec -a {marker} sleep 1000"
    script = f"""(setsid bash -c 'setsid bash -c "{sleep}" &' &); trap '' TERM INT HUP; {sleep}"""
    assert shell(session, script).timed_out
    assert marked(marker) == []


def test_odd_processes_are_killed_like_others(start: Start, attack: Compile) -> None:
    """What looks dead in /proc, has a name that reads like a state, or belongs to somebody else there."""
    session, marker = start(seconds=0.5), new_marker()
    assert session.run([put(session, attack("odd"), f"/tmp/{marker}")]).timed_out
    assert becomes_true(lambda: threads(marker) == [])


def threads(marker: str) -> list[str]:
    """Threads of programs called *marker*: of a process whose first thread is gone, the command line is gone, too."""
    found = []
    for task in map(Path, iglob("/proc/[0-9]*/task/[0-9]*")):  # not Path.glob, which fails where a process ends
        try:
            if marker.encode() in (task / "cmdline").read_bytes() or marker[:15] in (task / "comm").read_text():
                found.append(str(task))
        except OSError:  # it has just ended
            continue
    return found


def test_older_jobs_outlive_a_command_that_times_out(start: Start) -> None:
    """They are not its children: a server started before goes on."""
    session = start(seconds=2.0)
    server = marked_child(session)
    time.sleep(0.05)  # the kernel counts a process's start in hundredths of a second
    assert shell(session, "sleep 100").timed_out
    assert exists(server)


def test_daemons_end_with_the_session(start: Start) -> None:
    """However they hide: ignoring signals, stopped, orphaned, with all descriptors closed."""
    session, marker = start(), new_marker()
    sleep = f"exec -a {marker} sleep 1000"
    script = f"""
        (setsid bash -c "trap '' TERM HUP INT; {sleep}" >/dev/null 2>&1 </dev/null &)
        ({sleep}) >/dev/null 2>&1 </dev/null & kill -STOP $!
        nohup bash -c "{sleep}" >/dev/null 2>&1 </dev/null & disown
    """
    shell(session, script)
    assert becomes_true(lambda: len(marked(marker)) == 3)
    first = first_process(session)
    session.close()
    assert marked(marker) == []
    assert becomes_true(lambda: not exists(first))


def test_programs_have_no_descriptor_of_the_hosts(session: Session, attack: Compile) -> None:
    """Only the three they were given: no directory, socket or file of the machine to go on from."""
    program = put(session, attack("descriptors"))
    assert session.run([program]).text == "0 1 2 open\n"
    assert session.run([program], stdin=b"x", separate=True).text == "0 1 2 open\n"
    with closing(session.open([program])) as process:
        assert process.receive(30) == b"0 1 2 open\n"


def test_descriptors_underway_elsewhere_do_not_starve_other_sessions(start: Start, attack: Compile) -> None:
    """They count for each user of the machine, and all sessions are one user: at worst the one who runs them."""
    session, other = start(), start()
    with closing(session.open([put(session, attack("underway"))])) as process:
        assert process.receive(30) == b"ETOOMANYREFS\n"
        other.write("/tmp/file", b"hello")
        assert other.read("/tmp/file") == b"hello"
        assert other.run(["/bin/cat", "/tmp/file"]).output == b"hello"
        other.snapshot().close()
        assert start().run(["/bin/echo", "hi"]).output == b"hi\n"


@pytest.mark.slow
def test_the_host_is_not_held_up_by_a_shell_that_does_not_read(start: Start) -> None:
    """A shell that stays is stopped by the agent before it is sent a long command."""
    session = start()
    began = time.monotonic()
    with closing(session.open(["/bin/bash", "-c", "kill -STOP $$"])) as process, pytest.raises(BrokenPipeError):
        process.send(b"x" * (1 << 20))
    assert time.monotonic() - began < patience(30)
    assert session.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


def test_what_cannot_be_executed_is_told_and_leaves_nothing(session: Session) -> None:
    """Said by a child that is not yet the agent's: with the right status, once, and without a process left."""
    first = first_process(session)
    for _ in range(20):
        assert session.run(["/no/such/program"]).exit_code == 127
        assert session.run(["/etc/passwd"]).exit_code == 126
        assert session.run(["/bin/true"], cwd="/no/such/folder").exit_code == 126
        assert session.run(["/bin/true"]).exit_code == 0
    assert becomes_true(lambda: len(family(first)) == 2), "process 1 and the marked one"


def test_a_job_left_by_an_older_command_is_not_taken_for_a_newer_one(session: Session) -> None:
    """Its end, and its output after the end of the command that started it, belong to nobody."""
    marker = new_marker()
    shell(session, "(sleep 0.2; echo late) &")
    leave(session, marker)
    assert session.run(["/bin/sleep", "0.4"]).output == b""
    assert len(marked(marker)) == 1


# Sessions that give way: of what ran in them, or with their sandbox


@pytest.mark.flaky_when_busy("it measures seconds")
def test_a_session_whose_first_process_dies_is_to_blame_itself(start: Start) -> None:
    """Killed for want of memory, say: a fresh session works. It says so ever after, and closes at once."""
    session, other = start(), start()
    process = first_process(session)
    os.kill(process, signal.SIGKILL)
    assert becomes_true(lambda: not exists(process))
    for _ in range(2):
        with pytest.raises(SessionLostError, match="of what ran in it: a fresh session works"):
            session.run(["/bin/true"])
    began = time.monotonic()
    session.close()
    assert time.monotonic() - began < patience(2)
    assert other.run(["/bin/echo", "alive"], timeout=patience(10)).output == b"alive\n"


def test_a_program_that_stays_is_closed_after_its_session_has_died(start: Start) -> None:
    session = start()
    with closing(session.open(["/bin/cat"])) as process:
        os.kill(first_process(session), signal.SIGKILL)
        with pytest.raises(SessionLostError):
            session.run(["/bin/true"])
        with pytest.raises(SessionLostError):
            _ = process.exit_code
