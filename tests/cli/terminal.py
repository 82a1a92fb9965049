"""The program as people run it: in a process of its own."""

from __future__ import annotations

import gc
import io
import os
import signal
import subprocess
import sys
from pathlib import Path

from intercode.cli.main import main

PROGRAM = [str(Path(sys.executable).with_name("intercode"))]


def marked(mark: str) -> list[str]:
    """The processes that were started with *mark* in their environment, by their parents' too."""
    found = []
    for process in Path("/proc").iterdir():
        try:
            if process.name.isdigit() and mark.encode() in (process / "environ").read_bytes():
                found.append(process.name)
        except OSError:  # it has ended meanwhile
            continue
    return found


def intercode(
    *arguments: str | Path, cwd: Path | None = None, stdin: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, without a terminal; *env* is added to the environment."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        env={**os.environ, "CI": "", "PATH": f"{Path(PROGRAM[0]).parent}:{os.environ['PATH']}", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def in_process(*arguments: str | Path) -> tuple[int, str, str]:
    """Run the program to its end in this process, which is quick: its exit status, standard output and error.

    What it does not catch itself is let through: a user would see a trace.
    """
    argv, streams = sys.argv, (sys.stdout, sys.stderr)
    handlers = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGHUP)}
    sys.argv, sys.stdout, sys.stderr = ["intercode", *map(str, arguments)], io.StringIO(), io.StringIO()
    out, err = sys.stdout, sys.stderr
    try:
        main()
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
    finally:
        sys.argv, (sys.stdout, sys.stderr) = argv, streams
        for each, handler in handlers.items():
            signal.signal(each, handler)
        gc.unfreeze()
    return status, out.getvalue(), err.getvalue()
