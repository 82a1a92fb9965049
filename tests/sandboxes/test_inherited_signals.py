"""Commands heed every signal, also where nohup or a shell's background job has started us, which ignore some."""

from __future__ import annotations

import subprocess
import sys

import pytest

IGNORE = 'trap "" HUP INT QUIT TERM TSTP USR1; exec "$@"'

PROGRAM = """
import ctypes
import os
import signal
from intercode.worlds.bash.persistent_shell import PersistentShell
from intercode_sandbox import images
from intercode_sandbox.embedded import EmbeddedSandbox
from intercode_sandbox.local import LocalSandbox

RT_SIGACTION = 13 if os.uname().machine == "x86_64" else 134
ignore = (ctypes.c_ulong * 8)(1)  # SIG_IGN; the kernel is asked, since the C library keeps 32 and 33 to itself
for number in (32, 33):
    assert ctypes.CDLL(None).syscall(RT_SIGACTION, number, ignore, None, 8) == 0
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
look = "trap -p; grep -E 'Sig(Ign|Blk)' /proc/self/status"
with {sandbox} as sandbox, sandbox.start(images.find("host")) as session:
    print(session.run(["/bin/bash", "-c", look]).text, PersistentShell(session, seconds=30).run(look).text, sep="")
"""


@pytest.mark.parametrize("sandbox", ["EmbeddedSandbox()", "LocalSandbox(i_know_this_is_unsafe=True)"])
def test_nothing_is_ignored_that_who_started_us_ignores(sandbox: str) -> None:
    command = ["/bin/sh", "-c", IGNORE, "sh", sys.executable, "-c", PROGRAM.format(sandbox=sandbox)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stderr, set(done.stdout.split())) == ("", {"SigBlk:", "SigIgn:", f"{0:016x}"})
