"""The filter of system calls: every entry of the tables in guard.c, called. A wrong jump in it is seen nowhere else."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from intercode.sandboxes.base import Session
from intercode.sandboxes.bubblewrap.identity import HELPER

from .conftest import Compile
from .host import outcomes, shell

SOURCE = HELPER.parent / "helper"
PROGRAM = """#include "helper.h"
#include "attack.h"
void filter_system_calls(void);
int main(int argc, char **argv) {
if (argc > 1) filter_system_calls();
%s
return 0; }
"""


def table(name: str) -> Iterator[str]:
    """The entries of one of guard.c's tables, without braces; lines for the preprocessor as they are."""
    text = re.sub(r"/\*.*?\*/", "", (SOURCE / "guard.c").read_text(), flags=re.DOTALL)
    for line in text.split(f"{name}[] = {{", 1)[1].split("\n};", 1)[0].splitlines():
        yield from [line] if line.startswith("#") else re.findall(r"\{([^{}]+)\}", line)


def calls() -> Iterator[str]:
    """C that makes each call that is to be refused, named by what is to come of it: in the last word."""
    for entry in table("denied"):
        number, _, error = entry.partition(",")
        attempt = f'ATTEMPT("{number} {error.strip()}", syscall({number}, -1L, -1L, -1L, -1L, -1L, -1L));'
        yield entry if entry.startswith("#") else attempt
    for entry in table("denied_arguments"):
        number, index, value = (part.strip() for part in entry.split(","))
        arguments = ", ".join(f"(long)({value})" if str(place) == index else "0L" for place in range(6))
        yield f'ATTEMPT("{number} {index} {value} EPERM", syscall({number}, {arguments}));'
    for call in ("socket(AF_PACKET, SOCK_RAW, 0)", "socketpair(AF_TIPC, SOCK_STREAM, 0, (int[2]){0, 0})"):
        yield f'ATTEMPT("{call} EAFNOSUPPORT", {call});'
    for flag in ("USER", "NS", "PID", "NET", "IPC", "UTS", "CGROUP"):
        yield f'ATTEMPT("clone {flag} EPERM", syscall(SYS_clone, (long)CLONE_NEW{flag} | SIGCHLD, 0L, 0L, 0L, 0L));'


@pytest.fixture(scope="module")
def every_call(attack: Compile) -> bytes:
    """A program that makes them all; given an argument, under the filter alone and with all the rights of its user."""
    return attack(PROGRAM % "\n".join(calls()), f"-I{SOURCE}", str(SOURCE / "guard.c"), str(SOURCE / "wire.c"))


def wrong(found: dict[str, str]) -> dict[str, str]:
    """The calls that ended otherwise than they should."""
    assert len(found) > 60
    return {call: result for call, result in found.items() if call.split()[-1] != result}


def test_every_call_is_refused_in_a_session(session: Session, every_call: bytes) -> None:
    assert wrong(outcomes(session, every_call)) == {}


def test_it_is_the_filter_that_refuses(every_call: bytes, tmp_path: Path) -> None:
    """Outside, without any other guard: to root nothing but the filter says EPERM."""
    program = tmp_path / "every-call"
    program.write_bytes(every_call)
    program.chmod(0o755)
    done = subprocess.run([str(program), "filter"], capture_output=True, text=True, check=True)
    assert wrong(dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())) == {}


@pytest.mark.parametrize(
    "script",
    [
        "ulimit -n 512",
        "nice -n 5 true",
        "renice -n 6 $$",
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
