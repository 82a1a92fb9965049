"""The program as people run it: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

PROGRAM = [str(Path(sys.executable).with_name("intercode"))]


def intercode(
    *arguments: str | Path, cwd: Path | None = None, stdin: str = "", **env: str
) -> subprocess.CompletedProcess[str]:
    """Run the program to its end, without a terminal; *env* is added to the environment."""
    return subprocess.run(
        [*PROGRAM, *map(str, arguments)],
        cwd=cwd,
        input=stdin,
        env={**os.environ, "CI": "", **env},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
