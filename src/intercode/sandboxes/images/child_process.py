"""Programs that do not outlive us: long builds end when the process that wants them ends, however it ends."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

ALL_OF_US = 'trap "trap - TERM; kill -TERM 0" TERM; "$@" & wait $!'
"""A shell that passes SIGTERM on to its whole process group; the kernel sends it one when its parent is gone."""


def run_child(command: Sequence[str], *, stdout: IO[bytes], stderr: IO[bytes], env: Mapping[str, str]) -> int:
    """Run *command* from `/` without input and return its exit status.

    When this call is interrupted, or the calling process is killed, everything in the command's process group gets
    SIGTERM. Raises FileNotFoundError without `setpriv` (of util-linux).
    """
    argv = ["setpriv", "--pdeathsig", "TERM", "sh", "-c", ALL_OF_US, "sh", *command]
    process = subprocess.Popen(
        argv, stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=env, cwd="/", start_new_session=True
    )
    try:
        return process.wait()
    except BaseException:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()
        raise
