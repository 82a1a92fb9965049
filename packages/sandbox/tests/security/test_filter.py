"""The filter of system calls: every entry of its tables, called. A wrong jump in it is seen nowhere else."""

from __future__ import annotations

import platform
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode_sandbox.embedded.user_namespace import HELPER
from intercode_sandbox.runner import seccomp
from intercode_sandbox.sandbox import Session

from .conftest import Compile, Start
from .host import outcomes, shell

SOURCE = HELPER.parent / "helper"
PROGRAM = """#include "helper.h"
#include <sys/mman.h>
#include "attack.h"
#ifndef SYS_cachestat
#define SYS_cachestat 451
#endif
static const unsigned char program[] = {%s};
int main(int argc, char **argv) {
int pair[2];
if (argc > 1 && socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0) {
    if (write(pair[0], program, sizeof program) > 0) receive_filter(pair[1]);
    filter_system_calls();
}
%s
return 0; }
"""
GENERIC = Path("/usr/include/asm-generic/unistd.h")


def calls(*, counted: bool) -> Iterator[str]:
    """C that makes each call that is to be refused, named by what is to come of it: in the last word."""
    column = ("x86_64", "aarch64").index(platform.machine())
    tables = [seccomp.REFUSED, seccomp.TRACING, *([] if counted else [seccomp.UNCOUNTED])]
    for name, *numbers, error in [row for table in tables for row in seccomp.rows(table)]:
        if numbers[column] != "-":
            yield f'ATTEMPT("{name} {error}", syscall(SYS_{name}, -1L, -1L, -1L, -1L, -1L, -1L));'
    tables = [seccomp.REFUSED_ARGUMENTS, *([] if counted else [seccomp.UNCOUNTED_ARGUMENTS])]
    for name, *_, index, value in [row for table in tables for row in seccomp.rows(table)]:
        arguments = ", ".join(f"(long)({value})" if str(place) == index else "0L" for place in range(6))
        yield f'ATTEMPT("{name} {index} {value} EPERM", syscall(SYS_{name}, {arguments}));'
    if not counted:
        for flag in ("MAP_SHARED", "MAP_SHARED_VALIDATE"):
            call = f"mmap(0, 4096, 3, {flag} | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)"
            yield f'ATTEMPT("mmap {flag} EPERM", {call});'
        for option in ("SO_SNDBUF", "SO_RCVBUF", "SO_SNDBUFFORCE", "SO_RCVBUFFORCE"):
            yield f'ATTEMPT("{option} done", syscall(SYS_setsockopt, -1L, (long)SOL_SOCKET, (long){option}, 0L, 0L));'
        yield 'ATTEMPT("TCP_LINGER2 EBADF", syscall(SYS_setsockopt, -1L, 6L, 8L, 0L, 0L));'
        yield 'ATTEMPT("SO_KEEPALIVE EBADF", syscall(SYS_setsockopt, -1L, (long)SOL_SOCKET, 9L, 0L, 0L));'
    for call in ("socket(AF_PACKET, SOCK_RAW, 0)", "socketpair(AF_TIPC, SOCK_STREAM, 0, (int[2]){0, 0})"):
        yield f'ATTEMPT("{call} EAFNOSUPPORT", {call});'
    for flag in ("USER", "NS", "PID", "NET", "IPC", "UTS", "CGROUP"):
        yield f'ATTEMPT("clone {flag} EPERM", syscall(SYS_clone, (long)CLONE_NEW{flag} | SIGCHLD, 0L, 0L, 0L, 0L));'


def every_call(attack: Compile, *, counted: bool) -> bytes:
    """A program that makes them all; given an argument, under the filter alone and with all the rights of its user."""
    embedded = ", ".join(map(str, seccomp.program(counted=counted)))
    text = PROGRAM % (embedded, "\n".join(calls(counted=counted)))
    return attack(text, f"-I{SOURCE}", str(SOURCE / "guard.c"), str(SOURCE / "wire.c"))


def wrong(found: dict[str, str]) -> dict[str, str]:
    """The calls that ended otherwise than they should."""
    assert len(found) > 60
    return {call: result for call, result in found.items() if call.split()[-1] != result}


def test_every_call_is_refused_in_a_session(session: Session, attack: Compile) -> None:
    """Where processes are started in a control group, clone3 is refused by a filter of its own."""
    assert wrong(outcomes(session, every_call(attack, counted=True))) == {}


def test_more_is_refused_where_memory_is_not_counted(start_uncounted: Start, attack: Compile) -> None:
    assert wrong(outcomes(start_uncounted(), every_call(attack, counted=False))) == {}


@pytest.mark.parametrize("counted", [True, False])
def test_it_is_the_filter_that_refuses(attack: Compile, tmp_path: Path, counted: bool) -> None:
    """Outside, without any other guard: to root nothing but the filter says EPERM."""
    program = tmp_path / "every-call"
    program.write_bytes(every_call(attack, counted=counted))
    program.chmod(0o755)
    done = subprocess.run([str(program), "filter"], capture_output=True, text=True, check=True)
    assert wrong(dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())) == {}


@pytest.mark.parametrize(
    "script",
    [
        "ulimit -n 128",
        "nice -n 5 true",
        "renice -n 19 $$",
        "taskset -p $$",
        "true | cat",
        "(sleep 0 & wait)",
        "[ ! -t 0 ]",
    ],
)
def test_the_same_calls_for_oneself_still_work(session: Session, script: str) -> None:
    """Limits and niceness of one's own, starting processes, asking for a terminal."""
    result = shell(session, script)
    assert result.exit_code == 0, result.text


@pytest.mark.skipif(not GENERIC.exists(), reason="the kernel's headers are not installed (linux-libc-dev)")
def test_the_numbers_for_the_other_machine_are_the_kernels() -> None:
    """aarch64 has the kernel's generic numbers; those of x86-64 are called above by name."""
    numbers = dict(re.findall(r"#define (?:__NR_|__NR3264_)(\w+)\s+(\d+)", GENERIC.read_text()))
    all_tables = (
        *(seccomp.REFUSED, seccomp.TRACING, seccomp.UNCOUNTED),
        *(seccomp.REFUSED_ARGUMENTS, seccomp.UNCOUNTED_ARGUMENTS),
    )
    tables = [row for table in all_tables for row in seccomp.rows(table)]
    numbers.setdefault("cachestat", "451")  # since 6.5
    assert {row[0]: row[2] for row in tables if row[2] != "-"} == {
        row[0]: numbers[row[0]] for row in tables if row[2] != "-"
    }
    assert len(seccomp.program("aarch64")) % 8 == 0
